//! Benchmarks a dispatch: it should cost nothing without hooks, and only the cost of the hooks that match.

use std::process::ExitCode;
use std::sync::Arc;

use pintle_contract::{
    CancelToken, Chain, Clock, Event, EventCause, EventName, Handler, Hook, HookCall, Layer, NoApprover, NoEffects,
    NullJournal, Origin, Profile, Verdict,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_testkit::RunningClock;
use pintle_testkit::bench::{BenchBound, BenchReport};
use pintle_testkit::{SubjectMatcher, chain, hook};
use serde_json::{Value, json};

/// A handler that does nothing, so that only the engine is measured.
#[derive(Debug)]
struct IdleHandler;

impl Handler for IdleHandler {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::pass()
    }
}

fn idle_hook(id: &str, event: &EventName) -> Hook {
    hook(id, event.clone(), Arc::new(IdleHandler))
}

fn tool_hook(id: &str, event: &EventName, tools: &[&str]) -> Hook {
    Hook { matcher: Some(SubjectMatcher::new(tools.iter().copied())), ..idle_hook(id, event) }
}

fn build_chain(profile: Profile, hooks: impl IntoIterator<Item = Hook>) -> Chain {
    chain(Layer::Project, profile, hooks)
}

fn main() -> ExitCode {
    let Ok(tool_pre) = EventName::parse("tool.pre") else {
        return ExitCode::FAILURE;
    };
    let event = Event::new(tool_pre.clone(), tool_pre.def().example(), Arc::new(Origin::default()));
    let large = json!({"id": "1", "name": "run_command", "arguments": "{}", "args": {"text": "x".repeat(200_000)}});
    let large: Event = event.with_payload(Value::into(large));
    let (clock, cancel) = (RunningClock::start(), CancelToken::default());
    let context = DispatchContext {
        journal: &NullJournal,
        clock: &clock,
        effects: &NoEffects,
        approver: &NoApprover,
        cancel: &cancel,
        shadow: false,
        cause: EventCause::default(),
        memory: None,
    };

    let pair = || [tool_hook("a", &tool_pre, &["run_command"]), idle_hook("b", &tool_pre)];
    let others = |count: usize| {
        let tool_pre = tool_pre.clone();
        (0..count).map(move |number| tool_hook(&format!("h{number}"), &tool_pre, &[&format!("tool_{number}")]))
    };
    let none = HookSet::empty();
    let stack = HookSet::new(vec![build_chain(Profile::SequentialFirstDeny, pair())]);
    let mixed = HookSet::new(vec![build_chain(Profile::SequentialFirstDeny, pair().into_iter().chain(others(1_000)))]);
    let in_chains = |hooks: &mut dyn Iterator<Item = Hook>| {
        HookSet::new(hooks.map(|one| build_chain(Profile::SequentialFirstDeny, [one])).collect())
    };
    let two_chains = in_chains(&mut pair().into_iter());
    let many_chains = in_chains(&mut others(1_000).chain(pair()));
    let together = HookSet::new(vec![build_chain(Profile::ParallelStrictest, pair())]);
    let fire = |set: &HookSet, event: &Event| dispatch(set, event, &context);
    // The cost of two calls that the engine cannot avoid: each is measured from start to end.
    let bare = || {
        let mut spent_us = 0;
        for _ in 0..2 {
            let start = clock.monotonic_us();
            let verdict = std::hint::black_box(Verdict::pass());
            spent_us += clock.monotonic_us() - start;
            drop(std::hint::black_box(verdict));
        }
        spent_us
    };

    let mut report = BenchReport::new("dispatch of tool.pre through hooks that do nothing");
    report.compare("no hooks", BenchBound::AtMostNs(100.0), || fire(&none, &event), bare);
    let timed = BenchBound::AtMostTimes(3.5);
    let two = report.compare("two hooks in order, against bare timed calls", timed, || fire(&stack, &event), bare);
    report.check("the engine's own share of that", BenchBound::None, two.thing_ns - two.floor_ns);
    report.compare(
        "two hooks at once, against in order",
        BenchBound::None,
        || fire(&together, &event),
        || fire(&stack, &event),
    );
    let bar = BenchBound::AtMostTimes(1.10);
    report.compare(
        "1,000 others in the chain, against two alone",
        bar,
        || fire(&mixed, &event),
        || fire(&stack, &event),
    );
    report.compare(
        "two chains of one hook, against one chain of two",
        BenchBound::None,
        || fire(&two_chains, &event),
        || fire(&stack, &event),
    );
    // Each chain that has a hook for the event costs something; those that have none must not.
    report.compare(
        "1,000 others in chains, against two alone",
        bar,
        || fire(&many_chains, &event),
        || fire(&two_chains, &event),
    );
    report.compare("a payload of 200 KB, against a small one", bar, || fire(&stack, &large), || fire(&stack, &event));
    report.finish()
}
