//! `compat: g1` compared to the newest version, for the meaning of one output.

use super::*;

/// The event, the output, and the verdicts of the newest version and of the first.
fn version_cases() -> Vec<(&'static str, CommandOutput, &'static str, &'static str)> {
    let printed = |stdout: &str| exit_output(0, stdout, "");
    vec![
        (
            "pre_tool_use",
            exit_output(1, "", ""),
            "failed(crash: exited with status 1)",
            "pass ! exited with status 1, which `compat: g1` ignores",
        ),
        (
            "pre_tool_use",
            exit_output(127, "", "jq: not found"),
            "failed(missing program: exited with status 127: jq: not found)",
            "pass ! exited with status 127: jq: not found, which `compat: g1` ignores",
        ),
        (
            "pre_tool_use",
            CommandOutput { signal: Some(11), ..CommandOutput::default() },
            "failed(crash: killed by signal 11)",
            "pass ! killed by signal 11, which `compat: g1` ignores",
        ),
        ("pre_tool_use", exit_output(2, "", "no"), "deny(no)", "deny(no)"),
        ("stop", exit_output(2, "", "no"), "pass ! stop hook returned exit 2, but this event cannot block: no", "pass"),
        (
            "turn_start",
            printed(r#"{"x":1"#),
            "failed(bad output: invalid hook output: EOF while parsing an object at line 1 column 6)",
            r#"pass context({"x":1) ! invalid hook output: EOF while parsing an object at line 1 column 6; `compat: g1` treats it as plain text"#,
        ),
        (
            "pre_tool_use",
            printed(r#"{"decision":"block"} done"#),
            "failed(bad output: hook output must contain a single JSON object)",
            "pass ! the hook printed other output with a JSON object that decides; print only the object ! hook output must contain a single JSON object; `compat: g1` treats it as plain text",
        ),
        (
            "pre_tool_use",
            printed(r#"{"decision":"deny"}"#),
            "failed(bad output: unknown decision `deny`; write `block`, or omit it)",
            "pass ! unknown decision `deny`; write `block`, or omit it; `compat: g1` ignores it",
        ),
        (
            "pre_tool_use",
            printed(r#"{"hook_specific_output":{"permission_decision":"DENY"}}"#),
            "failed(bad output: unknown permission_decision `DENY`; write `allow`, `ask` or `deny`)",
            "pass ! unknown permission_decision `DENY`; write `allow`, `ask` or `deny`; `compat: g1` ignores it",
        ),
        (
            "pre_tool_use",
            printed(r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#),
            "deny() ! `hookSpecificOutput` is not how docker-agent spells it; write `hook_specific_output` ! `permissionDecision` is not how docker-agent spells it; write `permission_decision`",
            "pass ! `hookSpecificOutput` is ignored under `compat: g1`; write `hook_specific_output`",
        ),
        (
            "stop",
            printed(r#"{"decision":"block"}"#),
            "pass ! stop hook wants to block, but this event cannot block",
            "pass",
        ),
        (
            "pre_tool_use",
            printed("log\n{\"decision\":\"block\"}"),
            "failed(bad output: the hook printed other output with a JSON object that decides; print only the object)",
            "pass ! the hook printed other output with a JSON object that decides; print only the object",
        ),
        (
            "pre_tool_use",
            printed(r#"{"hook_specific_output":{"updated_input":{"cmd":"ls"}}}"#),
            r#"rewrite{"args":{"command":"ls -la","cmd":"ls"}}"#,
            r#"rewrite{"args":{"cmd":"ls"}}"#,
        ),
        (
            "stop",
            printed(r#"{"hook_specific_output":{"additional_context":"c"}}"#),
            "pass ! `additional_context` has no effect on stop",
            "pass ! `additional_context` has no effect on stop",
        ),
        // The documented behaviour of the example applies in the version that it was written for, too.
        (
            "before_compaction",
            printed(r#"{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"later"}}"#),
            "deny(later)",
            "deny(later)",
        ),
        ("pre_tool_use", printed(r#"{"DECISION":"block","reason":"r"}"#), "deny(r)", "deny(r)"),
        ("turn_start", printed("plain"), "pass context(plain)", "pass context(plain)"),
    ]
}

#[test]
fn what_an_answer_means_in_either_version() {
    for (name, answer, newest, first) in version_cases() {
        let said = |codec: &DockerAgentCodec| show(&decode_answer(codec, name, HandlerOutput::Process(answer.clone())));
        assert_eq!(said(&DockerAgentCodec::default()), newest, "{name} {answer:?}");
        assert_eq!(said(&g1_codec()), first, "{name} {answer:?}");
    }
}
