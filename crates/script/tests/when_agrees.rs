//! The native test of a `when` agrees with the compiled Starlark, on thousands of expressions and payloads.

use pintle_contract::{EventName, MatchResult, Payload, ScriptSource};
use pintle_script::{WhenPredicate, compile_when};
use proptest::prelude::*;
use serde_json::{Value, json};

fn compile_expression(expression: &str) -> Option<WhenPredicate> {
    let event = EventName::parse("tool.pre").ok()?;
    compile_when("t", &ScriptSource::without_file(expression), None, &event).when
}

/// `Failed` without its message, which only Starlark has.
fn match_kind(answer: &MatchResult) -> &'static str {
    match answer {
        MatchResult::Yes => "yes",
        MatchResult::No => "no",
        MatchResult::Failed(_) => "failed",
    }
}

fn scalar_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just(0), Just(1), Just(-1), Just(i64::MAX), any::<i64>()].prop_map(Value::from),
        prop_oneof![Just(0.0), Just(1.0), Just(0.5), Just(-2.5), Just(1e300), Just(9007199254740993.0)]
            .prop_map(Value::from),
        Just(serde_json::from_str::<Value>("18446744073709551616").unwrap_or_default()),
        Just(serde_json::from_str::<Value>("1e400").unwrap_or_default()),
        prop_oneof![Just(""), Just("a"), Just("b"), Just("é"), Just("a é b"), Just("run_command")]
            .prop_map(Value::from),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    scalar_value().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop_oneof![Just("a"), Just("b"), Just("name")], inner), 0..3).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

pub(crate) fn event_payload() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => (json_value(), json_value(), json_value()).prop_map(|(name, a, b)| json!({"name": name, "a": a, "b": b})),
        // A payload of many fields is searched in another way.
        1 => (json_value(), json_value()).prop_map(|(name, a)| {
            let others = (0..20).map(|number| (format!("field_{number}"), Value::Null));
            Value::Object(others.chain([("name".to_owned(), name), ("a".to_owned(), a)]).collect())
        }),
        1 => json_value(),
    ]
}

fn literal_text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("None"),
        Just("True"),
        Just("False"),
        Just("0"),
        Just("1"),
        Just("-1"),
        Just("1.0"),
        Just("0.5"),
        Just("\"\""),
        Just("\"a\""),
        Just("\"é\""),
        Just("\"run_command\""),
        Just("[]"),
        Just("[1, \"a\", None]"),
        Just("(True, 1.0)"),
        Just("{}"),
        Just("9223372036854775807"),
    ]
    .prop_map(str::to_owned)
}

pub(crate) fn expression_text() -> impl Strategy<Value = String> {
    let key = prop_oneof![Just("name"), Just("a"), Just("b"), Just("absent")];
    let leaf = prop_oneof![
        literal_text(),
        Just(String::from("event")),
        Just(String::from("payload")),
        key.clone().prop_map(|key| format!("payload[\"{key}\"]")),
        (key.clone(), literal_text()).prop_map(|(key, default)| format!("payload.get(\"{key}\", {default})")),
        key.prop_map(|key| format!("payload.get(\"{key}\")")),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let operator = prop_oneof![
            Just("=="), Just("!="), Just("<"), Just("<="), Just(">"), Just(">="), Just("in"), Just("not in"),
            Just("and"), Just("or"),
        ];
        prop_oneof![
            4 => (inner.clone(), operator, inner.clone()).prop_map(|(left, op, right)| format!("({left}) {op} ({right})")),
            1 => inner.clone().prop_map(|inner| format!("not ({inner})")),
            1 => inner.clone().prop_map(|inner| format!("len({inner})")),
            1 => inner.clone().prop_map(|inner| format!("({inner})[\"a\"]")),
            1 => inner.clone().prop_map(|inner| format!("({inner}).get(\"a\", 1)")),
            1 => inner.clone().prop_map(|inner| format!("({inner}).startswith(\"a\")")),
            1 => inner.prop_map(|inner| format!("({inner}).endswith(\"é\")")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_native_test_agrees_with_starlark(expression in expression_text(), payloads in prop::collection::vec(event_payload(), 1..6)) {
        let Some(when) = compile_expression(&expression) else {
            // Its cost is not bounded: it runs in a worker.
            return Ok(());
        };
        for value in payloads {
            let payload = Payload::new(value);
            let (native, starlark) = (when.evaluate("tool.pre", &payload), when.evaluate_in_interpreter("tool.pre", &payload));
            // A number that is not finite fails Starlark's whole payload; the native test only checks the parts it
            // reads.
            if matches!(&starlark, MatchResult::Failed(failure) if failure.message.contains("not a finite number")) {
                continue;
            }
            prop_assert_eq!(match_kind(&native), match_kind(&starlark), "{} on {:?}", expression, payload);
        }
    }
}

#[test]
fn the_traps_of_the_language() {
    let payload =
        Payload::new(json!({"one": 1, "float": 1.0, "yes": true, "text": "héllo", "list": [1], "none": null}));
    let cases = [
        ("payload[\"one\"] == 1.0", "yes"),
        ("payload[\"yes\"] == 1", "no"),
        ("payload[\"float\"] == 1", "yes"),
        ("len(payload[\"text\"]) == 5", "yes"),
        ("payload[\"absent\"] == 1", "failed"),
        ("payload[\"absent\"] == 1 or True", "failed"),
        ("True or payload[\"absent\"]", "yes"),
        ("payload[\"one\"] < \"a\"", "failed"),
        ("len(payload[\"none\"]) > 0", "failed"),
        ("\"é\" in payload[\"text\"]", "yes"),
        ("payload[\"none\"] or \"x\"", "yes"),
        ("payload[\"list\"] == [1]", "yes"),
        ("True in [1]", "no"),
        ("payload.get(\"absent\", {}).get(\"a\", \"\") == \"\"", "yes"),
    ];
    for (expression, expected) in cases {
        let when = compile_expression(expression).unwrap();
        assert_eq!(match_kind(&when.evaluate("tool.pre", &payload)), expected, "{expression}");
        assert_eq!(match_kind(&when.evaluate_in_interpreter("tool.pre", &payload)), expected, "{expression}");
    }
}
