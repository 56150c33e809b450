//! Hooks that stood in no file and were registered while the session ran.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Chain, Event, EventName, Handler, HookCall, Layer, MatchResult, Matcher, Verdict};
use pintle_engine::HookSet;
use pintle_tape::LoadedHook;

use super::tape_dispatch::{TapeCall, TapeDispatch, TapeHookTable};

/// The hooks of today and, for one dispatch, those that were registered while the session ran and are nowhere now: they say
/// what they said.
pub(super) fn with_recorded_hooks(set: Arc<HookSet>, recorded: &TapeDispatch, entries: &TapeHookTable) -> Arc<HookSet> {
    let is_there = |id: &str| set.hooks().any(|(_, hook)| hook.event == recorded.event.name && hook.id.as_str() == id);
    let mut chains: Vec<Chain> = Vec::new();
    let mut known: Vec<u64> = Vec::new();
    for call in &recorded.calls {
        let Some(entry) = entries.get(&call.entry).filter(|entry| entry.layer == Layer::Runtime) else { continue };
        if known.contains(&entry.entry) || is_there(&entry.id) {
            continue;
        }
        known.push(entry.entry);
        chains.extend(recorded_chain(entry, recorded));
    }
    if chains.is_empty() { set } else { Arc::new(set.with_chains(chains)) }
}

fn recorded_chain(entry: &LoadedHook, recorded: &TapeDispatch) -> Option<Chain> {
    let of_hook = |call: &&TapeCall| call.entry == entry.entry;
    let said = recorded.calls.iter().filter(of_hook).filter_map(|call| call.verdict.clone()).rev().collect();
    let stand_in = Arc::new(RecordedHook(Mutex::new(said)));
    let hook = entry.to_stub_hook(EventName::parse(&entry.event).ok()?, stand_in);
    Some(entry.to_chain(Arc::new(hook)))
}

/// Says again what a hook said, the last first in the list, and wants nothing when that is used up.
#[derive(Debug)]
struct RecordedHook(Mutex<Vec<Verdict>>);

impl Matcher for RecordedHook {
    fn matches(&self, _event: &Event) -> MatchResult {
        if self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            MatchResult::No
        } else {
            MatchResult::Yes
        }
    }

    fn describe(&self) -> String {
        String::from("as the tape says")
    }
}

impl Handler for RecordedHook {
    fn kind(&self) -> &'static str {
        "none"
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_else(Verdict::pass)
    }
}
