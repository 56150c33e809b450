//! The events of Gemini CLI.

use pintle_contract::DenyEffect;
use serde_json::{Value, json};

use crate::client_hooks::matcher::MatcherSyntax;
use crate::client_hooks::shared_keys::key;
use crate::client_hooks::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader,
    StopEffect, UnmappedClientEvents, payload_values, shared_events, shared_keys,
};
use pintle_tools::GEMINI;

/// The shape of Gemini CLI's payloads.
static VOICE: PayloadStyle =
    PayloadStyle { base: shared_keys::SESSION, tools: &GEMINI, matcher: MatcherSyntax::Expression, response };

const REQUEST: &[ClientKey] = &[key("llm_request", request)];

const ANSWER: &[ClientKey] = &[key("llm_response", answer)];

const RESULT: &[ClientKey] = &[key("tool_response", payload_values::response)];

const BEGINNING: &[ClientKey] = &[key("source", payload_values::start_reason)];

const PROMPT: &[ClientKey] = &[key("prompt", payload_values::prompt)];

const STOP: &[ClientKey] = &[
    key("prompt", payload_values::last_prompt),
    key("prompt_response", payload_values::answer),
    key("stop_hook_active", payload_values::stop_hook_active),
];

const TRIGGER: &[ClientKey] = &[key("trigger", payload_values::trigger)];

const NOTIFICATION: &[ClientKey] =
    &[key("notification_type", payload_values::kind), key("message", payload_values::message)];

/// An event on which a hook can deny.
const GUARDS: ClientEventDef = ClientEventDef {
    block: BlockEffect::Deny,
    exit_two: ExitTwoEffect::Block,
    stop: StopEffect::Deny,
    text: PlainTextReader::User,
    ..ClientEventDef::observe_only(&VOICE)
};

/// The events that the catalogue has.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        name: "BeforeTool",
        canonical: "tool.pre",
        keys: &[shared_keys::ASKED],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        input: InputRewrite::Merge,
        ..GUARDS
    },
    ClientEventDef {
        name: "AfterTool",
        canonical: "tool.post",
        keys: &[shared_keys::ASKED, RESULT],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        event_filter: Some(shared_events::tool_executed),
        block: BlockEffect::ReplaceResult,
        on_deny: DenyEffect::StopRun,
        output: true,
        context: true,
        ..GUARDS
    },
    ClientEventDef { name: "BeforeAgent", canonical: "prompt.submit", keys: &[PROMPT], context: true, ..GUARDS },
    ClientEventDef {
        name: "AfterAgent",
        canonical: "agent.stop",
        keys: &[STOP],
        event_filter: Some(shared_events::is_from_main_agent),
        stop: StopEffect::AllowStop,
        ..GUARDS
    },
    ClientEventDef { name: "BeforeModel", canonical: "completion.pre", keys: &[REQUEST], ..GUARDS },
    ClientEventDef { name: "AfterModel", canonical: "completion.post", keys: &[REQUEST, ANSWER], ..GUARDS },
    ClientEventDef {
        keys: &[BEGINNING],
        stop: StopEffect::Ignored,
        exit_two: ExitTwoEffect::NotifyUser,
        text: PlainTextReader::User,
        ..shared_events::session_start(&VOICE)
    },
    ClientEventDef {
        keys: &[shared_keys::ENDING],
        exit_two: ExitTwoEffect::NotifyUser,
        text: PlainTextReader::User,
        ..shared_events::session_end(&VOICE)
    },
    ClientEventDef {
        name: "PreCompress",
        canonical: "compact.pre",
        keys: &[TRIGGER],
        subject: Some(payload_values::trigger_subject),
        exit_two: ExitTwoEffect::NotifyUser,
        text: PlainTextReader::User,
        ..ClientEventDef::observe_only(&VOICE)
    },
    ClientEventDef { keys: &[NOTIFICATION], text: PlainTextReader::User, ..shared_events::notification(&VOICE) },
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[UnmappedClientEvents {
    names: &["BeforeToolSelection"],
    reason: "Pintle cannot change which tools the model may choose",
}];

fn response(context: &EncodeContext<'_>) -> Value {
    let text =
        context.original_response().cloned().or_else(|| payload_values::result_text(context)).unwrap_or_default();
    match context.field("is_error") == Some(&Value::Bool(true)) {
        true => json!({"llmContent": text, "returnDisplay": text, "error": {"message": text}}),
        false => json!({"llmContent": text, "returnDisplay": text}),
    }
}

/// The request to the model.
fn request(context: &EncodeContext<'_>) -> Option<Value> {
    let list = context.field("messages").cloned().unwrap_or_else(|| json!([]));
    Some(json!({"model": payload_values::model(context), "messages": list}))
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
