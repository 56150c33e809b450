//! Evaluates expressions, and how they use `payload["arguments"]`.

use starlark::syntax::ast::{AstExpr, AstLiteral, BinOp, Expr, ForClause};

use super::flow::FunctionWalk;
use super::value::AbstractValue;
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
            Expr::Index2(parts) => {
                for part in [&parts.0, &parts.1, &parts.2] {
                    self.evaluate(part);
                }
                AbstractValue::uninteresting()
            }
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
            Expr::List(items) | Expr::Tuple(items) => {
                let items: Vec<AbstractValue> = items.iter().map(|item| self.evaluate(item)).collect();
                AbstractValue::from_items(&items)
            }
            Expr::Dict(entries) => {
                let values: Vec<AbstractValue> = entries
                    .iter()
                    .map(|(key, value)| {
                        self.evaluate(key);
                        self.evaluate(value)
                    })
                    .collect();
                AbstractValue::from_items(&values)
            }
            Expr::ListComprehension(made, first, rest) => self.visit_comprehension(&[made], first, rest),
            Expr::DictComprehension(made, first, rest) => self.visit_comprehension(&[&made.0, &made.1], first, rest),
            Expr::FString(text) => {
                for part in &text.expressions {
                    self.evaluate(part);
                }
                AbstractValue::from_text("")
            }
            Expr::Not(inner) | Expr::Minus(inner) | Expr::Plus(inner) | Expr::BitNot(inner) => {
                self.evaluate(inner);
                AbstractValue::uninteresting()
            }
        }
    }

    fn visit_comprehension(
        &mut self,
        values: &[&'a AstExpr],
        first: &'a ForClause,
        rest: &'a [ClauseNode],
    ) -> AbstractValue {
        let before = self.names.clone();
        let over = self.loop_item(&first.over);
        self.visit_assignment(&first.var, over);
        for clause in rest {
            match clause {
                ClauseNode::For(each) => {
                    let over = self.loop_item(&each.over);
                    self.visit_assignment(&each.var, over);
                }
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

    fn visit_index(&mut self, base: &'a AstExpr, key: &'a AstExpr, expr: &'a AstExpr) -> AbstractValue {
        let (of, by) = (self.evaluate(base), self.evaluate(key));
        if of.values.arguments {
            self.flow.uses.record_key(key);
            if by.values.text {
                self.flow.uses.record_dict_use(&of.values, format!("[{}]", display_key(key)), span_of(expr));
            } else if matches!(key.node, Expr::Literal(AstLiteral::Int(_))) {
                self.flow.uses.record_text_use(&of.values, "[0]", span_of(expr));
            }
        }
        let is_payload = of == AbstractValue::from_payload();
        let mut found = if is_payload { AbstractValue::default() } else { of.any_element() };
        if of.values.payload {
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
                let is_payload = one.values.payload || other.values.payload;
                let mut made = AbstractValue::from_items([&one.any_element(), &other.any_element()]);
                made.values.payload = is_payload;
                return made;
            }
            _ if is_comparison(op) => {
                for (value, beside) in [(&one, right), (&other, left)] {
                    match &beside.node {
                        Expr::Dict(_) => uses.record_dict_use(&value.values, "== {}", at),
                        Expr::Literal(AstLiteral::String(_)) if value.values.is_only_arguments() => {
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
