//! The string literals of a script that it compares with something.

use pintle_contract::ScriptTexts;
use starlark::syntax::ast::{AstExpr, BinOp, Expr};

use super::ast::string_literal;

/// Collects literals while the expressions of a script are visited.
#[derive(Default)]
pub(super) struct TextCollector(ScriptTexts);

impl TextCollector {
    pub(super) fn visit(&mut self, expr: &AstExpr) {
        match &expr.node {
            Expr::Literal(_) => add(&mut self.0.all, expr),
            Expr::Op(left, BinOp::Equal | BinOp::NotEqual | BinOp::In | BinOp::NotIn, right) => {
                add(&mut self.0.compared, left);
                add(&mut self.0.compared, right);
            }
            // Lists and the keys of dicts are what names are looked up in, wherever they are written.
            Expr::List(items) | Expr::Tuple(items) => items.iter().for_each(|item| add(&mut self.0.compared, item)),
            Expr::Dict(items) => items.iter().for_each(|(key, _)| add(&mut self.0.compared, key)),
            _ => {}
        }
    }

    pub(super) fn finish(self) -> ScriptTexts {
        self.0
    }
}

fn add(texts: &mut Vec<String>, expr: &AstExpr) {
    if let Some(text) = string_literal(expr)
        && !texts.iter().any(|known| known == text)
    {
        texts.push(text.to_owned());
    }
}
