//! The text that a model gets about what a rule found.

use pintle_shell::{Operation, OperationKind, OperationTag, PathPlace};

/// The most characters of what a model is told.
const MAX_MESSAGE: usize = 2000;
/// The most characters of a fact in it: a path, an address, an option.
const MAX_FACT: usize = 200;
/// The most addresses in it.
const MAX_SOURCES: usize = 3;

/// What a model is told: why, about what, what to do instead, and the rule.
pub(crate) fn render_message(reason: &str, facts: &str, way_out: &str, rule_name: &str) -> String {
    let facts = if facts.is_empty() { String::new() } else { format!(" ({facts})") };
    let way_out = if way_out.is_empty() { String::new() } else { format!(" {way_out}") };
    let end = format!(".{way_out} [{rule_name}]");
    let room = MAX_MESSAGE.saturating_sub(end.chars().count());
    format!("{}{end}", cut(&format!("{reason}{facts}"), room))
}

/// An operation that a rule found, among all operations of the call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundFacts<'o> {
    pub(crate) operation: &'o Operation,
    pub(crate) operations: &'o [Operation],
}

impl FoundFacts<'_> {
    /// What of the call it is about: what the operation is done to as code, and why it cannot be known as prose.
    pub(crate) fn text(&self) -> String {
        let written = &self.operation.written;
        // What the line does not name at all is no fact.
        let mut facts: Vec<String> = if !matches!(written.as_str(), "" | "…") {
            vec![as_code(self.whole_path().unwrap_or(written))]
        } else if self.operation.kind == OperationKind::RunCode && self.operation.has(OperationTag::Network) {
            self.sources()
        } else {
            Vec::new()
        };
        if facts.is_empty() || !self.operation.has(OperationTag::Network) {
            facts.extend(Some(self.operation.reason.as_str()).filter(|text| !text.is_empty()).map(plain_text));
        }
        let file = self.operation.file.as_deref();
        Self::in_file(facts.join(", "), file, self.operation.line)
    }

    /// A fact with the file that does it, if it is not the call.
    pub(crate) fn in_file(fact: String, file: Option<&str>, line: Option<usize>) -> String {
        match (file, line) {
            (Some(file), Some(line)) => format!("{fact}, in `{file}`, line {line}"),
            (Some(file), None) => format!("{fact}, in `{file}`"),
            (None, _) => fact,
        }
    }

    /// The path, if it is written by a name that says little, as behind `cd /etc`.
    fn whole_path(&self) -> Option<&String> {
        let is_near = matches!(self.operation.place?, PathPlace::Project | PathPlace::Temporary | PathPlace::Unknown);
        let is_whole = self.operation.written.starts_with(['/', '~', '$']);
        self.operation.path.as_ref().filter(|_| !is_near && !is_whole)
    }

    /// The addresses from which the call gets something.
    fn sources(&self) -> Vec<String> {
        let mut sources: Vec<String> = Vec::new();
        for download in self.operations.iter().filter(|operation| operation.kind == OperationKind::Download) {
            let source = as_code(&download.written);
            if !download.written.is_empty() && !sources.contains(&source) && sources.len() < MAX_SOURCES {
                sources.push(source);
            }
        }
        sources
    }
}

/// A text of the call in code marks, on one line.
pub(crate) fn as_code(text: &str) -> String {
    let text = plain_text(text);
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A text of the call as it is shown: one line, and not too long.
fn plain_text(text: &str) -> String {
    let shown: String =
        text.chars().take(MAX_FACT + 1).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    cut(&shown, MAX_FACT)
}

/// The beginning of a text, if it has more characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}
