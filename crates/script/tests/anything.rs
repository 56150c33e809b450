//! Any script and any input gives a diagnostic, an answer or a failure, never a panic.

use pintle_contract::{
    CallId, CallLimits, CancelToken, EffectCaller, EventName, NoEffects, Payload, ScriptSource, Severity,
};
use pintle_script::{Invocation, ScriptKind, compile, compile_plugin, compile_when};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Fragments of scripts, valid and invalid.
fn script_pieces() -> impl Strategy<Value = String> {
    let words = [
        "def handle(event, payload):",
        "\n  ",
        "\n    ",
        "\n",
        "return ",
        "allow()",
        "block(\"x\")",
        "modify(payload)",
        "payload",
        "[\"name\"]",
        ".get(\"args\", {})",
        "for x in ",
        "if ",
        "else:",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        "=",
        "==",
        "+",
        "*",
        "in",
        "not ",
        "lambda x: ",
        "metrics.incr(\"x\")",
        "log.info(1)",
        "assert",
        "json.decode(",
        "\"",
        "'''",
        "#",
        "\\",
        "\t",
        "\u{feff}",
        "é",
        "1e999",
        "0x",
        "range(3)",
        ".join(",
        "f\"{x}\"",
        "load(",
        "*=",
        "payload[\"arguments\"]",
        "re.search(",
        "None",
        "def f(x, *, y=1, **k):",
        "\0",
        "register_tool_hook({",
        "register_session_hook(\"post_turn\", ",
        "clear_tool_hooks()",
        "lambda event: event",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..40).prop_map(|words| words.concat())
}

fn limit_steps() -> CallLimits {
    CallLimits { steps: 20_000, memory_bytes: 8 << 20, ..CallLimits::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_diagnostics_or_a_script(text in prop_oneof![script_pieces(), any::<String>()]) {
        for role in [ScriptKind::Hook, ScriptKind::Tool] {
            let compiled = compile("any", &ScriptSource::without_file(text.as_str()), role);
            let failed = compiled.diagnostics.iter().any(|found| found.severity == Severity::Error);
            prop_assert!(!(failed && compiled.script.is_some()));
            for found in &compiled.diagnostics {
                prop_assert!(!found.message.contains('\n'), "{}", found.message);
            }
        }
        let plugin = compile_plugin("any", &ScriptSource::without_file(text.as_str()));
        let failed = plugin.diagnostics.iter().any(|found| found.severity == Severity::Error);
        prop_assert!(!(failed && plugin.module.is_some()));
        prop_assert!(plugin.diagnostics.iter().all(|found| !found.message.contains('\n')));
        let event = EventName::parse("tool.pre").unwrap();
        let _ = compile_when("any", &ScriptSource::without_file(text.as_str()), Some(&ScriptSource::without_file(text.as_str())), &event);
    }

    #[test]
    fn any_payload_gives_an_answer_or_a_failure(name in any::<String>(), number in any::<f64>(), digits in "[-]?[0-9]{1,40}(\\.[0-9]{1,3})?(e[-+]?[0-9]{1,4})?") {
        let digits: Value = serde_json::from_str(&digits).unwrap_or(Value::Null);
        let payload = Payload::new(json!({"name": name, "n": number, "d": digits, "args": {"command": name}, "l": [name, [number]]}));
        let scripts = [
            "def handle(event, payload):\n  for d in [\"rm\", \"mkfs\"]:\n    if d in payload[\"args\"][\"command\"]:\n      return block(d)\n  return allow()\n",
            "def handle(event, payload):\n  return modify(payload)\n",
            "def handle(event, payload):\n  return block(str(payload[\"d\"]) + json.encode(payload))\n",
            "def handle(event, payload):\n  return {\"action\": \"modify\", \"payload\": {\"l\": sorted(payload[\"l\"][0])}}\n",
            "def handle(event, payload):\n  return payload[\"n\"] + payload[\"d\"]\n",
        ];
        for text in scripts {
            let script = compile("any", &ScriptSource::without_file(text), ScriptKind::Hook).script;
            let (limits, cancel) = (limit_steps(), CancelToken::default());
            let caller = EffectCaller::new(CallId(0), "any");
            let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
            if let Some(script) = script {
                let _ = script.handle("tool.pre", &payload, &invocation);
            }
        }
    }
}
