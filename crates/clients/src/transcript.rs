//! Reads the lines of a client's own transcript as messages.

use std::collections::HashMap;

use pintle_contract::event::{ChatFunctionCall, ChatMessage, ChatToolCall};
use serde_json::Value;

/// Reads a line of a transcript, which is a JSON value, and changes the conversation as it says. Lines that are not about
/// the conversation, such as those about settings, change nothing.
pub type TranscriptReader = fn(&Value, &mut ClientTranscript);

/// A conversation while its transcript is read.
#[derive(Debug, Default)]
pub struct ClientTranscript {
    entries: Vec<Vec<ChatMessage>>,
    /// The place of each entry that has an ID.
    places: HashMap<String, usize>,
}

impl ClientTranscript {
    /// The messages, oldest first.
    pub fn into_messages(self) -> impl Iterator<Item = ChatMessage> {
        self.entries.into_iter().flatten()
    }

    /// The number of messages.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.entries.iter().map(Vec::len).sum()
    }

    fn add(&mut self, messages: impl IntoIterator<Item = ChatMessage>) {
        self.entries.push(messages.into_iter().collect());
    }

    /// Adds an entry, or replaces one with the same ID. An entry without an ID replaces none.
    fn write(&mut self, id: &str, messages: Vec<ChatMessage>) {
        match self.places.get(id).and_then(|place| self.entries.get_mut(*place)) {
            Some(entry) => *entry = messages,
            None => {
                if !id.is_empty() {
                    self.places.insert(id.to_owned(), self.entries.len());
                }
                self.entries.push(messages);
            }
        }
    }

    /// Removes an entry and all after it. If it is not known, it is older than everything that is.
    fn rewind_to(&mut self, id: &str) {
        let place = self.places.get(id).copied().unwrap_or(0);
        self.entries.truncate(place);
        self.places.retain(|_, other| *other < place);
    }

    /// Removes what is not before the next entry, whose parent is named: its conversation branches off there. An entry
    /// without a parent begins a conversation.
    fn branch_from(&mut self, parent: &str) {
        let end = self.places.get(parent).map_or(0, |place| place + 1);
        self.entries.truncate(end);
        self.places.retain(|_, place| *place < end);
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.places.clear();
    }
}

/// A value at a JSON pointer; null if there is none.
fn value_at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// A text at a JSON pointer; empty if there is none.
fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value_at(value, pointer).as_str().unwrap_or_default()
}

/// The parts of a content, which may also be one part outside a list.
fn parts(content: &Value) -> &[Value] {
    match content {
        Value::Null => &[],
        Value::Array(parts) => parts,
        part => std::slice::from_ref(part),
    }
}

/// The texts of a content's parts. A part is a string or has a `text`.
fn joined_text(content: &Value) -> String {
    let texts = parts(content).iter().filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
    texts.collect::<Vec<_>>().join("\n")
}

/// A message with text, calls or both; `None` with neither.
fn message(role: &str, text: String, tool_calls: Vec<ChatToolCall>) -> Option<ChatMessage> {
    if text.is_empty() && tool_calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() { Value::Null } else { Value::String(text) };
    Some(ChatMessage { role: role.to_owned(), content, tool_calls, ..ChatMessage::default() })
}

/// The call of a tool. Arguments that are not a text are written as JSON.
fn tool_call(id: &str, name: &str, arguments: &Value) -> ChatToolCall {
    let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
    let function = ChatFunctionCall { name: name.to_owned(), arguments };
    ChatToolCall { id: id.to_owned(), function, ..ChatToolCall::default() }
}

/// The result of a call. An output that is neither a text nor a list of parts is written as JSON.
fn tool_result(id: &str, output: &Value) -> ChatMessage {
    let text = match output {
        Value::Null | Value::String(_) | Value::Array(_) => joined_text(output),
        other => other.to_string(),
    };
    ChatMessage { tool_call_id: Some(id.to_owned()), ..ChatMessage::text("tool", text) }
}

/// A line in the format that Claude Code introduced: a message in Anthropic's form, with its content as blocks.
pub(crate) fn anthropic_line(line: &Value, transcript: &mut ClientTranscript) {
    // The conversation of a subagent is not the session's.
    let is_of_subagent = line.get("isSidechain") == Some(&Value::Bool(true));
    if matches!(text_at(line, "/type"), "user" | "assistant") && !is_of_subagent {
        add_anthropic_message(line, transcript);
    }
}

/// A line of Droid's session file, whose messages may be for its user alone.
pub(crate) fn droid_line(line: &Value, transcript: &mut ClientTranscript) {
    if text_at(line, "/type") == "message" && text_at(line, "/message/visibility") != "user_only" {
        add_anthropic_message(line, transcript);
    }
}

fn add_anthropic_message(line: &Value, transcript: &mut ClientTranscript) {
    let role = text_at(line, "/message/role");
    if role.is_empty() {
        return;
    }
    let content = value_at(line, "/message/content");
    let of_kind = |kind: &'static str| parts(content).iter().filter(move |block| text_at(block, "/type") == kind);
    let calls = of_kind("tool_use")
        .map(|block| tool_call(text_at(block, "/id"), text_at(block, "/name"), value_at(block, "/input")));
    let results =
        of_kind("tool_result").map(|block| tool_result(text_at(block, "/tool_use_id"), value_at(block, "/content")));
    transcript.add(results.chain(message(role, joined_text(content), calls.collect())));
}

/// A line of Pi's session file: entries of a tree, whose last one is the end of the conversation.
pub(crate) fn pi_line(line: &Value, transcript: &mut ClientTranscript) {
    let id = text_at(line, "/id");
    // The header is not part of the tree.
    if id.is_empty() || text_at(line, "/type") == "session" {
        return;
    }
    let (role, content) = (text_at(line, "/message/role"), value_at(line, "/message/content"));
    let calls = parts(content)
        .iter()
        .filter(|part| text_at(part, "/type") == "toolCall")
        .map(|part| tool_call(text_at(part, "/id"), text_at(part, "/name"), value_at(part, "/arguments")));
    let said = match role {
        "user" | "assistant" => message(role, joined_text(content), calls.collect()),
        "toolResult" => Some(tool_result(text_at(line, "/message/toolCallId"), content)),
        _ => None,
    };
    transcript.branch_from(text_at(line, "/parentId"));
    transcript.write(id, said.into_iter().collect());
}

/// A line of Codex's rollout: the items of the conversation are the `payload` of a `response_item`.
pub(crate) fn codex_line(line: &Value, transcript: &mut ClientTranscript) {
    if text_at(line, "/type") != "response_item" {
        return;
    }
    let payload = value_at(line, "/payload");
    let value = |name: &str| payload.get(name).unwrap_or(&Value::Null);
    let text = |name: &str| value(name).as_str().unwrap_or_default();
    let call = |name: &str, arguments: &Value| {
        message("assistant", String::new(), vec![tool_call(text("call_id"), name, arguments)])
    };
    transcript.add(match text("type") {
        "message" => {
            let role = if text("role") == "developer" { "system" } else { text("role") };
            message(role, joined_text(value("content")), Vec::new())
        }
        "function_call" => call(text("name"), value("arguments")),
        "custom_tool_call" => call(text("name"), value("input")),
        "local_shell_call" => call("local_shell", value("action")),
        "function_call_output" | "custom_tool_call_output" => Some(tool_result(text("call_id"), value("output"))),
        _ => None,
    });
}

/// A line of Gemini CLI's log: a message, whose later line replaces it, or a change of the whole.
pub(crate) fn gemini_line(line: &Value, transcript: &mut ClientTranscript) {
    if let Some(id) = line.get("$rewindTo").and_then(Value::as_str) {
        transcript.rewind_to(id);
    } else if let Some(messages) = line.pointer("/$set/messages").and_then(Value::as_array) {
        transcript.clear();
        messages.iter().for_each(|message| write_gemini_message(message, transcript));
    } else {
        write_gemini_message(line, transcript);
    }
}

fn write_gemini_message(line: &Value, transcript: &mut ClientTranscript) {
    let role = match text_at(line, "/type") {
        "user" => "user",
        "gemini" => "assistant",
        _ => return,
    };
    let calls = parts(value_at(line, "/toolCalls")).iter();
    transcript.write(text_at(line, "/id"), google_messages(role, value_at(line, "/content"), calls));
}

/// A line of Qwen Code's chat: a message in Google's form.
pub(crate) fn qwen_line(line: &Value, transcript: &mut ClientTranscript) {
    let role = match text_at(line, "/message/role") {
        "user" => "user",
        "model" => "assistant",
        _ => return,
    };
    let content = value_at(line, "/message/parts");
    let calls = parts(content).iter().filter_map(|part| part.get("functionCall"));
    transcript.add(google_messages(role, content, calls));
}

/// The messages of a content in Google's form: the results of calls among its parts, and what was said with new calls.
fn google_messages<'a>(role: &str, content: &Value, calls: impl Iterator<Item = &'a Value>) -> Vec<ChatMessage> {
    let calls = calls.map(|call| tool_call(text_at(call, "/id"), text_at(call, "/name"), value_at(call, "/args")));
    let spoken = message(role, joined_text(content), calls.collect());
    let responses = parts(content).iter().filter_map(|part| part.get("functionResponse"));
    let result = |response: &Value| {
        let told = value_at(response, "/response");
        let output = told.get("output").or_else(|| told.get("error")).unwrap_or(told);
        tool_result(text_at(response, "/id"), output)
    };
    responses.map(result).chain(spoken).collect()
}
