//! Compares operations with the rules of packs.

use pintle_shell::{Operation, OperationKind, OperationTag, PathPlace};

use crate::{OperationTest, PackDef, PackSettings, RuleDef, RuleSeverity};

/// The most characters of what a model is told.
const MAX_MESSAGE: usize = 2000;
/// The most characters of a fact in it: a path, an address, an option.
const MAX_FACT: usize = 200;
/// The most addresses in it.
const MAX_SOURCES: usize = 3;

/// The name of the metadata of a verdict that passes only because the user pauses self-protection: the rule that found
/// something.
pub const PAUSED_RULE: &str = "paused_rule";

/// A rule that found something.
#[derive(Debug, Clone, Copy)]
pub struct PackFinding<'o> {
    /// The pack.
    pub pack: &'static PackDef,
    /// The rule.
    pub rule: &'static RuleDef,
    /// What it does.
    pub severity: RuleSeverity,
    /// The operation that it found.
    pub operation: &'o Operation,
    /// The test that the operation meets.
    test: &'static OperationTest,
    /// All operations of the call.
    operations: &'o [Operation],
}

/// The findings of a pack's rules, at most one for each rule, in the order of the rules.
pub fn judge<'o>(
    pack: &'static PackDef,
    settings: &PackSettings,
    operations: &'o [Operation],
) -> impl Iterator<Item = PackFinding<'o>> {
    pack.rules.iter().filter_map(move |rule| {
        let setting = if settings.is_empty() { None } else { settings.get(rule.id) };
        let severity = rule.severity_under(setting)?;
        let is_allowed = |operation: &Operation| {
            setting.is_some_and(|setting| setting.allowed.iter().any(|allowed| allowed.covers(operation)))
        };
        let (operation, test) = operations.iter().find_map(|operation| {
            let test = rule.tests.iter().find(|test| test.matches(operation))?;
            (!is_allowed(operation)).then_some((operation, test))
        })?;
        Some(PackFinding { pack, rule, severity, operation, test, operations })
    })
}

impl PackFinding<'_> {
    /// The finding while the user pauses self-protection.
    #[must_use]
    pub fn in_pause(self) -> Self {
        let severity = if self.is_pausable() { RuleSeverity::Warn } else { self.severity };
        Self { severity, ..self }
    }

    /// Whether its rule only warns while the user pauses self-protection.
    #[must_use]
    pub fn is_pausable(&self) -> bool {
        self.pack.pausable.contains(&self.rule.id)
    }

    /// The rule's full name, such as `git.force-push`.
    #[must_use]
    pub fn rule_name(&self) -> String {
        format!("{}.{}", self.pack.name, self.rule.id)
    }

    /// Why the rule objects, in general.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        if self.test.reason.is_empty() { self.rule.reason } else { self.test.reason }
    }

    /// What to do instead.
    #[must_use]
    pub fn way_out(&self) -> &'static str {
        if self.test.instead.is_empty() { self.rule.instead } else { self.test.instead }
    }

    /// What the model is told.
    #[must_use]
    pub fn message(&self) -> String {
        let facts = self.facts();
        let facts = if facts.is_empty() { facts } else { format!(" ({facts})") };
        let end = format!(". {} [{}]", self.way_out(), self.rule_name());
        let room = MAX_MESSAGE.saturating_sub(end.chars().count());
        format!("{}{end}", cut(&format!("{}{facts}", self.reason()), room))
    }

    /// What of the call it is about: what the operation is done to as code, and why it cannot be known as prose.
    fn facts(&self) -> String {
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
        facts.extend(self.file_words());
        facts.join(", ")
    }

    /// The file that does it, if it is not the call.
    fn file_words(&self) -> Option<String> {
        let file = self.operation.file.as_ref()?;
        Some(match self.operation.line {
            Some(line) => format!("in `{file}`, line {line}"),
            None => format!("in `{file}`"),
        })
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
fn as_code(text: &str) -> String {
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
