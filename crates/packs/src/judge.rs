//! Compares operations with the rules of packs.

use pintle_shell::Operation;

use crate::facts::{FoundFacts, render_message};
use crate::policy::{RuledCall, is_allowed_call, is_allowed_operation, is_exempt};
use crate::{OperationTest, PackDef, PackSettings, RuleDef, RuleSeverity};

/// The name of the metadata of a verdict that passes only because the user pauses self-protection: the rule that found
/// something.
pub const PAUSED_RULE: &str = "paused_rule";

/// The name of the metadata of a verdict that passes only because the user allows the call once: the rule that found
/// something.
pub const ALLOWED_ONCE_RULE: &str = "allowed_once_rule";

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
    call: RuledCall<'o, '_>,
) -> impl Iterator<Item = PackFinding<'o>> {
    let operations = call.operations;
    // No exception reaches what guards Pintle itself: its own rules can be set by name.
    let exceptions = if pack.pausable.is_empty() { settings.allowed.as_slice() } else { &[] };
    let is_allowed_call = !exceptions.is_empty() && is_allowed_call(exceptions, &call);
    pack.rules.iter().filter_map(move |rule| {
        let setting = settings.rules.get(rule.id);
        let severity = rule.severity_under(setting)?;
        let is_allowed = |operation: &Operation| {
            setting.is_some_and(|setting| setting.allowed.iter().any(|allowed| allowed.covers(operation)))
                || is_exempt(operation) && (is_allowed_call || is_allowed_operation(exceptions, operation, &call))
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
        let facts = FoundFacts { operation: self.operation, operations: self.operations };
        render_message(self.reason(), &facts.text(), self.way_out(), &self.rule_name())
    }
}
