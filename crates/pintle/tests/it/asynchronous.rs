//! Calls that do not block.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread, ThreadId};

use pintle::events::{Custom, ToolPre};
use pintle::{
    ApprovalRequest, ApprovalResponse, Approver, Decision, Event, Hook, Origin, Refusal, Runtime, ToolCall, Verdict,
};
use serde_json::json;

struct ThreadWaker(Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn waker() -> Waker {
    Waker::from(Arc::new(ThreadWaker(thread::current())))
}

fn block_on<F: Future>(future: F) -> F::Output {
    let (waker, mut future) = (waker(), pin!(future));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

fn call() -> ToolCall {
    ToolCall::new("1", "shell", json!({"command": "ls"}))
}

/// A runtime with a hook that denies, and the thread on which it was called.
fn runtime_with_hook(may_wait: bool) -> (Runtime, Arc<Mutex<Option<ThreadId>>>) {
    let seen = Arc::new(Mutex::new(None));
    let thread_seen = Arc::clone(&seen);
    let hook = Hook::on::<ToolPre>(move |_| {
        *thread_seen.lock().unwrap() = Some(thread::current().id());
        Verdict::deny("not here")
    });
    let hook = if may_wait { hook.may_wait() } else { hook };
    (Runtime::builder().hook(hook).build().unwrap(), seen)
}

#[test]
fn a_hook_that_cannot_wait_runs_at_once_and_another_on_a_thread_of_the_pool() {
    for may_wait in [false, true] {
        let (runtime, seen) = runtime_with_hook(may_wait);
        let refusal = block_on(runtime.decide_tool_call_async(call())).unwrap_err();
        assert_eq!(refusal.reason(), "not here");
        let here = *seen.lock().unwrap() == Some(thread::current().id());
        assert_eq!(here, !may_wait);
    }
}

#[test]
fn every_async_twin_decides_what_the_other_does() {
    type LifeStep = fn(&pintle::AgentLife) -> Result<String, Refusal>;
    let twins: [(LifeStep, LifeStep); 6] = [
        (|life| life.submit_prompt("it"), |life| block_on(life.submit_prompt_async("it"))),
        (|life| life.begin_turn("it"), |life| block_on(life.begin_turn_async("it"))),
        (|life| life.end_turn("it"), |life| block_on(life.end_turn_async("it"))),
        (
            |life| Ok(life.review_answer("it")?.next_message().unwrap_or("stop").to_owned()),
            |life| Ok(block_on(life.review_answer_async("it"))?.next_message().unwrap_or("stop").to_owned()),
        ),
        (
            |life| Ok(life.decide_tool_call(call())?.args().to_string()),
            |life| Ok(block_on(life.decide_tool_call_async(call()))?.args().to_string()),
        ),
        (
            |life| Ok(life.conclude_tool_call(&call(), call().result("it")).into_content()),
            |life| Ok(block_on(life.conclude_tool_call_async(&call(), call().result("it"))).into_content()),
        ),
    ];
    let hooks = [
        Hook::on::<ToolPre>(|_| ()),
        Hook::on::<ToolPre>(|_| Verdict::deny("no")).may_wait(),
        Hook::on::<ToolPre>(|_| Verdict::args(json!({"command": "pwd"}))),
    ];
    for hook in hooks {
        let runtime = Runtime::builder().hook(hook).build().unwrap();
        let life = runtime.life(&Origin::session("s").turn(1));
        for (sync, asynchronous) in twins {
            assert_eq!(sync(&life), asynchronous(&life));
        }
    }
}

#[test]
fn a_future_that_is_dropped_cancels_a_waiting_hook() {
    let ((started, starts), (ended, ends)) = (channel(), channel());
    let hook = Hook::on::<Custom>(move |call| {
        started.send(()).unwrap();
        while !call.is_cancelled() {
            thread::yield_now();
        }
        ended.send(()).unwrap();
    });
    let runtime = Runtime::builder().hook(hook.may_wait()).build().unwrap();
    let life = runtime.life(&Origin::default());
    let waker = waker();
    let mut future = Box::pin(life.fire_async(Event::named("custom.event", json!({})).unwrap()));
    assert!(starts.try_recv().is_err(), "the event is fired when the future is polled");
    assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    starts.recv_timeout(pintle_testkit::PATIENCE).unwrap();
    drop(future);
    ends.recv_timeout(pintle_testkit::PATIENCE).unwrap();
    // Only that event was cancelled, and not the turn.
    assert!(life.begin_turn("it").is_ok());
    life.cancel();
    assert_eq!(life.begin_turn("it").unwrap_err().to_string(), "turn.start denied: cancelled");
}

#[test]
fn hooks_wait_beside_each_other_on_the_pool() {
    // Each waits for the other: with one thread they would never end.
    let both = Arc::new(Barrier::new(2));
    let hook = Hook::on::<ToolPre>(move |_| {
        both.wait();
    });
    let runtime = Runtime::builder().hook(hook.may_wait()).build().unwrap();
    let (waker, mut futures) = (waker(), Vec::new());
    for _ in 0..2 {
        let mut future = Box::pin(runtime.decide_tool_call_async(call()));
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        futures.push(future);
    }
    assert!(futures.into_iter().all(|future| block_on(future).is_ok()));
}

#[test]
fn a_thousand_calls_take_turns_on_few_threads() {
    let threads = Arc::new(Mutex::new(std::collections::HashSet::new()));
    let seen = Arc::clone(&threads);
    let hook = Hook::on::<ToolPre>(move |_| {
        seen.lock().unwrap().insert(thread::current().id());
    });
    let runtime = Runtime::builder().hook(hook.may_wait()).build().unwrap();
    let (waker, mut futures) = (waker(), Vec::new());
    for _ in 0..1_000 {
        let mut future = Box::pin(runtime.decide_tool_call_async(call()));
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            futures.push(future);
        }
    }
    assert!(futures.into_iter().all(|future| block_on(future).is_ok()));
    let limit = 8 * thread::available_parallelism().unwrap().get();
    assert!(threads.lock().unwrap().len() <= limit);
}

#[test]
fn the_programs_spawner_runs_what_may_wait_and_work_that_it_drops_is_done_all_the_same() {
    for drops in [false, true] {
        let spawned = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&spawned);
        let hook = Hook::on::<ToolPre>(|_| Verdict::deny("no")).may_wait();
        let builder = Runtime::builder().hook(hook).spawner(move |work| {
            count.fetch_add(1, Ordering::Relaxed);
            if !drops {
                work();
            }
        });
        let runtime = builder.build().unwrap();
        assert_eq!(block_on(runtime.decide_tool_call_async(call())).unwrap_err().reason(), "no");
        assert_eq!(spawned.load(Ordering::Relaxed), 1);
    }
}

#[derive(Debug)]
struct PanickingApprover;

impl Approver for PanickingApprover {
    fn request_approval(&self, _request: &ApprovalRequest<'_>) -> ApprovalResponse {
        panic!("the dialog is gone")
    }
}

#[test]
fn a_panic_of_the_program_comes_back_to_it_and_opens_nothing() {
    let runtime =
        Runtime::builder().on::<ToolPre>(|_| Verdict::ask("sure?")).approver(PanickingApprover).build().unwrap();
    let decided = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        block_on(runtime.decide_tool_call_async(call())).is_ok()
    }));
    assert!(!decided.unwrap_or(false));
}

#[test]
fn an_event_that_no_hook_hears_is_allowed_at_once() {
    let (runtime, _) = runtime_with_hook(false);
    let outcome = block_on(runtime.fire_async(Event::named("custom.unheard", json!({})).unwrap()));
    assert_eq!((outcome.decision(), outcome.hooks_called()), (Decision::Allow, 0));
}

#[test]
fn hooks_that_wait_for_other_calls_do_not_wait_for_each_other() {
    let runtime = Runtime::builder().build().unwrap();
    let inner = runtime.clone();
    let hook = Hook::on::<ToolPre>(move |call| {
        if call.tool() == "outer" {
            assert!(block_on(inner.decide_tool_call_async(ToolCall::new("2", "inner", json!({})))).is_ok());
        }
    });
    let _registered = runtime.register(hook.may_wait()).unwrap();
    // More than the pool has threads.
    let (waker, mut futures) = (waker(), Vec::new());
    for _ in 0..40 * thread::available_parallelism().unwrap().get() {
        let mut future = Box::pin(runtime.decide_tool_call_async(ToolCall::new("1", "outer", json!({}))));
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            futures.push(future);
        }
    }
    let (ended, ends) = channel();
    thread::spawn(move || ended.send(futures.into_iter().all(|future| block_on(future).is_ok())).unwrap());
    assert_eq!(ends.recv_timeout(pintle_testkit::PATIENCE), Ok(true));
}
