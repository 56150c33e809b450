//! The common forms of `when`, decided without the interpreter.
//!
//! The meaning is Starlark's, exactly: `1 == 1.0` is true, `True == 1` is not, `len` of a text counts characters, `and`
//! and `or` give an operand. Where Starlark would raise an error, and wherever this file does not know, it gives no
//! answer and the interpreter is asked. A test compares both on thousands of payloads.

use serde_json::Value as Json;
use starlark::syntax::ast::{AstExpr, AstLiteral, BinOp, Expr};

use crate::analysis::{Argument, string};

/// An expression over an event.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    Event,
    /// The payload itself.
    Payload,
    Literal(Literal),
    /// `base["key"]`.
    Index(Box<Test>, String),
    /// `base.get("key", default)`.
    Get(Box<Test>, String, Literal),
    Len(Box<Test>),
    Not(Box<Test>),
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
    Compare(Box<Test>, Comparison, Box<Test>),
    In(Box<Test>, Box<Test>),
    /// `startswith` and `endswith` with a literal.
    Starts(Box<Test>, String),
    Ends(Box<Test>, String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    /// A list or tuple; they differ in `==` only, which is not asked of them here.
    List(Vec<Literal>),
    /// `{}`.
    EmptyDict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A value while a test is decided.
#[derive(Debug, Clone, Copy)]
enum Seen<'a> {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    Array(&'a [Json]),
    Object(&'a serde_json::Map<String, Json>),
    List(&'a [Literal]),
    EmptyDict,
}

impl Test {
    /// Reads an expression; `None` when it has a form this file does not know.
    pub(super) fn of(expr: &AstExpr) -> Option<Self> {
        let boxed = |expr: &AstExpr| Self::of(expr).map(Box::new);
        Some(match &expr.node {
            Expr::Identifier(name) => match name.ident.as_str() {
                "event" => Self::Event,
                "payload" => Self::Payload,
                _ => Self::Literal(Literal::of(expr)?),
            },
            Expr::Index(parts) => Self::Index(boxed(&parts.0)?, string(&parts.1)?.to_owned()),
            Expr::Not(inner) => Self::Not(boxed(inner)?),
            Expr::Op(left, op, right) => {
                let (left, right) = (boxed(left)?, boxed(right)?);
                let compare = |comparison| Self::Compare(left.clone(), comparison, right.clone());
                match op {
                    BinOp::And => Self::And(left, right),
                    BinOp::Or => Self::Or(left, right),
                    BinOp::In => Self::In(left, right),
                    BinOp::NotIn => Self::Not(Box::new(Self::In(left, right))),
                    BinOp::Equal => compare(Comparison::Equal),
                    BinOp::NotEqual => compare(Comparison::NotEqual),
                    BinOp::Less => compare(Comparison::Less),
                    BinOp::LessOrEqual => compare(Comparison::LessOrEqual),
                    BinOp::Greater => compare(Comparison::Greater),
                    BinOp::GreaterOrEqual => compare(Comparison::GreaterOrEqual),
                    _ => return None,
                }
            }
            Expr::Call(callee, call) => {
                let mut arguments = Vec::new();
                for argument in &call.args {
                    let Argument::Positional(argument) = &argument.node else { return None };
                    arguments.push(argument);
                }
                match (&callee.node, arguments.as_slice()) {
                    (Expr::Identifier(name), [value]) if name.ident == "len" => Self::Len(boxed(value)?),
                    (Expr::Dot(base, method), [key]) => match method.node.as_str() {
                        "get" => Self::Get(boxed(base)?, string(key)?.to_owned(), Literal::None),
                        "startswith" => Self::Starts(boxed(base)?, string(key)?.to_owned()),
                        "endswith" => Self::Ends(boxed(base)?, string(key)?.to_owned()),
                        _ => return None,
                    },
                    (Expr::Dot(base, method), [key, default]) if method.node == "get" => {
                        Self::Get(boxed(base)?, string(key)?.to_owned(), Literal::of(default)?)
                    }
                    _ => return None,
                }
            }
            _ => Self::Literal(Literal::of(expr)?),
        })
    }

    /// Whether the test holds; `None` when only the interpreter can say.
    pub(super) fn decide(&self, event: &str, payload: &Json) -> Option<bool> {
        self.see(event, payload)?.truth()
    }

    fn see<'a>(&'a self, event: &'a str, payload: &'a Json) -> Option<Seen<'a>> {
        let see = |test: &'a Self| test.see(event, payload);
        Some(match self {
            Self::Event => Seen::Text(event),
            Self::Payload => Seen::of(payload)?,
            Self::Literal(literal) => literal.seen(),
            Self::Index(base, key) => match see(base)? {
                Seen::Object(fields) => Seen::of(fields.get(key)?)?,
                _ => return None,
            },
            Self::Get(base, key, default) => match see(base)? {
                Seen::Object(fields) => match fields.get(key) {
                    Some(value) => Seen::of(value)?,
                    None => default.seen(),
                },
                Seen::EmptyDict => default.seen(),
                _ => return None,
            },
            Self::Len(value) => Seen::Int(see(value)?.length()?),
            Self::Not(inner) => Seen::Bool(!see(inner)?.truth()?),
            Self::And(left, right) => {
                let left = see(left)?;
                if left.truth()? { see(right)? } else { left }
            }
            Self::Or(left, right) => {
                let left = see(left)?;
                if left.truth()? { left } else { see(right)? }
            }
            Self::Compare(left, comparison, right) => Seen::Bool(comparison.holds(see(left)?, see(right)?)?),
            Self::In(item, container) => Seen::Bool(see(item)?.is_in(see(container)?)?),
            Self::Starts(text, prefix) => Seen::Bool(see(text)?.text()?.starts_with(prefix.as_str())),
            Self::Ends(text, suffix) => Seen::Bool(see(text)?.text()?.ends_with(suffix.as_str())),
        })
    }
}

impl Literal {
    fn of(expr: &AstExpr) -> Option<Self> {
        Some(match &expr.node {
            Expr::Literal(AstLiteral::String(text)) => Self::Text(text.node.clone()),
            Expr::Literal(AstLiteral::Int(int)) => Self::Int(int.node.to_string().parse().ok()?),
            Expr::Literal(AstLiteral::Float(float)) => Self::Float(float.node),
            Expr::Minus(inner) => match Self::of(inner)? {
                Self::Int(int) => Self::Int(int.checked_neg()?),
                Self::Float(float) => Self::Float(-float),
                _ => return None,
            },
            Expr::Identifier(name) => match name.ident.as_str() {
                "True" => Self::Bool(true),
                "False" => Self::Bool(false),
                "None" => Self::None,
                _ => return None,
            },
            Expr::List(items) | Expr::Tuple(items) => Self::List(items.iter().map(Self::of).collect::<Option<_>>()?),
            Expr::Dict(entries) if entries.is_empty() => Self::EmptyDict,
            _ => return None,
        })
    }

    fn seen(&self) -> Seen<'_> {
        match self {
            Self::None => Seen::None,
            Self::Bool(truth) => Seen::Bool(*truth),
            Self::Int(int) => Seen::Int(*int),
            Self::Float(float) => Seen::Float(*float),
            Self::Text(text) => Seen::Text(text),
            Self::List(items) => Seen::List(items),
            Self::EmptyDict => Seen::EmptyDict,
        }
    }
}

impl<'a> Seen<'a> {
    /// A value of the payload; numbers that need care are left to the interpreter.
    fn of(value: &'a Json) -> Option<Self> {
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

    fn truth(self) -> Option<bool> {
        Some(match self {
            Self::None | Self::EmptyDict => false,
            Self::Bool(truth) => truth,
            Self::Int(int) => int != 0,
            Self::Float(float) => float != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(fields) => !fields.is_empty(),
            Self::List(items) => !items.is_empty(),
        })
    }

    fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn length(self) -> Option<i64> {
        let length = match self {
            Self::Text(text) => text.chars().count(),
            Self::Array(items) => items.len(),
            Self::Object(fields) => fields.len(),
            Self::List(items) => items.len(),
            Self::EmptyDict => 0,
            _ => return None,
        };
        i64::try_from(length).ok()
    }

    fn equals(self, other: Self) -> Option<bool> {
        Some(match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one == other,
            (Self::Int(int), Self::Float(float)) | (Self::Float(float), Self::Int(int)) => mixed(int)? == float,
            (Self::Text(one), Self::Text(other)) => one == other,
            // Containers are compared by the interpreter.
            (Self::Array(_) | Self::Object(_) | Self::List(_) | Self::EmptyDict, _)
            | (_, Self::Array(_) | Self::Object(_) | Self::List(_) | Self::EmptyDict) => return None,
            _ => false,
        })
    }

    fn is_in(self, container: Self) -> Option<bool> {
        match container {
            Self::Text(text) => Some(text.contains(self.text()?)),
            Self::Object(fields) => Some(fields.contains_key(self.text()?)),
            Self::List(items) => self.any(items.iter().map(|item| Some(item.seen()))),
            Self::Array(items) => self.any(items.iter().map(Seen::of)),
            _ => None,
        }
    }

    fn any(self, items: impl Iterator<Item = Option<Seen<'a>>>) -> Option<bool> {
        for item in items {
            if self.equals(item?)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// An integer as a float, when floats tell it apart from its neighbours.
fn mixed(int: i64) -> Option<f64> {
    const EXACT: i64 = 1 << 53;
    #[expect(clippy::cast_precision_loss, reason = "within 2^53")]
    (int.abs() <= EXACT).then_some(int as f64)
}

impl Comparison {
    fn holds(self, left: Seen<'_>, right: Seen<'_>) -> Option<bool> {
        let order = match self {
            Self::Equal => return left.equals(right),
            Self::NotEqual => return left.equals(right).map(|equal| !equal),
            _ => match (left, right) {
                (Seen::Int(one), Seen::Int(other)) => one.cmp(&other),
                (Seen::Float(one), Seen::Float(other)) => one.partial_cmp(&other)?,
                (Seen::Int(one), Seen::Float(other)) => mixed(one)?.partial_cmp(&other)?,
                (Seen::Float(one), Seen::Int(other)) => one.partial_cmp(&mixed(other)?)?,
                (Seen::Text(one), Seen::Text(other)) => one.cmp(other),
                _ => return None,
            },
        };
        Some(match self {
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            _ => order.is_ge(),
        })
    }
}
