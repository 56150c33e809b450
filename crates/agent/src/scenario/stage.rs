//! What the parts of a scenario share: which steps were played, and how every call ended.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use parking_lot::Mutex;
use pintle_host::contract::{CallId, DELEGATION_TOOLS, DONE_TOOL, DispatchId, JournalEntry, Location};
use pintle_host::dialects::{PersonAnswer, ScenarioAction, ScenarioCall, ScenarioReply, ScriptedResult, TestScenario};
use pintle_host::tools::{NativeToolCall, PINTLE, ToolVocabulary, own_vocabulary, vocabulary_by_name};
use pintle_host::{
    ApprovalResponse, Event, EventKind, EventName, Journal, Origin, Outcome, is_matcher_failure_warning,
};
use serde_json::{Value, json};

use std::sync::Arc;

use super::calls::{PlayedCall, compare_call, describe_call};
use super::fault::is_named;
use super::parts::ScenarioClock;
use super::transcript::{ScenarioDifference, ScenarioTranscript, TranscriptLine, shorten};
use crate::model::{MessageRole, new_messages};
use crate::model::{ModelError, ModelErrorKind, ModelReply, ModelRequest, ModelToolCall, ModelUsage};
use crate::observer::{AgentEvent, Observer};
use crate::turn_context::{Tool, ToolError, ToolPlayer};

/// What a tool returns if neither its call nor the scenario says so.
pub(super) const USUAL_RESULT: &str = "ok";

/// The tools that every agent without a declaration has.
const USUAL_TOOLS: [&str; 7] = ["read", "write", "edit", "list", "glob", "grep", "fetch"];

/// The tools that only read files.
const READING_TOOLS: [&str; 4] = ["read", "list", "glob", "grep"];

/// The tools that change nothing outside the agents of the session, so that they really run.
const SESSION_TOOLS: [&str; 11] = [
    "transfer_task",
    "handoff",
    "run_background_agent",
    "list_background_agents",
    "view_background_agent",
    "stop_background_agent",
    "think",
    "create_todo",
    "create_todos",
    "update_todos",
    "list_todos",
];

/// The bytes per token that a usage is estimated with.
const BYTES_PER_TOKEN: usize = 4;

/// A scenario while it is played.
#[derive(Debug)]
pub(super) struct ScenarioStage {
    pub(super) scenario: TestScenario,
    pub(super) clock: Arc<ScenarioClock>,
    state: Mutex<StageState>,
}

#[derive(Debug, Default)]
struct StageState {
    /// The names of the tools that the agent's model is offered.
    offered: Vec<String>,
    /// Whether the project declares the agent.
    is_declared: bool,
    /// The vocabulary of the agent's system, if that is not Pintle's own.
    vocabulary: Option<&'static ToolVocabulary>,
    /// The steps of the running turn.
    turn: Range<usize>,
    /// The steps that were played.
    played: HashSet<usize>,
    /// Answers whose calls were not compared yet: the conversation and the step.
    pending: Vec<(String, usize)>,
    facts: HashMap<String, PlayedCall>,
    /// The calls that dispatches are about.
    dispatches: HashMap<DispatchId, String>,
    fired: Vec<EventName>,
    ran: Vec<String>,
    lines: Vec<TranscriptLine>,
    /// The step that is played.
    location: Location,
}

impl ScenarioStage {
    pub(super) fn new(scenario: TestScenario, clock: Arc<ScenarioClock>) -> Self {
        Self { scenario, clock, state: Mutex::default() }
    }

    pub(super) fn set_declared(&self, is_declared: bool) {
        self.state.lock().is_declared = is_declared;
    }

    pub(super) fn set_vocabulary(&self, name: Option<&str>) {
        let other = name.and_then(vocabulary_by_name).filter(|vocabulary| vocabulary.name != PINTLE.name);
        self.state.lock().vocabulary = other;
    }

    pub(super) fn set_offered_tools(&self, names: Vec<String>) {
        self.state.lock().offered = names;
    }

    /// The tools that the agent gets from the scenario: those that it lists, and all that are called if nothing declares
    /// the agent.
    pub(super) fn added_tools(&self) -> Vec<String> {
        let is_declared = self.state.lock().is_declared;
        let listed = self.scenario.tools.iter().map(|(name, _)| name.clone());
        let called = self.replies().flat_map(|reply| &reply.calls).filter(|_| !is_declared);
        let called = called.map(|call| to_canonical(call).map_or_else(|| call.name.clone(), |call| call.name));
        let mut names: Vec<String> =
            listed.chain(called).filter(|name| !USUAL_TOOLS.contains(&name.as_str())).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Refuses calls that are several in the words of Pintle's agents: no hook would know them.
    pub(super) fn check_calls(&self) -> Result<(), String> {
        let state = self.state.lock();
        let is_several = |call: &&ScenarioCall| {
            let vocabulary = call.vocabulary.as_deref().and_then(vocabulary_by_name);
            let count = vocabulary.map_or(1, |vocabulary| vocabulary.to_canonical(&call.name, &call.args).len());
            let is_own = state.is_declared && state.offered.contains(&call.name);
            count > 1 && !is_own && !self.scenario.tools.iter().any(|(name, _)| *name == call.name)
        };
        let replies = self.replies().flat_map(|reply| &reply.calls);
        match replies.into_iter().find(is_several) {
            Some(call) => {
                Err(format!("`{}` is several calls in the words of Pintle's agents; write each of them", call.name))
            }
            None => Ok(()),
        }
    }

    fn replies(&self) -> impl Iterator<Item = &ScenarioReply> {
        self.scenario.steps.iter().filter_map(|step| match &step.action {
            ScenarioAction::Model(reply) => Some(reply),
            _ => None,
        })
    }

    /// Begins a turn with these steps.
    pub(super) fn begin(&self, turn: Range<usize>, location: &Location, actor: &'static str, text: &str) {
        let mut state = self.state.lock();
        state.turn = turn;
        state.location = location.clone();
        if !actor.is_empty() {
            let line =
                TranscriptLine { who: actor, text: shorten(text), location: location.clone(), differences: Vec::new() };
            state.lines.push(line);
        }
    }

    /// Compares the last calls of a turn.
    pub(super) fn finish_calls(&self) {
        self.compare_calls(&mut self.state.lock(), |_| true);
    }

    /// Lets the rest of a turn's time pass, and reports the answers that were not needed.
    pub(super) fn finish_steps(&self, turn: Range<usize>) {
        let mut state = self.state.lock();
        for index in turn {
            let Some(step) = self.scenario.steps.get(index).filter(|_| state.played.insert(index)) else { continue };
            match &step.action {
                ScenarioAction::Wait(ms) => self.pass_time(&mut state, index, *ms),
                ScenarioAction::Model(reply) => {
                    let expected = String::from("the model is asked for this answer");
                    state.lines.push(TranscriptLine {
                        who: "model",
                        text: shorten(&reply.text),
                        location: step.location.clone(),
                        differences: vec![ScenarioDifference::new(expected, "the turn ended before it")],
                    });
                }
                ScenarioAction::User(_) | ScenarioAction::Compact(_) | ScenarioAction::Ends { .. } => {}
            }
        }
    }

    fn pass_time(&self, state: &mut StageState, index: usize, passed_ms: u64) {
        self.clock.advance_ms(passed_ms);
        let location = self.scenario.steps.get(index).map(|step| step.location.clone()).unwrap_or_default();
        let text = format!("{} later", duration_text(passed_ms));
        state.lines.push(TranscriptLine { who: "clock", text, location, differences: Vec::new() });
    }

    pub(super) fn add_line(&self, line: TranscriptLine) {
        self.state.lock().lines.push(line);
    }

    pub(super) fn take_transcript(&self) -> ScenarioTranscript {
        ScenarioTranscript { lines: std::mem::take(&mut self.state.lock().lines) }
    }

    pub(super) fn fired_events(&self) -> Vec<EventName> {
        self.state.lock().fired.clone()
    }

    /// The tools of which a call ran, by all names that the scenario may have for them.
    pub(super) fn tools_that_ran(&self) -> Vec<String> {
        self.state.lock().ran.clone()
    }

    pub(super) fn has_person(&self) -> bool {
        self.scenario.answer.is_some()
            || self.replies().flat_map(|reply| &reply.calls).any(|call| call.answer.is_some())
    }

    /// What a person answers about a call, or about something else.
    pub(super) fn answer_to(&self, call_id: &str) -> Option<PersonAnswer> {
        self.call_by_id(call_id).and_then(|call| call.answer).or(self.scenario.answer)
    }

    fn call_by_id(&self, call_id: &str) -> Option<&ScenarioCall> {
        let (step, index) = call_id.strip_prefix("call_")?.split_once('_')?;
        let number = |text: &str| text.parse::<usize>().ok()?.checked_sub(1);
        match &self.scenario.steps.get(number(step)?)?.action {
            ScenarioAction::Model(reply) => reply.calls.get(number(index)?),
            _ => None,
        }
    }

    /// The next answer of the scenario to a request.
    pub(super) fn answer(&self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let mut state = self.state.lock();
        self.compare_calls(&mut state, |conversation| conversation == request.conversation);
        let Some((index, reply)) = self.next_reply(&state, &request.agent) else {
            let shown: Vec<String> = new_messages(request).iter().map(|message| shorten(&message.content)).collect();
            let found = format!("the model of `{}` is called again, and shown: {}", request.agent, shown.join(" | "));
            let location = state.location.clone();
            let differences = vec![ScenarioDifference::new("no more answers in this turn", &found)];
            state.lines.push(TranscriptLine { who: "model", text: String::new(), location, differences });
            return Err(ModelError::new(ModelErrorKind::Script, format!("the scenario has no answer: {found}")));
        };
        for earlier in state.turn.start..index {
            if let Some(ScenarioAction::Wait(ms)) = self.scenario.steps.get(earlier).map(|step| &step.action)
                && state.played.insert(earlier)
            {
                self.pass_time(&mut state, earlier, *ms);
            }
        }
        state.played.insert(index);
        let location = self.scenario.steps.get(index).map(|step| step.location.clone()).unwrap_or_default();
        state.location = location.clone();
        let text = reply.fails.as_deref().map_or_else(|| shorten(&reply.text), |error| format!("fails: {error}"));
        let who = if reply.agent.is_some() { "agent" } else { "model" };
        let text = reply.agent.as_ref().map_or(text.clone(), |agent| format!("{agent}: {text}"));
        state.lines.push(TranscriptLine { who, text, location, differences: shown_differences(reply, request) });
        if let Some(error) = &reply.fails {
            let kind = if reply.may_retry { ModelErrorKind::Retryable } else { ModelErrorKind::Fatal };
            return Err(ModelError::new(kind, error.clone()));
        }
        let tool_calls: Vec<ModelToolCall> = self.model_calls(&mut state, index, reply);
        if !tool_calls.is_empty() {
            state.pending.push((request.conversation.clone(), index));
        }
        let finish = if tool_calls.is_empty() { "stop" } else { "tool_calls" };
        Ok(ModelReply {
            text: reply.text.clone(),
            usage: usage_of(reply, request),
            tool_calls,
            finish_reason: finish.to_owned(),
        })
    }

    /// The next answer of the turn for an agent: one that names it, otherwise one that names none.
    fn next_reply(&self, state: &StageState, agent: &str) -> Option<(usize, &ScenarioReply)> {
        let is_named = self.replies().any(|reply| reply.agent.as_deref() == Some(agent));
        let wanted = is_named.then_some(agent);
        state.turn.clone().filter(|index| !state.played.contains(index)).find_map(|index| {
            match &self.scenario.steps.get(index)?.action {
                ScenarioAction::Model(reply) if reply.agent.as_deref() == wanted => Some((index, reply)),
                _ => None,
            }
        })
    }

    fn model_calls(&self, state: &mut StageState, step: usize, reply: &ScenarioReply) -> Vec<ModelToolCall> {
        let each = reply.calls.iter().enumerate();
        each.map(|(index, call)| {
            let id = format!("call_{}_{}", step + 1, index + 1);
            state.facts.insert(id.clone(), PlayedCall::default());
            let NativeToolCall { name, input } = in_agent_words(state, call);
            ModelToolCall { id, name, arguments: input.to_string() }
        })
        .collect()
    }

    /// Compares the calls of the answers in these conversations: all of them have returned.
    fn compare_calls(&self, state: &mut StageState, is_meant: impl Fn(&str) -> bool) {
        let (done, pending) = std::mem::take(&mut state.pending).into_iter().partition(|(name, _)| is_meant(name));
        state.pending = pending;
        let done: Vec<(String, usize)> = done;
        for (_, step) in done {
            let Some(ScenarioAction::Model(reply)) = self.scenario.steps.get(step).map(|step| &step.action) else {
                continue;
            };
            for (index, call) in reply.calls.iter().enumerate() {
                let facts = state.facts.remove(&format!("call_{}_{}", step + 1, index + 1)).unwrap_or_default();
                let (found, differences) = compare_call(call, &facts, state.vocabulary);
                let text = format!("{} -> {found}", describe_call(call));
                state.lines.push(TranscriptLine { who: "call", text, location: call.location.clone(), differences });
            }
        }
    }

    /// Notes what was decided about a call, and which hooks failed.
    fn note_outcome(&self, event: &Event, outcome: &Outcome) {
        let mut state = self.state.lock();
        let is_meant = |hook: &str| self.scenario.faults.iter().any(|fault| is_named(hook, &fault.hook));
        let failed = outcome.failures.iter().map(|report| (&report.hook, report.failure.to_string()));
        let skipped = outcome.warnings.iter().filter(|warning| is_matcher_failure_warning(&warning.message));
        let skipped = skipped.map(|warning| (&warning.hook, warning.message.clone()));
        for (hook, found) in failed.chain(skipped).filter(|(hook, _)| !is_meant(hook.as_str())) {
            let difference = ScenarioDifference::new(format!("the hook `{}` answers", hook.label()), shorten(&found));
            let (text, location) = (event.name.to_string(), state.location.clone());
            state.lines.push(TranscriptLine { who: "hook", text, location, differences: vec![difference] });
        }
        let Some(facts) = call_id_of(event).and_then(|id| state.facts.get_mut(id)) else { return };
        facts.reasons.extend(Some(outcome.hook_texts()).filter(|text| !text.is_empty()));
        facts.contexts.extend(outcome.model_texts().map(str::to_owned));
        let is_before = matches!(
            event.name.kind(),
            EventKind::ToolTransform | EventKind::ToolGuard | EventKind::ToolPre | EventKind::PermissionAsk
        );
        if is_before && outcome.rewritten {
            let field = |name: &str| outcome.payload.field(name).cloned().unwrap_or_default();
            facts.rewritten = Some(json!({"name": field("name"), "args": field("args")}));
        }
    }
}

impl Journal for ScenarioStage {
    fn begin_dispatch(&self, entry: &JournalEntry<'_>) -> DispatchId {
        self.record(DispatchId(0), entry);
        DispatchId(0)
    }

    fn record(&self, dispatch: DispatchId, entry: &JournalEntry<'_>) {
        match entry {
            JournalEntry::Event { event, .. } => {
                let mut state = self.state.lock();
                state.fired.push(event.name.clone());
                if let Some(id) = call_id_of(event) {
                    state.dispatches.insert(dispatch, id.to_owned());
                }
            }
            JournalEntry::ApprovalAnswered { response, .. } => {
                let mut state = self.state.lock();
                let id = state.dispatches.get(&dispatch).cloned();
                if let Some(facts) = id.and_then(|id| state.facts.get_mut(&id)) {
                    facts.was_asked = true;
                    let is_yes =
                        matches!(response, ApprovalResponse::Approved { .. } | ApprovalResponse::Granted { .. });
                    facts.is_refused |= !is_yes;
                }
            }
            JournalEntry::Outcome { event, outcome } => self.note_outcome(event, outcome),
            _ => {}
        }
    }

    fn next_call(&self) -> CallId {
        CallId(0)
    }
}

impl Observer for ScenarioStage {
    fn observe(&self, _origin: &Origin, event: &AgentEvent<'_>) {
        if let AgentEvent::ToolReturned { id, content, end, .. } = event
            && let Some(facts) = self.state.lock().facts.get_mut(*id)
        {
            (facts.end, facts.content) = (Some(*end), (*content).to_owned());
        }
    }
}

impl ToolPlayer for ScenarioStage {
    fn play(&self, call_id: &str, tool: &dyn Tool, _arguments: &Value) -> Option<Result<Value, ToolError>> {
        let name = tool.definition().name.as_str();
        let call = self.call_by_id(call_id);
        self.clock.advance_ms(call.map_or(0, |call| call.takes_ms));
        let canonical = {
            let mut state = self.state.lock();
            state.ran.push(name.to_owned());
            state.ran.extend(call.map(|call| call.name.clone()));
            let words = state.vocabulary.unwrap_or_else(|| own_vocabulary(name, &Value::Null));
            words.canonical_names(name).next().unwrap_or(name)
        };
        if let Some(scripted) = call.and_then(|call| call.scripted.as_ref()) {
            return Some(to_tool_output(scripted));
        }
        if let Some((_, usual)) = self.scenario.tools.iter().find(|(tool, _)| tool == name) {
            return Some(to_tool_output(usual));
        }
        let is_of_session = DELEGATION_TOOLS.contains(&name) || name == DONE_TOOL || SESSION_TOOLS.contains(&name);
        // Tools of projects and of servers may have the same names, and may do anything.
        let is_native = !tool.can_write_unseen() && tool.category() != Some("mcp");
        let reads_files = self.scenario.files.is_some() && is_native && READING_TOOLS.contains(&canonical);
        let is_run = is_of_session || reads_files;
        (!is_run).then(|| to_tool_output(&ScriptedResult::Returns(Value::from(USUAL_RESULT))))
    }
}

/// The id of the tool call that an event is about.
fn call_id_of(event: &Event) -> Option<&str> {
    let is_about_call = event.name.def().is_about_tool_call();
    ["id", "call_id"].into_iter().filter(|_| is_about_call).find_map(|field| event.payload.field(field)?.as_str())
}

/// A time that passes, as scenarios write it.
fn duration_text(passed_ms: u64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let unit = units.into_iter().find(|(factor, _)| passed_ms.is_multiple_of(*factor));
    unit.map_or_else(|| format!("{passed_ms}ms"), |(factor, unit)| format!("{}{unit}", passed_ms / factor))
}

/// A scripted result as a tool returns it.
pub(super) fn to_tool_output(scripted: &ScriptedResult) -> Result<Value, ToolError> {
    match scripted {
        ScriptedResult::Returns(value) => Ok(value.clone()),
        ScriptedResult::Fails(error) => Err(ToolError::from(error.as_str())),
    }
}

/// The call in Pintle's words, if it is in those of another agent and is one call in them.
fn to_canonical(call: &ScenarioCall) -> Option<NativeToolCall> {
    let vocabulary = call.vocabulary.as_deref().and_then(vocabulary_by_name)?;
    match vocabulary.to_canonical(&call.name, &call.args).as_slice() {
        [own] if PINTLE.has_tool(&own.name) => Some(NativeToolCall { name: own.name.clone(), input: own.args.clone() }),
        _ => None,
    }
}

/// The call as the agent of the scenario makes it: as written if it has the tool, otherwise in its words.
fn in_agent_words(state: &StageState, call: &ScenarioCall) -> NativeToolCall {
    let written = || NativeToolCall { name: call.name.clone(), input: call.args.clone() };
    if state.offered.contains(&call.name) && !(state.vocabulary.is_some() && PINTLE.has_tool(&call.name)) {
        return written();
    }
    let own = to_canonical(call).unwrap_or_else(written);
    match state.vocabulary {
        Some(vocabulary) if PINTLE.has_tool(&own.name) => vocabulary.to_native(&own.name, &own.input),
        _ => own,
    }
}

fn shown_differences(reply: &ScenarioReply, request: &ModelRequest) -> Vec<ScenarioDifference> {
    let instructions = request.messages.iter().filter(|message| message.role == MessageRole::System);
    let news = new_messages(request).iter().filter(|message| message.role != MessageRole::System);
    let shown: Vec<&str> = instructions.chain(news).map(|message| message.content.as_str()).collect();
    let is_shown = |text: &str| shown.iter().any(|message| message.contains(text));
    let all = || shorten(&shown.join(" | "));
    let missing = reply.shown.iter().filter(|text| !is_shown(text)).map(|text| {
        ScenarioDifference::new(format!("the model is shown \"{}\"", shorten(text)), format!("it is shown: {}", all()))
    });
    let unwanted = reply.not_shown.iter().filter(|text| is_shown(text)).map(|text| {
        ScenarioDifference::new(
            format!("the model is not shown \"{}\"", shorten(text)),
            format!("it is shown: {}", all()),
        )
    });
    missing.chain(unwanted).collect()
}

fn usage_of(reply: &ScenarioReply, request: &ModelRequest) -> ModelUsage {
    if let Some(tokens) = reply.tokens {
        return ModelUsage { input_tokens: 0, output_tokens: tokens };
    }
    let tokens = |bytes: usize| bytes.div_ceil(BYTES_PER_TOKEN) as u64;
    let read: usize = request.messages.iter().map(|message| message.content.len()).sum();
    ModelUsage { input_tokens: tokens(read), output_tokens: tokens(reply.text.len()) }
}
