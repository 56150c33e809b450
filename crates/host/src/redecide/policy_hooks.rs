//! A set of hooks that decides again, and which of them are not run for it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{
    CallId, Chain, Diagnostic, DispatchId, EnforcementMode, Handler, Hook, HookCall, HookInfluence, Journal,
    JournalEntry, Verdict,
};
use pintle_engine::HookSet;
use serde::Serialize;

use crate::LoadedRuntime;
use crate::live_replay::CurrentHooks;

/// A set of hooks that decides again. Hooks that act outside of Pintle are in it, but are not run: programs, servers,
/// models, and built-ins with side effects.
#[derive(Debug)]
pub struct PolicyHooks<'r> {
    current: CurrentHooks<'r>,
}

/// What is missing in an answer: a hook that was not run, or that needs something that is not available.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DecisionGap {
    /// The hook.
    pub hook: String,
    /// Why its verdict is not known.
    pub reason: String,
}

impl<'r> PolicyHooks<'r> {
    /// The hooks of a runtime and of its agents, with the errors from compiling the agents' hooks.
    #[must_use]
    pub fn from_built(built: &'r LoadedRuntime) -> (Self, Vec<Diagnostic>) {
        let (current, errors) = CurrentHooks::from_built(built);
        let skip = |_: &Chain, hook: &Arc<Hook>| match hook.handler.acts_outside() {
            true => Arc::new(Hook { handler: Arc::new(UnrunHandler(Arc::clone(&hook.handler))), ..Hook::clone(hook) }),
            false => Arc::clone(hook),
        };
        (Self { current: current.map_hooks(skip) }, errors)
    }

    /// The hooks that an agent runs under.
    pub(super) fn hooks_for_agent(&self, agent: &str) -> Arc<HookSet> {
        self.current.hooks_for_agent(agent)
    }

    /// The names of the events that hooks listen to.
    #[must_use]
    pub fn heard_events(&self) -> BTreeSet<&str> {
        let hooks = self.current.sets().flat_map(|set| set.hooks());
        hooks.map(|(_, hook)| hook.event.as_str()).collect()
    }
}

/// Takes the place of a handler that is not run.
#[derive(Debug)]
struct UnrunHandler(Arc<dyn Handler>);

impl Handler for UnrunHandler {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    fn inner(&self) -> Option<&dyn Handler> {
        Some(&*self.0)
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::pass()
    }
}

/// Notes what the answer about one thing lacks, and which hook changed it.
#[derive(Debug, Default)]
pub(super) struct PolicyJournal {
    notes: Mutex<JournalNotes>,
    next_call: AtomicU64,
    /// Whether the commands of the call are worked out without a file that it ran.
    lacks_code: AtomicBool,
}

/// What a [`PolicyJournal`] has noted.
#[derive(Debug, Default)]
pub(super) struct JournalNotes {
    pub(super) gaps: Vec<DecisionGap>,
    pub(super) changed_by: Option<String>,
}

impl PolicyJournal {
    /// Notes that the commands of the call are worked out without a file that it ran.
    pub(super) fn note_missing_code(&self) {
        self.lacks_code.store(true, Ordering::Relaxed);
    }

    pub(super) fn add_gap(&self, hook: &str, reason: String) {
        let gap = DecisionGap { hook: hook.to_owned(), reason };
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.gaps.contains(&gap) {
            notes.gaps.push(gap);
        }
    }

    /// The hook that changed the thing first.
    pub(super) fn changed_by(&self) -> Option<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).changed_by.clone()
    }

    pub(super) fn into_gaps(self) -> Vec<DecisionGap> {
        self.notes.into_inner().unwrap_or_else(PoisonError::into_inner).gaps
    }
}

impl Journal for PolicyJournal {
    fn begin_dispatch(&self, _event: &JournalEntry<'_>) -> DispatchId {
        DispatchId(0)
    }

    fn record(&self, _dispatch: DispatchId, entry: &JournalEntry<'_>) {
        match entry {
            JournalEntry::Call { hook, .. } if hook.handler.acts_outside() => {
                let can_decide = hook.handler.influence(&hook.event_alias) > HookInfluence::Observes;
                if can_decide && hook.mode == EnforcementMode::Enforce {
                    self.add_gap(hook.id.as_str(), describe_kind(hook.handler.kind()).to_owned());
                }
            }
            JournalEntry::Call { hook, .. }
                if self.lacks_code.load(Ordering::Relaxed) && hook.handler.call_reads().commands =>
            {
                self.add_gap(
                    hook.id.as_str(),
                    String::from("looks at commands, and the call ran a file that is not on the tape"),
                );
            }
            JournalEntry::Return { hook, verdict, .. } if verdict.target_rewrite().is_some() => {
                let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
                notes.changed_by.get_or_insert_with(|| hook.id.to_string());
            }
            _ => {}
        }
    }

    fn next_call(&self) -> CallId {
        CallId(self.next_call.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Why a hook of this kind is not run.
fn describe_kind(kind: &str) -> &'static str {
    match kind {
        "http" => "asks a server, which is not done again",
        "model" => "asks a model, which is not done again",
        "builtin" => "has effects outside of Pintle, so it is not run",
        _ => "is a program, which is not run",
    }
}
