//! Payloads that Qwen Code spells in its own way.

use serde_json::Value;

use crate::hosts::fields::object;
use crate::hosts::hook_json::hook_payload;
use crate::{HostEventData, HostPayloadError};

/// A person sent a prompt. The event also comes after each result of a tool, with nothing that a person wrote: then it is
/// no prompt.
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

/// A tool gave its result: what the model is shown of it.
pub(super) fn after_tool(payload: &Value) -> Result<HostEventData, HostPayloadError> {
    match hook_payload::after_tool(payload)? {
        HostEventData::AfterTool { call, response, is_error, duration_ms } => {
            let shown = response.get("llmContent").filter(|content| !content.is_null()).cloned();
            Ok(HostEventData::AfterTool { call, response: shown.unwrap_or(response), is_error, duration_ms })
        }
        moment => Ok(moment),
    }
}
