//! An agent does not edit what guards it: not in Pintle's own loop, and not by deleting a guard inside another agent.

use std::fs;

use crate::fixture::{CliFixture, CliInvocation};

const AGENT: &str = r#"agents:
  root:
    model: script/turns.yaml
    description: works
    instruction: Work.
    toolsets: [{type: filesystem}, {type: shell}]
    hooks:
      pre_tool_use:
        - matcher: shell
          hooks: [{name: guard, type: command, command: "sh guard.sh"}, {name: late, type: command, command: "sh checks/absent.sh || true"}]
"#;
const GUARD: &str = "if grep -q victim; then echo 'not the victim' >&2; exit 2; fi\n. ./words.sh\n";

#[test]
fn tools_of_the_loop_do_not_change_what_a_guard_runs() {
    let paths = [
        "guard.sh",
        "words.sh",
        "checks/absent.sh",
        "agent.yaml",
        "linked/guard.sh",
        "hard.txt",
        ".claude/settings.json",
        ".codex/hooks.json",
        "harn.toml",
        ".harness/hooks/new.md",
        ".pintle/x",
        "plugin.star",
        "rules/first.md",
        "rules/new.md",
        ".claude/settings.local.json",
        ".github/copilot/settings.json",
        ".gemini/trustedFolders.json",
        ".opencode/plugins/pintle.js",
        "opencode.json",
        ".pi/extensions/pintle.js",
        ".factory/hooks.json",
    ];
    let write = |path: &str| format!("  - calls: [{{tool: write_file, args: {{path: {path}, content: 'exit 0'}}}}]\n");
    let expect = "    expect: {tool: write_file, contains: read-only for tools}\n";
    let mut turns = String::from("prompts: [Go.]\nturns:\n");
    for (index, path) in paths.iter().enumerate() {
        turns += &write(path);
        turns += if index > 0 { expect } else { "" };
    }
    turns += "  - calls: [{tool: edit_file, args: {path: guard.sh, edits: [{oldText: exit 2, newText: exit 0}]}}]\n";
    turns += expect;
    turns += "  - calls: [{tool: shell, args: {cmd: rm -rf victim}}]\n    expect: {tool: edit_file, contains: read-only for tools}\n";
    turns += "  - calls: [{tool: write_file, args: {path: notes.txt, content: fine}}]\n    expect: {tool: shell, contains: not the victim}\n";
    turns += "  - say: Done.\n";
    let fixture = CliFixture::new_empty()
        .with_file("agent.yaml", AGENT)
        .with_file("turns.yaml", &turns)
        .with_file("guard.sh", GUARD)
        .with_file("words.sh", "true\n")
        .with_file("victim", "alive")
        .with_file("plugin.star", "register_tool_hook({\"pattern\": \"never_*\", \"deny\": \"no\"})\n")
        .with_file("rules/first.md", SCRIPT)
        .with_file("real/x", "");
    std::os::unix::fs::symlink(".", fixture.path("linked")).unwrap();
    fs::hard_link(fixture.path("guard.sh"), fixture.path("hard.txt")).unwrap();
    let run = ["run", "agent.yaml", "--hooks", "plugin.star", "--hooks", "rules", "--yes", "-q"];
    let (out, err, status) = fixture.pintle(&run).run_to_parts();
    assert_eq!((out.as_str(), status), ("Done.\n", Some(0)), "{err}");
    assert_eq!(fs::read_to_string(fixture.path("guard.sh")).unwrap(), GUARD);
    assert_eq!(fs::read_to_string(fixture.path("agent.yaml")).unwrap(), AGENT);
    assert!(fixture.path("victim").exists() && fixture.path("notes.txt").exists());
    assert!(!fixture.path(".claude").exists() && !fixture.path("checks/absent.sh").exists());
}

#[test]
fn shell_of_the_loop_leaves_the_machines_policy_alone() {
    let agent = "agents:\n  root:\n    model: script/turns.yaml\n    description: works\n    instruction: Work.\n    toolsets: [{type: shell}]\n";
    let fixture = CliFixture::new_empty().with_file("agent.yaml", agent);
    let home = fixture.path("home");
    let user = fixture.user_path("").display().to_string();
    let program = env!("CARGO_BIN_EXE_pintle");
    let commands = [
        format!("echo > {user}/hooks/new.md"),
        format!("rm -f {program}"),
        format!("echo > {}/.config/pintle/hooks/new.md", home.display()),
        String::from("mkdir -p ~/.local/state/pintle && echo > ~/.local/state/pintle/trust.json"),
        String::from("echo > ~/.claude/settings.json"),
        String::from("echo > ~/.config/opencode/plugins/pintle.js"),
        String::from("echo > ~/.pi/agent/extensions/pintle.js"),
        String::from("echo > /etc/claude-code/managed-settings.json"),
        String::from("echo > /etc/pintle/hooks/new.md"),
    ];
    let expect = "    expect: {tool: shell, contains: 'the command was not run: it would change'}\n";
    let mut turns = String::from("prompts: [Go.]\nturns:\n");
    for (index, command) in commands.iter().enumerate() {
        turns += &format!("  - calls: [{{tool: shell, args: {{cmd: '{command}'}}}}]\n");
        turns += if index > 0 { expect } else { "" };
    }
    turns += &format!("  - say: Done.\n{expect}");
    let fixture = fixture.with_file("turns.yaml", &turns);
    fs::create_dir(&home).unwrap();
    let home = home.display().to_string();
    let run = fixture.pintle(&["run", "agent.yaml", "--yes", "-q"]).with_variable("HOME", &home);
    let (out, err, status) = run.run_to_parts();
    assert_eq!((out.as_str(), status), ("Done.\n", Some(0)), "{err}");
    assert!(fs::read_dir(&home).unwrap().next().is_none() && fs::metadata(program).is_ok());
}

const SCRIPT: &str = "---\nevent: tool.pre\npriority: 10\nwhen: payload[\"name\"] == \"shell\"\nscript: |\n  def handle(event, payload):\n      if \"FORBIDDEN\" in payload[\"args\"][\"command\"]:\n          return block(\"it is forbidden\")\n      return allow()\n---\n";

#[test]
fn script_guard_deleted_by_the_agent_denies_until_the_session_ends() {
    let fixture =
        CliFixture::new_empty().with_file("project/.harness/hooks/guard.md", SCRIPT).with_file("project/.git/HEAD", "");
    let state = fixture.path("state").display().to_string();
    let payload = |session: &str, tool: &str, command: &str| {
        serde_json::json!({
            "session_id": session, "transcript_path": "/t", "cwd": fixture.path("project"), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "1", "tool_input": {"command": command},
        })
        .to_string()
    };
    let run = |arguments: &'static [&'static str], input: &str| {
        let run: CliInvocation<'_> =
            fixture.pintle(arguments).with_variable("PINTLE_STATE_DIR", &state).in_folder("project");
        run.with_input(input).run_to_parts()
    };
    let hook = |session: &str, command: &str| run(&["hook", "claude"], &payload(session, "Bash", command));
    let is_denied = |parts: &(String, String, Option<i32>)| parts.2 == Some(2) || parts.0.contains("\"deny\"");
    assert!(is_denied(&hook("s1", "FORBIDDEN")));
    assert!(!is_denied(&hook("s1", "ls")));
    fs::remove_file(fixture.path("project/.harness/hooks/guard.md")).unwrap();
    let gone = hook("s1", "ls");
    assert!(is_denied(&gone), "{gone:?}");
    let said = format!("{}{}", gone.0, gone.1);
    assert!(said.contains("guard `guard` was removed or weakened during this session"), "{said}");
    assert!(said.contains("pintle trust"), "{said}");
    assert!(is_denied(&hook("s1", "ls")), "and it goes on");
    // The list stands on the tape as well: a process that was ended in its first call has kept nothing else.
    let session = fixture.path("state/bridge/claude/s1");
    let tape = fs::read_to_string(session.join("tape.jsonl")).unwrap();
    let listed: Vec<&str> = tape.lines().filter(|line| line.contains("\"kind\":\"guards\"")).collect();
    assert!(matches!(listed.as_slice(), [line] if line.contains("\"name\":\"guard\"")), "{listed:?}");
    fs::remove_file(session.join("state.json")).unwrap();
    fs::write(session.join("lock"), "").unwrap();
    assert!(is_denied(&hook("s1", "ls")), "the tape has it");
    // Another session never had it.
    assert!(!is_denied(&hook("s2", "ls")));

    // With it back, and agreed to, every session needs it.
    fs::write(fixture.path("project/.harness/hooks/guard.md"), SCRIPT).unwrap();
    let (out, err, status) = run(&["trust", "--yes"], "");
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("can only return decisions") && out.contains("trusted `"), "{out}");
    assert!(!is_denied(&hook("s1", "ls")) && is_denied(&hook("s3", "FORBIDDEN")));
    fs::remove_dir_all(fixture.path("project/.harness")).unwrap();
    assert!(is_denied(&hook("s4", "ls")), "it is pinned");
    fs::create_dir_all(fixture.path("project/.harness")).unwrap();
    assert_eq!(run(&["trust", "--yes"], "").2, Some(0));
    assert!(!is_denied(&hook("s4", "ls")), "agreed to without it");
}

#[test]
fn a_guard_that_is_taken_away_in_the_middle_of_a_run_goes_on_guarding() {
    let command = "{name: guard, type: command, command: 'sh guard.sh'}";
    let agent = format!(
        "agents:\n  root:\n    model: script/turns.yaml\n    description: works\n    instruction: Work.\n    \
         toolsets: [{{type: shell}}]\n    hooks:\n      pre_tool_use:\n        - matcher: shell\n          hooks: [{command}]\n"
    );
    let turn = |cmd: &str| format!("  - calls: [{{tool: shell, args: {{cmd: {cmd}}}}}]\n");
    let gone = "guard.sh` changed or was removed after the hook was loaded";
    for (how, next, told) in [
        ("rm -rf .harness guard.sh agent.yaml", "echo fine", gone),
        ("echo 'exit 0 # more' > guard.sh", "echo fine", gone),
        ("rm -rf .harness", "echo FORBIDDEN", "it is forbidden"),
        ("echo > .harness/hooks/g.md", "echo FORBIDDEN", "it is forbidden"),
        ("true", "echo fine", "fine"),
    ] {
        // Which file a pattern names is not seen, and so not what it does.
        let mut turns = String::from("prompts: [Go.]\nturns:\n") + &turn("sh clean.sh") + &turn(next);
        turns += &format!(
            "    expect: {{tool: shell, contains: cleaned}}\n  - say: Done.\n    expect: {{tool: shell, contains: '{told}'}}\n"
        );
        let fixture = CliFixture::new_empty()
            .with_file("agent.yaml", &agent)
            .with_file("turns.yaml", &turns)
            .with_file("guard.sh", "exit 0\n")
            .with_file("clean.sh", "for step in step-*.txt; do . ./$step; done; echo cleaned\n")
            .with_file("step-1.txt", format!("{how}\n"))
            .with_file(".harness/hooks/g.md", SCRIPT.replace("[\"command\"]", "[\"cmd\"]"));
        let (out, err, status) =
            fixture.pintle(&["run", "agent.yaml", "--hooks", ".harness", "--yes", "-q"]).run_to_parts();
        assert_eq!((out.as_str(), status), ("Done.\n", Some(0)), "{how}: {err}");
    }
}

#[test]
fn what_an_agreement_does_not_cover_is_named() {
    let agent = AGENT.replace("sh guard.sh", "make -s guard");
    let fixture = CliFixture::new_empty().with_file("project/agent.yaml", &agent).with_file("project/.git/HEAD", "");
    let state = fixture.path("state").display().to_string();
    let run = |arguments: &'static [&'static str]| {
        fixture.pintle(arguments).with_variable("PINTLE_STATE_DIR", &state).in_folder("project").run_to_parts()
    };
    let (out, _, status) = run(&["trust"]);
    assert_eq!(status, Some(3));
    for line in [
        "not covered by trust, because it is unknown which files these use:",
        "`make -s guard`: the command does not say which files it runs",
        "list these files under `files:` next to the hook to cover them, or run the hook in a `sandbox`",
    ] {
        assert!(out.contains(line), "{out}");
    }
    let (out, _, _) = run(&["trust", "--json", "--yes"]);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        value["not_covered"],
        serde_json::json!(["`make -s guard`: the command does not say which files it runs"])
    );
    let (out, _, _) = run(&["trust"]);
    assert!(out.contains("is trusted as it is") && out.contains("make -s guard"), "{out}");
}
