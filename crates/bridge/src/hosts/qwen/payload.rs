//! Reads payloads that are specific to Qwen Code.

use serde_json::Value;

use crate::hosts::fields::object;
use crate::hosts::hook_json::hook_payload;
use crate::{HostEventData, HostPayloadError};

/// The user sent a prompt. The event also fires after each tool result without a text from the user; then it is not a
/// prompt.
pub(super) fn prompt(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    let fields = object(payload)?;
    let is_blank = |name: &str| {
        fields.get(name).is_some_and(|text| text.as_str().map_or(text.is_null(), |text| text.trim().is_empty()))
    };
    if is_blank("prompt") || is_blank("submitted_prompt") {
        Ok(HostEventData::Other)
    } else {
        hook_payload::prompt(payload)
    }
}

/// A tool returned its result: the text for the model.
pub(super) fn after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    match hook_payload::after_tool(payload)? {
        HostEventData::AfterTool { call, response, is_error, duration_ms } => {
            let shown = response.get("llmContent").filter(|content| !content.is_null()).cloned();
            Ok(HostEventData::AfterTool { call, response: shown.unwrap_or(response), is_error, duration_ms })
        }
        moment => Ok(moment),
    }
}
