//! Whether every value that a script makes grow is known by one name alone.
//!
//! The run on sizes keeps a size for each name. A list that a function is given, or that has a second name, grows behind
//! the back of the other name: what is made of it there would cost more than it seems. So whatever grows again and again
//! has to be made in the function that makes it grow, and nothing else may hold it.

use std::collections::BTreeSet;

use starlark::syntax::ast::{AssignOp, AssignTargetP, AstExpr, AstStmt, BinOp, Expr, Stmt};

use super::super::mutation::{MUTATORS, NAMESPACES, fresh_names};
use super::super::walk::{block, expressions, identifier, inside, span, statements, string};

/// Places outside of loops where something may grow that has other names too.
const MAX_SHARED_GROWTH: usize = 8;

/// Something that grows.
struct Growth<'a> {
    /// The name it hangs on; absent when it hangs on none.
    name: Option<&'a str>,
    /// Whether it can be no more than one text or number under one key.
    is_flat: bool,
}

/// Whether nothing grows behind the back of a name.
pub(super) fn no_hidden_growth(root: &AstStmt) -> bool {
    let fresh = fresh_names(root);
    let shared = shared_names(root);
    let called = called_names(root);
    let is_own = |name: Option<&str>| name.is_some_and(|name| fresh.get(name) == Some(&true) && !shared.contains(name));
    let mut outside_loops = 0;
    for part in block(root) {
        let (body, is_called): (&AstStmt, bool) = match &part.node {
            Stmt::Def(def) => (&*def.body, called.contains(def.name.ident.as_str())),
            _ => (part, false),
        };
        let mut repeated = Vec::new();
        for_loops(body, &mut |inner| repeated.extend(growths(inner)));
        let all = growths(body);
        let hidden = |growth: &&Growth<'_>| !is_own(growth.name);
        let again: Vec<&Growth<'_>> = repeated.iter().filter(hidden).collect();
        if is_called && all.iter().any(|growth| !is_own(growth.name)) || again.iter().any(|growth| !growth.is_flat) {
            return false;
        }
        outside_loops += all.iter().filter(hidden).count();
    }
    outside_loops <= MAX_SHARED_GROWTH
}

/// The bodies of loops. A comprehension makes nothing grow but what it gives.
fn for_loops<'a>(stmt: &'a AstStmt, visit: &mut impl FnMut(&'a AstStmt)) {
    statements(stmt, &mut |inner| {
        if let Stmt::For(each) = &inner.node {
            visit(&each.body);
        }
    });
}

/// What a statement makes grow.
fn growths(body: &AstStmt) -> Vec<Growth<'_>> {
    let mut found = Vec::new();
    statements(body, &mut |stmt| match &stmt.node {
        Stmt::Assign(assign) => targets(&assign.lhs, &assign.rhs, &mut found),
        Stmt::AssignModify(target, op, value) => match &target.node {
            AssignTargetP::Identifier(name) if matches!(op, AssignOp::Add | AssignOp::BitOr) && !is_flat(value) => {
                found.push(Growth { name: Some(&name.ident), is_flat: false });
            }
            AssignTargetP::Index(parts) if !is_flat(value) => {
                found.push(Growth { name: root_name(&parts.0), is_flat: false });
            }
            _ => {}
        },
        _ => {}
    });
    expressions(body, &mut |expr| {
        if let Expr::Call(callee, call) = &expr.node
            && let Expr::Dot(base, method) = &callee.node
            && MUTATORS.contains(&method.node.as_str())
            && !call.args.is_empty()
            && !identifier(base).is_some_and(|name| NAMESPACES.contains(&name))
            && !matches!(method.node.as_str(), "pop" | "remove" | "discard")
        {
            found.push(Growth { name: root_name(base), is_flat: false });
        }
    });
    found
}

fn targets<'a>(target: &'a starlark::syntax::ast::AstAssignTarget, value: &AstExpr, found: &mut Vec<Growth<'a>>) {
    match &target.node {
        AssignTargetP::Tuple(parts) => parts.iter().for_each(|part| targets(part, value, found)),
        AssignTargetP::Index(parts) => {
            let is_flat = string(&parts.1).is_some() && is_flat(value);
            found.push(Growth { name: root_name(&parts.0), is_flat });
        }
        AssignTargetP::Identifier(_) | AssignTargetP::Dot(..) => {}
    }
}

/// The name that a value hangs on: `a` of `a["x"][0]`.
fn root_name(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        Expr::Index(parts) => root_name(&parts.0),
        _ => identifier(expr),
    }
}

/// Whether a value is certainly a number or a text, which hold nothing else.
fn is_flat(value: &AstExpr) -> bool {
    match &value.node {
        Expr::Literal(_) | Expr::FString(_) | Expr::Not(_) => true,
        Expr::Identifier(name) => matches!(name.ident.as_str(), "True" | "False" | "None"),
        Expr::Op(left, BinOp::Add | BinOp::Percent, right) => {
            [left, right].into_iter().any(|part| string(part).is_some() || matches!(part.node, Expr::FString(_)))
                || (is_flat(left) && is_flat(right))
        }
        Expr::If(parts) => is_flat(&parts.1) && is_flat(&parts.2),
        Expr::Call(callee, _) => match &callee.node {
            Expr::Identifier(name) => matches!(name.ident.as_str(), "len" | "str" | "int" | "bool" | "repr" | "type"),
            Expr::Dot(base, method) => {
                let of = |name: &str| identifier(base) == Some(name);
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

/// Names whose values get a second name, or into another value, or to a function. What a function returns is no name of
/// its own any more.
fn shared_names(root: &AstStmt) -> BTreeSet<&str> {
    let mut shared = BTreeSet::new();
    let mut returned = Vec::new();
    statements(root, &mut |stmt| {
        if matches!(stmt.node, Stmt::Return(_)) {
            returned.push(span(stmt));
        }
    });
    let is_returned = |expr: &AstExpr| {
        let (start, end) = span(expr);
        returned.iter().any(|(from, to)| *from <= start && end <= *to)
    };
    statements(root, &mut |stmt| match &stmt.node {
        Stmt::Assign(assign) => held(&assign.rhs, &mut shared),
        Stmt::AssignModify(_, _, value) => held(value, &mut shared),
        // A function inside another one sees its names.
        Stmt::Def(def) => statements(&def.body, &mut |inner| {
            if let Stmt::Def(nested) = &inner.node {
                expressions(&nested.body, &mut |expr| shared.extend(identifier(expr)));
            }
        }),
        _ => {}
    });
    expressions(root, &mut |expr| match &expr.node {
        Expr::Lambda(lambda) => inside(&lambda.body, &mut |inner| shared.extend(identifier(inner))),
        _ if is_returned(expr) => {}
        Expr::List(items) | Expr::Tuple(items) => items.iter().for_each(|item| held(item, &mut shared)),
        Expr::Dict(entries) => entries.iter().for_each(|(_, value)| held(value, &mut shared)),
        Expr::ListComprehension(made, ..) => held(made, &mut shared),
        Expr::DictComprehension(made, ..) => held(&made.1, &mut shared),
        Expr::Call(callee, call) if keeps(callee) => {
            call.args.iter().for_each(|given| held(given.node.expr(), &mut shared));
        }
        _ => {}
    });
    shared
}

/// Whether what a call is given may be kept, or be given back: by functions of the script, and by what grows.
fn keeps(callee: &AstExpr) -> bool {
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

/// The names whose very values an expression gives.
fn held<'a>(expr: &'a AstExpr, shared: &mut BTreeSet<&'a str>) {
    match &expr.node {
        Expr::Identifier(name) => {
            shared.insert(&name.ident);
        }
        Expr::Index(parts) => held(&parts.0, shared),
        Expr::If(parts) => {
            held(&parts.1, shared);
            held(&parts.2, shared);
        }
        Expr::Op(left, BinOp::And | BinOp::Or, right) => {
            held(left, shared);
            held(right, shared);
        }
        _ => {}
    }
}

/// The functions that the script calls itself.
fn called_names(root: &AstStmt) -> BTreeSet<&str> {
    let mut called = BTreeSet::new();
    expressions(root, &mut |expr| {
        if let Expr::Call(callee, _) = &expr.node {
            called.extend(identifier(callee));
        }
    });
    called
}
