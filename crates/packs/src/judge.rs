//! Compares operations with the rules of packs.

use pintle_shell::Operation;

use crate::{PackDef, PackSettings, RuleDef, RuleSeverity};

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
            setting.is_some_and(|setting| setting.allowed.iter().any(|allowed| allows(allowed, operation)))
        };
        let operation = operations
            .iter()
            .find(|operation| rule.tests.iter().any(|test| test.matches(operation)) && !is_allowed(operation))?;
        Some(PackFinding { pack, rule, severity, operation })
    })
}

/// Whether an entry of an allow-list names an operation: its target as written, or its path by a pattern.
fn allows(allowed: &str, operation: &Operation) -> bool {
    let path = operation.path.as_deref();
    // The options that make a call dangerous stand in front of its target.
    let target =
        operation.written.rsplit_once(' ').filter(|(options, _)| options.split(' ').all(|word| word.starts_with('-')));
    if allowed == operation.written || target.is_some_and(|(_, target)| target == allowed) || Some(allowed) == path {
        return true;
    }
    let below = allowed.strip_suffix("/**").or_else(|| allowed.strip_suffix('/'));
    below.is_some_and(|below| {
        path.is_some_and(|path| path.strip_prefix(below).is_some_and(|rest| rest.starts_with('/')))
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

    /// What the model is told.
    #[must_use]
    pub fn message(&self) -> String {
        let mut message = self.rule.reason.to_owned();
        let target = if self.operation.written.is_empty() {
            self.operation.reason.as_str()
        } else {
            self.operation.written.as_str()
        };
        let shown: String = target.chars().take(120).collect();
        let target = (!shown.is_empty()).then(|| format!("`{shown}`"));
        let place: Vec<String> = target.into_iter().chain(self.file_words()).collect();
        if !place.is_empty() {
            message.push_str(&format!(" ({})", place.join(", ")));
        }
        format!("{message}. {} [{}]", self.rule.instead, self.rule_name())
    }

    /// The file that does it, if it is not the call.
    fn file_words(&self) -> Option<String> {
        let file = self.operation.file.as_ref()?;
        Some(match self.operation.line {
            Some(line) => format!("in `{file}`, line {line}"),
            None => format!("in `{file}`"),
        })
    }
}
