//! Performs the reading `fs.*` functions of scripts.

use std::fmt::Display;

use pintle_contract::{CancelToken, EffectError, EffectReply};
use serde_json::{Value, json};

use super::{JailError, JailedDir, LineView};

/// The most lines that one search returns.
pub(super) const MAX_FOUND: usize = 20_000;

/// Performs an `fs` function that reads. `most_bytes` limits the size of a file, and `cancel` stops a long operation.
///
/// The result is complete or an error: a decision must not miss a part because of a limit.
///
/// # Errors
/// In one line for the script's author, starting with the function's name.
pub fn answer_fs(
    dir: &JailedDir,
    function: &str,
    arguments: &Value,
    most_bytes: u64,
    cancel: &CancelToken,
) -> Result<EffectReply, EffectError> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let line = |name: &str| arguments.get(name).and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
    let path = text("path");
    let explain = |reason: &dyn Display| EffectError(format!("fs.{function}: {reason}"));
    let found = match function {
        "read" => dir.read_up_to(path, most_bytes).map(Value::String),
        "exists" => dir.exists(path).map(Value::Bool),
        "list" => dir.list(path).map(|found| found.into_iter().map(|stat| stat.name).collect()),
        "stat" => dir.stat(path).map(|stat| stat.to_value()),
        "glob" => dir.glob(text("pattern"), ".", cancel).and_then(|walk| walk.all_paths()).map(|paths| json!(paths)),
        "find" => dir.read_up_to(path, most_bytes).and_then(|content| {
            let lines = content.lines().enumerate().filter(|(_, line)| line.contains(text("text")));
            let found = lines.map(|(index, text)| json!({"line_num": index + 1, "text": text}));
            let found: Vec<Value> = found.take(MAX_FOUND + 1).collect();
            if found.len() > MAX_FOUND {
                return Err(JailError::TooManyMatches);
            }
            Ok(Value::from(found))
        }),
        "read_lines" => dir.read_up_to(path, most_bytes).and_then(|content| {
            let (first, last) = (line("start").unwrap_or(1), line("end").unwrap_or(usize::MAX - 1));
            LineView::new(&content).numbered_range(first, last).map(Value::String)
        }),
        _ => return Err(explain(&"not supported here")),
    };
    found.map(EffectReply::Value).map_err(|error| explain(&error))
}
