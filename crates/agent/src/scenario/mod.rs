//! Plays scenarios: whole turns of a session with a scripted model, scripted tools and a clock of their own, compared with
//! what a scenario expects.
//!
//! [`ScenarioPlayer`] gives the runtime its clock, its approver and the faults of hooks before the hooks are loaded, and
//! plays the steps afterwards. `stage` is what all these parts share; `calls` compares the calls.

mod calls;
mod compare;
mod fault;
mod parts;
mod stage;
mod transcript;

use std::path::Path;
use std::sync::Arc;

use pintle_host::contract::{AgentSpec, TeamSpec, suggest_or_list};
use pintle_host::dialects::{ScenarioAction, ScenarioExpectation, ScenarioStep, TestScenario, TurnEnding};
use pintle_host::{EventName, EventScope, LoadedRuntime, Runtime, RuntimeBuilder, SeededRandom};
use serde_json::Value;

use crate::session::{Session, SessionBuildError};
use crate::turn_error::{TurnError, TurnErrorKind};

pub use compare::compare_values;
use fault::FaultOverride;
use parts::{AddedTool, ScenarioApprover, ScenarioClock, ScenarioModel, ScenarioSleeper};
use stage::ScenarioStage;
pub use transcript::{ScenarioDifference, ScenarioTranscript, TranscriptLine};

/// The stop reason of a turn that reached its limit of model calls.
const MAX_ITERATIONS: &str = "max_iterations";

/// The stop reason of a turn that failed for the same reason.
const LIMIT_REACHED: &str = "limit_reached";

/// The agent of a scenario whose project declares none.
const USUAL_AGENT: &str = "root";

/// Plays one scenario.
#[derive(Debug)]
pub struct ScenarioPlayer {
    stage: Arc<ScenarioStage>,
    faults: Arc<FaultOverride>,
}

/// How a turn or a compaction ended.
struct TurnResult {
    ending: TurnEnding,
    /// The reason, or how it stopped.
    reason: String,
    /// The answer as the user sees it.
    text: String,
}

impl ScenarioPlayer {
    /// Prepares a scenario.
    #[must_use]
    pub fn new(scenario: TestScenario) -> Self {
        let clock = Arc::new(ScenarioClock::new(scenario.start_ms));
        let faults = Arc::new(FaultOverride::new(&scenario.faults, Arc::clone(&clock)));
        Self { stage: Arc::new(ScenarioStage::new(scenario, clock)), faults }
    }

    /// Gives a runtime the scenario's clock, its approver and its faults, and has it watched.
    #[must_use]
    pub fn prepare(&self, builder: RuntimeBuilder) -> RuntimeBuilder {
        builder
            .clock(Arc::clone(&self.stage.clock) as _)
            .random(Arc::new(SeededRandom::new(self.stage.scenario.start_ms)))
            .approver(Arc::new(ScenarioApprover::new(&self.stage)))
            .journal(Arc::clone(&self.stage) as _)
            .override_handlers(Arc::clone(&self.faults) as _)
    }

    /// What a scenario needs from outside this process, such as a hook that is a program. `None` if it needs nothing.
    #[must_use]
    pub fn outside_need(&self, built: &LoadedRuntime) -> Option<String> {
        let hooks = built.runtime.hooks();
        let waiting = hooks.hooks().find(|(_, hook)| hook.handler.may_wait());
        if let Some((_, hook)) = waiting {
            return Some(format!("hook `{}` needs something outside this process", hook.id.label()));
        }
        let members = built.team.iter().flat_map(|team| &team.agents).map(AsRef::as_ref);
        members.chain(&built.agent).find_map(|agent| agent_need(&built.runtime, agent))
    }

    /// Plays the steps with the hooks that were loaded for it, in a directory.
    ///
    /// # Errors
    /// When the session cannot be built, or the scenario's agent does not exist.
    pub fn play(self, built: &mut LoadedRuntime, workspace: &Path) -> Result<ScenarioTranscript, String> {
        self.check_faults(built)?;
        let (spec, team) = self.choose_agent(built)?;
        let mut session =
            self.open_session(&built.runtime, spec, team, workspace).map_err(|error| error.to_string())?;
        self.stage.set_offered_tools(session.tools());
        self.stage.check_calls()?;
        self.play_steps(&mut session);
        session.end();
        drop(session);
        let stage = &self.stage;
        self.check_end(&built.runtime);
        Ok(stage.take_transcript())
    }

    /// Refuses a fault of a hook that does not exist.
    fn check_faults(&self, built: &LoadedRuntime) -> Result<(), String> {
        let names = |agent: &AgentSpec| -> Vec<String> { agent.hooks.iter().map(|hook| hook.name.clone()).collect() };
        let members = built.team.iter().flat_map(|team| &team.agents).map(AsRef::as_ref);
        let own = built.runtime.hooks().hooks().map(|(_, hook)| hook.id.to_string()).collect::<Vec<_>>();
        let known: Vec<String> = members.chain(&built.agent).flat_map(names).chain(own).collect();
        for fault in &self.stage.scenario.faults {
            if !known.iter().any(|name| fault::is_named(name, &fault.hook)) {
                let help = suggest_or_list(&fault.hook, known.iter().map(String::as_str), "the hooks are");
                return Err(format!("there is no hook `{}` that could fail; {help}", fault.hook));
            }
        }
        Ok(())
    }

    fn choose_agent(&self, built: &mut LoadedRuntime) -> Result<(Arc<AgentSpec>, Option<TeamSpec>), String> {
        let wanted = self.stage.scenario.agent.as_deref();
        if let Some(team) = built.team.take() {
            let known = || team.agents.iter().map(|agent| agent.name.as_str());
            let found = match wanted {
                Some(name) => team.agent(name).cloned(),
                None => team.agents.first().cloned(),
            };
            let help = || suggest_or_list(wanted.unwrap_or_default(), known(), "the agents are");
            let agent =
                found.ok_or_else(|| format!("there is no agent `{}`; {}", wanted.unwrap_or_default(), help()))?;
            return Ok((agent, Some(team)));
        }
        let agent = built.agent.take();
        self.stage.set_declared(agent.is_some());
        let agent = agent.unwrap_or_else(|| AgentSpec { name: USUAL_AGENT.to_owned(), ..AgentSpec::default() });
        match wanted.filter(|name| **name != agent.name) {
            Some(name) => Err(format!("there is no agent `{name}`; the agent is `{}`", agent.name)),
            None => Ok((Arc::new(agent), None)),
        }
    }

    fn open_session(
        &self,
        runtime: &Arc<Runtime>,
        spec: Arc<AgentSpec>,
        team: Option<TeamSpec>,
        workspace: &Path,
    ) -> Result<Session, SessionBuildError> {
        let stage = &self.stage;
        stage.set_vocabulary(spec.rules.tool_vocabulary);
        let model: Arc<ScenarioModel> = Arc::new(ScenarioModel::new(stage));
        let added = stage.added_tools().into_iter().map(AddedTool::new);
        let opened = Arc::clone(&model);
        let builder = Session::builder(Arc::clone(runtime), spec, model)
            .name("scenario")
            .workspace(workspace)
            .observer(Arc::clone(stage) as _)
            .sleeper(Arc::new(ScenarioSleeper::new(&stage.clock)))
            .play_tools(Arc::clone(stage) as _)
            .open_model(Box::new(move |_| Ok(Arc::clone(&opened) as _)));
        let builder = added.fold(builder, |builder, tool| builder.tool(Arc::new(tool)));
        match team {
            Some(team) => builder.team(team),
            None => builder,
        }
        .build()
    }

    fn play_steps(&self, session: &mut Session) {
        let steps = &self.stage.scenario.steps;
        let mut index = 0;
        while let Some(step) = steps.get(index) {
            let rest = steps.get(index + 1..).unwrap_or_default();
            let length = rest.iter().position(|step| begins_turn(&step.action)).unwrap_or(rest.len());
            let turn = index + 1..index + 1 + length;
            match &step.action {
                ScenarioAction::User(text) => {
                    self.stage.begin(turn.clone(), &step.location, "user", text);
                    let result = session.turn(text).map(|output| TurnResult {
                        ending: if output.stop_reason == MAX_ITERATIONS {
                            TurnEnding::Limited
                        } else {
                            TurnEnding::Answered
                        },
                        reason: output.stop_reason,
                        text: output.text,
                    });
                    self.end_turn(step, turn.clone(), result);
                }
                ScenarioAction::Compact(instructions) => {
                    self.stage.begin(turn.clone(), &step.location, "compact", instructions);
                    let instructions = Some(instructions.as_str()).filter(|text| !text.is_empty());
                    let result = session.compact(instructions).map(|compacted| TurnResult {
                        ending: if compacted.is_some() { TurnEnding::Answered } else { TurnEnding::Blocked },
                        reason: String::from("the conversation stayed as it was"),
                        text: String::new(),
                    });
                    self.end_turn(step, turn.clone(), result);
                }
                // Before the first turn.
                _ => {
                    self.stage.begin(index..turn.end, &step.location, "", "");
                    self.stage.finish_steps(index..turn.end);
                }
            }
            index = turn.end;
        }
    }

    /// Compares how a turn ended.
    fn end_turn(&self, step: &ScenarioStep, turn: std::ops::Range<usize>, result: Result<TurnResult, TurnError>) {
        self.stage.finish_calls();
        let result = result.unwrap_or_else(|error| TurnResult {
            ending: match (&error.kind, error.stop_reason()) {
                (TurnErrorKind::Denied, _) => TurnEnding::Blocked,
                (_, LIMIT_REACHED) => TurnEnding::Limited,
                _ => TurnEnding::Failed,
            },
            reason: error.message,
            text: String::new(),
        });
        let steps = self.stage.scenario.steps.get(turn.clone()).unwrap_or_default();
        let written = steps.iter().find_map(|step| match &step.action {
            ScenarioAction::Ends { ending, reason, says } => Some((&step.location, (*ending, reason, says))),
            _ => None,
        });
        let (location, (ending, reason, says)) =
            written.unwrap_or((&step.location, (TurnEnding::Answered, &None, &None)));
        let mut differences = Vec::new();
        if ending != result.ending {
            let found = match result.ending {
                TurnEnding::Answered => String::from("answered"),
                other => format!("{}: {}", ending_word(other), result.reason),
            };
            differences.push(ScenarioDifference::new(format!("the turn ends {}", ending_word(ending)), found));
        }
        let texts = [("reason", reason, &result.reason), ("answer", says, &result.text)];
        for (what, wanted, found) in texts {
            if let Some(wanted) = wanted.as_ref().filter(|wanted| !found.contains(*wanted)) {
                differences.push(ScenarioDifference::containing(what, wanted, found));
            }
        }
        let text = match result.ending {
            TurnEnding::Answered => result.text,
            other => format!("{}: {}", ending_word(other), result.reason),
        };
        if written.is_some() || !differences.is_empty() || result.ending != TurnEnding::Answered {
            self.stage.add_line(TranscriptLine { who: "ends", text, location: location.clone(), differences });
        }
        self.stage.finish_steps(turn);
    }

    /// Compares what the whole scenario expects.
    fn check_end(&self, runtime: &Runtime) {
        let scenario = &self.stage.scenario;
        let fired = self.stage.fired_events();
        if let Some(missing) = find_missing_event(&scenario.events.value, &fired) {
            let words: Vec<&str> = scenario.events.value.iter().map(EventName::as_str).collect();
            let found = match runtime.listens(missing, &EventScope::default()) || fired.contains(missing) {
                true => fired.iter().map(EventName::as_str).collect::<Vec<_>>().join(", "),
                false => format!("no hook listens to `{missing}`, so it is not always fired"),
            };
            let expected = format!("the events {} in this order (`{missing}` is missing)", words.join(", "));
            self.add_end(&scenario.events, ScenarioDifference::new(expected, found));
        }
        let ran = self.stage.tools_that_ran();
        for tool in scenario.not_run.value.iter().filter(|tool| ran.contains(tool)) {
            let found = format!("`{tool}` ran");
            self.add_end(&scenario.not_run, ScenarioDifference::new(format!("no call of `{tool}` runs"), found));
        }
        let metrics = Value::Object(runtime.metrics());
        for (name, wanted) in &scenario.metrics.value {
            let found = metrics.get(name);
            if !found.is_some_and(|found| compare::is_same_value(found, wanted)) {
                let found = found.map_or_else(|| String::from("it was not counted"), Value::to_string);
                self.add_end(&scenario.metrics, ScenarioDifference::new(format!("`{name}` is {wanted}"), found));
            }
        }
        for fault in self.faults.unused(&scenario.faults) {
            let line = TranscriptLine {
                who: "end",
                text: String::new(),
                location: fault.location.clone(),
                differences: vec![ScenarioDifference::new(
                    format!("the hook `{}` fails", fault.hook),
                    String::from("it was never called"),
                )],
            };
            self.stage.add_line(line);
        }
    }

    fn add_end<T>(&self, expected: &ScenarioExpectation<T>, difference: ScenarioDifference) {
        let location = expected.location.clone();
        let line = TranscriptLine { who: "end", text: String::new(), location, differences: vec![difference] };
        self.stage.add_line(line);
    }
}

fn begins_turn(action: &ScenarioAction) -> bool {
    matches!(action, ScenarioAction::User(_) | ScenarioAction::Compact(_))
}

fn ending_word(ending: TurnEnding) -> &'static str {
    match ending {
        TurnEnding::Answered => "answered",
        TurnEnding::Blocked => "blocked",
        TurnEnding::Failed => "failed",
        TurnEnding::Limited => "limited",
    }
}

/// The first of the wanted events that was not fired after those before it.
fn find_missing_event<'e>(wanted: &'e [EventName], fired: &[EventName]) -> Option<&'e EventName> {
    let mut rest = fired.iter();
    wanted.iter().find(|wanted| !rest.any(|event| event == *wanted))
}

/// What an agent or one that it delegates to needs from outside this process.
fn agent_need(runtime: &Runtime, agent: &AgentSpec) -> Option<String> {
    let (chains, _) = runtime.compile_chains(&agent.name, pintle_host::Layer::Agent, &agent.hooks);
    let mut hooks = chains.iter().flat_map(|chain| &chain.hooks);
    if let Some(hook) = hooks.find(|hook| hook.handler.may_wait()) {
        return Some(format!("hook `{}` needs something outside this process", hook.id.label()));
    }
    agent.agents.iter().find_map(|child| agent_need(runtime, child))
}
