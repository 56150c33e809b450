//! Restores a session from its tape, record by record.

mod outcomes;

use std::collections::HashMap;

use pintle_host::contract::{ApprovalScope, EffectRequest};
use pintle_host::event;
use pintle_host::tape::record::host::{self, HostRecord, MessageSource, MessagesReplacedBy, TurnPhase};
use pintle_host::tape::record::{ApprovalRecord, ApprovalResult, EffectRecord, EventRecord};
use pintle_host::tape::{RecordBody, TapeSource};
use pintle_host::{EventKind, Origin};
use serde_json::Value;

use super::calls::RecordedPayload;
use super::decode::{decode_message, decode_usage};
use super::interrupted_turn::InterruptedTurn;
use super::open_event::{OpenEvent, PayloadOnTape};
use super::open_steps::OpenSteps;
use super::{RecordedUsage, RestoredSession};
use crate::conversation::{ConversationLength, estimate_tokens};
use crate::model::{MessageRole, ModelMessage};
use crate::tools::DoneTool;

/// The state of this session at the end of a tape.
pub(super) fn fold_tape(tape: &TapeSource, session: &str) -> Result<RestoredSession, String> {
    let mut fold = TapeFold { session, ..TapeFold::default() };
    let mut error = None;
    let reader = tape.visit(&mut |record, line| {
        if error.is_none() {
            error = fold.apply_record(record.body, line).err();
        }
    });
    let reader = reader.map_err(|error| error.to_string())?;
    if let Some(error) = error {
        return Err(error);
    }
    if !fold.is_known {
        return Err(format!("the tape does not contain session `{session}`"));
    }
    let mut restored = fold.restored;
    fold.pending_request.into_iter().for_each(|request| restored.calls.forget_reply(request));
    restored.calls.set_tape(reader);
    restored.interrupted_turn = fold.interrupted_turn.map(Box::new);
    Ok(restored)
}

/// The state after the records so far.
#[derive(Default)]
struct TapeFold<'s> {
    session: &'s str,
    is_known: bool,
    restored: RestoredSession,
    /// The open dispatches.
    open_events: HashMap<u64, OpenEvent>,
    /// The dispatch and the final payload of each run's last `completion.pre`, which model requests refer to.
    request_payloads: HashMap<String, (u64, RecordedPayload)>,
    /// For each open request, the personas it is charged to and the model.
    pending_requests: HashMap<u64, (Vec<String>, String)>,
    steps: OpenSteps,
    /// The calls after the rewrites of `tool.pre` hooks that have not started, by run and id.
    guarded_calls: HashMap<(String, String), Value>,
    /// The model request whose reply is not in the conversation yet.
    pending_request: Option<u64>,
    /// The running turn.
    interrupted_turn: Option<InterruptedTurn>,
}

impl TapeFold<'_> {
    /// Applies a record; `line` is its line, if the tape is in a file.
    fn apply_record(&mut self, body: RecordBody<'static>, line: Option<Vec<u8>>) -> Result<(), String> {
        self.restored.record_count += 1;
        match body {
            RecordBody::Event(fired) => self.apply_event(fired, line),
            RecordBody::HookCall(asked) => {
                if let (Some(open), Some(value)) = (self.open_events.get_mut(&asked.dispatch), asked.value) {
                    open.versions.push((asked.payload, PayloadOnTape { value: value.into_owned(), line }));
                }
            }
            RecordBody::Outcome(decided) => self.apply_outcome(decided, line),
            RecordBody::Effect(effected) => self.apply_effect(&effected),
            RecordBody::Approval(resolved) => self.apply_approval(&resolved),
            RecordBody::Host(host) => self.apply_host_record(&host)?,
            _ => {}
        }
        Ok(())
    }

    fn is_main(&self, origin: &Origin) -> bool {
        origin.session == self.session && origin.run.is_empty()
    }

    fn apply_event(&mut self, record: EventRecord<'static>, line: Option<Vec<u8>>) {
        // Events that a script emits do not change the session.
        let kind = EventKind::from_name(&record.event);
        let is_main = self.is_main(&record.origin) && kind != Some(EventKind::Custom);
        let outcome = record.outcome();
        let open = OpenEvent {
            kind,
            run: record.origin.run.clone(),
            is_main,
            payload: PayloadOnTape { value: record.payload.into_owned(), line },
            versions: Vec::new(),
        };
        if is_main {
            self.apply_event_start(&open);
        }
        self.open_events.insert(record.dispatch, open);
        if let Some(outcome) = outcome {
            self.apply_outcome(outcome, None);
        }
    }

    /// Applies an event when its dispatch begins.
    fn apply_event_start(&mut self, open: &OpenEvent) {
        let payload = &open.payload.value;
        let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        let number = |name: &str| payload.get(name).and_then(Value::as_u64);
        let Some(kind) = open.kind else { return };
        match kind {
            // Another session of the same program: no context from hooks remains.
            EventKind::SessionStart if text("source") == "clear" => {
                self.restored.notes.clear();
                self.restored.speaker = None;
            }
            EventKind::AgentSwitch if matches!(text("kind"), "handoff" | "forced_handoff") => {
                self.restored.speaker = Some(text("to").to_owned());
                if let Some(turn) = &mut self.interrupted_turn {
                    turn.last_batch.handoff = None;
                    turn.limit = None;
                    turn.progress.forced_handoffs += u32::from(text("kind") == "forced_handoff");
                }
            }
            EventKind::CompletionPre => {
                if let (Some(turn), Some(iteration)) = (&mut self.interrupted_turn, number("iteration")) {
                    turn.last_iteration = u32::try_from(iteration).unwrap_or(u32::MAX);
                }
            }
            EventKind::CompletionPost => {
                self.restored.answered_count += 1;
                let usage = decode_usage(payload.get("usage"));
                self.restored.length.counted_tokens = usage.total_tokens;
                self.restored.length.counted_messages = self.restored.messages.len() + 1;
                if let Some(turn) = &mut self.interrupted_turn {
                    text("finish_reason").clone_into(&mut turn.progress.finish_reason);
                }
            }
            EventKind::ToolPre => {
                if let Some(turn) = &mut self.interrupted_turn {
                    turn.last_batch.guarded_ids.insert(text("id").to_owned());
                }
            }
            EventKind::ToolPost => {
                if let Some(turn) = &mut self.interrupted_turn {
                    let args = payload.get("args").cloned().unwrap_or_default();
                    turn.last_batch.reviewed_calls.insert(text("call_id").to_owned(), (text("name").to_owned(), args));
                }
            }
            EventKind::StepPre => self.steps.enter(text("persona"), text("step")),
            EventKind::StepPost => self.steps.leave(text("persona"), text("step")),
            EventKind::PersonaPaused | EventKind::PersonaResumed => {
                self.restored.personas.push((kind, payload.clone()));
            }
            _ => {}
        }
    }

    /// Applies the user's response to an approval request of the loop.
    fn apply_approval(&mut self, record: &ApprovalRecord<'_>) {
        let grant = match record.answer {
            ApprovalResult::GrantedTool => ApprovalScope::Tool,
            ApprovalResult::GrantedSession => ApprovalScope::Session,
            ApprovalResult::Approved => return,
            _ => {
                if let Some(origin) = record.origin.as_deref().filter(|origin| self.is_main(origin)) {
                    self.steps.refuse(&origin.persona, &origin.step);
                }
                return;
            }
        };
        let (Some(origin), Some(id)) = (&record.origin, &record.id) else { return };
        if origin.session == self.session
            && let Some(call) = self.guarded_calls.get(&(origin.run.clone(), id.clone().into_owned()))
        {
            self.restored.grants.push((grant, Value::clone(call)));
        }
    }

    fn apply_effect(&mut self, effected: &EffectRecord<'_>) {
        let kept = || (effected.layer, effected.caller.clone().into_owned(), EffectRequest::clone(&effected.request));
        match &*effected.request {
            EffectRequest::MetricIncr { .. }
            | EffectRequest::MetricSet { .. }
            | EffectRequest::MetricReset { .. }
            | EffectRequest::CacheSet { .. }
            | EffectRequest::CacheDelete { .. } => self.restored.effects.push(kept()),
            EffectRequest::ContextSet { .. } => {
                if let Some(turn) = &mut self.interrupted_turn {
                    turn.effects.push(kept());
                }
            }
            EffectRequest::Log { .. } => {
                let is_main = effected
                    .dispatch
                    .is_none_or(|dispatch| self.open_events.get(&dispatch).is_some_and(|open| open.is_main));
                if let Some(turn) = self.interrupted_turn.as_mut().filter(|_| is_main) {
                    turn.effects.push(kept());
                }
            }
            _ => {}
        }
    }

    fn apply_host_record(&mut self, record: &HostRecord<'static>) -> Result<(), String> {
        if record.origin().session != self.session {
            return Ok(());
        }
        if let HostRecord::ToolCall(call) = record {
            self.guarded_calls.remove(&(call.origin.run.clone(), call.id.to_string()));
        }
        self.is_known |= matches!(record, HostRecord::Session(_));
        match record {
            HostRecord::ModelRequest(request) => self.apply_model_request(request),
            HostRecord::ModelReply(reply) => self.apply_model_reply(reply),
            _ if !self.is_main(record.origin()) => {}
            HostRecord::UserMessage(said) => self.apply_user_message(said),
            HostRecord::Turn(turn) => self.apply_turn(turn),
            HostRecord::Message(message) => self.apply_message(message)?,
            HostRecord::Messages(messages) => self.apply_messages(messages)?,
            HostRecord::ToolCall(call) => {
                if let Some(turn) = &mut self.interrupted_turn {
                    let made = (call.name.clone().into_owned(), call.args.clone().into_owned());
                    turn.last_batch.started_calls.insert(call.id.clone().into_owned(), made);
                }
            }
            HostRecord::ToolResult(result) => self.apply_tool_result(result),
            HostRecord::Reminder(reminded) => {
                let turn = reminded.origin.turn;
                self.restored.reminders.apply_transition(
                    reminded.transition,
                    reminded.reminder.clone().into_owned(),
                    turn,
                );
            }
            HostRecord::Resumed(_) => self.steps.on_interrupt(),
            HostRecord::Session(_) => {}
        }
        Ok(())
    }

    fn apply_model_request(&mut self, request: &host::ModelRequestRecord<'_>) {
        let earlier = || {
            let (dispatch, payload) = self.request_payloads.get(&request.origin.run)?;
            (Some(*dispatch) == request.same_as).then(|| payload.clone())
        };
        let sent = request.payload.as_deref().cloned().map(RecordedPayload::Value).or_else(earlier);
        self.restored.calls.record_request(request, sent.unwrap_or(RecordedPayload::Value(Value::Null)));
        let counts = (self.steps.personas_of(&request.origin), request.model.clone().into_owned());
        self.pending_requests.insert(request.request, counts);
        if !self.is_main(&request.origin) {
            return;
        }
        // An earlier reply was never added to the conversation: its program was interrupted, and this is the next one.
        if let Some(request) = self.pending_request.take() {
            self.restored.calls.forget_reply(request);
        }
        if let Some(turn) = &mut self.interrupted_turn {
            // Earlier messages of the user were answered or dropped.
            turn.queued_messages.clear();
            turn.notes.call.clear();
        }
    }

    fn apply_model_reply(&mut self, reply: &host::ModelReplyRecord<'_>) {
        self.restored.calls.record_reply(reply);
        let Some(value) = &reply.reply else { return };
        if self.is_main(&reply.origin) {
            self.pending_request = Some(reply.request);
        }
        let usage = decode_usage(value.get("usage"));
        self.restored.usage = self.restored.usage.plus(usage);
        if let Some((personas, model)) = self.pending_requests.remove(&reply.request) {
            self.restored.usage_records.push(RecordedUsage { personas, model, usage });
        }
    }

    fn apply_user_message(&mut self, message: &host::UserMessageRecord<'_>) {
        let words = (message.source, message.text.clone().into_owned());
        if message.source == MessageSource::Prompt {
            let turn = InterruptedTurn { number: message.origin.turn, ..self.new_interrupted_turn() };
            self.interrupted_turn = Some(turn);
        }
        if let Some(turn) = &mut self.interrupted_turn {
            turn.queued_messages.push_back(words);
            turn.notes.prompt.clear();
        }
    }

    fn new_interrupted_turn(&self) -> InterruptedTurn {
        InterruptedTurn {
            usage_before: self.restored.usage,
            notes_before: self.restored.notes.len(),
            ..InterruptedTurn::default()
        }
    }

    fn apply_turn(&mut self, record: &host::TurnRecord<'_>) {
        if record.phase == TurnPhase::End {
            self.interrupted_turn = None;
            self.pending_request = None;
            return;
        }
        self.steps.start_turn(&record.origin);
        self.restored.turns = self.restored.turns.max(record.origin.turn);
        let mut turn = self.interrupted_turn.take().unwrap_or_else(|| self.new_interrupted_turn());
        turn.number = record.origin.turn;
        turn.has_begun = true;
        turn.is_step = !record.origin.step.is_empty();
        self.interrupted_turn = Some(turn);
    }

    fn apply_message(&mut self, record: &host::MessageRecord<'_>) -> Result<(), String> {
        let message = decode_message(&record.message)?;
        self.restored.conversation.get_or_insert_with(|| record.conversation.clone().into_owned());
        if message.role == MessageRole::Assistant {
            self.pending_request = None;
        }
        if let Some(turn) = &mut self.interrupted_turn {
            match message.role {
                MessageRole::User => drop(turn.queued_messages.pop_front()),
                MessageRole::Assistant => turn.record_reply(&message),
                MessageRole::Tool => turn.record_result(&message),
                MessageRole::System => {}
            }
        }
        self.restored.messages.push(message);
        Ok(())
    }

    fn apply_messages(&mut self, record: &host::MessagesRecord<'_>) -> Result<(), String> {
        let messages: Result<Vec<ModelMessage>, String> = record.messages.iter().map(decode_message).collect();
        self.restored.messages = messages?;
        self.pending_request = None;
        self.restored.length = ConversationLength::default();
        self.restored.reminders.apply_replaced(record.replaced_by);
        if record.replaced_by == MessagesReplacedBy::Compact {
            self.restored.length.compacted_tokens =
                self.restored.messages.iter().map(|message| estimate_tokens(message) as u64).sum();
        }
        Ok(())
    }

    fn apply_tool_result(&mut self, result: &host::ToolResultRecord<'_>) {
        let Some(turn) = &mut self.interrupted_turn else { return };
        let (id, name) = (result.id.clone().into_owned(), result.name.clone().into_owned());
        let given = |field: &str| {
            let (_, args) = turn.last_batch.started_calls.get(&id)?;
            Some(args.get(field).and_then(Value::as_str).unwrap_or_default().to_owned())
        };
        // The results of these two are kept in the turn only.
        if !result.is_error && name == DoneTool::NAME {
            turn.last_batch.done = turn.last_batch.started_calls.get(&id).map(|(_, args)| args.clone());
        } else if !result.is_error && name == "handoff" {
            turn.last_batch.handoff = given("agent");
        }
        let content = result.content.clone().into_owned();
        let value = result.result.as_deref().cloned().unwrap_or_else(|| Value::String(content.clone()));
        let gave = event::ToolResult { call_id: id.clone(), name, content, is_error: result.is_error, result: value };
        turn.last_batch.tool_results.insert(id, gave);
    }
}
