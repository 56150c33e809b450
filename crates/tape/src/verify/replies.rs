//! Checks that a conversation contains the model's replies, and a result for each of its calls.

use std::collections::{HashMap, HashSet};

use pintle_contract::Decision;
use serde_json::Value;

use super::FindingSink;
use super::host::{AgentRun, agent_run_of};
use super::messages::is_reply;
use super::structure::FinishedDispatch;
use crate::record::host::{HostRecord, MessageRecord};

/// The replies of models and their calls.
#[derive(Debug, Default)]
pub(super) struct ReplyCheck {
    /// The last `completion.post` of each run that is not in the conversation yet.
    replies: HashMap<AgentRun, PendingReply>,
    /// The calls of the last reply in a conversation that have no result yet.
    open_calls: HashMap<(AgentRun, String), HashSet<String>>,
}

#[derive(Debug)]
struct PendingReply {
    dispatch: u64,
    is_denied: bool,
    payload: Value,
}

impl ReplyCheck {
    /// Adds the outcome of `completion.post` for a reply.
    pub(super) fn add_reply(&mut self, run: AgentRun, finished: &FinishedDispatch) {
        let denied = finished.decision == Decision::Deny;
        self.replies.insert(
            run,
            PendingReply { dispatch: finished.number, is_denied: denied, payload: finished.payload.clone() },
        );
    }

    /// Forgets what was open, because it will not end.
    pub(super) fn clear_open_work(&mut self) {
        self.replies.clear();
        self.open_calls.clear();
    }

    /// Checks the next record.
    pub(super) fn check_record(&mut self, host: &HostRecord<'_>, findings: &mut FindingSink<'_>) {
        match host {
            HostRecord::Message(message) => self.check_message(message, findings),
            HostRecord::Messages(messages) => {
                self.open_calls.remove(&(agent_run_of(&messages.origin), messages.conversation.to_string()));
            }
            HostRecord::ModelRequest(request) => {
                let line = agent_run_of(&request.origin);
                // A reply that is not added to a conversation, such as a summary.
                self.replies.remove(&line);
                let open = self.open_calls.remove(&(line, request.conversation.to_string())).unwrap_or_default();
                let mut open: Vec<String> = open.into_iter().map(|id| format!("`{id}`")).collect();
                open.sort();
                if !open.is_empty() {
                    findings.add(
                        format!("the model is called without a result of call {}", open.join(", ")),
                        "a `message` with it before",
                    );
                }
            }
            HostRecord::Turn(turn) => {
                self.replies.remove(&agent_run_of(&turn.origin));
            }
            _ => {}
        }
    }

    fn check_message(&mut self, message: &MessageRecord<'_>, findings: &mut FindingSink<'_>) {
        let field = |name: &str| message.message.get(name).and_then(Value::as_str);
        let line = agent_run_of(&message.origin);
        match field("role") {
            Some("assistant") => {
                if let Some(PendingReply { dispatch, is_denied: denied, payload }) = self.replies.remove(&line) {
                    let found = || format!("the conversation contains the answer {}", message.message);
                    if denied {
                        findings.add(found(), format!("no answer: dispatch {dispatch} denied it"));
                    } else if !is_reply(&message.message, &payload) {
                        findings.add(found(), format!("the answer in the outcome of dispatch {dispatch}"));
                    }
                }
                let calls = message.message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
                let ids = calls.filter_map(|call| call.get("id")?.as_str().map(str::to_owned)).collect();
                self.open_calls.insert((line, message.conversation.to_string()), ids);
            }
            Some("tool") => {
                let open = self.open_calls.get_mut(&(line, message.conversation.to_string()));
                if let (Some(open), Some(id)) = (open, field("tool_call_id")) {
                    open.remove(id);
                }
            }
            _ => {}
        }
    }
}
