//! Sessions, each for one feature.

use std::num::NonZeroUsize;
use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, CancelToken, Chain, DenyEffect, Effect, EnforcementMode, EventName, Failure, FailureKind,
    FailurePolicy, Handler, Hook, Layer, MatchResult, Profile, Rewrite, Verdict,
};
use pintle_tape::replay::{ReplayOptions, replay};
use pintle_testkit::{ClosureMatcher, ScriptedHandler, chain, hook};
use serde_json::{Map, Value, json};

use crate::replay::fixture::{ReplaySessionFixture, assert_replays_equal, increment_counter, make_event, tool_event};

fn tool_pre_name() -> EventName {
    EventName::parse("tool.pre").unwrap()
}

pub(crate) fn hook_returning(id: &str, verdict: Verdict) -> Hook {
    hook(id, tool_pre_name(), ScriptedHandler::from_verdict(verdict))
}

fn hook_with_handler(id: &str, handler: Arc<dyn Handler>) -> Hook {
    hook(id, tool_pre_name(), handler)
}

fn rewrite_args(value: Value) -> Verdict {
    Verdict::rewrite(Map::from_iter([(String::from("args"), value)]))
}

fn hook_with_failing_matcher(id: &str, kind: FailureKind, strict: bool) -> Hook {
    let matcher = ClosureMatcher::new(move |_| MatchResult::Failed(Failure::new(kind, "no such field")));
    Hook { matcher: Some(matcher), strict_matcher: strict, ..hook_returning(id, Verdict::pass()) }
}

/// A guard that matches only payloads whose arguments have at least this `step`.
pub(crate) fn guard_of_step(id: &str, step: i64, verdict: Verdict) -> Hook {
    let matcher = ClosureMatcher::new(move |event| {
        let here = event.payload.field("args").and_then(|args| args.get("step")).and_then(Value::as_i64);
        if here >= Some(step) { MatchResult::Yes } else { MatchResult::No }
    });
    Hook { matcher: Some(matcher), ..hook_returning(id, verdict) }
}

/// A hook that adds one to `step` until it is `most`.
pub(crate) fn counting_hook(id: &str, most: i64) -> Hook {
    hook_with_handler(
        id,
        ScriptedHandler::from_fn(move |call| {
            let step = call.event.payload.field("args").and_then(|args| args.get("step")).and_then(Value::as_i64);
            match step.unwrap_or_default() {
                step if step < most => rewrite_args(json!({"step": step + 1})),
                _ => Verdict::pass(),
            }
        }),
    )
}

const PROFILES: [Profile; 5] = [
    Profile::SequentialFirstDeny,
    Profile::SequentialRunAll,
    Profile::ParallelStrictest,
    Profile::ParallelMerge,
    Profile::ParallelUnanimous,
];

type HookListBuilder = fn() -> Vec<Hook>;

/// The feature, and the hooks that use it.
fn hook_cases() -> Vec<(&'static str, HookListBuilder)> {
    vec![
        ("nobody objects", || vec![hook_returning("a", Verdict::pass()), hook_returning("b", Verdict::allow("fine"))]),
        ("a deny", || {
            vec![
                hook_returning("a", Verdict::pass()),
                hook_returning("b", Verdict::deny("never")),
                hook_returning("c", Verdict::pass()),
            ]
        }),
        ("a deny that ends the run", || {
            vec![Hook { on_deny: DenyEffect::StopRun, ..hook_returning("a", Verdict::deny("stop")) }]
        }),
        ("an ask", || vec![hook_returning("a", Verdict::ask("look")), hook_returning("b", Verdict::allow("fine"))]),
        ("a rewrite", || {
            vec![
                hook_returning("a", rewrite_args(json!({"step": 1}))),
                hook_returning("b", rewrite_args(json!({"step": 1, "more": [1.50]}))),
            ]
        }),
        ("an allow of a rewritten target", || {
            let fields = Map::from_iter([(String::from("args"), json!({"x": 1}))]);
            vec![
                hook_returning("a", Verdict::allow("if so").with_rewrite(Rewrite::Fields(fields))),
                hook_returning("b", Verdict::pass()),
            ]
        }),
        ("a rewrite of what cannot be rewritten", || {
            vec![hook_returning("a", Verdict::rewrite(Map::from_iter([(String::from("nmae"), json!("y"))])))]
        }),
        ("effects and warnings", || {
            let verdict = Verdict::pass().with_effect(Effect::Context(String::from("mind"))).with_warning("odd");
            vec![
                hook_returning("a", verdict),
                hook_with_handler("b", ScriptedHandler::from_fn(|call| increment_counter(call, "n"))),
            ]
        }),
        ("failures", || {
            let failed = |kind| Verdict::failed(Failure::new(kind, "it broke"));
            vec![
                Hook { on_failure: FailurePolicy::Open, ..hook_returning("a", failed(FailureKind::Timeout)) },
                Hook { on_failure: FailurePolicy::Ignored, ..hook_returning("b", failed(FailureKind::BadOutput)) },
                hook_returning("c", failed(FailureKind::Crash)),
            ]
        }),
        ("a panic", || vec![hook_with_handler("a", ScriptedHandler::from_fn(|_| panic!("ouch")))]),
        ("matchers that fail", || {
            vec![
                hook_with_failing_matcher("a", FailureKind::Error, false),
                hook_returning("b", Verdict::pass()),
                hook_with_failing_matcher("c", FailureKind::Error, true),
                hook_returning("d", Verdict::pass()),
            ]
        }),
        ("a matcher that panics", || {
            let matcher = ClosureMatcher::new(|_| panic!("no field"));
            vec![
                hook_returning("z", Verdict::pass()),
                Hook { matcher: Some(matcher), ..hook_returning("a", Verdict::pass()) },
            ]
        }),
        ("shadow hooks", || {
            vec![
                Hook { mode: EnforcementMode::Shadow, ..hook_returning("a", Verdict::deny("would")) },
                hook_returning("b", rewrite_args(json!({"step": 9}))),
            ]
        }),
        ("guards that are asked again", || {
            vec![
                hook_with_handler("first", ScriptedHandler::from_fn(|call| increment_counter(call, "first"))),
                guard_of_step("late", 1, Verdict::allow("ok")),
                counting_hook("changer", 1),
                counting_hook("changer again", 2),
            ]
        }),
        ("guards that are given up", || {
            vec![guard_of_step("g", 1, Verdict::pass()), counting_hook("s", 100), counting_hook("t", 100)]
        }),
        ("a guard that denies what it is asked again about", || {
            vec![guard_of_step("g", 2, Verdict::deny("too far")), counting_hook("s", 2), counting_hook("t", 2)]
        }),
        ("two hooks of one name", || {
            vec![
                hook_returning("twin", Verdict::pass()),
                hook_returning("twin", Verdict::deny("second")),
                hook_returning("twin", Verdict::pass()),
            ]
        }),
        ("guards only", || {
            let hooks = ["a", "b", "c"]
                .map(|id| hook_with_handler(id, ScriptedHandler::from_waiting_fn(|_| Verdict::allow("at once"))));
            hooks.into_iter().collect()
        }),
    ]
}

#[test]
fn whatever_happens_comes_out_byte_for_byte() {
    let resolutions = [
        ApprovalResponse::Unavailable,
        ApprovalResponse::Deferred,
        ApprovalResponse::Approved { answered_by: String::from("mara") },
        ApprovalResponse::Refused { answered_by: String::from("mara") },
    ];
    for (what, hooks) in hook_cases() {
        for profile in PROFILES {
            for shadow in [false, true] {
                let mut session = ReplaySessionFixture::new(shadow);
                let set = session.load(vec![
                    chain(Layer::Agent, profile, hooks()),
                    chain(
                        Layer::Managed,
                        Profile::SequentialRunAll,
                        [Hook { guard: false, ..hook_returning("m", Verdict::pass()) }],
                    ),
                ]);
                for resolution in &resolutions {
                    session.approval_response = resolution.clone();
                    session.fire(&set, &tool_event("run", json!({"step": 0})), &CancelToken::default(), None);
                }
                assert_replays_equal(&session.bytes(), &format!("{what}, {profile}, shadow {shadow}"));
            }
        }
    }
}

#[test]
fn a_long_tape_comes_out_byte_for_byte_on_any_number_of_threads() {
    let session = ReplaySessionFixture::new(false);
    let set = session.load(vec![chain(
        Layer::User,
        Profile::SequentialRunAll,
        [hook_returning("late", Verdict::deny("no"))],
    )]);
    // Enough dispatches and enough lines to use several threads for both.
    for step in 0..4_200 {
        session.fire(&set, &make_event("turn.end", json!({"step": step})), &CancelToken::default(), None);
        for _ in 0..6 {
            session.tape.record_note("remark", json!(step));
        }
    }
    session.fire(&set, &tool_event("run", json!({})), &CancelToken::default(), None);
    let tape = session.bytes();
    let text = std::str::from_utf8(&tape).unwrap();
    let (before, behind) = text.rsplit_once("\"decision\":\"deny\"").unwrap();
    let other = format!("{before}\"decision\":\"allow\"{behind}");
    for threads in [1, 3] {
        let on = |tape: &[u8]| {
            replay(tape, &ReplayOptions { threads: NonZeroUsize::new(threads), stop_point: None }).unwrap()
        };
        let replayed = on(&tape);
        assert!(replayed.difference.is_none() && replayed.tape == tape, "{threads} threads");
        let found = on(other.as_bytes()).difference.map(|found| (found.kind, found.line));
        assert_eq!(found, Some((String::from("outcome"), text.lines().count())), "{threads} threads");
    }
}

#[test]
fn a_host_that_cancels_comes_out_byte_for_byte() {
    for profile in PROFILES {
        for after in 0..4 {
            let cancel = CancelToken::default();
            let raise = |number: usize| {
                let cancel = cancel.clone();
                let handler = ScriptedHandler::from_fn(move |_| {
                    if number == after {
                        cancel.cancel();
                    }
                    rewrite_args(json!({"step": number}))
                });
                hook_with_handler(&format!("h{number}"), handler)
            };
            let hooks: Vec<Hook> = (0..4).map(raise).collect();
            let other = hook_with_failing_matcher("broken", FailureKind::Error, true);
            let session = ReplaySessionFixture::new(false);
            let set = session.load(vec![
                chain(Layer::Managed, Profile::SequentialRunAll, [raise(9)]),
                chain(Layer::User, profile, hooks.into_iter().chain([other])),
                chain(Layer::Project, Profile::SequentialRunAll, [raise(8)]),
            ]);
            session.fire(&set, &tool_event("run", json!({})), &cancel, None);
            assert_replays_equal(&session.bytes(), &format!("{profile}, cancelled in {after}"));
        }
    }
}

#[test]
fn events_that_hooks_cause_and_hooks_that_come_later_are_enacted_too() {
    let session = Arc::new(ReplaySessionFixture::new(false));
    let inner = session.load(vec![chain(
        Layer::User,
        Profile::SequentialRunAll,
        [hook(
            "inner",
            EventName::parse("custom.seen").unwrap(),
            ScriptedHandler::from_fn(|call| increment_counter(call, "inner")),
        )],
    )]);
    let emits = {
        let session = Arc::clone(&session);
        let inner = inner.clone();
        ScriptedHandler::from_fn(move |call| {
            session.fire(&inner, &make_event("custom.seen", json!([1, 2])), &CancelToken::default(), Some(call));
            Verdict::pass()
        })
    };
    let outer: Vec<Chain> = vec![chain(
        Layer::User,
        Profile::ParallelStrictest,
        [hook_with_handler("outer", emits), hook_returning("b", Verdict::pass())],
    )];
    session.tape.record_hooks(&outer);
    let set = inner.with_chains(outer);
    session.fire(&set, &tool_event("run", json!({})), &CancelToken::default(), None);
    let late =
        vec![chain(Layer::Managed, Profile::SequentialFirstDeny, [hook_returning("late", Verdict::deny("now"))])];
    session.tape.record_hooks(&late);
    session.fire(&set.with_chains(late), &tool_event("run", json!({})), &CancelToken::default(), None);
    session.fire(&set, &make_event("turn.start", json!({"prompt": "x".repeat(5_000)})), &CancelToken::default(), None);
    assert_replays_equal(&session.bytes(), "nested");
}

#[test]
fn an_agents_hooks_stand_behind_those_of_the_runtime() {
    let session = ReplaySessionFixture::new(false);
    let base = session.load(vec![chain(
        Layer::Runtime,
        Profile::SequentialRunAll,
        [hook_returning("one", rewrite_args(json!({"step": 1})))],
    )]);
    let own = vec![chain(Layer::Runtime, Profile::SequentialRunAll, [hook_returning("own", Verdict::pass())])];
    session.tape.record_agent_hooks(&own);
    let more = vec![chain(Layer::Runtime, Profile::SequentialRunAll, [counting_hook("two", 9)])];
    session.tape.record_hooks(&more);
    session.fire(
        &base.with_chains(more).with_chains(own),
        &tool_event("run", json!({"step": 0})),
        &CancelToken::default(),
        None,
    );
    assert_replays_equal(&session.bytes(), "agent");
}

/// Redacts every `s3cret`.
#[derive(Debug)]
struct S3cretRedactor;

impl pintle_contract::Redactor for S3cretRedactor {
    fn redact(&self, text: &str) -> Option<String> {
        text.contains("s3cret").then(|| text.replace("s3cret", "[REDACTED]"))
    }
}

#[test]
fn a_session_whose_secrets_are_kept_off_the_tape_comes_out_byte_for_byte() {
    let redacts = || {
        hook_with_handler(
            "redacts",
            ScriptedHandler::from_fn(|call| {
                let text = call.event.payload.field("args").unwrap().to_string();
                let clean: Value = serde_json::from_str(&text.replace("s3cret", "[REDACTED]")).unwrap();
                rewrite_args(clean)
            }),
        )
    };
    let passes_on = || {
        hook_with_handler(
            "passes on",
            ScriptedHandler::from_fn(|call| {
                let mut all = call.event.payload.field("args").unwrap().clone();
                all["step"] = json!(7);
                rewrite_args(all)
            }),
        )
    };
    let tells = || {
        hook_with_handler(
            "tells",
            ScriptedHandler::from_fn(|call| {
                Verdict::ask(format!("may it say {}?", call.event.payload.field("args").unwrap()))
            }),
        )
    };
    let sessions =
        [vec![redacts()], vec![passes_on(), redacts(), tells()], vec![tells()], vec![tells(), passes_on(), redacts()]];
    for (index, hooks) in sessions.into_iter().enumerate() {
        let mut session = ReplaySessionFixture::new(false);
        session.approval_response = ApprovalResponse::Approved { answered_by: String::from("mara") };
        session.tape.set_redactor(Arc::new(S3cretRedactor));
        let set = session.load(vec![chain(Layer::User, Profile::SequentialRunAll, hooks)]);
        for text in ["plain", "with s3cret and s3cret", "[REDACTED] already"] {
            session.fire(&set, &tool_event("run", json!({"text": text})), &CancelToken::default(), None);
        }
        let tape = session.bytes();
        assert!(!String::from_utf8_lossy(&tape).contains("s3cret"));
        assert_replays_equal(&tape, &format!("hooks {index}"));
    }
}
