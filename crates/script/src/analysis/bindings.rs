//! The values that the names of a script may have, as far as its text shows.
//!
//! Names are those of the whole module: two functions with a variable of the same name share its values, so that nothing
//! that a name may have is missed.

use std::collections::{BTreeMap, BTreeSet};

use starlark::codemap::Spanned;
use starlark::syntax::ast::{AssignTarget, AstAssignTarget, AstExpr, AstStmt, Expr, ParameterP, Stmt};

use super::ast::{
    ArgumentNode, MUTATORS, ParameterNode, comprehension_loops, identifier_name, span_of, visit_expressions,
    visit_statements,
};

type ParameterList<'a> = &'a [Spanned<ParameterNode>];

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

/// A function of the script.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScriptFunction<'a> {
    parameters: ParameterList<'a>,
    body: ScriptFunctionBody<'a>,
}

#[derive(Debug, Clone, Copy)]
enum ScriptFunctionBody<'a> {
    Block(&'a AstStmt),
    Value(&'a AstExpr),
}

/// The values of the names of a script.
#[derive(Debug, Default)]
pub(super) struct NameBindings<'a> {
    values: BTreeMap<&'a str, Vec<&'a AstExpr>>,
    functions: BTreeMap<&'a str, Vec<ScriptFunction<'a>>>,
    parameters: BTreeSet<&'a str>,
}

impl<'a> NameBindings<'a> {
    /// Reads a module.
    pub(super) fn read_module(root: &'a AstStmt) -> Self {
        let mut bindings = Self::default();
        visit_statements(root, &mut |stmt| bindings.read_statement(stmt));
        visit_expressions(root, &mut |expr| bindings.read_expression(expr));
        let mut search = ValueSearch::default();
        // A function that is an argument is known when the call that passes it was read.
        for _ in 0..2 {
            let mut calls = Vec::new();
            visit_expressions(root, &mut |expr| {
                if let Expr::Call(callee, call) = &expr.node {
                    let functions = bindings.functions_of(callee, &mut search);
                    calls.extend(functions.into_iter().map(|function| (function, &call.args)));
                }
            });
            for (function, arguments) in calls {
                bindings.bind_arguments(function, arguments.iter().map(|argument| &argument.node));
            }
        }
        bindings
    }

    /// The values that a name may have.
    pub(super) fn values_of(&self, name: &str) -> &[&'a AstExpr] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a function has a parameter of this name.
    pub(super) fn is_parameter(&self, name: &str) -> bool {
        self.parameters.contains(name)
    }

    /// The functions that an expression may be.
    pub(super) fn functions_of(&self, callee: &'a AstExpr, search: &mut ValueSearch<'a>) -> Vec<ScriptFunction<'a>> {
        let mut found = Vec::new();
        search.ask_aside(|search| self.collect_functions(callee, search, &mut found));
        found
    }

    /// The values that a call may return, as far as its functions were not visited before.
    pub(super) fn results_of(&self, callee: &'a AstExpr, search: &mut ValueSearch<'a>) -> Vec<&'a AstExpr> {
        let mut functions = self.functions_of(callee, search);
        functions.retain(|function| search.functions.insert(function.position()));
        functions.into_iter().flat_map(ScriptFunction::results).collect()
    }

    fn collect_functions(
        &self,
        callee: &'a AstExpr,
        search: &mut ValueSearch<'a>,
        functions: &mut Vec<ScriptFunction<'a>>,
    ) {
        search.enter(|search| match &callee.node {
            Expr::Lambda(lambda) => {
                functions
                    .push(ScriptFunction { parameters: &lambda.params, body: ScriptFunctionBody::Value(&lambda.body) });
            }
            Expr::Identifier(name) if search.is_new(&name.ident) => {
                functions.extend(self.functions.get(name.ident.as_str()).into_iter().flatten());
                self.values_of(&name.ident).iter().for_each(|value| self.collect_functions(value, search, functions));
            }
            Expr::Identifier(_) => {}
            // A function in a table, a list or a condition.
            Expr::Index(parts) => self.collect_functions(&parts.0, search, functions),
            Expr::Dot(base, method) if method.node == "get" => self.collect_functions(base, search, functions),
            Expr::Call(base, _) => {
                let mut makers = Vec::new();
                self.collect_functions(base, search, &mut makers);
                let results = makers.into_iter().flat_map(ScriptFunction::results);
                results.for_each(|result| self.collect_functions(result, search, functions));
            }
            Expr::Dict(items) => items.iter().for_each(|(_, value)| self.collect_functions(value, search, functions)),
            Expr::List(items) | Expr::Tuple(items) => {
                items.iter().for_each(|value| self.collect_functions(value, search, functions));
            }
            Expr::If(parts) => {
                self.collect_functions(&parts.1, search, functions);
                self.collect_functions(&parts.2, search, functions);
            }
            _ => {}
        });
    }

    fn read_statement(&mut self, stmt: &'a AstStmt) {
        match &stmt.node {
            Stmt::Assign(assign) => self.bind(&assign.lhs, &assign.rhs),
            Stmt::AssignModify(target, _, value) => self.bind(target, value),
            Stmt::For(each) => self.bind(&each.var, &each.over),
            Stmt::Def(def) => {
                self.read_parameters(&def.params);
                let function = ScriptFunction { parameters: &def.params, body: ScriptFunctionBody::Block(&def.body) };
                self.functions.entry(&def.name.ident).or_default().push(function);
            }
            _ => {}
        }
    }

    fn read_expression(&mut self, expr: &'a AstExpr) {
        match &expr.node {
            Expr::Lambda(lambda) => self.read_parameters(&lambda.params),
            Expr::Call(callee, call) => {
                if let Expr::Dot(base, method) = &callee.node
                    && MUTATORS.contains(&method.node.as_str())
                {
                    call.args.iter().for_each(|argument| self.add_to(base, argument.expr()));
                }
            }
            _ => comprehension_loops(expr).for_each(|each| self.bind(&each.var, &each.over)),
        }
    }

    fn read_parameters(&mut self, parameters: ParameterList<'a>) {
        for parameter in parameters {
            let Some(name) = parameter.ident() else { continue };
            self.parameters.insert(&name.ident);
            if let ParameterP::Normal(_, _, Some(default)) = &parameter.node {
                self.add_value(&name.ident, default);
            }
        }
    }

    fn bind(&mut self, target: &'a AstAssignTarget, value: &'a AstExpr) {
        match (&target.node, &value.node) {
            (AssignTarget::Identifier(name), _) => self.add_value(&name.ident, value),
            (AssignTarget::Tuple(targets), Expr::Tuple(values) | Expr::List(values))
                if targets.len() == values.len() =>
            {
                targets.iter().zip(values).for_each(|(target, value)| self.bind(target, value));
            }
            (AssignTarget::Tuple(targets), _) => targets.iter().for_each(|target| self.bind(target, value)),
            (AssignTarget::Index(parts), _) => {
                self.add_to(&parts.0, &parts.1);
                self.add_to(&parts.0, value);
            }
            (AssignTarget::Dot(..), _) => {}
        }
    }

    /// Adds a value to what a list or table contains.
    fn add_to(&mut self, container: &'a AstExpr, value: &'a AstExpr) {
        match &container.node {
            Expr::Identifier(name) => self.add_value(&name.ident, value),
            Expr::Index(parts) => self.add_to(&parts.0, value),
            _ => {}
        }
    }

    fn bind_arguments(&mut self, function: ScriptFunction<'a>, arguments: impl Iterator<Item = &'a ArgumentNode>) {
        let named = || function.parameters.iter().filter_map(|parameter| parameter.ident());
        let rest = |is_rest: fn(&ParameterNode) -> bool| {
            function
                .parameters
                .iter()
                .find(|parameter| is_rest(&parameter.node))
                .and_then(|parameter| parameter.ident())
        };
        let ordinary = |parameter: &&'a Spanned<ParameterNode>| matches!(parameter.node, ParameterP::Normal(..));
        let mut positions = function.parameters.iter().filter(ordinary).filter_map(|parameter| parameter.ident());
        for argument in arguments {
            match argument {
                ArgumentNode::Positional(value) => {
                    let name = positions.next().or_else(|| rest(|parameter| matches!(parameter, ParameterP::Args(..))));
                    name.into_iter().for_each(|name| self.add_value(&name.ident, value));
                }
                ArgumentNode::Named(given, value) => {
                    let name = named().find(|name| name.ident == given.node);
                    let name = name.or_else(|| rest(|parameter| matches!(parameter, ParameterP::KwArgs(..))));
                    name.into_iter().for_each(|name| self.add_value(&name.ident, value));
                }
                ArgumentNode::Args(value) | ArgumentNode::KwArgs(value) => {
                    named().for_each(|name| self.add_value(&name.ident, value));
                }
            }
        }
    }

    fn add_value(&mut self, name: &'a str, value: &'a AstExpr) {
        let values = self.values.entry(name).or_default();
        if identifier_name(value) != Some(name) && !values.iter().any(|known| std::ptr::eq(*known, value)) {
            values.push(value);
        }
    }
}

impl<'a> ScriptFunction<'a> {
    fn position(self) -> usize {
        match self.body {
            ScriptFunctionBody::Value(value) => span_of(value).0,
            ScriptFunctionBody::Block(body) => span_of(body).0,
        }
    }

    fn results(self) -> Vec<&'a AstExpr> {
        let mut results = Vec::new();
        match self.body {
            ScriptFunctionBody::Value(value) => results.push(value),
            ScriptFunctionBody::Block(body) => visit_statements(body, &mut |stmt| {
                if let Stmt::Return(Some(value)) = &stmt.node {
                    results.push(value);
                }
            }),
        }
        results
    }
}
