//! Payloads that Qwen Code spells in its own way.

use serde_json::Value;

use crate::hosts::fields::object;
use crate::hosts::hook_json::read;
use crate::{Moment, Unreadable};

/// A person sent a prompt. The event also comes after each result of a tool, with nothing that a person wrote: then it is
/// no prompt.
pub(super) fn prompt(payload: &Value) -> Result<Moment, Unreadable> {
    let fields = object(payload)?;
    let is_blank = |name: &str| {
        fields.get(name).is_some_and(|text| text.as_str().map_or(text.is_null(), |text| text.trim().is_empty()))
    };
    if is_blank("prompt") || is_blank("submitted_prompt") { Ok(Moment::Other) } else { read::prompt(payload) }
}

/// A tool gave its result: what the model is shown of it.
pub(super) fn after_tool(payload: &Value) -> Result<Moment, Unreadable> {
    match read::after_tool(payload)? {
        Moment::AfterTool { call, response, is_error, duration_ms } => {
            let shown = response.get("llmContent").filter(|content| !content.is_null()).cloned();
            Ok(Moment::AfterTool { call, response: shown.unwrap_or(response), is_error, duration_ms })
        }
        moment => Ok(moment),
    }
}
