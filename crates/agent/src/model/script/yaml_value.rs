//! Deserializes types from a parsed YAML document; each error has its line.

use std::fmt;
use std::path::Path;

use pintle_host::contract::{ByteSpan, Severity, SourceFile};
use pintle_host::dialects::document::{DocNode, FileReport, NodeKind, PlainValue, parse, source_file};
use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Error as _, Expected, IntoDeserializer, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

/// A value and its line, from 1. It is the only tuple that can be deserialized.
#[derive(Debug, Deserialize)]
pub(super) struct LineOf<T>(pub(super) usize, pub(super) T);

/// Why a document is not what it should be, in one line.
#[derive(Debug)]
pub(super) struct YamlValueError {
    line: Option<usize>,
    reason: String,
}

#[derive(Clone, Copy)]
struct YamlValue<'d> {
    file: &'d SourceFile,
    node: &'d DocNode,
}

/// The key of a mapping, with its location.
#[derive(Clone, Copy)]
struct YamlKey<'d> {
    file: &'d SourceFile,
    text: &'d str,
    span: ByteSpan,
}

/// The parts of a [`LineOf`]: the line until it is taken, then the value.
struct LineParts<'d> {
    line: Option<usize>,
    value: YamlValue<'d>,
}

/// Parses a YAML document, a mapping.
pub(super) fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<T, YamlValueError> {
    let (file, _) = source_file(Path::new("script"), text.as_bytes().to_vec());
    let report = FileReport::new(file, "");
    let root = parse(&report, ByteSpan { start: 0, end: text.len() }).ok().flatten();
    let file = report.file().clone();
    let error = report.into_diagnostics().into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    match (error, root) {
        (Some(error), _) => {
            let message = error.message.lines().next().unwrap_or_default();
            let message = message.strip_prefix("yaml: ").unwrap_or(message);
            let line = error.location.line_column().filter(|_| !message.starts_with("line ")).map(|(line, _)| line);
            Err(YamlValueError { line, reason: message.to_owned() })
        }
        (None, Some(root)) => T::deserialize(YamlValue { file: &file, node: &root }),
        (None, None) => Err(YamlValueError { line: None, reason: String::from("the document is empty") }),
    }
}

impl YamlValueError {
    /// With a line, unless it has one: the innermost value knows best.
    fn with_line_of(self, file: &SourceFile, span: ByteSpan) -> Self {
        Self { line: self.line.or_else(|| Some(file.line_column(span.start).0)), ..self }
    }
}

impl fmt::Display for YamlValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for YamlValueError {}

impl serde::de::Error for YamlValueError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { line: None, reason: reason.to_string() }
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let unexpected = if unexpected == Unexpected::Unit { String::from("nothing") } else { unexpected.to_string() };
        Self::custom(format!("expected {expected}, found {unexpected}"))
    }
}

impl<'d> YamlValue<'d> {
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlValueError> {
        match &self.node.kind {
            NodeKind::List(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.iter().map(|node| Self { node, ..self })))
            }
            NodeKind::Map(entries) => visitor.visit_map(MapDeserializer::new(entries.iter().map(|entry| {
                let key = YamlKey { file: self.file, text: &entry.key, span: entry.key_span };
                (key, Self { node: &entry.value, ..self })
            }))),
            NodeKind::Scalar(scalar) => match scalar.plain_value() {
                PlainValue::Null => visitor.visit_unit(),
                PlainValue::Boolean(value) => visitor.visit_bool(value),
                PlainValue::Integer(value) => match (u64::try_from(value), i64::try_from(value)) {
                    (Ok(value), _) => visitor.visit_u64(value),
                    (_, Ok(value)) => visitor.visit_i64(value),
                    _ => visitor.visit_i128(value),
                },
                PlainValue::Float(value) if value.is_finite() => visitor.visit_f64(value),
                // JSON, which tools get, does not have it.
                PlainValue::Float(_) => {
                    Err(YamlValueError::custom(format!("`{}` is not a finite number", scalar.text)))
                }
                PlainValue::Text => visitor.visit_str(&scalar.text),
            },
        }
    }

    /// A result, with the line of this value if it fails.
    fn at_line<T>(self, result: Result<T, YamlValueError>) -> Result<T, YamlValueError> {
        result.map_err(|error| error.with_line_of(self.file, self.node.span))
    }
}

impl<'de> Deserializer<'de> for YamlValue<'_> {
    type Error = YamlValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.at_line(self.visit(visitor))
    }

    /// A number or `true` is text where text is wanted.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match &self.node.kind {
            NodeKind::Scalar(scalar) if !self.node.is_null() => self.at_line(visitor.visit_str(&scalar.text)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.node.is_null() { visitor.visit_none() } else { self.at_line(visitor.visit_some(self)) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.at_line(match self.node.as_text() {
            Some(text) => visitor.visit_enum(StrDeserializer::new(text)),
            None => Err(Self::Error::custom(format!("expected a word, found {}", self.node.describe()))),
        })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        let (line, _) = self.file.line_column(self.node.span.start);
        self.at_line(visitor.visit_seq(LineParts { line: Some(line), value: self }))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct newtype_struct seq
        tuple map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, YamlValueError> for YamlValue<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> SeqAccess<'de> for LineParts<'_> {
    type Error = YamlValueError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Self::Error> {
        match self.line.take() {
            Some(line) => seed.deserialize(line.into_deserializer()).map(Some),
            None => seed.deserialize(self.value).map(Some),
        }
    }
}

impl<'de> Deserializer<'de> for YamlKey<'_> {
    type Error = YamlValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_str(self.text).map_err(|error: Self::Error| error.with_line_of(self.file, self.span))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, YamlValueError> for YamlKey<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
