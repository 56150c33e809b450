//! Live replay: re-evaluates a recorded session with the current hooks.
//!
//! [`tape::replay`](pintle_tape::replay) replays a tape using only its own records. Here real hooks run: every recorded
//! event is fired as it was recorded, regardless of the verdicts so far, and the new verdicts are compared with the
//! recorded ones. An effect request is answered from the tape if the same request was recorded.

mod compare;
mod current_hooks;
mod observe;
mod recorded_hooks;
mod tape_dispatch;
mod tape_effects;

use std::fmt;

use pintle_contract::{CancelToken, SourceTrust};
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
    /// The differences, in the order of the tape: only the first one, or all of them.
    pub differences: Vec<LiveDifference>,
}

/// A difference between the current hooks and the tape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveDifference {
    /// The line of the tape, from 1.
    pub line: usize,
    /// The number of the dispatch.
    pub dispatch: u64,
    /// The name of the event.
    pub event: String,
    /// The hook; `None` if only the outcome differs.
    pub hook: Option<String>,
    /// The kind of difference.
    #[serde(rename = "what")]
    pub kind: LiveDifferenceKind,
    /// The recorded value; `None` if there is none.
    pub expected: Option<String>,
    /// The current value; `None` if there is none.
    #[serde(rename = "got")]
    pub actual: Option<String>,
}

/// The kinds of difference between the current hooks and a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveDifferenceKind {
    /// A recorded hook no longer exists.
    Missing,
    /// A hook is called that did not exist when the session was recorded.
    New,
    /// A hook exists but is no longer called.
    #[serde(rename = "not_asked")]
    NotCalled,
    /// A hook existed and was not called, but is now.
    #[serde(rename = "asked")]
    NewlyCalled,
    /// Hooks are called in a different order.
    Order,
    /// A hook receives a different payload.
    Payload,
    /// A hook makes a different effect request.
    Request,
    /// A hook returns a different verdict.
    #[serde(rename = "said")]
    Verdict,
    /// The outcome is different.
    Outcome,
}

impl fmt::Display for LiveDifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "it no longer exists",
            Self::New => "it is new",
            Self::NotCalled => "it is no longer called",
            Self::NewlyCalled => "it was not called before",
            Self::Order => "it is called in a different order",
            Self::Payload => "it receives a different payload",
            Self::Request => "it makes a different effect request",
            Self::Verdict => "it returns a different verdict",
            Self::Outcome => "the outcome is different",
        })
    }
}

/// Fires every event of a tape at the current hooks. `all` finds every difference instead of stopping at the first.
///
/// Hooks that were registered while the session ran, and that are not declared now, return their recorded verdicts,
/// because no file declares them.
#[must_use]
pub fn replay_live(reading: &LoadedTape, present: &CurrentHooks<'_>, all: bool) -> LiveReplayReport {
    replay_live_with_progress(reading, present, all, &mut |_, _| {})
}

/// Like [`replay_live`], with a progress callback: the number of events fired so far, and their total.
#[must_use]
pub fn replay_live_with_progress(
    reading: &LoadedTape,
    present: &CurrentHooks<'_>,
    all: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> LiveReplayReport {
    let (loaded, dispatches) = tape_dispatch::dispatches_of(reading);
    let was_untrusted = loaded.values().any(|entry| entry.source_trust == SourceTrust::Untrusted);
    let present = &present.with_standing(if was_untrusted { SourceTrust::Untrusted } else { SourceTrust::Trusted });
    let mut live = LiveReplayReport { dispatches: 0, calls: 0, differences: Vec::new() };
    let count = dispatches.len();
    for recorded in dispatches {
        progress(live.dispatches, count);
        let heard = fire_dispatch(&recorded, &loaded, present, reading.header.shadow);
        live.dispatches += 1;
        live.calls += heard.calls.len();
        live.differences.extend(compare::compare(&recorded, &loaded, present, heard));
        if !all && !live.differences.is_empty() {
            live.differences.truncate(1);
            break;
        }
    }
    progress(live.dispatches, count);
    live
}

/// The directory that a recorded session ran in; `None` if the tape does not record it.
#[must_use]
pub fn session_dir(reading: &LoadedTape) -> Option<&str> {
    tape_dispatch::session_dir(reading)
}

/// Fires one event.
fn fire_dispatch(
    recorded: &TapeDispatch,
    loaded: &TapeHookTable,
    present: &CurrentHooks<'_>,
    shadow: bool,
) -> observe::ObservedDispatch {
    let set =
        recorded_hooks::with_recorded_hooks(present.hooks_for_agent(&recorded.event.origin.agent), recorded, loaded);
    let cancel = CancelToken::default();
    let listener = ObservingJournal::new(recorded, &cancel);
    let told = TapeEffects::new(recorded);
    let around = DispatchContext {
        journal: &listener,
        clock: present.runtime.clock(),
        effects: &told,
        approver: &told,
        cancel: &cancel,
        shadow,
        cause: recorded.cause,
    };
    let outcome = dispatch(&set, &recorded.event, &around);
    listener.into_dispatch(outcome, told.into_unused_effects())
}
