//! Renders the host's records, one line each.

use pintle_contract::Origin;
use serde_json::Value;

use super::block::format_duration;
use super::removed::RemovedTexts;
use super::style::single_line;
use super::{ShowOptions, StyledLine, Tone};
use crate::record::host::{
    HostRecord, MessageSource, MessagesReplacedBy, ModelReplyRecord, ReminderTransition, TurnPhase,
};
use crate::record::{ApprovalRecord, ApprovalResult, ClosedRecord, RepairedRecord};

/// The line of a record; `None` if other lines already say the same and not everything is shown.
pub(super) fn render_host_record(
    time: &str,
    host: &HostRecord<'_>,
    options: &ShowOptions,
    removed: &RemovedTexts,
) -> Option<StyledLine> {
    if !options.everything && is_redundant(host) {
        return None;
    }
    let cut = |text: &str| removed.display_text(text, options.text_chars);
    let (tone, what) = match host {
        HostRecord::Session(session) => {
            (Tone::Quiet, format!("session opened{}", describe_fields(&session.reopen_data, options)))
        }
        HostRecord::Resumed(session) => {
            (Tone::Warn, format!("session resumed{}", describe_fields(&session.reopen_data, options)))
        }
        HostRecord::UserMessage(said) => {
            (Tone::Plain, format!("{}: {}", describe_source(said.source), cut(&said.text)))
        }
        HostRecord::ModelRequest(request) => {
            (Tone::Quiet, format!("calls {} (request {})", cut(&request.model), request.request))
        }
        HostRecord::ModelReply(reply) => describe_model_reply(reply, &cut),
        HostRecord::ToolCall(call) => {
            (Tone::Plain, format!("runs {} {}", cut(&call.name), cut(&call.args.to_string())))
        }
        HostRecord::ToolResult(result) => {
            let (tone, verb) = if result.is_error { (Tone::Bad, "fails") } else { (Tone::Plain, "returns") };
            (tone, format!("{} {verb}: {}", cut(&result.name), cut(&result.content)))
        }
        HostRecord::Message(message) => {
            let field = |name: &str| message.message.get(name).and_then(Value::as_str);
            let what = match (field("role"), field("content")) {
                (Some(role), Some(content)) => format!("{}: {}", cut(role), cut(content)),
                _ => cut(&message.message.to_string()),
            };
            (Tone::Plain, format!("message {what}"))
        }
        HostRecord::Messages(messages) => {
            let reason = match messages.replaced_by {
                MessagesReplacedBy::Compact => "compacted",
                MessagesReplacedBy::Clear => "cleared",
                MessagesReplacedBy::Resume => "resumed",
            };
            (Tone::Warn, format!("conversation {reason}: {} messages remain", messages.messages.len()))
        }
        HostRecord::Reminder(reminded) => (
            Tone::Plain,
            format!("reminder {}: {}", describe_transition(reminded.transition), cut(&reminded.reminder.body)),
        ),
        HostRecord::Turn(turn) => match turn.phase {
            TurnPhase::Start => (Tone::Quiet, format!("turn {} begins", turn.origin.turn)),
            TurnPhase::End => {
                let ended = turn.end_reason.as_deref().map(|ended| format!(": {}", cut(ended)));
                let usage = turn.usage.as_deref().map(|usage| describe_fields(usage, options));
                let (ended, usage) = (ended.unwrap_or_default(), usage.unwrap_or_default());
                (Tone::Quiet, format!("turn {} ends{ended}{usage}", turn.origin.turn))
            }
        },
    };
    let mut line = StyledLine::new(Tone::Quiet, time);
    line.push(tone, what);
    line.push(Tone::Quiet, agent_label(host.origin()));
    Some(line)
}

/// The line of a response to an approval request of the host itself.
pub(super) fn render_approval(time: &str, record: &ApprovalRecord<'_>) -> StyledLine {
    let (tone, word) = match record.answer {
        ApprovalResult::Approved => (Tone::Good, "approved"),
        ApprovalResult::GrantedTool => (Tone::Good, "approved for every call with the same arguments"),
        ApprovalResult::GrantedSession => (Tone::Good, "approved for the whole session"),
        ApprovalResult::Refused => (Tone::Bad, "refused"),
        ApprovalResult::Deferred => (Tone::Warn, "left to the host"),
        ApprovalResult::Unavailable => (Tone::Bad, "no user was available"),
    };
    let about = record.id.as_deref().map(|id| format!("call {} ", single_line(id, 80)));
    let by = record.approver.as_deref().map(|by| format!(" by {}", single_line(by, 80)));
    let mut line = StyledLine::new(Tone::Quiet, time);
    line.push(tone, format!("{}{word}{}", about.unwrap_or_default(), by.unwrap_or_default()));
    line
}

/// The line of a torn record that was removed, or of a program that died between two records.
pub(super) fn render_repaired(time: &str, healed: RepairedRecord) -> StyledLine {
    let text = match healed {
        RepairedRecord { size_bytes: 0, .. } => String::from("the program ended here, and the tape continues"),
        RepairedRecord { line, size_bytes } => {
            format!("line {line} was truncated; its {size_bytes} bytes were removed and the tape continues")
        }
    };
    StyledLine::new(Tone::Warn, format!("{time}{text}"))
}

pub(super) fn render_checkpoint(time: &str, records: u64) -> StyledLine {
    StyledLine::new(Tone::Quiet, format!("{time}checkpoint: {records} records signed"))
}

pub(super) fn render_closed(time: &str, closed: &ClosedRecord<'_>) -> StyledLine {
    StyledLine::new(Tone::Quiet, format!("{time}closed after {} records", closed.records))
}

/// Whether the neighboring events and replies already show the same.
fn is_redundant(host: &HostRecord<'_>) -> bool {
    match host {
        HostRecord::ModelRequest(_) | HostRecord::ToolCall(_) | HostRecord::ToolResult(_) | HostRecord::Message(_) => {
            true
        }
        HostRecord::Reminder(reminded) => reminded.transition == ReminderTransition::Rendered,
        HostRecord::Turn(turn) => turn.phase == TurnPhase::Start,
        _ => false,
    }
}

fn describe_model_reply(reply: &ModelReplyRecord<'_>, cut: &dyn Fn(&str) -> String) -> (Tone, String) {
    let (request, took) = (reply.request, format_duration(reply.duration_us));
    if let Some(error) = &reply.error {
        return (
            Tone::Bad,
            format!("request {request} failed after {took}: {}: {}", cut(&error.kind), cut(&error.message)),
        );
    }
    let field = |name: &str| reply.reply.as_deref().and_then(|reply| reply.get(name));
    let text = field("text").and_then(Value::as_str).unwrap_or_default();
    let calls = field("tool_calls").and_then(Value::as_array).map_or(0, Vec::len);
    let wants = match calls {
        0 => String::new(),
        1 => String::from(" (1 tool call)"),
        count => format!(" ({count} tool calls)"),
    };
    (Tone::Plain, format!("request {request} answered in {took}{wants}: {}", cut(text)))
}

/// The agent of a record, if it is a delegated one.
pub(super) fn agent_label(origin: &Origin) -> String {
    match origin.depth {
        0 => String::new(),
        depth => format!("  (agent {}, depth {depth})", single_line(&origin.agent, 80)),
    }
}

/// The fields of an object that are not null, with a leading space.
fn describe_fields(value: &Value, options: &ShowOptions) -> String {
    let fields = value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    fields.map(|(name, value)| format!(" {}", describe_field(name, value, options))).collect()
}

/// `name=value`.
pub(super) fn describe_field(name: &str, value: &Value, options: &ShowOptions) -> String {
    format!("{}={}", single_line(name, 40), describe_value(value, options))
}

/// A string, or the JSON of any other value.
pub(super) fn describe_value(value: &Value, options: &ShowOptions) -> String {
    match value {
        Value::String(text) => single_line(text, options.text_chars),
        other => single_line(&other.to_string(), options.text_chars),
    }
}

fn describe_source(source: MessageSource) -> &'static str {
    match source {
        MessageSource::Prompt => "said",
        MessageSource::Steer => "said during the turn",
        MessageSource::FollowUp => "queued",
        MessageSource::Resume => "said on resuming",
    }
}

fn describe_transition(transition: ReminderTransition) -> &'static str {
    match transition {
        ReminderTransition::Injected => "injected",
        ReminderTransition::Deduped => "not repeated",
        ReminderTransition::Rendered => "shown",
        ReminderTransition::Expired => "expired",
        ReminderTransition::Retained => "kept",
        ReminderTransition::Inherited => "inherited",
        ReminderTransition::Dropped => "dropped",
    }
}
