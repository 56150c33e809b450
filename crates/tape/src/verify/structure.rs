//! The order of what belongs to one event.

use std::collections::{BTreeMap, HashMap, HashSet};

use pintle_contract::{Decision, Effect, Origin};
use serde_json::Value;

use super::{Notes, Unfinished};
use crate::record::{Answered, Asked, Body, Decided, Fired, HostRecord, Loaded, Vetoed, Word};

/// The events whose final payload the host has to obey.
const OBEYED: [&str; 8] = [
    "tool.transform",
    "tool.pre",
    "tool.post",
    "completion.pre",
    "completion.post",
    "permission.ask",
    "prompt.submit",
    "turn.start",
];

/// What is known of the dispatches so far.
#[derive(Debug, Default)]
pub(super) struct Structure {
    last_dispatch: u64,
    open: BTreeMap<u64, Open>,
    /// The hooks that were loaded, by number: name and event.
    hooks: HashMap<u64, (String, String)>,
    calls: HashSet<u64>,
    /// The veto that has to come next.
    veto: Option<Vetoed<'static>>,
}

/// A dispatch that is going on.
#[derive(Debug)]
struct Open {
    line: usize,
    event: String,
    parent: Option<u64>,
    who: Who,
    versions: u32,
    /// The versions themselves, where the host has to obey the last one.
    values: Vec<Value>,
    is_obeyed: bool,
    /// The hooks of its calls, and whether they answered.
    calls: BTreeMap<u64, (String, bool)>,
}

/// Whose life something is part of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Who {
    pub(super) session: String,
    pub(super) run: String,
    pub(super) turn: u32,
    pub(super) depth: u32,
}

/// A dispatch that is over, and that the host has to obey.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) number: u64,
    pub(super) event: String,
    pub(super) who: Who,
    pub(super) decision: Decision,
    /// Whether it denies in the sense of the event's row, rather than only ending the run.
    pub(super) refused: bool,
    pub(super) payload: Value,
    /// Whether hooks changed it.
    pub(super) rewritten: bool,
    /// What its hooks told the model.
    pub(super) told: Vec<String>,
}

impl Who {
    pub(super) fn of(origin: &Origin) -> Self {
        let Origin { session, run, turn, depth, .. } = origin;
        Self { session: session.clone(), run: run.clone(), turn: *turn, depth: *depth }
    }
}

impl Structure {
    /// Sees a record; gives the dispatch that it ends, where the host has to obey that one.
    pub(super) fn see(&mut self, body: &Body<'_>, notes: &mut Notes<'_>) -> Option<Ended> {
        self.see_veto(body, notes);
        match body {
            Body::Hooks(loaded) => self.load(loaded, notes),
            Body::Event(fired) => self.begin(fired, notes),
            Body::HookCall(asked) => self.call(asked, notes),
            Body::HookReturned(answered) => self.answer(answered, notes),
            Body::Outcome(decided) => return self.end(decided, notes),
            Body::Effect(effected) => {
                if let (Some(dispatch), Some(call)) = (effected.dispatch, effected.call) {
                    let known = self.open.get(&dispatch).is_some_and(|open| open.calls.contains_key(&call));
                    notes.unless(known, || format!("call {call} is not known there"), || going_on("a call", dispatch));
                }
            }
            Body::Unmatched(passed) | Body::Unasked(passed) => {
                self.known(passed.entry, &passed.hook, passed.dispatch, notes);
            }
            Body::Approval(resolved) => {
                resolved.dispatch.into_iter().for_each(|dispatch| self.is_open(dispatch, notes));
            }
            Body::Warning(warned) => warned.dispatch.into_iter().for_each(|dispatch| self.is_open(dispatch, notes)),
            // Whatever was going on then never ends.
            Body::Healed(_) | Body::Host(HostRecord::Resumed(_)) => self.open.clear(),
            Body::Host(HostRecord::ModelRequest(_) | HostRecord::Turn(_)) => self.goes_on(body, notes),
            Body::Closed(_) => {
                for (number, open) in std::mem::take(&mut self.open) {
                    notes.add(format!("`{}` (dispatch {number}) has no outcome", open.event), "one before the end");
                }
            }
            _ => {}
        }
        None
    }

    /// What was going on when the tape ended.
    pub(super) fn open(self) -> impl Iterator<Item = Unfinished> {
        self.open.into_iter().map(|(number, open)| {
            let waits = open.calls.values().filter(|(_, answered)| !answered);
            let waits: Vec<String> = waits.map(|(hook, _)| format!("`{hook}`")).collect();
            let waits =
                if waits.is_empty() { String::new() } else { format!(", hook {} had not answered", waits.join(", ")) };
            Unfinished { line: open.line, what: format!("`{}` (dispatch {number}) has no outcome{waits}", open.event) }
        })
    }

    /// An agent asks its model, and begins and ends turns, only when all its events have their outcomes.
    fn goes_on(&mut self, body: &Body<'_>, notes: &mut Notes<'_>) {
        let Body::Host(host) = body else { return };
        let who = Who::of(host.origin());
        let is_own = |open: &Open| open.who.session == who.session && open.who.run == who.run;
        let over: Vec<u64> = self.open.iter().filter(|(_, open)| is_own(open)).map(|(number, _)| *number).collect();
        for number in over {
            if let Some(open) = self.open.remove(&number) {
                notes.add(format!("`{}` (dispatch {number}) has no outcome", open.event), "an `outcome` of it before");
            }
        }
    }

    /// A veto stands right behind the answer that makes it, and nowhere else.
    fn see_veto(&mut self, body: &Body<'_>, notes: &mut Notes<'_>) {
        let due = match body {
            // A large reason may be written between them; and the program may have died there.
            Body::Blob(_) | Body::Healed(_) => return,
            Body::Host(HostRecord::Resumed(_)) => {
                self.veto = None;
                return;
            }
            _ => self.veto.take(),
        };
        let spelled =
            |veto: &Vetoed<'_>| format!("`{}` of call {} with reason {:?}", veto.decision, veto.call, veto.reason);
        match (due, body) {
            (Some(due), Body::HookVetoed(veto)) if *veto == due => {}
            (Some(due), Body::HookVetoed(veto)) => notes.add(spelled(veto), spelled(&due)),
            // The program died between the two, and another one goes on with the tape.
            (Some(_), Body::Hooks(_) | Body::Healed(_)) => {}
            (Some(due), _) => notes.add("a veto is missing before it", format!("`hook_vetoed`: {}", spelled(&due))),
            (None, Body::HookVetoed(veto)) => notes.add(spelled(veto), "no veto: the answer before it is none"),
            (None, _) => {}
        }
    }

    fn load(&mut self, loaded: &Loaded, notes: &mut Notes<'_>) {
        for entry in &loaded.hooks {
            let next = self.hooks.len() as u64;
            notes.unless(
                entry.entry == next,
                || format!("hook `{}` has number {}", entry.id, entry.entry),
                || next.to_string(),
            );
            self.hooks.insert(entry.entry, (entry.id.clone(), entry.event.clone()));
        }
    }

    fn begin(&mut self, fired: &Fired<'_>, notes: &mut Notes<'_>) {
        let next = self.last_dispatch + 1;
        notes.unless(fired.dispatch == next, || format!("dispatch {}", fired.dispatch), || format!("dispatch {next}"));
        self.last_dispatch = self.last_dispatch.max(fired.dispatch);
        if let Some(parent) = fired.parent {
            notes.unless(
                self.open.contains_key(&parent),
                || format!("parent {parent}"),
                || going_on("a parent", parent),
            );
        }
        if let Some(cause) = fired.cause {
            let asked = self.open.values().any(|open| open.calls.get(&cause).is_some_and(|(_, answered)| !answered));
            notes.unless(asked, || format!("cause {cause}"), || String::from("a call that has not been answered"));
        }
        let is_obeyed = OBEYED.contains(&&*fired.event);
        let open = Open {
            line: notes.line,
            event: fired.event.to_string(),
            parent: fired.parent,
            who: Who::of(&fired.origin),
            versions: 1,
            values: if is_obeyed { vec![fired.payload.clone().into_owned()] } else { Vec::new() },
            is_obeyed,
            calls: BTreeMap::new(),
        };
        self.open.insert(fired.dispatch, open);
    }

    fn is_open(&self, dispatch: u64, notes: &mut Notes<'_>) {
        let is_open = self.open.contains_key(&dispatch);
        notes.unless(is_open, || format!("dispatch {dispatch} is over, or never began"), || going_on("one", dispatch));
    }

    /// Whether a hook was loaded for the event of a dispatch that is going on.
    fn known(&self, entry: u64, hook: &str, dispatch: u64, notes: &mut Notes<'_>) {
        self.is_open(dispatch, notes);
        let event = self.open.get(&dispatch).map(|open| open.event.as_str());
        match self.hooks.get(&entry) {
            None => notes.add(format!("hook number {entry}"), "a hook that was loaded before"),
            Some((id, of)) => {
                let same = id == hook && event.is_none_or(|event| event == of);
                let expected = || format!("`{id}`, which listens to `{of}`");
                notes.unless(same, || format!("hook number {entry} is called `{hook}`"), expected);
            }
        }
    }

    fn call(&mut self, asked: &Asked<'_>, notes: &mut Notes<'_>) {
        let Asked { dispatch, call, hook, entry, payload, value, .. } = asked;
        self.known(*entry, hook, *dispatch, notes);
        let is_new = self.calls.insert(*call);
        notes.unless(is_new, || format!("call {call} a second time"), || String::from("a number of its own"));
        if let Some(open) = self.open.get_mut(dispatch) {
            open.version(*payload, value.as_deref(), notes);
            open.calls.insert(*call, (hook.to_string(), false));
        }
    }

    fn answer(&mut self, answered: &Answered<'_>, notes: &mut Notes<'_>) {
        let Answered { dispatch, call, hook, said, .. } = answered;
        self.is_open(*dispatch, notes);
        let Some(open) = self.open.get_mut(dispatch) else { return };
        match open.calls.get_mut(call) {
            Some((asked, done @ false)) => {
                *done = true;
                notes.unless(asked == hook, || format!("hook `{hook}` answers"), || format!("hook `{asked}`"));
            }
            Some(_) => notes.add(format!("a second answer to call {call}"), "one"),
            None => notes.add(format!("an answer to call {call}"), "one to a call of this dispatch"),
        }
        let decision = match said.verdict {
            Word::Deny => Some(Decision::Deny),
            Word::Allow if open.event == "permission.ask" => Some(Decision::Allow),
            Word::Ask if open.event == "permission.ask" => Some(Decision::Ask),
            _ => None,
        };
        let owned = |text: &str| std::borrow::Cow::Owned(text.to_owned());
        self.veto = decision.map(|decision| Vetoed {
            dispatch: *dispatch,
            call: *call,
            hook: owned(hook),
            reason: owned(said.reason.as_deref().unwrap_or_default()),
            decision,
        });
    }

    fn end(&mut self, decided: &Decided<'_>, notes: &mut Notes<'_>) -> Option<Ended> {
        let number = decided.dispatch;
        self.is_open(number, notes);
        let mut open = self.open.remove(&number)?;
        let event = &open.event;
        notes.unless(
            decided.event == *event,
            || format!("an outcome of `{}`", decided.event),
            || format!("of `{event}`"),
        );
        for (call, (hook, answered)) in &open.calls {
            notes.unless(
                *answered,
                || format!("call {call} of hook `{hook}` was not answered"),
                || String::from("an answer before"),
            );
        }
        let below = self.open.iter().find(|(_, below)| below.parent == Some(number));
        if let Some((below, inner)) = below {
            notes.add(
                format!("`{}` (dispatch {below}), which it caused, is going on", inner.event),
                "its outcome before",
            );
        }
        open.version(decided.payload, decided.value.as_deref(), notes);
        let payload = usize::try_from(decided.payload).ok().and_then(|at| open.values.get(at));
        let payload = payload.cloned().unwrap_or_default();
        let refuses = decided.reasons.is_empty() || decided.reasons.iter().any(|reason| !reason.stops_run);
        let refused = decided.decision == Decision::Deny && refuses;
        let Open { event, who, is_obeyed, .. } = open;
        let is_end = event == "session.end";
        let told = decided.effects.iter().filter_map(|effect| match &*effect.effect {
            Effect::Context(text) => Some(text.clone()),
            _ => None,
        });
        let (decision, rewritten, told) = (decided.decision, decided.rewritten, told.collect());
        (is_obeyed || is_end).then_some(Ended { number, event, who, decision, refused, payload, rewritten, told })
    }
}

impl Open {
    /// A version of the payload is mentioned; a new one comes with its value.
    fn version(&mut self, number: u32, value: Option<&Value>, notes: &mut Notes<'_>) {
        let is_new = number == self.versions;
        let fits = if value.is_some() { is_new } else { number < self.versions };
        let with = if value.is_some() { "with" } else { "without" };
        let expected = || format!("{} with its value, or one before it without", self.versions);
        notes.unless(fits, || format!("version {number} of the payload {with} its value"), expected);
        if is_new {
            self.versions += 1;
            if self.is_obeyed {
                self.values.push(value.cloned().unwrap_or_default());
            }
        }
    }
}

fn going_on(what: &str, dispatch: u64) -> String {
    format!("{what} of a dispatch that is going on (not {dispatch})")
}
