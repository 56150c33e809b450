//! A YAML document as a tree in which every value knows its place.

use pintle_contract::ByteSpan;

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its bytes in the file.
    pub span: ByteSpan,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A single value.
    Scalar(Scalar),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order written, without duplicate keys.
    Map(Vec<Entry>),
}

/// One key of a mapping and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// The key's bytes in the file.
    pub key_span: ByteSpan,
    /// The value.
    pub value: Node,
}

/// A single value as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The text after unquoting and unfolding.
    pub text: String,
    /// How it was written.
    pub style: Style,
    /// The line of the file, from 1, that holds the first line of `text`.
    pub first_line: usize,
    /// Characters that stand before each line of `text` in the file.
    pub indent: usize,
}

/// How a single value was written. Only plain ones can be something else than text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Without quotes: `true`, `12` and `~` are no text.
    Plain,
    /// Quoted, or tagged as text.
    Quoted,
    /// A block: `|` or `>`.
    Block,
}

/// What a plain value means (YAML 1.2, core schema).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plain {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// Text.
    Text,
}

impl Node {
    /// The value of a key, when this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// What the value is, for people: `a list`, `a number`, …
    #[must_use]
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Map(_) => "a mapping",
            Kind::List(_) => "a list",
            Kind::Scalar(scalar) => match scalar.plain() {
                Plain::Null => "null",
                Plain::Boolean(_) => "a boolean",
                Plain::Integer(_) | Plain::Float(_) => "a number",
                Plain::Text => "a string",
            },
        }
    }

    /// Whether it is `null`, `~` or nothing.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(scalar) if scalar.plain() == Plain::Null)
    }

    /// The text, when this is text and not a number, a boolean or null.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(scalar) if scalar.plain() == Plain::Text => Some(&scalar.text),
            _ => None,
        }
    }
}

impl Scalar {
    /// What the value means.
    #[must_use]
    pub fn plain(&self) -> Plain {
        if self.style != Style::Plain {
            return Plain::Text;
        }
        match self.text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => Plain::Null,
            "true" | "True" | "TRUE" => Plain::Boolean(true),
            "false" | "False" | "FALSE" => Plain::Boolean(false),
            text => number(text).unwrap_or(Plain::Text),
        }
    }
}

fn number(text: &str) -> Option<Plain> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let radix = |digits: &str, radix| i128::from_str_radix(digits, radix).ok().map(Plain::Integer);
    if let Some(octal) = text.strip_prefix("0o") {
        return octal.bytes().all(|byte| byte.is_ascii_digit()).then(|| radix(octal, 8))?;
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| radix(hexadecimal, 16))?;
    }
    match digits {
        ".inf" | ".Inf" | ".INF" => {
            return Some(Plain::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }));
        }
        ".nan" | ".NaN" | ".NAN" => return Some(Plain::Float(f64::NAN)),
        _ => {}
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Plain::Integer).ok().or_else(|| text.parse().map(Plain::Float).ok());
    }
    let begins_like_one = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let only_number_parts =
        digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    if begins_like_one && only_number_parts && has_digit { text.parse().map(Plain::Float).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values_mean_what_the_core_schema_says_and_quoted_ones_are_text() {
        let read = |text: &str, style| Scalar { text: text.to_owned(), style, first_line: 1, indent: 0 }.plain();
        for (text, wanted) in [
            ("", Plain::Null),
            ("~", Plain::Null),
            ("Null", Plain::Null),
            ("True", Plain::Boolean(true)),
            ("false", Plain::Boolean(false)),
            ("yes", Plain::Text),
            ("12", Plain::Integer(12)),
            ("-3", Plain::Integer(-3)),
            ("+3", Plain::Integer(3)),
            ("0x1F", Plain::Integer(31)),
            ("0o17", Plain::Integer(15)),
            ("1.5", Plain::Float(1.5)),
            (".5", Plain::Float(0.5)),
            ("1e3", Plain::Float(1000.0)),
            ("-.inf", Plain::Float(f64::NEG_INFINITY)),
            ("1.2.3", Plain::Text),
            ("e", Plain::Text),
            (".", Plain::Text),
            ("1 == 1", Plain::Text),
            ("tool.pre", Plain::Text),
        ] {
            assert_eq!(read(text, Style::Plain), wanted, "{text}");
            assert_eq!(read(text, Style::Quoted), Plain::Text, "{text}");
            assert_eq!(read(text, Style::Block), Plain::Text, "{text}");
        }
    }
}
