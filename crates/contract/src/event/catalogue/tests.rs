//! Tests of every event definition in the catalogue.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::FailurePolicy;
use crate::event::{Event, EventClass, EventName, EventPayload, Origin, RewriteTarget};

/// The mismatches between a value and a schema: required fields, types, references.
fn find_mismatches(schema: &Value, root: &Value, value: &Value, path: &str) -> Vec<String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = reference.trim_start_matches('#');
        return find_mismatches(root.pointer(pointer).unwrap(), root, value, path);
    }
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |kind: &Value| kind == name || (kind == "number" && name == "integer");
    let mut found = Vec::new();
    match schema.get("type") {
        Some(Value::Array(kinds)) if !kinds.iter().any(fits) => found.push(format!("{path} is {name}")),
        Some(kind @ Value::String(_)) if !fits(kind) => found.push(format!("{path} is {name}")),
        _ => {}
    }
    for required in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if value.get(required.as_str().unwrap()).is_none() {
            found.push(format!("{path} lacks {required}"));
        }
    }
    if let (Some(properties), Some(fields)) = (schema.get("properties"), value.as_object()) {
        for (key, field) in fields {
            match properties.get(key) {
                Some(inner) => found.extend(find_mismatches(inner, root, field, &format!("{path}.{key}"))),
                None => found.push(format!("{path} has {key}, which the schema does not know")),
            }
        }
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        found.extend(list.iter().flat_map(|item| find_mismatches(items, root, item, &format!("{path}[]"))));
    }
    found
}

#[test]
fn names_are_unique_and_in_one_shape() {
    let names: BTreeSet<_> = CATALOGUE.iter().map(|def| def.name).collect();
    assert_eq!(names.len(), CATALOGUE.len());
    for def in CATALOGUE {
        let plain = |character: char| character.is_ascii_lowercase() || "._*".contains(character);
        assert!(def.name.chars().all(plain), "{}", def.name);
        let parsed = EventName::parse(def.name);
        assert_eq!(parsed.is_ok(), def.family().is_none(), "{}", def.name);
    }
}

#[test]
fn each_kind_is_the_row_at_its_place() {
    assert_eq!(EventKind::ALL.len(), CATALOGUE.len());
    for (at, (kind, def)) in EventKind::ALL.iter().zip(CATALOGUE).enumerate() {
        assert!(*kind as usize == at && std::ptr::eq(kind.def(), *def), "{kind}");
        let words = def.name.trim_end_matches(".*").split(['.', '_']);
        let variant: String = words.map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        assert_eq!(format!("{kind:?}"), variant, "the variant reads like the name");
        assert_eq!(EventKind::from_name(def.name), def.family().is_none().then_some(*kind));
        let name = EventName::from(*kind);
        assert_eq!(name.as_str(), def.name.replace('*', "event"));
        assert_eq!(EventName::parse(name.as_str()), Ok(name), "what is fired can be read from a tape");
    }
    assert_eq!(EventKind::from_name("custom.deploy"), Some(EventKind::Custom));
}

#[test]
fn a_family_takes_a_plain_suffix_and_nothing_else() {
    let families: Vec<_> = CATALOGUE.iter().filter_map(|def| def.family()).collect();
    assert_eq!(families, ["custom.", "meta."]);
    for family in families {
        let name = format!("{family}deploy_2");
        assert_eq!(EventName::parse(&name).unwrap().as_str(), name);
        for bad in ["", "Deploy", "a.b", "a-b", " a", "*"] {
            assert!(EventName::parse(&format!("{family}{bad}")).is_err(), "{family}{bad}");
        }
    }
}

#[test]
fn each_example_fits_its_schema() {
    for def in CATALOGUE {
        let schema = def.schema();
        let example = serde_json::from_str(find_example(def.name)).unwrap();
        assert_eq!(find_mismatches(schema, schema, &example, def.name), Vec::<String>::new());
    }
}

#[test]
fn the_check_of_examples_finds_what_does_not_fit() {
    let schema = tool_post::ROW.schema();
    let bad = json!({"call_id": 1, "content": "", "is_error": false, "result": null, "stray": 0});
    let expected = [
        "tool.post lacks \"name\"",
        "tool.post.call_id is integer",
        "tool.post has stray, which the schema does not know",
    ];
    assert_eq!(find_mismatches(schema, schema, &bad, "tool.post"), expected);
}

#[test]
fn settling_what_nobody_changed_changes_nothing() {
    for def in CATALOGUE {
        let example = def.example();
        let mut after = example.clone();
        assert_eq!(def.normalize(&example, &mut after), Ok(()), "{}", def.name);
        assert_eq!(after, example, "{}", def.name);
    }
}

#[test]
fn settling_survives_any_value() {
    let odd = [json!(null), json!(3), json!("x"), json!([]), json!({}), json!({"choices": [3]}), json!({"usage": 1})];
    for def in CATALOGUE {
        for before in odd.iter().chain([&def.example()]) {
            for after in &odd {
                let mut settled = after.clone();
                if def.normalize(before, &mut settled).is_ok() {
                    let mut again = settled.clone();
                    assert_eq!(def.normalize(&settled, &mut again), Ok(()), "{}: {after}", def.name);
                    assert_eq!(again, settled, "{}: {after}", def.name);
                }
            }
        }
    }
}

#[test]
fn each_row_says_what_people_need_to_know() {
    for def in CATALOGUE {
        for sentence in [def.fires_when, def.deny_means] {
            assert!(sentence.ends_with(['.', '`']) || sentence.ends_with("`."), "{}: {sentence}", def.name);
            assert!(sentence.len() > 10, "{}: {sentence}", def.name);
        }
        if def.class == EventClass::Observe {
            assert_eq!(def.target, RewriteTarget::Nothing, "{} is only observed", def.name);
            assert_eq!(def.on_failure, FailurePolicy::Open, "{} is only observed", def.name);
        }
    }
}

#[test]
fn subjects_and_targets_are_fields_of_the_payload() {
    for def in CATALOGUE {
        let example = def.example();
        if let Some(subject) = def.subject {
            assert!(example[subject].is_string(), "{}: {subject}", def.name);
        }
        let schema = def.schema();
        if let RewriteTarget::Fields(fields) = def.target {
            for field in fields {
                assert!(schema["properties"].get(*field).is_some(), "{}: {field}", def.name);
            }
        }
    }
}

#[test]
fn each_field_is_described() {
    for def in CATALOGUE {
        let schema = def.schema();
        for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
            assert!(inner.get("description").is_some(), "{}: {field}", def.name);
        }
        assert!(schema.get("default").is_none(), "{}", def.name);
    }
}

pub(super) fn assert_round_trip<P: EventPayload + serde::de::DeserializeOwned + Default>() {
    let def = P::KIND.def();
    let example = def.example();
    let typed: P = serde_json::from_value(example.clone()).unwrap_or_else(|error| panic!("{}: {error}", def.name));
    assert_eq!(Event::from_payload(&typed, Origin::default().into()).payload.value(), &example, "{}", def.name);
    // A payload with fewer fields than the catalogue defines can still be read.
    if example.is_object() && def.name != "custom.*" {
        assert!(serde_json::from_value::<P>(json!({})).is_ok(), "{}", def.name);
    }
    let empty = Event::from_payload(&P::default(), Origin::default().into());
    let schema = def.schema();
    assert_eq!(find_mismatches(schema, schema, empty.payload.value(), def.name), Vec::<String>::new());
}

#[test]
fn each_example_survives_its_type() {
    round_trips();
}

#[test]
fn both_spellings_of_a_field_follow_the_one_that_changed() {
    let pairs = [
        (&delegation_pre::ROW, "prompt", "task", json!("other")),
        (&delegation_post::ROW, "result", "response", json!("other")),
        (&delegation_post_verify::ROW, "result", "response", json!("other")),
    ];
    for (def, one, other, value) in pairs {
        let before = def.example();
        let mut expected = before.clone();
        expected[one] = value.clone();
        expected[other] = value.clone();
        for changed in [one, other] {
            let mut after = before.clone();
            after[changed] = value.clone();
            assert_eq!(def.normalize(&before, &mut after), Ok(()), "{}: {changed}", def.name);
            assert_eq!(after, expected, "{}: {changed}", def.name);
        }
    }
}
