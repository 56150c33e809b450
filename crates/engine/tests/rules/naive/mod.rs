//! The rule a second time, as plain as it can be said: loops over all hooks, values copied at every step, the version
//! each hook last saw kept beside it. Shares no code with the engine.

mod expected;
mod rewrites;

use pintle_contract::event::EventClass;
use pintle_contract::event::RewriteTarget;
use pintle_contract::{
    ApprovalResponse, Decision, Event, FailureKind, FailurePolicy, Layer, LimitKind, Payload, Profile,
};
use serde_json::Value;

pub(crate) use expected::{ExpectedOutcome, JournaledStep};

use crate::model::{ChainFixture, HookCase, MatcherFixture, PayloadCondition, ScriptedAnswer};

struct NaiveHookState {
    spec: HookCase,
    profile: Profile,
    chain: usize,
    layer: Layer,
    /// The version this hook last judged, was passed over on, or made.
    judged_version: Option<u32>,
    /// The version that it saw when it was asked last.
    seen_version: Option<u32>,
    /// An ask (true) or an allow (false) and the version it was given for.
    vote: Option<(bool, u32)>,
    called: bool,
    effect: bool,
    /// It changed the value.
    rewrote: bool,
}

struct NaiveFold {
    hooks: Vec<NaiveHookState>,
    subject: Option<&'static str>,
    target: RewriteTarget,
    event: Event,
    value: Value,
    version: u32,
    /// Whose layer made each version after the first.
    made_by: Vec<Layer>,
    /// Who made the last version alone.
    changer: String,
    denials: Vec<String>,
    failures: Vec<(String, FailureKind, FailurePolicy)>,
    shadow: Vec<String>,
    steps: Vec<JournaledStep>,
}

enum NaiveMatch {
    Yes,
    No,
    Failed(FailureKind),
}

pub(crate) fn fold(chains: &[ChainFixture], event: &Event, answer: &ApprovalResponse) -> ExpectedOutcome {
    let mut ordered: Vec<&ChainFixture> = chains.iter().collect();
    ordered.sort_by_key(|links| links.layer);
    let mut hooks = Vec::new();
    for (chain, links) in ordered.iter().enumerate() {
        for spec in &links.hooks {
            let (spec, profile) = (spec.clone(), links.profile);
            hooks.push(NaiveHookState {
                spec,
                profile,
                chain,
                layer: links.layer,
                judged_version: None,
                seen_version: None,
                vote: None,
                called: false,
                effect: false,
                rewrote: false,
            });
        }
    }
    let mut fold = NaiveFold {
        hooks,
        subject: event.name.def().subject,
        target: event.name.def().target,
        event: event.clone(),
        value: event.payload.value().clone(),
        version: 0,
        made_by: Vec::new(),
        changer: String::new(),
        denials: Vec::new(),
        failures: Vec::new(),
        shadow: Vec::new(),
        steps: Vec::new(),
    };
    for chain in 0..ordered.len() {
        if fold.denials.is_empty() {
            fold.run_chain(chain);
        }
    }
    fold.run_recheck_rounds();
    fold.conclude(answer)
}

impl NaiveFold {
    fn run_chain(&mut self, chain: usize) {
        let members: Vec<usize> = (0..self.hooks.len()).filter(|index| self.hooks[*index].chain == chain).collect();
        let Some(first) = members.first() else { return };
        match self.hooks[*first].profile {
            Profile::SequentialFirstDeny => {
                for index in members {
                    if self.denials.is_empty() {
                        self.run_hook(index, 0);
                    }
                }
            }
            Profile::SequentialRunAll => {
                for index in members {
                    self.run_hook(index, 0);
                }
            }
            Profile::ParallelStrictest | Profile::ParallelUnanimous => self.run_group(&members, Self::merge),
            Profile::ParallelMerge => self.run_group(&members, Self::overlay),
        }
    }

    /// One hook, on the value as it stands.
    fn run_hook(&mut self, index: usize, round: u8) {
        self.hooks[index].judged_version = Some(self.version);
        if !self.admit_hook(index, round) {
            return;
        }
        let value = self.value.clone();
        let alone = self.call_hook(index, round, &value).filter(|alone| *alone != value);
        if let Some(after) = alone {
            self.value = after;
            self.version += 1;
            self.made_by.push(self.hooks[index].layer);
            self.hooks[index].rewrote = true;
            self.mark_judged(index);
            self.changer = self.hooks[index].spec.id.clone();
        }
    }

    /// A hook made the value what it is; what it said of its rewrite, it said of this value.
    fn mark_judged(&mut self, index: usize) {
        let state = &mut self.hooks[index];
        state.judged_version = Some(self.version);
        if let Some((_, version)) = &mut state.vote {
            *version = self.version;
        }
    }

    /// Hooks that all see the value as it stands. `join` makes one value of what each would make of it alone.
    fn run_group(&mut self, members: &[usize], join: fn(&mut Self, &Value, &[(usize, Value)]) -> Value) {
        let before = self.value.clone();
        let mut proposals = Vec::new();
        let mut admitted = Vec::new();
        for index in members {
            self.hooks[*index].judged_version = Some(self.version);
            if self.admit_hook(*index, 0) {
                admitted.push(*index);
            }
        }
        for index in admitted {
            if let Some(after) = self.call_hook(index, 0, &before) {
                self.hooks[index].rewrote |= after != before;
                proposals.push((index, after));
            }
        }
        if !self.denials.is_empty() || proposals.is_empty() {
            return;
        }
        let after = join(self, &before, &proposals);
        if !self.denials.is_empty() || after == before {
            return;
        }
        self.value = after.clone();
        self.version += 1;
        self.made_by.push(self.hooks[members[0]].layer);
        for (index, proposal) in proposals {
            if proposal == after {
                self.mark_judged(index);
            }
        }
    }

    fn run_recheck_rounds(&mut self) {
        let is_guard = |state: &NaiveHookState| state.spec.guard && !state.spec.shadow;
        for round in 1..=4 {
            let mut open = (0..self.hooks.len()).filter(|index| is_guard(&self.hooks[*index]));
            if !self.denials.is_empty() || open.all(|index| self.hooks[index].judged_version == Some(self.version)) {
                return;
            }
            for index in 0..self.hooks.len() {
                if !is_guard(&self.hooks[index]) || self.hooks[index].judged_version == Some(self.version) {
                    continue;
                }
                self.hooks[index].vote = None;
                if round == 4 {
                    self.hooks[index].judged_version = Some(self.version);
                    if self.admit_hook(index, round) {
                        self.denials.push(self.changer.clone());
                    }
                } else {
                    self.run_hook(index, round);
                }
                if !self.denials.is_empty() {
                    return;
                }
            }
        }
    }

    /// Whether the hook wants the value; a strict failure of its matcher is taken here.
    fn admit_hook(&mut self, index: usize, round: u8) -> bool {
        let spec = self.hooks[index].spec.clone();
        match self.match_hook(&spec) {
            NaiveMatch::Yes => !self.has_matching_duplicate(index),
            NaiveMatch::No => false,
            NaiveMatch::Failed(kind) => {
                self.steps.push(JournaledStep::MatcherFailed(spec.id.clone(), round, kind));
                // What the matcher's own code raised passes the hook over, unless its author said otherwise, or a guard
                // cannot tell what the event is about.
                let subject = self.subject.map(|field| self.value.get(field).and_then(Value::as_str));
                let is_blind = spec.guard && self.event.name.def().class == EventClass::Guard && subject == Some(None);
                let counts = spec.strict || kind != FailureKind::Error || is_blind;
                if counts {
                    self.steps.push(JournaledStep::NotCalled(spec.id.clone(), round, kind));
                }
                if counts && spec.shadow {
                    self.shadow.push(spec.id);
                } else if counts {
                    self.record_failure(&spec, kind);
                }
                false
            }
        }
    }

    /// Whether an earlier hook of the same definition wants the value too.
    fn has_matching_duplicate(&self, index: usize) -> bool {
        let same = |one: &NaiveHookState, other: &NaiveHookState| {
            let of = |state: &NaiveHookState| {
                let spec = &state.spec;
                (spec.definition, spec.shadow, spec.closed, spec.stops, state.profile)
            };
            one.spec.definition.is_some() && of(one) == of(other)
        };
        self.hooks[..index]
            .iter()
            .any(|one| same(one, &self.hooks[index]) && matches!(self.match_hook(&one.spec), NaiveMatch::Yes))
    }

    fn match_hook(&self, spec: &HookCase) -> NaiveMatch {
        let subject = self.subject.and_then(|field| self.value.get(field)).and_then(Value::as_str);
        let fails_when = |is: &PayloadCondition, kind| {
            if is.holds(&self.value) { NaiveMatch::Failed(kind) } else { NaiveMatch::Yes }
        };
        match (&spec.matcher, subject) {
            (MatcherFixture::Always, _) => NaiveMatch::Yes,
            (MatcherFixture::Names(..), None) => NaiveMatch::Failed(FailureKind::Error),
            (MatcherFixture::Names(names, _), Some(subject)) if names.contains(&subject) => NaiveMatch::Yes,
            (MatcherFixture::Names(..), Some(_)) => NaiveMatch::No,
            (MatcherFixture::When(is), _) if is.holds(&self.value) => NaiveMatch::Yes,
            (MatcherFixture::When(_), _) => NaiveMatch::No,
            (MatcherFixture::FailsWhen(is), _) => fails_when(is, FailureKind::Error),
            (MatcherFixture::LimitWhen(is), _) => fails_when(is, FailureKind::Limit(LimitKind::Steps)),
            (MatcherFixture::PanicsWhen(is), _) => fails_when(is, FailureKind::Crash),
        }
    }

    /// Asks a hook about a value; gives what it would make of it, where it rewrites.
    fn call_hook(&mut self, index: usize, round: u8, value: &Value) -> Option<Value> {
        let spec = self.hooks[index].spec.clone();
        let repeated = self.hooks[index].called;
        self.steps.push(JournaledStep::Call(spec.id.clone(), round, value.clone()));
        self.hooks[index].called = true;
        let answer = spec.answer(value);
        let from_below = |version: u32| {
            let since = &self.made_by[version as usize..];
            since.iter().any(|layer| *layer > self.hooks[index].layer)
        };
        let rewrote = self.hooks[index].rewrote && round > 0;
        let held = rewrote && !self.hooks[index].seen_version.is_some_and(from_below);
        self.hooks[index].seen_version = Some(self.version);
        if spec.shadow {
            self.shadow.push(spec.id);
            return None;
        }
        // A repeated call has effects where it denies, and they are those of the first one here.
        let denies = matches!(answer, ScriptedAnswer::Deny) || (matches!(answer, ScriptedAnswer::Fail) && spec.closed);
        self.hooks[index].effect |= (!repeated || denies) && !matches!(answer, ScriptedAnswer::Panic);
        let unanimous = self.hooks[index].profile == Profile::ParallelUnanimous;
        match answer {
            ScriptedAnswer::Fail => self.record_failure(&spec, FailureKind::Error),
            ScriptedAnswer::Panic => self.record_failure(&spec, FailureKind::Crash),
            ScriptedAnswer::Deny => self.denials.push(spec.reason()),
            ScriptedAnswer::Allow => self.hooks[index].vote = Some((false, self.version)),
            _ if unanimous => self.denials.push(spec.reason()),
            ScriptedAnswer::Ask => self.hooks[index].vote = Some((true, self.version)),
            ScriptedAnswer::Pass => {}
            ScriptedAnswer::Set(_)
            | ScriptedAnswer::Replace(_)
            | ScriptedAnswer::Add(_)
            | ScriptedAnswer::AllowRewritten(_)
            | ScriptedAnswer::AskRewritten(_) => {
                let (wish, whole) = answer.rewrite().unwrap();
                let made = if held {
                    self.check_already_applied(value, wish, whole)
                } else {
                    self.apply_rewrite(value, wish, whole)
                };
                match (&answer, &made) {
                    // An allow of what was not made, or was not made as it was wished, allows nothing.
                    (ScriptedAnswer::AllowRewritten(_), Some((_, true))) => {
                        self.hooks[index].vote = Some((false, self.version))
                    }
                    (ScriptedAnswer::AskRewritten(_), _) => self.hooks[index].vote = Some((true, self.version)),
                    _ => {}
                }
                if made.is_none() {
                    self.record_failure(&spec, FailureKind::BadOutput);
                }
                return made.map(|(after, _)| after);
            }
        }
        None
    }

    fn record_failure(&mut self, spec: &HookCase, kind: FailureKind) {
        let report = (spec.id.clone(), kind, spec.failure_policy());
        if !self.failures.contains(&report) {
            self.failures.push(report);
        }
        if spec.closed {
            self.denials.push(spec.reason());
        }
    }

    fn conclude(self, answer: &ApprovalResponse) -> ExpectedOutcome {
        let voters = |asks: bool| -> Vec<String> {
            let counts = |state: &&NaiveHookState| match state.vote {
                // An ask stands; a guard's was taken back where the guard was asked again.
                Some((true, _)) => asks,
                // An allow is for the bytes it was given for.
                Some((false, version)) => !asks && version == self.version,
                None => false,
            };
            let named = |state: &NaiveHookState| if asks { state.spec.reason() } else { state.spec.id.clone() };
            self.hooks.iter().filter(counts).map(named).collect()
        };
        let (asks, allows) = (voters(true), voters(false));
        let decision = match answer {
            _ if !self.denials.is_empty() => Decision::Deny,
            _ if asks.is_empty() => Decision::Allow,
            ApprovalResponse::Approved { .. } | ApprovalResponse::Granted { .. } => Decision::Allow,
            ApprovalResponse::Deferred => Decision::Ask,
            ApprovalResponse::Refused { .. } | ApprovalResponse::Unavailable => Decision::Deny,
        };
        let denied = !self.denials.is_empty();
        let mut steps = self.steps;
        if !denied && !asks.is_empty() {
            steps.push(JournaledStep::ApprovalAnswered(Payload::new(self.value.clone()).digest(), asks.clone()));
        }
        let effects = self.hooks.iter().filter(|state| state.effect).map(|state| state.spec.id.clone()).collect();
        ExpectedOutcome {
            decision,
            approved: decision == Decision::Allow && !allows.is_empty(),
            rewritten: self.value != *self.event.payload.value(),
            payload: self.value,
            has_approval: !denied && !asks.is_empty() && decision == Decision::Allow,
            reasons: if denied {
                self.denials
            } else if asks.is_empty() {
                allows
            } else {
                asks
            },
            effects,
            failures: self.failures,
            shadow: self.shadow,
            steps,
        }
    }
}
