//! Calls on sizes: built-ins, methods and functions of the script.

use starlark::syntax::ast::{AstArgument, AstExpr, AstLiteral, BinOp, Expr};

use super::super::walk::{Argument, identifier, string};
use super::size::{Size, Turns};
use super::{MAX_LITERAL_TURNS, Machine, Names};
use crate::compile::Role;
use crate::globals::{self, REGISTRATIONS};
use crate::source::ASSERT_ALIAS;

/// Methods that keep what they are given.
const KEEPING: &[&str] = &["append", "extend", "insert", "setdefault", "update", "get"];
/// How much longer the printed form of a value may be than the value.
const PRINTED: u64 = 6;
/// What a text takes in pieces, and what each item takes that is put into a pair or a dictionary, for each of its bytes.
const PIECES: u64 = 24;

/// The arguments of a call: their sizes, and the literal texts among them.
struct Given<'a> {
    sizes: Vec<Size>,
    texts: Vec<Option<&'a str>>,
    lengths: bool,
}

impl Given<'_> {
    fn units(&self) -> u64 {
        self.sizes.iter().map(|size| size.units).sum()
    }

    fn shared_out(&self) -> bool {
        self.sizes.iter().all(|size| size.shared_out || size.units == 0)
    }

    fn constant(&self, position: usize) -> bool {
        self.sizes.get(position).is_some_and(|size| size.units == 0)
    }

    fn text(&self, position: usize) -> Option<&str> {
        self.texts.get(position).copied().flatten()
    }

    /// Whether a function is among them.
    fn function(&self) -> bool {
        self.sizes.iter().any(|size| size.function)
    }

    fn joined(&self) -> Size {
        self.sizes.iter().copied().reduce(Size::either).unwrap_or(Size::NUMBER)
    }
}

impl<'a> Machine<'a> {
    pub(super) fn call_expression(
        &mut self,
        callee: &'a AstExpr,
        arguments: &'a [AstArgument],
        names: &mut Names<'a>,
    ) -> Option<Size> {
        let lengths = arguments.iter().all(|argument| is_length(argument.node.expr()));
        let mut given = Given { sizes: Vec::new(), texts: Vec::new(), lengths };
        for argument in arguments {
            if matches!(argument.node, Argument::Args(_) | Argument::KwArgs(_)) {
                return None;
            }
            let expr = argument.node.expr();
            given.sizes.push(self.expression(expr, names)?);
            given.texts.push(string(expr));
        }
        match &callee.node {
            Expr::Identifier(name) if names.contains_key(name.ident.as_str()) => None,
            Expr::Identifier(name) if self.functions.contains_key(name.ident.as_str()) => {
                let plain = arguments.iter().all(|argument| matches!(argument.node, Argument::Positional(_)));
                // Arguments by name: whatever they are, each is at most what was given in all.
                let function = given.function();
                let whole =
                    [Size { units: given.units(), shared_out: given.shared_out(), function, ..Size::NOTHING }; 16];
                if plain { self.call(&name.ident, &given.sizes) } else { self.call(&name.ident, &whole) }
            }
            Expr::Identifier(name) if given.function() => self.keeping(&name.ident, &given),
            Expr::Identifier(name) => self.builtin(&name.ident, &given),
            Expr::Dot(base, method) => match namespace(base) {
                Some(path) if !names.contains_key(path.split('.').next().unwrap_or_default()) => {
                    (!given.function()).then_some(())?;
                    self.member(&path, &method.node, &given)
                }
                _ => self.method(base, &method.node, &given, names),
            },
            _ => None,
        }
    }

    /// A function of the language or of Pintle that is given functions, and only keeps them.
    fn keeping(&mut self, name: &str, given: &Given<'_>) -> Option<Size> {
        let size = self.builtin(name, given)?;
        match name {
            "dict" => Some(Size { function: true, ..size }),
            _ => REGISTRATIONS.contains(&name).then_some(size),
        }
    }

    /// A function of the language or of Pintle.
    fn builtin(&mut self, name: &str, given: &Given<'_>) -> Option<Size> {
        let first = given.sizes.first().copied().unwrap_or(Size::NUMBER);
        match name {
            "len" | "bool" | "hash" | "abs" | "float" => Some(Size::NUMBER),
            "type" => Some(Size::NOTHING),
            "int" => first.number.then_some(Size::NUMBER),
            "str" | "repr" => self.allocate(first.units * PRINTED, first.shared_out),
            "list" | "tuple" | "dict" | "sorted" | "reversed" | "enumerate" | "zip" => {
                if matches!(name, "dict" | "enumerate" | "zip") {
                    self.weigh(given.units() * PIECES);
                }
                let made = self.allocate(given.units(), given.shared_out())?;
                let turns = if given.sizes.len() == 1 { first.turns } else { Turns::Input };
                Some(Size { turns, items_are_numbers: first.items_are_numbers && name != "enumerate", ..made })
            }
            "min" | "max" | "any" | "all" => Some(Size { turns: Turns::Input, ..given.joined() }),
            "range" => range(given),
            "allow" | "block" | "ask" | "log" | "print" | "emit" | "fail" | "modify" | "delegate" => {
                self.allocate(given.units() * PRINTED, given.shared_out())?;
                Some(self.fetched(name == "emit"))
            }
            "random" | "sleep" => Some(Size::NUMBER),
            // What is registered is copied out of the module.
            name if REGISTRATIONS.contains(&name) => {
                self.allocate(given.units() * 2, given.shared_out())?;
                Some(Size::NUMBER)
            }
            ASSERT_ALIAS => Some(Size::NUMBER),
            _ => None,
        }
    }

    /// What the world gives is as large as the input, each time.
    fn fetched(&self, fetched: bool) -> Size {
        if fetched { Size { shared_out: self.around.input_loops == 0, ..Size::INPUT } } else { Size::NOTHING }
    }

    /// A function of a namespace.
    fn member(&mut self, namespace: &str, member: &str, given: &Given<'_>) -> Option<Size> {
        let first = given.sizes.first().copied().unwrap_or(Size::NUMBER);
        match (namespace, member) {
            ("re", "replace") => {
                let grown = given.text(1)?.len() as u64 + 1;
                let text = *given.sizes.get(2)?;
                given.constant(0).then_some(())?;
                self.allocate(text.units.saturating_mul(grown), text.shared_out)
            }
            ("re", _) => {
                given.constant(0).then_some(())?;
                let text = *given.sizes.get(1)?;
                self.allocate(text.units * 2, text.shared_out)
            }
            ("string", "join") => given.constant(1).then(|| self.allocate(first.units + 1, first.shared_out)).flatten(),
            ("string", "contains_any") => {
                let needles = *given.sizes.get(1)?;
                (needles.units == 0 && matches!(needles.turns, Turns::Literal(_))).then_some(Size::NOTHING)
            }
            ("string", "pad_left" | "pad_right") => {
                let width = given.sizes.get(1)?.integer?;
                (width.unsigned_abs() <= MAX_LITERAL_TURNS).then_some(())?;
                self.allocate(first.units + 1, first.shared_out)
            }
            ("template", _) => None,
            ("json" | "base64" | "url" | "string" | "set" | "crypto" | "hash", _) => {
                // The text is made twice on the way, from a copy of the value.
                self.weigh(given.units() * (PRINTED * 2 + 1));
                self.allocate(given.units() * PRINTED, given.shared_out())
            }
            ("math" | "validate" | "time" | "uuid", _) => Some(Size::NUMBER),
            ("metrics", "snapshot" | "get") => Some(self.fetched(true)),
            ("metrics" | "log" | "ctx.agent", _) => {
                self.allocate(given.units() * PRINTED, given.shared_out())?;
                Some(Size::NOTHING)
            }
            ("cache" | "ctx" | "http" | "events" | "meta" | "fs", _) => {
                self.allocate(given.units() * 2, given.shared_out())?;
                Some(self.fetched(true))
            }
            _ => None,
        }
    }

    /// A method of a value.
    fn method(&mut self, base: &'a AstExpr, method: &str, given: &Given<'_>, names: &mut Names<'a>) -> Option<Size> {
        let value = self.expression(base, names)?;
        (!given.function() || KEEPING.contains(&method)).then_some(())?;
        let copied = |machine: &mut Self| machine.allocate(value.units, value.shared_out);
        match method {
            "get" => {
                let known = Size { turns: Turns::Input, number: false, integer: None, ..value };
                let default = given.sizes.get(1).copied().unwrap_or(Size::NUMBER);
                Some(Size { number: false, ..known.either(default) })
            }
            "keys" | "values" | "items" => Some(value),
            "lower" | "upper" | "title" | "capitalize" | "strip" | "lstrip" | "rstrip" | "removeprefix"
            | "removesuffix" => copied(self),
            "splitlines" | "elems" | "codepoints" => {
                self.weigh(value.units * PIECES);
                copied(self)
            }
            "split" | "rsplit" | "partition" | "rpartition" if given.units() == 0 => {
                self.weigh(value.units * PIECES);
                copied(self)
            }
            "startswith" | "endswith" | "isalnum" | "isalpha" | "isdigit" | "islower" | "isspace" | "istitle"
            | "isupper" => Some(Size::NUMBER),
            "find" | "rfind" | "index" | "rindex" | "count" => given.constant(0).then_some(Size::NUMBER),
            "join" => {
                let parts = *given.sizes.first()?;
                (value.units == 0).then_some(())?;
                self.allocate(parts.units + 1, parts.shared_out)
            }
            "replace" => {
                let (old, new) = (given.text(0)?, given.text(1)?);
                (!old.is_empty()).then_some(())?;
                let grown = new.len().div_ceil(old.len()).max(1) as u64;
                self.allocate(value.units.saturating_mul(grown), value.shared_out)
            }
            "format" => {
                let places = string(base)?.matches('{').count() as u64;
                self.allocate(given.units().saturating_mul(places), given.shared_out())
            }
            "append" | "extend" | "insert" | "add" | "update" | "setdefault" => {
                let name = identifier(base).filter(|name| names.contains_key(*name))?;
                let item = Size { number: given.sizes.iter().all(|size| size.number), ..given.joined() };
                let grown = self.grown(value, item);
                names.insert(name, grown);
                Some(value.either(item))
            }
            "pop" | "popitem" | "remove" | "clear" | "discard" => Some(Size { number: false, ..value }),
            _ => None,
        }
    }
}

/// `range(..)` of literals, or of lengths.
fn range(given: &Given<'_>) -> Option<Size> {
    let literal: Option<Vec<i64>> = given.sizes.iter().map(|size| size.integer).collect();
    let turns = match literal.as_deref() {
        Some([end]) => Turns::Literal(u32::try_from(*end).unwrap_or(0)),
        Some([start, end]) => Turns::Literal(u32::try_from(end.saturating_sub(*start)).unwrap_or(0)),
        Some(_) => return None,
        None if given.sizes.len() <= 2 && given.lengths => Turns::Input,
        None => return None,
    };
    if let Turns::Literal(turns) = turns
        && u64::from(turns) > MAX_LITERAL_TURNS
    {
        return None;
    }
    Some(Size { turns, items_are_numbers: true, ..Size::NOTHING })
}

/// A literal, a `len(..)`, or one of them more or less.
fn is_length(expr: &AstExpr) -> bool {
    match &expr.node {
        Expr::Literal(AstLiteral::Int(_)) => true,
        Expr::Call(callee, _) => identifier(callee) == Some("len"),
        Expr::Op(left, BinOp::Add | BinOp::Subtract, right) => is_length(left) && is_length(right),
        _ => false,
    }
}

/// The name of a namespace, when the expression is one.
fn namespace(base: &AstExpr) -> Option<String> {
    let path = match &base.node {
        Expr::Identifier(name) => name.ident.clone(),
        Expr::Dot(inner, member) => format!("{}.{}", identifier(inner)?, member.node),
        _ => return None,
    };
    (!globals::members(&path, Role::Verify).is_empty()).then_some(path)
}
