//! The model's replies, and what the conversation has of them.

use std::borrow::Cow;

use pintle_contract::Verdict;
use pintle_tape::record::host::{HostRecord, MessageRecord, ModelReplyRecord, ModelRequestRecord, TurnPhase};
use pintle_tape::verify::verify_bytes;
use serde_json::{Value, json};

use crate::verify::changes::index_of_event;
use crate::verify::{VerifySessionFixture, rechain_records, records_of};

/// Calls the model; its reply calls a tool or not.
fn record_reply(fixture: &VerifySessionFixture, content: &str, calls: &[&str]) {
    let tape = &fixture.tape;
    let dispatch = fixture.fire("completion.pre", json!({"messages": []}), &Verdict::pass(), None);
    let (request, same_as) = (tape.next_request(), Some(dispatch.0));
    let (conversation, model) = (Cow::Borrowed("c"), Cow::Borrowed("m"));
    let asked = ModelRequestRecord { origin: fixture.origin(), conversation, request, model, payload: None, same_as };
    tape.record_host(HostRecord::ModelRequest(asked));
    let call = |id: &&str| json!({"id": id, "name": "ls", "arguments": "{}"});
    let calls_made: Vec<Value> = calls.iter().map(call).collect();
    let reply = Some(Cow::Owned(json!({"text": content, "tool_calls": calls_made})));
    tape.record_host(HostRecord::ModelReply(ModelReplyRecord {
        origin: fixture.origin(),
        request,
        duration_us: 5,
        reply,
        error: None,
    }));
    let call = |id: &&str| json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    let calls_left: Vec<Value> = calls.iter().map(call).collect();
    let left = json!({"role": "assistant", "content": content, "tool_calls": calls_left});
    fixture.fire("completion.post", json!({"choices": [{"message": left}]}), &Verdict::pass(), None);
    record_message(fixture, json!({"role": "assistant", "content": content, "tool_calls": calls_made}));
}

fn record_message(fixture: &VerifySessionFixture, message: Value) {
    let (conversation, message) = (Cow::Borrowed("c"), Cow::Owned(message));
    fixture.tape.record_host(HostRecord::Message(MessageRecord { origin: fixture.origin(), conversation, message }));
}

/// A turn with two replies; the first one calls two tools.
fn record_answered_turn() -> Vec<Value> {
    let fixture = VerifySessionFixture::new();
    fixture.record_turn(TurnPhase::Start);
    record_reply(&fixture, "let me see", &["c1", "c2"]);
    for id in ["c1", "c2"] {
        record_message(&fixture, json!({"role": "tool", "content": "x".repeat(2_000), "tool_call_id": id}));
    }
    record_reply(&fixture, "there it is", &[]);
    fixture.record_turn(TurnPhase::End);
    records_of(&fixture)
}

fn index_of_message(records: &[Value], holds: &str) -> usize {
    records.iter().position(|record| record["kind"] == "message" && record.to_string().contains(holds)).unwrap()
}

#[test]
fn conversation_holds_each_model_reply_and_a_result_for_each_call() {
    type Change = fn(&mut Vec<Value>);
    let cases: [(Change, &str); 7] = [
        (|_| {}, "[]"),
        (
            |all| {
                let index = index_of_message(all, "there it is");
                all[index]["message"]["content"] = json!("nothing is there");
            },
            "`message`: the conversation contains the answer {\"role\":\"assistant\",\"content\":\"nothing is there\",\
             \"tool_calls\":[]}; expected the answer in the outcome of dispatch 4",
        ),
        (
            |all| {
                let index = index_of_message(all, "let me see");
                all[index]["message"]["tool_calls"][1]["arguments"] = json!("{\"a\":1}");
            },
            "expected the answer in the outcome of dispatch 2",
        ),
        (
            |all| {
                let index = index_of_event(all, "outcome", Some("completion.post"));
                all[index]["decision"] = json!("deny");
            },
            "expected no answer: dispatch 2 denied it",
        ),
        (
            |all| drop(all.remove(index_of_message(all, "\"c2\"}"))),
            "`model_request`: the model is called without a result of call `c2`; expected a `message` with it before",
        ),
        // The text of a result is needed once; a blob of another text is not.
        (
            |all| {
                let index = index_of_event(all, "message", None);
                all[index]["blobs"] = json!([{"value": "y".repeat(2_000)}]);
            },
            "is not needed: the value or the reference to it was changed",
        ),
        (
            |all| {
                let from = all.iter().position(|record| record.get("blobs").is_some()).unwrap();
                let to = index_of_event(all, "event", None);
                assert_ne!(from, to);
                all[to]["blobs"] = all[from].as_object_mut().unwrap().shift_remove("blobs").unwrap();
            },
            "is not needed: the value or the reference to it was changed",
        ),
    ];
    for (change, expected) in cases {
        let mut all = record_answered_turn();
        change(&mut all);
        let report = verify_bytes(rechain_records(&all).as_bytes()).unwrap();
        let found = report.findings.first().map_or_else(|| String::from("[]"), ToString::to_string);
        assert!(found.contains(expected), "found:    {found}\nexpected: {expected}");
    }
}
