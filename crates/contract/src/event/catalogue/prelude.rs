//! What the files of the events have in common.

pub(super) use serde::{Deserialize, Serialize};
pub(super) use serde_json::{Map, Value};

pub(super) use crate::FailurePolicy;
pub(super) use crate::event::aliases::{require_lists, require_object, sync_tool_call, sync_tool_result, sync_usage};
pub(super) use crate::event::def::{ContextScope, EventDef, RewriteTarget};
pub(super) use crate::event::fragment::{
    CallFacts, ChatMessage, ChatTool, CompletionChoice, HostPayload, LogLine, TokenUsage, ToolCall, ToolResult,
    UnsettledWork,
};
pub(super) use crate::event::payload_error::EventPayloadError;
