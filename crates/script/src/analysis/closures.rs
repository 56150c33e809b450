//! What the functions of a plugin read of the event, and whether they can deny.
//!
//! A function value says little about its source. One that was made with `def` is known by its name, when only one `def`
//! of the module has it; a `lambda` by the place where it was handed over, which is the span of the registration call and
//! the way from there to where it is written, or by being the only one of the module. Any other reads everything and can
//! deny.

use std::collections::{BTreeMap, BTreeSet};

use starlark::syntax::ast::{AstArgument, AstExpr, AstNoPayload, AstParameter, AstStmt, DefP, Expr, LambdaP, Stmt};

use super::names::bound;
use super::reads::{self, Body};
use super::walk::{Argument, expressions, identifier, span, statements, string};
use super::{ArgumentsForm, Keys, Reads};
use crate::globals::REGISTRATIONS;

/// Keys of a table that a function may return without denying or asking (Harn, Return-value protocol).
const HARMLESS: &[&str] = &["reminder", "result", "output", "args", "truncated", "dropped_bytes"];

/// Keys of a table that changes nothing either.
const QUIET: &[&str] = &["reminder"];

/// The functions of a plugin, as far as the text tells.
#[derive(Debug, Default)]
pub(crate) struct Closures {
    /// Those of `lambda`, by registration call and way into its arguments.
    handed: BTreeMap<((usize, usize), Vec<Step>), Traits>,
    /// Those of `def`, by name.
    named: BTreeMap<String, Traits>,
    /// That of the only `lambda` of the module.
    only_lambda: Option<Traits>,
}

/// A step into the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Into the argument or item at a position.
    At(usize),
    /// Into the argument or field of a name.
    Key(String),
}

/// What the text tells about a function of one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Traits {
    /// What it reads of the event.
    pub(crate) reads: Reads,
    /// Whether it can deny or ask.
    pub(crate) guard: bool,
    /// Whether it can rewrite or refuse.
    pub(crate) shapes: bool,
}

impl Default for Traits {
    fn default() -> Self {
        Self {
            reads: Reads { keys: Keys::All, mutates: true, arguments: ArgumentsForm::Text },
            guard: true,
            shapes: true,
        }
    }
}

impl Closures {
    /// The function of a name that a call was given at a place.
    pub(crate) fn handed(&self, name: &str, call: Option<(usize, usize)>, way: &[Step]) -> Traits {
        if name != LAMBDA {
            return self.named(name);
        }
        let known = call.and_then(|call| self.handed.get(&(call, way.to_vec())));
        known.or(self.only_lambda.as_ref()).cloned().unwrap_or_default()
    }

    /// The function that was made with a `def` of this name.
    pub(crate) fn named(&self, name: &str) -> Traits {
        self.named.get(name).cloned().unwrap_or_default()
    }
}

/// The name of every function without one.
pub(crate) const LAMBDA: &str = "lambda";

type Def = DefP<AstNoPayload>;
type Lambda = LambdaP<AstNoPayload>;

/// Looks for all functions that the text tells something about.
pub(super) fn closures(root: &AstStmt) -> Closures {
    let mut found = Closures::default();
    let mut twice = BTreeSet::new();
    statements(root, &mut |stmt| {
        if let Stmt::Def(def) = &stmt.node {
            let name = def.name.ident.clone();
            if found.named.insert(name.clone(), of_def(root, def)).is_some() {
                twice.insert(name);
            }
        }
    });
    found.named.retain(|name, _| !twice.contains(name));
    let bound = bound(root);
    let mut lambdas = Vec::new();
    expressions(root, &mut |expr| match &expr.node {
        Expr::Lambda(lambda) => lambdas.push(lambda),
        Expr::Call(callee, call) => {
            let name = identifier(callee).unwrap_or_default();
            if REGISTRATIONS.contains(&name) && !bound.contains(name) {
                Ways { root, call: span(expr), found: &mut found }.arguments(&call.args);
            }
        }
        _ => {}
    });
    if let [lambda] = lambdas[..] {
        found.only_lambda = Some(of_lambda(root, lambda));
    }
    found
}

/// The ways into the arguments of one call.
struct Ways<'a, 'f> {
    root: &'a AstStmt,
    call: (usize, usize),
    found: &'f mut Closures,
}

impl<'a> Ways<'a, '_> {
    fn arguments(mut self, arguments: &'a [AstArgument]) {
        if arguments.iter().any(|given| matches!(given.node, Argument::Args(_) | Argument::KwArgs(_))) {
            return;
        }
        for (position, argument) in arguments.iter().enumerate() {
            let step = match &argument.node {
                Argument::Named(name, _) => Step::Key(name.node.clone()),
                _ => Step::At(position),
            };
            self.value(argument.node.expr(), vec![step]);
        }
    }

    fn value(&mut self, expr: &'a AstExpr, way: Vec<Step>) {
        let longer = |step| way.iter().cloned().chain([step]).collect::<Vec<_>>();
        match &expr.node {
            Expr::Lambda(lambda) => {
                self.found.handed.insert((self.call, way), of_lambda(self.root, lambda));
            }
            Expr::Dict(entries) => {
                for (key, value) in entries {
                    if let Some(key) = string(key) {
                        self.value(value, longer(Step::Key(key.to_owned())));
                    }
                }
            }
            Expr::List(items) | Expr::Tuple(items) => {
                for (position, item) in items.iter().enumerate() {
                    self.value(item, longer(Step::At(position)));
                }
            }
            _ => {}
        }
    }
}

fn of_def(root: &AstStmt, def: &Def) -> Traits {
    let reads = reads_of(root, &def.params, Body::Block(&def.body));
    Traits { reads, guard: !passes(&def.body, HARMLESS), shapes: !passes(&def.body, QUIET) }
}

fn of_lambda(root: &AstStmt, lambda: &Lambda) -> Traits {
    let (reads, body) = (reads_of(root, &lambda.params, Body::Value(&lambda.body)), &lambda.body);
    Traits { reads, guard: !lets_pass(body, HARMLESS), shapes: !lets_pass(body, QUIET) }
}

fn reads_of(root: &AstStmt, parameters: &[AstParameter], body: Body<'_>) -> Reads {
    reads::of_closure(root, parameters, body).unwrap_or_else(|| Traits::default().reads)
}

/// Whether all that a body returns lets the event pass, with a table of these keys or without one. What a function inside
/// it returns is its own, and counted nevertheless.
fn passes(body: &AstStmt, keys: &[&str]) -> bool {
    let mut all = true;
    statements(body, &mut |stmt| {
        if let Stmt::Return(Some(value)) = &stmt.node {
            all &= lets_pass(value, keys);
        }
    });
    all
}

fn lets_pass(value: &AstExpr, keys: &[&str]) -> bool {
    match &value.node {
        Expr::Identifier(name) => matches!(name.ident.as_str(), "None" | "True"),
        Expr::Dict(entries) => entries.iter().all(|(key, _)| string(key).is_some_and(|key| keys.contains(&key))),
        Expr::If(parts) => lets_pass(&parts.1, keys) && lets_pass(&parts.2, keys),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use starlark::syntax::{AstModule, Dialect};

    use super::super::reads::tests::shape;
    use super::*;
    use crate::load::dialect;

    fn of(text: &str) -> Closures {
        let dialect = Dialect { enable_top_level_stmt: true, ..dialect() };
        closures(AstModule::parse("t", text.to_owned(), &dialect).unwrap().statement())
    }

    fn shaped(traits: &Traits) -> String {
        shape(&traits.reads.keys)
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
            let found = of(&text);
            assert!(found.only_lambda.is_none() || !handed.contains("lambda"), "{handed}");
            assert_eq!(found.handed.values().next().map(shaped).as_deref(), expected, "{handed}");
        }
        let only = of("def by(n):\n  return lambda e: e[\"x\"] + n\nregister_session_hook(\"post_turn\", by(1))\n");
        assert_eq!(shaped(&only.handed(LAMBDA, None, &[])), "x");
    }

    #[test]
    fn a_def_is_known_by_its_name_when_it_is_the_only_one() {
        let nested = of("def by(n):\n  def hook(e):\n    return {\"args\": [e[\"x\"]]}\n  return hook\n");
        let hook = nested.handed("hook", None, &[]);
        assert_eq!((shaped(&hook), hook.guard), (String::from("x"), false));
        let two = of("def f(e):\n  return None\ndef g():\n  def f(e):\n    return False\n  return f\n");
        assert_eq!(two.named("f"), Traits::default());
    }

    #[test]
    fn a_function_of_the_plugins_own_that_is_called_like_a_registration_is_none() {
        let text = "def register_tool_hook(table):\n  return table\nregister_tool_hook(lambda e: e[\"x\"])\n";
        assert!(of(text).handed.is_empty());
    }
}
