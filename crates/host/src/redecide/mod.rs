//! Deciding again: what other hooks would have decided about the calls and events of a tape.
//!
//! [`live_replay`](crate::live_replay) compares every step of a session with what the current hooks do. This compares only
//! what becomes of each tool call and each other event, and calls no hook that acts outside of Pintle: a program, a server,
//! a model. A month of tapes is decided again at once, tape by tape, with hooks that were compiled once.
//!
//! A call is decided as the recorded hooks first got it, in the order of [`lifecycle`](pintle_lifecycle). Scripts keep their
//! state from event to event of a session. The time is that of the recorded event; other effect requests get their replies
//! from the tape, if the recorded hooks made the same request about the same call. An answer that lacks something is never
//! taken for an `allow`: unless another hook denies, the call counts as not decided.

mod answer;
mod call_gate;
mod policy_hooks;
mod recorded_calls;
mod recorded_things;
mod report;
mod session_file;
mod session_state;

use std::path::Path;

use pintle_contract::Event;
use pintle_contract::event::EventClass;
use pintle_lifecycle::{CallStage, decide, decide_permission};
use pintle_tape::decisions::describe_payload;
use pintle_tape::show::RemovedTexts;
use pintle_tape::{RecordBody, TapeError, TapeLine, TapeReader, TornRecord};

pub use answer::{ChangeDirection, PolicyAnswer, PolicyResult};
pub use policy_hooks::{DecisionGap, PolicyHooks};
pub use recorded_calls::{SessionCall, calls_of_session_file, calls_of_tape};
pub use report::{ChangeGroup, ChangeSource, RedecidedCall, RedecisionReport};
pub use session_file::{SessionFileRedecision, agent_of_session_line, redecide_session_file};

use answer::{AnswerBuilder, OutcomeView};
use call_gate::{CallRecording, PolicyCallGate};
use recorded_things::{RecordedSubject, RecordedThing, ThingCollector};
use session_state::{PolicySession, TapeEvent, ThingContext};

/// What is decided again, and by which hooks.
#[derive(Debug, Clone, Copy)]
pub struct RedecisionTask<'h> {
    /// The hooks to compare others with; `None` compares with what is recorded.
    pub base: Option<&'h PolicyHooks<'h>>,
    /// The hooks that decide.
    pub hooks: &'h PolicyHooks<'h>,
    /// The number of the tape in the report.
    pub tape: usize,
    /// The project of the session, for calls that do not say it.
    pub project: Option<&'h Path>,
    /// Only calls from this time on count, in milliseconds since the Unix epoch.
    pub since_ms: Option<u64>,
    /// The most examples of each kind of change.
    pub example_limit: usize,
}

/// The result for one tape.
#[derive(Debug)]
pub struct TapeRedecision {
    /// What was found.
    pub report: RedecisionReport,
    /// The session.
    pub session: String,
    /// Why the tape could not be read to its end.
    pub error: Option<TapeError>,
    /// The torn record at its end.
    pub torn: Option<TornRecord>,
}

/// Decides again about every tool call and event of a tape, as far as it can be read.
#[must_use]
pub fn redecide_tape(mut reader: TapeReader<'_>, task: &RedecisionTask<'_>) -> TapeRedecision {
    reader = reader.abridged();
    let mut run = RedecisionRun::new(task);
    let (mut collector, mut removed) = (ThingCollector::default(), RemovedTexts::default());
    let mut session = String::new();
    let error = loop {
        let TapeLine { text, record, is_abridged, .. } = match reader.next() {
            None => break None,
            Some(Err(error)) => break Some(error),
            Some(Ok(line)) => line,
        };
        if let RecordBody::Header(header) = &record.body {
            header.session.clone_into(&mut session);
        }
        removed.add(&record.body);
        let is_event = matches!(record.body, RecordBody::Event(_));
        let whole = if is_abridged && is_event { reader.read_payload(&text) } else { None };
        collector.add(&record, whole);
        collector.take_ready().into_iter().for_each(|thing| run.add(thing));
    };
    collector.end();
    collector.take_ready().into_iter().for_each(|thing| run.add(thing));
    run.report.own_denials += collector.unfired_denials;
    let mut report = run.report;
    report.hide_removed(&removed);
    TapeRedecision { report, session, error, torn: reader.torn() }
}

/// Decides about calls and events that no session has, each as the only one of a session. `at_ms` is the time for scripts,
/// in milliseconds since the Unix epoch.
pub fn decide_examples(
    events: impl IntoIterator<Item = Event>,
    at_ms: u64,
    task: &RedecisionTask<'_>,
) -> RedecisionReport {
    let mut report = RedecisionReport::default();
    for (number, Event { name, payload, origin }) in events.into_iter().enumerate() {
        let mut run = RedecisionRun::new(task);
        let seq = u64::try_from(number).unwrap_or(u64::MAX);
        run.add(RecordedThing::undecided(seq, TapeEvent { at_ms, name, payload, origin }));
        report.merge(run.report, task.example_limit);
    }
    report
}

/// The state of deciding again about a tape.
struct RedecisionRun<'h> {
    task: &'h RedecisionTask<'h>,
    base: Option<PolicySession<'h>>,
    session: PolicySession<'h>,
    report: RedecisionReport,
}

impl<'h> RedecisionRun<'h> {
    fn new(task: &'h RedecisionTask<'h>) -> Self {
        Self {
            task,
            base: task.base.map(|hooks| PolicySession::new(hooks, task.project)),
            session: PolicySession::new(task.hooks, task.project),
            report: RedecisionReport::default(),
        }
    }

    fn add(&mut self, thing: RecordedThing) {
        let Some(first) = thing.subject.first_event() else { return };
        let is_counted = self.task.since_ms.is_none_or(|since_ms| first.at_ms >= since_ms);
        if !self.report.seen_events.contains(first.name.as_str()) {
            self.report.seen_events.insert(first.name.as_str().to_owned());
        }
        if let RecordedSubject::Call(call) = &thing.subject {
            for (_, event) in &call.stages {
                if !self.report.seen_events.contains(event.name.as_str()) {
                    self.report.seen_events.insert(event.name.as_str().to_owned());
                }
            }
        }
        // Also what does not count is fired: scripts count on it.
        let (after, mut gaps) = decide_thing(&mut self.session, &thing);
        let base = self.base.as_mut().map(|base| decide_thing(base, &thing));
        if !is_counted {
            return;
        }
        let (is_call, is_recorded) = (matches!(thing.subject, RecordedSubject::Call(_)), !thing.is_unfinished);
        let denied_by_hook = thing.answer.is_denied();
        if base.is_none() && !is_recorded {
            self.report.unfinished += 1;
            return;
        }
        if thing.is_own_denial && !denied_by_hook {
            self.report.own_denials += 1;
            return;
        }
        if is_call {
            self.report.calls += 1
        } else {
            self.report.events += 1
        }
        let (seq, subject, recorded) = (thing.seq, thing.subject, thing.answer);
        let recorded = recorded.finish();
        let has_pre = |call: &CallRecording| call.event_of(CallStage::Pre).is_some();
        let is_listed = match &subject {
            RecordedSubject::Call(call) if has_pre(call) => true,
            _ => recorded.hook.is_some(),
        };
        gaps = missing_in(&after, gaps);
        let before = match base {
            Some((before, base_gaps)) => {
                gaps.extend(missing_in(&before, base_gaps));
                before
            }
            None => recorded,
        };
        if gaps.is_empty() && before.is_same_as(&after) {
            self.report.unchanged += 1;
            return;
        }
        let Some(event) = subject.first_event() else { return };
        let (tool, call) = describe_payload(event.name.as_str(), event.payload.value());
        let redecided = RedecidedCall {
            seq,
            is_listed,
            is_tool_call: is_call,
            at_ms: event.at_ms,
            tape: self.task.tape,
            session: event.origin.session.clone(),
            event: event.name.as_str().to_owned(),
            agent: event.origin.agent.clone(),
            tool,
            call,
            before,
            after,
        };
        let (source, limit) = (ChangeSource::new(&redecided), self.task.example_limit);
        let group = match gaps.into_iter().next() {
            Some(gap) => self.report.undecided.entry(gap).or_default(),
            None => self.report.changes.entry((redecided.before.result, redecided.after.result)).or_default(),
        };
        group.add(source, redecided, limit);
    }
}

/// What an answer lacks so that it is not known: nothing, if a hook that lacks nothing denies.
fn missing_in(answer: &PolicyAnswer, gaps: Vec<DecisionGap>) -> Vec<DecisionGap> {
    let is_own = |hook: &String| gaps.iter().any(|gap| gap.hook == *hook);
    let is_certain = answer.result == PolicyResult::Denied && answer.hook.as_ref().is_some_and(|hook| !is_own(hook));
    if is_certain { Vec::new() } else { gaps }
}

/// Fires the events about one thing at hooks, and returns their answer with what it lacks.
fn decide_thing(session: &mut PolicySession<'_>, thing: &RecordedThing) -> (PolicyAnswer, Vec<DecisionGap>) {
    let Some(first) = thing.subject.first_event() else { return (PolicyAnswer::allowed(), Vec::new()) };
    let set = session.begin_event(&first.origin);
    let context = ThingContext::new(&thing.effects);
    let answer = match &thing.subject {
        RecordedSubject::Call(call) => {
            let stage = call.first().map_or(CallStage::Pre, |(stage, _)| *stage);
            let mut gate = PolicyCallGate::new(session, &set, &context, call, stage);
            // A denial is in the answer.
            let _ = if stage == CallStage::Permission { decide_permission(&mut gate) } else { decide(&mut gate) };
            gate.into_answer()
        }
        RecordedSubject::Event(event) => {
            let mut answer = AnswerBuilder::new(event.name.kind());
            if let Some(outcome) = session.fire(&set, event, &context) {
                answer.add(event.name.kind(), &OutcomeView::new(&outcome, context.journal.changed_by()));
            }
            answer.finish()
        }
    };
    let mut gaps = context.journal.into_gaps();
    // Nothing is decided about such an event.
    if first.name.def().class == EventClass::Observe {
        gaps.clear();
    }
    (answer, gaps)
}
