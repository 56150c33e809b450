//! Sessions in which one thing happens.

use std::num::NonZeroUsize;
use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, CancelToken, Chain, DenyEffect, Effect, EnforcementMode, EventName, Failure, FailureKind,
    FailurePolicy, Handler, Hook, Layer, MatchResult, Profile, Rewrite, Verdict,
};
use pintle_tape::replay::{Options, replay};
use pintle_testkit::{ClosureMatcher, Scripted, chain, hook};
use serde_json::{Map, Value, json};

use crate::stage::{Session, assert_same, count, event, tool};

fn pre() -> EventName {
    EventName::parse("tool.pre").unwrap()
}

pub(crate) fn says(id: &str, verdict: Verdict) -> Hook {
    hook(id, pre(), Scripted::always(verdict))
}

fn with(id: &str, handler: Arc<dyn Handler>) -> Hook {
    hook(id, pre(), handler)
}

fn args(value: Value) -> Verdict {
    Verdict::rewrite(Map::from_iter([(String::from("args"), value)]))
}

fn failing(id: &str, kind: FailureKind, strict: bool) -> Hook {
    let matcher = ClosureMatcher::new(move |_| MatchResult::Failed(Failure::new(kind, "no such field")));
    Hook { matcher: Some(matcher), strict_matcher: strict, ..says(id, Verdict::pass()) }
}

/// A guard that wants only payloads whose arguments say so.
pub(crate) fn wants(id: &str, step: i64, verdict: Verdict) -> Hook {
    let matcher = ClosureMatcher::new(move |event| {
        let here = event.payload.field("args").and_then(|args| args.get("step")).and_then(Value::as_i64);
        if here >= Some(step) { MatchResult::Yes } else { MatchResult::No }
    });
    Hook { matcher: Some(matcher), ..says(id, verdict) }
}

/// Adds one to the step.
pub(crate) fn steps(id: &str, most: i64) -> Hook {
    with(
        id,
        Scripted::with(move |call| {
            let step = call.event.payload.field("args").and_then(|args| args.get("step")).and_then(Value::as_i64);
            match step.unwrap_or_default() {
                step if step < most => args(json!({"step": step + 1})),
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

type Hooks = fn() -> Vec<Hook>;

/// What happens, and the hooks that make it happen.
fn cases() -> Vec<(&'static str, Hooks)> {
    vec![
        ("nobody objects", || vec![says("a", Verdict::pass()), says("b", Verdict::allow("fine"))]),
        ("a deny", || vec![says("a", Verdict::pass()), says("b", Verdict::deny("never")), says("c", Verdict::pass())]),
        ("a deny that ends the run", || {
            vec![Hook { on_deny: DenyEffect::StopRun, ..says("a", Verdict::deny("stop")) }]
        }),
        ("an ask", || vec![says("a", Verdict::ask("look")), says("b", Verdict::allow("fine"))]),
        ("a rewrite", || {
            vec![says("a", args(json!({"step": 1}))), says("b", args(json!({"step": 1, "more": [1.50]})))]
        }),
        ("an allow of a rewritten target", || {
            let fields = Map::from_iter([(String::from("args"), json!({"x": 1}))]);
            vec![says("a", Verdict::allow("if so").with_rewrite(Rewrite::Fields(fields))), says("b", Verdict::pass())]
        }),
        ("a rewrite of what cannot be rewritten", || {
            vec![says("a", Verdict::rewrite(Map::from_iter([(String::from("nmae"), json!("y"))])))]
        }),
        ("effects and warnings", || {
            let verdict = Verdict::pass().with_effect(Effect::Context(String::from("mind"))).with_warning("odd");
            vec![says("a", verdict), with("b", Scripted::with(|call| count(call, "n")))]
        }),
        ("failures", || {
            let failed = |kind| Verdict::failed(Failure::new(kind, "it broke"));
            vec![
                Hook { on_failure: FailurePolicy::Open, ..says("a", failed(FailureKind::Timeout)) },
                Hook { on_failure: FailurePolicy::Ignored, ..says("b", failed(FailureKind::BadOutput)) },
                says("c", failed(FailureKind::Crash)),
            ]
        }),
        ("a panic", || vec![with("a", Scripted::with(|_| panic!("ouch")))]),
        ("matchers that fail", || {
            vec![
                failing("a", FailureKind::Error, false),
                says("b", Verdict::pass()),
                failing("c", FailureKind::Error, true),
                says("d", Verdict::pass()),
            ]
        }),
        ("a matcher that panics", || {
            let matcher = ClosureMatcher::new(|_| panic!("no field"));
            vec![says("z", Verdict::pass()), Hook { matcher: Some(matcher), ..says("a", Verdict::pass()) }]
        }),
        ("shadow hooks", || {
            vec![
                Hook { mode: EnforcementMode::Shadow, ..says("a", Verdict::deny("would")) },
                says("b", args(json!({"step": 9}))),
            ]
        }),
        ("guards that are asked again", || {
            vec![
                with("first", Scripted::with(|call| count(call, "first"))),
                wants("late", 1, Verdict::allow("ok")),
                steps("changer", 1),
                steps("changer again", 2),
            ]
        }),
        ("guards that are given up", || vec![wants("g", 1, Verdict::pass()), steps("s", 100), steps("t", 100)]),
        ("a guard that denies what it is asked again about", || {
            vec![wants("g", 2, Verdict::deny("too far")), steps("s", 2), steps("t", 2)]
        }),
        ("two hooks of one name", || {
            vec![says("twin", Verdict::pass()), says("twin", Verdict::deny("second")), says("twin", Verdict::pass())]
        }),
        ("guards only", || {
            let hooks = ["a", "b", "c"].map(|id| with(id, Scripted::waiting(|_| Verdict::allow("at once"))));
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
    for (what, hooks) in cases() {
        for profile in PROFILES {
            for shadow in [false, true] {
                let mut session = Session::new(shadow);
                let set = session.load(vec![
                    chain(Layer::Agent, profile, hooks()),
                    chain(
                        Layer::Managed,
                        Profile::SequentialRunAll,
                        [Hook { guard: false, ..says("m", Verdict::pass()) }],
                    ),
                ]);
                for resolution in &resolutions {
                    session.resolution = resolution.clone();
                    session.fire(&set, &tool("run", json!({"step": 0})), &CancelToken::default(), None);
                }
                assert_same(&session.bytes(), &format!("{what}, {profile}, shadow {shadow}"));
            }
        }
    }
}

#[test]
fn a_long_tape_comes_out_byte_for_byte_on_any_number_of_threads() {
    let session = Session::new(false);
    let set = session.load(vec![chain(Layer::User, Profile::SequentialRunAll, [says("late", Verdict::deny("no"))])]);
    // Enough dispatches and enough lines that threads take part in both.
    for step in 0..4_200 {
        session.fire(&set, &event("turn.end", json!({"step": step})), &CancelToken::default(), None);
        for _ in 0..6 {
            session.tape.note("remark", json!(step));
        }
    }
    session.fire(&set, &tool("run", json!({})), &CancelToken::default(), None);
    let tape = session.bytes();
    let text = std::str::from_utf8(&tape).unwrap();
    let (before, behind) = text.rsplit_once("\"decision\":\"deny\"").unwrap();
    let other = format!("{before}\"decision\":\"allow\"{behind}");
    for threads in [1, 3] {
        let on = |tape: &[u8]| replay(tape, &Options { threads: NonZeroUsize::new(threads), until: None }).unwrap();
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
                let handler = Scripted::with(move |_| {
                    if number == after {
                        cancel.cancel();
                    }
                    args(json!({"step": number}))
                });
                with(&format!("h{number}"), handler)
            };
            let hooks: Vec<Hook> = (0..4).map(raise).collect();
            let other = failing("broken", FailureKind::Error, true);
            let session = Session::new(false);
            let set = session.load(vec![
                chain(Layer::Managed, Profile::SequentialRunAll, [raise(9)]),
                chain(Layer::User, profile, hooks.into_iter().chain([other])),
                chain(Layer::Project, Profile::SequentialRunAll, [raise(8)]),
            ]);
            session.fire(&set, &tool("run", json!({})), &cancel, None);
            assert_same(&session.bytes(), &format!("{profile}, cancelled in {after}"));
        }
    }
}

#[test]
fn events_that_hooks_cause_and_hooks_that_come_later_are_enacted_too() {
    let session = Arc::new(Session::new(false));
    let inner = session.load(vec![chain(
        Layer::User,
        Profile::SequentialRunAll,
        [hook("inner", EventName::parse("custom.seen").unwrap(), Scripted::with(|call| count(call, "inner")))],
    )]);
    let emits = {
        let session = Arc::clone(&session);
        let inner = inner.clone();
        Scripted::with(move |call| {
            session.fire(&inner, &event("custom.seen", json!([1, 2])), &CancelToken::default(), Some(call.id));
            Verdict::pass()
        })
    };
    let outer: Vec<Chain> =
        vec![chain(Layer::User, Profile::ParallelStrictest, [with("outer", emits), says("b", Verdict::pass())])];
    session.tape.hooks(&outer);
    let set = inner.with_chains(outer);
    session.fire(&set, &tool("run", json!({})), &CancelToken::default(), None);
    let late = vec![chain(Layer::Managed, Profile::SequentialFirstDeny, [says("late", Verdict::deny("now"))])];
    session.tape.hooks(&late);
    session.fire(&set.with_chains(late), &tool("run", json!({})), &CancelToken::default(), None);
    session.fire(&set, &event("turn.start", json!({"prompt": "x".repeat(5_000)})), &CancelToken::default(), None);
    assert_same(&session.bytes(), "nested");
}

#[test]
fn an_agents_hooks_stand_behind_those_of_the_runtime() {
    let session = Session::new(false);
    let base =
        session.load(vec![chain(Layer::Runtime, Profile::SequentialRunAll, [says("one", args(json!({"step": 1})))])]);
    let own = vec![chain(Layer::Runtime, Profile::SequentialRunAll, [says("own", Verdict::pass())])];
    session.tape.agent_hooks(&own);
    let more = vec![chain(Layer::Runtime, Profile::SequentialRunAll, [steps("two", 9)])];
    session.tape.hooks(&more);
    session.fire(
        &base.with_chains(more).with_chains(own),
        &tool("run", json!({"step": 0})),
        &CancelToken::default(),
        None,
    );
    assert_same(&session.bytes(), "agent");
}

/// Takes every `s3cret` out of texts.
#[derive(Debug)]
struct Hush;

impl pintle_contract::Redactor for Hush {
    fn redact(&self, text: &str) -> Option<String> {
        text.contains("s3cret").then(|| text.replace("s3cret", "[REDACTED]"))
    }
}

#[test]
fn a_session_whose_secrets_are_kept_off_the_tape_comes_out_byte_for_byte() {
    let redacts = || {
        with(
            "redacts",
            Scripted::with(|call| {
                let text = call.event.payload.field("args").unwrap().to_string();
                let clean: Value = serde_json::from_str(&text.replace("s3cret", "[REDACTED]")).unwrap();
                args(clean)
            }),
        )
    };
    let passes_on = || {
        with(
            "passes on",
            Scripted::with(|call| {
                let mut all = call.event.payload.field("args").unwrap().clone();
                all["step"] = json!(7);
                args(all)
            }),
        )
    };
    let tells = || {
        with(
            "tells",
            Scripted::with(|call| Verdict::ask(format!("may it say {}?", call.event.payload.field("args").unwrap()))),
        )
    };
    let sessions =
        [vec![redacts()], vec![passes_on(), redacts(), tells()], vec![tells()], vec![tells(), passes_on(), redacts()]];
    for (at, hooks) in sessions.into_iter().enumerate() {
        let mut session = Session::new(false);
        session.resolution = ApprovalResponse::Approved { answered_by: String::from("mara") };
        session.tape.scrub(Arc::new(Hush));
        let set = session.load(vec![chain(Layer::User, Profile::SequentialRunAll, hooks)]);
        for text in ["plain", "with s3cret and s3cret", "[REDACTED] already"] {
            session.fire(&set, &tool("run", json!({"text": text})), &CancelToken::default(), None);
        }
        let tape = session.bytes();
        assert!(!String::from_utf8_lossy(&tape).contains("s3cret"));
        assert_same(&tape, &format!("hooks {at}"));
    }
}
