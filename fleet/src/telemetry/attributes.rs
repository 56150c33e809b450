//! Attributes of what is sent, and the numbers of spans.

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue};
use sha2::{Digest, Sha256};

/// Most characters of a text other than content.
pub(super) const TEXT_CHARS: usize = 1_000;
/// Most characters of a text with content.
pub(super) const CONTENT_CHARS: usize = 16_000;

pub(super) const AGENT: &str = "gen_ai.agent.name";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const MODEL: &str = "gen_ai.request.model";
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const TOOL: &str = "gen_ai.tool.name";
pub(super) const ERROR: &str = "error.type";
pub(super) const EVENT: &str = "pintle.event.name";
pub(super) const HOOK: &str = "pintle.hook.name";
pub(super) const VERDICT: &str = "pintle.verdict";
pub(super) const REASON: &str = "pintle.reason";
pub(super) const TURN: &str = "pintle.turn";

/// The operations of the conventions for generative AI.
pub(super) const INVOKE_AGENT: &str = "invoke_agent";
pub(super) const CHAT: &str = "chat";
pub(super) const EXECUTE_TOOL: &str = "execute_tool";

/// A value that is a text.
pub(super) fn text_value(text: impl Into<String>) -> AnyValue {
    AnyValue { value: Some(Value::StringValue(text.into())) }
}

fn attribute(key: &str, value: AnyValue) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(value), ..KeyValue::default() }
}

/// An attribute that is a text, without what is too much.
pub(super) fn text(key: &str, text: &str) -> KeyValue {
    attribute(key, text_value(cut_text(text, TEXT_CHARS)))
}

/// An attribute with content.
pub(super) fn content(key: &str, text: &str) -> KeyValue {
    attribute(key, text_value(cut_text(text, CONTENT_CHARS)))
}

/// An attribute that is a number.
pub(super) fn number(key: &str, number: u64) -> KeyValue {
    attribute(key, AnyValue { value: Some(Value::IntValue(i64::try_from(number).unwrap_or(i64::MAX))) })
}

/// An attribute that is true.
pub(super) fn flag(key: &str) -> KeyValue {
    attribute(key, AnyValue { value: Some(Value::BoolValue(true)) })
}

/// An attribute that is a list with one text.
pub(super) fn list_of_one(key: &str, text: &str) -> KeyValue {
    let values = vec![text_value(cut_text(text, TEXT_CHARS))];
    attribute(key, AnyValue { value: Some(Value::ArrayValue(ArrayValue { values })) })
}

fn cut_text(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The number of the trace of a turn. It follows from the tape and the turn, so that what is sent again is the same.
pub(super) fn trace_id(tape: &str, turn: u32) -> Vec<u8> {
    derive_id(&["trace", tape, &turn.to_string()], 16)
}

/// The number of a span of a tape, by its kind and what numbers that on the tape.
pub(super) fn span_id(tape: &str, kind: &str, number: u64) -> Vec<u8> {
    derive_id(&["span", tape, kind, &number.to_string()], 8)
}

fn derive_id(parts: &[&str], length: usize) -> Vec<u8> {
    Sha256::digest(parts.join("\n").as_bytes()).iter().take(length).copied().collect()
}

/// A time in nanoseconds.
pub(super) fn nanos(unix_ms: u64) -> u64 {
    unix_ms.saturating_mul(1_000_000)
}
