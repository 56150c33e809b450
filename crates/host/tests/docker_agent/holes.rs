//! Known gaps in docker-agent's own hooks, each shown closed here.

use pintle_host::{Effect, Severity};
use serde_json::json;

use crate::docker_agent::fixture::{
    DockerHooksFixture, context_texts, describe_outcome, hook_block, hooks_block, specific_output_script,
};

/// A guard that fails in any way denies.
#[test]
fn a_guard_that_crashes_is_missing_or_is_killed_denies() {
    for event in ["pre_tool_use", "pre_tool_use+preempt", "tool_guard"] {
        for script in ["exit 1", "exit 127", "/nowhere/guard", "kill -9 $$", "kill -SEGV $$", "exec /nowhere/guard"] {
            let outcome =
                DockerHooksFixture::from_block(&hook_block(event, ", on_error: ignore", script)).fire(event, json!({}));
            assert_eq!(describe_outcome(&outcome), "deny by failure", "{event} {script}");
        }
    }
}

/// A script like the one-stop example, whose parser is not installed.
#[test]
fn a_guard_whose_parser_is_missing_does_not_allow_unnoticed() {
    let script = "INPUT=$(cat)\nCMD=$(echo \"$INPUT\" | no_such_jq -r '.tool_input.cmd') || exit $?\necho '{\"continue\": true}'";
    let outcome =
        DockerHooksFixture::from_block(&hook_block("pre_tool_use", "", script)).fire("pre_tool_use", json!({}));
    assert_eq!(describe_outcome(&outcome), "deny by failure");
    assert!(outcome.failures[0].failure.message.contains("not found"), "{:?}", outcome.failures);
}

/// A deny with a misspelt key or after a log line still denies.
#[test]
fn a_deny_that_is_misspelled_or_behind_a_log_line_does_not_allow() {
    for output in [
        r#"{"decision":"block","reason":"no""#,
        "checking\n{\"decision\":\"block\"}",
        r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
        r#"{"decision":"deny"}"#,
        r#"{"decision":"BLOCK"}"#,
        r#"{"hook_specific_output":{"permission_decision":"DENY"}}"#,
        r#"{"permission_decision":"deny"}"#,
        r#"{"decison":"block"}"#,
        r#"{"decision":"block"} done"#,
        r#"[{"decision":"block"}]"#,
    ] {
        for event in ["pre_tool_use", "pre_tool_use+preempt", "tool_guard"] {
            let script = format!("cat <<'EOF'\n{output}\nEOF\n");
            let outcome = DockerHooksFixture::from_block(&hook_block(event, "", &script)).fire(event, json!({}));
            assert!(!outcome.is_allowed(), "{event} {output}");
        }
    }
}

/// An invalid matcher is an error, not a hook that never runs.
#[test]
fn an_invalid_matcher_does_not_take_a_guard_away_in_silence() {
    for matcher in ["shell(", "[a", "a{2,1}"] {
        let text =
            format!("pre_tool_use:\n  - matcher: '{matcher}'\n    hooks: [{{type: command, command: 'exit 2'}}]\n");
        let found = DockerHooksFixture::from_block(&text).findings;
        assert!(found.iter().any(|diagnostic| diagnostic.severity == Severity::Error), "{matcher}: {found:?}");
    }
}

/// A rewrite keeps the arguments that it does not name.
#[test]
fn arguments_that_a_rewrite_does_not_name_stay() {
    let fixture = DockerHooksFixture::from_block(&hook_block(
        "pre_tool_use",
        "",
        &specific_output_script(r#""updated_input":{"cmd":"ls -h"}"#),
    ));
    let outcome = fixture.fire("pre_tool_use", json!({"args": {"cmd": "ls", "cwd": "/w", "timeout": 5}}));
    assert_eq!(outcome.payload.field("args"), Some(&json!({"cmd": "ls -h", "cwd": "/w", "timeout": 5})));
}

/// Hooks are duplicates only if they are equal in everything.
#[test]
fn hooks_that_differ_in_anything_are_not_taken_for_one() {
    let text = "turn_start:\n  - {type: command, command: 'echo $WHO', env: {WHO: one}}\n  - {type: command, command: 'echo $WHO', env: {WHO: two}}\n";
    assert_eq!(context_texts(&DockerHooksFixture::from_block(text).fire("turn_start", json!({}))), ["one", "two"]);
}

/// Documented output fields without an effect are reported.
#[test]
fn what_is_documented_and_has_no_effect_is_told() {
    for (event, fields) in [
        ("stop", r#""additional_context":"c""#),
        ("post_tool_use", r#""additional_context":"c""#),
        ("permission_request", r#""updated_input":{"cmd":"x"}"#),
    ] {
        let fixture = DockerHooksFixture::from_block(&hook_block(event, "", &specific_output_script(fields)));
        assert!(
            fixture.findings.iter().any(|diagnostic| diagnostic.code == "no_effect"),
            "{event}: {:?}",
            fixture.findings
        );
        assert_eq!(describe_outcome(&fixture.fire(event, json!({}))), "allow, warned", "{event}");
    }
    let fixture = DockerHooksFixture::from_block(&hook_block("stop", "", r#"echo '{"suppress_output":true}'"#));
    assert_eq!(
        (fixture.findings.len(), describe_outcome(&fixture.fire("stop", json!({}))).as_str()),
        (1, "allow, warned")
    );
}

/// The documented output of a compaction hook.
#[test]
fn a_compaction_is_vetoed_and_summed_up_as_the_example_says() {
    let camel = r#"echo '{"hookSpecificOutput":{"hookEventName":"before_compaction","summary":"short"}}'"#;
    let outcome = DockerHooksFixture::from_block(&hook_block("before_compaction", "", camel))
        .fire("before_compaction", json!({}));
    assert_eq!(outcome.effects[0].1, Effect::Summary(String::from("short")));
    let veto = specific_output_script(r#""permission_decision":"deny""#);
    assert_eq!(
        describe_outcome(
            &DockerHooksFixture::from_block(&hook_block("before_compaction", "", &veto))
                .fire("before_compaction", json!({}))
        ),
        "deny: "
    );
}

/// The documented values of sources and reasons reach the hooks.
#[test]
fn sources_and_reasons_have_the_documented_words() {
    for (event, fields, word) in [
        ("session_start", json!({"source": "resume"}), "resume"),
        ("session_start", json!({"source": "compact"}), "compact"),
        ("pre_compact", json!({"source": "tool_overflow"}), "tool_overflow"),
    ] {
        let outcome = DockerHooksFixture::from_block(&hook_block(event, "", "echo got $(cat)")).fire(event, fields);
        assert!(context_texts(&outcome)[0].contains(&format!(r#""source":"{word}""#)), "{event} {word}");
    }
    let outcome = DockerHooksFixture::from_block(&hooks_block("session_end", &["cat >&2; exit 2"]))
        .fire("session_end", json!({"reason": "exit"}));
    assert!(outcome.warnings[0].message.contains(r#""reason":"prompt_input_exit""#), "{:?}", outcome.warnings);
}
