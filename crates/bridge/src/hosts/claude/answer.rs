//! Rulings in Claude Code's terms.

use pintle::Decision;
use serde_json::{Map, Value, json};

use crate::hosts::hook_json::{Output, shaped};
use crate::{Answer, Asked, Ruling};

/// What every event can say.
fn begin(asked: &Asked<'_>, ruling: &Ruling) -> Output {
    let output = Output::new(asked);
    let ended = ruling.stop.as_deref();
    output.top("continue", ended.map(|_| false)).top("stopReason", ended).top("systemMessage", ruling.notice_text())
}

/// An event that only tells.
pub(in crate::hosts) fn notice(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    begin(asked, ruling).answer()
}

/// An event that the model can be told something at.
pub(in crate::hosts) fn context(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
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
pub(in crate::hosts) fn prompt(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = begin(asked, ruling);
    if ruling.is_denied() {
        return output
            .top("decision", Some("block"))
            .top("reason", Some(ruling.reason.as_str()))
            .refusal(&ruling.reason);
    }
    output.specific("additionalContext", ruling.context_text()).answer()
}

/// Before a tool.
pub(in crate::hosts) fn before_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let decision = match ruling.decision {
        Decision::Deny => Some("deny"),
        Decision::Ask => Some("ask"),
        Decision::Allow => ruling.approved.then_some("allow"),
    };
    let reason = Some(ruling.reason.as_str()).filter(|reason| decision.is_some() && !reason.is_empty());
    let output =
        begin(asked, ruling).specific("permissionDecision", decision).specific("permissionDecisionReason", reason);
    if ruling.is_denied() {
        return output.refusal(&ruling.reason);
    }
    output.specific("updatedInput", ruling.input.clone()).specific("additionalContext", ruling.context_text()).answer()
}

/// A person is about to be asked.
pub(in crate::hosts) fn permission(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = begin(asked, ruling);
    if ruling.is_denied() {
        let mut decision = json!({"behavior": "deny", "message": ruling.reason});
        if ruling.stop.is_some()
            && let Some(fields) = decision.as_object_mut()
        {
            fields.insert(String::from("interrupt"), Value::Bool(true));
        }
        // The exit status says nothing at this event, and what it may do besides is not documented.
        return output.specific("decision", Some(decision)).answer();
    }
    let approval = (ruling.approved && ruling.decision == Decision::Allow).then(|| {
        let mut decision = Map::new();
        decision.insert(String::from("behavior"), Value::from("allow"));
        if let Some(input) = &ruling.input {
            decision.insert(String::from("updatedInput"), input.clone());
        }
        Value::Object(decision)
    });
    output.specific("decision", approval).answer()
}

/// After a tool. A block only adds its reason, so what is withheld is replaced besides; and what replaces a result has to
/// have its form, or the result stands.
pub(in crate::hosts) fn after_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let original = asked.payload.get("tool_response").unwrap_or(&Value::Null);
    let output = begin(asked, ruling);
    let (output, replaced) = if ruling.is_denied() {
        let reason = ruling.reason.as_str();
        let output = output.top("decision", Some("block")).top("reason", Some(reason));
        (output, Some(shaped(original, &Value::from(reason))))
    } else {
        (output, ruling.output.as_ref().map(|changed| shaped(original, changed)))
    };
    output.specific("updatedToolOutput", replaced).specific("additionalContext", ruling.context_text()).answer()
}

/// After a tool that failed: what hooks have against it stands beside the error.
pub(super) fn failed_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let denied = ruling.is_denied().then(|| ruling.reason.clone());
    begin(asked, ruling).specific("additionalContext", denied.or_else(|| ruling.context_text())).answer()
}

/// The agent, or a subagent, is about to stop.
pub(in crate::hosts) fn stop(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let output = begin(asked, ruling);
    if ruling.is_denied() && ruling.stop.is_none() {
        return output
            .top("decision", Some("block"))
            .top("reason", Some(ruling.reason.as_str()))
            .refusal(&ruling.reason);
    }
    output.answer()
}

/// Before a compaction: whatever stands on standard output, JSON too, is further instructions for the summary.
pub(super) fn compact(_asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    if ruling.is_denied() {
        return Answer::silent().with_stderr(&ruling.reason).with_exit_code(2);
    }
    Answer { stdout: ruling.context_text().unwrap_or_default(), ..Answer::silent() }
}

/// After a compaction: the person is shown what stands on standard output, as it is.
pub(super) fn compacted(_asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    Answer { stdout: ruling.notice_text().unwrap_or_default(), ..Answer::silent() }
}

/// An event whose answer is not read.
pub(super) fn nothing(_asked: &Asked<'_>, _ruling: &Ruling) -> Answer {
    Answer::silent()
}
