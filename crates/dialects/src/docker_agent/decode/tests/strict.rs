//! `strict_output: true`.

use super::*;
use crate::docker_agent::decode::output::KEYS;

fn decode_strictly(name: &str, stdout: &str) -> String {
    let codec = DockerAgentCodec { strict_output: true, ..DockerAgentCodec::default() };
    show(&decode_answer(&codec, name, HandlerOutput::Process(exit_output(0, stdout, ""))))
}

#[test]
fn strict_output_is_one_object_or_nothing() {
    let text = "failed(bad output: strict_output requires a JSON object or empty stdout)";
    for (output, wanted) in [
        ("", "pass"),
        (" \n", "pass"),
        ("{}", "pass"),
        ("plain", text),
        ("[]", text),
        ("null", text),
        ("{} {}", "failed(bad output: hook output must contain a single JSON object)"),
        ("{} x", "failed(bad output: hook output must contain a single JSON object)"),
        (r#"{"colour":1}"#, "failed(bad output: invalid hook output: unknown field `colour`)"),
        (r#"{"hook_specific_output":{"colour":1}}"#, "failed(bad output: invalid hook output: unknown field `colour`)"),
        (
            r#"{"hookSpecificOutput":{}}"#,
            "failed(bad output: invalid hook output: unknown field `hookSpecificOutput`; write `hook_specific_output`)",
        ),
        (
            r#"{"suppress_output":false}"#,
            "failed(bad output: invalid hook output: `suppress_output` has no effect and is not allowed under strict_output)",
        ),
        (
            r#"{"hook_specific_output":{"hook_event_name":"PreToolUse"}}"#,
            "failed(bad output: invalid hook output: hook_event_name is `PreToolUse`, but the event is `pre_tool_use`)",
        ),
        (r#"{"hook_specific_output":{"hook_event_name":"pre_tool_use"}}"#, "pass"),
        (r#"{"CONTINUE":true}"#, "pass"),
    ] {
        assert_eq!(decode_strictly("pre_tool_use", output), wanted, "{output}");
    }
}

/// A valid value for each key.
fn valid_value(name: &str) -> &'static str {
    match name {
        "continue" => "true",
        "hook_specific_output" => "{}",
        "updated_input" => r#"{"a":1}"#,
        "metadata" => r#"{"a":"b"}"#,
        "instruction_context" => r#"[{"content":"x"}]"#,
        "updated_messages" => r#"[{"role":"user","content":"x"}]"#,
        "permission_decision" => r#""deny""#,
        "decision" => r#""block""#,
        _ => r#""x""#,
    }
}

/// The keys that each event supports; the others of the list are common to all events.
fn supported_keys(event: &str) -> Vec<&'static str> {
    let blocking = ["decision", "reason", "stop_reason"];
    let context = ["additional_context", "instruction_context"];
    let permission = ["permission_decision", "permission_decision_reason"];
    let mut keys = vec!["continue", "system_message", "hook_specific_output"];
    let more: &[&[&str]] = match event {
        "pre_tool_use" => &[&blocking, &permission, &["updated_input"]],
        "preempt" | "tool_guard" | "permission_request" => &[&blocking, &permission, &["metadata"]],
        "post_tool_use" => &[&blocking],
        "tool_input_transform" => &[&blocking, &["updated_input"]],
        "tool_response_transform" => &[&["updated_tool_response"]],
        "session_start" | "turn_start" => &[&context],
        "user_prompt_submit"
        | "user_steering_messages_submit"
        | "user_followup_submit"
        | "pre_compact"
        | "worktree_create" => &[&blocking, &context],
        "before_llm_call" => &[&blocking, &["updated_messages"]],
        "before_compaction" => &[&blocking, &permission, &["summary"]],
        _ => &[],
    };
    keys.extend(more.iter().copied().flatten());
    keys
}

#[test]
fn every_key_is_refused_on_every_event_that_does_not_support_it() {
    let names = ROWS.iter().map(|def| def.name).chain(["preempt"]);
    let keys = KEYS.iter().filter(|key| !["suppress_output", "hook_event_name"].contains(&key.name));
    for (name, key) in names.flat_map(|name| keys.clone().map(move |key| (name, key))) {
        let field = format!(r#""{}":{}"#, key.name, valid_value(key.name));
        let output =
            if key.is_specific { format!(r#"{{"hook_specific_output":{{{field}}}}}"#) } else { format!("{{{field}}}") };
        let told = if name == "preempt" { "pre_tool_use" } else { name };
        let wanted = match key.name {
            "decision" => format!("{told} does not support blocking output"),
            key => format!("{told} does not support {key}"),
        };
        let said = decode_strictly(name, &output);
        let refused = said == format!("failed(bad output: invalid hook output: {wanted})");
        assert_eq!(refused, !supported_keys(name).contains(&key.name), "{name} {output}: {said}");
        assert!(refused || !said.starts_with("failed"), "{name} {output}: {said}");
    }
}

#[test]
fn blocking_is_refused_where_the_event_cannot_block() {
    let wanted = "failed(bad output: invalid hook output: stop does not support blocking output)";
    assert_eq!(decode_strictly("stop", r#"{"continue":false}"#), wanted);
    assert_eq!(decode_strictly("pre_compact", r#"{"continue":false}"#), "deny()");
}
