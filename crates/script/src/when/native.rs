//! The common forms of `when`, decided without the interpreter.
//!
//! The meaning is exactly Starlark's: `1 == 1.0` is true, `True == 1` is not, `len` of a string counts characters,
//! `and` and `or` return an operand. For errors and unsupported cases it returns no answer and the interpreter is used.
//! A test compares both on thousands of payloads.

use serde_json::{Number, Value as Json};
use starlark::syntax::ast::{AstExpr, AstLiteral, BinOp, Expr};

use crate::analysis::{ArgumentNode, is_comparison, string_literal};

/// An expression over an event.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NativeTest {
    Event,
    Payload,
    Literal(Json),
    /// `base["key"]`.
    Index(Box<NativeTest>, String),
    /// `base.get("key", default)`.
    Get(Box<NativeTest>, String, Json),
    Len(Box<NativeTest>),
    Not(Box<NativeTest>),
    And(Box<NativeTest>, Box<NativeTest>),
    Or(Box<NativeTest>, Box<NativeTest>),
    Compare(Box<NativeTest>, BinOp, Box<NativeTest>),
    In(Box<NativeTest>, Box<NativeTest>),
    /// `startswith` and `endswith` with a literal.
    StartsWith(Box<NativeTest>, String),
    EndsWith(Box<NativeTest>, String),
}

/// A value during the evaluation of a test.
#[derive(Debug, Clone, Copy)]
enum TestValue<'a> {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    Array(&'a [Json]),
    Object(&'a serde_json::Map<String, Json>),
}

impl NativeTest {
    /// Compiles an expression; `None` if its form is not supported.
    pub(super) fn from_expr(expr: &AstExpr) -> Option<Self> {
        let boxed = |expr: &AstExpr| Self::from_expr(expr).map(Box::new);
        Some(match &expr.node {
            Expr::Identifier(name) => match name.ident.as_str() {
                "event" => Self::Event,
                "payload" => Self::Payload,
                _ => Self::Literal(literal_value(expr)?),
            },
            Expr::Index(parts) => Self::Index(boxed(&parts.0)?, string_literal(&parts.1)?.to_owned()),
            Expr::Not(inner) => Self::Not(boxed(inner)?),
            Expr::Op(left, op, right) => {
                let (left, right) = (boxed(left)?, boxed(right)?);
                match op {
                    BinOp::And => Self::And(left, right),
                    BinOp::Or => Self::Or(left, right),
                    BinOp::In => Self::In(left, right),
                    BinOp::NotIn => Self::Not(Box::new(Self::In(left, right))),
                    _ if is_comparison(*op) => Self::Compare(left, *op, right),
                    _ => return None,
                }
            }
            Expr::Call(callee, call) => {
                let mut arguments = Vec::new();
                for argument in &call.args {
                    let ArgumentNode::Positional(argument) = &argument.node else { return None };
                    arguments.push(argument);
                }
                match (&callee.node, arguments.as_slice()) {
                    (Expr::Identifier(name), [value]) if name.ident == "len" => Self::Len(boxed(value)?),
                    (Expr::Dot(base, method), [key]) => match method.node.as_str() {
                        "get" => Self::Get(boxed(base)?, string_literal(key)?.to_owned(), Json::Null),
                        "startswith" => Self::StartsWith(boxed(base)?, string_literal(key)?.to_owned()),
                        "endswith" => Self::EndsWith(boxed(base)?, string_literal(key)?.to_owned()),
                        _ => return None,
                    },
                    (Expr::Dot(base, method), [key, default]) if method.node == "get" => {
                        Self::Get(boxed(base)?, string_literal(key)?.to_owned(), literal_value(default)?)
                    }
                    _ => return None,
                }
            }
            _ => Self::Literal(literal_value(expr)?),
        })
    }

    /// Whether the test holds; `None` if only the interpreter can decide.
    pub(super) fn evaluate(&self, event: &str, payload: &Json) -> Option<bool> {
        self.evaluate_value(event, payload)?.is_truthy()
    }

    fn evaluate_value<'a>(&'a self, event: &'a str, payload: &'a Json) -> Option<TestValue<'a>> {
        let see = |test: &'a Self| test.evaluate_value(event, payload);
        Some(match self {
            Self::Event => TestValue::Text(event),
            Self::Payload => TestValue::from_json(payload)?,
            Self::Literal(literal) => TestValue::from_json(literal)?,
            Self::Index(base, key) => match see(base)? {
                TestValue::Object(fields) => TestValue::from_json(fields.get(key)?)?,
                _ => return None,
            },
            Self::Get(base, key, default) => match see(base)? {
                TestValue::Object(fields) => TestValue::from_json(fields.get(key).unwrap_or(default))?,
                _ => return None,
            },
            Self::Len(value) => TestValue::Int(see(value)?.value_length()?),
            Self::Not(inner) => TestValue::Bool(!see(inner)?.is_truthy()?),
            Self::And(left, right) => {
                let left = see(left)?;
                if left.is_truthy()? { see(right)? } else { left }
            }
            Self::Or(left, right) => {
                let left = see(left)?;
                if left.is_truthy()? { left } else { see(right)? }
            }
            Self::Compare(left, comparison, right) => TestValue::Bool(see(left)?.compare(*comparison, see(right)?)?),
            Self::In(item, container) => TestValue::Bool(see(item)?.is_in(see(container)?)?),
            Self::StartsWith(text, prefix) => TestValue::Bool(see(text)?.as_text()?.starts_with(prefix.as_str())),
            Self::EndsWith(text, suffix) => TestValue::Bool(see(text)?.as_text()?.ends_with(suffix.as_str())),
        })
    }
}

/// The value of a literal; lists and tuples differ only in `==`, which the interpreter decides.
fn literal_value(expr: &AstExpr) -> Option<Json> {
    Some(match &expr.node {
        Expr::Literal(AstLiteral::String(text)) => Json::String(text.node.clone()),
        Expr::Literal(AstLiteral::Int(int)) => Json::from(int.node.to_string().parse::<i64>().ok()?),
        Expr::Literal(AstLiteral::Float(float)) => Json::Number(Number::from_f64(float.node)?),
        Expr::Minus(inner) => match literal_value(inner)? {
            Json::Number(digits) => match digits.as_i64() {
                Some(int) => Json::from(int.checked_neg()?),
                None => Json::Number(Number::from_f64(-digits.as_f64()?)?),
            },
            _ => return None,
        },
        Expr::Identifier(name) => match name.ident.as_str() {
            "True" => Json::Bool(true),
            "False" => Json::Bool(false),
            "None" => Json::Null,
            _ => return None,
        },
        Expr::List(items) | Expr::Tuple(items) => Json::Array(items.iter().map(literal_value).collect::<Option<_>>()?),
        Expr::Dict(entries) if entries.is_empty() => Json::Object(serde_json::Map::new()),
        _ => return None,
    })
}

impl<'a> TestValue<'a> {
    /// A value of the payload; the interpreter handles numbers that need care.
    fn from_json(value: &'a Json) -> Option<Self> {
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

    fn is_truthy(self) -> Option<bool> {
        Some(match self {
            Self::None => false,
            Self::Bool(truth) => truth,
            Self::Int(int) => int != 0,
            Self::Float(float) => float != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(fields) => !fields.is_empty(),
        })
    }

    fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn value_length(self) -> Option<i64> {
        let length = match self {
            Self::Text(text) => text.chars().count(),
            Self::Array(items) => items.len(),
            Self::Object(fields) => fields.len(),
            _ => return None,
        };
        i64::try_from(length).ok()
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
            (Self::Array(_) | Self::Object(_), _) | (_, Self::Array(_) | Self::Object(_)) => return None,
            _ => false,
        })
    }

    fn is_in(self, container: Self) -> Option<bool> {
        match container {
            Self::Text(text) => Some(text.contains(self.as_text()?)),
            Self::Object(fields) => Some(fields.contains_key(self.as_text()?)),
            Self::Array(items) => {
                for item in items {
                    if self.is_equal(TestValue::from_json(item)?)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            _ => None,
        }
    }

    fn compare(self, comparison: BinOp, other: Self) -> Option<bool> {
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

/// An integer as a float, if the float represents it exactly.
fn exact_float(int: i64) -> Option<f64> {
    const EXACT: i64 = 1 << 53;
    #[expect(clippy::cast_precision_loss, reason = "within 2^53")]
    (int.abs() <= EXACT).then_some(int as f64)
}
