//! Objects, key by key.

use super::*;
use crate::docker_agent::event_def::PermissionWords;
use pintle_testkit::misread_answers;

/// An object inside `hook_specific_output`.
fn specific_output(fields: &str) -> String {
    format!("{{\"hook_specific_output\":{{{fields}}}}}")
}

#[test]
fn what_blocks_blocks_where_the_event_can_and_warns_elsewhere() {
    for (output, reason) in [
        (r#"{"continue":false,"stop_reason":"a"}"#, "a"),
        (r#"{"decision":"block","reason":"b"}"#, "b"),
        (r#"{"continue":false,"stop_reason":"a","decision":"block","reason":"b"}"#, "a\nb"),
        (r#"{"continue":false,"decision":"block","reason":"b"}"#, "b"),
        (r#"{"continue":false}"#, ""),
        (r#"{"DECISION":"block","Reason":"b"}"#, "b"),
        (r#"{"continue":null,"decision":"block","reason":null}"#, ""),
    ] {
        for def in ROWS {
            let wanted = match def.can_block {
                true => format!("deny({reason})"),
                false => format!("pass ! {} hook wants to block, but this event cannot block", def.name),
            };
            assert_eq!(decode_printed(def.name, output), wanted, "{} {output}", def.name);
        }
    }
}

#[test]
fn only_block_blocks_and_any_other_word_is_a_failure() {
    for word in ["deny", "BLOCK", "allow", "approve", " block", "stop"] {
        let wanted = format!("failed(bad output: unknown decision `{word}`; write `block`, or omit it)");
        for def in ROWS {
            assert_eq!(decode_printed(def.name, &format!(r#"{{"decision":"{word}"}}"#)), wanted, "{}", def.name);
        }
    }
    assert_eq!(decode_printed("pre_tool_use", r#"{"decision":""}"#), "pass");
    for word in ["DENY", "block", "denied"] {
        let wanted =
            format!("failed(bad output: unknown permission_decision `{word}`; write `allow`, `ask` or `deny`)");
        assert_eq!(
            decode_printed("pre_tool_use", &specific_output(&format!(r#""permission_decision":"{word}""#))),
            wanted
        );
    }
}

#[test]
fn permission_words_count_where_the_event_honours_them() {
    let said = |name: &str, word: &str| {
        decode_printed(
            name,
            &specific_output(&format!(r#""permission_decision":"{word}","permission_decision_reason":"r""#)),
        )
    };
    for name in ["pre_tool_use", "preempt", "tool_guard"] {
        assert_eq!(said(name, "allow"), "allow(r)");
        assert_eq!(said(name, "ask"), "ask(r)");
        assert_eq!(said(name, "deny"), "deny(r)");
    }
    assert_eq!(said("permission_request", "allow"), "allow(r)");
    assert_eq!(said("permission_request", "ask"), "pass");
    assert_eq!(said("permission_request", "deny"), "deny(r)");
    let none = "! `permission_decision` has no effect on stop ! `permission_decision_reason` has no effect on stop";
    assert_eq!(said("stop", "deny"), format!("pass {none}"));
}

#[test]
fn a_compaction_is_vetoed_by_a_permission_decision_in_either_spelling() {
    let veto = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"later"}}"#;
    assert!(
        decode_printed("before_compaction", veto).starts_with("deny(later) ! "),
        "{}",
        decode_printed("before_compaction", veto)
    );
    let veto = specific_output(r#""permission_decision":"deny","permission_decision_reason":"later""#);
    assert_eq!(decode_printed("before_compaction", &veto), "deny(later)");
    let allow = specific_output(r#""permission_decision":"allow""#);
    assert_eq!(decode_printed("before_compaction", &allow), "pass ! only `deny` has an effect on before_compaction");
}

#[test]
fn a_deny_in_camel_case_denies_with_a_warning() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    assert_eq!(
        decode_printed("pre_tool_use", deny),
        "deny(no) ! `hookSpecificOutput` is not how docker-agent spells it; write `hook_specific_output` \
         ! `hookEventName` is not how docker-agent spells it; write `hook_event_name` \
         ! `permissionDecision` is not how docker-agent spells it; write `permission_decision` \
         ! `permissionDecisionReason` is not how docker-agent spells it; write `permission_decision_reason`"
    );
    let summary = r#"{"hookSpecificOutput":{"hookEventName":"before_compaction","summary":"S"}}"#;
    // The example file spells it so.
    assert_eq!(decode_printed("before_compaction", summary), "pass summary(S)");
    let stop = r#"{"continue":false,"stopReason":"enough"}"#;
    assert!(decode_printed("before_llm_call", stop).starts_with("deny(enough) ! "));
}

#[test]
fn updated_input_patches_the_arguments_and_keeps_the_others() {
    let codec = DockerAgentCodec::default();
    let (event, spelling) = example_event("pre_tool_use");
    let mut payload = event.payload.value().clone();
    payload["args"] = serde_json::json!({"cmd": "ls", "cwd": "/w"});
    let event = event.with_payload(payload.into());
    let said = |output: &str| show(&codec.decode(&event, spelling, HandlerOutput::Process(exit_output(0, output, ""))));
    let patch = specific_output(r#""permission_decision":"allow","updated_input":{"cmd":"ls -h"}"#);
    assert_eq!(said(&patch), r#"allow() rewrite{"args":{"cmd":"ls -h","cwd":"/w"}}"#);
    assert_eq!(
        said(&specific_output(r#""updated_input":{"n":1}"#)),
        r#"rewrite{"args":{"cmd":"ls","cwd":"/w","n":1}}"#
    );
    assert_eq!(said(&specific_output(r#""updated_input":{}"#)), "pass");
    assert_eq!(said(&specific_output(r#""permission_decision":"deny","updated_input":{"n":1}"#)), "deny()");
    assert_eq!(
        said(&specific_output(r#""updated_input":"ls -h""#)),
        "failed(bad output: invalid hook output: `updated_input` must be an object, not a string)"
    );
}

#[test]
fn a_response_is_replaced_cleared_or_left() {
    for (value, wanted) in [
        (r#""cut""#, r#"rewrite{"content":"cut"}"#),
        (r#""""#, r#"rewrite{"content":""}"#),
        ("null", "pass"),
        (r#"{"a":1}"#, r#"rewrite{"result":{"a":1}}"#),
    ] {
        let output = specific_output(&format!(r#""updated_tool_response":{value}"#));
        assert_eq!(decode_printed("tool_response_transform", &output), wanted);
    }
    let idle = decode_printed("post_tool_use", &specific_output(r#""updated_tool_response":"x""#));
    assert_eq!(idle, "pass ! `updated_tool_response` has no effect on post_tool_use");
}

#[test]
fn messages_are_replaced_whole_and_keep_their_cache_control() {
    let output = specific_output(
        r#""updated_messages":[{"role":"system","content":"s","cache_control":true},{"role":"user","content":"","multi_content":[{"type":"text","text":"t"}]}]"#,
    );
    assert_eq!(
        decode_printed("before_llm_call", &output),
        r#"rewrite{"messages":[{"role":"system","content":"s","cache_control":true},{"role":"user","content":[{"type":"text","text":"t"}]}]}"#
    );
    assert_eq!(decode_printed("before_llm_call", &specific_output(r#""updated_messages":[]"#)), "pass");
    assert_eq!(
        decode_printed("before_llm_call", &specific_output(r#""updated_messages":[{"content":"x"}]"#)),
        "failed(bad output: invalid hook output: a message must have a `role`)"
    );
    let denied = r#"{"decision":"block","reason":"no","hook_specific_output":{"updated_messages":[{}]}}"#;
    assert_eq!(decode_printed("before_llm_call", denied), "deny(no)");
}

#[test]
fn context_summaries_notices_and_metadata_go_where_they_work() {
    for (name, output, wanted) in [
        ("session_start", specific_output(r#""additional_context":" a ""#), "pass context( a )"),
        ("turn_start", specific_output(r#""additional_context":"""#), "pass"),
        ("worktree_create", specific_output(r#""additional_context":"made""#), "pass notice(made)"),
        (
            "turn_start",
            specific_output(
                r#""instruction_context":[{"key":"date","content":"d"},{"key":"x","content":"y","removed":true},{"key":"z"}]"#,
            ),
            "pass context(d)",
        ),
        ("before_compaction", specific_output(r#""summary":"S""#), "pass summary(S)"),
        ("before_compaction", specific_output(r#""summary":"""#), "pass"),
        ("after_compaction", specific_output(r#""summary":"S""#), "pass ! `summary` has no effect on after_compaction"),
        ("stop", String::from(r#"{"system_message":"hi"}"#), "pass notice(hi)"),
        (
            "pre_tool_use",
            String::from(r#"{"continue":false,"stop_reason":"no","system_message":"hi"}"#),
            "deny(no) notice(hi)",
        ),
        (
            "tool_guard",
            specific_output(r#""metadata":{"blast_radius":"high"}"#),
            r#"pass metadata{"blast_radius":"high"}"#,
        ),
        ("preempt", specific_output(r#""metadata":{"a":"b"}"#), r#"pass metadata{"a":"b"}"#),
        ("pre_tool_use", specific_output(r#""metadata":{"a":"b"}"#), "pass ! `metadata` has no effect on pre_tool_use"),
        ("stop", String::from(r#"{"suppress_output":true}"#), "pass ! `suppress_output` has no effect on any event"),
        ("stop", String::from(r#"{"suppress_output":false}"#), "pass"),
        (
            "post_tool_use",
            specific_output(r#""additional_context":"c""#),
            "pass ! `additional_context` has no effect on post_tool_use",
        ),
        (
            "permission_request",
            specific_output(r#""permission_decision":"allow","updated_input":{"cmd":"x"}"#),
            "allow() ! `updated_input` has no effect on permission_request",
        ),
    ] {
        assert_eq!(decode_printed(name, &output), wanted, "{name} {output}");
    }
}

#[test]
fn what_is_no_single_whole_object_is_a_failure() {
    for (output, wanted) in [
        (r#"{"decision":"block""#, "invalid hook output: EOF while parsing an object at line 1 column 19"),
        (r#"{"decision":"block"} done"#, "hook output must contain a single JSON object"),
        (r#"{"continue":true}{"continue":false}"#, "hook output must contain a single JSON object"),
        (r#"{"continue":"no"}"#, "invalid hook output: `continue` must be true or false, not a string"),
        (r#"{"decision":["block"]}"#, "invalid hook output: `decision` must be a string, not a list"),
        (r#"{"hook_specific_output":[]}"#, "invalid hook output: `hook_specific_output` must be an object, not a list"),
        (
            r#"{"hook_specific_output":{"metadata":{"n":1}}}"#,
            "invalid hook output: `metadata` must be an object whose values are strings, not an object",
        ),
        (
            r#"{"decision":"block","Decision":""}"#,
            "invalid hook output: `decision` is set twice, with different values",
        ),
        (
            r#"{"permission_decision":"deny"}"#,
            "invalid hook output: `permission_decision` belongs inside `hook_specific_output`",
        ),
        (
            r#"{"hook_specific_output":{"decision":"block"}}"#,
            "invalid hook output: `decision` belongs next to, not inside, `hook_specific_output`",
        ),
        (r#"{"decison":"block"}"#, "invalid hook output: unknown field `decison`; did you mean `decision`?"),
        (
            r#"{"permission_decison":"deny"}"#,
            "invalid hook output: unknown field `permission_decison`; did you mean `permission_decision`?",
        ),
        (
            r#"{"permission":"deny"}"#,
            "invalid hook output: unknown field `permission` that seems to deny; write `\"decision\": \"block\"` and a `reason`",
        ),
        (
            r#"{"ok":false,"hook_specific_output":{"permission_decision":"allow"}}"#,
            "invalid hook output: unknown field `ok` that seems to deny; write `\"decision\": \"block\"` and a `reason`",
        ),
        (r#"{"decision":"block","decision":""}"#, "invalid hook output: the key `decision` is repeated; write it once"),
        (
            r#"{"decision":"block","\u0064ecision":""}"#,
            "invalid hook output: the key `decision` is repeated; write it once",
        ),
        (r#"{"continue":false,"continue":true}"#, "invalid hook output: the key `continue` is repeated; write it once"),
        (
            r#"{"hook_specific_output":{"permission_decision":"deny"},"hook_specific_output":{"permission_decision":"allow"}}"#,
            "invalid hook output: the key `hook_specific_output` is repeated; write it once",
        ),
        (
            r#"{"hook_specific_output":{"updated_input":{"a":{"b":1,"b":2}}}}"#,
            "invalid hook output: the key `b` is repeated; write it once",
        ),
        (
            r#"{"hook_specific_output":{"permission_decision":"deny"},"hookSpecificOutput":{"permission_decision":"allow"}}"#,
            "invalid hook output: `permission_decision` is set twice, with different values",
        ),
    ] {
        assert_eq!(decode_printed("pre_tool_use", output), format!("failed(bad output: {wanted})"), "{output}");
    }
}

#[test]
fn unknown_and_misplaced_keys_that_decide_nothing_are_warned_of() {
    for (name, output, wanted) in [
        ("pre_tool_use", r#"{"colour":"red"}"#, "pass ! unknown field `colour`"),
        (
            "pre_tool_use",
            r#"{"sytem_message":"x"}"#,
            "pass ! unknown field `sytem_message`; did you mean `system_message`?",
        ),
        ("stop", r#"{"decison":"block"}"#, "pass ! unknown field `decison`; did you mean `decision`?"),
        (
            "turn_start",
            r#"{"additional_context":"x"}"#,
            "pass ! `additional_context` belongs inside `hook_specific_output` and has no effect here",
        ),
    ] {
        assert_eq!(decode_printed(name, output), wanted, "{name} {output}");
    }
}

#[test]
fn a_slip_is_a_failure_on_every_event_that_can_be_blocked() {
    for def in ROWS {
        let wanted = match def.can_block {
            true => "failed(bad output: invalid hook output: unknown field `decison`; did you mean `decision`?)",
            false => "pass ! unknown field `decison`; did you mean `decision`?",
        };
        assert_eq!(decode_printed(def.name, r#"{"decison":"block"}"#), wanted, "{}", def.name);
    }
}

#[test]
fn a_refusal_that_the_event_does_not_listen_to_is_a_failure() {
    let deny = r#"{"hook_specific_output":{"permission_decision":"deny"}}"#;
    for def in ROWS.iter().filter(|def| def.can_block) {
        let wanted = match def.decisions {
            PermissionWords::Nothing => format!(
                "failed(bad output: `permission_decision` has no effect on {}; write `\"decision\": \"block\"` and a `reason`)",
                def.name
            ),
            _ => String::from("deny()"),
        };
        assert_eq!(decode_printed(def.name, deny), wanted);
    }
}

#[test]
fn an_answer_with_too_much_in_it_costs_no_more_than_reading_it() {
    let long = format!(r#"{{"{}":1}}"#, "permission_decisio".repeat(50_000));
    let shown = format!("{}…", "permission_decisio".repeat(4).get(..64).unwrap());
    assert_eq!(decode_printed("pre_tool_use", &long), format!("pass ! unknown field `{shown}`"));
    let fields = |count: usize| {
        let fields: Vec<String> = (0..count).map(|index| format!(r#""x_{index}":1"#)).collect();
        format!("{{{}}}", fields.join(","))
    };
    let many = decode_printed("pre_tool_use", &fields(30));
    assert!(many.ends_with("! unknown field `x_19` ! and 10 more"), "{many}");
    let wanted = "failed(bad output: invalid hook output: more than 64 unknown fields)";
    assert_eq!(decode_printed("pre_tool_use", &fields(30_000)), wanted);
}

#[test]
fn refusals_in_any_words_refuse_and_other_output_does_not() {
    // A hook that fails denies.
    let misread = misread_answers(|stdout| {
        let said = decode_printed("pre_tool_use", stdout);
        Some(["deny", "ask", "failed"].iter().any(|word| said.starts_with(word)))
    });
    assert!(misread.is_empty(), "{}", misread.join("\n"));
}
