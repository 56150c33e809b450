//! Checks that the host obeyed the outcomes.

use std::collections::{BTreeMap, HashMap, HashSet};

use pintle_contract::{Decision, EventKind, Origin};
use serde_json::Value;

use super::messages::is_sent;
use super::replies::ReplyCheck;
use super::structure::{DispatchOwner, FinishedDispatch};
use super::{FindingSink, UnfinishedWork};
use crate::record::host::{HostRecord, MessageRecord, MessageSource, ModelRequestRecord, ToolCallRecord, TurnPhase};
use crate::record::{ApprovalResult, RecordBody};

/// The kind of the notes that record the replies to a host agent.
const BRIDGE: &str = "bridge";

/// One agent's part of a session: the session and the run of a delegated agent.
pub(super) type AgentRun = (String, String);

/// What the host has to obey.
#[derive(Debug, Default)]
pub(super) struct HostCheck {
    /// The result of the last `tool.pre` of each call, until the call runs.
    permits: HashMap<(AgentRun, String), ToolPermit>,
    /// The result that `tool.post` returned, until it is in the conversation.
    results: HashMap<(AgentRun, String), ReviewedResult>,
    /// The last `completion.pre` of each conversation.
    requests: HashMap<AgentRun, SentRequest>,
    /// Denied prompts, by turn.
    refused_prompts: HashSet<(AgentRun, u32)>,
    /// The turns with messages during the turn.
    steered_turns: HashSet<(AgentRun, u32)>,
    /// The denied ones of these messages.
    refused_steers: HashSet<(AgentRun, String)>,
    running_calls: BTreeMap<(AgentRun, String), (usize, String)>,
    open_requests: BTreeMap<u64, (usize, String)>,
    replies: ReplyCheck,
    ended_sessions: HashSet<String>,
    /// The open sessions, with the line.
    sessions: BTreeMap<String, usize>,
    /// The open turns and their steps, with the line.
    turns: BTreeMap<TurnOf, usize>,
    /// What the hooks of a host agent's call denied, since the last reply to that agent.
    last_denial: Option<(u64, EventKind)>,
}

/// A turn: its run, its number, its agent and its step.
type TurnOf = (AgentRun, u32, String, String);

#[derive(Debug)]
struct ToolPermit {
    dispatch: u64,
    /// What denied the call last.
    denied_by: Option<&'static str>,
    name: Value,
    args: Value,
}

#[derive(Debug)]
struct ReviewedResult {
    dispatch: u64,
    is_refused: bool,
    content: Value,
}

#[derive(Debug)]
struct SentRequest {
    dispatch: u64,
    is_refused: bool,
    is_used: bool,
    payload: Value,
    /// The line that has the payload, if its messages are left out.
    abridged_line: Option<Vec<u8>>,
    /// The context of its own hooks, which is sent as well.
    added_context: Vec<String>,
}

impl HostCheck {
    /// Adds the outcome of an event that the host has to obey.
    pub(super) fn add_outcome(&mut self, finished: FinishedDispatch) {
        if finished.kind == EventKind::CompletionPost {
            self.replies.add_reply((finished.owner.session.clone(), finished.owner.run.clone()), &finished);
        }
        let is_gate = matches!(finished.kind, EventKind::ToolPre | EventKind::PermissionAsk | EventKind::PromptSubmit);
        if is_gate && finished.decision == Decision::Deny {
            self.last_denial.get_or_insert((finished.number, finished.kind));
        }
        let FinishedDispatch {
            number: dispatch,
            kind,
            owner: who,
            decision,
            is_refused: refused,
            payload,
            abridged_line,
            added_context: told,
            ..
        } = finished;
        let DispatchOwner { session, run, turn, depth } = who;
        let line = (session, run);
        let field = |name: &str| payload.get(name).cloned().unwrap_or_default();
        let id = |name: &str| field(name).as_str().unwrap_or_default().to_owned();
        match kind {
            EventKind::ToolPre => {
                let denied = (decision == Decision::Deny).then_some("`tool.pre`");
                let permit = ToolPermit { dispatch, denied_by: denied, name: field("name"), args: field("args") };
                self.permits.insert((line, id("id")), permit);
            }
            EventKind::PermissionAsk if decision == Decision::Deny => {
                if let Some(permit) = self.permits.get_mut(&(line, id("id"))) {
                    permit.denied_by = Some("`permission.ask`");
                }
            }
            EventKind::ToolPost => {
                self.results.insert(
                    (line, id("call_id")),
                    ReviewedResult { dispatch, is_refused: refused, content: field("content") },
                );
            }
            EventKind::CompletionPre => {
                let sent = SentRequest {
                    dispatch,
                    is_refused: decision == Decision::Deny,
                    is_used: false,
                    payload,
                    abridged_line,
                    added_context: told,
                };
                self.requests.insert(line, sent);
            }
            EventKind::PromptSubmit if refused && self.steered_turns.contains(&(line.clone(), turn)) => {
                self.refused_steers.insert((line, id("prompt")));
            }
            EventKind::PromptSubmit if refused => {
                self.refused_prompts.insert((line, turn));
            }
            EventKind::SessionEnd if depth == 0 => {
                self.sessions.remove(&line.0);
                self.ended_sessions.insert(line.0);
            }
            _ => {}
        }
    }

    /// Checks the next record.
    pub(super) fn check_record(&mut self, body: &RecordBody<'_>, findings: &mut FindingSink<'_>) {
        match body {
            RecordBody::Approval(resolved) => {
                let (Some(origin), Some(id)) = (&resolved.origin, &resolved.id) else { return };
                let denied = matches!(resolved.answer, ApprovalResult::Refused | ApprovalResult::Unavailable);
                if let Some(permit) = self.permits.get_mut(&(agent_run_of(origin), id.to_string())) {
                    permit.denied_by = denied.then_some("the approver").or(permit.denied_by);
                }
            }
            RecordBody::Repaired(_) => self.clear_open_work(),
            RecordBody::Host(HostRecord::Resumed(session)) => {
                self.ended_sessions.remove(&session.origin.session);
                self.clear_open_work();
                self.sessions.insert(session.origin.session.clone(), findings.line);
            }
            RecordBody::Note(note) if note.kind == BRIDGE => self.check_bridge_note(&note.data, findings),
            RecordBody::Closed(_) => {
                for open in std::mem::take(self).into_unfinished() {
                    findings.add(open.description, "its end before the end of the tape");
                }
            }
            RecordBody::Host(host) => {
                self.check_host_record(host, findings);
                self.replies.check_record(host, findings);
            }
            _ => {}
        }
    }

    /// What was open when the tape ended.
    pub(super) fn into_unfinished(self) -> impl Iterator<Item = UnfinishedWork> {
        let sessions =
            self.sessions.into_iter().map(|(session, line)| (line, format!("session `{session}` has no end")));
        let turns = self.turns.into_iter().map(|((_, turn, agent, step), line)| {
            let step = if step.is_empty() { String::new() } else { format!(", step `{step}`") };
            (line, format!("turn {turn} of agent `{agent}`{step} has no end"))
        });
        let calls = self.running_calls.into_values().chain(self.open_requests.into_values());
        sessions.chain(turns).chain(calls).map(|(line, what)| UnfinishedWork { line, description: what })
    }

    /// Checks a reply to a host agent: an allow after a denial is wrong.
    fn check_bridge_note(&mut self, note: &Value, findings: &mut FindingSink<'_>) {
        let denied = self.last_denial.take();
        let allows = note.get("decision").and_then(Value::as_str) == Some("allow");
        if let Some((dispatch, event)) = denied.filter(|_| allows) {
            findings
                .add("the host agent was sent `allow`", format!("`deny`: `{event}` (dispatch {dispatch}) denied it"));
        }
    }

    /// Forgets what was open, because it will not end.
    fn clear_open_work(&mut self) {
        self.running_calls.clear();
        self.open_requests.clear();
        self.turns.clear();
        self.sessions.clear();
        self.last_denial = None;
        self.replies.clear_open_work();
    }

    fn check_host_record(&mut self, host: &HostRecord<'_>, findings: &mut FindingSink<'_>) {
        let begins = match host {
            HostRecord::Turn(turn) => turn.phase == TurnPhase::Start,
            HostRecord::UserMessage(_) | HostRecord::ModelRequest(_) | HostRecord::ToolCall(_) => true,
            _ => false,
        };
        if begins {
            let session = &host.origin().session;
            if self.ended_sessions.contains(session) {
                findings.add(format!("session `{session}` had ended"), "a `resumed` before");
            }
        }
        match host {
            HostRecord::ToolCall(call) => self.check_tool_call(call, findings),
            HostRecord::ToolResult(result) => {
                if self.running_calls.remove(&(agent_run_of(&result.origin), result.id.to_string())).is_none() {
                    findings.add(
                        format!("a result of call `{}`, which was not running", result.id),
                        "one `tool_call` before",
                    );
                }
            }
            HostRecord::ModelRequest(request) => self.check_model_request(request, findings),
            HostRecord::ModelReply(reply) => {
                if self.open_requests.remove(&reply.request).is_none() {
                    findings.add(
                        format!("a reply to request {}, which was not open", reply.request),
                        "one `model_request` before",
                    );
                }
            }
            HostRecord::Message(message) => self.check_message(message, findings),
            // What follows a turn is not part of it, such as a compaction that the user requests.
            HostRecord::Session(session) => {
                self.sessions.insert(session.origin.session.clone(), findings.line);
            }
            HostRecord::Turn(turn) if turn.phase == TurnPhase::Start => {
                self.turns.insert(turn_of(&turn.origin), findings.line);
            }
            HostRecord::Turn(turn) => {
                let ended = turn_of(&turn.origin);
                if self.turns.remove(&ended).is_none() {
                    // A hand-off passes the turn to another agent, which ends it.
                    let (line, number, _, step) = &ended;
                    self.turns.retain(|(of, turn, _, at), _| (of, turn, at) != (line, number, step));
                }
                self.refused_prompts.remove(&(agent_run_of(&turn.origin), turn.origin.turn));
            }
            HostRecord::UserMessage(said) => {
                let line = agent_run_of(&said.origin);
                // The same message may be allowed another time.
                self.refused_steers.remove(&(line.clone(), said.text.clone().into_owned()));
                if matches!(said.source, MessageSource::Steer | MessageSource::FollowUp) {
                    self.steered_turns.insert((line, said.origin.turn));
                }
            }
            HostRecord::Resumed(_) | HostRecord::Messages(_) | HostRecord::Reminder(_) => {}
        }
    }

    /// A tool may run only if its last `tool.pre` and the approver allowed it, and with the arguments of that outcome.
    fn check_tool_call(&mut self, call: &ToolCallRecord<'_>, findings: &mut FindingSink<'_>) {
        let key = (agent_run_of(&call.origin), call.id.to_string());
        match self.permits.remove(&key) {
            None => findings.add(
                format!("tool `{}` runs (call `{}`)", call.name, call.id),
                "an outcome of `tool.pre` for this call before it",
            ),
            Some(ToolPermit { dispatch, denied_by: Some(by), .. }) => findings.add(
                format!("tool `{}` runs (call `{}`)", call.name, call.id),
                format!("no run: {by} denied it (dispatch {dispatch})"),
            ),
            Some(ToolPermit { dispatch, name, args, .. }) => {
                let same = args == *call.args && name == *call.name;
                if !same {
                    findings.add(
                        format!("tool `{}` runs with {}", call.name, call.args),
                        format!("{name} with {args}, as in the outcome of dispatch {dispatch}"),
                    );
                }
            }
        }
        let what = format!("tool `{}` (call `{}`) returned no result", call.name, call.id);
        self.running_calls.insert(key, (findings.line, what));
    }

    /// The request must be the outcome of the last `completion.pre` of its conversation.
    fn check_model_request(&mut self, request: &ModelRequestRecord<'_>, findings: &mut FindingSink<'_>) {
        let line = agent_run_of(&request.origin);
        let turn = request.origin.turn;
        if turn > 0 && self.refused_prompts.contains(&(line.clone(), turn)) {
            findings.add(format!("the model is called in turn {turn}"), "no call: `prompt.submit` denied the prompt");
        }
        match (self.requests.get_mut(&line), request.same_as) {
            (Some(sent), Some(same)) if sent.dispatch == same => {
                sent.is_used = true;
                if sent.is_refused {
                    findings.add(
                        format!("the payload of dispatch {same} is sent"),
                        "no request: `completion.pre` denied it",
                    );
                }
            }
            (sent, Some(same)) => {
                let last = sent.map_or_else(|| String::from("none"), |sent| sent.dispatch.to_string());
                findings.add(
                    format!("the payload of dispatch {same} is sent"),
                    format!("the last `completion.pre`: {last}"),
                );
            }
            (Some(sent), None) if !sent.is_used && !sent.is_refused => {
                sent.is_used = true;
                let complete = sent.abridged_line.as_deref().and_then(|line| findings.complete_payload(line));
                let left = complete.as_ref().unwrap_or(&sent.payload);
                let same = request.payload.as_deref().is_some_and(|sends| is_sent(sends, left, &sent.added_context));
                let and_told = if sent.added_context.is_empty() { "" } else { ", with the context of its hooks" };
                if !same {
                    findings.add(
                        "other messages are sent",
                        format!("those in the outcome of dispatch {}{and_told}", sent.dispatch),
                    );
                }
            }
            (_, None) => {}
        }
        let what = format!("request {} to model `{}` was not answered", request.request, request.model);
        self.open_requests.insert(request.request, (findings.line, what));
    }

    /// A message must be the result that `tool.post` returned, or a prompt that `prompt.submit` allowed.
    fn check_message(&mut self, message: &MessageRecord<'_>, findings: &mut FindingSink<'_>) {
        let field = |name: &str| message.message.get(name).and_then(Value::as_str);
        if let (Some("user"), Some(words)) = (field("role"), field("content"))
            && self.refused_steers.contains(&(agent_run_of(&message.origin), words.to_owned()))
        {
            findings.add(format!("{words:?} is sent to the model"), "no message: `prompt.submit` denied it");
        }
        let (Some("tool"), Some(id)) = (field("role"), field("tool_call_id")) else { return };
        let Some(reviewed) = self.results.remove(&(agent_run_of(&message.origin), id.to_owned())) else { return };
        let content = field("content").unwrap_or_default();
        let left = reviewed.content.as_str().unwrap_or_default();
        let dispatch = reviewed.dispatch;
        if reviewed.is_refused {
            if !left.is_empty() && content == left {
                findings.add(
                    format!("the model is sent {content:?}"),
                    format!("only the reason: dispatch {dispatch} denied the result"),
                );
            }
        } else {
            if content != left {
                findings.add(
                    format!("the model is sent {content:?}"),
                    format!("{left:?}, as in the outcome of dispatch {dispatch}"),
                );
            }
        }
    }
}

fn turn_of(origin: &Origin) -> TurnOf {
    (agent_run_of(origin), origin.turn, origin.agent.clone(), origin.step.clone())
}

pub(super) fn agent_run_of(origin: &Origin) -> AgentRun {
    (origin.session.clone(), origin.run.clone())
}
