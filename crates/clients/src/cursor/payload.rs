//! Reads what the keys of Cursor's payloads do not say.

use serde_json::{Value, json};

use crate::host::{HostEventContext, HostEventData, HostPayloadError, HostToolCall, read_json_text, text};

/// The working directory, or the first workspace without one.
pub(super) fn prefer_cwd(payload: &Value, context: &mut HostEventContext) {
    let cwd = text(payload, "cwd");
    if !cwd.is_empty() {
        context.cwd = cwd;
    }
}

pub(super) fn is_startup(_payload: &Value, _data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    Ok(HostEventData::SessionStart { source: String::from("startup") })
}

/// The call of the tool that a shell command is, which the payload does not name.
pub(super) fn command_call(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let input = json!({"command": text(payload, "command"), "cwd": text(payload, "cwd")});
    Ok(with_call(data, |call| {
        call.name = String::from("Shell");
        call.input = input;
    }))
}

/// The mark of an MCP tool in its name, which the payload leaves out.
pub(super) fn mark_mcp_tool(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let data = parse_result(payload, data)?;
    Ok(with_call(data, |call| {
        if !call.name.starts_with("MCP:") {
            call.name.insert_str(0, "MCP:");
        }
    }))
}

/// The result, which is JSON text.
pub(super) fn parse_result(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::AfterTool { call, response: Value::String(text), is_error, duration_ms } = data else {
        return Ok(data);
    };
    Ok(HostEventData::AfterTool { call, response: read_json_text(&text)?, is_error, duration_ms })
}

/// The call of the tool that reads a file, which the payload does not name.
pub(super) fn read_call(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::FileEdited { path } = data else {
        return Ok(data);
    };
    let input = json!({"file_path": path});
    Ok(HostEventData::BeforeTool(HostToolCall { id: String::new(), name: String::from("Read"), input }))
}

fn with_call(mut data: HostEventData, change: impl FnOnce(&mut HostToolCall)) -> HostEventData {
    if let HostEventData::BeforeTool(call) | HostEventData::AfterTool { call, .. } = &mut data {
        change(call);
    }
    data
}
