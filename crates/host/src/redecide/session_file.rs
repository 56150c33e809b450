//! Decides about the tool calls of a session that Pintle never saw, from the agent's own file of the session.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::sync::Arc;

use pintle_clients::ClientDef;
use pintle_clients::transcript::ClientTranscript;
use pintle_contract::event::{ChatToolCall, HostPayload};
use pintle_contract::{EventKind, Origin, Payload};
use pintle_lifecycle::{CallStage, ToolCallRequest};
use serde_json::{Value, json};

use super::recorded_things::RecordedThing;
use super::report::RedecisionReport;
use super::session_state::TapeEvent;
use super::{RedecisionRun, RedecisionTask};

/// The result for one file of a session.
#[derive(Debug)]
pub struct SessionFileRedecision {
    /// What was found. Every call counts as allowed before.
    pub report: RedecisionReport,
    /// The session.
    pub session: String,
    /// The first line that is not JSON, from 1; others after it are read all the same.
    pub unreadable_line: Option<usize>,
    /// Why the file could not be read to its end.
    pub error: Option<io::Error>,
}

/// Whether a line is one of an agent's own session files: `claude` or `codex`; `None` if it is of another kind.
#[must_use]
pub fn agent_of_session_line(line: &Value) -> Option<&'static str> {
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    match (text("type")?, line.get("payload")) {
        ("session_meta" | "response_item" | "turn_context", Some(Value::Object(_))) => Some("codex"),
        ("user" | "assistant", None) if text("sessionId").is_some() && line.get("message").is_some() => Some("claude"),
        _ => None,
    }
}

/// Decides about every tool call in an agent's own file of a session, whose lines are JSON. `parse_time` reads the times
/// of lines as milliseconds since the Unix epoch.
pub fn redecide_session_file(
    lines: impl BufRead,
    client: &'static ClientDef,
    parse_time: fn(&str) -> Option<u64>,
    task: &RedecisionTask<'_>,
) -> SessionFileRedecision {
    let mut run = RedecisionRun::new(task);
    let read = read_session_calls(lines, client, parse_time, |number, event| {
        run.add(RecordedThing::undecided(u64::try_from(number).unwrap_or(u64::MAX), event));
    });
    let SessionFileEnd { session, unreadable_line, error } = read;
    SessionFileRedecision { report: run.report, session, unreadable_line, error }
}

/// What is known when a file was read.
pub(super) struct SessionFileEnd {
    session: String,
    unreadable_line: Option<usize>,
    pub(super) error: Option<io::Error>,
}

/// Reads the calls in an agent's own file of a session, each with the number of its line.
pub(super) fn read_session_calls(
    mut lines: impl BufRead,
    client: &'static ClientDef,
    parse_time: fn(&str) -> Option<u64>,
    mut take: impl FnMut(usize, TapeEvent),
) -> SessionFileEnd {
    let mut file = SessionFileState::new(client);
    let (mut number, mut unreadable_line, mut text) = (0, None, Vec::new());
    let error = loop {
        text.clear();
        match lines.read_until(b'\n', &mut text) {
            Ok(0) => break None,
            Err(error) => break Some(error),
            Ok(_) => number += 1,
        }
        if text.trim_ascii().is_empty() {
            continue;
        }
        let Ok(line) = serde_json::from_slice::<Value>(&text) else {
            unreadable_line.get_or_insert(number);
            continue;
        };
        file.read_line(line, parse_time).into_iter().for_each(|event| take(number, event));
    };
    SessionFileEnd { session: file.session, unreadable_line, error }
}

/// What the lines so far say about those that follow.
#[derive(Debug)]
struct SessionFileState {
    client: &'static ClientDef,
    session: String,
    /// The first working directory.
    project: String,
    cwd: String,
    at_ms: u64,
    turn: u32,
    /// The calls so far: a line may be written again.
    known_calls: HashSet<String>,
}

impl SessionFileState {
    fn new(client: &'static ClientDef) -> Self {
        let none = String::new;
        Self { client, session: none(), project: none(), cwd: none(), at_ms: 0, turn: 0, known_calls: HashSet::new() }
    }

    /// The calls of a line, as hooks get them.
    fn read_line(&mut self, mut line: Value, parse_time: fn(&str) -> Option<u64>) -> Vec<TapeEvent> {
        let text = |pointer: &str| line.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(at_ms) = text("/timestamp").and_then(parse_time) {
            self.at_ms = at_ms;
        }
        if let Some(cwd) = text("/cwd").or_else(|| text("/payload/cwd")) {
            cwd.clone_into(&mut self.cwd);
            if self.project.is_empty() {
                cwd.clone_into(&mut self.project);
            }
        }
        let is_start = text("/type") == Some("session_meta");
        if let Some(session) = text("/sessionId").or_else(|| text("/payload/id").filter(|_| is_start)) {
            session.clone_into(&mut self.session);
        }
        let run = text("/agentId").unwrap_or_default().to_owned();
        let Some(read) = self.client.transcript else { return Vec::new() };
        // The calls of subagents are calls, too, but not part of the conversation.
        let is_of_subagent = line.as_object_mut().and_then(|fields| fields.shift_remove("isSidechain"));
        let is_of_subagent = is_of_subagent == Some(Value::Bool(true));
        let mut transcript = ClientTranscript::default();
        read(&line, &mut transcript);
        let mut events = Vec::new();
        for message in transcript.into_messages() {
            self.turn += u32::from(message.role == "user" && !is_of_subagent);
            let origin = Origin {
                session: self.session.clone(),
                turn: self.turn,
                agent: String::from("root"),
                depth: u32::from(is_of_subagent),
                run: if is_of_subagent { run.clone() } else { String::new() },
                cwd: self.cwd.clone(),
                ..Origin::default()
            };
            let origin = Arc::new(origin);
            for call in message.tool_calls {
                if call.id.is_empty() || self.known_calls.insert(call.id.clone()) {
                    events.push(self.to_event(call, Arc::clone(&origin)));
                }
            }
        }
        events
    }

    fn to_event(&self, call: ChatToolCall, origin: Arc<Origin>) -> TapeEvent {
        let arguments = call.function.arguments;
        let args = match serde_json::from_str(&arguments) {
            Ok(args @ Value::Object(_)) => args,
            // A tool whose input is a text, such as a patch.
            _ => json!({"input": arguments}),
        };
        let host = HostPayload {
            client: self.client.name.to_owned(),
            event: String::from("PreToolUse"),
            input: None,
            response: None,
            transcript_path: None,
            permission_mode: None,
            turn_id: None,
            model: None,
        };
        let request = ToolCallRequest {
            cwd: Some(self.cwd.clone()).filter(|cwd| !cwd.is_empty()),
            host: Some(host),
            ..ToolCallRequest::new(call.id, self.client.tools, call.function.name, args)
        };
        let event = request.to_event(CallStage::Pre, "", Arc::clone(&origin));
        let mut payload = event.payload.into_value();
        if let Value::Object(fields) = &mut payload
            && !self.project.is_empty()
        {
            fields.insert(String::from("project"), Value::from(self.project.as_str()));
        }
        TapeEvent { at_ms: self.at_ms, name: EventKind::ToolPre.into(), payload: Payload::new(payload), origin }
    }
}
