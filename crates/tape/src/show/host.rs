//! What the host did, in a line each.

use pintle_contract::Origin;
use serde_json::{Map, Value};

use super::block::duration;
use super::removed::RemovedTexts;
use super::style::plain;
use super::{Line, Options, Tone};
use crate::record::host::{HostRecord, ModelReply, ReminderStep, Source, Stage, Why};
use crate::record::{AnswerWord, Closed, Healed, Resolved};

/// The line of a record; `None` where what it says is to be seen elsewhere and not everything is shown.
pub(super) fn line(at: &str, host: &HostRecord<'_>, options: &Options, removed: &RemovedTexts) -> Option<Line> {
    if !options.everything && is_seen_elsewhere(host) {
        return None;
    }
    let cut = |text: &str| removed.shown(text, options.text_chars);
    let (tone, what) = match host {
        HostRecord::Session(session) => (Tone::Quiet, format!("session opened{}", pairs(&session.opened, options))),
        HostRecord::Resumed(session) => (Tone::Warn, format!("session resumed{}", pairs(&session.opened, options))),
        HostRecord::Said(said) => (Tone::Plain, format!("{}: {}", way(said.source), cut(&said.text))),
        HostRecord::ModelRequest(request) => {
            (Tone::Quiet, format!("asks {} (request {})", cut(&request.model), request.request))
        }
        HostRecord::ModelReply(reply) => model_reply(reply, &cut),
        HostRecord::ToolCall(call) => {
            (Tone::Plain, format!("runs {} {}", cut(&call.name), cut(&call.args.to_string())))
        }
        HostRecord::ToolResult(result) => {
            let (tone, verb) = if result.is_error { (Tone::Bad, "fails") } else { (Tone::Plain, "gives") };
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
            let why = match messages.why {
                Why::Compact => "compacted",
                Why::Clear => "cleared",
                Why::Resume => "resumed",
            };
            (Tone::Warn, format!("conversation {why}: {} messages are left", messages.messages.len()))
        }
        HostRecord::Reminder(reminded) => {
            (Tone::Plain, format!("reminder {}: {}", step(reminded.what), cut(&reminded.reminder.body)))
        }
        HostRecord::Turn(turn) => match turn.stage {
            Stage::Start => (Tone::Quiet, format!("turn {} begins", turn.origin.turn)),
            Stage::End => {
                let ended = turn.ended.as_deref().map(|ended| format!(": {}", cut(ended)));
                let usage = turn.usage.as_deref().map(|usage| pairs(usage, options));
                let (ended, usage) = (ended.unwrap_or_default(), usage.unwrap_or_default());
                (Tone::Quiet, format!("turn {} ends{ended}{usage}", turn.origin.turn))
            }
        },
    };
    let mut line = Line::new(Tone::Quiet, at);
    line.push(tone, what);
    line.push(Tone::Quiet, whose(host.origin()));
    Some(line)
}

/// The line of an answer to a question that the host itself asked.
pub(super) fn approval(at: &str, resolved: &Resolved<'_>) -> Line {
    let (tone, word) = match resolved.answer {
        AnswerWord::Approved => (Tone::Good, "approved"),
        AnswerWord::GrantedTool => (Tone::Good, "approved for every call with the same arguments"),
        AnswerWord::GrantedSession => (Tone::Good, "approved for the whole session"),
        AnswerWord::Refused => (Tone::Bad, "refused"),
        AnswerWord::Deferred => (Tone::Warn, "left to the host"),
        AnswerWord::Nobody => (Tone::Bad, "there was nobody to ask"),
    };
    let about = resolved.id.as_deref().map(|id| format!("call {} ", plain(id, 80)));
    let by = resolved.by.as_deref().map(|by| format!(" by {}", plain(by, 80)));
    let mut line = Line::new(Tone::Quiet, at);
    line.push(tone, format!("{}{word}{}", about.unwrap_or_default(), by.unwrap_or_default()));
    line
}

/// The line of a torn end that was taken away.
pub(super) fn healed(at: &str, healed: Healed) -> Line {
    let Healed { line, size_bytes } = healed;
    Line::new(
        Tone::Warn,
        format!("{at}line {line} was not written whole; {size_bytes} bytes were taken away, and the tape goes on"),
    )
}

pub(super) fn closed(at: &str, closed: &Closed<'_>) -> Line {
    Line::new(Tone::Quiet, format!("{at}closed behind {} records", closed.records))
}

/// Whether the events and answers around a record say the same.
fn is_seen_elsewhere(host: &HostRecord<'_>) -> bool {
    match host {
        HostRecord::ModelRequest(_) | HostRecord::ToolCall(_) | HostRecord::ToolResult(_) | HostRecord::Message(_) => {
            true
        }
        HostRecord::Reminder(reminded) => reminded.what == ReminderStep::Rendered,
        HostRecord::Turn(turn) => turn.stage == Stage::Start,
        _ => false,
    }
}

fn model_reply(reply: &ModelReply<'_>, cut: &dyn Fn(&str) -> String) -> (Tone, String) {
    let (request, took) = (reply.request, duration(reply.duration_us));
    if let Some(fault) = &reply.error {
        return (
            Tone::Bad,
            format!("request {request} failed after {took}: {}: {}", cut(&fault.kind), cut(&fault.message)),
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

fn whose(origin: &Origin) -> String {
    match origin.depth {
        0 => String::new(),
        depth => format!("  (agent {}, depth {depth})", plain(&origin.agent, 80)),
    }
}

/// The fields of an object that have something to say, behind a space.
fn pairs(value: &Value, options: &Options) -> String {
    let empty = Map::new();
    let fields = value.as_object().unwrap_or(&empty).iter();
    let text = |value: &Value| match value {
        Value::String(text) => plain(text, options.text_chars),
        other => plain(&other.to_string(), options.text_chars),
    };
    fields.filter(|(_, value)| !value.is_null()).fold(String::new(), |mut line, (name, value)| {
        line.push_str(&format!(" {}={}", plain(name, 40), text(value)));
        line
    })
}

fn way(source: Source) -> &'static str {
    match source {
        Source::Prompt => "said",
        Source::Steer => "said in between",
        Source::FollowUp => "said for later",
        Source::Resume => "said on resuming",
    }
}

fn step(what: ReminderStep) -> &'static str {
    match what {
        ReminderStep::Injected => "injected",
        ReminderStep::Deduped => "not repeated",
        ReminderStep::Rendered => "shown",
        ReminderStep::Expired => "expired",
        ReminderStep::Kept => "kept",
        ReminderStep::Inherited => "inherited",
        ReminderStep::Dropped => "dropped",
    }
}
