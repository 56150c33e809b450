//! Evaluates statements.

use starlark::syntax::ast::{AssignOp, AssignTargetP, AstAssignTarget, AstExpr, AstStmt, Expr, Stmt};

use super::flow::FunctionWalk;
use super::value::{ARGUMENTS, AbstractValue, FIELD_NAME, PAYLOAD};
use crate::analysis::ast::{FunctionNode, assigned_names, span_of, statements_in};

impl<'a> FunctionWalk<'_, 'a> {
    /// Evaluates a statement, and returns whether the next one is reached.
    pub(super) fn visit_statement(&mut self, stmt: &'a AstStmt) -> bool {
        if self.flow.exceeds_step_limit(1) {
            return false;
        }
        match &stmt.node {
            Stmt::Break | Stmt::Continue | Stmt::Pass | Stmt::Load(_) => {}
            Stmt::Return(value) => {
                let value = value.as_ref().map_or_else(AbstractValue::uninteresting, |value| self.evaluate(value));
                self.record_return(&value);
                return false;
            }
            Stmt::Expression(value) => {
                self.evaluate(value);
            }
            Stmt::Assign(assign) => match (&assign.lhs.node, &assign.rhs.node) {
                (AssignTargetP::Tuple(targets), Expr::Tuple(values)) if targets.len() == values.len() => {
                    let values: Vec<AbstractValue> = values.iter().map(|value| self.evaluate(value)).collect();
                    targets.iter().zip(values).for_each(|(target, value)| self.visit_assignment(target, value));
                }
                _ => {
                    let value = self.evaluate(&assign.rhs);
                    self.visit_assignment(&assign.lhs, value);
                }
            },
            Stmt::AssignModify(target, op, value) => self.visit_augmented_assignment(target, *op, value),
            Stmt::Statements(inner) => return inner.iter().all(|inner| self.visit_statement(inner)),
            Stmt::If(condition, body) => {
                self.evaluate(condition);
                let before = self.names.clone();
                if self.visit_statement(body) {
                    self.join_names(before);
                } else {
                    self.names = before;
                }
            }
            Stmt::IfElse(condition, branches) => {
                self.evaluate(condition);
                let before = self.names.clone();
                let first = self.visit_statement(&branches.0);
                let after_first = std::mem::replace(&mut self.names, before);
                let second = self.visit_statement(&branches.1);
                match (first, second) {
                    (true, true) => self.join_names(after_first),
                    (true, false) => self.names = after_first,
                    (false, reached) => return reached,
                }
            }
            Stmt::For(each) => {
                let over = self.loop_item(&each.over);
                // A loop body may run after itself, so its names may have any value that they ever have.
                let assigned: Vec<&str> = statements_in(&each.body).into_iter().flat_map(assigned_names).collect();
                self.flow.exceeds_step_limit(assigned.len());
                for name in assigned {
                    let ever =
                        self.flow.functions.get(self.function_index).and_then(|function| function.names.get(name));
                    if let Some(ever) = ever.cloned() {
                        self.names.entry(name).or_default().join(&ever);
                    }
                }
                let before = self.names.clone();
                self.visit_assignment(&each.var, over);
                self.visit_statement(&each.body);
                self.join_names(before);
            }
            Stmt::Def(def) => {
                let value = self.define_function(FunctionNode::from_def(def));
                self.bind_name(&def.name.ident, value);
            }
        }
        true
    }

    pub(super) fn visit_assignment(&mut self, target: &'a AstAssignTarget, value: AbstractValue) {
        match &target.node {
            AssignTargetP::Identifier(name) => self.bind_name(&name.ident, value),
            AssignTargetP::Tuple(targets) => {
                let element = value.any_element();
                targets.iter().for_each(|target| self.visit_assignment(target, element.clone()));
            }
            AssignTargetP::Index(parts) => {
                let (base, key) = (self.evaluate(&parts.0), self.evaluate(&parts.1));
                if base.values.may_be(ARGUMENTS) {
                    self.flow.uses.record_key(&parts.1);
                    self.flow.uses.record_dict_use(&base.values, "[..] =", span_of(target));
                }
                if base.values.may_be(PAYLOAD) && key.values.may_be(FIELD_NAME) {
                    self.flow.mark_replaced();
                }
                self.extend_name(&parts.0, &value);
            }
            AssignTargetP::Dot(base, _) => {
                self.evaluate(base);
            }
        }
    }

    /// `target op= value`.
    fn visit_augmented_assignment(&mut self, target: &'a AstAssignTarget, op: AssignOp, value: &'a AstExpr) {
        let added = self.evaluate(value);
        let base = match &target.node {
            AssignTargetP::Identifier(name) => self.lookup_name(&name.ident),
            AssignTargetP::Index(parts) => {
                self.evaluate(&parts.1);
                self.evaluate(&parts.0).any_element()
            }
            _ => AbstractValue::uninteresting(),
        };
        match op {
            AssignOp::BitOr => self.flow.uses.record_dict_use(&base.values, "|=", span_of(target)),
            AssignOp::Add => self.flow.uses.record_text_use(&base.values, "+=", span_of(target)),
            _ => {}
        }
        let mut made = AbstractValue::uninteresting().joined_with(&base);
        made.insert(&added);
        match &target.node {
            AssignTargetP::Identifier(name) => self.bind_name(&name.ident, made),
            _ => self.visit_assignment(target, made),
        }
    }

    /// Registers a function that is defined here.
    pub(super) fn define_function(&mut self, node: FunctionNode<'a>) -> AbstractValue {
        let number = self.flow.index_of_function(self.function_index, node);
        for (name, default) in node.defaults() {
            let default = self.evaluate(default);
            if let Some(function) = self.flow.functions.get_mut(number) {
                self.flow.has_changed |= function.names.entry(name).or_default().join(&default);
            }
        }
        AbstractValue::from_function(number)
    }

    /// The possible items of a `for` loop.
    pub(super) fn loop_item(&mut self, over: &'a AstExpr) -> AbstractValue {
        let value = self.evaluate(over);
        self.flow.uses.record_dict_use(&value.values, "for .. in", span_of(over));
        value.any_element()
    }
}
