//! Encodes events for Harn hooks.

use std::collections::HashMap;
use std::sync::LazyLock;

use pintle_contract::{Event, KeySource, LazyPayload, LazyValue, PayloadKey};
use serde_json::{Map, Value, json};

use super::{HarnEventDef, event_def};
use crate::DialectEvent;

/// The payload of an event, encoded key by key; `None` if Harn does not have the event.
pub(super) fn lazy_payload(event: &Event) -> Option<LazyPayload<'_>> {
    event_def::for_event(event).map(|def| LazyPayload::new(event, [EVERYWHERE, def.keys]))
}

/// The payload of an event. `event_alias` is the name of an event that Harn does not have.
pub(super) fn encode(event: &Event, event_alias: &str) -> Value {
    let fields = match lazy_payload(event) {
        Some(parts) => parts.to_object(),
        None => {
            let mut fields = Map::from_iter([(String::from("event"), Value::from(event_alias))]);
            fields.extend(LazyPayload::new(event, [EVERYWHERE, &[]]).to_object());
            fields
        }
    };
    Value::Object(fields)
}

/// The schema of an event's payload; `None` if Harn does not have the event.
pub(super) fn payload_schema(name: &str) -> Option<&'static Value> {
    static SCHEMAS: LazyLock<HashMap<&str, Value>> =
        LazyLock::new(|| event_def::ROWS.iter().map(|def| (def.name, schema_of(def))).collect());
    SCHEMAS.get(DialectEvent::by_name(event_def::ROWS, name)?.name)
}

/// The keys of a payload as a schema: those that are a field of the catalogue's event have its type.
fn schema_of(def: &HarnEventDef) -> Value {
    let canonical = def.canonical.def().schema();
    let mut properties = properties_of(def.all_keys(), canonical);
    properties.insert(String::from("event"), json!({"enum": [def.name]}));
    let definitions = canonical.get("$defs").cloned().unwrap_or_default();
    json!({"type": "object", "properties": properties, "$defs": definitions})
}

fn properties_of(keys: impl Iterator<Item = &'static PayloadKey>, canonical: &Value) -> Map<String, Value> {
    let schema_of_key = |key: &PayloadKey| match key.get {
        KeySource::Field(name) => canonical.get("properties").and_then(|fields| fields.get(name)).cloned(),
        KeySource::Table(keys) => Some(json!({"type": "object", "properties": properties_of(keys.iter(), canonical)})),
        KeySource::Computed(_) => None,
    };
    keys.map(|key| (key.name.to_owned(), schema_of_key(key).unwrap_or_else(|| json!({})))).collect()
}

#[cfg(test)]
mod tests;

const fn field(name: &'static str) -> PayloadKey {
    PayloadKey { name, get: KeySource::Field(name) }
}

const fn from(name: &'static str, field: &'static str) -> PayloadKey {
    PayloadKey { name, get: KeySource::Field(field) }
}

const fn computed(name: &'static str, make: fn(&Event) -> LazyValue<'_>) -> PayloadKey {
    PayloadKey { name, get: KeySource::Computed(make) }
}

const fn table(name: &'static str, keys: &'static [PayloadKey]) -> PayloadKey {
    PayloadKey { name, get: KeySource::Table(keys) }
}

pub(in crate::harn) static EVERYWHERE: &[PayloadKey] = &[
    computed("event", |event| event_def::for_event(event).map_or(LazyValue::Absent, |row| LazyValue::Text(row.name))),
    table("session", &[computed("id", |event| LazyValue::Text(&event.origin.session))]),
    computed("agent", |event| LazyValue::Text(&event.origin.agent)),
    computed("turn", |event| LazyValue::Number(event.origin.turn.into())),
    computed("persona", |event| LazyValue::Text(persona(event))),
    computed("cwd", |event| LazyValue::Text(&event.origin.cwd)),
];

/// The step of an event that is not itself about a step; absent outside steps.
const IN_STEP: PayloadKey = table("step", &[computed("name", |event| LazyValue::text_or_absent(step(event)))]);

/// The persona of an event; empty if there is none.
pub(in crate::harn) fn persona(event: &Event) -> &str {
    event.payload.field("persona").and_then(Value::as_str).unwrap_or(&event.origin.persona)
}

/// The step of an event; empty if there is none.
pub(in crate::harn) fn step(event: &Event) -> &str {
    event.payload.field("step").and_then(Value::as_str).unwrap_or(&event.origin.step)
}

pub(in crate::harn) static PRE_TOOL: &[PayloadKey] = &[
    table("tool", &[field("name"), field("args"), from("tool_call_id", "id"), field("category"), field("read_only")]),
    from("tool_call_id", "id"),
    IN_STEP,
];

pub(in crate::harn) static POST_TOOL: &[PayloadKey] = &[
    table(
        "tool",
        &[field("name"), field("args"), from("tool_call_id", "call_id"), field("category"), field("read_only")],
    ),
    from("tool_call_id", "call_id"),
    table("result", &[from("text", "content"), from("value", "result"), field("is_error")]),
    field("duration_ms"),
    IN_STEP,
];

/// `persona.step`, or only the step.
fn target(event: &Event) -> LazyValue<'_> {
    match (persona(event), step(event)) {
        ("", step) => LazyValue::Text(step),
        (persona, step) => LazyValue::Computed(Value::from(format!("{persona}.{step}"))),
    }
}

pub(in crate::harn) static PRE_STEP: &[PayloadKey] =
    &[computed("target", target), table("step", &[from("name", "step"), field("function"), field("args")])];

pub(in crate::harn) static POST_STEP: &[PayloadKey] = &[
    computed("target", target),
    table("step", &[from("name", "step"), field("function"), field("args"), field("is_error"), field("usage")]),
    field("output"),
    field("duration_ms"),
];

pub(in crate::harn) static APPROVAL: &[PayloadKey] = &[
    table("approval", &[field("id"), field("name"), field("reason"), field("digest"), field("expires_ms")]),
    field("reason"),
    IN_STEP,
];

pub(in crate::harn) static HANDOFF: &[PayloadKey] =
    &[table("handoff", &[field("id"), field("from"), field("to"), field("summary"), field("payload")]), IN_STEP];

pub(in crate::harn) static PAUSE: &[PayloadKey] = &[field("reason"), field("by"), IN_STEP];

pub(in crate::harn) static BUDGET: &[PayloadKey] = &[
    table(
        "budget",
        &[
            from("kind", "budget"),
            field("scope"),
            field("used"),
            field("limit"),
            field("percent"),
            field("threshold_percent"),
        ],
    ),
    IN_STEP,
];

pub(in crate::harn) static START: &[PayloadKey] = &[field("source")];

pub(in crate::harn) static END: &[PayloadKey] = &[
    from("final_status", "reason"),
    computed("stop_reason", |event| LazyValue::first_present(event, &["stop_reason", "reason"])),
    computed("iterations", |event| LazyValue::first_present(event, &["iterations", "turns"])),
    field("duration_ms"),
    field("usage"),
    from("error", "message"),
];

pub(in crate::harn) static PROMPT: &[PayloadKey] = &[field("prompt"), field("source"), IN_STEP];

/// Harn's word for a compaction because the context was full.
fn reason(event: &Event) -> LazyValue<'_> {
    match LazyValue::first_present(event, &["source", "reason"]) {
        LazyValue::Value(Value::String(word)) if word == "overflow" => LazyValue::Text("context_overflow"),
        part => part,
    }
}

pub(in crate::harn) static PRE_COMPACT: &[PayloadKey] =
    &[computed("reason", reason), field("message_count"), field("instructions"), IN_STEP];

/// The length of the summary, in characters.
fn summary_length(event: &Event) -> LazyValue<'_> {
    match event.payload.field("summary") {
        Some(Value::String(summary)) => LazyValue::Number(summary.chars().count() as u64),
        _ => LazyValue::Absent,
    }
}

pub(in crate::harn) static POST_COMPACT: &[PayloadKey] = &[
    computed("reason", reason),
    from("archived_messages", "removed_messages"),
    computed("new_summary_len", summary_length),
    field("remaining_messages"),
    field("summary"),
    from("estimated_tokens_before", "input_tokens"),
    from("estimated_tokens_after", "input_tokens_after"),
    field("context_limit"),
    IN_STEP,
];

/// Harn counts iterations from 0.
fn iteration(event: &Event) -> LazyValue<'_> {
    match event.payload.field("iteration").and_then(Value::as_u64) {
        Some(number) => LazyValue::Number(number.saturating_sub(1)),
        None => LazyValue::Absent,
    }
}

/// The number of tool calls.
fn tool_count(event: &Event) -> LazyValue<'_> {
    match event.payload.field("tool_names") {
        Some(Value::Array(names)) => LazyValue::Number(names.len() as u64),
        _ => LazyValue::Absent,
    }
}

pub(in crate::harn) static POST_TURN: &[PayloadKey] = &[
    computed("session_id", |event| LazyValue::Text(&event.origin.session)),
    computed("iteration", iteration),
    field("has_tool_calls"),
    field("tool_results"),
    computed("tool_count", tool_count),
    field("tool_names"),
    field("available_tool_names"),
    field("provider"),
    field("model"),
    field("successful_tool_names"),
    field("rejected_tool_names"),
    field("text"),
    from("visible_text", "text"),
    field("finish_reason"),
    IN_STEP,
];

/// The tool of a permission request.
const ASKED: PayloadKey =
    table("tool", &[field("name"), field("args"), from("tool_call_id", "id"), field("category"), field("read_only")]);

pub(in crate::harn) static PERMISSION: &[PayloadKey] = &[ASKED, field("reason"), field("asked_by"), IN_STEP];

pub(in crate::harn) static REPLY: &[PayloadKey] =
    &[ASKED, field("decision"), field("reason"), field("source"), field("remember"), IN_STEP];

pub(in crate::harn) static FILE: &[PayloadKey] = &[
    field("path"),
    computed("metadata", |event| match event.payload.field("metadata") {
        Some(own @ Value::Object(_)) => LazyValue::Value(own),
        _ => LazyValue::Table(METADATA),
    }),
    field("from"),
    field("tool"),
    field("call_id"),
    IN_STEP,
];

/// The metadata of a change.
static METADATA: &[PayloadKey] = &[field("operation"), from("bytes", "size_bytes")];

pub(in crate::harn) static ERROR: &[PayloadKey] =
    &[from("final_status", "status"), field("stop_reason"), from("error", "message")];

pub(in crate::harn) static IDLE: &[PayloadKey] = &[field("iteration"), field("wake_interval_ms"), field("waited_ms")];

pub(in crate::harn) static PRE_FINISH: &[PayloadKey] = &[
    field("return_value"),
    field("unsettled"),
    computed("has_on_finish", |event| match event.payload.field("has_on_finish") {
        Some(said) => LazyValue::Value(said),
        None => LazyValue::Computed(Value::Bool(false)),
    }),
];

pub(in crate::harn) static UNSETTLED: &[PayloadKey] = &[field("unsettled"), field("summary")];

pub(in crate::harn) static POST_FINISH: &[PayloadKey] = &[field("return_value"), field("unsettled")];

pub(in crate::harn) static PRE_AGENT_TURN: &[PayloadKey] =
    &[computed("prompt", |event| LazyValue::Value(event.payload.value())), IN_STEP];

pub(in crate::harn) static POST_AGENT_TURN: &[PayloadKey] =
    &[field("text"), field("tool_calls"), field("tool_results"), field("usage"), field("duration_ms"), IN_STEP];

/// The paths of a payload.
pub(in crate::harn) fn paths(def: &HarnEventDef) -> Vec<String> {
    let mut paths = Vec::new();
    for key in def.all_keys() {
        match key.get {
            KeySource::Table(keys) => paths.extend(keys.iter().map(|inner| format!("{}.{}", key.name, inner.name))),
            KeySource::Field(_) | KeySource::Computed(_) => paths.push(key.name.to_owned()),
        }
    }
    paths
}
