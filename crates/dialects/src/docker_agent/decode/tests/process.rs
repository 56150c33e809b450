//! Exit codes, signals, and output that is not an object.

use super::*;
use pintle_clients::program_output::{UNREAD, UNREADABLE_REFUSAL};

#[test]
fn an_exit_code_is_a_decision_a_failure_or_nothing() {
    let cases = [
        ("pre_tool_use", exit_output(0, "", "chatter"), "pass"),
        ("pre_tool_use", exit_output(0, " \n", ""), "pass"),
        ("pre_tool_use", exit_output(2, "", " no rm \n"), "deny(no rm)"),
        ("pre_tool_use", exit_output(2, "{\"continue\":true}", ""), "deny()"),
        ("preempt", exit_output(2, "", "no"), "deny(no)"),
        ("before_compaction", exit_output(2, "", "not now"), "deny(not now)"),
        ("post_tool_use", exit_output(2, "", "stop"), "deny(stop)"),
        ("stop", exit_output(2, "", ""), "pass ! stop hook returned exit 2, but this event cannot block"),
        (
            "tool_response_transform",
            exit_output(2, "", "x"),
            "pass ! tool_response_transform hook returned exit 2, but this event cannot block: x",
        ),
        ("pre_tool_use", exit_output(1, "{\"continue\":true}", ""), "failed(crash: exited with status 1)"),
        (
            "pre_tool_use",
            exit_output(127, "", "sh: 1:\nsh: 1: jq: not found\n\n"),
            "failed(missing program: exited with status 127: sh: 1: jq: not found)",
        ),
        ("stop", exit_output(126, "", ""), "failed(crash: exited with status 126)"),
        ("stop", CommandOutput { signal: Some(9), ..CommandOutput::default() }, "failed(crash: killed by signal 9)"),
        ("stop", CommandOutput::default(), "failed(crash: ended without an exit status)"),
    ];
    for (name, answer, wanted) in cases {
        let shown = show(&decode_answer(&DockerAgentCodec::default(), name, HandlerOutput::Process(answer.clone())));
        assert_eq!(shown, wanted, "{name} {answer:?}");
    }
}

#[test]
fn a_long_complaint_is_cut_and_stays_on_one_line() {
    let long = format!("{}\u{1b}[31m", "é".repeat(300));
    let shown =
        show(&decode_answer(&DockerAgentCodec::default(), "stop", HandlerOutput::Process(exit_output(1, "", &long))));
    assert_eq!(shown, format!("failed(crash: exited with status 1: {}…)", "é".repeat(200)));
}

#[test]
fn plain_text_is_for_the_model_where_the_event_takes_context() {
    for def in ROWS {
        let wanted = match def.name {
            "session_start"
            | "user_prompt_submit"
            | "user_steering_messages_submit"
            | "user_followup_submit"
            | "turn_start"
            | "pre_compact" => "context([a, b])",
            "worktree_create" => "notice([a, b])",
            _ if def.can_block && def.name != "post_tool_use" => {
                "! the hook's output is ignored because it is not a JSON object; print nothing or an object"
            }
            _ => "log([a, b])",
        };
        let wanted = format!("pass {wanted}");
        assert_eq!(decode_printed(def.name, " [a, b]\n"), wanted.trim_end(), "{}", def.name);
    }
}

#[test]
fn a_log_line_before_the_object_does_not_disable_a_deny() {
    let deny = "checking the call\n{\"hook_specific_output\":{\"permission_decision\":\"deny\"}}\n";
    let message = "the hook printed other output with a JSON object that decides; print only the object";
    for name in ["pre_tool_use", "preempt", "tool_guard", "permission_request", "user_prompt_submit", "pre_compact"] {
        assert_eq!(decode_printed(name, deny), format!("failed(bad output: {message})"), "{name}");
    }
    assert_eq!(decode_printed("stop", deny), format!("pass log({}) ! {message}", deny.trim()));
    assert_eq!(decode_printed("turn_start", deny), format!("pass context({}) ! {message}", deny.trim()));
    assert_eq!(decode_printed("pre_tool_use", "[{\"decision\":\"block\"}]"), format!("failed(bad output: {message})"));
    assert_eq!(decode_printed("pre_tool_use", "looked at {\"a\":1}, fine"), format!("pass ! {UNREAD}"));
}

#[test]
fn output_that_was_cut_is_a_failure_and_exit_two_still_blocks() {
    let cut = |code| CommandOutput {
        stdout_cut: true,
        stderr_cut: true,
        ..exit_output(code, "{\"decision\":\"block\"", "no")
    };
    let show_cut =
        |name, code| show(&decode_answer(&DockerAgentCodec::default(), name, HandlerOutput::Process(cut(code))));
    let failed = "failed(output limit: hook output exceeded the limit of 19 bytes)";
    assert_eq!(show_cut("pre_tool_use", 0), failed);
    assert_eq!(show_cut("turn_start", 0), failed);
    assert_eq!(show_cut("pre_tool_use", 2), "deny(no)");
    assert_eq!(show_cut("pre_tool_use", 1), "failed(crash: exited with status 1: no)");
}

#[test]
fn invalid_utf8_decision_fails_and_invalid_utf8_text_is_repaired() {
    let bytes = |stdout: &[u8]| CommandOutput { stdout: stdout.to_vec(), ..exit_output(0, "", "") };
    let shown = |name, stdout: &[u8]| {
        show(&decode_answer(&DockerAgentCodec::default(), name, HandlerOutput::Process(bytes(stdout))))
    };
    assert_eq!(
        shown("pre_tool_use", b"{\"decision\":\"block\",\"reason\":\"\xff\"}"),
        "failed(bad output: hook output is not UTF-8)"
    );
    assert_eq!(
        shown("turn_start", b"caf\xe9"),
        "pass context(caf\u{FFFD}) ! hook output is not UTF-8; invalid bytes were replaced"
    );
    assert_eq!(shown("pre_tool_use", b"caf\xe9"), "failed(bad output: hook output is not UTF-8)");
    assert_eq!(shown("stop", b"caf\xe9"), "pass log(caf\u{FFFD})");
    let wide: Vec<u8> = "{\"decision\":\"block\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wanted = "failed(bad output: hook output is not UTF-8, but looks like UTF-16 or UTF-32)";
    for name in ["pre_tool_use", "preempt", "tool_guard", "user_prompt_submit", "worktree_create"] {
        assert_eq!(shown(name, &wide), wanted, "{name}");
        assert_eq!(shown(name, &[&[0xff, 0xfe][..], &wide].concat()), wanted, "{name}");
    }
    let marked = [&b"\xef\xbb\xbf"[..], b"{\"decision\":\"block\",\"reason\":\"no\"}"].concat();
    assert_eq!(shown("pre_tool_use", &marked), "deny(no)");
}

#[test]
fn what_is_left_of_a_refusal_is_a_failure_of_a_guard() {
    let failed = format!("failed(bad output: {UNREADABLE_REFUSAL})");
    for text in [
        "\"decision\":\"block\"}",
        "checking\n{'decision': 'block'}",
        "\"{\\\"decision\\\":\\\"block\\\"}\"",
        "DENY: no rm here",
        "false",
        "[guard] blocked",
        "<html><body>denied</body></html>",
    ] {
        for name in
            ["pre_tool_use", "preempt", "tool_guard", "tool_input_transform", "permission_request", "post_tool_use"]
        {
            assert_eq!(decode_printed(name, text), failed, "{name} {text}");
        }
        assert_eq!(decode_printed("stop", text), format!("pass log({text})"), "{text}");
    }
    // Text for the model may mention denies, but must not look like one.
    assert_eq!(decode_printed("user_prompt_submit", "DENY: no rm here"), "pass context(DENY: no rm here)");
    assert_eq!(decode_printed("user_prompt_submit", "note\n{'decision': 'block'}"), failed);
    assert_eq!(decode_printed("pre_compact", "\"decision\":\"block\"}"), failed);
}

#[test]
fn a_script_has_no_answer_in_this_dialect() {
    let answer = HandlerOutput::Script(pintle_contract::ScriptOutput::Allow);
    assert_eq!(
        show(&decode_answer(&DockerAgentCodec::default(), "pre_tool_use", answer)),
        "failed(bad output: only commands, built-ins and models can be hooks in this dialect)"
    );
}
