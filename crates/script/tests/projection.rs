//! A function sees the event as if it received all of it, whatever it actually receives.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::Arc;

use pintle_contract::{
    CallId, CallLimits, CancelToken, EffectCaller, Event, EventName, Failure, FunctionOutput, FunctionRef, KeySource,
    LazyPayload, LazyValue, NoEffects, Origin, Payload, PayloadKey, ScriptSource,
};
use pintle_script::{Invocation, PluginFunction, ScriptPlacement, compile_plugin, compile_plugin_unbounded};
use serde_json::{Value, json};

static TOOL: &[PayloadKey] = &[
    PayloadKey { name: "name", get: KeySource::Field("name") },
    PayloadKey { name: "args", get: KeySource::Field("args") },
    PayloadKey { name: "absent", get: KeySource::Field("absent") },
];
static OUTER: &[PayloadKey] = &[
    PayloadKey { name: "event", get: KeySource::Computed(|event| LazyValue::Text(event.name.as_str())) },
    PayloadKey {
        name: "session",
        get: KeySource::Table(&[PayloadKey { name: "id", get: KeySource::Computed(|_| LazyValue::Text("s1")) }]),
    },
    PayloadKey { name: "turn", get: KeySource::Computed(|event| LazyValue::Number(event.origin.turn.into())) },
];
static INNER: &[PayloadKey] = &[
    PayloadKey { name: "tool", get: KeySource::Table(TOOL) },
    PayloadKey { name: "step", get: KeySource::Table(&[PayloadKey { name: "name", get: KeySource::Field("step") }]) },
    PayloadKey { name: "made", get: KeySource::Computed(|_| LazyValue::Computed(Value::from(vec![1, 2]))) },
    PayloadKey { name: "large", get: KeySource::Field("large") },
];

fn full_event() -> Event {
    let args = json!({"command": "mkfs /dev/sda", "path": "", "count": 3, "ratio": 0.5, "nested": {"a": [1, {"b": null}]},
        "list": ["x", "y"], "big": "z".repeat(70_000)});
    let payload = json!({"name": "run_command", "args": args, "large": (0..200).collect::<Vec<_>>()});
    let origin = Arc::new(Origin { turn: 3, ..Origin::default() });
    Event::new(EventName::parse("tool.pre").unwrap(), payload, origin)
}

/// Expressions over the event `e`, and the statements before them.
const BODIES: &[(&str, &str)] = &[
    ("", "None"),
    ("", "True"),
    ("", "e"),
    ("", "str(e)"),
    ("", "type(e)"),
    ("", "e == {}"),
    ("", "list(e)"),
    ("", "len(e)"),
    ("", "e[\"event\"] + e[\"session\"][\"id\"]"),
    ("", "e[\"tool\"]"),
    ("", "e[\"tool\"][\"name\"]"),
    ("", "e[\"tool\"][\"nmae\"]"),
    ("", "e[\"tol\"][\"name\"]"),
    ("", "e[\"tool\"].name"),
    ("", "e.tool"),
    ("", "e.get(\"tool\", {}).get(\"absent\", e[\"turn\"])"),
    ("", "e.get(\"absent\", {}).get(\"x\", \"none\")"),
    ("", "\"step\" in e"),
    ("", "e[\"step\"][\"name\"]"),
    ("", "\"absent\" in e[\"tool\"] or \"args\" in e[\"tool\"]"),
    ("", "\"mkfs\" in e[\"tool\"][\"args\"][\"command\"]"),
    ("", "\"x\" in e[\"tool\"][\"args\"][\"list\"]"),
    ("", "\"x\" not in e[\"tool\"][\"args\"][\"count\"]"),
    ("", "e[\"tool\"][\"args\"][\"command\"][\"x\"]"),
    ("", "e[\"tool\"][\"args\"][\"list\"][\"x\"]"),
    ("", "e[\"tool\"][\"args\"][\"list\"].get(\"x\")"),
    ("", "e[\"tool\"][\"args\"][\"list\"][0]"),
    ("", "e[\"tool\"][\"args\"][\"nested\"][\"a\"][1][\"b\"]"),
    ("", "[k for k in e[\"tool\"][\"args\"]]"),
    (
        "",
        "{\"deny\": e[\"tool\"][\"name\"] + \" is gated\", \"n\": e[\"turn\"], \"r\": e[\"tool\"][\"args\"][\"ratio\"]}",
    ),
    ("", "{\"block\": True, \"reason\": None}"),
    ("", "{\"block\": e}"),
    ("", "len(e[\"tool\"][\"args\"][\"big\"]) + len(e[\"large\"])"),
    ("", "e[\"large\"][7] + e[\"made\"][1]"),
    ("t = e[\"tool\"]", "t[\"name\"]"),
    ("t = e[\"tool\"]", "type(t)"),
    ("t = e[\"tool\"]\n  a = t.get(\"args\")", "a[\"command\"] + a.get(\"path\", \"\") + str(a.get(\"absent\"))"),
    ("t = e[\"tool\"]\n  f = lambda: t[\"args\"][\"count\"]", "f()"),
    ("t = e[\"tool\"]", "1"),
    ("t = e[\"step\"]", "1"),
    ("a = e[\"tool\"][\"args\"]\n  a[\"command\"] = \"ls\"", "{\"args\": a}"),
    ("a = e[\"tool\"][\"args\"]\n  a[\"list\"].append(1)", "a[\"list\"]"),
    ("e[\"tool\"][\"name\"] = \"x\"", "e[\"tool\"][\"name\"]"),
    ("", "helper(e[\"tool\"])"),
    ("", "helper(e)"),
    ("", "helper(1, e)"),
    ("x = 1 if e[\"turn\"] else e[\"nothing\"]", "x"),
];

fn compile_function(text: &str) -> PluginFunction {
    let here = compile_plugin("policy", &ScriptSource::without_file(text));
    let found = match here.placement {
        ScriptPlacement::InProcess => here,
        ScriptPlacement::Worker => compile_plugin_unbounded("policy", &ScriptSource::without_file(text), None),
    };
    let Some(module) = found.module else { panic!("{text}\n{:?}", found.diagnostics) };
    module.function(&FunctionRef::Exported(Arc::from("hook"))).unwrap()
}

/// The result of a function as text, or its failure without the location.
fn describe_output(output: Result<FunctionOutput, Failure>) -> String {
    match output {
        Ok(FunctionOutput::Table(entries)) => Value::Object(entries.into_iter().collect()).to_string(),
        Ok(FunctionOutput::Value(value)) => value.to_string(),
        Ok(FunctionOutput::Other { type_name, printed }) => format!("{type_name} {printed}"),
        Err(failure) => format!("{}: {}", failure.kind, failure.message),
    }
}

#[test]
fn what_a_function_is_not_given_it_does_not_miss() {
    let event = full_event();
    let parts = LazyPayload::new(&event, [OUTER, INNER]);
    let payload = Payload::new(Value::Object(parts.to_object()));
    let (limits, cancel) = (CallLimits::default(), CancelToken::default());
    let caller = EffectCaller::new(CallId(1), "hook");
    let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
    for (before, body) in BODIES {
        let before = if before.is_empty() { String::new() } else { format!("  {before}\n") };
        let text = |all: &str| {
            format!("def helper(x, y = None):\n  return x[\"name\"]\n\n\ndef hook(e):\n{all}{before}  return {body}\n")
        };
        let function = compile_function(&text(""));
        // Printing the event reads all of it.
        let whole = describe_output(compile_function(&text("  str(e)\n")).call(&payload, &invocation));
        assert_eq!(describe_output(function.call(&payload, &invocation)), whole, "{before}{body}");
        assert_eq!(describe_output(function.call_with(&parts, &invocation)), whole, "{before}{body}, by its parts");
    }
}
