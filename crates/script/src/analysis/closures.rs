//! What the functions of a plugin read of the event, and whether they can deny.
//!
//! A function value knows where it is written, which is where its `def` or `lambda` is found. Any other function is
//! assumed to read everything and to be able to deny.

use std::collections::BTreeMap;

use starlark::codemap::Span;
use starlark::syntax::ast::{AstExpr, Expr, Stmt};

use super::ast::{FunctionNode, string_literal};
use super::payload_reads::PayloadReads;
use super::reads::{PayloadReader, UNKNOWN};
use super::resolved::ResolvedScript;

/// Keys of a returned table that neither deny nor ask.
const HARMLESS: &[&str] = &["reminder", "result", "output", "args", "truncated", "dropped_bytes"];

/// Keys of a returned table that change nothing.
const QUIET: &[&str] = &["reminder"];

/// The functions of a plugin, by the spans of their signatures.
#[derive(Debug, Default)]
pub(crate) struct FunctionTraits(BTreeMap<Span, FunctionTrait>);

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
        Self { reads: UNKNOWN, guard: true, can_change_event: true }
    }
}

impl FunctionTraits {
    /// The function with a signature.
    pub(crate) fn find(&self, signature: Option<Span>) -> FunctionTrait {
        signature.and_then(|signature| self.0.get(&signature)).cloned().unwrap_or_default()
    }
}

/// Collects all functions of a script.
pub(super) fn collect_functions(script: &ResolvedScript<'_>) -> FunctionTraits {
    let mut reader = PayloadReader::new(script);
    let defs = script.statements.iter().filter_map(|stmt| match &stmt.node {
        Stmt::Def(def) => Some((def.signature_span(), FunctionNode::from_def(def))),
        _ => None,
    });
    let lambdas = script.expressions.iter().filter_map(|expr| match &expr.node {
        Expr::Lambda(lambda) => Some((lambda.signature_span(), FunctionNode::from_lambda(lambda))),
        _ => None,
    });
    FunctionTraits(defs.chain(lambdas).map(|(span, function)| (span, traits_of(&mut reader, function))).collect())
}

fn traits_of<'a>(reader: &mut PayloadReader<'_, 'a>, function: FunctionNode<'a>) -> FunctionTrait {
    let returned = function.returned_values();
    // Return values of nested functions are included as well.
    let may_stop = |keys| !returned.iter().all(|value| lets_pass(value, keys));
    FunctionTrait {
        reads: reader.reads_of(function, 0).unwrap_or(UNKNOWN),
        guard: may_stop(HARMLESS),
        can_change_event: may_stop(QUIET),
    }
}

/// Whether a returned value lets the event pass: it is not a table, or one with only these keys.
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

    /// What the function reads whose signature contains the first of the texts.
    fn describe_function(text: &str, part: &str) -> Option<String> {
        let at = text.find(part).unwrap() as u32;
        let found = functions_of(text);
        let function = found.0.iter().find(|(span, _)| span.begin().get() <= at && at <= span.end().get());
        function.map(|(_, traits)| describe(&traits.reads.keys))
    }

    #[test]
    fn a_lambda_is_known_wherever_it_is_written() {
        let cases = [
            ("lambda e_: e_[\"x\"][\"y\"] + e_.get(\"z\", \"\")", "x(y) z"),
            ("lambda e_: None", "?"),
            ("lambda e_: e_", "*"),
            ("lambda e_: [e_ for e_ in [1]]", "*"),
            ("lambda e_: helper(e_)", "h"),
            ("lambda *e_: None", "*"),
            ("{\"pre\": [lambda e_: e_[\"x\"]]}", "x"),
            ("helper(lambda e_: e_[\"x\"])", "x"),
            ("None if True else lambda e_: e_[\"x\"]", "x"),
            ("*[lambda e_: e_[\"x\"]]", "x"),
            ("(lambda n: lambda e_: e_[\"x\"] + n)(1)", "x"),
        ];
        for (handed, expected) in cases {
            let text = format!(
                "def helper(x):\n  return x[\"h\"]\nother = lambda e: e[\"other\"]\n\
                 register_session_hook(\"post_turn\", {handed})\n"
            );
            assert_eq!(describe_function(&text, "e_").as_deref(), Some(expected), "{handed}");
        }
        assert_eq!(functions_of("").find(None), FunctionTrait::default());
    }

    #[test]
    fn a_def_is_known_even_if_another_has_its_name() {
        let nested = functions_of("def by(n):\n  def hook(e):\n    return {\"args\": [e[\"x\"]]}\n  return hook\n");
        let guards: Vec<bool> = nested.0.values().map(|traits| traits.guard).collect();
        // The return values of the inner function are counted as those of the outer one, too.
        assert_eq!(guards, [true, false]);
        let two = "def f(e_):\n  return e_[\"x\"]\ndef g():\n  def f(e__):\n    return e__[\"y\"]\n  return f\n";
        assert_eq!(describe_function(two, "e_)").as_deref(), Some("x"));
        assert_eq!(describe_function(two, "e__)").as_deref(), Some("y"));
    }
}
