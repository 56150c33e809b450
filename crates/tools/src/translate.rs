//! An event as a hook hears it: its tool call in the hook's words.

use pintle_contract::{Event, Payload, json_text};
use serde_json::{Map, Value};

use super::call::{caller_of, calls_of};
use super::hook_vocabulary::HookVocabulary;
use super::hook_vocabulary::has_canonical_arguments;
use super::vocabulary::{CanonicalCall, NativeToolCall, ToolVocabulary};

/// The size of arguments from which on hooks hear them as text only if they read it.
const LONG_TEXT_BYTES: usize = 4 << 10;

/// An event as one hook hears it.
pub(crate) enum HeardCall {
    /// As it was fired: it has no call, or the hook is written in the caller's words.
    AsFired,
    /// In the hook's words; once for each part of the call.
    Translated(Vec<HeardPart>),
}

/// The events that a hook in these words hears instead of one: the event itself, or one for each part of its call.
#[must_use]
pub fn heard_events(event: &Event, hook: &HookVocabulary) -> Vec<Event> {
    if !event.name.def().is_about_tool_call() {
        return vec![event.clone()];
    }
    match hear(event, hook, /*reads_call_text*/ true) {
        HeardCall::AsFired => vec![event.clone()],
        HeardCall::Translated(parts) => parts.iter().map(|part| part.to_event(event)).collect(),
    }
}

/// One part of a call in a hook's words.
pub(crate) struct HeardPart {
    /// The position among the parts of the call.
    pub(crate) index: usize,
    /// The words.
    pub(crate) vocabulary: &'static ToolVocabulary,
    /// The name that the hook expects, if its conditions name the tool.
    wanted: Option<String>,
    /// Whether it has the text of the arguments, and those of the caller.
    has_call_text: bool,
}

/// A part without texts that its hook does not read.
struct PartWithoutText(Payload);

impl HeardPart {
    /// The event with only this part. It also has the whole call as its caller made it, so it is built only for the
    /// hook call: those of a patch over thousands of files would not fit into the memory together.
    pub(crate) fn to_event(&self, event: &Event) -> Event {
        let (payload, calls) = (&event.payload, calls_of(&event.payload));
        let part = match calls {
            [_] => self.only_part(payload).clone(),
            _ => self.translate(payload),
        };
        event.with_payload(match &self.wanted {
            Some(wanted) if part.field("name").and_then(Value::as_str) != Some(wanted) => rename(&part, wanted),
            _ => part,
        })
    }

    /// The payload of a call's only part in the vocabulary, which all hooks of it share.
    fn only_part<'p>(&self, payload: &'p Payload) -> &'p Payload {
        let key = self.vocabulary.name;
        if self.has_call_text {
            payload.cached_view(key, |_| self.translate(payload))
        } else {
            &payload.cached_view(key, |_| PartWithoutText(self.translate(payload))).0
        }
    }

    fn translate(&self, payload: &Payload) -> Payload {
        translate_part(payload, calls_of(payload), self)
    }
}

/// The event about a tool call as a hook hears it.
#[inline]
pub(crate) fn hear(event: &Event, hook: &HookVocabulary, reads_call_text: bool) -> HeardCall {
    let caller = caller_of(&event.payload);
    if hook.hears_as_made(caller, || event.subject().unwrap_or_default()) {
        return HeardCall::AsFired;
    }
    translate(event, caller, hook, reads_call_text)
}

/// The event in the hook's words, if the parts of the call or its name differ there.
fn translate(
    event: &Event,
    caller: &'static ToolVocabulary,
    hook: &HookVocabulary,
    reads_call_text: bool,
) -> HeardCall {
    let Some(name) = event.subject() else { return HeardCall::AsFired };
    let calls = calls_of(&event.payload);
    let is_single = calls.len() == 1;
    let is_patch = !is_single && calls.first().is_some_and(|call| call.name == "patch");
    // Of a short call, all hooks hear the same.
    let text = event.payload.field("arguments").and_then(Value::as_str);
    let has_call_text = reads_call_text || text.is_none_or(|text| text.len() < LONG_TEXT_BYTES);
    let mut parts = Vec::with_capacity(calls.len());
    for (index, call) in calls.iter().enumerate() {
        let (vocabulary, wanted) = hook.words_for(call);
        if is_patch && !hears_patch_part(hook, vocabulary, wanted.as_deref(), index) {
            continue;
        }
        if is_single && keeps_name(caller, vocabulary, wanted.as_deref(), name) {
            return HeardCall::AsFired;
        }
        let part = HeardPart { index, vocabulary, wanted, has_call_text };
        if is_single
            && has_same_call(part.only_part(&event.payload), &event.payload)
            && part.wanted.as_deref().is_none_or(|wanted| wanted == name)
        {
            return HeardCall::AsFired;
        }
        parts.push(part);
    }
    HeardCall::Translated(parts)
}

/// Whether a hook hears one part of a patch, whose first part is its text: a dialect that has patches hears only the
/// text, hooks that name the tool hear it too, and the others hear the files.
fn hears_patch_part(hook: &HookVocabulary, vocabulary: &ToolVocabulary, wanted: Option<&str>, index: usize) -> bool {
    match hook {
        HookVocabulary::Fixed(_) => (index == 0) == vocabulary.native_names("patch").next().is_some(),
        HookVocabulary::ByNames(_) => index != 0 || wanted.is_some(),
    }
}

/// Whether a hook hears a call in the caller's own words: they are the hook's, or a second set of Pintle's.
fn keeps_name(
    caller: &'static ToolVocabulary,
    hook: &'static ToolVocabulary,
    wanted: Option<&str>,
    name: &str,
) -> bool {
    match wanted {
        Some(wanted) => caller.name == hook.name && wanted == name,
        None => caller.name == hook.name || has_canonical_arguments(caller) && has_canonical_arguments(hook),
    }
}

fn has_same_call(one: &Payload, other: &Payload) -> bool {
    one.field("name") == other.field("name") && one.field("args") == other.field("args")
}

fn rename(payload: &Payload, name: &str) -> Payload {
    let mut value = payload.value().clone();
    if let Some(field) = value.get_mut("name") {
        *field = Value::from(name);
    }
    Payload::new(value)
}

/// The payload of one part in its vocabulary.
fn translate_part(payload: &Payload, calls: &[CanonicalCall], part: &HeardPart) -> Payload {
    let HeardPart { index, vocabulary, has_call_text, .. } = *part;
    let (Some(fields), Some(call)) = (payload.value().as_object(), calls.get(index)) else {
        return Payload::new(payload.value().clone());
    };
    let native = |name: &str| fields.get(name).cloned().unwrap_or_default();
    let mut said = Map::from_iter([
        (String::from("vocabulary"), Value::from(caller_of(payload).name)),
        (String::from("name"), native("name")),
    ]);
    if has_call_text {
        said.insert(String::from("args"), native("args"));
    }
    let NativeToolCall { name, input } = vocabulary.to_native(&call.name, &call.args);
    let mut part = Map::with_capacity(fields.len() + 3);
    for (key, value) in fields {
        let value = match key.as_str() {
            "name" => Value::from(name.as_str()),
            // It takes its place below, because it is not copied.
            "args" => Value::Null,
            "arguments" if has_call_text => Value::from(json_text(&input)),
            "arguments" => continue,
            "paths" => paths_of_part(value, call),
            "operations" | "commands" => effects_of_part(value, index),
            _ => value.clone(),
        };
        part.insert(key.clone(), value);
    }
    if let Some(args) = part.get_mut("args") {
        *args = input;
    }
    part.insert(String::from("vocabulary"), Value::from(vocabulary.name));
    part.insert(String::from("kind"), Value::from(call.kind.as_str()));
    if calls.len() > 1 {
        part.insert(String::from("part"), Value::from(index + 1));
        part.insert(String::from("parts"), Value::from(calls.len()));
    }
    part.insert(String::from("native"), Value::Object(said));
    Payload::new(Value::Object(part))
}

/// The paths of a call that one of its parts names.
fn paths_of_part(paths: &Value, call: &CanonicalCall) -> Value {
    let is_named = |path: &&Value| {
        let written = path.get("written");
        call.args.as_object().is_some_and(|args| args.values().any(|value| Some(value) == written))
    };
    paths.as_array().map_or(Value::Null, |paths| paths.iter().filter(is_named).cloned().collect())
}

/// The operations or commands of a call that belong to one of its parts.
fn effects_of_part(effects: &Value, index: usize) -> Value {
    let is_of_part = |effect: &&Value| {
        let part = effect.get("part").and_then(Value::as_u64);
        part.is_none_or(|part| usize::try_from(part).is_ok_and(|part| part == index + 1))
    };
    effects.as_array().map_or(Value::Null, |effects| effects.iter().filter(is_of_part).cloned().collect())
}

/// The rewritten call of the event, in the caller's words.
///
/// `changed` are the parts with their new names and arguments, in the words of their vocabularies.
///
/// # Errors
/// If the caller's words cannot express the change.
pub(crate) fn merge_into_call(
    event: &Event,
    changed: &[(usize, &'static ToolVocabulary, String, Value)],
) -> Result<(String, Value), String> {
    let caller = caller_of(&event.payload);
    let name = event.subject().unwrap_or_default();
    let input = event.payload.field("args").unwrap_or(&Value::Null);
    let calls = calls_of(&event.payload);
    let mut parts = calls.to_vec();
    for (index, vocabulary, name, args) in changed {
        let mut canonical = vocabulary.to_canonical(name, args).into_iter();
        let (Some(first), rest, Some(part)) = (canonical.next(), canonical.next(), parts.get_mut(*index)) else {
            continue;
        };
        // The text of a patch comes with its files.
        if rest.is_some() && !(part.name == "patch" && first.name == "patch") {
            return Err(format!("a call of `{name}` of several parts cannot replace one"));
        }
        *part = first;
    }
    if let ([before], [after]) = (calls, parts.as_slice())
        && before.name != after.name
    {
        let native = caller.to_native(&after.name, &after.args);
        return Ok((native.name, native.input));
    }
    let merged = caller.merge_back(name, input, &parts).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), merged))
}

/// An event with some fields replaced, as hooks before this one left them.
pub(crate) fn with_fields(event: Event, fields: &Map<String, Value>) -> Event {
    if fields.is_empty() {
        return event;
    }
    let mut value = event.payload.value().clone();
    if let Value::Object(payload) = &mut value {
        payload.extend(fields.clone());
    }
    event.with_payload(Payload::new(value))
}
