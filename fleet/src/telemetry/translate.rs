//! From the records of a tape to spans, to decisions that do not change any more, and to what is counted.
//!
//! A trace is a turn of a session. In it, the agent's work (`invoke_agent`) has calls of models (`chat`) and of tools
//! (`execute_tool`), and these have the hooks that judged them. A span is made when the tape says how it ended. What
//! follows from a record depends on the records up to it only, so reading a tape again leads to the same.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use opentelemetry_proto::tonic::trace::v1::Span;
use pintle_contract::{Decision, EnforcementMode, EventKind, Origin};
use pintle_tape::decisions::HOST_NOTE;
use pintle_tape::record::host::{HostRecord, MessageSource, TurnPhase};
use pintle_tape::record::{
    ApprovalRecord, ApprovalResult, EventRecord, HookReturnedRecord, OutcomeRecord, Record, RecordBody,
};
use serde_json::Value;

use super::attributes::{nanos, span_id, trace_id};
use super::metrics::MetricMeasurement;
use super::spans::{DENIED, TracedHook, TracedModel, TracedRun, TracedTool};

/// The error of a tool call whose result is an error.
const TOOL_ERROR: &str = "tool_error";

/// What is known of a tape from outside of its records.
#[derive(Debug, Clone, Default)]
pub(super) struct TracedTape {
    /// The digest of its first line.
    pub(super) tape: String,
    /// The agent that ran the session under `pintle hook`; `None` for a session of Pintle's own loop.
    pub(super) host: Option<String>,
    pub(super) session: String,
    pub(super) project: Option<String>,
    /// The version of Pintle that began it.
    pub(super) pintle: String,
    pub(super) with_content: bool,
}

/// A span, as what belongs to it names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SpanPlace {
    pub(super) trace: Vec<u8>,
    /// Empty outside of a turn.
    pub(super) span: Vec<u8>,
}

/// What follows from new records.
#[derive(Debug, Default)]
pub(super) struct TranslatedItems {
    pub(super) spans: Vec<Span>,
    /// Decisions by the number of their first record, each with its span.
    pub(super) decisions: BTreeMap<u64, SpanPlace>,
    pub(super) measurements: Vec<MetricMeasurement>,
}

/// A dispatch whose outcome is not read yet.
#[derive(Debug)]
struct TracedDispatch {
    event: String,
    place: SpanPlace,
    run: String,
    /// The tool call that it is about.
    tool: Option<u64>,
}

/// A decision that may change.
#[derive(Debug)]
struct PendingDecision {
    seq: u64,
    dispatch: u64,
    tool: Option<u64>,
    place: SpanPlace,
}

/// Translates the records of a tape, in their order.
#[derive(Debug, Default)]
pub(super) struct TapeTranslator {
    pub(super) facts: TracedTape,
    items: TranslatedItems,
    /// Whether the present record is new.
    is_new: bool,
    seq: u64,
    at_ns: u64,
    turn: u32,
    /// The number of the turn's trace.
    trace: Vec<u8>,
    /// By the ID of the run, which is empty for the main agent.
    runs: BTreeMap<String, TracedRun>,
    /// The tool calls of the turn, by the number of their first record.
    tools: BTreeMap<u64, TracedTool>,
    /// The newest of them by run and ID, otherwise by run and tool.
    newest_tools: BTreeMap<(String, String), u64>,
    /// Those that belong to the present call of a host agent.
    touched: BTreeSet<u64>,
    models: BTreeMap<u64, TracedModel>,
    dispatches: BTreeMap<u64, TracedDispatch>,
    /// When the calls of hooks began that have not returned.
    calls: BTreeMap<u64, (u64, bool)>,
    shadow_hooks: BTreeSet<u64>,
    pending: Vec<PendingDecision>,
    /// The runs that end with the present call of a host agent.
    ending: Vec<String>,
}

impl TapeTranslator {
    pub(super) fn new(facts: TracedTape) -> Self {
        Self { trace: trace_id(&facts.tape, 0), facts, ..Self::default() }
    }

    /// What followed from new records since the last time.
    pub(super) fn take_items(&mut self) -> TranslatedItems {
        mem::take(&mut self.items)
    }

    /// The number of items that [`TapeTranslator::take_items`] returns.
    pub(super) fn item_count(&self) -> usize {
        self.items.spans.len() + self.items.decisions.len()
    }

    /// Adds the next record. Of one that is not new, nothing is to be sent.
    pub(super) fn add(&mut self, record: &Record<'_>, is_new: bool) {
        (self.is_new, self.seq, self.at_ns) = (is_new, record.seq, nanos(record.at_ms));
        match &record.body {
            RecordBody::Hooks(loaded) => {
                let shadow = loaded.hooks.iter().filter(|hook| hook.mode == EnforcementMode::Shadow);
                self.shadow_hooks.extend(shadow.map(|hook| hook.entry));
            }
            RecordBody::Event(fired) => self.begin_dispatch(fired),
            RecordBody::HookCall(called) => {
                let is_shadow = self.shadow_hooks.contains(&called.entry);
                self.calls.insert(called.call, (self.at_ns, is_shadow));
                if let Some(payload) = called.value.as_deref() {
                    self.note_payload(called.dispatch, payload);
                }
            }
            RecordBody::HookReturned(returned) => self.end_hook(returned),
            RecordBody::Approval(answered) => self.note_answer(answered),
            RecordBody::Outcome(decided) => self.end_dispatch(decided),
            RecordBody::Note(note) if note.kind == HOST_NOTE => self.end_host_call(&note.data),
            RecordBody::Host(host) => self.add_host(host),
            RecordBody::Repaired(_) => {
                self.end_turn();
                self.dispatches.clear();
                self.calls.clear();
            }
            RecordBody::Closed(_) => self.end_turn(),
            _ => {}
        }
    }

    fn begin_dispatch(&mut self, fired: &EventRecord<'_>) {
        let place = self.enter(&fired.origin);
        let kind = EventKind::from_name(&fired.event);
        let is_about_tool = kind.is_some_and(|kind| kind.def().is_about_tool_call());
        let tool = match kind {
            Some(kind) if is_about_tool => Some(self.tool_of_event(kind, fired, &place)),
            _ => None,
        };
        let place = tool.and_then(|seq| self.tools.get(&seq)).map_or(place, |tool| tool.place.clone());
        let run = fired.origin.run.clone();
        let dispatch = TracedDispatch { event: fired.event.to_string(), place: place.clone(), run, tool };
        for (index, passed) in fired.hook_records().enumerate() {
            // Two records each: the call and its return.
            if let (true, RecordBody::HookReturned(returned)) = (index % 2 == 1, &passed) {
                let entry = fired.passed.get(index / 2).map(|call| call.entry);
                let is_shadow = entry.is_some_and(|entry| self.shadow_hooks.contains(&entry));
                self.emit_hook(returned, &dispatch, (self.at_ns, is_shadow));
            }
        }
        self.pending.push(PendingDecision { seq: self.seq, dispatch: fired.dispatch, tool, place });
        self.dispatches.insert(fired.dispatch, dispatch);
        self.note_payload(fired.dispatch, &fired.payload);
        if let Some(outcome) = fired.outcome() {
            self.end_dispatch(&outcome);
        }
    }

    /// The tool call that an event is about, which may be its first.
    fn tool_of_event(&mut self, kind: EventKind, fired: &EventRecord<'_>, place: &SpanPlace) -> u64 {
        let field = |name: &str| fired.payload.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let id = field("id").or_else(|| field("call_id")).unwrap_or_default();
        let is_pre = kind == EventKind::ToolPre;
        let seq = self.find_or_begin_tool(&fired.origin, place, id, field("name").unwrap_or_default(), is_pre);
        let is_partial = fired.payload.get("partial").and_then(Value::as_bool).unwrap_or_default();
        let is_result = kind == EventKind::ToolPost || kind == EventKind::ToolResult && !is_partial;
        let is_error = fired.payload.get("is_error").and_then(Value::as_bool).unwrap_or_default();
        self.touched.insert(seq);
        if let Some(tool) = self.tools.get_mut(&seq) {
            tool.is_begun |= is_pre;
            tool.is_over |= is_result;
            if is_result && is_error && tool.error.is_empty() {
                tool.error = TOOL_ERROR;
            }
        }
        seq
    }

    fn find_or_begin_tool(&mut self, origin: &Origin, place: &SpanPlace, id: &str, name: &str, is_pre: bool) -> u64 {
        // Calls without an ID are one after the other.
        let key = (origin.run.clone(), if id.is_empty() { format!("\n{name}") } else { id.to_owned() });
        let is_open = |tool: &&TracedTool| !id.is_empty() || !(tool.is_sent || tool.is_over || is_pre && tool.is_begun);
        if let Some(known) = self.newest_tools.get(&key).and_then(|seq| self.tools.get(seq)).filter(is_open) {
            return known.seq;
        }
        let seq = self.seq;
        self.newest_tools.insert(key, seq);
        let tool = TracedTool {
            seq,
            place: SpanPlace { trace: place.trace.clone(), span: span_id(&self.facts.tape, "tool", seq) },
            parent: place.span.clone(),
            run: origin.run.clone(),
            agent: self.agent_of(origin),
            id: id.to_owned(),
            name: name.to_owned(),
            start_ns: self.at_ns,
            last_ns: self.at_ns,
            is_begun: is_pre,
            is_over: false,
            is_sent: false,
            error: "",
            arguments: None,
            result: None,
        };
        self.tools.insert(seq, tool);
        seq
    }

    /// Notes what an event is about, in the newest version of its payload.
    fn note_payload(&mut self, dispatch: u64, payload: &Value) {
        let Some(traced) = self.dispatches.get(&dispatch) else { return };
        let text =
            |name: &str| payload.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        match EventKind::from_name(&traced.event) {
            Some(EventKind::PromptSubmit) => {
                let prompt = text("prompt").unwrap_or_default();
                if let Some(run) = self.runs.get_mut(&traced.run) {
                    run.prompt = prompt;
                }
            }
            Some(kind) => {
                let Some(tool) = traced.tool.and_then(|seq| self.tools.get_mut(&seq)) else { return };
                match kind {
                    EventKind::ToolResult | EventKind::ToolPost => tool.result = text("content"),
                    _ => tool.arguments = text("args"),
                }
            }
            None => {}
        }
    }

    fn end_hook(&mut self, returned: &HookReturnedRecord<'_>) {
        let Some(called) = self.calls.remove(&returned.call) else { return };
        let Some(dispatch) = self.dispatches.remove(&returned.dispatch) else { return };
        self.emit_hook(returned, &dispatch, called);
        self.dispatches.insert(returned.dispatch, dispatch);
    }

    fn emit_hook(&mut self, returned: &HookReturnedRecord<'_>, dispatch: &TracedDispatch, called: (u64, bool)) {
        let (start_ns, is_shadow) = called;
        let tool = dispatch.tool.and_then(|seq| self.tools.get(&seq)).map(|tool| tool.name.as_str());
        let hook = TracedHook {
            call: returned.call,
            hook: &returned.hook,
            is_shadow,
            event: &dispatch.event,
            tool,
            start_ns,
            duration_us: returned.duration_us,
            verdict: &returned.verdict,
        };
        let (span, measurements) = hook.end(&dispatch.place, &self.facts);
        let end_ns = span.end_time_unix_nano;
        if let Some(tool) = dispatch.tool.and_then(|seq| self.tools.get_mut(&seq)) {
            tool.last_ns = tool.last_ns.max(end_ns);
        }
        if let Some(run) = self.runs.get_mut(&dispatch.run) {
            run.last_ns = run.last_ns.max(end_ns);
        }
        self.emit(span, measurements);
    }

    fn note_answer(&mut self, answered: &ApprovalRecord<'_>) {
        let of_dispatch = answered.dispatch.and_then(|dispatch| self.dispatches.get(&dispatch)?.tool);
        let of_call = || {
            let run = &answered.origin.as_deref()?.run;
            self.newest_tools.get(&(run.clone(), answered.id.as_deref()?.to_owned())).copied()
        };
        let Some(seq) = of_dispatch.or_else(of_call) else { return };
        if matches!(answered.answer, ApprovalResult::Refused | ApprovalResult::Unavailable) {
            self.deny_tool(seq);
        }
    }

    fn deny_tool(&mut self, seq: u64) {
        if let Some(tool) = self.tools.get_mut(&seq).filter(|tool| !tool.is_over || tool.error == TOOL_ERROR) {
            (tool.is_over, tool.error) = (true, DENIED);
        }
    }

    fn end_dispatch(&mut self, decided: &OutcomeRecord<'_>) {
        if let Some(payload) = decided.value.as_deref() {
            self.note_payload(decided.dispatch, payload);
        }
        let Some(dispatch) = self.dispatches.remove(&decided.dispatch) else { return };
        let kind = EventKind::from_name(&dispatch.event);
        let at_ns = self.at_ns;
        match dispatch.tool {
            Some(seq) => {
                if let Some(tool) = self.tools.get_mut(&seq) {
                    tool.last_ns = tool.last_ns.max(at_ns);
                }
                let is_guard = !matches!(kind, Some(EventKind::ToolResult | EventKind::ToolPost));
                if is_guard && decided.decision == Decision::Deny {
                    self.deny_tool(seq);
                }
            }
            None if decided.decision == Decision::Deny => {}
            None => match kind {
                Some(EventKind::TurnEnd | EventKind::SessionEnd) => self.ending.push(dispatch.run),
                Some(EventKind::DelegationPost) if !dispatch.run.is_empty() => self.ending.push(dispatch.run),
                _ => {}
            },
        }
        if self.facts.host.is_some() {
            return;
        }
        self.ending.clear();
        match dispatch.tool {
            Some(seq) if kind == Some(EventKind::ToolPost) => self.end_tool(seq),
            // The permission rules come after the hooks.
            Some(_) => {}
            None => self.settle(|pending| pending.dispatch == decided.dispatch),
        }
    }

    /// Ends a call of a host agent, which has all the events before its note.
    fn end_host_call(&mut self, note: &Value) {
        let told = note.get("told").or_else(|| note.get("decision")).and_then(Value::as_str);
        for seq in mem::take(&mut self.touched) {
            if told == Some("deny") {
                self.deny_tool(seq);
            }
            if self.tools.get(&seq).is_some_and(|tool| tool.is_over) {
                self.end_tool(seq);
            }
        }
        // A denial without an event of its own is a decision of this record.
        let place = self.runs.get("").map(|run| run.place.clone());
        let place = place.unwrap_or_else(|| SpanPlace { trace: self.trace.clone(), span: Vec::new() });
        self.pending.push(PendingDecision { seq: self.seq, dispatch: 0, tool: None, place });
        self.settle(|_| true);
        for run in mem::take(&mut self.ending) {
            match run.as_str() {
                "" => self.end_turn(),
                run => self.end_run(run, ""),
            }
        }
    }

    fn add_host(&mut self, host: &HostRecord<'_>) {
        if let HostRecord::Resumed(_) = host {
            self.end_turn();
        }
        let origin = host.origin();
        let place = self.enter(origin);
        let at_ns = self.at_ns;
        match host {
            HostRecord::UserMessage(said) if said.source == MessageSource::Prompt => {
                if let Some(run) = self.runs.get_mut(&origin.run) {
                    run.prompt = said.text.to_string();
                }
            }
            HostRecord::ModelRequest(asked) => {
                let span = span_id(&self.facts.tape, "chat", asked.request);
                let model = TracedModel {
                    place: SpanPlace { trace: place.trace, span },
                    parent: place.span,
                    run: origin.run.clone(),
                    agent: self.agent_of(origin),
                    model: asked.model.to_string(),
                    start_ns: self.at_ns,
                };
                self.models.insert(asked.request, model);
            }
            HostRecord::ModelReply(reply) => {
                if let Some(model) = self.models.remove(&reply.request) {
                    let (span, measurements) = model.end(Some(reply), at_ns, &self.facts);
                    self.emit(span, measurements);
                }
            }
            HostRecord::ToolCall(call) => {
                let seq = self.find_or_begin_tool(origin, &place, &call.id, &call.name, false);
                if let Some(tool) = self.tools.get_mut(&seq) {
                    (tool.arguments, tool.last_ns) = (Some(call.args.to_string()), at_ns);
                }
                // It runs, so what was decided before is final.
                self.settle(|pending| pending.tool == Some(seq));
            }
            HostRecord::ToolResult(result) => {
                let seq = self.find_or_begin_tool(origin, &place, &result.id, &result.name, false);
                if let Some(tool) = self.tools.get_mut(&seq) {
                    (tool.result, tool.last_ns, tool.is_over) = (Some(result.content.to_string()), at_ns, true);
                    if result.is_error && tool.error.is_empty() {
                        tool.error = TOOL_ERROR;
                    }
                }
            }
            HostRecord::Message(added) => {
                let answered = added.message.get("tool_call_id").and_then(Value::as_str);
                let newest = |id: &str| self.newest_tools.get(&(origin.run.clone(), id.to_owned())).copied();
                if let Some(seq) = answered.and_then(newest) {
                    if let Some(tool) = self.tools.get_mut(&seq) {
                        (tool.last_ns, tool.is_over) = (at_ns, true);
                    }
                    self.end_tool(seq);
                }
            }
            HostRecord::Turn(turn) if turn.phase == TurnPhase::End => {
                let tokens =
                    |key: &str| turn.usage.as_deref().and_then(|usage| usage.get(key)?.as_u64()).unwrap_or_default();
                if let Some(run) = self.runs.get_mut(&origin.run) {
                    (run.input_tokens, run.output_tokens) = (tokens("input_tokens"), tokens("output_tokens"));
                }
                let reason = turn.end_reason.as_deref().filter(|reason| *reason != "done").unwrap_or_default();
                self.end_run(&origin.run, reason);
            }
            _ => {}
        }
    }

    /// The span that a record with this origin belongs to. A new turn of the main agent ends the one before.
    fn enter(&mut self, origin: &Origin) -> SpanPlace {
        if origin.run.is_empty() && origin.depth == 0 && origin.turn != self.turn {
            self.end_turn();
            self.turn = origin.turn;
            self.trace = trace_id(&self.facts.tape, self.turn);
        }
        let trace = self.trace.clone();
        let main = self.runs.get("").map(|main| main.place.span.clone()).unwrap_or_default();
        if self.turn == 0 && origin.run.is_empty() {
            return SpanPlace { trace, span: Vec::new() };
        }
        let (seq, at_ns, agent) = (self.seq, self.at_ns, self.agent_of(origin));
        let run = self.runs.entry(origin.run.clone()).or_insert_with(|| TracedRun {
            place: SpanPlace { trace, span: span_id(&self.facts.tape, "agent", seq) },
            parent: main,
            agent,
            turn: self.turn,
            start_ns: at_ns,
            last_ns: at_ns,
            is_sent: false,
            prompt: String::new(),
            input_tokens: 0,
            output_tokens: 0,
        });
        run.last_ns = run.last_ns.max(at_ns);
        run.place.clone()
    }

    /// The name of an agent: under `pintle hook` the main agent is the host agent.
    fn agent_of(&self, origin: &Origin) -> String {
        let host = self.facts.host.as_ref().filter(|_| origin.run.is_empty());
        host.unwrap_or(&origin.agent).clone()
    }

    /// Ends the turn with all that belongs to it.
    fn end_turn(&mut self) {
        let mut runs: Vec<String> = self.runs.keys().cloned().collect();
        // The main agent's is the first, and all others are parts of it.
        runs.reverse();
        for run in runs {
            self.end_run(&run, "");
        }
        for seq in self.tools.keys().copied().collect::<Vec<_>>() {
            self.end_tool(seq);
        }
        self.settle(|_| true);
        self.runs.clear();
        self.tools.clear();
        self.newest_tools.clear();
        self.touched.clear();
        self.ending.clear();
    }

    /// Ends the work of an agent, and what it left open. The failure is the text of an error; empty if there is none.
    fn end_run(&mut self, name: &str, failure: &str) {
        let of_run = self.tools.values().filter(|tool| tool.run == name && !tool.is_sent);
        let tools: Vec<u64> = of_run.map(|tool| tool.seq).collect();
        tools.into_iter().for_each(|seq| self.end_tool(seq));
        let Some(run) = self.runs.get_mut(name).filter(|run| !run.is_sent) else { return };
        let last_ns = run.last_ns;
        let (span, measurement) = run.end(failure, &self.facts);
        let open: Vec<u64> =
            self.models.iter().filter(|(_, model)| model.run == name).map(|(request, _)| *request).collect();
        for model in open.into_iter().filter_map(|request| self.models.remove(&request)).collect::<Vec<_>>() {
            let (span, measurements) = model.end(None, last_ns, &self.facts);
            self.emit(span, measurements);
        }
        self.emit(span, [measurement]);
    }

    fn end_tool(&mut self, seq: u64) {
        self.settle(|pending| pending.tool == Some(seq));
        let Some(tool) = self.tools.get_mut(&seq).filter(|tool| !tool.is_sent) else { return };
        let (span, measurement) = tool.end(&self.facts);
        self.emit(span, measurement);
    }

    /// Marks decisions as final.
    fn settle(&mut self, is_final: impl Fn(&PendingDecision) -> bool) {
        for settled in self.pending.extract_if(.., |pending| is_final(pending)) {
            if self.is_new {
                self.items.decisions.insert(settled.seq, settled.place);
            }
        }
    }

    fn emit(&mut self, span: Span, measurements: impl IntoIterator<Item = MetricMeasurement>) {
        if self.is_new {
            self.items.spans.push(span);
            self.items.measurements.extend(measurements);
        }
    }
}
