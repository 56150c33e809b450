//! The life of a session, as hooks hear of it and as their scripts see it.

use std::fs;

use crate::fixture::CliFixture;

const AGENT: &str = "---\nname: worker\nmodel: {provider: script, name: script.yaml}\nMORE---\nWork.\n";

fn create_agent(more: &str, script: &str) -> CliFixture {
    CliFixture::new_empty().with_file("harness.md", AGENT.replace("MORE", more)).with_file("script.yaml", script)
}

/// A hook that does something at an event.
fn hook_file(event: &str, body: &str) -> String {
    let body: String = body.lines().map(|line| format!("      {line}\n")).collect();
    format!("---\nevent: {event}\npriority: 5\nscript: |\n  def handle(event, payload):\n{body}---\n")
}

/// Runs the agent; gives its tape.
fn run_and_read_tape(fixture: &CliFixture, prompts: &[&'static str]) -> String {
    let arguments = [&["run", "-q", ".", "--tape", "t.jsonl"], prompts].concat();
    let (_, err, status) = fixture.pintle(&arguments).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let (out, err, status) = fixture.pintle(&["replay", "t.jsonl"]).run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    fs::read_to_string(fixture.path("t.jsonl")).unwrap()
}

#[test]
fn the_target_of_a_handoff_and_a_resumed_session_hear_of_the_start() {
    let team = r#"agents:
  root:
    model: script/root.yaml
    description: leads
    instruction: i
    handoffs: [writer]
    hooks:
      session_start: [{name: r, type: command, timeout: 30, command: "jq -r '\"root \" + .source' >> starts.txt"}]
  writer:
    model: script/writer.yaml
    description: writes
    instruction: i
    hooks:
      session_start: [{name: w, type: command, timeout: 30, command: "jq -r '\"writer \" + .source' >> starts.txt; echo '{\"hook_specific_output\":{\"additional_context\":\"the writer has begun\"}}'"}]
"#;
    let root = "turns: [{say: hello}, {calls: [{tool: handoff, args: {agent: writer}}]}]";
    let writer = "turns: [{say: written}, {say: more}, {say: resumed}]";
    let fixture =
        CliFixture::new_empty().with_file("a.yaml", team).with_file("root.yaml", root).with_file("writer.yaml", writer);
    let run = |arguments: &[&'static str]| {
        let (_, err, status) = fixture.pintle(arguments).run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        fs::read_to_string(fixture.path("starts.txt")).unwrap()
    };
    let begun = run(&["run", "-q", "a.yaml", "--yolo", "--tape", "t.jsonl", "one", "two", "three"]);
    assert_eq!(begun, "root startup\nwriter startup\n", "once each, also when the hand-off comes later");
    let begun = run(&["run", "-q", "--resume", "t.jsonl", "four"]);
    assert_eq!(begun, "root startup\nwriter startup\nroot resume\nwriter resume\n");
    let tape = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    let is_request = |line: &&str| line.contains(r#""kind":"event""#) && line.contains(r#""event":"completion.pre""#);
    let last = tape.lines().rfind(is_request).unwrap();
    assert_eq!(last.matches("the writer has begun").count(), 1, "the model is not told twice: {last}");
}

#[test]
fn what_hooks_log_at_the_start_reaches_the_end_of_the_first_turn() {
    let fixture = create_agent("", "turns: [{say: one}, {say: two}]")
        .with_file(".harness/hooks/start.md", hook_file("session.start", "log(\"it begins\")\nreturn allow()"));
    let tape = run_and_read_tape(&fixture, &["a", "b"]);
    let ends: Vec<&str> = tape.lines().filter(|line| line.contains(r#""event":"turn.end""#)).collect();
    let ends: Vec<bool> = ends
        .into_iter()
        .filter(|line| line.contains(r#""kind":"event""#))
        .map(|line| line.contains("it begins"))
        .collect();
    assert_eq!(ends, [true, false]);
}

#[test]
fn every_agent_compacts_its_conversation_and_tells_its_hooks() {
    let count = |name: &str| format!("metrics.incr(\"{name}\")\nreturn allow()");
    let script = "turns: [{say: an answer of many words that fills the window}, {say: the summary}, {say: fine}]";
    let fixture = create_agent("compaction: {context_limit: 60, threshold: 0.5}\n", script)
        .with_file(".harness/hooks/a.md", hook_file("compact.pre", &count("pre")))
        .with_file(".harness/hooks/b.md", hook_file("compact.before", &count("before")))
        .with_file(".harness/hooks/c.md", hook_file("compact.post", &count("post")));
    let long =
        "please read these words, of which there are so many that no small window holds them all at once, and answer";
    let text = run_and_read_tape(&fixture, &[long, "and now?"]);
    let last =
        text.lines().rfind(|line| line.contains(r#""event":"completion.pre""#) && line.contains("payload")).unwrap();
    assert!(last.contains("Session Summary: the summary") || text.contains("Session Summary: the summary"), "{last}");
    for name in ["pre", "before", "post"] {
        assert_eq!(text.matches(&format!(r#""metric_incr":{{"name":"{name}","amount":1}}"#)).count(), 1, "{name}");
    }
    let off = create_agent("compaction: {context_limit: 60, enabled: false}\n", "turns: [{say: one}, {say: two}]");
    assert!(!self::run_and_read_tape(&off, &[long, "and now?"]).contains("compact."));
}

#[test]
fn every_delegation_that_is_announced_is_concluded() {
    let script = "agents:\n  worker: [{calls: [{tool: delegate, args: {agent: nobody, task: x}}]}, {calls: [{tool: delegate, args: {agent: kid, task: x}}]}, {say: done}]\n  kid: [{calls: [{tool: delegate, args: {agent: pal, task: y}}]}, {expect: {contains: from the pal}, say: ok}]\n  pal: [{say: from the pal}]\n";
    let child = |name: &str| format!("---\nname: {name}\ndescription: helps\n---\nHelp.\n");
    let fixture = create_agent("", script)
        .with_file(".harness/agents/kid.md", child("kid"))
        .with_file(".harness/agents/pal.md", child("pal"));
    let text = run_and_read_tape(&fixture, &["go"]);
    let of_event = |line: &&str, event: &str| {
        line.contains(r#""kind":"event""#) && line.contains(&format!(r#""event":"{event}""#))
    };
    let count = |event: &str| text.lines().filter(|line| of_event(line, event)).count();
    assert_eq!((count("delegation.pre"), count("delegation.post")), (3, 3));
    assert!(text.contains("agent \\\"nobody\\\" not found"), "{text}");
}

#[test]
fn a_permission_mode_of_the_agent_lets_its_permission_hooks_decide() {
    let script = "turns: [{calls: [{tool: shell, args: {command: touch ran}}]}, {say: done}]";
    let plugin = "def asked(event):\n    return {\"decision\": \"deny\", \"reason\": \"never unattended\"}\n\nregister_session_hook(\"permission_asked\", asked)\n";
    let run = |more: &str| {
        let fixture = create_agent(more, script).with_file(".harness/plugins/p.star", plugin);
        let (out, err, _) = fixture.pintle(&["run", ".", "go"]).run_to_parts();
        (fixture.path("ran").exists(), out + &err)
    };
    let (ran, shown) = run("tools_policy: {allow: [shell]}\npermission_mode: balanced\n");
    assert!(!ran && shown.contains("never unattended"), "{shown}");
    let (_, shown) = run("permission_mode: blanced\n");
    assert!(shown.contains("did you mean `balanced`?"), "{shown}");
}

#[test]
fn an_approval_is_requested_also_when_nobody_is_there() {
    let script = "turns: [{calls: [{tool: shell, args: {command: touch ran}}]}, {say: done}]";
    let fixture = create_agent("tools_policy: {allow: [shell]}\n", script)
        .with_file(".harness/hooks/ask.md", hook_file("tool.pre", "return ask(\"look at it\")"))
        .with_file(
            ".harness/hooks/told.md",
            hook_file("approval.requested", "log(payload[\"name\"] + \": \" + payload[\"reason\"])"),
        );
    let text = run_and_read_tape(&fixture, &["go"]);
    assert!(text.contains("shell: look at it"), "{text}");
    assert!(!fixture.path("ran").exists());
}

const SEEING: &str = r#"
said = [m["role"] + ": " + m["content"] for m in transcript.messages() if m.get("content")]
log(" | ".join(said))
log("newest " + transcript.messages(last=1)[0]["role"])
log("open " + str([c["summary"] for c in unsettled_state()["tool_calls"]]))
transcript.inject_reminder({"body": "mind the gap", "ttl_turns": 1})
notify_file_edited("notes.txt", {"operation": "write"})
return allow()"#;

#[test]
fn a_script_sees_and_touches_the_running_session() {
    let script = "turns: [{say: I look., calls: [{tool: list, args: {path: .}}]}, {expect: {contains: mind the gap}, say: done}]";
    let fixture = create_agent("", script)
        .with_file(".harness/hooks/see.md", hook_file("tool.pre", SEEING.trim_start()))
        .with_file(
            ".harness/hooks/edit.md",
            hook_file("file.edited", "log(\"edited \" + payload[\"path\"].split(\"/\")[-1])"),
        );
    let text = run_and_read_tape(&fixture, &["go on"]);
    for words in ["user: go on | assistant: I look.", "newest assistant", r#"open [\"list\"]"#, "edited notes.txt"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Without a session there is nothing to be seen, which is not the same as an empty one.
    let empty = hook_file("tool.pre", "return block(str(transcript.messages()) + str(unsettled_state()))");
    let fixture = CliFixture::new_empty().with_file(".harness/hooks/see.md", empty);
    let (out, err, status) = fixture.pintle(&["fire", "tool.pre", ".", "--example"]).run_to_parts();
    assert!(out.contains("there is no conversation here") && status == Some(2), "{out}{err}");
}

#[test]
fn a_transcript_that_hooks_decide_by_is_not_the_agents_to_write() {
    let line = r#"{"type":"user","message":{"role":"user","content":"the word is given"}}"#;
    let looks = "return allow() if \"the word is given\" in str(transcript.messages()) else block(\"no word\")";
    let fixture = CliFixture::new_empty()
        .with_file("hooks/looks.md", hook_file("tool.pre", looks))
        .with_file("other/passes.md", hook_file("tool.pre", "return allow()"))
        .with_file(
            "renamed/looks.md",
            hook_file("tool.pre", "said = transcript\nreturn allow() if said.messages() else allow()"),
        )
        .with_file("t.jsonl", format!("{line}\n"));
    let judge = |hooks: &str, command: &str| {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": fixture.path(""), "transcript_path": fixture.path("t.jsonl"),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
        });
        let payload = payload.to_string();
        let (out, err, _) = fixture.pintle(&["hook", "claude", "--hooks", hooks]).with_input(&payload).run_to_parts();
        format!("{out}{err}")
    };
    assert_eq!(judge("hooks", "ls"), "");
    assert!(judge("hooks", "echo x >> t.jsonl").contains("t.jsonl"), "{}", judge("hooks", "echo x >> t.jsonl"));
    assert_eq!(judge("other", "echo x >> t.jsonl"), "", "no hook looks at it");
    assert!(judge("renamed", "echo x >> t.jsonl").contains("t.jsonl"), "under another name");
    std::fs::write(fixture.path("t.jsonl"), "{}\n").unwrap();
    assert!(judge("hooks", "ls").contains("no word"));
}

#[test]
fn a_slip_in_what_a_script_does_to_the_session_is_told() {
    let cases = [
        ("transcript.inject_reminder({\"bdy\": \"x\"})", "unknown key `bdy` in a reminder"),
        ("transcript.inject_reminder(\" \")", "the `body` of a reminder must not be empty"),
        ("transcript.inject_reminder(3)", "a reminder must be a string or a dict"),
        ("transcript.messages(last=-1)", "last must not be negative"),
        ("notify_file_edited(\"../x\")", "outside the workspace"),
        ("notify_file_edited(\"x\", 3)", "metadata must be a dict"),
    ];
    for (call, reason) in cases {
        let fixture = create_agent("", "turns: [{calls: [{tool: list, args: {path: .}}]}, {say: done}]")
            .with_file(".harness/hooks/h.md", hook_file("tool.pre", call));
        let (out, err, _) = fixture.pintle(&["run", ".", "go"]).run_to_parts();
        assert!((out.clone() + &err).contains(reason), "{call}: {out}{err}");
    }
}
