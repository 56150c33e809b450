//! The values that an expression gives, as far as its text shows.

use serde_json::{Map, Value, json};
use starlark::syntax::ast::{AstExpr, AstLiteral, Expr};

use super::EventFunction;
use crate::analysis::{identifier_name, string_literal};

/// The most values that are tried for one expression.
const MAX_TRIED: usize = 400;

/// Why a dialect refuses what an expression gives. `None` if it may accept it: if it accepts the value with some guess of
/// the entries that are not known, or if too little is known.
pub(super) fn find_certain_fault(expr: &AstExpr, function: &EventFunction<'_>) -> Option<String> {
    let mut fault = None;
    for value in possible_values(expr)? {
        fault = Some((function.find_return_fault)(&value)?);
    }
    fault
}

/// Whether an expression is a dict that decides something, of which the dialect accepts some guess.
pub(super) fn is_accepted_dict(expr: &AstExpr, function: &EventFunction<'_>) -> bool {
    let Expr::Dict(entries) = &expr.node else { return false };
    let values = possible_values(expr).filter(|_| !entries.is_empty()).unwrap_or_default();
    values.iter().any(|value| (function.find_return_fault)(value).is_none())
}

/// The values that an expression may have: one, or one for each guess of the unknown entries of a dict.
fn possible_values(expr: &AstExpr) -> Option<Vec<Value>> {
    if let Some(value) = literal_value(expr) {
        return Some(vec![value]);
    }
    let Expr::Dict(entries) = &expr.node else { return None };
    let mut values = vec![Map::new()];
    for (key, value) in entries {
        let key = string_literal(key)?;
        let choices = match (literal_value(value), &value.node) {
            (Some(known), _) => vec![known],
            (None, Expr::Dict(_) | Expr::List(_) | Expr::Tuple(_)) => return None,
            (None, _) => guesses(),
        };
        if values.len() * choices.len() > MAX_TRIED {
            return None;
        }
        values =
            choices.iter().flat_map(|choice| values.iter().map(|fields| with_entry(fields, key, choice))).collect();
    }
    Some(values.into_iter().map(Value::Object).collect())
}

/// One value of each type; the text is a word that dialects know.
fn guesses() -> Vec<Value> {
    vec![json!(null), json!(true), json!(false), json!("allow"), json!(1), json!([]), json!({})]
}

fn with_entry(fields: &Map<String, Value>, key: &str, value: &Value) -> Map<String, Value> {
    let mut fields = fields.clone();
    fields.insert(key.to_owned(), value.clone());
    fields
}

/// The value of an expression without names.
fn literal_value(expr: &AstExpr) -> Option<Value> {
    match &expr.node {
        Expr::Literal(AstLiteral::String(text)) => Some(Value::from(text.node.as_str())),
        Expr::Literal(AstLiteral::Int(number)) => {
            Some(number.node.to_string().parse::<i64>().map_or(json!(1), Value::from))
        }
        Expr::Literal(AstLiteral::Float(number)) => Some(Value::from(number.node)),
        Expr::FString(_) => Some(Value::from("text")),
        Expr::List(items) | Expr::Tuple(items) => {
            items.iter().map(literal_value).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        Expr::Dict(entries) => {
            let fields =
                entries.iter().map(|(key, value)| Some((string_literal(key)?.to_owned(), literal_value(value)?)));
            fields.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        _ => match identifier_name(expr)? {
            "None" => Some(Value::Null),
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            _ => None,
        },
    }
}
