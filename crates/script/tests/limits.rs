//! What ends a call in this process: its limits, its host, and a world that panics.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pintle_contract::{
    CallId, Caller, Cancel, Failure, FailureKind, LimitKind, Limits, NoSeam, Payload, Reply, Request, ScriptText, Seam,
    SeamError,
};
use pintle_script::{Invocation, Role, compile};
use serde_json::json;

/// A world with a bug.
#[derive(Debug)]
struct Broken;

impl Seam for Broken {
    fn perform(&self, _caller: Caller<'_>, request: Request) -> Result<Reply, SeamError> {
        assert_eq!(request, Request::Now, "the world broke");
        Err(SeamError(String::from("no clock here")))
    }
}

/// A world in which everything takes as long as its caller waits, and that counts what it is asked.
#[derive(Debug, Default)]
struct Endless(AtomicUsize);

impl Seam for Endless {
    fn perform(&self, caller: Caller<'_>, _request: Request) -> Result<Reply, SeamError> {
        self.0.fetch_add(1, Ordering::AcqRel);
        let cancel = caller.cancel.expect("a request that may take time has an end");
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        Err(SeamError(String::from("cancelled")))
    }
}

fn failure(body: &str, limits: Limits, cancel: &Cancel, seam: &dyn Seam) -> Failure {
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    let text = format!("def handle(event, payload):\n{body}");
    let compiled = compile("limited", &ScriptText::bare(text), Role::Hook);
    let script = compiled.script.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let caller = Caller::new(CallId(0), "limited");
    let payload = Payload::new(json!({"items": (0..5_000).collect::<Vec<_>>()}));
    let invocation = Invocation { seam, caller, limits: &limits, cancel };
    script.handle("tool.pre", &payload, &invocation).expect_err("it must fail")
}

#[test]
fn each_limit_names_itself_and_the_line() {
    let loops = "for a in payload[\"items\"]:\n  for b in payload[\"items\"]:\n    pass\nreturn allow()";
    let few = Limits { steps: 10_000, ..Limits::default() };
    let found = failure(loops, few, &Cancel::default(), &NoSeam);
    assert_eq!((found.kind, found.message.as_str()), (FailureKind::Limit(LimitKind::Steps), "more than 10000 steps"));
    assert!(found.diagnostic.unwrap().location.line_column().is_some());

    let found = failure(loops, Limits { timeout_ms: 0, ..Limits::default() }, &Cancel::default(), &NoSeam);
    assert_eq!((found.kind, found.message.as_str()), (FailureKind::Timeout, "no answer within 0 ms"));

    let garbage = "for a in payload[\"items\"]:\n  x = [a, a, a, a]\nreturn allow()";
    let small = Limits { memory_bytes: 10_000, ..Limits::default() };
    let found = failure(garbage, small, &Cancel::default(), &NoSeam);
    assert_eq!(found.kind, FailureKind::Limit(LimitKind::Memory));

    let large = "return modify({\"items\": payload[\"items\"]})";
    let short = Limits { output_bytes: 100, ..Limits::default() };
    let found = failure(large, short, &Cancel::default(), &NoSeam);
    assert_eq!(
        (found.kind, found.message.as_str()),
        (FailureKind::Limit(LimitKind::Output), "the script returned more than 100 bytes")
    );
}

#[test]
fn the_host_and_the_world_can_end_a_call() {
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(failure("return allow()", Limits::default(), &cancel, &NoSeam).kind, FailureKind::Cancelled);

    let found = failure("return block(time.now())", Limits::default(), &Cancel::default(), &Broken);
    assert_eq!((found.kind, found.message.as_str()), (FailureKind::Error, "time.now: no clock here"));
    let found = failure("cache.clear()", Limits::default(), &Cancel::default(), &Broken);
    assert_eq!(found.kind, FailureKind::Crash);
}

#[test]
fn the_time_of_a_call_bounds_whatever_it_waits_for() {
    let short = Limits { timeout_ms: 20, ..Limits::default() };
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
        let world = Endless::default();
        let began = Instant::now();
        let found = failure(&format!("{body}\nreturn allow()"), short, &Cancel::default(), &world);
        assert_eq!((found.kind, found.message.as_str()), (FailureKind::Timeout, "no answer within 20 ms"), "{body}");
        assert!(found.diagnostic.is_some(), "{body}");
        // The first wait ended with the call; nothing was begun after it.
        assert_eq!(world.0.load(Ordering::Acquire), 1, "{body}");
        assert!(began.elapsed() < Duration::from_secs(30), "{body}");
    }
}

#[test]
fn what_a_call_is_given_counts_as_its_memory_at_once() {
    /// A world of large files.
    #[derive(Debug, Default)]
    struct Large(AtomicUsize);
    impl Seam for Large {
        fn perform(&self, _caller: Caller<'_>, _request: Request) -> Result<Reply, SeamError> {
            self.0.fetch_add(1, Ordering::AcqRel);
            Ok(Reply::Value(json!("x".repeat(1 << 20))))
        }
    }
    let world = Large::default();
    let few = Limits { memory_bytes: 4 << 20, ..Limits::default() };
    let found = failure("for i in range(900):\n  fs.read(\"a\")\nreturn allow()", few, &Cancel::default(), &world);
    assert_eq!(found.kind, FailureKind::Limit(LimitKind::Memory));
    assert!(world.0.load(Ordering::Acquire) < 8, "{world:?}");
}

#[test]
fn waits_add_up() {
    /// A world that is done at once.
    #[derive(Debug, Default)]
    struct Quick(AtomicUsize);
    impl Seam for Quick {
        fn perform(&self, _caller: Caller<'_>, _request: Request) -> Result<Reply, SeamError> {
            self.0.fetch_add(1, Ordering::AcqRel);
            Ok(Reply::Done)
        }
    }
    let world = Quick::default();
    let over = Limits { timeout_ms: 0, ..Limits::default() };
    let found = failure("for i in range(900):\n  sleep(1)\nreturn allow()", over, &Cancel::default(), &world);
    assert_eq!((found.kind, world.0.load(Ordering::Acquire)), (FailureKind::Timeout, 1));
}

#[test]
fn the_time_of_a_call_bounds_its_searches() {
    let over = Limits { timeout_ms: 0, ..Limits::default() };
    for call in ["findall", "find_all", "search", "match"] {
        let body = format!("re.{call}(\"x{{0,1000}}y\", \"x\" * 10000)\nreturn allow()");
        let found = failure(&body, over, &Cancel::default(), &NoSeam);
        assert_eq!(found.kind, FailureKind::Timeout, "{call}: {}", found.message);
    }
}
