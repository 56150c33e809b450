//! Evaluates expressions, and how they use `payload["arguments"]`.

use starlark::syntax::ast::{AstExpr, AstLiteral, BinOp, Expr, ForClause};

use super::flow::FunctionWalk;
use super::value::{ARGUMENTS, AbstractValue, PAYLOAD, TEXT};
use crate::analysis::ast::{ClauseNode, FunctionNode, is_comparison, span_of, string_literal};

impl<'a> FunctionWalk<'_, 'a> {
    /// The possible values of an expression.
    pub(super) fn evaluate(&mut self, expr: &'a AstExpr) -> AbstractValue {
        if self.flow.exceeds_step_limit(1) {
            return AbstractValue::uninteresting();
        }
        match &expr.node {
            Expr::Identifier(name) => self.lookup_name(&name.ident),
            Expr::Literal(AstLiteral::String(text)) => AbstractValue::from_text(text),
            Expr::Literal(_) => AbstractValue::uninteresting(),
            Expr::Index(parts) => self.visit_index(&parts.0, &parts.1, expr),
            Expr::Slice(base, from, to, by) => {
                let base = self.evaluate(base);
                for part in [from, to, by].into_iter().flatten() {
                    self.evaluate(part);
                }
                self.flow.uses.record_text_use(&base.values, "[..:..]", span_of(expr));
                AbstractValue { values: AbstractValue::uninteresting().values, contents: base.contents }
            }
            Expr::Dot(base, name) => {
                let base = self.evaluate(base);
                self.flow.record_method(&base, &name.node, span_of(expr))
            }
            Expr::Call(callee, call) => self.visit_call(callee, &call.args, expr),
            Expr::Lambda(lambda) => self.define_function(FunctionNode::from_lambda(lambda)),
            Expr::Op(left, op, right) => self.visit_operator(left, *op, right, expr),
            Expr::If(parts) => {
                self.evaluate(&parts.0);
                let first = self.evaluate(&parts.1);
                self.evaluate(&parts.2).joined_with(&first)
            }
            Expr::List(_) | Expr::Tuple(_) => AbstractValue::from_items(&self.evaluate_parts(expr)),
            // The parts are keys and values in turn.
            Expr::Dict(_) => AbstractValue::from_items(self.evaluate_parts(expr).iter().skip(1).step_by(2)),
            Expr::ListComprehension(made, first, rest) => self.visit_comprehension(&[made], first, rest),
            Expr::DictComprehension(made, first, rest) => self.visit_comprehension(&[&made.0, &made.1], first, rest),
            Expr::FString(_) => {
                self.evaluate_parts(expr);
                AbstractValue::from_text("")
            }
            Expr::Index2(_) | Expr::Not(_) | Expr::Minus(_) | Expr::Plus(_) | Expr::BitNot(_) => {
                self.evaluate_parts(expr);
                AbstractValue::uninteresting()
            }
        }
    }

    fn evaluate_parts(&mut self, expr: &'a AstExpr) -> Vec<AbstractValue> {
        let mut values = Vec::new();
        expr.visit_expr(|part| values.push(self.evaluate(part)));
        values
    }

    fn visit_comprehension(
        &mut self,
        values: &[&'a AstExpr],
        first: &'a ForClause,
        rest: &'a [ClauseNode],
    ) -> AbstractValue {
        let before = self.names.clone();
        self.bind_item(first);
        for clause in rest {
            match clause {
                ClauseNode::For(each) => self.bind_item(each),
                ClauseNode::If(condition) => {
                    self.evaluate(condition);
                }
            }
        }
        let values: Vec<AbstractValue> = values.iter().map(|part| self.evaluate(part)).collect();
        self.flow.exceeds_step_limit(before.len());
        self.names = before;
        AbstractValue::from_items(&values)
    }

    fn bind_item(&mut self, each: &'a ForClause) {
        let item = self.loop_item(&each.over);
        self.visit_assignment(&each.var, item);
    }

    fn visit_index(&mut self, base: &'a AstExpr, key: &'a AstExpr, expr: &'a AstExpr) -> AbstractValue {
        let (of, by) = (self.evaluate(base), self.evaluate(key));
        if of.values.may_be(ARGUMENTS) {
            self.flow.uses.record_key(key);
            if by.values.may_be(TEXT) {
                self.flow.uses.record_dict_use(&of.values, format!("[{}]", display_key(key)), span_of(expr));
            } else if matches!(key.node, Expr::Literal(AstLiteral::Int(_))) {
                self.flow.uses.record_text_use(&of.values, "[0]", span_of(expr));
            }
        }
        let is_payload = of == AbstractValue::from_kinds(PAYLOAD);
        let mut found = if is_payload { AbstractValue::default() } else { of.any_element() };
        if of.values.may_be(PAYLOAD) {
            found.join(&self.flow.payload_field(&by, is_payload && string_literal(key).is_some()));
        }
        found
    }

    fn visit_operator(&mut self, left: &'a AstExpr, op: BinOp, right: &'a AstExpr, expr: &'a AstExpr) -> AbstractValue {
        let (one, other) = (self.evaluate(left), self.evaluate(right));
        let uses = &mut self.flow.uses;
        let at = span_of(expr);
        match op {
            BinOp::In | BinOp::NotIn => uses.record_search(&other.values, left, at),
            BinOp::And | BinOp::Or => {
                if matches!(right.node, Expr::Dict(_)) {
                    uses.record_dict_use(&one.values, "or {}", at);
                }
                return one.joined_with(&other);
            }
            BinOp::Add => {
                uses.record_text_use(&one.values, "+", at);
                uses.record_text_use(&other.values, "+", at);
                return AbstractValue::from_items([&one.any_element(), &other.any_element()]);
            }
            BinOp::BitOr => {
                uses.record_dict_use(&one.values, "|", at);
                uses.record_dict_use(&other.values, "|", at);
                let is_payload = one.values.may_be(PAYLOAD) || other.values.may_be(PAYLOAD);
                let mut made = AbstractValue::from_items([&one.any_element(), &other.any_element()]);
                made.values.add_if(is_payload, PAYLOAD);
                return made;
            }
            _ if is_comparison(op) => {
                for (value, beside) in [(&one, right), (&other, left)] {
                    match &beside.node {
                        Expr::Dict(_) => uses.record_dict_use(&value.values, "== {}", at),
                        Expr::Literal(AstLiteral::String(_)) if value.values.is_only(ARGUMENTS) => {
                            uses.record_text_use(&value.values, "== \"..\"", at);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        AbstractValue::uninteresting()
    }
}

fn display_key(key: &AstExpr) -> String {
    match string_literal(key).filter(|text| text.len() <= 40) {
        Some(text) => format!("{text:?}"),
        None => String::from(".."),
    }
}
