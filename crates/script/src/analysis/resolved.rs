//! A script as all passes read it: its statements and expressions, and what binds its names.
//!
//! Names are those of the whole text that was read: a name bound in one function counts as bound in all.

use std::collections::{BTreeMap, BTreeSet};

use starlark::syntax::AstModule;
use starlark::syntax::ast::{AssignTargetP, AstAssignTarget, AstExpr, AstStmt, Expr, Stmt};

use super::ast::{
    DefNode, FunctionNode, MethodCall, block_statements, comprehension_loops, expressions_in, identifier_name,
    nested_expressions, statements_in, target_name, target_names,
};

/// Namespaces with functions that have the names of methods, and change no value.
const NAMESPACES: &[&str] = &["cache", "ctx", "set"];

/// A script whose names are resolved.
pub(crate) struct ResolvedScript<'a> {
    pub(super) ast: &'a AstModule,
    /// Every statement, outermost first.
    pub(crate) statements: Vec<&'a AstStmt>,
    /// Every expression, outermost first.
    pub(crate) expressions: Vec<&'a AstExpr>,
    pub(super) names: BoundNames<'a>,
}

impl<'a> ResolvedScript<'a> {
    pub(crate) fn new(ast: &'a AstModule) -> Self {
        let (statements, expressions) = (statements_in(ast.statement()), expressions_in(ast.statement()));
        let names = BoundNames::read(&statements, &expressions);
        Self { ast, statements, expressions, names }
    }

    pub(crate) fn root(&self) -> &'a AstStmt {
        self.ast.statement()
    }

    /// Every name that the script binds.
    pub(crate) fn bound_names(&self) -> BTreeSet<&'a str> {
        self.names.iter().map(|(name, _)| name).collect()
    }

    /// Whether the script binds a name anywhere.
    pub(crate) fn binds(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The top-level functions; `None` if the top level gives one of their names another meaning.
    pub(crate) fn top_level_functions(&self) -> Option<BTreeMap<&'a str, FunctionNode<'a>>> {
        let mut functions = BTreeMap::new();
        let mut others = BoundNames::default();
        for stmt in block_statements(self.root()) {
            match &stmt.node {
                Stmt::Def(def) => {
                    if functions.insert(def.name.ident.as_str(), FunctionNode::from_def(def)).is_some() {
                        return None;
                    }
                }
                _ => others.extend(&statements_in(stmt), &expressions_in(stmt)),
            }
        }
        (!functions.keys().any(|name| others.contains(name))).then_some(functions)
    }

    /// Whether a method call may change the value before the dot.
    pub(super) fn changes_base(&self, call: &MethodCall<'a>) -> bool {
        let is_namespace = |name: &str| NAMESPACES.contains(&name) && !self.names.contains(name);
        call.is_mutator() && !identifier_name(call.base).is_some_and(is_namespace)
    }
}

/// One place where a name is bound.
#[derive(Debug, Clone, Copy)]
pub(super) enum NameBinding<'a> {
    /// A `def`.
    Function(&'a DefNode),
    /// A parameter of a `def` or a `lambda`, and its default.
    Parameter(Option<&'a AstExpr>),
    /// `name = value`.
    Value(&'a AstExpr),
    /// `name op= value`.
    Augmented(&'a AstExpr),
    /// A part of a value: by unpacking, by a loop or in a comprehension.
    Part(&'a AstExpr),
}

impl<'a> NameBinding<'a> {
    /// The whole value, if the text shows it.
    pub(super) fn value(&self) -> Option<&'a AstExpr> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn function(&self) -> Option<FunctionNode<'a>> {
        match self {
            Self::Function(def) => Some(FunctionNode::from_def(def)),
            _ => None,
        }
    }

    /// The expression from which the name gets its value, or a part of it.
    pub(super) fn source(&self) -> Option<&'a AstExpr> {
        match *self {
            Self::Function(_) => None,
            Self::Parameter(default) => default,
            Self::Value(value) | Self::Augmented(value) | Self::Part(value) => Some(value),
        }
    }
}

/// The bindings of names.
#[derive(Default)]
pub(super) struct BoundNames<'a> {
    names: BTreeMap<&'a str, Vec<NameBinding<'a>>>,
}

impl<'a> BoundNames<'a> {
    /// The bindings in the body of a function.
    pub(super) fn in_function(function: &FunctionNode<'a>) -> Self {
        let expressions: Vec<&AstExpr> =
            function.outermost_expressions().into_iter().flat_map(nested_expressions).collect();
        Self::read(&function.statements(), &expressions)
    }

    fn read(statements: &[&'a AstStmt], expressions: &[&'a AstExpr]) -> Self {
        let mut found = Self::default();
        found.extend(statements, expressions);
        found
    }

    pub(super) fn find(&self, name: &str) -> &[NameBinding<'a>] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, &[NameBinding<'a>])> {
        self.names.iter().map(|(name, bindings)| (*name, bindings.as_slice()))
    }

    fn extend(&mut self, statements: &[&'a AstStmt], expressions: &[&'a AstExpr]) {
        for stmt in statements {
            match &stmt.node {
                Stmt::Def(def) => {
                    self.bind(&def.name.ident, NameBinding::Function(def));
                    self.bind_parameters(FunctionNode::from_def(def));
                }
                Stmt::Assign(assign) => match target_name(&assign.lhs) {
                    Some(name) => self.bind(name, NameBinding::Value(&assign.rhs)),
                    None => self.bind_unpacked(&assign.lhs, &assign.rhs),
                },
                Stmt::AssignModify(target, _, value) => {
                    target_names(target).into_iter().for_each(|name| self.bind(name, NameBinding::Augmented(value)));
                }
                Stmt::For(each) => self.bind_items(&each.var, &each.over),
                _ => {}
            }
        }
        for expr in expressions {
            match &expr.node {
                Expr::Lambda(lambda) => self.bind_parameters(FunctionNode::from_lambda(lambda)),
                _ => comprehension_loops(expr).for_each(|each| self.bind_items(&each.var, &each.over)),
            }
        }
    }

    fn bind_parameters(&mut self, function: FunctionNode<'a>) {
        function.parameter_names().for_each(|name| {
            let default = function.defaults().find(|(parameter, _)| *parameter == name);
            self.bind(name, NameBinding::Parameter(default.map(|(_, default)| default)));
        });
    }

    /// Each name may be any part of any item of a loop.
    fn bind_items(&mut self, target: &'a AstAssignTarget, over: &'a AstExpr) {
        target_names(target).into_iter().for_each(|name| self.bind(name, NameBinding::Part(over)));
    }

    /// Values that are unpacked go to the targets beside them, if the text shows which these are.
    fn bind_unpacked(&mut self, target: &'a AstAssignTarget, value: &'a AstExpr) {
        match (&target.node, &value.node) {
            (AssignTargetP::Tuple(targets), Expr::Tuple(values) | Expr::List(values))
                if targets.len() == values.len() =>
            {
                targets.iter().zip(values).for_each(|(target, value)| self.bind_unpacked(target, value));
            }
            _ => self.bind_items(target, value),
        }
    }

    fn bind(&mut self, name: &'a str, binding: NameBinding<'a>) {
        self.names.entry(name).or_default().push(binding);
    }
}
