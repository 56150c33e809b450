//! The events that Claude Code introduced and most others took over: one row each, for the voice of whoever has it. What
//! an agent does differently is laid over the row in its own folder.

use pintle_contract::{DenyEffect, Event};
use serde_json::Value;

use super::event_def::{
    BlockEffect, ClientEventDef, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader, StopEffect,
};
use super::{payload_values, shared_keys};

/// Before a tool.
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

/// Before a person is asked about a tool.
pub const fn permission_request(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "PermissionRequest",
        canonical: "permission.ask",
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::ASKED],
        context: false,
        ..pre_tool_use(voice)
    }
}

/// After a tool was refused.
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

/// After a tool that went well.
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

/// After a tool that failed.
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

/// After all tools of one answer.
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

/// A person's prompt.
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

/// A session begins, goes on, or begins anew.
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

/// A session is over.
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

/// The turn ended in an error.
pub const fn stop_failure(voice: &'static PayloadStyle) -> ClientEventDef {
    ClientEventDef {
        name: "StopFailure",
        canonical: "error",
        keys: &[shared_keys::AT_WORK, shared_keys::ERROR],
        subject: Some(payload_values::kind_subject),
        ..ClientEventDef::observe_only(voice)
    }
}

/// A subagent is about to work.
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

/// A subagent is about to give its answer.
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

/// After one.
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

/// The person is told something.
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

/// A call that did not run is no event of an agent whose hooks come after a tool.
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

/// The agent that the person talks to, and no subagent.
pub fn is_from_main_agent(event: &Event) -> bool {
    event.origin.run.is_empty()
}

/// A bridge fires `session.start` for each of these; Pintle's own loop has events of its own for two of them.
pub fn starts_session(event: &Event) -> bool {
    match event.name.as_str() {
        "session.resume" => {
            payload_values::is_native_event(event) && event.payload.field("previous_max_iterations").is_none()
        }
        "compact.post" => payload_values::is_native_event(event),
        _ => true,
    }
}
