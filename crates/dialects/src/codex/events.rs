//! The events of Codex.

use serde_json::Value;

use crate::client_hooks::matcher::MatcherSyntax;
use crate::client_hooks::shared_keys::key;
use crate::client_hooks::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, PayloadStyle, PlainTextReader, UnmappedClientEvents,
    payload_values, shared_events, shared_keys,
};
use pintle_tools::CODEX;

/// The shape of Codex's payloads.
static VOICE: PayloadStyle =
    PayloadStyle { base: SESSION, tools: &CODEX, matcher: MatcherSyntax::Expression, response };

const SESSION: &[ClientKey] = &[
    key("session_id", payload_values::session),
    key("transcript_path", payload_values::transcript_or_null),
    key("cwd", payload_values::directory),
    key("hook_event_name", payload_values::name),
];

const MODEL: &[ClientKey] = &[key("model", payload_values::model)];

const MODE: &[ClientKey] = &[key("permission_mode", payload_values::mode)];

const TURN: &[ClientKey] = &[key("turn_id", payload_values::turn)];

const BEGINNING: &[ClientKey] = &[key("source", payload_values::start_reason)];

const PROMPT: &[ClientKey] = &[key("prompt", payload_values::prompt)];

const RESULT: &[ClientKey] = &[key("tool_response", payload_values::response)];

const TRIGGER: &[ClientKey] = &[key("trigger", payload_values::trigger)];

/// The events that the catalogue has.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, shared_keys::SUBAGENT, shared_keys::CALL],
        ..shared_events::pre_tool_use(&VOICE)
    },
    ClientEventDef { keys: &[MODEL, MODE, TURN, shared_keys::ASKED], ..shared_events::permission_request(&VOICE) },
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, shared_keys::SUBAGENT, shared_keys::CALL, RESULT],
        event_filter: Some(shared_events::tool_executed),
        block: BlockEffect::ReplaceResult,
        ..shared_events::post_tool_use(&VOICE)
    },
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, PROMPT, shared_keys::SUBAGENT],
        ..shared_events::user_prompt_submit(&VOICE)
    },
    ClientEventDef { keys: &[MODEL, MODE, BEGINNING], ..shared_events::session_start(&VOICE) },
    ClientEventDef { keys: &[shared_keys::ENDING], timeout_ms: Some(3_000), ..shared_events::session_end(&VOICE) },
    ClientEventDef { keys: &[MODEL, MODE, TURN, shared_keys::STOP], ..shared_events::stop(&VOICE) },
    ClientEventDef { keys: &[MODEL, MODE, TURN, shared_keys::DELEGATE], ..shared_events::subagent_start(&VOICE) },
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, shared_keys::DELEGATE_TRANSCRIPT, shared_keys::STOP, shared_keys::DELEGATE],
        ..shared_events::subagent_stop(&VOICE)
    },
    ClientEventDef {
        keys: &[MODEL, TURN, TRIGGER],
        text: PlainTextReader::Discarded,
        ..shared_events::pre_compact(&VOICE)
    },
    ClientEventDef { keys: &[MODEL, TURN, TRIGGER], ..shared_events::post_compact(&VOICE) },
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] =
    &[UnmappedClientEvents { names: &["Interrupt"], reason: "no other agent reports that the user interrupted it" }];

/// The result of a tool: the text that the model receives.
fn response(context: &EncodeContext<'_>) -> Value {
    context.original_response().or_else(|| context.field("content")).cloned().unwrap_or_else(|| Value::from(""))
}
