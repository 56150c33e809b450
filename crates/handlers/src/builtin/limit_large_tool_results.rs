//! `limit_large_tool_results`: writes large results to a file and gives the model a part.
//!
//! It must run after all hooks that redact secrets in results, and the dialect orders it so. If an author puts it
//! first, or all hooks see the original (`compat: g1`), it redacts secrets itself: a secret that is cut in two could
//! not be recognised afterwards.

use pintle_contract::{EventKind, Verdict};
use serde_json::{Map, Value};

use super::excerpt::{first_bytes, first_lines, last_bytes, last_lines, line_count};
use super::{BuiltinCall, BuiltinHook, BuiltinResult, doubt_arguments};

/// The largest result that is not changed, and the most bytes of a larger one that the model gets.
pub(super) const MOST_BYTES: usize = 50 << 10;
/// The same limit in lines.
const MOST_LINES: usize = 2_000;
/// The categories of tools whose results can be of any size.
const CATEGORIES: [&str; 4] = ["filesystem", "shell", "mcp", "a2a"];

/// Writes large results to files, which are kept until the session ends.
#[derive(Debug)]
struct LimitLargeToolResults;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    doubt_arguments(arguments, doubts);
    Ok(Box::new(LimitLargeToolResults))
}

impl BuiltinHook for LimitLargeToolResults {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let origin = &call.call.event.origin;
        match call.event_kind() {
            // The end of a delegated agent is not the end of the session.
            EventKind::SessionEnd if origin.depth == 0 => {
                match call.state().large_results.remove_session(&origin.session) {
                    Ok(()) => Verdict::pass(),
                    Err(error) => {
                        Verdict::pass().with_warning(format!("cannot delete the files of large results: {error}"))
                    }
                }
            }
            EventKind::ToolResult => limit_result(call),
            _ => Verdict::pass(),
        }
    }
}

/// Whether a result of this category of tools is written to a file.
pub(super) fn is_limited(category: &str, text: &str) -> bool {
    CATEGORIES.contains(&category) && (text.len() > MOST_BYTES || line_count(text) > MOST_LINES)
}

fn limit_result(call: &BuiltinCall<'_>) -> Verdict {
    let (category, content) = (call.text("category"), call.text("content"));
    // Partial results are limited together with the complete one.
    let is_partial = call.field("partial").and_then(Value::as_bool).unwrap_or(false);
    if is_partial || !is_limited(category, content) {
        return Verdict::pass();
    }
    let content = &*call.redact_text(content);
    let path = match call.state().large_results.store(&call.call.event.origin.session, content) {
        Ok(path) => path,
        Err(error) => {
            return Verdict::pass().with_warning(format!("cannot write a large result to a file: {error}"));
        }
    };
    let notice = format!(
        "Tool call result was too large ({} bytes; limit {MOST_BYTES} bytes). The full result is available in a file: {}",
        content.len(),
        path.display()
    );
    let part = match (category, call.text("name")) {
        ("filesystem", "read_file") => describe_beginning(content, call.field("args")),
        _ => format!(
            "Showing the last {MOST_LINES} lines (up to {MOST_BYTES} bytes):\n\n{}",
            last_bytes(last_lines(content, MOST_LINES), MOST_BYTES)
        ),
    };
    let text = Value::String(format!("{notice}\n\n{part}"));
    Verdict::rewrite(Map::from_iter([(String::from("content"), text)]))
}

/// The beginning of a file, and how to read the rest.
fn describe_beginning(content: &str, arguments: Option<&Value>) -> String {
    let part = first_bytes(first_lines(content, MOST_LINES), MOST_BYTES);
    let whole_lines = part.matches('\n').count();
    if whole_lines == 0 {
        return format!(
            "Showing the first {} bytes. The first line alone is longer than that, so reading by line returns the same \
             text again; read a range of bytes of the file above instead, for example with a shell command:\n\n{part}",
            part.len()
        );
    }
    let began = arguments.and_then(|arguments| arguments.get("line")).and_then(Value::as_u64).unwrap_or(1).max(1);
    let next = began.saturating_add(whole_lines as u64);
    format!(
        "Showing the first {MOST_LINES} lines (up to {MOST_BYTES} bytes). To continue, call read_file with the same \
         path, \"line\": {next} (counted from 1) and a \"limit\" of lines:\n\n{part}"
    )
}
