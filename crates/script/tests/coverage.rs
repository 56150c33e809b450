//! What covered scripts reach.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use pintle_contract::{
    CallId, CallLimits, CancelToken, EffectCaller, EventName, MatchResult, NoEffects, Payload, ScriptSource,
};
use pintle_script::{
    CoverageKind, CoverageRecorder, Invocation, ScriptKind, compile, compile_covered, compile_when_covered,
};
use serde_json::{Value, json};

/// The lines and the conditions of a script that payloads do not reach.
fn unreached(script: &str, payloads: &[Value]) -> Vec<String> {
    let recorder = CoverageRecorder::default();
    let text = ScriptSource::without_file(script);
    let covered = compile_covered("a", &text, ScriptKind::Hook, &recorder).script.unwrap();
    let plain = compile("a", &text, ScriptKind::Hook).script.unwrap();
    assert!(!covered.is_native());
    let (limits, cancel) = (CallLimits::default(), CancelToken::default());
    let caller = EffectCaller::new(CallId(0), "a");
    let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
    for payload in payloads {
        let payload = Payload::new(payload.clone());
        let decided = covered.handle("tool.pre", &payload, &invocation);
        assert_eq!(decided.is_ok(), plain.handle("tool.pre", &payload, &invocation).is_ok(), "{decided:?}");
    }
    missing(&recorder)
}

fn missing(recorder: &CoverageRecorder) -> Vec<String> {
    let scripts = recorder.scripts();
    let points = scripts.iter().flat_map(|script| script.points());
    let missing = points.filter(|(_, reached)| !reached).map(|(point, _)| {
        let file = point.location.file.as_ref().unwrap();
        let text = &file.text[point.location.span.start..point.location.span.end];
        let (line, _) = point.location.line_column().unwrap();
        match point.kind {
            CoverageKind::Statement => format!("{line}"),
            CoverageKind::ConditionTrue => format!("{line}: {text} true"),
            CoverageKind::ConditionFalse => format!("{line}: {text} false"),
        }
    });
    missing.collect()
}

const SCRIPT: &str = r#"
"""A guard."""
BANNED = [
    "rm",
]

def is_banned(command):
    """Whether it is."""
    return any([True for word in BANNED if word in command])

def handle(event, payload):
    command = payload.get("command") or ""
    if is_banned(command) and not payload.get("force"):
        return block("no")
    elif command == "ls": return allow()
    else:
        reason = "long" if len(command) > 3 else "short"
    for word in command.split():
        if word == "x":
            continue
    return allow()
"#;

#[test]
fn what_is_not_reached_is_named() {
    let nothing = unreached(SCRIPT, &[]);
    let first = ["9", "9: word in command true", "9: word in command false", "12"];
    assert_eq!(nothing[..4], first);
    assert!(!nothing.iter().any(|point| point == "3" || point == "11"), "{nothing:?}");

    let most = unreached(SCRIPT, &[json!({"command": "rm a"}), json!({"command": "x"})]);
    let wanted = [
        "12: payload.get(\"command\") false",
        "13: payload.get(\"force\") true",
        "15: command == \"ls\" true",
        "15",
        "17: len(command) > 3 true",
        "19: word == \"x\" false",
    ];
    assert_eq!(most, wanted);

    let rest = [
        json!({"command": "rm a"}),
        json!({"command": "x"}),
        json!({}),
        json!({"command": "ls"}),
        json!({"command": "rm", "force": 1}),
        json!({"command": "long words"}),
    ];
    assert!(unreached(SCRIPT, &rest).is_empty(), "{:?}", unreached(SCRIPT, &rest));
}

#[test]
fn a_when_is_covered_by_its_parts() {
    let recorder = CoverageRecorder::default();
    let text = ScriptSource::without_file(r#"payload["name"] in ["a", "b"] and payload["size"] > 3"#);
    let event = EventName::parse("tool.pre").unwrap();
    let when = compile_when_covered("a", &text, None, &event, &recorder).when.unwrap();
    assert_eq!(missing(&recorder).len(), 5);
    for payload in [json!({"name": "a", "size": 1}), json!({"name": "c", "size": 9})] {
        assert_eq!(when.evaluate("tool.pre", &Payload::new(payload)), MatchResult::No);
    }
    assert_eq!(missing(&recorder), [r#"1: payload["size"] > 3 true"#]);
}

#[test]
fn functions_that_only_a_when_calls_are_covered_where_they_are_written() {
    let script = "LIMIT = 3\n\ndef is_large(payload):\n    if payload[\"size\"] > LIMIT:\n        return True\n    return False\n\ndef handle(event, payload):\n    return block(\"no\")\n";
    let recorder = CoverageRecorder::default();
    let (script, when) = (ScriptSource::without_file(script), ScriptSource::without_file("is_large(payload)"));
    let event = EventName::parse("tool.pre").unwrap();
    let when = compile_when_covered("a", &when, Some(&script), &event, &recorder).when.unwrap();
    assert_eq!(when.evaluate("tool.pre", &Payload::new(json!({"size": 1}))), MatchResult::No);
    let wanted = ["4: payload[\"size\"] > LIMIT true", "5", "1: is_large(payload) true"];
    assert_eq!(missing(&recorder), wanted);
    assert_eq!(when.evaluate("tool.pre", &Payload::new(json!({"size": 9}))), MatchResult::Yes);
    assert!(missing(&recorder).is_empty(), "{:?}", missing(&recorder));
}

#[test]
fn probes_are_no_steps() {
    let script = "def handle(event, payload):\n    n = 0\n    for i in range(100):\n        if i > 5:\n            n += 1\n            n += 1\n    return allow()\n";
    let limits = CallLimits { steps: 103, ..CallLimits::default() };
    let cancel = CancelToken::default();
    let caller = EffectCaller::new(CallId(0), "a");
    let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
    let recorder = CoverageRecorder::default();
    let text = ScriptSource::without_file(script);
    let covered = compile_covered("a", &text, ScriptKind::Hook, &recorder).script.unwrap();
    let payload = Payload::new(json!({}));
    assert!(covered.handle("tool.pre", &payload, &invocation).is_ok());
    assert!(missing(&recorder).is_empty());
}
