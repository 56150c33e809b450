//! Stub hooks for the hooks that were registered while the session ran, and that no file declares.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Chain, Event, EventName, Handler, HookCall, Layer, MatchResult, Matcher, Verdict};
use pintle_engine::HookSet;
use pintle_tape::LoadedHook;

use super::tape_dispatch::{TapeCall, TapeDispatch, TapeHookTable};

/// The current hooks, and for one dispatch the hooks that were registered while the session ran and do not exist any
/// more. Those return their recorded verdicts.
pub(super) fn with_recorded_hooks(set: Arc<HookSet>, recorded: &TapeDispatch, entries: &TapeHookTable) -> Arc<HookSet> {
    let exists = |id: &str| set.hooks().any(|(_, hook)| hook.event == recorded.event.name && hook.id.as_str() == id);
    let mut chains: Vec<Chain> = Vec::new();
    let mut known: Vec<u64> = Vec::new();
    for call in &recorded.calls {
        let Some(entry) = entries.get(&call.entry).filter(|entry| entry.layer == Layer::Runtime) else { continue };
        if known.contains(&entry.entry) || exists(&entry.id) {
            continue;
        }
        known.push(entry.entry);
        chains.extend(recorded_chain(entry, recorded));
    }
    if chains.is_empty() { set } else { Arc::new(set.with_chains(chains)) }
}

fn recorded_chain(loaded_hook: &LoadedHook, recorded: &TapeDispatch) -> Option<Chain> {
    let of_hook = |call: &&TapeCall| call.entry == loaded_hook.entry;
    let verdicts = recorded.calls.iter().filter(of_hook).filter_map(|call| call.verdict.clone()).rev().collect();
    let stub = Arc::new(RecordedHook(Mutex::new(verdicts)));
    let hook = loaded_hook.to_stub_hook(EventName::parse(&loaded_hook.event).ok()?, stub);
    Some(loaded_hook.to_chain(Arc::new(hook)))
}

/// Returns the recorded verdicts of a hook, from the end of the list. Matches no event after the last verdict.
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
        String::from("as recorded on the tape")
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
