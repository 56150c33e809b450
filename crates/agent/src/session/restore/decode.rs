//! Values of the tape as the agent's types.

use pintle_host::event::TokenUsage;
use serde_json::Value;

use crate::model::ModelMessage;

pub(super) fn decode_message(message: &Value) -> Result<ModelMessage, String> {
    serde_json::from_value(message.clone()).map_err(|error| format!("a message on the tape is invalid: {error}"))
}

pub(super) fn decode_usage(value: Option<&Value>) -> TokenUsage {
    let tokens = |name: &str| value.and_then(|value| value.get(name)).and_then(Value::as_u64).unwrap_or(0);
    TokenUsage::new(tokens("input_tokens"), tokens("output_tokens"))
}
