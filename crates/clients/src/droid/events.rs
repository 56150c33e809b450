//! The events of Droid: Claude Code's, without the IDs of calls.

use pintle_tools::DROID;
use serde_json::Value;

use super::response as answers;
use crate::claude_code::response as claude;
use crate::event_def::unchanged_context;
use crate::matcher::MatcherSyntax;
use crate::{ClientEventDef, PayloadStyle, shared_events, shared_keys};

/// The shape of Droid's payloads.
static STYLE: PayloadStyle = PayloadStyle {
    base: shared_keys::SESSION,
    tools: &DROID,
    matcher: MatcherSyntax::Expression,
    response: |_| Value::Null,
    read_keys: &[shared_keys::CONTEXT],
    adjust_context: unchanged_context,
};

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    shared_events::session_start(&STYLE).answered(&answers::SESSION_START, claude::add_context),
    shared_events::user_prompt_submit(&STYLE).answered(&answers::PROMPT, claude::prompt),
    shared_events::pre_tool_use(&STYLE).answered(&answers::BEFORE_TOOL, answers::before_tool),
    shared_events::post_tool_use(&STYLE).answered(&answers::AFTER_TOOL, claude::add_context),
    shared_events::stop(&STYLE).answered(&answers::STOP, claude::stop),
    shared_events::subagent_stop(&STYLE).answered(&answers::SUBAGENT_STOP, claude::stop),
    shared_events::pre_compact(&STYLE).answered(&answers::TELLS, claude::notice),
    shared_events::notification(&STYLE).answered(&answers::TELLS, claude::notice),
    shared_events::session_end(&STYLE).answered(&answers::SESSION_END, claude::notice),
];
