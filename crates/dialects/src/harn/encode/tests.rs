//! One example for each event, against `payloads.txt`.

use pintle_contract::{Event, Origin};
use pintle_testkit::{catalogue_payload, event_from, example_origin};
use serde_json::{Value, json};

use super::encode;
use crate::harn::{HarnEventDef, ROWS};

const PAYLOADS: &str = include_str!("tests/payloads.txt");

fn origin() -> Origin {
    Origin { cwd: String::from("/home/ada/project"), ..example_origin() }
}

fn event(def: &HarnEventDef, payload: Value) -> Event {
    event_from(origin(), def.canonical.name(), payload)
}

fn example(def: &HarnEventDef) -> Value {
    catalogue_payload(def.canonical.name())
}

#[test]
fn every_event_has_its_documented_payload() {
    let mut found = String::new();
    for def in ROWS {
        let value = encode(&event(def, example(def)), def.name);
        found.push_str(&format!("{}\n", serde_json::to_string_pretty(&value).unwrap()));
    }
    if std::env::var_os("PINTLE_UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/harn/encode/tests/payloads.txt");
        std::fs::write(path, &found).unwrap();
    }
    assert!(found == PAYLOADS, "payloads.txt differs; run with PINTLE_UPDATE=1 and look at what changed\n{found}");
}

#[test]
fn no_payload_has_a_key_twice_and_an_unknown_event_has_its_spelling() {
    for def in ROWS {
        let mut paths = def.paths();
        paths.sort();
        let all = paths.len();
        paths.dedup();
        assert_eq!(paths.len(), all, "{}", def.name);
    }
    let unknown = event_from(origin(), "custom.thing", json!({"x": 1}));
    let value = encode(&unknown, "Thing");
    assert!(value.to_string().starts_with(r#"{"event":"Thing","session":{"id":"s1"},"agent":"root","#), "{value}");
}

/// Every path that the documentation names, in the example.
#[test]
fn payloads_hold_what_the_documents_name_and_what_they_call_missing() {
    for (name, pointers) in [
        ("PreToolUse", &["/event", "/tool/name", "/tool/args", "/tool/tool_call_id", "/tool_call_id"][..]),
        ("PreToolUse", &["/session/id", "/agent", "/turn", "/persona", "/cwd"]),
        ("PostToolUse", &["/result/text", "/result/value", "/result/is_error", "/duration_ms", "/tool/args"]),
        ("PreStep", &["/target", "/persona", "/step/name", "/step/function", "/step/args"]),
        ("PostStep", &["/target", "/step/name", "/output"]),
        ("UserPromptSubmit", &["/prompt", "/session/id"]),
        ("PermissionAsked", &["/tool/name", "/tool/args", "/reason"]),
        ("PermissionReplied", &["/tool/name", "/decision", "/reason"]),
        ("FileEdited", &["/path", "/metadata/operation", "/metadata/bytes"]),
        (
            "PostTurn",
            &["/session_id", "/iteration", "/has_tool_calls", "/tool_count", "/tool_names", "/text", "/model"],
        ),
        ("SessionError", &["/final_status", "/stop_reason", "/error"]),
        ("SessionEnd", &["/final_status", "/stop_reason", "/iterations"]),
        ("SessionIdle", &["/iteration", "/wake_interval_ms"]),
        ("PreFinish", &["/return_value", "/unsettled", "/has_on_finish"]),
        ("OnUnsettledDetected", &["/unsettled"]),
        ("PostFinish", &["/return_value", "/unsettled"]),
        ("PreCompact", &["/reason", "/message_count"]),
        ("PostCompact", &["/archived_messages", "/remaining_messages", "/summary", "/new_summary_len"]),
    ] {
        let def = ROWS.iter().find(|def| def.name == name).unwrap();
        let value = encode(&event(def, example(def)), name);
        for pointer in pointers {
            assert!(value.pointer(pointer).is_some(), "{name}{pointer} in {value}");
        }
    }
}

#[test]
fn iterations_count_from_zero_and_an_overflow_has_its_word() {
    let def = |name: &str| ROWS.iter().find(|def| def.name == name).unwrap();
    let turn = encode(&event(def("PostTurn"), json!({"iteration": 1})), "PostTurn");
    assert_eq!(turn["iteration"], json!(0));
    let compact = encode(&event(def("PreCompact"), json!({"source": "overflow", "message_count": 3})), "PreCompact");
    assert_eq!(compact["reason"], json!("context_overflow"));
}

#[test]
fn step_without_persona_is_its_own_target_and_tools_see_their_step() {
    let def = ROWS.iter().find(|def| def.name == "PreStep").unwrap();
    let alone = encode(&event(def, json!({"persona": "", "step": "audit", "args": []})), "PreStep");
    assert_eq!((&alone["target"], &alone["persona"]), (&json!("audit"), &json!("")));
    let inside = Origin { persona: String::from("merge_captain"), step: String::from("audit"), ..origin() };
    let seen = encode(&event_from(inside, "tool.pre", json!({"name": "shell"})), "PreToolUse");
    assert_eq!((&seen["persona"], &seen["step"]["name"]), (&json!("merge_captain"), &json!("audit")));
}

#[test]
fn what_a_host_says_of_an_edit_is_passed_on() {
    let def = ROWS.iter().find(|def| def.name == "FileEdited").unwrap();
    let own = encode(&event(def, json!({"path": "/a", "metadata": {"by": "me"}})), "FileEdited");
    assert_eq!(own["metadata"], json!({"by": "me"}));
}
