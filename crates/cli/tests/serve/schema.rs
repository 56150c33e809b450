//! The keywords of JSON Schema that `schemas/serve.json` uses.

use std::sync::LazyLock;

use serde_json::Value;

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../../schemas/serve.json")).unwrap());

/// Fails unless a value is a `Request` or an `Answer`.
pub(crate) fn assert_fits(definition: &str, value: &Value) {
    if let Err(error) = check(&SCHEMA["$defs"][definition], value) {
        panic!("{value} is no {definition}: {error}");
    }
}

fn check(schema: &Value, value: &Value) -> Result<(), String> {
    for (keyword, wanted) in schema.as_object().into_iter().flatten() {
        let fits = match keyword.as_str() {
            "$ref" => {
                let name = wanted.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                check(&SCHEMA["$defs"][name], value)?;
                true
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|wanted| has_type(wanted, value)),
                wanted => has_type(wanted, value),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "oneOf" | "anyOf" => {
                let all = wanted.as_array().unwrap();
                let errors: Vec<String> = all.iter().filter_map(|one| check(one, value).err()).collect();
                let fitting = all.len() - errors.len();
                if fitting == 0 {
                    return Err(errors.join("; "));
                }
                keyword == "anyOf" || fitting == 1
            }
            "properties" => {
                for (name, wanted) in wanted.as_object().unwrap() {
                    value
                        .get(name)
                        .map_or(Ok(()), |field| check(wanted, field))
                        .map_err(|error| format!("`{name}`: {error}"))?;
                }
                true
            }
            "required" => {
                let missing =
                    wanted.as_array().unwrap().iter().find(|name| value.get(name.as_str().unwrap()).is_none());
                if let Some(name) = missing {
                    return Err(format!("{name} is missing"));
                }
                true
            }
            "items" => {
                value.as_array().into_iter().flatten().try_for_each(|item| check(wanted, item))?;
                true
            }
            "additionalProperties" if *wanted == Value::Bool(false) => {
                let known = |name: &String| schema["properties"].get(name).is_some();
                value.as_object().is_none_or(|fields| fields.keys().all(known))
            }
            "additionalProperties" | "description" | "format" | "default" => true,
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
            "maxLength" => value.as_str().is_none_or(|text| text.len() as u64 <= wanted.as_u64().unwrap()),
            other => panic!("the schema has the keyword `{other}`"),
        };
        if !fits {
            return Err(format!("{value} does not fit {keyword} {wanted}"));
        }
    }
    Ok(())
}

fn has_type(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_i64().is_some() || value.as_u64().is_some(),
        other => panic!("the schema has the type `{other}`"),
    }
}
