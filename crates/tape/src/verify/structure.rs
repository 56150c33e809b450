//! Checks the order of the records of each event.

use std::collections::{BTreeMap, HashMap, HashSet};

use pintle_contract::event::EventClass;
use pintle_contract::{Decision, Effect, EventKind, Origin, SourceTrust};
use serde_json::Value;

use super::{FindingSink, UnfinishedWork};
use crate::record::{
    EventRecord, HookCallRecord, HookReturnedRecord, HookVetoedRecord, HooksRecord, HostRecord, OutcomeRecord,
    RecordBody, VerdictLabel,
};

/// The events whose final payload the host has to obey.
const OBEYED: [EventKind; 8] = [
    EventKind::ToolTransform,
    EventKind::ToolPre,
    EventKind::ToolPost,
    EventKind::CompletionPre,
    EventKind::CompletionPost,
    EventKind::PermissionAsk,
    EventKind::PromptSubmit,
    EventKind::TurnStart,
];

/// The dispatches so far.
#[derive(Debug, Default)]
pub(super) struct StructureCheck {
    last_dispatch: u64,
    open: BTreeMap<u64, DispatchInProgress>,
    /// The loaded hooks, by number.
    hooks: HashMap<u64, KnownHook>,
    calls: HashSet<u64>,
    /// The veto that has to come next.
    veto: Option<HookVetoedRecord<'static>>,
}

/// A loaded hook.
#[derive(Debug)]
struct KnownHook {
    id: String,
    event: String,
    source_trust: SourceTrust,
}

/// A call of a hook.
#[derive(Debug)]
struct OpenCall {
    hook: String,
    /// Whether a deny of it has an effect in the dispatch, unless it is a shadow.
    may_deny: bool,
    has_returned: bool,
}

/// An open dispatch.
#[derive(Debug)]
struct DispatchInProgress {
    line: usize,
    event: String,
    /// `None` for an event that the catalogue does not have.
    kind: Option<EventKind>,
    parent: Option<u64>,
    owner: DispatchOwner,
    versions: u32,
    /// The versions of the payload, if the host has to obey the last one.
    values: Vec<CheckedPayload>,
    is_obeyed: bool,
    /// Whether a deny prevents something, by the catalogue and the host.
    deny_restricts: bool,
    calls: BTreeMap<u64, OpenCall>,
    /// The hooks whose denies have an effect.
    denied_by: Vec<String>,
}

/// A version of a payload.
#[derive(Debug, Clone, Default)]
pub(super) struct CheckedPayload {
    pub(super) value: Value,
    /// Its line, if its messages are left out.
    pub(super) abridged_line: Option<Vec<u8>>,
}

/// The session, turn and agent of a dispatch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct DispatchOwner {
    pub(super) session: String,
    pub(super) run: String,
    pub(super) turn: u32,
    pub(super) depth: u32,
}

/// A dispatch that has ended and that the host has to obey.
#[derive(Debug)]
pub(super) struct FinishedDispatch {
    pub(super) number: u64,
    pub(super) kind: EventKind,
    pub(super) owner: DispatchOwner,
    pub(super) decision: Decision,
    /// Whether it denies the event, rather than only ending the run.
    pub(super) is_refused: bool,
    pub(super) payload: Value,
    /// The line that has the payload, if its messages are left out.
    pub(super) abridged_line: Option<Vec<u8>>,
    /// Whether hooks rewrote the payload.
    pub(super) rewritten: bool,
    /// The context that its hooks added.
    pub(super) added_context: Vec<String>,
}

impl DispatchOwner {
    pub(super) fn from_origin(origin: &Origin) -> Self {
        let Origin { session, run, turn, depth, .. } = origin;
        Self { session: session.clone(), run: run.clone(), turn: *turn, depth: *depth }
    }
}

impl StructureCheck {
    /// Checks a record. Returns the dispatch that it ends, if the host has to obey that one.
    pub(super) fn check_record(
        &mut self,
        body: &RecordBody<'_>,
        findings: &mut FindingSink<'_>,
    ) -> Option<FinishedDispatch> {
        self.check_veto(body, findings);
        match body {
            RecordBody::Hooks(loaded) => self.add_hooks(loaded, findings),
            RecordBody::Event(fired) => {
                self.begin_dispatch(fired, findings);
                for record in fired.hook_records() {
                    self.check_record(&record, findings);
                }
                return fired.outcome().and_then(|outcome| self.end_dispatch(&outcome, findings));
            }
            RecordBody::HookCall(asked) => self.add_call(asked, findings),
            RecordBody::HookReturned(answered) => self.add_answer(answered, findings),
            RecordBody::Outcome(decided) => return self.end_dispatch(decided, findings),
            RecordBody::Effect(effected) => {
                if let (Some(dispatch), Some(call)) = (effected.dispatch, effected.call) {
                    let known = self.open.get(&dispatch).is_some_and(|open| open.calls.contains_key(&call));
                    if !known {
                        findings
                            .add(format!("call {call} does not belong to it"), open_dispatch_text("a call", dispatch));
                    }
                }
            }
            RecordBody::MatcherFailed(passed) | RecordBody::NotCalled(passed) => {
                self.check_hook_loaded(passed.entry, &passed.hook, passed.dispatch, findings);
            }
            RecordBody::Approval(resolved) => {
                resolved.dispatch.into_iter().for_each(|dispatch| self.check_open(dispatch, findings));
            }
            RecordBody::Warning(warned) => {
                warned.dispatch.into_iter().for_each(|dispatch| self.check_open(dispatch, findings))
            }
            // What was open then will not end.
            RecordBody::Repaired(_) | RecordBody::Host(HostRecord::Resumed(_)) => self.open.clear(),
            RecordBody::Host(HostRecord::ModelRequest(_) | HostRecord::Turn(_)) => {
                self.check_no_open_dispatches(body, findings)
            }
            RecordBody::Closed(_) => {
                for (number, open) in std::mem::take(&mut self.open) {
                    findings.add(
                        format!("`{}` (dispatch {number}) has no outcome", open.event),
                        "an outcome before the end",
                    );
                }
            }
            // The veto was checked with the record before.
            RecordBody::HookVetoed(_) => {}
            RecordBody::Header(_) | RecordBody::Checkpoint(_) | RecordBody::Host(_) => {}
            RecordBody::Note(_) | RecordBody::Unknown { .. } => {}
        }
        None
    }

    /// What was open when the tape ended.
    pub(super) fn into_unfinished(self) -> impl Iterator<Item = UnfinishedWork> {
        self.open.into_iter().map(|(number, open)| {
            let waits = open.calls.values().filter(|call| !call.has_returned);
            let waits: Vec<String> = waits.map(|call| format!("`{}`", call.hook)).collect();
            let waits =
                if waits.is_empty() { String::new() } else { format!(", hook {} had not returned", waits.join(", ")) };
            UnfinishedWork {
                line: open.line,
                description: format!("`{}` (dispatch {number}) has no outcome{waits}", open.event),
            }
        })
    }

    /// An agent may call its model, and begin or end turns, only if all its events have outcomes.
    fn check_no_open_dispatches(&mut self, body: &RecordBody<'_>, findings: &mut FindingSink<'_>) {
        let RecordBody::Host(host) = body else { return };
        let who = DispatchOwner::from_origin(host.origin());
        let is_own = |open: &DispatchInProgress| open.owner.session == who.session && open.owner.run == who.run;
        let over: Vec<u64> = self.open.iter().filter(|(_, open)| is_own(open)).map(|(number, _)| *number).collect();
        for number in over {
            if let Some(open) = self.open.remove(&number) {
                findings
                    .add(format!("`{}` (dispatch {number}) has no outcome", open.event), "an `outcome` of it before");
            }
        }
    }

    /// A veto must directly follow the verdict that causes it.
    fn check_veto(&mut self, body: &RecordBody<'_>, findings: &mut FindingSink<'_>) {
        let due = match body {
            // The program may have died between them.
            RecordBody::Repaired(_) => return,
            RecordBody::Host(HostRecord::Resumed(_)) => {
                self.veto = None;
                return;
            }
            _ => self.veto.take(),
        };
        let spelled = |veto: &HookVetoedRecord<'_>| {
            format!("`{}` of call {} with reason {:?}", veto.decision, veto.call, veto.reason)
        };
        match (due, body) {
            (Some(due), RecordBody::HookVetoed(veto)) if *veto == due => {}
            (Some(due), RecordBody::HookVetoed(veto)) => findings.add(spelled(veto), spelled(&due)),
            // The program died between the two, and another one continues the tape.
            (Some(_), RecordBody::Hooks(_) | RecordBody::Repaired(_)) => {}
            (Some(due), _) => findings.add("a veto is missing before it", format!("`hook_vetoed`: {}", spelled(&due))),
            (None, RecordBody::HookVetoed(veto)) => {
                findings.add(spelled(veto), "no veto: the verdict before it is not one")
            }
            (None, _) => {}
        }
    }

    fn add_hooks(&mut self, record: &HooksRecord, findings: &mut FindingSink<'_>) {
        for entry in &record.hooks {
            let next = self.hooks.len() as u64;
            if entry.entry != next {
                findings.add(format!("hook `{}` has number {}", entry.id, entry.entry), next.to_string());
            }
            let known =
                KnownHook { id: entry.id.clone(), event: entry.event.clone(), source_trust: entry.source_trust };
            self.hooks.insert(entry.entry, known);
        }
    }

    fn begin_dispatch(&mut self, record: &EventRecord<'_>, findings: &mut FindingSink<'_>) {
        let next = self.last_dispatch + 1;
        if record.dispatch != next {
            findings.add(format!("dispatch {}", record.dispatch), format!("dispatch {next}"));
        }
        self.last_dispatch = self.last_dispatch.max(record.dispatch);
        if let Some(parent) = record.parent
            && !self.open.contains_key(&parent)
        {
            findings.add(format!("parent {parent}"), open_dispatch_text("a parent", parent));
        }
        if let Some(cause) = record.cause {
            let asked = self.open.values().any(|open| open.calls.get(&cause).is_some_and(|call| !call.has_returned));
            if !asked {
                findings.add(format!("cause {cause}"), "a call that has not returned");
            }
        }
        let kind = EventKind::from_name(&record.event);
        let is_obeyed = kind.is_some_and(|kind| OBEYED.contains(&kind));
        let open = DispatchInProgress {
            line: findings.line,
            event: record.event.to_string(),
            kind,
            parent: record.parent,
            owner: DispatchOwner::from_origin(&record.origin),
            versions: 1,
            values: if is_obeyed { vec![findings.read_payload(&record.payload)] } else { Vec::new() },
            is_obeyed,
            deny_restricts: kind.is_some_and(|kind| record.origin.deny_restricts(kind.def())),
            calls: BTreeMap::new(),
            denied_by: Vec::new(),
        };
        self.open.insert(record.dispatch, open);
    }

    fn check_open(&self, dispatch: u64, findings: &mut FindingSink<'_>) {
        if !self.open.contains_key(&dispatch) {
            findings.add(format!("dispatch {dispatch} has ended or never began"), open_dispatch_text("one", dispatch));
        }
    }

    /// Checks that a hook was loaded for the event of an open dispatch.
    fn check_hook_loaded(&self, entry: u64, hook: &str, dispatch: u64, findings: &mut FindingSink<'_>) {
        self.check_open(dispatch, findings);
        let event = self.open.get(&dispatch).map(|open| open.event.as_str());
        match self.hooks.get(&entry) {
            None => findings.add(format!("hook number {entry}"), "a hook that was loaded before"),
            Some(KnownHook { id, event: of, .. }) => {
                let same = id == hook && event.is_none_or(|event| event == of);
                if !same {
                    findings.add(
                        format!("hook number {entry} is called `{hook}`"),
                        format!("`{id}`, which listens to `{of}`"),
                    );
                }
            }
        }
    }

    fn add_call(&mut self, call_record: &HookCallRecord<'_>, findings: &mut FindingSink<'_>) {
        let HookCallRecord { dispatch, call, hook, entry, payload, value, .. } = call_record;
        self.check_hook_loaded(*entry, hook, *dispatch, findings);
        let is_new = self.calls.insert(*call);
        if !is_new {
            findings.add(format!("call {call} a second time"), "a new number");
        }
        if let Some(open) = self.open.get_mut(dispatch) {
            open.check_version(*payload, value.as_deref(), findings);
            let is_trusted = self.hooks.get(entry).is_none_or(|known| known.source_trust.is_trusted());
            let decides = open.kind.is_some_and(|kind| kind.def().class != EventClass::Observe);
            let may_deny = decides && (is_trusted || open.deny_restricts);
            open.calls.insert(*call, OpenCall { hook: hook.to_string(), may_deny, has_returned: false });
        }
    }

    fn add_answer(&mut self, record: &HookReturnedRecord<'_>, findings: &mut FindingSink<'_>) {
        let HookReturnedRecord { dispatch, call, hook, verdict, .. } = record;
        self.check_open(*dispatch, findings);
        let Some(open) = self.open.get_mut(dispatch) else { return };
        match open.calls.get_mut(call) {
            Some(OpenCall { hook: asked, may_deny, has_returned: done @ false }) => {
                *done = true;
                if asked != hook {
                    findings.add(format!("hook `{hook}` returns"), format!("hook `{asked}`"));
                }
                if *may_deny && verdict.kind == VerdictLabel::Deny {
                    open.denied_by.push(asked.clone());
                }
            }
            Some(_) => findings.add(format!("a second verdict of call {call}"), "one"),
            None => findings.add(format!("a verdict of call {call}"), "one of a call of this dispatch"),
        }
        let decision = match verdict.kind {
            VerdictLabel::Deny => Some(Decision::Deny),
            VerdictLabel::Allow if open.kind == Some(EventKind::PermissionAsk) => Some(Decision::Allow),
            VerdictLabel::Ask if open.kind == Some(EventKind::PermissionAsk) => Some(Decision::Ask),
            _ => None,
        };
        let owned = |text: &str| std::borrow::Cow::Owned(text.to_owned());
        self.veto = decision.map(|decision| HookVetoedRecord {
            dispatch: *dispatch,
            call: *call,
            hook: owned(hook),
            reason: owned(verdict.reason.as_deref().unwrap_or_default()),
            decision,
        });
    }

    fn end_dispatch(&mut self, record: &OutcomeRecord<'_>, findings: &mut FindingSink<'_>) -> Option<FinishedDispatch> {
        let number = record.dispatch;
        self.check_open(number, findings);
        let mut open = self.open.remove(&number)?;
        let event = &open.event;
        if record.event != *event {
            findings.add(format!("an outcome of `{}`", record.event), format!("one of `{event}`"));
        }
        for (call, OpenCall { hook, has_returned, .. }) in &open.calls {
            if !*has_returned {
                findings.add(format!("call {call} of hook `{hook}` did not return"), "a verdict before");
            }
        }
        // No rule of composition lifts a deny.
        let is_shadow = |hook: &&String| record.shadow.iter().any(|shadow| shadow.hook == **hook);
        if let Some(hook) = open.denied_by.iter().find(|hook| !is_shadow(hook))
            && record.decision != Decision::Deny
        {
            findings.add(format!("the outcome is `{}`", record.decision), format!("`deny`: hook `{hook}` denied it"));
        }
        let below = self.open.iter().find(|(_, below)| below.parent == Some(number));
        if let Some((below, inner)) = below {
            findings.add(
                format!("`{}` (dispatch {below}), which it caused, is still open", inner.event),
                "its outcome before",
            );
        }
        open.check_version(record.payload, record.value.as_deref(), findings);
        let payload = usize::try_from(record.payload).ok().and_then(|index| open.values.get(index));
        let CheckedPayload { value: payload, abridged_line } = payload.cloned().unwrap_or_default();
        let refuses = record.reasons.is_empty() || record.reasons.iter().any(|reason| !reason.stops_run);
        let refused = record.decision == Decision::Deny && refuses;
        let DispatchInProgress { kind, owner: who, is_obeyed, .. } = open;
        let kind = kind.filter(|kind| is_obeyed || *kind == EventKind::SessionEnd)?;
        let told = record.effects.iter().filter_map(|effect| match &*effect.effect {
            Effect::Context(text) => Some(text.clone()),
            _ => None,
        });
        let (decision, rewritten, told) = (record.decision, record.rewritten, told.collect());
        Some(FinishedDispatch {
            number,
            kind,
            owner: who,
            decision,
            is_refused: refused,
            payload,
            abridged_line,
            rewritten,
            added_context: told,
        })
    }
}

impl DispatchInProgress {
    /// Checks a reference to a version of the payload; a new version comes with its value.
    fn check_version(&mut self, number: u32, value: Option<&Value>, findings: &mut FindingSink<'_>) {
        let is_new = number == self.versions;
        let fits = if value.is_some() { is_new } else { number < self.versions };
        let with = if value.is_some() { "with" } else { "without" };
        if !fits {
            findings.add(
                format!("version {number} of the payload {with} its value"),
                format!("{} with its value, or an earlier one without", self.versions),
            );
        }
        if is_new {
            self.versions += 1;
            if self.is_obeyed {
                self.values.push(value.map(|value| findings.read_payload(value)).unwrap_or_default());
            }
        }
    }
}

fn open_dispatch_text(action: &str, dispatch: u64) -> String {
    format!("{action} of an open dispatch (not {dispatch})")
}
