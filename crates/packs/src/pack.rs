//! What a pack is.

use pintle_shell::{Operation, OperationKind, OperationTag, PathPlace};
use serde::{Deserialize, Serialize};

/// Rules about one subject.
#[derive(Debug)]
pub struct PackDef {
    /// The name in `use:`.
    pub name: &'static str,
    /// One sentence about what it refuses.
    pub doc: &'static str,
    /// Whether it is on unless a user says otherwise.
    pub is_default: bool,
    /// The rules that only warn while the user pauses self-protection.
    pub pausable: &'static [&'static str],
    /// Its rules. Of several that find something, the most severe decides.
    pub rules: &'static [RuleDef],
}

/// What a rule does when it finds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleSeverity {
    /// It says so, and the call goes on.
    Warn,
    /// The user is asked.
    Ask,
    /// The call is denied.
    Deny,
}

impl RuleSeverity {
    /// The word in files and output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A rule of a pack.
#[derive(Debug)]
pub struct RuleDef {
    /// The name within the pack; `shell.delete-home` is the rule `delete-home` of the pack `shell`.
    pub id: &'static str,
    /// What it does unless a user says otherwise.
    pub severity: RuleSeverity,
    /// What it looks for: an operation that meets any of the tests.
    pub tests: &'static [OperationTest],
    /// Why, for the model.
    pub reason: &'static str,
    /// What to do instead, for the model.
    pub instead: &'static str,
    /// Command lines that it finds something in.
    pub stops: &'static [&'static str],
    /// Command lines of the same kind in which it finds nothing.
    pub passes: &'static [&'static str],
}

/// What an operation has to be.
#[derive(Debug)]
pub struct OperationTest {
    /// Its kind.
    pub kind: OperationKind,
    /// Its meaning; any if empty.
    pub actions: &'static [&'static str],
    /// Meanings that it does not have.
    pub other_than: &'static [&'static str],
    /// Where its path is; anywhere if empty.
    pub places: &'static [PathPlace],
    /// Tags that it has, all of them.
    pub tags: &'static [OperationTag],
    /// Tags of which it has none.
    pub without: &'static [OperationTag],
    /// Why, if it is another reason than that of the rule; empty otherwise.
    pub reason: &'static str,
    /// What to do instead, if it is something else than what the rule says; empty otherwise.
    pub instead: &'static str,
}

impl OperationTest {
    /// Operations of a kind.
    #[must_use]
    pub const fn new(kind: OperationKind) -> Self {
        Self { kind, actions: &[], other_than: &[], places: &[], tags: &[], without: &[], reason: "", instead: "" }
    }

    /// With one of these meanings.
    #[must_use]
    pub const fn actions(mut self, actions: &'static [&'static str]) -> Self {
        self.actions = actions;
        self
    }

    /// With any meaning but these.
    #[must_use]
    pub const fn other_than(mut self, actions: &'static [&'static str]) -> Self {
        self.other_than = actions;
        self
    }

    /// At one of these places.
    #[must_use]
    pub const fn places(mut self, places: &'static [PathPlace]) -> Self {
        self.places = places;
        self
    }

    /// With all of these tags.
    #[must_use]
    pub const fn tags(mut self, tags: &'static [OperationTag]) -> Self {
        self.tags = tags;
        self
    }

    /// Without any of these tags.
    #[must_use]
    pub const fn without(mut self, tags: &'static [OperationTag]) -> Self {
        self.without = tags;
        self
    }

    /// With a reason of its own.
    #[must_use]
    pub const fn reason(mut self, reason: &'static str) -> Self {
        self.reason = reason;
        self
    }

    /// With a way out of its own.
    #[must_use]
    pub const fn with_way_out(mut self, way_out: &'static str) -> Self {
        self.instead = way_out;
        self
    }

    /// Whether an operation meets the test.
    #[must_use]
    pub fn matches(&self, operation: &Operation) -> bool {
        self.kind == operation.kind
            && (self.actions.is_empty() || self.actions.contains(&operation.action.as_str()))
            && !self.other_than.contains(&operation.action.as_str())
            && (self.places.is_empty() || operation.place.is_some_and(|place| self.places.contains(&place)))
            && self.tags.iter().all(|tag| operation.has(*tag))
            && !self.without.iter().any(|tag| operation.has(*tag))
    }
}
