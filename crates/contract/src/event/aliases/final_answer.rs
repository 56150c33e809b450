//! The aliases of an agent's final answer: its text, tool calls, results and usage, each also under a capitalised name.

use serde_json::Value;

use super::{require_lists, require_object, require_texts, sync_aliases, sync_usage};
use crate::event::EventPayloadError;

/// Makes the aliases of a final answer equal. `text` is the lower-case name of the text field.
pub(in crate::event) fn sync_final_answer(
    event: &'static str,
    text: &str,
    before: &Value,
    after: &mut Value,
) -> Result<(), EventPayloadError> {
    let fields = require_object(event, after)?;
    sync_aliases(before, fields, text, "Response");
    sync_aliases(before, fields, "tool_calls", "ToolCalls");
    sync_aliases(before, fields, "tool_results", "ToolResults");
    sync_aliases(before, fields, "usage", "Usage");
    sync_usage(before, fields, "usage");
    sync_usage(before, fields, "Usage");
    require_texts(fields, &[text])?;
    require_lists(fields, &["tool_calls", "tool_results"])
}
