//! Collects from the records of a tape what was decided about each tool call and each other event.

use std::sync::Arc;

use pintle_contract::{Decision, EffectError, EventKind, EventName, FailurePolicy, Origin, Payload};
use pintle_lifecycle::CallStage;
use pintle_tape::decisions::HOST_NOTE;
use pintle_tape::record::{EventRecord, HookCallRecord, OutcomeRecord};
use pintle_tape::{HostRecord, Record, RecordBody};
use serde_json::Value;

use super::answer::{AnswerBuilder, OutcomeView};
use super::call_gate::CallRecording;
use super::session_state::{RecordedEffect, TapeEvent};

/// One tool call or another event of a tape, with what was decided about it.
#[derive(Debug)]
pub(super) struct RecordedThing {
    /// The number of the record of its event; that of `tool.pre`, if it is a call with one.
    pub(super) seq: u64,
    pub(super) subject: RecordedSubject,
    /// The effect requests of the recorded hooks about it.
    pub(super) effects: Vec<RecordedEffect>,
    /// What the recorded hooks decided.
    pub(super) answer: AnswerBuilder,
    /// Whether the tape ends before the decision.
    pub(super) is_unfinished: bool,
    /// Whether Pintle itself denied the call, and no hook.
    pub(super) is_own_denial: bool,
    open: Vec<PendingDispatch>,
    last_stage: Option<CallStage>,
}

/// What hooks decided about.
#[derive(Debug)]
pub(super) enum RecordedSubject {
    /// A tool call, about which several events are fired.
    Call(CallRecording),
    /// Another event.
    Event(TapeEvent),
}

impl RecordedSubject {
    /// The first event.
    pub(super) fn first_event(&self) -> Option<&TapeEvent> {
        match self {
            Self::Call(call) => call.first().map(|(_, event)| event),
            Self::Event(event) => Some(event),
        }
    }
}

/// A dispatch whose outcome was not read yet.
#[derive(Debug)]
struct PendingDispatch {
    number: u64,
    kind: EventKind,
    /// The newest version of the payload that a hook saw.
    newest: Option<Value>,
    changed_by: Option<String>,
    is_asked: bool,
}

/// Collects the things of a tape from its records.
#[derive(Debug, Default)]
pub(super) struct ThingCollector {
    open: Vec<RecordedThing>,
    ready: Vec<RecordedThing>,
    origin: Arc<Origin>,
    /// The working directory of the session.
    cwd: String,
    /// The calls that Pintle itself denied before hooks could hear them.
    pub(super) unfired_denials: u64,
}

/// The stage of an event about a tool call before it runs.
fn stage_of(kind: EventKind) -> Option<CallStage> {
    let stages = [CallStage::Transform, CallStage::Guard, CallStage::Pre, CallStage::Permission];
    stages.into_iter().find(|stage| stage.event_kind() == kind)
}

/// The place of a stage in the protocol.
fn stage_order(stage: CallStage) -> u8 {
    match stage {
        CallStage::Transform => 0,
        CallStage::Guard => 1,
        CallStage::Pre => 2,
        CallStage::Delegation => 3,
        CallStage::Permission => 4,
    }
}

impl ThingCollector {
    /// Adds the next record. `payload` is the whole payload of an event, if the record does not have it.
    pub(super) fn add(&mut self, record: &Record<'_>, payload: Option<Value>) {
        match &record.body {
            // An event that a hook caused is not fired unless a hook causes it again.
            RecordBody::Event(fired) if fired.parent.is_none() => self.begin(record, fired, payload),
            RecordBody::HookCall(call) => self.note_payload(call),
            RecordBody::HookReturned(returned) => {
                let verdict = &returned.verdict;
                let has_changed = verdict.fields.is_some() || verdict.whole_payload.is_some();
                if let Some((_, open)) = self.find_open(returned.dispatch).filter(|_| has_changed) {
                    open.changed_by.get_or_insert_with(|| returned.hook.clone().into_owned());
                }
            }
            RecordBody::Effect(effect) => {
                let reply = match (&effect.reply, &effect.error) {
                    (Some(reply), _) => Ok(reply.clone().into_owned()),
                    (None, error) => Err(error.clone().map_or(EffectError(String::new()), |error| error.into_owned())),
                };
                if let Some((thing, _)) = effect.dispatch.and_then(|number| self.find_open(number)) {
                    thing.push((effect.request.clone().into_owned(), reply));
                }
            }
            RecordBody::Approval(answered) => {
                if let Some((_, open)) = answered.dispatch.and_then(|number| self.find_open(number)) {
                    open.is_asked = true;
                }
            }
            RecordBody::Outcome(outcome) => self.conclude(outcome),
            RecordBody::Host(HostRecord::ToolCall(_) | HostRecord::ToolResult(_)) => {
                let origin = record_origin(record);
                self.close_calls(|thing| origin.is_none_or(|origin| thing.has_origin(origin)));
            }
            RecordBody::Note(note) if note.kind == HOST_NOTE => self.apply_note(&note.data),
            _ => {}
        }
    }

    /// The things that are complete, in the order in which they ended.
    pub(super) fn take_ready(&mut self) -> Vec<RecordedThing> {
        std::mem::take(&mut self.ready)
    }

    /// Ends the tape.
    pub(super) fn end(&mut self) {
        for mut thing in std::mem::take(&mut self.open) {
            thing.is_unfinished = !thing.open.is_empty();
            self.ready.push(thing);
        }
    }

    fn begin(&mut self, record: &Record<'_>, fired: &EventRecord<'_>, payload: Option<Value>) {
        let Ok(name) = EventName::parse(&fired.event) else { return };
        let payload = Payload::new(payload.unwrap_or_else(|| fired.payload.clone().into_owned()));
        if name.kind() == EventKind::SessionStart
            && let Some(cwd) = payload.field("cwd").and_then(Value::as_str)
        {
            cwd.clone_into(&mut self.cwd);
        }
        self.share_origin(&fired.origin);
        let (kind, stage) = (name.kind(), stage_of(name.kind()));
        let event = TapeEvent { at_ms: record.at_ms, name, payload, origin: Arc::clone(&self.origin) };
        let open = PendingDispatch { number: fired.dispatch, kind, newest: None, changed_by: None, is_asked: false };
        let continued = stage.and_then(|stage| self.open.iter().position(|thing| thing.continues_with(stage, &event)));
        match continued {
            Some(index) => {
                if let Some(thing) = self.open.get_mut(index) {
                    thing.add_stage(stage, record.seq, event, open);
                }
            }
            None => {
                let origin = Arc::clone(&self.origin);
                self.close_calls(|thing| thing.has_origin(&origin));
                let subject = match stage {
                    Some(stage) => RecordedSubject::Call(CallRecording { stages: vec![(stage, event)] }),
                    None => RecordedSubject::Event(event),
                };
                self.open.push(RecordedThing {
                    seq: record.seq,
                    subject,
                    effects: Vec::new(),
                    answer: AnswerBuilder::new(kind),
                    is_unfinished: false,
                    is_own_denial: false,
                    open: vec![open],
                    last_stage: stage,
                });
            }
        }
        if let Some(outcome) = fired.outcome() {
            self.conclude(&outcome);
        }
    }

    /// Keeps one origin for all events in a row that share it.
    fn share_origin(&mut self, origin: &Origin) {
        let is_same = self.origin.cwd == self.cwd && {
            let known = &*self.origin;
            (&known.session, known.turn, &known.agent, known.depth, &known.run)
                == (&origin.session, origin.turn, &origin.agent, origin.depth, &origin.run)
                && (&known.persona, &known.step, known.deny_continues)
                    == (&origin.persona, &origin.step, origin.deny_continues)
        };
        if !is_same {
            self.origin = Arc::new(Origin { cwd: self.cwd.clone(), ..origin.clone() });
        }
    }

    fn find_open(&mut self, number: u64) -> Option<(&mut Vec<RecordedEffect>, &mut PendingDispatch)> {
        self.open.iter_mut().rev().find_map(|thing| {
            let open = thing.open.iter_mut().find(|open| open.number == number)?;
            Some((&mut thing.effects, open))
        })
    }

    fn note_payload(&mut self, call: &HookCallRecord<'_>) {
        if let (Some(seen), Some((_, open))) = (call.value.as_deref(), self.find_open(call.dispatch)) {
            open.newest = Some(seen.clone());
        }
    }

    fn conclude(&mut self, record: &OutcomeRecord<'_>) {
        let is_of = |thing: &RecordedThing| thing.open.iter().any(|open| open.number == record.dispatch);
        let Some(index) = self.open.iter().rposition(is_of) else { return };
        let Some(thing) = self.open.get_mut(index) else { return };
        thing.conclude(record);
        let is_over = thing.open.is_empty() && (thing.last_stage.is_none() || thing.answer.is_denied());
        if is_over {
            self.ready.push(self.open.remove(index));
        }
    }

    /// Ends the calls of which no more events can follow.
    fn close_calls(&mut self, is_over: impl Fn(&RecordedThing) -> bool) {
        let is_closed =
            |thing: &mut RecordedThing| thing.last_stage.is_some() && thing.open.is_empty() && is_over(thing);
        self.ready.extend(self.open.extract_if(.., is_closed));
    }

    /// Applies the note about what a host agent was told, which follows the events of one of its calls.
    fn apply_note(&mut self, note: &Value) {
        let is_denied = note.get("decision").and_then(Value::as_str) == Some("deny");
        if note.get("call").is_some() {
            self.unfired_denials += u64::from(is_denied);
        } else if let Some(thing) = self.open.iter_mut().rfind(|thing| thing.last_stage.is_some()) {
            thing.is_own_denial |= is_denied;
        }
        self.close_calls(|_| true);
    }
}

/// The origin of a record of the host.
fn record_origin<'r>(record: &'r Record<'_>) -> Option<&'r Origin> {
    match &record.body {
        RecordBody::Host(host) => Some(host.origin()),
        _ => None,
    }
}

impl RecordedThing {
    /// A call, or another event, about which nothing was decided.
    pub(super) fn undecided(seq: u64, event: TapeEvent) -> Self {
        let kind = event.name.kind();
        let last_stage = stage_of(kind);
        let subject = match last_stage {
            Some(stage) => RecordedSubject::Call(CallRecording { stages: vec![(stage, event)] }),
            None => RecordedSubject::Event(event),
        };
        Self {
            seq,
            subject,
            effects: Vec::new(),
            answer: AnswerBuilder::new(kind),
            is_unfinished: false,
            is_own_denial: false,
            open: Vec::new(),
            last_stage,
        }
    }

    fn has_origin(&self, origin: &Origin) -> bool {
        self.subject
            .first_event()
            .is_some_and(|event| event.origin.session == origin.session && event.origin.run == origin.run)
    }

    /// Whether an event is about the same call. An event that is not later in the protocol is about another call of the same
    /// ID, unless hooks changed the call, so that it was checked again.
    fn continues_with(&self, stage: CallStage, event: &TapeEvent) -> bool {
        let RecordedSubject::Call(call) = &self.subject else { return false };
        let Some((first_stage, first)) = call.first() else { return false };
        let is_later = self.last_stage.is_some_and(|last| stage_order(stage) > stage_order(last));
        first.payload.field("id") == event.payload.field("id")
            && self.has_origin(&event.origin)
            && (is_later || self.answer.is_rewritten())
            && *first_stage != CallStage::Permission
    }

    fn add_stage(&mut self, stage: Option<CallStage>, seq: u64, event: TapeEvent, open: PendingDispatch) {
        self.last_stage = stage;
        self.open.push(open);
        if let (RecordedSubject::Call(call), Some(stage)) = (&mut self.subject, stage) {
            // Events of a changed call are what the recorded hooks made of it.
            let is_original = !self.answer.is_rewritten() && call.event_of(stage).is_none();
            if is_original {
                if stage == CallStage::Pre {
                    self.seq = seq;
                }
                call.stages.push((stage, event));
            }
        }
    }

    fn conclude(&mut self, record: &OutcomeRecord<'_>) {
        let Some(index) = self.open.iter().position(|open| open.number == record.dispatch) else { return };
        let PendingDispatch { kind, newest, changed_by, is_asked, .. } = self.open.remove(index);
        let closed = record.failures.iter().find(|entry| entry.policy == FailurePolicy::Closed);
        let payload = record.value.as_deref().or(newest.as_ref());
        let view = OutcomeView {
            decision: record.decision,
            is_asked: is_asked || record.decision == Decision::Ask,
            is_approved: record.approved,
            rewritten: payload.filter(|_| record.rewritten),
            reasons: &record.reasons,
            failure: closed.map(|entry| (entry.hook.to_string(), entry.failure.message.to_string())),
            changed_by,
        };
        self.answer.add(kind, &view);
    }
}
