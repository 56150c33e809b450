//! Checks a conversation against the expectations of a script.

use std::fmt::Write;

use super::file::ExpectedInput;
use crate::model::message::{MessageRole, ModelMessage, ModelRequest};

/// The maximum length of a message that an error shows, in characters.
const SHOWN_CHARS: usize = 120;

/// The messages since the model's last one. Several tool results may arrive at once, and hooks may add context after
/// them.
pub(crate) fn new_messages(request: &ModelRequest) -> &[ModelMessage] {
    let since = request
        .messages
        .iter()
        .rposition(|message| message.role == MessageRole::Assistant)
        .map_or(0, |index| index + 1);
    request.messages.get(since..).unwrap_or_default()
}

/// Describes the mismatch, if there is one: what was expected and what came.
pub(super) fn find_mismatch(expect: &ExpectedInput, request: &ModelRequest) -> Option<String> {
    if let Some(tool) = expect.offers.iter().find(|tool| !request.tools.iter().any(|known| known.name == **tool)) {
        let offered: Vec<_> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        return Some(format!("expected the tool `{tool}` to be offered, but the tools are `{}`", offered.join("`, `")));
    }
    let instruction = || request.messages.iter().filter(|message| message.role == MessageRole::System);
    if let Some(text) = expect.system.iter().find(|text| !instruction().any(|message| message.content.contains(*text)))
    {
        return Some(format!("expected an instruction that contains `{text}`, but it is {}", summarize(instruction())));
    }
    let asks_nothing =
        expect.last.is_none() && expect.tool.is_none() && expect.contains.is_empty() && expect.lacks.is_empty();
    if asks_nothing || new_messages(request).iter().any(|message| is_met(expect, message)) {
        return None;
    }
    Some(format!("expected {}, but got {}", describe(expect), summarize(new_messages(request))))
}

fn is_met(expect: &ExpectedInput, message: &ModelMessage) -> bool {
    let role = expect.last.or(expect.tool.as_ref().map(|_| MessageRole::Tool));
    role.is_none_or(|role| message.role == role)
        && (expect.tool.is_none() || message.name == expect.tool)
        && expect.contains.iter().all(|text| message.content.contains(text))
        && !expect.lacks.iter().any(|text| message.content.contains(text))
}

fn describe(expect: &ExpectedInput) -> String {
    let mut text = match (&expect.tool, expect.last) {
        (Some(tool), _) => format!("a result of the tool `{tool}`"),
        (None, Some(MessageRole::Tool)) => String::from("a tool's result"),
        (None, Some(role)) => format!("a message of role `{role}`"),
        (None, None) => String::from("a message"),
    };
    let parts = [("that contains", &expect.contains), ("that does not contain", &expect.lacks)];
    for (words, list) in parts.iter().filter(|(_, list)| !list.is_empty()) {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " {words} `{}`", list.join("` and `"));
    }
    text
}

/// The messages in one line: role, tool and the start of the text.
pub(super) fn summarize<'a>(messages: impl IntoIterator<Item = &'a ModelMessage>) -> String {
    let mut parts = Vec::new();
    for message in messages {
        let who = match &message.name {
            Some(name) => format!("{} `{name}`", message.role),
            None => message.role.to_string(),
        };
        let flat = message.content.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut start: String = flat.chars().take(SHOWN_CHARS).collect();
        if start.len() < flat.len() {
            start.push('…');
        }
        parts.push(format!("{who}: `{start}`"));
    }
    if parts.is_empty() { String::from("nothing") } else { parts.join(", ") }
}
