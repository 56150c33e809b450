//! The events of Codex.

use serde_json::Value;

use crate::client_hooks::keys::key;
use crate::client_hooks::matcher::Rule;
use crate::client_hooks::{Block, Elsewhere, Given, Key, Row, Text, Voice, given, keys, pascal};
use crate::tools::CODEX;

/// How Codex spells its payloads.
static VOICE: Voice = Voice { base: SESSION, tools: &CODEX, matcher: Rule::Expression, response };

const SESSION: &[Key] = &[
    key("session_id", given::session),
    key("transcript_path", given::transcript_or_null),
    key("cwd", given::directory),
    key("hook_event_name", given::name),
];

const MODEL: &[Key] = &[key("model", given::model)];

const MODE: &[Key] = &[key("permission_mode", given::mode)];

const TURN: &[Key] = &[key("turn_id", given::turn)];

const BEGINNING: &[Key] = &[key("source", given::beginning)];

const PROMPT: &[Key] = &[key("prompt", given::prompt)];

const RESULT: &[Key] = &[key("tool_response", given::response)];

const TRIGGER: &[Key] = &[key("trigger", given::trigger)];

/// Every event that the catalogue has.
pub(super) const ROWS: &[Row] = &[
    Row { keys: &[MODEL, MODE, TURN, keys::SUBAGENT, keys::CALL], ..pascal::pre_tool_use(&VOICE) },
    Row { keys: &[MODEL, MODE, TURN, keys::ASKED], ..pascal::permission_request(&VOICE) },
    Row {
        keys: &[MODEL, MODE, TURN, keys::SUBAGENT, keys::CALL, RESULT],
        narrow: Some(pascal::ran),
        block: Block::Replaces,
        ..pascal::post_tool_use(&VOICE)
    },
    Row { keys: &[MODEL, MODE, TURN, PROMPT, keys::SUBAGENT], ..pascal::user_prompt_submit(&VOICE) },
    Row { keys: &[MODEL, MODE, BEGINNING], ..pascal::session_start(&VOICE) },
    Row { keys: &[keys::ENDING], timeout_ms: Some(3_000), ..pascal::session_end(&VOICE) },
    Row { keys: &[MODEL, MODE, TURN, keys::STOP], ..pascal::stop(&VOICE) },
    Row { keys: &[MODEL, MODE, TURN, keys::DELEGATE], ..pascal::subagent_start(&VOICE) },
    Row {
        keys: &[MODEL, MODE, TURN, keys::DELEGATE_TRANSCRIPT, keys::STOP, keys::DELEGATE],
        ..pascal::subagent_stop(&VOICE)
    },
    Row { keys: &[MODEL, TURN, TRIGGER], text: Text::Nobody, ..pascal::pre_compact(&VOICE) },
    Row { keys: &[MODEL, TURN, TRIGGER], ..pascal::post_compact(&VOICE) },
];

/// Every other one.
pub(super) const ELSEWHERE: &[Elsewhere] =
    &[Elsewhere { names: &["Interrupt"], why: "no other agent tells that the person interrupted it" }];

/// The result of a tool: the text that the model gets.
fn response(given: &Given<'_>) -> Value {
    given.field("content").cloned().unwrap_or_else(|| Value::from(""))
}
