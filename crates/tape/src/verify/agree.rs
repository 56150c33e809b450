//! Checks that a tape is consistent where it says the same thing twice: input of users, models and tools is in a record
//! of the host, in the event that shows it to hooks, and in the conversation.

use std::collections::{BTreeSet, HashMap, HashSet};

use pintle_contract::{EventKind, Origin};
use serde_json::Value;

use super::FindingSink;
use super::host::{AgentRun, agent_run_of};
use super::messages::is_same_message;
use super::structure::FinishedDispatch;
use crate::record::host::{HostRecord, MessageRecord, MessageSource, ToolResultRecord, TurnPhase};
use crate::record::{EventRecord, RecordBody};

/// The replacement of a redacted secret. If a text contains it, its two copies need not be equal.
const PLACEHOLDER: &str = "[REDACTED]";

/// Values that were recorded once and must follow a second time.
#[derive(Debug, Default)]
pub(super) struct ConsistencyCheck {
    /// Messages of the user that no event has shown yet, in order, with the turn.
    user_messages: HashMap<AgentRun, Vec<(u32, MessageSource, String)>>,
    /// The prompt of a turn after the hooks of `prompt.submit`.
    prompts: HashMap<AgentRun, (u32, String)>,
    /// The prompt of a turn after the hooks of `turn.start`, until it is in the conversation.
    turn_prompts: HashMap<AgentRun, String>,
    /// The unanswered model requests.
    open_requests: HashMap<AgentRun, BTreeSet<u64>>,
    /// The last reply of a model that no event has shown yet.
    replies: HashMap<AgentRun, Value>,
    /// The arguments of the calls in the last reply, as the model wrote them.
    arguments: HashMap<AgentRun, HashMap<String, String>>,
    /// The running tools, by call: name and arguments.
    running_tools: HashMap<(AgentRun, String), (String, Value)>,
    /// The results of tools that no event has shown yet.
    tool_results: HashMap<(AgentRun, String), UnshownToolResult>,
    /// Calls whose arguments hooks changed.
    changed_calls: HashSet<(AgentRun, String)>,
}

#[derive(Debug)]
struct UnshownToolResult {
    content: String,
    is_error: bool,
    result: Option<Value>,
    /// The tool and its arguments, if its `tool_call` is on the tape.
    call: Option<(String, Value)>,
}

impl ConsistencyCheck {
    /// Checks the next record.
    pub(super) fn check_record(&mut self, body: &RecordBody<'_>, findings: &mut FindingSink<'_>) {
        match body {
            RecordBody::Event(fired) if fired.parent.is_none() => self.check_event(fired, findings),
            RecordBody::Host(HostRecord::Resumed(_)) | RecordBody::Repaired(_) => *self = Self::default(),
            RecordBody::Host(host) => self.check_host_record(host, findings),
            _ => {}
        }
    }

    /// Adds the outcome of an event that the host has to obey.
    pub(super) fn add_outcome(&mut self, finished: &FinishedDispatch) {
        let line = (finished.owner.session.clone(), finished.owner.run.clone());
        let text = |name: &str| finished.payload.get(name).and_then(Value::as_str).map(str::to_owned);
        match finished.kind {
            EventKind::PromptSubmit if !finished.is_refused => {
                if let Some(prompt) = text("prompt") {
                    self.prompts.insert(line, (finished.owner.turn, prompt));
                }
            }
            EventKind::TurnStart if !finished.is_refused => {
                if let Some(words) = finished.payload.as_str() {
                    self.turn_prompts.insert(line, words.to_owned());
                }
            }
            EventKind::ToolPre | EventKind::ToolTransform | EventKind::PermissionAsk if finished.rewritten => {
                self.changed_calls.insert((line, text("id").unwrap_or_default()));
            }
            _ => {}
        }
    }

    fn check_event(&mut self, record: &EventRecord<'_>, findings: &mut FindingSink<'_>) {
        let Some(kind) = EventKind::from_name(&record.event) else { return };
        let line = agent_run_of(&record.origin);
        let field = |name: &str| record.payload.get(name);
        let text = |name: &str| field(name).and_then(Value::as_str);
        match kind {
            EventKind::PromptSubmit => self.check_shown_prompt(&line, text("prompt").unwrap_or_default(), findings),
            EventKind::PromptSteer => {
                let steered = self.take_user_messages(&line, |source| source == MessageSource::Steer);
                let shown = field("messages").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
                let same = steered.is_empty() || steered.iter().map(String::as_str).eq(shown);
                if !same {
                    findings.add("its `messages` differ", format!("{steered:?}, as recorded before"));
                }
            }
            EventKind::PromptFollowup => {
                let followed = self.take_user_messages(&line, |source| source == MessageSource::FollowUp);
                let shown = text("prompt").unwrap_or_default();
                let same = followed.is_empty() || followed.iter().any(|said| is_same_text(said, shown));
                if !same {
                    findings.add(format!("its prompt is {shown:?}"), format!("{followed:?}, as recorded before"));
                }
            }
            EventKind::TurnStart => {
                let turn = record.origin.turn;
                let prompt = self.prompts.remove(&line).or_else(|| self.take_prompt(&line, turn));
                if let (Some((_, prompt)), Some(shown)) =
                    (prompt.filter(|(of, _)| *of == turn), record.payload.as_str())
                    && !is_same_text(&prompt, shown)
                {
                    findings.add(format!("its prompt is {shown:?}"), format!("{prompt:?}, as recorded"));
                }
            }
            EventKind::ToolTransform | EventKind::ToolPre => self.check_shown_call(&line, record, findings),
            EventKind::ToolResult | EventKind::ToolPost => self.check_shown_result(&line, record, findings),
            EventKind::CompletionPost => {
                self.check_no_open_request(&record.origin, findings);
                if let Some(reply) = self.replies.remove(&line) {
                    let shown = record.payload.pointer("/choices/0/message").unwrap_or(&Value::Null);
                    let same = is_redacted(&reply) || is_same_message(&reply_to_message(&reply), shown);
                    if !same {
                        findings.add(format!("it shows {shown}"), format!("{reply}, as the model replied"));
                    }
                }
            }
            _ => {}
        }
    }

    fn check_host_record(&mut self, host: &HostRecord<'_>, findings: &mut FindingSink<'_>) {
        let line = agent_run_of(host.origin());
        match host {
            HostRecord::UserMessage(said) => {
                let turn = said.origin.turn;
                self.user_messages.entry(line).or_default().push((turn, said.source, said.text.to_string()));
            }
            HostRecord::ModelRequest(request) => {
                if let Some(opened) = self.turn_prompts.remove(&line) {
                    findings
                        .add(format!("the prompt {opened:?} is not in the conversation"), "a `message` with it before");
                }
                self.open_requests.entry(line).or_default().insert(request.request);
            }
            HostRecord::ModelReply(reply) => {
                if let Some(asked) = self.open_requests.get_mut(&line) {
                    asked.remove(&reply.request);
                }
                match reply.reply.as_deref() {
                    Some(said) => self.replies.insert(line, said.clone()),
                    None => self.replies.remove(&line),
                };
            }
            HostRecord::ToolCall(call) => {
                let made = (call.name.to_string(), call.args.clone().into_owned());
                self.running_tools.insert((line, call.id.to_string()), made);
            }
            HostRecord::ToolResult(result) => self.add_tool_result(line, result, findings),
            HostRecord::Message(message) => self.check_message(line, message, findings),
            HostRecord::Turn(turn) => {
                if turn.phase == TurnPhase::End {
                    self.check_no_open_request(&turn.origin, findings);
                    self.user_messages.remove(&line);
                }
                self.turn_prompts.remove(&line);
                self.replies.remove(&line);
            }
            _ => {}
        }
    }

    /// Checks that an agent has no open model request when it continues.
    fn check_no_open_request(&mut self, origin: &Origin, findings: &mut FindingSink<'_>) {
        let open = self.open_requests.remove(&agent_run_of(origin)).unwrap_or_default();
        let numbers: Vec<String> = open.iter().map(u64::to_string).collect();
        if !open.is_empty() {
            findings.add(format!("request {} was not answered", numbers.join(", ")), "a `model_reply` before");
        }
    }

    /// Takes the user's messages that arrived in one of these ways.
    fn take_user_messages(&mut self, run: &AgentRun, is_source: impl Fn(MessageSource) -> bool) -> Vec<String> {
        let Some(said) = self.user_messages.get_mut(run) else { return Vec::new() };
        let taken = said.iter().filter(|(_, source, _)| is_source(*source)).map(|(.., text)| text.clone()).collect();
        said.retain(|(_, source, _)| !is_source(*source));
        taken
    }

    /// The prompt of a turn as recorded, if no event has shown it.
    fn take_prompt(&mut self, run: &AgentRun, turn: u32) -> Option<(u32, String)> {
        let said = self.user_messages.get_mut(run)?;
        let index = said.iter().position(|(of, source, _)| *of == turn && *source == MessageSource::Prompt)?;
        let (of, _, text) = said.remove(index);
        Some((of, text))
    }

    fn check_shown_prompt(&mut self, run: &AgentRun, shown: &str, findings: &mut FindingSink<'_>) {
        let Some(said) = self.user_messages.get_mut(run) else { return };
        match said.iter().position(|(.., said)| is_same_text(said, shown)) {
            Some(index) => drop(said.remove(index)),
            None => {
                if let Some((.., first)) = said.first() {
                    findings.add(format!("its prompt is {shown:?}"), format!("{first:?}, as recorded"));
                }
            }
        }
    }

    fn check_shown_call(&self, run: &AgentRun, record: &EventRecord<'_>, findings: &mut FindingSink<'_>) {
        let field = |name: &str| record.payload.get(name);
        let (Some(id), Some(shown)) = (field("id").and_then(Value::as_str), field("arguments").and_then(Value::as_str))
        else {
            return;
        };
        if self.changed_calls.contains(&(run.clone(), id.to_owned())) {
            return;
        }
        let Some(written) = self.arguments.get(run).and_then(|calls| calls.get(id)) else { return };
        let of = |text: &str| serde_json::from_str::<Value>(text).ok();
        let same = is_same_text(written, shown) || of(written).is_some_and(|written| Some(written) == of(shown));
        // An empty text means no arguments.
        let same = same || (written.trim().is_empty() && of(shown).is_some_and(|shown| is_empty(&shown)));
        if !same {
            findings.add(format!("its `arguments` are {shown:?}"), format!("{written:?}, as the model wrote"));
        }
        if let (Some(args), Some(shown), None) = (field("args"), of(shown), field("invalid")) {
            let same = is_redacted(args) || is_redacted(&shown) || is_equivalent(args, &shown);
            if !same {
                findings.add(format!("its `args` are {args}"), format!("{shown}, as in `arguments`"));
            }
        }
    }

    fn check_shown_result(&mut self, run: &AgentRun, record: &EventRecord<'_>, findings: &mut FindingSink<'_>) {
        let field = |name: &str| record.payload.get(name);
        let Some(id) = field("call_id").and_then(Value::as_str) else { return };
        if field("partial") == Some(&Value::Bool(true)) {
            return;
        }
        let key = (run.clone(), id.to_owned());
        if self.running_tools.contains_key(&key) {
            findings.add(format!("call `{id}` returned no result"), "a `tool_result` before");
        }
        let Some(UnshownToolResult { content, is_error, result, call }) = self.tool_results.remove(&key) else {
            return;
        };
        if let (Some((name, args)), Some(shown)) = (&call, field("name").and_then(Value::as_str)) {
            if name != shown {
                findings.add(format!("it names tool `{shown}`"), format!("`{name}`, which ran"));
            }
            let shown = field("args").unwrap_or(args);
            let same = shown == args || is_redacted(shown) || is_redacted(args);
            if !same {
                findings.add(format!("its `args` are {shown}"), format!("{args}, with which the tool ran"));
            }
        }
        let shown = field("content").and_then(Value::as_str).unwrap_or_default();
        if !is_same_text(&content, shown) {
            findings.add(format!("its content is {shown:?}"), format!("{content:?}, as the tool returned"));
        }
        let said = field("is_error").and_then(Value::as_bool).unwrap_or_default();
        if said != is_error {
            findings.add(format!("its `is_error` is {said}"), format!("{is_error}, as the tool returned"));
        }
        let result = result.unwrap_or(Value::String(content));
        let Some(shown) = field("result") else { return };
        let same = *shown == result || is_redacted(shown) || is_redacted(&result);
        if !same {
            findings.add(format!("its result is {shown}"), format!("{result}, as the tool returned"));
        }
    }

    fn add_tool_result(&mut self, run: AgentRun, result: &ToolResultRecord<'_>, findings: &mut FindingSink<'_>) {
        let key = (run, result.id.to_string());
        let call = self.running_tools.remove(&key);
        if let Some((name, _)) = &call
            && *name != result.name
        {
            findings.add(format!("a result of tool `{}`", result.name), format!("`{name}`"));
        }
        let (content, given) = (result.content.to_string(), result.result.as_deref().cloned());
        self.tool_results.insert(key, UnshownToolResult { content, is_error: result.is_error, result: given, call });
    }

    fn check_message(&mut self, run: AgentRun, message: &MessageRecord<'_>, findings: &mut FindingSink<'_>) {
        let text = |name: &str| message.message.get(name).and_then(Value::as_str);
        match text("role") {
            Some("user") => {
                let Some(opened) = self.turn_prompts.remove(&run) else { return };
                let said = text("content").unwrap_or_default();
                if !is_same_text(&opened, said) {
                    findings.add(
                        format!("{said:?} is sent to the model"),
                        format!("{opened:?}, as in the outcome of `turn.start`"),
                    );
                }
            }
            Some("assistant") => {
                let calls = message.message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
                let text = |call: &Value, name: &str| call.get(name).and_then(Value::as_str).map(str::to_owned);
                let written = calls.filter_map(|call| Some((text(call, "id")?, text(call, "arguments")?)));
                self.arguments.insert(run.clone(), written.collect());
                self.changed_calls.retain(|(of, _)| *of != run);
            }
            _ => {}
        }
    }
}

fn is_same_text(one: &str, other: &str) -> bool {
    one == other || one.contains(PLACEHOLDER) || other.contains(PLACEHOLDER)
}

fn is_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(PLACEHOLDER),
        Value::Array(items) => items.iter().any(is_redacted),
        Value::Object(fields) => fields.values().any(is_redacted),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Whether values are equal except for coercion by a schema: `"5"` becomes 5, and omitted values get their default.
fn is_equivalent(fitted: &Value, written: &Value) -> bool {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    match (fitted, written) {
        (Value::Object(fitted), Value::Object(written)) => {
            written.iter().all(|(name, value)| fitted.get(name).is_some_and(|fitted| is_equivalent(fitted, value)))
        }
        (Value::Array(fitted), Value::Array(written)) => {
            fitted.len() == written.len() && fitted.iter().zip(written).all(|(one, other)| is_equivalent(one, other))
        }
        (fitted, Value::String(text)) if !fitted.is_string() => {
            serde_json::from_str::<Value>(text).is_ok_and(|written| is_equivalent(fitted, &written))
                || plain(fitted) == *text
        }
        (fitted, written) => fitted == written || plain(fitted) == plain(written) || is_same_number(fitted, written),
    }
}

fn is_same_number(one: &Value, other: &Value) -> bool {
    matches!((one.as_f64(), other.as_f64()), (Some(one), Some(other)) if one.to_bits() == other.to_bits())
}

/// A reply of a model as a message of its conversation.
fn reply_to_message(reply: &Value) -> Value {
    let mut message = reply.clone();
    if let Some(fields) = message.as_object_mut() {
        let text = fields.shift_remove("text").unwrap_or_default();
        fields.insert(String::from("content"), text);
    }
    message
}
