//! Live replay: firing the events of a tape at the current hooks, and comparing the results with the recorded ones.
//!
//! [`tape::replay`](pintle_tape::replay) needs nothing but the tape. A live replay calls real hooks. It fires each
//! event as it was recorded, whatever the current hooks decided about the one before. An effect request gets its reply
//! from the tape if the tape has the same request.

mod compare;
mod current_hooks;
mod observe;
mod recorded_hooks;
mod tape_dispatch;
mod tape_effects;

use std::fmt;

use pintle_contract::{CancelToken, EventCause, SourceTrust};
use pintle_engine::{DispatchContext, dispatch};
use pintle_tape::LoadedTape;
use serde::Serialize;

pub use current_hooks::CurrentHooks;

use observe::ObservingJournal;
use tape_dispatch::{TapeDispatch, TapeHookTable};
use tape_effects::TapeEffects;

/// The result of a live replay.
#[derive(Debug)]
pub struct LiveReplayReport {
    /// The number of events that were fired.
    pub dispatches: usize,
    /// The number of hook calls.
    pub calls: usize,
    /// The first difference or all differences, in the order of the tape.
    pub differences: Vec<LiveDifference>,
}

/// One difference between the recorded hooks and the current ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveDifference {
    /// The line on the tape, from 1.
    pub line: usize,
    /// The number of the dispatch.
    pub dispatch: u64,
    /// The name of the event.
    pub event: String,
    /// The hook; `None` if only the outcome differs.
    pub hook: Option<String>,
    /// The kind of difference.
    pub kind: LiveDifferenceKind,
    /// The recorded value.
    pub expected: Option<String>,
    /// The current value.
    pub actual: Option<String>,
}

/// In what the current hooks differ from the recorded ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveDifferenceKind {
    /// A hook that was called does not exist any more.
    Missing,
    /// A hook is called that did not exist.
    New,
    /// A hook that was called still exists, but is not called.
    NotCalled,
    /// A hook is called that existed, but was not called.
    NewlyCalled,
    /// The hooks are called in a different order.
    Order,
    /// A hook sees a different payload.
    Payload,
    /// A hook makes a different effect request.
    Request,
    /// A hook returns a different verdict.
    Verdict,
    /// The outcome is different.
    Outcome,
}

impl fmt::Display for LiveDifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "it does not exist any more",
            Self::New => "it did not exist",
            Self::NotCalled => "it is not called any more",
            Self::NewlyCalled => "it was not called",
            Self::Order => "it is called in a different order",
            Self::Payload => "it sees a different payload",
            Self::Request => "it makes a different effect request",
            Self::Verdict => "it returns a different verdict",
            Self::Outcome => "the outcome is different",
        })
    }
}

/// Fires every event of a tape at the current hooks. `all` finds every difference instead of only the first.
///
/// A hook that was registered while the session ran, and that no file declares, returns its recorded verdicts.
#[must_use]
pub fn replay_live(tape: &LoadedTape, current: &CurrentHooks<'_>, all: bool) -> LiveReplayReport {
    replay_live_with_progress(tape, current, all, &mut |_, _| {})
}

/// Runs [`replay_live`] and reports progress: the number of events fired so far, and the total.
#[must_use]
pub fn replay_live_with_progress(
    tape: &LoadedTape,
    current: &CurrentHooks<'_>,
    all: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> LiveReplayReport {
    let (loaded, dispatches) = tape_dispatch::dispatches_of(tape);
    let was_untrusted = loaded.values().any(|entry| entry.source_trust == SourceTrust::Untrusted);
    let current = &current.with_source_trust(if was_untrusted { SourceTrust::Untrusted } else { SourceTrust::Trusted });
    let mut report = LiveReplayReport { dispatches: 0, calls: 0, differences: Vec::new() };
    let count = dispatches.len();
    for recorded in dispatches {
        progress(report.dispatches, count);
        let observed = fire_dispatch(&recorded, &loaded, current, tape.header.shadow);
        report.dispatches += 1;
        report.calls += observed.calls.len();
        report.differences.extend(compare::compare(&recorded, &loaded, current, observed));
        if !all && !report.differences.is_empty() {
            report.differences.truncate(1);
            break;
        }
    }
    progress(report.dispatches, count);
    report
}

/// The working directory of a recorded session; `None` if the tape does not have it.
#[must_use]
pub fn session_dir(tape: &LoadedTape) -> Option<&str> {
    tape_dispatch::session_dir(tape)
}

/// Fires a recorded event at the current hooks.
fn fire_dispatch(
    recorded: &TapeDispatch,
    table: &TapeHookTable,
    current: &CurrentHooks<'_>,
    shadow: bool,
) -> observe::ObservedDispatch {
    let set =
        recorded_hooks::with_recorded_hooks(current.hooks_for_agent(&recorded.event.origin.agent), recorded, table);
    let cancel = CancelToken::default();
    let journal = ObservingJournal::new(recorded, &cancel);
    let effects = TapeEffects::new(recorded);
    let context = DispatchContext {
        journal: &journal,
        clock: current.runtime.clock(),
        effects: &effects,
        approver: &effects,
        cancel: &cancel,
        shadow,
        cause: EventCause::default(),
        memory: None,
    };
    let outcome = dispatch(&set, &recorded.event, &context);
    journal.into_dispatch(outcome, effects.into_unused_effects())
}
