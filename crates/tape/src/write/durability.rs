//! What of a tape survives what.

use std::fmt;
use std::str::FromStr;

use pintle_contract::suggest_nearest;

use crate::record::Body;
use crate::record::host::{HostRecord, Stage};

/// How much a tape in a file outlives. What each level costs is stated in the guide to tapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Each record is handed to the operating system before the host acts. It outlives the program, `kill -9` included, and
    /// not the machine. The default.
    #[default]
    None,
    /// Besides, the file is synced to the disk at the end of each turn and of the session.
    Turn,
    /// Besides, the file is synced to the disk after each record, before the host acts.
    Record,
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
    pub(super) fn syncs_after(self, body: &Body<'_>) -> bool {
        match self {
            Self::None => false,
            Self::Turn => match body {
                Body::Host(HostRecord::Turn(turn)) => turn.stage == Stage::End,
                Body::Outcome(decided) => decided.event == "session.end",
                _ => false,
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|level| level.as_str() == text);
        named.ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let meant = suggest_nearest(text, names).map(|name| format!("; did you mean `{name}`?"));
            format!("unknown durability `{text}`, expected `none`, `turn` or `record`{}", meant.unwrap_or_default())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use pintle_contract::{Event, EventName, Origin, Outcome};
    use serde_json::json;

    use super::*;
    use crate::record::Decided;
    use crate::record::host::Turn;

    #[test]
    fn each_level_syncs_where_it_says() {
        let turn = |stage| {
            let origin = Cow::Owned(Origin::default());
            Body::Host(HostRecord::Turn(Turn { origin, stage, ended: None, usage: None }))
        };
        let outcome = |name: &'static str| {
            let fired = Event::new(EventName::parse(name).unwrap(), json!({}), std::sync::Arc::new(Origin::default()));
            let outcome = Box::leak(Box::new(Outcome::unchanged(fired.payload)));
            Body::Outcome(Decided::new(1, name, outcome, 0, false))
        };
        let cases = [
            (turn(Stage::Start), [false, false, true]),
            (turn(Stage::End), [false, true, true]),
            (outcome("tool.pre"), [false, false, true]),
            (outcome("session.end"), [false, true, true]),
        ];
        for (body, expected) in cases {
            assert_eq!(Durability::ALL.map(|level| level.syncs_after(&body)), expected, "{body:?}");
        }
    }
}
