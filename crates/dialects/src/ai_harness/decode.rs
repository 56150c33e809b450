//! Decodes hook output into verdicts.

use pintle_contract::event::{EventClass, read_aliases};
use pintle_contract::{
    DELEGATING_EVENTS, Effect, Event, Failure, FailureKind, HandlerOutput, Rewrite, ScriptOutput, Verdict, VerdictKind,
    suggest_nearest,
};
use serde_json::{Map, Value};

/// The allowed values of `action` in a returned dict.
const ACTIONS: [&str; 5] = ["allow", "block", "modify", "ask", "delegate"];

/// Decodes a script's output. Total: a value that is not a decision passes with a warning, and an invalid decision is a
/// failure.
pub(super) fn decode(event: &Event, answer: HandlerOutput) -> Verdict {
    let HandlerOutput::Script(answer) = answer else {
        return Verdict::failed(Failure::new(FailureKind::BadOutput, "only scripts can be hooks in this dialect"));
    };
    match answer {
        ScriptOutput::Allow => Verdict::pass(),
        ScriptOutput::Block(reason) => decode_refusal(event, "block", Verdict::deny(reason)),
        ScriptOutput::Ask(reason) => decode_refusal(event, "ask", Verdict::ask(reason)),
        ScriptOutput::Modify(payload) => decode_modify(event, payload),
        ScriptOutput::Delegate(request) => decode_delegation(event, request),
        ScriptOutput::Dict(fields) => decode_dictionary(event, fields),
        ScriptOutput::Other { type_name, printed } => decode_other(&type_name, &printed),
    }
}

/// A refusal, unless the event only reports what has happened.
fn decode_refusal(event: &Event, called: &str, verdict: Verdict) -> Verdict {
    if event.name.def().class != EventClass::Observe {
        return verdict;
    }
    Verdict::pass().with_warning(format!("returned {called}(..), which has no effect at `{}`", event.name))
}

/// A delegation. Elsewhere nothing would be delegated, and the event would pass unjudged.
fn decode_delegation(event: &Event, request: Value) -> Verdict {
    if DELEGATING_EVENTS.contains(&event.name.kind()) {
        return Verdict::pass().with_effect(Effect::Delegate(request));
    }
    let events = DELEGATING_EVENTS.map(|kind| format!("`{kind}`")).join(" and ");
    bad_output(&format!("delegate(..), which has no effect at `{}`, only at {events}", event.name))
}

/// A dict changes only the fields it names, so that a later hook and its `when` still see the others. Any other value
/// replaces the whole payload, as does a dict if the payload has no fields. Of two names of one field, the one whose
/// value the hook changed wins.
fn decode_modify(event: &Event, payload: Value) -> Verdict {
    match payload {
        Value::Object(mut fields) if event.payload.value().is_object() => {
            read_aliases(event.name.def().aliases, &mut fields, |name, own| event.payload.field(name) == Some(own));
            Verdict::rewrite(fields)
        }
        whole => Verdict::new(VerdictKind::Rewrite(Rewrite::Whole(whole))),
    }
}

fn decode_other(type_name: &str, printed: &str) -> Verdict {
    let warning = match type_name {
        "NoneType" => String::from("returned None, not a decision; treated as allow()"),
        "function" | "builtin_function_or_method" | "native_function" => {
            format!("returned {printed}, which was not called; treated as allow()")
        }
        _ => format!("returned {type_name}, not a decision; treated as allow()"),
    };
    Verdict::pass().with_warning(warning)
}

fn decode_dictionary(event: &Event, mut fields: Map<String, Value>) -> Verdict {
    let action = match fields.remove("action") {
        Some(Value::String(action)) => action,
        Some(_) => return bad_output("an `action` that is not a string"),
        None => {
            let near = fields.keys().find_map(|key| suggest_nearest(key, ["action"]).map(|_| key.clone()));
            return bad_output(&match near {
                Some(key) => format!("a dict without `action`; did you mean `action` instead of `{key}`?"),
                None => String::from("a dict without `action`; return allow(), block(reason) or modify(payload)"),
            });
        }
    };
    match action.as_str() {
        "allow" => Verdict::pass(),
        "block" => decode_refusal(event, "block", take_reason(&mut fields, Verdict::deny)),
        "ask" => decode_refusal(event, "ask", take_reason(&mut fields, Verdict::ask)),
        "modify" if fields.is_empty() => bad_output("the action `modify` without a `payload`"),
        "modify" => {
            let payload = fields.remove("payload");
            decode_modify(event, payload.unwrap_or(Value::Object(fields)))
        }
        "delegate" => {
            let request = fields.remove("request").or_else(|| fields.remove("payload"));
            decode_delegation(event, request.unwrap_or(Value::Object(fields)))
        }
        unknown => bad_output(&match suggest_nearest(unknown, ACTIONS) {
            Some(near) => format!("unknown action `{unknown}`; did you mean `{near}`?"),
            None => format!("unknown action `{unknown}`; an action is {}", ACTIONS.join(", ")),
        }),
    }
}

/// The `reason` of a dict, which must be a string; empty if it is absent.
fn take_reason(fields: &mut Map<String, Value>, verdict: impl Fn(String) -> Verdict) -> Verdict {
    match fields.remove("reason") {
        None => verdict(String::new()),
        Some(Value::String(reason)) => verdict(reason),
        Some(_) => bad_output("a `reason` that is not a string"),
    }
}

fn bad_output(message: &str) -> Verdict {
    Verdict::failed(Failure::new(FailureKind::BadOutput, format!("returned {message}")))
}

#[cfg(test)]
mod tests {
    use pintle_testkit::plain_event;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::test_support::any_json;

    fn answer(payload: Value, answer: ScriptOutput) -> Verdict {
        decode(&plain_event("tool.pre", payload), HandlerOutput::Script(answer))
    }

    fn dict(value: Value) -> ScriptOutput {
        let Value::Object(fields) = value else { panic!("an object") };
        ScriptOutput::Dict(fields)
    }

    fn decode_fields(value: Value) -> Verdict {
        let Value::Object(fields) = value else { panic!("an object") };
        Verdict::rewrite(fields)
    }

    fn failed_verdict(message: &str) -> Verdict {
        Verdict::failed(Failure::new(FailureKind::BadOutput, message))
    }

    #[test]
    fn a_rewrite_in_either_spelling_is_one_of_the_payload() {
        let before = json!({"text": "a", "tool_calls": [], "tool_results": [], "usage": {"input_tokens": 1}});
        let event = plain_event("turn.end", before);
        for (given, wanted) in [
            (json!({"Response": "b"}), json!({"text": "b"})),
            (json!({"text": "b", "Response": "a"}), json!({"text": "b"})),
            (json!({"text": "a", "Response": "b"}), json!({"text": "b"})),
            (json!({"text": "b", "Response": "c"}), json!({"text": "b"})),
            (json!({"ToolCalls": [3], "Usage": null}), json!({"tool_calls": [3], "usage": null})),
        ] {
            let verdict = decode(&event, HandlerOutput::Script(ScriptOutput::Modify(given.clone())));
            assert_eq!(verdict, decode_fields(wanted), "{given}");
        }
    }

    #[test]
    fn each_documented_answer_is_its_verdict() {
        let object = json!({"name": "x"});
        for (given, wanted) in [
            (ScriptOutput::Allow, Verdict::pass()),
            (ScriptOutput::Block(String::from("no")), Verdict::deny("no")),
            (ScriptOutput::Ask(String::from("sure?")), Verdict::ask("sure?")),
            (ScriptOutput::Modify(json!({"args": {}})), decode_fields(json!({"args": {}}))),
            (ScriptOutput::Modify(json!("text")), Verdict::new(VerdictKind::Rewrite(Rewrite::Whole(json!("text"))))),
            (dict(json!({"action": "allow"})), Verdict::pass()),
            (dict(json!({"action": "allow", "reason": 3})), Verdict::pass()),
            (dict(json!({"action": "block", "reason": "no"})), Verdict::deny("no")),
            (dict(json!({"action": "block"})), Verdict::deny("")),
            (dict(json!({"action": "ask", "reason": "sure?"})), Verdict::ask("sure?")),
            (dict(json!({"action": "modify", "payload": {"args": 1}})), decode_fields(json!({"args": 1}))),
            (
                dict(json!({"action": "modify", "payload": null})),
                Verdict::new(VerdictKind::Rewrite(Rewrite::Whole(Value::Null))),
            ),
            (dict(json!({"action": "modify", "args": 1})), decode_fields(json!({"args": 1}))),
        ] {
            assert_eq!(answer(object.clone(), given.clone()), wanted, "{given:?}");
        }
    }

    #[test]
    fn decisions_without_effect_are_told() {
        let at =
            |event: &str, given: ScriptOutput| decode(&plain_event(event, json!({})), HandlerOutput::Script(given));
        for (given, request) in [
            (ScriptOutput::Delegate(json!({"agent": "a"})), json!({"agent": "a"})),
            (dict(json!({"action": "delegate", "request": 1})), json!(1)),
            (dict(json!({"action": "delegate", "payload": 2})), json!(2)),
            (dict(json!({"action": "delegate", "agent": "a"})), json!({"agent": "a"})),
        ] {
            for event in ["agent.stop", "delegation.post"] {
                let wanted = Verdict::pass().with_effect(Effect::Delegate(request.clone()));
                assert_eq!(at(event, given.clone()), wanted, "{event}");
            }
            let wanted =
                "returned delegate(..), which has no effect at `tool.pre`, only at `agent.stop` and `delegation.post`";
            assert_eq!(at("tool.pre", given), failed_verdict(wanted));
        }
        for given in [ScriptOutput::Block(String::from("no")), dict(json!({"action": "block", "reason": "no"}))] {
            let wanted = Verdict::pass().with_warning("returned block(..), which has no effect at `session.end`");
            assert_eq!(at("session.end", given), wanted);
        }
        let nothing = dict(json!({"action": "modify"}));
        assert_eq!(at("tool.pre", nothing), failed_verdict("returned the action `modify` without a `payload`"));
    }

    #[test]
    fn what_is_no_decision_passes_with_a_warning() {
        for (type_name, printed, warning) in [
            ("NoneType", "None", "returned None, not a decision; treated as allow()"),
            ("int", "42", "returned int, not a decision; treated as allow()"),
            ("bool", "True", "returned bool, not a decision; treated as allow()"),
            ("function", "<function block>", "returned <function block>, which was not called; treated as allow()"),
        ] {
            let other = ScriptOutput::Other { type_name: type_name.to_owned(), printed: printed.to_owned() };
            assert_eq!(answer(json!({}), other), Verdict::pass().with_warning(warning));
        }
    }

    #[test]
    fn a_dictionary_that_wants_to_decide_and_does_not_is_a_failure() {
        for (given, wanted) in [
            (
                json!({"action": "deny"}),
                "returned unknown action `deny`; an action is allow, block, modify, ask, delegate",
            ),
            (json!({"action": "BLOCK"}), "returned unknown action `BLOCK`; did you mean `block`?"),
            (json!({"action": 1}), "returned an `action` that is not a string"),
            (json!({"acton": "block"}), "returned a dict without `action`; did you mean `action` instead of `acton`?"),
            (json!({}), "returned a dict without `action`; return allow(), block(reason) or modify(payload)"),
            (json!({"action": "block", "reason": 3}), "returned a `reason` that is not a string"),
        ] {
            assert_eq!(answer(json!({}), dict(given.clone())), failed_verdict(wanted), "{given}");
        }
    }

    #[test]
    fn a_dictionary_replaces_a_payload_without_fields() {
        let wanted = Verdict::new(VerdictKind::Rewrite(Rewrite::Whole(json!({"a": 1}))));
        assert_eq!(answer(Value::Null, ScriptOutput::Modify(json!({"a": 1}))), wanted);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        any_json(&["action", "payload", "reason", "request", "block", "modify", "x"], 3)
    }

    proptest! {
        #[test]
        fn any_dictionary_is_some_verdict_and_only_block_denies(payload in any_value(), given in any_value()) {
            let Value::Object(fields) = given.clone() else { return Ok(()) };
            let verdict = answer(payload, ScriptOutput::Dict(fields));
            let blocks = given["action"] == "block" && given.get("reason").is_none_or(Value::is_string);
            prop_assert_eq!(matches!(verdict.kind, VerdictKind::Deny { .. }), blocks);
        }
    }
}
