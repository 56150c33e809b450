//! Decides a recorded session again under the hooks of today.
//!
//! [`tape::replay`](pintle_tape::replay) enacts a tape with nothing but what is on it. Here the hooks are real: every event
//! of the tape is fired at them as it was recorded, whatever they would have made of the one before, and what they say
//! is held against what was said. What they ask of the world is answered from the tape, where the request is the same.

mod absent;
mod compare;
mod listen;
mod present;
mod recorded;
mod told;

use std::fmt;

use pintle_contract::{CancelToken, SourceTrust};
use pintle_engine::{DispatchContext, dispatch};
use pintle_tape::LoadedTape;
use serde::Serialize;

pub use present::Present;

use listen::Listener;
use recorded::{Entries, Recorded};
use told::Told;

/// What came of a tape under the hooks of today.
#[derive(Debug)]
pub struct Live {
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
    pub what: What,
    /// What is on the tape.
    pub expected: Option<String>,
    /// What happens now.
    pub got: Option<String>,
}

/// In what the hooks of today differ from those of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A hook that was asked is not there any more.
    Missing,
    /// A hook is asked that was not there.
    New,
    /// A hook that was asked is there and is not asked.
    NotAsked,
    /// A hook is asked that was there and was not asked.
    Asked,
    /// Hooks are asked in another order.
    Order,
    /// A hook sees another payload.
    Payload,
    /// A hook asks something else of the world.
    Request,
    /// A hook says something else.
    Said,
    /// The outcome is another one.
    Outcome,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "it is not there any more",
            Self::New => "it was not there",
            Self::NotAsked => "it is not asked any more",
            Self::Asked => "it was not asked",
            Self::Order => "it is asked in another order",
            Self::Payload => "it sees another payload",
            Self::Request => "it asks something else of the world",
            Self::Said => "it says something else",
            Self::Outcome => "the outcome is another one",
        })
    }
}

/// Fires every event of a tape at the hooks of today. `all` looks for every difference instead of the first one.
///
/// Hooks that were registered while the session ran and are not there now say what they said then: no file declares them.
#[must_use]
pub fn live(reading: &LoadedTape, present: &Present<'_>, all: bool) -> Live {
    live_with(reading, present, all, &mut |_, _| {})
}

/// The same, and tells how far it is: how many events were fired, and of how many.
#[must_use]
pub fn live_with(
    reading: &LoadedTape,
    present: &Present<'_>,
    all: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Live {
    let (loaded, dispatches) = recorded::gather(reading);
    let was_untrusted = loaded.values().any(|entry| entry.source_trust == SourceTrust::Untrusted);
    let present = &present.with_standing(if was_untrusted { SourceTrust::Untrusted } else { SourceTrust::Trusted });
    let mut live = Live { dispatches: 0, calls: 0, differences: Vec::new() };
    let count = dispatches.len();
    for recorded in dispatches {
        progress(live.dispatches, count);
        let heard = fire(&recorded, &loaded, present, reading.header.shadow);
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
pub fn folder(reading: &LoadedTape) -> Option<&str> {
    recorded::folder(reading)
}

/// Fires one event.
fn fire(recorded: &Recorded, loaded: &Entries, present: &Present<'_>, shadow: bool) -> listen::Heard {
    let set = absent::with(present.set(&recorded.event.origin.agent), recorded, loaded);
    let cancel = CancelToken::default();
    let listener = Listener::new(recorded, &cancel);
    let told = Told::new(recorded);
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
    listener.close(outcome, told.close())
}
