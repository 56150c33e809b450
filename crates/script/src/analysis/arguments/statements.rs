//! Following statements.

use starlark::syntax::ast::{AssignOp, AssignTargetP, AstAssignTarget, AstExpr, AstParameter, AstStmt, Expr, Stmt};

use super::flow::Walk;
use super::value::Abstract;
use crate::analysis::names::target_names;
use crate::analysis::reads::Body;
use crate::analysis::walk::{Parameter, span, statements};

impl<'a> Walk<'_, 'a> {
    /// Follows a statement; whether the next one is reached.
    pub(super) fn statement(&mut self, stmt: &'a AstStmt) -> bool {
        if self.flow.steps_end(1) {
            return false;
        }
        match &stmt.node {
            Stmt::Break | Stmt::Continue | Stmt::Pass | Stmt::Load(_) => {}
            Stmt::Return(value) => {
                let value = value.as_ref().map_or_else(Abstract::plain, |value| self.value(value));
                self.give_back(&value);
                return false;
            }
            Stmt::Expression(value) => {
                self.value(value);
            }
            Stmt::Assign(assign) => match (&assign.lhs.node, &assign.rhs.node) {
                (AssignTargetP::Tuple(targets), Expr::Tuple(values)) if targets.len() == values.len() => {
                    let values: Vec<Abstract> = values.iter().map(|value| self.value(value)).collect();
                    targets.iter().zip(values).for_each(|(target, value)| self.assign(target, value));
                }
                _ => {
                    let value = self.value(&assign.rhs);
                    self.assign(&assign.lhs, value);
                }
            },
            Stmt::AssignModify(target, op, value) => self.modify(target, *op, value),
            Stmt::Statements(inner) => return inner.iter().all(|inner| self.statement(inner)),
            Stmt::If(condition, body) => {
                self.value(condition);
                let before = self.names.clone();
                if self.statement(body) {
                    self.join(before);
                } else {
                    self.names = before;
                }
            }
            Stmt::IfElse(condition, branches) => {
                self.value(condition);
                let before = self.names.clone();
                let first = self.statement(&branches.0);
                let after_first = std::mem::replace(&mut self.names, before);
                let second = self.statement(&branches.1);
                match (first, second) {
                    (true, true) => self.join(after_first),
                    (true, false) => self.names = after_first,
                    (false, reached) => return reached,
                }
            }
            Stmt::For(each) => {
                let over = self.each(&each.over);
                // A body may be reached from its end: its names stand for whatever they ever stood for.
                let mut assigned = Vec::new();
                statements(&each.body, &mut |inner| assigned.extend(assigned_names(inner)));
                self.flow.steps_end(assigned.len());
                for name in assigned {
                    let ever = self.flow.functions.get(self.number).and_then(|function| function.names.get(name));
                    if let Some(ever) = ever.cloned() {
                        self.names.entry(name).or_default().join(&ever);
                    }
                }
                let before = self.names.clone();
                self.assign(&each.var, over);
                self.statement(&each.body);
                self.join(before);
            }
            Stmt::Def(def) => {
                let value = self.function(&def.params, Body::Block(&def.body));
                self.bind(&def.name.ident, value);
            }
        }
        true
    }

    pub(super) fn assign(&mut self, target: &'a AstAssignTarget, value: Abstract) {
        match &target.node {
            AssignTargetP::Identifier(name) => self.bind(&name.ident, value),
            AssignTargetP::Tuple(targets) => {
                let element = value.element();
                targets.iter().for_each(|target| self.assign(target, element.clone()));
            }
            AssignTargetP::Index(parts) => {
                let (base, key) = (self.value(&parts.0), self.value(&parts.1));
                if base.own.arguments {
                    self.flow.uses.key(&parts.1);
                    self.flow.uses.dict(&base.own, "[..] =", span(target));
                }
                if base.own.payload && key.own.field {
                    self.flow.replace();
                }
                self.grow(&parts.0, &value);
            }
            AssignTargetP::Dot(base, _) => {
                self.value(base);
            }
        }
    }

    /// `target op= value`.
    fn modify(&mut self, target: &'a AstAssignTarget, op: AssignOp, value: &'a AstExpr) {
        let added = self.value(value);
        let base = match &target.node {
            AssignTargetP::Identifier(name) => self.name(&name.ident),
            AssignTargetP::Index(parts) => {
                self.value(&parts.1);
                self.value(&parts.0).element()
            }
            _ => Abstract::plain(),
        };
        match op {
            AssignOp::BitOr => self.flow.uses.dict(&base.own, "|=", span(target)),
            AssignOp::Add => self.flow.uses.text(&base.own, "+=", span(target)),
            _ => {}
        }
        let mut made = Abstract::plain().joined(&base);
        made.hold(&added);
        match &target.node {
            AssignTargetP::Identifier(name) => self.bind(&name.ident, made),
            _ => self.assign(target, made),
        }
    }

    /// A function that is made here.
    pub(super) fn function(&mut self, parameters: &'a [AstParameter], body: Body<'a>) -> Abstract {
        let number = self.flow.number_of(self.number, parameters, body);
        for parameter in parameters {
            if let Parameter::Normal(name, _, Some(default)) = &parameter.node {
                let default = self.value(default);
                if let Some(function) = self.flow.functions.get_mut(number) {
                    self.flow.changed |= function.names.entry(&name.ident).or_default().join(&default);
                }
            }
        }
        Abstract::function(number)
    }

    /// What goes through a `for`.
    pub(super) fn each(&mut self, over: &'a AstExpr) -> Abstract {
        let value = self.value(over);
        self.flow.uses.dict(&value.own, "for .. in", span(over));
        value.element()
    }
}

/// The names that a statement itself binds.
fn assigned_names(stmt: &AstStmt) -> Vec<&str> {
    match &stmt.node {
        Stmt::Assign(assign) => target_names(&assign.lhs),
        Stmt::AssignModify(target, _, _) => target_names(target),
        Stmt::For(each) => target_names(&each.var),
        _ => Vec::new(),
    }
}
