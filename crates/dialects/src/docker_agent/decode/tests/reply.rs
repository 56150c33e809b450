//! Model replies.

use super::*;

fn decode_model_reply(schema: Option<&str>, name: &str, text: &str) -> String {
    let codec = DockerAgentCodec { schema: schema.map(Arc::from), ..DockerAgentCodec::default() };
    show(&decode_answer(&codec, name, HandlerOutput::Text(text.to_owned())))
}

#[test]
fn a_free_reply_is_context() {
    assert_eq!(decode_model_reply(None, "turn_start", " be brief \n"), "pass context(be brief)");
    assert_eq!(decode_model_reply(None, "worktree_create", "made"), "pass notice(made)");
    assert_eq!(decode_model_reply(None, "turn_start", " \n"), "failed(bad output: empty model reply)");
    assert_eq!(
        decode_model_reply(None, "pre_tool_use", "no"),
        "pass ! the model's reply has no effect on pre_tool_use"
    );
}

#[test]
fn a_judgement_is_read_through_fences_and_prose() {
    for (text, wanted) in [
        (r#"{"decision":"deny","reason":"risky"}"#, "deny(risky) notice(🤖 model judge: deny — risky)"),
        (
            "```json\n{\"decision\":\"allow\",\"reason\":\"fine\"}\n```",
            "allow(fine) notice(🤖 model judge: allow — fine)",
        ),
        ("I think {\"decision\":\"ask\",\"reason\":\" hm \"} is right.", "ask(hm) notice(🤖 model judge: ask — hm)"),
        (r#"{"decision":" DENY "}"#, "deny(no reason provided) notice(🤖 model judge: deny — no reason provided)"),
        ("", "failed(bad output: empty model reply)"),
        ("no", "failed(bad output: no JSON object in reply)"),
        ("} {", "failed(bad output: no JSON object in reply)"),
        (r#"{"decision":"maybe"}"#, "failed(bad output: invalid decision \"maybe\" (want allow|ask|deny))"),
        (r#"{"reason":"x"}"#, "failed(bad output: invalid decision \"\" (want allow|ask|deny))"),
        (r#"{"decision":1}"#, "failed(bad output: invalid decision \"\" (want allow|ask|deny))"),
    ] {
        assert_eq!(decode_model_reply(Some("pre_tool_use_decision"), "pre_tool_use", text), wanted, "{text}");
    }
    let broken = decode_model_reply(Some("pre_tool_use_decision"), "pre_tool_use", "{decision: deny}");
    assert!(broken.starts_with("failed(bad output: the model's reply is not JSON: "), "{broken}");
    assert_eq!(
        decode_model_reply(Some("verdict"), "pre_tool_use", "x"),
        "failed(bad output: model hook: unknown schema \"verdict\"; the only schema is `pre_tool_use_decision`)"
    );
}
