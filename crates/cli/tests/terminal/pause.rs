//! `pintle pause`: who may open a window, what passes while it is open, and what does not.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use pintle_bridge::HOSTS;
use serde_json::{Value, json};

use crate::fixture::{CliFixture, CliInvocation, snapshot};

/// Runs the program, and says how it ended.
pub(crate) const AS_CHILD: &str = "\"$@\"; echo \"[exit status $?]\"";

/// The same without the processes that started the test, which may be an agent.
const DETACHED: &str = "exec 3<&0; (\"$@\"; echo \"[exit status $?]\") <&3 &";

/// The program without the marks of an agent that runs the tests.
fn pintle<'a>(fixture: &'a CliFixture, arguments: &[&'a str]) -> CliInvocation<'a> {
    let marks = HOSTS.iter().flat_map(|host| host.marks.variables).chain(&["AI_AGENT", "GOOSE_TERMINAL", "CRUSH"]);
    let plain = fixture.pintle(arguments).with_variable("NO_COLOR", "1");
    marks.fold(plain, |run, name| run.without_variable(name))
}

/// The code that the screen shows.
fn shown_code(screen: &str) -> &str {
    screen.rsplit_once("Type ").unwrap().1.split_once(' ').unwrap().0
}

/// Runs a command as a user does, who types the code that is shown.
pub(crate) fn run_with_code(fixture: &CliFixture, arguments: &[&str]) -> String {
    let screen = pintle(fixture, arguments)
        .run_on_terminal(Path::new("/bin/sh"), DETACHED, |screen| shown_code(screen).to_owned());
    hide_code(&screen)
}

fn hide_code(screen: &str) -> String {
    let Some(code) = screen.contains("Type ").then(|| shown_code(screen)) else { return screen.to_owned() };
    screen.replace(code, "[code]")
}

/// A shell with an agent's name.
pub(crate) fn shell_named(fixture: &CliFixture, name: &str) -> PathBuf {
    let path = fixture.path(name);
    symlink("/bin/sh", &path).unwrap();
    path
}

fn status(fixture: &CliFixture) -> String {
    let (out, err, _) = fixture.pintle(&["pause", "--status"]).run_to_parts();
    format!("{out}{err}")
}

#[test]
fn user_pauses_on_a_terminal_with_the_code_that_is_shown() {
    let fixture = CliFixture::new_empty();
    snapshot!("pause_status_on", fixture.pintle(&["pause", "--status"]).run_to_screen());
    snapshot!("pause_opened", run_with_code(&fixture, &["pause"]));
    snapshot!("pause_status_paused", fixture.pintle(&["pause", "--status"]).run_to_screen());
    let (json, ..) = fixture.pintle(&["pause", "--status", "--json"]).run_to_parts();
    let value: Value = serde_json::from_str(&json).unwrap();
    assert!(value["paused"] == true && value["ends_at_ms"].is_u64() && value["ignored"].is_null(), "{json}");
    // The last pause applies, also if it is shorter.
    assert!(run_with_code(&fixture, &["pause", "20s"]).contains("self-protection is paused for 20 s; "));
    assert!(status(&fixture).contains(" s; all other hooks apply"));
    snapshot!("pause_ended", fixture.pintle(&["pause", "--end"]).run_to_screen());
    snapshot!("pause_ended_again", fixture.pintle(&["pause", "--end"]).run_to_screen());
    assert_eq!(status(&fixture), "self-protection is on\n");

    let wrong = pintle(&fixture, &["pause"]).run_on_terminal(Path::new("/bin/sh"), DETACHED, |_| String::from("yes"));
    snapshot!("pause_wrong_code", hide_code(&wrong));
    assert_eq!(status(&fixture), "self-protection is on\n");
    for arguments in [&["pause", "5h"][..], &["pause", "0s"], &["pause", "10"], &["pause", "--end", "--status"]] {
        assert_eq!(fixture.pintle(arguments).run_to_parts().2, Some(3), "{arguments:?}");
    }
}

#[test]
fn agent_cannot_pause_on_any_terminal() {
    let fixture = CliFixture::new_empty();
    snapshot!("pause_without_terminal", pintle(&fixture, &["pause"]).run_to_screen());
    let refused = |screen: &str, evidence: &str| {
        let is_refused = screen.contains("error: self-protection was not paused: ") && screen.contains(evidence);
        assert!(is_refused && screen.contains("[exit status 2]"), "{evidence}: {screen}");
        assert_eq!(status(&fixture), "self-protection is on\n");
    };
    let reply = |screen: &str| shown_code(screen).to_owned();
    for host in HOSTS {
        for name in host.marks.programs {
            let shell = shell_named(&fixture, name);
            // A shell may replace itself with its last command.
            let screen = pintle(&fixture, &["pause"]).run_on_terminal(&shell, AS_CHILD, reply);
            refused(&screen, &format!("{} started it: process ", host.title));
            // A terminal inside the agent's is the agent's as well.
            if !cfg!(target_os = "linux") {
                continue;
            }
            let inner = "script -qec \"'$1' pause\" /dev/null; echo \"[exit status $?]\"";
            let screen = pintle(&fixture, &["pause"]).run_on_terminal(&shell, inner, reply);
            refused(&screen, &format!("{} started it: process ", host.title));
        }
        for name in host.marks.variables {
            let run = pintle(&fixture, &["pause"]).with_variable(name, "1");
            refused(&run.run_on_terminal(Path::new("/bin/sh"), DETACHED, reply), &format!("`{name}` is set"));
            // Unset for the program alone, it is still one of the shell's.
            if cfg!(target_os = "linux") {
                let unset = DETACHED.replace("\"$@\"", &format!("env -u {name} \"$@\""));
                refused(&run.run_on_terminal(Path::new("/bin/sh"), &unset, reply), &format!("`{name}` is set"));
            }
        }
    }
    if !cfg!(target_os = "linux") {
        return;
    }
    // A program that drives the terminal from the background is not the user's terminal.
    let driven = "exec 3<&0; (exec script -qec \"'$1' pause\" /dev/null) <&3 &";
    let screen = pintle(&fixture, &["pause"]).run_on_terminal(Path::new("/bin/sh"), driven, reply);
    assert!(screen.contains("`script`, which no terminal started"), "{screen}");
    assert_eq!(status(&fixture), "self-protection is on\n");
}

const GUARD: &str = "---\nevent: tool.pre\npriority: 10\nwhen: payload[\"kind\"] == \"write\"\nscript: |\n  def handle(event, payload):\n      if \"FORBIDDEN\" in payload[\"args\"][\"content\"]:\n          return block(\"it is forbidden\")\n      return allow()\n---\n";

/// Claude Code writes a file.
fn write(fixture: &CliFixture, path: &str, content: &str, options: &[&str]) -> (String, String, Option<i32>) {
    let payload = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": fixture.path("project"), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "1",
        "tool_input": {"file_path": path, "content": content},
    })
    .to_string();
    let arguments: Vec<&str> = ["hook", "claude"].iter().chain(options).copied().collect();
    fixture.pintle(&arguments).in_folder("project").with_input(&payload).run_to_parts()
}

#[test]
fn pause_lets_policy_be_changed_and_nothing_else_and_is_on_the_tape() {
    let fixture =
        CliFixture::new_empty().with_file("project/.harness/hooks/guard.md", GUARD).with_file("project/.git/HEAD", "");
    let policy = ".claude/settings.json";
    let is_denied = |parts: &(String, String, Option<i32>)| parts.2 == Some(2);
    let denied = write(&fixture, policy, "{}", &[]);
    assert!(is_denied(&denied) && denied.1.contains("run `pintle pause` in a terminal of their own"), "{denied:?}");
    assert!(run_with_code(&fixture, &["pause", "1h"]).contains("[exit status 0]"));
    let passed = write(&fixture, policy, "{}", &[]);
    let value: Value = serde_json::from_str(&passed.0).unwrap();
    let notice = value["systemMessage"].as_str().unwrap();
    assert!(notice.starts_with("pintle: self-protection is paused for another 1 h, so this may change `"), "{notice}");
    assert!(value.get("hookSpecificOutput").is_none() && passed.2 == Some(0), "{passed:?}");
    // The hooks of the user and the project go on.
    let forbidden = write(&fixture, policy, "FORBIDDEN", &[]);
    assert!(is_denied(&forbidden) && forbidden.1.contains("it is forbidden"), "{forbidden:?}");
    assert_eq!(write(&fixture, "notes.md", "fine", &[]), (String::new(), String::new(), Some(0)));

    let tape = fixture.user_path("bridge/claude/s1/tape.jsonl");
    let text = fs::read_to_string(&tape).unwrap();
    let notes: Vec<Value> = text.lines().filter(|line| line.contains("\"kind\":\"pause\"")).map(parse).collect();
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    let window: Value = parse(&fs::read_to_string(fixture.user_path("pause.json")).unwrap());
    let data = &note["data"];
    assert_eq!(
        (&data["host"], &data["event"], &data["tool"]),
        (&json!("claude"), &json!("PreToolUse"), &json!("Write"))
    );
    assert_eq!(data["ends_at_ms"], window["ends_at_ms"]);
    assert!(data["changed"].as_str().unwrap().ends_with(".claude/settings.json`, a policy file"), "{data}");
    let tape = tape.display().to_string();
    let (out, err, _) = fixture.pintle(&["tape", "verify", &tape]).run_to_parts();
    assert!(out.contains("valid as far as it goes"), "{out}{err}");

    fixture.pintle(&["pause", "--end"]).run_to_parts();
    assert!(is_denied(&write(&fixture, policy, "{}", &[])));
}

#[test]
fn pause_lets_the_rules_about_settings_of_the_pack_warn_only() {
    let fixture = CliFixture::new_empty().with_file("project/.git/HEAD", "");
    fs::write(fixture.user_path("policy.yaml"), "use: [self-protection]\n").unwrap();
    let run_tool = |tool: &str, input: Value| {
        let payload = json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": fixture.path("project"), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "1", "tool_input": input,
        })
        .to_string();
        fixture.pintle(&["hook", "claude"]).in_folder("project").with_input(&payload).run_to_parts()
    };
    let by_tool = || write(&fixture, ".claude/settings.json", "{}", &[]);
    // Only the pack reads code of another tool.
    let by_code = || run_tool("mcp__python__run", json!({"code": "import os\nopen('.claude/settings.json', 'w')"}));
    let run = |command: &str| run_tool("Bash", json!({"command": command}));
    for (out, err, status) in [by_tool(), by_code()] {
        assert!(status == Some(2) && err.contains("self-protection.agent-settings"), "{out}{err}");
    }
    assert!(run_with_code(&fixture, &["pause", "1h"]).contains("[exit status 0]"));
    for (out, err, status) in [by_tool(), by_code()] {
        assert_eq!(status, Some(0), "{out}{err}");
        let value: Value = parse(&out);
        let notice = value["systemMessage"].as_str().unwrap();
        assert!(notice.contains("self-protection is paused, so this passes: "), "{notice}");
        assert!(notice.contains("[self-protection.agent-settings]"), "{notice}");
    }
    let others = [
        ("pkill pintle", "self-protection.go-round"),
        ("claude --dangerously-skip-permissions -p hi", "self-protection.unchecked-agent"),
        ("pkill pintle; echo '{}' > $SOMEWHERE/.claude/settings.json", "self-protection.go-round"),
    ];
    for (command, rule) in others {
        let (out, err, _) = run(command);
        assert!(format!("{out}{err}").contains(rule), "{command}: {out}{err}");
    }
    let tape = fixture.user_path("bridge/claude/s1/tape.jsonl");
    let text = fs::read_to_string(&tape).unwrap();
    let notes: Vec<Value> = text.lines().filter(|line| line.contains("\"kind\":\"pause\"")).map(parse).collect();
    let changed: Vec<&str> = notes.iter().filter_map(|note| note["data"]["changed"].as_str()).collect();
    let [first, second] = changed.as_slice() else { panic!("{changed:?}") };
    assert!(first.ends_with(".claude/settings.json`, a policy file"), "{first}");
    assert_eq!(*second, "what the rule `self-protection.agent-settings` guards");
    let tape = tape.display().to_string();
    fixture.pintle(&["pause", "--end"]).run_to_parts();
    assert_eq!((by_tool().2, by_code().2), (Some(2), Some(2)));
    // The pause is a fact of the call, so replay needs neither its file nor a clock.
    let end = json!({"session_id": "s1", "transcript_path": "/t", "cwd": fixture.path("project"), "hook_event_name": "SessionEnd", "reason": "exit"});
    fixture.pintle(&["hook", "claude"]).in_folder("project").with_input(&end.to_string()).run_to_parts();
    for words in [["tape", "verify", &tape].as_slice(), &["replay", &tape]] {
        let (out, err, status) = fixture.pintle(words).run_to_parts();
        assert_eq!(status, Some(0), "{words:?}: {out}{err}");
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn window_that_ended_or_that_nobody_opened_pauses_nothing() {
    let fixture = CliFixture::new_empty().with_file("project/.git/HEAD", "");
    let file = fixture.user_path("pause.json");
    let now_ms = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let is_denied = |options: &[&str]| write(&fixture, ".claude/settings.json", "{}", options).2 == Some(2);
    let store = |file: &Path, ends_at_ms: u128, mode: u32| {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, json!({"version": 1, "ends_at_ms": u64::try_from(ends_at_ms).unwrap()}).to_string()).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
    };
    let hour = 3_600_000;
    for (ends_at_ms, mode, is_open) in [
        (now_ms + hour, 0o600, true),
        (now_ms - 1, 0o600, false),
        (now_ms + 5 * hour, 0o600, false),
        (now_ms + hour, 0o644, false),
    ] {
        store(&file, ends_at_ms, mode);
        assert_eq!(is_denied(&[]), !is_open, "{ends_at_ms} {mode:o}");
    }
    snapshot!("pause_status_ignored", fixture.pintle(&["pause", "--status"]).run_to_screen());
    fs::write(&file, "{").unwrap();
    assert!(is_denied(&[]));
    fs::remove_file(&file).unwrap();
    // A project brings a state directory along, and names it in the agent's environment.
    let own = fixture.path("project/state/pause.json");
    store(&own, now_ms + hour, 0o600);
    let dir = own.parent().unwrap().display().to_string();
    assert!(is_denied(&["--state-dir", &dir]));
    let other = fixture.path("other/state/pause.json");
    store(&other, now_ms + hour, 0o600);
    assert!(!is_denied(&["--state-dir", &other.parent().unwrap().display().to_string()]));
}
