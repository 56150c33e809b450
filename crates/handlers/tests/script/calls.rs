//! Tests built-in functions, in this process and in a worker.

use std::sync::Arc;

use pintle_contract::{
    CallId, CallLimits, CancelToken, EffectCaller, EffectRequest, FailureKind, Location, ScriptSource, ToolSpec,
    VerdictKind,
};
use serde_json::{Value, json};

use super::fixture::{FakeEffects, build_handler, call_handler, call_script, test_factory};

/// Makes a script need a worker without changing its result.
const UNBOUNDED: &str = "def _again(n):\n  return _again(n - 1) if n > 0 else 0\n";

/// The value of an expression, seen through `modify({"is": ..})`, here and in a worker.
fn evaluate_in_both(expression: &str, payload: &Value) -> Value {
    let script = format!("def handle(event, payload):\n  return modify({{\"is\": {expression}}})\n");
    let builder = test_factory();
    let value =
        |script: &str| match call_script(&builder, script, payload.clone(), &FakeEffects::default()).unwrap().kind {
            VerdictKind::Rewrite(pintle_contract::Rewrite::Fields(fields)) => fields["is"].clone(),
            said => json!(format!("{said:?}")),
        };
    let here = value(&script);
    let there = value(&format!("{UNBOUNDED}{script}"));
    assert_eq!(here, there, "{expression}");
    here
}

#[test]
fn nothing_of_one_call_is_there_for_the_next() {
    let builder = test_factory();
    let payload = json!({"name": "run"});
    let own = "def handle(event, payload):\n  seen = []\n  seen.append(1)\n  payload[\"seen\"] = payload.get(\"seen\", 0) + 1\n  \
               return block(\"%d %d\" % (len(seen), payload[\"seen\"]))\n";
    let shared = "SEEN = []\ndef handle(event, payload):\n  SEEN.append(1)\n  return block(\"%d\" % len(SEEN))\n";
    for unbounded in ["", UNBOUNDED] {
        let [own, shared] =
            [own, shared].map(|script| build_handler(&builder, &format!("{unbounded}{script}")).handler.unwrap());
        for _ in 0..2 {
            let ask = |handler| {
                call_handler(Arc::clone(handler), payload.clone(), &FakeEffects::default(), CallLimits::default()).kind
            };
            assert_eq!(ask(&own), VerdictKind::Deny { reason: String::from("1 1") });
            let VerdictKind::Failed(failure) = ask(&shared) else {
                panic!("a script changed what it made while it was loaded")
            };
            assert!(failure.message.contains("this value cannot be changed"), "{failure}");
        }
    }
}

#[test]
fn built_ins_do_what_the_reference_says() {
    let payload =
        json!({"name": "run", "args": {"a": [1, 2.5, None::<i32>]}, "text": "héllo <b>", "arguments": "{\"a\":1}"});
    let cases = [
        ("json.encode({\"b\": 1.0, \"a\": \"<&>\"})", json!("{\"a\":\"\\u003c\\u0026\\u003e\",\"b\":1}")),
        ("json.decode(\"[1, 2.0, 2.5]\")", json!([1, 2, 2.5])),
        ("json.decode(\"{\", default = 7)", json!(7)),
        ("json.decode({\"a\": 1})", json!({"a": 1})),
        ("re.match(\"h(.)l\", payload[\"text\"])[\"groups\"]", json!(["é"])),
        ("\"yes\" if re.match(\"l\", payload[\"text\"]) else \"no\"", json!("no")),
        ("re.match(\"l\", payload[\"text\"])[\"matched\"]", json!(false)),
        (
            "re.search(\"l+\", payload[\"text\"])",
            json!({"matched": true, "full_match": "ll", "groups": [], "named_groups": {}, "start": 3, "end": 5}),
        ),
        ("re.search(\"(?P<x>o)\", payload[\"text\"]).get(\"named_groups\")", json!({"x": "o"})),
        ("re.findall(\"l\", payload[\"text\"])", json!(["l", "l"])),
        ("re.replace(\"(l)\", \"<$1>\", payload[\"text\"])", json!("hé<l><l>o <b>")),
        ("string.truncate(payload[\"text\"], 2, \"..\")", json!("hé..")),
        ("string.upper(s = \"ab\")", json!("AB")),
        ("string.pad_left(\"7\", 3, \"0\")", json!("007")),
        ("string.join([1, \"a\"], \"-\")", json!("1-a")),
        ("string.contains_any(payload[\"text\"], [\"x\", \"llo\"])", json!("llo")),
        ("len(payload[\"text\"])", json!(9)),
        ("math.floor(2.7) + math.ceil(2.2) + math.max(1, 2)", json!(7)),
        ("hash.sha256(\"abc\")", json!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")),
        ("base64.decode(base64.encode(\"ä\"))", json!("ä")),
        ("url.parse(\"https://u@h.org:8/p?q=1&q=2#f\")[\"query\"]", json!({"q": ["1", "2"]})),
        ("url.encode({\"b\": \"x y\", \"a\": 1})", json!("a=1&b=x+y")),
        ("template.render(\"{{ a.b }}!\", {\"a\": {\"b\": 1}})", json!("1!")),
        ("validate.email(\"a@b.c\") and not validate.json(\"{\")", json!(true)),
        ("set.diff(set.new([1, 2, 2]), [2])", json!([1])),
        ("time.now()", json!("2023-11-14T22:13:20.000Z")),
        ("random(3, 9)", json!(3)),
        ("uuid.v4()", json!("00000000-0000-4000-8000-000000000000")),
        ("http.get(\"http://x\", {}, 2)", json!({"status": 200, "url": "http://x", "ms": 2000})),
        ("http.post(url = \"http://x\", body = \"b\")[\"ms\"]", json!(30000)),
        ("events.emit(\"custom.x\", {\"a\": 1})", json!({"a": 1})),
        ("[metrics.incr(\"n\"), metrics.incr(\"n\", 2), metrics.incr(name = \"n\", delta = 3)]", json!([1, 3, 6])),
        ("[cache.set(\"k\", 1), cache.get(\"k\"), cache.get(\"z\", 5), cache.has(\"k\")]", json!([1, 1, 5, true])),
        ("ctx.agent.run_verification_chain()", json!({"ok": false, "reason": "the done flag is not set"})),
        ("payload[\"args\"]", json!({"a": [1, 2.5, null]})),
        ("payload.get(\"arguments\", {}).get(\"a\")", json!([1, 2.5, null])),
        ("json.decode(payload[\"arguments\"])[\"a\"]", json!(1)),
        ("[log(\"a\"), log.info(\"b\"), log.warn(msg = \"c\"), log(msg = \"d\")]", json!([null, null, null, null])),
        ("assert(True) == None", json!(true)),
        ("type(payload[\"name\"])", json!("string")),
    ];
    for (expression, expected) in cases {
        assert_eq!(evaluate_in_both(expression, &payload), expected, "{expression}");
    }
}

#[test]
fn a_payload_may_be_changed_in_place() {
    let builder = test_factory();
    let big = json!({"args": {"x": 0, "big": "y".repeat(10_000)}, "other": [1]});
    let script = "def handle(event, payload):\n  payload[\"args\"][\"x\"] = 1\n  payload[\"new\"] = 2\n  return modify(payload)\n";
    for script in [script.to_owned(), format!("{UNBOUNDED}{script}")] {
        let VerdictKind::Rewrite(pintle_contract::Rewrite::Fields(fields)) =
            call_script(&builder, &script, big.clone(), &FakeEffects::default()).unwrap().kind
        else {
            panic!("no rewrite");
        };
        assert_eq!((&fields["args"]["x"], &fields["new"]), (&json!(1), &json!(2)));
    }
    assert_eq!(big["args"]["x"], 0);
}

#[test]
fn errors_say_what_and_where() {
    let builder = test_factory();
    let cases = [
        ("return payload[\"absent\"]", FailureKind::Error, "Key `\"absent\"` was not found", (2, 10)),
        ("assert(payload[\"x\"] == 2, \"two\")", FailureKind::Error, "assert: two", (2, 3)),
        ("return block(1)", FailureKind::Error, "", (2, 10)),
    ];
    for (body, kind, message, place) in cases {
        let script = format!("def handle(event, payload):\n  {body}\n");
        for script in [script.clone(), format!("{script}{UNBOUNDED}")] {
            let verdict = call_script(&builder, &script, json!({"x": 1}), &FakeEffects::default()).unwrap();
            let VerdictKind::Failed(failure) = verdict.kind else { panic!("{verdict:?}") };
            assert_eq!(failure.kind, kind);
            assert!(failure.message.contains(message), "{}", failure.message);
            let location = failure.diagnostic.unwrap().location;
            assert_eq!(location.line_column(), Some(place), "{body}");
        }
    }
}

#[test]
fn findings_say_what_and_what_next() {
    let builder = test_factory();
    let cases = [
        (
            "def handle(event, payload):\n  return metrics.increment(\"x\")\n",
            "`metrics` has no `increment`; did you mean `incr`?",
            (2, 18),
        ),
        (
            "def handle(event, payload):\n  return metrcs.incr(\"x\")\n",
            "unknown name `metrcs`; did you mean `metrics`?",
            (2, 10),
        ),
        ("def handle(event, payload):\n  return exec.run(\"ls\")\n", "hooks deliberately have no `exec`", (2, 10)),
        (
            "def handle(event, payload):\n  fs.write(\"a\", fs.read(\"b\"))\n",
            "hooks deliberately have no `fs.write`",
            (2, 6),
        ),
        (
            "def handle(event, payload):\n  return meta.register_tool(\"x\", \"y\")\n",
            "hooks deliberately have no `meta.register_tool`",
            (2, 15),
        ),
        ("def run(args):\n  return 1\n", "hook script \"tested\" must define a 'handle' function", (1, 5)),
        ("def handle(event):\n  return 1\n", "`handle` is called with 2 arguments: event, payload", (1, 5)),
        ("handle = 3\n", "hook script \"tested\": 'handle' must be a function", (1, 1)),
        ("def handle(event, payload)\n  return 1\n", "", (1, 27)),
    ];
    for (script, message, place) in cases {
        let found = call_script(&builder, script, json!({}), &FakeEffects::default()).unwrap_err();
        assert!(found[0].message.contains(message), "{}", found[0].message);
        assert_eq!(found[0].location.line_column(), Some(place), "{script}: {}", found[0].message);
    }
}

#[test]
fn tools_run_in_a_worker_and_reach_the_world() {
    let builder = test_factory();
    let world = FakeEffects::default();
    let tool = |script: &str| ToolSpec {
        name: String::from("tool"),
        description: String::new(),
        parameters: json!({}),
        script: Some(ScriptSource::without_file(script)),
        timeout_ms: 2_000,
        verify: None,
        location: Location::default(),
    };
    let run = |script: &str| {
        let tool = builder.compile_tool(&tool(script)).map_err(|found| found[0].message.clone())?;
        let caller = EffectCaller::new(CallId(7), "tool");
        tool.run(json!({"x": 2}), &world, caller, &CancelToken::default(), 2_000).map_err(|failure| failure.message)
    };
    let script = "def run(args):\n  return {\"ran\": exec.run(\"ls\", [\"-l\", 1]), \"x\": args[\"x\"]}\n";
    assert_eq!(run(script), Ok(json!({"ran": {"cmd": "ls", "args": ["-l", "1"]}, "x": 2})));
    assert_eq!(run("def run(args):\n  return fs.read(\"gone\")\n"), Err(String::from("fs.read: no such file")));
    assert_eq!(run("def run(args):\n  return block(\"x\")\n"), Err(String::from("tool scripts have no `block`")));
    assert_eq!(
        run("def handle(event, payload):\n  return 1\n"),
        Err(String::from("tool script \"tool\" must define a 'run' function"))
    );
    assert!(
        world
            .requests
            .lock()
            .unwrap()
            .iter()
            .any(|request| matches!(request, EffectRequest::Exec { timeout_ms: 30_000, .. }))
    );
}
