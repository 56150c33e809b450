//! What a resident survives, and what its callers survive of it.

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fixture::{CLIENT, FULL, ResidentFixture, is_denied, run, start};

const DENY_RM: &str = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      if \"secret\" in str(payload[\"args\"]):\n          \
                       return block(\"that is secret\")\n      return allow()\n---\n";
const GUARD: &str = ".harness/hooks/guard.md";

#[test]
fn a_hook_that_changes_is_used_at_once() {
    let fixture = ResidentFixture::new().with_file(GUARD, DENY_RM);
    let _resident = fixture.start_resident();
    for round in 0..4 {
        assert!(is_denied(&fixture.ask(CLIENT, "cat secret")), "round {round}");
        fixture.write(GUARD, &DENY_RM.replace("secret", "public"));
        assert!(!is_denied(&fixture.ask(CLIENT, "cat secret")), "round {round}");
        assert!(is_denied(&fixture.ask(CLIENT, "cat public")), "round {round}");
        fixture.write(GUARD, DENY_RM);
    }
    // A second guard, and one that does not load.
    fixture.write(".harness/hooks/other.md", &DENY_RM.replace("secret", "private"));
    assert!(is_denied(&fixture.ask(CLIENT, "cat private")));
    fixture.write(".harness/hooks/other.md", "---\nevent: tool.pre\nscript: |\n  def handle(:\n---\n");
    assert!(is_denied(&fixture.ask(CLIENT, "ls")));
    fs::remove_file(fixture.path("project/.harness/hooks/other.md")).unwrap();
    assert!(!is_denied(&fixture.ask(CLIENT, "ls")));
    assert_eq!(fixture.answered(), 15);
}

/// Denies, and says which environment and directory it has.
const TELLING: &str = "pre_tool_use:\n  - matcher: '*'\n    hooks:\n      - type: command\n        command: 'echo \
                       \"own=$OWN in $(pwd)\" >&2; exit 2'\n";

#[test]
fn each_caller_has_its_own_environment_and_directory() {
    let fixture = ResidentFixture::new().with_file(GUARD, DENY_RM).with_file("../config/hooks.d/telling.yaml", TELLING);
    let _resident = fixture.start_resident();
    let payload = fixture.shell_payload("ls");
    let said = |output: Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let mut other = fixture.hook_command(CLIENT, "PreToolUse");
    other.env("OWN", "mine").env("PINTLE_SERVE", "off");
    let other = said(run(other, &payload));
    assert!(other.contains("own=mine in"), "{other}");
    let own = said(fixture.ask(CLIENT, "ls"));
    assert!(own.contains("own= in"), "{own}");
    // Only the second one has the environment of the resident.
    assert_eq!(fixture.answered(), 1);
    // Without a directory in the payload, it is the caller's, which relative paths are relative to.
    let mut value: Value = serde_json::from_slice(&payload).unwrap();
    value["cwd"].take();
    let payload = value.to_string().into_bytes();
    for (dir, hooks) in [("elsewhere", "../project"), ("home", "../project/.harness"), ("project", ".")] {
        let mut command = fixture.command(CLIENT);
        command.args(["hook", "claude", "--hooks", hooks, "--config-dir"]).arg(fixture.path("config"));
        command.arg("--state-dir").arg(fixture.state(CLIENT)).current_dir(fixture.path(dir));
        let said = said(run(command, &payload));
        assert!(said.contains(&format!("own= in {}", fixture.path(dir).display())), "{said}");
    }
    assert_eq!(fixture.answered(), 4);
}

#[test]
fn callers_of_a_resident_that_is_killed_get_one_answer_each() {
    let fixture = ResidentFixture::new().with_file(GUARD, DENY_RM);
    for round in 0..12_u64 {
        let mut resident = fixture.start_resident();
        let calls: Vec<_> = (0..8)
            .map(|number| {
                let line = if number % 2 == 0 { "cat secret" } else { "ls" };
                let command = fixture.hook_command(CLIENT, "PreToolUse");
                (number, start(command, &fixture.shell_payload(line)))
            })
            .collect();
        let began = Instant::now();
        while began.elapsed() < Duration::from_micros(round * 1_700) {
            thread::yield_now();
        }
        resident.kill();
        for (number, call) in calls {
            let output = call.wait_with_output().unwrap();
            assert_eq!(is_denied(&output), number % 2 == 0, "{output:?}");
            assert!(output.status.code().is_some_and(|code| code == 0 || code == 2), "{output:?}");
            let answers = String::from_utf8_lossy(&output.stdout).matches("hookSpecificOutput").count();
            assert!(answers <= 1, "{output:?}");
        }
        fixture.serve("stop");
    }
}

#[test]
fn a_payload_may_come_in_pieces_and_its_pipe_may_stay_open() {
    let fixture = ResidentFixture::new().with_file(GUARD, DENY_RM);
    let _resident = fixture.start_resident();
    let payload = fixture.shell_payload("cat secret");
    let mut command = fixture.hook_command(CLIENT, "PreToolUse");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for piece in payload.chunks(7) {
        input.write_all(piece).unwrap();
        input.flush().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert!(is_denied(&output));
    assert_eq!(fixture.answered(), 1);
}

#[test]
fn a_resident_ends_when_it_is_told_to_or_not_needed() {
    let fixture = ResidentFixture::new().with_file(GUARD, DENY_RM);
    let mut resident = fixture.start_resident();
    assert!(is_denied(&fixture.ask(CLIENT, "cat secret")));
    let mut second = fixture.command(FULL);
    second.args(["serve", "--resident", "--state-dir"]).arg(fixture.state(CLIENT));
    let second = run(second, b"");
    assert_eq!(second.status.code(), Some(1), "a second one of the same environment");
    assert_eq!(fixture.serve("stop").status.code(), Some(0));
    assert!(resident.wait());
    assert!(fixture.sockets().is_empty());
    let mut idle = fixture.start_resident_with(&["--idle-seconds", "0"]);
    assert!(idle.wait());
    let mut unfound = fixture.start_resident();
    fs::remove_file(&fixture.sockets()[0]).unwrap();
    assert!(unfound.wait(), "its socket is gone");
    let log = String::from_utf8(fixture.serve("logs").stdout).unwrap();
    for reason in ["it was stopped", "no call came", "its socket was removed"] {
        assert!(log.contains(reason), "{log}");
    }
}

/// The line that `pintle install` writes, with the resident that it starts by itself.
#[test]
fn the_installed_line_starts_a_resident_and_asks_it() {
    let fixture = ResidentFixture::new().with_file(GUARD, DENY_RM);
    let mut install = fixture.command(FULL);
    install.args(["install", "claude", "--yes", "--hooks", "."]).env("PINTLE_STATE_DIR", fixture.state(CLIENT));
    install.env("PINTLE_USER_SETUP", "1");
    let installed = run(install, b"");
    assert!(installed.status.success(), "{installed:?}");
    let settings = fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(line.contains("/pintle-hook' hook claude PreToolUse"), "{line}");
    let ask = |text: &str| {
        let mut command = fixture.command("/bin/sh");
        command.args(["-c", line]);
        run(command, &fixture.shell_payload(text))
    };
    assert!(is_denied(&ask("cat secret")), "without a resident");
    let began = Instant::now();
    while fixture.status().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "no resident was started");
        thread::yield_now();
    }
    assert!(is_denied(&ask("cat secret")) && !is_denied(&ask("ls")));
    assert_eq!(fixture.answered(), 2);
    assert_eq!(fixture.serve("stop").status.code(), Some(0));
}

/// In a container whose processes belong to a session that was begun outside, their session has the number 0.
#[test]
fn callers_whose_session_began_outside_the_container_are_answered() {
    let fixture = ResidentFixture::new().with_file(GUARD, DENY_RM);
    let (state, config) = (fixture.state(CLIENT), fixture.path("config"));
    let script = format!(
        "'{FULL}' serve --resident --state-dir '{state}' >/dev/null 2>&1 &\n\
         until ls '{state}'/serve/*.sock >/dev/null 2>&1; do :; done\n\
         '{CLIENT}' hook claude PreToolUse --hooks . --config-dir '{config}' --state-dir '{state}'\n\
         '{FULL}' serve status --json --state-dir '{state}'",
        state = state.display(),
        config = config.display(),
    );
    let mut command = fixture.command("unshare");
    command.args(["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", &script]);
    let output = run(command, &fixture.shell_payload("cat secret"));
    let said = String::from_utf8_lossy(&output.stdout);
    if said.is_empty() {
        return eprintln!("this machine lets a user have no processes apart: this was NOT checked");
    }
    assert!(is_denied(&output), "{output:?}");
    assert!(said.contains("\"calls\":1,"), "{output:?}");
}
