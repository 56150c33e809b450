//! Runs one model call, between `completion.pre` and `completion.post`.

mod retry;
mod text_gate;
pub(crate) mod wire;

use std::cell::Cell;

use pintle_host::contract::DispatchId;
use pintle_host::event::{CompletionPost, CompletionPre, TokenUsage};
use pintle_host::{EventKind, lifecycle};

use crate::conversation::{Conversation, RequestMessages};
use crate::model::{ModelMessage, ModelReply, ModelRequest};
use crate::observer::AgentEvent;
use crate::turn_context::TurnContext;
use crate::turn_error::TurnError;
use crate::turn_life::TurnLife;

use retry::ModelAttempt;

pub(crate) use retry::complete as call_model;
pub(crate) use text_gate::{TextGate, can_review_answers};
pub(crate) use wire::to_event_message;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    Allowed,
    Withheld,
}

/// A reply after the rewrites of hooks.
pub(crate) struct ReviewedReply {
    pub(crate) reply: ModelReply,
    /// Whether observers received its text as it arrived.
    pub(crate) streamed: bool,
}

/// Calls the model once. Rewrites of hooks apply to this call only; the conversation stays unchanged.
pub(crate) fn complete(
    turn: &TurnContext,
    conversation: &mut Conversation,
    iteration: u32,
    tools: ToolChoice,
) -> Result<ReviewedReply, TurnError> {
    let mut messages = conversation.next_request(system_prompt(turn, conversation), turn.agent.spec.history);
    // Reminders come last, so that everything before them is the same in the next request.
    let (reminders, carried) = conversation.reminders.due_reminders(turn.agent.shared.nonce());
    messages.messages.extend(reminders);
    let request = build_request(turn, conversation, tools);
    let offered: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
    let ReviewedRequest { request, same_as, mut unsent } = review_request(turn, request, messages, iteration)?;
    let is_removed = |name: &String| request.tools.iter().all(|tool| tool.name != *name);
    turn.state.withhold_tools(offered.into_iter().filter(is_removed).collect());
    let clock = turn.agent.shared.runtime.clock();
    let model = if request.model.is_empty() { turn.model().name() } else { &request.model };
    turn.notify(AgentEvent::ModelRequested { model, iteration });
    let began_us = clock.monotonic_us();
    let (is_open, streamed) = (TextGate::is_open(turn), Cell::new(false));
    let heard = |text: &str| {
        if is_open && !text.is_empty() {
            streamed.set(true);
            turn.notify(AgentEvent::Text { text });
        }
    };
    let ModelAttempt { mut reply, fallback } = retry::complete(turn, &request, same_as, &heard)?;
    conversation.calls += 1;
    let sent = carried.numbers(&request.messages);
    turn.change_reminders(&conversation.reminders, |held| held.mark_sent(&sent));
    let model = fallback.as_ref().map_or(model, |fallback| fallback.name());
    let duration_ms = clock.monotonic_us().saturating_sub(began_us) / 1_000;
    for call in &mut reply.tool_calls {
        // Results are matched by these ids, and some providers send none.
        if call.id.is_empty() {
            call.id = turn.agent.shared.unique_name("call");
        }
    }
    let usage = TokenUsage::new(reply.usage.input_tokens, reply.usage.output_tokens);
    conversation.usage = conversation.usage.plus(usage);
    turn.charge(model, usage);
    conversation.length.counted_tokens = usage.total_tokens;
    // The reply is about to become one more message.
    conversation.length.counted_messages = conversation.messages.len() + 1;
    let reply = review_reply(turn, conversation, reply, model, duration_ms)?;
    if unsent.messages.is_empty() {
        unsent.messages = request.messages;
    }
    conversation.take_back(unsent);
    turn.notify(AgentEvent::ModelAnswered { text: &reply.text, tool_calls: reply.tool_calls.len(), usage });
    Ok(ReviewedReply { reply, streamed: streamed.get() })
}

fn system_prompt(turn: &TurnContext, conversation: &Conversation) -> Option<String> {
    let notes = turn.state.notes_for_call();
    let told =
        conversation.notes.iter().chain(&notes.persistent).chain(&notes.prompt).chain(&notes.turn).chain(&notes.call);
    let instruction = Some(turn.agent.spec.instruction.as_str()).filter(|text| !text.is_empty());
    let of_work = turn.step_context.iter().flat_map(|work| work.instructions());
    let system: Vec<&str> = instruction.into_iter().chain(of_work).chain(told.map(String::as_str)).collect();
    (!system.is_empty()).then(|| system.join("\n\n"))
}

/// The request without its messages.
fn build_request(turn: &TurnContext, conversation: &Conversation, tools: ToolChoice) -> ModelRequest {
    let declared = turn.model_spec();
    ModelRequest {
        agent: turn.agent.spec.name.clone(),
        conversation: conversation.id.clone(),
        // A model without a provider is another model of the current provider.
        model: declared.filter(|model| model.provider.is_empty()).map(|model| model.name.clone()).unwrap_or_default(),
        messages: Vec::new(),
        tools: if tools == ToolChoice::Allowed { turn.definitions() } else { Vec::new() },
        max_tokens: declared.and_then(|model| model.max_tokens),
        temperature: declared.and_then(|model| model.temperature),
        top_p: None,
        stop: Vec::new(),
    }
}

/// A request after its hooks.
struct ReviewedRequest {
    request: ModelRequest,
    /// The dispatch whose payload contains all of it.
    same_as: Option<DispatchId>,
    /// What of the messages before the hooks is not in the request.
    unsent: RequestMessages,
}

/// Fires `completion.pre` for a request with these messages.
fn review_request(
    turn: &TurnContext,
    request: ModelRequest,
    mut messages: RequestMessages,
    iteration: u32,
) -> Result<ReviewedRequest, TurnError> {
    let payload = || CompletionPre {
        provider: provider_name(turn),
        ..wire::request_to_payload(&request, turn.model().name(), iteration)
    };
    let mut life = TurnLife::with_messages(turn, messages.take_values(), messages.prefix);
    let reviewed = lifecycle::review_request(&mut life, payload)?;
    let dispatch = reviewed.dispatch();
    let misfit = |reason: String| {
        TurnError::failed("hook", format!("completion.pre modify payload: {reason}"))
            .with_event(EventKind::CompletionPre)
    };
    let rewritten = reviewed.into_rewritten().map_err(|error| misfit(error.to_string()))?;
    messages.put_back(life.into_messages());
    let request = match rewritten {
        Some(payload) => wire::request_from_payload(payload, &request, turn.model().name()).map_err(misfit)?,
        None => ModelRequest { messages: std::mem::take(&mut messages.messages), ..request },
    };
    let (request, has_more) = add_call_notes(turn, request);
    Ok(ReviewedRequest { request, same_as: dispatch.filter(|_| !has_more), unsent: messages })
}

/// The provider of the agent's model, if its declaration names one.
fn provider_name(turn: &TurnContext) -> Option<String> {
    turn.model_spec().map(|model| model.provider.clone()).filter(|provider| !provider.is_empty())
}

/// Adds the context that `completion.pre` hooks returned for this call. Returns whether there was any.
fn add_call_notes(turn: &TurnContext, mut request: ModelRequest) -> (ModelRequest, bool) {
    let notes = turn.state.notes_for_call().call;
    if notes.is_empty() {
        return (request, false);
    }
    let text = notes.join("\n\n");
    match request.messages.first_mut().filter(|first| first.role == crate::model::MessageRole::System) {
        Some(system) => {
            system.content.push_str("\n\n");
            system.content.push_str(&text);
        }
        None => request.messages.insert(0, ModelMessage::system(text)),
    }
    (request, true)
}

fn review_reply(
    turn: &TurnContext,
    conversation: &Conversation,
    reply: ModelReply,
    model: &str,
    duration_ms: u64,
) -> Result<ModelReply, TurnError> {
    let payload = || CompletionPost {
        provider: provider_name(turn),
        last_user_message: conversation.last_user_message().map(|said| said.content.clone()),
        ..wire::reply_to_payload(&reply, model, duration_ms)
    };
    let misfit = |reason: String| {
        TurnError::failed("hook", format!("completion.post modify payload: {reason}"))
            .with_event(EventKind::CompletionPost)
    };
    let reviewed = lifecycle::review_reply(&mut TurnLife::new(turn), payload)?;
    match reviewed.into_rewritten().map_err(|error| misfit(error.to_string()))? {
        Some(payload) => wire::reply_from_payload(payload, reply.usage).map_err(misfit),
        None => Ok(reply),
    }
}
