//! Guards see the final bytes.

use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, CancelToken, Effect, EffectReply, EffectRequest, Event, Hook, Layer, Outcome, Profile, Verdict,
};
use pintle_engine::{HookSet, MAX_ROUNDS};
use pintle_testkit::{InMemoryEffects, LineJournal, ScriptedApprover, ScriptedHandler};
use serde_json::{Value, json};

use crate::model::{
    DispatchFixture, HookCase, MatcherFixture, PayloadCondition, ScriptedAnswer, build_chain, build_set, run_dispatch,
    set_x, summarize_outcome, tool_event,
};

fn rewriter(id: &str, x: i64) -> HookCase {
    HookCase { guard: false, ..HookCase::always(id, set_x(x)) }
}

const IN_ORDER: Profile = Profile::SequentialFirstDeny;

fn one_chain(event: &Event, profile: Profile, hooks: Vec<Hook>) -> HookSet {
    assert!(hooks.iter().all(|hook| hook.event == event.name));
    HookSet::new(vec![pintle_testkit::chain(Layer::Project, profile, hooks)])
}

#[test]
fn rule_21_a_guard_judges_again_what_changed_after_it() {
    let event = tool_event("a", 0);
    let guard = || HookCase::new("g", PayloadCondition::XEquals(1), ScriptedAnswer::Deny, ScriptedAnswer::Pass);
    // In one chain, in the same parallel chain, and across layers.
    let cases = [
        vec![build_chain(Layer::Project, IN_ORDER, [guard(), rewriter("w", 1)])],
        vec![build_chain(Layer::Project, Profile::SequentialRunAll, [guard(), rewriter("w", 1)])],
        vec![build_chain(Layer::Project, Profile::ParallelStrictest, [guard(), rewriter("w", 1)])],
        vec![build_chain(Layer::Project, Profile::ParallelStrictest, [rewriter("w", 1), guard()])],
        vec![
            build_chain(Layer::Managed, IN_ORDER, [guard()]),
            build_chain(Layer::Runtime, IN_ORDER, [rewriter("w", 1)]),
        ],
    ];
    for chains in cases {
        assert_eq!(
            summarize_outcome(&run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable)),
            "deny x=1 g",
            "{chains:#?}"
        );
    }
}

#[test]
fn rule_22_a_guard_that_was_passed_over_is_matched_again() {
    let event = tool_event("a", 0);
    let rename = HookCase { guard: false, ..HookCase::always("w", ScriptedAnswer::Set(json!({"name": "b"}))) };
    for wanted in [
        MatcherFixture::Names(vec!["b"], true),
        MatcherFixture::Names(vec!["b"], false),
        MatcherFixture::When(PayloadCondition::ToolNamed("b")),
        MatcherFixture::FailsWhen(PayloadCondition::ToolNamed("a")),
    ] {
        let guard = HookCase { matcher: wanted, ..HookCase::always("g", ScriptedAnswer::Deny) };
        let chains = [build_chain(Layer::Project, IN_ORDER, [guard, rename.clone()])];
        let outcome = run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
        assert_eq!(summarize_outcome(&outcome), "deny x=0 g", "{chains:#?}");
    }
}

#[test]
fn rule_23_a_settled_guard_is_not_asked_again() {
    let event = tool_event("a", 0);
    let after = json!({"id": "c1", "name": "a", "arguments": r#"{"x":1,"y":0}"#, "args": {"x": 1, "y": 0}});
    let before = event.payload.value().clone();
    let guard = || HookCase::always("g", ScriptedAnswer::Pass).build(&event.name);
    let ((early, early_calls), (late, late_calls)) = (guard(), guard());
    let (own, own_calls) = HookCase::always("o", set_x(1)).build(&event.name);
    let (watcher, watcher_calls) =
        HookCase { guard: false, ..HookCase::always("v", ScriptedAnswer::Pass) }.build(&event.name);
    let outcome = run_dispatch(
        &one_chain(&event, IN_ORDER, vec![watcher, early, own, late]),
        &event,
        &ApprovalResponse::Unavailable,
    );
    assert_eq!(summarize_outcome(&outcome), "allow x=1");
    // It judged the old bytes: asked twice.
    early_calls.check_calls(&[before.clone(), after.clone()]).unwrap();
    // It made the final bytes, or saw nothing else: asked once.
    own_calls.check_calls(std::slice::from_ref(&before)).unwrap();
    late_calls.check_calls(&[after]).unwrap();
    // It cannot deny: asked once, whatever came after.
    watcher_calls.check_calls(&[before]).unwrap();
}

#[test]
fn rule_24_guards_that_never_settle_deny_after_three_rounds() {
    let event = tool_event("a", 0);
    // Each guard has something to rewrite only after the one behind it did.
    let climb =
        |id: &str, from: i64| HookCase::new(id, PayloadCondition::XEquals(from), set_x(from + 1), ScriptedAnswer::Pass);
    let chains = [build_chain(
        Layer::Project,
        IN_ORDER,
        [climb("e", 4), climb("d", 3), climb("c", 2), climb("b", 1), climb("a", 0)],
    )];
    let outcome = run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
    assert_eq!(
        outcome.reason(),
        "blocked by hook \"d\": denied because hook `d` changed the payload after guard `e` had checked it, \
         in 3 recheck rounds; the guard has not checked the final payload"
    );
    // A guard that settles in the last round is heard.
    let settling = [build_chain(Layer::Project, IN_ORDER, [climb("c", 2), climb("b", 1), climb("a", 0)])];
    assert_eq!(
        summarize_outcome(&run_dispatch(&build_set(&settling, &event.name), &event, &ApprovalResponse::Unavailable)),
        "allow x=3"
    );
    assert_eq!(MAX_ROUNDS, 3);
}

#[test]
fn rule_25_a_deny_is_final_and_nobody_is_asked_again() {
    let event = tool_event("a", 0);
    let (guard, calls) = HookCase::always("g", ScriptedAnswer::Pass).build(&event.name);
    let hooks = vec![
        guard,
        rewriter("w", 1).build(&event.name).0,
        HookCase::always("d", ScriptedAnswer::Deny).build(&event.name).0,
    ];
    for profile in [IN_ORDER, Profile::SequentialRunAll, Profile::ParallelStrictest] {
        let before = calls.calls().len();
        let outcome = run_dispatch(&one_chain(&event, profile, hooks.clone()), &event, &ApprovalResponse::Unavailable);
        assert_eq!(
            (summarize_outcome(&outcome).split(' ').next(), calls.calls().len()),
            (Some("deny"), before + 1),
            "{profile}"
        );
    }
}

fn dispatch_with_journal(set: &HookSet, event: &Event, effects: &InMemoryEffects, journal: &LineJournal) -> Outcome {
    let resolver = ScriptedApprover::new(ApprovalResponse::Unavailable);
    DispatchFixture { journal, effects, approver: &resolver, shadow: false, cancel: CancelToken::default() }
        .dispatch(set, event)
}

#[test]
fn rule_26_a_repeated_call_leaves_no_effect_but_its_verdict() {
    let event = tool_event("a", 0);
    let replies = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = Arc::clone(&replies);
    let guard = ScriptedHandler::from_fn(move |call| {
        let ask = |request| call.effects.perform(call.caller(), request);
        let text = String::from;
        let mut heard = heard.lock().unwrap();
        heard.push(call.effects.metric_incr(call.caller(), "calls", 1).map(EffectReply::Int));
        heard.push(ask(EffectRequest::CacheGet { key: text("seen") }));
        heard.push(ask(EffectRequest::CacheSet { key: text("seen"), value: json!(true) }));
        heard.push(ask(EffectRequest::Log { level: pintle_contract::LogLevel::Info, message: text("asked") }));
        heard.push(ask(EffectRequest::Emit { event: text("custom.asked"), payload: json!(1) }));
        heard.push(ask(EffectRequest::ContextSet { key: text("k"), value: Some(json!(1)) }));
        heard.push(ask(EffectRequest::Uuid));
        heard.push(ask(EffectRequest::MetricIncr { name: text("calls"), amount: 1 }));
        Verdict::pass().with_effect(Effect::Notice(text("asked"))).with_warning("asked")
    });
    let guard = HookCase::always("g", ScriptedAnswer::Pass).build_with(&event.name, guard);
    let set = one_chain(&event, IN_ORDER, vec![guard, rewriter("w", 1).build(&event.name).0]);
    let (effects, journal) = (InMemoryEffects::new(), LineJournal::new());
    let outcome = dispatch_with_journal(&set, &event, &effects, &journal);
    // The world was touched once.
    assert_eq!((effects.counter("calls"), effects.log().len(), effects.emitted_events().len()), (2, 1, 1));
    let of_guard = outcome.effects.iter().filter(|(hook, _)| hook.as_str() == "g").count();
    assert_eq!((of_guard, outcome.hooks_called), (1, 2));
    assert_eq!(outcome.warnings.iter().filter(|warning| warning.hook.as_str() == "g").count(), 1);
    // The second time the hook was told what it was told the first time, so that only the target can change its mind.
    let replies = replies.lock().unwrap();
    let (first, second) = replies.split_at(8);
    assert_eq!(first, second);
    // The journal tells the two calls apart.
    let calls: Vec<String> = journal.lines().into_iter().filter(|line| line.starts_with("call ")).collect();
    let heads: Vec<&str> = calls.iter().filter_map(|line| line.split(" Object").next()).collect();
    assert_eq!(heads, ["call 1 g round 0", "call 2 w round 0", "call 3 g round 1"]);
}

#[test]
fn rule_27_a_repeated_call_may_read_but_not_act() {
    let event = tool_event("a", 1);
    let effects = InMemoryEffects::new();
    let guard = ScriptedHandler::from_fn(|call| {
        let again = call.event.payload.field("args") == Some(&json!({"x": 2, "y": 0}));
        if !again {
            return Verdict::pass();
        }
        // None of this was asked the first time, so there is no answer to repeat.
        let text = String::from;
        let asked = [
            EffectRequest::MetricIncr { name: text("n"), amount: 5 },
            EffectRequest::MetricSet { name: text("n"), value: json!(9) },
            EffectRequest::MetricReset { name: None },
            EffectRequest::MetricGet { name: text("n") },
            EffectRequest::CacheDelete { key: Some(text("kept")) },
            EffectRequest::CacheDelete { key: None },
            EffectRequest::CacheGet { key: text("kept") },
            EffectRequest::Sleep { duration_ms: 1 },
            EffectRequest::CallTool { name: text("rm"), arguments: Value::Null },
            EffectRequest::Meta { function: text("register_tool"), arguments: Value::Null },
            EffectRequest::Fs { function: text("read"), arguments: json!({"path": "a.txt"}) },
        ];
        let replies = asked.map(|request| call.effects.perform(call.caller(), request));
        // It decides nothing itself: a denial would keep its effects.
        Verdict::ask(format!("{replies:?}"))
    });
    let guard = HookCase::always("g", ScriptedAnswer::Pass).build_with(&event.name, guard);
    let caller = pintle_contract::EffectCaller::new(pintle_contract::CallId(0), "test");
    let world: &dyn pintle_contract::EffectRunner = &effects;
    world.metric_incr(caller, "n", 1).unwrap();
    world.perform(caller, EffectRequest::CacheSet { key: String::from("kept"), value: json!("v") }).unwrap();
    let set = one_chain(&event, IN_ORDER, vec![guard, rewriter("w", 2).build(&event.name).0]);
    let outcome = dispatch_with_journal(&set, &event, &effects, &LineJournal::new());
    let expected = [
        "Ok(Int(6))",
        "Ok(Done)",
        "Ok(Done)",
        "Ok(Value(Number(1)))",
        "Ok(Value(Bool(true)))",
        "Ok(Value(Bool(true)))",
        r#"Ok(Value(String("v")))"#,
        "Ok(Done)",
        "Err(EffectError(\"not available when a guard is rechecked; decide on the payload alone\"))",
        "Ok(Done)",
        r#"Ok(Value(String("text of a.txt")))"#,
    ];
    let unlifted = "denied because it needs approval and nothing can request one";
    assert_eq!(outcome.reasons[0].text, format!("[{}]; {unlifted}", expected.join(", ")));
    assert_eq!((effects.counter("n"), effects.cache_value("kept")), (1, Some(json!("v"))));
}

#[test]
fn rule_28_a_guard_asked_late_for_the_first_time_keeps_its_effects() {
    let event = tool_event("a", 0);
    let guard = HookCase {
        matcher: MatcherFixture::When(PayloadCondition::XEquals(1)),
        ..HookCase::always("g", ScriptedAnswer::Pass)
    };
    let chains = [build_chain(Layer::Project, IN_ORDER, [guard, rewriter("w", 1)])];
    let outcome = run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
    let who: Vec<&str> = outcome.effects.iter().map(|(hook, _)| hook.as_str()).collect();
    assert_eq!(who, ["g", "w"]);
}

/// A guard that logs, counts and tells of each call, and denies when `x` is 1.
fn counting_guard() -> Arc<ScriptedHandler> {
    ScriptedHandler::from_fn(|call| {
        let text = String::from;
        let log = EffectRequest::Log { level: pintle_contract::LogLevel::Info, message: text("asked") };
        call.effects.perform(call.caller(), log).unwrap();
        call.effects.metric_incr(call.caller(), "calls", 1).unwrap();
        if call.event.payload.field("args") != Some(&json!({"x": 1, "y": 0})) {
            return Verdict::pass().with_effect(Effect::Notice(text("asked")));
        }
        call.effects.metric_incr(call.caller(), "denied", 1).unwrap();
        call.effects.perform(call.caller(), EffectRequest::CacheSet { key: text("why"), value: json!("x") }).unwrap();
        let log = EffectRequest::Log { level: pintle_contract::LogLevel::Warn, message: text("denied") };
        call.effects.perform(call.caller(), log).unwrap();
        let told = Verdict::deny("x is 1").with_effect(Effect::Notice(text("asked")));
        told.with_effect(Effect::Notice(text("denied")))
    })
}

#[test]
fn rule_62_a_denial_on_being_asked_again_keeps_its_effects() {
    let event = tool_event("a", 0);
    let guard = || HookCase::always("g", ScriptedAnswer::Pass).build_with(&event.name, counting_guard());
    let (late, settled) = (rewriter("w", 1).build(&event.name).0, rewriter("v", 2).build(&event.name).0);
    // The hooks, what the guard counts as denied, how often it logs, and its notices.
    let cases = [
        // Asked again about what it denies: what the first call did is not done twice.
        (vec![guard(), late.clone()], 1, 2, vec!["asked", "denied"]),
        // Asked once.
        (vec![late.clone(), guard()], 1, 2, vec!["asked", "denied"]),
        // Asked again and not the one who decides.
        (vec![guard(), late, settled], 0, 1, vec!["asked"]),
    ];
    for (hooks, denied, logs, notices) in cases {
        let effects = InMemoryEffects::new();
        let outcome = dispatch_with_journal(&one_chain(&event, IN_ORDER, hooks), &event, &effects, &LineJournal::new());
        assert_eq!(outcome.is_allowed(), denied == 0);
        assert_eq!((effects.counter("calls"), effects.counter("denied"), effects.log().len()), (1, denied, logs));
        assert_eq!(effects.cache_value("why").is_some(), denied == 1);
        let of_guard = outcome.effects.iter().filter(|(hook, _)| hook.as_str() == "g");
        let told: Vec<&Effect> = of_guard.map(|(_, effect)| effect).collect();
        assert_eq!(
            told,
            notices
                .iter()
                .map(|text| Effect::Notice((*text).to_owned()))
                .collect::<Vec<_>>()
                .iter()
                .collect::<Vec<_>>()
        );
    }
}

#[test]
fn rule_63_a_guard_rewrites_a_second_time_only_over_a_lower_layer() {
    let event = tool_event("a", 0);
    let add = |id: &str, n: i64| {
        HookCase::new(id, PayloadCondition::XEquals(99), ScriptedAnswer::Deny, ScriptedAnswer::Add(n))
    };
    let keeps = |id: &str, x: i64| HookCase::new(id, PayloadCondition::XEquals(99), ScriptedAnswer::Deny, set_x(x));
    let one = |hooks: Vec<HookCase>| vec![build_chain(Layer::Project, IN_ORDER, hooks)];
    let over = |upper: HookCase, lower: HookCase| {
        vec![build_chain(Layer::User, IN_ORDER, [upper]), build_chain(Layer::Project, IN_ORDER, [lower])]
    };
    let cases = [
        // In one chain the order is the rule, with guards as without.
        (one(vec![add("a", 1), add("b", 10)]), "allow x=11"),
        (one(vec![add("a", 1), rewriter("b", 10)]), "allow x=10"),
        (one(vec![keeps("a", 1), keeps("b", 10)]), "allow x=10"),
        // So it is in two chains of one layer, and in one whose hooks all saw the same.
        (
            vec![
                build_chain(Layer::Project, IN_ORDER, [add("a", 1)]),
                build_chain(Layer::Project, IN_ORDER, [add("b", 10)]),
            ],
            "allow x=11",
        ),
        (
            vec![build_chain(
                Layer::Project,
                Profile::ParallelStrictest,
                [add("a", 1), HookCase::always("n", ScriptedAnswer::Set(json!({"name": "b"})))],
            )],
            "allow x=1",
        ),
        // A verdict counts all the same.
        (one(vec![add("a", 1), add("b", 98)]), "deny x=99 a"),
        // A guard that had nothing to change before may change what came of the others.
        (
            one(vec![
                HookCase::new("a", PayloadCondition::XEquals(10), set_x(5), ScriptedAnswer::Deny),
                rewriter("b", 10),
            ]),
            "deny x=0 a",
        ),
        (
            one(vec![
                HookCase::new("a", PayloadCondition::XEquals(10), set_x(5), ScriptedAnswer::Pass),
                rewriter("b", 10),
            ]),
            "allow x=5",
        ),
        // What a lower layer undoes is done again, and the lower layer's own rewrite is not.
        (over(keeps("a", 1), keeps("b", 10)), "allow x=1"),
        (over(keeps("a", 1), rewriter("b", 10)), "allow x=1"),
        (over(add("a", 1), add("b", 10)), "allow x=12"),
    ];
    for (chains, expected) in cases {
        assert_eq!(
            summarize_outcome(&run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable)),
            expected,
            "{chains:#?}"
        );
    }
}

#[test]
fn rule_29_rewrites_that_cancel_out_are_no_rewrite() {
    let event = tool_event("a", 0);
    let chains = [build_chain(Layer::Project, IN_ORDER, [rewriter("w", 1), rewriter("v", 0)])];
    let outcome = run_dispatch(&build_set(&chains, &event.name), &event, &ApprovalResponse::Unavailable);
    assert!(!outcome.rewritten && outcome.payload.ptr_eq(&event.payload));
}
