//! Runs lists, branches and loops, in every course that they may take.

use super::state::{ExitReach, ExitStatus, WalkState};
use super::{CommandWalk, MAX_VALUES, ShellArg, TextFlow, TextTaint};
use crate::syntax::{BashBranch, BashCommand, BashPipeline, BashWord, PipelineLink};

/// The key of what the last coprocess prints: its descriptor is in a variable.
pub(super) const COPROCESS: &str = "";

/// How often a loop runs whose number of rounds is not known.
const MAX_ROUNDS: usize = 3;

fn has_text(flow: &TextFlow) -> bool {
    flow.text.as_deref().is_none_or(|text| !text.is_empty())
}

impl CommandWalk<'_> {
    pub(super) fn run_list(&mut self, list: &[BashPipeline], stdin: &TextFlow) -> TextFlow {
        let mut flow = TextFlow::known("");
        self.with_own_forks(|walk| {
            let mut rest = list;
            while !rest.is_empty() {
                let linked = rest.iter().skip(1).take_while(|pipeline| pipeline.link != PipelineLink::Always);
                let (chain, behind) = rest.split_at_checked(1 + linked.count()).unwrap_or((rest, &[]));
                rest = behind;
                walk.note_offset(chain.first().map_or(0, |first| first.offset));
                walk.forget_status();
                flow.append(walk.in_each_state(|walk| walk.run_chain(chain, stdin)));
            }
        });
        flow
    }

    /// Runs pipelines between `&&` and `||`.
    fn run_chain(&mut self, chain: &[BashPipeline], stdin: &TextFlow) -> TextFlow {
        if chain.last().is_some_and(|last| last.is_background) {
            let flow = self.in_subshell(|walk| walk.run_linked(chain, stdin));
            if chain.first().is_some_and(|first| first.is_coprocess) {
                self.state.inputs.insert(String::from(COPROCESS), flow.clone());
            }
            return flow;
        }
        let flow = self.run_linked(chain, stdin);
        if chain.len() == 1 {
            let states = std::iter::once(&mut self.state).chain(&mut self.forks);
            for state in states.filter(|state| state.stops_on_error && state.status == ExitStatus::Failure) {
                state.is_over = state.is_stuck;
            }
        }
        flow
    }

    fn run_linked(&mut self, chain: &[BashPipeline], stdin: &TextFlow) -> TextFlow {
        let Some((first, rest)) = chain.split_first() else { return TextFlow::known("") };
        let mut flow = self.run_pipeline(first, stdin);
        for pipeline in rest {
            let printed = self.in_each_state(|walk| {
                let skipped_by = match pipeline.link {
                    PipelineLink::AfterSuccess => ExitStatus::Failure,
                    PipelineLink::AfterFailure => ExitStatus::Success,
                    PipelineLink::Always => return walk.run_pipeline(pipeline, stdin),
                };
                if walk.state.status == skipped_by {
                    return TextFlow::known("");
                }
                let skipped = (walk.state.status == ExitStatus::Unknown)
                    .then(|| WalkState { status: skipped_by, ..walk.state.clone() });
                let printed = walk.run_pipeline(pipeline, stdin);
                walk.forks.extend(skipped);
                printed
            });
            // `A || B` most often prints one of them.
            let is_either = self.notes_files() && pipeline.link == PipelineLink::AfterFailure;
            flow = if is_either && has_text(&flow) && has_text(&printed) {
                flow.either(printed)
            } else {
                flow.append(printed);
                flow
            };
        }
        flow
    }

    fn run_pipeline(&mut self, pipeline: &BashPipeline, stdin: &TextFlow) -> TextFlow {
        let Some((last, before)) = pipeline.commands.split_last() else { return TextFlow::known("") };
        if before.is_empty() {
            let flow = self.run_command(last, stdin);
            self.negate(pipeline.is_negated);
            return flow;
        }
        let mut flow = stdin.clone();
        for command in before {
            flow = self.in_subshell(|walk| walk.run_command(command, &flow));
            flow.is_given = true;
        }
        // The last command has a shell of its own in bash, but not in zsh.
        let state = self.state.clone();
        flow = self.run_command(last, &flow);
        self.forget_status();
        let changed = std::mem::replace(&mut self.state, state);
        self.state.links = changed.links.clone();
        self.state.status = ExitStatus::Unknown;
        self.forks.push(changed);
        flow
    }

    fn negate(&mut self, is_negated: bool) {
        if is_negated {
            self.state.status = self.state.status.negated();
            for fork in &mut self.forks {
                fork.status = fork.status.negated();
            }
        }
    }

    pub(super) fn run_branches(&mut self, branches: &[BashBranch], has_else: bool, stdin: &TextFlow) -> TextFlow {
        let mut flow = TextFlow::known("");
        self.with_own_forks(|walk| {
            let mut ends: Vec<WalkState> = Vec::new();
            // Those in which the body before goes on with the next one.
            let mut fallen: Vec<WalkState> = Vec::new();
            for (index, branch) in branches.iter().enumerate() {
                let is_else = has_else && index + 1 == branches.len();
                if !branch.condition.is_empty() {
                    flow.append(walk.in_each_state(|walk| walk.run_list(&branch.condition, stdin)));
                }
                let states = walk.take_states();
                let enters = |state: &&WalkState| is_else || state.status != ExitStatus::Failure;
                let entering = states.iter().filter(enters).cloned().chain(fallen.drain(..)).collect();
                walk.set_states(entering);
                flow.append(walk.in_each_state(|walk| walk.run_list(&branch.body, stdin)));
                let end = walk.take_states();
                if branch.falls_through {
                    fallen.clone_from(&end);
                }
                ends.extend(end);
                let passes = |state: &WalkState| !is_else && state.status != ExitStatus::Success;
                let mut others: Vec<WalkState> = states.into_iter().filter(passes).collect();
                for state in &mut others {
                    state.status = ExitStatus::Unknown;
                }
                walk.set_states(others);
            }
            if !has_else {
                ends.extend(walk.take_states());
            }
            walk.set_states(ends);
            walk.forget_status();
        });
        // Which branch runs is not known.
        flow.text = None;
        flow
    }

    /// Runs a loop some times, or once for each line of a known input.
    pub(super) fn run_while(
        &mut self,
        condition: &[BashPipeline],
        body: &[BashPipeline],
        stdin: &TextFlow,
    ) -> TextFlow {
        let mut flow = TextFlow::default();
        let mut round = |walk: &mut Self, stdin: &TextFlow| {
            flow.append(walk.in_each_state(|walk| walk.run_list(condition, stdin)));
            let states = walk.take_states();
            let without = states.clone();
            walk.set_states(states);
            flow.append(walk.in_each_state(|walk| walk.run_list(body, stdin)));
            without
        };
        self.in_loop(|walk| match &stdin.text {
            Some(text) if text.lines().nth(1).is_some() && !text.contains("\\\n") => {
                for line in text.lines().take(MAX_VALUES) {
                    round(walk, &TextFlow { text: Some(line.to_owned()), ..stdin.clone() });
                    walk.join_exits();
                }
                if text.lines().nth(MAX_VALUES).is_some() {
                    round(walk, &TextFlow { text: None, ..stdin.clone() });
                }
            }
            _ => {
                let mut seen: Vec<WalkState> = Vec::new();
                for rounds in 1.. {
                    seen.extend(round(walk, stdin));
                    walk.join_exits();
                    walk.forget_status();
                    let states = walk.take_states();
                    let is_new = states.iter().any(|state| !seen.contains(state));
                    seen.extend(states.iter().cloned());
                    let states = if rounds == MAX_ROUNDS { walk.blurred(seen.clone()) } else { states };
                    walk.set_states(states);
                    if !is_new || rounds > MAX_ROUNDS {
                        break;
                    }
                }
                seen.extend(walk.take_states());
                walk.set_states(seen);
            }
        });
        flow.text = None;
        flow
    }

    /// `for`: runs once for each value.
    pub(super) fn run_loop(
        &mut self,
        name: &str,
        values: Option<&[BashWord]>,
        body: &[BashPipeline],
        stdin: &TextFlow,
    ) -> TextFlow {
        let mut all: Vec<ShellArg> = match values {
            Some(words) => words.iter().flat_map(|word| self.expand_word(word)).collect(),
            None => self.variable("@").unwrap_or_else(|| vec![ShellArg::unknown(TextTaint::NONE)]),
        };
        if all.len() > MAX_VALUES {
            let taint = all.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint);
            all.truncate(MAX_VALUES);
            all.push(ShellArg::unknown(taint));
        }
        let mut flow = TextFlow::known("");
        self.in_loop(|walk| {
            let may_be_none = all.iter().all(|value| !value.is_known() || value.is_pattern);
            let without = may_be_none.then(|| walk.state.clone());
            for value in &all {
                let printed = walk.in_each_state(|walk| {
                    walk.set_variable(name, vec![value.clone()]);
                    walk.run_list(body, stdin)
                });
                flow.append(printed);
                walk.join_exits();
            }
            walk.forks.extend(without);
        });
        flow
    }

    pub(super) fn is_in_loop(&self) -> bool {
        self.loop_depth > 0
    }

    /// Runs the rounds of a loop. The states in which it is left go on behind it.
    fn in_loop(&mut self, run: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.exits);
        self.loop_depth += 1;
        self.with_own_forks(|walk| {
            run(walk);
            walk.join_exits();
            walk.forget_status();
        });
        self.loop_depth -= 1;
        self.exits.splice(..0, outer);
    }

    /// Goes on in the states in which the loop was left.
    fn join_exits(&mut self) {
        if self.exits.is_empty() {
            return;
        }
        let mut states = self.take_states();
        let left = self.exits.iter().filter(|(reach, _)| *reach != ExitReach::Function);
        states.extend(left.map(|(_, state)| state.clone()));
        self.exits.retain(|(reach, _)| *reach != ExitReach::Loop);
        self.set_states(states);
    }

    /// Runs the body of a function. The states in which it is left go on behind it.
    pub(super) fn run_body(&mut self, body: &BashCommand, stdin: &TextFlow) -> TextFlow {
        let outer = std::mem::take(&mut self.exits);
        let depth = std::mem::take(&mut self.loop_depth);
        let locals = std::mem::take(&mut self.locals);
        let before = self.state.variables.clone();
        let flow = self.with_own_forks(|walk| {
            let flow = walk.called(|walk| walk.run_command(body, stdin));
            let mut states = walk.take_states();
            states.extend(walk.exits.drain(..).map(|(_, state)| state));
            for state in &mut states {
                for name in &walk.locals {
                    state.restore_variable(name, before.get(name).cloned());
                }
            }
            walk.set_states(states);
            flow
        });
        self.locals = locals;
        self.exits = outer;
        self.loop_depth = depth;
        flow
    }

    /// Runs one thing or another: what the line cannot say which.
    pub(super) fn run_either(
        &mut self,
        first: impl FnOnce(&mut Self) -> TextFlow,
        second: impl FnOnce(&mut Self) -> TextFlow,
    ) -> TextFlow {
        self.with_own_forks(|walk| {
            let before = walk.state.clone();
            let flow = first(walk);
            let mut ends = walk.take_states();
            walk.state = before;
            let flow = flow.either(second(walk));
            ends.extend(walk.take_states());
            walk.set_states(ends);
            flow
        })
    }
}
