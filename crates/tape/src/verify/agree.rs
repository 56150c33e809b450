//! Whether a tape says alike what it says twice: what people, models and tools gave stands in a record of the host, in the
//! event that shows it to the hooks, and in the conversation.

use std::collections::{BTreeSet, HashMap, HashSet};

use pintle_contract::Origin;
use serde_json::Value;

use super::Notes;
use super::host::{Line, line_of};
use super::sent::said_alike;
use super::structure::Ended;
use crate::record::host::{HostRecord, Message, Source, Stage, ToolResult};
use crate::record::{Body, Fired};

/// What stands for a secret. Where one was taken out, two spellings of a text need not be the same.
const PLACEHOLDER: &str = "[REDACTED]";

/// What was said once and is due to be said again.
#[derive(Debug, Default)]
pub(super) struct Agreement {
    /// What people said and no event shows yet, in its order, with the turn.
    said: HashMap<Line, Vec<(u32, Source, String)>>,
    /// The prompt of a turn as the hooks of `prompt.submit` left it.
    prompts: HashMap<Line, (u32, String)>,
    /// The prompt of a turn as the hooks of `turn.start` left it, until it is in the conversation.
    opened: HashMap<Line, String>,
    /// The requests to models that were not answered.
    asked: HashMap<Line, BTreeSet<u64>>,
    /// The last answer of a model that no event shows yet.
    replies: HashMap<Line, Value>,
    /// The arguments of the calls in the last answer, as the model wrote them.
    arguments: HashMap<Line, HashMap<String, String>>,
    /// The tools at work, by call: name and arguments.
    running: HashMap<(Line, String), (String, Value)>,
    /// What tools gave and no event shows yet.
    gave: HashMap<(Line, String), Gave>,
    /// Calls of hooks whose arguments were changed.
    changed: HashSet<(Line, String)>,
}

#[derive(Debug)]
struct Gave {
    content: String,
    is_error: bool,
    result: Option<Value>,
    /// The tool and its arguments, where its beginning is there.
    call: Option<(String, Value)>,
}

impl Agreement {
    /// Sees the next record.
    pub(super) fn see(&mut self, body: &Body<'_>, notes: &mut Notes<'_>) {
        match body {
            Body::Event(fired) if fired.parent.is_none() => self.fired(fired, notes),
            Body::Host(HostRecord::Resumed(_)) | Body::Healed(_) => *self = Self::default(),
            Body::Host(host) => self.host(host, notes),
            _ => {}
        }
    }

    /// Sees how an event ended that the host has to obey.
    pub(super) fn ended(&mut self, ended: &Ended) {
        let line = (ended.who.session.clone(), ended.who.run.clone());
        let text = |name: &str| ended.payload.get(name).and_then(Value::as_str).map(str::to_owned);
        match ended.event.as_str() {
            "prompt.submit" if !ended.refused => {
                if let Some(prompt) = text("prompt") {
                    self.prompts.insert(line, (ended.who.turn, prompt));
                }
            }
            "turn.start" if !ended.refused => {
                if let Some(words) = ended.payload.as_str() {
                    self.opened.insert(line, words.to_owned());
                }
            }
            "tool.pre" | "tool.transform" | "permission.ask" if ended.rewritten => {
                self.changed.insert((line, text("id").unwrap_or_default()));
            }
            _ => {}
        }
    }

    fn fired(&mut self, fired: &Fired<'_>, notes: &mut Notes<'_>) {
        let line = line_of(&fired.origin);
        let field = |name: &str| fired.payload.get(name);
        let text = |name: &str| field(name).and_then(Value::as_str);
        match &*fired.event {
            "prompt.submit" => self.shows_prompt(&line, text("prompt").unwrap_or_default(), notes),
            "prompt.steer" => {
                let steered = self.take_said(&line, |source| source == Source::Steer);
                let shown = field("messages").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
                let same = steered.is_empty() || steered.iter().map(String::as_str).eq(shown);
                notes.unless(
                    same,
                    || String::from("its `messages` are others"),
                    || format!("{steered:?}, as said before"),
                );
            }
            "prompt.followup" => {
                let followed = self.take_said(&line, |source| source == Source::FollowUp);
                let shown = text("prompt").unwrap_or_default();
                let same = followed.is_empty() || followed.iter().any(|said| same_text(said, shown));
                notes.unless(same, || format!("its prompt is {shown:?}"), || format!("{followed:?}, as said before"));
            }
            "turn.start" => {
                let turn = fired.origin.turn;
                let prompt = self.prompts.remove(&line).or_else(|| self.prompt_said(&line, turn));
                if let (Some((_, prompt)), Some(shown)) = (prompt.filter(|(of, _)| *of == turn), fired.payload.as_str())
                {
                    let expected = || format!("{prompt:?}, as it was said");
                    notes.unless(same_text(&prompt, shown), || format!("its prompt is {shown:?}"), expected);
                }
            }
            "tool.transform" | "tool.pre" => self.shows_call(&line, fired, notes),
            "tool.result" | "tool.post" => self.shows_result(&line, fired, notes),
            "completion.post" => {
                self.none_open(&fired.origin, notes);
                if let Some(reply) = self.replies.remove(&line) {
                    let shown = fired.payload.pointer("/choices/0/message").unwrap_or(&Value::Null);
                    let same = is_redacted(&reply) || said_alike(&as_message(&reply), shown);
                    notes.unless(same, || format!("it shows {shown}"), || format!("{reply}, as the model replied"));
                }
            }
            _ => {}
        }
    }

    fn host(&mut self, host: &HostRecord<'_>, notes: &mut Notes<'_>) {
        let line = line_of(host.origin());
        match host {
            HostRecord::Said(said) => {
                let turn = said.origin.turn;
                self.said.entry(line).or_default().push((turn, said.source, said.text.to_string()));
            }
            HostRecord::ModelRequest(request) => {
                let opened = self.opened.remove(&line);
                notes.unless(
                    opened.is_none(),
                    || format!("the prompt {:?} is not in the conversation", opened.clone().unwrap_or_default()),
                    || String::from("a `message` with it before"),
                );
                self.asked.entry(line).or_default().insert(request.request);
            }
            HostRecord::ModelReply(reply) => {
                if let Some(asked) = self.asked.get_mut(&line) {
                    asked.remove(&reply.request);
                }
                match reply.reply.as_deref() {
                    Some(said) => self.replies.insert(line, said.clone()),
                    None => self.replies.remove(&line),
                };
            }
            HostRecord::ToolCall(call) => {
                let made = (call.name.to_string(), call.args.clone().into_owned());
                self.running.insert((line, call.id.to_string()), made);
            }
            HostRecord::ToolResult(result) => self.gives(line, result, notes),
            HostRecord::Message(message) => self.says(line, message, notes),
            HostRecord::Turn(turn) => {
                if turn.stage == Stage::End {
                    self.none_open(&turn.origin, notes);
                    self.said.remove(&line);
                }
                self.opened.remove(&line);
                self.replies.remove(&line);
            }
            _ => {}
        }
    }

    /// No request of an agent is open when its next step begins.
    fn none_open(&mut self, origin: &Origin, notes: &mut Notes<'_>) {
        let open = self.asked.remove(&line_of(origin)).unwrap_or_default();
        let numbers: Vec<String> = open.iter().map(u64::to_string).collect();
        let expected = || String::from("a `model_reply` before");
        notes.unless(open.is_empty(), || format!("request {} was not answered", numbers.join(", ")), expected);
    }

    /// Takes what somebody said on one of the ways.
    fn take_said(&mut self, line: &Line, of: impl Fn(Source) -> bool) -> Vec<String> {
        let Some(said) = self.said.get_mut(line) else { return Vec::new() };
        let taken = said.iter().filter(|(_, source, _)| of(*source)).map(|(.., text)| text.clone()).collect();
        said.retain(|(_, source, _)| !of(*source));
        taken
    }

    /// The prompt of a turn as it was said, where no event showed it.
    fn prompt_said(&mut self, line: &Line, turn: u32) -> Option<(u32, String)> {
        let said = self.said.get_mut(line)?;
        let at = said.iter().position(|(of, source, _)| *of == turn && *source == Source::Prompt)?;
        let (of, _, text) = said.remove(at);
        Some((of, text))
    }

    fn shows_prompt(&mut self, line: &Line, shown: &str, notes: &mut Notes<'_>) {
        let Some(said) = self.said.get_mut(line) else { return };
        match said.iter().position(|(.., said)| same_text(said, shown)) {
            Some(at) => drop(said.remove(at)),
            None => {
                let first = said.first().map(|(.., said)| said.clone());
                let expected = || format!("{:?}, as it was said", first.clone().unwrap_or_default());
                notes.unless(first.is_none(), || format!("its prompt is {shown:?}"), expected);
            }
        }
    }

    fn shows_call(&self, line: &Line, fired: &Fired<'_>, notes: &mut Notes<'_>) {
        let field = |name: &str| fired.payload.get(name);
        let (Some(id), Some(shown)) = (field("id").and_then(Value::as_str), field("arguments").and_then(Value::as_str))
        else {
            return;
        };
        if self.changed.contains(&(line.clone(), id.to_owned())) {
            return;
        }
        let Some(written) = self.arguments.get(line).and_then(|calls| calls.get(id)) else { return };
        let of = |text: &str| serde_json::from_str::<Value>(text).ok();
        let same = same_text(written, shown) || of(written).is_some_and(|written| Some(written) == of(shown));
        // An empty text stands for no arguments.
        let same = same || (written.trim().is_empty() && of(shown).is_some_and(|shown| is_empty(&shown)));
        notes.unless(same, || format!("its `arguments` are {shown:?}"), || format!("{written:?}, as the model wrote"));
        if let (Some(args), Some(shown), None) = (field("args"), of(shown), field("invalid")) {
            let same = is_redacted(args) || is_redacted(&shown) || alike(args, &shown);
            notes.unless(same, || format!("its `args` are {args}"), || format!("what `arguments` say: {shown}"));
        }
    }

    fn shows_result(&mut self, line: &Line, fired: &Fired<'_>, notes: &mut Notes<'_>) {
        let field = |name: &str| fired.payload.get(name);
        let Some(id) = field("call_id").and_then(Value::as_str) else { return };
        if field("partial") == Some(&Value::Bool(true)) {
            return;
        }
        let key = (line.clone(), id.to_owned());
        let running = self.running.contains_key(&key);
        notes.unless(!running, || format!("call `{id}` gave no result"), || String::from("a `tool_result` before"));
        let Some(Gave { content, is_error, result, call }) = self.gave.remove(&key) else { return };
        if let (Some((name, args)), Some(shown)) = (&call, field("name").and_then(Value::as_str)) {
            notes.unless(name == shown, || format!("it is of tool `{shown}`"), || format!("`{name}`, which ran"));
            let shown = field("args").unwrap_or(args);
            let same = shown == args || is_redacted(shown) || is_redacted(args);
            notes.unless(same, || format!("its `args` are {shown}"), || format!("{args}, as the tool ran with"));
        }
        let shown = field("content").and_then(Value::as_str).unwrap_or_default();
        let expected = || format!("{content:?}, as the tool gave");
        notes.unless(same_text(&content, shown), || format!("its content is {shown:?}"), expected);
        let said = field("is_error").and_then(Value::as_bool).unwrap_or_default();
        notes.unless(
            said == is_error,
            || format!("its `is_error` is {said}"),
            || format!("{is_error}, as of the tool"),
        );
        let result = result.unwrap_or(Value::String(content));
        let Some(shown) = field("result") else { return };
        let same = *shown == result || is_redacted(shown) || is_redacted(&result);
        notes.unless(same, || format!("its result is {shown}"), || format!("{result}, as the tool gave"));
    }

    fn gives(&mut self, line: Line, result: &ToolResult<'_>, notes: &mut Notes<'_>) {
        let key = (line, result.id.to_string());
        let call = self.running.remove(&key);
        if let Some((name, _)) = &call {
            notes.unless(
                *name == result.name,
                || format!("a result of tool `{}`", result.name),
                || format!("`{name}`"),
            );
        }
        let (content, given) = (result.content.to_string(), result.result.as_deref().cloned());
        self.gave.insert(key, Gave { content, is_error: result.is_error, result: given, call });
    }

    fn says(&mut self, line: Line, message: &Message<'_>, notes: &mut Notes<'_>) {
        let text = |name: &str| message.message.get(name).and_then(Value::as_str);
        match text("role") {
            Some("user") => {
                let Some(opened) = self.opened.remove(&line) else { return };
                let said = text("content").unwrap_or_default();
                let expected = || format!("{opened:?}, as the hooks of `turn.start` left it");
                notes.unless(same_text(&opened, said), || format!("{said:?} is said to the model"), expected);
            }
            Some("assistant") => {
                let calls = message.message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
                let text = |call: &Value, name: &str| call.get(name).and_then(Value::as_str).map(str::to_owned);
                let written = calls.filter_map(|call| Some((text(call, "id")?, text(call, "arguments")?)));
                self.arguments.insert(line.clone(), written.collect());
                self.changed.retain(|(of, _)| *of != line);
            }
            _ => {}
        }
    }
}

fn same_text(one: &str, other: &str) -> bool {
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

/// Whether values are the same but for what a schema makes of them: `"5"` becomes 5, and what is left out gets its default.
fn alike(fitted: &Value, written: &Value) -> bool {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    match (fitted, written) {
        (Value::Object(fitted), Value::Object(written)) => {
            written.iter().all(|(name, value)| fitted.get(name).is_some_and(|fitted| alike(fitted, value)))
        }
        (Value::Array(fitted), Value::Array(written)) => {
            fitted.len() == written.len() && fitted.iter().zip(written).all(|(one, other)| alike(one, other))
        }
        (fitted, Value::String(text)) if !fitted.is_string() => {
            serde_json::from_str::<Value>(text).is_ok_and(|written| alike(fitted, &written)) || plain(fitted) == *text
        }
        (fitted, written) => fitted == written || plain(fitted) == plain(written) || same_number(fitted, written),
    }
}

fn same_number(one: &Value, other: &Value) -> bool {
    matches!((one.as_f64(), other.as_f64()), (Some(one), Some(other)) if one.to_bits() == other.to_bits())
}

/// A reply of a model as a message of its conversation has it.
fn as_message(reply: &Value) -> Value {
    let mut message = reply.clone();
    if let Some(fields) = message.as_object_mut() {
        let text = fields.shift_remove("text").unwrap_or_default();
        fields.insert(String::from("content"), text);
    }
    message
}
