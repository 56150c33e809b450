//! `elide_repeated_tool_results`: does not send the model a result that it already has.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

use pintle_contract::{EventKind, Origin, Verdict};
use serde_json::{Map, Value};

use super::limit_large_tool_results::MOST_BYTES;
use super::{BuiltinCall, BuiltinHook, BuiltinResult, doubt_arguments};

/// The categories of read-only tools. A tool's own claim to be read-only does not prove it, so both are required.
const CATEGORIES: [&str; 5] = ["filesystem", "lsp", "rag", "memory", "git"];
/// The most calls of one conversation that are remembered.
const MOST_CALLS: usize = 4_096;
/// The most conversations that are remembered; the oldest is forgotten first.
const MOST_CONVERSATIONS: usize = 256;

/// Replaces a result with one line if it is the same as the last one of the same call. The tool still runs every time.
#[derive(Debug)]
struct ElideRepeatedToolResults;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    doubt_arguments(arguments, doubts);
    Ok(Box::new(ElideRepeatedToolResults))
}

impl BuiltinHook for ElideRepeatedToolResults {
    fn needs_order(&self) -> bool {
        true
    }

    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let origin = &call.call.event.origin;
        match call.event_kind() {
            EventKind::ToolResult => elide_repeated(call),
            // A summarised or cleared result is no longer in the model's context.
            EventKind::SessionStart | EventKind::SessionEnd | EventKind::CompactPost => {
                call.state().seen_results.forget(&conversation_key(origin));
                Verdict::pass()
            }
            _ => Verdict::pass(),
        }
    }
}

fn elide_repeated(builtin_call: &BuiltinCall<'_>) -> Verdict {
    let (content, name) = (builtin_call.text("content"), builtin_call.text("name"));
    let truth = |field: &str| builtin_call.field(field).and_then(Value::as_bool).unwrap_or(false);
    let origin = &builtin_call.call.event.origin;
    let looks_only = truth("read_only") && CATEGORIES.contains(&builtin_call.text("category"));
    if !looks_only || truth("is_error") || truth("partial") || origin.session.is_empty() {
        return Verdict::pass();
    }
    // Larger results are written to a file, and the note about that is short.
    if content.len() >= MOST_BYTES {
        return Verdict::pass();
    }
    let marker = format!(
        "[pintle] `{name}` ran again with the same arguments and gave the same {} bytes as before in this session; they \
         are not repeated here. Nothing has changed since.",
        content.len()
    );
    if content.len() <= marker.len() {
        return Verdict::pass();
    }
    let mut arguments = builtin_call.field("args").cloned().unwrap_or_default();
    arguments.sort_all_objects();
    let call = (name.to_owned(), arguments.to_string());
    if !builtin_call.state().seen_results.repeats(conversation_key(origin), call, content) {
        return Verdict::pass();
    }
    Verdict::rewrite(Map::from_iter([(String::from("content"), Value::String(marker))]))
}

/// The key of a conversation: a session, an agent, and the run of a delegated task.
type ConversationKey = (String, String, String);

fn conversation_key(origin: &Origin) -> ConversationKey {
    (origin.session.clone(), origin.agent.clone(), origin.run.clone())
}

/// The last result of each call, by conversation, the oldest conversation first. Hooks of several events share it.
#[derive(Debug, Default)]
pub(super) struct SeenResults {
    calls_by_conversation: Mutex<VecDeque<(ConversationKey, SeenCalls)>>,
    /// Two secret keys prevent anyone from constructing a different result with the same hashes.
    hash_keys: [RandomState; 2],
}

/// The last result of each call: its length and its hash with each key.
type SeenCalls = HashMap<(String, String), (usize, [u64; 2])>;

impl SeenResults {
    /// Remembers a result; returns whether it is the same as the previous one.
    fn repeats(&self, conversation: ConversationKey, call: (String, String), content: &str) -> bool {
        let print = (content.len(), self.hash_keys.each_ref().map(|key| key.hash_one(content)));
        let mut all = self.calls_by_conversation.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.iter().any(|(known, _)| *known == conversation) {
            if all.len() >= MOST_CONVERSATIONS {
                all.pop_front();
            }
            all.push_back((conversation.clone(), SeenCalls::new()));
        }
        let Some((_, calls)) = all.iter_mut().rev().find(|(known, _)| *known == conversation) else { return false };
        match calls.get_mut(&call) {
            Some(last) if *last == print => true,
            Some(last) => {
                *last = print;
                false
            }
            None => {
                if calls.len() < MOST_CALLS {
                    calls.insert(call, print);
                }
                false
            }
        }
    }

    fn forget(&self, key: &ConversationKey) {
        self.calls_by_conversation.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != key);
    }
}
