//! Checks that every value that a script grows has only one name.
//!
//! The size analysis keeps a size for each name. If a list is passed to a function or has a second name, it grows
//! without the other name knowing: values computed from it there would cost more than estimated. So a value that grows
//! repeatedly must be created in the function that grows it, and no other value may contain it.

use std::collections::BTreeSet;

use starlark::syntax::ast::{AssignOp, AssignTargetP, AstExpr, AstStmt, BinOp, Expr, Stmt};

use super::super::ast::MUTATORS;
use super::super::ast::{
    block_statements, identifier_name, span_of, string_literal, visit_expressions, visit_nested_expressions,
    visit_statements,
};
use super::super::mutation::{NAMESPACES, fresh_names};

/// The maximum number of places outside loops where a value with other names may grow.
const MAX_SHARED_GROWTH: usize = 8;

/// A value that grows.
struct GrowingValue<'a> {
    /// The name at its root, if there is one.
    name: Option<&'a str>,
    /// Whether it can be at most one string or number under one key.
    is_flat: bool,
}

/// Whether no value grows without one of its names knowing.
pub(super) fn has_no_hidden_growth(root: &AstStmt) -> bool {
    let fresh = fresh_names(root);
    let shared = shared_names(root);
    let called = called_names(root);
    let is_own = |name: Option<&str>| name.is_some_and(|name| fresh.get(name) == Some(&true) && !shared.contains(name));
    let mut outside_loops = 0;
    for part in block_statements(root) {
        let (body, is_called): (&AstStmt, bool) = match &part.node {
            Stmt::Def(def) => (&*def.body, called.contains(def.name.ident.as_str())),
            _ => (part, false),
        };
        let mut repeated = Vec::new();
        visit_loop_bodies(body, &mut |inner| repeated.extend(find_growth(inner)));
        let all = find_growth(body);
        let hidden = |growth: &&GrowingValue<'_>| !is_own(growth.name);
        let again: Vec<&GrowingValue<'_>> = repeated.iter().filter(hidden).collect();
        if is_called && all.iter().any(|growth| !is_own(growth.name)) || again.iter().any(|growth| !growth.is_flat) {
            return false;
        }
        outside_loops += all.iter().filter(hidden).count();
    }
    outside_loops <= MAX_SHARED_GROWTH
}

/// Visits the bodies of loops. A comprehension only grows its own result.
fn visit_loop_bodies<'a>(stmt: &'a AstStmt, visit: &mut impl FnMut(&'a AstStmt)) {
    visit_statements(stmt, &mut |inner| {
        if let Stmt::For(each) = &inner.node {
            visit(&each.body);
        }
    });
}

/// The values that a statement grows.
fn find_growth(body: &AstStmt) -> Vec<GrowingValue<'_>> {
    let mut found = Vec::new();
    visit_statements(body, &mut |stmt| match &stmt.node {
        Stmt::Assign(assign) => find_target_growth(&assign.lhs, &assign.rhs, &mut found),
        Stmt::AssignModify(target, op, value) => match &target.node {
            AssignTargetP::Identifier(name) if matches!(op, AssignOp::Add | AssignOp::BitOr) && !is_flat(value) => {
                found.push(GrowingValue { name: Some(&name.ident), is_flat: false });
            }
            AssignTargetP::Index(parts) if !is_flat(value) => {
                found.push(GrowingValue { name: root_name(&parts.0), is_flat: false });
            }
            _ => {}
        },
        _ => {}
    });
    visit_expressions(body, &mut |expr| {
        if let Expr::Call(callee, call) = &expr.node
            && let Expr::Dot(base, method) = &callee.node
            && MUTATORS.contains(&method.node.as_str())
            && !call.args.is_empty()
            && !identifier_name(base).is_some_and(|name| NAMESPACES.contains(&name))
            && !matches!(method.node.as_str(), "pop" | "remove" | "discard")
        {
            found.push(GrowingValue { name: root_name(base), is_flat: false });
        }
    });
    found
}

fn find_target_growth<'a>(
    target: &'a starlark::syntax::ast::AstAssignTarget,
    value: &AstExpr,
    growing: &mut Vec<GrowingValue<'a>>,
) {
    match &target.node {
        AssignTargetP::Tuple(parts) => parts.iter().for_each(|part| find_target_growth(part, value, growing)),
        AssignTargetP::Index(parts) => {
            let is_flat = string_literal(&parts.1).is_some() && is_flat(value);
            growing.push(GrowingValue { name: root_name(&parts.0), is_flat });
        }
        AssignTargetP::Identifier(_) | AssignTargetP::Dot(..) => {}
    }
}

/// The name at the root of an expression: `a` of `a["x"][0]`.
fn root_name(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        Expr::Index(parts) => root_name(&parts.0),
        _ => identifier_name(expr),
    }
}

/// Whether a value is certainly a number or a string, which contain nothing else.
fn is_flat(value: &AstExpr) -> bool {
    match &value.node {
        Expr::Literal(_) | Expr::FString(_) | Expr::Not(_) => true,
        Expr::Identifier(name) => matches!(name.ident.as_str(), "True" | "False" | "None"),
        Expr::Op(left, BinOp::Add | BinOp::Percent, right) => {
            [left, right]
                .into_iter()
                .any(|part| string_literal(part).is_some() || matches!(part.node, Expr::FString(_)))
                || (is_flat(left) && is_flat(right))
        }
        Expr::If(parts) => is_flat(&parts.1) && is_flat(&parts.2),
        Expr::Call(callee, _) => match &callee.node {
            Expr::Identifier(name) => matches!(name.ident.as_str(), "len" | "str" | "int" | "bool" | "repr" | "type"),
            Expr::Dot(base, method) => {
                let of = |name: &str| identifier_name(base) == Some(name);
                (of("re") && method.node == "replace")
                    || (of("json") && method.node == "encode")
                    || of("hash")
                    || of("base64")
                    || matches!(
                        method.node.as_str(),
                        "lower"
                            | "upper"
                            | "strip"
                            | "lstrip"
                            | "rstrip"
                            | "replace"
                            | "format"
                            | "join"
                            | "title"
                            | "removeprefix"
                            | "removesuffix"
                            | "capitalize"
                            | "truncate"
                    )
            }
            _ => false,
        },
        _ => false,
    }
}

/// Names whose values get a second name, are put into another value, or are passed to a function. The result of a
/// function does not count as a name.
fn shared_names(root: &AstStmt) -> BTreeSet<&str> {
    let mut shared = BTreeSet::new();
    let mut returned = Vec::new();
    visit_statements(root, &mut |stmt| {
        if matches!(stmt.node, Stmt::Return(_)) {
            returned.push(span_of(stmt));
        }
    });
    let is_returned = |expr: &AstExpr| {
        let (start, end) = span_of(expr);
        returned.iter().any(|(from, to)| *from <= start && end <= *to)
    };
    visit_statements(root, &mut |stmt| match &stmt.node {
        Stmt::Assign(assign) => collect_aliased_names(&assign.rhs, &mut shared),
        Stmt::AssignModify(_, _, value) => collect_aliased_names(value, &mut shared),
        // A nested function can access the names of the outer one.
        Stmt::Def(def) => visit_statements(&def.body, &mut |inner| {
            if let Stmt::Def(nested) = &inner.node {
                visit_expressions(&nested.body, &mut |expr| shared.extend(identifier_name(expr)));
            }
        }),
        _ => {}
    });
    visit_expressions(root, &mut |expr| match &expr.node {
        Expr::Lambda(lambda) => {
            visit_nested_expressions(&lambda.body, &mut |inner| shared.extend(identifier_name(inner)))
        }
        _ if is_returned(expr) => {}
        Expr::List(items) | Expr::Tuple(items) => {
            items.iter().for_each(|item| collect_aliased_names(item, &mut shared))
        }
        Expr::Dict(entries) => entries.iter().for_each(|(_, value)| collect_aliased_names(value, &mut shared)),
        Expr::ListComprehension(made, ..) => collect_aliased_names(made, &mut shared),
        Expr::DictComprehension(made, ..) => collect_aliased_names(&made.1, &mut shared),
        Expr::Call(callee, call) if may_retain_arguments(callee) => {
            call.args.iter().for_each(|given| collect_aliased_names(given.node.expr(), &mut shared));
        }
        _ => {}
    });
    shared
}

/// Whether a call may keep or return its arguments: calls of the script's functions, and methods that grow a value.
fn may_retain_arguments(callee: &AstExpr) -> bool {
    const COPYING: &[&str] = &[
        "len", "str", "repr", "bool", "type", "any", "all", "sorted", "print", "log", "fail", "block", "ask", "modify",
        "delegate", "emit", "hash", "int", "float",
    ];
    match &callee.node {
        Expr::Identifier(name) => !COPYING.contains(&name.ident.as_str()),
        Expr::Dot(_, method) => {
            MUTATORS.contains(&method.node.as_str()) || matches!(method.node.as_str(), "get" | "new" | "max" | "min")
        }
        _ => true,
    }
}

/// The names whose values an expression may return unchanged.
fn collect_aliased_names<'a>(expr: &'a AstExpr, names: &mut BTreeSet<&'a str>) {
    match &expr.node {
        Expr::Identifier(name) => {
            names.insert(&name.ident);
        }
        Expr::Index(parts) => collect_aliased_names(&parts.0, names),
        Expr::If(parts) => {
            collect_aliased_names(&parts.1, names);
            collect_aliased_names(&parts.2, names);
        }
        Expr::Op(left, BinOp::And | BinOp::Or, right) => {
            collect_aliased_names(left, names);
            collect_aliased_names(right, names);
        }
        _ => {}
    }
}

/// The functions that the script calls.
fn called_names(root: &AstStmt) -> BTreeSet<&str> {
    let mut called = BTreeSet::new();
    visit_expressions(root, &mut |expr| {
        if let Expr::Call(callee, _) = &expr.node {
            called.extend(identifier_name(callee));
        }
    });
    called
}
