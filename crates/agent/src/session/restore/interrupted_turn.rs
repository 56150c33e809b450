//! A turn that was cut off: what it had come to, and going on with it.

use std::collections::{HashMap, HashSet, VecDeque};

use pintle::event::{TokenUsage, ToolCall as ToolCallMade, ToolResult};
use pintle::tape::record::host::MessageSource;
use pintle::{EffectRequest, EventScope, Layer};
use serde_json::{Map, Value};

use super::super::turn_loop::{TurnProgress, TurnRun};
use super::super::{Conversation, TurnError};
use crate::model::{MessageRole, ModelMessage, ModelReply, ModelToolCall};
use crate::tools::{DoneTool, INTERRUPTED, ResumedCall};
use crate::turn_context::{ContextNotes, TurnContext};

/// A turn that was cut off.
#[derive(Debug, Default)]
pub(crate) struct InterruptedTurn {
    pub(super) number: u32,
    pub(in super::super) has_begun: bool,
    /// Whether it was part of a persona's step, which cannot be gone on with.
    pub(super) is_step: bool,
    /// What the person had said and the conversation does not have yet, oldest first.
    pub(super) queued_messages: VecDeque<(MessageSource, String)>,
    /// What the conversation had cost before it.
    pub(in super::super) usage_before: TokenUsage,
    /// The model calls that the person allowed it.
    pub(super) limit: Option<u32>,
    pub(super) progress: TurnProgress,
    pub(super) notes: ContextNotes,
    /// How many notes the conversation had before it.
    pub(super) notes_before: usize,
    /// What its scripts wrote down and logged, and who.
    pub(super) effects: Vec<(Layer, String, EffectRequest)>,
    /// Which model call was made last.
    pub(super) last_iteration: u32,
    /// The calls of each reply of the model.
    pub(super) batches: Vec<Vec<ModelToolCall>>,
    /// The calls of the last one.
    pub(super) last_batch: InterruptedBatch,
}

/// What is known of the calls of one reply.
#[derive(Debug, Default)]
pub(super) struct InterruptedBatch {
    /// Those that hooks of `tool.pre` were asked about.
    pub(super) guarded_ids: HashSet<String>,
    /// Those whose tool began to run, with the name and arguments it got.
    pub(super) started_calls: HashMap<String, (String, Value)>,
    /// What their tools gave.
    pub(super) tool_results: HashMap<String, ToolResult>,
    /// Those that hooks of `tool.post` saw the end of, with their names and arguments.
    pub(super) reviewed_calls: HashMap<String, (String, Value)>,
    /// The arguments of the model's `done`.
    pub(super) done: Option<Value>,
    /// The agent that the conversation was handed to.
    pub(super) handoff: Option<String>,
    /// Why a hook ends the run.
    pub(super) stop: Option<String>,
}

impl InterruptedTurn {
    /// Whether it can be gone on with.
    pub(super) fn can_continue(&self) -> bool {
        !self.is_step
    }

    /// The model replied: its calls are the last ones now.
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

    /// A call has its result, as the hooks left it.
    pub(super) fn record_result(&mut self, message: &ModelMessage) {
        let Some(id) = &message.tool_call_id else { return };
        let Some((name, args)) = self.last_batch.reviewed_calls.remove(id) else { return };
        let gave = self.last_batch.tool_results.get(id);
        let is_error = gave.is_none_or(|gave| gave.is_error);
        let result = ToolResult::from_content(id, &name, &message.content, is_error);
        let arguments = args.to_string();
        self.progress.tool_calls.push(ToolCallMade { id: id.clone(), name, args, arguments });
        self.progress.tool_results.push(result);
    }

    /// Gives the calls that were under way a result, and back to the inbox what the person had said. A prompt that never
    /// came into the conversation is dropped: there is another one now.
    pub(super) fn abandon(mut self, turn: &TurnContext, conversation: &mut Conversation) {
        if let Some(reply) = last_reply(conversation) {
            self.fill_results(turn, conversation, &reply);
        }
        self.requeue(turn);
    }

    fn requeue(&mut self, turn: &TurnContext) {
        let inbox = &turn.agent.shared.inbox;
        for (source, text) in self.queued_messages.drain(..) {
            match source {
                MessageSource::Steer => inbox.steer(text),
                MessageSource::FollowUp => inbox.follow_up(text),
                MessageSource::Prompt | MessageSource::Resume => {}
            }
        }
    }

    /// Gives each call of the last reply that has no result one: what its tool gave, or the words that it was cut off.
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

    /// The result of a call that has none. Hooks that were asked about the call are told how it ended.
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

/// The reply that the conversation ends with, apart from results of its calls.
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
    /// Goes on with a turn that was cut off.
    pub(in super::super) fn continue_turn(&mut self, mut cut_off: InterruptedTurn) -> Result<String, TurnError> {
        let opening = cut_off.queued_messages.iter().position(|(source, _)| *source == MessageSource::Prompt);
        if let Some((_, words)) = opening.and_then(|at| cut_off.queued_messages.remove(at)) {
            // Its hooks had not all been asked: they are asked again, and what they told the model then is told anew.
            self.conversation.notes.truncate(cut_off.notes_before);
            cut_off.requeue(&self.turn);
            self.open_turn(&words)?;
            return self.iterate();
        }
        self.restore_progress(&mut cut_off);
        let Some(reply) = last_reply(self.conversation) else { return self.iterate() };
        cut_off.fill_results(&self.turn, self.conversation, &reply);
        self.progress.tool_calls.append(&mut cut_off.progress.tool_calls);
        self.progress.tool_results.append(&mut cut_off.progress.tool_results);
        self.iterate_after(reply)
    }

    /// Takes over what the turn had come to.
    fn restore_progress(&mut self, cut_off: &mut InterruptedTurn) {
        let turn = &self.turn;
        self.progress = TurnProgress { is_open: true, ..std::mem::take(&mut cut_off.progress) };
        self.limit = cut_off.limit.unwrap_or(self.limit);
        turn.state.restore_notes(std::mem::take(&mut cut_off.notes));
        let scope = &turn.scope;
        let kept: EventScope = scope.clone();
        for (layer, by, request) in cut_off.effects.drain(..) {
            turn.agent.shared.runtime.restore_effect(&kept, layer, &by, request);
        }
        let most = turn.agent.spec.member.as_ref().map_or(0, |member| member.max_consecutive_tool_calls);
        // The last batch is looked at when its calls have been made.
        cut_off.batches.pop();
        for batch in &cut_off.batches {
            let _ = self.progress.loops.record_batch(batch, most);
        }
        if let Some(arguments) = cut_off.last_batch.done.take() {
            DoneTool::record_done(turn, &arguments);
        }
        if let Some(agent) = cut_off.last_batch.handoff.take() {
            // Nobody else has asked for one yet.
            let _ = turn.state.request_handoff(&agent);
        }
        if let Some(why) = cut_off.last_batch.stop.take() {
            turn.state.request_stop(why);
        }
        cut_off.requeue(turn);
    }
}
