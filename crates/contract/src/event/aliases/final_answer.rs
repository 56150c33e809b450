//! The check of an agent's final answer: its text, tool calls, results and usage.

use serde_json::Value;

use super::{require_lists, require_object, require_texts, sync_usage};
use crate::event::EventPayloadError;

/// Makes the aliases of the token counts equal, and checks the other fields. `text` is the name of the text field.
pub(in crate::event) fn normalize_final_answer(
    event: &'static str,
    text: &str,
    before: &Value,
    after: &mut Value,
) -> Result<(), EventPayloadError> {
    let fields = require_object(event, after)?;
    sync_usage(before, fields, "usage");
    require_texts(fields, &[text])?;
    require_lists(fields, &["tool_calls", "tool_results"])
}
