//! Events that hooks fire from parallel calls.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use pintle_host::contract::{DispatchId, EffectRequest, FailureKind, LimitKind};
use pintle_host::native::{NativeHandler, NativeMatcher};
use pintle_host::tape::replay::{ReplayOptions, replay};
use pintle_host::tape::verify::verify_bytes;
use pintle_host::tape::{HeaderRecord, RecordBody, Tape, read_bytes};
use pintle_host::{
    Chain, Decision, Event, EventName, EventScope, Hook, HookCall, Layer, Origin, Profile, Runtime, SystemClock,
    Verdict, native,
};
use serde_json::json;

fn event(name: &str) -> Event {
    Event::new(EventName::parse(name).expect("a name"), json!({}), Arc::new(Origin::default()))
}

/// A hook that may wait, so that a parallel chain calls it on a thread of its own.
fn waiting_hook(
    name: &str,
    event: &str,
    answer: impl Fn(&HookCall<'_>) -> Verdict + Send + Sync + Clone + 'static,
) -> Hook {
    let checked = native::hook(name, EventName::parse(event).expect("a name"), answer.clone());
    Hook { handler: Arc::new(NativeHandler::new(name, answer).may_wait_outside()), ..checked }
}

/// Two sides that each fire their own event until they are refused, in a given order.
struct SideOrder {
    /// Receives when the first side has finished; the second one waits for it.
    finished: Mutex<Receiver<()>>,
    finish: Sender<()>,
    first: &'static str,
}

impl SideOrder {
    fn begin(&self, side: &str) {
        if side != self.first {
            self.finished.lock().unwrap().recv_timeout(pintle_testkit::PATIENCE).expect("the first side finishes");
        }
    }

    fn end(&self, side: &str) {
        if side == self.first {
            self.finish.send(()).expect("the second side waits");
        }
    }
}

/// The events of one side on the tape: the parent's number of the side (0 is the root), the hook of its cause, and
/// whether the last call failed because of the depth limit.
fn sides_with_order(first: &'static str) -> (Vec<String>, Vec<u8>) {
    let tape = Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default())));
    let runtime: Arc<OnceLock<Weak<Runtime>>> = Arc::default();
    let (finish, finished) = channel();
    let order = Arc::new(SideOrder { finished: Mutex::new(finished), finish, first });
    let hooks = ["left", "right"].into_iter().flat_map(|side| {
        let again = format!("custom.{side}");
        ["custom.root", &again].map(|on| {
            let (runtime, order, again) = (Arc::clone(&runtime), Arc::clone(&order), again.clone());
            let is_root = on == "custom.root";
            let name = if is_root { side.to_owned() } else { format!("{side}_again") };
            waiting_hook(&name, on, move |call| {
                if is_root {
                    order.begin(side);
                }
                let runtime = runtime.get().and_then(Weak::upgrade).expect("the runtime exists");
                let outcome = runtime.fire_in(&event(&again), &EventScope::from_call(call));
                assert!(outcome.dispatch > call.dispatch);
                for report in &outcome.failures {
                    assert_eq!(report.failure.kind, FailureKind::Limit(LimitKind::Depth));
                }
                if is_root {
                    order.end(side);
                }
                Verdict::pass()
            })
        })
    });
    let chain = Chain {
        source: Arc::from("test"),
        dialect: "native",
        layer: Layer::Project,
        profile: Profile::ParallelStrictest,
        hooks: hooks.map(Arc::new).collect(),
    };
    let built = Runtime::builder().chain(chain).tape(Arc::clone(&tape)).build().unwrap();
    runtime.set(Arc::downgrade(&built)).expect("it is set once");
    let outcome = built.fire(&event("custom.root"));
    assert_eq!((outcome.dispatch, outcome.decision), (DispatchId(1), Decision::Allow), "{outcome:?}");

    let bytes = (tape.lines().join("\n") + "\n").into_bytes();
    let mut names = BTreeMap::from([(1, String::from("root"))]);
    let (mut counts, mut calls) = (BTreeMap::<String, usize>::new(), BTreeMap::new());
    let mut seen = Vec::new();
    for record in read_bytes(&bytes).expect("a tape").records {
        match record.body {
            RecordBody::Event(fired) if fired.dispatch > 1 => {
                let side = fired.event.trim_start_matches("custom.").to_owned();
                let count = counts.entry(side.clone()).or_default();
                *count += 1;
                let name = format!("{side} {count}");
                let parent = fired.parent.and_then(|parent| names.get(&parent));
                seen.push(format!("{name}: in {parent:?} by {:?}", fired.cause.and_then(|cause| calls.get(&cause))));
                names.insert(fired.dispatch, name);
            }
            RecordBody::HookCall(call) => {
                calls.insert(call.call, call.hook.to_string());
            }
            RecordBody::HookReturned(returned) if returned.verdict.failure.is_some() => {
                seen.push(format!("{} failed in {:?}", returned.hook, names.get(&returned.dispatch)));
            }
            _ => {}
        }
    }
    seen.sort();
    (seen, bytes)
}

#[test]
fn parallel_hooks_that_fire_events_are_their_parents_to_the_limit() {
    let mut expected: Vec<String> = ["left", "right"]
        .into_iter()
        .flat_map(|side| {
            let nested = (2..=9).map(move |count| {
                format!("{side} {count}: in Some(\"{side} {}\") by Some(\"{side}_again\")", count - 1)
            });
            let first = format!("{side} 1: in Some(\"root\") by Some(\"{side}\")");
            nested.chain([first, format!("{side}_again failed in Some(\"{side} 9\")")])
        })
        .collect();
    expected.sort();
    for first in ["left", "right"] {
        let (seen, bytes) = sides_with_order(first);
        assert_eq!(seen, expected, "{first} first");
        let report = verify_bytes(&bytes).expect("a tape");
        assert!(report.is_valid(), "{report:?}");
        let replayed = replay(&bytes, &ReplayOptions::default()).expect("a tape");
        assert_eq!(replayed.difference, None, "{first} first");
    }
}

#[test]
fn an_event_that_a_script_emits_names_its_parent_and_its_call() {
    let tape = Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default())));
    let runtime = Runtime::builder().tape(Arc::clone(&tape)).build().unwrap();
    let script = "def handle(event, payload):\n    events.emit(\"custom.loop\", payload)\n    return allow()\n";
    let again = pintle_host::loader::declare_hook("again", "custom.loop", script, None, Some(1)).expect("a good hook");
    runtime.register(&again).expect("a good hook");
    assert!(runtime.fire(&event("custom.loop")).is_allowed());
    let records = read_bytes((tape.lines().join("\n") + "\n").as_bytes()).expect("a tape").records;
    let fired: Vec<_> = records
        .iter()
        .filter_map(|record| match &record.body {
            RecordBody::Event(fired) => Some((fired.dispatch, fired.parent, fired.cause)),
            _ => None,
        })
        .collect();
    // Each dispatch has one call, so their numbers are the same.
    let nested = (2..=9).map(|number| (number, Some(number - 1), Some(number - 1)));
    assert_eq!(fired, [(1, None, None)].into_iter().chain(nested).collect::<Vec<_>>());
}

#[test]
fn an_event_that_no_hook_matches_is_one_record() {
    let kinds = |matches: fn(&Event) -> bool| {
        let tape = Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default())));
        let hook = native::hook("guard", EventName::parse("custom.root").expect("a name"), |_| Verdict::pass());
        let hook = native::with_matcher(hook, Arc::new(NativeMatcher::new("matches", matches)));
        let chain = native::chain("test", Layer::Project, [hook]);
        let runtime = Runtime::builder().chain(chain).tape(Arc::clone(&tape)).build().unwrap();
        let outcomes = [runtime.fire(&event("custom.root")), runtime.fire(&event("custom.root"))];
        assert_eq!(outcomes.map(|outcome| outcome.dispatch), [DispatchId(1), DispatchId(2)]);

        let bytes = (tape.lines().join("\n") + "\n").into_bytes();
        let report = verify_bytes(&bytes).expect("a tape");
        assert!(report.is_valid(), "{report:?}");
        let replayed = replay(&bytes, &ReplayOptions::default()).expect("a tape");
        assert_eq!((replayed.difference, replayed.unfinished), (None, Vec::new()));
        let records = read_bytes(&bytes).expect("a tape").records;
        let first = records.iter().filter(|record| record.body.dispatch() == Some(1));
        let kind = |body: &RecordBody<'_>| match body {
            RecordBody::Event(fired) if fired.no_hooks => String::from("event with no_hooks"),
            body => body.kind().to_owned(),
        };
        first.map(|record| kind(&record.body)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(|_| false), ["event with no_hooks"]);
    assert_eq!(kinds(|_| true), ["event", "hook_call", "hook_returned", "outcome"]);
    assert_eq!(kinds(|_| panic!("no matcher")), ["event", "matcher_failed", "not_called", "outcome"]);
}

#[test]
fn records_that_are_held_back_are_written_on_release_in_the_order_of_releases() {
    let tape = Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default())));
    let hooks = ["custom.a", "custom.b", "custom.inner"].map(|on| {
        native::hook(on, EventName::parse(on).expect("a name"), |call| {
            call.effects.metric_incr(call.caller(), "calls", 1).expect("it counts");
            if call.event.name.as_str() != "custom.inner" {
                let emit = EffectRequest::Emit { event: String::from("custom.inner"), payload: json!({}) };
                call.effects.perform(call.caller(), emit).expect("it is allowed");
            }
            Verdict::pass()
        })
    });
    let builder = Runtime::builder().chain(native::chain("test", Layer::Project, hooks)).tape(Arc::clone(&tape));
    let runtime = builder.build().unwrap();
    let begun = tape.lines().len();
    let held = || EventScope { held: Some(Arc::default()), ..EventScope::default() };
    let (first, second) = (held(), held());
    let release = |scope: &EventScope| runtime.release_records(scope.held.as_ref().expect("it is held"));
    let steps = Arc::new(Mutex::new(Vec::new()));
    let note = |step: &'static str| {
        let steps = Arc::clone(&steps);
        move || steps.lock().unwrap().push(step)
    };
    for (scope, name, step) in [(&second, "custom.b", "b"), (&first, "custom.a", "a")] {
        assert!(runtime.fire_in(&event(name), scope).is_allowed());
        scope.held.as_ref().expect("it is held").run_after(note(step));
    }
    assert_eq!((tape.lines().len(), steps.lock().unwrap().len()), (begun, 0), "nothing is written");
    release(&first);
    release(&second);
    assert!(runtime.fire_in(&event("custom.a"), &second).is_allowed(), "it is written at once");
    assert_eq!(*steps.lock().unwrap(), ["a", "b"]);

    let bytes = (tape.lines().join("\n") + "\n").into_bytes();
    let mut fired = Vec::new();
    for record in read_bytes(&bytes).expect("a tape").records {
        match record.body {
            RecordBody::Event(event) => {
                fired.push((event.event.to_string(), event.dispatch, event.parent, event.cause))
            }
            RecordBody::Effect(effect) => assert!(effect.dispatch.is_some() && effect.call.is_some(), "{effect:?}"),
            _ => {}
        }
    }
    let event = |name: &str, dispatch, by: Option<(u64, u64)>| {
        (name.to_owned(), dispatch, by.map(|(parent, _)| parent), by.map(|(_, call)| call))
    };
    let wanted = [
        event("custom.a", 1, None),
        event("custom.inner", 2, Some((1, 1))),
        event("custom.b", 3, None),
        event("custom.inner", 4, Some((3, 3))),
        event("custom.a", 5, None),
        event("custom.inner", 6, Some((5, 5))),
    ];
    assert_eq!(fired, wanted);
    let report = verify_bytes(&bytes).expect("a tape");
    assert!(report.is_valid(), "{report:?}");
    assert_eq!(replay(&bytes, &ReplayOptions::default()).expect("a tape").difference, None);
}
