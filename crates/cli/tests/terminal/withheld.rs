//! Nobody hears what hooks took out: what is printed is what every hook that can change or block it has left.

use std::fs;

use crate::fixture::{CliFixture, snapshot};

const AGENT: &str = "---\nname: teller\nmodel: {provider: script, name: script.yaml}\nEXIT---\nTell.\n";

/// A hook on an event.
fn hook_file(event: &str, body: &str) -> String {
    format!("---\nevent: {event}\npriority: 1\nscript: |\n  def handle(event, payload):\n      {body}\n---\n")
}

struct WithheldCase {
    name: &'static str,
    /// The event of the hook and what it does.
    event: &'static str,
    body: &'static str,
    exit: &'static str,
    script: &'static str,
    /// What `-q` prints, and its exit status.
    printed: &'static str,
    status: i32,
}

const SAYS: &str = "turns: [{say: the SECRET is 1234 and more}, {say: no SECRET this time}]";
const DONE: &str = "exit_policy: {mode: done_tool}\n";

const CASES: &[WithheldCase] = &[
    WithheldCase {
        name: "completion.post rewrites",
        event: "completion.post",
        body: "return modify({\"text\": payload[\"text\"].replace(\"SECRET\", \"[gone]\")})",
        exit: "",
        script: SAYS,
        printed: "the [gone] is 1234 and more\n",
        status: 0,
    },
    WithheldCase {
        name: "completion.post blocks",
        event: "completion.post",
        body: "return block(\"not this\")",
        exit: "",
        script: SAYS,
        printed: "",
        status: 2,
    },
    WithheldCase {
        name: "completion.post fails closed",
        event: "completion.post\non_error: closed",
        body: "return payload[\"nothing\"]",
        exit: "",
        script: SAYS,
        printed: "",
        status: 2,
    },
    WithheldCase {
        name: "turn.end rewrites",
        event: "turn.end",
        body: "return modify({\"text\": payload[\"text\"].replace(\"SECRET\", \"[gone]\")})",
        exit: "",
        script: SAYS,
        printed: "the [gone] is 1234 and more\n",
        status: 0,
    },
    WithheldCase {
        name: "turn.end blocks",
        event: "turn.end",
        body: "return block(\"not this\")",
        exit: "",
        script: SAYS,
        printed: "",
        status: 2,
    },
    WithheldCase {
        name: "agent.stop rewrites",
        event: "agent.stop",
        body: "return modify({\"response\": payload[\"response\"].replace(\"SECRET\", \"[gone]\")})",
        exit: "",
        script: SAYS,
        printed: "the [gone] is 1234 and more\n",
        status: 0,
    },
    WithheldCase {
        name: "agent.stop sends on",
        event: "agent.stop",
        body: "return block(\"say it without\") if \"1234\" in payload[\"response\"] else modify({\"response\": \"fine\"})",
        exit: "",
        script: SAYS,
        printed: "fine\n",
        status: 0,
    },
    WithheldCase {
        name: "the summary of done",
        event: "turn.end",
        body: "return modify({\"text\": payload[\"text\"].replace(\"SECRET\", \"[gone]\")})",
        exit: DONE,
        script: "turns: [{say: All done., calls: [{tool: done, args: {summary: the SECRET is out}}]}]",
        printed: "All done.\nthe [gone] is out\n",
        status: 0,
    },
    WithheldCase {
        name: "text beside a done without a summary is the answer",
        event: "turn.end",
        body: "return modify({\"text\": payload[\"text\"].replace(\"SECRET\", \"[gone]\")})",
        exit: DONE,
        script: "turns: [{say: the SECRET is out, calls: [{tool: done, args: {}}]}]",
        printed: "the [gone] is out\n",
        status: 0,
    },
    WithheldCase {
        name: "the last words at a limit",
        event: "turn.end",
        body: "return modify({\"text\": payload[\"text\"].replace(\"SECRET\", \"[gone]\")})",
        exit: "exit_policy: {max_iterations: 1, on_max_iterations: warn_and_exit}\n",
        script: "turns: [{say: the SECRET so far, calls: [{tool: list, args: {path: .}}]}]",
        printed: "the [gone] so far\n",
        status: 1,
    },
    WithheldCase {
        name: "words beside calls are told at once",
        event: "turn.end",
        body: "return modify({\"text\": payload[\"text\"].upper()})",
        exit: "",
        script: "turns: [{say: I look around., calls: [{tool: list, args: {path: .}}]}, {say: that is all}]",
        printed: "I look around.\nTHAT IS ALL\n",
        status: 0,
    },
    WithheldCase {
        name: "a redirect answers",
        event: "agent.stop",
        body: "return delegate({\"task\": \"answer\"}) if not payload.get(\"parent_id\") else None",
        exit: "",
        script: "turns: [{say: the SECRET is 1234}]\nagents: {delegate: [{say: from elsewhere}]}",
        printed: "from elsewhere\n",
        status: 0,
    },
];

fn create_fixture(case: &WithheldCase) -> CliFixture {
    CliFixture::new_empty()
        .with_file("harness.md", AGENT.replace("EXIT", case.exit))
        .with_file("script.yaml", case.script)
        .with_file(".harness/hooks/h.md", hook_file(case.event, case.body))
}

#[test]
fn what_is_printed_is_what_the_hooks_left() {
    for case in CASES {
        let (out, err, status) = create_fixture(case).pintle(&["run", "-q", ".", "go"]).run_to_parts();
        assert_eq!((out.as_str(), status), (case.printed, Some(case.status)), "{}: {err}", case.name);
        assert!(!err.contains("SECRET"), "{}: {err}", case.name);
        // Whoever is refused learns why.
        assert_eq!(err.contains("error: "), case.status != 0, "{}: {err}", case.name);
    }
}

#[test]
fn the_live_view_and_the_pieces_of_json_hold_nothing_else() {
    for case in CASES {
        let (out, err, _) = create_fixture(case).pintle(&["run", ".", "go"]).run_to_parts();
        assert!(!(out.clone() + &err).contains("SECRET"), "{}: {out}{err}", case.name);
        let (out, ..) = create_fixture(case).pintle(&["run", "--json", ".", "go"]).run_to_parts();
        let records = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let text: Vec<String> = records
            .filter(|record| record["kind"] == "text" && record["agent"] == "teller")
            .map(|record| format!("{}\n", record["text"].as_str().unwrap()))
            .collect();
        assert_eq!(text.concat(), case.printed, "{}", case.name);
    }
}

/// Where nobody can take anything out, text is told as it arrives.
#[test]
fn hooks_that_only_look_on_keep_nothing_back() {
    let team = "agents:\n  root:\n    model: script/turns.yaml\n    description: d\n    instruction: i\n    hooks:\n      stop: [{name: s, type: command, command: 'true'}]\n      after_llm_call: [{name: a, type: command, command: 'true'}]\n";
    let fixture =
        CliFixture::new_empty().with_file("a.yaml", team).with_file("turns.yaml", "turns: [{say: one two three}]");
    let (out, ..) = fixture.pintle(&["run", "--json", "a.yaml", "go"]).run_to_parts();
    let records = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let text: Vec<_> = records.filter(|record| record["kind"] == "text").map(|record| record["text"].clone()).collect();
    assert_eq!(text, ["one ", "two ", "three"]);
}

#[test]
fn a_rewrite_shows_what_stands_there_now_and_how_much_went() {
    let fixture = CliFixture::new_empty()
        .with_file("harness.md", AGENT.replace("EXIT", "tools_policy: {allow: [read]}\n"))
        .with_file("notes.txt", format!("{}SECRET", "x".repeat(1_041)))
        .with_file("script.yaml", "turns: [{calls: [{tool: read, args: {path: notes.txt}}]}, {say: read}]")
        .with_file(".harness/hooks/h.md", hook_file("tool.post", "return modify({\"content\": \"[redacted]\"})"));
    let (out, ..) = fixture.pintle(&["run", ".", "go", "--tape", "t.jsonl"]).run_to_parts();
    assert!(!out.contains("SECRET") && !out.contains("xxx"), "{out}");
    let (shown, ..) = fixture.pintle(&["tape", "show", "t.jsonl"]).run_to_parts();
    assert!(!shown.contains("xxx"), "{shown}");
    let line = |text: &str| text.lines().find(|line| line.contains("rewrote content")).unwrap_or(text).to_owned();
    snapshot!("withheld_rewrite", format!("{}\n{}", line(&out).trim(), line(&shown).trim()));
    assert!(fs::read_to_string(fixture.path("t.jsonl")).unwrap().contains("SECRET"), "the tape holds it for replay");
}
