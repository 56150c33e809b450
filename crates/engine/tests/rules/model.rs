//! Hooks as data: what the engine and the naive fold both run.

use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, Approver, CancelToken, Chain, Clock, DenyEffect, Effect, EffectRunner, EnforcementMode, Event,
    EventCause, EventName, Failure, FailureKind, FailurePolicy, Hook, Journal, Layer, LimitKind, MatchResult,
    NullJournal, Origin, Outcome, Profile, Rewrite, Verdict, VerdictKind,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_testkit::{ClosureMatcher, FakeClock, InMemoryEffects, ScriptedApprover, ScriptedHandler, SubjectMatcher};
use serde_json::{Map, Value, json};

/// A question about a payload.
#[derive(Debug, Clone)]
pub(crate) enum PayloadCondition {
    Always,
    ToolNamed(&'static str),
    XEquals(i64),
}

impl PayloadCondition {
    pub(crate) fn holds(&self, payload: &Value) -> bool {
        match self {
            Self::Always => true,
            Self::ToolNamed(name) => payload.get("name").and_then(Value::as_str) == Some(name),
            Self::XEquals(x) => {
                let args = payload.get("args").unwrap_or(payload);
                args.get("x").and_then(Value::as_i64) == Some(*x)
            }
        }
    }
}

/// What a hook says.
#[derive(Debug, Clone)]
pub(crate) enum ScriptedAnswer {
    Pass,
    Allow,
    Ask,
    Deny,
    Fail,
    Panic,
    Set(Value),
    Replace(Value),
    /// A rewrite that builds on what there is, so that it does something each time: it adds to `x` and leaves the rest.
    Add(i64),
    /// An allow, or an ask, of the target that a `Set` or `Replace` makes.
    AllowRewritten(Box<ScriptedAnswer>),
    AskRewritten(Box<ScriptedAnswer>),
}

impl ScriptedAnswer {
    /// What this is about a payload: a rewrite that builds on what there is becomes the rewrite that it makes of it.
    pub(crate) fn resolve_rewrite(&self, payload: &Value) -> Self {
        match self {
            Self::Add(n) => {
                let x = payload.get("args").unwrap_or(payload).get("x").and_then(Value::as_i64).unwrap_or_default();
                match payload.get("args") {
                    Some(Value::Object(args)) => {
                        let mut args = args.clone();
                        args.insert(String::from("x"), json!(x + n));
                        Self::Set(json!({"args": args}))
                    }
                    _ => Self::Set(json!({"x": x + n})),
                }
            }
            Self::AllowRewritten(rewrite) => Self::AllowRewritten(Box::new(rewrite.resolve_rewrite(payload))),
            Self::AskRewritten(rewrite) => Self::AskRewritten(Box::new(rewrite.resolve_rewrite(payload))),
            other => other.clone(),
        }
    }

    /// Whether this may change a target.
    pub(crate) fn may_rewrite(&self) -> bool {
        matches!(self, Self::Set(_) | Self::Replace(_) | Self::Add(_) | Self::AllowRewritten(_) | Self::AskRewritten(_))
    }

    /// The rewrite, as a value and whether it is of the whole payload.
    pub(crate) fn rewrite(&self) -> Option<(&Value, bool)> {
        match self {
            Self::Set(fields) => Some((fields, false)),
            Self::Replace(value) => Some((value, true)),
            Self::AllowRewritten(rewrite) | Self::AskRewritten(rewrite) => rewrite.rewrite(),
            _ => None,
        }
    }
}

/// When a hook wants an event.
#[derive(Debug, Clone)]
pub(crate) enum MatcherFixture {
    Always,
    Names(Vec<&'static str>, bool),
    When(PayloadCondition),
    FailsWhen(PayloadCondition),
    /// The matcher runs into a limit.
    LimitWhen(PayloadCondition),
    PanicsWhen(PayloadCondition),
}

/// A hook: says `then` where `is` holds and `otherwise` where it does not.
#[derive(Debug, Clone)]
pub(crate) struct HookCase {
    pub(crate) id: String,
    pub(crate) matcher: MatcherFixture,
    pub(crate) condition: PayloadCondition,
    pub(crate) then: ScriptedAnswer,
    pub(crate) otherwise: ScriptedAnswer,
    pub(crate) guard: bool,
    pub(crate) closed: bool,
    pub(crate) strict: bool,
    pub(crate) shadow: bool,
    /// Whether its deny ends the run.
    pub(crate) stops: bool,
    /// Hooks of one definition are the same.
    pub(crate) definition: Option<&'static str>,
}

/// A chain of them.
#[derive(Debug, Clone)]
pub(crate) struct ChainFixture {
    pub(crate) layer: Layer,
    pub(crate) profile: Profile,
    pub(crate) hooks: Vec<HookCase>,
}

impl HookCase {
    /// An enforced, closed guard that always says the same.
    pub(crate) fn always(id: &str, says: ScriptedAnswer) -> Self {
        Self::new(id, PayloadCondition::Always, says, ScriptedAnswer::Pass)
    }

    pub(crate) fn new(id: &str, is: PayloadCondition, then: ScriptedAnswer, otherwise: ScriptedAnswer) -> Self {
        Self {
            id: id.to_owned(),
            matcher: MatcherFixture::Always,
            condition: is,
            then,
            otherwise,
            guard: true,
            closed: true,
            strict: false,
            shadow: false,
            stops: false,
            definition: None,
        }
    }

    pub(crate) fn answer(&self, payload: &Value) -> ScriptedAnswer {
        if self.condition.holds(payload) {
            self.then.resolve_rewrite(payload)
        } else {
            self.otherwise.resolve_rewrite(payload)
        }
    }

    pub(crate) fn verdict(&self, payload: &Value) -> Verdict {
        let why = format!("{} says so", self.id);
        let says = self.answer(payload);
        let rewrite = says.rewrite().map(|(value, whole)| match whole {
            true => Rewrite::Whole(value.clone()),
            false => Rewrite::Fields(value.as_object().cloned().unwrap_or_else(Map::new)),
        });
        let said = match &says {
            ScriptedAnswer::Pass => VerdictKind::Pass,
            ScriptedAnswer::Allow | ScriptedAnswer::AllowRewritten(_) => VerdictKind::Allow { reason: why },
            ScriptedAnswer::Ask | ScriptedAnswer::AskRewritten(_) => VerdictKind::Ask { reason: why },
            ScriptedAnswer::Deny => VerdictKind::Deny { reason: why },
            ScriptedAnswer::Fail => VerdictKind::Failed(Failure::new(FailureKind::Error, why)),
            ScriptedAnswer::Panic => panic!("{why}"),
            // `rewriting` makes a rewrite of it.
            ScriptedAnswer::Set(_) | ScriptedAnswer::Replace(_) | ScriptedAnswer::Add(_) => VerdictKind::Pass,
        };
        let verdict =
            Verdict::new(said).with_effect(Effect::Notice(self.id.clone())).with_warning(format!("{} warns", self.id));
        rewrite.into_iter().fold(verdict, Verdict::with_rewrite)
    }

    /// The hook as it stands in a reason.
    pub(crate) fn reason(&self) -> String {
        let ends = if self.stops { "!" } else { "" };
        format!("{}{ends}", self.id)
    }

    pub(crate) fn failure_policy(&self) -> FailurePolicy {
        if self.closed { FailurePolicy::Closed } else { FailurePolicy::Open }
    }

    /// The hook for the engine, with the handler that runs it.
    pub(crate) fn build(&self, event: &EventName) -> (Hook, Arc<ScriptedHandler>) {
        let spec = self.clone();
        let handler = ScriptedHandler::from_fn(move |call| spec.verdict(call.event.payload.value()));
        (self.build_with(event, handler.clone()), handler)
    }

    pub(crate) fn build_with(&self, event: &EventName, handler: Arc<ScriptedHandler>) -> Hook {
        Hook {
            matcher: match self.matcher.clone() {
                MatcherFixture::Always => None,
                MatcherFixture::Names(names, true) => Some(SubjectMatcher::new(names)),
                MatcherFixture::Names(names, false) => Some(SubjectMatcher::new_checked(names)),
                MatcherFixture::When(is) => {
                    Some(ClosureMatcher::new(move |event| match is.holds(event.payload.value()) {
                        true => MatchResult::Yes,
                        false => MatchResult::No,
                    }))
                }
                MatcherFixture::FailsWhen(is) => {
                    Some(ClosureMatcher::new(move |event| match is.holds(event.payload.value()) {
                        true => MatchResult::Failed(Failure::new(FailureKind::Error, "no such key")),
                        false => MatchResult::Yes,
                    }))
                }
                MatcherFixture::LimitWhen(is) => {
                    Some(ClosureMatcher::new(move |event| match is.holds(event.payload.value()) {
                        true => MatchResult::Failed(Failure::new(FailureKind::Limit(LimitKind::Steps), "too long")),
                        false => MatchResult::Yes,
                    }))
                }
                MatcherFixture::PanicsWhen(is) => {
                    Some(ClosureMatcher::new(move |event| match is.holds(event.payload.value()) {
                        true => panic!("matcher bug"),
                        false => MatchResult::Yes,
                    }))
                }
            },
            guard: self.guard,
            on_failure: self.failure_policy(),
            on_deny: if self.stops { DenyEffect::StopRun } else { DenyEffect::DenyEvent },
            definition: self.definition.map(Into::into),
            strict_matcher: self.strict,
            mode: if self.shadow { EnforcementMode::Shadow } else { EnforcementMode::Enforce },
            ..pintle_testkit::hook(&self.id, event.clone(), handler)
        }
    }
}

/// The engine's set of these chains.
pub(crate) fn build_set(chains: &[ChainFixture], event: &EventName) -> HookSet {
    HookSet::new(
        chains
            .iter()
            .map(|links| {
                let hooks = links.hooks.iter().map(|spec| spec.build(event).0);
                pintle_testkit::chain(links.layer, links.profile, hooks)
            })
            .collect::<Vec<Chain>>(),
    )
}

/// A world for one dispatch.
#[derive(Debug)]
pub(crate) struct DispatchFixture<'w> {
    pub(crate) journal: &'w dyn Journal,
    pub(crate) effects: &'w dyn EffectRunner,
    pub(crate) approver: &'w dyn Approver,
    pub(crate) shadow: bool,
    pub(crate) cancel: CancelToken,
}

impl DispatchFixture<'_> {
    pub(crate) fn dispatch(&self, set: &HookSet, event: &Event) -> Outcome {
        let clock = FakeClock::new();
        let context = DispatchContext {
            journal: self.journal,
            clock: &clock as &dyn Clock,
            effects: self.effects,
            approver: self.approver,
            cancel: &self.cancel,
            shadow: self.shadow,
            cause: EventCause::default(),
            memory: None,
        };
        dispatch(set, event, &context)
    }
}

/// Dispatches in a world where asks are answered like this and nothing is kept.
pub(crate) fn run_dispatch(set: &HookSet, event: &Event, answer: &ApprovalResponse) -> Outcome {
    let (seam, resolver) = (InMemoryEffects::new(), ScriptedApprover::new(answer.clone()));
    DispatchFixture {
        journal: &NullJournal,
        effects: &seam,
        approver: &resolver,
        shadow: false,
        cancel: CancelToken::default(),
    }
    .dispatch(set, event)
}

pub(crate) fn event(name: &str, payload: Value) -> Event {
    Event::new(EventName::parse(name).unwrap(), payload, Arc::new(Origin::default()))
}

/// A `tool.pre` for a tool with `{"x": x, "y": 0}`.
pub(crate) fn tool_event(name: &str, x: i64) -> Event {
    let args = json!({"x": x, "y": 0});
    event("tool.pre", json!({"id": "c1", "name": name, "arguments": args.to_string(), "args": args}))
}

/// A rewrite of the arguments to `{"x": x, "y": 0}`.
pub(crate) fn set_x(x: i64) -> ScriptedAnswer {
    ScriptedAnswer::Set(json!({"args": {"x": x, "y": 0}}))
}

pub(crate) fn approved_response() -> ApprovalResponse {
    ApprovalResponse::Approved { answered_by: String::from("ada") }
}

pub(crate) const PROFILES: [Profile; 5] = [
    Profile::SequentialFirstDeny,
    Profile::SequentialRunAll,
    Profile::ParallelStrictest,
    Profile::ParallelMerge,
    Profile::ParallelUnanimous,
];

pub(crate) const LAYERS: [Layer; 5] = [Layer::Managed, Layer::User, Layer::Project, Layer::Agent, Layer::Runtime];

/// One chain of these hooks.
pub(crate) fn build_chain(layer: Layer, profile: Profile, hooks: impl IntoIterator<Item = HookCase>) -> ChainFixture {
    ChainFixture { layer, profile, hooks: hooks.into_iter().collect() }
}

/// What an outcome came to, in a line: decision, the arguments' `x`, and who gave the reasons.
pub(crate) fn summarize_outcome(outcome: &Outcome) -> String {
    let x = outcome.payload.field("args").and_then(|args| args.get("x")).cloned().unwrap_or_default();
    let who: Vec<&str> = outcome.reasons.iter().map(|reason| reason.hook.as_str()).collect();
    format!("{} x={x} {}", outcome.decision, who.join(" ")).trim_end().to_owned()
}
