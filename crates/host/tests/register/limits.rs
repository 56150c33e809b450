//! Closures that panic, exceed their time limit, or fire the event that they run on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use pintle_host::contract::{FailureKind, LimitKind};
use pintle_host::{SessionHook, ToolHook};
use serde_json::json;

use crate::register::fixture::*;

#[test]
fn a_panic_denies_a_guarded_event_and_only_shows_on_another() {
    let runtime = build_runtime();
    let odd = |_: &pintle_host::HookEvent<'_>| -> () { panic!("odd") };
    runtime.register_tool_hook(ToolHook::for_tools("*").pre(odd).post(odd).name("shaky")).unwrap();
    let before = runtime.fire(&call_event("ls", json!({})));
    assert!(!before.is_allowed());
    let after = runtime.fire(&result_event("ls", "a.txt"));
    assert!(after.is_allowed());
    assert_eq!(after.payload.field("content"), Some(&json!("a.txt")));
    for outcome in [before, after] {
        assert_eq!(outcome.failures[0].failure.kind, FailureKind::Crash);
        assert!(describe_failures(&outcome)[0].contains("panicked: odd"), "{:?}", describe_failures(&outcome));
    }
}

#[test]
fn a_closure_that_overruns_its_time_has_failed_whatever_it_says() {
    let runtime = build_runtime();
    let slow = ToolHook::for_tools("*").name("slow").timeout_ms(1).pre(|event| {
        while event.time_left() != Some(Duration::ZERO) {
            std::hint::spin_loop();
        }
    });
    runtime.register_tool_hook(slow).unwrap();
    let outcome = runtime.fire(&call_event("ls", json!({})));
    assert!(!outcome.is_allowed());
    assert_eq!(describe_failures(&outcome), ["slow: timeout: it exceeded its time limit of 1 ms"]);
}

#[test]
fn a_hook_that_causes_its_own_event_ends_at_the_depth_limit() {
    let (runtime, calls) = (build_runtime(), Arc::new(AtomicU32::new(0)));
    let (within, counted) = (Arc::downgrade(&runtime), Arc::clone(&calls));
    let again = SessionHook::for_event("user_prompt_submit", move |event| {
        counted.fetch_add(1, Ordering::Relaxed);
        let caused = pintle_host::Event::new(event.canonical_name().clone(), event.payload().clone(), test_origin());
        let outcome = within.upgrade().unwrap().fire_in(&caused, &event.scope());
        outcome.is_allowed()
    });
    runtime.register_hook(again.name("again")).unwrap();
    let outcome = runtime.fire(&build_event("prompt.submit", json!({"prompt": "x"})));
    assert!(!outcome.is_allowed(), "the innermost refusal comes back through all of them");
    assert_eq!(calls.load(Ordering::Relaxed), 9);
    // The thread can still fire events.
    let outcome = runtime.fire(&build_event("prompt.submit", json!({"prompt": "x"})));
    assert!(!outcome.is_allowed());
    assert_eq!(calls.load(Ordering::Relaxed), 18);
}

#[test]
fn the_innermost_failure_names_the_limit() {
    let (runtime, seen) = (build_runtime(), SharedLines::default());
    let (within, lines) = (Arc::downgrade(&runtime), seen.clone());
    let again = ToolHook::for_tools("*").name("again").post(move |event| {
        let outcome = within.upgrade().unwrap().fire_in(&result_event("ls", "x"), &event.scope());
        for report in outcome.failures {
            assert_eq!(report.failure.kind, FailureKind::Limit(LimitKind::Depth));
            lines.add(report.failure.message);
        }
    });
    runtime.register_tool_hook(again).unwrap();
    assert!(runtime.fire(&result_event("ls", "x")).is_allowed());
    assert_eq!(
        seen.all(),
        ["events are nested more than 8 levels deep; does the hook fire the event that it runs on?"]
    );
}

#[test]
fn what_a_closure_starts_on_another_thread_counts_from_its_scope() {
    let (runtime, calls) = (build_runtime(), Arc::new(AtomicU32::new(0)));
    let (within, counted) = (Arc::downgrade(&runtime), Arc::clone(&calls));
    let again = ToolHook::for_tools("*").post(move |event| {
        counted.fetch_add(1, Ordering::Relaxed);
        let runtime = within.upgrade().unwrap();
        let scope = event.scope();
        std::thread::scope(|threads| {
            threads.spawn(|| runtime.fire_in(&result_event("ls", "x"), &scope)).join().unwrap();
        });
    });
    runtime.register_tool_hook(again).unwrap();
    assert!(runtime.fire(&result_event("ls", "x")).is_allowed());
    assert_eq!(calls.load(Ordering::Relaxed), 9);
}

#[test]
fn hooks_take_each_other_out_without_a_deadlock() {
    let runtime = build_runtime();
    let within = Arc::downgrade(&runtime);
    let once = ToolHook::for_tools("*").pre(move |_| assert_eq!(within.upgrade().unwrap().clear_tool_hooks(), 1));
    runtime.register_tool_hook(once).unwrap();
    assert!(runtime.fire(&call_event("ls", json!({}))).is_allowed());
    assert_eq!(runtime.hooks().hooks().count(), 0);
}
