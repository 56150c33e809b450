//! Rulings in Gemini CLI's terms.

use serde_json::Value;

use crate::hosts::hook_json::Output;
use crate::{Answer, Asked, Ruling};

/// What every event can say.
fn begin(asked: &Asked<'_>, ruling: &Ruling) -> Output {
    let output = Output::new(asked);
    let ended = ruling.stop.as_deref();
    output.top("continue", ended.map(|_| false)).top("stopReason", ended).top("systemMessage", ruling.notice_text())
}

/// No, for a reason.
fn denied(asked: &Asked<'_>, ruling: &Ruling, reason: &str) -> Answer {
    begin(asked, ruling).top("decision", Some("deny")).top("reason", Some(reason)).refusal(reason)
}

/// An event that only tells.
pub(super) fn notice(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    begin(asked, ruling).answer()
}

/// An event that the model can be told something at.
pub(super) fn context(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    begin(asked, ruling).specific("additionalContext", ruling.context_text()).answer()
}

/// An event that can be refused, and nothing else.
pub(super) fn refusable(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    if ruling.is_denied() { denied(asked, ruling, &ruling.reason) } else { notice(asked, ruling) }
}

/// The prompt.
pub(super) fn prompt(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    if ruling.is_denied() { denied(asked, ruling, &ruling.reason) } else { context(asked, ruling) }
}

/// Before a tool. The changed input is laid over the agent's own, so an argument that a hook took away would stay.
pub(super) fn before_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    if ruling.is_denied() {
        return denied(asked, ruling, &ruling.reason);
    }
    if let Some(argument) = ruling.input.as_ref().and_then(|input| taken_away(asked.payload, input)) {
        let reason = format!("a hook took the argument `{argument}` away, which cannot be done in Gemini CLI");
        return denied(asked, ruling, &reason);
    }
    begin(asked, ruling).specific("tool_input", ruling.input.clone()).answer()
}

/// An argument that is no longer there.
fn taken_away<'a>(payload: &'a Value, input: &Value) -> Option<&'a str> {
    let before = payload.get("tool_input").and_then(Value::as_object)?;
    before.keys().find(|key| input.get(key.as_str()).is_none()).map(String::as_str)
}

/// After a tool: the reason of a deny takes the place of the result. The status is 0, since the tool did run.
pub(super) fn after_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let replaced = ruling.words_in_place_of_result();
    begin(asked, ruling)
        .top("decision", replaced.as_ref().map(|_| "deny"))
        .top("reason", replaced)
        .specific("additionalContext", ruling.context_text())
        .answer()
}

/// The agent is about to stop: a deny sends it on.
pub(super) fn stop(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    if ruling.is_denied() && ruling.stop.is_none() {
        denied(asked, ruling, &ruling.reason)
    } else {
        notice(asked, ruling)
    }
}
