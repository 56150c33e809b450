use crate::stage::{Stage, snapshot};

#[test]
fn outcomes() {
    let stage = Stage::governed();
    let cases = [
        ("fire_allow", r#"{"name": "run_command", "args": {"command": "ls"}}"#),
        ("fire_deny", r#"{"name": "run_command", "arguments": {"command": "mkfs /dev/sda"}}"#),
        ("fire_rewrite", r#"{"name": "fetch", "arguments": "{\"url\": \"http://a.example\"}"}"#),
        ("fire_ask", r#"{"name": "deploy"}"#),
    ];
    for (name, payload) in cases {
        snapshot!(name, stage.pintle(&["fire", "tool.pre", "."]).input(payload).screen());
    }
    snapshot!("fire_ask_yes", stage.pintle(&["fire", "tool.pre", ".", "--yes"]).input(cases[3].1).screen());
    snapshot!("fire_ask_no", stage.pintle(&["fire", "tool.pre", ".", "--no"]).input(cases[3].1).screen());
    snapshot!("fire_shadow", stage.pintle(&["fire", "tool.pre", ".", "--shadow"]).input(cases[1].1).screen());
    snapshot!("fire_json", stage.pintle(&["fire", "tool.pre", ".", "--json"]).input(cases[1].1).screen());
    snapshot!("fire_example", stage.pintle(&["fire", "tool.pre", ".", "--example"]).screen());
}

#[test]
fn hooks_of_the_organisation_hold_for_every_agent() {
    let house = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return block(\"not in this house\")\n---\n";
    let stage = Stage::governed().file("house/hooks/house.md", house);
    for (name, folder) in [("fire_organisation", "house"), ("fire_organisation_missing", "nowhere")] {
        let fire = stage.pintle(&["fire", "tool.pre", "."]).environment("PINTLE_MANAGED_DIR", folder);
        snapshot!(name, fire.input(r#"{"name": "run_command", "args": {"command": "ls"}}"#).screen());
    }
}

#[test]
fn a_name_that_two_lanes_share_stands_for_both_and_its_example_is_a_tool_that_there_is() {
    let guard = |preempt: bool| {
        let hook = "{type: command, command: \"echo never >&2; exit 2\"}";
        format!("pre_tool_use:\n  - matcher: shell\n    preempt_yolo: {preempt}\n    hooks:\n      - {hook}\n")
    };
    for preempt in [true, false] {
        let stage = Stage::empty().file("guard.yaml", guard(preempt));
        let run = |command: &'static str, more: &[&'static str]| {
            let words = [&[command, "pre_tool_use", "--hooks", "guard.yaml"], more].concat();
            stage.pintle(&words).parts()
        };
        let (out, err, status) = run("fire", &["--example"]);
        assert_eq!(status, Some(2), "{preempt}: {out}{err}");
        assert!(out.contains("never"), "{preempt}: {out}{err}");
        let (out, _, _) = run("explain", &[]);
        assert!(out.contains("  1. "), "{preempt}: {out}");
        let (out, _, status) =
            stage.pintle(&["fire", "tool.pre", "--hooks", "guard.yaml"]).input(r#"{"name": "shell"}"#).parts();
        assert_eq!(status, Some(if preempt { 0 } else { 2 }), "{out}");
    }
}

#[test]
fn a_payload_in_which_a_key_is_there_twice_is_refused() {
    let stage = Stage::governed();
    let payload = r#"{"name": "run_command", "args": {"command": "ls", "command": "mkfs"}}"#;
    let (_, err, status) = stage.pintle(&["fire", "tool.pre"]).input(payload).parts();
    assert_eq!(status, Some(3));
    assert!(err.contains("the key `command` is there twice"), "{err}");
}

#[test]
fn bad_input() {
    let stage = Stage::governed();
    snapshot!("fire_no_json", stage.pintle(&["fire", "tool.pre"]).input("{\"name\":\n oops}").screen());
    snapshot!("fire_no_call", stage.pintle(&["fire", "tool.pre"]).input("[1]").screen());
    snapshot!("fire_unknown_event", stage.pintle(&["fire", "tool.per"]).screen());
    snapshot!("fire_family", stage.pintle(&["fire", "custom.*"]).screen());
    snapshot!("fire_no_path", stage.pintle(&["fire", "tool.pre", "--hooks", "nowhere", "--example"]).screen());
    snapshot!("fire_no_hooks", Stage::empty().pintle(&["fire", "tool.pre", "--example"]).screen());
    for bytes in [&b"\xff\xfe"[..], b"{\"name\":\"\xed\xa0\x80\"}", b"1e999", b"[[[[", &[b'['; 100_000]] {
        let (_, err, status) = stage.pintle(&["fire", "tool.pre"]).input(bytes).parts();
        assert_eq!(status, Some(3), "{err}");
        assert!(err.starts_with("error: the payload is "), "{err}");
    }
}

#[test]
fn hooks_that_fail_and_hooks_that_do_not_load() {
    let failing =
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return payload[\"nothing\"]\n---\n";
    let stage = Stage::empty().file(".harness/hooks/failing.md", failing);
    snapshot!("fire_failing", stage.pintle(&["fire", "tool.pre", ".", "--example"]).screen());
    let broken = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return alow()\n---\n";
    let stage = Stage::empty().file(".harness/hooks/broken.md", broken);
    snapshot!("fire_broken", stage.pintle(&["fire", "tool.pre", ".", "--example"]).screen());
}
