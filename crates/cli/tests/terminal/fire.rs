use crate::fixture::{CliFixture, snapshot};

#[test]
fn outcomes() {
    let fixture = CliFixture::with_guards();
    let cases = [
        ("fire_allow", r#"{"name": "run_command", "args": {"command": "ls"}}"#),
        ("fire_deny", r#"{"name": "run_command", "arguments": {"command": "mkfs /dev/sda"}}"#),
        ("fire_rewrite", r#"{"name": "fetch", "arguments": "{\"url\": \"http://a.example\"}"}"#),
        ("fire_ask", r#"{"name": "deploy"}"#),
    ];
    for (name, payload) in cases {
        snapshot!(name, fixture.pintle(&["fire", "tool.pre", "."]).with_input(payload).run_to_screen());
    }
    snapshot!(
        "fire_ask_yes",
        fixture.pintle(&["fire", "tool.pre", ".", "--yes"]).with_input(cases[3].1).run_to_screen()
    );
    snapshot!("fire_ask_no", fixture.pintle(&["fire", "tool.pre", ".", "--no"]).with_input(cases[3].1).run_to_screen());
    snapshot!(
        "fire_shadow",
        fixture.pintle(&["fire", "tool.pre", ".", "--shadow"]).with_input(cases[1].1).run_to_screen()
    );
    snapshot!("fire_json", fixture.pintle(&["fire", "tool.pre", ".", "--json"]).with_input(cases[1].1).run_to_screen());
    snapshot!("fire_example", fixture.pintle(&["fire", "tool.pre", ".", "--example"]).run_to_screen());
}

#[test]
fn hooks_of_the_organisation_hold_for_every_agent() {
    let house = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return block(\"not in this house\")\n---\n";
    let fixture = CliFixture::with_guards().with_file("house/hooks/house.md", house);
    for (name, dir) in [("fire_organisation", "house"), ("fire_organisation_missing", "nowhere")] {
        let fire = fixture.pintle(&["fire", "tool.pre", "."]).with_variable("PINTLE_MANAGED_DIR", dir);
        snapshot!(name, fire.with_input(r#"{"name": "run_command", "args": {"command": "ls"}}"#).run_to_screen());
    }
}

#[test]
fn event_alias_of_two_events_fires_both_with_an_existing_tool_as_example() {
    let guard = |preempt: bool| {
        let hook = "{type: command, command: \"echo never >&2; exit 2\"}";
        format!("pre_tool_use:\n  - matcher: shell\n    preempt_yolo: {preempt}\n    hooks:\n      - {hook}\n")
    };
    for preempt in [true, false] {
        let fixture = CliFixture::new_empty().with_file("guard.yaml", guard(preempt));
        let run = |command: &'static str, more: &[&'static str]| {
            let words = [&[command, "pre_tool_use", "--hooks", "guard.yaml"], more].concat();
            fixture.pintle(&words).run_to_parts()
        };
        let (out, err, status) = run("fire", &["--example"]);
        assert_eq!(status, Some(2), "{preempt}: {out}{err}");
        assert!(out.contains("never"), "{preempt}: {out}{err}");
        let (out, _, _) = run("explain", &[]);
        assert!(out.contains("  1. "), "{preempt}: {out}");
        let (out, _, status) = fixture
            .pintle(&["fire", "tool.pre", "--hooks", "guard.yaml"])
            .with_input(r#"{"name": "shell"}"#)
            .run_to_parts();
        assert_eq!(status, Some(if preempt { 0 } else { 2 }), "{out}");
    }
}

#[test]
fn a_payload_in_which_a_key_is_there_twice_is_refused() {
    let fixture = CliFixture::with_guards();
    let payload = r#"{"name": "run_command", "args": {"command": "ls", "command": "mkfs"}}"#;
    let (_, err, status) = fixture.pintle(&["fire", "tool.pre"]).with_input(payload).run_to_parts();
    assert_eq!(status, Some(3));
    assert!(err.contains("the key `command` is repeated"), "{err}");
}

#[test]
fn bad_input() {
    let fixture = CliFixture::with_guards();
    snapshot!("fire_no_json", fixture.pintle(&["fire", "tool.pre"]).with_input("{\"name\":\n oops}").run_to_screen());
    snapshot!("fire_no_call", fixture.pintle(&["fire", "tool.pre"]).with_input("[1]").run_to_screen());
    snapshot!("fire_unknown_event", fixture.pintle(&["fire", "tool.per"]).run_to_screen());
    snapshot!("fire_family", fixture.pintle(&["fire", "custom.*"]).run_to_screen());
    snapshot!("fire_no_path", fixture.pintle(&["fire", "tool.pre", "--hooks", "nowhere", "--example"]).run_to_screen());
    snapshot!("fire_no_hooks", CliFixture::new_empty().pintle(&["fire", "tool.pre", "--example"]).run_to_screen());
    for bytes in [&b"\xff\xfe"[..], b"{\"name\":\"\xed\xa0\x80\"}", b"1e999", b"[[[[", &[b'['; 100_000]] {
        let (_, err, status) = fixture.pintle(&["fire", "tool.pre"]).with_input(bytes).run_to_parts();
        assert_eq!(status, Some(3), "{err}");
        assert!(err.starts_with("error: the payload is "), "{err}");
    }
}

#[test]
fn hooks_that_fail_and_hooks_that_do_not_load() {
    let failing =
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return payload[\"nothing\"]\n---\n";
    let fixture = CliFixture::new_empty().with_file(".harness/hooks/failing.md", failing);
    snapshot!("fire_failing", fixture.pintle(&["fire", "tool.pre", ".", "--example"]).run_to_screen());
    let broken = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return alow()\n---\n";
    let fixture = CliFixture::new_empty().with_file(".harness/hooks/broken.md", broken);
    snapshot!("fire_broken", fixture.pintle(&["fire", "tool.pre", ".", "--example"]).run_to_screen());
}

#[test]
fn a_call_that_is_typed_has_what_a_host_finds_out() {
    let guard = "---\nevent: tool.pre\nwhen: payload[\"kind\"] == \"shell\"\nscript: |\n  def handle(event, payload):\n      kinds = [operation[\"kind\"] for operation in payload[\"operations\"]]\n      return block(\"%s, known as %d names, in %s\" % (kinds, len(payload[\"names\"]), type(payload[\"cwd\"])))\n---\n";
    let fixture = CliFixture::new_empty().with_file("guard.md", guard);
    let call = r#"{"name": "run_command", "args": {"command": "rm x"}}"#;
    let (out, err, status) =
        fixture.pintle(&["fire", "tool.pre", "--hooks", "guard.md"]).with_input(call).run_to_parts();
    assert_eq!(status, Some(2), "{out}{err}");
    assert!(out.contains("[\"delete\"], known as"), "{out}{err}");
    let explained = fixture.pintle(&["explain", "tool.pre", "--hooks", "guard.md"]).with_input(call).run_to_screen();
    assert!(explained.contains("runs") && !explained.contains("failed"), "{explained}");
}

#[test]
fn a_file_that_several_paths_lead_to_is_loaded_once() {
    let wrap = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return modify({\"args\": {\"command\": \"timeout 5 \" + payload[\"args\"][\"command\"]}})\n---\n";
    let fixture = CliFixture::new_empty().with_file(".harness/hooks/wrap.md", wrap);
    std::os::unix::fs::symlink(fixture.path(".harness/hooks"), fixture.path("link")).unwrap();
    let call = r#"{"name": "run_command", "args": {"command": "ls"}}"#;
    for hooks in [
        &["--hooks", ".", "--hooks", ".harness"][..],
        &["--hooks", ".harness/hooks/wrap.md", "--hooks", ".harness/../.harness/hooks/wrap.md"],
        &["--hooks", "link/wrap.md", "--hooks", "."],
    ] {
        let arguments = [&["fire", "tool.pre"], hooks].concat();
        let (out, err, status) = fixture.pintle(&arguments).with_input(call).run_to_parts();
        assert_eq!(status, Some(0), "{out}{err}");
        assert!(out.contains("timeout 5 ls") && !out.contains("timeout 5 timeout 5"), "{hooks:?}: {out}{err}");
    }
    let validated = fixture.pintle(&["validate", ".", "link/wrap.md"]).run_to_screen();
    assert!(validated.contains("note[loaded_once]: the file `link/wrap.md` is loaded once"), "{validated}");
}

#[test]
fn hooks_that_the_agent_runs_itself_are_told() {
    let settings = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#;
    let fixture = CliFixture::new_empty().with_file(".claude/settings.json", settings).with_file(".git/HEAD", "");
    let sent =
        r#"{"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    fixture.pintle(&["trust", "--yes"]).run_to_parts();
    let (out, err, status) = fixture.pintle(&["fire", "--host", "claude"]).with_input(sent).run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    let told = "1 hook of `";
    assert!(err.contains(told) && err.contains("left out, because Claude Code runs them itself"), "{err}");
    assert!(!err.contains("no hooks found"), "{err}");
    let hooks = ["fire", "--host", "claude", "--hooks", ".claude/settings.json"];
    assert_eq!(fixture.pintle(&hooks).with_input(sent).run_to_parts().2, Some(2));
}

/// A payload that a hook got once is what it gets again, on whichever machine it is pasted.
#[test]
fn a_pasted_payload_keeps_its_session_and_its_directory() {
    let hooks = "on_tool_approval_decision: [{type: command, command: \"cat > got.json\"}]\n";
    let fixture = CliFixture::new_empty().with_file("h.yaml", hooks);
    let pasted = serde_json::json!({
        "session_id": "abc", "cwd": fixture.path(""), "hook_event_name": "on_tool_approval_decision",
        "agent_name": "root", "tool_name": "shell", "tool_use_id": "c9", "tool_input": {"cmd": "ls"},
        "approval_decision": "allow",
    });
    let text = pasted.to_string();
    let fire = fixture.pintle(&["fire", "on_tool_approval_decision", "--hooks", "h.yaml"]).with_input(&text);
    let (out, err, status) = fire.run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    let got: serde_json::Value = serde_json::from_slice(&std::fs::read(fixture.path("got.json")).unwrap()).unwrap();
    assert_eq!(got, pasted);
}
