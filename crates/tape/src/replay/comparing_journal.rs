//! The journal of one replayed dispatch, which compares each of the engine's records with the one on the tape.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{CallId, DispatchId, Journal, JournalEntry};

use super::encode::{RecordTail, is_encoded_as};
use super::redaction::RedactionMask;
use super::split::SplitLine;
use super::stubs::StubSet;
use crate::journal_records::{OpenDispatch, records_of_entry};
use crate::record::RecordBody;

/// The lines of the new tape that replace one line of the old tape.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineReplacement {
    /// The index of the line on the old tape.
    pub(super) index: usize,
    /// The new lines from their kind on. Empty if the new tape has no such record; more than one if the old tape ends
    /// too early.
    pub(super) tails: Vec<RecordTail>,
}

/// A journal that records nothing and collects the differences of one dispatch from the tape.
#[derive(Debug)]
pub(super) struct ComparingJournal<'s, 't> {
    stubs: &'s StubSet,
    /// Redacts what is redacted on the tape.
    mask: Option<&'s RedactionMask>,
    state: Mutex<ComparisonState<'s, 't>>,
}

#[derive(Debug)]
struct ComparisonState<'s, 't> {
    number: u64,
    dispatch: OpenDispatch,
    lines: &'s [SplitLine<'t>],
    /// Whether the event's payload has references to blobs, as on the tape.
    has_references: bool,
    /// Whether the event's record is the whole dispatch.
    has_no_hooks: bool,
    /// The indices of the dispatch's lines.
    records: &'s [usize],
    next: usize,
    is_over: bool,
    has_ended: bool,
    replacements: Vec<LineReplacement>,
}

impl<'s, 't> ComparingJournal<'s, 't> {
    /// A journal for one dispatch. `is_over` is whether the tape has its outcome. If not, the tape has only the first
    /// records of what the engine produces.
    pub(super) fn new(
        stubs: &'s StubSet,
        number: u64,
        (lines, records): (&'s [SplitLine<'t>], &'s [usize]),
        is_over: bool,
        mask: Option<&'s RedactionMask>,
    ) -> Self {
        let state = ComparisonState {
            number,
            dispatch: OpenDispatch::default(),
            lines,
            has_references: false,
            has_no_hooks: false,
            records,
            next: 0,
            is_over,
            has_ended: false,
            replacements: Vec::new(),
        };
        Self { stubs, mask, state: Mutex::new(state) }
    }

    /// Sets whether the event's payload has references to blobs.
    #[must_use]
    pub(super) fn with_references(mut self, has_references: bool) -> Self {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).has_references = has_references;
        self
    }

    /// Sets whether the event's record is the whole dispatch.
    #[must_use]
    pub(super) fn without_hooks(mut self, has_no_hooks: bool) -> Self {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).has_no_hooks = has_no_hooks;
        self
    }

    /// The differences from the tape.
    pub(super) fn close(self) -> Vec<LineReplacement> {
        let ComparisonState { records, next, mut replacements, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        // The engine did not produce the remaining records, so the new tape does not have them.
        replacements
            .extend(records.iter().skip(next).map(|index| LineReplacement { index: *index, tails: Vec::new() }));
        replacements
    }
}

impl Journal for ComparingJournal<'_, '_> {
    fn begin_dispatch(&self, event: &JournalEntry<'_>) -> DispatchId {
        let number = self.state.lock().unwrap_or_else(PoisonError::into_inner).number;
        self.record(DispatchId(number), event);
        DispatchId(number)
    }

    fn record(&self, _dispatch: DispatchId, entry: &JournalEntry<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let ComparisonState {
            number,
            dispatch,
            lines,
            has_references,
            has_no_hooks,
            records,
            next,
            is_over,
            has_ended,
            replacements,
        } = &mut *state;
        // If the tape ends within the dispatch, what the engine makes of missing verdicts cannot be compared.
        *has_ended |= !*is_over && self.stubs.feed.is_missing(entry);
        if *has_ended {
            return;
        }
        match (entry, self.mask) {
            (JournalEntry::Event { event, cause }, _) => {
                *dispatch = OpenDispatch::new(*number, cause.parent.map(|parent| parent.0), cause.call, event);
            }
            (JournalEntry::ApprovalAnswered { digest, .. }, Some(mask)) => mask.record_digest(digest),
            _ => {}
        }
        records_of_entry(
            entry,
            dispatch,
            |hook| self.stubs.entry_of(hook),
            |mut body| {
                if *has_no_hooks {
                    match &mut body {
                        RecordBody::Event(fired) => fired.no_hooks = true,
                        // Without a hook the outcome is always this one.
                        RecordBody::Outcome(_) => return,
                        _ => {}
                    }
                }
                let position = *next;
                *next += 1;
                // An unfinished dispatch continued after the end of the tape.
                if position >= records.len() && !*is_over {
                    return;
                }
                let line = records.get(position).and_then(|index| lines.get(*index));
                let expected = line.map_or(&[][..], |line| line.tail);
                let different = match self.mask {
                    None if *has_references && matches!(body, RecordBody::Event(_)) => {
                        (!is_encoded_as(&body, expected)).then(RecordTail::default)
                    }
                    None => RecordTail::reencode_if_different(&body, expected),
                    Some(mask) => Some(RecordTail::encode(&body, Some(mask))).filter(|tail| tail.text != expected),
                };
                let Some(tail) = different else { return };
                match records.get(position) {
                    Some(index) => replacements.push(LineReplacement { index: *index, tails: vec![tail] }),
                    // The tape has no more records of the dispatch. Its last one was replaced, because the engine's
                    // last record is always an outcome.
                    None => {
                        if let Some(last) = replacements.last_mut() {
                            last.tails.push(tail);
                        }
                    }
                }
            },
        );
    }

    fn next_call(&self) -> CallId {
        self.stubs.feed.next_call()
    }
}
