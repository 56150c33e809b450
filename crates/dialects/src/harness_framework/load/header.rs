//! Reads the documentation header of a script, and compares it with the settings.

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{ByteSpan, Diagnostic, Location, Severity, SourceFile, suggest_or_list};
use serde_json::{Map, Value};

use super::entry::stem;
use crate::document::FileReport;
use crate::harness_framework::event_def::{FrameworkEventDef, ROWS};

/// The lines of a header. `Matcher` is optional.
const WORDS: [&str; 4] = ["Hook", "Event", "Description", "Matcher"];
/// Common notations for the absence of a matcher.
const NOTHING: [&str; 6] = ["", "-", "none", "n/a", "*", "all"];

#[derive(Debug, Default)]
pub(super) struct ScriptHeader {
    lines: Vec<HeaderLine>,
}

#[derive(Debug)]
struct HeaderLine {
    word: &'static str,
    value: String,
    location: Location,
}

/// The settings that a header is compared with.
pub(super) struct HeaderExpectation<'a> {
    pub(super) file: &'a Path,
    pub(super) head: &'a str,
    pub(super) def: &'static FrameworkEventDef,
    pub(super) conditions: Option<&'a Map<String, Value>>,
    /// Where the settings name the script.
    pub(super) place: ByteSpan,
}

impl ScriptHeader {
    /// The name of the hook in the header.
    pub(super) fn name(&self) -> Option<&str> {
        self.get("Hook").map(|line| line.value.as_str()).filter(|name| !name.is_empty())
    }

    fn get(&self, word: &str) -> Option<&HeaderLine> {
        self.lines.iter().find(|line| line.word == word)
    }
}

/// Reads the header in the first comment of a script.
pub(super) fn read(file: &Path, head: &str) -> ScriptHeader {
    let source = Arc::new(SourceFile { path: file.to_owned(), text: head.to_owned() });
    let mut lines = Vec::new();
    let mut index = 0;
    for line in head.split_inclusive('\n') {
        let Some(said) = comment_text(line) else { break };
        if let Some((word, value)) = said.split_once(':')
            && let Some(word) = WORDS.into_iter().find(|known| *known == word.trim())
            && !lines.iter().any(|line: &HeaderLine| line.word == word)
        {
            let span = ByteSpan { start: index, end: index + line.trim_end().len() };
            lines.push(HeaderLine {
                word,
                value: value.trim().to_owned(),
                location: Location::new(Arc::clone(&source), span),
            });
        }
        index += line.len();
    }
    ScriptHeader { lines }
}

/// The text of a line that is a comment or blank; `None` for code.
fn comment_text(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_suffix("*/").unwrap_or(line);
    let marks = ["///", "//", "/**", "/*", "*", "#", "--", ";;", ";"];
    match marks.into_iter().find_map(|mark| line.strip_prefix(mark)) {
        Some(text) => Some(text.trim()),
        None => line.is_empty().then_some(""),
    }
}

/// Reports differences between a header and the settings.
pub(super) fn check(report: &FileReport, header: &ScriptHeader, against: &HeaderExpectation<'_>) {
    let missing: Vec<&str> = WORDS.into_iter().take(3).filter(|word| header.get(word).is_none()).collect();
    if !missing.is_empty() {
        let message = format!("the script's first comment does not state its {}", missing.join(", "));
        report.note("header", message, against.place, "start it with the lines `Hook:`, `Event:` and `Description:`");
    }
    let differs = |line: &HeaderLine, message: String, help: String| {
        report.add(Diagnostic {
            severity: Severity::Warning,
            code: "header",
            message,
            location: line.location.clone(),
            help: Some(help),
        });
    };
    if let Some(line) = header.get("Hook").filter(|line| line.value != stem(against.file)) {
        let message =
            format!("the header names the hook `{}`, but its file is named `{}`", line.value, stem(against.file));
        differs(line, message, String::from("use the same name in both"));
    }
    if let Some(line) = header.get("Event") {
        check_event(line, against.def, &differs);
    }
    if let Some(line) = header.get("Matcher") {
        check_matcher(line, against.conditions, &differs);
    } else if let (Some(wanted), false) = (against.conditions, header.lines.is_empty() || against.head.is_empty()) {
        let message =
            format!("the settings have the matcher {}, but the script's header has none", conditions_text(wanted));
        report.note("header", message, against.place, "add a line `Matcher:` to the header");
    }
}

fn check_event(line: &HeaderLine, def: &FrameworkEventDef, differs: &dyn Fn(&HeaderLine, String, String)) {
    // A comment may follow the name.
    let word = line.value.split_whitespace().next().unwrap_or_default();
    let names = || ROWS.iter().map(|def| def.name);
    if !names().any(|name| name == word) {
        let help = suggest_or_list(word, names(), "the events are");
        differs(line, format!("the header names the event `{word}`, which does not exist"), help);
    } else if word != def.name {
        let message =
            format!("the header says that the hook is for {word}, but the settings register it for {}", def.name);
        differs(line, message, String::from("write the same in both"));
    }
}

fn check_matcher(
    line: &HeaderLine,
    wanted: Option<&Map<String, Value>>,
    differs: &dyn Fn(&HeaderLine, String, String),
) {
    let nothing = NOTHING.contains(&line.value.to_lowercase().as_str());
    let said = if nothing { Some(Map::new()) } else { parse_conditions(&line.value) };
    let Some(said) = said else {
        let help = String::from("write it as `tool_name = \"Bash\"`");
        return differs(line, format!("the header's matcher `{}` is invalid", line.value), help);
    };
    if said != wanted.cloned().unwrap_or_default() {
        let have = wanted.map_or_else(|| String::from("none"), conditions_text);
        let message = format!("the header's matcher is {}, but the settings have {have}", conditions_text(&said));
        differs(line, message, String::from("write the same in both"));
    }
}

fn conditions_text(conditions: &Map<String, Value>) -> String {
    match conditions.is_empty() {
        true => String::from("none"),
        false => format!("`{}`", Value::Object(conditions.clone())),
    }
}

/// Parses `tool_name = "Bash" and tool_input.path = "x"`.
fn parse_conditions(text: &str) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    for condition in text.replace(" and ", ",").replace(" AND ", ",").replace("&&", ",").split(',') {
        let (field, value) = condition.split_once('=')?;
        let (field, value) = (field.trim(), value.trim_start_matches('=').trim());
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value.trim_matches(['\'', '`'])));
        let mut path: Vec<&str> = field.split('.').collect();
        let last = path.pop().filter(|last| !last.is_empty())?;
        let mut at = &mut found;
        for name in path {
            at = at.entry(name).or_insert_with(|| Value::Object(Map::new())).as_object_mut()?;
        }
        at.insert(last.to_owned(), value);
    }
    Some(found)
}
