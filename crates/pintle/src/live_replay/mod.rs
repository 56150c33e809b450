//! Decides a recorded session again under the hooks of today.
//!
//! [`tape::replay`](pintle_tape::replay) enacts a tape with nothing but what is on it. Here the hooks are real: every event
//! of the tape is fired at them as it was recorded, whatever they would have made of the one before, and what they say
//! is held against what was said. What they ask of the world is answered from the tape, where the request is the same.

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

/// What came of a tape under the hooks of today.
#[derive(Debug)]
pub struct LiveReplayReport {
    /// How many events were fired.
    pub dispatches: usize,
    /// How many calls of hooks there were.
    pub calls: usize,
    /// What differs, in the order of the tape: the first difference, or all of them.
    pub differences: Vec<LiveDifference>,
}

/// Something that the hooks of today do in another way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveDifference {
    /// The line of the tape, from 1.
    pub line: usize,
    /// The dispatch.
    pub dispatch: u64,
    /// The event.
    pub event: String,
    /// The hook; none where the outcome alone differs.
    pub hook: Option<String>,
    /// What differs.
    #[serde(rename = "what")]
    pub kind: LiveDifferenceKind,
    /// What is on the tape.
    pub expected: Option<String>,
    /// What happens now.
    #[serde(rename = "got")]
    pub actual: Option<String>,
}

/// In what the hooks of today differ from those of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveDifferenceKind {
    /// A hook that was asked is not there any more.
    Missing,
    /// A hook is asked that was not there.
    New,
    /// A hook that was asked is there and is not asked.
    #[serde(rename = "not_asked")]
    NotCalled,
    /// A hook is asked that was there and was not asked.
    #[serde(rename = "asked")]
    NewlyCalled,
    /// Hooks are asked in another order.
    Order,
    /// A hook sees another payload.
    Payload,
    /// A hook asks something else of the world.
    Request,
    /// A hook says something else.
    #[serde(rename = "said")]
    Verdict,
    /// The outcome is another one.
    Outcome,
}

impl fmt::Display for LiveDifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "it is not there any more",
            Self::New => "it was not there",
            Self::NotCalled => "it is not asked any more",
            Self::NewlyCalled => "it was not asked",
            Self::Order => "it is asked in another order",
            Self::Payload => "it sees another payload",
            Self::Request => "it asks something else of the world",
            Self::Verdict => "it says something else",
            Self::Outcome => "the outcome is another one",
        })
    }
}

/// Fires every event of a tape at the hooks of today. `all` looks for every difference instead of the first one.
///
/// Hooks that were registered while the session ran and are not there now say what they said then: no file declares them.
#[must_use]
pub fn replay_live(reading: &LoadedTape, present: &CurrentHooks<'_>, all: bool) -> LiveReplayReport {
    replay_live_with_progress(reading, present, all, &mut |_, _| {})
}

/// The same, and tells how far it is: how many events were fired, and of how many.
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

/// The folder that a recorded session ran in, where the tape tells.
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
