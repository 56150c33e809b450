//! Evaluates calls of the script's own functions and of built-ins.

use starlark::syntax::ast::{AstArgument, AstExpr, Expr};

use super::flow::FunctionWalk;
use super::value::{ARGUMENTS, AbstractValue, GETTER, PAYLOAD};
use crate::analysis::ast::{
    ArgumentNode, MethodCall, ParameterNode, identifier_name, is_spread, span_of, string_literal,
};

/// Functions of the language that iterate over their argument, which a string does not support, and whose result contains
/// its elements.
const COLLECTING: &[&str] =
    &["dict", "list", "tuple", "set", "sorted", "reversed", "enumerate", "zip", "min", "max", "map", "filter"];
/// Built-ins that take a string, in addition to those of the namespaces below. `len` takes either, with a different
/// result.
const OF_TEXTS: &[&str] = &["len", "hash", "int", "float", "ord"];
/// Namespaces whose functions take strings.
const NAMESPACES_OF_TEXTS: &[&str] = &["re", "string", "hash", "crypto", "base64", "validate", "shell"];

type EvaluatedArgument<'a> = (&'a AstArgument, AbstractValue);

impl<'a> FunctionWalk<'_, 'a> {
    /// Evaluates a call and returns its possible result.
    pub(super) fn visit_call(
        &mut self,
        callee: &'a AstExpr,
        arguments: &'a [AstArgument],
        expr: &'a AstExpr,
    ) -> AbstractValue {
        let called = self.evaluate(callee);
        let given: Vec<EvaluatedArgument<'a>> =
            arguments.iter().map(|one| (one, self.evaluate(one.node.expr()))).collect();
        for (argument, value) in &given {
            match &argument.node {
                ArgumentNode::Args(_) => self.flow.uses.record_dict_use(&value.values, "*", span_of(*argument)),
                ArgumentNode::KwArgs(_) => self.flow.uses.record_dict_use(&value.values, "**", span_of(*argument)),
                _ => {}
            }
        }
        let mut result = match &callee.node {
            _ if called.values.is_only(GETTER) => AbstractValue::default(),
            Expr::Dot(_, method) if matches!(method.node.as_str(), "items" | "values") => {
                AbstractValue { contents: called.contents.clone(), ..AbstractValue::uninteresting() }
            }
            _ => called.any_element(),
        };
        if let (true, Some((key, by))) = (called.values.may_be(GETTER), given.first()) {
            // The arguments are always present, so a default only shows their expected type.
            let is_certain = called.values.is_only(GETTER) && string_literal(key.node.expr()).is_some();
            result.join(&self.flow.payload_field(by, is_certain));
            match given.get(1) {
                Some((default, _)) if matches!(default.node.expr().node, Expr::Dict(_)) => {
                    self.flow.uses.record_dict_use(&result.values, ".get(.., {})", span_of(expr));
                }
                Some((_, default)) if !result.values.is_only(ARGUMENTS) => {
                    result.join(default);
                }
                _ => {}
            }
        }
        for number in &called.values.functions {
            result.join(&self.call_function(*number, &given));
        }
        let root = |path: &str| path.split('.').next().map(str::to_owned).unwrap_or_default();
        match (builtin_path(callee).filter(|path| !self.is_bound(&root(path))), &callee.node) {
            (Some(path), _) => {
                result.join(&self.visit_builtin_call(&path, &given, expr));
            }
            (None, Expr::Dot(base, _)) => {
                let is_mutator = MethodCall::from_expr(expr).is_some_and(|call| call.is_mutator());
                self.visit_method_call(base, is_mutator, &given);
            }
            (None, _) if called.values.functions.is_empty() && !called.values.may_be(GETTER) => {
                given
                    .iter()
                    .for_each(|(argument, value)| self.flow.uses.record_unknown(&value.values, span_of(*argument)));
            }
            (None, _) => {}
        }
        result
    }

    /// Evaluates a method call: arguments may be stored in the value, and keys of `payload["arguments"]` are recorded.
    fn visit_method_call(&mut self, base: &'a AstExpr, is_mutator: bool, arguments: &[EvaluatedArgument<'a>]) {
        let of = self.evaluate(base);
        if let (true, Some((key, _))) = (of.values.may_be(ARGUMENTS), arguments.first()) {
            self.flow.uses.record_key(key.node.expr());
        }
        if is_mutator {
            arguments.iter().for_each(|(_, value)| self.extend_name(base, value));
        }
    }

    fn call_function(&mut self, number: usize, arguments: &[EvaluatedArgument<'a>]) -> AbstractValue {
        let Some(function) = self.flow.functions.get_mut(number) else { return AbstractValue::uninteresting() };
        self.flow.has_changed |= !std::mem::replace(&mut function.is_called, true);
        let (parameters, returned) = (function.node.parameters, function.return_value.clone());
        let spread: Vec<&AbstractValue> =
            arguments.iter().filter(|(one, _)| is_spread(one)).map(|(_, value)| value).collect();
        let spread_payload = spread.iter().any(|value| value.values.may_be(PAYLOAD));
        let mut positional = arguments.iter().filter(|(one, _)| matches!(one.node, ArgumentNode::Positional(_)));
        let mut takes_positional = true;
        for parameter in parameters {
            let Some(name) = parameter.ident() else {
                takes_positional &= !matches!(parameter.node, ParameterNode::NoArgs);
                continue;
            };
            let mut value = AbstractValue::default();
            match &parameter.node {
                ParameterNode::Args(..) => {
                    takes_positional = false;
                    value = AbstractValue::from_items(positional.by_ref().map(|(_, value)| value));
                }
                ParameterNode::KwArgs(..) => {
                    value = AbstractValue::from_items(
                        arguments.iter().filter(|one| one.0.node.name().is_some()).map(|one| &one.1),
                    );
                    value.values.add_if(spread_payload, PAYLOAD);
                }
                _ => {
                    let named = arguments.iter().find(|(one, _)| one.node.name() == Some(name.ident.as_str()));
                    let one = if takes_positional { positional.next() } else { None }.or(named);
                    if let Some((_, arguments)) = one {
                        value.join(arguments);
                    }
                    if spread_payload && name.ident == super::FIELD {
                        value.join(&AbstractValue::from_arguments(false));
                    }
                }
            }
            for held in spread.iter().map(|spread| spread.any_element()) {
                value.join(&held);
                value.contents.join(&held.values);
            }
            self.flow.join_name(number, &name.ident, &value);
        }
        returned
    }

    fn visit_builtin_call(
        &mut self,
        path: &str,
        arguments: &[EvaluatedArgument<'a>],
        expr: &'a AstExpr,
    ) -> AbstractValue {
        let at = span_of(expr);
        let what = format!("{path}(..)");
        let namespace = path.split_once('.').map(|(namespace, _)| namespace);
        let is_of_texts = OF_TEXTS.contains(&path)
            || path == "url.parse"
            || namespace.is_some_and(|namespace| NAMESPACES_OF_TEXTS.contains(&namespace));
        for (index, (argument, value)) in arguments.iter().enumerate() {
            let uses = &mut self.flow.uses;
            if COLLECTING.contains(&path) || matches!(path, "any" | "all") {
                uses.record_dict_use(&value.values, what.clone(), at);
            } else if is_of_texts {
                uses.record_text_use(&value.values, what.clone(), at);
            } else if path == "type" {
                uses.record_type_check(&value.values);
            } else if matches!(path, "template.render" | "meta.call_tool") {
                let is_first = index == 0 && argument.node.name().is_none();
                if is_first {
                    uses.record_text_use(&value.values, what.clone(), at)
                } else {
                    uses.record_dict_use(&value.values, what.clone(), at)
                }
            }
        }
        if path == "getattr"
            && let (Some((_, of)), Some(name)) =
                (arguments.first(), arguments.get(1).and_then(|one| string_literal(one.0.node.expr())))
        {
            return self.flow.record_method(of, name, at);
        }
        // `sorted(.., key = f)`, `map(f, ..)`: the function is called with the elements of the others.
        let functions: Vec<usize> =
            arguments.iter().flat_map(|(_, value)| value.values.functions.iter().copied()).collect();
        let mut result = AbstractValue::uninteresting();
        if COLLECTING.contains(&path) || path == "struct" {
            for (argument, value) in arguments {
                // The result contains the elements of an iterated value, not the value itself.
                result.insert(&if argument.node.name().is_some() { value.clone() } else { value.any_element() });
                result.values.add_if(path == "dict" && value.values.may_be(PAYLOAD), PAYLOAD);
                if matches!(path, "min" | "max") {
                    result.join(value);
                    result.join(&value.any_element());
                }
            }
        }
        let elements = AbstractValue::from_items(arguments.iter().map(|(_, value)| value)).any_element();
        for number in functions {
            let Some(function) = self.flow.functions.get(number) else { continue };
            let parameters = function.node.parameter_names();
            result.insert(&function.return_value);
            parameters.for_each(|name| self.flow.join_name(number, name, &elements));
        }
        result
    }
}

/// The dotted name of a possible built-in.
fn builtin_path(callee: &AstExpr) -> Option<String> {
    match &callee.node {
        Expr::Identifier(name) => Some(name.ident.clone()),
        Expr::Dot(base, member) => identifier_name(base).map(|base| format!("{base}.{}", member.node)),
        _ => None,
    }
}
