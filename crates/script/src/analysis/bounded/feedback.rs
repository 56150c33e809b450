//! Checks whether a loop feeds its result back into itself.

use std::collections::{BTreeMap, BTreeSet};

use starlark::syntax::ast::{
    AssignOp, AssignTargetP, AstAssignTarget, AstExpr, AstLiteral, AstStmt, BinOp, Expr, Stmt,
};

use super::super::ast::{
    MethodCall, alternatives, assigned_names, expressions_in, identifier_name, is_comparison, is_constant_name,
    names_read, nested_expressions, statements_in, target_names,
};

/// Methods that put their arguments into the receiver.
const GROWING: &[&str] = &["append", "extend", "insert", "add", "setdefault", "update"];

/// The names from which the name on the left is computed, in one iteration of a loop.
#[derive(Default)]
struct FeedbackEdges<'a> {
    sources: BTreeMap<&'a str, BTreeSet<&'a str>>,
    growing: Vec<(&'a str, &'a str)>,
}

impl<'a> FeedbackEdges<'a> {
    fn add_edge(&mut self, to: &'a str, from: BTreeSet<&'a str>, grows: bool) {
        if grows {
            self.growing.extend(from.iter().map(|from| (to, *from)));
        }
        self.sources.entry(to).or_default().extend(from);
    }

    fn can_reach(&self, from: &'a str, wanted: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![from];
        while let Some(name) = next.pop() {
            if name == wanted {
                return true;
            }
            if seen.insert(name) {
                next.extend(self.sources.get(name).into_iter().flatten());
            }
        }
        false
    }
}

/// Whether a value from one iteration is built into the value of the same name in the next.
pub(super) fn has_feedback(body: &AstStmt) -> bool {
    let mut edges = FeedbackEdges::default();
    let names_in = |expr| names_read(nested_expressions(expr));
    for stmt in statements_in(body) {
        match &stmt.node {
            Stmt::Assign(assign) if !is_number(&assign.rhs) => {
                for name in target_names(&assign.lhs) {
                    edges.add_edge(name, names_in(&assign.rhs), can_grow(&assign.rhs));
                }
                if let Some(name) = indexed_name(&assign.lhs) {
                    edges.add_edge(name, names_in(&assign.rhs), true);
                }
            }
            Stmt::AssignModify(target, op, value) if !is_number(value) => {
                for name in target_names(target) {
                    // A list takes the items of another one in place; other values are copied with their old contents.
                    let in_place = matches!(op, AssignOp::BitOr) || matches!(value.node, Expr::List(_));
                    let mut from = names_in(value);
                    if !in_place {
                        from.insert(name);
                    }
                    edges.add_edge(name, from, true);
                }
            }
            _ => {}
        }
    }
    for (name, call) in growing_calls(expressions_in(body)) {
        call.arguments.iter().for_each(|argument| edges.add_edge(name, names_in(argument.expr()), true));
    }
    edges.growing.iter().any(|(to, from)| edges.can_reach(from, to))
}

/// The names that a loop's body binds or changes.
pub(super) fn changed_names(body: &AstStmt) -> Vec<&str> {
    let mut names: Vec<&str> = growing_calls(expressions_in(body)).map(|(name, _)| name).collect();
    for stmt in statements_in(body) {
        names.extend(assigned_names(stmt));
        if let Stmt::Assign(assign) = &stmt.node {
            names.extend(indexed_name(&assign.lhs));
        }
    }
    names
}

/// The name in `name[..] = value`.
fn indexed_name(target: &AstAssignTarget) -> Option<&str> {
    match &target.node {
        AssignTargetP::Index(parts) => identifier_name(&parts.0),
        _ => None,
    }
}

/// The calls that put their arguments into the value of a name.
pub(super) fn growing_calls(expressions: Vec<&AstExpr>) -> impl Iterator<Item = (&str, MethodCall<'_>)> {
    let calls = expressions.into_iter().filter_map(MethodCall::from_expr);
    calls.filter(|call| GROWING.contains(&call.method)).filter_map(|call| Some((identifier_name(call.base)?, call)))
}

/// Whether an expression may be larger than its parts.
fn can_grow(expr: &AstExpr) -> bool {
    match &expr.node {
        Expr::Identifier(_) | Expr::Literal(_) | Expr::Index(_) => false,
        _ => alternatives(expr).is_none_or(|values| values.into_iter().any(can_grow)),
    }
}

/// Whether an expression is certainly a small number.
fn is_number(expr: &AstExpr) -> bool {
    match &expr.node {
        Expr::Literal(AstLiteral::Int(_) | AstLiteral::Float(_)) | Expr::Not(_) => true,
        Expr::Op(left, BinOp::Add | BinOp::Subtract, right) => is_number(left) || is_number(right),
        Expr::Op(_, op, _) => is_comparison(*op),
        Expr::Call(callee, _) => identifier_name(callee) == Some("len"),
        _ => is_constant_name(expr),
    }
}
