//! Random events through the real runtime: payload, script, verdict and outcome must never panic.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::worker;

use std::fs;
use std::sync::{Arc, LazyLock};

use pintle_host::event::CATALOGUE;
use pintle_host::{Event, EventName, Layer, Origin, Outcome, Runtime};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// What the hooks do with a payload: read all of it, change it, convert it and back, return it.
const SCRIPTS: &[(&str, &str)] = &[
    (
        "reads_everything",
        "def size(value):\n    return len(str(value)) + len(json.encode(value))\n\ndef handle(event, payload):\n    metrics.set(\"size\", size(payload))\n    return allow()\n",
    ),
    (
        "reads_fields",
        "def handle(event, payload):\n    if type(payload) != \"dict\":\n        return allow()\n    name = payload.get(\"name\", \"\")\n    args = payload.get(\"args\") or {}\n    if \"rm -rf /\" in str(args):\n        return block(\"no \" + str(name))\n    for key in payload:\n        log(\"%s=%s\" % (key, type(payload[key])))\n    return allow()\n",
    ),
    (
        "modifies",
        "def handle(event, payload):\n    if type(payload) == \"string\":\n        return modify(payload + \"!\")\n    if type(payload) != \"dict\":\n        return modify(payload)\n    changed = dict(payload)\n    if \"args\" in changed and type(changed[\"args\"]) == \"dict\":\n        changed[\"args\"] = dict(changed[\"args\"], added = [payload.get(\"id\")])\n    changed[\"odd key\"] = {\"\": None}\n    return modify(changed)\n",
    ),
    ("answers_with_it", "def handle(event, payload):\n    return payload\n"),
    (
        "sends_it_round",
        "def handle(event, payload):\n    cache.set(\"last\", payload)\n    if event != \"custom.round\":\n        return modify(events.emit(\"custom.round\", cache.get(\"last\")))\n    return allow()\n",
    ),
];

/// The conditions of the hooks.
const CONDITIONS: &[&str] = &[
    "payload[\"name\"] == \"run_command\"",
    "payload[\"args\"][\"n\"] > 3 or len(payload) == 2",
    "type(payload) == \"dict\" and payload.get(\"is_error\", False)",
];

/// Every hook on every event, once without a condition and once with each.
static RUNTIME: LazyLock<Arc<Runtime>> = LazyLock::new(|| {
    let project = tempfile::tempdir().expect("a folder for the project");
    let hooks = project.path().join(".harness/hooks");
    fs::create_dir_all(&hooks).expect("the folder is new");
    for event in sample_events() {
        for (name, script) in SCRIPTS {
            let script: String = script.lines().map(|line| format!("  {line}\n")).collect();
            let text = format!("---\nevent: {event}\npriority: 5\non_error: open\nscript: |\n{script}---\n");
            fs::write(hooks.join(format!("{name}_{event}.md")), text).expect("the file is new");
        }
        for (index, condition) in CONDITIONS.iter().enumerate() {
            let text = format!(
                "---\nevent: {event}\npriority: 1\nwhen: {condition}\nscript: |\n  def handle(event, payload):\n      return modify({{\"args\": {{}}, \"model\": \"m\"}})\n---\n"
            );
            fs::write(hooks.join(format!("when_{index}_{event}.md")), text).expect("the file is new");
        }
    }
    let built = Runtime::builder().path(project.path(), Layer::Project).worker(worker::worker()).load();
    let faults: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
    assert!(!built.has_errors(), "{faults:#?}");
    built.runtime
});

/// One event of each common shape.
fn sample_events() -> Vec<String> {
    let known = ["tool.pre", "tool.post", "turn.start", "turn.end", "completion.pre", "completion.post"];
    let more =
        ["delegation.pre", "delegation.post_verify", "agent.stop", "error", "custom.round", "meta.register_tool"];
    known.iter().chain(&more).map(|name| (*name).to_owned()).collect()
}

/// Numbers as text, including those that no machine number can represent.
fn number_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_filter("a JSON number", |number| number.is_finite()).prop_map(|number| format!("{number:e}")),
        prop::sample::select(vec![
            "1e400",
            "-1e400",
            "1e-400",
            "0.1e1",
            "-0",
            "-0.0",
            "18446744073709551616",
            "9007199254740993",
            "100000000000000000000000000000000000000000000000000",
        ])
        .prop_map(str::to_owned),
    ]
}

fn field_name() -> impl Strategy<Value = String> {
    let known =
        ["name", "args", "arguments", "content", "is_error", "messages", "tools", "n", "id", "", "\u{0}", "é", "$ref"];
    prop_oneof![3 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

/// JSON text, some of it deep.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(String::from("null")),
        any::<bool>().prop_map(|value| value.to_string()),
        number_text(),
        any::<String>().prop_map(|text| Value::String(text).to_string()),
        prop::sample::select(vec!["run_command", "rm -rf /", "{\"a\":1e400}", "{", "\u{FEFF}"])
            .prop_map(|text| Value::from(text).to_string()),
        (1_usize..100).prop_map(|depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth))),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((field_name(), inner), 0..6).prop_map(|fields| {
                let fields: Vec<String> =
                    fields.into_iter().map(|(key, value)| format!("{}:{value}", Value::String(key))).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    })
}

/// Fires an event and checks the whole outcome.
fn fire_and_check(event: &str, payload: Value) -> Outcome {
    let name = EventName::parse(event).expect("a known event");
    let is_object = payload.is_object();
    let outcome = RUNTIME.fire(&Event::new(name, payload.clone(), Arc::new(Origin::default())));
    let after = outcome.payload.value();
    assert_eq!(after.is_object(), is_object, "{event}: {payload} became {after}");
    assert!(outcome.is_allowed() || !outcome.reason().is_empty(), "{outcome:?}");
    assert_eq!(outcome.rewritten, *after != payload, "{event}: {payload} became {after}");
    assert!(!outcome.payload.digest().is_empty());
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_payload_of_any_event_comes_to_an_outcome(text in json_text(), event in prop::sample::select(sample_events())) {
        // Text that is not valid JSON never reaches a hook.
        if let Ok(payload) = serde_json::from_str::<Value>(&text) {
            fire_and_check(&event, payload);
        }
    }

    #[test]
    fn an_event_with_odd_fields_comes_to_an_outcome(
        fields in prop::collection::vec((field_name(), json_text()), 0..4),
        event in prop::sample::select(sample_events()),
    ) {
        let name = EventName::parse(&event).expect("a known event");
        let mut payload = name.def().example();
        if let Value::Object(known) = &mut payload {
            let odd = fields.into_iter().filter_map(|(key, text)| Some((key, serde_json::from_str(&text).ok()?)));
            known.extend(odd.collect::<Map<_, _>>());
        }
        fire_and_check(&event, payload);
    }
}

#[test]
fn every_event_of_the_catalogue_is_fired_with_its_example() {
    for def in CATALOGUE {
        let name = def.family().map_or(def.name.to_owned(), |family| format!("{family}round"));
        let outcome = fire_and_check(&name, def.example());
        let listens = sample_events().contains(&name);
        assert_eq!(
            listens,
            outcome.hooks_called as usize >= SCRIPTS.len(),
            "{name}: {} hooks were asked",
            outcome.hooks_called
        );
    }
}
