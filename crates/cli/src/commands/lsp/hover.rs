//! What is known of the word at a place.

use serde_json::{Value, json};

use super::data_cursor::DataStep;
use super::documents::OpenDocument;
use super::place::DocumentPlace;
use super::positions::{TextPosition, byte_of};
use super::schema_walk::PlaceSchemas;
use super::script_cursor::{ScriptCursor, list_of_variable, word_around};
use super::vocabulary::{
    KnownWord, builtin_words, describe_event, find_event, item_words, pack_words, payload_words, tool_words,
    words_of_field,
};

/// The documentation of the word at a position, in Markdown.
pub(super) fn hover(document: &OpenDocument, position: TextPosition) -> Value {
    match describe(document, position).filter(|text| !text.is_empty()) {
        Some(text) => json!({"contents": {"kind": "markdown", "value": text}}),
        None => Value::Null,
    }
}

/// The word at a position, and the byte behind it.
pub(super) fn word_at(document: &OpenDocument, position: TextPosition) -> (String, usize) {
    let byte = byte_of(&document.text, position);
    let start = document.text.get(..byte).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = document.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let span = word_around(line, byte - start);
    let word = line.get(span.start..span.end).unwrap_or_default();
    (word.to_owned(), if word.is_empty() { byte } else { start + span.end })
}

fn describe(document: &OpenDocument, position: TextPosition) -> Option<String> {
    let (word, end) = word_at(document, position);
    if word.is_empty() {
        return None;
    }
    match DocumentPlace::find(document, end)? {
        DocumentPlace::Data { cursor, event, .. } if cursor.is_payload_key() => titled(payload_words(event), &word),
        DocumentPlace::Data { cursor, .. } if cursor.is_payload_tool() => titled(tool_words(), &word),
        DocumentPlace::Data { schema, cursor, .. } => {
            let schemas = PlaceSchemas::find(&schema, &cursor.path)?;
            if cursor.is_key {
                if let Some(text) = schemas.keys().get(word.as_str()) {
                    return Some(format!("**{word}**\n\n{text}"));
                }
                if !matches!(cursor.path.last(), Some(DataStep::Item)) {
                    return None;
                }
            }
            describe_value(cursor.value_key(), &word).or_else(|| Some(schemas.description().to_owned()))
        }
        DocumentPlace::Script { cursor, kind, event, text } => match cursor {
            ScriptCursor::Field { variable } if variable == "payload" => titled(payload_words(event), &word),
            ScriptCursor::Field { variable } => titled(item_words(event, list_of_variable(text, &variable)?), &word),
            ScriptCursor::Word { field } => titled(words_of_field(&field), &word),
            ScriptCursor::Name { .. } | ScriptCursor::Other => {
                builtin_words(kind).into_iter().find(|(name, _)| *name == word).map(|(_, text)| text)
            }
        },
    }
}

fn describe_value(key: Option<&str>, word: &str) -> Option<String> {
    match key {
        Some("event" | "on") => find_event(word).map(describe_event),
        Some("use") => titled(pack_words(), word),
        Some("tool" | "tools" | "deny_tools" | "matcher") => titled(tool_words(), word),
        Some("tags") => titled(words_of_field("tags"), word),
        _ => None,
    }
}

fn titled(words: Vec<KnownWord>, word: &str) -> Option<String> {
    words.into_iter().find(|(known, _)| known == word).map(|(known, text)| format!("**{known}**\n\n{text}"))
}
