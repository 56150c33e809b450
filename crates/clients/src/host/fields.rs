//! Reads a payload: each key that the client's event has names the field that it fills.

use pintle_contract::read_json;
use serde_json::{Map, Value};

use super::{HostEventContext, HostEventData, HostToolCall};
use crate::event_def::{ClientEventDef, ClientKey};

/// The reason why a payload does not fit its event, in one line, such as: `tool_name` is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostPayloadError(pub String);

/// The data of an event, which its payload's keys have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostField {
    /// The session.
    Session,
    /// The subagent that fires the event.
    Run,
    /// The type of the agent.
    Agent,
    /// The working directory, or a list of which it is the first.
    Directory,
    /// The transcript.
    Transcript,
    /// The permission mode.
    Mode,
    /// The turn.
    Turn,
    /// The model.
    Model,
    /// The ID of a tool call.
    CallId,
    /// The name of a tool.
    Tool,
    /// The input of a tool, or JSON text with it.
    Input,
    /// The result of a tool.
    Response,
    /// The error of a tool.
    Error,
    /// The duration of a call, in milliseconds.
    Duration,
    /// Calls with their results.
    Calls,
    /// The user's prompt.
    Prompt,
    /// The source of a prompt or of a session.
    Source,
    /// Why something ended or was denied.
    Reason,
    /// The agent's answer.
    Answer,
    /// Whether, or how often, a hook already made the agent continue.
    Continued,
    /// The agent that a task is delegated to.
    Delegate,
    /// The ID of a delegated task.
    DelegateId,
    /// The text of a delegated task.
    Task,
    /// What triggered a compaction.
    Trigger,
    /// Instructions for a summary.
    Instructions,
    /// A summary.
    Summary,
    /// The kind of an error or a notification.
    Kind,
    /// The text of an error or a notification.
    Message,
    /// The title of a notification.
    Title,
    /// Whether a retry may succeed.
    Retryable,
    /// The path of a file.
    Path,
    /// A request to the model.
    Request,
}

/// The kind of an event that a host reports, which decides what its fields are read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostEventKind {
    /// A session starts.
    SessionStart,
    /// A session ended.
    SessionEnd,
    /// The user sent a prompt.
    Prompt,
    /// A tool is about to run, or the user is about to be asked about it.
    BeforeTool,
    /// The host denied a call by itself.
    PermissionDenied,
    /// A tool finished.
    AfterTool,
    /// A tool failed.
    FailedTool,
    /// The host changed a file.
    FileEdited,
    /// All calls of one model response finished.
    Batch,
    /// A subagent is about to start.
    SubagentStart,
    /// A subagent is about to return its answer.
    SubagentStop,
    /// The agent is about to return its answer.
    Stop,
    /// The agent encountered an error.
    AgentError,
    /// The conversation is about to be compacted.
    CompactBefore,
    /// The conversation was compacted.
    CompactAfter,
    /// The host notifies the user.
    Notification,
    /// A model is about to be called, or responded.
    Model,
    /// An event without a canonical counterpart.
    Other,
}

/// The fields of a payload.
#[derive(Debug)]
pub struct HostFields<'a> {
    keys: Vec<&'static ClientKey>,
    payload: &'a Value,
}

/// The fields of an object.
///
/// # Errors
/// When the payload is not an object.
fn object(payload: &Value) -> Result<&Map<String, Value>, HostPayloadError> {
    payload.as_object().ok_or_else(|| HostPayloadError(String::from("it is not a JSON object")))
}

/// A string at a path such as `error/message`; empty if it is missing.
pub(crate) fn text(payload: &Value, path: &str) -> String {
    at_path(payload, path).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A value at a path such as `error/message`.
pub(crate) fn at_path<'a>(payload: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('/').try_fold(payload, |value, name| value.get(name))
}

impl<'a> HostFields<'a> {
    /// The fields of an event's payload.
    ///
    /// # Errors
    /// When the payload is not an object.
    pub fn new(def: &'static ClientEventDef, payload: &'a Value) -> Result<Self, HostPayloadError> {
        object(payload)?;
        Ok(Self { keys: def.all_keys().chain(def.read_only_keys()).collect(), payload })
    }

    /// The values of a field, of which the first one counts.
    fn values(&self, field: HostField) -> impl Iterator<Item = &'a Value> {
        let keys = self.keys.iter().filter(move |key| key.field == Some(field));
        keys.filter_map(|key| at_path(self.payload, key.name)).filter(|value| !value.is_null())
    }

    /// A field; null if it is missing.
    #[must_use]
    pub fn value(&self, field: HostField) -> Value {
        self.values(field).next().cloned().unwrap_or_default()
    }

    /// A string that is not empty.
    #[must_use]
    pub fn non_empty(&self, field: HostField) -> Option<String> {
        self.values(field).filter_map(Value::as_str).find(|text| !text.is_empty()).map(str::to_owned)
    }

    /// A string; empty if it is missing.
    #[must_use]
    pub fn text(&self, field: HostField) -> String {
        self.non_empty(field).unwrap_or_default()
    }

    /// The error that a required field is missing.
    fn missing(&self, field: HostField, action: &str) -> HostPayloadError {
        let mut names: Vec<String> =
            self.keys.iter().filter(|key| key.field == Some(field)).map(|key| format!("`{}`", key.name)).collect();
        names.dedup();
        HostPayloadError(format!("{} is missing{action}", names.join(" or ")))
    }

    fn required_text(&self, field: HostField) -> Result<String, HostPayloadError> {
        self.non_empty(field).ok_or_else(|| self.missing(field, " or is not a string"))
    }

    /// The tool call. Its input can be JSON text.
    fn call(&self) -> Result<HostToolCall, HostPayloadError> {
        let name = self.required_text(HostField::Tool)?;
        let input = match self.values(HostField::Input).next() {
            Some(Value::String(text)) => read_json_text(text)?,
            Some(value) => value.clone(),
            None => return Err(self.missing(HostField::Input, "")),
        };
        Ok(HostToolCall { id: self.text(HostField::CallId), name, input })
    }

    /// The calls of a batch, each with its result.
    fn calls(&self) -> Result<Vec<(HostToolCall, Value)>, HostPayloadError> {
        let calls = self.value(HostField::Calls);
        let one = |entry: &Value| {
            let name = text(entry, "tool_name");
            let Some(input) = entry.get("tool_input").filter(|_| !name.is_empty()) else {
                return Err(HostPayloadError(String::from("a call has no `tool_name` or no `tool_input`")));
            };
            let call = HostToolCall { id: text(entry, "tool_use_id"), name, input: input.clone() };
            Ok((call, entry.get("tool_response").cloned().unwrap_or_default()))
        };
        calls.as_array().into_iter().flatten().map(one).collect()
    }

    fn is_continuation(&self) -> bool {
        match self.value(HostField::Continued) {
            Value::Bool(continued) => continued,
            count => count.as_u64().is_some_and(|count| count > 0),
        }
    }

    /// The session, turn and agent.
    #[must_use]
    pub fn context(&self) -> HostEventContext {
        let directory = self.values(HostField::Directory).find_map(|value| match value {
            Value::Array(list) => list.first()?.as_str(),
            one => one.as_str().filter(|text| !text.is_empty()),
        });
        HostEventContext {
            session: self.text(HostField::Session),
            agent: self.text(HostField::Agent),
            run: self.text(HostField::Run),
            cwd: directory.unwrap_or_default().to_owned(),
            transcript_path: self.non_empty(HostField::Transcript),
            permission_mode: self.non_empty(HostField::Mode),
            turn_id: self.non_empty(HostField::Turn),
            model: self.non_empty(HostField::Model),
        }
    }

    /// The data of an event of this kind.
    ///
    /// # Errors
    /// When a required field is missing.
    pub fn data(&self, kind: HostEventKind) -> Result<HostEventData, HostPayloadError> {
        use HostField as F;
        Ok(match kind {
            HostEventKind::SessionStart => HostEventData::SessionStart { source: self.text(F::Source) },
            HostEventKind::SessionEnd => HostEventData::SessionEnd { reason: self.text(F::Reason) },
            HostEventKind::Prompt => {
                let text = self.values(F::Prompt).find_map(Value::as_str);
                let text = text.ok_or_else(|| self.missing(F::Prompt, " or is not a string"))?.to_owned();
                HostEventData::Prompt { text, source: self.non_empty(F::Source) }
            }
            HostEventKind::BeforeTool => HostEventData::BeforeTool(self.call()?),
            HostEventKind::PermissionDenied => {
                HostEventData::PermissionDenied { call: self.call()?, reason: self.text(F::Reason) }
            }
            HostEventKind::AfterTool | HostEventKind::FailedTool => {
                let is_error = kind == HostEventKind::FailedTool;
                let error = self.values(F::Error).next().filter(|_| is_error);
                HostEventData::AfterTool {
                    call: self.call()?,
                    response: error.or_else(|| self.values(F::Response).next()).cloned().unwrap_or_default(),
                    is_error,
                    duration_ms: self.values(F::Duration).find_map(Value::as_u64),
                }
            }
            HostEventKind::FileEdited => HostEventData::FileEdited { path: self.required_text(F::Path)? },
            HostEventKind::Batch => HostEventData::Batch(self.calls()?),
            HostEventKind::SubagentStart => HostEventData::SubagentStart {
                agent: self.text(F::Delegate),
                id: self.text(F::DelegateId),
                task: self.text(F::Task),
            },
            HostEventKind::SubagentStop => HostEventData::SubagentStop {
                agent: self.text(F::Delegate),
                id: self.text(F::DelegateId),
                answer: self.text(F::Answer),
                is_continuation: self.is_continuation(),
            },
            HostEventKind::Stop => {
                HostEventData::Stop { answer: self.text(F::Answer), is_continuation: self.is_continuation() }
            }
            HostEventKind::AgentError => {
                let (kind, message) = (self.text(F::Kind), self.text(F::Message));
                HostEventData::AgentError {
                    message: if message.is_empty() { kind.clone() } else { message },
                    kind,
                    is_retryable: self.value(F::Retryable) == Value::Bool(true),
                }
            }
            HostEventKind::CompactBefore => HostEventData::CompactBefore {
                trigger: self.text(F::Trigger),
                instructions: self.non_empty(F::Instructions),
            },
            HostEventKind::CompactAfter => {
                HostEventData::CompactAfter { trigger: self.text(F::Trigger), summary: self.text(F::Summary) }
            }
            HostEventKind::Notification => HostEventData::Notification {
                kind: self.text(F::Kind),
                title: self.non_empty(F::Title),
                message: self.text(F::Message),
            },
            HostEventKind::Model => {
                HostEventData::Model { request: self.value(F::Request), response: self.value(F::Response) }
            }
            HostEventKind::Other => HostEventData::Other,
        })
    }
}

/// JSON text as a value; other text as it is.
pub(crate) fn read_json_text(text: &str) -> Result<Value, HostPayloadError> {
    match read_json(text) {
        Ok(value) => Ok(value),
        Err(error) if error.is_repeated_key() => Err(HostPayloadError(format!("in the input, {error}"))),
        Err(_) => Ok(Value::from(text)),
    }
}
