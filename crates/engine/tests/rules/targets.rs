//! What a rewrite may change.

use pintle_contract::{ApprovalResponse, FailureKind, Layer, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_VALUES, Outcome, Profile};
use serde_json::{Value, json};

use crate::model::{HookCase, ScriptedAnswer, build_chain, build_set, event, run_dispatch, tool_event};

fn dispatch_rewrite(name: &str, payload: Value, says: ScriptedAnswer) -> Outcome {
    let event = event(name, payload);
    let chains = [build_chain(Layer::Project, Profile::SequentialFirstDeny, [HookCase::always("w", says)])];
    let mut outcome = run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
    outcome.warnings.retain(|warning| warning.message != "w warns");
    if !outcome.rewritten {
        assert!(outcome.payload.ptr_eq(&event.payload));
    }
    outcome
}

#[test]
fn rule_40_a_rewrite_changes_the_target_and_nothing_else() {
    let call = tool_event("a", 0).payload.value().clone();
    let cases = [
        (
            json!({"id": "x"}),
            vec!["its rewrite of `id` was ignored: hooks of `tool.pre` can rewrite only `name`, `args`, `arguments`"],
        ),
        (
            json!({"nmae": "b"}),
            vec![
                "its rewrite of `nmae` was ignored: hooks of `tool.pre` can rewrite only `name`, `args`, `arguments`; did you mean `name`?",
            ],
        ),
        // What stays as it was needs no permission and is no rewrite.
        (json!({"id": "c1", "name": "a"}), vec![]),
        (json!({"arguments": r#"{"x": 0, "y": 0}"#}), vec![]),
        (json!({}), vec![]),
    ];
    for (fields, warnings) in cases {
        let outcome = dispatch_rewrite("tool.pre", call.clone(), ScriptedAnswer::Set(fields.clone()));
        let messages: Vec<&str> = outcome.warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert_eq!((messages, outcome.rewritten), (warnings, false), "{fields}");
    }
    let outcome = dispatch_rewrite("tool.pre", call.clone(), ScriptedAnswer::Set(json!({"id": "x", "name": "b"})));
    assert_eq!(outcome.payload.field("id"), Some(&json!("c1")));
    assert_eq!(outcome.payload.field("name"), Some(&json!("b")));
    // A whole payload stands for its target fields.
    let outcome =
        dispatch_rewrite("tool.pre", call.clone(), ScriptedAnswer::Replace(json!({"name": "b", "args": {"z": 1}})));
    assert_eq!(outcome.payload.value(), &json!({"id": "c1", "name": "b", "arguments": r#"{"z":1}"#, "args": {"z": 1}}));
}

#[test]
fn rule_41_an_event_without_a_target_cannot_be_rewritten() {
    let start = json!({"source": "startup", "cwd": "/"});
    let outcome = dispatch_rewrite("session.start", start.clone(), ScriptedAnswer::Set(json!({"cwd": "/etc"})));
    assert_eq!(outcome.warnings[0].message, "its rewrite was ignored: hooks cannot rewrite `session.start`");
    assert!(!outcome.rewritten);
    assert_eq!(dispatch_rewrite("session.start", start.clone(), ScriptedAnswer::Replace(start)).warnings, []);
}

#[test]
fn rule_42_a_whole_target_takes_anything() {
    let cases = [
        (json!({"a": 1}), ScriptedAnswer::Set(json!({"b": 2})), json!({"a": 1, "b": 2})),
        (json!({"a": 1}), ScriptedAnswer::Replace(json!({"b": 2})), json!({"b": 2})),
        (json!({"a": 1}), ScriptedAnswer::Replace(json!("text")), json!("text")),
        (json!("text"), ScriptedAnswer::Replace(json!("other")), json!("other")),
        // Fields of what has no fields become the payload.
        (json!("text"), ScriptedAnswer::Set(json!({"a": 1})), json!({"a": 1})),
    ];
    for (before, says, after) in cases {
        let outcome = dispatch_rewrite("custom.x", before.clone(), says);
        assert_eq!((outcome.payload.value(), outcome.rewritten), (&after, true), "{before}");
    }
}

#[test]
fn rule_43_a_rewrite_that_makes_no_sense_is_a_failure() {
    for payload in [json!("text"), json!(null)] {
        let outcome = dispatch_rewrite("tool.pre", payload, ScriptedAnswer::Set(json!({"name": "b"})));
        let failure = &outcome.failures[0].failure;
        assert_eq!(failure.kind, FailureKind::BadOutput);
        assert_eq!(failure.message, "the payload of `tool.pre` is not an object, so its fields cannot be rewritten");
        assert!(!outcome.is_allowed());
    }
    // What is in the fields has to make sense as well, and what the event had before stays.
    let request = json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [], "iteration": 1});
    let task = json!({"id": "d", "agent": "a", "prompt": "x", "task": "x", "depth": 1, "tools": []});
    let cases = [
        ("completion.pre", &request, json!({"temperature": "hot"}), "`temperature` must be a number, not `\"hot\"`"),
        (
            "completion.pre",
            &request,
            json!({"messages": [{"role": "alien", "content": "x"}]}),
            "a message has the unknown role `alien`; a role is system, developer, user, assistant, tool",
        ),
        (
            "delegation.pre",
            &task,
            json!({"max_verify_retries": "x"}),
            "`max_verify_retries` must be a whole number, 0 or more, not `\"x\"`",
        ),
    ];
    for (name, payload, fields, reason) in cases {
        let outcome = dispatch_rewrite(name, payload.clone(), ScriptedAnswer::Set(fields));
        let failure = &outcome.failures[0].failure;
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::BadOutput, reason));
        assert!(!outcome.is_allowed() && !outcome.rewritten);
    }
}

#[test]
fn rule_71_a_rewrite_that_makes_a_payload_too_large_is_a_failure() {
    let call = tool_event("a", 0).payload.value().clone();
    let most = "x".repeat(MAX_PAYLOAD_BYTES);
    for (args, what) in [
        (json!({"x": most}), "it is longer than 16 MiB of JSON"),
        (json!({"x": vec![0; MAX_PAYLOAD_VALUES]}), "it contains more than 250000 JSON values"),
    ] {
        for says in
            [ScriptedAnswer::Set(json!({"args": args})), ScriptedAnswer::Replace(json!({"name": "a", "args": args}))]
        {
            let outcome = dispatch_rewrite("tool.pre", call.clone(), says);
            let [report] = outcome.failures.as_slice() else { panic!("{:?}", outcome.failures) };
            assert_eq!(report.failure.kind, FailureKind::BadOutput);
            assert!(report.failure.message.contains(what), "{}", report.failure.message);
            assert!(!outcome.is_allowed() && !outcome.rewritten);
        }
    }
    // A payload that its host made too large may still be made smaller.
    let mut large = call;
    large["args"] = json!({"x": most, "y": 1});
    large["arguments"] = json!(large["args"].to_string());
    let outcome = dispatch_rewrite("tool.pre", large, ScriptedAnswer::Set(json!({"args": {"x": most}})));
    assert!(outcome.failures.is_empty() && outcome.rewritten);
}
