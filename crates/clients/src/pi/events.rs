//! The events of Pi, as the extension sends them: the fields of Pi's event, the session and the model.

use pintle_contract::EventKind;
use pintle_tools::PI;
use serde_json::Value;

use super::response as answers;
use crate::host::{HostEventData, HostEventKind, HostField, HostPayloadError};
use crate::key_values::read_key;
use crate::plugin::{ModuleEvents, module_style};
use crate::{ClientEventDef, ClientKey, PayloadStyle, shared_events};

/// The shape of the payloads.
static STYLE: PayloadStyle = module_style(&PI, &[CONTEXT]);

const EVENTS: ModuleEvents = ModuleEvents { style: &STYLE, support: &answers::TELLS };

const CONTEXT: &[ClientKey] = &[
    read_key("sessionID", HostField::Session),
    read_key("directory", HostField::Directory),
    read_key("model", HostField::Model),
    read_key("transcript", HostField::Transcript),
];

const CALL: &[ClientKey] = &[
    read_key("event/toolName", HostField::Tool),
    read_key("event/toolCallId", HostField::CallId),
    read_key("event/input", HostField::Input),
    read_key("event/content", HostField::Response),
];

const SOURCE: &[ClientKey] = &[read_key("event/reason", HostField::Source)];

const PROMPT: &[ClientKey] = &[read_key("event/text", HostField::Prompt)];

const STOP: &[ClientKey] =
    &[read_key("event/answer", HostField::Answer), read_key("event/continued", HostField::Continued)];

const COMPACT: &[ClientKey] = &[
    read_key("event/reason", HostField::Trigger),
    read_key("event/customInstructions", HostField::Instructions),
    read_key("event/summary", HostField::Summary),
];

const END: &[ClientKey] = &[read_key("event/reason", HostField::Reason)];

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        adjust: session_started,
        support: &answers::SESSION_START,
        ..EVENTS.event("session_start", HostEventKind::SessionStart, shared_events::SESSION_START, SOURCE)
    },
    ClientEventDef {
        support: &answers::PROMPT,
        ..EVENTS.guard("input", HostEventKind::Prompt, shared_events::PROMPT, PROMPT)
    },
    ClientEventDef {
        support: &answers::BEFORE_TOOL,
        ..EVENTS.guard("tool_call", HostEventKind::BeforeTool, shared_events::BEFORE_TOOL, CALL)
    },
    // The extension withholds a result about which it gets no answer.
    ClientEventDef {
        adjust: result,
        support: &answers::AFTER_TOOL,
        ..EVENTS.guard("tool_result", HostEventKind::AfterTool, shared_events::AFTER_TOOL, CALL)
    },
    ClientEventDef {
        support: &answers::STOP,
        ..EVENTS.event("agent_before_settle", HostEventKind::Stop, shared_events::STOP, STOP)
    },
    ClientEventDef {
        adjust: compaction,
        support: &answers::COMPACT,
        ..EVENTS.event("session_before_compact", HostEventKind::CompactBefore, shared_events::COMPACT, COMPACT)
    },
    ClientEventDef {
        adjust: compaction,
        support: &answers::COMPACTED,
        ..EVENTS.event("session_compact", HostEventKind::CompactAfter, &[EventKind::CompactPost], COMPACT)
    },
    ClientEventDef {
        support: &answers::SESSION_END,
        ..EVENTS.event("session_shutdown", HostEventKind::SessionEnd, &[EventKind::SessionEnd], END)
    },
];

/// Pi's words for why a session starts. Its extensions are loaded again without a new session.
fn session_started(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::SessionStart { source } = data else { return Ok(data) };
    let source = match source.as_str() {
        "reload" => return Ok(HostEventData::Other),
        "new" => "clear",
        "resume" | "fork" => "resume",
        _ => "startup",
    };
    Ok(HostEventData::SessionStart { source: source.to_owned() })
}

/// Pi has one event for results and errors.
fn result(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::AfterTool { call, response, duration_ms, .. } = data else { return Ok(data) };
    let is_error = payload.pointer("/event/isError") == Some(&Value::Bool(true));
    Ok(HostEventData::AfterTool { call, response, is_error, duration_ms })
}

/// Pi's words for why it compacts: by itself at a threshold or when the context overflows.
fn compaction(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let general = |trigger: String| if trigger == "manual" { trigger } else { String::from("auto") };
    Ok(match data {
        HostEventData::CompactBefore { trigger, instructions } => {
            HostEventData::CompactBefore { trigger: general(trigger), instructions }
        }
        HostEventData::CompactAfter { trigger, summary } => {
            HostEventData::CompactAfter { trigger: general(trigger), summary }
        }
        data => data,
    })
}
