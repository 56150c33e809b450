//! Checks that every value that a script grows has only one name.
//!
//! The size analysis keeps a size for each name. If a list is passed to a function or has a second name, it grows
//! without the other name knowing: values computed from it there would cost more than estimated. So a value that grows
//! repeatedly must be created in the function that grows it, and no other value may contain it.

use std::collections::BTreeSet;

use starlark::syntax::ast::{AssignOp, AssignTargetP, AstExpr, AstStmt, BinOp, Expr, Stmt};

use super::super::ast::{
    MethodCall, alternatives, block_statements, expressions_in, identifier_name, is_constant_name, names_read,
    nested_expressions, returned_values, statements_in, string_literal, target_parts,
};
use super::super::mutation::fresh_names;
use super::super::resolved::ResolvedScript;
use crate::globals;

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
pub(super) fn has_no_hidden_growth(script: &ResolvedScript<'_>) -> bool {
    let fresh = fresh_names(script);
    let shared = shared_names(script);
    let called = called_names(script);
    // The rules are about the functions of the language, so what is called must not be another one of the same name.
    if called.iter().any(|name| globals::PURE.contains(name) && script.names.contains(name)) {
        return false;
    }
    let is_own = |name: Option<&str>| name.is_some_and(|name| fresh.get(name) == Some(&true) && !shared.contains(name));
    let hidden = |growth: &&GrowingValue<'_>| !is_own(growth.name);
    let mut outside_loops = 0;
    for part in block_statements(script.root()) {
        let (body, is_called): (&AstStmt, bool) = match &part.node {
            Stmt::Def(def) => (&*def.body, called.contains(def.name.ident.as_str())),
            _ => (part, false),
        };
        // A comprehension only grows its own result; the evaluation refuses one that grows another value.
        let repeats = statements_in(body).into_iter().any(|inner| match &inner.node {
            Stmt::For(each) => find_growth(script, &each.body).iter().filter(hidden).any(|growth| !growth.is_flat),
            _ => false,
        });
        let found = find_growth(script, body).iter().filter(hidden).count();
        if is_called && found > 0 || repeats {
            return false;
        }
        outside_loops += found;
    }
    outside_loops <= MAX_SHARED_GROWTH
}

/// The values that a statement grows.
fn find_growth<'a>(script: &ResolvedScript<'a>, body: &'a AstStmt) -> Vec<GrowingValue<'a>> {
    let grown = |name, is_flat| GrowingValue { name, is_flat };
    let mut found = Vec::new();
    for stmt in statements_in(body) {
        match &stmt.node {
            Stmt::Assign(assign) => found.extend(target_parts(&assign.lhs).into_iter().filter_map(|part| {
                let AssignTargetP::Index(parts) = &part.node else { return None };
                Some(grown(root_name(&parts.0), string_literal(&parts.1).is_some() && is_flat(&assign.rhs)))
            })),
            Stmt::AssignModify(target, op, value) if !is_flat(value) => match &target.node {
                AssignTargetP::Identifier(name) if matches!(op, AssignOp::Add | AssignOp::BitOr) => {
                    found.push(grown(Some(&name.ident), false));
                }
                AssignTargetP::Index(parts) => found.push(grown(root_name(&parts.0), false)),
                _ => {}
            },
            _ => {}
        }
    }
    let adds = |call: &MethodCall<'a>| {
        script.changes_base(call) && !call.arguments.is_empty() && !matches!(call.method, "pop" | "remove" | "discard")
    };
    let calls = expressions_in(body).into_iter().filter_map(MethodCall::from_expr).filter(adds);
    found.extend(calls.map(|call| grown(root_name(call.base), false)));
    found
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
        Expr::Identifier(_) => is_constant_name(value),
        Expr::Op(left, BinOp::Add | BinOp::Percent, right) => {
            [left, right]
                .into_iter()
                .any(|part| string_literal(part).is_some() || matches!(part.node, Expr::FString(_)))
                || (is_flat(left) && is_flat(right))
        }
        Expr::If(_) => alternatives(value).is_some_and(|values| values.into_iter().all(is_flat)),
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
fn shared_names<'a>(script: &ResolvedScript<'a>) -> BTreeSet<&'a str> {
    let mut shared = BTreeSet::new();
    for stmt in &script.statements {
        match &stmt.node {
            Stmt::Assign(assign) => collect_aliased_names(&assign.rhs, &mut shared),
            Stmt::AssignModify(_, _, value) => collect_aliased_names(value, &mut shared),
            // A nested function can access the names of the outer one.
            Stmt::Def(def) => {
                let inner = statements_in(&def.body).into_iter();
                let nested = inner.filter(|inner| matches!(inner.node, Stmt::Def(_))).flat_map(expressions_in);
                shared.extend(names_read(nested));
            }
            _ => {}
        }
    }
    let returned: BTreeSet<*const AstExpr> =
        returned_values(script.root()).into_iter().flat_map(nested_expressions).map(std::ptr::from_ref).collect();
    for expr in &script.expressions {
        let parts: Vec<&AstExpr> = match &expr.node {
            Expr::Lambda(lambda) => {
                shared.extend(names_read(nested_expressions(&lambda.body)));
                continue;
            }
            _ if returned.contains(&std::ptr::from_ref(*expr)) => continue,
            Expr::List(items) | Expr::Tuple(items) => items.iter().collect(),
            Expr::Dict(entries) => entries.iter().map(|(_, value)| value).collect(),
            Expr::ListComprehension(made, ..) => vec![made],
            Expr::DictComprehension(made, ..) => vec![&made.1],
            Expr::Call(callee, call) if may_retain_arguments(script, expr, callee) => {
                call.args.iter().map(|given| given.expr()).collect()
            }
            _ => continue,
        };
        parts.into_iter().for_each(|part| collect_aliased_names(part, &mut shared));
    }
    shared
}

/// Whether a call may keep or return its arguments: calls of the script's functions, and methods that grow a value.
fn may_retain_arguments(script: &ResolvedScript<'_>, call: &AstExpr, callee: &AstExpr) -> bool {
    const COPYING: &[&str] = &[
        "len", "str", "repr", "bool", "type", "any", "all", "sorted", "print", "log", "fail", "block", "ask", "modify",
        "delegate", "emit", "hash", "int", "float",
    ];
    match (MethodCall::from_expr(call), identifier_name(callee)) {
        (Some(call), _) => call.is_mutator() || matches!(call.method, "get" | "new" | "max" | "min"),
        (None, Some(name)) => script.names.contains(name) || !COPYING.contains(&name),
        (None, None) => true,
    }
}

/// The names whose values an expression may return unchanged.
fn collect_aliased_names<'a>(expr: &'a AstExpr, names: &mut BTreeSet<&'a str>) {
    match &expr.node {
        Expr::Identifier(name) => {
            names.insert(&name.ident);
        }
        Expr::Index(parts) => collect_aliased_names(&parts.0, names),
        _ => alternatives(expr).into_iter().flatten().for_each(|value| collect_aliased_names(value, names)),
    }
}

/// The functions that the script calls.
fn called_names<'a>(script: &ResolvedScript<'a>) -> BTreeSet<&'a str> {
    names_read(script.expressions.iter().filter_map(|expr| match &expr.node {
        Expr::Call(callee, _) => Some(&**callee),
        _ => None,
    }))
}
