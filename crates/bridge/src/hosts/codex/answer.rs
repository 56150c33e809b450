//! Rulings in Codex's terms. Its schemas are strict: one key that an event does not know, and the answer counts for
//! nothing, so each function says only what its event takes.

use serde_json::json;

use crate::hosts::hook_json::Output;
use crate::{Answer, Asked, Ruling};

/// What most events can say.
fn begin(asked: &Asked<'_>, ruling: &Ruling) -> Output {
    Output::new(asked).top("systemMessage", ruling.notice_text())
}

/// The end of the run, where an event takes it.
fn ending(output: Output, ruling: &Ruling) -> Output {
    let ended = ruling.stop.as_deref();
    output.top("continue", ended.map(|_| false)).top("stopReason", ended)
}

/// An event whose answer is not read.
pub(super) fn nothing(_asked: &Asked<'_>, _ruling: &Ruling) -> Answer {
    Answer::silent()
}

/// An event that only tells.
pub(super) fn notice(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    begin(asked, ruling).answer()
}

/// An event that the model can be told something at.
pub(super) fn context(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    begin(asked, ruling).specific("additionalContext", ruling.context_text()).answer()
}

/// A session begins. One that a hook refuses begins all the same, and the person is told.
pub(super) fn session_start(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    if !ruling.is_denied() {
        return context(asked, ruling);
    }
    let notices = ruling.notice_text().map(|text| format!("\n{text}")).unwrap_or_default();
    begin(asked, ruling).top("systemMessage", Some(format!("{}{notices}", ruling.reason))).answer()
}

/// The prompt.
pub(super) fn prompt(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = ending(begin(asked, ruling), ruling);
    if ruling.is_denied() {
        return output
            .top("decision", Some("block"))
            .top("reason", Some(ruling.reason.as_str()))
            .refusal(&ruling.reason);
    }
    output.specific("additionalContext", ruling.context_text()).answer()
}

/// Before a tool. A yes goes only with a rewrite, and there is no asking.
pub(super) fn before_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = begin(asked, ruling);
    if ruling.is_denied() {
        return output
            .specific("permissionDecision", Some("deny"))
            .specific("permissionDecisionReason", Some(ruling.reason.as_str()))
            .refusal(&ruling.reason);
    }
    output
        .specific("permissionDecision", ruling.input.as_ref().map(|_| "allow"))
        .specific("updatedInput", ruling.input.clone())
        .specific("additionalContext", ruling.context_text())
        .answer()
}

/// A person is about to be asked.
pub(super) fn permission(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = begin(asked, ruling);
    if ruling.is_denied() {
        return output.specific("decision", Some(json!({"behavior": "deny", "message": ruling.reason}))).answer();
    }
    let approval =
        (ruling.approved && ruling.decision == pintle::Decision::Allow).then(|| json!({"behavior": "allow"}));
    output.specific("decision", approval).answer()
}

/// After a tool: what a block says takes the place of the result.
pub(super) fn after_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = ending(begin(asked, ruling), ruling);
    let replaced = ruling.words_in_place_of_result();
    output
        .top("decision", replaced.as_ref().map(|_| "block"))
        .top("reason", replaced)
        .specific("additionalContext", ruling.context_text())
        .answer()
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = ending(begin(asked, ruling), ruling);
    if ruling.is_denied() && ruling.stop.is_none() {
        return output
            .top("decision", Some("block"))
            .top("reason", Some(ruling.reason.as_str()))
            .refusal(&ruling.reason);
    }
    output.answer()
}

/// Before a compaction.
pub(super) fn compact(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = begin(asked, ruling);
    if ruling.is_denied() {
        return output.top("continue", Some(false)).top("stopReason", Some(ruling.reason.as_str())).answer();
    }
    output.answer()
}
