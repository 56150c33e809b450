//! Values during a native evaluation.
//!
//! The meaning is exactly Starlark's: `1 == 1.0` is true, `True == 1` is not, `len` of a string counts characters. Where
//! Starlark raises an error or the answer needs care there is none, and the interpreter gives it.

use pintle_contract::get_field;
use serde_json::{Map, Value as Json};
use starlark::syntax::ast::BinOp;

#[derive(Debug, Clone, Copy)]
pub(super) enum NativeValue<'a> {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    /// A list or a tuple of the payload or of the script's text.
    Array(&'a [Json]),
    Object(&'a Map<String, Json>),
    /// A list that the script made.
    List(&'a [NativeValue<'a>]),
}

impl<'a> NativeValue<'a> {
    /// A value of the payload; the interpreter handles numbers that need care.
    pub(super) fn from_json(value: &'a Json) -> Option<Self> {
        Some(match value {
            Json::Null => Self::None,
            Json::Bool(truth) => Self::Bool(*truth),
            Json::Number(digits) => match digits.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Float(digits.as_f64().filter(|float| float.is_finite() && float.fract() != 0.0)?),
            },
            Json::String(text) => Self::Text(text),
            Json::Array(items) => Self::Array(items),
            Json::Object(fields) => Self::Object(fields),
        })
    }

    /// The same value where it leaves the script.
    pub(super) fn to_json(self) -> Option<Json> {
        Some(match self {
            Self::None => Json::Null,
            Self::Bool(truth) => Json::Bool(truth),
            Self::Int(int) => Json::from(int),
            Self::Text(text) => Json::String(text.to_owned()),
            Self::Float(_) | Self::Array(_) | Self::Object(_) | Self::List(_) => return None,
        })
    }

    /// The text of `str(value)`, which is written to `out`.
    pub(super) fn write_str(self, out: &mut String) -> Option<()> {
        match self {
            Self::None => out.push_str("None"),
            Self::Bool(true) => out.push_str("True"),
            Self::Bool(false) => out.push_str("False"),
            Self::Int(int) => out.push_str(&int.to_string()),
            Self::Text(text) => out.push_str(text),
            Self::Float(_) | Self::Array(_) | Self::Object(_) | Self::List(_) => return None,
        }
        Some(())
    }

    pub(super) fn is_truthy(self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(truth) => truth,
            Self::Int(int) => int != 0,
            Self::Float(float) => float != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(fields) => !fields.is_empty(),
            Self::List(items) => !items.is_empty(),
        }
    }

    pub(super) fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn value_length(self) -> Option<i64> {
        let length = match self {
            Self::Text(text) if text.is_ascii() => text.len(),
            Self::Text(text) => text.chars().count(),
            Self::Array(items) => items.len(),
            Self::Object(fields) => fields.len(),
            Self::List(items) => items.len(),
            _ => return None,
        };
        i64::try_from(length).ok()
    }

    /// The value of a key of a dict, or of a position in a string.
    pub(super) fn find_entry(self, key: Self) -> Option<Self> {
        match (self, key) {
            (Self::Object(fields), Self::Text(key)) => Self::from_json(get_field(fields, key)?),
            (Self::Text(text), Self::Int(index)) => {
                let start = usize::try_from(index).ok()?;
                let (offset, char) = text.char_indices().nth(start)?;
                text.get(offset..offset + char.len_utf8()).map(Self::Text)
            }
            _ => None,
        }
    }

    /// The items, if it is a list or a tuple.
    pub(super) fn items(self) -> Option<impl Iterator<Item = Option<Self>>> {
        let (given, made): (&[Json], &[Self]) = match self {
            Self::Array(items) => (items, &[]),
            Self::List(items) => (&[], items),
            _ => return None,
        };
        Some(given.iter().map(Self::from_json).chain(made.iter().copied().map(Some)))
    }

    fn is_equal(self, other: Self) -> Option<bool> {
        Some(match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one == other,
            (Self::Int(int), Self::Float(float)) | (Self::Float(float), Self::Int(int)) => exact_float(int)? == float,
            (Self::Text(one), Self::Text(other)) => one == other,
            // The interpreter compares containers.
            (Self::Array(_) | Self::Object(_) | Self::List(_), _)
            | (_, Self::Array(_) | Self::Object(_) | Self::List(_)) => return None,
            _ => false,
        })
    }

    pub(super) fn is_in(self, container: Self) -> Option<bool> {
        match container {
            Self::Text(text) => Some(contains(text, self.as_text()?)),
            Self::Object(fields) => Some(get_field(fields, self.as_text()?).is_some()),
            _ => {
                for item in container.items()? {
                    if self.is_equal(item?)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
        }
    }

    pub(super) fn compare(self, comparison: BinOp, other: Self) -> Option<bool> {
        let order = match (self, other) {
            _ if comparison == BinOp::Equal => return self.is_equal(other),
            _ if comparison == BinOp::NotEqual => return self.is_equal(other).map(|equal| !equal),
            (Self::Int(one), Self::Int(other)) => one.cmp(&other),
            (Self::Float(one), Self::Float(other)) => one.partial_cmp(&other)?,
            (Self::Int(one), Self::Float(other)) => exact_float(one)?.partial_cmp(&other)?,
            (Self::Float(one), Self::Int(other)) => one.partial_cmp(&exact_float(other)?)?,
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            _ => return None,
        };
        match comparison {
            BinOp::Less => Some(order.is_lt()),
            BinOp::LessOrEqual => Some(order.is_le()),
            BinOp::Greater => Some(order.is_gt()),
            BinOp::GreaterOrEqual => Some(order.is_ge()),
            _ => None,
        }
    }
}

/// Whether a text contains another, in one pass.
pub(super) fn contains(text: &str, needle: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), needle.as_bytes()).is_some()
}

/// The part of a text between two positions in characters, which may count from the end.
pub(super) fn slice(text: &str, start: Option<i32>, stop: Option<i32>) -> Option<&str> {
    let counts_from_end = start.is_some_and(i32::is_negative) || stop.is_some_and(i32::is_negative);
    let length = if counts_from_end { i64::try_from(text.chars().count()).ok()? } else { 0 };
    let offset = |position: i32| {
        let position = i64::from(position);
        let position = usize::try_from(if position < 0 { (length + position).max(0) } else { position }).ok()?;
        Some(text.char_indices().nth(position).map_or(text.len(), |(offset, _)| offset))
    };
    let start = start.map_or(Some(0), offset)?;
    let stop = stop.map_or(Some(text.len()), offset)?;
    Some(text.get(start..stop).unwrap_or_default())
}

/// An integer as a float, if the float represents it exactly.
fn exact_float(int: i64) -> Option<f64> {
    const EXACT: u64 = 1 << 53;
    #[expect(clippy::cast_precision_loss, reason = "within 2^53")]
    (int.unsigned_abs() <= EXACT).then_some(int as f64)
}
