//! The events of Qwen Code: Claude Code's, with Gemini CLI's tools.

use serde_json::{Value, json};

use crate::client_hooks::keys::key;
use crate::client_hooks::matcher::Rule;
use crate::client_hooks::{Elsewhere, Given, Key, Row, Voice, given, keys, pascal};
use crate::tools::QWEN;

/// How Qwen Code spells its payloads.
static VOICE: Voice = Voice { base: keys::SESSION, tools: &QWEN, matcher: Rule::NameThenExpression, response };

/// The model's own number of the call.
const CALL_ID: &[Key] = &[key("tool_call_id", given::call_id)];

const BESIDE: &[Key] = &[key("background_tasks", given::nothing), key("crons", given::nothing)];

/// Every event that the catalogue has.
pub(super) const ROWS: &[Row] = &[
    Row { keys: &[keys::AT_WORK, keys::SUBAGENT, keys::CALL, CALL_ID], ..pascal::pre_tool_use(&VOICE) },
    pascal::permission_request(&VOICE),
    pascal::permission_denied(&VOICE),
    Row { keys: &[keys::AT_WORK, keys::SUBAGENT, keys::CALL, CALL_ID, keys::RESULT], ..pascal::post_tool_use(&VOICE) },
    Row {
        keys: &[keys::AT_WORK, keys::SUBAGENT, keys::CALL, CALL_ID, keys::FAILURE],
        ..pascal::post_tool_use_failure(&VOICE)
    },
    pascal::post_tool_batch(&VOICE),
    pascal::user_prompt_submit(&VOICE),
    Row { keys: &[keys::AT_WORK, keys::BEGINNING], ..pascal::session_start(&VOICE) },
    pascal::session_end(&VOICE),
    Row { keys: &[keys::AT_WORK, keys::STOP, BESIDE], ..pascal::stop(&VOICE) },
    pascal::stop_failure(&VOICE),
    Row { keys: &[keys::AT_WORK, keys::DELEGATE], ..pascal::subagent_start(&VOICE) },
    Row {
        keys: &[keys::AT_WORK, keys::DELEGATE, keys::STOP, keys::DELEGATE_TRANSCRIPT, BESIDE],
        ..pascal::subagent_stop(&VOICE)
    },
    pascal::pre_compact(&VOICE),
    pascal::post_compact(&VOICE),
    Row { keys: &[keys::AT_WORK, keys::NOTIFICATION], ..pascal::notification(&VOICE) },
];

/// Every other one.
pub(super) const ELSEWHERE: &[Elsewhere] = &[
    Elsewhere {
        names: &["UserPromptExpansion", "InstructionsLoaded", "MessageDisplay", "SessionDelete"],
        why: "it is about something that only Qwen Code has",
    },
    Elsewhere { names: &["TodoCreated", "TodoCompleted"], why: "no other agent tells of its list of tasks" },
];

/// The result of a tool.
fn response(given: &Given<'_>) -> Value {
    json!({"llmContent": given::result_text(given), "returnDisplay": ""})
}
