//! Checks whether a loop feeds its result back into itself.

use std::collections::{BTreeMap, BTreeSet};

use starlark::syntax::ast::{AssignOp, AssignTargetP, AstExpr, AstLiteral, AstStmt, BinOp, Expr, Stmt};

use super::super::ast::{identifier_name, visit_expressions, visit_statements};
use super::super::bound_names::{assigned_names, target_names};
use super::super::reads::names_in;

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
    visit_statements(body, &mut |stmt| match &stmt.node {
        Stmt::Assign(assign) if !is_number(&assign.rhs) => {
            for name in target_names(&assign.lhs) {
                edges.add_edge(name, names_in(&assign.rhs), can_grow(&assign.rhs));
            }
            if let AssignTargetP::Index(parts) = &assign.lhs.node
                && let Some(name) = identifier_name(&parts.0)
            {
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
    });
    visit_expressions(body, &mut |expr| {
        if let Expr::Call(callee, call) = &expr.node
            && let Expr::Dot(base, method) = &callee.node
            && GROWING.contains(&method.node.as_str())
            && let Some(name) = identifier_name(base)
        {
            for argument in &call.args {
                edges.add_edge(name, names_in(argument.node.expr()), true);
            }
        }
    });
    edges.growing.iter().any(|(to, from)| edges.can_reach(from, to))
}

/// The names that a loop's body binds or changes.
pub(super) fn changed_names(body: &AstStmt) -> Vec<&str> {
    let mut names = Vec::new();
    visit_statements(body, &mut |stmt| {
        names.extend(assigned_names(stmt));
        if let Stmt::Assign(assign) = &stmt.node
            && let AssignTargetP::Index(parts) = &assign.lhs.node
        {
            names.extend(identifier_name(&parts.0));
        }
    });
    visit_expressions(body, &mut |expr| {
        if let Expr::Call(callee, _) = &expr.node
            && let Expr::Dot(base, method) = &callee.node
            && GROWING.contains(&method.node.as_str())
        {
            names.extend(identifier_name(base));
        }
    });
    names
}

/// Whether an expression may be larger than its parts.
fn can_grow(expr: &AstExpr) -> bool {
    match &expr.node {
        Expr::Identifier(_) | Expr::Literal(_) | Expr::Index(_) => false,
        Expr::Op(left, BinOp::And | BinOp::Or, right) => can_grow(left) || can_grow(right),
        Expr::If(parts) => can_grow(&parts.1) || can_grow(&parts.2),
        _ => true,
    }
}

/// Whether an expression is certainly a small number.
fn is_number(expr: &AstExpr) -> bool {
    match &expr.node {
        Expr::Literal(AstLiteral::Int(_) | AstLiteral::Float(_)) | Expr::Not(_) => true,
        Expr::Identifier(name) => matches!(name.ident.as_str(), "True" | "False" | "None"),
        Expr::Op(left, BinOp::Add | BinOp::Subtract, right) => is_number(left) || is_number(right),
        Expr::Op(_, op, _) => matches!(
            op,
            BinOp::Equal
                | BinOp::NotEqual
                | BinOp::Less
                | BinOp::Greater
                | BinOp::LessOrEqual
                | BinOp::GreaterOrEqual
                | BinOp::In
                | BinOp::NotIn
        ),
        Expr::Call(callee, _) => identifier_name(callee) == Some("len"),
        _ => false,
    }
}
