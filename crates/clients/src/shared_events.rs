//! The events that Claude Code introduced and most other clients adopted: one definition each, for any payload style.
//! What a client does differently overrides the definition in its own directory.

use pintle_contract::{DenyEffect, Event, EventKind};
use serde_json::Value;

use crate::event_def::{
    BlockEffect, ClientEventDef, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader, StopEffect,
};
use crate::host::{HostEventKind, HostField};
use crate::key_values::read_key;
use crate::{payload_values, shared_keys};

/// The events before a tool call, in order.
pub const BEFORE_TOOL: &[EventKind] =
    &[EventKind::ToolTransform, EventKind::ToolGuard, EventKind::ToolPre, EventKind::DelegationPre];
/// The events after a tool call.
pub const AFTER_TOOL: &[EventKind] = &[EventKind::ToolResult, EventKind::ToolPost, EventKind::FileEdited];
/// The events after a tool call that failed.
pub const FAILED_TOOL: &[EventKind] = &[EventKind::ToolResult, EventKind::ToolPost];
/// The events of a prompt.
pub const PROMPT: &[EventKind] = &[EventKind::PromptSubmit, EventKind::TurnStart];
/// The events at the start of a session.
pub const SESSION_START: &[EventKind] = &[EventKind::SessionStart, EventKind::SessionResume];
/// The events at the end of a turn.
pub const STOP: &[EventKind] = &[EventKind::AgentStop, EventKind::TurnEnd];
/// The events of an error.
pub const ERROR: &[EventKind] = &[EventKind::Error, EventKind::SessionError];
/// The events before a compaction.
pub const COMPACT: &[EventKind] = &[EventKind::CompactPre, EventKind::CompactBefore];

/// Before a tool call.
pub const fn pre_tool_use(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PreToolUse",
        canonical: Some(EventKind::ToolPre),
        fires: BEFORE_TOOL,
        kind: HostEventKind::BeforeTool,
        is_guard: true,
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        block: BlockEffect::Deny,
        permission: true,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::Deny,
        input: InputRewrite::Replace,
        context: true,
        ..ClientEventDef::observe_only(style)
    }
}

/// Before the user is asked about a tool call.
pub const fn permission_request(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PermissionRequest",
        canonical: Some(EventKind::PermissionAsk),
        fires: &[EventKind::PermissionAsk],
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::ASKED],
        context: false,
        ..pre_tool_use(style)
    }
}

/// After a tool call was denied.
pub const fn permission_denied(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PermissionDenied",
        canonical: Some(EventKind::PermissionReply),
        fires: &[EventKind::PermissionReply],
        kind: HostEventKind::PermissionDenied,
        high_volume: true,
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, shared_keys::REFUSAL],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        event_filter: Some(was_denied),
        ..ClientEventDef::observe_only(style)
    }
}

/// After a successful tool call.
pub const fn post_tool_use(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PostToolUse",
        canonical: Some(EventKind::ToolPost),
        fires: AFTER_TOOL,
        kind: HostEventKind::AfterTool,
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, shared_keys::RESULT],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        event_filter: Some(has_succeeded),
        block: BlockEffect::NotifyModel,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::Deny,
        on_deny: DenyEffect::StopRun,
        output: true,
        context: true,
        ..ClientEventDef::observe_only(style)
    }
}

/// After a failed tool call.
pub const fn post_tool_use_failure(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PostToolUseFailure",
        fires: FAILED_TOOL,
        kind: HostEventKind::FailedTool,
        read_keys: const { &[read_key("tool_response", HostField::Response)] },
        is_alias: true,
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, shared_keys::FAILURE],
        event_filter: Some(has_failed),
        output: false,
        ..post_tool_use(style)
    }
}

/// After all tool calls of one iteration.
pub const fn post_tool_batch(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PostToolBatch",
        canonical: Some(EventKind::ToolBatch),
        fires: &[EventKind::ToolBatch],
        kind: HostEventKind::Batch,
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::BATCH],
        exit_two: ExitTwoEffect::NotifyModel,
        context: true,
        ..ClientEventDef::observe_only(style)
    }
}

/// The user submits a prompt.
pub const fn user_prompt_submit(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "UserPromptSubmit",
        canonical: Some(EventKind::PromptSubmit),
        fires: PROMPT,
        kind: HostEventKind::Prompt,
        is_guard: true,
        keys: &[shared_keys::AT_WORK, shared_keys::PROMPT],
        block: BlockEffect::Deny,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::Deny,
        context: true,
        text: PlainTextReader::Model,
        ..ClientEventDef::observe_only(style)
    }
}

/// A session starts, is resumed, or continues after a compaction.
pub const fn session_start(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "SessionStart",
        canonical: Some(EventKind::SessionStart),
        fires: SESSION_START,
        kind: HostEventKind::SessionStart,
        also_canonical: &[EventKind::SessionResume, EventKind::CompactPost],
        keys: &[shared_keys::BEGINNING],
        subject: Some(payload_values::start_reason_subject),
        event_filter: Some(starts_session),
        exit_two: ExitTwoEffect::NotifyUser,
        stop: StopEffect::Deny,
        context: true,
        text: PlainTextReader::Model,
        ..ClientEventDef::observe_only(style)
    }
}

/// A session ends.
pub const fn session_end(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "SessionEnd",
        canonical: Some(EventKind::SessionEnd),
        fires: &[EventKind::SessionEnd],
        kind: HostEventKind::SessionEnd,
        keys: &[shared_keys::TURN, shared_keys::ENDING],
        subject: Some(payload_values::end_reason_subject),
        ..ClientEventDef::observe_only(style)
    }
}

/// The agent is about to stop.
pub const fn stop(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "Stop",
        canonical: Some(EventKind::AgentStop),
        fires: STOP,
        kind: HostEventKind::Stop,
        keys: &[shared_keys::AT_WORK, shared_keys::STOP, shared_keys::BESIDE],
        event_filter: Some(is_from_main_agent),
        block: BlockEffect::Deny,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::AllowStop,
        ..ClientEventDef::observe_only(style)
    }
}

/// The turn ended with an error.
pub const fn stop_failure(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "StopFailure",
        canonical: Some(EventKind::Error),
        fires: ERROR,
        kind: HostEventKind::AgentError,
        keys: &[shared_keys::AT_WORK, shared_keys::ERROR],
        subject: Some(payload_values::kind_subject),
        ..ClientEventDef::observe_only(style)
    }
}

/// A subagent is about to start.
pub const fn subagent_start(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "SubagentStart",
        canonical: Some(EventKind::DelegationPre),
        kind: HostEventKind::SubagentStart,
        high_volume: true,
        keys: &[shared_keys::TURN, shared_keys::DELEGATE],
        subject: Some(payload_values::delegate_subject),
        exit_two: ExitTwoEffect::NotifyUser,
        stop: StopEffect::Deny,
        ..ClientEventDef::observe_only(style)
    }
}

/// A subagent is about to stop.
pub const fn subagent_stop(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "SubagentStop",
        canonical: Some(EventKind::DelegationPost),
        fires: &[EventKind::DelegationPost],
        kind: HostEventKind::SubagentStop,
        keys: &[
            shared_keys::AT_WORK,
            shared_keys::DELEGATE,
            shared_keys::STOP,
            shared_keys::DELEGATE_TRANSCRIPT,
            shared_keys::BESIDE,
        ],
        subject: Some(payload_values::delegate_subject),
        event_filter: None,
        context: true,
        ..stop(style)
    }
}

/// Before a compaction.
pub const fn pre_compact(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PreCompact",
        canonical: Some(EventKind::CompactPre),
        fires: COMPACT,
        kind: HostEventKind::CompactBefore,
        keys: &[shared_keys::TURN, shared_keys::COMPACT],
        subject: Some(payload_values::trigger_subject),
        block: BlockEffect::Deny,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::Deny,
        context: true,
        text: PlainTextReader::Model,
        ..ClientEventDef::observe_only(style)
    }
}

/// After a compaction.
pub const fn post_compact(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PostCompact",
        canonical: Some(EventKind::CompactPost),
        fires: &[EventKind::CompactPost],
        kind: HostEventKind::CompactAfter,
        keys: &[shared_keys::TURN, shared_keys::COMPACTED],
        subject: Some(payload_values::trigger_subject),
        exit_two: ExitTwoEffect::NotifyUser,
        ..ClientEventDef::observe_only(style)
    }
}

/// The user is notified.
pub const fn notification(style: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "Notification",
        canonical: Some(EventKind::Notification),
        fires: &[EventKind::Notification],
        kind: HostEventKind::Notification,
        keys: &[shared_keys::TURN, shared_keys::NOTIFICATION],
        subject: Some(payload_values::kind_subject),
        exit_two: ExitTwoEffect::NotifyUser,
        ..ClientEventDef::observe_only(style)
    }
}

/// Whether the tool ran. Clients whose hooks run after a tool have no event for a call that did not.
pub fn tool_executed(event: &Event) -> bool {
    event.payload.field("executed") != Some(&Value::Bool(false))
}

/// Whether the tool ran, and did not fail.
pub fn has_succeeded(event: &Event) -> bool {
    tool_executed(event) && event.payload.field("is_error") != Some(&Value::Bool(true))
}

/// Whether the tool ran, and failed.
pub fn has_failed(event: &Event) -> bool {
    tool_executed(event) && event.payload.field("is_error") == Some(&Value::Bool(true))
}

fn was_denied(event: &Event) -> bool {
    event.payload.field("decision").and_then(Value::as_str) == Some("deny")
}

/// Whether the event is from the main agent, not from a subagent.
pub fn is_from_main_agent(event: &Event) -> bool {
    event.origin.run.is_empty()
}

/// Whether the event starts a session. The bridge fires `session.start` for each of these; Pintle's own loop has
/// separate events for two of them.
fn starts_session(event: &Event) -> bool {
    match event.name.kind() {
        EventKind::SessionResume => {
            payload_values::is_native_event(event) && event.payload.field("previous_max_iterations").is_none()
        }
        EventKind::CompactPost => payload_values::is_native_event(event),
        _ => true,
    }
}
