//! The journal of one replayed dispatch, which compares each of the engine's records with the one on the tape.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{CallId, DispatchId, Journal, JournalEntry};

use super::encode::{RecordTail, begins_as};
use super::recorded_dispatch::SingleRecord;
use super::redaction::RedactionMask;
use super::split::SplitLine;
use super::stubs::StubSet;
use crate::journal_records::{OpenDispatch, PassingDispatch, records_of_entry};
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
    /// Whether the event's record is known to be as on the tape, but for the calls that passed.
    is_event_written: bool,
    /// Whether the event's record is the whole dispatch.
    single_record: Option<SingleRecord>,
    /// The records so far, if they may become a single one.
    passing: Option<PassingDispatch>,
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
            is_event_written: false,
            single_record: None,
            passing: None,
            records,
            next: 0,
            is_over,
            has_ended: false,
            replacements: Vec::new(),
        };
        Self { stubs, mask, state: Mutex::new(state) }
    }

    /// Sets whether the event's record is known to be as on the tape, but for the calls that passed.
    #[must_use]
    pub(super) fn with_written_event(mut self, is_written: bool) -> Self {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).is_event_written = is_written;
        self
    }

    /// Sets whether the event's record is the whole dispatch.
    #[must_use]
    pub(super) fn with_single_record(mut self, single_record: Option<SingleRecord>) -> Self {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).single_record = single_record;
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

impl ComparisonState<'_, '_> {
    /// Compares the next record of the dispatch with the one on the tape.
    fn compare(&mut self, mask: Option<&RedactionMask>, body: &RecordBody<'_>) {
        let Self { lines, is_event_written, single_record, records, next, is_over, replacements, .. } = self;
        let position = *next;
        *next += 1;
        // An unfinished dispatch continued after the end of the tape.
        if position >= records.len() && !*is_over {
            return;
        }
        let line = records.get(position).and_then(|index| lines.get(*index));
        let expected = line.map_or(&[][..], |line| line.tail);
        let different = match mask {
            None if *is_event_written && matches!(body, RecordBody::Event(_)) => match single_record {
                Some(SingleRecord::Passed) => (!begins_as(body, expected)).then(RecordTail::default),
                Some(SingleRecord::NoHooks) | None => None,
            },
            None => RecordTail::reencode_if_different(body, expected),
            Some(mask) => Some(RecordTail::encode(body, Some(mask))).filter(|tail| tail.text != expected),
        };
        let Some(tail) = different else { return };
        match records.get(position) {
            Some(index) => replacements.push(LineReplacement { index: *index, tails: vec![tail] }),
            // The tape has no more records of the dispatch. Its last one was replaced, because the engine's last record
            // is always an outcome.
            None => {
                if let Some(last) = replacements.last_mut() {
                    last.tails.push(tail);
                }
            }
        }
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
        // If the tape ends within the dispatch, what the engine makes of missing verdicts cannot be compared.
        state.has_ended |= !state.is_over && self.stubs.feed.is_missing(entry);
        if state.has_ended {
            return;
        }
        match (entry, self.mask) {
            (JournalEntry::Event { event, cause }, _) => {
                let parent = cause.parent.map(|parent| parent.0);
                state.dispatch = OpenDispatch::new(state.number, parent, cause.call, event);
                if state.single_record == Some(SingleRecord::Passed) {
                    state.passing = Some(PassingDispatch::new(&state.dispatch, event, 0));
                    return;
                }
            }
            (JournalEntry::ApprovalAnswered { digest, .. }, Some(mask)) => mask.record_digest(digest),
            _ => {}
        }
        if let Some(mut passing) = state.passing.take() {
            if let JournalEntry::Outcome { outcome, .. } = entry
                && let Some(record) = passing.as_single_record(outcome)
            {
                return state.compare(self.mask, &RecordBody::Event(record));
            }
            if passing.add(0, entry, |hook| Some(self.stubs.entry_of(hook))) {
                state.passing = Some(passing);
                return;
            }
            passing.write_to(|_, body| state.compare(self.mask, &body));
        }
        let mut dispatch = std::mem::take(&mut state.dispatch);
        records_of_entry(
            entry,
            &mut dispatch,
            |hook| self.stubs.entry_of(hook),
            |mut body| {
                if state.single_record == Some(SingleRecord::NoHooks) {
                    match &mut body {
                        RecordBody::Event(fired) => fired.no_hooks = true,
                        // Without a hook the outcome is always this one.
                        RecordBody::Outcome(_) => return,
                        _ => {}
                    }
                }
                state.compare(self.mask, &body);
            },
        );
        state.dispatch = dispatch;
    }

    fn next_call(&self) -> CallId {
        self.stubs.feed.next_call()
    }
}
