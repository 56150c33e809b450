//! Finds the hooks of an event. The index is compiled once and immutable; nothing here does I/O.

mod index;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pintle_contract::event::EventClass;
use pintle_contract::{
    Chain, EnforcementMode, Event, EventCallReads, EventKind, EventName, Failure, FailureKind, FailurePolicy, Hook,
    HookInfluence, MatchResult, Profile,
};

pub(crate) use index::{CandidateIter, EventIndex, NextHook};

/// The hooks of all sources, in the order in which they are called, indexed by event and subject.
///
/// Chains are ordered by configuration layer, and within a layer in the order in which they were added. A hook with the
/// same [`Hook::definition`] as an earlier one stays in its chain, but is not called if the earlier one is. Copies share
/// one index.
#[derive(Debug, Clone, Default)]
pub struct HookSet(Arc<IndexedHooks>);

#[derive(Debug, Default)]
struct IndexedHooks {
    chains: Vec<Chain>,
    // INVARIANT: one list for each kind up to the last that has hooks; a list is sorted by name, and only that of a family
    // can have more than one name.
    events: Vec<Vec<(EventName, EventIndex)>>,
    call_reads: EventCallReads,
    may_wait: bool,
}

impl HookSet {
    /// Compiles chains into a set.
    #[must_use]
    pub fn new(mut chains: Vec<Chain>) -> Self {
        chains.sort_by_key(|chain| chain.layer);
        let last = chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.event.kind() as usize).max();
        let mut events = vec![Vec::new(); last.map_or(0, |last| last + 1)];
        for chain in &chains {
            let mut heard: Vec<&EventName> = Vec::new();
            for hook in &chain.hooks {
                if !heard.contains(&&hook.event) {
                    heard.push(&hook.event);
                }
            }
            for name in heard {
                let Some(names) = events.get_mut(name.kind() as usize) else { continue };
                let at = find_name(names, name).unwrap_or_else(|at| {
                    names.insert(at, (name.clone(), EventIndex::default()));
                    at
                });
                if let Some((_, index)) = names.get_mut(at) {
                    index.push(chain, chain.hooks.iter().filter(|hook| hook.event == *name));
                }
            }
        }
        let mut call_reads = EventCallReads::default();
        for hook in chains.iter().flat_map(|chain| &chain.hooks).filter(|hook| hook.event.def().is_about_tool_call()) {
            call_reads.add(hook.event.kind(), hook.handler.call_reads());
        }
        let may_wait = chains.iter().flat_map(|chain| &chain.hooks).any(|hook| hook.handler.may_wait());
        Self(Arc::new(IndexedHooks { chains, events, call_reads, may_wait }))
    }

    /// A set without hooks.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The chains, in the order in which they are called.
    #[must_use]
    pub fn chains(&self) -> &[Chain] {
        &self.0.chains
    }

    /// Every hook with its chain, in the order in which they are called.
    pub fn hooks(&self) -> impl Iterator<Item = (&Chain, &Arc<Hook>)> {
        self.0.chains.iter().flat_map(|chain| chain.hooks.iter().map(move |hook| (chain, hook)))
    }

    /// A new set with additional chains; each follows the existing chains of its layer.
    #[must_use]
    pub fn with_chains(&self, chains: impl IntoIterator<Item = Chain>) -> Self {
        Self::new(self.0.chains.iter().cloned().chain(chains).collect())
    }

    /// Whether the set has hooks for an event.
    #[must_use]
    pub fn has_hooks_for(&self, name: &EventName) -> bool {
        self.event_index(name).is_some()
    }

    /// Whether an enforced hook can deny or rewrite the event, as far as its dialect determines.
    #[must_use]
    pub fn may_change(&self, name: &EventName) -> bool {
        let can = |hook: &Hook| {
            let denies_by_failing = hook.on_failure == FailurePolicy::Closed;
            hook.mode == EnforcementMode::Enforce
                && (denies_by_failing || hook.handler.influence(&hook.event_alias) > HookInfluence::Observes)
        };
        self.has_hooks_for(name) && self.hooks().any(|(_, hook)| hook.event == *name && can(hook))
    }

    /// What the hooks of each event may read of a tool call's `paths` and `operations`.
    #[must_use]
    pub fn call_reads(&self) -> EventCallReads {
        self.0.call_reads
    }

    /// Whether a call of any hook may wait for something outside this process.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        self.0.may_wait
    }

    /// Whether a hook for one of these events depends on the order of its calls.
    #[must_use]
    pub fn needs_order(&self, events: &[EventKind]) -> bool {
        self.hooks().any(|(_, hook)| hook.handler.needs_order() && events.contains(&hook.event.kind()))
    }

    pub(crate) fn event_index(&self, name: &EventName) -> Option<&EventIndex> {
        let names = self.0.events.get(name.kind() as usize)?;
        names.get(find_name(names, name).ok()?).map(|(_, index)| index)
    }
}

/// The position of a name among those of its kind, or where to insert it.
fn find_name(names: &[(EventName, EventIndex)], name: &EventName) -> Result<usize, usize> {
    names.binary_search_by(|(known, _)| known.cmp(name))
}

/// Whether two hooks of one event do the same, so that calling both is redundant. Their matchers may differ.
///
/// In addition to the definition, everything that affects how a verdict applies must be equal: a hook in shadow mode is
/// not a duplicate of an enforced one, nor one that fails open of one that fails closed. Otherwise adding a hook could
/// lift a deny.
pub(crate) fn is_duplicate(
    (one_dialect, one_profile, one): (&str, Profile, &Hook),
    (other_dialect, other_profile, other): (&str, Profile, &Hook),
) -> bool {
    one.definition.is_some()
        && one.definition == other.definition
        && one.event_alias == other.event_alias
        && one_dialect == other_dialect
        && one_profile == other_profile
        && (one.mode, one.source_trust, one.on_failure, one.on_deny)
            == (other.mode, other.source_trust, other.on_failure, other.on_deny)
}

/// Calls the matcher of a candidate if the index requires it. A matcher that panics has failed.
#[inline]
pub(crate) fn match_candidate(turn: NextHook<'_>, event: &Event) -> MatchResult {
    if turn.needs_check { match_hook(turn.hook, event) } else { MatchResult::Yes }
}

/// Calls the matcher of a hook that was not looked up in the index.
pub(crate) fn match_hook(hook: &Hook, event: &Event) -> MatchResult {
    let Some(matcher) = &hook.matcher else {
        return MatchResult::Yes;
    };
    match catch_unwind(AssertUnwindSafe(|| matcher.matches(event))) {
        Ok(result) => result,
        Err(panic) => MatchResult::Failed(Failure::new(
            FailureKind::Crash,
            format!("the matcher panicked: {}", panic_text(&*panic)),
        )),
    }
}

/// Whether a failed matcher is a failure of the hook. An error in the matcher's own code is one only if the author says
/// so. A limit, a timeout or a crash never means that the hook does not match; neither does an error of a guard about a
/// payload without its subject, such as a tool call without the name of the tool: nothing else can judge such an event.
pub(crate) fn is_hook_failure(hook: &Hook, event: &Event, failure: &Failure) -> bool {
    let lacks_subject = || {
        let def = event.name.def();
        hook.guard && def.class == EventClass::Guard && def.subject.is_some() && event.subject().is_none()
    };
    hook.strict_matcher || failure.kind.is_cut_short() || lacks_subject()
}

/// The message of a panic, on one line.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    text.lines().next().unwrap_or_default().to_owned()
}
