//! The events of Codex.

use std::borrow::Cow;

use pintle_tools::CODEX;
use serde_json::Value;

use super::response as answers;
use crate::event_def::unchanged_context;
use crate::key_values::{self, key};
use crate::matcher::MatcherSyntax;
use crate::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, PayloadStyle, PlainTextReader, UnmappedClientEvents,
    shared_events, shared_keys,
};

/// The shape of Codex's payloads.
static STYLE: PayloadStyle = PayloadStyle {
    base: SESSION,
    tools: &CODEX,
    matcher: MatcherSyntax::Expression,
    response,
    read_keys: &[shared_keys::CONTEXT],
    adjust_context: unchanged_context,
};

const SESSION: &[ClientKey] = &[
    key("session_id", key_values::SESSION),
    key("transcript_path", key_values::TRANSCRIPT_OR_NULL),
    key("cwd", key_values::DIRECTORY),
    key("hook_event_name", key_values::NAME),
];

const MODEL: &[ClientKey] = &[key("model", key_values::MODEL)];

const MODE: &[ClientKey] = &[key("permission_mode", key_values::MODE)];

const TURN: &[ClientKey] = &[key("turn_id", key_values::TURN)];

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef { keys: &[MODEL, MODE, shared_keys::SOURCE], ..shared_events::session_start(&STYLE) }
        .answered(&answers::SESSION_START, answers::session_start),
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, shared_keys::TEXT, shared_keys::SUBAGENT],
        ..shared_events::user_prompt_submit(&STYLE)
    }
    .answered(&answers::PROMPT, answers::prompt),
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, shared_keys::SUBAGENT, shared_keys::CALL],
        ..shared_events::pre_tool_use(&STYLE)
    }
    .answered(&answers::BEFORE_TOOL, answers::before_tool),
    ClientEventDef { keys: &[MODEL, MODE, TURN, shared_keys::ASKED], ..shared_events::permission_request(&STYLE) }
        .answered(&answers::PERMISSION, answers::permission),
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, shared_keys::SUBAGENT, shared_keys::CALL, shared_keys::RESPONSE],
        event_filter: Some(shared_events::tool_executed),
        block: BlockEffect::ReplaceResult,
        ..shared_events::post_tool_use(&STYLE)
    }
    .answered(&answers::AFTER_TOOL, answers::after_tool),
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, shared_keys::DELEGATE],
        custom: Some("custom.codex_subagent_start"),
        ..shared_events::subagent_start(&STYLE)
    }
    .answered(&answers::SUBAGENT_START, answers::add_context),
    ClientEventDef {
        keys: &[MODEL, MODE, TURN, shared_keys::DELEGATE_TRANSCRIPT, shared_keys::STOP, shared_keys::DELEGATE],
        ..shared_events::subagent_stop(&STYLE)
    }
    .answered(&answers::SUBAGENT_STOP, answers::stop),
    ClientEventDef { keys: &[MODEL, MODE, TURN, shared_keys::STOP], ..shared_events::stop(&STYLE) }
        .answered(&answers::STOP, answers::stop),
    ClientEventDef {
        keys: &[MODEL, TURN, shared_keys::TRIGGER],
        text: PlainTextReader::Discarded,
        is_guard: true,
        ..shared_events::pre_compact(&STYLE)
    }
    .answered(&answers::COMPACT, answers::compact),
    ClientEventDef { keys: &[MODEL, TURN, shared_keys::TRIGGER], ..shared_events::post_compact(&STYLE) }
        .answered(&answers::COMPACTED, answers::notice),
    ClientEventDef {
        keys: &[shared_keys::ENDING],
        timeout_ms: Some(3_000),
        support: &answers::SESSION_END,
        ..shared_events::session_end(&STYLE)
    },
    ClientEventDef::unmapped(&STYLE, "Interrupt", "custom.codex_interrupt", &answers::TELLS, answers::notice),
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] =
    &[UnmappedClientEvents::new(&["Interrupt"], "no other agent reports that the user interrupted it")];

/// The result of a tool: the text that the model receives.
fn response(context: &EncodeContext<'_>) -> Value {
    let original = context.original_response().map(Cow::into_owned);
    original.or_else(|| context.field("content").cloned()).unwrap_or_else(|| Value::from(""))
}
