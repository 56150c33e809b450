//! Describes effects and effect requests in a few words.

use pintle_contract::{Effect, EffectReply, EffectRequest, LogLevel};
use serde_json::Value;

use super::ShowOptions;
use super::style::single_line;
use crate::record::EffectRecord;

/// Describes a request and its reply; `None` for one that only reads, unless everything is shown.
pub(super) fn describe_request(effected: &EffectRecord<'_>, options: &ShowOptions) -> Option<String> {
    let cut = |text: &str| single_line(text, options.text_chars);
    let reply = effected.reply.as_deref();
    let words = match &*effected.request {
        EffectRequest::MetricIncr { name, amount: by } => {
            format!("metric {} {by:+} = {}", cut(name), describe_reply(reply, options))
        }
        EffectRequest::MetricSet { name, value } => format!("metric {} = {}", cut(name), cut(&value.to_string())),
        EffectRequest::Log { level: LogLevel::Info, message } => format!("log: {}", cut(message)),
        EffectRequest::Log { level: LogLevel::Warn, message } => format!("log: warning: {}", cut(message)),
        EffectRequest::Emit { event, payload } => format!("emit {} {}", cut(event), cut(&payload.to_string())),
        EffectRequest::Http { method, url, .. } => {
            let status = match reply {
                Some(EffectReply::Value(value)) => value.get("status").map(|status| format!(" -> {status}")),
                _ => None,
            };
            format!("http {} {}{}", cut(method), cut(url), status.unwrap_or_default())
        }
        EffectRequest::CallTool { name, arguments } => {
            format!("call tool {} {}", cut(name), cut(&arguments.to_string()))
        }
        EffectRequest::Meta { function, arguments } => {
            format!("meta {} {}", cut(function), cut(&arguments.to_string()))
        }
        EffectRequest::Session { function, arguments }
            if matches!(function.as_str(), "inject_reminder" | "notify_file_edited") =>
        {
            format!("{} {}", cut(function), cut(&arguments.to_string()))
        }
        EffectRequest::Exec { program, arguments, .. } => {
            format!("exec {} {}", cut(program), cut(&arguments.join(" ")))
        }
        EffectRequest::Fs { function, arguments } => format!("fs {} {}", cut(function), cut(&arguments.to_string())),
        quiet if options.everything => {
            let what = serde_json::to_value(quiet).unwrap_or_default();
            format!("{} -> {}", cut(&describe_tagged_value(&what)), describe_reply(reply, options))
        }
        _ => return None,
    };
    Some(match &effected.error {
        Some(error) => format!("{words}: failed: {}", cut(&error.0)),
        None => words,
    })
}

/// `name {arguments}` for an externally tagged value.
fn describe_tagged_value(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        Value::Object(fields) => {
            let pairs: Vec<String> = fields.iter().map(|(name, inner)| format!("{name} {inner}")).collect();
            pairs.join(" ")
        }
        other => other.to_string(),
    }
}

fn describe_reply(reply: Option<&EffectReply>, options: &ShowOptions) -> String {
    match reply {
        Some(EffectReply::Done) => String::from("done"),
        Some(EffectReply::Absent) => String::from("nothing"),
        Some(EffectReply::Int(number)) => number.to_string(),
        Some(EffectReply::Value(value)) => single_line(&value.to_string(), options.text_chars),
        None => String::from("?"),
    }
}

/// Describes an effect of a verdict.
pub(super) fn describe_effect(effect: &Effect, options: &ShowOptions) -> String {
    let cut = |text: &str| single_line(text, options.text_chars);
    match effect {
        Effect::Context(text) => format!("context: {}", cut(text)),
        Effect::Reminder(reminder) => format!("reminder: {}", cut(&reminder.body)),
        Effect::Notice(text) => format!("notice: {}", cut(text)),
        Effect::Summary(text) => format!("summary: {}", cut(text)),
        Effect::Log { level: LogLevel::Info, message } => format!("log: {}", cut(message)),
        Effect::Log { level: LogLevel::Warn, message } => format!("log: warning: {}", cut(message)),
        Effect::Metadata(facts) => {
            let facts: Vec<String> =
                facts.iter().map(|(name, fact)| format!("{}={}", cut(name), cut(&fact.to_string()))).collect();
            format!("metadata: {}", facts.join(" "))
        }
        Effect::Delegate(request) => format!("delegate: {}", cut(&request.to_string())),
        other => cut(&serde_json::to_string(other).unwrap_or_default()),
    }
}
