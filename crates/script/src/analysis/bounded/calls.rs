//! Evaluates calls on sizes: built-ins, methods and functions of the script.

use starlark::syntax::ast::{AstArgument, AstExpr, AstLiteral, BinOp, Expr};

use super::super::ast::{ArgumentNode, identifier_name, is_spread, string_literal};
use super::size::{LoopCount, ValueSize};
use super::{MAX_ALLOCATED, MAX_LITERAL_TURNS, SizeMachine};
use crate::globals::{self, REGISTRATIONS};
use crate::language::ScriptKind;
use crate::source::ASSERT_ALIAS;

/// Methods that store their arguments.
const KEEPING: &[&str] = &["append", "extend", "insert", "setdefault", "update", "get"];
/// How much longer than a value its printed form may be.
const PRINTED: u64 = 6;
/// The overhead of a string that is split, and of each item in a pair or a dict, for each of its bytes.
const PIECES: u64 = 24;

/// The arguments of a call: their sizes, and the literal strings among them.
struct ArgumentSizes<'a> {
    sizes: Vec<ValueSize>,
    texts: Vec<Option<&'a str>>,
    are_lengths: bool,
}

impl ArgumentSizes<'_> {
    fn total_units(&self) -> u64 {
        self.sizes.iter().map(|size| size.units).sum()
    }

    fn is_shared_out(&self) -> bool {
        self.sizes.iter().all(|size| size.is_shared_out || size.units == 0)
    }

    fn is_constant(&self, position: usize) -> bool {
        self.sizes.get(position).is_some_and(|size| size.units == 0)
    }

    fn literal_text(&self, position: usize) -> Option<&str> {
        self.texts.get(position).copied().flatten()
    }

    fn composed_constants(&self) -> usize {
        self.sizes.iter().filter(|size| size.is_composed_constant()).count()
    }

    fn has_function(&self) -> bool {
        self.sizes.iter().any(|size| size.is_function)
    }

    fn largest_size(&self) -> ValueSize {
        self.sizes.iter().copied().reduce(ValueSize::larger).unwrap_or(ValueSize::NUMBER)
    }
}

impl<'a> SizeMachine<'a> {
    pub(super) fn size_of_call(&mut self, callee: &'a AstExpr, arguments: &'a [AstArgument]) -> Option<ValueSize> {
        let lengths = arguments.iter().all(|argument| is_length(argument.node.expr()));
        let mut given = ArgumentSizes { sizes: Vec::new(), texts: Vec::new(), are_lengths: lengths };
        for argument in arguments {
            if is_spread(argument) {
                return None;
            }
            let expr = argument.node.expr();
            given.sizes.push(self.size_of_expression(expr)?);
            given.texts.push(string_literal(expr));
        }
        self.count_growth(given.composed_constants() as u64)?;
        match &callee.node {
            Expr::Identifier(name) if self.lookup_name(&name.ident).is_some() => None,
            Expr::Identifier(name) if self.functions.contains_key(name.ident.as_str()) => {
                let plain = arguments.iter().all(|argument| matches!(argument.node, ArgumentNode::Positional(_)));
                // Named arguments: each is at most as large as all of them.
                let whole = ValueSize {
                    units: given.total_units(),
                    is_shared_out: given.is_shared_out(),
                    is_function: given.has_function(),
                    is_composed: given.composed_constants() > 0,
                    ..ValueSize::NOTHING
                };
                let count = self.functions.get(name.ident.as_str()).map_or(0, |function| function.parameters.len());
                self.call_function(&name.ident, &if plain { given.sizes } else { vec![whole; count] })
            }
            Expr::Identifier(name) if given.has_function() => self.size_of_retaining_call(&name.ident, &given),
            Expr::Identifier(name) => self.size_of_builtin(&name.ident, &given),
            Expr::Dot(base, method) => match namespace_path(base) {
                Some(path) if self.lookup_name(path.split('.').next().unwrap_or_default()).is_none() => {
                    (!given.has_function()).then_some(())?;
                    self.size_of_member_call(&path, &method.node, &given)
                }
                _ => self.size_of_method_call(base, &method.node, &given),
            },
            _ => None,
        }
    }

    /// A function of the language or of Pintle that takes functions and only stores them.
    fn size_of_retaining_call(&mut self, name: &str, sizes: &ArgumentSizes<'_>) -> Option<ValueSize> {
        let size = self.size_of_builtin(name, sizes)?;
        match name {
            "dict" => Some(ValueSize { is_function: true, ..size }),
            _ => REGISTRATIONS.contains(&name).then_some(size),
        }
    }

    fn size_of_builtin(&mut self, name: &str, sizes: &ArgumentSizes<'_>) -> Option<ValueSize> {
        let first = sizes.sizes.first().copied().unwrap_or(ValueSize::NUMBER);
        match name {
            "len" | "bool" | "hash" | "abs" | "float" => Some(ValueSize::NUMBER),
            "type" => Some(ValueSize::NOTHING),
            "int" => first.is_number.then_some(ValueSize::NUMBER),
            "str" | "repr" => self.size_of_printed(sizes),
            "list" | "tuple" | "dict" | "sorted" | "reversed" | "enumerate" | "zip" => {
                if matches!(name, "dict" | "enumerate" | "zip") {
                    self.add_extra_units(sizes.total_units() * PIECES);
                }
                let made = self.allocate(sizes.total_units(), sizes.is_shared_out())?;
                let turns = if sizes.sizes.len() == 1 { first.loop_count } else { LoopCount::Input };
                Some(ValueSize {
                    loop_count: turns,
                    items_are_numbers: first.items_are_numbers && name != "enumerate",
                    ..made
                })
            }
            "min" | "max" | "any" | "all" => {
                (sizes.total_units() <= MAX_ALLOCATED).then_some(())?;
                Some(ValueSize { loop_count: LoopCount::Input, ..sizes.largest_size() })
            }
            "range" => size_of_range(sizes),
            "allow" | "block" | "ask" | "log" | "print" | "emit" | "fail" | "modify" | "delegate" => {
                self.allocate(sizes.total_units() * PRINTED, sizes.is_shared_out())?;
                Some(self.size_of_effect_reply(name == "emit"))
            }
            "random" | "sleep" => Some(ValueSize::NUMBER),
            // Registered values are copied out of the module.
            name if REGISTRATIONS.contains(&name) => {
                self.allocate(sizes.total_units() * 2, sizes.is_shared_out())?;
                Some(ValueSize::NUMBER)
            }
            ASSERT_ALIAS => Some(ValueSize::NUMBER),
            _ => None,
        }
    }

    /// The text of the values. Escaping a text that is escaped already doubles it.
    fn size_of_printed(&mut self, sizes: &ArgumentSizes<'_>) -> Option<ValueSize> {
        if sizes.composed_constants() > 0 {
            self.count_growth(2)?;
        }
        self.allocate(sizes.total_units() * PRINTED, sizes.is_shared_out())
    }

    /// An effect reply is as large as the input, each time.
    fn size_of_effect_reply(&self, fetched: bool) -> ValueSize {
        if fetched {
            ValueSize { is_shared_out: self.enclosing_loops.input_loop_count == 0, ..ValueSize::INPUT }
        } else {
            ValueSize::NOTHING
        }
    }

    fn size_of_member_call(&mut self, namespace: &str, member: &str, sizes: &ArgumentSizes<'_>) -> Option<ValueSize> {
        let first = sizes.sizes.first().copied().unwrap_or(ValueSize::NUMBER);
        match (namespace, member) {
            ("re", "replace") => {
                let grown = sizes.literal_text(1)?.len() as u64 + 1;
                let text = *sizes.sizes.get(2)?;
                sizes.is_constant(0).then_some(())?;
                if text.units == 0 {
                    self.count_growth(grown)?;
                }
                self.allocate(text.units.saturating_mul(grown), text.is_shared_out)
            }
            ("re", _) => {
                sizes.is_constant(0).then_some(())?;
                let text = *sizes.sizes.get(1)?;
                self.allocate(text.units * 2, text.is_shared_out)
            }
            ("string", "join") => {
                let separator = *sizes.sizes.get(1)?;
                (separator.units == 0 && !separator.is_composed_constant()).then_some(())?;
                self.allocate(first.units + 1, first.is_shared_out)
            }
            ("string", "contains_any") => {
                let needles = *sizes.sizes.get(1)?;
                (needles.units == 0 && matches!(needles.loop_count, LoopCount::Literal(_)))
                    .then_some(ValueSize::NOTHING)
            }
            ("string", "pad_left" | "pad_right") => {
                let width = sizes.sizes.get(1)?.integer?;
                (width.unsigned_abs() <= MAX_LITERAL_TURNS).then_some(())?;
                self.allocate(first.units + 1, first.is_shared_out)
            }
            // The number of operations is bounded; what grows with the line is what is written there, and its paths.
            ("shell", _) => {
                if sizes.composed_constants() > 0 {
                    self.count_growth(2)?;
                }
                self.allocate(sizes.total_units() * 2, sizes.is_shared_out())
            }
            ("template", _) => None,
            ("json" | "base64" | "url" | "string" | "set" | "crypto" | "hash", _) => {
                // The text is created twice on the way, from a copy of the value.
                self.add_extra_units(sizes.total_units() * (PRINTED * 2 + 1));
                self.size_of_printed(sizes)
            }
            ("math" | "validate" | "time" | "uuid", _) => Some(ValueSize::NUMBER),
            ("metrics", "snapshot" | "get") => Some(self.size_of_effect_reply(true)),
            ("metrics" | "log" | "ctx.agent", _) => {
                self.allocate(sizes.total_units() * PRINTED, sizes.is_shared_out())?;
                Some(ValueSize::NOTHING)
            }
            ("cache" | "ctx" | "http" | "events" | "meta" | "fs", _) => {
                self.allocate(sizes.total_units() * 2, sizes.is_shared_out())?;
                Some(self.size_of_effect_reply(true))
            }
            _ => None,
        }
    }

    fn size_of_method_call(&mut self, base: &'a AstExpr, method: &str, sizes: &ArgumentSizes<'_>) -> Option<ValueSize> {
        let value = self.size_of_expression(base)?;
        (!sizes.has_function() || KEEPING.contains(&method)).then_some(())?;
        let copied = |machine: &mut Self| machine.allocate(value.units, value.is_shared_out);
        match method {
            "get" => {
                let default = sizes.sizes.get(1).copied().unwrap_or(ValueSize::NUMBER);
                Some(ValueSize { is_number: false, ..value.part().larger(default) })
            }
            "keys" | "values" | "items" => Some(value),
            "lower" | "upper" | "title" | "capitalize" | "strip" | "lstrip" | "rstrip" | "removeprefix"
            | "removesuffix" => copied(self),
            "splitlines" | "elems" | "codepoints" => {
                self.add_extra_units(value.units * PIECES);
                copied(self)
            }
            "split" | "rsplit" | "partition" | "rpartition" if sizes.total_units() == 0 => {
                self.add_extra_units(value.units * PIECES);
                copied(self)
            }
            "startswith" | "endswith" | "isalnum" | "isalpha" | "isdigit" | "islower" | "isspace" | "istitle"
            | "isupper" => Some(ValueSize::NUMBER),
            // The error of a search in a list prints the list.
            "find" | "rfind" | "index" | "rindex" | "count" | "remove" if value.units > MAX_ALLOCATED => None,
            "find" | "rfind" | "index" | "rindex" | "count" => Self::read_both(value, *sizes.sizes.first()?),
            "join" => {
                let parts = *sizes.sizes.first()?;
                (value.units == 0 && !value.is_composed_constant()).then_some(())?;
                self.allocate(parts.units + 1, parts.is_shared_out)
            }
            "replace" => {
                let (old, new) = (sizes.literal_text(0)?, sizes.literal_text(1)?);
                (!old.is_empty()).then_some(())?;
                let grown = new.len().div_ceil(old.len()).max(1) as u64;
                if value.units == 0 {
                    self.count_growth(grown)?;
                }
                self.allocate(value.units.saturating_mul(grown), value.is_shared_out)
            }
            "format" => {
                let places = string_literal(base)?.matches('{').count() as u64;
                if sizes.composed_constants() > 0 {
                    self.count_growth(places)?;
                }
                self.allocate(sizes.total_units().saturating_mul(places), sizes.is_shared_out())
            }
            "append" | "extend" | "insert" | "add" | "update" | "setdefault" => {
                let name = identifier_name(base).filter(|name| self.names.contains_key(*name))?;
                let item =
                    ValueSize { is_number: sizes.sizes.iter().all(|size| size.is_number), ..sizes.largest_size() };
                let grown = self.size_after_insert(value, item)?;
                self.names.insert(name, grown);
                Some(value.larger(item))
            }
            "pop" | "popitem" | "remove" | "clear" | "discard" => {
                Self::read_both(value, sizes.largest_size())?;
                Some(ValueSize { is_number: false, ..value })
            }
            _ => None,
        }
    }
}

/// `range(..)` of literals, or of lengths.
fn size_of_range(sizes: &ArgumentSizes<'_>) -> Option<ValueSize> {
    let literal: Option<Vec<i64>> = sizes.sizes.iter().map(|size| size.integer).collect();
    let turns = match literal.as_deref() {
        Some([end]) => LoopCount::Literal(u32::try_from(*end).unwrap_or(0)),
        Some([start, end]) => LoopCount::Literal(u32::try_from(end.saturating_sub(*start)).unwrap_or(0)),
        Some(_) => return None,
        None if sizes.sizes.len() <= 2 && sizes.are_lengths => LoopCount::Input,
        None => return None,
    };
    if let LoopCount::Literal(turns) = turns
        && u64::from(turns) > MAX_LITERAL_TURNS
    {
        return None;
    }
    Some(ValueSize { loop_count: turns, items_are_numbers: true, ..ValueSize::NOTHING })
}

/// A literal, a `len(..)`, or a sum or difference of them.
fn is_length(expr: &AstExpr) -> bool {
    match &expr.node {
        Expr::Literal(AstLiteral::Int(_)) => true,
        Expr::Call(callee, _) => identifier_name(callee) == Some("len"),
        Expr::Op(left, BinOp::Add | BinOp::Subtract, right) => is_length(left) && is_length(right),
        _ => false,
    }
}

/// The name of a namespace, if the expression is one.
fn namespace_path(base: &AstExpr) -> Option<String> {
    let path = match &base.node {
        Expr::Identifier(name) => name.ident.clone(),
        Expr::Dot(inner, member) => format!("{}.{}", identifier_name(inner)?, member.node),
        _ => return None,
    };
    (!globals::namespace_members(&path, ScriptKind::Verify).is_empty()).then_some(path)
}
