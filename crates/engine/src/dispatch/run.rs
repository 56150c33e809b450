//! The state of one dispatch.

use pintle_contract::event::RewriteTarget;
use pintle_contract::{EnforcementMode, Event, Failure, FailureKind, Hook, HookId, JournalEntry, Payload, VerdictKind};

use super::Surroundings;
use super::calling::{self, Asking, Hearing};
use super::change::{Change, Rewriters};
use super::echo::Echoes;
use crate::compose::{Answered, Position, Tally, Voter, lay, words};
use crate::select::{EventIndex, Turn, Walk, Wants, wants, wants_now};

/// One dispatch under way.
pub(super) struct Run<'a> {
    pub(super) around: &'a Surroundings<'a>,
    pub(super) tally: Tally,
    index: &'a EventIndex,
    fired: &'a Event,
    /// The event with the rewrites so far; `None` while there are none.
    current: Option<Event>,
    walk: Walk<'a>,
    round: u8,
    pub(super) change: Change,
    /// The hooks that changed the target.
    rewriters: Rewriters,
    /// The guards that were asked and may be asked again.
    guards_asked: Asked,
    pub(super) echoes: Echoes,
}

impl<'a> Run<'a> {
    #[inline]
    pub(super) fn new(index: &'a EventIndex, fired: &'a Event, around: &'a Surroundings<'a>) -> Self {
        Self {
            around,
            tally: Tally::default(),
            index,
            fired,
            current: None,
            walk: index.walk(fired, 0),
            round: 0,
            change: Change::default(),
            rewriters: Rewriters::default(),
            guards_asked: Asked::default(),
            echoes: Echoes::default(),
        }
    }

    /// The event as it stands.
    pub(super) fn event(&self) -> &Event {
        self.current.as_ref().unwrap_or(self.fired)
    }

    /// The event as it was fired.
    pub(super) fn fired(&self) -> &'a Event {
        self.fired
    }

    /// The first hook of the next chain that has one for this event.
    pub(super) fn next_chain(&self) -> Option<Turn<'a>> {
        self.walk.peek()
    }

    /// The next hook that the index does not rule out for the subject as it stands, below a number.
    pub(super) fn next_below(&mut self, end: u32) -> Option<Turn<'a>> {
        self.walk.next_below(end)
    }

    /// Starts a round in which guards are asked again, from the first hook on.
    pub(super) fn start_round(&mut self, round: u8) {
        self.round = round;
        self.walk = self.index.walk(self.event(), 0);
    }

    /// Whether a guard has neither judged the target as it stands, nor made it, nor been passed over on it.
    ///
    /// Every round gives every hook its turn, so its last turn was in the round before.
    pub(super) fn is_unsettled(&self, ordinal: u32) -> bool {
        self.change.is_stale(Position { round: self.round.saturating_sub(1), ordinal })
    }

    /// When the target changed last; grows with every change.
    pub(super) fn changed_at(&self) -> Option<Position> {
        self.change.at
    }

    /// One of the hooks that made the target what it is.
    pub(super) fn producer(&self) -> Option<u32> {
        self.change.producers.first().copied()
    }

    #[inline]
    pub(super) fn voter(&self, turn: Turn<'a>) -> Voter<'a> {
        Voter {
            hook: turn.hook,
            position: Position { round: self.round, ordinal: turn.ordinal },
            layer: turn.layer,
            profile: turn.profile,
            repeated: self.round > 0 && self.guards_asked.has(turn.ordinal),
            shadow: self.around.shadow || turn.hook.mode == EnforcementMode::Shadow,
        }
    }

    /// Asks a hook when it wants the event as it stands, and takes its answer.
    #[inline]
    pub(super) fn turn(&mut self, turn: Turn<'a>) {
        if !self.admits(turn) {
            return;
        }
        let voter = self.voter(turn);
        let asking = self.asking(voter);
        let id = asking.announce(self.around, self.event());
        let mut answer = calling::call(&asking, self.event(), id, &self.echoes, self.around);
        asking.report(self.around, id, &answer);
        if self.tally.settles(voter, &mut answer.verdict) {
            return;
        }
        if let Some(answered) = self.tally.open(voter, answer.verdict) {
            self.take(voter, answered);
        }
    }

    /// Whether a hook wants the event as it stands and may be asked. Why not, where that matters, is in the tally.
    #[inline]
    pub(super) fn admits(&mut self, turn: Turn<'a>) -> bool {
        let failure = match wants(turn, self.event()) {
            Wants::No => return false,
            Wants::Failed(failure) if counts(turn.hook, &failure) => {
                self.tell_unmatched(turn, &failure);
                failure
            }
            Wants::Failed(failure) => {
                self.tell_unmatched(turn, &failure);
                let voter = self.voter(turn);
                self.noting(|run| run.tally.warn(voter, words::matcher_failed(&failure)));
                return false;
            }
            Wants::Yes if !turn.twins.is_empty() && self.is_spoken_for(turn) => return false,
            Wants::Yes if self.around.cancel.is_cancelled() => {
                Failure::new(FailureKind::Cancelled, "the host cancelled before it was asked")
            }
            Wants::Yes => return true,
        };
        self.around.journal.record(&JournalEntry::NotCalled { hook: turn.hook, round: self.round, failure: &failure });
        let voter = self.voter(turn);
        self.tally.unasked(voter, failure);
        false
    }

    /// Tells the journal that a matcher failed: a replay has to be told so at the same point.
    fn tell_unmatched(&self, turn: Turn<'a>, failure: &Failure) {
        self.around.journal.record(&JournalEntry::MatcherFailed { hook: turn.hook, round: self.round, failure });
    }

    /// Whether an earlier hook that is the same wants the event as it stands too.
    fn is_spoken_for(&self, turn: Turn<'a>) -> bool {
        let mut twins = turn.twins.iter().filter_map(|ordinal| self.index.hook(*ordinal));
        twins.any(|twin| matches!(wants_now(twin, self.event()), Wants::Yes))
    }

    /// Prepares the call of a hook that is admitted.
    #[inline]
    pub(super) fn asking(&mut self, voter: Voter<'a>) -> Asking<'a> {
        let Position { round, ordinal } = voter.position;
        let hearing = if voter.repeated {
            Hearing::Echo
        } else if voter.hook.guard && !voter.shadow && self.fired.name.def().target != RewriteTarget::Nothing {
            self.guards_asked.add(ordinal);
            Hearing::Kept
        } else {
            Hearing::Plain
        };
        Asking { hook: voter.hook, layer: voter.layer, ordinal, round, hearing }
    }

    /// Takes the answer of a hook that saw the event as it stands, and makes its rewrite the target.
    #[inline]
    pub(super) fn take(&mut self, voter: Voter<'a>, answered: Answered) {
        let ordinal = voter.position.ordinal;
        let layer = self.index.layer(ordinal);
        let may_rewrite = !voter.repeated || self.rewriters.may_rewrite(voter.position, layer, &self.change);
        let answered = if may_rewrite { answered } else { self.once(answered) };
        let made = self.noting(|run| {
            let event = run.current.as_ref().unwrap_or(run.fired);
            run.tally.take(voter, answered, event)
        });
        if let Some(payload) = made {
            self.rewriters.add(voter.position);
            self.change(payload, ordinal.saturating_add(1), vec![ordinal], ordinal);
        }
    }

    /// The answer of a hook whose rewrite is not taken a second time, or `timeout 5 ls` would become `timeout 5 timeout 5 ls`
    /// and two rewriting hooks would go on for ever. An allow counts only where the hook has what it wished for.
    fn once(&self, answered: Answered) -> Answered {
        let (rewrite, said) = answered.split();
        let holds = rewrite.is_none_or(|rewrite| lay::holds(self.event().payload.value(), &rewrite));
        let said = said.filter(|said| holds || !matches!(said, VerdictKind::Allow { .. }));
        Answered { said: said.unwrap_or(VerdictKind::Pass), rewrite: None }
    }

    /// Tells of a hook that saw the same payload as others and would change it.
    pub(super) fn rewrote(&mut self, voter: Voter<'a>) {
        self.rewriters.add(voter.position);
    }

    /// The name of the hook with a number.
    pub(super) fn hook(&self, ordinal: u32) -> Option<&'a HookId> {
        self.index.hook(ordinal).map(|hook| &hook.id)
    }

    /// Makes a payload the target. `next` is the number of the first hook whose turn is on it, `by` that of one of the hooks
    /// whose chain made it.
    pub(super) fn change(&mut self, payload: Payload, next: u32, producers: Vec<u32>, by: u32) {
        self.current = Some(self.fired.with_payload(payload));
        self.change.record(Position { round: self.round, ordinal: next }, producers, self.index.layer(by));
        self.walk = self.index.walk(self.event(), next);
    }

    /// Does something to the tally and tells the journal of the warnings it made.
    #[inline]
    pub(super) fn noting<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.tally.warnings().len();
        let result = act(self);
        for warning in self.tally.warnings().iter().skip(known) {
            self.around.journal.record(&JournalEntry::Warning { warning });
        }
        result
    }
}

/// Whether a failure of a hook's matcher is a failure of the hook. What the matcher's own code raised is one only where the
/// author says so; a limit, a deadline or a death never means that the hook does not want the event.
fn counts(hook: &Hook, failure: &Failure) -> bool {
    hook.strict_matcher || failure.kind.is_cut_short()
}

/// A set of hooks' numbers. It allocates nothing for the first 64 hooks of an event, and nothing for the first of the
/// others: of many hooks, few want one event.
#[derive(Debug, Default)]
struct Asked {
    low: u64,
    one: Option<u32>,
    high: Vec<u32>,
}

impl Asked {
    #[inline]
    fn add(&mut self, ordinal: u32) {
        match 1_u64.checked_shl(ordinal) {
            Some(bit) => self.low |= bit,
            None if self.one.is_none() => self.one = Some(ordinal),
            None => self.high.push(ordinal),
        }
    }

    fn has(&self, ordinal: u32) -> bool {
        match 1_u64.checked_shl(ordinal) {
            Some(bit) => self.low & bit != 0,
            None => self.one == Some(ordinal) || self.high.contains(&ordinal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_numbers_are_kept_together() {
        let numbers: Vec<u32> = (0..10).chain(60..70).chain([1_000, u32::MAX]).collect();
        let mut asked = Asked::default();
        numbers.iter().for_each(|number| asked.add(*number));
        assert!((0..2_000).chain([u32::MAX]).all(|number| asked.has(number) == numbers.contains(&number)));
    }

    #[test]
    fn low_and_high_numbers_are_kept_apart() {
        let numbers = [0, 1, 63, 64, 65, 127, 128, u32::MAX];
        for kept in numbers {
            let mut asked = Asked::default();
            asked.add(kept);
            assert_eq!(numbers.map(|number| asked.has(number)), numbers.map(|number| number == kept));
        }
    }
}
