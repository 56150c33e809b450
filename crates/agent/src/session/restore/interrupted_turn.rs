//! An interrupted turn: its progress, and how to continue it.

use std::collections::{HashMap, HashSet, VecDeque};

use pintle_host::contract::EffectRequest;
use pintle_host::event::{TokenUsage, ToolCall, ToolResult};
use pintle_host::tape::record::host::MessageSource;
use pintle_host::{EventScope, Layer};
use serde_json::{Map, Value};

use crate::conversation::Conversation;
use crate::model::{MessageRole, ModelMessage, ModelReply, ModelToolCall};
use crate::session_state::ContextNotes;
use crate::tools::{DoneTool, INTERRUPTED, ResumedCall};
use crate::turn_context::TurnContext;
use crate::turn_error::TurnError;
use crate::turn_loop::{RestOfTurn, TurnProgress, TurnRun};

/// An interrupted turn.
#[derive(Debug, Default)]
pub(crate) struct InterruptedTurn {
    pub(super) number: u32,
    pub(super) has_begun: bool,
    /// Whether it was part of a persona's step, which cannot be continued.
    pub(super) is_step: bool,
    /// Messages of the user that are not in the conversation yet, oldest first.
    pub(super) queued_messages: VecDeque<(MessageSource, String)>,
    /// The conversation's usage before the turn.
    pub(super) usage_before: TokenUsage,
    /// The limit of model calls, if the user raised it.
    pub(super) limit: Option<u32>,
    pub(super) progress: TurnProgress,
    pub(super) notes: ContextNotes,
    /// The number of notes in the conversation before the turn.
    pub(super) notes_before: usize,
    /// Metrics, cache entries and log lines of its scripts, with their layer and hook.
    pub(super) effects: Vec<(Layer, String, EffectRequest)>,
    /// The number of its last model call.
    pub(super) last_iteration: u32,
    /// The calls of each reply of the model.
    pub(super) batches: Vec<Vec<ModelToolCall>>,
    /// The calls of the last reply.
    pub(super) last_batch: InterruptedBatch,
}

/// What the tape says about the calls of one reply.
#[derive(Debug, Default)]
pub(super) struct InterruptedBatch {
    /// The calls for which `tool.pre` was fired.
    pub(super) guarded_ids: HashSet<String>,
    /// The calls whose tool began to run, with its name and arguments.
    pub(super) started_calls: HashMap<String, (String, Value)>,
    /// The results of their tools.
    pub(super) tool_results: HashMap<String, ToolResult>,
    /// The calls for which `tool.post` was fired, with their names and arguments.
    pub(super) reviewed_calls: HashMap<String, (String, Value)>,
    /// The arguments of the model's `done`.
    pub(super) done: Option<Value>,
    /// The agent that the conversation was handed to.
    pub(super) handoff: Option<String>,
    /// Why a hook ends the run.
    pub(super) stop: Option<String>,
}

impl RestOfTurn for InterruptedTurn {
    fn usage_before(&self) -> Option<TokenUsage> {
        self.has_begun.then_some(self.usage_before)
    }

    fn play(self: Box<Self>, run: &mut TurnRun<'_>) -> Result<String, TurnError> {
        run.continue_turn(*self)
    }
}

impl InterruptedTurn {
    /// Whether the turn can be continued.
    pub(super) fn can_continue(&self) -> bool {
        !self.is_step
    }

    /// Records a reply of the model, whose calls are now the last batch.
    pub(super) fn record_reply(&mut self, message: &ModelMessage) {
        self.progress.iteration = self.last_iteration;
        if !message.content.is_empty() {
            self.progress.last_text.clone_from(&message.content);
        }
        self.last_batch = InterruptedBatch::default();
        if !message.tool_calls.is_empty() {
            self.batches.push(message.tool_calls.clone());
        }
    }

    /// Records the result of a call, after the rewrites of hooks.
    pub(super) fn record_result(&mut self, message: &ModelMessage) {
        let Some(id) = &message.tool_call_id else { return };
        let Some((name, args)) = self.last_batch.reviewed_calls.remove(id) else { return };
        let gave = self.last_batch.tool_results.get(id);
        let is_error = gave.is_none_or(|gave| gave.is_error);
        let result = ToolResult::from_content(id, &name, &message.content, is_error);
        let arguments = args.to_string();
        self.progress.tool_calls.push(ToolCall { id: id.clone(), name, args, arguments });
        self.progress.tool_results.push(result);
    }

    /// Gives the open calls a result, and returns the user's queued messages to the inbox. A prompt that was not added
    /// to the conversation is dropped, because there is a newer one.
    pub(super) fn abandon(mut self, turn: &TurnContext, conversation: &mut Conversation) {
        if let Some(reply) = last_reply(conversation) {
            self.fill_results(turn, conversation, &reply);
        }
        self.requeue(turn);
    }

    fn requeue(&mut self, turn: &TurnContext) {
        let inbox = &turn.agent.shared.state.inbox;
        for (source, text) in self.queued_messages.drain(..) {
            match source {
                MessageSource::Steer => inbox.steer(text),
                MessageSource::FollowUp => inbox.follow_up(text),
                MessageSource::Prompt | MessageSource::Resume => {}
            }
        }
    }

    /// Adds a result for each call of the last reply without one: its tool's result, or a message that it was
    /// interrupted.
    fn fill_results(&mut self, turn: &TurnContext, conversation: &mut Conversation, reply: &ModelReply) {
        let has_result = |id: &str| {
            let newest = conversation.messages.iter().rev().take_while(|message| message.role == MessageRole::Tool);
            newest.into_iter().any(|message| message.tool_call_id.as_deref() == Some(id))
        };
        let open: Vec<&ModelToolCall> = reply.tool_calls.iter().filter(|call| !has_result(&call.id)).collect();
        for call in open {
            let content = self.complete_call(turn, call);
            conversation.push(turn, ModelMessage::tool(call, content));
        }
    }

    /// The result of a call without one. If `tool.pre` was fired for the call, `tool.post` is fired as well.
    fn complete_call(&mut self, turn: &TurnContext, call: &ModelToolCall) -> String {
        let gave = self.last_batch.tool_results.remove(&call.id);
        if !self.last_batch.guarded_ids.contains(&call.id) {
            return INTERRUPTED.to_owned();
        }
        let began = self.last_batch.started_calls.remove(&call.id);
        let was_run = began.is_some();
        let (name, args) = began.unwrap_or_else(|| (call.name.clone(), parse_arguments(call)));
        let made = ResumedCall { id: &call.id, name: &name, args, has_run: was_run, result: gave }.finish(turn);
        let content = made.result.content.clone();
        self.progress.tool_calls.push(made.call);
        self.progress.tool_results.push(made.result);
        content
    }
}

/// The arguments of a call as the model wrote them.
fn parse_arguments(call: &ModelToolCall) -> Value {
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::Object(Map::new()))
}

/// The last reply of the conversation, if only results of its calls follow.
fn last_reply(conversation: &Conversation) -> Option<ModelReply> {
    let last = conversation.messages.iter().rev().find(|message| message.role != MessageRole::Tool)?;
    let is_reply = last.role == MessageRole::Assistant;
    is_reply.then(|| ModelReply {
        text: last.content.clone(),
        tool_calls: last.tool_calls.clone(),
        ..ModelReply::default()
    })
}

impl TurnRun<'_> {
    /// Continues an interrupted turn.
    fn continue_turn(&mut self, mut interrupted: InterruptedTurn) -> Result<String, TurnError> {
        let opening = interrupted.queued_messages.iter().position(|(source, _)| *source == MessageSource::Prompt);
        if let Some((_, words)) = opening.and_then(|index| interrupted.queued_messages.remove(index)) {
            // Its first hooks had not all been called. They are called again, so their context from then is removed.
            self.conversation.notes.truncate(interrupted.notes_before);
            interrupted.requeue(&self.turn);
            self.open_turn(&words)?;
            return self.iterate();
        }
        self.restore_progress(&mut interrupted);
        let Some(reply) = last_reply(self.conversation) else { return self.iterate() };
        interrupted.fill_results(&self.turn, self.conversation, &reply);
        self.progress.tool_calls.append(&mut interrupted.progress.tool_calls);
        self.progress.tool_results.append(&mut interrupted.progress.tool_results);
        self.iterate_after(reply)
    }

    /// Restores the turn's progress.
    fn restore_progress(&mut self, interrupted: &mut InterruptedTurn) {
        let turn = &self.turn;
        self.progress = TurnProgress { is_open: true, ..std::mem::take(&mut interrupted.progress) };
        self.limit = interrupted.limit.unwrap_or(self.limit);
        turn.state.restore_notes(std::mem::take(&mut interrupted.notes));
        let scope = &turn.scope;
        let kept: EventScope = scope.clone();
        for (layer, by, request) in interrupted.effects.drain(..) {
            turn.agent.shared.runtime.restore_effect(&kept, layer, &by, request);
        }
        let most = turn.agent.spec.exit.max_consecutive_tool_calls;
        // The last batch is examined after its calls have run.
        interrupted.batches.pop();
        for batch in &interrupted.batches {
            let _ = self.progress.loops.record_batch(batch, most);
        }
        if let Some(arguments) = interrupted.last_batch.done.take() {
            DoneTool::record_done(turn, &arguments);
        }
        if let Some(agent) = interrupted.last_batch.handoff.take() {
            // No other hand-off has been requested yet.
            let _ = turn.state.request_handoff(&agent);
        }
        if let Some(reason) = interrupted.last_batch.stop.take() {
            turn.request_stop(reason);
        }
        interrupted.requeue(turn);
    }
}
