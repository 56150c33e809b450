//! The names that a script binds, and what each binding says about its value.
//!
//! Names are those of the whole text that was read: a name bound in one function counts as bound in all.

use std::collections::BTreeMap;

use starlark::syntax::ast::{AssignTargetP, AstAssignTarget, AstExpr, AstParameter, AstStmt, Expr, Stmt};

use super::ast::{DefNode, comprehension_loops, visit_nested_expressions, visit_statements};

/// One place where a name is bound.
#[derive(Clone, Copy)]
pub(super) enum NameBinding<'a> {
    /// A `def`.
    Function(&'a DefNode),
    /// A parameter of a `def` or a `lambda`.
    Parameter,
    /// `name = value`.
    Value(&'a AstExpr),
    /// `name op= value`.
    Augmented,
    /// A part of a value: by unpacking, by a loop or in a comprehension.
    Part,
}

impl<'a> NameBinding<'a> {
    /// The whole value, if the text shows it.
    pub(super) fn value(&self) -> Option<&'a AstExpr> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

/// The bindings of all names.
#[derive(Default)]
pub(super) struct BoundNames<'a> {
    names: BTreeMap<&'a str, Vec<NameBinding<'a>>>,
}

impl<'a> BoundNames<'a> {
    /// The bindings of a statement and everything in it.
    pub(super) fn in_statement(root: &'a AstStmt) -> Self {
        let mut found = Self::default();
        visit_statements(root, &mut |stmt| found.read_statement(stmt));
        root.visit_expr(|expr| found.read_expressions(expr));
        found
    }

    /// The bindings of an expression and everything in it.
    pub(super) fn in_expression(root: &'a AstExpr) -> Self {
        let mut found = Self::default();
        found.read_expressions(root);
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

    fn read_statement(&mut self, stmt: &'a AstStmt) {
        match &stmt.node {
            Stmt::Def(def) => {
                self.bind(&def.name.ident, NameBinding::Function(def));
                self.bind_parameters(&def.params);
            }
            Stmt::Assign(assign) => match &assign.lhs.node {
                AssignTargetP::Identifier(name) => self.bind(&name.ident, NameBinding::Value(&assign.rhs)),
                _ => self.bind_target(&assign.lhs, NameBinding::Part),
            },
            Stmt::AssignModify(target, _, _) => self.bind_target(target, NameBinding::Augmented),
            Stmt::For(each) => self.bind_target(&each.var, NameBinding::Part),
            _ => {}
        }
    }

    fn read_expressions(&mut self, root: &'a AstExpr) {
        visit_nested_expressions(root, &mut |expr| match &expr.node {
            Expr::Lambda(lambda) => self.bind_parameters(&lambda.params),
            _ => comprehension_loops(expr).for_each(|each| self.bind_target(&each.var, NameBinding::Part)),
        });
    }

    fn bind_parameters(&mut self, parameters: &'a [AstParameter]) {
        let names = parameters.iter().filter_map(|parameter| parameter.ident());
        names.for_each(|name| self.bind(&name.ident, NameBinding::Parameter));
    }

    fn bind_target(&mut self, target: &'a AstAssignTarget, binding: NameBinding<'a>) {
        target_names(target).into_iter().for_each(|name| self.bind(name, binding));
    }

    fn bind(&mut self, name: &'a str, binding: NameBinding<'a>) {
        self.names.entry(name).or_default().push(binding);
    }
}

/// The names that an assignment binds.
pub(super) fn target_names(target: &AstAssignTarget) -> Vec<&str> {
    match &target.node {
        AssignTargetP::Identifier(name) => vec![name.ident.as_str()],
        AssignTargetP::Tuple(parts) => parts.iter().flat_map(target_names).collect(),
        AssignTargetP::Index(_) | AssignTargetP::Dot(..) => Vec::new(),
    }
}

/// The names that an assignment or a loop itself binds.
pub(super) fn assigned_names(stmt: &AstStmt) -> Vec<&str> {
    match &stmt.node {
        Stmt::Assign(assign) => target_names(&assign.lhs),
        Stmt::AssignModify(target, _, _) => target_names(target),
        Stmt::For(each) => target_names(&each.var),
        _ => Vec::new(),
    }
}
