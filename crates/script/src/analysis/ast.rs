//! Helpers that walk a parsed script.

use starlark::syntax::ast::{
    ArgumentP, AstExpr, AstNoPayload, AstStmt, ClauseP, DefP, Expr, ForClause, ParameterP, Stmt,
};

pub(super) type ParameterNode = ParameterP<AstNoPayload>;
pub(crate) type ArgumentNode = ArgumentP<AstNoPayload>;
pub(super) type DefNode = DefP<AstNoPayload>;
pub(super) type ClauseNode = ClauseP<AstNoPayload>;

/// Methods that change lists and dicts.
pub(super) const MUTATORS: &[&str] =
    &["append", "extend", "insert", "pop", "popitem", "remove", "clear", "setdefault", "update", "add", "discard"];

/// The byte span of a node in the prepared text.
pub(crate) fn span_of<T>(node: &starlark::codemap::Spanned<T>) -> (usize, usize) {
    (node.span.begin().get() as usize, node.span.end().get() as usize)
}

/// Visits every expression of a statement, outermost first.
pub(super) fn visit_expressions<'a>(stmt: &'a AstStmt, visit: &mut impl FnMut(&'a AstExpr)) {
    stmt.visit_expr(|expr| visit_nested_expressions(expr, visit));
}

/// Visits an expression and everything in it, outermost first.
pub(super) fn visit_nested_expressions<'a>(expr: &'a AstExpr, visit: &mut impl FnMut(&'a AstExpr)) {
    visit(expr);
    expr.visit_expr(|inner| visit_nested_expressions(inner, visit));
}

/// Visits a statement and all statements in it, outermost first.
pub(super) fn visit_statements<'a>(stmt: &'a AstStmt, visit: &mut impl FnMut(&'a AstStmt)) {
    visit(stmt);
    stmt.visit_stmt(|inner| visit_statements(inner, visit));
}

/// The loops of a comprehension, outermost first; none for any other expression.
pub(super) fn comprehension_loops(expr: &AstExpr) -> impl Iterator<Item = &ForClause> {
    let (first, rest) = match &expr.node {
        Expr::ListComprehension(_, first, rest) | Expr::DictComprehension(_, first, rest) => {
            (Some(&**first), rest.as_slice())
        }
        _ => (None, [].as_slice()),
    };
    let inner = rest.iter().filter_map(|clause| match clause {
        ClauseNode::For(each) => Some(each),
        ClauseNode::If(_) => None,
    });
    first.into_iter().chain(inner)
}

pub(crate) fn block_statements(stmt: &AstStmt) -> &[AstStmt] {
    match &stmt.node {
        Stmt::Statements(inner) => inner,
        _ => std::slice::from_ref(stmt),
    }
}

pub(crate) fn string_literal(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        Expr::Literal(starlark::syntax::ast::AstLiteral::String(text)) => Some(text),
        _ => None,
    }
}

pub(crate) fn identifier_name(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        Expr::Identifier(name) => Some(&name.ident),
        _ => None,
    }
}
