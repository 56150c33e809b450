//! The state of one dispatch.

use std::cell::OnceCell;

use pintle_contract::event::RewriteTarget;
use pintle_contract::{
    DispatchId, EnforcementMode, Event, Failure, FailureKind, HookId, JournalEntry, Layer, MatchResult, Payload,
    VerdictKind,
};

use super::call::{EffectMode, PendingCall};
use super::effect_cache::EffectCache;
use super::{DispatchContext, call};
use crate::compose::{CallPosition, TargetedVerdict, VerdictSource, VerdictTally, merge, messages};
use crate::select::{CandidateIter, EventIndex, NextHook, is_hook_failure, match_candidate, match_hook};

/// A running dispatch.
pub(super) struct DispatchState<'a> {
    /// The dispatch, once the journal has its first step.
    begun: OnceCell<DispatchId>,
    pub(super) context: &'a DispatchContext<'a>,
    pub(super) tally: VerdictTally,
    index: &'a EventIndex,
    fired: &'a Event,
    /// The event with the rewrites so far; `None` without rewrites.
    current: Option<Event>,
    candidates: CandidateIter<'a>,
    round: u8,
    pub(super) change: TargetChange,
    /// The hooks that rewrote the payload.
    rewriters: RewritingCalls,
    /// The guards that were called and may be rechecked.
    called_guards: OrdinalSet,
    pub(super) effect_cache: EffectCache,
}

impl<'a> DispatchState<'a> {
    #[inline]
    pub(super) fn new(index: &'a EventIndex, event: &'a Event, context: &'a DispatchContext<'a>) -> Self {
        Self {
            begun: OnceCell::new(),
            context,
            tally: VerdictTally::default(),
            index,
            fired: event,
            current: None,
            candidates: index.candidates_from(event, 0),
            round: 0,
            change: TargetChange::default(),
            rewriters: RewritingCalls::default(),
            called_guards: OrdinalSet::default(),
            effect_cache: EffectCache::default(),
        }
    }

    /// Records a step in the journal.
    pub(super) fn record(&self, entry: &JournalEntry<'_>) {
        self.context.journal.record(self.begin(), entry);
    }

    /// The dispatch, which is recorded first if needed. A dispatch in which no hook is called is recorded as a whole.
    fn begin(&self) -> DispatchId {
        let event = JournalEntry::Event { event: self.fired, cause: self.context.cause };
        *self.begun.get_or_init(|| self.context.journal.begin_dispatch(&event))
    }

    /// The dispatch, if the journal has any of its steps.
    pub(super) fn begun(&self) -> Option<DispatchId> {
        self.begun.get().copied()
    }

    /// The event with the current payload.
    pub(super) fn event(&self) -> &Event {
        self.current.as_ref().unwrap_or(self.fired)
    }

    /// The event as it was fired.
    pub(super) fn fired(&self) -> &'a Event {
        self.fired
    }

    /// The first hook of the next chain that has hooks for this event.
    pub(super) fn next_chain(&self) -> Option<NextHook<'a>> {
        self.candidates.peek()
    }

    /// The next hook before an ordinal that the index does not rule out for the current subject.
    pub(super) fn next_below(&mut self, end: u32) -> Option<NextHook<'a>> {
        self.candidates.next_below(end)
    }

    /// Starts a recheck round at the first hook.
    pub(super) fn start_round(&mut self, round: u8) {
        self.round = round;
        self.candidates = self.index.candidates_from(self.event(), 0);
    }

    /// Whether a guard has not yet been matched with the current payload, and did not produce it.
    ///
    /// Every round covers every hook, so the guard's last turn was in the previous round.
    pub(super) fn should_recheck(&self, ordinal: u32) -> bool {
        self.change.is_stale(CallPosition { round: self.round.saturating_sub(1), ordinal })
    }

    /// The position of the latest payload change; it increases with every change.
    pub(super) fn last_change(&self) -> Option<CallPosition> {
        self.change.last_position
    }

    /// One of the hooks that produced the current payload.
    pub(super) fn producer(&self) -> Option<u32> {
        self.change.producers.first().copied()
    }

    #[inline]
    pub(super) fn verdict_source(&self, turn: NextHook<'a>) -> VerdictSource<'a> {
        VerdictSource {
            hook: turn.hook,
            position: CallPosition { round: self.round, ordinal: turn.ordinal },
            layer: turn.layer,
            profile: turn.profile,
            deny_restricts: self.fired.deny_restricts(),
            repeated: self.round > 0 && self.called_guards.contains(turn.ordinal),
            shadow: self.context.shadow || turn.hook.mode == EnforcementMode::Shadow,
        }
    }

    /// Calls a hook if it matches the current event, and records its verdict.
    #[inline]
    pub(super) fn call_hook(&mut self, turn: NextHook<'a>) {
        if !self.should_call(turn) {
            return;
        }
        let voter = self.verdict_source(turn);
        let asking = self.prepare_call(voter);
        let id = asking.journal_call(self.context, self.event());
        let mut answer = call::call(&asking, self.event(), id, &self.effect_cache, self.context);
        asking.journal_return(self.context, id, &answer);
        if self.tally.take_trivial(voter, &mut answer.verdict) {
            return;
        }
        if let Some(answered) = self.tally.take_extras(voter, answer.verdict) {
            self.record_verdict(voter, answered);
        }
    }

    /// Whether a hook matches the current event and may be called. If not, and the reason matters, the tally contains
    /// it.
    #[inline]
    pub(super) fn should_call(&mut self, turn: NextHook<'a>) -> bool {
        let failure = match match_candidate(turn, self.event()) {
            MatchResult::No => return false,
            MatchResult::Failed(failure) if is_hook_failure(turn.hook, self.event(), &failure) => {
                self.journal_matcher_failure(turn, &failure);
                failure
            }
            MatchResult::Failed(failure) => {
                self.journal_matcher_failure(turn, &failure);
                let voter = self.verdict_source(turn);
                self.with_journaled_warnings(|run| run.tally.add_warning(voter, messages::matcher_failed(&failure)));
                return false;
            }
            MatchResult::Yes if !turn.duplicates.is_empty() && self.has_matching_duplicate(turn) => return false,
            MatchResult::Yes if self.context.cancel.is_cancelled() => {
                Failure::new(FailureKind::Cancelled, "the host cancelled before it was called")
            }
            MatchResult::Yes => return true,
        };
        self.record(&JournalEntry::NotCalled { hook: turn.hook, round: self.round, failure: &failure });
        let voter = self.verdict_source(turn);
        self.tally.record_uncalled(voter, failure);
        false
    }

    /// Records in the journal that a matcher failed; a replay must repeat the failure at the same position.
    fn journal_matcher_failure(&self, turn: NextHook<'a>, failure: &Failure) {
        self.record(&JournalEntry::MatcherFailed { hook: turn.hook, round: self.round, failure });
    }

    /// Whether an earlier duplicate of the hook matches the current event too.
    fn has_matching_duplicate(&self, turn: NextHook<'a>) -> bool {
        let mut duplicates = turn.duplicates.iter().filter_map(|ordinal| self.index.hook(*ordinal));
        duplicates.any(|twin| matches!(match_hook(twin, self.event()), MatchResult::Yes))
    }

    /// Prepares the call of a hook that matches.
    #[inline]
    pub(super) fn prepare_call(&mut self, source: VerdictSource<'a>) -> PendingCall<'a> {
        let CallPosition { round, ordinal } = source.position;
        let hearing = if source.repeated {
            EffectMode::Cached
        } else if source.hook.guard && !source.shadow && self.fired.name.def().target != RewriteTarget::Nothing {
            self.called_guards.add(ordinal);
            EffectMode::Recording
        } else {
            EffectMode::Live
        };
        PendingCall {
            dispatch: self.begin(),
            hook: source.hook,
            layer: source.layer,
            ordinal,
            round,
            effect_mode: hearing,
        }
    }

    /// Records the verdict of a hook that was called with the current event, and applies its rewrite.
    #[inline]
    pub(super) fn record_verdict(&mut self, source: VerdictSource<'a>, verdict: TargetedVerdict) {
        let ordinal = source.position.ordinal;
        let layer = self.index.layer(ordinal);
        let may_rewrite = !source.repeated || self.rewriters.may_rewrite(source.position, layer, &self.change);
        let verdict = if may_rewrite { verdict } else { self.drop_repeated_rewrite(verdict) };
        let made = self.with_journaled_warnings(|run| {
            let event = run.current.as_ref().unwrap_or(run.fired);
            run.tally.record_verdict(source, verdict, event)
        });
        if let Some(payload) = made {
            self.rewriters.add(source.position);
            self.set_payload(payload, ordinal.saturating_add(1), vec![ordinal], ordinal);
        }
    }

    /// Drops a rewrite that must not be applied again; otherwise `timeout 5 ls` would become `timeout 5 timeout 5 ls`,
    /// and two rewriting hooks would never end. An allow applies only if the payload has the hook's own changes.
    fn drop_repeated_rewrite(&self, verdict: TargetedVerdict) -> TargetedVerdict {
        let (rewrite, said) = verdict.split();
        let holds = rewrite.is_none_or(|rewrite| merge::is_already_applied(self.event().payload.value(), &rewrite));
        let said = said.filter(|said| holds || !matches!(said, VerdictKind::Allow { .. }));
        TargetedVerdict { kind: said.unwrap_or(VerdictKind::Pass), rewrite: None }
    }

    /// Records a hook of a parallel chain that would rewrite the payload.
    pub(super) fn record_rewriter(&mut self, source: VerdictSource<'a>) {
        self.rewriters.add(source.position);
    }

    /// The name of the hook with an ordinal.
    pub(super) fn hook_id(&self, ordinal: u32) -> Option<&'a HookId> {
        self.index.hook(ordinal).map(|hook| &hook.id)
    }

    /// Sets the current payload. `next` is the ordinal of the first hook that is called with it; `producer` is the ordinal of
    /// a hook whose chain produced it.
    pub(super) fn set_payload(&mut self, payload: Payload, next: u32, producers: Vec<u32>, producer: u32) {
        self.current = Some(self.fired.with_payload(payload));
        self.change.record(CallPosition { round: self.round, ordinal: next }, producers, self.index.layer(producer));
        self.candidates = self.index.candidates_from(self.event(), next);
    }

    /// Changes the tally, and records the resulting warnings in the journal.
    #[inline]
    pub(super) fn with_journaled_warnings<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.tally.warnings().len();
        let result = act(self);
        for warning in self.tally.warnings().iter().skip(known) {
            self.record(&JournalEntry::Warning { warning });
        }
        result
    }
}

/// A set of hook ordinals. It does not allocate for the first 64 hooks of an event, nor for the first three beyond:
/// few of many hooks match an event.
#[derive(Debug, Default)]
struct OrdinalSet {
    low: u64,
    few: [Option<u32>; 3],
    high: Vec<u32>,
}

impl OrdinalSet {
    #[inline]
    fn add(&mut self, ordinal: u32) {
        match 1_u64.checked_shl(ordinal) {
            Some(bit) => self.low |= bit,
            None => match self.few.iter_mut().find(|place| place.is_none()) {
                Some(place) => *place = Some(ordinal),
                None => self.high.push(ordinal),
            },
        }
    }

    fn contains(&self, ordinal: u32) -> bool {
        match 1_u64.checked_shl(ordinal) {
            Some(bit) => self.low & bit != 0,
            None => self.few.contains(&Some(ordinal)) || self.high.contains(&ordinal),
        }
    }
}

/// The changes of the payload.
#[derive(Debug, Default)]
pub(super) struct TargetChange {
    /// The first position that saw the latest payload; `None` while there was no change.
    pub(super) last_position: Option<CallPosition>,
    /// The hooks that produced the current payload; they need not be rechecked.
    pub(super) producers: Vec<u32>,
    /// The latest change by hooks of each layer.
    by_layer: Vec<(Layer, CallPosition)>,
}

impl TargetChange {
    /// Whether the payload changed after a call, and not by the hook that was called.
    #[inline]
    pub(super) fn is_stale(&self, turn: CallPosition) -> bool {
        self.last_position.is_some_and(|change| turn < change) && !self.producers.contains(&turn.ordinal)
    }

    /// Records a change by hooks of a layer.
    pub(super) fn record(&mut self, position: CallPosition, producers: Vec<u32>, layer: Layer) {
        self.last_position = Some(position);
        self.producers = producers;
        match self.by_layer.iter_mut().find(|(known, _)| *known == layer) {
            Some((_, last)) => *last = position,
            None => self.by_layer.push((layer, position)),
        }
    }

    /// Whether hooks of a lower layer changed the payload after a call of a hook of this layer.
    fn is_from_lower_layer(&self, layer: Layer, turn: CallPosition) -> bool {
        self.by_layer.iter().any(|(other, at)| *other > layer && turn < *at)
    }
}

/// The hooks that rewrote the payload, each with its latest call.
///
/// A guard that is rechecked decides but does not rewrite again: within a layer the order of the hooks applies, and its
/// rewrite was already applied. If a *lower* layer has changed the payload since, the rewrite is applied again, because
/// a lower layer must not widen what a higher one restricted.
#[derive(Debug, Default)]
pub(super) struct RewritingCalls(Vec<(u32, CallPosition)>);

impl RewritingCalls {
    /// Records that a hook rewrote the payload in a call.
    pub(super) fn add(&mut self, call: CallPosition) {
        if self.0.iter().all(|(known, _)| *known != call.ordinal) {
            self.0.push((call.ordinal, call));
        }
    }

    /// Records another call of a hook, and returns whether its rewrite is applied.
    pub(super) fn may_rewrite(&mut self, call: CallPosition, layer: Layer, change: &TargetChange) -> bool {
        let Some((_, last)) = self.0.iter_mut().find(|(known, _)| *known == call.ordinal) else { return true };
        let before = std::mem::replace(last, call);
        change.is_from_lower_layer(layer, before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_numbers_are_kept_together() {
        let numbers: Vec<u32> = (0..10).chain(60..70).chain([1_000, u32::MAX]).collect();
        let mut asked = OrdinalSet::default();
        numbers.iter().for_each(|number| asked.add(*number));
        assert!((0..2_000).chain([u32::MAX]).all(|number| asked.contains(number) == numbers.contains(&number)));
    }

    #[test]
    fn low_and_high_numbers_are_kept_apart() {
        let numbers = [0, 1, 63, 64, 65, 127, 128, u32::MAX];
        for kept in numbers {
            let mut asked = OrdinalSet::default();
            asked.add(kept);
            assert_eq!(numbers.map(|number| asked.contains(number)), numbers.map(|number| number == kept));
        }
    }
}
