//! What the functions of a plugin read of the event, and whether they can deny.
//!
//! A function value has little information about its source. A `def` is found by its name, if the module has only one
//! of that name. A `lambda` is found by its position in the arguments of the registration call, or because it is the
//! only one of the module. Any other function is assumed to read everything and to be able to deny.

use std::collections::BTreeMap;

use starlark::syntax::ast::{AstArgument, AstExpr, Expr};

use super::ast::{ArgumentNode, FunctionNode, identifier_name, is_spread, span_of, string_literal};
use super::payload_reads::{ArgumentStep, ArgumentsForm, FieldSet, PayloadReads};
use super::reads::ClosureReader;
use super::resolved::{NameBinding, ResolvedScript};
use crate::globals::REGISTRATIONS;

/// Keys of a returned table that neither deny nor ask.
const HARMLESS: &[&str] = &["reminder", "result", "output", "args", "truncated", "dropped_bytes"];

/// Keys of a returned table that change nothing.
const QUIET: &[&str] = &["reminder"];

/// The functions of a plugin, as far as the text shows.
#[derive(Debug, Default)]
pub(crate) struct FunctionTraits {
    /// Lambdas, by registration call and path in its arguments.
    registered_lambdas: BTreeMap<((usize, usize), Vec<ArgumentStep>), FunctionTrait>,
    /// `def` functions, by name.
    named_defs: BTreeMap<String, FunctionTrait>,
    /// The only lambda of the module.
    only_lambda: Option<FunctionTrait>,
}

/// The properties of a function with one parameter, as far as the text shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FunctionTrait {
    /// The fields of the event that it reads.
    pub(crate) reads: PayloadReads,
    /// Whether it can deny or ask.
    pub(crate) guard: bool,
    /// Whether it can rewrite or deny.
    pub(crate) can_change_event: bool,
}

impl Default for FunctionTrait {
    fn default() -> Self {
        Self {
            reads: PayloadReads { keys: FieldSet::All, may_mutate: true, arguments: ArgumentsForm::Text },
            guard: true,
            can_change_event: true,
        }
    }
}

impl FunctionTraits {
    /// The function with a name that was passed to a call at a path.
    pub(crate) fn registered_function(
        &self,
        name: &str,
        call: Option<(usize, usize)>,
        steps: &[ArgumentStep],
    ) -> FunctionTrait {
        if name != LAMBDA {
            return self.named_function(name);
        }
        let known = call.and_then(|call| self.registered_lambdas.get(&(call, steps.to_vec())));
        known.or(self.only_lambda.as_ref()).cloned().unwrap_or_default()
    }

    /// The `def` function with this name.
    pub(crate) fn named_function(&self, name: &str) -> FunctionTrait {
        self.named_defs.get(name).cloned().unwrap_or_default()
    }
}

/// The name of every lambda.
pub(crate) const LAMBDA: &str = "lambda";

/// Collects all functions that the text says something about.
pub(super) fn collect_functions(script: &ResolvedScript<'_>) -> FunctionTraits {
    let mut found = FunctionTraits::default();
    let mut reader = ClosureReader::new(script);
    for (name, bindings) in script.names.iter() {
        if let [function] = bindings.iter().filter_map(NameBinding::function).collect::<Vec<_>>()[..] {
            found.named_defs.insert(name.to_owned(), traits_of(&mut reader, function));
        }
    }
    let mut lambdas = Vec::new();
    for expr in &script.expressions {
        match &expr.node {
            Expr::Lambda(lambda) => lambdas.push(FunctionNode::from_lambda(lambda)),
            Expr::Call(callee, call) => {
                let name = identifier_name(callee).unwrap_or_default();
                if REGISTRATIONS.contains(&name) && !script.names.contains(name) {
                    ArgumentPaths { reader: &mut reader, call: span_of(expr), traits: &mut found }
                        .visit_arguments(&call.args);
                }
            }
            _ => {}
        }
    }
    if let [lambda] = lambdas[..] {
        found.only_lambda = Some(traits_of(&mut reader, lambda));
    }
    found
}

/// The paths in the arguments of one call.
struct ArgumentPaths<'f, 's, 'a> {
    reader: &'f mut ClosureReader<'s, 'a>,
    call: (usize, usize),
    traits: &'f mut FunctionTraits,
}

impl<'a> ArgumentPaths<'_, '_, 'a> {
    fn visit_arguments(mut self, arguments: &'a [AstArgument]) {
        if arguments.iter().any(is_spread) {
            return;
        }
        for (position, argument) in arguments.iter().enumerate() {
            let step = match &argument.node {
                ArgumentNode::Named(name, _) => ArgumentStep::Key(name.node.clone()),
                _ => ArgumentStep::Index(position),
            };
            self.visit_value(argument.node.expr(), vec![step]);
        }
    }

    fn visit_value(&mut self, expr: &'a AstExpr, steps: Vec<ArgumentStep>) {
        let longer = |step| steps.iter().cloned().chain([step]).collect::<Vec<_>>();
        match &expr.node {
            Expr::Lambda(lambda) => {
                let traits = traits_of(self.reader, FunctionNode::from_lambda(lambda));
                self.traits.registered_lambdas.insert((self.call, steps), traits);
            }
            Expr::Dict(entries) => {
                for (key, value) in entries {
                    if let Some(key) = string_literal(key) {
                        self.visit_value(value, longer(ArgumentStep::Key(key.to_owned())));
                    }
                }
            }
            Expr::List(items) | Expr::Tuple(items) => {
                for (position, item) in items.iter().enumerate() {
                    self.visit_value(item, longer(ArgumentStep::Index(position)));
                }
            }
            _ => {}
        }
    }
}

fn traits_of<'a>(reader: &mut ClosureReader<'_, 'a>, function: FunctionNode<'a>) -> FunctionTrait {
    let returned = function.returned_values();
    // Return values of nested functions are included as well.
    let may_stop = |keys| !returned.iter().all(|value| lets_pass(value, keys));
    FunctionTrait {
        reads: reader.reads_of(function).unwrap_or_else(|| FunctionTrait::default().reads),
        guard: may_stop(HARMLESS),
        can_change_event: may_stop(QUIET),
    }
}

/// Whether a returned value lets the event pass: it is no table, or one with only these keys.
fn lets_pass(value: &AstExpr, keys: &[&str]) -> bool {
    match &value.node {
        Expr::Identifier(name) => matches!(name.ident.as_str(), "None" | "True"),
        Expr::Dict(entries) => {
            entries.iter().all(|(key, _)| string_literal(key).is_some_and(|key| keys.contains(&key)))
        }
        Expr::If(parts) => lets_pass(&parts.1, keys) && lets_pass(&parts.2, keys),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use starlark::syntax::{AstModule, Dialect};

    use super::super::reads::tests::describe;
    use super::*;
    use crate::language::dialect;

    fn functions_of(text: &str) -> FunctionTraits {
        let dialect = Dialect { enable_top_level_stmt: true, ..dialect() };
        collect_functions(&ResolvedScript::new(&AstModule::parse("t", text.to_owned(), &dialect).unwrap()))
    }

    fn describe_traits(traits: &FunctionTrait) -> String {
        describe(&traits.reads.keys)
    }

    #[test]
    fn a_lambda_that_is_written_where_it_is_handed_over_is_known_and_no_other() {
        let cases = [
            ("lambda e: e[\"x\"][\"y\"] + e.get(\"z\", \"\")", Some("x(y) z")),
            ("lambda e: None", Some("?")),
            ("lambda e: e", Some("*")),
            ("lambda e: [e for e in [1]]", Some("*")),
            ("lambda e: helper(e)", Some("h")),
            ("lambda *all: None", Some("*")),
            ("{\"pre\": [lambda e: e[\"x\"]]}", Some("x")),
            ("helper(lambda e: e[\"x\"])", None),
            ("None if True else lambda e: e[\"x\"]", None),
            ("*[lambda e: e[\"x\"]]", None),
        ];
        for (handed, expected) in cases {
            let text = format!(
                "def helper(x):\n  return x[\"h\"]\nother = lambda e: e[\"other\"]\n\
                 register_session_hook(\"post_turn\", {handed})\n"
            );
            let found = functions_of(&text);
            assert!(found.only_lambda.is_none() || !handed.contains("lambda"), "{handed}");
            assert_eq!(found.registered_lambdas.values().next().map(describe_traits).as_deref(), expected, "{handed}");
        }
        let only =
            functions_of("def by(n):\n  return lambda e: e[\"x\"] + n\nregister_session_hook(\"post_turn\", by(1))\n");
        assert_eq!(describe_traits(&only.registered_function(LAMBDA, None, &[])), "x");
    }

    #[test]
    fn a_def_is_known_by_its_name_when_it_is_the_only_one() {
        let nested = functions_of("def by(n):\n  def hook(e):\n    return {\"args\": [e[\"x\"]]}\n  return hook\n");
        let hook = nested.registered_function("hook", None, &[]);
        assert_eq!((describe_traits(&hook), hook.guard), (String::from("x"), false));
        let two = functions_of("def f(e):\n  return None\ndef g():\n  def f(e):\n    return False\n  return f\n");
        assert_eq!(two.named_function("f"), FunctionTrait::default());
    }

    #[test]
    fn own_function_named_like_a_registration_is_not_a_registration() {
        let text = "def register_tool_hook(table):\n  return table\nregister_tool_hook(lambda e: e[\"x\"])\n";
        assert!(functions_of(text).registered_lambdas.is_empty());
    }
}
