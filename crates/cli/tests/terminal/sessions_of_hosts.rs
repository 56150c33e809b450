//! Sessions that other agents had under `pintle hook`.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pintle_host::event::PromptSubmit;
use pintle_host::tape::session_folder::{SessionFolder, folder_name};
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{Event, Origin, Runtime};
use pintle_testkit::FakeClock;
use serde_json::{Value, json};

use crate::conversation::TerminalProgram;
use crate::fixture::{CliFixture, CliInvocation, snapshot};

/// The 9th of September 2001.
const LONG_AGO_MS: u64 = 1_000_000_000_000;
const ID: &str = "0b9d8a3e-5f43-4a86-9d1c-0c1f1f6a2b11";

/// The program as somebody runs it whose state is in the folder `state`.
fn pintle_with_state<'a>(fixture: &'a CliFixture, arguments: &[&'a str]) -> CliInvocation<'a> {
    fixture.pintle(arguments).with_variable("PINTLE_STATE_DIR", "state")
}

/// A call of a host, which `pintle hook` answers.
fn call_host(fixture: &CliFixture, host: &str, session: &str, event: &str, fields: &Value) {
    let mut payload = json!({"session_id": session, "cwd": fixture.path("shop"), "hook_event_name": event});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let (_, err, status) =
        pintle_with_state(fixture, &["hook", host, event]).with_input(&payload.to_string()).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
}

/// The folder of a session.
fn session_dir(fixture: &CliFixture, host: &str, session: &str) -> PathBuf {
    fixture.path("state/bridge").join(host).join(folder_name(session))
}

/// A session of long ago.
fn create_old_session(fixture: &CliFixture, host: &str, session: &str) {
    let dir = session_dir(fixture, host, session);
    fs::create_dir_all(&dir).unwrap();
    let clock = FakeClock::new();
    clock.advance_us(LONG_AGO_MS * 1_000);
    let tape = Tape::create(dir.join("tape.jsonl"), HeaderRecord::new(session, LONG_AGO_MS), Arc::new(clock)).unwrap();
    let runtime = Runtime::builder().tape(Arc::new(tape)).build().unwrap();
    let origin = Origin { session: session.to_owned(), turn: 1, agent: String::from("root"), ..Origin::default() };
    let prompt = PromptSubmit { prompt: String::from("long ago"), ..PromptSubmit::default() };
    let _ = runtime.fire(&Event::from_payload(&prompt, Arc::new(origin)));
}

/// Three sessions of two hosts, and what is none.
fn create_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty()
        .with_file("shop/readme.txt", "")
        .with_file("state/bridge/claude/notes.txt", "no session")
        .with_file("state/bridge/claude/empty/notes.txt", "neither")
        .with_file("state/bridge/claude/broken/tape.jsonl", "{\"seq\":0,\n\u{1b}[31m")
        .with_file("state/bridge/claude/broken/state.json", "[1, 2")
        .with_file("state/bridge/gemini", "a file");
    create_old_session(&fixture, "claude", "old/er");
    call_host(&fixture, "claude", ID, "SessionStart", &json!({"source": "startup"}));
    call_host(&fixture, "claude", ID, "UserPromptSubmit", &json!({"prompt": "Tidy\nup \u{1b}[2J, please."}));
    call_host(&fixture, "claude", ID, "SessionEnd", &json!({"reason": "other"}));
    call_host(&fixture, "codex", "c1", "UserPromptSubmit", &json!({"prompt": "And now?"}));
    symlink(fixture.path("shop"), fixture.path("state/bridge/claude/link")).unwrap();
    symlink(session_dir(&fixture, "codex", "c1"), fixture.path("state/bridge/claude/other")).unwrap();
    fixture
}

fn list_sessions(fixture: &CliFixture, arguments: &[&str]) -> Vec<Value> {
    let arguments: Vec<&str> = ["sessions"].into_iter().chain(arguments.iter().copied()).chain(["--json"]).collect();
    let (out, err, status) = pintle_with_state(fixture, &arguments).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    serde_json::from_str(&out).unwrap()
}

fn list_ids(fixture: &CliFixture, arguments: &[&str]) -> Vec<String> {
    list_sessions(fixture, arguments).iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

/// The screen without what is another from day to day.
fn normalized_screen(fixture: &CliFixture, arguments: &[&str]) -> String {
    let root = fs::canonicalize(fixture.path(".")).unwrap().display().to_string();
    let screen = pintle_with_state(fixture, arguments).run_to_screen().replace(&root, "[folder]");
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let unit = |index: usize| words.get(index + 1).map(|word| word.trim_end_matches(['?', ')', ',', '`', ':']));
        let is_unit = |index: usize| matches!(unit(index), Some("kB" | "B" | "s" | "d" | "min"));
        let shown = words.iter().enumerate().map(|(index, word)| match word.trim_start_matches('(') {
            number if is_number(number) && is_unit(index) => word.replace(number, "[n]"),
            _ => (*word).to_owned(),
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    screen.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn sessions_of_other_agents_are_listed() {
    let fixture = create_fixture();
    snapshot!("sessions_of_a_host", normalized_screen(&fixture, &["sessions", "--host", "claude"]));
    snapshot!("sessions_of_all_hosts", normalized_screen(&fixture, &["sessions", "list", "--host", "all"]));
    snapshot!("sessions_of_no_host", normalized_screen(&fixture, &["sessions", "--host", "cline"]));
    snapshot!("sessions_slip_in_host", normalized_screen(&fixture, &["sessions", "--host", "cluade"]));
    snapshot!("sessions_here_and_of_hosts", normalized_screen(&fixture, &["sessions", "--directory", "shop"]));
    let here = list_ids(&fixture, &["--host", "all", "--directory", "shop"]);
    assert_eq!(here, [ID, "c1"], "the others worked elsewhere, or nobody knows where");
}

#[test]
fn what_looks_at_tapes_takes_the_paths_of_the_list() {
    let fixture = create_fixture();
    let all = list_sessions(&fixture, &["--host", "claude"]);
    let told =
        |session: &Value| ["id", "host", "agent", "turns", "last_prompt", "state"].map(|key| session[key].clone());
    let expected = [
        json!(["broken", "claude", null, null, null, "unreadable"]),
        json!(["old/er", "claude", "root", 1, "long ago", "open"]),
        json!([ID, "claude", "root", 1, "Tidy\nup \u{1b}[2J, please.", "ended"]),
    ];
    assert_eq!(all.iter().map(|session| json!(told(session))).collect::<Vec<_>>(), expected);
    assert_eq!((&all[1]["last_ms"], &all[1]["started_ms"]), (&json!(LONG_AGO_MS), &json!(LONG_AGO_MS)));
    assert_eq!(all[2]["project"], json!(fixture.path("shop")));
    let tape = all[2]["tape"].as_str().unwrap();
    for arguments in [&["tape", "show", tape][..], &["tape", "verify", tape], &["replay", tape]] {
        let (out, err, status) = pintle_with_state(&fixture, arguments).run_to_parts();
        assert_eq!(status, Some(0), "{arguments:?}: {out}{err}");
    }
}

#[test]
fn a_session_of_another_agent_is_deleted_with_all_that_is_kept_of_it() {
    let fixture = create_fixture();
    let delete =
        |id: &str| pintle_with_state(&fixture, &["sessions", "delete", "--host", "claude", id, "--yes"]).run_to_parts();
    let held = SessionFolder::lock(session_dir(&fixture, "claude", ID), Duration::ZERO).unwrap();
    let states = list_sessions(&fixture, &["--host", "claude"]);
    assert_eq!(states.last().unwrap()["state"], "running");
    let (_, err, status) = delete("0b9d");
    assert!(status == Some(1) && err.contains(&format!("session `{ID}` is in use")), "{err}");
    drop(held);
    let (_, err, status) =
        pintle_with_state(&fixture, &["sessions", "delete", "--host", "claude", "0b9d"]).run_to_parts();
    assert!(status == Some(3) && err.contains("standard input is not a terminal"), "{err}");
    let (_, err, status) = delete("c1");
    assert!(status == Some(3) && err.contains("session `c1` does not exist"), "of another host: {err}");
    for (id, path) in [("0b9d", ID), ("old/", "old/er"), ("broken", "broken")] {
        let (out, err, status) = delete(id);
        assert_eq!((out, status), (format!("deleted 1 session: {path}\n"), Some(0)), "{err}");
        assert!(!session_dir(&fixture, "claude", path).exists());
    }
    assert!(list_ids(&fixture, &["--host", "claude"]).is_empty());
    assert!(fixture.path("state/bridge/claude/fired.json").exists() && fixture.path("shop/readme.txt").exists());
    assert_eq!(list_ids(&fixture, &["--host", "all"]), ["c1"]);
    call_host(&fixture, "claude", ID, "UserPromptSubmit", &json!({"prompt": "anew"}));
    assert_eq!(list_ids(&fixture, &["--host", "claude"]), [ID], "it begins anew");
}

#[test]
fn sessions_that_nobody_has_heard_of_for_long_are_deleted_together() {
    let fixture = create_fixture();
    create_old_session(&fixture, "codex", "older");
    create_old_session(&fixture, "codex", "at work");
    let held = SessionFolder::lock(session_dir(&fixture, "codex", "at work"), Duration::ZERO).unwrap();
    let old = ["sessions", "delete", "--older-than", "30", "--host", "all"];
    snapshot!("sessions_delete_old_nobody", normalized_screen(&fixture, &old));
    let yes: Vec<&str> = old.into_iter().chain(["--yes"]).collect();
    snapshot!("sessions_delete_old", normalized_screen(&fixture, &yes));
    assert_eq!(list_ids(&fixture, &["--host", "all"]), ["broken", "at work", ID, "c1"]);
    drop(held);
    let (out, _, status) = pintle_with_state(&fixture, &[&yes[..], &["--json"]].concat()).run_to_parts();
    assert_eq!((out.as_str(), status), ("{\"deleted\":[\"at work\"]}\n", Some(0)));
    snapshot!("sessions_delete_none_old", normalized_screen(&fixture, &yes));
    snapshot!("sessions_delete_what", normalized_screen(&fixture, &["sessions", "delete"]));
    snapshot!("sessions_delete_both", normalized_screen(&fixture, &["sessions", "delete", "--older-than", "3", "x"]));
}

/// Makes the files of a session look as if its last call was so many days ago.
fn age_session(fixture: &CliFixture, host: &str, session: &str, days: u64) {
    let time = SystemTime::now() - Duration::from_secs(days * 86_400);
    for entry in fs::read_dir(session_dir(fixture, host, session)).unwrap() {
        File::options().write(true).open(entry.unwrap().path()).unwrap().set_modified(time).unwrap();
    }
}

/// Sessions of different ages, and one in which a person put notes.
fn create_aged_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty().with_file("shop/readme.txt", "");
    for (host, session, days) in
        [("claude", ID, 40), ("codex", "c1", 10), ("claude", "fresh", 0), ("claude", "noted", 50), ("codex", "c2", 2)]
    {
        call_host(&fixture, host, session, "UserPromptSubmit", &json!({"prompt": "Tidy up."}));
        if session == "noted" {
            fs::write(session_dir(&fixture, host, session).join("notes.txt"), "mine").unwrap();
        }
        age_session(&fixture, host, session, days);
    }
    fixture
}

#[test]
fn sessions_are_pruned_by_age_and_size() {
    let fixture = create_aged_fixture();
    let prune = |arguments: &[&'static str]| normalized_screen(&fixture, &[&["sessions", "prune"], arguments].concat());
    snapshot!("sessions_prune_not_configured", prune(&[]));
    snapshot!("sessions_prune_help", fixture.pintle(&["sessions", "prune", "--help"]).run_to_screen());
    snapshot!("sessions_prune_bad_size", prune(&["--max-size", "1.5GB"]));
    snapshot!("sessions_prune_of_a_host", prune(&["--older-than", "9", "--host", "claude"]));
    snapshot!("sessions_prune_dry_run", prune(&["--older-than", "30", "--max-size", "1B", "--dry-run"]));
    assert_eq!(list_ids(&fixture, &["--host", "all"]).len(), 5);
    snapshot!("sessions_prune_nobody", prune(&["--older-than", "30"]));
    let held = SessionFolder::lock(session_dir(&fixture, "codex", "c1"), Duration::ZERO).unwrap();
    snapshot!("sessions_prune", prune(&["--older-than", "5", "--yes"]));
    drop(held);
    let log = |fixture: &CliFixture| {
        let (out, err, status) = pintle_with_state(fixture, &["log", "--json"]).run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        out.lines().count()
    };
    assert_eq!(log(&fixture), 0, "prompts that passed are not in it");
    fs::write(fixture.user_path("config.yaml"), "tapes: {max_size: 1B}\n").unwrap();
    snapshot!("sessions_prune_configured", prune(&["--yes"]));
    assert_eq!(list_ids(&fixture, &["--host", "all"]), ["fresh", "noted"]);
    let (out, err, status) = pintle_with_state(&fixture, &["sessions", "prune", "--json"]).run_to_parts();
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["removed"], &report["kept_count"], status), (&json!([]), &json!(2), Some(0)), "{err}");
    fs::write(fixture.user_path("config.yaml"), "tapes: {max_size: 1}\n").unwrap();
    snapshot!(
        "sessions_prune_bad_config",
        prune(&["--yes"]).replace(&*fixture.user_path("").display().to_string(), "[user]/")
    );
}

#[test]
fn sessions_expire_once_a_day_by_the_settings_of_the_user_and_of_no_project() {
    let fixture = create_aged_fixture()
        .with_file("config.yaml", "tapes: {keep_days: 1}\n")
        .with_file(".harness/config.yaml", "tapes: {keep_days: 1}\n");
    let count = || list_ids(&fixture, &["--host", "all"]).len();
    let log = || {
        let run = pintle_with_state(&fixture, &["log"]).without_variable("CLAUDECODE");
        let (_, err, status) = run.run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        err
    };
    log();
    assert_eq!(count(), 5, "a project has no say");
    let stamp = fixture.path("state/retention-checked");
    fs::write(fixture.user_path("config.yaml"), "tapes: {keep_days: 30}\n").unwrap();
    log();
    assert_eq!(count(), 5, "it was looked at today");
    fs::remove_file(&stamp).unwrap();
    let err =
        pintle_with_state(&fixture, &["log"]).with_variable("CLAUDECODE", "1").without_variable("PINTLE_USER_SETUP");
    err.run_to_parts();
    assert_eq!(count(), 5, "an agent asked");
    let err = log();
    assert!(err.contains("removed 1 session (") && err.contains("sessions are kept for 30 days"), "{err}");
    assert!(count() == 4 && stamp.exists() && !session_dir(&fixture, "claude", ID).exists());
    // Calls of the agents do not look.
    fs::remove_file(&stamp).unwrap();
    age_session(&fixture, "codex", "c1", 99);
    call_host(&fixture, "claude", "fresh", "SessionEnd", &json!({"reason": "other"}));
    assert!(count() == 4 && !stamp.exists());
}

#[test]
fn a_person_is_asked_before_old_sessions_are_deleted() {
    let fixture = create_fixture();
    for (answer, status, left) in [("n", 2, 4), ("y", 0, 3)] {
        let mut terminal = TerminalProgram::open(&fixture, "sessions delete --older-than 30 --host all");
        let asked = terminal.wait_for_text("[y/N] ");
        assert!(asked.contains("delete 1 session (older than 30 days, "), "{asked}");
        terminal.type_in(&format!("{answer}\n"));
        assert_eq!(terminal.end().1, Some(status), "{answer}");
        assert_eq!(list_ids(&fixture, &["--host", "all"]).len(), left, "{answer}");
    }
}

#[test]
fn two_agents_may_have_sessions_of_one_name() {
    let fixture = create_fixture();
    call_host(&fixture, "codex", ID, "UserPromptSubmit", &json!({"prompt": "the same"}));
    let delete = |host: &str, id: &str| {
        pintle_with_state(&fixture, &["sessions", "delete", "--host", host, id, "--yes"]).run_to_parts()
    };
    let (_, err, status) = delete("all", ID);
    assert!(
        status == Some(3) && err.contains(&format!("`{ID}` is ambiguous: more than one agent had a session")),
        "{err}"
    );
    let (_, err, status) = delete("all", "0b9d");
    assert!(status == Some(3) && err.contains("2 session IDs start with it"), "{err}");
    assert_eq!(delete("codex", ID).2, Some(0));
    assert_eq!(delete("all", "0b9d").2, Some(0), "now there is one");
}

#[test]
fn old_sessions_of_a_folder_are_deleted_together() {
    let fixture = CliFixture::new_empty().with_file(".pintle/tapes/broken.jsonl", "no tape");
    let tape = |name: &str, clock: FakeClock| {
        let path = fixture.path(&format!(".pintle/tapes/{name}.jsonl"));
        drop(Tape::create(&path, HeaderRecord::new(name, 1), Arc::new(clock)).unwrap());
        path
    };
    let old = tape("20010909-000000-000", FakeClock::new());
    let future = FakeClock::new();
    future.advance_us(u64::MAX / 2);
    let new = tape("20260101-120000-001", future);
    snapshot!(
        "sessions_delete_old_here",
        normalized_screen(&fixture, &["sessions", "delete", "--older-than", "1", "--yes"])
    );
    assert!(!old.exists() && new.exists() && fixture.path(".pintle/tapes/broken.jsonl").exists());
}

#[test]
fn commands_find_a_tape_by_its_session_and_the_last_one() {
    let fixture = CliFixture::with_guards();
    fs::create_dir_all(fixture.path("shop")).unwrap();
    let none = pintle_with_state(&fixture, &["tape", "show", "last"]).run_to_screen();
    assert!(none.contains("no sessions are recorded here"), "{none}");
    call_host(&fixture, "claude", ID, "UserPromptSubmit", &json!({"prompt": "hi"}));
    for named in [ID, "0b9d8a3e", "last"] {
        for command in [&["tape", "show", named][..], &["tape", "export", named], &["replay", named]] {
            let (out, err, status) = pintle_with_state(&fixture, command).run_to_parts();
            assert!(status == Some(0) && !out.is_empty(), "{command:?} {out} {err}");
        }
    }
    let unknown = pintle_with_state(&fixture, &["tape", "verify", "0b9d8a3f"]).run_to_screen();
    assert!(unknown.contains("0b9d8a3f") && unknown.contains("help:"), "{unknown}");
}
