//! Scripts that try to end or hold the process: at load and at dispatch, each ends in a diagnostic or a failed verdict.

use std::time::Instant;

use pintle_contract::{CallLimits, FailureKind, LimitKind, VerdictKind};
use serde_json::{Value, json};

use super::stage::{World, ask, ask_within, builder, within_limits};

/// What a hook may end in.
#[derive(Debug, Clone, Copy)]
enum End {
    /// An error diagnostic when it is built.
    Diagnostic,
    /// A failed verdict of one of these kinds.
    Failed(&'static [FailureKind]),
    /// Any failed verdict or diagnostic.
    Either,
    /// A verdict: the attack is none.
    Harmless,
}

const STEPS: FailureKind = FailureKind::Limit(LimitKind::Steps);
const MEMORY: FailureKind = FailureKind::Limit(LimitKind::Memory);
const DEPTH: FailureKind = FailureKind::Limit(LimitKind::Depth);
const OUTPUT: FailureKind = FailureKind::Limit(LimitKind::Output);
const DIES: &[FailureKind] = &[MEMORY, OUTPUT, FailureKind::Crash, FailureKind::Timeout, FailureKind::Error];

fn handle(body: &str) -> String {
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    format!("def handle(event, payload):\n{body}")
}

/// Runs one attack after the other with one builder; after each a plain hook must still answer.
fn survive(limits: CallLimits, attacks: Vec<(&str, String, Value, End)>) {
    let builder = builder();
    let world = World::default();
    for (name, script, payload, end) in attacks {
        let started = Instant::now();
        let ended = ask_within(&builder, &script, payload, &world, limits);
        within_limits(started);
        match (end, &ended) {
            (End::Diagnostic | End::Either, Err(found)) => assert!(!found.is_empty(), "{name}"),
            (End::Failed(kinds), Ok(verdict)) => match &verdict.kind {
                VerdictKind::Failed(failure) => assert!(kinds.contains(&failure.kind), "{name}: {failure}"),
                said => panic!("{name}: {said:?}"),
            },
            (End::Either, Ok(verdict)) => {
                assert!(matches!(verdict.kind, VerdictKind::Failed(_)), "{name}: {verdict:?}")
            }
            (End::Harmless, Ok(verdict)) => {
                assert!(!matches!(verdict.kind, VerdictKind::Failed(_)), "{name}: {verdict:?}")
            }
            _ => panic!("{name}: {ended:?}"),
        }
        let after = ask(&builder, &handle("return block(\"alive\")"), json!({}), &world).unwrap();
        assert_eq!(after.kind, VerdictKind::Deny { reason: String::from("alive") }, "after {name}");
    }
}

#[test]
fn loops_and_recursion_end_at_their_limits() {
    let limits = CallLimits { steps: 50_000, ..CallLimits::default() };
    survive(
        limits,
        vec![
            (
                "nested loops",
                handle("for a in range(1000000000):\n  for b in range(1000000000):\n    pass\nreturn allow()"),
                json!({}),
                End::Failed(&[STEPS]),
            ),
            (
                "a long loop",
                handle("for i in range(2000000000):\n  pass\nreturn allow()"),
                json!({}),
                End::Failed(&[STEPS]),
            ),
            (
                "recursion",
                String::from("def f(n):\n  return f(n + 1)\ndef handle(event, payload):\n  return f(0)\n"),
                json!({}),
                End::Failed(&[DEPTH]),
            ),
            (
                "recursion through sorted",
                String::from(
                    "def f(n):\n  return sorted([1, 2], key = f)\ndef handle(event, payload):\n  return f(0)\n",
                ),
                json!({}),
                End::Failed(&[DEPTH]),
            ),
            (
                "a growing list",
                handle("l = []\nfor i in range(100000000):\n  l.append(i)\nreturn allow()"),
                json!({}),
                End::Failed(&[STEPS, MEMORY]),
            ),
            (
                "a comprehension at the top",
                format!("x = [i for i in range(2000000000)]\n{}", handle("return allow()")),
                json!({}),
                End::Diagnostic,
            ),
        ],
    );
}

#[test]
fn memory_ends_the_call_or_its_worker() {
    let limits = CallLimits::default();
    survive(
        limits,
        vec![
            (
                "garbage",
                handle("for i in range(100000):\n  s = \"a\" * 100000\nreturn allow()"),
                json!({}),
                End::Failed(DIES),
            ),
            (
                "doubling",
                handle("s = \"abc\"\nfor i in range(60):\n  s = s + s\nreturn allow()"),
                json!({}),
                End::Failed(DIES),
            ),
            (
                "doubling in place",
                handle("s = \"abc\"\nfor i in range(60):\n  s += s\nreturn allow()"),
                json!({}),
                End::Failed(DIES),
            ),
            (
                "list doubling",
                handle("l = [1]\nfor i in range(60):\n  l = l + l\nreturn allow()"),
                json!({}),
                End::Failed(DIES),
            ),
            (
                "repeating text of the input",
                handle("return block(payload[\"x\"] * 2000000000)"),
                json!({"x": "abc"}),
                End::Failed(DIES),
            ),
            ("repeating a list", handle("n = 1000000000\nreturn block(str([0] * n))"), json!({}), End::Either),
            (
                "repeating in place",
                handle("s = payload[\"x\"]\ns *= 2000000000\nreturn allow()"),
                json!({"x": "abc"}),
                End::Failed(DIES),
            ),
            (
                "a list of a range",
                handle("n = payload[\"n\"]\nreturn block(str(list(range(n))))"),
                json!({"n": 2_147_483_647}),
                End::Failed(DIES),
            ),
            (
                "join",
                handle("l = [payload[\"x\"]] * 200000\nreturn block(payload[\"x\"].join(l))"),
                json!({"x": "y".repeat(100_000)}),
                End::Failed(DIES),
            ),
            (
                "replace",
                handle("return block(payload[\"x\"].replace(\"y\", payload[\"x\"]))"),
                json!({"x": "y".repeat(200_000)}),
                End::Failed(DIES),
            ),
        ],
    );
}

/// Twice what a script may have is the most that its worker takes, however it comes by it: the process ends there, before
/// the interpreter looks at its heap.
#[test]
fn a_worker_ends_at_twice_the_memory_of_its_script() {
    let big = json!({"a": "x".repeat(1 << 20)});
    let grows = "def g(l, s):\n  l.append(s)\n";
    let with = |body: &str| {
        format!("{grows}{}", handle(&format!("l = []\nfor i in range(300):\n  g(l, payload[\"a\"])\n{body}")))
    };
    let crash = End::Failed(&[FailureKind::Crash]);
    survive(
        CallLimits { timeout_ms: 60_000, ..CallLimits::default() },
        vec![
            ("upper", with("for s in l:\n  s.upper()\nreturn allow()"), big.clone(), crash),
            ("join", with("return block(str(len(\"\".join(l))))"), big.clone(), crash),
            ("little", with("return allow()"), big, End::Harmless),
        ],
    );
}

#[test]
fn computing_ends_at_the_deadline() {
    const LATE: &[FailureKind] = &[FailureKind::Timeout, FailureKind::Crash, MEMORY];
    let limits = CallLimits { timeout_ms: 500, ..CallLimits::default() };
    survive(
        limits,
        vec![
            (
                "max of a range",
                handle("return block(str(max(range(payload[\"n\"]))))"),
                json!({"n": 2_147_483_647}),
                End::Failed(LATE),
            ),
            (
                "any of a range",
                handle("return block(str(all(range(1, payload[\"n\"]))))"),
                json!({"n": 2_147_483_647}),
                End::Failed(LATE),
            ),
            (
                "squaring",
                handle("x = payload[\"n\"]\nfor i in range(40):\n  x = x * x\nreturn allow()"),
                json!({"n": 12345}),
                End::Failed(LATE),
            ),
            (
                "a long needle in a long text",
                handle(
                    "for i in range(100):\n  if payload[\"needle\"] in payload[\"text\"]:\n    return allow()\nreturn allow()",
                ),
                json!({"needle": format!("{}b", "a".repeat(500_000)), "text": "a".repeat(1_000_000)}),
                End::Failed(LATE),
            ),
            (
                "a constant computed at load",
                format!("def f():\n  return max(range(2147483647))\n{}", handle("return allow()")),
                json!({}),
                End::Diagnostic,
            ),
            ("a shift", handle("return block(str(1 << 100000000))"), json!({}), End::Either),
        ],
    );
}

/// Lines that put `x` so many times into itself, with the brackets of a list or of a tuple. One turn of the loop does it
/// 90 times: a turn costs much more than a bracket, above all in a build for tests.
fn nested(times: usize, open: &str, close: &str) -> String {
    let (open, close) = (open.repeat(90), close.repeat(90));
    format!("x = {open}1{close}\nfor i in range({}):\n  x = {open}x{close}\n", times / 90)
}

#[test]
fn deep_values_and_numbers_without_end_are_refused() {
    const REFUSED: End = End::Failed(&[FailureKind::Error]);
    // Deep enough for a printed form that is too long, and far beyond what the conversions and comparisons allow.
    let deep = nested(30_000, "[", "]");
    // Deeper than the stack of the worker, where printing has no bound of its own.
    let bottomless = nested(600_000, "(", ",)");
    let limits = CallLimits { timeout_ms: 10_000, output_bytes: 50_000, ..CallLimits::default() };
    survive(
        limits,
        vec![
            (
                "printing a value that is deeper than the stack",
                handle(&format!("{bottomless}return block(str(x))")),
                json!({}),
                End::Failed(DIES),
            ),
            (
                "printing a deep value",
                handle(&format!("{deep}return block(str(x))")),
                json!({}),
                End::Failed(&[OUTPUT]),
            ),
            (
                "a deep value as a key",
                handle(&format!("{}return block(str({{x: 1}}))", nested(30_000, "(", ",)"))),
                json!({}),
                End::Failed(&[OUTPUT]),
            ),
            ("encoding a deep value", handle(&format!("{deep}return block(json.encode(x))")), json!({}), REFUSED),
            (
                "comparing deep values",
                handle(&format!("{deep}{}return block(str(x == y))", deep.replace('x', "y"))),
                json!({}),
                REFUSED,
            ),
            ("returning a deep value", handle(&format!("{deep}return modify(x)")), json!({}), REFUSED),
            (
                "decoding brackets",
                handle("return block(str(json.decode(\"[\" * 1000 + payload[\"x\"])))"),
                json!({"x": "["}),
                REFUSED,
            ),
            ("decoding a number without end", handle("return block(str(json.decode(\"1e400\")))"), json!({}), REFUSED),
            (
                "a number without end in the payload",
                handle("return block(str(payload))"),
                serde_json::from_str(r#"{"n": 1e400}"#).unwrap(),
                End::Failed(&[FailureKind::Crash]),
            ),
            (
                "a number with a hundred thousand digits",
                handle("return block(str(payload))"),
                serde_json::from_str(&format!("{{\"n\": {}}}", "9".repeat(100_000))).unwrap(),
                End::Failed(&[FailureKind::Crash]),
            ),
            (
                "a pattern that backtracks elsewhere",
                handle("return block(str(re.search(\"(a*)*b\", payload[\"x\"])))"),
                json!({"x": "a".repeat(500_000)}),
                End::Harmless,
            ),
        ],
    );
}

#[test]
fn sources_that_overflow_the_parser_are_diagnostics() {
    let body = handle("return allow()");
    let limits = CallLimits::default();
    survive(
        limits,
        vec![
            (
                "200,000 brackets",
                format!("x = {}{}\n{body}", "(".repeat(200_000), ")".repeat(200_000)),
                json!({}),
                End::Diagnostic,
            ),
            (
                "20,000 lists",
                format!("x = {}{}\n{body}", "[".repeat(20_000), "]".repeat(20_000)),
                json!({}),
                End::Diagnostic,
            ),
            (
                "4,000 branches",
                format!("def f(x):\n  if x:\n    pass\n{}{body}", "  elif x:\n    pass\n".repeat(3_000)),
                json!({}),
                End::Diagnostic,
            ),
            ("20,000 sums", format!("x = 1{}\n{body}", " + 1".repeat(15_000)), json!({}), End::Diagnostic),
            ("60,000 signs", format!("x = {}1\n{body}", "-".repeat(60_000)), json!({}), End::Diagnostic),
            ("64 KiB of text", format!("x = \"{}\"\n{body}", "y".repeat(70_000)), json!({}), End::Diagnostic),
        ],
    );
}
