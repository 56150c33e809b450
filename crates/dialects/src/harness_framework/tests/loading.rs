use pintle_contract::{EnforcementMode, FailurePolicy, HandlerSpec, Profile};

use super::{FakeProgramLookup, findings, load_settings};
use crate::harness_framework::recognise;

const THREE: &str = r#"{
  "theme": "dark",
  "hooks": {
    "SessionStart": [{"path": "hooks/LoadContext.ts", "timeout": 5000}],
    "PreToolUse": [
      {"path": "hooks/SecurityValidator.ts", "timeout": 3000, "matcher": {"tool_name": "Bash"}},
      {"path": "/opt/WriteProtector.hook.ts", "on_error": "closed", "mode": "shadow"}
    ]
  }
}"#;

#[test]
fn an_entry_is_a_path_a_timeout_in_milliseconds_and_a_matcher() {
    let project = load_settings(THREE, None);
    assert_eq!(findings(&project), [] as [&str; 0]);
    let told: Vec<String> = project
        .hooks
        .iter()
        .map(|hook| {
            let HandlerSpec::Command(spec) = &hook.handler else { panic!("{hook:?}") };
            assert_eq!(hook.profile, Profile::ParallelStrictest);
            assert_eq!(hook.default_on_error, FailurePolicy::Open);
            assert_eq!(spec.arguments.as_deref(), Some(&[][..]));
            format!(
                "{} {} {} {} {:?} {:?} {:?} {}",
                hook.name,
                hook.event_alias,
                hook.event.as_str(),
                spec.command,
                hook.timeout_ms,
                hook.on_error,
                hook.mode,
                hook.matcher.is_some()
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "LoadContext SessionStart session.start /framework/hooks/LoadContext.ts Some(5000) None Enforce false",
            "SecurityValidator PreToolUse tool.pre /framework/hooks/SecurityValidator.ts Some(3000) None Enforce true",
            "WriteProtector PreToolUse tool.pre /opt/WriteProtector.hook.ts Some(5000) Some(Closed) Shadow false",
        ]
    );
    assert_eq!(project.hooks[1].mode, EnforcementMode::Enforce);
    assert_eq!(project.hooks[1].location.line_column(), Some((6, 7)));
}

#[test]
fn scripts_are_told_where_the_framework_is() {
    let project = load_settings(THREE, None);
    let HandlerSpec::Command(spec) = &project.hooks[0].handler else { panic!("no command") };
    let root = |name: &str| (name.to_owned(), String::from("/framework"));
    assert_eq!(spec.environment, [root("ENGRAM_DIR"), root("PAI_DIR")]);
    assert_eq!(spec.directory, None);
}

/// The text below `hooks`, and the expected diagnostics.
const FAULTS: &[(&str, &[&str])] = &[
    (r#"{"PreToolUse": []}"#, &[]),
    ("[]", &["error: json: line 1: hooks must be an object of events, not a list"]),
    (
        r#"{"PreToolUse": {"path": "a"}}"#,
        &[
            "error: json: line 1: PreToolUse must be a list of entries, not a mapping (put the entry in brackets: `[{\"path\": \"hooks/Name.ts\"}]`)",
        ],
    ),
    (r#"{"PreTooluse": []}"#, &["error: json: line 1: unknown event `PreTooluse` (did you mean `PreToolUse`?)"]),
    (
        r#"{"Notification": []}"#,
        &[
            "error: json: line 1: unknown event `Notification` (the events are SessionStart, UserPromptSubmit, PreToolUse, SubagentStop, Stop, SessionEnd)",
        ],
    ),
    (
        r#"{"Stop": ["hooks/A.ts"]}"#,
        &["error: json: line 1: an entry of Stop must be a mapping, not a string (write lines such as `field: value`)"],
    ),
    (
        r#"{"Stop": [{"timeout": 5000}]}"#,
        &[
            "error: json: line 1: an entry of Stop has no path (write `\"path\": \"hooks/Name.ts\"`, relative to the directory of this file)",
        ],
    ),
    (
        r#"{"Stop": [{"path": 5}]}"#,
        &["error: json: line 1: path must be a string, not a number (put it in quotes: \"5\")"],
    ),
    (
        r#"{"Stop": [{"path": "a", "timeot": 5000}]}"#,
        &["warning: unknown key `timeot` in an entry of Stop, which has no effect (did you mean `timeout`?)"],
    ),
    (r#"{"Stop": [{"path": "a", "timeout": 0}]}"#, &[]),
    (
        r#"{"Stop": [{"path": "a", "timeout": -1}]}"#,
        &[
            "error: json: line 1: timeout must be a number of milliseconds above 0, not `-1` (write, for example, `\"timeout\": 5000`, which is also the default)",
        ],
    ),
    (
        r#"{"Stop": [{"path": "a", "timeout": "5000"}]}"#,
        &[
            "error: json: line 1: timeout must be a number of milliseconds above 0, not a string (write, for example, `\"timeout\": 5000`, which is also the default)",
        ],
    ),
    (
        r#"{"Stop": [{"path": "a", "timeout": 5}]}"#,
        &[
            "warning: the hook has only 5 ms; it is then killed, and its failure does not block the event (the timeout is in milliseconds; did you mean `5000`?)",
        ],
    ),
    (r#"{"Stop": [{"path": "a", "timeout": 1500.5}]}"#, &[]),
    (
        r#"{"PreToolUse": [{"path": "a", "matcher": "Bash"}]}"#,
        &[
            "error: json: line 1: matcher must be an object, not a string (write the conditions: `{\"tool_name\": \"Bash\"}`)",
        ],
    ),
    (
        r#"{"PreToolUse": [{"path": "a", "matcher": {"tool_name": "bash"}}]}"#,
        &["warning: no tool is named `bash`, so the hook never fires (did you mean `Bash`?)"],
    ),
    (
        r#"{"PreToolUse": [{"path": "a", "matcher": {"tool_name": "Bash|Write"}}]}"#,
        &[
            "warning: no tool is named `Bash|Write`, so the hook never fires (a condition tests equality; write a list for several tools)",
        ],
    ),
    (
        r#"{"PreToolUse": [{"path": "a", "matcher": {"tool_name": "shell"}}]}"#,
        &["warning: no tool is named `shell`, so the hook never fires (in this framework it is named `Bash`)"],
    ),
    (r#"{"PreToolUse": [{"path": "a", "matcher": {"tool_name": "mcp__db__query"}}]}"#, &[]),
    (
        r#"{"PreToolUse": [{"path": "a", "matcher": {"toolname": "Bash"}}]}"#,
        &[
            "warning: the payload of PreToolUse has no field `toolname`, so the hook never fires (did you mean `tool_name`?)",
        ],
    ),
    (
        r#"{"Stop": [{"path": "a", "matcher": {"tool_name": "Bash"}}]}"#,
        &[
            "warning: the payload of Stop has no field `tool_name`, so the hook never fires (the fields of Stop are session_id, transcript_path, hook_event_name)",
        ],
    ),
    (
        r#"{"Stop": [{"path": "a", "on_error": "close"}]}"#,
        &["error: json: line 1: on_error must be `open` or `closed`, not `close` (did you mean `closed`?)"],
    ),
];

#[test]
fn every_fault_is_told_with_what_to_do() {
    for (hooks, wanted) in FAULTS {
        let project = load_settings(&format!("{{\"hooks\": {hooks}}}"), None);
        let found: Vec<String> = findings(&project)
            .iter()
            .map(|line| line.split_once(": ").map_or(line.clone(), |(_, rest)| rest.to_owned()))
            .collect();
        assert_eq!(found, *wanted, "{hooks}");
    }
}

#[test]
fn one_faulty_entry_does_not_take_the_others_with_it() {
    let text = r#"{"hooks": {"Stop": [{"path": 1}, {"path": "a"}], "Nope": [], "SessionEnd": [{"path": "b"}]}}"#;
    let project = load_settings(text, None);
    let names: Vec<&str> = project.hooks.iter().map(|hook| hook.name.as_str()).collect();
    assert_eq!((names, project.diagnostics.len()), (vec!["a", "b"], 2));
}

#[test]
fn groups_in_the_form_of_claude_code_are_left_to_it() {
    let group = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}"#;
    let text = format!(
        r#"{{"hooks": {{"PreToolUse": [{group}, {{"path": "a"}}], "PostToolUse": [{group}], "Notification": []}}}}"#
    );
    let project = load_settings(&text, None);
    assert_eq!(project.hooks.len(), 1);
    // An event without entries is not yet another dialect's, so its name is still checked.
    assert_eq!(project.diagnostics.len(), 1);
}

#[test]
fn settings_are_known_by_an_entry_with_a_path() {
    for (text, wanted) in [
        (THREE, true),
        (r#"{"hooks": {"Stop": [{"path": "a"}]}} // with a comment"#, true),
        (r#"{"hooks": {"Stop": {"path": "a"}}}"#, true),
        (r#"{"hooks": {"Stop": [{"path": "a" "timeout": 1}]}}"#, true),
        (r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#, false),
        (r#"{"hooks": {"Stop": [}]}, "command": "x", "path": 1"#, false),
        (r#"{"hooks": []}"#, false),
        (r#"{"path": "a"}"#, false),
        ("", false),
        ("not json", false),
    ] {
        assert_eq!(recognise(text), wanted, "{text}");
    }
}

#[test]
fn comments_in_the_settings_are_fine_and_a_file_without_hooks_has_none() {
    let text = "// mine\n{\"hooks\": {\"Stop\": [{\"path\": \"a\"},]}}";
    assert_eq!(
        load_settings(
            text,
            Some(&FakeProgramLookup::default().file(
                "a",
                "#!/bin/sh\n# Hook: a\n# Event: Stop\n# Description: x.\n",
                true
            ))
        )
        .hooks
        .len(),
        1
    );
    assert!(load_settings("{}", None).hooks.is_empty());
}
