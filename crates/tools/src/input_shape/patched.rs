//! Inputs with the text of a patch.

use serde_json::Value;

use crate::patch;
use crate::vocabulary::{CanonicalCall, UnmappableArguments};

/// The patch text of an input.
pub(super) fn patch_text<'a>(input: &'a Value, keys: &[&str]) -> Option<&'a str> {
    match input {
        Value::String(text) => Some(text),
        _ => keys.iter().find_map(|key| input.get(*key)).and_then(Value::as_str),
    }
}

/// Replaces the patch text.
fn replace_text(input: &Value, keys: &[&str], text: Value) -> Value {
    let key = keys.iter().find(|key| input.get(**key).is_some());
    match (input, key) {
        (Value::Object(input), Some(key)) => {
            let mut merged = input.clone();
            merged.insert((*key).to_owned(), text);
            Value::Object(merged)
        }
        _ => text,
    }
}

/// Merges a changed patch text.
pub(super) fn merge_text(input: &Value, keys: &[&str], call: &CanonicalCall) -> Result<Value, UnmappableArguments> {
    let text = call.args.get("patch").filter(|text| text.is_string());
    let text = text.ok_or_else(|| UnmappableArguments(String::from("a patch must remain a string")))?;
    Ok(replace_text(input, keys, text.clone()))
}

/// Merges a changed patch, or changed files of it.
pub(super) fn merge_patch(
    input: &Value,
    keys: &[&str],
    before: &[CanonicalCall],
    after: &[CanonicalCall],
) -> Result<Value, UnmappableArguments> {
    let changed = |index: usize| before.get(index).map(|part| &part.args) != after.get(index).map(|part| &part.args);
    let files_changed = (1..before.len()).any(changed);
    match (after, changed(0), files_changed) {
        ([whole, ..], true, false) => merge_text(input, keys, whole),
        ([_, files @ ..], false, true) => {
            let text = patch_text(input, keys).unwrap_or_default();
            patch::rewrite_files(text, files).map(|text| replace_text(input, keys, Value::from(text)))
        }
        _ => Err(UnmappableArguments(String::from("a patch and one of its files cannot both be changed"))),
    }
}
