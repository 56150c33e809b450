//! How much of a tape survives a crash.

use std::fmt;
use std::str::FromStr;

use pintle_contract::{EventKind, suggest_nearest};

use crate::record::RecordBody;
use crate::record::host::{HostRecord, TurnPhase};

/// What a tape in a file survives. The guide to tapes gives the cost of each level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Each record is passed to the operating system before the host acts. It survives a killed process, even with
    /// `kill -9`, but not a power failure. The default.
    #[default]
    None,
    /// In addition, the file is synced to disk at the end of each turn and of the session.
    Turn,
    /// In addition, the file is synced to disk after each record, before the host acts.
    Record,
}

/// The error for a name that no level has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown durability `{name}`, expected `none`, `turn` or `record`{suggestion}")]
#[non_exhaustive]
pub struct UnknownDurabilityError {
    /// The name that was given.
    pub name: String,
    suggestion: String,
}

impl Durability {
    /// All levels, from the cheapest to the safest.
    pub const ALL: [Self; 3] = [Self::None, Self::Turn, Self::Record];

    /// The level's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Turn => "turn",
            Self::Record => "record",
        }
    }

    /// Whether the file is synced after a record.
    pub(super) fn should_sync_after(self, body: &RecordBody<'_>) -> bool {
        match self {
            Self::None => false,
            Self::Turn => match body {
                RecordBody::Host(HostRecord::Turn(turn)) => turn.phase == TurnPhase::End,
                body => body.outcome().is_some_and(|outcome| outcome.event == EventKind::SessionEnd.name()),
            },
            Self::Record => true,
        }
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Durability {
    type Err = UnknownDurabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|level| level.as_str() == text);
        named.ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let meant = suggest_nearest(text, names).map(|name| format!("; did you mean `{name}`?"));
            UnknownDurabilityError { name: text.to_owned(), suggestion: meant.unwrap_or_default() }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use pintle_contract::{Event, EventName, Origin, Outcome};
    use serde_json::json;

    use super::*;
    use crate::record::OutcomeRecord;
    use crate::record::host::TurnRecord;

    #[test]
    fn each_level_syncs_where_it_says() {
        let turn = |phase| {
            let origin = Cow::Owned(Origin::default());
            RecordBody::Host(HostRecord::Turn(TurnRecord { origin, phase, end_reason: None, usage: None }))
        };
        let outcome = |name: &'static str| {
            let fired = Event::new(EventName::parse(name).unwrap(), json!({}), std::sync::Arc::new(Origin::default()));
            let outcome = Box::leak(Box::new(Outcome::unchanged(fired.payload)));
            RecordBody::Outcome(OutcomeRecord::new(1, name, outcome, 0, false))
        };
        let cases = [
            (turn(TurnPhase::Start), [false, false, true]),
            (turn(TurnPhase::End), [false, true, true]),
            (outcome("tool.pre"), [false, false, true]),
            (outcome("session.end"), [false, true, true]),
        ];
        for (body, expected) in cases {
            assert_eq!(Durability::ALL.map(|level| level.should_sync_after(&body)), expected, "{body:?}");
        }
    }
}
