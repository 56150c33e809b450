//! What ends a call in this process: its limits, its host, and effects that panic.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pintle_contract::{
    CallId, CallLimits, CancelToken, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, Failure,
    FailureKind, LimitKind, NoEffects, Payload, ScriptSource,
};
use pintle_script::{Invocation, ScriptKind, compile};
use serde_json::json;

/// Effects with a bug.
#[derive(Debug)]
struct PanickingEffects;

impl EffectRunner for PanickingEffects {
    fn perform(&self, _caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        assert_eq!(request, EffectRequest::Now, "the world broke");
        Err(EffectError(String::from("no clock here")))
    }
}

/// Effects that take as long as the caller waits, and that count the requests.
#[derive(Debug, Default)]
struct WaitingEffects(AtomicUsize);

impl EffectRunner for WaitingEffects {
    fn perform(&self, caller: EffectCaller<'_>, _request: EffectRequest) -> Result<EffectReply, EffectError> {
        self.0.fetch_add(1, Ordering::AcqRel);
        let cancel = caller.cancel.expect("a request that may take time has an end");
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        Err(EffectError(String::from("cancelled")))
    }
}

fn call_failure(body: &str, limits: CallLimits, cancel: &CancelToken, effects: &dyn EffectRunner) -> Failure {
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    let text = format!("def handle(event, payload):\n{body}");
    let compiled = compile("limited", &ScriptSource::without_file(text), ScriptKind::Hook);
    let script = compiled.script.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let caller = EffectCaller::new(CallId(0), "limited");
    let payload = Payload::new(json!({"items": (0..5_000).collect::<Vec<_>>()}));
    let invocation = Invocation { effects, caller, limits: &limits, cancel };
    script.handle("tool.pre", &payload, &invocation).expect_err("it must fail")
}

#[test]
fn each_limit_names_itself_and_the_line() {
    let loops = "for a in payload[\"items\"]:\n  for b in payload[\"items\"]:\n    pass\nreturn allow()";
    let few = CallLimits { steps: 10_000, ..CallLimits::default() };
    let found = call_failure(loops, few, &CancelToken::default(), &NoEffects);
    assert_eq!(
        (found.kind, found.message.as_str()),
        (FailureKind::Limit(LimitKind::Steps), "more than 10000 steps executed")
    );
    assert!(found.diagnostic.unwrap().location.line_column().is_some());

    let found =
        call_failure(loops, CallLimits { timeout_ms: 0, ..CallLimits::default() }, &CancelToken::default(), &NoEffects);
    assert_eq!((found.kind, found.message.as_str()), (FailureKind::Timeout, "no answer within 0 ms"));

    let garbage = "for a in payload[\"items\"]:\n  x = [a, a, a, a]\nreturn allow()";
    let small = CallLimits { memory_bytes: 10_000, ..CallLimits::default() };
    let found = call_failure(garbage, small, &CancelToken::default(), &NoEffects);
    assert_eq!(found.kind, FailureKind::Limit(LimitKind::Memory));

    let large = "return modify({\"items\": payload[\"items\"]})";
    let short = CallLimits { output_bytes: 100, ..CallLimits::default() };
    let found = call_failure(large, short, &CancelToken::default(), &NoEffects);
    assert_eq!(
        (found.kind, found.message.as_str()),
        (FailureKind::Limit(LimitKind::Output), "the script returned more than 100 bytes")
    );
}

#[test]
fn the_host_and_the_world_can_end_a_call() {
    let cancel = CancelToken::default();
    cancel.cancel();
    assert_eq!(call_failure("return allow()", CallLimits::default(), &cancel, &NoEffects).kind, FailureKind::Cancelled);

    let found =
        call_failure("return block(time.now())", CallLimits::default(), &CancelToken::default(), &PanickingEffects);
    assert_eq!((found.kind, found.message.as_str()), (FailureKind::Error, "time.now: no clock here"));
    let found = call_failure("cache.clear()", CallLimits::default(), &CancelToken::default(), &PanickingEffects);
    assert_eq!(found.kind, FailureKind::Crash);
}

#[test]
fn the_time_of_a_call_bounds_whatever_it_waits_for() {
    let short = CallLimits { timeout_ms: 20, ..CallLimits::default() };
    let waits = [
        "sleep(100000000)",
        "for i in range(1000):\n  sleep(100)",
        "http.get(\"http://x.test/\", {}, 600)",
        "http.post(\"http://x.test/\", \"b\")",
        "emit(\"custom.x\", {})",
        "events.emit(\"custom.x\", {})",
        "meta.call_tool(\"slow\", {})",
        "meta.list_tools()",
        "fs.read(\"a\")",
        "for path in fs.glob(\"**\"):\n  fs.read(path)",
        "[sleep(1) for i in range(1000)]",
    ];
    for body in waits {
        let world = WaitingEffects::default();
        let began = Instant::now();
        let found = call_failure(&format!("{body}\nreturn allow()"), short, &CancelToken::default(), &world);
        assert_eq!((found.kind, found.message.as_str()), (FailureKind::Timeout, "no answer within 20 ms"), "{body}");
        assert!(found.diagnostic.is_some(), "{body}");
        // The first wait ended with the call; nothing was started after it.
        assert_eq!(world.0.load(Ordering::Acquire), 1, "{body}");
        assert!(began.elapsed() < Duration::from_secs(30), "{body}");
    }
}

#[test]
fn what_a_call_is_given_counts_as_its_memory_at_once() {
    /// Effects with large replies.
    #[derive(Debug, Default)]
    struct LargeReplyEffects(AtomicUsize);
    impl EffectRunner for LargeReplyEffects {
        fn perform(&self, _caller: EffectCaller<'_>, _request: EffectRequest) -> Result<EffectReply, EffectError> {
            self.0.fetch_add(1, Ordering::AcqRel);
            Ok(EffectReply::Value(json!("x".repeat(1 << 20))))
        }
    }
    let world = LargeReplyEffects::default();
    let few = CallLimits { memory_bytes: 4 << 20, ..CallLimits::default() };
    let found =
        call_failure("for i in range(900):\n  fs.read(\"a\")\nreturn allow()", few, &CancelToken::default(), &world);
    assert_eq!(found.kind, FailureKind::Limit(LimitKind::Memory));
    assert!(world.0.load(Ordering::Acquire) < 8, "{world:?}");
}

#[test]
fn waits_add_up() {
    /// Effects that reply immediately.
    #[derive(Debug, Default)]
    struct InstantEffects(AtomicUsize);
    impl EffectRunner for InstantEffects {
        fn perform(&self, _caller: EffectCaller<'_>, _request: EffectRequest) -> Result<EffectReply, EffectError> {
            self.0.fetch_add(1, Ordering::AcqRel);
            Ok(EffectReply::Done)
        }
    }
    let world = InstantEffects::default();
    let over = CallLimits { timeout_ms: 0, ..CallLimits::default() };
    let found = call_failure("for i in range(900):\n  sleep(1)\nreturn allow()", over, &CancelToken::default(), &world);
    assert_eq!((found.kind, world.0.load(Ordering::Acquire)), (FailureKind::Timeout, 1));
}

#[test]
fn the_time_of_a_call_bounds_its_searches() {
    let over = CallLimits { timeout_ms: 0, ..CallLimits::default() };
    for call in ["findall", "find_all", "search", "match"] {
        let body = format!("re.{call}(\"x{{0,1000}}y\", \"x\" * 10000)\nreturn allow()");
        let found = call_failure(&body, over, &CancelToken::default(), &NoEffects);
        assert_eq!(found.kind, FailureKind::Timeout, "{call}: {}", found.message);
    }
}
