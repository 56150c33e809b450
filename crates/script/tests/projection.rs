//! A function sees the event as if it were given all of it, whatever it is really given.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::Arc;

use pintle_contract::{
    CallId, Caller, Cancel, Event, EventName, Failure, FunctionRef, Get, Key, Limits, NoSeam, Origin, Part, Parts,
    Payload, Returned, ScriptText,
};
use pintle_script::{Invocation, Placement, PluginFunction, compile_plugin, compile_plugin_unbounded};
use serde_json::{Value, json};

static TOOL: &[Key] = &[
    Key { name: "name", get: Get::Field("name") },
    Key { name: "args", get: Get::Field("args") },
    Key { name: "absent", get: Get::Field("absent") },
];
static OUTER: &[Key] = &[
    Key { name: "event", get: Get::Made(|event| Part::Text(event.name.as_str())) },
    Key { name: "session", get: Get::Table(&[Key { name: "id", get: Get::Made(|_| Part::Text("s1")) }]) },
    Key { name: "turn", get: Get::Made(|event| Part::Number(event.origin.turn.into())) },
];
static INNER: &[Key] = &[
    Key { name: "tool", get: Get::Table(TOOL) },
    Key { name: "step", get: Get::Table(&[Key { name: "name", get: Get::Field("step") }]) },
    Key { name: "made", get: Get::Made(|_| Part::Made(Value::from(vec![1, 2]))) },
    Key { name: "large", get: Get::Field("large") },
];

fn event() -> Event {
    let args = json!({"command": "mkfs /dev/sda", "path": "", "count": 3, "ratio": 0.5, "nested": {"a": [1, {"b": null}]},
        "list": ["x", "y"], "big": "z".repeat(70_000)});
    let payload = json!({"name": "run_command", "args": args, "large": (0..200).collect::<Vec<_>>()});
    let origin = Arc::new(Origin { turn: 3, ..Origin::default() });
    Event::new(EventName::parse("tool.pre").unwrap(), payload, origin)
}

/// Expressions over the event `e`, and what stands before them.
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

fn compiled(text: &str) -> PluginFunction {
    let here = compile_plugin("policy", &ScriptText::bare(text));
    let found = match here.placement {
        Placement::InProcess => here,
        Placement::Worker => compile_plugin_unbounded("policy", &ScriptText::bare(text)),
    };
    let Some(module) = found.module else { panic!("{text}\n{:?}", found.diagnostics) };
    module.function(&FunctionRef::Exported(Arc::from("hook"))).unwrap()
}

/// What a function gives as text, or its failure without its place.
fn told(given: Result<Returned, Failure>) -> String {
    match given {
        Ok(Returned::Table(entries)) => Value::Object(entries.into_iter().collect()).to_string(),
        Ok(Returned::Value(value)) => value.to_string(),
        Ok(Returned::Other { type_name, printed }) => format!("{type_name} {printed}"),
        Err(failure) => format!("{}: {}", failure.kind, failure.message),
    }
}

#[test]
fn what_a_function_is_not_given_it_does_not_miss() {
    let event = event();
    let parts = Parts::new(&event, [OUTER, INNER]);
    let payload = Payload::new(Value::Object(parts.to_object()));
    let (limits, cancel) = (Limits::default(), Cancel::default());
    let caller = Caller::new(CallId(1), "hook");
    let invocation = Invocation { seam: &NoSeam, caller, limits: &limits, cancel: &cancel };
    for (before, body) in BODIES {
        let before = if before.is_empty() { String::new() } else { format!("  {before}\n") };
        let text = |all: &str| {
            format!("def helper(x, y = None):\n  return x[\"name\"]\n\n\ndef hook(e):\n{all}{before}  return {body}\n")
        };
        let function = compiled(&text(""));
        // Printing the event takes all of it.
        let whole = told(compiled(&text("  str(e)\n")).call(&payload, &invocation));
        assert_eq!(told(function.call(&payload, &invocation)), whole, "{before}{body}");
        assert_eq!(told(function.call_with(&parts, &invocation)), whole, "{before}{body}, by its parts");
    }
}
