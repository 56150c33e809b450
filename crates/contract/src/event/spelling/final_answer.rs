//! The final answer of an agent: its text, its calls, their results and its tokens, each also under a capitalised name.

use serde_json::Value;

use super::{lists, object, same, texts, usage};

/// Makes both spellings of a final answer equal. `text` is the lower-case name of its text.
pub(in crate::event) fn final_answer(event: &str, text: &str, before: &Value, after: &mut Value) -> Result<(), String> {
    let fields = object(event, after)?;
    same(before, fields, text, "Response");
    same(before, fields, "tool_calls", "ToolCalls");
    same(before, fields, "tool_results", "ToolResults");
    same(before, fields, "usage", "Usage");
    usage(before, fields, "usage");
    usage(before, fields, "Usage");
    texts(fields, &[text])?;
    lists(fields, &["tool_calls", "tool_results"])
}
