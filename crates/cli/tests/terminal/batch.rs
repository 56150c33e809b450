//! The calls of one answer take their way at once, with hooks that are programs.

use std::fs;

use crate::fixture::CliFixture;

const EVENTS: [&str; 5] =
    ["tool_input_transform", "tool_guard", "pre_tool_use", "tool_response_transform", "post_tool_use"];
const CALLS: usize = 4;

/// A command that ends once this many calls have run it; it leaves the file `alone` if it waits in vain.
fn meet_at(place: &str, calls: usize) -> String {
    format!(
        "mktemp meet/{place}.XXXXXX > /dev/null; n=0; until [ $(ls meet | grep -c '^{place}\\.') -ge {calls} ]; do n=$((n+1)); \
         [ $n -lt 600 ] || {{ touch meet/alone; exit 2; }}; sleep 0.05; done"
    )
}

#[test]
fn every_hook_and_the_tool_of_all_calls_run_at_once() {
    // No more guards than cores.
    let guards = std::thread::available_parallelism().map_or(1, usize::from).min(CALLS);
    let hooks: String = EVENTS
        .iter()
        .map(|event| {
            let command = meet_at(event, guards);
            format!(
                "      {event}:\n        - matcher: shell\n          hooks:\n            - {{type: command, timeout: 60, \
                 command: {}}}\n",
                serde_json::to_string(&command).unwrap()
            )
        })
        .collect();
    let agent =
        format!("agents:\n  root:\n    model: script:turns.yaml\n    toolsets: [{{type: shell}}]\n    hooks:\n{hooks}");
    let calls: String = (1..=CALLS)
        .map(|number| {
            let command = serde_json::to_string(&format!("{}; echo call {number}", meet_at("tool", CALLS))).unwrap();
            format!("      - {{tool: shell, args: {{cmd: {command}}}}}\n")
        })
        .collect();
    let turns = format!("turns:\n  - calls:\n{calls}  - say: done\n");
    let fixture = CliFixture::new_empty()
        .with_file("team.yaml", agent)
        .with_file("turns.yaml", turns)
        .with_file("meet/.keep", "");
    let arguments = ["run", "team.yaml", "go", "--yes", "-m", "script:turns.yaml", "--tape", "t.jsonl"];
    let (out, err, status) = fixture.pintle(&arguments).run_to_parts();
    assert!(status == Some(0) && !fixture.path("meet/alone").exists(), "{out} {err}");
    // What the model was told, in the order of the calls, though their ends are not ordered.
    let tape = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    let told: Vec<usize> = (1..=CALLS)
        .map(|number| tape.find(&format!("\"role\":\"tool\",\"content\":\"call {number}")).unwrap())
        .collect();
    assert!(told.is_sorted(), "{told:?}");
    let (out, _, status) = fixture.pintle(&["tape", "verify", "t.jsonl"]).run_to_parts();
    assert!(status == Some(0) && out.contains("valid and complete"), "{out}");
    let (out, _, status) = fixture.pintle(&["replay", "t.jsonl"]).run_to_parts();
    assert!(status == Some(0) && out.contains("identical"), "{out}");
}

#[test]
fn a_post_hook_that_ends_the_run_stops_an_earlier_call() {
    let agent = "agents:\n  root:\n    model: script:turns.yaml\n    toolsets: [{type: shell}]\n    hooks:\n      \
                 post_tool_use:\n        - hooks:\n            - type: command\n              command: |\n                \
                 if grep -q 'end it'; then echo '{\"continue\": false, \"stop_reason\": \"enough\"}'; fi\n";
    let turns = "turns:\n  - calls:\n      - {tool: shell, args: {cmd: 'touch runs; sleep 60; touch LATE', timeout: 90}}\n      \
                 - {tool: shell, args: {cmd: 'until [ -e runs ]; do sleep 0.05; done; echo end it'}}\n  - say: never\n";
    let fixture = CliFixture::new_empty().with_file("team.yaml", agent).with_file("turns.yaml", turns);
    let arguments = ["run", "team.yaml", "go", "--yes", "-m", "script:turns.yaml", "--tape", "t.jsonl"];
    let (out, err, status) = fixture.pintle(&arguments).run_to_parts();
    assert!(status == Some(2) && format!("{out}{err}").contains("turn failed: enough"), "{status:?} {out} {err}");
    assert!(!fixture.path("LATE").exists(), "{out} {err}");
    let (out, _, status) = fixture.pintle(&["tape", "verify", "t.jsonl"]).run_to_parts();
    assert!(status == Some(0) && out.contains("valid and complete"), "{out}");
}
