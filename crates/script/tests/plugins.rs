//! Plugins: what their top level registers, where they may run, how they fail, and what their functions return.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::Arc;

use pintle_contract::{
    ByteSpan, CallId, CallLimits, CancelToken, EffectCaller, Failure, FailureKind, FunctionOutput, FunctionRef,
    Location, NoEffects, Payload, RegistrationArgument, RegistrationCall, ScriptSource, SourceFile,
};
use pintle_script::worker::WireFunctionOutput;
use pintle_script::{CompiledPlugin, Invocation, ScriptPlacement, compile_plugin, compile_plugin_unbounded};
use serde_json::{Value, json};

/// A plugin in its own file.
fn plugin_source(text: &str) -> ScriptSource {
    let file = Arc::new(SourceFile { path: "policy.star".into(), text: text.to_owned() });
    let location = Location::new(file, ByteSpan { start: 0, end: 0 });
    ScriptSource { text: Arc::from(text), location, first_line: 1, indent: 0 }
}

fn load_plugin(text: &str) -> (CompiledPlugin, Vec<RegistrationCall>) {
    let written = plugin_source(text);
    let compiled = compile_plugin("policy", &written);
    let registrations = compiled.inventory.to_registrations("policy", &written);
    (compiled, registrations)
}

/// Loads a plugin here even if it belongs in a worker.
fn load_anywhere(text: &str) -> CompiledPlugin {
    match load_plugin(text).0 {
        here if here.module.is_some() || here.placement == ScriptPlacement::InProcess => here,
        _ => compile_plugin_unbounded("policy", &plugin_source(text), None),
    }
}

/// An argument as JSON, with functions as `name/index`.
fn describe_argument(argument: &RegistrationArgument) -> Value {
    match argument {
        RegistrationArgument::Value(value) => value.clone(),
        RegistrationArgument::Function(closure) => {
            let arity = if closure.takes_one_argument { "" } else { " of another arity" };
            let guard = if closure.guard { " guard" } else { "" };
            json!(format!("<{}/{}{arity}{guard}>", closure.name, closure.index))
        }
        RegistrationArgument::Table(entries) => {
            entries.iter().map(|(key, item)| (key.clone(), describe_argument(item))).collect()
        }
        RegistrationArgument::List(items) => items.iter().map(describe_argument).collect(),
    }
}

fn describe_registrations(text: &str) -> Vec<Value> {
    let (compiled, registrations) = load_plugin(text);
    assert!(compiled.module.is_some(), "{text}\n{:?} {:?}", compiled.placement, compiled.diagnostics);
    let one = |made: &RegistrationCall| {
        let mut row = vec![json!(made.function)];
        row.extend(made.arguments.iter().map(describe_argument));
        if !made.named_arguments.is_empty() {
            row.push(made.named_arguments.iter().map(|(name, item)| (name.clone(), describe_argument(item))).collect());
        }
        row.push(json!(made.location.line_column().unwrap().0));
        Value::Array(row)
    };
    registrations.iter().map(one).collect()
}

#[test]
fn the_top_level_registers_in_order_and_each_call_has_its_line() {
    let cases: &[(&str, Value)] = &[
        ("", json!([])),
        (
            "register_tool_hook({\"pattern\": \"exec_*\", \"deny\": \"exec is gated\"})\n\
             register_tool_hook({\"pattern\": \"*\", \"max_output\": 4000})\n",
            json!([
                ["register_tool_hook", {"pattern": "exec_*", "deny": "exec is gated"}, 1],
                ["register_tool_hook", {"pattern": "*", "max_output": 4000}, 2],
            ]),
        ),
        (
            "def pre(event):\n    return {\"reminder\": {\"body\": \"x\", \"tags\": [\"tool\"]}}\n\n\
             register_tool_hook({\"pattern\": \"fetch_*\", \"pre\": pre, \"post\": lambda event: None})\n",
            json!([["register_tool_hook", {"pattern": "fetch_*", "pre": "<pre/0>", "post": "<lambda/1>"}, 4]]),
        ),
        (
            "register_tool_hook(pattern = \"exec_*\", deny = \"no\", pre = lambda event: {\"deny\": \"x\"})\n",
            json!([["register_tool_hook", {"pattern": "exec_*", "deny": "no", "pre": "<lambda/0 guard>"}, 1]]),
        ),
        (
            "register_step_hook(\"merge_*\", \"audit\", \"PreStep\", lambda ctx: {\n    \"then\": {\"args\": ctx[\"step\"][\"args\"]},\n})\n",
            json!([["register_step_hook", "merge_*", "audit", "PreStep", "<lambda/0 guard>", 1]]),
        ),
        (
            "BLOCKED = [\"exec_*\", \"rm_*\"]\nfor pattern in BLOCKED:\n    if pattern != \"rm_*\":\n        \
             register_tool_hook({\"pattern\": pattern, \"deny\": \"no \" + pattern})\nclear_tool_hooks()\n",
            json!([
                ["register_tool_hook", {"pattern": "exec_*", "deny": "no exec_*"}, 4],
                ["clear_tool_hooks", 5],
            ]),
        ),
        (
            "def gate(pattern, why):\n    def pre(event):\n        return {\"deny\": why + event[\"tool\"][\"name\"]}\n    \
             register_tool_hook({\"pattern\": pattern, \"pre\": pre})\n\ngate(\"a\", \"one\")\ngate(\"b\", \"two\")\n",
            json!([
                ["register_tool_hook", {"pattern": "a", "pre": "<pre/0 guard>"}, 4],
                ["register_tool_hook", {"pattern": "b", "pre": "<pre/1 guard>"}, 4],
            ]),
        ),
        (
            "def same(f):\n    return f\nregister_tool_hook(pre = same(lambda e: None), post = same(lambda e: {\"deny\": \"x\"}))\n",
            json!([["register_tool_hook", {"pre": "<lambda/0>", "post": "<lambda/1 guard>"}, 3]]),
        ),
        (
            "TABLE = {\"pattern\": \"x\", \"nested\": [1, (lambda e: True, 2.5)]}\nregister_tool_hook(TABLE)\n",
            json!([["register_tool_hook", {"pattern": "x", "nested": [1, ["<lambda/0>", 2.5]]}, 2]]),
        ),
        (
            "def two(a, b):\n    return None\ndef any(*all):\n    return None\n\
             register_session_hook(\"post_turn\", two)\nregister_session_hook(\"post_turn\", any, name = \"n\")\n",
            json!([
                ["register_session_hook", "post_turn", "<two/0 of another arity>", 5],
                ["register_session_hook", "post_turn", "<any/1>", {"name": "n"}, 6],
            ]),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(&Value::from(describe_registrations(text)), expected, "{text}");
    }
}

#[test]
fn what_a_function_returns_says_whether_it_can_deny() {
    let passes = [
        "lambda e: None",
        "lambda e: {\"reminder\": {\"body\": \"b\"}}",
        "lambda e: {\"result\": \"x\"} if e[\"x\"] else None",
    ];
    let may_deny = [
        "lambda e: False",
        "lambda e: e[\"x\"]",
        "lambda e: {\"reminder\": {\"body\": \"b\"}, \"then\": {\"deny\": \"x\"}}",
        "lambda e: {\"reason\": \"x\"}",
        "lambda e: {e[\"x\"]: \"x\"}",
        "lambda e: str(e)",
    ];
    for (cases, guard) in [(&passes[..], false), (&may_deny[..], true)] {
        for handler in cases {
            let (compiled, _) = load_plugin(&format!("register_session_hook(\"post_turn\", {handler})\n"));
            assert_eq!(compiled.inventory.registered_functions[0].guard, guard, "{handler}");
        }
    }
}

#[test]
fn what_is_wrong_is_said_at_its_line() {
    let cases: &[(&str, usize, &str)] = &[
        ("x = 1\nregister_tool_hok({})\n", 2, "unknown name `register_tool_hok`; did you mean `register_tool_hook`?"),
        (
            "register_tool_hook({\"pattern\": print})\n",
            1,
            "register_tool_hook: a value of type `function` cannot be registered",
        ),
        (
            "register_tool_hook({1: \"x\"})\n",
            1,
            "register_tool_hook: the keys of a dict must be strings, not of type `int`",
        ),
        ("def h(e):\n    return block(\"x\")\n", 2, "plugins have no `block`"),
        ("def h(e):\n    return exec.run(\"ls\")\n", 2, "hooks deliberately have no `exec`"),
        ("def h(e):\n    return to_string(e)\n", 2, "unknown name `to_string`"),
        ("x = 1\ny = time.now()\n", 2, "time.now: not available while the script is loaded; call it in a function"),
        ("print(\"hello\")\n", 1, "print: not available while the plugin is loaded; call it in a function"),
        ("def f(:\n", 1, "Parse error"),
        ("load(\"x\", \"y\")\n", 1, "`load`"),
        ("x = {}\nregister_tool_hook(x[\"a\"])\n", 2, "Key `\"a\"` was not found"),
        ("fail(\"no luck\")\n", 1, "no luck"),
    ];
    for (text, line, message) in cases {
        let compiled = load_anywhere(text);
        let found = compiled.diagnostics.last().unwrap_or_else(|| panic!("{text}"));
        assert!(found.message.contains(message), "{text}{}", found.message);
        assert_eq!(found.location.line_column().map(|at| at.0), Some(*line), "{text}{}", found.message);
        assert!(compiled.module.is_none(), "{text}");
    }
}

#[test]
fn plugins_whose_cost_is_not_bounded_are_not_run_here() {
    let there = [
        "x = max(range(2147483647))\n",
        "def f(e, x = max(range(2147483647))):\n    return None\n",
        "register_session_hook(\"post_turn\", lambda e: max(range(2147483647)))\n",
        "for a in range(100000):\n    for b in range(100000):\n        pass\n",
        "def f(n):\n    return f(n)\nf(1)\n",
        "def f(e):\n    return [e] * 1000000\nregister_session_hook(\"post_turn\", f)\n",
        "def call(f):\n    return f(1)\nregister_session_hook(\"post_turn\", lambda e: call(lambda x: x))\n",
        "F = [lambda x: x]\ndef f(e):\n    return sorted([1], key = (F + [])[0])\nregister_session_hook(\"post_turn\", f)\n",
        "for x in [1]:\n    def hidden(e):\n        return max(range(2147483647))\n",
        "x = \"a\" * 2000000000\n",
        "words = []\nfor i in range(60):\n    words = words + words + [\"x\"]\n",
        "D = dict(f = lambda x: x)\ndef f(e):\n    return min([1, 2], key = D[\"f\"])\n",
    ];
    for text in there {
        let (compiled, registrations) = load_plugin(text);
        assert_eq!(compiled.placement, ScriptPlacement::Worker, "{text}");
        assert!(compiled.module.is_none() && registrations.is_empty(), "{text}");
        assert!(compiled.diagnostics.is_empty(), "{text}{:?}", compiled.diagnostics);
    }
}

fn call_function(
    text: &str,
    function: &FunctionRef,
    event: Value,
    limits: CallLimits,
) -> Result<FunctionOutput, Failure> {
    let compiled = load_anywhere(text);
    let module = compiled.module.unwrap_or_else(|| panic!("{text}{:?}", compiled.diagnostics));
    let cancel = CancelToken::default();
    let caller = EffectCaller::new(CallId(1), "policy");
    let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
    let given = module.function(function).unwrap().call(&Payload::new(event), &invocation)?;
    // As a worker would pass it on, which gives a dict as a value.
    Ok(WireFunctionOutput::from(given).into())
}

fn call_first_handler(handler: &str, event: Value) -> Result<FunctionOutput, Failure> {
    let text = format!("WORDS = [\"a\"]\nregister_session_hook(\"post_turn\", {handler})\n");
    call_function(&text, &FunctionRef::Registered(0), event, CallLimits::default())
}

#[test]
fn a_function_returns_any_value() {
    let event = json!({"event": "PreToolUse", "tool": {"name": "exec_x", "args": {"n": 1.5}}, "list": [1, 2]});
    let cases = [
        ("lambda e: None", json!(null)),
        ("lambda e: True", json!(true)),
        ("lambda e: \"text\"", json!("text")),
        ("lambda e: e", event.clone()),
        ("lambda e: {\"deny\": \"no \" + e[\"tool\"][\"name\"]}", json!({"deny": "no exec_x"})),
        ("lambda e: (e[\"list\"], WORDS)", json!([[1, 2], ["a"]])),
        ("lambda e: e.get(\"absent\", {}).get(\"x\", \"none\")", json!("none")),
        ("lambda e: {\"args\": dict(e[\"tool\"][\"args\"], extra = 1)}", json!({"args": {"n": 1.5, "extra": 1}})),
    ];
    for (handler, expected) in cases {
        assert_eq!(call_first_handler(handler, event.clone()), Ok(FunctionOutput::Value(expected)), "{handler}");
    }
    let other = [
        ("lambda e: lambda x: x", "function"),
        ("lambda e: {\"reminder\": lambda x: x}", "dict with a function in it"),
        ("lambda e: print", "function"),
    ];
    for (handler, kind) in other {
        match call_first_handler(handler, event.clone()) {
            Ok(FunctionOutput::Other { type_name, .. }) => assert_eq!(type_name, kind, "{handler}"),
            given => panic!("{handler}: {given:?}"),
        }
    }
}

#[test]
fn exported_functions_are_found_by_name_and_private_ones_are_not() {
    let text = "def reject(event):\n    return {\"block\": True}\ndef _helper(event):\n    return None\n\
                def two(a, b):\n    return None\nLIMIT = 3\n";
    let (compiled, _) = load_plugin(text);
    let find = |name: &str| {
        let found = compiled.inventory.function_info(&FunctionRef::Exported(Arc::from(name)));
        found.map(|facts| facts.name.clone()).map_err(|finding| finding.message)
    };
    assert_eq!(find("reject"), Ok(String::from("reject")));
    let refused = [
        ("_helper", "`_helper` is private; only names without a leading underscore are exported"),
        ("two", "`two` must be callable with one argument, the event"),
        ("LIMIT", "`LIMIT` is not a function"),
        ("rejekt", "the module has no function `rejekt`; did you mean `reject`?"),
        ("zzz", "the module has no function `zzz`"),
        ("<registered 0>", "the module has no function `<registered 0>`"),
    ];
    for (name, message) in refused {
        assert_eq!(find(name), Err(String::from(message)));
    }
    let exported = FunctionRef::Exported(Arc::from("reject"));
    assert_eq!(
        call_function(text, &exported, json!({}), CallLimits::default()),
        Ok(FunctionOutput::Value(json!({"block": true})))
    );
}

#[test]
fn a_failing_call_says_what_and_where() {
    let few = CallLimits { steps: 1_000, ..CallLimits::default() };
    let cases: &[(&str, CallLimits, FailureKind, &str)] = &[
        ("return event[\"absent\"]", CallLimits::default(), FailureKind::Error, "Key `\"absent\"` was not found"),
        ("SEEN.append(1)", CallLimits::default(), FailureKind::Error, "this value cannot be changed"),
        ("TABLE[\"x\"] = 1", CallLimits::default(), FailureKind::Error, "this value cannot be changed"),
        (
            "register_session_hook(\"post_turn\", None)",
            CallLimits::default(),
            FailureKind::Error,
            "register_session_hook: hooks can only be registered at the top level of a plugin, not by a running handler; register it there, and let its handler decide when it applies",
        ),
        (
            "for a in event[\"items\"]:\n        for b in event[\"items\"]:\n            pass",
            few,
            FailureKind::Limit(pintle_contract::LimitKind::Steps),
            "more than 1000 steps executed",
        ),
    ];
    for (body, limits, kind, message) in cases {
        let text = format!(
            "SEEN = []\nTABLE = {{}}\n\ndef handler(event):\n    {body}\n\nregister_session_hook(\"post_turn\", handler)\n"
        );
        let event = json!({"items": (0..500).collect::<Vec<_>>()});
        let failure = call_function(&text, &FunctionRef::Registered(0), event, *limits).unwrap_err();
        assert_eq!(failure.kind, *kind, "{body}: {failure}");
        assert!(failure.message.contains(message), "{body}: {failure}");
        let line = failure.diagnostic.and_then(|found| found.location.line_column()).map(|at| at.0);
        // The interpreter does not report where it stopped counting.
        let lines = if matches!(kind, FailureKind::Limit(_)) { 1..=7 } else { 5..=7 };
        assert!(line.is_some_and(|line| lines.contains(&line)), "{body}: {line:?}");
    }
}

#[test]
fn a_plugin_cannot_fill_its_host_with_registrations() {
    let many = "BIG = [\"x\", \"y\", \"z\", \"x\", \"y\", \"z\", \"x\", \"y\", \"z\", \"x\", \"y\", \"z\", \"x\", \"y\", \"z\", \"x\", \"y\", \"z\", \"x\", \"y\", \"z\"]\n\
                for i in range(10000):\n    register_tool_hook({\"pattern\": BIG})\n";
    let (compiled, _) = load_plugin(many);
    assert!(compiled.diagnostics[0].message.contains("registers too much"), "{:?}", compiled.diagnostics);
    let nested = "x = []\nx.append(x)\nregister_tool_hook(x)\n";
    let (compiled, _) = load_plugin(nested);
    assert!(compiled.diagnostics[0].message.contains("nested more than"), "{:?}", compiled.diagnostics);
}

#[test]
fn one_module_answers_several_threads_at_once() {
    let text = "LIMIT = 3\ndef f(event):\n    return event[\"n\"] + LIMIT\nregister_session_hook(\"post_turn\", f)\n";
    let (compiled, _) = load_plugin(text);
    let function = compiled.module.unwrap().function(&FunctionRef::Registered(0)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let function = &function;
            scope.spawn(move || {
                for turn in 0..500 {
                    let (limits, cancel) = (CallLimits::default(), CancelToken::default());
                    let caller = EffectCaller::new(CallId(turn), "policy");
                    let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
                    let given = function.call(&Payload::new(json!({"n": thread})), &invocation);
                    assert_eq!(given, Ok(FunctionOutput::Value(json!(thread + 3))));
                }
            });
        }
    });
}
