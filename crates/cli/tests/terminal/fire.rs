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
