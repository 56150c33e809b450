//! Tests plugins and the functions they register, in this process and in a worker.

use std::sync::Arc;
use std::time::Instant;

use pintle_contract::{
    ByteSpan, CallLimits, Codec, EffectRequest, Event, FailureKind, FunctionOutput, FunctionRef, FunctionSpec,
    HandlerFactory, HandlerOutput, HandlerSpec, Location, RegistrationArgument, ScriptSource, SourceFile, Verdict,
    VerdictKind,
};
use pintle_handlers::DefaultHandlerFactory;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixture::{FakeEffects, assert_finishes_in_time, call_handler, script_declaration, test_factory};

/// Makes a plugin need a worker without changing its result.
const UNBOUNDED: &str = "def _again(n):\n    return _again(n - 1) if n > 0 else 0\n\n\n";

/// A codec that shows the event under its alias, and the function's output.
#[derive(Debug)]
struct EventAliasCodec;

impl Codec for EventAliasCodec {
    fn dialect(&self) -> &'static str {
        "open"
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        Some(json!({"event": event_alias, "tool": event.payload.value()}))
    }

    fn decode(&self, _event: &Event, _event_alias: &str, answer: HandlerOutput) -> Verdict {
        match answer {
            HandlerOutput::Returned(FunctionOutput::Value(value)) => Verdict::deny(value.to_string()),
            HandlerOutput::Returned(FunctionOutput::Table(entries)) => {
                Verdict::deny(Value::Object(entries.into_iter().collect()).to_string())
            }
            HandlerOutput::Returned(FunctionOutput::Other { type_name, printed }) => {
                Verdict::ask(format!("{type_name}: {printed}"))
            }
            other => panic!("{other:?}"),
        }
    }
}

fn plugin_source(text: &str) -> ScriptSource {
    let file = Arc::new(SourceFile { path: "policy.star".into(), text: text.to_owned() });
    ScriptSource { location: Location::new(file, ByteSpan::default()), ..ScriptSource::without_file(text) }
}

fn function_handler(
    builder: &DefaultHandlerFactory,
    text: &str,
    function: FunctionRef,
) -> pintle_contract::BuiltHandler {
    let spec = FunctionSpec { name: Arc::from("policy"), module: plugin_source(text), function, defined_name: None };
    let mut declaration = script_declaration("tool.pre", None, "");
    declaration.handler = HandlerSpec::Function(spec);
    declaration.codec = Arc::new(EventAliasCodec);
    declaration.location = Location::new(
        Arc::new(SourceFile { path: "harn.toml".into(), text: String::from("\nhandler = \"policy::f\"\n") }),
        ByteSpan { start: 1, end: 4 },
    );
    builder.build_handler(&declaration)
}

/// The verdict of the first registered function, here and in a worker.
fn call_in_both(text: &str, payload: &Value, world: &FakeEffects, limits: CallLimits) -> VerdictKind {
    let builder = test_factory();
    let said = |text: &str| {
        let built = function_handler(&builder, text, FunctionRef::Registered(0));
        let handler = built.handler.unwrap_or_else(|| panic!("{text}{:?}", built.diagnostics));
        call_handler(handler, payload.clone(), world, limits).kind
    };
    let (here, there) = (said(text), said(&format!("{UNBOUNDED}{text}")));
    assert_eq!(here, there, "{text}");
    here
}

fn deny_verdict(value: &Value) -> VerdictKind {
    VerdictKind::Deny { reason: value.to_string() }
}

#[test]
fn a_plugin_registers_the_same_here_and_in_a_worker() {
    let text = "WORDS = [\"exec_*\", \"rm_*\"]\n\n\ndef pre(event):\n    return None\n\n\nfor word in WORDS:\n    \
                register_tool_hook({\"pattern\": word, \"pre\": pre, \"post\": lambda event: False}, name = word)\n";
    let builder = test_factory();
    let (here, there) = (
        builder.load_plugin("policy", &plugin_source(text)),
        builder.load_plugin("policy", &plugin_source(&format!("{UNBOUNDED}{text}"))),
    );
    assert_eq!((here.diagnostics.len(), there.diagnostics.len()), (0, 0), "{:?}", there.diagnostics);
    let lines = |plugin: &pintle_contract::LoadedPlugin| -> Vec<usize> {
        plugin.registrations.iter().map(|made| made.location.line_column().unwrap().0).collect()
    };
    assert_eq!((lines(&here), lines(&there)), (vec![9, 9], vec![13, 13]));
    for (one, other) in here.registrations.iter().zip(&there.registrations) {
        assert_eq!(
            (&one.function, &one.arguments, &one.named_arguments),
            (&other.function, &other.arguments, &other.named_arguments)
        );
    }
    let RegistrationArgument::Table(entries) = &here.registrations[1].arguments[0] else { panic!("{here:?}") };
    let closures: Vec<_> = entries
        .iter()
        .filter_map(|(key, item)| match item {
            RegistrationArgument::Function(closure) => {
                Some((key.as_str(), closure.name.as_str(), closure.index, closure.guard))
            }
            _ => None,
        })
        .collect();
    assert_eq!(closures, [("pre", "pre", 2, false), ("post", "lambda", 3, true)]);
}

#[test]
fn a_function_gets_the_encoded_event_and_its_value_goes_to_the_codec() {
    let world = FakeEffects::default();
    let payload = json!({"name": "exec_x", "args": {"n": 1.5, "text": "y".repeat(2_000)}});
    let cases = [
        ("lambda event: event[\"event\"]", deny_verdict(&json!("tool.pre"))),
        ("lambda event: {\"deny\": event[\"tool\"][\"name\"]}", deny_verdict(&json!({"deny": "exec_x"}))),
        ("lambda event: None", deny_verdict(&Value::Null)),
        ("lambda event: len(event[\"tool\"][\"args\"][\"text\"])", deny_verdict(&json!(2_000))),
        ("lambda event: metrics.get(\"x\")", deny_verdict(&Value::Null)),
        ("lambda event: [json.encode({\"a\": 1}), hash.sha256(\"\")[:4]]", deny_verdict(&json!(["{\"a\":1}", "e3b0"]))),
    ];
    for (function, expected) in cases {
        let text = format!("register_tool_hook({{\"pre\": {function}}})\n");
        assert_eq!(call_in_both(&text, &payload, &world, CallLimits::default()), expected, "{function}");
    }
    let other =
        call_in_both("register_tool_hook({\"pre\": lambda event: [print]})\n", &payload, &world, CallLimits::default());
    assert_eq!(other, VerdictKind::Ask { reason: String::from("list with a function in it: [print]") });
}

#[test]
fn effects_of_a_handler_go_through_the_seam() {
    let world = FakeEffects::default();
    let text = "def seen(event):\n    cache.set(\"last\", event[\"tool\"][\"name\"])\n    log(\"seen\")\n    \
                return [metrics.incr(\"calls\"), cache.get(\"last\"), time.now()]\n\n\n\
                register_session_hook(\"post_turn\", seen)\n";
    let builder = test_factory();
    for (text, count) in [(text.to_owned(), 1), (format!("{UNBOUNDED}{text}"), 2)] {
        let handler = function_handler(&builder, &text, FunctionRef::Registered(0)).handler.unwrap();
        let said = call_handler(handler, json!({"name": "bash"}), &world, CallLimits::default()).kind;
        assert_eq!(said, deny_verdict(&json!([count, "bash", "2023-11-14T22:13:20.000Z"])));
    }
    let requests = world.requests.lock().unwrap();
    assert_eq!(requests.iter().filter(|request| **request == EffectRequest::Now).count(), 2);
    assert_eq!(world.logs.lock().unwrap().len(), 2);
}

#[test]
fn a_failing_handler_names_its_line_wherever_it_runs() {
    let few = CallLimits { steps: 20_000, ..CallLimits::default() };
    let cases = [
        ("return event[\"absent\"]", FailureKind::Error, "Key `\"absent\"` was not found"),
        ("SEEN[\"x\"] = 1", FailureKind::Error, "this value cannot be changed"),
        (
            "register_tool_hook({})",
            FailureKind::Error,
            "register_tool_hook: hooks can only be registered at the top level of a plugin, not by a running handler; register it there, and let its handler decide when it applies",
        ),
        (
            "for a in event[\"tool\"][\"items\"]:\n        for b in event[\"tool\"][\"items\"]:\n            pass",
            FailureKind::Limit(pintle_contract::LimitKind::Steps),
            "more than 20000 steps executed",
        ),
    ];
    let payload = json!({"items": (0..500).collect::<Vec<_>>()});
    for (body, kind, message) in cases {
        let text = format!("SEEN = {{}}\n\n\ndef f(event):\n    {body}\n\n\nregister_tool_hook({{\"pre\": f}})\n");
        match call_in_both(&text, &payload, &FakeEffects::default(), few) {
            VerdictKind::Failed(failure) => {
                assert_eq!(failure.kind, kind, "{body}");
                assert!(failure.message.contains(message), "{body}: {failure}");
            }
            said => panic!("{body}: {said:?}"),
        }
    }
}

#[test]
fn what_cannot_be_called_is_an_error_where_the_hook_is_declared() {
    let text = "def f(event):\n    return None\n\n\ndef _g(event):\n    return None\n\n\ndef two(a, b):\n    return None\n\n\nLIMIT = 1\n";
    let cases = [
        ("ff", "`policy`: the module has no function `ff`; did you mean `f`?"),
        ("_g", "`policy`: `_g` is private; only names without a leading underscore are exported"),
        ("two", "`policy`: `two` must be callable with one argument, the event"),
        ("LIMIT", "`policy`: `LIMIT` is not a function"),
    ];
    let builder = test_factory();
    for module in [text.to_owned(), format!("{UNBOUNDED}{text}")] {
        assert!(function_handler(&builder, &module, FunctionRef::Exported(Arc::from("f"))).handler.is_some());
        for (name, message) in cases {
            let built = function_handler(&builder, &module, FunctionRef::Exported(Arc::from(name)));
            assert!(built.handler.is_none(), "{name}");
            assert_eq!(built.diagnostics.len(), 1, "{name}");
            assert_eq!(built.diagnostics[0].to_string(), format!("harn.toml:2:1: error: {message}"));
        }
    }
}

#[test]
fn plugins_that_attack_at_load_end_in_a_diagnostic() {
    let deep = format!("x = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000));
    let long =
        format!("x = [{}]\n", "\"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\",".repeat(2_000));
    let attacks = [
        ("a loop", "for a in range(1000000000):\n    pass\n"),
        ("loops in loops", "for a in range(100000):\n    for b in range(100000):\n        pass\n"),
        ("recursion", "def f(n):\n    return f(n + 1)\n\n\nf(0)\n"),
        ("a native loop", "x = max(range(2147483647))\n"),
        ("a native loop in a default", "def f(event, x = max(range(2147483647))):\n    return x\n"),
        (
            "a native loop in a handler",
            "def f(event):\n    return max(range(2147483647))\n\n\nregister_tool_hook({\"pre\": f})\n",
        ),
        ("a repeated text", "x = \"a\" * 2000000000\n"),
        ("a repeated list", "x = [0] * 1000000000\n"),
        ("doubling", "x = \"aaaaaaaaaa\"\nfor i in range(60):\n    x = x + x\n"),
        ("a literal too deep", deep.as_str()),
        ("a literal too long", long.as_str()),
        (
            "registrations without end",
            "for i in range(100000):\n    register_tool_hook({\"pattern\": \"x\", \"deny\": \"y\"})\n",
        ),
        ("a value inside itself", "x = {}\nx[\"x\"] = x\nregister_tool_hook(x)\n"),
        ("a large integer", "x = 3\nfor i in range(60):\n    x = x * x\n"),
    ];
    let builder = test_factory();
    for (name, text) in attacks {
        let started = Instant::now();
        let plugin = builder.load_plugin("attack", &plugin_source(text));
        assert_finishes_in_time(started);
        assert!(!plugin.diagnostics.is_empty(), "{name}");
        assert!(plugin.registrations.is_empty(), "{name}");
        let after =
            builder.load_plugin("plain", &ScriptSource::without_file("register_tool_hook({\"deny\": \"x\"})\n"));
        assert_eq!((after.registrations.len(), after.diagnostics.len()), (1, 0), "after {name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_plugin_loads_or_is_diagnosed(words in prop::collection::vec(prop::sample::select(vec![
        "register_tool_hook(", "register_session_hook(\"post_turn\", ", "lambda event: ", "def f(event):", "\n    ", "\n",
        "{\"pattern\": ", "\"x\"", "}", ")", "event", "[\"tool\"]", "for x in range(9):", "if True:", "return ", "f", ", ",
        "x = ", "[f]", "name = ", "*", "+", "None", "cache.get(\"a\")", "clear_tool_hooks()",
    ]), 0..30)) {
        let text = words.concat();
        let plugin = test_factory().load_plugin("any", &plugin_source(&text));
        prop_assert!(plugin.diagnostics.iter().all(|found| !found.message.contains('\n')), "{text}");
    }
}
