//! What may be written at a place.

use pintle_host::event::EventDef;
use serde_json::{Value, json};

use super::data_cursor::{DataCursor, DataStep};
use super::documents::OpenDocument;
use super::place::DocumentPlace;
use super::positions::{TextPosition, TextRange, byte_of, position_of};
use super::schema_walk::PlaceSchemas;
use super::script_cursor::{ScriptCursor, list_of_variable};
use super::vocabulary::{
    KnownWord, action_words, builtin_words, event_words, harn_event_words, item_words, pack_words, payload_words,
    tool_words, words_of_field,
};

/// What an offered word is, in the numbers of the protocol.
#[derive(Debug, Clone, Copy)]
enum OfferedKind {
    Function = 3,
    Field = 5,
    Keyword = 14,
    Value = 12,
}

/// The kinds of operations of which a rule names what they are done to, not their actions.
const TARGET_KINDS: [&str; 6] = ["read", "write", "delete", "move", "download", "upload"];

/// The words that may be written at a position of a document.
pub(super) fn complete(document: &OpenDocument, position: TextPosition) -> Value {
    let byte = byte_of(&document.text, position);
    let Some(place) = DocumentPlace::find(document, byte) else { return Value::Null };
    let (kind, words, suffix) = match &place {
        DocumentPlace::Data { schema, cursor, event } => {
            return complete_data(document, byte, (schema, cursor, *event));
        }
        DocumentPlace::Script { cursor, kind, event, text } => match cursor {
            ScriptCursor::Field { variable } if variable == "payload" => {
                (OfferedKind::Field, payload_words(*event), "")
            }
            ScriptCursor::Field { variable } => {
                let list = list_of_variable(text, variable);
                (OfferedKind::Field, list.map(|list| item_words(*event, list)).unwrap_or_default(), "")
            }
            ScriptCursor::Word { field } if field == "action" => {
                let kinds = kinds_compared(document.text.get(..byte).unwrap_or_default());
                (OfferedKind::Value, action_words(&kinds), "")
            }
            ScriptCursor::Word { field } => (OfferedKind::Value, words_of_field(field), ""),
            ScriptCursor::Name { namespace } => {
                (OfferedKind::Function, member_words(builtin_words(*kind), namespace), "")
            }
            ScriptCursor::Other => return Value::Null,
        },
    };
    let start = match &place {
        DocumentPlace::Script { cursor: ScriptCursor::Name { .. }, .. } => word_start(&document.text, byte, "_"),
        _ => word_start(&document.text, byte, "_-.*/"),
    };
    let range = range_between(document, start, byte);
    json!({"isIncomplete": false, "items": words.into_iter().map(|word| offer(word, kind, range, suffix)).collect::<Vec<_>>()})
}

fn complete_data(
    document: &OpenDocument,
    byte: usize,
    (schema, cursor, event): (&str, &DataCursor, Option<&'static EventDef>),
) -> Value {
    let Some(schemas) = PlaceSchemas::find(schema, &cursor.path) else { return Value::Null };
    let range = range_between(document, word_start(&document.text, byte, "_-.*/"), byte);
    let is_item = matches!(cursor.path.last(), Some(DataStep::Item));
    let mut items = Vec::new();
    if cursor.is_key {
        let suffix = match (cursor.is_bare, schema) {
            (true, "harn") => " = ",
            (true, _) => ": ",
            (false, _) => "",
        };
        let words = schemas.keys().into_iter().map(|(key, text)| (key.to_owned(), text.to_owned()));
        items.extend(words.map(|word| offer(word, OfferedKind::Keyword, range, suffix)));
        if cursor.is_payload_key() {
            let fields = payload_words(event).into_iter();
            items.extend(fields.map(|word| offer(word, OfferedKind::Field, range, suffix)));
        }
    }
    if !cursor.is_key || is_item {
        items.extend(
            value_words(schema, &schemas, cursor).into_iter().map(|word| offer(word, OfferedKind::Value, range, "")),
        );
    }
    json!({"isIncomplete": false, "items": items})
}

/// The words that a value may be.
fn value_words(schema: &str, schemas: &PlaceSchemas, cursor: &DataCursor) -> Vec<KnownWord> {
    let key = cursor.path.iter().rev().find_map(|step| match step {
        DataStep::Key(key) => Some(key.as_str()),
        DataStep::Item => None,
    });
    match (schema, key) {
        _ if cursor.is_payload_tool() => return tool_words(),
        (_, Some("tool" | "tools" | "deny_tools" | "matcher")) => return tool_words(),
        ("harn", Some("event")) => return harn_event_words(),
        ("policy", Some(kind)) if !TARGET_KINDS.contains(&kind) && schemas.words().is_empty() => {
            let actions = action_words(&[kind]);
            if !actions.is_empty() {
                return actions;
            }
        }
        _ => {}
    }
    let known: Vec<KnownWord> = match key {
        Some("event") => event_words(),
        Some("use") => pack_words(),
        Some("tags") => words_of_field("tags"),
        Some("inside" | "outside") => {
            ["project", "home", "temporary", "system"].map(|place| (place.to_owned(), String::new())).to_vec()
        }
        _ => Vec::new(),
    };
    let words = schemas.words();
    if words.is_empty() {
        return known;
    }
    let meaning =
        |word: &str| known.iter().find(|(name, _)| name == word).map(|(_, text)| text.clone()).unwrap_or_default();
    words.into_iter().map(|word| (word.to_owned(), meaning(word))).collect()
}

/// The kinds with which the operation's kind is compared on the last line of a text.
fn kinds_compared(before: &str) -> Vec<&str> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let behind = line.split_once("\"kind\"").or_else(|| line.split_once("'kind'")).map_or("", |(_, behind)| behind);
    let compared = behind.split_once("==").or_else(|| behind.split_once(" in ")).map_or("", |(_, words)| words);
    let compared = compared.split(" and ").next().unwrap_or_default();
    compared.split(['"', '\'']).skip(1).step_by(2).filter(|word| !word.is_empty()).collect()
}

/// The members of a namespace; those without one if it is empty, and namespaces.
fn member_words(words: Vec<KnownWord>, namespace: &str) -> Vec<KnownWord> {
    let prefix = if namespace.is_empty() { String::new() } else { format!("{namespace}.") };
    let mut found: Vec<KnownWord> = Vec::new();
    for (name, text) in words {
        let Some(rest) = name.strip_prefix(&prefix) else { continue };
        let (member, is_whole) = rest.split_once('.').map_or((rest, true), |(member, _)| (member, false));
        if found.iter().all(|(known, _)| known != member) {
            found.push((member.to_owned(), if is_whole { text } else { String::new() }));
        }
    }
    found
}

/// Where the word before a byte begins.
fn word_start(text: &str, byte: usize, others: &str) -> usize {
    let before = text.get(..byte).unwrap_or_default();
    let is_part = |letter: char| letter.is_alphanumeric() || others.contains(letter);
    before.char_indices().rev().take_while(|(_, letter)| is_part(*letter)).last().map_or(byte, |(start, _)| start)
}

fn range_between(document: &OpenDocument, start: usize, end: usize) -> TextRange {
    TextRange { start: position_of(&document.text, start), end: position_of(&document.text, end) }
}

fn offer((word, meaning): KnownWord, offered_kind: OfferedKind, range: TextRange, suffix: &str) -> Value {
    json!({
        "label": word,
        "kind": offered_kind as u8,
        "filterText": word,
        "documentation": {"kind": "markdown", "value": meaning},
        "textEdit": {"range": range, "newText": format!("{word}{suffix}")},
    })
}
