//! Writes down what the engine does in one dispatch, and holds each record against the one on the tape.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{CallId, Journal, JournalEntry};

use super::encode::RecordTail;
use super::redaction::RedactionMask;
use super::split::SplitLine;
use super::stubs::StubSet;
use crate::journal_records::{OpenDispatch, records_of_entry};
use crate::record::RecordBody;

/// What stands on a new tape in the place of one record of the old one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineReplacement {
    /// The place of the record on the old tape.
    pub(super) index: usize,
    /// What stands there now, without what places it on the tape; empty for nothing, and more than one where the old tape
    /// ends too early.
    pub(super) tails: Vec<RecordTail>,
}

/// The journal of one dispatch.
#[derive(Debug)]
pub(super) struct ComparingJournal<'s, 't> {
    stubs: &'s StubSet,
    /// What takes out of sight what is not on the tape.
    mask: Option<&'s RedactionMask>,
    state: Mutex<ComparisonState<'s, 't>>,
}

#[derive(Debug)]
struct ComparisonState<'s, 't> {
    number: u64,
    parent: Option<u64>,
    dispatch: OpenDispatch,
    lines: &'s [SplitLine<'t>],
    /// Whether the event's payload was not read.
    is_payload_skipped: bool,
    /// The places of the dispatch's records.
    records: &'s [usize],
    next: usize,
    is_over: bool,
    has_ended: bool,
    replacements: Vec<LineReplacement>,
}

impl<'s, 't> ComparingJournal<'s, 't> {
    /// An empty sheet for a dispatch. `is_over` tells whether it ends on the tape; where it does not, the tape has only the
    /// beginning of what the engine does.
    pub(super) fn new(
        stage: &'s StubSet,
        (number, parent): (u64, Option<u64>),
        (lines, records): (&'s [SplitLine<'t>], &'s [usize]),
        is_over: bool,
        veil: Option<&'s RedactionMask>,
    ) -> Self {
        let page = ComparisonState {
            number,
            parent,
            dispatch: OpenDispatch::default(),
            lines,
            is_payload_skipped: false,
            records,
            next: 0,
            is_over,
            has_ended: false,
            replacements: Vec::new(),
        };
        Self { stubs: stage, mask: veil, state: Mutex::new(page) }
    }

    /// Says whether the event's payload was not read. Its record is then held against the one without it.
    #[must_use]
    pub(super) fn without_payload(mut self, is_bare: bool) -> Self {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).is_payload_skipped = is_bare;
        self
    }

    /// What differs from the tape.
    pub(super) fn close(self) -> Vec<LineReplacement> {
        let ComparisonState { records, next, replacements: mut instead, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        // What the engine did not do has no place on the new tape.
        instead.extend(records.iter().skip(next).map(|at| LineReplacement { index: *at, tails: Vec::new() }));
        instead
    }
}

impl Journal for ComparingJournal<'_, '_> {
    fn record(&self, entry: &JournalEntry<'_>) {
        let mut page = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let ComparisonState {
            number,
            parent,
            dispatch: open,
            lines,
            is_payload_skipped: is_bare,
            records,
            next,
            is_over,
            has_ended,
            replacements: instead,
        } = &mut *page;
        // Where the tape ends in a dispatch, what the engine made of answers that are not there is nothing to go by.
        *has_ended |= !*is_over && self.stubs.feed.is_missing(entry);
        if *has_ended {
            return;
        }
        match (entry, self.mask) {
            (JournalEntry::Event { event, .. }, _) => *open = OpenDispatch::new(*number, *parent, event),
            (JournalEntry::ApprovalAnswered { digest, .. }, Some(veil)) => veil.record_digest(digest),
            _ => {}
        }
        records_of_entry(
            entry,
            open,
            |hook| self.stubs.entry_of(hook),
            |body| {
                let at = *next;
                *next += 1;
                // A dispatch that does not end on the tape went on without it.
                if at >= records.len() && !*is_over {
                    return;
                }
                let line = records.get(at).and_then(|at| lines.get(*at));
                let bare = line
                    .filter(|_| *is_bare && matches!(body, RecordBody::Event(_)))
                    .and_then(|line| line.tail_without_payload.as_deref());
                let expected = bare.or(line.map(|line| line.tail)).unwrap_or_default();
                let other = match self.mask {
                    None => RecordTail::reencode_if_different(&body, expected),
                    Some(veil) => Some(RecordTail::encode(&body, Some(veil))).filter(|tail| tail.text != expected),
                };
                let Some(tail) = other else { return };
                match records.get(at) {
                    Some(at) => instead.push(LineReplacement { index: *at, tails: vec![tail] }),
                    // Behind the last record, which was another one: the engine's last one is always an outcome.
                    None => {
                        if let Some(last) = instead.last_mut() {
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
