//! `pintle log` and `pintle why`.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pintle_testkit::example_guard;
use serde_json::{Value, json};

use crate::fixture::{CliFixture, CliInvocation, snapshot};

/// A person with the guard above, whose agents made some calls.
pub(crate) fn create_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty().with_file("shop/readme.txt", "");
    fs::create_dir_all(fixture.user_path("hooks")).unwrap();
    let guard = example_guard("formatting is not for agents").replacen("script:", "priority: 10\nscript:", 1);
    fs::write(fixture.user_path("hooks/guard.md"), guard).unwrap();
    for command in ["ls -la", "mkfs /dev/sda", "deploy now", "fetch x", "crash"] {
        call_tool(&fixture, "claude", "c1", "Bash", &json!({"command": command}));
    }
    call_tool(&fixture, "claude", "c1", "Write", &json!({"file_path": "notes.txt", "content": "secret notes"}));
    call_tool(&fixture, "codex", "c2", "Bash", &json!({"command": "deploy\nnow \u{1b}[2J"}));
    fixture
}

pub(crate) fn pintle<'a>(fixture: &'a CliFixture, arguments: &[&'a str]) -> CliInvocation<'a> {
    fixture.pintle(arguments).with_variable("TZ", "UTC")
}

/// A call of a host's tool, which `pintle hook` answers.
pub(crate) fn call_tool(fixture: &CliFixture, host: &str, session: &str, tool: &str, input: &Value) {
    let payload = json!({
        "session_id": session,
        "cwd": fs::canonicalize(fixture.path("shop")).unwrap(),
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_use_id": format!("call {input}"),
        "tool_input": input,
    });
    pintle(fixture, &["hook", host, "PreToolUse"]).with_input(&payload.to_string()).run_to_parts();
}

/// The entries that a command lists.
pub(crate) fn list_entries(fixture: &CliFixture, arguments: &[&str]) -> Vec<Value> {
    let arguments: Vec<&str> = ["log", "--json"].into_iter().chain(arguments.iter().copied()).collect();
    let (out, err, status) = pintle(fixture, &arguments).run_to_parts();
    assert_eq!((status, err.as_str()), (Some(0), ""), "{arguments:?}");
    list_entries_of(&out)
}

fn list_entries_of(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn list_calls(fixture: &CliFixture, arguments: &[&str]) -> Vec<String> {
    let call = |entry: &Value| format!("{} {}", entry["word"].as_str().unwrap(), entry["call"].as_str().unwrap());
    list_entries(fixture, arguments).iter().map(call).collect()
}

/// The screen without what is another from run to run.
pub(crate) fn normalized_screen(fixture: &CliFixture, arguments: &[&str]) -> String {
    let paths = [(".", "[folder]"), ("", "[user]")];
    let real = |path: std::path::PathBuf| fs::canonicalize(path).unwrap().display().to_string();
    let [folder, user] = [real(fixture.path(".")), real(fixture.user_path("."))];
    let screen = pintle(fixture, arguments).run_to_screen().replace(&folder, paths[0].1).replace(&user, paths[1].1);
    mask_screen(&screen)
}

/// A screen without IDs and times.
pub(crate) fn mask_screen(screen: &str) -> String {
    let mask = |word: &str| {
        let trimmed = word.trim_end_matches(',');
        let tail = &word[trimmed.len()..];
        let is_id = trimmed.split_once('.').is_some_and(|(key, seq)| {
            key.len() == 6 && key.bytes().all(|byte| byte.is_ascii_hexdigit()) && seq.parse::<u32>().is_ok()
        });
        let is_time = trimmed.len() >= 8
            && trimmed.bytes().all(|byte| byte.is_ascii_digit() || b":-".contains(&byte))
            && trimmed.bytes().filter(|byte| b":-".contains(byte)).count() == 2;
        match (is_id, is_time) {
            (true, _) => format!("[id]{tail}"),
            (_, true) => format!("[time]{tail}"),
            _ => word.to_owned(),
        }
    };
    let line = |line: &str| line.split(' ').map(mask).collect::<Vec<_>>().join(" ");
    screen.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_of_a_pruned_session_stays_in_the_index() {
    let fixture = create_fixture();
    let index = fixture.user_path("log.sqlite");
    let has_text = |text: &str| {
        let bytes = fs::read(&index).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    assert!(!list_entries(&fixture, &[]).is_empty() && has_text("mkfs /dev/sda") && has_text("[2J"));
    let session = fixture.user_path("bridge/claude/c1");
    for entry in fs::read_dir(&session).unwrap() {
        let file = fs::File::options().write(true).open(entry.unwrap().path()).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 86_400)).unwrap();
    }
    let (out, err, status) = pintle(&fixture, &["sessions", "prune", "--older-than", "1", "--yes"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("removed 1 session ("), "{out}");
    assert!(!session.exists() && !has_text("mkfs /dev/sda") && has_text("[2J"));
    assert!(list_entries(&fixture, &[]).iter().all(|entry| entry["host"] == "codex"));
}

#[test]
fn what_agents_did_is_listed_and_explained() {
    let fixture = create_fixture();
    let screen = |arguments: &[&str]| normalized_screen(&fixture, arguments);
    snapshot!("log_all", screen(&["log"]));
    snapshot!("log_denied", screen(&["log", "--denied", "--failed"]));
    snapshot!("log_why_last", screen(&["why"]));
    for (name, call) in [("mkfs", "mkfs /dev/sda"), ("fetch", "fetch x --timeout 10"), ("crash", "crash")] {
        let entries = list_entries(&fixture, &[]);
        let entry = entries.iter().find(|entry| entry["call"] == call).unwrap();
        snapshot!(format!("log_why_{name}"), screen(&["why", entry["id"].as_str().unwrap()]));
    }
    snapshot!("log_why_unknown", screen(&["why", "abc.1"]));
    snapshot!("log_since_what", screen(&["log", "--since", "last week"]));
}

#[test]
fn each_option_of_the_log_selects_its_entries() {
    let fixture = create_fixture();
    let all = [
        "allowed ls -la",
        "denied mkfs /dev/sda",
        "asked deploy now",
        "rewritten fetch x --timeout 10",
        "denied crash",
        "allowed notes.txt",
        "denied deploy\nnow \u{1b}[2J",
    ];
    let shop = fixture.path("shop").display().to_string();
    let cases: [(&[&str], &[usize]); 16] = [
        (&[], &[0, 1, 2, 3, 4, 5, 6]),
        (&["-n", "2"], &[5, 6]),
        (&["-n", "0"], &[0, 1, 2, 3, 4, 5, 6]),
        (&["--denied"], &[1, 4, 6]),
        (&["--asked"], &[2]),
        (&["--rewritten"], &[3]),
        (&["--failed"], &[4]),
        (&["--asked", "--failed"], &[2, 4]),
        (&["--host", "codex"], &[6]),
        (&["--host", "all", "--denied", "-n", "1"], &[6]),
        (&["--rule", "guard"], &[1, 2, 3, 4, 6]),
        (&["--rule", "gua"], &[]),
        (&["--since", "1h"], &[0, 1, 2, 3, 4, 5, 6]),
        (&["--since", "2100-01-01"], &[]),
        (&["--project", &shop], &[0, 1, 2, 3, 4, 5, 6]),
        (&["--project", "elsewhere"], &[]),
    ];
    for (arguments, wanted) in cases {
        let wanted: Vec<String> = wanted.iter().map(|index| all[*index].to_owned()).collect();
        assert_eq!(list_calls(&fixture, arguments), wanted, "{arguments:?}");
    }
}

#[test]
fn the_log_follows_the_tapes_and_needs_no_index() {
    let fixture = create_fixture();
    let before = list_calls(&fixture, &[]);
    let index = fixture.user_path("log.sqlite");
    assert_eq!(fs::metadata(&index).unwrap().permissions().mode() & 0o777, 0o600);
    call_tool(&fixture, "claude", "c1", "Bash", &json!({"command": "mkfs again"}));
    assert_eq!(list_calls(&fixture, &["-n", "1"]), ["denied mkfs again"]);
    // What is no index is made one, and what is lost is read again.
    for damage in [&b"not a database, but long enough to be looked at as if it were one, with all its pages"[..], b""] {
        fs::write(&index, damage).unwrap();
        assert_eq!(list_calls(&fixture, &[]).len(), before.len() + 1, "{damage:?}");
    }
    // The middle of the file, then each of its pages, is damaged.
    let whole = fs::read(&index).unwrap();
    let pages = (0..whole.len() / 4096).map(|page| page * 4096 + 100 * usize::from(page == 0));
    for range in pages.map(|start| start..start + 64).chain(std::iter::once(100..whole.len() / 2)) {
        let mut bytes = whole.clone();
        bytes[range.clone()].fill(0xff);
        fs::write(&index, bytes).unwrap();
        assert_eq!(list_calls(&fixture, &[]).len(), before.len() + 1, "{range:?}");
    }
    // The tables are whole, but the text of the entries is none of ours.
    let mut bytes = whole;
    let starts: Vec<usize> = (1..bytes.len()).filter(|at| bytes[at - 1..=*at] == *b"{\"").collect();
    assert!(starts.len() > before.len());
    starts.into_iter().for_each(|at| bytes[at] = b'?');
    fs::write(&index, bytes).unwrap();
    assert_eq!(list_calls(&fixture, &[]).len(), before.len() + 1);
    fs::remove_file(&index).unwrap();
    assert_eq!(list_calls(&fixture, &[]).len(), before.len() + 1);
    fs::remove_dir_all(fixture.user_path("bridge/claude")).unwrap();
    assert_eq!(list_calls(&fixture, &[]), ["denied deploy\nnow \u{1b}[2J"]);
    // Where no file can be made, it is made in memory.
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    let (out, err, status) = pintle(&fixture, &["log"]).run_to_parts();
    assert_eq!((status, out.lines().count()), (Some(0), 1), "{err}");
    assert!(err.contains("it is made in memory"), "{err}");
}

#[test]
fn what_pintle_itself_denies_is_in_the_log() {
    let fixture = create_fixture();
    fs::write(fixture.user_path("hooks/broken.md"), "---\nevent: tool.pre\nscript: |\n  def handle(\n---\n").unwrap();
    call_tool(&fixture, "claude", "c1", "Bash", &json!({"command": "ls again"}));
    let entries = list_entries(&fixture, &["-n", "1"]);
    let shown = ["word", "tool", "call", "hook", "dispatch"].map(|field| entries[0][field].clone());
    assert_eq!(json!(shown), json!(["denied", "Bash", "ls again", "pintle", null]));
    assert!(entries[0]["reason"].as_str().unwrap().starts_with("pintle: a hook does not load ("));
    let (out, err, status) = pintle(&fixture, &["why"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("none was called"), "{out}");
}

#[test]
fn a_damaged_tape_is_read_as_far_as_it_goes() {
    let fixture = create_fixture();
    let tape = fixture.user_path("bridge/claude/c1/tape.jsonl");
    let text = fs::read_to_string(&tape).unwrap();
    let third = text.match_indices("\"kind\":\"event\"").nth(2).unwrap().0;
    let end = text[..third].rfind('\n').unwrap() + 1;
    fs::write(&tape, format!("{}{{\"seq\":\n{}", &text[..end], &text[end..])).unwrap();
    let (out, err, status) = pintle(&fixture, &["log", "--host", "claude"]).run_to_parts();
    assert_eq!((status, out.lines().count()), (Some(0), 2), "{out}");
    assert!(err.contains("is not all in the log: line "), "{err}");
    let denied = list_entries_of(&pintle(&fixture, &["log", "--json", "--host", "claude"]).run_to_parts().0).remove(1);
    let (out, err, status) = pintle(&fixture, &["why", denied["id"].as_str().unwrap()]).run_to_parts();
    assert!(status == Some(0) && out.contains("guard: deny"), "{out}{err}");
}

#[test]
fn an_id_that_means_several_decisions_is_told_with_all_digits() {
    let fixture = create_fixture();
    let seq = list_entries(&fixture, &["-n", "1"])[0]["seq"].to_string();
    let (_, err, status) = pintle(&fixture, &["why", &format!(".{seq}")]).run_to_parts();
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("is ambiguous: 2 decisions have this ID"), "{err}");
    let long_ids: Vec<&str> =
        err.split('`').filter(|part| part.len() > 16 && part.ends_with(&format!(".{seq}"))).collect();
    for long_id in &long_ids {
        assert_eq!(pintle(&fixture, &["why", long_id]).run_to_parts().2, Some(0), "{long_id}");
    }
    assert_eq!(long_ids.len(), 2, "{err}");
}

#[test]
fn sessions_that_were_run_here_are_in_the_log() {
    let agent = "---\nname: tidy\nmodel: {provider: script, name: script.yaml}\n---\nYou tidy.\n";
    let script = "turns:\n  - calls: [{tool: list, args: {path: .}}]\n  - say: Done.\n";
    let fixture = CliFixture::with_guards().with_file("harness.md", agent).with_file("script.yaml", script);
    let tape = ".pintle/tapes/20260101-120000-001.jsonl";
    let (_, err, status) = fixture.pintle(&["run", ".", "Go.", "--tape", tape]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let entries = list_entries(&fixture, &[]);
    let shown: Vec<Value> = entries.iter().map(|entry| json!([entry["host"], entry["tool"], entry["call"]])).collect();
    assert_eq!(shown, [json!([null, "list", "."])]);
    // Sessions that were run elsewhere are not.
    fs::create_dir(fixture.path("other")).unwrap();
    assert!(list_entries(&fixture, &["--directory", "other"]).is_empty());
    snapshot!("log_nothing", normalized_screen(&fixture, &["log", "--directory", "other"]));
}

#[test]
fn a_packs_rule_is_named_and_not_twice() {
    let fixture = CliFixture::new_empty().with_file("shop/readme.txt", "");
    fs::write(fixture.user_path("policy.yaml"), "use: [shell, git]\n").unwrap();
    call_tool(&fixture, "claude", "c1", "Bash", &json!({"command": "git push --force"}));
    let entries = list_entries(&fixture, &["--rule", "git"]);
    let shown = ["word", "rule", "hook"].map(|field| entries[0][field].clone());
    assert_eq!(json!(shown), json!(["denied", "git.force-push", "pack:git"]));
    let (out, err, status) = pintle(&fixture, &["why"]).run_to_parts();
    assert_eq!((status, out.matches("git.force-push").count()), (Some(0), 1), "{out}{err}");
    for (name, count) in [("git.force-push", 1), ("pack:git", 1), ("git.force", 0), ("shell", 0)] {
        assert_eq!(list_entries(&fixture, &["--rule", name]).len(), count, "{name}");
    }
}

#[test]
fn nothing_on_a_tape_reaches_the_terminal_as_a_command_or_is_read_from_a_pipe() {
    let fixture = create_fixture();
    let tape = fixture.user_path("bridge/claude/c1/tape.jsonl");
    let text = fs::read_to_string(&tape).unwrap();
    let guard = fixture.user_path("hooks/guard.md").display().to_string();
    let pipe = fixture.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let forged = text.replace(&guard, &pipe.display().to_string()).replace("\"mkfs /dev/sda\"", "\"mkfs \\u001b[2J\"");
    fs::write(&tape, forged.replace("\"kind\":\"closed\"", "\"kind\":\"\\u001b[2J\"")).unwrap();
    for arguments in [&["log"][..], &["why"], &["why", "last", "--json"]] {
        let (out, err, status) = pintle(&fixture, arguments).run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        assert!(!out.contains('\u{1b}') && !err.contains('\u{1b}'), "{arguments:?}: {out}{err}");
    }
    let entries = list_entries(&fixture, &["--rule", "guard", "--host", "claude"]);
    for entry in entries {
        let (out, err, status) = pintle(&fixture, &["why", entry["id"].as_str().unwrap()]).run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        assert!(out.contains("pipe"), "{out}");
    }
}
