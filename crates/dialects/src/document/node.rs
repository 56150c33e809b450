//! A document as a tree of values with locations.

use pintle_contract::ByteSpan;
use serde_json::{Map, Number, Value};

/// One value of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocNode {
    /// Its byte range in the file.
    pub span: ByteSpan,
    /// The value itself.
    pub kind: NodeKind,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A single value.
    Scalar(ScalarNode),
    /// A list.
    List(Vec<DocNode>),
    /// A mapping, in the order written, without duplicate keys.
    Map(Vec<MapEntry>),
}

/// One key of a mapping and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct MapEntry {
    /// The key's text.
    pub key: String,
    /// The byte range of the key in the file.
    pub key_span: ByteSpan,
    /// The value.
    pub value: DocNode,
}

/// A single value as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScalarNode {
    /// The text after unquoting and unfolding.
    pub text: String,
    /// How it was written.
    pub style: ScalarNotation,
    /// The line of the file, from 1, that contains the first line of `text`.
    pub first_line: usize,
    /// The number of characters before each line of `text` in the file.
    pub indent: usize,
}

/// The notation of a single value. Only plain values can be other than strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarNotation {
    /// Without quotes: `true`, `12` and `~` are not strings.
    Plain,
    /// Quoted, or tagged as a string.
    Quoted,
    /// A block: `|` or `>`.
    Block,
}

/// The type of a plain value (YAML 1.2, core schema).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlainValue {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// A string.
    Text,
}

impl DocNode {
    /// The value of a key, if this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries()?.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The entries, if this is a mapping.
    #[must_use]
    pub fn entries(&self) -> Option<&[MapEntry]> {
        match &self.kind {
            NodeKind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items, if this is a list.
    #[must_use]
    pub fn items(&self) -> Option<&[Self]> {
        match &self.kind {
            NodeKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The typed value, if this is a single one.
    #[must_use]
    pub fn plain_value(&self) -> Option<PlainValue> {
        match &self.kind {
            NodeKind::Scalar(scalar) => Some(scalar.plain_value()),
            _ => None,
        }
    }

    /// The type of the value for messages: `a list`, `a number`, …
    #[must_use]
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            NodeKind::Map(_) => "a mapping",
            NodeKind::List(_) => "a list",
            NodeKind::Scalar(scalar) => match scalar.plain_value() {
                PlainValue::Null => "null",
                PlainValue::Boolean(_) => "a boolean",
                PlainValue::Integer(_) | PlainValue::Float(_) => "a number",
                PlainValue::Text => "a string",
            },
        }
    }

    /// Whether it is `null`, `~` or nothing.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.plain_value() == Some(PlainValue::Null)
    }

    /// The value, if this is `true` or `false`.
    #[must_use]
    pub fn as_boolean(&self) -> Option<bool> {
        match self.plain_value()? {
            PlainValue::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// The value, if this is a number.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self.plain_value()? {
            PlainValue::Integer(value) => Some(value as f64),
            PlainValue::Float(value) => Some(value),
            _ => None,
        }
    }

    /// The text, if this is a string and not a number, a boolean or null.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar(scalar) if scalar.plain_value() == PlainValue::Text => Some(&scalar.text),
            _ => None,
        }
    }
}

impl ScalarNode {
    /// The typed value.
    #[must_use]
    pub fn plain_value(&self) -> PlainValue {
        if self.style != ScalarNotation::Plain {
            return PlainValue::Text;
        }
        match self.text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => PlainValue::Null,
            "true" | "True" | "TRUE" => PlainValue::Boolean(true),
            "false" | "False" | "FALSE" => PlainValue::Boolean(false),
            text => parse_number(text).unwrap_or(PlainValue::Text),
        }
    }
}

fn parse_number(text: &str) -> Option<PlainValue> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let radix = |digits: &str, radix| i128::from_str_radix(digits, radix).ok().map(PlainValue::Integer);
    if let Some(octal) = text.strip_prefix("0o") {
        return octal.bytes().all(|byte| byte.is_ascii_digit()).then(|| radix(octal, 8))?;
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| radix(hexadecimal, 16))?;
    }
    match digits {
        ".inf" | ".Inf" | ".INF" => {
            return Some(PlainValue::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }));
        }
        ".nan" | ".NaN" | ".NAN" => return Some(PlainValue::Float(f64::NAN)),
        _ => {}
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(PlainValue::Integer).ok().or_else(|| text.parse().map(PlainValue::Float).ok());
    }
    let begins_like_one = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let only_number_parts =
        digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    if begins_like_one && only_number_parts && has_digit { text.parse().map(PlainValue::Float).ok() } else { None }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values_mean_what_the_core_schema_says_and_quoted_ones_are_text() {
        let read =
            |text: &str, style| ScalarNode { text: text.to_owned(), style, first_line: 1, indent: 0 }.plain_value();
        for (text, wanted) in [
            ("", PlainValue::Null),
            ("~", PlainValue::Null),
            ("Null", PlainValue::Null),
            ("True", PlainValue::Boolean(true)),
            ("false", PlainValue::Boolean(false)),
            ("yes", PlainValue::Text),
            ("12", PlainValue::Integer(12)),
            ("-3", PlainValue::Integer(-3)),
            ("+3", PlainValue::Integer(3)),
            ("0x1F", PlainValue::Integer(31)),
            ("0o17", PlainValue::Integer(15)),
            ("1.5", PlainValue::Float(1.5)),
            (".5", PlainValue::Float(0.5)),
            ("1e3", PlainValue::Float(1000.0)),
            ("-.inf", PlainValue::Float(f64::NEG_INFINITY)),
            ("1.2.3", PlainValue::Text),
            ("e", PlainValue::Text),
            (".", PlainValue::Text),
            ("1 == 1", PlainValue::Text),
            ("tool.pre", PlainValue::Text),
        ] {
            assert_eq!(read(text, ScalarNotation::Plain), wanted, "{text}");
            assert_eq!(read(text, ScalarNotation::Quoted), PlainValue::Text, "{text}");
            assert_eq!(read(text, ScalarNotation::Block), PlainValue::Text, "{text}");
        }
    }
}
