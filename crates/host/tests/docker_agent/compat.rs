//! `compat: g1` compared with the newest version: each difference, shown in both. What a single output or file means is
//! tested next to the dialect.

use pintle_host::{FailurePolicy, Severity};
use serde_json::json;

use crate::docker_agent::fixture::{
    DockerHooksFixture, context_texts, describe_outcome, hook_block, hooks_block, specific_output_script,
};

/// An event, hooks, and the outcomes in the newest and in the first version.
#[test]
fn one_hook_means_this_in_either_version() {
    for (row, event, fields, script, newest, first) in [
        ("exit code other than 0 and 2", "pre_tool_use", "", "exit 1", "deny by failure", "allow, warned"),
        ("a program that is not there", "pre_tool_use", "", "/nowhere/guard", "deny by failure", "allow, warned"),
        ("a guard that is killed", "pre_tool_use", "", "kill -9 $$", "deny by failure", "allow, warned"),
        (
            "exit 1 with on_error block",
            "user_prompt_submit",
            ", on_error: block",
            "exit 1",
            "deny by failure",
            "allow, warned",
        ),
        ("malformed JSON", "pre_tool_use", "", r#"echo '{"decision":"block"'"#, "deny by failure", "allow, warned"),
        (
            "text behind JSON",
            "pre_tool_use",
            "",
            r#"echo '{"decision":"block"} x'"#,
            "deny by failure",
            "allow, warned",
        ),
        (
            "an unknown decision",
            "pre_tool_use",
            "",
            r#"echo '{"decision":"deny"}'"#,
            "deny by failure",
            "allow, warned",
        ),
        (
            "camelCase",
            "pre_tool_use",
            "",
            r#"echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}'"#,
            "deny: no, warned",
            "allow, warned",
        ),
        (
            "a block where nothing can be blocked",
            "stop",
            "",
            r#"echo '{"decision":"block"}'"#,
            "allow, warned",
            "allow",
        ),
        ("a timeout of a guard", "pre_tool_use", ", timeout: 0.2", "sleep 600", "deny by failure", "deny by failure"),
        (
            "a timeout elsewhere",
            "stop",
            ", timeout: 0.2",
            "sleep 600",
            "allow, failure shown",
            "allow, failure ignored",
        ),
        ("exit 2", "pre_tool_use", "", "echo no >&2; exit 2", "deny: no", "deny: no"),
        (
            "context of stop",
            "stop",
            "",
            r#"echo '{"hook_specific_output":{"additional_context":"c"}}'"#,
            "allow, warned",
            "allow, warned",
        ),
    ] {
        let text = hook_block(event, fields, script);
        assert_eq!(
            describe_outcome(&DockerHooksFixture::from_block(&text).fire(event, json!({}))),
            newest,
            "{row}, newest"
        );
        assert_eq!(
            describe_outcome(&DockerHooksFixture::from_v1_block(&text).fire(event, json!({}))),
            first,
            "{row}, g1"
        );
    }
}

#[test]
fn several_rewriters_follow_each_other_or_all_see_the_original() {
    let first = specific_output_script(r#""updated_input":{"cmd":"one","a":1}"#);
    // It sees the rewrite of the previous hook only if rewrites are sequential.
    let second = r#"if grep -q '"cmd":"one"'; then echo '{"hook_specific_output":{"updated_input":{"saw":"rewrite"}}}'; else echo '{"hook_specific_output":{"updated_input":{"cmd":"two","saw":"original"}}}'; fi"#;
    let text = hooks_block("pre_tool_use", &[&first, second]);
    let call = json!({"args": {"cmd": "ls", "cwd": "/w"}});
    let args = |fixture: DockerHooksFixture| fixture.fire("pre_tool_use", call.clone()).payload.field("args").cloned();
    assert_eq!(
        args(DockerHooksFixture::from_block(&text)),
        Some(json!({"cmd": "one", "cwd": "/w", "a": 1, "saw": "rewrite"}))
    );
    assert_eq!(args(DockerHooksFixture::from_v1_block(&text)), Some(json!({"cmd": "two", "a": 1, "saw": "original"})));
}

#[test]
fn other_rewrites_follow_each_other_or_the_first_one_stays() {
    let text = hooks_block(
        "tool_response_transform",
        &[
            &specific_output_script(r#""updated_tool_response":"one""#),
            &specific_output_script(r#""updated_tool_response":"two""#),
        ],
    );
    let content = |fixture: DockerHooksFixture| {
        fixture.fire("tool_response_transform", json!({})).payload.field("content").cloned()
    };
    assert_eq!(content(DockerHooksFixture::from_block(&text)), Some(json!("two")));
    assert_eq!(content(DockerHooksFixture::from_v1_block(&text)), Some(json!("one")));
}

#[test]
fn hooks_are_the_same_by_their_whole_definition_or_by_what_runs() {
    let text = "turn_start: [{type: command, command: echo a}, {type: command, command: echo a, timeout: 5}]\n";
    assert_eq!(DockerHooksFixture::from_block(text).fire("turn_start", json!({})).hooks_called, 2);
    let fixture = DockerHooksFixture::from_v1_block(text);
    assert_eq!(fixture.fire("turn_start", json!({})).hooks_called, 1);
    assert!(fixture.findings.iter().any(|diagnostic| diagnostic.message.contains("is skipped")));
}

#[test]
fn an_invalid_matcher_is_an_error_or_takes_the_guard_away_loudly() {
    let text = "pre_tool_use:\n  - matcher: 'shell('\n    hooks: [{type: command, command: 'exit 2'}]\n";
    let severity = |fixture: &DockerHooksFixture| {
        fixture.findings.iter().map(|diagnostic| diagnostic.severity).collect::<Vec<_>>()
    };
    assert_eq!(severity(&DockerHooksFixture::from_block(text)), [Severity::Error]);
    let fixture = DockerHooksFixture::from_v1_block(text);
    assert_eq!(severity(&fixture), [Severity::Warning]);
    assert_eq!(describe_outcome(&fixture.fire("pre_tool_use", json!({"name": "shell"}))), "allow");
}

#[test]
fn a_failed_hook_that_cannot_block_is_shown_or_only_logged() {
    let text = hook_block("turn_start", ", timeout: 0.2", "sleep 600");
    let policy = |fixture: DockerHooksFixture| {
        fixture.fire("turn_start", json!({})).failures.first().map(|report| report.policy)
    };
    assert_eq!(policy(DockerHooksFixture::from_block(&text)), Some(FailurePolicy::Open));
    assert_eq!(policy(DockerHooksFixture::from_v1_block(&text)), Some(FailurePolicy::Ignored));
}

#[test]
fn broken_json_of_a_context_event_is_a_failure_or_context() {
    let text = hook_block("turn_start", "", "echo '{\"note\": 1'");
    assert_eq!(
        describe_outcome(&DockerHooksFixture::from_block(&text).fire("turn_start", json!({}))),
        "allow, failure shown"
    );
    assert_eq!(
        context_texts(&DockerHooksFixture::from_v1_block(&text).fire("turn_start", json!({}))),
        ["{\"note\": 1"]
    );
}
