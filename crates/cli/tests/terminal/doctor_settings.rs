//! `pintle doctor` on the settings of agents: whatever keeps an installed entry from guarding is a problem.

use std::fs;

use serde_json::Value;

use crate::doctor::{GUARD, examine, install, problems, with_hooks};
use crate::fixture::snapshot;
use crate::install::run_at_home;

/// A change of the installed settings of a host, and the problem that is reported.
struct EntryFault {
    host: &'static str,
    /// The text in the settings, and what takes its place, at one event.
    change: (&'static str, &'static str),
    problem: &'static str,
}

const ENTRY_FAULTS: &[EntryFault] = &[
    EntryFault {
        host: "claude",
        change: (r#""type":"command""#, r#""type":"command","async":true"#),
        problem: "user, `PreToolUse`: the agent does not wait for Pintle, so nothing is denied (`async: true`)",
    },
    EntryFault {
        host: "claude",
        change: (r#"{"hooks":["#, r#"{"matcher":"NoSuchTool","hooks":["#),
        problem: "user, `PreToolUse`: the agent calls Pintle only for what this selects (`matcher: \"NoSuchTool\"`)",
    },
    EntryFault {
        host: "claude",
        change: (r#""type":"command""#, r#""type":"command","if":"Bash(git *)""#),
        problem: "user, `PreToolUse`: the agent calls Pintle only if this holds (`if: \"Bash(git *)\"`)",
    },
    EntryFault {
        host: "claude",
        change: (" --state-dir", " --shadow --state-dir"),
        problem: "user, `PreToolUse`: Pintle enforces nothing (`--shadow` in the line)",
    },
    EntryFault {
        host: "claude",
        change: (r#""timeout":45"#, r#""timeout":1"#),
        problem: "user, `PreToolUse`: the agent gives up after 1000 ms and continues; `pintle install` writes 45000 ms",
    },
    EntryFault {
        host: "claude",
        change: (" --state-dir", " --deadline-ms 60000 --state-dir"),
        problem: "user, `PreToolUse`: the agent gives up after 45000 ms and continues, before the line's own limit of 60000 ms",
    },
    EntryFault {
        host: "codex",
        change: (r#""type":"command""#, r#""type":"command","async":true"#),
        problem: "user, `PreToolUse`: the agent does not wait for Pintle, so nothing is denied (`async: true`)",
    },
    EntryFault {
        host: "qwen",
        change: (r#""timeout":45"#, r#""timeout":1500"#),
        problem: "user, `PreToolUse`: the agent gives up after 1500 ms and continues; `pintle install` writes 45000 ms",
    },
    EntryFault {
        host: "copilot",
        change: (r#""type":"command""#, r#""type":"command","matcher":"bash""#),
        problem: "user, `preToolUse`: the agent calls Pintle only for what this selects (`matcher: \"bash\"`)",
    },
    EntryFault {
        host: "cursor",
        change: (r#""timeout":45"#, r#""timeout":45,"matcher":"Shell""#),
        problem: "user, `preToolUse`: the agent calls Pintle only for what this selects (`matcher: \"Shell\"`)",
    },
    EntryFault {
        host: "opencode",
        change: (r#""timeoutMs":45000"#, r#""timeoutMs":300"#),
        problem: "user, `tool.execute.before`: the agent gives up after 300 ms and continues; `pintle install` writes 45000 ms",
    },
];

/// The settings that `pintle install` writes for the user, and the event of a tool call in them.
fn settings_of(host: &str) -> (&'static str, &'static str) {
    match host {
        "codex" => ("home/.codex/hooks.json", "PreToolUse"),
        "gemini" => ("home/.gemini/settings.json", "BeforeTool"),
        "qwen" => ("home/.qwen/settings.json", "PreToolUse"),
        "copilot" => ("home/.copilot/hooks/pintle.json", "preToolUse"),
        "cursor" => ("home/.cursor/hooks.json", "preToolUse"),
        "opencode" => ("home/.config/opencode/plugins/pintle.js", "tool.execute.before"),
        _ => ("home/.claude/settings.json", "PreToolUse"),
    }
}

#[test]
fn an_entry_that_the_host_does_not_obey_is_a_problem_until_reinstalled() {
    for EntryFault { host, change: (from, to), problem } in ENTRY_FAULTS {
        let fixture = with_hooks(&[("guard", GUARD)]);
        install(&fixture, host);
        let (path, event) = settings_of(host);
        let text = fs::read_to_string(fixture.path(path)).unwrap();
        let at = text.find(&format!("\"{event}\"")).unwrap();
        let (before, after) = text.split_at(at);
        // Hosts' files are written in one line or in several.
        let spaced = from.replace("\":", "\": ");
        let from = if after.contains(from) { from } else { spaced.as_str() };
        let changed = format!("{before}{}", after.replacen(from, to, 1));
        assert_ne!(changed, text, "{host} {to}");
        let is_told = |report: &Value| {
            let again = format!("run `pintle install {host} --scope user` to rewrite them");
            problems(report).contains(&format!("{problem} | {again}"))
        };
        assert!(!is_told(&examine(&fixture, host).0), "{host} {to}");
        fs::write(fixture.path(path), &changed).unwrap();
        let (report, status) = examine(&fixture, host);
        assert!(is_told(&report), "{host} {to}: {:#?}", problems(&report));
        assert_eq!(status, Some(1), "{host} {to}");
        install(&fixture, host);
        assert!(
            !is_told(&examine(&fixture, host).0),
            "{host} {to}: {}",
            fs::read_to_string(fixture.path(path)).unwrap()
        );
    }
}

#[test]
fn an_event_that_is_not_installed_is_a_problem() {
    let fixture = with_hooks(&[("guard", GUARD)]);
    let arguments = ["install", "claude", "--program", "pintle", "--events", "PostToolUse,Stop", "--yes"];
    run_at_home(&fixture, &arguments).run_to_parts();
    snapshot!("doctor_missing_events", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
}

/// A settings file that turns hooks off, and the problem that is reported.
const SWITCHES: &[(&str, &str, &str, &str)] = &[
    (
        "claude",
        ".claude/settings.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` in `[folder]/.claude/settings.json` disables all hooks",
    ),
    (
        "claude",
        ".claude/settings.local.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` in `[folder]/.claude/settings.local.json` disables all hooks",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        r#"{"hooksConfig": {"enabled": false}}"#,
        "`hooksConfig.enabled` in `[folder]/.gemini/settings.json` disables all hooks",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        r#"{"hooksConfig": {"disabled": ["x", "pintle"]}}"#,
        "`hooksConfig.disabled` in `[folder]/.gemini/settings.json` lists `pintle`",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        r#"{"hooksConfig": {"disabled": ["pintle hook gemini BeforeTool"]}}"#,
        "`hooksConfig.disabled` in `[folder]/.gemini/settings.json` lists `pintle`",
    ),
    (
        "qwen",
        ".qwen/settings.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` in `[folder]/.qwen/settings.json` disables all hooks",
    ),
    (
        "qwen",
        ".qwen/settings.json",
        r#"{"hooksConfig": {"enabled": false}}"#,
        "`hooksConfig.enabled` in `[folder]/.qwen/settings.json` disables all hooks",
    ),
    (
        "copilot",
        ".github/copilot/settings.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` in `[folder]/.github/copilot/settings.json` disables all hooks",
    ),
    (
        "copilot",
        ".github/copilot/settings.local.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` in `[folder]/.github/copilot/settings.local.json` disables all hooks",
    ),
    (
        "copilot",
        ".claude/settings.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` in `[folder]/.claude/settings.json` disables all hooks",
    ),
    (
        "copilot",
        ".claude/settings.local.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` in `[folder]/.claude/settings.local.json` disables all hooks",
    ),
];

#[test]
fn a_project_that_turns_hooks_off_is_a_problem() {
    for (host, path, text, problem) in SWITCHES {
        let fixture = with_hooks(&[("guard", GUARD)]).with_file(path, text);
        install(&fixture, host);
        let (report, status) = examine(&fixture, host);
        let here = fs::canonicalize(fixture.path("")).unwrap();
        let problem = problem.replace("[folder]", &here.display().to_string());
        assert!(problems(&report).iter().any(|found| found.starts_with(&problem)), "{host} {path}: {report:#}");
        assert_eq!(status, Some(1), "{host} {path}");
    }
}
