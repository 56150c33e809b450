//! Whether the host did what was decided.

use std::collections::{BTreeMap, HashMap, HashSet};

use pintle_contract::{Decision, Origin};
use serde_json::Value;

use super::answers::Answers;
use super::sent::is_sent;
use super::structure::{Ended, Who};
use super::{Notes, Unfinished};
use crate::record::host::{HostRecord, Message, ModelRequest, Source, Stage, ToolCall};
use crate::record::{AnswerWord, Body};

/// The kind of the notes that tell what another agent was answered.
const BRIDGE: &str = "bridge";

/// One agent's part of a session: the session and the run of a delegated agent.
pub(super) type Line = (String, String);

/// What the host has to keep to.
#[derive(Debug, Default)]
pub(super) struct Host {
    /// What became of the last `tool.pre` of a call, until it runs.
    permits: HashMap<(Line, String), Permit>,
    /// What `tool.post` left of a result, until it is said.
    results: HashMap<(Line, String), Reviewed>,
    /// The last `completion.pre` of each conversation.
    requests: HashMap<Line, Sent>,
    /// Prompts that were refused, by turn.
    refused: HashSet<(Line, u32)>,
    /// The turns in which more was said while the agent was at work.
    interjected: HashSet<(Line, u32)>,
    /// What was refused of that.
    dropped: HashSet<(Line, String)>,
    running: BTreeMap<(Line, String), (usize, String)>,
    asked: BTreeMap<u64, (usize, String)>,
    answers: Answers,
    ended: HashSet<String>,
    /// The sessions that were opened, with the line.
    sessions: BTreeMap<String, usize>,
    /// The turns that began, and the steps in them, with the line.
    turns: BTreeMap<TurnOf, usize>,
    /// What the hooks of a call of another agent denied, since that agent was answered last.
    denied: Option<(u64, String)>,
}

/// One turn: whose, its number, its agent and its step.
type TurnOf = (Line, u32, String, String);

#[derive(Debug)]
struct Permit {
    dispatch: u64,
    /// Who said no last.
    denied: Option<&'static str>,
    name: Value,
    args: Value,
}

#[derive(Debug)]
struct Reviewed {
    dispatch: u64,
    refused: bool,
    content: Value,
}

#[derive(Debug)]
struct Sent {
    dispatch: u64,
    refused: bool,
    used: bool,
    payload: Value,
    /// What its own hooks told the model: it is sent besides.
    told: Vec<String>,
}

impl Host {
    /// A dispatch is over that the host has to obey.
    pub(super) fn decided(&mut self, ended: Ended) {
        if ended.event == "completion.post" {
            self.answers.replied((ended.who.session.clone(), ended.who.run.clone()), &ended);
        }
        let is_gate = matches!(ended.event.as_str(), "tool.pre" | "permission.ask" | "prompt.submit");
        if is_gate && ended.decision == Decision::Deny {
            self.denied.get_or_insert_with(|| (ended.number, ended.event.clone()));
        }
        let Ended { number: dispatch, event, who, decision, refused, payload, told, .. } = ended;
        let Who { session, run, turn, depth } = who;
        let line = (session, run);
        let field = |name: &str| payload.get(name).cloned().unwrap_or_default();
        let id = |name: &str| field(name).as_str().unwrap_or_default().to_owned();
        match event.as_str() {
            "tool.pre" => {
                let denied = (decision == Decision::Deny).then_some("`tool.pre`");
                let permit = Permit { dispatch, denied, name: field("name"), args: field("args") };
                self.permits.insert((line, id("id")), permit);
            }
            "permission.ask" if decision == Decision::Deny => {
                if let Some(permit) = self.permits.get_mut(&(line, id("id"))) {
                    permit.denied = Some("`permission.ask`");
                }
            }
            "tool.post" => {
                self.results.insert((line, id("call_id")), Reviewed { dispatch, refused, content: field("content") });
            }
            "completion.pre" => {
                let refused = decision == Decision::Deny;
                self.requests.insert(line, Sent { dispatch, refused, used: false, payload, told });
            }
            "prompt.submit" if refused && self.interjected.contains(&(line.clone(), turn)) => {
                self.dropped.insert((line, id("prompt")));
            }
            "prompt.submit" if refused => {
                self.refused.insert((line, turn));
            }
            "session.end" if depth == 0 => {
                self.sessions.remove(&line.0);
                self.ended.insert(line.0);
            }
            _ => {}
        }
    }

    /// Sees what the host does.
    pub(super) fn see(&mut self, body: &Body<'_>, notes: &mut Notes<'_>) {
        match body {
            Body::Approval(resolved) => {
                let (Some(origin), Some(id)) = (&resolved.origin, &resolved.id) else { return };
                let denied = matches!(resolved.answer, AnswerWord::Refused | AnswerWord::Nobody);
                if let Some(permit) = self.permits.get_mut(&(line_of(origin), id.to_string())) {
                    permit.denied = denied.then_some("whoever was asked").or(permit.denied);
                }
            }
            Body::Healed(_) => self.interrupted(),
            Body::Host(HostRecord::Resumed(session)) => {
                self.ended.remove(&session.origin.session);
                self.interrupted();
                self.sessions.insert(session.origin.session.clone(), notes.line);
            }
            Body::Note(note) if note.kind == BRIDGE => self.answers_host(&note.data, notes),
            Body::Closed(_) => {
                for open in std::mem::take(self).open() {
                    notes.add(open.what, "its end before that of the tape");
                }
            }
            Body::Host(host) => {
                self.acts(host, notes);
                self.answers.see(host, notes);
            }
            _ => {}
        }
    }

    /// What was going on when the tape ended.
    pub(super) fn open(self) -> impl Iterator<Item = Unfinished> {
        let sessions =
            self.sessions.into_iter().map(|(session, line)| (line, format!("session `{session}` has no end")));
        let turns = self.turns.into_iter().map(|((_, turn, agent, step), line)| {
            let step = if step.is_empty() { String::new() } else { format!(", step `{step}`") };
            (line, format!("turn {turn} of agent `{agent}`{step} has no end"))
        });
        let calls = self.running.into_values().chain(self.asked.into_values());
        sessions.chain(turns).chain(calls).map(|(line, what)| Unfinished { line, what })
    }

    /// Another agent is told what was decided: an allow that follows a denial is none of ours.
    fn answers_host(&mut self, note: &Value, notes: &mut Notes<'_>) {
        let denied = self.denied.take();
        let allows = note.get("decision").and_then(Value::as_str) == Some("allow");
        if let Some((dispatch, event)) = denied.filter(|_| allows) {
            notes.add("the agent is told `allow`", format!("`deny`: `{event}` (dispatch {dispatch}) denied it"));
        }
    }

    /// What was going on then never ends.
    fn interrupted(&mut self) {
        self.running.clear();
        self.asked.clear();
        self.turns.clear();
        self.sessions.clear();
        self.denied = None;
        self.answers.interrupted();
    }

    fn acts(&mut self, host: &HostRecord<'_>, notes: &mut Notes<'_>) {
        let begins = match host {
            HostRecord::Turn(turn) => turn.stage == Stage::Start,
            HostRecord::Said(_) | HostRecord::ModelRequest(_) | HostRecord::ToolCall(_) => true,
            _ => false,
        };
        if begins {
            let session = &host.origin().session;
            let ended = self.ended.contains(session);
            notes.unless(!ended, || format!("session `{session}` had ended"), || String::from("`resumed` before"));
        }
        match host {
            HostRecord::ToolCall(call) => self.runs(call, notes),
            HostRecord::ToolResult(result) => {
                let known = self.running.remove(&(line_of(&result.origin), result.id.to_string()));
                notes.unless(
                    known.is_some(),
                    || format!("a result of call `{}`, which was not running", result.id),
                    || String::from("`tool_call` before, once"),
                );
            }
            HostRecord::ModelRequest(request) => self.asks(request, notes),
            HostRecord::ModelReply(reply) => {
                let known = self.asked.remove(&reply.request);
                notes.unless(
                    known.is_some(),
                    || format!("a reply to request {}, which was not open", reply.request),
                    || String::from("`model_request` before, once"),
                );
            }
            HostRecord::Message(message) => self.says(message, notes),
            // What comes behind a turn is no part of it, such as a compaction that the person wants.
            HostRecord::Session(session) => {
                self.sessions.insert(session.origin.session.clone(), notes.line);
            }
            HostRecord::Turn(turn) if turn.stage == Stage::Start => {
                self.turns.insert(turn_of(&turn.origin), notes.line);
            }
            HostRecord::Turn(turn) if turn.stage == Stage::End => {
                let ended = turn_of(&turn.origin);
                if self.turns.remove(&ended).is_none() {
                    // A hand-off leaves the turn to another agent, which ends it.
                    let (line, number, _, step) = &ended;
                    self.turns.retain(|(of, turn, _, at), _| (of, turn, at) != (line, number, step));
                }
                self.refused.remove(&(line_of(&turn.origin), turn.origin.turn));
            }
            HostRecord::Said(said) => {
                let line = line_of(&said.origin);
                // The same words may be let in another time.
                self.dropped.remove(&(line.clone(), said.text.clone().into_owned()));
                if matches!(said.source, Source::Steer | Source::FollowUp) {
                    self.interjected.insert((line, said.origin.turn));
                }
            }
            _ => {}
        }
    }

    /// A tool runs only when its last `tool.pre` and whoever was asked after it let it, and as they left it.
    fn runs(&mut self, call: &ToolCall<'_>, notes: &mut Notes<'_>) {
        let key = (line_of(&call.origin), call.id.to_string());
        match self.permits.remove(&key) {
            None => notes.add(
                format!("tool `{}` runs (call `{}`)", call.name, call.id),
                "an outcome of `tool.pre` for this call before it",
            ),
            Some(Permit { dispatch, denied: Some(by), .. }) => notes.add(
                format!("tool `{}` runs (call `{}`)", call.name, call.id),
                format!("that it does not: {by} refused it (dispatch {dispatch})"),
            ),
            Some(Permit { dispatch, name, args, .. }) => {
                let same = args == *call.args && name == *call.name;
                notes.unless(
                    same,
                    || format!("tool `{}` runs with {}", call.name, call.args),
                    || format!("{name} with {args}, as dispatch {dispatch} left it"),
                );
            }
        }
        let what = format!("tool `{}` (call `{}`) gave no result", call.name, call.id);
        self.running.insert(key, (notes.line, what));
    }

    /// The model is sent what the last `completion.pre` of its conversation left.
    fn asks(&mut self, request: &ModelRequest<'_>, notes: &mut Notes<'_>) {
        let line = line_of(&request.origin);
        let turn = request.origin.turn;
        let refused = turn > 0 && self.refused.contains(&(line.clone(), turn));
        notes.unless(
            !refused,
            || format!("the model is asked in turn {turn}"),
            || String::from("that it is not: `prompt.submit` refused the prompt"),
        );
        match (self.requests.get_mut(&line), request.same_as) {
            (Some(sent), Some(same)) if sent.dispatch == same => {
                sent.used = true;
                let expected = || String::from("that nothing is sent: `completion.pre` refused it");
                notes.unless(!sent.refused, || format!("what dispatch {same} left is sent"), expected);
            }
            (sent, Some(same)) => {
                let last = sent.map_or_else(|| String::from("none"), |sent| sent.dispatch.to_string());
                notes.add(format!("what dispatch {same} left is sent"), format!("the last `completion.pre`: {last}"));
            }
            (Some(sent), None) if !sent.used && !sent.refused => {
                sent.used = true;
                let same = request.payload.as_deref().is_some_and(|sends| is_sent(sends, &sent.payload, &sent.told));
                let and_told = if sent.told.is_empty() { "" } else { ", and what its hooks told the model" };
                let expected = || format!("those that dispatch {} left{and_told}", sent.dispatch);
                notes.unless(same, || String::from("other messages are sent"), expected);
            }
            (_, None) => {}
        }
        let what = format!("request {} to model `{}` was not answered", request.request, request.model);
        self.asked.insert(request.request, (notes.line, what));
    }

    /// A message holds the result that `tool.post` left, or words that `prompt.submit` let in.
    fn says(&mut self, message: &Message<'_>, notes: &mut Notes<'_>) {
        let field = |name: &str| message.message.get(name).and_then(Value::as_str);
        if let (Some("user"), Some(words)) = (field("role"), field("content")) {
            let dropped = self.dropped.contains(&(line_of(&message.origin), words.to_owned()));
            let expected = || String::from("that it is not: `prompt.submit` refused it");
            notes.unless(!dropped, || format!("{words:?} is said to the model"), expected);
        }
        let (Some("tool"), Some(id)) = (field("role"), field("tool_call_id")) else { return };
        let Some(reviewed) = self.results.remove(&(line_of(&message.origin), id.to_owned())) else { return };
        let content = field("content").unwrap_or_default();
        let left = reviewed.content.as_str().unwrap_or_default();
        let dispatch = reviewed.dispatch;
        if reviewed.refused {
            let shown = !left.is_empty() && content == left;
            let expected = || format!("the reason alone: dispatch {dispatch} refused the result");
            notes.unless(!shown, || format!("the model is told {content:?}"), expected);
        } else {
            let expected = || format!("{left:?}, as dispatch {dispatch} left it");
            notes.unless(content == left, || format!("the model is told {content:?}"), expected);
        }
    }
}

fn turn_of(origin: &Origin) -> TurnOf {
    (line_of(origin), origin.turn, origin.agent.clone(), origin.step.clone())
}

pub(super) fn line_of(origin: &Origin) -> Line {
    (origin.session.clone(), origin.run.clone())
}
