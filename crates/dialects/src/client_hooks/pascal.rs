//! The events that Claude Code introduced and most others took over: one row each, for the voice of whoever has it. What
//! an agent does differently is laid over the row in its own folder.

use pintle_contract::{DenyEffect, Event};
use serde_json::Value;

use super::row::{Block, ExitTwo, Input, Row, Stop, Text, Voice};
use super::{given, keys};

/// Before a tool.
pub const fn pre_tool_use(voice: &'static Voice) -> Row {
    Row {
        name: "PreToolUse",
        canonical: "tool.pre",
        keys: &[keys::AT_WORK, keys::SUBAGENT, keys::CALL],
        subject: Some(given::tool_subject),
        is_tool: true,
        block: Block::Denies,
        permission: true,
        exit_two: ExitTwo::Blocks,
        stop: Stop::Denies,
        input: Input::Replaced,
        context: true,
        ..Row::tells(voice)
    }
}

/// Before a person is asked about a tool.
pub const fn permission_request(voice: &'static Voice) -> Row {
    Row {
        name: "PermissionRequest",
        canonical: "permission.ask",
        keys: &[keys::AT_WORK, keys::SUBAGENT, keys::ASKED],
        context: false,
        ..pre_tool_use(voice)
    }
}

/// After a tool was refused.
pub const fn permission_denied(voice: &'static Voice) -> Row {
    Row {
        name: "PermissionDenied",
        canonical: "permission.reply",
        keys: &[keys::AT_WORK, keys::SUBAGENT, keys::CALL, keys::REFUSAL],
        subject: Some(given::tool_subject),
        is_tool: true,
        narrow: Some(was_refused),
        ..Row::tells(voice)
    }
}

/// After a tool that went well.
pub const fn post_tool_use(voice: &'static Voice) -> Row {
    Row {
        name: "PostToolUse",
        canonical: "tool.post",
        keys: &[keys::AT_WORK, keys::SUBAGENT, keys::CALL, keys::RESULT],
        subject: Some(given::tool_subject),
        is_tool: true,
        narrow: Some(went_well),
        block: Block::Tells,
        exit_two: ExitTwo::Blocks,
        stop: Stop::Denies,
        on_deny: DenyEffect::StopRun,
        output: true,
        context: true,
        ..Row::tells(voice)
    }
}

/// After a tool that failed.
pub const fn post_tool_use_failure(voice: &'static Voice) -> Row {
    Row {
        name: "PostToolUseFailure",
        is_alias: true,
        keys: &[keys::AT_WORK, keys::SUBAGENT, keys::CALL, keys::FAILURE],
        narrow: Some(failed),
        output: false,
        ..post_tool_use(voice)
    }
}

/// After all tools of one answer.
pub const fn post_tool_batch(voice: &'static Voice) -> Row {
    Row {
        name: "PostToolBatch",
        canonical: "tool.batch",
        keys: &[keys::AT_WORK, keys::SUBAGENT, keys::BATCH],
        exit_two: ExitTwo::Model,
        context: true,
        ..Row::tells(voice)
    }
}

/// A person's prompt.
pub const fn user_prompt_submit(voice: &'static Voice) -> Row {
    Row {
        name: "UserPromptSubmit",
        canonical: "prompt.submit",
        keys: &[keys::AT_WORK, keys::PROMPT],
        block: Block::Denies,
        exit_two: ExitTwo::Blocks,
        stop: Stop::Denies,
        context: true,
        text: Text::Model,
        ..Row::tells(voice)
    }
}

/// A session begins, goes on, or begins anew.
pub const fn session_start(voice: &'static Voice) -> Row {
    Row {
        name: "SessionStart",
        canonical: "session.start",
        also: &["session.resume", "compact.post"],
        keys: &[keys::BEGINNING],
        subject: Some(given::beginning_subject),
        narrow: Some(begins),
        exit_two: ExitTwo::Person,
        stop: Stop::Denies,
        context: true,
        text: Text::Model,
        ..Row::tells(voice)
    }
}

/// A session is over.
pub const fn session_end(voice: &'static Voice) -> Row {
    Row {
        name: "SessionEnd",
        canonical: "session.end",
        keys: &[keys::TURN, keys::ENDING],
        subject: Some(given::ending_subject),
        ..Row::tells(voice)
    }
}

/// The agent is about to stop.
pub const fn stop(voice: &'static Voice) -> Row {
    Row {
        name: "Stop",
        canonical: "agent.stop",
        keys: &[keys::AT_WORK, keys::STOP, keys::BESIDE],
        narrow: Some(is_of_main_agent),
        block: Block::Denies,
        exit_two: ExitTwo::Blocks,
        stop: Stop::Stops,
        ..Row::tells(voice)
    }
}

/// The turn ended in an error.
pub const fn stop_failure(voice: &'static Voice) -> Row {
    Row {
        name: "StopFailure",
        canonical: "error",
        keys: &[keys::AT_WORK, keys::ERROR],
        subject: Some(given::kind_subject),
        ..Row::tells(voice)
    }
}

/// A subagent is about to work.
pub const fn subagent_start(voice: &'static Voice) -> Row {
    Row {
        name: "SubagentStart",
        canonical: "delegation.pre",
        keys: &[keys::TURN, keys::DELEGATE],
        subject: Some(given::delegate_subject),
        exit_two: ExitTwo::Person,
        stop: Stop::Denies,
        ..Row::tells(voice)
    }
}

/// A subagent is about to give its answer.
pub const fn subagent_stop(voice: &'static Voice) -> Row {
    Row {
        name: "SubagentStop",
        canonical: "delegation.post",
        keys: &[keys::AT_WORK, keys::DELEGATE, keys::STOP, keys::DELEGATE_TRANSCRIPT, keys::BESIDE],
        subject: Some(given::delegate_subject),
        narrow: None,
        context: true,
        ..stop(voice)
    }
}

/// Before a compaction.
pub const fn pre_compact(voice: &'static Voice) -> Row {
    Row {
        name: "PreCompact",
        canonical: "compact.pre",
        keys: &[keys::TURN, keys::COMPACT],
        subject: Some(given::trigger_subject),
        block: Block::Denies,
        exit_two: ExitTwo::Blocks,
        stop: Stop::Denies,
        context: true,
        text: Text::Model,
        ..Row::tells(voice)
    }
}

/// After one.
pub const fn post_compact(voice: &'static Voice) -> Row {
    Row {
        name: "PostCompact",
        canonical: "compact.post",
        keys: &[keys::TURN, keys::COMPACTED],
        subject: Some(given::trigger_subject),
        exit_two: ExitTwo::Person,
        ..Row::tells(voice)
    }
}

/// The person is told something.
pub const fn notification(voice: &'static Voice) -> Row {
    Row {
        name: "Notification",
        canonical: "notification",
        keys: &[keys::TURN, keys::NOTIFICATION],
        subject: Some(given::kind_subject),
        exit_two: ExitTwo::Person,
        ..Row::tells(voice)
    }
}

/// A call that did not run is no event of an agent whose hooks come after a tool.
pub fn ran(event: &Event) -> bool {
    event.payload.field("executed") != Some(&Value::Bool(false))
}

fn went_well(event: &Event) -> bool {
    ran(event) && event.payload.field("is_error") != Some(&Value::Bool(true))
}

fn failed(event: &Event) -> bool {
    ran(event) && event.payload.field("is_error") == Some(&Value::Bool(true))
}

fn was_refused(event: &Event) -> bool {
    event.payload.field("decision").and_then(Value::as_str) == Some("deny")
}

/// The agent that the person talks to, and no subagent.
pub fn is_of_main_agent(event: &Event) -> bool {
    event.origin.run.is_empty()
}

/// A bridge fires `session.start` for each of these; Pintle's own loop has events of its own for two of them.
pub fn begins(event: &Event) -> bool {
    match event.name.as_str() {
        "session.resume" => given::is_of_own_loop(event) && event.payload.field("previous_max_iterations").is_none(),
        "compact.post" => given::is_of_own_loop(event),
        _ => true,
    }
}
