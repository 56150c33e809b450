//! Writes down what the engine does in one dispatch, and holds each record against the one on the tape.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{CallId, Journal, JournalEntry};

use super::cast::Stage;
use super::lines::Line;
use super::spell::Tail;
use super::veil::Veil;
use crate::entries::{Open, bodies};
use crate::record::Body;

/// What stands on a new tape in the place of one record of the old one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Instead {
    /// The place of the record on the old tape.
    pub(super) at: usize,
    /// What stands there now, without what places it on the tape; empty for nothing, and more than one where the old tape
    /// ends too early.
    pub(super) tails: Vec<Tail>,
}

/// The journal of one dispatch.
#[derive(Debug)]
pub(super) struct Sheet<'s, 't> {
    stage: &'s Stage,
    /// What takes out of sight what is not on the tape.
    veil: Option<&'s Veil>,
    page: Mutex<Page<'s, 't>>,
}

#[derive(Debug)]
struct Page<'s, 't> {
    number: u64,
    parent: Option<u64>,
    format: u32,
    open: Open,
    lines: &'s [Line<'t>],
    /// Whether the event's payload was not read.
    is_bare: bool,
    /// The places of the dispatch's records.
    records: &'s [usize],
    next: usize,
    is_over: bool,
    has_ended: bool,
    instead: Vec<Instead>,
}

impl<'s, 't> Sheet<'s, 't> {
    /// An empty sheet for a dispatch. `is_over` tells whether it ends on the tape; where it does not, the tape has only the
    /// beginning of what the engine does.
    pub(super) fn new(
        stage: &'s Stage,
        (number, parent, format): (u64, Option<u64>, u32),
        (lines, records): (&'s [Line<'t>], &'s [usize]),
        is_over: bool,
        veil: Option<&'s Veil>,
    ) -> Self {
        let page = Page {
            number,
            parent,
            format,
            open: Open::default(),
            lines,
            is_bare: false,
            records,
            next: 0,
            is_over,
            has_ended: false,
            instead: Vec::new(),
        };
        Self { stage, veil, page: Mutex::new(page) }
    }

    /// Says whether the event's payload was not read. Its record is then held against the one without it.
    #[must_use]
    pub(super) fn bare(mut self, is_bare: bool) -> Self {
        self.page.get_mut().unwrap_or_else(PoisonError::into_inner).is_bare = is_bare;
        self
    }

    /// What differs from the tape.
    pub(super) fn close(self) -> Vec<Instead> {
        let Page { records, next, mut instead, .. } = self.page.into_inner().unwrap_or_else(PoisonError::into_inner);
        // What the engine did not do has no place on the new tape.
        instead.extend(records.iter().skip(next).map(|at| Instead { at: *at, tails: Vec::new() }));
        instead
    }
}

impl Journal for Sheet<'_, '_> {
    fn record(&self, entry: &JournalEntry<'_>) {
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let Page { number, parent, format, open, lines, is_bare, records, next, is_over, has_ended, instead } =
            &mut *page;
        // Where the tape ends in a dispatch, what the engine made of answers that are not there is nothing to go by.
        *has_ended |= !*is_over && self.stage.desk.lacks(entry);
        if *has_ended {
            return;
        }
        match (entry, self.veil) {
            (JournalEntry::Event { event, .. }, _) => *open = Open::new(*number, *parent, event, *format),
            (JournalEntry::ApprovalAnswered { digest, .. }, Some(veil)) => veil.learn(digest),
            _ => {}
        }
        bodies(
            entry,
            open,
            |hook| self.stage.entry(hook),
            |body| {
                let at = *next;
                *next += 1;
                // A dispatch that does not end on the tape went on without it.
                if at >= records.len() && !*is_over {
                    return;
                }
                let line = records.get(at).and_then(|at| lines.get(*at));
                let bare =
                    line.filter(|_| *is_bare && matches!(body, Body::Event(_))).and_then(|line| line.bare.as_deref());
                let expected = bare.or(line.map(|line| line.tail)).unwrap_or_default();
                let other = match self.veil {
                    None => Tail::other(&body, expected),
                    Some(veil) => Some(Tail::of(&body, Some(veil))).filter(|tail| tail.text != expected),
                };
                let Some(tail) = other else { return };
                match records.get(at) {
                    Some(at) => instead.push(Instead { at: *at, tails: vec![tail] }),
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
        self.stage.desk.next_call()
    }
}
