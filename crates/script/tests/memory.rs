//! A call in this process never uses more than twice its memory limit, whatever one expression does.
//!
//! Each case runs in its own process, which reports how much larger it became. Limits and payloads are an eighth of the
//! defaults, so that the test is fast.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail by panicking, and a child tells by printing")]

use std::fs;
use std::process::Command;

use pintle_contract::{CallId, CallLimits, CancelToken, EffectCaller, NoEffects, Payload, ScriptSource};
use pintle_script::{Invocation, ScriptKind, compile};
use serde_json::{Value, json};

/// The memory limit of a call.
const MEMORY_BYTES: u64 = 8 << 20;
/// The size of a payload's text.
const TEXT_BYTES: usize = 2 << 20;
/// The maximum size of results of built-ins with their own limit, and the overhead of the allocator.
const BESIDE_BYTES: u64 = 12 << 20;

/// Selects the case that a child process runs.
const CHOICE: &str = "PINTLE_TEST_FORM";

/// Expressions over a string `x`.
const OF_TEXT: &[&str] = &[
    "x",
    "x + x",
    "x * 7",
    "x * 64",
    "(x * 8) + (x * 8)",
    "x.replace(\"a\", \"aaaaaaaa\")",
    "x.replace(\"a\", \"b\").replace(\"b\", \"cc\").upper()",
    "\",\".join([x, x, x, x, x, x, x, x])",
    "\", \".join(x.split(\"a\"))",
    "x.split(\"a\")",
    "x.rsplit(\"a\")",
    "x.split()",
    "x.splitlines()",
    "x.partition(\"a\")",
    "list(x.elems())",
    "[c for c in x.elems()]",
    "x.codepoints()",
    "str([x, x, x])",
    "repr(x)",
    "json.encode(x)",
    "json.encode({\"a\": [x, x]})",
    "json.decode(x, None)",
    "\"%s%s%s%s%s%s\" % (x, x, x, x, x, x)",
    "\"{}{}{}{}\".format(x, x, x, x)",
    "f\"{x}{x}{x}{x}{x}\"",
    "string.split(x, \"\")",
    "string.split(x, \"a\")",
    "string.upper(x) + string.lower(x) + string.trim(x)",
    "string.join([x, x, x, x], \"\")",
    "re.findall(\".\", x)",
    "re.replace(\"a\", \"bbbbbbbbbbbbbbb\", x)",
    "base64.encode(x) + base64.encode(x)",
    "url.encode(x) + url.encode(x)",
    "sorted(list(x.elems()))",
    "x[1:] + x[2:] + x[3:] + x[4:] + x[5:] + x[6:] + x[7:] + x[8:]",
    "list(enumerate(list(x.elems())))",
    "dict(enumerate(list(x.elems())))",
    "zip(list(x.elems()), list(x.elems()))",
];

/// Strings that grow in different ways.
const TEXTS: &[fn() -> Value] = &[
    || json!("a".repeat(TEXT_BYTES)),
    || json!("<".repeat(TEXT_BYTES)),
    || json!("a b,\n".repeat(TEXT_BYTES / 6)),
    || json!("\u{1}".repeat(TEXT_BYTES / 6)),
    || json!("[0]".repeat(TEXT_BYTES / 3)),
];

/// Expressions over a list `x`.
const OF_LIST: &[&str] = &[
    "x",
    "list(x)",
    "str(x)",
    "json.encode(x)",
    "sorted(x)",
    "x + x + x",
    "x * 20",
    "[[y, y] for y in x]",
    "list(zip(x, x))",
    "dict(enumerate(x))",
];

/// Lists that grow in different ways.
const LISTS: &[fn() -> Value] =
    &[|| json!(vec![0; 31_000]), || json!(vec![json!({"a": 1}); 10_000]), || json!(vec![json!(["\u{1}"]); 15_000])];

/// An expression and the function that creates its value.
type MemoryCase = (&'static str, fn() -> Value);

fn memory_cases() -> Vec<MemoryCase> {
    let of = |expressions: &'static [&'static str], values: &'static [fn() -> Value]| {
        expressions.iter().flat_map(|form| values.iter().map(|value| (*form, *value)))
    };
    of(OF_TEXT, TEXTS).chain(of(OF_LIST, LISTS)).collect()
}

/// A line of the system's status of this process, in bytes.
fn read_status_bytes(line: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let found = text.lines().find_map(|one| one.strip_prefix(line)).unwrap();
    found.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1_024
}

/// Runs one case and prints how much larger the process became.
fn run_case(form: &str, value: &Value) {
    let text = format!(
        "def handle(event, payload):\n  x = payload[\"x\"]\n  y = {form}\n  return allow() if len(str(type(y))) > 0 else block(\"\")\n"
    );
    let compiled = compile("form", &ScriptSource::without_file(text), ScriptKind::Hook);
    assert!(
        compiled.diagnostics.iter().all(|found| found.severity != pintle_contract::Severity::Error),
        "{:?}",
        compiled.diagnostics
    );
    let payload = Payload::new(json!({"x": value}));
    let limits = CallLimits { memory_bytes: MEMORY_BYTES, timeout_ms: 60_000, ..CallLimits::default() };
    let Some(script) = compiled.script.filter(|script| script.fits(&payload, &limits)) else {
        println!("elsewhere");
        return;
    };
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = read_status_bytes("VmRSS:");
    let (seam, cancel) = (NoEffects, CancelToken::default());
    let invocation =
        Invocation { effects: &seam, caller: EffectCaller::new(CallId(0), "form"), limits: &limits, cancel: &cancel };
    let _ = script.handle("tool.pre", &payload, &invocation);
    println!("peak {}", read_status_bytes("VmHWM:").saturating_sub(before));
}

#[test]
fn no_expression_takes_more_than_twice_the_limit_here() {
    let forms = memory_cases();
    if let Ok(choice) = std::env::var(CHOICE) {
        let (form, value) = forms[choice.parse::<usize>().unwrap()];
        return run_case(form, &value());
    }
    let itself = std::env::current_exe().unwrap();
    let (mut here, mut faults) = (0, Vec::new());
    for (number, (form, _)) in forms.iter().enumerate() {
        let child = Command::new(&itself)
            .args(["--exact", "memory::no_expression_takes_more_than_twice_the_limit_here", "--nocapture"])
            .env(CHOICE, number.to_string())
            .output()
            .unwrap();
        let out = String::from_utf8(child.stdout).unwrap();
        if !child.status.success() {
            faults.push(format!("{number}, {form}: {out}{}", String::from_utf8_lossy(&child.stderr)));
        } else if let Some(peak) = out.lines().find_map(|line| line.strip_prefix("peak ")) {
            here += 1;
            let peak: u64 = peak.parse().unwrap();
            if peak > MEMORY_BYTES * 2 + BESIDE_BYTES {
                faults.push(format!("{number}, {form}: {} MiB", peak >> 20));
            }
        } else {
            assert!(out.contains("elsewhere"), "{out}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(here > forms.len() / 4, "only {here} of {} forms run in this process", forms.len());
}
