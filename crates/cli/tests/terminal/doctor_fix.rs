//! `pintle doctor --fix`: entries that run no program, or are not as `install` writes them, are written again.

use std::fs;

use serde_json::Value;

use crate::fixture::snapshot;
use crate::install::{create_fixture, run_at_home};

const PROGRAM: &str = env!("CARGO_BIN_EXE_pintle");
const FIX: [&str; 4] = ["doctor", "claude", "--fix", "--yes"];

/// Every agent, and what of its settings in the user's home directory has the entries.
const AGENTS: [(&str, &str); 10] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("copilot", ".copilot/hooks/pintle.json"),
    ("cline", ".cline/hooks/PreToolUse"),
    ("cursor", ".cursor/hooks.json"),
    ("opencode", ".config/opencode/plugins/pintle.js"),
    ("pi", ".pi/agent/extensions/pintle.js"),
    ("droid", ".factory/hooks.json"),
];

#[test]
fn entries_of_every_agent_whose_program_is_gone_are_as_installed_again() {
    for (host, settings) in AGENTS {
        let fixture = create_fixture();
        let (_, err, status) = run_at_home(&fixture, &["install", host, "--yes"]).run_to_parts();
        assert_eq!(status, Some(0), "{host}: {err}");
        let path = fixture.path("home").join(settings);
        let installed = fs::read_to_string(&path).unwrap();
        let gone = installed.replace(PROGRAM, "/opt/pintle-0.0.1/pintle");
        assert_ne!(gone, installed, "{host}");
        fs::write(&path, &gone).unwrap();
        let fix = ["doctor", "--fix", "--yes", "--json"];
        let (out, err, _) = run_at_home(&fixture, &fix).run_to_parts();
        let said: Value = serde_json::from_str(&out).unwrap();
        let reason = said.pointer("/repaired/0/reasons/0").and_then(Value::as_str);
        assert_eq!(reason, Some("`/opt/pintle-0.0.1/pintle` does not exist"), "{host}: {out}{err}");
        assert_eq!(fs::read_to_string(&path).unwrap(), installed, "{host}");
        let (out, _, _) = run_at_home(&fixture, &fix).run_to_parts();
        assert!(out.contains("\"repaired\":[]"), "{host}: {out}");
    }
}

/// A change of installed settings, and what is said about it.
struct EntryDefect {
    name: &'static str,
    change: fn(&str) -> String,
    reason: &'static str,
}

const DEFECTS: &[EntryDefect] = &[
    EntryDefect {
        name: "lines of an older version, without directories",
        change: |text| {
            let parts = text.split(" --config-dir ");
            let parts = parts.map(|part| part.split_once("); case").map_or(part, |(_, rest)| rest));
            parts.collect::<Vec<_>>().join("); case")
        },
        reason: "they differ from what this version of Pintle writes",
    },
    EntryDefect {
        name: "an event that is installed twice",
        change: |text| {
            let (head, rest) = text.split_once(", {\"hooks\":[{").unwrap();
            let (own, tail) = rest.split_once("}]}").unwrap();
            let own = format!(", {{\"hooks\":[{{{own}}}]}}");
            format!("{head}{own}{own}{tail}")
        },
        reason: "`Stop`: Pintle is installed more than once",
    },
    EntryDefect {
        name: "an entry that the agent does not wait for",
        change: |text| text.replacen("\"type\":\"command\",", "\"type\":\"command\",\"async\":true,", 1),
        reason: "the agent does not wait for Pintle",
    },
    EntryDefect {
        name: "a name that is not on the PATH",
        change: |text| text.replace(&format!("'{PROGRAM}'"), "'pintle-hook'"),
        reason: "`pintle-hook` is not on the PATH",
    },
];

#[test]
fn entries_that_are_not_as_installed_are_written_again_and_nothing_else_is() {
    for EntryDefect { name, change, reason } in DEFECTS {
        let fixture = create_fixture();
        run_at_home(&fixture, &["install", "claude", "--yes"]).run_to_parts();
        let path = fixture.path("home/.claude/settings.json");
        let installed = fs::read_to_string(&path).unwrap();
        let changed = change(&installed);
        assert_ne!(changed, installed, "{name}");
        fs::write(&path, &changed).unwrap();
        let (out, err, _) = run_at_home(&fixture, &FIX).run_to_parts();
        assert!(out.contains(reason), "{name}: {out}{err}");
        assert_eq!(fs::read_to_string(&path).unwrap(), installed, "{name}");
        let (out, ..) = run_at_home(&fixture, &["uninstall", "claude", "--yes"]).run_to_parts();
        assert!(out.contains("removed"), "{name}: {out}");
    }
}

#[test]
fn what_is_written_is_shown_first_and_an_agent_may_only_look() {
    let fixture = create_fixture();
    let events = ["install", "claude", "--events", "PreToolUse,Stop", "--program", "/opt/gone/pintle", "--yes"];
    run_at_home(&fixture, &events).run_to_parts();
    let path = fixture.path("home/.claude/settings.json");
    let before = fs::read_to_string(&path).unwrap();
    let shown = |screen: String| screen.replace(PROGRAM, "[program]");
    let dry = ["doctor", "claude", "--fix", "--dry-run"];
    snapshot!("doctor_fix_dry_run", shown(run_at_home(&fixture, &dry).run_to_screen()));
    let (_, err, _) = run_at_home(&fixture, &["doctor", "claude"]).run_to_parts();
    assert!(err.contains("`pintle doctor --fix` rewrites entries of claude"), "{err}");
    let as_agent = |arguments: &[&'static str]| {
        let run = run_at_home(&fixture, arguments).without_variable("PINTLE_USER_SETUP");
        run.with_variable("CLAUDECODE", "1").run_to_parts()
    };
    let (_, err, status) = as_agent(&FIX);
    assert!(err.contains("nothing was changed: Claude Code started it") && status == Some(2), "{err}");
    let (out, ..) = as_agent(&dry);
    assert!(out.contains("will run"), "{out}");
    let (_, err, status) = run_at_home(&fixture, &["doctor", "claude", "--fix"]).run_to_parts();
    assert!(err.contains("cannot prompt for confirmation") && status == Some(3), "{err}");
    let (_, err, status) = run_at_home(&fixture, &["doctor", "--yes"]).run_to_parts();
    assert!(err.contains("are for `--fix`") && status == Some(3), "{err}");
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    snapshot!("doctor_fix", shown(run_at_home(&fixture, &FIX).run_to_screen()));
    let after = fs::read_to_string(&path).unwrap();
    assert!(after.contains(PROGRAM) && after.contains("\"theme\": \"dark\"") && after.contains("./bell.sh"), "{after}");
}

#[test]
fn entries_of_a_project_keep_the_name_and_those_of_an_image_its_path() {
    let fixture = create_fixture();
    fixture.copy_program("image/usr/local/bin/pintle");
    let older = |text: String| text.replace("exit 1", "exit 3");
    for (words, settings, program) in [
        (&["--scope", "project"][..], ".claude/settings.json", "$('pintle' hook"),
        (&["--root", "image"], "image/etc/claude-code/managed-settings.json", "$('/usr/local/bin/pintle' hook"),
    ] {
        let install = [&["install", "claude", "--yes"], words].concat();
        let (_, err, status) = run_at_home(&fixture, &install).run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        let path = fixture.path(settings);
        let installed = fs::read_to_string(&path).unwrap();
        assert!(installed.contains(program), "{installed}");
        fs::write(&path, older(installed.clone())).unwrap();
        let root: &[&str] = if words.contains(&"--root") { words } else { &[] };
        let (out, err, _) = run_at_home(&fixture, &[&FIX[..], root].concat()).run_to_parts();
        assert!(out.contains("they differ from what"), "{out}{err}");
        assert_eq!(fs::read_to_string(&path).unwrap(), installed);
    }
}

/// Someone who only examines a project that they have cloned runs nothing of it.
#[test]
fn what_a_project_put_into_its_entries_is_not_run() {
    let mark = "#!/bin/sh\ntouch \"$(dirname \"$0\")/../../mark\"\n";
    let fixture = create_fixture().with_file("project/evil/pintle", mark);
    pintle_testkit::make_executable(fixture.path("project/evil/pintle"));
    let home = fixture.path("home").display().to_string();
    let run = |words: &[&'static str]| {
        run_at_home(&fixture, words).with_variable("HOME", &home).in_folder("project").run_to_parts()
    };
    let install = run(&["install", "claude", "--yes", "--scope", "project", "--program", "pintle"]);
    assert_eq!(install.2, Some(0), "{install:?}");
    let path = fixture.path("project/.claude/settings.json");
    let installed = fs::read_to_string(&path).unwrap();
    let own = fixture.path("project/evil/pintle").display().to_string();
    let replaceable = "which the project or everybody here can replace, so no test calls were sent";
    for (from, to, problem) in [
        ("$('pintle' hook", format!("$('{own}' hook"), replaceable),
        ("$('pintle' hook", String::from("$('./evil/pintle' hook"), "does not exist"),
        ("$('pintle' hook", String::from("$('evil/../evil/pintle' hook"), "does not exist"),
        ("case $? in", String::from("touch ../mark; case $? in"), "a line that `pintle install` does not write"),
    ] {
        fs::write(&path, installed.replace(from, &to)).unwrap();
        let (out, err, status) = run(&["doctor", "claude"]);
        assert!(out.contains(problem) && status == Some(1), "{to}: {out}{err}");
        let (out, err, _) = run(&FIX);
        assert!(!fixture.path("mark").exists(), "{to}: {out}{err}");
        let repaired = fs::read_to_string(&path).unwrap();
        assert!(!repaired.contains("evil") && !repaired.contains("touch"), "{repaired}");
    }
}
