//! Scripts that try to end or block the process, at load and at dispatch: each ends in a diagnostic or a failed
//! verdict.

use std::time::Instant;

use pintle_contract::{CallLimits, FailureKind, LimitKind, VerdictKind};
use serde_json::{Value, json};

use super::fixture::{FakeEffects, assert_finishes_in_time, call_script, call_script_with_limits, test_factory};

/// The expected end of an attack.
#[derive(Debug, Clone, Copy)]
enum AttackEnd {
    /// An error diagnostic when it is built.
    Diagnostic,
    /// A failed verdict of one of these kinds.
    Failed(&'static [FailureKind]),
    /// Any failed verdict or diagnostic.
    Either,
    /// A verdict: the attack is harmless.
    Harmless,
}

const STEPS: FailureKind = FailureKind::Limit(LimitKind::Steps);
const MEMORY: FailureKind = FailureKind::Limit(LimitKind::Memory);
const DEPTH: FailureKind = FailureKind::Limit(LimitKind::Depth);
const OUTPUT: FailureKind = FailureKind::Limit(LimitKind::Output);
const DIES: &[FailureKind] = &[MEMORY, OUTPUT, FailureKind::Crash, FailureKind::Timeout, FailureKind::Error];

fn handle_script(body: &str) -> String {
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    format!("def handle(event, payload):\n{body}")
}

/// Runs the attacks one after the other with one factory; after each a plain hook must still work.
fn assert_survives(limits: CallLimits, attacks: Vec<(&str, String, Value, AttackEnd)>) {
    let builder = test_factory();
    let world = FakeEffects::default();
    for (name, script, payload, end) in attacks {
        let started = Instant::now();
        let ended = call_script_with_limits(&builder, &script, payload, &world, limits);
        assert_finishes_in_time(started);
        match (end, &ended) {
            (AttackEnd::Diagnostic | AttackEnd::Either, Err(found)) => assert!(!found.is_empty(), "{name}"),
            (AttackEnd::Failed(kinds), Ok(verdict)) => match &verdict.kind {
                VerdictKind::Failed(failure) => assert!(kinds.contains(&failure.kind), "{name}: {failure}"),
                said => panic!("{name}: {said:?}"),
            },
            (AttackEnd::Either, Ok(verdict)) => {
                assert!(matches!(verdict.kind, VerdictKind::Failed(_)), "{name}: {verdict:?}")
            }
            (AttackEnd::Harmless, Ok(verdict)) => {
                assert!(!matches!(verdict.kind, VerdictKind::Failed(_)), "{name}: {verdict:?}")
            }
            _ => panic!("{name}: {ended:?}"),
        }
        let after = call_script(&builder, &handle_script("return block(\"alive\")"), json!({}), &world).unwrap();
        assert_eq!(after.kind, VerdictKind::Deny { reason: String::from("alive") }, "after {name}");
    }
}

#[test]
fn loops_and_recursion_end_at_their_limits() {
    let limits = CallLimits { steps: 50_000, ..CallLimits::default() };
    assert_survives(
        limits,
        vec![
            (
                "nested loops",
                handle_script("for a in range(1000000000):\n  for b in range(1000000000):\n    pass\nreturn allow()"),
                json!({}),
                AttackEnd::Failed(&[STEPS]),
            ),
            (
                "a long loop",
                handle_script("for i in range(2000000000):\n  pass\nreturn allow()"),
                json!({}),
                AttackEnd::Failed(&[STEPS]),
            ),
            (
                "recursion",
                String::from("def f(n):\n  return f(n + 1)\ndef handle(event, payload):\n  return f(0)\n"),
                json!({}),
                AttackEnd::Failed(&[DEPTH]),
            ),
            (
                "recursion through sorted",
                String::from(
                    "def f(n):\n  return sorted([1, 2], key = f)\ndef handle(event, payload):\n  return f(0)\n",
                ),
                json!({}),
                AttackEnd::Failed(&[DEPTH]),
            ),
            (
                "a growing list",
                handle_script("l = []\nfor i in range(100000000):\n  l.append(i)\nreturn allow()"),
                json!({}),
                AttackEnd::Failed(&[STEPS, MEMORY]),
            ),
            (
                "a comprehension at the top",
                format!("x = [i for i in range(2000000000)]\n{}", handle_script("return allow()")),
                json!({}),
                AttackEnd::Diagnostic,
            ),
        ],
    );
}

#[test]
fn memory_ends_the_call_or_its_worker() {
    let limits = CallLimits::default();
    assert_survives(
        limits,
        vec![
            (
                "garbage",
                handle_script("for i in range(100000):\n  s = \"a\" * 100000\nreturn allow()"),
                json!({}),
                AttackEnd::Failed(DIES),
            ),
            (
                "doubling",
                handle_script("s = \"abc\"\nfor i in range(60):\n  s = s + s\nreturn allow()"),
                json!({}),
                AttackEnd::Failed(DIES),
            ),
            (
                "doubling in place",
                handle_script("s = \"abc\"\nfor i in range(60):\n  s += s\nreturn allow()"),
                json!({}),
                AttackEnd::Failed(DIES),
            ),
            (
                "list doubling",
                handle_script("l = [1]\nfor i in range(60):\n  l = l + l\nreturn allow()"),
                json!({}),
                AttackEnd::Failed(DIES),
            ),
            (
                "repeating text of the input",
                handle_script("return block(payload[\"x\"] * 2000000000)"),
                json!({"x": "abc"}),
                AttackEnd::Failed(DIES),
            ),
            (
                "repeating a list",
                handle_script("n = 1000000000\nreturn block(str([0] * n))"),
                json!({}),
                AttackEnd::Either,
            ),
            (
                "repeating in place",
                handle_script("s = payload[\"x\"]\ns *= 2000000000\nreturn allow()"),
                json!({"x": "abc"}),
                AttackEnd::Failed(DIES),
            ),
            (
                "a list of a range",
                handle_script("n = payload[\"n\"]\nreturn block(str(list(range(n))))"),
                json!({"n": 2_147_483_647}),
                AttackEnd::Failed(DIES),
            ),
            (
                "join",
                handle_script("l = [payload[\"x\"]] * 200000\nreturn block(payload[\"x\"].join(l))"),
                json!({"x": "y".repeat(100_000)}),
                AttackEnd::Failed(DIES),
            ),
            (
                "replace",
                handle_script("return block(payload[\"x\"].replace(\"y\", payload[\"x\"]))"),
                json!({"x": "y".repeat(200_000)}),
                AttackEnd::Failed(DIES),
            ),
        ],
    );
}

/// A worker may use at most twice the memory of its script, by whatever means: the process ends there, before the
/// interpreter checks its heap.
#[test]
fn a_worker_ends_at_twice_the_memory_of_its_script() {
    let big = json!({"a": "x".repeat(1 << 20)});
    let grows = "def g(l, s):\n  l.append(s)\n";
    let with = |body: &str| {
        format!("{grows}{}", handle_script(&format!("l = []\nfor i in range(300):\n  g(l, payload[\"a\"])\n{body}")))
    };
    let crash = AttackEnd::Failed(&[FailureKind::Crash]);
    assert_survives(
        CallLimits { timeout_ms: 60_000, ..CallLimits::default() },
        vec![
            ("upper", with("for s in l:\n  s.upper()\nreturn allow()"), big.clone(), crash),
            ("join", with("return block(str(len(\"\".join(l))))"), big.clone(), crash),
            ("little", with("return allow()"), big, AttackEnd::Harmless),
        ],
    );
}

#[test]
fn computing_ends_at_the_deadline() {
    const LATE: &[FailureKind] = &[FailureKind::Timeout, FailureKind::Crash, MEMORY];
    let limits = CallLimits { timeout_ms: 500, ..CallLimits::default() };
    assert_survives(
        limits,
        vec![
            (
                "max of a range",
                handle_script("return block(str(max(range(payload[\"n\"]))))"),
                json!({"n": 2_147_483_647}),
                AttackEnd::Failed(LATE),
            ),
            (
                "any of a range",
                handle_script("return block(str(all(range(1, payload[\"n\"]))))"),
                json!({"n": 2_147_483_647}),
                AttackEnd::Failed(LATE),
            ),
            (
                "squaring",
                handle_script("x = payload[\"n\"]\nfor i in range(40):\n  x = x * x\nreturn allow()"),
                json!({"n": 12345}),
                AttackEnd::Failed(LATE),
            ),
            (
                "a long needle in a long text",
                handle_script("return block(\"found\") if payload[\"needle\"] in payload[\"text\"] else allow()"),
                json!({"needle": format!("{}b", "a".repeat(500_000)), "text": "a".repeat(1_000_000)}),
                AttackEnd::Harmless,
            ),
            (
                "a constant computed at load",
                format!("def f():\n  return max(range(2147483647))\n{}", handle_script("return allow()")),
                json!({}),
                AttackEnd::Diagnostic,
            ),
            ("a shift", handle_script("return block(str(1 << 100000000))"), json!({}), AttackEnd::Either),
        ],
    );
}

/// Lines that nest `x` in itself the given number of times, with the brackets of a list or of a tuple. One iteration of
/// the loop nests 90 times: an iteration costs much more than a bracket, especially in a test build.
fn nesting_script(times: usize, open: &str, close: &str) -> String {
    let (open, close) = (open.repeat(90), close.repeat(90));
    format!("x = {open}1{close}\nfor i in range({}):\n  x = {open}x{close}\n", times / 90)
}

#[test]
fn deep_values_and_numbers_without_end_are_refused() {
    const REFUSED: AttackEnd = AttackEnd::Failed(&[FailureKind::Error]);
    // Deep enough for a printed form that is too long, and far beyond the limits of conversions and comparisons.
    let deep = nesting_script(30_000, "[", "]");
    // Deeper than the worker's stack, where printing has no limit of its own.
    let bottomless = nesting_script(600_000, "(", ",)");
    let limits = CallLimits { timeout_ms: 10_000, output_bytes: 50_000, ..CallLimits::default() };
    assert_survives(
        limits,
        vec![
            (
                "printing a value that is deeper than the stack",
                handle_script(&format!("{bottomless}return block(str(x))")),
                json!({}),
                AttackEnd::Failed(DIES),
            ),
            (
                "printing a deep value",
                handle_script(&format!("{deep}return block(str(x))")),
                json!({}),
                AttackEnd::Failed(&[OUTPUT]),
            ),
            (
                "a deep value as a key",
                handle_script(&format!("{}return block(str({{x: 1}}))", nesting_script(30_000, "(", ",)"))),
                json!({}),
                AttackEnd::Failed(&[OUTPUT]),
            ),
            (
                "encoding a deep value",
                handle_script(&format!("{deep}return block(json.encode(x))")),
                json!({}),
                REFUSED,
            ),
            (
                "comparing deep values",
                handle_script(&format!("{deep}{}return block(str(x == y))", deep.replace('x', "y"))),
                json!({}),
                REFUSED,
            ),
            ("returning a deep value", handle_script(&format!("{deep}return modify(x)")), json!({}), REFUSED),
            (
                "decoding brackets",
                handle_script("return block(str(json.decode(\"[\" * 1000 + payload[\"x\"])))"),
                json!({"x": "["}),
                REFUSED,
            ),
            (
                "decoding a number without end",
                handle_script("return block(str(json.decode(\"1e400\")))"),
                json!({}),
                REFUSED,
            ),
            (
                "a number without end in the payload",
                handle_script("return block(str(payload))"),
                serde_json::from_str(r#"{"n": 1e400}"#).unwrap(),
                AttackEnd::Failed(&[FailureKind::Crash]),
            ),
            (
                "a number with a hundred thousand digits",
                handle_script("return block(str(payload))"),
                serde_json::from_str(&format!("{{\"n\": {}}}", "9".repeat(100_000))).unwrap(),
                AttackEnd::Failed(&[FailureKind::Crash]),
            ),
            (
                "a pattern that backtracks elsewhere",
                handle_script("return block(str(re.search(\"(a*)*b\", payload[\"x\"])))"),
                json!({"x": "a".repeat(500_000)}),
                AttackEnd::Harmless,
            ),
        ],
    );
}

#[test]
fn sources_that_overflow_the_parser_are_diagnostics() {
    let body = handle_script("return allow()");
    let limits = CallLimits::default();
    assert_survives(
        limits,
        vec![
            (
                "200,000 brackets",
                format!("x = {}{}\n{body}", "(".repeat(200_000), ")".repeat(200_000)),
                json!({}),
                AttackEnd::Diagnostic,
            ),
            (
                "20,000 lists",
                format!("x = {}{}\n{body}", "[".repeat(20_000), "]".repeat(20_000)),
                json!({}),
                AttackEnd::Diagnostic,
            ),
            (
                "4,000 branches",
                format!("def f(x):\n  if x:\n    pass\n{}{body}", "  elif x:\n    pass\n".repeat(3_000)),
                json!({}),
                AttackEnd::Diagnostic,
            ),
            ("20,000 sums", format!("x = 1{}\n{body}", " + 1".repeat(15_000)), json!({}), AttackEnd::Diagnostic),
            ("60,000 signs", format!("x = {}1\n{body}", "-".repeat(60_000)), json!({}), AttackEnd::Diagnostic),
            ("64 KiB of text", format!("x = \"{}\"\n{body}", "y".repeat(70_000)), json!({}), AttackEnd::Diagnostic),
        ],
    );
}
