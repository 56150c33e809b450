//! Checks a value against a JSON Schema, fills in defaults and coerces.
//!
//! The supported keywords are those that tool schemas use: `type`, `properties`, `required`, `additionalProperties`,
//! `items`, `enum`, `const`, `default`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `minLength`,
//! `maxLength`, `pattern`, `minItems`, `maxItems`, `allOf`, `anyOf`, `oneOf`, and `$ref` to a part of the same schema.
//! Other keywords and references are ignored. So a value may fit several branches of `oneOf` here that a keyword would
//! tell apart, and is accepted.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use pintle_host::contract::suggest_nearest;
use regex::{Regex, RegexBuilder};
use serde_json::{Map, Number, Value};

/// The most branches and references within each other, which ends circles.
const MAX_DEPTH: u32 = 100;

/// The most branches and references in one check. Later ones are ignored.
const MAX_BRANCHES: u32 = 10_000;

/// The most bytes of values that are fitted to branches in one check: a schema of others must not hold up a call. Later
/// branches are ignored.
const MAX_BRANCH_BYTES: usize = 100_000_000;

/// The most branches of which an error tells why the value does not fit.
const MOST_TOLD: usize = 4;

/// The check of one value.
#[derive(Debug)]
pub(super) struct SchemaChecker<'s> {
    root: &'s Value,
    faults: Vec<String>,
    coercion_count: usize,
    depth: u32,
    branch_count: u32,
    branch_bytes: usize,
    /// The compiled patterns; `None` for those that are not valid.
    patterns: HashMap<&'s str, Option<Regex>>,
}

/// The types that a schema requires, if a value has none of them.
type WrongType<'s> = Option<Vec<&'s str>>;

/// A value as one of several branches leaves it.
struct BranchTrial<'s> {
    value: Value,
    faults: Vec<String>,
    coercion_count: usize,
    wrong_type: WrongType<'s>,
}

impl<'s> SchemaChecker<'s> {
    pub(super) fn new(schema: &'s Value) -> Self {
        let (faults, patterns) = (Vec::new(), HashMap::new());
        Self { root: schema, faults, coercion_count: 0, depth: 0, branch_count: 0, branch_bytes: 0, patterns }
    }

    /// Fits a value to the schema. Returns every mismatch.
    pub(super) fn check(mut self, value: &mut Value) -> Vec<String> {
        self.check_value(value, self.root, "");
        remove_repeated(self.faults)
    }

    fn check_value(&mut self, value: &mut Value, schema: &'s Value, path: &str) -> WrongType<'s> {
        let schema = schema.as_object()?;
        let types = schema_types(schema);
        if !types.is_empty() && !types.iter().any(|wanted| is_of_type(value, wanted)) {
            let Some(better) = types.iter().find_map(|wanted| coerce_value(value, wanted)) else {
                self.faults.push(describe_wrong_type(path, &types, value));
                return Some(types);
            };
            *value = better;
            self.coercion_count += 1;
        }
        // They may coerce the value, which the other keywords then find.
        let wrong_type = self.check_branches(value, schema, path);
        if wrong_type.is_some() {
            return wrong_type;
        }
        if let Some(Value::Array(allowed)) = schema.get("enum")
            && !allowed.contains(value)
        {
            let shown: Vec<String> = allowed.iter().map(Value::to_string).collect();
            self.faults.push(format!("{} must be one of {}", describe_path(path), shown.join(", ")));
        }
        if let Some(wanted) = schema.get("const").filter(|wanted| *wanted != value) {
            self.faults.push(format!("{} must be {wanted}", describe_path(path)));
        }
        match value {
            Value::Object(fields) => self.check_object(fields, schema, path),
            Value::Array(items) => self.check_array(items, schema, path),
            Value::String(text) => self.check_text(text, schema, path),
            Value::Number(number) => check_number(number, schema, path, &mut self.faults),
            Value::Null | Value::Bool(_) => {}
        }
        None
    }

    /// Checks the keywords that name other schemas for the same value.
    fn check_branches(&mut self, value: &mut Value, schema: &'s Map<String, Value>, path: &str) -> WrongType<'s> {
        let mut wrong_type = None;
        let referenced = schema.get("$ref").and_then(Value::as_str).and_then(|reference| self.find_schema(reference));
        for part in referenced.into_iter().chain(schema_list(schema, "allOf")) {
            if self.enter_branch(value) {
                wrong_type = wrong_type.or(self.check_value(value, part, path));
                self.depth -= 1;
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            wrong_type = wrong_type.or(self.check_alternatives(value, schema_list(schema, keyword), path));
        }
        wrong_type
    }

    /// Takes the first branch that fits a value as it is, or otherwise the first one that it can be coerced to.
    fn check_alternatives(&mut self, value: &mut Value, branches: &'s [Value], path: &str) -> WrongType<'s> {
        let (mut coerced, mut failed): (Option<BranchTrial<'_>>, Vec<BranchTrial<'_>>) = (None, Vec::new());
        for branch in branches {
            let trial = self.try_branch(value, branch, path)?;
            match trial.faults.is_empty() {
                true if trial.coercion_count == 0 => {
                    *value = trial.value;
                    return None;
                }
                true => _ = coerced.get_or_insert(trial),
                false => failed.push(trial),
            }
        }
        if let Some(trial) = coerced {
            *value = trial.value;
            self.coercion_count += trial.coercion_count;
            return None;
        }
        if failed.is_empty() {
            return None;
        }
        let told: Vec<&BranchTrial<'_>> = failed.iter().filter(|trial| trial.wrong_type.is_none()).collect();
        if told.is_empty() {
            let types = remove_repeated(failed.into_iter().filter_map(|trial| trial.wrong_type).flatten().collect());
            self.faults.push(describe_wrong_type(path, &types, value));
            return Some(types);
        }
        let told = remove_repeated(told.into_iter().map(|trial| trial.faults.join("; ")).collect());
        let shown: Vec<&str> = told.iter().take(MOST_TOLD).map(String::as_str).collect();
        self.faults.push(shown.join(", or "));
        None
    }

    /// Fits a copy of a value to a branch; `None` if no more branches are checked.
    fn try_branch(&mut self, value: &Value, branch: &'s Value, path: &str) -> Option<BranchTrial<'s>> {
        if !self.enter_branch(value) {
            return None;
        }
        let (faults, coercion_count) = (std::mem::take(&mut self.faults), std::mem::take(&mut self.coercion_count));
        let mut value = value.clone();
        let wrong_type = self.check_value(&mut value, branch, path);
        self.depth -= 1;
        let faults = remove_repeated(std::mem::replace(&mut self.faults, faults));
        let coercion_count = std::mem::replace(&mut self.coercion_count, coercion_count);
        Some(BranchTrial { value, faults, coercion_count, wrong_type })
    }

    /// Whether one more branch may be checked with a value. If so, the depth is one more.
    fn enter_branch(&mut self, value: &Value) -> bool {
        let may_enter =
            self.depth < MAX_DEPTH && self.branch_count < MAX_BRANCHES && self.branch_bytes < MAX_BRANCH_BYTES;
        if may_enter {
            self.branch_bytes += estimate_bytes(value);
        }
        self.depth += u32::from(may_enter);
        self.branch_count += u32::from(may_enter);
        may_enter
    }

    /// The part of the schema that a reference such as `#/$defs/Item` names. Nothing else is ever loaded.
    fn find_schema(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn allows_null(&mut self, schema: &'s Value) -> bool {
        let Some(fields) = schema.as_object() else { return true };
        let types = schema_types(fields);
        if !types.is_empty() {
            return types.contains(&"null");
        }
        let has_branches = ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| fields.contains_key(*keyword));
        !has_branches || self.try_branch(&Value::Null, schema, "").is_none_or(|trial| trial.faults.is_empty())
    }

    fn check_object(&mut self, fields: &mut Map<String, Value>, schema: &'s Map<String, Value>, path: &str) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, property) in properties.into_iter().flatten() {
            let here = join_path(path, name);
            // Models write `null` for omitted arguments.
            let left_out = fields.get(name).is_some_and(Value::is_null) && !self.allows_null(property);
            if left_out && !required.contains(&name.as_str()) {
                fields.shift_remove(name);
            }
            if !fields.contains_key(name)
                && let Some(default) = property.get("default")
            {
                fields.insert(name.clone(), default.clone());
            }
            if let Some(value) = fields.get_mut(name) {
                self.check_value(value, property, &here);
            }
        }
        for name in &required {
            if !fields.contains_key(*name) {
                self.faults.push(format!("`{}` is required", join_path(path, name)));
            }
        }
        let is_known = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                for name in fields.keys().filter(|name| !is_known(name)) {
                    let known = properties.into_iter().flat_map(Map::keys);
                    let near = suggest_nearest(name, known.map(String::as_str));
                    let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                    self.faults.push(format!("`{}` is not a parameter{hint}", join_path(path, name)));
                }
            }
            Some(others @ Value::Object(_)) => {
                for (name, value) in fields.iter_mut().filter(|(name, _)| !is_known(name)) {
                    self.check_value(value, others, &join_path(path, name));
                }
            }
            _ => {}
        }
    }

    fn check_array(&mut self, items: &mut [Value], schema: &'s Map<String, Value>, path: &str) {
        let count = items.len() as u64;
        if schema.get("minItems").and_then(Value::as_u64).is_some_and(|least| count < least) {
            self.faults.push(format!(
                "{} must have at least {} items",
                describe_path(path),
                schema.get("minItems").unwrap_or(&Value::Null)
            ));
        }
        if schema.get("maxItems").and_then(Value::as_u64).is_some_and(|most| count > most) {
            self.faults.push(format!(
                "{} must have at most {} items",
                describe_path(path),
                schema.get("maxItems").unwrap_or(&Value::Null)
            ));
        }
        if let Some(each) = schema.get("items") {
            for (index, item) in items.iter_mut().enumerate() {
                self.check_value(item, each, &format!("{path}[{index}]"));
            }
        }
    }

    fn check_text(&mut self, text: &str, schema: &'s Map<String, Value>, path: &str) {
        let length = text.chars().count() as u64;
        if let Some(least) = schema.get("minLength").and_then(Value::as_u64).filter(|least| length < *least) {
            self.faults.push(format!("{} must have at least {least} characters", describe_path(path)));
        }
        if let Some(most) = schema.get("maxLength").and_then(Value::as_u64).filter(|most| length > *most) {
            self.faults.push(format!("{} must have at most {most} characters", describe_path(path)));
        }
        let Some(pattern) = schema.get("pattern").and_then(Value::as_str) else { return };
        let compile = || RegexBuilder::new(pattern).size_limit(1 << 20).build().ok();
        let mismatch = match self.patterns.entry(pattern).or_insert_with(compile) {
            Some(regex) if regex.is_match(text) => return,
            Some(_) => "must match",
            None => "has a schema pattern that is not valid:",
        };
        self.faults.push(format!("{} {mismatch} `{pattern}`", describe_path(path)));
    }
}

/// Whether a value is within a bound.
type BoundCheck = fn(f64, f64) -> bool;

fn check_number(number: &Number, schema: &Map<String, Value>, path: &str, faults: &mut Vec<String>) {
    let Some(value) = number.as_f64() else { return };
    let bounds: [(&str, BoundCheck, &str); 4] = [
        ("minimum", |value, bound| value >= bound, "at least"),
        ("maximum", |value, bound| value <= bound, "at most"),
        ("exclusiveMinimum", |value, bound| value > bound, "more than"),
        ("exclusiveMaximum", |value, bound| value < bound, "less than"),
    ];
    for (keyword, holds, words) in bounds {
        if let Some(bound) = schema.get(keyword)
            && bound.as_f64().is_some_and(|bound| !holds(value, bound))
        {
            faults.push(format!("{} must be {words} {bound}", describe_path(path)));
        }
    }
}

fn schema_types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The items, each only once: several branches may require the same.
fn remove_repeated<T: Clone + Eq + Hash>(mut items: Vec<T>) -> Vec<T> {
    let mut known = HashSet::new();
    items.retain(|item| known.insert(item.clone()));
    items
}

/// The schemas of a keyword that lists some.
fn schema_list<'s>(schema: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_of_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.as_f64().is_some_and(f64::is_finite),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        // An unknown type is an error of the schema, not of the model.
        _ => true,
    }
}

/// The value converted to the required type, if the conversion is unambiguous.
fn coerce_value(value: &Value, wanted: &str) -> Option<Value> {
    match (wanted, value) {
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("integer", Value::Number(number)) => to_exact_integer(number.as_f64()?).map(Value::from),
        ("number", Value::String(text)) => {
            let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite())?;
            to_exact_integer(number).map(Value::from).or_else(|| Number::from_f64(number).map(Value::Number))
        }
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::String(value.to_string())),
        ("object" | "array", Value::String(text)) => {
            serde_json::from_str(text).ok().filter(|inner| is_of_type(inner, wanted))
        }
        _ => None,
    }
}

/// A float that is a whole number small enough to be exact.
fn to_exact_integer(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "the number is whole and within the exact range")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// About how many bytes a value takes.
fn estimate_bytes(value: &Value) -> usize {
    const EACH: usize = size_of::<Value>();
    match value {
        Value::String(text) => EACH + text.len(),
        Value::Array(items) => items.iter().fold(EACH, |bytes, item| bytes + estimate_bytes(item)),
        Value::Object(fields) => {
            fields.iter().fold(EACH, |bytes, (name, value)| bytes + name.len() + estimate_bytes(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => EACH,
    }
}

fn join_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn describe_path(path: &str) -> String {
    if path.is_empty() { String::from("the arguments") } else { format!("`{path}`") }
}

fn describe_wrong_type(path: &str, types: &[&str], value: &Value) -> String {
    format!("{} must be {}, not {}", describe_path(path), types.join(" or "), kind(value))
}

#[cfg(test)]
mod tests;
