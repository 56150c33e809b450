//! Rulings in Cursor's terms: flat fields and status 0. A hook that is to fail closed has to say a decision every time.

use pintle::Decision;
use pintle::event::json_to_text;
use serde_json::Value;

use crate::hosts::hook_json::Output;
use crate::{Answer, Asked, Ruling};

/// An event whose answer is not read.
pub(super) fn nothing(_asked: &Asked<'_>, _ruling: &Ruling) -> Answer {
    Answer::silent()
}

/// An event at which the person can be told something.
pub(super) fn notice(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    Output::new(asked).top("user_message", ruling.notice_text()).answer()
}

/// An event that the model can be told something at.
pub(super) fn context(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let text = if ruling.is_denied() { Some(ruling.reason.clone()) } else { ruling.context_text() };
    Output::new(asked).top("additional_context", text).answer()
}

/// The prompt.
pub(super) fn prompt(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let denied = ruling.is_denied();
    let said = if denied { Some(ruling.reason.clone()) } else { ruling.notice_text() };
    Output::new(asked).top("continue", Some(!denied)).top("user_message", said).answer()
}

/// Before something happens. The model was seen to get the message for the person, and never its own.
pub(super) fn permission(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let word = match ruling.decision {
        Decision::Deny => "deny",
        Decision::Ask => "ask",
        Decision::Allow => "allow",
    };
    let reason = Some(ruling.reason.clone()).filter(|_| ruling.decision != Decision::Allow);
    Output::new(asked)
        .top("permission", Some(word))
        .top("user_message", reason.clone().or_else(|| ruling.notice_text()))
        .top("agent_message", reason)
        .top("updated_input", ruling.input.clone())
        .answer()
}

/// After a tool. Only the results of MCP tools can be changed.
pub(super) fn after_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = Output::new(asked);
    let changed = ruling.in_place_of_result();
    let tool = asked.payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let context = ruling.context_text();
    match changed {
        Some(changed) if tool.starts_with("MCP:") => {
            output.top("updated_mcp_tool_output", Some(changed)).top("additional_context", context).answer()
        }
        Some(changed) => {
            let instead = json_to_text(&changed);
            let text = format!("A hook withholds this result, do not use it. Use this instead: {instead}");
            let text = context.map_or(text.clone(), |context| format!("{text}\n\n{context}"));
            output.top("additional_context", Some(text)).answer()
        }
        None => output.top("additional_context", context).answer(),
    }
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let goes_on = ruling.is_denied() && ruling.stop.is_none();
    Output::new(asked).top("followup_message", goes_on.then(|| ruling.reason.clone())).answer()
}
