//! Every event and every kind of value, against the table in `matrix.txt`.
//!
//! A block is one value; each line is its result and the events with that result. `EVENT` stands for the event's name.
//! `PINTLE_UPDATE=1` rewrites the table.

use pintle_contract::{Verdict, VerdictKind};
use serde_json::{Value, json};

use super::answer;
use crate::harn::ROWS;

const TABLE: &str = include_str!("matrix.txt");

fn shapes() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(false),
        json!(42),
        json!("a text"),
        json!("Allow"),
        json!("Pass"),
        json!([]),
        json!([{"reminder": {"body": "b"}}]),
        json!(["a"]),
        json!({}),
        json!({"block": true, "reason": "r"}),
        json!({"block": true}),
        json!({"block": false}),
        json!({"block": "yes"}),
        json!({"deny": "r"}),
        json!({"deny": true}),
        json!({"deny": false}),
        json!({"reason": "r"}),
        json!({"action": "deny"}),
        json!({"decision": "allow", "reason": "r"}),
        json!({"decision": "deny", "reason": "r"}),
        json!({"decision": "ask"}),
        json!({"decision": "perhaps"}),
        json!({"args": {"a": 1}}),
        json!({"args": [1]}),
        json!({"result": "r"}),
        json!({"result": {"a": 1}}),
        json!({"result": "r", "denial": {"kind": "k", "message": "m"}}),
        json!({"result": "r", "truncated": true, "dropped_bytes": 3}),
        json!({"output": {"a": 1}}),
        json!({"modify": {"a": 1}}),
        json!({"modify": [1]}),
        json!({"keep_last": 3}),
        json!({"reminder": {"body": "b"}}),
        json!({"reminder": {"body": "b"}, "then": {"block": true}}),
        json!({"reminder": {"body": "b"}, "then": {"args": {"a": 1}}}),
        json!({"reminder": {"body": "b"}, "block": true}),
        json!({"body": "b", "tags": ["t"]}),
        json!({"body": "b", "ttl_turns": 0}),
        json!({"effects": [{"body": "b"}]}),
        json!({"dney": "r"}),
    ]
}

fn show(verdict: &Verdict, event: &str) -> String {
    let said = match &verdict.kind {
        VerdictKind::Pass => String::from("pass"),
        VerdictKind::Allow { reason } => format!("allow `{reason}`"),
        VerdictKind::Ask { reason } => format!("ask `{reason}`"),
        VerdictKind::Deny { reason } => format!("deny `{}`", reason.replace(event, "EVENT")),
        VerdictKind::Rewrite(rewrite) => format!("rewrite {rewrite:?}"),
        // The accepted values differ by event; the tests of misuse check them.
        VerdictKind::Failed(failure) => {
            let told = failure.message.split("; it must return").next().unwrap_or_default();
            let told = told.strip_prefix("hook policy.star:3 ").unwrap_or(told);
            format!("{}: {}", failure.kind, told.replace(event, "EVENT"))
        }
    };
    let effects: Vec<String> = verdict.effects.iter().map(|effect| serde_json::to_string(effect).unwrap()).collect();
    if effects.is_empty() { said } else { format!("{said} with {}", effects.join(", ")) }
}

fn table() -> String {
    let mut text = String::new();
    for shape in shapes() {
        let mut outcomes: Vec<(String, Vec<&str>)> = Vec::new();
        for def in ROWS {
            let shown = show(&answer(def.name, shape.clone()), def.name);
            match outcomes.iter_mut().find(|(known, _)| *known == shown) {
                Some((_, events)) => events.push(def.name),
                None => outcomes.push((shown, vec![def.name])),
            }
        }
        text.push_str(&format!("{shape}\n"));
        for (outcome, events) in outcomes {
            let events = if events.len() == ROWS.len() { String::from("every event") } else { events.join(" ") };
            text.push_str(&format!("  {outcome}\n    {events}\n"));
        }
        text.push('\n');
    }
    text
}

#[test]
fn every_shape_on_every_event_comes_to_what_the_table_says() {
    let found = table();
    if std::env::var_os("PINTLE_UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/harn/decode/tests/matrix.txt");
        std::fs::write(path, &found).unwrap();
    }
    assert!(found == TABLE, "matrix.txt differs; run with PINTLE_UPDATE=1 and look at what changed\n{found}");
}
