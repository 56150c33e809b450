//! Writes the host's own records to the tape before the action they describe, for audits and for resuming a session.
//!
//! The runtime records hooks and their verdicts. Each function here writes one kind of host record, and does nothing
//! without a tape.

use std::borrow::Cow;
use std::sync::Arc;

use pintle_host::contract::DispatchId;
use pintle_host::event::{TokenUsage, ToolResult};
use pintle_host::tape::record::host::{self, HostRecord, MessageSource, MessagesReplacedBy, TurnPhase};
use pintle_host::tape::{Tape, record};
use pintle_host::{ApprovalRequest, ApprovalResponse, Origin};
use serde_json::Value;

use crate::model::{ModelError, ModelMessage, ModelReply};
use crate::turn_context::TurnContext;

/// The tape of the session, if there is one.
fn tape(turn: &TurnContext) -> Option<&Arc<Tape>> {
    turn.agent.shared.runtime.tape()
}

fn write<'a>(turn: &'a TurnContext, record: impl FnOnce(Cow<'a, Origin>) -> HostRecord<'a>) {
    if let Some(tape) = tape(turn) {
        tape.record_host(record(Cow::Borrowed(&*turn.origin)));
    }
}

/// Converts one of Pintle's own values to JSON, which cannot fail because their keys are strings.
fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Why the session must stop because it cannot be recorded. In shadow mode nothing is enforced, including this.
pub(crate) fn recording_failure(turn: &TurnContext) -> Option<String> {
    let reason = tape(turn)?.error_text().filter(|_| !turn.agent.shared.runtime.is_shadow())?;
    Some(format!("denied because it cannot be recorded: {reason}"))
}

/// Records that a session is opened, with the data its program needs to open it again.
pub(crate) fn session(turn: &TurnContext, opened: &Value) {
    write(turn, |origin| HostRecord::Session(host::SessionRecord { origin, reopen_data: Cow::Borrowed(opened) }));
}

/// Records that a session is resumed.
pub(crate) fn resumed(turn: &TurnContext, opened: &Value) {
    write(turn, |origin| HostRecord::Resumed(host::SessionRecord { origin, reopen_data: Cow::Borrowed(opened) }));
}

/// Records a message of the user.
pub(crate) fn record_user_message(turn: &TurnContext, source: MessageSource, text: &str) {
    write(turn, |origin| {
        HostRecord::UserMessage(host::UserMessageRecord { origin, source, text: Cow::Borrowed(text) })
    });
}

/// Records that a turn begins.
pub(crate) fn record_turn_start(turn: &TurnContext) {
    write(turn, |origin| {
        HostRecord::Turn(host::TurnRecord { origin, phase: TurnPhase::Start, end_reason: None, usage: None })
    });
}

/// Records that a turn ended: `done`, or why it failed, and its tokens.
pub(crate) fn record_turn_end(turn: &TurnContext, end_reason: &str, usage: TokenUsage) {
    write(turn, |origin| {
        let (end_reason, usage) = (Some(Cow::Borrowed(end_reason)), Some(Cow::Owned(to_json(&usage))));
        HostRecord::Turn(host::TurnRecord { origin, phase: TurnPhase::End, end_reason, usage })
    });
}

/// Records a message that is added to a conversation.
pub(crate) fn record_message(turn: &TurnContext, conversation: &str, message: &ModelMessage) {
    write(turn, |origin| {
        let (conversation, message) = (Cow::Borrowed(conversation), Cow::Owned(to_json(message)));
        HostRecord::Message(host::MessageRecord { origin, conversation, message })
    });
}

/// Records that other messages replace all messages of a conversation.
pub(crate) fn record_messages(
    turn: &TurnContext,
    conversation: &str,
    reason: MessagesReplacedBy,
    messages: &[ModelMessage],
) {
    write(turn, |origin| {
        let (conversation, messages) =
            (Cow::Borrowed(conversation), Cow::Owned(messages.iter().map(to_json).collect()));
        HostRecord::Messages(host::MessagesRecord { origin, conversation, replaced_by: reason, messages })
    });
}

/// A model request, by its record number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelRequestId(Option<u64>);

/// Records a model request. `same_as` is the dispatch of `completion.pre` whose payload contains all that is sent;
/// `payload` is called if there is none.
pub(crate) fn record_model_request(
    turn: &TurnContext,
    conversation: &str,
    model: &str,
    same_as: Option<DispatchId>,
    payload: impl FnOnce() -> Value,
) -> ModelRequestId {
    let Some(tape) = tape(turn) else { return ModelRequestId(None) };
    let request = tape.next_request();
    tape.record_host(HostRecord::ModelRequest(host::ModelRequestRecord {
        origin: Cow::Borrowed(&*turn.origin),
        conversation: Cow::Borrowed(conversation),
        request,
        model: Cow::Borrowed(model),
        payload: same_as.is_none().then(|| Cow::Owned(payload())),
        same_as: same_as.map(|dispatch| dispatch.0),
    }));
    ModelRequestId(Some(request))
}

/// Records a model's reply or error.
pub(crate) fn record_model_reply(
    turn: &TurnContext,
    request: ModelRequestId,
    duration_us: u64,
    answer: &Result<ModelReply, ModelError>,
) {
    let ModelRequestId(Some(request)) = request else { return };
    write(turn, |origin| {
        let error = |error: &'_ ModelError| host::ModelErrorRecord {
            kind: Cow::Borrowed(error.kind.as_str()),
            message: Cow::Owned(error.message.clone()),
        };
        HostRecord::ModelReply(host::ModelReplyRecord {
            origin,
            request,
            duration_us,
            reply: answer.as_ref().ok().map(|reply| Cow::Owned(to_json(reply))),
            error: answer.as_ref().err().map(error),
        })
    });
}

/// Records that a tool is about to run.
pub(crate) fn record_tool_call(turn: &TurnContext, id: &str, name: &str, args: &Value) {
    write(turn, |origin| {
        let (id, name, args) = (Cow::Borrowed(id), Cow::Borrowed(name), Cow::Borrowed(args));
        HostRecord::ToolCall(host::ToolCallRecord { origin, id, name, args })
    });
}

/// Records a tool's result, before its hooks see it.
pub(crate) fn record_tool_result(turn: &TurnContext, result: impl FnOnce() -> ToolResult) {
    if tape(turn).is_none() {
        return;
    }
    let result = &result();
    write(turn, |origin| {
        // If the result is a string, it equals its content.
        let other = (!result.result.is_string()).then_some(Cow::Borrowed(&result.result));
        HostRecord::ToolResult(host::ToolResultRecord {
            origin,
            id: Cow::Borrowed(&result.call_id),
            name: Cow::Borrowed(&result.name),
            content: Cow::Borrowed(&result.content),
            is_error: result.is_error,
            result: other,
        })
    });
}

/// Records the response to an approval request of the loop; `call` is the tool call that it was about.
pub(crate) fn record_approval(
    turn: &TurnContext,
    call: Option<&str>,
    question: &ApprovalRequest<'_>,
    resolution: &ApprovalResponse,
) {
    if let Some(tape) = tape(turn) {
        tape.record_approval(record::ApprovalRecord {
            origin: Some(Cow::Borrowed(&*turn.origin)),
            id: call.map(Cow::Borrowed),
            ..record::ApprovalRecord::for_host(question.digest, question.reasons, resolution)
        });
    }
}
