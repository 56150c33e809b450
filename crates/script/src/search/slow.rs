//! The interruptible engines: a lazy automaton finds a match, and a simulation of all paths at once finds its groups.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{Compiler, NFA, State};
use regex_automata::nfa::thompson::{Config as NfaConfig, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input, MatchKind};

use super::{MatchGroups, SearchBudget, TimeOver};

/// The maximum size of the automaton, in bytes.
const NFA_BYTES: usize = 8 << 20;
/// The minimum cost of a step; a new one must be computed from all states.
const STEP_COST: usize = 16;

/// A pattern whose searches can be interrupted.
#[derive(Debug)]
pub(super) struct SlowPattern {
    nfa: NFA,
    /// Forwards to the end of a match, and backwards to its start; absent if the automaton does not support the
    /// pattern.
    automata: Option<(DFA, DFA)>,
    spare: Mutex<Option<(Cache, Cache)>>,
}

/// The result of an automaton.
enum AutomatonResult {
    /// The end of the match in the direction of the search, if there is one.
    Match(Option<usize>),
    /// The automaton does not support this text.
    Unsupported,
}

impl SlowPattern {
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let config = NfaConfig::new().nfa_size_limit(Some(NFA_BYTES));
        let nfa = Compiler::new().configure(config.clone()).build(pattern).ok()?;
        let backwards = config.reverse(true).which_captures(WhichCaptures::None);
        let automata = Compiler::new().configure(backwards).build(pattern).ok().and_then(|reverse| {
            let dfa = |nfa, kind| {
                let config = Config::new().match_kind(kind).skip_cache_capacity_check(true);
                DFA::builder().configure(config).build_from_nfa(nfa).ok()
            };
            Some((dfa(nfa.clone(), MatchKind::LeftmostFirst)?, dfa(reverse, MatchKind::All)?))
        });
        Some(Self { nfa, automata, spare: Mutex::new(None) })
    }

    pub(super) fn state_count(&self) -> usize {
        self.nfa.states().len()
    }

    pub(super) fn find(
        &self,
        text: &str,
        mut from: usize,
        watch: &mut SearchBudget<'_>,
    ) -> Result<Option<Range<usize>>, TimeOver> {
        while from <= text.len() {
            let Some(found) = self.simulate_find(text, from, watch)? else { return Ok(None) };
            // The empty pattern also matches between the bytes of a character.
            if text.is_char_boundary(found.start) {
                return Ok(Some(found));
            }
            from = found.start + 1;
        }
        Ok(None)
    }

    fn simulate_find(
        &self,
        text: &str,
        from: usize,
        watch: &mut SearchBudget<'_>,
    ) -> Result<Option<Range<usize>>, TimeOver> {
        let bytes = text.as_bytes();
        if let Some(automata) = &self.automata {
            let known = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut caches = known.unwrap_or_else(|| (automata.0.create_cache(), automata.1.create_cache()));
            let found = find_by_automata(automata, &mut caches, bytes, from, watch);
            *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = Some(caches);
            if let Some(found) = found? {
                return Ok(found);
            }
        }
        let groups = NfaSimulation::new(&self.nfa, bytes, false).run(from..bytes.len(), watch)?;
        Ok(groups.and_then(|groups| groups.first().cloned().flatten()))
    }

    /// The groups of a known match.
    pub(super) fn find_groups(
        &self,
        text: &str,
        whole: Range<usize>,
        watch: &mut SearchBudget<'_>,
    ) -> Result<Option<MatchGroups>, TimeOver> {
        NfaSimulation::new(&self.nfa, text.as_bytes(), true).run(whole, watch)
    }
}

/// A match by the two automata; `None` if they do not support the text.
#[expect(clippy::option_option, reason = "no match and no answer are two things")]
fn find_by_automata(
    (forwards, backwards): &(DFA, DFA),
    caches: &mut (Cache, Cache),
    text: &[u8],
    from: usize,
    watch: &mut SearchBudget<'_>,
) -> Result<Option<Option<Range<usize>>>, TimeOver> {
    let input = Input::new(text).range(from..);
    let Ok(start) = forwards.start_state_forward(&mut caches.0, &input) else { return Ok(None) };
    let bytes = text.iter().enumerate().skip(from).map(|(index, byte)| (index, *byte));
    let end = match run_automaton(forwards, &mut caches.0, start, bytes, (None, text.len()), watch)? {
        AutomatonResult::Unsupported => return Ok(None),
        AutomatonResult::Match(None) => return Ok(Some(None)),
        AutomatonResult::Match(Some(end)) => end,
    };
    let input = Input::new(text).range(from..end).anchored(Anchored::Yes);
    let Ok(start) = backwards.start_state_reverse(&mut caches.1, &input) else { return Ok(None) };
    let bytes = text.iter().enumerate().take(end).skip(from).rev().map(|(index, byte)| (index + 1, *byte));
    let before = from.checked_sub(1).and_then(|before| text.get(before)).copied();
    Ok(match run_automaton(backwards, &mut caches.1, start, bytes, (before, from), watch)? {
        AutomatonResult::Match(Some(start)) => Some(Some(start..end)),
        AutomatonResult::Match(None) | AutomatonResult::Unsupported => None,
    })
}

/// Runs an automaton over bytes, each with the place of a match that was complete before it. `last` is the byte beyond
/// them, if the text has one, and the place of a match that ends there.
fn run_automaton(
    dfa: &DFA,
    cache: &mut Cache,
    start: LazyStateID,
    bytes: impl Iterator<Item = (usize, u8)>,
    last: (Option<u8>, usize),
    watch: &mut SearchBudget<'_>,
) -> Result<AutomatonResult, TimeOver> {
    let (mut state, mut found, cost) = (start, None, step_cost(dfa.get_nfa()));
    for (place, byte) in bytes {
        let Ok(next) = dfa.next_state(cache, state, byte) else { return Ok(AutomatonResult::Unsupported) };
        state = next;
        // The automaton does not report which steps are new, so now and then all are counted as new.
        watch.spend_cost(cost)?;
        if !state.is_tagged() {
            continue;
        }
        if state.is_match() {
            found = Some(place);
        } else if state.is_dead() {
            return Ok(AutomatonResult::Match(found));
        } else if state.is_quit() {
            return Ok(AutomatonResult::Unsupported);
        }
    }
    let (beyond, place) = last;
    let end = match beyond {
        Some(byte) => dfa.next_state(cache, state, byte),
        None => dfa.next_eoi_state(cache, state),
    };
    Ok(match end {
        Ok(last) if last.is_match() => AutomatonResult::Match(Some(place)),
        Ok(last) if last.is_quit() => AutomatonResult::Unsupported,
        Ok(_) => AutomatonResult::Match(found),
        Err(_) => AutomatonResult::Unsupported,
    })
}

/// The cost of a step of the automaton.
fn step_cost(nfa: &NFA) -> usize {
    nfa.states().len().max(STEP_COST)
}

/// The start and end of each group.
type GroupSlots = Vec<Option<usize>>;

/// A simulation of all paths through the pattern at once, the preferred first.
struct NfaSimulation<'a> {
    nfa: &'a NFA,
    text: &'a [u8],
    /// Whether a match must start at the first byte.
    anchored: bool,
    /// The round in which each state was last reached.
    last_reached_round: Vec<usize>,
    round: usize,
}

/// A pending step along a state's epsilon transitions.
enum SimulationTask {
    Visit(StateID),
    Restore(usize, Option<usize>),
}

impl<'a> NfaSimulation<'a> {
    fn new(nfa: &'a NFA, text: &'a [u8], anchored: bool) -> Self {
        Self { nfa, text, anchored, last_reached_round: vec![0; nfa.states().len()], round: 0 }
    }

    fn run(mut self, within: Range<usize>, watch: &mut SearchBudget<'_>) -> Result<Option<MatchGroups>, TimeOver> {
        let none: GroupSlots = vec![None; self.nfa.group_info().slot_len()];
        let mut now: Vec<(StateID, GroupSlots)> = Vec::new();
        let mut best: Option<GroupSlots> = None;
        self.round = 1;
        for index in within.clone().chain(std::iter::once(within.end)) {
            if best.is_none() && (index == within.start || !self.anchored) {
                self.add_epsilon_states(&mut now, self.nfa.start_anchored(), none.clone(), index);
            }
            if now.is_empty() && (best.is_some() || self.anchored) {
                break;
            }
            self.round += 1;
            let byte = self.text.get(index).filter(|_| index < within.end);
            let mut next = Vec::with_capacity(now.len());
            for (state, slots) in now {
                watch.spend_cost(STEP_COST)?;
                if matches!(self.nfa.state(state), State::Match { .. }) {
                    best = Some(slots);
                    break;
                }
                if let Some(to) = byte.and_then(|byte| next_state(self.nfa.state(state), *byte)) {
                    self.add_epsilon_states(&mut next, to, slots, index + 1);
                }
            }
            now = next;
        }
        Ok(best.map(|slots| slots.chunks(2).map(slots_to_range).collect()))
    }

    /// Follows all epsilon transitions.
    fn add_epsilon_states(
        &mut self,
        list: &mut Vec<(StateID, GroupSlots)>,
        state: StateID,
        mut slots: GroupSlots,
        index: usize,
    ) {
        let mut todo = vec![SimulationTask::Visit(state)];
        while let Some(next) = todo.pop() {
            let state = match next {
                SimulationTask::Visit(state) => state,
                SimulationTask::Restore(slot, old) => {
                    if let Some(known) = slots.get_mut(slot) {
                        *known = old;
                    }
                    continue;
                }
            };
            let Some(reached) = self.last_reached_round.get_mut(state.as_usize()).filter(|round| **round != self.round)
            else {
                continue;
            };
            *reached = self.round;
            match self.nfa.state(state) {
                State::Look { look, next } => {
                    if self.nfa.look_matcher().matches(*look, self.text, index) {
                        todo.push(SimulationTask::Visit(*next));
                    }
                }
                State::Union { alternates } => {
                    todo.extend(alternates.iter().rev().map(|to| SimulationTask::Visit(*to)))
                }
                State::BinaryUnion { alt1, alt2 } => {
                    todo.extend([SimulationTask::Visit(*alt2), SimulationTask::Visit(*alt1)])
                }
                State::Capture { next, slot, .. } => {
                    if let Some(known) = slots.get_mut(slot.as_usize()) {
                        todo.push(SimulationTask::Restore(slot.as_usize(), *known));
                        *known = Some(index);
                    }
                    todo.push(SimulationTask::Visit(*next));
                }
                State::Fail => {}
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) | State::Match { .. } => {
                    list.push((state, slots.clone()));
                }
            }
        }
    }
}

fn next_state(state: &State, byte: u8) -> Option<StateID> {
    match state {
        State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
        State::Sparse(ways) => ways.matches_byte(byte),
        State::Dense(ways) => ways.matches_byte(byte),
        _ => None,
    }
}

fn slots_to_range(slots: &[Option<usize>]) -> Option<Range<usize>> {
    match slots {
        [Some(start), Some(end)] => Some(*start..*end),
        _ => None,
    }
}
