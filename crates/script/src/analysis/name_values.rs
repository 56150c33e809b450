//! The values that the names of a script may have, as far as its text shows.
//!
//! Names are those of the whole module: two functions with a variable of the same name share its values, so that nothing
//! that a name may have is missed.

use std::collections::{BTreeMap, BTreeSet};

use starlark::syntax::ast::{AssignTargetP, AstArgument, AstExpr, Expr, Stmt};

use super::ast::{ArgumentNode, FunctionNode, MethodCall, ParameterNode, alternatives, identifier_name, target_parts};
use super::resolved::{NameBinding, ResolvedScript};

/// The nodes that the questions about one script may visit together; a longer search ends without an answer.
const MAX_VISITS: usize = 200_000;
/// The depth of a search, over calls and names.
const MAX_DEPTH: usize = 200;

/// What a search has visited.
#[derive(Debug, Default)]
pub(super) struct ValueSearch<'a> {
    /// The names whose values were visited.
    names: BTreeSet<&'a str>,
    /// The positions of the functions whose results were visited.
    functions: BTreeSet<usize>,
    depth: usize,
    visits: usize,
    /// Whether the search ended early, so that something may be missing.
    pub(super) is_cut: bool,
    /// Whether it came to a value from outside the script, such as a file.
    pub(super) reads_outside: bool,
}

impl<'a> ValueSearch<'a> {
    /// Begins a new question, under the same limit.
    pub(super) fn restart(&mut self) {
        self.names.clear();
        self.functions.clear();
        self.reads_outside = false;
    }

    /// Asks another question in the middle of this one.
    pub(super) fn ask_aside<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let (names, functions) = (std::mem::take(&mut self.names), std::mem::take(&mut self.functions));
        let answer = ask(self);
        (self.names, self.functions) = (names, functions);
        answer
    }

    /// Visits a part, unless the limits are reached.
    pub(super) fn enter<T: Default>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.visits += 1;
        if self.depth >= MAX_DEPTH || self.visits >= MAX_VISITS {
            self.is_cut = true;
            return T::default();
        }
        self.depth += 1;
        let found = visit(self);
        self.depth -= 1;
        found
    }

    /// Whether a name is visited for the first time.
    pub(super) fn is_new(&mut self, name: &'a str) -> bool {
        self.names.insert(name)
    }
}

/// The values of the names of a script.
pub(super) struct NameValues<'s, 'a> {
    script: &'s ResolvedScript<'a>,
    values: BTreeMap<&'a str, Vec<&'a AstExpr>>,
}

impl<'s, 'a> NameValues<'s, 'a> {
    pub(super) fn new(script: &'s ResolvedScript<'a>) -> Self {
        let mut values = Self { script, values: BTreeMap::new() };
        for (name, bindings) in script.names.iter() {
            bindings.iter().filter_map(NameBinding::source).for_each(|value| values.add_value(name, value));
        }
        for stmt in &script.statements {
            let (target, value) = match &stmt.node {
                Stmt::Assign(assign) => (&assign.lhs, &assign.rhs),
                Stmt::AssignModify(target, _, value) => (target, &**value),
                Stmt::For(each) => (&each.var, &each.over),
                _ => continue,
            };
            for part in target_parts(target) {
                if let AssignTargetP::Index(parts) = &part.node {
                    values.add_to(&parts.0, &parts.1);
                    values.add_to(&parts.0, value);
                }
            }
        }
        for call in
            script.expressions.iter().filter_map(|expr| MethodCall::from_expr(expr)).filter(MethodCall::is_mutator)
        {
            call.arguments.iter().for_each(|argument| values.add_to(call.base, argument.expr()));
        }
        let mut search = ValueSearch::default();
        // A function that is an argument is known when the call that passes it was read.
        for _ in 0..2 {
            let mut calls = Vec::new();
            for expr in &script.expressions {
                if let Expr::Call(callee, call) = &expr.node {
                    let functions = values.functions_of(callee, &mut search);
                    calls.extend(functions.into_iter().map(|function| (function, &call.args)));
                }
            }
            calls.into_iter().for_each(|(function, arguments)| values.bind_arguments(function, arguments));
        }
        values
    }

    /// The values that a name may have.
    pub(super) fn values_of(&self, name: &str) -> &[&'a AstExpr] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a function has a parameter of this name.
    pub(super) fn is_parameter(&self, name: &str) -> bool {
        self.script.names.find(name).iter().any(|binding| matches!(binding, NameBinding::Parameter(_)))
    }

    /// The functions that an expression may be.
    pub(super) fn functions_of(&self, callee: &'a AstExpr, search: &mut ValueSearch<'a>) -> Vec<FunctionNode<'a>> {
        let mut found = Vec::new();
        search.ask_aside(|search| self.collect_functions(callee, search, &mut found));
        found
    }

    /// The values that a call may return, as far as its functions were not visited before.
    pub(super) fn results_of(&self, callee: &'a AstExpr, search: &mut ValueSearch<'a>) -> Vec<&'a AstExpr> {
        let mut functions = self.functions_of(callee, search);
        functions.retain(|function| search.functions.insert(function.span().0));
        functions.iter().flat_map(FunctionNode::returned_values).collect()
    }

    fn collect_functions(
        &self,
        callee: &'a AstExpr,
        search: &mut ValueSearch<'a>,
        functions: &mut Vec<FunctionNode<'a>>,
    ) {
        search.enter(|search| match &callee.node {
            Expr::Lambda(lambda) => functions.push(FunctionNode::from_lambda(lambda)),
            Expr::Identifier(name) if search.is_new(&name.ident) => {
                functions.extend(self.script.names.find(&name.ident).iter().filter_map(NameBinding::function));
                self.values_of(&name.ident).iter().for_each(|value| self.collect_functions(value, search, functions));
            }
            // A function in a table, a list or a condition.
            Expr::Index(parts) => self.collect_functions(&parts.0, search, functions),
            Expr::Dot(base, method) if method.node == "get" => self.collect_functions(base, search, functions),
            Expr::Call(base, _) => {
                let mut makers = Vec::new();
                self.collect_functions(base, search, &mut makers);
                let results = makers.iter().flat_map(FunctionNode::returned_values);
                results.for_each(|result| self.collect_functions(result, search, functions));
            }
            Expr::Dict(items) => items.iter().for_each(|(_, value)| self.collect_functions(value, search, functions)),
            Expr::List(items) | Expr::Tuple(items) => {
                items.iter().for_each(|value| self.collect_functions(value, search, functions));
            }
            Expr::If(_) => {
                let values = alternatives(callee).into_iter().flatten();
                values.for_each(|value| self.collect_functions(value, search, functions));
            }
            _ => {}
        });
    }

    /// Adds a value to what a list or table contains.
    fn add_to(&mut self, container: &'a AstExpr, value: &'a AstExpr) {
        match &container.node {
            Expr::Identifier(name) => self.add_value(&name.ident, value),
            Expr::Index(parts) => self.add_to(&parts.0, value),
            _ => {}
        }
    }

    fn bind_arguments(&mut self, function: FunctionNode<'a>, arguments: &'a [AstArgument]) {
        let rest = |is_rest: fn(&ParameterNode) -> bool| {
            let parameter = function.parameters.iter().find(|parameter| is_rest(&parameter.node));
            parameter.and_then(|parameter| parameter.ident()).map(|name| name.ident.as_str())
        };
        let mut positions = (0..function.parameters.len()).filter_map(|position| function.plain_parameter(position));
        for argument in arguments {
            let names: Vec<&str> = match &argument.node {
                ArgumentNode::Positional(_) => {
                    let name =
                        positions.next().or_else(|| rest(|parameter| matches!(parameter, ParameterNode::Args(..))));
                    name.into_iter().collect()
                }
                ArgumentNode::Named(given, _) => {
                    let name = function.parameter_names().find(|name| *name == given.node);
                    let name = name.or_else(|| rest(|parameter| matches!(parameter, ParameterNode::KwArgs(..))));
                    name.into_iter().collect()
                }
                ArgumentNode::Args(_) | ArgumentNode::KwArgs(_) => function.parameter_names().collect(),
            };
            names.into_iter().for_each(|name| self.add_value(name, argument.expr()));
        }
    }

    fn add_value(&mut self, name: &'a str, value: &'a AstExpr) {
        let values = self.values.entry(name).or_default();
        if identifier_name(value) != Some(name) && !values.iter().any(|known| std::ptr::eq(*known, value)) {
            values.push(value);
        }
    }
}
