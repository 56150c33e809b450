//! Hooks as data: what the engine and the naive fold both run.

use std::sync::Arc;

use pintle_contract::{
    Cancel, Chain, Clock, Effect, Event, EventName, Failure, FailureKind, FailurePolicy, Hook, Journal, Layer, Match,
    Mode, NoJournal, Origin, Outcome, Profile, Resolution, Resolver, Rewrite, Said, Seam, Verdict,
};
use pintle_engine::{HookSet, Surroundings, dispatch};
use pintle_testkit::{ClosureMatcher, FakeClock, MapSeam, Scripted, ScriptedResolver, SubjectMatcher};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// A question about a payload.
#[derive(Debug, Clone)]
pub(crate) enum Is {
    Always,
    Named(&'static str),
    X(i64),
}

impl Is {
    pub(crate) fn holds(&self, payload: &Value) -> bool {
        match self {
            Self::Always => true,
            Self::Named(name) => payload.get("name").and_then(Value::as_str) == Some(name),
            Self::X(x) => {
                let args = payload.get("args").unwrap_or(payload);
                args.get("x").and_then(Value::as_i64) == Some(*x)
            }
        }
    }
}

/// What a hook says.
#[derive(Debug, Clone)]
pub(crate) enum Says {
    Pass,
    Allow,
    Ask,
    Deny,
    Fail,
    Panic,
    Set(Value),
    Replace(Value),
}

/// When a hook wants an event.
#[derive(Debug, Clone)]
pub(crate) enum Wanted {
    Always,
    Names(Vec<&'static str>, bool),
    When(Is),
    FailsWhen(Is),
    PanicsWhen(Is),
}

/// A hook: says `then` where `is` holds and `otherwise` where it does not.
#[derive(Debug, Clone)]
pub(crate) struct Spec {
    pub(crate) id: String,
    pub(crate) wanted: Wanted,
    pub(crate) is: Is,
    pub(crate) then: Says,
    pub(crate) otherwise: Says,
    pub(crate) guard: bool,
    pub(crate) closed: bool,
    pub(crate) strict: bool,
    pub(crate) shadow: bool,
}

/// A chain of them.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    pub(crate) layer: Layer,
    pub(crate) profile: Profile,
    pub(crate) hooks: Vec<Spec>,
}

impl Spec {
    /// An enforced, closed guard that always says the same.
    pub(crate) fn says(id: &str, says: Says) -> Self {
        Self::when(id, Is::Always, says, Says::Pass)
    }

    pub(crate) fn when(id: &str, is: Is, then: Says, otherwise: Says) -> Self {
        Self {
            id: id.to_owned(),
            wanted: Wanted::Always,
            is,
            then,
            otherwise,
            guard: true,
            closed: true,
            strict: false,
            shadow: false,
        }
    }

    pub(crate) fn answer(&self, payload: &Value) -> &Says {
        if self.is.holds(payload) { &self.then } else { &self.otherwise }
    }

    pub(crate) fn verdict(&self, payload: &Value) -> Verdict {
        let why = format!("{} says so", self.id);
        let said = match self.answer(payload) {
            Says::Pass => Said::Pass,
            Says::Allow => Said::Allow { reason: why },
            Says::Ask => Said::Ask { reason: why },
            Says::Deny => Said::Deny { reason: why },
            Says::Fail => Said::Failed(Failure::new(FailureKind::Error, why)),
            Says::Panic => panic!("{why}"),
            Says::Set(fields) => Said::Rewrite(Rewrite::Fields(fields.as_object().cloned().unwrap_or_else(Map::new))),
            Says::Replace(value) => Said::Rewrite(Rewrite::Whole(value.clone())),
        };
        Verdict::new(said).with(Effect::Notice(self.id.clone())).warn(format!("{} warns", self.id))
    }

    pub(crate) fn policy(&self) -> FailurePolicy {
        if self.closed { FailurePolicy::Closed } else { FailurePolicy::Open }
    }

    /// The hook for the engine, with the handler that runs it.
    pub(crate) fn build(&self, event: &EventName) -> (Hook, Arc<Scripted>) {
        let spec = self.clone();
        let handler = Scripted::with(move |call| spec.verdict(call.event.payload.value()));
        (self.build_with(event, handler.clone()), handler)
    }

    pub(crate) fn build_with(&self, event: &EventName, handler: Arc<Scripted>) -> Hook {
        Hook {
            matcher: match self.wanted.clone() {
                Wanted::Always => None,
                Wanted::Names(names, true) => Some(SubjectMatcher::new(names)),
                Wanted::Names(names, false) => Some(SubjectMatcher::checked(names)),
                Wanted::When(is) => Some(ClosureMatcher::new(move |event| match is.holds(event.payload.value()) {
                    true => Match::Yes,
                    false => Match::No,
                })),
                Wanted::FailsWhen(is) => {
                    Some(ClosureMatcher::new(move |event| match is.holds(event.payload.value()) {
                        true => Match::Failed(Failure::new(FailureKind::Error, "no such key")),
                        false => Match::Yes,
                    }))
                }
                Wanted::PanicsWhen(is) => {
                    Some(ClosureMatcher::new(move |event| match is.holds(event.payload.value()) {
                        true => panic!("matcher bug"),
                        false => Match::Yes,
                    }))
                }
            },
            guard: self.guard,
            on_failure: self.policy(),
            on_deny: pintle_contract::OnDeny::default(),
            definition: None,
            strict_matcher: self.strict,
            mode: if self.shadow { Mode::Shadow } else { Mode::Enforce },
            ..pintle_testkit::hook(&self.id, event.clone(), handler)
        }
    }
}

/// The engine's set of these chains.
pub(crate) fn set(chains: &[Links], event: &EventName) -> HookSet {
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
pub(crate) struct World<'w> {
    pub(crate) journal: &'w dyn Journal,
    pub(crate) seam: &'w dyn Seam,
    pub(crate) resolver: &'w dyn Resolver,
    pub(crate) shadow: bool,
    pub(crate) cancel: Cancel,
}

impl World<'_> {
    pub(crate) fn dispatch(&self, set: &HookSet, event: &Event) -> Outcome {
        let clock = FakeClock::new();
        let around = Surroundings {
            journal: self.journal,
            clock: &clock as &dyn Clock,
            seam: self.seam,
            resolver: self.resolver,
            cancel: &self.cancel,
            shadow: self.shadow,
        };
        dispatch(set, event, &around)
    }
}

/// Dispatches in a world where asks are answered like this and nothing is kept.
pub(crate) fn run(set: &HookSet, event: &Event, answer: &Resolution) -> Outcome {
    let (seam, resolver) = (MapSeam::new(), ScriptedResolver::new(answer.clone()));
    World { journal: &NoJournal, seam: &seam, resolver: &resolver, shadow: false, cancel: Cancel::default() }
        .dispatch(set, event)
}

pub(crate) fn event(name: &str, payload: Value) -> Event {
    Event::new(EventName::parse(name).unwrap(), payload, Arc::new(Origin::default()))
}

/// A `tool.pre` for a tool with `{"x": x, "y": 0}`.
pub(crate) fn tool(name: &str, x: i64) -> Event {
    let args = json!({"x": x, "y": 0});
    event("tool.pre", json!({"id": "c1", "name": name, "arguments": args.to_string(), "args": args}))
}

/// A rewrite of the arguments to `{"x": x, "y": 0}`.
pub(crate) fn set_x(x: i64) -> Says {
    Says::Set(json!({"args": {"x": x, "y": 0}}))
}

pub(crate) fn approved() -> Resolution {
    Resolution::Approved { by: String::from("ada") }
}

pub(crate) const PROFILES: [Profile; 4] =
    [Profile::SequentialFirstDeny, Profile::SequentialRunAll, Profile::ParallelStrictest, Profile::ParallelUnanimous];

pub(crate) const LAYERS: [Layer; 5] = [Layer::Managed, Layer::User, Layer::Project, Layer::Agent, Layer::Runtime];

pub(crate) fn any_is() -> impl Strategy<Value = Is> {
    prop_oneof![Just(Is::Always), select(vec!["a", "b"]).prop_map(Is::Named), (0..3_i64).prop_map(Is::X)]
}

/// What a hook may say when it does not rewrite.
pub(crate) fn any_plain() -> impl Strategy<Value = Says> {
    select(vec![Says::Pass, Says::Pass, Says::Allow, Says::Allow, Says::Ask, Says::Deny, Says::Fail, Says::Panic])
}

pub(crate) fn any_rewrite() -> impl Strategy<Value = Says> {
    prop_oneof![
        3 => (0..3_i64).prop_map(set_x),
        2 => select(vec!["a", "b", "c"]).prop_map(|name| Says::Set(json!({"name": name}))),
        1 => (0..3_i64).prop_map(|x| Says::Set(json!({"arguments": format!("{{\"x\": {x}}}")}))),
        1 => (0..3_i64).prop_map(|x| Says::Replace(json!({"id": "c1", "name": "a", "args": {"x": x}}))),
        1 => select(vec![
            Says::Set(json!({"id": "other"})),
            Says::Set(json!({"args": 3})),
            Says::Set(json!({"nmae": "b", "name": "b"})),
            Says::Set(json!({})),
            Says::Replace(json!("text")),
            Says::Replace(Value::Null),
        ]),
    ]
}

pub(crate) fn any_says() -> impl Strategy<Value = Says> {
    prop_oneof![any_plain(), any_rewrite()]
}

pub(crate) fn any_wanted() -> impl Strategy<Value = Wanted> {
    let names = select(vec![vec!["a"], vec!["b"], vec!["a", "b"], vec!["z"], vec![], vec!["c", "c"]]);
    prop_oneof![
        4 => Just(Wanted::Always),
        3 => (names, any::<bool>()).prop_map(|(names, sufficient)| Wanted::Names(names, sufficient)),
        2 => any_is().prop_map(Wanted::When),
        1 => any_is().prop_map(Wanted::FailsWhen),
        1 => any_is().prop_map(Wanted::PanicsWhen),
    ]
}

/// Any hook at all.
pub(crate) fn any_spec() -> impl Strategy<Value = Spec> {
    let answers = (any_is(), any_says(), any_says());
    let options = (prop::bool::weighted(0.7), any::<bool>(), prop::bool::weighted(0.2), prop::bool::weighted(0.15));
    (any_wanted(), answers, options).prop_map(|(wanted, (is, then, otherwise), (guard, closed, strict, shadow))| Spec {
        id: String::new(),
        wanted,
        is,
        then,
        otherwise,
        guard,
        closed,
        strict,
        shadow,
    })
}

/// A hook that says the same of every payload, wants every one and rewrites none.
pub(crate) fn any_steady() -> impl Strategy<Value = Spec> {
    (any_spec(), any_plain()).prop_map(|(spec, says)| Spec {
        wanted: Wanted::Always,
        is: Is::Always,
        then: says,
        ..spec
    })
}

/// Chains of hooks; each hook gets a name of its own, in the order written.
pub(crate) fn any_chains(hook: impl Strategy<Value = Spec>) -> impl Strategy<Value = Vec<Links>> {
    let links = (select(LAYERS.to_vec()), select(PROFILES.to_vec()), prop::collection::vec(hook, 0..4));
    let links = links.prop_map(|(layer, profile, hooks)| Links { layer, profile, hooks });
    prop::collection::vec(links, 0..4).prop_map(|mut chains| {
        for (number, spec) in chains.iter_mut().flat_map(|links| &mut links.hooks).enumerate() {
            spec.id = format!("h{number}");
        }
        chains
    })
}

pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (select(vec!["a", "b", "c"]), 0..3_i64).prop_map(|(name, x)| tool(name, x)),
        2 => (0..3_i64).prop_map(|x| event("custom.deploy", json!({"name": "a", "x": x}))),
        1 => select(vec![json!("text"), json!(null), json!([1])]).prop_map(|value| event("custom.deploy", value)),
        1 => Just(event("session.start", json!({"source": "a", "cwd": "/"}))),
        1 => select(vec![json!({"name": 7, "args": {}}), json!("text"), json!({})])
            .prop_map(|value| event("tool.pre", value)),
    ]
}

pub(crate) fn any_answer() -> impl Strategy<Value = Resolution> {
    select(vec![approved(), Resolution::Refused { by: String::from("ada") }, Resolution::Deferred, Resolution::Nobody])
}

/// One chain of these hooks.
pub(crate) fn links(layer: Layer, profile: Profile, hooks: impl IntoIterator<Item = Spec>) -> Links {
    Links { layer, profile, hooks: hooks.into_iter().collect() }
}

/// What an outcome came to, in a line: decision, the arguments' `x`, and who gave the reasons.
pub(crate) fn told(outcome: &Outcome) -> String {
    let x = outcome.payload.field("args").and_then(|args| args.get("x")).cloned().unwrap_or_default();
    let who: Vec<&str> = outcome.reasons.iter().map(|reason| reason.hook.as_str()).collect();
    format!("{} x={x} {}", outcome.decision, who.join(" ")).trim_end().to_owned()
}
