//! Rulings in Copilot's terms: its own fields stand at the top, and any status but 0 denies before a tool and is a
//! warning elsewhere.

use pintle::Decision;
use pintle::event::json_to_text;
use serde_json::{Map, Value, json};

use crate::hosts::hook_json::Output;
use crate::{Answer, Asked, Ruling};

/// What is for the person has no place in an answer, and stands in the log.
fn logged(answer: Answer, ruling: &Ruling) -> Answer {
    match ruling.notice_text() {
        Some(text) if answer.exit_code == 0 => answer.with_stderr(&text),
        _ => answer,
    }
}

/// An event whose answer is not read.
pub(super) fn nothing(_asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    logged(Answer::silent(), ruling)
}

/// An event that the model can be told something at.
pub(super) fn context(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let text = if ruling.is_denied() { Some(ruling.reason.clone()) } else { ruling.context_text() };
    logged(Output::new(asked).top("additionalContext", text).answer(), ruling)
}

/// The prompt, which cannot be kept out.
pub(super) fn prompt(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    if ruling.is_denied() {
        let text = format!("The person's prompt was refused, and nothing may be done for it: {}", ruling.reason);
        return logged(Output::new(asked).top("additionalContext", Some(text)).answer(), ruling);
    }
    context(asked, ruling)
}

fn decision(ruling: &Ruling) -> Option<&'static str> {
    match ruling.decision {
        Decision::Deny => Some("deny"),
        Decision::Ask => Some("ask"),
        Decision::Allow => ruling.approved.then_some("allow"),
    }
}

fn reason<'r>(ruling: &'r Ruling, decision: Option<&str>) -> Option<&'r str> {
    Some(ruling.reason.as_str()).filter(|reason| decision.is_some() && !reason.is_empty())
}

/// Before a tool.
pub(super) fn before_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let decision = decision(ruling);
    let output = Output::new(asked)
        .top("permissionDecision", decision)
        .top("permissionDecisionReason", reason(ruling, decision));
    if ruling.is_denied() {
        return output.refusal(&ruling.reason);
    }
    logged(output.top("modifiedArgs", ruling.input.clone()).answer(), ruling)
}

/// Before a tool, where the event is spelled as in Claude Code.
pub(super) fn nested_before_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let decision = decision(ruling);
    // A refusal's status makes Copilot read its own fields alone.
    let output = Output::new(asked)
        .top("permissionDecision", decision.filter(|_| ruling.is_denied()))
        .top("permissionDecisionReason", reason(ruling, decision).filter(|_| ruling.is_denied()))
        .specific("permissionDecision", decision)
        .specific("permissionDecisionReason", reason(ruling, decision));
    if ruling.is_denied() {
        return output.refusal(&ruling.reason);
    }
    logged(output.specific("updatedInput", ruling.input.clone()).answer(), ruling)
}

/// A person is about to be asked.
pub(super) fn permission(_asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let mut fields = Map::new();
    if ruling.is_denied() {
        fields.insert(String::from("behavior"), Value::from("deny"));
        fields.insert(String::from("message"), Value::from(ruling.reason.as_str()));
        if ruling.stop.is_some() {
            fields.insert(String::from("interrupt"), Value::Bool(true));
        }
    } else if ruling.approved && ruling.decision == Decision::Allow {
        fields.insert(String::from("behavior"), Value::from("allow"));
    }
    logged(Answer::json(&Value::Object(fields)), ruling)
}

/// After a tool.
pub(super) fn after_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let changed = ruling.in_place_of_result();
    let changed = changed.map(|value| json!({"resultType": "success", "textResultForLlm": json_to_text(&value)}));
    let output = Output::new(asked).top("modifiedResult", changed);
    logged(output.top("additionalContext", ruling.context_text()).answer(), ruling)
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = Output::new(asked);
    let output = if ruling.is_denied() && ruling.stop.is_none() {
        output.top("decision", Some("block")).top("reason", Some(ruling.reason.as_str()))
    } else {
        output
    };
    logged(output.answer(), ruling)
}
