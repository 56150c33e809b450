//! `handle_large_tool_output`: an earlier form of `limit_large_tool_results`, with configurable sizes.

use std::path::PathBuf;

use pintle_contract::{EventKind, Verdict};
use serde_json::{Map, Value};

use super::excerpt::first_bytes;
use super::{BuiltinCall, BuiltinHook, BuiltinResult, large_results};

/// Writes results above a size to files and gives the model their beginning. The files are kept.
#[derive(Debug)]
struct HandleLargeToolOutput {
    threshold_bytes: usize,
    preview_bytes: usize,
    /// The directory of the files; `None` for that of `limit_large_tool_results`.
    directory: Option<PathBuf>,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    let mut options = Map::new();
    if let Some(text) = arguments.first() {
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => options = fields,
            _ => doubts.push(format!("`{text}` is not a JSON object, so the default sizes apply")),
        }
    }
    let mut take = |name: &str| {
        let key = options.keys().find(|key| key.eq_ignore_ascii_case(name)).cloned();
        key.and_then(|key| options.shift_remove(&key))
    };
    let (threshold, preview, directory) = (take("Threshold"), take("PreviewSize"), take("OutputDir"));
    let mut size = |name: &str, value: Option<Value>, usual: usize| match &value {
        None => usual,
        Some(value) => match value.as_u64().and_then(|size| usize::try_from(size).ok()) {
            Some(0) => usual,
            Some(size) => size,
            None => {
                doubts.push(format!("`{name}` is not an integer, so the default {usual} applies"));
                usual
            }
        },
    };
    let (threshold, preview) = (size("Threshold", threshold, 30_000), size("PreviewSize", preview, 3_000));
    let directory = directory.and_then(|value| value.as_str().filter(|path| !path.is_empty()).map(PathBuf::from));
    for key in options.keys() {
        doubts.push(format!("unknown option `{key}`; the options are `Threshold`, `OutputDir` and `PreviewSize`"));
    }
    Ok(Box::new(HandleLargeToolOutput { threshold_bytes: threshold, preview_bytes: preview, directory }))
}

impl BuiltinHook for HandleLargeToolOutput {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let content = call.text("content");
        let is_partial = call.field("partial").and_then(Value::as_bool).unwrap_or(false);
        if call.event_kind() != EventKind::ToolResult || is_partial || content.len() <= self.threshold_bytes {
            return Verdict::pass();
        }
        let content = &*call.redact_text(content);
        let path = match self.store_output(call, content) {
            Ok(path) => path,
            Err(error) => {
                return Verdict::pass().with_warning(format!("cannot write a large result to a file: {error}"));
            }
        };
        let preview = first_bytes(content, self.preview_bytes);
        let text = format!(
            "[{} response: {} chars, full output saved to {path}]\n\nFirst {} chars:\n{preview}\n\n[Use shell tool to \
             read: cat {path}]",
            call.text("name"),
            content.len(),
            self.preview_bytes,
            path = path.display(),
        );
        Verdict::rewrite(Map::from_iter([(String::from("content"), Value::String(text))]))
    }
}

impl HandleLargeToolOutput {
    fn store_output(&self, call: &BuiltinCall<'_>, content: &str) -> std::io::Result<PathBuf> {
        let session = &call.call.event.origin.session;
        let Some(directory) = &self.directory else { return call.state().large_results.store(session, content) };
        let directory = match call.working_dir() {
            Some(base) => base.join(directory),
            None => directory.clone(),
        };
        std::fs::create_dir_all(&directory)?;
        // An ID from a provider must not lead to another directory.
        let plain = |text: &str| -> String {
            text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).take(80).collect()
        };
        let name = format!("{}_{}", plain(session), plain(call.text("call_id")));
        let numbered = |number: u32| if number == 1 { format!("{name}.txt") } else { format!("{name}_{number}.txt") };
        large_results::write_new_file(&directory, numbered, content)
    }
}
