//! YAML values as JSON values.

use serde_json::{Map, Number, Value};

use super::{Kind, Node, Plain};

/// The JSON value of a node.
///
/// # Errors
/// The node that has none: a number that is not finite or too large.
pub fn to_json(node: &Node) -> Result<Value, &Node> {
    Ok(match &node.kind {
        Kind::List(items) => Value::Array(items.iter().map(to_json).collect::<Result<_, _>>()?),
        Kind::Map(entries) => {
            let fields = entries.iter().map(|entry| Ok((entry.key.clone(), to_json(&entry.value)?)));
            Value::Object(fields.collect::<Result<Map<_, _>, _>>()?)
        }
        Kind::Scalar(scalar) => match scalar.plain() {
            Plain::Null => Value::Null,
            Plain::Boolean(value) => Value::Bool(value),
            Plain::Integer(value) => Value::Number(Number::from_i128(value).ok_or(node)?),
            Plain::Float(value) => Value::Number(Number::from_f64(value).ok_or(node)?),
            Plain::Text => Value::String(scalar.text.clone()),
        },
    })
}
