//! Calls: of the script's own functions, and of built-ins.

use starlark::syntax::ast::{AstArgument, AstExpr, Expr};

use super::flow::Walk;
use super::value::Abstract;
use crate::analysis::mutation::{MUTATORS, NAMESPACES};
use crate::analysis::walk::{Argument, Parameter, identifier, span, string};

/// Functions of the language that go through what they are given, which a text does not allow.
const ITERATING: &[&str] = &[
    "dict",
    "list",
    "tuple",
    "set",
    "sorted",
    "reversed",
    "enumerate",
    "zip",
    "any",
    "all",
    "min",
    "max",
    "map",
    "filter",
];
/// Functions that give back a value with what they were given in it.
const HOLDING: &[&str] = &[
    "dict",
    "list",
    "tuple",
    "set",
    "sorted",
    "reversed",
    "enumerate",
    "zip",
    "min",
    "max",
    "map",
    "filter",
    "struct",
];
/// Built-ins that take a text, with those of namespaces below. `len` takes either, and means another thing of each.
const OF_TEXTS: &[&str] = &["len", "hash", "int", "float", "ord"];
/// Namespaces whose functions take texts.
const NAMESPACES_OF_TEXTS: &[&str] = &["re", "string", "hash", "crypto", "base64", "validate"];

/// An argument of a call.
type Given<'a> = (&'a AstArgument, Abstract);

impl<'a> Walk<'_, 'a> {
    /// Follows a call; what it may give.
    pub(super) fn call(&mut self, callee: &'a AstExpr, arguments: &'a [AstArgument], expr: &'a AstExpr) -> Abstract {
        let called = self.value(callee);
        let given: Vec<Given<'a>> = arguments.iter().map(|one| (one, self.value(one.node.expr()))).collect();
        for (argument, value) in &given {
            match &argument.node {
                Argument::Args(_) => self.flow.uses.dict(&value.own, "*", span(*argument)),
                Argument::KwArgs(_) => self.flow.uses.dict(&value.own, "**", span(*argument)),
                _ => {}
            }
        }
        let mut result = match &callee.node {
            _ if called.own.is_only_getter() => Abstract::default(),
            Expr::Dot(_, method) if matches!(method.node.as_str(), "items" | "values") => {
                Abstract { inside: called.inside.clone(), ..Abstract::plain() }
            }
            _ => called.element(),
        };
        if let (true, Some((key, by))) = (called.own.getter, given.first()) {
            // The arguments are always there: a default says what they are thought to be, and no more.
            let is_certain = called.own.is_only_getter() && string(key.node.expr()).is_some();
            result.join(&self.flow.field(by, is_certain));
            match given.get(1) {
                Some((default, _)) if matches!(default.node.expr().node, Expr::Dict(_)) => {
                    self.flow.uses.dict(&result.own, ".get(.., {})", span(expr));
                }
                Some((_, default)) if !result.own.is_only_arguments() => {
                    result.join(default);
                }
                _ => {}
            }
        }
        for number in &called.own.functions {
            result.join(&self.enter_with(*number, &given));
        }
        let root = |path: &str| path.split('.').next().map(str::to_owned).unwrap_or_default();
        match (builtin(callee).filter(|path| !self.is_bound(&root(path))), &callee.node) {
            (Some(path), _) => {
                result.join(&self.builtin(&path, &given, expr));
            }
            (None, Expr::Dot(base, method)) => self.method_call(base, &method.node, &given),
            (None, _) if called.own.functions.is_empty() && !called.own.getter => {
                given.iter().for_each(|(argument, value)| self.flow.uses.unknown(&value.own, span(*argument)));
            }
            (None, _) => {}
        }
        result
    }

    /// A method of a value: what it is given may stay in it, and keys of the arguments are noted.
    fn method_call(&mut self, base: &'a AstExpr, method: &str, given: &[Given<'a>]) {
        let of = self.value(base);
        if let (true, Some((key, _))) = (of.own.arguments, given.first()) {
            self.flow.uses.key(key.node.expr());
        }
        if MUTATORS.contains(&method) && !identifier(base).is_some_and(|name| NAMESPACES.contains(&name)) {
            for (_, value) in given {
                self.grow(base, value);
            }
        }
    }

    /// Calls a function of the script.
    fn enter_with(&mut self, number: usize, given: &[Given<'a>]) -> Abstract {
        let Some(function) = self.flow.functions.get_mut(number) else { return Abstract::plain() };
        self.flow.changed |= !std::mem::replace(&mut function.is_called, true);
        let (parameters, returned) = (function.parameters, function.returned.clone());
        let is_spread = |one: &AstArgument| matches!(one.node, Argument::Args(_) | Argument::KwArgs(_));
        let spread: Vec<&Abstract> = given.iter().filter(|(one, _)| is_spread(one)).map(|(_, value)| value).collect();
        let spread_payload = spread.iter().any(|value| value.own.payload);
        let mut positional = given.iter().filter(|(one, _)| matches!(one.node, Argument::Positional(_)));
        let mut takes_positional = true;
        for parameter in parameters {
            let Some(name) = parameter.ident() else {
                takes_positional &= !matches!(parameter.node, Parameter::NoArgs);
                continue;
            };
            let mut value = Abstract::default();
            match &parameter.node {
                Parameter::Args(..) => {
                    takes_positional = false;
                    value = Abstract::holding(positional.by_ref().map(|(_, value)| value));
                }
                Parameter::KwArgs(..) => {
                    value = Abstract::holding(given.iter().filter(|one| one.0.node.name().is_some()).map(|one| &one.1));
                    value.own.payload |= spread_payload;
                }
                _ => {
                    let named = given.iter().find(|(one, _)| one.node.name() == Some(name.ident.as_str()));
                    let one = if takes_positional { positional.next() } else { None }.or(named);
                    if let Some((_, given)) = one {
                        value.join(given);
                    }
                    if spread_payload && name.ident == super::FIELD {
                        value.join(&Abstract::arguments(false));
                    }
                }
            }
            for held in spread.iter().map(|spread| spread.element()) {
                value.join(&held);
                value.inside.join(&held.own);
            }
            self.flow.give(number, &name.ident, &value);
        }
        returned
    }

    /// Calls a built-in.
    fn builtin(&mut self, path: &str, given: &[Given<'a>], expr: &'a AstExpr) -> Abstract {
        let at = span(expr);
        let what = format!("{path}(..)");
        let namespace = path.split_once('.').map(|(namespace, _)| namespace);
        let is_of_texts = OF_TEXTS.contains(&path)
            || path == "url.parse"
            || namespace.is_some_and(|namespace| NAMESPACES_OF_TEXTS.contains(&namespace));
        for (index, (argument, value)) in given.iter().enumerate() {
            let uses = &mut self.flow.uses;
            if ITERATING.contains(&path) {
                uses.dict(&value.own, what.clone(), at);
            } else if is_of_texts {
                uses.text(&value.own, what.clone(), at);
            } else if path == "type" {
                uses.type_check(&value.own);
            } else if matches!(path, "template.render" | "meta.call_tool") {
                let is_first = index == 0 && argument.node.name().is_none();
                if is_first { uses.text(&value.own, what.clone(), at) } else { uses.dict(&value.own, what.clone(), at) }
            }
        }
        if path == "getattr"
            && let (Some((_, of)), Some(name)) = (given.first(), given.get(1).and_then(|one| string(one.0.node.expr())))
        {
            return self.flow.method(of, name, at);
        }
        // `sorted(.., key = f)`, `map(f, ..)`: the function is given what the others hold.
        let functions: Vec<usize> = given.iter().flat_map(|(_, value)| value.own.functions.iter().copied()).collect();
        let mut result = Abstract::plain();
        if HOLDING.contains(&path) {
            for (argument, value) in given {
                // What is gone through is not in it, but what that holds.
                result.hold(&if argument.node.name().is_some() { value.clone() } else { value.element() });
                result.own.payload |= path == "dict" && value.own.payload;
                if matches!(path, "min" | "max") {
                    result.join(value);
                    result.join(&value.element());
                }
            }
        }
        let elements = Abstract::holding(given.iter().map(|(_, value)| value)).element();
        for number in functions {
            let Some(function) = self.flow.functions.get(number) else { continue };
            let parameters = function.parameters;
            result.hold(&function.returned.clone());
            for name in parameters.iter().filter_map(|parameter| parameter.ident()) {
                self.flow.give(number, &name.ident, &elements);
            }
        }
        result
    }
}

/// The dotted name of what may be a built-in.
fn builtin(callee: &AstExpr) -> Option<String> {
    match &callee.node {
        Expr::Identifier(name) => Some(name.ident.clone()),
        Expr::Dot(base, member) => identifier(base).map(|base| format!("{base}.{}", member.node)),
        _ => None,
    }
}
