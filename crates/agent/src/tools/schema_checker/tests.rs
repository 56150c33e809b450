//! Tests of references and of schemas with several branches. `arguments` tests the other keywords.

use serde_json::json;

use super::*;

/// The fitted value, or the mismatches.
fn fit(schema: &Value, value: &Value) -> Result<Value, String> {
    let mut value = value.clone();
    let faults = SchemaChecker::new(schema).check(&mut value);
    if faults.is_empty() { Ok(value) } else { Err(faults.join("; ")) }
}

#[test]
fn a_value_takes_the_branch_that_it_fits_with_the_least_change() {
    let point = json!({"type": "object", "properties": {"x": {"type": "integer"}, "unit": {"default": "mm"}},
        "required": ["x"]});
    let cases = [
        (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), json!("3"), Ok(json!("3"))),
        (json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!("3"), Ok(json!(3))),
        (json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!(null), Ok(json!(null))),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            json!("x"),
            Err("the arguments must be integer or null, not string"),
        ),
        (
            json!({"anyOf": [point, {"type": "array", "items": {"type": "integer"}}]}),
            json!({"x": "1"}),
            Ok(json!({"x": 1, "unit": "mm"})),
        ),
        (json!({"anyOf": [point, {"type": "array"}]}), json!({}), Err("`x` is required")),
        (
            json!({"oneOf": [{"properties": {"kind": {"const": "a"}}}, {"properties": {"kind": {"const": "b"}}}]}),
            json!({"kind": "c"}),
            Err("`kind` must be \"a\", or `kind` must be \"b\""),
        ),
        (json!({"oneOf": [{"type": "integer"}, {"type": "string", "maxLength": 1}]}), json!("ab"), {
            Err("the arguments must have at most 1 characters")
        }),
        // What is not checked might tell them apart.
        (json!({"oneOf": [{"type": "integer", "multipleOf": 2}, {"type": "integer"}]}), json!(4), Ok(json!(4))),
        (json!({"anyOf": [{"type": "integer"}, {"anyOf": [{"type": "null"}]}]}), json!([]), {
            Err("the arguments must be integer or null, not array")
        }),
        (
            json!({"allOf": [point, {"properties": {"y": {"type": "number"}}, "required": ["y"]}]}),
            json!({"x": 1, "y": "0.5"}),
            Ok(json!({"x": 1, "y": 0.5, "unit": "mm"})),
        ),
        (json!({"allOf": [point, {"required": ["y", "z"]}]}), json!({"x": []}), {
            Err("`x` must be integer, not array; `y` is required; `z` is required")
        }),
        // A list without schemas says nothing.
        (json!({"anyOf": [], "allOf": 3, "oneOf": {}}), json!(1), Ok(json!(1))),
    ];
    for (schema, value, expected) in cases {
        assert_eq!(fit(&schema, &value), expected.map_err(String::from), "{schema} {value}");
    }
}

#[test]
fn references_lead_to_parts_of_the_same_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "tree": {"$ref": "#/$defs/Tree"}, "odd": {"$ref": "#/$defs/a~1b"}, "maybe": {"$ref": "#/$defs/Count"},
            "far": {"$ref": "https://example.com/schema.json"}, "gone": {"$ref": "#/$defs/Gone"}, "name": {"$ref": "#name"},
            "limit": {"$ref": "#/$defs/Count", "maximum": 9},
        },
        "$defs": {
            "Tree": {"type": "object", "required": ["n"], "additionalProperties": false, "properties": {
                "n": {"$ref": "#/$defs/Count"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}},
            "Count": {"type": "integer", "minimum": 0},
            "a/b": {"type": "boolean"},
        },
    });
    let cases = [
        (
            json!({"tree": {"n": "1", "children": [{"n": 2.0}]}, "odd": "true"}),
            Ok(json!({"tree": {"n": 1, "children": [{"n": 2}]}, "odd": true})),
        ),
        (
            json!({"tree": {"n": 1, "children": [{"n": -1, "extra": 1}, {}]}}),
            Err("`tree.children[0].n` must be at least 0; `tree.children[0].extra` is not a parameter; \
                 `tree.children[1].n` is required"),
        ),
        (json!({"limit": "10"}), Err("`limit` must be at most 9")),
        // An omitted argument, as models write it.
        (json!({"maybe": null}), Ok(json!({}))),
        (json!({"far": 1, "gone": [], "name": {}}), Ok(json!({"far": 1, "gone": [], "name": {}}))),
    ];
    for (value, expected) in cases {
        assert_eq!(fit(&schema, &value), expected.map_err(String::from), "{value}");
    }
}

#[test]
fn circles_and_schemas_that_multiply_end() {
    let cases = [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}], "required": ["no"]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"oneOf": [{"$ref": "#/$defs/a"}]}}}),
    ];
    for schema in cases {
        let _ = fit(&schema, &json!({"a": 1}));
    }
    let repeated = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}], "required": ["no"]});
    assert_eq!(fit(&repeated, &json!({})), Err(String::from("`no` is required")));
    let list = json!({"items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
    assert_eq!(fit(&list, &json!(vec!["7"; 500])), Ok(json!(vec![7; 500])));
}

/// What takes minutes must be cut short. The work is counted, not timed.
#[test]
fn a_schema_of_others_cannot_hold_up_a_call() {
    let level = |below: Value| json!({"anyOf": vec![below; 9], "pattern": "^a*$"});
    let schema = (0..4).fold(json!({"required": ["no"]}), |below, _| level(below));
    let mut value = json!("a".repeat(1_000_000));
    let mut checker = SchemaChecker::new(&schema);
    checker.check_value(&mut value, &schema, "");
    assert!(checker.branch_bytes < MAX_BRANCH_BYTES + 2_000_000, "{}", checker.branch_bytes);
    assert!(checker.branch_count < 200, "{}", checker.branch_count);
    assert_eq!(checker.patterns.len(), 1);
}
