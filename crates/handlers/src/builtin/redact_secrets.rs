//! `redact_secrets`: redacts secrets in what the model, the tools and the conversation get.
//!
//! The event is recorded on the tape before a hook sees it. So the handler provides its redactor to the runtime, which
//! redacts the tape by the same rules. Other hooks, including commands, still get the original payload, because they
//! must be able to judge it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::event::RewriteTarget;
use pintle_contract::{Effect, EventKind, ListPrefix, Redactor, Rewrite, Verdict};
use serde_json::{Map, Value};

use super::{BuiltinCall, BuiltinHook, BuiltinResult};
use crate::secrets::SecretScanner;

/// Rewrites the event's rewrite target with secrets redacted.
#[derive(Debug)]
struct RedactSecrets {
    scanner: Arc<SecretScanner>,
    clean_lists: Mutex<CleanLists>,
}

/// The number of lists that are remembered; the oldest are forgotten.
const MOST_LISTS: usize = 1_024;

/// How many messages at the beginning of a list contain no secret, for lists that grow.
#[derive(Debug, Default)]
struct CleanLists(BTreeMap<u64, usize>);

impl CleanLists {
    /// The number of messages of a list that need not be searched again.
    fn clean_count(&self, prefix: ListPrefix) -> usize {
        self.0.get(&prefix.list).copied().unwrap_or(0).min(prefix.count)
    }

    /// Adds what was searched. Behind its beginning a list may have messages of one request only.
    fn add(&mut self, prefix: ListPrefix) {
        self.0.insert(prefix.list, prefix.count);
        if self.0.len() > MOST_LISTS {
            self.0.pop_first();
        }
    }
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    if !arguments.is_empty() {
        doubts.push(String::from("it takes no arguments"));
    }
    Ok(Box::new(RedactSecrets { scanner: SecretScanner::process_wide(), clean_lists: Mutex::default() }))
}

impl RedactSecrets {
    /// The conversation with secrets redacted. Messages that were searched before are not searched again.
    fn redact_conversation(&self, call: &BuiltinCall<'_>) -> Option<Value> {
        let messages = call.field("messages")?.as_array()?;
        let prefix = ListPrefix::find_in(&call.call.event.payload);
        let clean_lists = || self.clean_lists.lock().unwrap_or_else(PoisonError::into_inner);
        let clean_count = prefix.map_or(0, |prefix| clean_lists().clean_count(prefix));
        let redacted = replace_items(messages, clean_count, |message| redact_message(&self.scanner, message));
        if let Some(prefix) = prefix.filter(|_| redacted.is_none()) {
            clean_lists().add(prefix);
        }
        redacted
    }
}

impl BuiltinHook for RedactSecrets {
    fn redactor(&self) -> Option<Arc<dyn Redactor>> {
        Some(self.scanner.clone())
    }

    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let secrets = &*self.scanner;
        let rewritten = match call.event_kind() {
            EventKind::CompletionPre => single_field("messages", self.redact_conversation(call)),
            EventKind::ToolResult => single_field("content", redact_result(secrets, call)),
            EventKind::ToolPre | EventKind::ToolTransform => {
                let args = single_field("args", call.field("args").and_then(|args| secrets.redact_value(args)));
                let notice = || {
                    format!("redact_secrets: redacted secret material from arguments of tool \"{}\"", call.text("name"))
                };
                return match args {
                    Some(fields) => Verdict::rewrite(fields).with_effect(Effect::Notice(notice())),
                    None => Verdict::pass(),
                };
            }
            event => match call.call.event.name.def().target {
                RewriteTarget::Fields(names) => {
                    let clean = |name: &&str| Some(((*name).to_owned(), secrets.redact_value(call.field(name)?)?));
                    let fields: Map<String, Value> = names.iter().filter_map(clean).collect();
                    (!fields.is_empty()).then_some(fields)
                }
                RewriteTarget::Whole => {
                    return match secrets.redact_value(call.call.event.payload.value()) {
                        Some(whole) => Verdict::pass().with_rewrite(Rewrite::Whole(whole)),
                        None => Verdict::pass(),
                    };
                }
                RewriteTarget::Nothing => {
                    return Verdict::pass().with_warning(format!(
                        "redact_secrets has no effect on `{event}`: hooks cannot change its payload"
                    ));
                }
            },
        };
        rewritten.map_or_else(Verdict::pass, Verdict::rewrite)
    }
}

/// The single field of a rewrite.
fn single_field(name: &str, value: Option<Value>) -> Option<Map<String, Value>> {
    value.map(|value| Map::from_iter([(name.to_owned(), value)]))
}

/// The result of a tool with secrets redacted. A JSON result is also scanned as JSON: the name of a field may show that
/// its value is a secret.
fn redact_result(secrets: &SecretScanner, call: &BuiltinCall<'_>) -> Option<Value> {
    let text = call.text("content");
    let clean = secrets.redact(text);
    let result = call.field("result").filter(|result| !result.is_string());
    if result.and_then(|result| secrets.redact_value(result)).is_some() {
        let decoded: Option<Value> = serde_json::from_str(clean.as_deref().unwrap_or(text)).ok();
        if let Some(value) = decoded.and_then(|value| secrets.redact_value(&value)) {
            return Some(Value::String(value.to_string()));
        }
    }
    clean.map(Value::String)
}

/// The fields of a message, and of its parts, that contain text. The others are IDs, images and signatures, which must
/// not change.
const TEXTS: [&str; 7] = ["content", "reasoning_content", "reasoning", "text", "thinking", "input", "output"];

fn redact_message(secrets: &SecretScanner, message: &Value) -> Option<Value> {
    let fields = message.as_object()?;
    let mut clean: Option<Map<String, Value>> = None;
    for (name, value) in fields {
        let new = match (name.as_str(), value) {
            (name, Value::String(text)) if TEXTS.contains(&name) => secrets.redact(text).map(Value::String),
            ("content", Value::Array(parts)) => replace_items(parts, 0, |part| match part {
                Value::String(text) => secrets.redact(text).map(Value::String),
                part => redact_message(secrets, part),
            }),
            ("input" | "output", value) => secrets.redact_value(value),
            ("tool_calls", Value::Array(calls)) => replace_items(calls, 0, |call| redact_call_arguments(secrets, call)),
            ("function_call", call) => redact_call_arguments(secrets, call),
            _ => None,
        };
        if let Some(new) = new {
            clean.get_or_insert_with(|| fields.clone()).insert(name.clone(), new);
        }
    }
    clean.map(Value::Object)
}

/// A tool call with secrets in its arguments redacted: `{function: {arguments}}` or `{arguments}`.
fn redact_call_arguments(secrets: &SecretScanner, call: &Value) -> Option<Value> {
    let (name, new) = match (call.get("function"), call.get("arguments")) {
        (Some(function), _) => ("function", redact_call_arguments(secrets, function)?),
        (None, Some(arguments)) => ("arguments", secrets.redact_value(arguments)?),
        (None, None) => return None,
    };
    let mut call = call.as_object()?.clone();
    call.insert(name.to_owned(), new);
    Some(Value::Object(call))
}

/// The list with changed items from an index on replaced; `None` if none changes.
fn replace_items(items: &[Value], start: usize, change: impl Fn(&Value) -> Option<Value>) -> Option<Value> {
    let mut clean: Option<Vec<Value>> = None;
    for (index, item) in items.iter().enumerate().skip(start) {
        if let Some(new) = change(item)
            && let Some(place) = clean.get_or_insert_with(|| items.to_vec()).get_mut(index)
        {
            *place = new;
        }
    }
    clean.map(Value::Array)
}

#[cfg(test)]
mod tests {
    use pintle_contract::VerdictKind;
    use serde_json::json;

    use super::*;
    use crate::builtin::tests::BuiltinFixture;

    /// A token, built from parts so that secret scanners do not report this file.
    fn test_token() -> String {
        format!("{}{}", ["gh", "p_"].concat(), "0aZ1bY2cX3dW4eV5fU6gT7hS8iR9jQ0kP1lO")
    }

    fn call_builtin(event: &str, payload: Value) -> Verdict {
        BuiltinFixture::new(event, payload).call_builtin(&*make(&[], &mut Vec::new()).unwrap())
    }

    /// The replacement in a verdict; `null` if it passes.
    fn rewrite_of(event: &str, payload: Value) -> Value {
        match call_builtin(event, payload).kind {
            VerdictKind::Pass => Value::Null,
            VerdictKind::Rewrite(Rewrite::Fields(fields)) => Value::Object(fields),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn redacted_conversation_differs_only_in_its_secrets() {
        let token = test_token();
        let conversation = |token: &str| {
            json!({"messages": [
                {"role": "system", "content": "Be careful.", "cache_control": {"type": "ephemeral"}},
                {"role": "user", "content": format!("use {token}")},
                {"role": "user", "content": [
                    {"type": "text", "text": format!("and {token}")},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                ]},
                {"role": "assistant", "reasoning_content": format!("{token}?"), "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "x", "arguments": format!("{{\"a\":\"{token}\",\"b\":1}}")}},
                ]},
                {"role": "assistant", "function_call": {"name": "x", "arguments": format!("{{\"a\":\"{token}\"}}")}},
                {"role": "tool", "tool_call_id": "1", "content": format!("{token}\n")},
            ]})
        };
        assert_eq!(rewrite_of("completion.pre", conversation(&token)), conversation("[REDACTED]"));
        assert_eq!(rewrite_of("completion.pre", conversation("a word")), Value::Null);
        let kept = json!({"messages": [{"role": "assistant", "thinking_signature": token, "content": null}, 3]});
        assert_eq!(rewrite_of("completion.pre", kept), Value::Null, "what a provider signed stays as it is");
    }

    #[test]
    fn messages_that_were_searched_are_not_searched_again() {
        let builtin = make(&[], &mut Vec::new()).unwrap();
        let message = |text: &str| json!({"role": "user", "content": text});
        let rewrite_of = |list: u64, count: usize, messages: Vec<Value>| {
            let fixture = BuiltinFixture::new("completion.pre", json!({"messages": messages}));
            ListPrefix { list, count }.attach_to(fixture.payload());
            !matches!(fixture.call_builtin(&*builtin).kind, VerdictKind::Pass)
        };
        let token = test_token();
        let (clean, secret) = (message("a"), message(&token));
        assert!(!rewrite_of(1, 0, vec![clean.clone()]));
        assert!(!rewrite_of(1, 1, vec![clean.clone(), clean.clone()]));
        // The first message was in two requests of this list, the second one perhaps in a single one.
        assert!(!rewrite_of(1, 2, vec![secret.clone(), clean.clone()]));
        assert!(rewrite_of(1, 2, vec![clean.clone(), clean.clone(), secret.clone()]));
        assert!(rewrite_of(1, 0, vec![secret.clone()]), "the list begins again");
        assert!(rewrite_of(2, 1, vec![secret.clone()]), "another list");
        assert!(rewrite_of(1, 1, vec![clean, secret]), "a message behind the beginning");
    }

    #[test]
    fn a_result_is_cleaned_as_text_and_as_json() {
        let token = test_token();
        let cases = [
            (
                json!({"content": format!("see {token}"), "result": format!("see {token}")}),
                json!({"content": "see [REDACTED]"}),
            ),
            (
                json!({"content": format!("{{\"out\": \"{token}\"}}"), "result": {"out": token}}),
                json!({"content": "{\"out\":\"[REDACTED]\"}"}),
            ),
            (
                json!({"content": "[{\"password\":\"pa55-word\"}]", "result": [{"password": "pa55-word"}]}),
                json!({"content": "[{\"password\":\"[REDACTED]\"}]"}),
            ),
            (
                json!({"content": format!("tool error: {token}"), "is_error": true}),
                json!({"content": "tool error: [REDACTED]"}),
            ),
            (json!({"content": "nothing", "result": {"a": [1, null]}}), Value::Null),
            (json!({"content": "", "result": ""}), Value::Null),
        ];
        for (payload, expected) in cases {
            let found = rewrite_of("tool.result", payload.clone());
            let text = |value: &Value| value["content"].as_str().unwrap_or_default().replace(' ', "");
            assert_eq!(text(&found), text(&expected), "{payload}");
            assert_eq!(found.is_null(), expected.is_null(), "{payload}");
        }
    }

    #[test]
    fn arguments_are_cleaned_at_any_depth_and_the_others_stay() {
        let args = |token: &str| json!({"cmd": format!("curl -H {token}"), "n": 3, "deep": [{"a": token, "b": null}]});
        for event in ["tool.pre", "tool.transform"] {
            let verdict = call_builtin(event, json!({"name": "shell", "args": args(&test_token())}));
            let notice = "redact_secrets: redacted secret material from arguments of tool \"shell\"";
            let fields = Map::from_iter([(String::from("args"), args("[REDACTED]"))]);
            assert_eq!(verdict, Verdict::rewrite(fields).with_effect(Effect::Notice(String::from(notice))));
            assert_eq!(call_builtin(event, json!({"name": "shell", "args": args("word")})), Verdict::pass());
        }
    }

    #[test]
    fn other_events_redact_their_text_and_warn_when_they_have_none() {
        let token = test_token();
        assert_eq!(
            rewrite_of("prompt.steer", json!({"messages": [format!("use {token}")]})),
            json!({"messages": ["use [REDACTED]"]})
        );
        let verdict = call_builtin("iteration.start", json!({"iteration": 1}));
        let warning = "redact_secrets has no effect on `iteration.start`: hooks cannot change its payload";
        assert_eq!(verdict, Verdict::pass().with_warning(warning));
    }

    #[test]
    fn the_runtime_is_told_to_keep_its_tape_clean() {
        let builtin = make(&[], &mut Vec::new()).unwrap();
        let clean = builtin.redactor().and_then(|secrets| secrets.redact(&test_token()));
        assert_eq!(clean.as_deref(), Some("[REDACTED]"));
    }
}
