//! Payloads from standard input.

use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;

use pintle_host::contract::{MAX_PAYLOAD_BYTES, PayloadError, read_payload};
use pintle_host::dialects::command_hooks::{self, payload_from_hook_input};
use pintle_host::tape::show::single_line;
use pintle_host::{EventKind, EventName, Runtime};
use serde_json::Value;

use super::{EventArgument, current_dir};
use crate::error::CliError;

/// A payload, and whether it is an example.
#[derive(Debug)]
pub(crate) struct PayloadInput {
    pub(crate) value: Value,
    /// The session and the working directory, if the payload says which they were.
    pub(crate) session: Option<String>,
    pub(crate) cwd: Option<String>,
    /// Whether no payload was given, so that this is the event's example.
    pub(crate) is_example: bool,
}

impl PayloadInput {
    /// Fills in what a host finds out about a tool call: its kind, its names, and its paths and operations if a hook
    /// reads them. What the user wrote stays.
    pub(crate) fn complete_call(&mut self, event: &EventName, runtime: &Runtime) {
        let cwd = self.value.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty());
        let cwd = cwd.map_or_else(current_dir, PathBuf::from);
        runtime.complete_call(event, &mut self.value, &cwd, &cwd);
    }
}

/// Reads standard input; `None` if it is a terminal, or blank and `may_be_blank`.
pub(crate) fn read_payload_bytes(may_be_blank: bool) -> Result<Option<Vec<u8>>, CliError> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    read_stdin(&mut bytes)
        .map_err(|error| CliError::failure(format!("cannot read the payload from standard input: {error}")))?;
    if !bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Some(bytes));
    }
    // The program that writes the payload may have failed, and its event must not pass because the example does.
    let error = CliError::invalid_input("standard input contains no payload");
    if may_be_blank {
        Ok(None)
    } else {
        Err(error.help("write a payload to it, or fire the event's example with `--example`"))
    }
}

/// Parses a payload; `event` is the event that is named, if any.
pub(crate) fn parse_payload(bytes: &[u8], event: Option<&EventArgument>) -> Result<Value, CliError> {
    read_payload(bytes).map_err(|error| match (error, event) {
        (PayloadError::NotJson(error), event) => {
            let error = CliError::invalid_input(format!("the payload is not JSON: {error}"));
            match event {
                Some(event) => error.help(next_step(&event.0)),
                None => error,
            }
        }
        (fault, _) => {
            CliError::invalid_input(format!("the payload is too large: {fault}")).help("send a smaller payload")
        }
    })
}

fn next_step(event: &EventName) -> String {
    format!("`pintle events {event}` shows an example payload")
}

/// Completes the payload of an event. The input of a docker-agent hook is accepted, too, and converted to a payload.
pub(crate) fn to_payload_input(argument: &EventArgument, mut value: Value) -> Result<PayloadInput, CliError> {
    let event = &argument.0;
    let (mut session, mut cwd) = (None, None);
    if let Some(payload) = payload_from_hook_input(event, &value) {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        (session, cwd) = (text("session_id"), text("cwd"));
        value = payload;
    } else if let Some(other) = value.get("hook_event_name").and_then(Value::as_str) {
        let shown = single_line(other, 80);
        let error = CliError::invalid_input(format!("the payload is the input of a `{shown}` hook, not of `{event}`"));
        return Err(error.help(format!("name the event `{shown}`, or remove `hook_event_name`")));
    }
    complete_payload(event, &mut value).map_err(|error| {
        CliError::invalid_input(format!("the payload is not valid for `{event}`: {error}")).help(next_step(event))
    })?;
    Ok(PayloadInput { value, session, cwd, is_example: false })
}

/// Returns the event's example, in the form for the alias that was typed.
pub(crate) fn example_input(argument: &EventArgument) -> PayloadInput {
    let EventArgument(event, typed) = argument;
    let value = command_hooks::example_payload(typed.as_deref().unwrap_or_default(), event.def().example());
    PayloadInput { value, session: None, cwd: None, is_example: true }
}

/// Reads standard input up to one byte more than the largest payload. The rest is read and dropped, so that the writing
/// program is not blocked.
pub(crate) fn read_stdin(bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut input = io::stdin().lock();
    input.by_ref().take(MAX_PAYLOAD_BYTES as u64 + 1).read_to_end(bytes)?;
    io::copy(&mut input, &mut io::sink()).map(drop)
}

/// Fills in what the user may omit: `id` and one or both of `args` and `arguments` of a `tool.pre` (`arguments` as text
/// or as an object, `{}` if empty), and fields of any event that may be blank.
pub(crate) fn complete_payload(event: &EventName, value: &mut Value) -> Result<(), String> {
    // Without a tool's name no hook for a tool would run, which would look like an `allow`.
    let subject = event.def().subject.filter(|_| event.as_str().starts_with("tool."));
    if let (Some(field), Some(fields)) = (subject, value.as_object())
        && fields.get(field).and_then(Value::as_str).is_none_or(str::is_empty)
    {
        return Err(format!("`{field}`, the name of the tool, is missing"));
    }
    if event.kind() == EventKind::ToolPre
        && let Some(fields) = value.as_object_mut()
    {
        fields.entry("id").or_insert_with(|| Value::from("call_1"));
        let says_nothing = |name: &str| match fields.get(name) {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.trim().is_empty(),
            Some(_) => false,
        };
        if says_nothing("args") && says_nothing("arguments") {
            fields.shift_remove("arguments");
            fields.insert(String::from("args"), Value::Object(serde_json::Map::new()));
        }
    }
    event.complete(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_spelling_of_a_tool_call_is_completed() {
        let event = EventName::parse("tool.pre").unwrap();
        let whole = json!({"name": "run", "id": "call_1", "args": {"a": 1}, "arguments": "{\"a\":1}"});
        for given in [
            json!({"name": "run", "args": {"a": 1}}),
            json!({"name": "run", "arguments": {"a": 1}}),
            json!({"name": "run", "arguments": "{\"a\": 1}"}),
            whole.clone(),
        ] {
            let mut value = given.clone();
            complete_payload(&event, &mut value).unwrap();
            assert_eq!(value, whole, "{given}");
        }
        for empty in
            [json!({"name": "run"}), json!({"name": "run", "arguments": ""}), json!({"name": "run", "arguments": null})]
        {
            let mut value = empty.clone();
            complete_payload(&event, &mut value).unwrap();
            assert_eq!(value, json!({"name": "run", "id": "call_1", "args": {}, "arguments": "{}"}), "{empty}");
        }
        for bad in [json!([]), json!({}), json!({"name": "run", "arguments": "{"}), json!({"name": "run", "args": 1})] {
            assert!(complete_payload(&event, &mut bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_example_of_every_event_is_complete() {
        for def in pintle_host::event::CATALOGUE {
            let name = def.family().map_or(def.name.to_owned(), |family| format!("{family}x"));
            let event = EventName::parse(&name).unwrap();
            let mut value = def.example();
            complete_payload(&event, &mut value).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(value, def.example(), "{name}");
        }
    }
}
