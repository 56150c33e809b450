//! The fields of one hook.

use pintle_contract::{BuiltinSpec, CommandSpec, EnforcementMode, HandlerSpec, JudgeSpec, SandboxSpec};

use super::*;

fn handler(fields: &str) -> HandlerSpec {
    read_clean(&single_hook_block("pre_tool_use", fields)).remove(0).handler
}

#[test]
fn a_command_has_every_field() {
    let text = "post_tool_use:\n  - matcher: shell\n    hooks:\n      - name: tidy\n        type: command\n        timeout: 10\n        working_dir: .\n        env: {HOOK_PROFILE: dev, PORT: 8080, ON: true, EMPTY: }\n        on_error: warn\n        strict_output: true\n        shell: /bin/bash\n        keep: true\n        sandbox: {read_only: true, network: false}\n        mode: shadow\n        files: [Makefile, rules]\n        command: |\n          INPUT=$(cat)\n          echo ok\n";
    let hook = read_clean(text).remove(0);
    let HandlerSpec::Command(spec) = &hook.handler else { panic!("a command") };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        *spec,
        CommandSpec {
            command: String::from("INPUT=$(cat)\necho ok\n"),
            arguments: None,
            shell: Some(String::from("/bin/bash")),
            environment: vec![pair("HOOK_PROFILE", "dev"), pair("PORT", "8080"), pair("ON", "true"), pair("EMPTY", "")],
            directory: Some(String::from(".")),
            expands: true,
            keep: true,
            sandbox: Some(SandboxSpec { read_only: true, no_network: true }),
            binding: None,
        }
    );
    assert_eq!((hook.name.as_str(), hook.timeout_ms, hook.mode), ("tidy", Some(10_000), EnforcementMode::Shadow));
    assert_eq!((hook.location.line_column(), hook.files.join(" ").as_str()), (Some((4, 9)), "Makefile rules"));
}

#[test]
fn the_other_kinds_have_their_fields() {
    let HandlerSpec::Builtin(spec) =
        handler("type: builtin, command: max_iterations, args: [10, x], env: {A: b}, working_dir: d")
    else {
        panic!("a built-in")
    };
    assert_eq!(
        spec,
        BuiltinSpec {
            name: String::from("max_iterations"),
            arguments: vec![String::from("10"), String::from("x")],
            environment: vec![(String::from("A"), String::from("b"))],
            directory: Some(String::from("d")),
            expands: true,
        }
    );
    let HandlerSpec::Model(spec) = handler(
        "type: model, model: openai/gpt-4o-mini, prompt: 'Is {{ .ToolName }} safe?', schema: pre_tool_use_decision",
    ) else {
        panic!("a model")
    };
    assert_eq!(
        spec,
        JudgeSpec {
            model: String::from("openai/gpt-4o-mini"),
            prompt: String::from("Is {{ .ToolName }} safe?"),
            schema: Some(String::from("pre_tool_use_decision")),
        }
    );
}

#[test]
fn a_timeout_is_a_number_of_seconds_and_sixty_when_it_says_nothing() {
    for (written, wanted) in [
        ("10", 10_000),
        ("1.5", 1_500),
        ("'10'", 10_000),
        ("0", 60_000),
        ("", 60_000),
        ("0.0001", 1),
        ("86400", 86_400_000),
    ] {
        let hook =
            read_clean(&single_hook_block("stop", &format!("type: command, command: a, timeout: {written}"))).remove(0);
        assert_eq!(hook.timeout_ms, Some(wanted), "{written}");
    }
    let unset = read_clean(&single_hook_block("stop", "type: command, command: a")).remove(0);
    assert_eq!(unset.timeout_ms, Some(60_000));
    for (written, wanted) in [
        ("-1", "timeout must not be negative | remove it to use the default of 60 seconds"),
        ("soon", "timeout must be a number of seconds | write only digits, for example `timeout: 10`"),
        ("nan", "timeout must be a number of seconds | write only digits, for example `timeout: 10`"),
        ("[1]", "timeout must be a number of seconds | write only digits, for example `timeout: 10`"),
    ] {
        let (hooks, findings) =
            read_text(&single_hook_block("stop", &format!("type: command, command: a, timeout: {written}")));
        assert_eq!(findings, [format!("h.yaml:2:42: error: hooks.stop[0]: {wanted}")]);
        assert!(hooks.is_empty());
    }
}

#[test]
fn a_timeout_of_more_than_a_day_is_warned_about() {
    let (hooks, findings) = read_text(&single_hook_block("stop", "type: command, command: a, timeout: 1e99"));
    let wanted = "timeout is more than a day, which is as good as none | write a number of seconds that the agent \
                  should wait for the hook";
    assert_eq!(findings, [format!("h.yaml:2:42: warning: {wanted}")]);
    assert_eq!(hooks.len(), 1);
}

#[test]
fn a_hook_is_called_by_its_name_its_short_command_or_its_place() {
    let long = "x".repeat(61);
    for (fields, wanted) in [
        ("type: command, name: n, command: a", "n"),
        ("type: command, command: ' ./guard.sh '", "./guard.sh"),
        (&*format!("type: command, command: {long}"), "stop[0]"),
        ("type: command, command: \"a\\nb\"", "stop[0]"),
        ("type: builtin, command: snapshot", "snapshot"),
    ] {
        assert_eq!(names(&read_clean(&single_hook_block("stop", fields))), [wanted], "{fields}");
    }
}

#[test]
fn faults_of_fields_have_the_documented_words_and_a_place() {
    for (fields, wanted) in [
        (
            "command: a",
            "2:5: error: hooks.stop[0]: type is required | write `type: command`, `type: builtin` or `type: model`",
        ),
        (
            "type: command",
            "2:5: error: hooks.stop[0]: command is required for command hooks | write `command: |`, and the shell script below it",
        ),
        (
            "type: command, command: ' '",
            "2:5: error: hooks.stop[0]: command is required for command hooks | write `command: |`, and the shell script below it",
        ),
        (
            "type: builtin",
            "2:5: error: hooks.stop[0]: command must name the builtin to invoke | write, for example, `command: add_date`",
        ),
        (
            "type: http, command: a",
            "2:12: error: hooks.stop[0]: unsupported hook type 'http' (supported: 'command', 'builtin', 'model') | write `type: builtin` and `command: http_post`",
        ),
        (
            "type: prompt, command: a",
            "2:12: error: hooks.stop[0]: unsupported hook type 'prompt' (supported: 'command', 'builtin', 'model')",
        ),
        (
            "type: command, command: {a: b}",
            "2:30: error: hooks.stop[0]: command must be a string, not a mapping | write `command: |` and indent the text on the lines below, or put it in quotes",
        ),
        (
            "type: command, command: a, env: [A]",
            "2:38: error: hooks.stop[0]: env must be a mapping of strings, not a list | write lines such as `NAME: value`",
        ),
        (
            "type: command, command: a, env: {A: [b]}",
            "2:42: error: hooks.stop[0]: env.A must be a string, not a list | write it without the brackets or the dash",
        ),
        (
            "type: command, command: a, keep: maybe",
            "2:39: error: hooks.stop[0]: keep must be true or false, not a string | write `keep: true` or `keep: false`",
        ),
        (
            "type: command, command: a, mode: shadw",
            "2:39: error: hooks.stop[0]: mode must be `enforce` or `shadow`, not `shadw` | did you mean `shadow`?",
        ),
        (
            "type: command, command: a, sandbox: {readonly: true}",
            "2:43: error: hooks.stop[0].sandbox: unknown key `readonly` | did you mean `read_only`?",
        ),
        (
            "type: command, command: a, on_eror: warn",
            "2:33: error: hooks.stop[0]: unknown key `on_eror` | did you mean `on_error`?",
        ),
        (
            "type: command, command: a, preempt_yolo: true",
            "2:33: error: hooks.stop[0]: unknown key `preempt_yolo` | `preempt_yolo` belongs to the entry, next to `hooks:`",
        ),
    ] {
        let (_, findings) = read_text(&single_hook_block("stop", fields));
        assert_eq!(findings.first().map(String::as_str), Some(&*format!("h.yaml:{wanted}")), "{fields}");
    }
    let (_, findings) = read_text(&single_hook_block("pre_tool_use", "type: model"));
    assert_eq!(
        findings[..2],
        [
            "h.yaml:3:9: error: hooks.pre_tool_use[0].hooks[0]: model is required for model hooks (e.g. 'openai/gpt-4o-mini') | write `model: provider/name`",
            "h.yaml:3:9: error: hooks.pre_tool_use[0].hooks[0]: prompt is required for model hooks | write `prompt: |`, and the prompt below it",
        ]
    );
}

#[test]
fn any_differing_field_keeps_two_hooks_apart() {
    let definition =
        |fields: &str| read_clean(&single_hook_block("pre_tool_use", fields)).remove(0).definition.unwrap();
    let command = "type: command, command: a";
    assert_eq!(definition(command), definition("command: a, type: command, timeout: 60"));
    assert_eq!(
        definition(&format!("{command}, env: {{A: b, C: d}}")),
        definition(&format!("{command}, env: {{C: d, A: b}}"))
    );
    let mut known = vec![definition(command)];
    for more in [
        "name: n",
        "timeout: 5",
        "env: {A: b}",
        "working_dir: d",
        "strict_output: true",
        "shell: s",
        "keep: true",
        "sandbox: {read_only: true}",
        "mode: shadow",
    ] {
        known.push(definition(&format!("{command}, {more}")));
    }
    for fields in [
        "type: builtin, command: a",
        "type: builtin, command: a, args: [b]",
        "type: model, model: m, prompt: p, schema: pre_tool_use_decision",
        "type: model, model: m, prompt: q, schema: pre_tool_use_decision",
    ] {
        known.push(definition(fields));
    }
    let matched = "pre_tool_use:\n  - matcher: shell\n    hooks: [{type: command, command: a}]\n";
    known.push(read_clean(matched).remove(0).definition.unwrap());
    for (index, one) in known.iter().enumerate() {
        assert!(!known[..index].contains(one), "{one}");
    }
}
