//! Which hooks match an event.
#![expect(clippy::panic, reason = "tests fail by panicking")]

use pintle_host::Severity;
use serde_json::json;

use crate::docker_agent::fixture::{DockerHooksFixture, describe_outcome, hook_block, hooks_block, single_text};

/// Whether a matcher matches a tool.
fn matcher_accepts(matcher: &str, tool: &str) -> bool {
    let quoted = serde_json::to_string(matcher).unwrap_or_default();
    let fixture = DockerHooksFixture::from_block(&format!(
        "pre_tool_use:\n  - matcher: {quoted}\n    hooks: [{{type: command, command: 'exit 2'}}]\n"
    ));
    assert!(fixture.findings.is_empty(), "{matcher}: {:?}", fixture.findings);
    match describe_outcome(&fixture.fire("pre_tool_use", json!({"name": tool}))).as_str() {
        "deny: " => true,
        "allow" => false,
        other => panic!("{matcher} {tool}: {other}"),
    }
}

#[test]
fn a_matcher_is_a_pattern_for_the_whole_name_in_its_own_letter_case() {
    for (matcher, tool, wanted) in [
        ("shell", "shell", true),
        ("shell", "shell_exec", false),
        ("shell", "my_shell", false),
        ("shell", "Shell", false),
        ("shell|edit_file", "edit_file", true),
        ("shell|edit_file", "edit", false),
        ("edit_.*", "edit_file", true),
        ("mcp__[a-z]+__.*", "mcp__github__push", true),
        ("*", "anything", true),
        ("", "anything", true),
        (".*", "anything", true),
        ("(?i)SHELL", "shell", true),
        ("edit file", "edit file", true),
    ] {
        assert_eq!(matcher_accepts(matcher, tool), wanted, "`{matcher}` `{tool}`");
    }
}

#[test]
fn no_hooks_or_none_that_matches_allow() {
    for text in ["pre_tool_use: []\n", "pre_tool_use:\n", "stop: []\n"] {
        assert_eq!(
            describe_outcome(&DockerHooksFixture::from_block(text).fire("pre_tool_use", json!({}))),
            "allow",
            "{text}"
        );
    }
}

#[test]
fn a_matcher_that_is_no_pattern_is_an_error_at_its_place() {
    for matcher in ["shell(", "[", "a)|(b", r"\Qshell\E", "(?=a)"] {
        let text =
            format!("pre_tool_use:\n  - matcher: '{matcher}'\n    hooks: [{{type: command, command: 'true'}}]\n");
        let fixture = DockerHooksFixture::from_block(&text);
        let errors: Vec<_> =
            fixture.findings.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
        let [diagnostic] = errors.as_slice() else { panic!("{matcher}: {errors:?}") };
        assert!(diagnostic.message.starts_with(&format!("invalid matcher `{matcher}`: ")), "{diagnostic}");
        assert_eq!(diagnostic.location.line_column(), Some((2, 14)), "{diagnostic}");
    }
}

#[test]
fn every_matching_entry_runs_in_the_order_of_the_file() {
    let text = "pre_tool_use:\n  - {matcher: shell, hooks: [{type: command, command: 'echo a >&2; exit 2'}]}\n  - {matcher: edit, hooks: [{type: command, command: 'echo b >&2; exit 2'}]}\n  - {hooks: [{type: command, command: 'echo c >&2; exit 2'}]}\n";
    let outcome = DockerHooksFixture::from_block(text).fire("pre_tool_use", json!({"name": "shell"}));
    assert_eq!(describe_outcome(&outcome), "deny: a / c");
}

#[test]
fn what_a_hook_reads_is_the_event_under_the_name_it_was_written_for() {
    let script = "cat >&2; exit 2";
    let outcome = DockerHooksFixture::from_block(&hook_block("pre_tool_use+preempt", "", script))
        .fire("pre_tool_use+preempt", json!({}));
    let texts: Vec<String> = outcome.reasons.iter().map(|reason| reason.text.clone()).collect();
    let read: serde_json::Value = serde_json::from_str(single_text(&texts)).unwrap_or_default();
    assert_eq!((&read["hook_event_name"], &read["tool_name"]), (&json!("pre_tool_use"), &json!("run_command")));
    let both = format!("{}{}", hook_block("pre_tool_use+preempt", "", script), hooks_block("tool_guard", &[script]));
    let outcome = DockerHooksFixture::from_block(&both).fire("tool_guard", json!({}));
    let names: Vec<_> = outcome
        .reasons
        .iter()
        .map(|reason| {
            serde_json::from_str::<serde_json::Value>(&reason.text).unwrap_or_default()["hook_event_name"].clone()
        })
        .collect();
    assert_eq!(names, [json!("pre_tool_use"), json!("tool_guard")]);
}
