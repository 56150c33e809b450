//! Hooks that are registered and removed while events are fired.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use pintle_host::{HookReturn, Layer, Runtime, SessionHook, ToolHook, Verdict, native};
use serde_json::json;

use crate::register::fixture::*;

#[test]
fn a_registration_is_taken_back_by_its_handle_alone() {
    let runtime = build_runtime();
    let gate = runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("gated")).unwrap();
    let other = runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("other")).unwrap();
    assert_eq!(gate.hooks()[0].as_str(), "register_tool_hook#1");
    assert_eq!(
        runtime.fire(&call_event("exec_a", json!({}))).reason(),
        "blocked by hook \"register_tool_hook#1\": gated"
    );
    assert!(gate.is_active());
    assert!(gate.remove());
    assert!(!gate.is_active());
    assert!(!gate.remove());
    assert!(runtime.fire(&call_event("exec_a", json!({}))).reason().ends_with("other"));
    drop(other);
    assert!(!runtime.fire(&call_event("exec_a", json!({}))).is_allowed(), "dropping a handle removes nothing");
}

#[test]
fn a_thread_that_fires_at_two_runtimes_in_turn_asks_the_hooks_of_each() {
    let (one, other) = (build_runtime(), build_runtime());
    let denied = || [&one, &other].map(|runtime| !runtime.fire(&call_event("wipe", json!({}))).is_allowed());
    assert_eq!(denied(), [false, false]);
    let gate = one.register_tool_hook(ToolHook::for_tools("*").deny("no")).unwrap();
    assert_eq!(denied(), [true, false]);
    other.register_tool_hook(ToolHook::for_tools("*").deny("no")).unwrap();
    assert_eq!(denied(), [true, true]);
    assert!(gate.remove());
    assert_eq!(denied(), [false, true]);
    assert_eq!(other.clear_tool_hooks(), 1);
    assert_eq!(denied(), [false, false]);
}

#[test]
fn what_a_removed_hook_held_is_free_though_threads_live_on_that_asked_it() {
    let (runtime, held) = (build_runtime(), Arc::new(AtomicUsize::new(0)));
    let within = Arc::clone(&held);
    let counts = ToolHook::for_tools("*").pre(move |_| {
        within.fetch_add(1, Ordering::Relaxed);
    });
    let hook = runtime.register_tool_hook(counts).unwrap();
    let fires = || drop(runtime.fire(&call_event("look", json!({}))));
    let (asked, removed) = (Barrier::new(2), Barrier::new(2));
    let seen = thread::scope(|scope| {
        scope.spawn(|| {
            fires();
            asked.wait();
            removed.wait();
        });
        fires();
        asked.wait();
        let seen = (hook.remove(), Arc::strong_count(&held));
        removed.wait();
        seen
    });
    assert_eq!((seen, held.load(Ordering::Relaxed)), ((true, 1), 2));
}

#[test]
fn a_surface_is_cleared_and_the_others_and_what_was_built_stay() {
    let file = native::hook("file", pintle_host::EventName::parse("tool.pre").unwrap(), |_| Verdict::pass());
    let built = Runtime::builder()
        .chain(native::chain("files", Layer::Project, [file]))
        .register_tool_hook(ToolHook::for_tools("wipe").deny("never"))
        .register_session_hook("session_start", |_| ())
        .load();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let runtime = built.runtime;
    runtime.register_tool_hook(ToolHook::for_tools("*").pre(|_| ()).post(|_| ())).unwrap();
    runtime.register_persona_hook("*", "PreStep", |_| ()).unwrap();
    runtime.register_step_hook("*", "audit", "PostStep", |_| ()).unwrap();
    runtime.register_session_hook("session_end", |_| ()).unwrap();
    let count = || runtime.hooks().hooks().count();
    assert_eq!(count(), 8);
    assert_eq!((runtime.clear_tool_hooks(), count()), (1, 6));
    assert_eq!((runtime.clear_persona_hooks(), count()), (2, 4));
    assert_eq!((runtime.clear_session_hooks(), count()), (1, 3));
    assert_eq!(runtime.clear_session_hooks(), 0);
    assert!(!runtime.fire(&call_event("wipe", json!({}))).is_allowed());
}

#[test]
fn the_builder_tells_what_is_wrong_with_the_rest() {
    let built = Runtime::builder()
        .register_session_hook("sesion_start", |_| ())
        .register_step_hook("*", "audit", "PreSetp", |_| ())
        .register_persona_hook("*", "PreStep", |_| ())
        .register_hook(SessionHook::for_event("session_end", |_| ()).timeout_ms(5))
        .load();
    assert!(built.has_errors());
    let found = describe_diagnostics(&built.diagnostics);
    assert!(found[0].contains("session_start") && found[1].contains("PreStep"), "{found:?}");
    assert_eq!(built.runtime.hooks().hooks().count(), 2);
}

#[test]
fn a_dispatch_goes_on_with_the_hooks_it_began_with() {
    let (runtime, seen) = (build_runtime(), SharedLines::default());
    let (within, lines) = (Arc::downgrade(&runtime), seen.clone());
    let first = ToolHook::for_tools("*").pre(move |_| {
        let runtime = within.upgrade().unwrap();
        lines.add("first");
        if runtime.hooks().hooks().count() == 2 {
            let more = lines.clone();
            runtime.register_tool_hook(ToolHook::for_tools("*").pre(move |_| more.add("third"))).unwrap();
        }
    });
    runtime.register_tool_hook(first).unwrap();
    let (within, lines) = (Arc::downgrade(&runtime), seen.clone());
    let second = ToolHook::for_tools("*").pre(move |_| {
        lines.add("second");
        assert_eq!(within.upgrade().unwrap().hooks().hooks().count(), 3);
    });
    runtime.register_tool_hook(second).unwrap();
    assert!(runtime.fire(&call_event("ls", json!({}))).is_allowed());
    assert_eq!(seen.all(), ["first", "second"]);
    assert!(runtime.fire(&call_event("ls", json!({}))).is_allowed());
    assert_eq!(seen.all(), ["first", "second", "first", "second", "third"]);
}

#[test]
fn vetoes_hold_on_every_thread_while_hooks_come_and_go() {
    let runtime = build_runtime();
    runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("gated")).unwrap();
    runtime
        .register_session_hook("user_prompt_submit", |event| {
            event.prompt()?.contains("secret").then(|| HookReturn::block("secret"))
        })
        .unwrap();
    let (over, passed) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let call = runtime.fire(&call_event("exec_root", json!({})));
                        let prompt = runtime.fire(&build_event("prompt.submit", json!({"prompt": "a secret"})));
                        passed.fetch_add(usize::from(call.is_allowed() || prompt.is_allowed()), Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let churn = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let others = runtime.register_tool_hook(ToolHook::for_tools("other_*").deny("x")).unwrap();
                assert!(others.remove());
            }
        });
        for thread in threads {
            thread.join().unwrap();
        }
        over.store(true, Ordering::Relaxed);
        churn.join().unwrap();
    });
    assert_eq!(passed.into_inner(), 0);
}

#[test]
fn a_thousand_hooks_are_registered_one_by_one_and_each_is_asked() {
    let (runtime, asked) = (build_runtime(), Arc::new(AtomicUsize::new(0)));
    for number in 0..1_000 {
        let asked = Arc::clone(&asked);
        let hook = ToolHook::for_tools(format!("tool_{number}")).pre(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
        });
        runtime.register_tool_hook(hook).unwrap();
    }
    for number in 0..1_000 {
        assert!(runtime.fire(&call_event(&format!("tool_{number}"), json!({}))).is_allowed());
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1_000);
}
