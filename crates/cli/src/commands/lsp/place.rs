//! What is at a place of a document: data, whose keys a schema knows, or a script.

use std::path::Path;
use std::sync::Arc;

use pintle_host::dialects::ArtifactKind;
use pintle_host::event::EventDef;
use pintle_host::files::UnsavedTexts;
use pintle_host::loader::{EditedFileKind, recognise_edited_file};
use pintle_host::script::ScriptKind;

use super::data_cursor::{DataCursor, DataNotation};
use super::documents::OpenDocument;
use super::script_cursor::ScriptCursor;
use super::vocabulary::find_event;

/// The keys whose values are Starlark.
const SCRIPT_KEYS: [&str; 3] = ["script", "when", "verify"];

/// What is at a place.
#[derive(Debug)]
pub(super) enum DocumentPlace<'d> {
    /// A key or a value, and the event of the hook or of the case that it is in.
    Data { schema: String, cursor: DataCursor, event: Option<&'static EventDef> },
    /// Starlark.
    Script { cursor: ScriptCursor, kind: ScriptKind, event: Option<&'static EventDef>, text: &'d str },
}

impl<'d> DocumentPlace<'d> {
    /// Finds what is at a byte of a document; `None` if that is nothing of Pintle's.
    pub(super) fn find(document: &'d OpenDocument, byte: usize) -> Option<Self> {
        let path = document.path.as_deref()?;
        let kind = recognise(path, &document.text)?;
        let text = &*document.text;
        if matches!(kind, EditedFileKind::Artifact(ArtifactKind::Plugin | ArtifactKind::Module)) {
            let cursor = cursor_in_line(text, byte, 0);
            return Some(Self::Script { cursor, kind: ScriptKind::Plugin, event: None, text });
        }
        let is_markdown = path.extension().is_some_and(|ending| ending == "md");
        let (start, matter) = if is_markdown { frontmatter(text)? } else { (0, text) };
        let before = matter.get(..byte.checked_sub(start)?)?;
        let notation = match path.extension().and_then(|ending| ending.to_str()) {
            Some("toml") => DataNotation::Toml,
            Some("json") => DataNotation::Json,
            _ => DataNotation::Yaml,
        };
        if notation == DataNotation::Yaml
            && let Some(column) = find_script(before)
        {
            let event = nearest_event(matter, before.len()).and_then(find_event);
            let is_tool = kind == EditedFileKind::Artifact(ArtifactKind::Tool);
            let kind = if is_tool { ScriptKind::Tool } else { ScriptKind::Hook };
            return Some(Self::Script { cursor: cursor_in_line(text, byte, column), kind, event, text });
        }
        let event = match kind {
            EditedFileKind::Cases => event_of_case(matter, before.len()),
            _ => nearest_event(matter, before.len()),
        };
        let cursor = DataCursor::at_end_of(before, notation);
        Some(Self::Data { schema: kind.schema_name()?, cursor, event: event.and_then(find_event) })
    }
}

/// What a document is, by its path and its text.
fn recognise(path: &Path, text: &Arc<str>) -> Option<EditedFileKind> {
    UnsavedTexts::new([(path.to_owned(), Arc::clone(text))]).read_during(|| recognise_edited_file(path))
}

/// The frontmatter of a Markdown file, which may not have its end yet, and where it begins.
fn frontmatter(text: &str) -> Option<(usize, &str)> {
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = plain.strip_prefix("---")?.split_once('\n').map(|(_, rest)| rest)?;
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            break;
        }
        length += line.len();
    }
    Some((text.len() - rest.len(), rest.get(..length)?))
}

/// The event of the hook around a byte: the last one before it, otherwise the first.
fn nearest_event(matter: &str, byte: usize) -> Option<&str> {
    let event_in = |line| split_key(line).filter(|(key, _)| *key == "event").map(|(_, value)| value.trim());
    let (before, after) = (matter.get(..byte)?, matter.get(byte..)?);
    let found = before.lines().rev().find_map(event_in).or_else(|| after.lines().find_map(event_in));
    found.map(|event| event.trim_matches(['"', '\'']))
}

/// The event of the case around a byte; the cases are the items of a list.
fn event_of_case(text: &str, byte: usize) -> Option<&str> {
    let (before, after) = (text.get(..byte)?, text.get(byte..)?);
    let start = before.rfind("\n-").map_or(0, |end| end + 1);
    let end = after.find("\n-").map_or(text.len(), |length| byte + length);
    let case = text.get(start..end)?;
    let mut keys = case.match_indices("event:").filter(|(at, _)| {
        let before = case.get(..*at).and_then(|before| before.chars().next_back());
        before.is_none_or(|letter| matches!(letter, ' ' | '{' | ',' | '\n'))
    });
    let (at, key) = keys.next()?;
    let value = case.get(at + key.len()..)?.lines().next()?;
    value.split([',', '}', '#']).next().map(|event| event.trim().trim_matches(['"', '\'']))
}

/// The column where the script begins on the last line of a text, if that line is a part of one.
fn find_script(before: &str) -> Option<usize> {
    let mut lines = before.rsplit('\n');
    let line = lines.next()?;
    if let Some((key, value)) = split_key(line).filter(|(key, _)| SCRIPT_KEYS.contains(key)) {
        let is_block = value.trim_start().starts_with(['|', '>']);
        let column = line.len() - value.trim_start_matches([' ', '\'']).len();
        return (!is_block && value.starts_with(' ')).then_some(column).filter(|_| !key.is_empty());
    }
    let mut indent = indent_of(line);
    for above in lines.filter(|line| !line.trim().is_empty()) {
        if indent == 0 {
            return None;
        }
        let own = indent_of(above);
        if own < indent {
            if let Some((key, value)) = split_key(above).filter(|(_, value)| value.trim_start().starts_with(['|', '>']))
            {
                return SCRIPT_KEYS.contains(&key).then_some(0).filter(|_| !value.is_empty());
            }
            indent = own;
        }
    }
    None
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The key of a line and what is behind its colon.
fn split_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    Some((key.trim_start_matches([' ', '-']), value))
}

fn cursor_in_line(text: &str, byte: usize, column: usize) -> ScriptCursor {
    let start = text.get(..byte).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let end = text.get(byte..).and_then(|after| after.find('\n')).map_or(text.len(), |length| byte + length);
    let before = text.get(start + column..byte).unwrap_or_default();
    ScriptCursor::find(before, text.get(byte..end).unwrap_or_default())
}
