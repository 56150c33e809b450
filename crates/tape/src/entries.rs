//! What the engine tells, as records. The writer and a replay spell its steps alike because both do it here.

use pintle_contract::{Event, Hook, JournalEntry, Payload};

use crate::record::{Answered, Asked, Body, Decided, Fired, Passed, Resolved, TRUE_ROUNDS, Vetoed, Warned};

/// One dispatch that is going on.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// Its number.
    pub(crate) number: u64,
    /// The dispatch that caused it.
    pub(crate) parent: Option<u64>,
    /// The versions of the payload so far.
    versions: Vec<Payload>,
    rounds: Rounds,
}

/// How a format counts the rounds of calls.
#[derive(Debug, Default)]
enum Rounds {
    /// As they are.
    #[default]
    True,
    /// A hook's first call in a dispatch has 0, whatever round it is in: format 2. These are the hooks that were called.
    FirstIsZero(Vec<u64>),
}

/// A version of a dispatch's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    /// Its number, from 0.
    pub(crate) number: u32,
    /// Whether it was not seen before.
    pub(crate) first_seen: bool,
}

impl Open {
    /// A dispatch of an event, on a tape of this format.
    pub(crate) fn new(number: u64, parent: Option<u64>, fired: &Event, format: u32) -> Self {
        let rounds = if format < TRUE_ROUNDS { Rounds::FirstIsZero(Vec::new()) } else { Rounds::True };
        Self { number, parent, versions: vec![fired.payload.clone()], rounds }
    }

    /// The round of a call as the format counts it.
    fn round(&mut self, entry: u64, round: u8) -> u8 {
        match &mut self.rounds {
            Rounds::FirstIsZero(called) if !called.contains(&entry) => {
                called.push(entry);
                0
            }
            Rounds::True | Rounds::FirstIsZero(_) => round,
        }
    }

    /// Numbers a payload within the dispatch.
    pub(crate) fn version(&mut self, payload: &Payload) -> Version {
        // The newest is the likeliest, and a shared allocation is the cheap answer.
        if let Some(at) = self.versions.iter().rposition(|known| known == payload) {
            return Version { number: u32::try_from(at).unwrap_or(u32::MAX), first_seen: false };
        }
        self.versions.push(payload.clone());
        Version { number: u32::try_from(self.versions.len() - 1).unwrap_or(u32::MAX), first_seen: true }
    }
}

/// Spells one step of a dispatch as its records, in their order. `number` gives the number of a hook in the tape.
pub(crate) fn bodies<'a>(
    entry: &JournalEntry<'a>,
    open: &mut Open,
    number: impl Fn(&Hook) -> u64,
    mut each: impl FnMut(Body<'a>),
) {
    let dispatch = open.number;
    match entry {
        JournalEntry::Event { event, cause } => each(Body::Event(Fired::new(dispatch, open.parent, event, *cause))),
        JournalEntry::MatcherFailed { hook, round, failure } => {
            each(Body::Unmatched(Passed::new(dispatch, hook, number(hook), *round, failure)));
        }
        JournalEntry::NotCalled { hook, round, failure } => {
            each(Body::Unasked(Passed::new(dispatch, hook, number(hook), *round, failure)));
        }
        JournalEntry::Call { id, hook, round, event } => {
            let version = open.version(&event.payload);
            let entry = number(hook);
            let asked = Asked::new(dispatch, *id, hook, entry, open.round(entry, *round));
            each(Body::HookCall(asked.seeing(event, version.number, version.first_seen)));
        }
        JournalEntry::Return { id, hook, verdict, duration_us } => {
            each(Body::HookReturned(Answered::new(dispatch, *id, hook, verdict, *duration_us)));
            if let Some(vetoed) = Vetoed::of(dispatch, *id, hook, verdict) {
                each(Body::HookVetoed(vetoed));
            }
        }
        JournalEntry::Warning { warning } => {
            each(Body::Warning(Warned::new((dispatch > 0).then_some(dispatch), warning)))
        }
        JournalEntry::ApprovalAnswered { digest, reasons, response: resolution } => {
            each(Body::Approval(Resolved::new(dispatch, digest, reasons, resolution)));
        }
        JournalEntry::Outcome { event, outcome } => {
            let version = open.version(&outcome.payload);
            let name = event.name.as_str();
            each(Body::Outcome(Decided::new(dispatch, name, outcome, version.number, version.first_seen)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_contract::{EventName, Origin};
    use serde_json::json;

    use super::*;
    use crate::record::FORMAT;

    #[test]
    fn each_version_is_new_once() {
        let name = EventName::parse("tool.pre").unwrap();
        let fired = Event::new(name, json!({"a": 1}), Arc::new(Origin::default()));
        let mut open = Open::new(1, None, &fired, FORMAT);
        let version = |number, first_seen| Version { number, first_seen };
        assert_eq!(open.version(&fired.payload), version(0, false));
        assert_eq!(open.version(&Payload::new(json!({"a": 2}))), version(1, true));
        assert_eq!(open.version(&Payload::new(json!({"a": 2}))), version(1, false));
        assert_eq!(open.version(&fired.payload), version(0, false));
    }

    #[test]
    fn format_2_counts_a_first_call_as_of_the_first_round() {
        let name = EventName::parse("tool.pre").unwrap();
        let fired = Event::new(name, json!({}), Arc::new(Origin::default()));
        let rounds = |format| {
            let mut open = Open::new(1, None, &fired, format);
            [(7, 0), (8, 1), (7, 1), (8, 2)].map(|(entry, round)| open.round(entry, round))
        };
        assert_eq!((rounds(2), rounds(3)), ([0, 0, 1, 2], [0, 1, 1, 2]));
    }
}
