//! What the model answered, and what the conversation holds of it.

use std::borrow::Cow;

use pintle_contract::Verdict;
use pintle_tape::record::host::{HostRecord, Message, ModelReply, ModelRequest, Stage};
use pintle_tape::verify::verify_bytes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::changes::at;
use crate::{Played, chained, records};

/// Asks the model, whose answer calls a tool or not.
fn ask(stage: &Played, content: &str, calls: &[&str]) {
    let tape = &stage.tape;
    stage.fire("completion.pre", json!({"messages": []}), &Verdict::pass(), None);
    let (request, same_as) = (tape.next_request(), tape.last_dispatch());
    let (conversation, model) = (Cow::Borrowed("c"), Cow::Borrowed("m"));
    let asked = ModelRequest { origin: stage.origin(), conversation, request, model, payload: None, same_as };
    tape.host(HostRecord::ModelRequest(asked));
    let call = |id: &&str| json!({"id": id, "name": "ls", "arguments": "{}"});
    let calls_made: Vec<Value> = calls.iter().map(call).collect();
    let reply = Some(Cow::Owned(json!({"text": content, "tool_calls": calls_made})));
    tape.host(HostRecord::ModelReply(ModelReply {
        origin: stage.origin(),
        request,
        duration_us: 5,
        reply,
        error: None,
    }));
    let call = |id: &&str| json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    let calls_left: Vec<Value> = calls.iter().map(call).collect();
    let left = json!({"role": "assistant", "content": content, "tool_calls": calls_left});
    stage.fire("completion.post", json!({"choices": [{"message": left}]}), &Verdict::pass(), None);
    say(stage, json!({"role": "assistant", "content": content, "tool_calls": calls_made}));
}

fn say(stage: &Played, message: Value) {
    let (conversation, message) = (Cow::Borrowed("c"), Cow::Owned(message));
    stage.tape.host(HostRecord::Message(Message { origin: stage.origin(), conversation, message }));
}

/// A turn with two answers; the first one calls two tools.
fn answered() -> Vec<Value> {
    let stage = Played::new();
    stage.turn(Stage::Start);
    ask(&stage, "let me see", &["c1", "c2"]);
    for id in ["c1", "c2"] {
        say(&stage, json!({"role": "tool", "content": "x".repeat(2_000), "tool_call_id": id}));
    }
    ask(&stage, "there it is", &[]);
    stage.turn(Stage::End);
    records(&stage)
}

fn message(records: &[Value], holds: &str) -> usize {
    records.iter().position(|record| record["kind"] == "message" && record.to_string().contains(holds)).unwrap()
}

fn blob(value: &Value) -> Value {
    let digest: String = Sha256::digest(value.to_string()).iter().map(|byte| format!("{byte:02x}")).collect();
    json!({"seq": 0, "at_ms": 0, "prev": null, "kind": "blob", "digest": digest, "value": value})
}

#[test]
fn a_conversation_holds_what_the_model_answered_and_a_result_for_each_call() {
    type Change = fn(&mut Vec<Value>);
    let cases: [(Change, &str); 8] = [
        (|_| {}, "[]"),
        (
            |all| {
                let at = message(all, "there it is");
                all[at]["message"]["content"] = json!("nothing is there");
            },
            "`message`: the model is said to have answered {\"role\":\"assistant\",\"content\":\"nothing is there\",\
             \"tool_calls\":[]}; expected what dispatch 4 left of the answer",
        ),
        (
            |all| {
                let at = message(all, "let me see");
                all[at]["message"]["tool_calls"][1]["arguments"] = json!("{\"a\":1}");
            },
            "expected what dispatch 2 left of the answer",
        ),
        (
            |all| {
                let at = at(all, "outcome", Some("completion.post"));
                all[at]["decision"] = json!("deny");
            },
            "expected nothing: dispatch 2 refused the answer",
        ),
        (
            |all| drop(all.remove(message(all, "\"c2\"}"))),
            "`model_request`: the model is asked and told no result of call `c2`; expected a `message` with it before",
        ),
        // The words of a result are needed once; a blob of other words is not.
        (
            |all| {
                let at = at(all, "message", None);
                all.insert(at, blob(&json!("y".repeat(2_000))));
            },
            "`message`: the blob of line 10 is not for the record that follows it; expected a reference to it, or no blob",
        ),
        (
            |all| {
                let (from, to) = (at(all, "blob", None), at(all, "event", None));
                let early = all.remove(from);
                all.insert(to, early);
            },
            "`event` of dispatch 1: the blob of line 4 is not for the record that follows it",
        ),
        // A program that died before the record that needs it was written leaves a blob.
        (
            |all| {
                let resumed = json!({"seq": 0, "at_ms": 0, "prev": null, "kind": "resumed",
                    "origin": {"session": "s1", "turn": 1, "agent": "root", "depth": 0}, "opened": {}});
                all.extend([blob(&json!("y".repeat(2_000))), resumed]);
            },
            "[]",
        ),
    ];
    for (change, expected) in cases {
        let mut all = answered();
        change(&mut all);
        let report = verify_bytes(chained(&all).as_bytes()).unwrap();
        let found = report.findings.first().map_or_else(|| String::from("[]"), ToString::to_string);
        assert!(found.contains(expected), "found:    {found}\nexpected: {expected}");
    }
}
