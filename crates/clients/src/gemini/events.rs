//! The events of Gemini CLI.

use std::borrow::Cow;

use pintle_contract::EventKind;
use pintle_tools::GEMINI;
use serde_json::{Value, json};

use super::response as answers;
use crate::claude_code::response as claude;
use crate::host::{HostEventContext, HostEventData, HostEventKind, HostField, HostPayloadError, HostToolCall, text};
use crate::key_values::{self, both, key};
use crate::matcher::MatcherSyntax;
use crate::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader,
    StopEffect, UnmappedClientEvents, payload_values, shared_events, shared_keys,
};

/// The shape of Gemini CLI's payloads.
static STYLE: PayloadStyle = PayloadStyle {
    base: shared_keys::SESSION,
    tools: &GEMINI,
    matcher: MatcherSyntax::Expression,
    response,
    read_keys: &[shared_keys::CONTEXT],
    adjust_context: model_of_request,
};

const REQUEST: &[ClientKey] = &[key("llm_request", both(request, HostField::Request))];

const ANSWER: &[ClientKey] = &[key("llm_response", both(answer, HostField::Response))];

const STOP: &[ClientKey] = &[
    key("prompt", key_values::LAST_PROMPT),
    key("prompt_response", key_values::ANSWER),
    key("stop_hook_active", key_values::STOP_HOOK_ACTIVE),
];

const NOTIFICATION: &[ClientKey] = &[key("notification_type", key_values::KIND), key("message", key_values::MESSAGE)];

/// An event on which a hook can deny.
const GUARDS: ClientEventDef = ClientEventDef {
    block: BlockEffect::Deny,
    exit_two: ExitTwoEffect::Block,
    stop: StopEffect::Deny,
    text: PlainTextReader::User,
    ..ClientEventDef::observe_only(&STYLE)
};

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        keys: &[shared_keys::SOURCE],
        stop: StopEffect::Ignored,
        exit_two: ExitTwoEffect::NotifyUser,
        text: PlainTextReader::User,
        ..shared_events::session_start(&STYLE)
    }
    .answered(&answers::SESSION_START, claude::add_context),
    ClientEventDef {
        name: "BeforeAgent",
        keys: &[shared_keys::TEXT],
        text: PlainTextReader::User,
        ..shared_events::user_prompt_submit(&STYLE)
    }
    .answered(&answers::PROMPT, answers::prompt),
    ClientEventDef {
        name: "BeforeTool",
        keys: &[shared_keys::ASKED],
        permission: false,
        input: InputRewrite::Merge,
        context: false,
        text: PlainTextReader::User,
        adjust: name_mcp_call,
        ..shared_events::pre_tool_use(&STYLE)
    }
    .answered(&answers::BEFORE_TOOL, answers::before_tool),
    ClientEventDef {
        name: "AfterTool",
        keys: &[shared_keys::ASKED, shared_keys::RESPONSE],
        event_filter: Some(shared_events::tool_executed),
        block: BlockEffect::ReplaceResult,
        text: PlainTextReader::User,
        adjust: name_mcp_call,
        ..shared_events::post_tool_use(&STYLE)
    }
    .answered(&answers::AFTER_TOOL, answers::after_tool),
    ClientEventDef { name: "AfterAgent", keys: &[STOP], text: PlainTextReader::User, ..shared_events::stop(&STYLE) }
        .answered(&answers::STOP, answers::stop),
    ClientEventDef { keys: &[NOTIFICATION], text: PlainTextReader::User, ..shared_events::notification(&STYLE) }
        .answered(&answers::TELLS, claude::notice),
    ClientEventDef {
        keys: &[shared_keys::ENDING],
        exit_two: ExitTwoEffect::NotifyUser,
        text: PlainTextReader::User,
        ..shared_events::session_end(&STYLE)
    }
    .answered(&answers::SESSION_END, claude::notice),
    // It fires before every model call, even if nothing is compressed, and its response has no effect.
    ClientEventDef {
        name: "PreCompress",
        canonical: Some(EventKind::CompactPre),
        keys: &[shared_keys::TRIGGER],
        subject: Some(payload_values::trigger_subject),
        exit_two: ExitTwoEffect::NotifyUser,
        text: PlainTextReader::User,
        fires: shared_events::COMPACT,
        kind: HostEventKind::CompactBefore,
        high_volume: true,
        ..ClientEventDef::observe_only(&STYLE)
    }
    .answered(&answers::COMPACT, claude::notice),
    ClientEventDef {
        name: "BeforeModel",
        canonical: Some(EventKind::CompletionPre),
        keys: &[REQUEST],
        fires: &[EventKind::CompletionPre],
        kind: HostEventKind::Model,
        high_volume: true,
        ..GUARDS
    }
    .answered(&answers::BEFORE_MODEL, answers::deny_only),
    ClientEventDef::unmapped(
        &STYLE,
        "BeforeToolSelection",
        "custom.gemini_before_tool_selection",
        &answers::TELLS,
        claude::notice,
    ),
    ClientEventDef {
        name: "AfterModel",
        canonical: Some(EventKind::CompletionPost),
        keys: &[REQUEST, ANSWER],
        fires: &[EventKind::CompletionPost],
        kind: HostEventKind::Model,
        high_volume: true,
        ..GUARDS
    }
    .answered(&answers::TELLS_LATER, claude::notice),
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] =
    &[UnmappedClientEvents::new(&["BeforeToolSelection"], "Pintle cannot change which tools the model may choose")];

fn response(context: &EncodeContext<'_>) -> Value {
    let text = context
        .original_response()
        .map(Cow::into_owned)
        .or_else(|| payload_values::result_text(context))
        .unwrap_or_default();
    match context.field("is_error") == Some(&Value::Bool(true)) {
        true => json!({"llmContent": text, "returnDisplay": text, "error": {"message": text}}),
        false => json!({"llmContent": text, "returnDisplay": text}),
    }
}

/// The request to the model.
fn request(context: &EncodeContext<'_>) -> Option<Value> {
    let list = context.field("messages").cloned().unwrap_or_else(|| json!([]));
    Some(json!({"model": (key_values::MODEL.write)(context), "messages": list}))
}

/// The response of the model.
fn answer(context: &EncodeContext<'_>) -> Option<Value> {
    let text = context.text("text");
    Some(json!({
        "text": text,
        "candidates": [{
            "content": {"role": "model", "parts": [text]},
            "finishReason": context.text("finish_reason").to_uppercase(),
        }],
    }))
}

/// The model, which only model events contain.
fn model_of_request(payload: &Value, context: &mut HostEventContext) {
    let model = text(payload, "llm_request/model");
    if context.model.is_none() && !model.is_empty() {
        context.model = Some(model);
    }
}

/// The call under its canonical name if it is one of an MCP server, since its name alone does not show where the
/// server's name ends; and the result as the model gets it, or the error.
fn name_mcp_call(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let named = |call: HostToolCall| {
        let [server, tool] = ["server_name", "tool_name"].map(|name| text(payload, &format!("mcp_context/{name}")));
        match server.is_empty() || tool.is_empty() {
            true => call,
            false => HostToolCall { name: format!("mcp__{server}__{tool}"), ..call },
        }
    };
    Ok(match data {
        HostEventData::BeforeTool(call) => HostEventData::BeforeTool(named(call)),
        HostEventData::AfterTool { call, response, duration_ms, .. } => {
            let told = |name: &str| response.get(name).filter(|value| !value.is_null()).cloned();
            let error = told("error");
            let is_error = error.is_some();
            let response = told("llmContent").or(error).unwrap_or_else(|| response.clone());
            HostEventData::AfterTool { call: named(call), response, is_error, duration_ms }
        }
        data => data,
    })
}
