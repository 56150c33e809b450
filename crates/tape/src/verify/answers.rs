//! Whether a conversation holds what the model said, and a result for each call that it made.

use std::collections::{HashMap, HashSet};

use pintle_contract::Decision;
use serde_json::Value;

use super::Notes;
use super::host::{Line, line_of};
use super::sent::is_reply;
use super::structure::Ended;
use crate::record::host::{HostRecord, Message};

/// What models said and what came of it.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The last `completion.post` of each line that no message holds yet.
    replies: HashMap<Line, Reply>,
    /// The calls that the last answer in a conversation made and that have no result yet.
    open: HashMap<(Line, String), HashSet<String>>,
}

#[derive(Debug)]
struct Reply {
    dispatch: u64,
    denied: bool,
    payload: Value,
}

impl Answers {
    /// The hooks of `completion.post` are done with a reply.
    pub(super) fn replied(&mut self, line: Line, ended: &Ended) {
        let denied = ended.decision == Decision::Deny;
        self.replies.insert(line, Reply { dispatch: ended.number, denied, payload: ended.payload.clone() });
    }

    /// What was going on then never ends.
    pub(super) fn interrupted(&mut self) {
        self.replies.clear();
        self.open.clear();
    }

    /// Sees what the host does.
    pub(super) fn see(&mut self, host: &HostRecord<'_>, notes: &mut Notes<'_>) {
        match host {
            HostRecord::Message(message) => self.says(message, notes),
            HostRecord::Messages(messages) => {
                self.open.remove(&(line_of(&messages.origin), messages.conversation.to_string()));
            }
            HostRecord::ModelRequest(request) => {
                let line = line_of(&request.origin);
                // A reply that no conversation holds, such as a summary.
                self.replies.remove(&line);
                let open = self.open.remove(&(line, request.conversation.to_string())).unwrap_or_default();
                let mut open: Vec<String> = open.into_iter().map(|id| format!("`{id}`")).collect();
                open.sort();
                notes.unless(
                    open.is_empty(),
                    || format!("the model is asked and told no result of call {}", open.join(", ")),
                    || String::from("a `message` with it before"),
                );
            }
            HostRecord::Turn(turn) => {
                self.replies.remove(&line_of(&turn.origin));
            }
            _ => {}
        }
    }

    fn says(&mut self, message: &Message<'_>, notes: &mut Notes<'_>) {
        let field = |name: &str| message.message.get(name).and_then(Value::as_str);
        let line = line_of(&message.origin);
        match field("role") {
            Some("assistant") => {
                if let Some(Reply { dispatch, denied, payload }) = self.replies.remove(&line) {
                    let found = || format!("the model is said to have answered {}", message.message);
                    if denied {
                        notes.unless(false, found, || format!("nothing: dispatch {dispatch} refused the answer"));
                    } else {
                        let same = is_reply(&message.message, &payload);
                        notes.unless(same, found, || format!("what dispatch {dispatch} left of the answer"));
                    }
                }
                let calls = message.message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
                let ids = calls.filter_map(|call| call.get("id")?.as_str().map(str::to_owned)).collect();
                self.open.insert((line, message.conversation.to_string()), ids);
            }
            Some("tool") => {
                let open = self.open.get_mut(&(line, message.conversation.to_string()));
                if let (Some(open), Some(id)) = (open, field("tool_call_id")) {
                    open.remove(id);
                }
            }
            _ => {}
        }
    }
}
