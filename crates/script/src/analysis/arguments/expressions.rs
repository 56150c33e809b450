//! What expressions may stand for, and what they do with the arguments.

use starlark::syntax::ast::{AstExpr, AstLiteral, BinOp, Expr, ForClause};

use super::flow::Walk;
use super::value::Abstract;
use crate::analysis::reads::Body;
use crate::analysis::walk::{Clause, span, string};

impl<'a> Walk<'_, 'a> {
    /// What an expression may stand for.
    pub(super) fn value(&mut self, expr: &'a AstExpr) -> Abstract {
        if self.flow.steps_end(1) {
            return Abstract::plain();
        }
        match &expr.node {
            Expr::Identifier(name) => self.name(&name.ident),
            Expr::Literal(AstLiteral::String(text)) => Abstract::text(text),
            Expr::Literal(_) => Abstract::plain(),
            Expr::Index(parts) => self.index(&parts.0, &parts.1, expr),
            Expr::Index2(parts) => {
                for part in [&parts.0, &parts.1, &parts.2] {
                    self.value(part);
                }
                Abstract::plain()
            }
            Expr::Slice(base, from, to, by) => {
                let base = self.value(base);
                for part in [from, to, by].into_iter().flatten() {
                    self.value(part);
                }
                self.flow.uses.text(&base.own, "[..:..]", span(expr));
                Abstract { own: Abstract::plain().own, inside: base.inside }
            }
            Expr::Dot(base, name) => {
                let base = self.value(base);
                self.flow.method(&base, &name.node, span(expr))
            }
            Expr::Call(callee, call) => self.call(callee, &call.args, expr),
            Expr::Lambda(lambda) => self.function(&lambda.params, Body::Value(&lambda.body)),
            Expr::Op(left, op, right) => self.operation(left, *op, right, expr),
            Expr::If(parts) => {
                self.value(&parts.0);
                let first = self.value(&parts.1);
                self.value(&parts.2).joined(&first)
            }
            Expr::List(items) | Expr::Tuple(items) => {
                let items: Vec<Abstract> = items.iter().map(|item| self.value(item)).collect();
                Abstract::holding(&items)
            }
            Expr::Dict(entries) => {
                let values: Vec<Abstract> = entries
                    .iter()
                    .map(|(key, value)| {
                        self.value(key);
                        self.value(value)
                    })
                    .collect();
                Abstract::holding(&values)
            }
            Expr::ListComprehension(made, first, rest) => self.comprehension(&[made], first, rest),
            Expr::DictComprehension(made, first, rest) => self.comprehension(&[&made.0, &made.1], first, rest),
            Expr::FString(text) => {
                for part in &text.expressions {
                    self.value(part);
                }
                Abstract::text("")
            }
            Expr::Not(inner) | Expr::Minus(inner) | Expr::Plus(inner) | Expr::BitNot(inner) => {
                self.value(inner);
                Abstract::plain()
            }
        }
    }

    fn comprehension(&mut self, made: &[&'a AstExpr], first: &'a ForClause, rest: &'a [Clause]) -> Abstract {
        let before = self.names.clone();
        let over = self.each(&first.over);
        self.assign(&first.var, over);
        for clause in rest {
            match clause {
                Clause::For(each) => {
                    let over = self.each(&each.over);
                    self.assign(&each.var, over);
                }
                Clause::If(condition) => {
                    self.value(condition);
                }
            }
        }
        let made: Vec<Abstract> = made.iter().map(|part| self.value(part)).collect();
        self.flow.steps_end(before.len());
        self.names = before;
        Abstract::holding(&made)
    }

    fn index(&mut self, base: &'a AstExpr, key: &'a AstExpr, expr: &'a AstExpr) -> Abstract {
        let (of, by) = (self.value(base), self.value(key));
        if of.own.arguments {
            self.flow.uses.key(key);
            if by.own.text {
                self.flow.uses.dict(&of.own, format!("[{}]", shown(key)), span(expr));
            } else if matches!(key.node, Expr::Literal(AstLiteral::Int(_))) {
                self.flow.uses.text(&of.own, "[0]", span(expr));
            }
        }
        let is_payload = of == Abstract::payload();
        let mut found = if is_payload { Abstract::default() } else { of.element() };
        if of.own.payload {
            found.join(&self.flow.field(&by, is_payload && string(key).is_some()));
        }
        found
    }

    fn operation(&mut self, left: &'a AstExpr, op: BinOp, right: &'a AstExpr, expr: &'a AstExpr) -> Abstract {
        let (one, other) = (self.value(left), self.value(right));
        let uses = &mut self.flow.uses;
        let at = span(expr);
        match op {
            BinOp::In | BinOp::NotIn => uses.search(&other.own, left, at),
            BinOp::And | BinOp::Or => {
                if matches!(right.node, Expr::Dict(_)) {
                    uses.dict(&one.own, "or {}", at);
                }
                return one.joined(&other);
            }
            BinOp::Add => {
                uses.text(&one.own, "+", at);
                uses.text(&other.own, "+", at);
                return Abstract::holding([&one.element(), &other.element()]);
            }
            BinOp::BitOr => {
                uses.dict(&one.own, "|", at);
                uses.dict(&other.own, "|", at);
                let is_payload = one.own.payload || other.own.payload;
                let mut made = Abstract::holding([&one.element(), &other.element()]);
                made.own.payload = is_payload;
                return made;
            }
            BinOp::Equal
            | BinOp::NotEqual
            | BinOp::Less
            | BinOp::Greater
            | BinOp::LessOrEqual
            | BinOp::GreaterOrEqual => {
                for (value, beside) in [(&one, right), (&other, left)] {
                    match &beside.node {
                        Expr::Dict(_) => uses.dict(&value.own, "== {}", at),
                        Expr::Literal(AstLiteral::String(_)) if value.own.is_only_arguments() => {
                            uses.text(&value.own, "== \"..\"", at);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Abstract::plain()
    }
}

/// A key for a message.
fn shown(key: &AstExpr) -> String {
    match string(key).filter(|text| text.len() <= 40) {
        Some(text) => format!("{text:?}"),
        None => String::from(".."),
    }
}
