//! Settings without an effect are reported, at their location.

use super::*;

/// The diagnostics of a command on an event, without location, and the texts they underline.
fn lint(event: &str, script: &str) -> Vec<(String, String)> {
    let text = match event_def::by_name(event).unwrap().matcher {
        true => format!("{event}:\n  - hooks:\n      - type: command\n        command: |\n          {script}\n"),
        false => format!("{event}:\n  - type: command\n    command: |\n      {script}\n"),
    };
    let findings = read_text(&text).1.into_iter().map(|finding| {
        assert!(finding.contains(": warning: "), "{finding}");
        finding.split_once("]: ").unwrap().1.trim_start_matches("hooks[0]: ").to_owned()
    });
    findings.zip(underlined_texts(&text, DockerAgentVersion::Newest)).collect()
}

#[test]
fn an_event_without_a_hook_beside_others_is_pointed_out() {
    let other = "turn_end: [{type: command, command: ls}]\n";
    for text in ["stop:\n", "stop: []\n", "pre_tool_use:\n  # - hooks: []\n"] {
        let (declared, findings) = read_text(&format!("{text}{other}"));
        assert!(declared.len() == 1 && findings.len() == 1, "{text}: {findings:?}");
        assert!(findings[0].contains("has no hook below it"), "{findings:?}");
    }
}

#[test]
fn a_key_that_its_event_ignores_is_pointed_out() {
    for (event, script, message, word) in [
        (
            "post_tool_use",
            r#"echo '{"hook_specific_output":{"additional_context":"x"}}'"#,
            "`additional_context` has no effect on post_tool_use | `additional_context` has an effect on session_start, user_prompt_submit, user_steering_messages_submit, user_followup_submit, turn_start, pre_compact, worktree_create",
            "additional_context",
        ),
        (
            "stop",
            r#"echo "{\"hook_specific_output\":{\"additional_context\":\"x\"}}""#,
            "`additional_context` has no effect on stop | `additional_context` has an effect on session_start, user_prompt_submit, user_steering_messages_submit, user_followup_submit, turn_start, pre_compact, worktree_create",
            "additional_context",
        ),
        (
            "permission_request",
            r#"jq -n '{hook_specific_output: {updated_input: {cmd: "x"}}}'"#,
            "`updated_input` has no effect on permission_request | `updated_input` has an effect on pre_tool_use, tool_input_transform",
            "updated_input",
        ),
        (
            "user_prompt_submit",
            r#"echo '{"hook_specific_output":{"permission_decision":"deny"}}'"#,
            "`permission_decision` has no effect on user_prompt_submit | `permission_decision` has an effect on pre_tool_use, permission_request, tool_guard, before_compaction",
            "permission_decision",
        ),
        (
            "after_compaction",
            r#"echo '{"hook_specific_output":{"summary":"x"}}'"#,
            "`summary` has no effect on after_compaction | `summary` has an effect on before_compaction",
            "summary",
        ),
        (
            "pre_tool_use",
            r#"echo '{"hook_specific_output":{"permissionDecision":"deny"}}'"#,
            "`permissionDecision` is not how docker-agent spells it | write `permission_decision`",
            "permissionDecision",
        ),
        (
            "pre_tool_use",
            r#"echo '{"suppress_output":true}'"#,
            "`suppress_output` has no effect on any event | remove it",
            "suppress_output",
        ),
        (
            "pre_tool_use",
            r#"echo '{"decision":"deny"}'"#,
            "`deny` is not a decision | the only decision is `block`; omit it to allow",
            "decision",
        ),
        (
            "pre_tool_use",
            r#"echo '{"hook_specific_output":{"permission_decision":"DENY"}}'"#,
            "`DENY` is not a permission_decision | write `allow`, `ask` or `deny`",
            "permission_decision",
        ),
        (
            "turn_end",
            r#"echo '{"decision":"block"}'"#,
            "`decision` has no effect on turn_end, which cannot block | move the hook to an event that can block",
            "decision",
        ),
        (
            "turn_end",
            r#"echo '{"continue": false}'"#,
            "`continue` has no effect on turn_end, which cannot block | move the hook to an event that can block",
            "continue",
        ),
        (
            "notification",
            "test -e x || exit 2",
            "exit 2 has no effect on notification, which cannot block | exit 0, or move the hook to an event that can block",
            "exit 2",
        ),
    ] {
        assert_eq!(lint(event, script), [(message.to_owned(), word.to_owned())], "{event} {script}");
    }
}

#[test]
fn what_works_is_not_pointed_out() {
    for (event, script) in [
        (
            "pre_tool_use",
            r#"echo '{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"x"}}'; exit 2"#,
        ),
        ("before_compaction", r#"echo '{"hook_specific_output":{"summary":"x"}}'"#),
        ("turn_end", r#"echo '{"continue": true}'"#),
        ("stop", "# {\"decision\":\"deny\"}"),
        ("stop", "jq -r '.reason'"),
        ("stop", r#"echo '{"system_message":"x"}'"#),
        ("session_start", r#"echo '{"hook_specific_output":{"additional_context":"x"}}'"#),
    ] {
        assert_eq!(lint(event, script), [], "{event} {script}");
    }
}

#[test]
fn keys_without_effect_on_a_kind_of_hook_are_pointed_out() {
    for (fields, wanted) in [
        (
            "type: command, command: a, args: [x]",
            "`args` has no effect on a command hook | write the arguments in the command",
        ),
        (
            "type: command, command: a, model: m",
            "`model` has no effect on a command hook | remove it, or write `type: model`",
        ),
        ("type: builtin, command: a, keep: true", "`keep` has no effect on a builtin hook | remove it"),
        (
            "type: model, model: m, prompt: p, schema: pre_tool_use_decision, env: {A: b}",
            "`env` has no effect on a model hook | remove it",
        ),
        (
            "type: model, model: m, prompt: p, schema: pre_tool_use_decision, working_dir: d",
            "`working_dir` has no effect on a model hook | remove it",
        ),
        (
            "type: model, model: m, prompt: p, schema: pre_tool_use_decision, command: x",
            "`command` has no effect on a model hook | remove it, or write `type: command`",
        ),
        (
            "type: model, model: m, prompt: p",
            "the model's reply has no effect on pre_tool_use | write `schema: pre_tool_use_decision` to let the model decide",
        ),
    ] {
        let (hooks, findings) = read_text(&single_hook_block("pre_tool_use", fields));
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert!(finding.ends_with(&format!(": warning: hooks.pre_tool_use[0].hooks[0]: {wanted}")), "{finding}");
        assert_eq!(hooks.len(), 1);
    }
    let (_, findings) =
        read_text(&single_hook_block("stop", "type: model, model: m, prompt: p, schema: pre_tool_use_decision"));
    assert_eq!(
        findings,
        [
            "h.yaml:2:48: warning: hooks.stop[0]: a model's decision has no effect on stop | only hooks of pre_tool_use, tool_guard and permission_request can decide"
        ]
    );
}

#[test]
fn field_that_no_hook_receives_is_pointed_out_in_a_prompt() {
    let findings = |prompt: &str| {
        let model = format!("type: model, model: m, schema: pre_tool_use_decision, prompt: '{prompt}'");
        read_text(&single_hook_block("pre_tool_use", &model)).1
    };
    for prompt in [
        "Is {{ .ToolName }} with {{ printf \"%v\" .tool_input.cmd }} in {{.Cwd}} safe?",
        "{{ range .ToolInput }}{{ .Nope }}{{ end }}",
        "no field .Nope",
        "{{ printf \"a .Nope in a text\" .ToolName }}",
    ] {
        assert_eq!(findings(prompt), [""; 0], "{prompt}");
    }
    for (prompt, wanted) in [
        (
            "{{ .Nope }}",
            "no hook receives `.Nope`, so the prompt cannot be written | name a key of the object that hooks receive",
        ),
        ("{{ .ToolNam }}", "no hook receives `.ToolNam`, so the prompt cannot be written | did you mean `.tool_name`?"),
        (
            "{{if eq .tool_nme \"a\"}}x{{end}}",
            "no hook receives `.tool_nme`, so the prompt cannot be written | did you mean `.tool_name`?",
        ),
    ] {
        let found = findings(prompt);
        assert!(found.len() == 1 && found[0].ends_with(wanted), "{found:?}");
    }
}
