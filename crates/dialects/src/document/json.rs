//! Converts YAML values to JSON values.

use serde_json::{Map, Number, Value};

use super::{DocNode, NodeKind, PlainValue};

/// Converts a node to JSON.
///
/// # Errors
/// The node that cannot be JSON: a number that is not finite or too large.
pub fn to_json(node: &DocNode) -> Result<Value, &DocNode> {
    Ok(match &node.kind {
        NodeKind::List(items) => Value::Array(items.iter().map(to_json).collect::<Result<_, _>>()?),
        NodeKind::Map(entries) => {
            let fields = entries.iter().map(|entry| Ok((entry.key.clone(), to_json(&entry.value)?)));
            Value::Object(fields.collect::<Result<Map<_, _>, _>>()?)
        }
        NodeKind::Scalar(scalar) => match scalar.plain_value() {
            PlainValue::Null => Value::Null,
            PlainValue::Boolean(value) => Value::Bool(value),
            PlainValue::Integer(value) => Value::Number(Number::from_i128(value).ok_or(node)?),
            PlainValue::Float(value) => Value::Number(Number::from_f64(value).ok_or(node)?),
            PlainValue::Text => Value::String(scalar.text.clone()),
        },
    })
}
