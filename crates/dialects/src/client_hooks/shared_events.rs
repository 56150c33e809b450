//! The events that Claude Code introduced and most other clients adopted: one definition each, for any payload style.
//! What a client does differently overrides the definition in its own directory.

use pintle_contract::{DenyEffect, Event};
use serde_json::Value;

use super::event_def::{
    BlockEffect, ClientEventDef, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader, StopEffect,
};
use super::{payload_values, shared_keys};

/// Before a tool call.
pub const fn pre_tool_use(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PreToolUse",
        canonical: "tool.pre",
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        block: BlockEffect::Deny,
        permission: true,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::Deny,
        input: InputRewrite::Replace,
        context: true,
        ..ClientEventDef::observe_only(voice)
    }
}

/// Before the user is asked about a tool call.
pub const fn permission_request(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PermissionRequest",
        canonical: "permission.ask",
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::ASKED],
        context: false,
        ..pre_tool_use(voice)
    }
}

/// After a tool call was denied.
pub const fn permission_denied(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PermissionDenied",
        canonical: "permission.reply",
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, shared_keys::REFUSAL],
        subject: Some(payload_values::tool_subject),
        is_tool: true,
        event_filter: Some(was_denied),
        ..ClientEventDef::observe_only(voice)
    }
}

/// After a successful tool call.
pub const fn post_tool_use(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PostToolUse",
        canonical: "tool.post",
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
        ..ClientEventDef::observe_only(voice)
    }
}

/// After a failed tool call.
pub const fn post_tool_use_failure(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PostToolUseFailure",
        is_alias: true,
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, shared_keys::FAILURE],
        event_filter: Some(has_failed),
        output: false,
        ..post_tool_use(voice)
    }
}

/// After all tool calls of one iteration.
pub const fn post_tool_batch(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PostToolBatch",
        canonical: "tool.batch",
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::BATCH],
        exit_two: ExitTwoEffect::NotifyModel,
        context: true,
        ..ClientEventDef::observe_only(voice)
    }
}

/// The user submits a prompt.
pub const fn user_prompt_submit(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "UserPromptSubmit",
        canonical: "prompt.submit",
        keys: &[shared_keys::AT_WORK, shared_keys::PROMPT],
        block: BlockEffect::Deny,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::Deny,
        context: true,
        text: PlainTextReader::Model,
        ..ClientEventDef::observe_only(voice)
    }
}

/// A session starts, is resumed, or continues after a compaction.
pub const fn session_start(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "SessionStart",
        canonical: "session.start",
        also_canonical: &["session.resume", "compact.post"],
        keys: &[shared_keys::BEGINNING],
        subject: Some(payload_values::start_reason_subject),
        event_filter: Some(starts_session),
        exit_two: ExitTwoEffect::NotifyUser,
        stop: StopEffect::Deny,
        context: true,
        text: PlainTextReader::Model,
        ..ClientEventDef::observe_only(voice)
    }
}

/// A session ends.
pub const fn session_end(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "SessionEnd",
        canonical: "session.end",
        keys: &[shared_keys::TURN, shared_keys::ENDING],
        subject: Some(payload_values::end_reason_subject),
        ..ClientEventDef::observe_only(voice)
    }
}

/// The agent is about to stop.
pub const fn stop(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "Stop",
        canonical: "agent.stop",
        keys: &[shared_keys::AT_WORK, shared_keys::STOP, shared_keys::BESIDE],
        event_filter: Some(is_from_main_agent),
        block: BlockEffect::Deny,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::AllowStop,
        ..ClientEventDef::observe_only(voice)
    }
}

/// The turn ended with an error.
pub const fn stop_failure(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "StopFailure",
        canonical: "error",
        keys: &[shared_keys::AT_WORK, shared_keys::ERROR],
        subject: Some(payload_values::kind_subject),
        ..ClientEventDef::observe_only(voice)
    }
}

/// A subagent is about to start.
pub const fn subagent_start(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "SubagentStart",
        canonical: "delegation.pre",
        keys: &[shared_keys::TURN, shared_keys::DELEGATE],
        subject: Some(payload_values::delegate_subject),
        exit_two: ExitTwoEffect::NotifyUser,
        stop: StopEffect::Deny,
        ..ClientEventDef::observe_only(voice)
    }
}

/// A subagent is about to stop.
pub const fn subagent_stop(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "SubagentStop",
        canonical: "delegation.post",
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
        ..stop(voice)
    }
}

/// Before a compaction.
pub const fn pre_compact(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PreCompact",
        canonical: "compact.pre",
        keys: &[shared_keys::TURN, shared_keys::COMPACT],
        subject: Some(payload_values::trigger_subject),
        block: BlockEffect::Deny,
        exit_two: ExitTwoEffect::Block,
        stop: StopEffect::Deny,
        context: true,
        text: PlainTextReader::Model,
        ..ClientEventDef::observe_only(voice)
    }
}

/// After a compaction.
pub const fn post_compact(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PostCompact",
        canonical: "compact.post",
        keys: &[shared_keys::TURN, shared_keys::COMPACTED],
        subject: Some(payload_values::trigger_subject),
        exit_two: ExitTwoEffect::NotifyUser,
        ..ClientEventDef::observe_only(voice)
    }
}

/// The user is notified.
pub const fn notification(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "Notification",
        canonical: "notification",
        keys: &[shared_keys::TURN, shared_keys::NOTIFICATION],
        subject: Some(payload_values::kind_subject),
        exit_two: ExitTwoEffect::NotifyUser,
        ..ClientEventDef::observe_only(voice)
    }
}

/// Whether the tool ran. Clients whose hooks run after a tool have no event for a call that did not.
pub fn tool_executed(event: &Event) -> bool {
    event.payload.field("executed") != Some(&Value::Bool(false))
}

fn has_succeeded(event: &Event) -> bool {
    tool_executed(event) && event.payload.field("is_error") != Some(&Value::Bool(true))
}

fn has_failed(event: &Event) -> bool {
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
pub fn starts_session(event: &Event) -> bool {
    match event.name.as_str() {
        "session.resume" => {
            payload_values::is_native_event(event) && event.payload.field("previous_max_iterations").is_none()
        }
        "compact.post" => payload_values::is_native_event(event),
        _ => true,
    }
}
