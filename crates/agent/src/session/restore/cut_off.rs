//! A turn that was cut off: what it had come to, and going on with it.

use std::collections::{HashMap, HashSet, VecDeque};

use pintle::event::{TokenUsage, ToolCall as ToolCallMade, ToolResult};
use pintle::tape::record::host::MessageSource;
use pintle::{EffectRequest, EventScope, Layer};
use serde_json::{Map, Value};

use super::super::iterations::{Progress, Run};
use super::super::{Conversation, Fault};
use crate::model::{Message, ModelReply, Role, ToolCall};
use crate::tools::{Done, INTERRUPTED, TakenUp};
use crate::turn::{Notes, Turn};

/// A turn that was cut off.
#[derive(Debug, Default)]
pub(crate) struct CutOff {
    pub(super) number: u32,
    pub(in super::super) has_begun: bool,
    /// Whether it was part of a persona's step, which cannot be gone on with.
    pub(super) is_step: bool,
    /// What the person had said and the conversation does not have yet, oldest first.
    pub(super) waiting: VecDeque<(MessageSource, String)>,
    /// What the conversation had cost before it.
    pub(in super::super) before: TokenUsage,
    /// The model calls that the person allowed it.
    pub(super) limit: Option<u32>,
    pub(super) progress: Progress,
    pub(super) notes: Notes,
    /// How many notes the conversation had before it.
    pub(super) notes_before: usize,
    /// What its scripts wrote down and logged, and who.
    pub(super) kept: Vec<(Layer, String, EffectRequest)>,
    /// Which model call was made last.
    pub(super) asking: u32,
    /// The calls of each reply of the model.
    pub(super) batches: Vec<Vec<ToolCall>>,
    /// The calls of the last one.
    pub(super) calls: Batch,
}

/// What is known of the calls of one reply.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Those that hooks of `tool.pre` were asked about.
    pub(super) asked: HashSet<String>,
    /// Those whose tool began to run, with the name and arguments it got.
    pub(super) began: HashMap<String, (String, Value)>,
    /// What their tools gave.
    pub(super) gave: HashMap<String, ToolResult>,
    /// Those that hooks of `tool.post` saw the end of, with their names and arguments.
    pub(super) judged: HashMap<String, (String, Value)>,
    /// The arguments of the model's `done`.
    pub(super) done: Option<Value>,
    /// The agent that the conversation was handed to.
    pub(super) handoff: Option<String>,
    /// Why a hook ends the run.
    pub(super) stop: Option<String>,
}

impl CutOff {
    /// Whether it can be gone on with.
    pub(super) fn can_go_on(&self) -> bool {
        !self.is_step
    }

    /// The model replied: its calls are the last ones now.
    pub(super) fn replied(&mut self, message: &Message) {
        self.progress.iteration = self.asking;
        if !message.content.is_empty() {
            self.progress.last_text.clone_from(&message.content);
        }
        self.calls = Batch::default();
        if !message.tool_calls.is_empty() {
            self.batches.push(message.tool_calls.clone());
        }
    }

    /// A call has its result, as the hooks left it.
    pub(super) fn returned(&mut self, message: &Message) {
        let Some(id) = &message.tool_call_id else { return };
        let Some((name, args)) = self.calls.judged.remove(id) else { return };
        let gave = self.calls.gave.get(id);
        let is_error = gave.is_none_or(|gave| gave.is_error);
        let result = ToolResult::from_content(id, &name, &message.content, is_error);
        let arguments = args.to_string();
        self.progress.tool_calls.push(ToolCallMade { id: id.clone(), name, args, arguments });
        self.progress.tool_results.push(result);
    }

    /// Gives the calls that were under way a result, and back to the inbox what the person had said. A prompt that never
    /// came into the conversation is dropped: there is another one now.
    pub(super) fn leave(mut self, turn: &Turn, conversation: &mut Conversation) {
        if let Some(reply) = last_reply(conversation) {
            self.settle(turn, conversation, &reply);
        }
        self.requeue(turn);
    }

    fn requeue(&mut self, turn: &Turn) {
        let inbox = &turn.agent.shared.inbox;
        for (source, text) in self.waiting.drain(..) {
            match source {
                MessageSource::Steer => inbox.steer(text),
                MessageSource::FollowUp => inbox.follow_up(text),
                MessageSource::Prompt | MessageSource::Resume => {}
            }
        }
    }

    /// Gives each call of the last reply that has no result one: what its tool gave, or the words that it was cut off.
    fn settle(&mut self, turn: &Turn, conversation: &mut Conversation, reply: &ModelReply) {
        let has_result = |id: &str| {
            let newest = conversation.messages.iter().rev().take_while(|message| message.role == Role::Tool);
            newest.into_iter().any(|message| message.tool_call_id.as_deref() == Some(id))
        };
        let open: Vec<&ToolCall> = reply.tool_calls.iter().filter(|call| !has_result(&call.id)).collect();
        for call in open {
            let content = self.result_of(turn, call);
            conversation.push(turn, Message::tool(call, content));
        }
    }

    /// The result of a call that has none. Hooks that were asked about the call are told how it ended.
    fn result_of(&mut self, turn: &Turn, call: &ToolCall) -> String {
        let gave = self.calls.gave.remove(&call.id);
        if !self.calls.asked.contains(&call.id) {
            return INTERRUPTED.to_owned();
        }
        let began = self.calls.began.remove(&call.id);
        let was_run = began.is_some();
        let (name, args) = began.unwrap_or_else(|| (call.name.clone(), arguments(call)));
        let made = TakenUp { id: &call.id, name: &name, args, was_run, gave }.reviewed(turn);
        let content = made.result.content.clone();
        self.progress.tool_calls.push(made.call);
        self.progress.tool_results.push(made.result);
        content
    }
}

/// The arguments of a call as the model wrote them.
fn arguments(call: &ToolCall) -> Value {
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::Object(Map::new()))
}

/// The reply that the conversation ends with, apart from results of its calls.
fn last_reply(conversation: &Conversation) -> Option<ModelReply> {
    let last = conversation.messages.iter().rev().find(|message| message.role != Role::Tool)?;
    let is_reply = last.role == Role::Assistant;
    is_reply.then(|| ModelReply {
        text: last.content.clone(),
        tool_calls: last.tool_calls.clone(),
        ..ModelReply::default()
    })
}

impl Run<'_> {
    /// Goes on with a turn that was cut off.
    pub(in super::super) fn go_on(&mut self, mut cut_off: CutOff) -> Result<String, Fault> {
        let opening = cut_off.waiting.iter().position(|(source, _)| *source == MessageSource::Prompt);
        if let Some((_, words)) = opening.and_then(|at| cut_off.waiting.remove(at)) {
            // Its hooks had not all been asked: they are asked again, and what they told the model then is told anew.
            self.conversation.notes.truncate(cut_off.notes_before);
            cut_off.requeue(&self.turn);
            self.open(&words)?;
            return self.iterate();
        }
        self.take_up(&mut cut_off);
        let Some(reply) = last_reply(self.conversation) else { return self.iterate() };
        cut_off.settle(&self.turn, self.conversation, &reply);
        self.progress.tool_calls.append(&mut cut_off.progress.tool_calls);
        self.progress.tool_results.append(&mut cut_off.progress.tool_results);
        self.iterate_after(reply)
    }

    /// Takes over what the turn had come to.
    fn take_up(&mut self, cut_off: &mut CutOff) {
        let turn = &self.turn;
        self.progress = Progress { is_open: true, ..std::mem::take(&mut cut_off.progress) };
        self.limit = cut_off.limit.unwrap_or(self.limit);
        turn.state.recall(std::mem::take(&mut cut_off.notes));
        let scope = &turn.scope;
        let kept: EventScope = scope.clone();
        for (layer, by, request) in cut_off.kept.drain(..) {
            turn.agent.shared.runtime.restore_effect(&kept, layer, &by, request);
        }
        let most = turn.agent.spec.member.as_ref().map_or(0, |member| member.max_consecutive_tool_calls);
        // The last batch is looked at when its calls have been made.
        cut_off.batches.pop();
        for batch in &cut_off.batches {
            let _ = self.progress.loops.take(batch, most);
        }
        if let Some(arguments) = cut_off.calls.done.take() {
            Done::note(turn, &arguments);
        }
        if let Some(agent) = cut_off.calls.handoff.take() {
            // Nobody else has asked for one yet.
            let _ = turn.state.request_handoff(&agent);
        }
        if let Some(why) = cut_off.calls.stop.take() {
            turn.state.request_stop(why);
        }
        cut_off.requeue(turn);
    }
}
