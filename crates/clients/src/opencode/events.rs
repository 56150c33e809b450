//! The events of OpenCode, as the plugin sends them: the two objects that OpenCode gives to its hook, and the session.

use pintle_contract::EventKind;
use pintle_tools::OPENCODE;
use serde_json::{Value, json};

use super::response as answers;
use crate::host::{HostEventContext, HostEventData, HostEventKind, HostField, HostPayloadError, HostToolCall, text};
use crate::key_values::read_key;
use crate::plugin::{ModuleEvents, module_style};
use crate::{ClientEventDef, ClientKey, PayloadStyle, shared_events};

/// The shape of the payloads.
static STYLE: PayloadStyle = PayloadStyle { adjust_context: root_session, ..module_style(&OPENCODE, &[CONTEXT]) };

const EVENTS: ModuleEvents = ModuleEvents { style: &STYLE, support: &answers::TELLS };

const CONTEXT: &[ClientKey] = &[
    read_key("sessionID", HostField::Session),
    read_key("input/sessionID", HostField::Session),
    read_key("directory", HostField::Directory),
    read_key("input/model/modelID", HostField::Model),
    read_key("input/model/id", HostField::Model),
];

const CALL: &[ClientKey] = &[
    read_key("input/tool", HostField::Tool),
    read_key("input/callID", HostField::CallId),
    read_key("output/args", HostField::Input),
    read_key("input/args", HostField::Input),
    read_key("output/output", HostField::Response),
    read_key("output/content", HostField::Response),
];

const ERROR: &[ClientKey] =
    &[read_key("input/error/name", HostField::Kind), read_key("input/error/data/message", HostField::Message)];

const ANSWER: &[ClientKey] = &[read_key("output/text", HostField::Answer)];

const TITLE: &[ClientKey] = &[read_key("input/title", HostField::Message)];

const REQUEST: &[ClientKey] = &[read_key("output", HostField::Request)];

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        adjust: session_created,
        support: &answers::SESSION_START,
        ..EVENTS.event("session.created", HostEventKind::SessionStart, &[EventKind::SessionStart], &[])
    },
    ClientEventDef {
        adjust: prompt,
        support: &answers::PROMPT,
        ..EVENTS.guard("chat.message", HostEventKind::Other, shared_events::PROMPT, &[])
    },
    ClientEventDef {
        support: &answers::BEFORE_TOOL,
        ..EVENTS.guard("tool.execute.before", HostEventKind::BeforeTool, shared_events::BEFORE_TOOL, CALL)
    },
    ClientEventDef {
        adjust: permission,
        support: &answers::PERMISSION,
        ..EVENTS.guard("permission.ask", HostEventKind::Other, &[EventKind::PermissionAsk], &[])
    },
    // The plugin withholds a result about which it gets no answer.
    ClientEventDef {
        support: &answers::AFTER_TOOL,
        ..EVENTS.guard("tool.execute.after", HostEventKind::AfterTool, shared_events::AFTER_TOOL, CALL)
    },
    ClientEventDef {
        adjust: |_, _| Ok(HostEventData::CompactBefore { trigger: String::from("auto"), instructions: None }),
        support: &answers::COMPACT,
        ..EVENTS.event("experimental.session.compacting", HostEventKind::Other, shared_events::COMPACT, &[])
    },
    ClientEventDef {
        adjust: |_, _| Ok(HostEventData::CompactAfter { trigger: String::from("auto"), summary: String::new() }),
        support: &answers::COMPACTED,
        ..EVENTS.event("session.compacted", HostEventKind::Other, &[EventKind::CompactPost], &[])
    },
    ClientEventDef {
        adjust: end_of_subagent,
        support: &answers::TURN_END,
        ..EVENTS.event("session.idle", HostEventKind::Stop, &[EventKind::DelegationPost, EventKind::TurnEnd], ANSWER)
    },
    EVENTS.event("session.error", HostEventKind::AgentError, shared_events::ERROR, ERROR),
    ClientEventDef {
        adjust: permission_notice,
        ..EVENTS.event("permission.updated", HostEventKind::Notification, &[EventKind::Notification], TITLE)
    },
    ClientEventDef {
        adjust: session_deleted,
        support: &answers::SESSION_END,
        ..EVENTS.event("session.deleted", HostEventKind::SessionEnd, &[EventKind::SessionEnd], &[])
    },
    ClientEventDef {
        high_volume: true,
        support: &answers::BEFORE_MODEL,
        ..EVENTS.guard("chat.params", HostEventKind::Model, &[EventKind::CompletionPre], REQUEST)
    },
    ClientEventDef {
        custom: Some("custom.opencode_shell_env"),
        high_volume: true,
        ..EVENTS.event("shell.env", HostEventKind::Other, &[], &[])
    },
    ClientEventDef {
        custom: Some("custom.opencode_system_transform"),
        high_volume: true,
        ..EVENTS.event("experimental.chat.system.transform", HostEventKind::Other, &[], &[])
    },
];

/// A subagent has a session of its own, which is part of its root's.
fn root_session(payload: &Value, context: &mut HostEventContext) {
    let root = text(payload, "rootID");
    if !root.is_empty() && root != context.session {
        context.run = std::mem::replace(&mut context.session, root);
    }
}

fn is_of_subagent(payload: &Value) -> bool {
    let [root, session] = ["rootID", "sessionID"].map(|name| text(payload, name));
    !root.is_empty() && root != session
}

fn session_created(payload: &Value, _data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let is_resumed = payload.pointer("/input/resumed") == Some(&Value::Bool(true));
    let source = if is_resumed { "resume" } else { "startup" };
    let started = HostEventData::SessionStart { source: source.to_owned() };
    Ok(if is_of_subagent(payload) { HostEventData::Other } else { started })
}

fn session_deleted(payload: &Value, _data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let ended = HostEventData::SessionEnd { reason: String::from("clear") };
    Ok(if is_of_subagent(payload) { HostEventData::Other } else { ended })
}

/// The texts of a prompt. A subagent's prompt is its task, which the event of its tool has already reported.
fn prompt(payload: &Value, _data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    if is_of_subagent(payload) {
        return Ok(HostEventData::Other);
    }
    let parts = payload.pointer("/output/parts").and_then(Value::as_array);
    let parts = parts.ok_or_else(|| HostPayloadError(String::from("`output.parts` is missing or is not a list")))?;
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    Ok(HostEventData::Prompt { text: texts.join("\n"), source: None })
}

/// OpenCode is about to ask the user. It sends the patterns that it asks about, and what the tool adds to them.
fn permission(payload: &Value, _data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let first = |names: [&str; 2]| names.map(|name| text(payload, name)).into_iter().find(|text| !text.is_empty());
    let name = first(["input/permission", "input/type"]);
    let name = name.ok_or_else(|| HostPayloadError(String::from("`input.type` is missing or is not a string")))?;
    let pattern = ["/input/patterns", "/input/pattern"].into_iter().find_map(|path| payload.pointer(path));
    let shown = match pattern {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        one => one.and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    let mut input = payload.pointer("/input/metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    let field = match name.as_str() {
        "bash" => "command",
        "webfetch" => "url",
        _ => "filePath",
    };
    input.entry(field).or_insert(json!(shown));
    let id = first(["input/callID", "input/tool/callID"]).unwrap_or_default();
    Ok(HostEventData::BeforeTool(HostToolCall { id, name, input: Value::Object(input) }))
}

/// A session finished its turn, or a subagent its task.
fn end_of_subagent(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    Ok(match data {
        HostEventData::Stop { answer, .. } if is_of_subagent(payload) => {
            let id = text(payload, "sessionID");
            HostEventData::SubagentStop { agent: String::new(), id, answer, is_continuation: false }
        }
        data => data,
    })
}

fn permission_notice(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::Notification { title, message, .. } = data else {
        return Ok(data);
    };
    Ok(HostEventData::Notification { kind: String::from("permission"), title, message })
}
