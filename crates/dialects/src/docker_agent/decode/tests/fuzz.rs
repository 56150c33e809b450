//! Any hook output gives a valid verdict.

use proptest::prelude::*;

use super::*;

/// Fragments that are likely in an output.
fn any_piece() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        "\n",
        " ",
        "null",
        "true",
        "false",
        "1",
        "\"decision\":\"block\"",
        "\"continue\":false",
        "\"hook_specific_output\":{",
        "\"hookSpecificOutput\":{",
        "\"permission_decision\":\"deny\"",
        "\"permissionDecision\":\"allow\"",
        "\"updated_input\":{\"a\":1}",
        "\"updated_messages\":[{\"role\":\"user\"}]",
        "\"updated_tool_response\":",
        "\"metadata\":{\"a\":\"b\"}",
        "\"summary\":\"s\"",
        "\"additional_context\":\"c\"",
        "\"instruction_context\":[{}]",
        "\"decison\":\"block\"",
        "log line\n",
        "é",
    ])
    .prop_map(|text| text.as_bytes().to_vec());
    prop_oneof![8 => known, 1 => prop::collection::vec(any::<u8>(), 0..8)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_output_is_some_verdict(
        pieces in prop::collection::vec(any_piece(), 0..12),
        code in prop::option::of(-1..130),
        signal in prop::option::of(any::<i32>()),
        cut: bool,
        strict_output: bool,
        first: bool,
        at in 0..ROWS.len(),
    ) {
        let compat = if first { DockerAgentVersion::G1 } else { DockerAgentVersion::Newest };
        let codec = DockerAgentCodec { compat, strict_output, schema: None };
        let stdout = pieces.concat();
        let answer = CommandOutput { exit_code: code, signal, stderr: stdout.clone(), stdout, stdout_cut: cut, stderr_cut: cut };
        let verdict = decode_answer(&codec, ROWS[at].name, HandlerOutput::Process(answer));
        // Nothing denies an event that cannot be blocked, and a deny has no rewrite.
        let denies = matches!(verdict.kind, VerdictKind::Deny { .. });
        prop_assert!(!denies || (ROWS[at].can_block && verdict.rewrite.is_none()));
        let one_line = |text: &String| !text.contains('\n');
        if let VerdictKind::Failed(failure) = &verdict.kind {
            prop_assert!(one_line(&failure.message), "{}", failure.message);
        }
    }

    #[test]
    fn any_reply_is_some_verdict(text in "\\PC{0,40}|[{}\":a-z ]{0,60}", judges: bool) {
        let codec = DockerAgentCodec { schema: judges.then(|| Arc::from("pre_tool_use_decision")), ..DockerAgentCodec::default() };
        let _ = decode_answer(&codec, "pre_tool_use", HandlerOutput::Text(text));
    }
}
