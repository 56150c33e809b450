//! In which form a script expects `payload["arguments"]`.

use std::collections::BTreeSet;

use starlark::syntax::ast::{AstArgument, AstExpr, AstStmt, Expr, Stmt};

use super::super::names::target_names;
use super::super::walk::{Argument, expressions, identifier, span, statements, string};

/// Where a script uses `payload["arguments"]` as only a dict can be used.
pub(super) fn dict_evidence(root: &AstStmt, payload: &str) -> Option<(usize, usize)> {
    let mut holders = BTreeSet::new();
    let mut decoded = BTreeSet::new();
    statements(root, &mut |stmt| {
        if let Stmt::Assign(assign) = &stmt.node {
            let names = target_names(&assign.lhs);
            if is_arguments(&assign.rhs, payload) {
                holders.extend(names);
            } else if let Expr::Call(..) = &assign.rhs.node {
                // `args = json.decode(args)`: the name holds the decoded form from there on.
                decoded.extend(names);
            }
        }
    });
    let holds = |expr: &AstExpr| {
        is_arguments(expr, payload)
            || identifier(expr).is_some_and(|name| holders.contains(name) && !decoded.contains(name))
    };
    let mut found = None;
    expressions(root, &mut |expr| {
        let evidence = match &expr.node {
            Expr::Index(parts) => holds(&parts.0) && string(&parts.1).is_some(),
            Expr::Call(callee, call) => match &callee.node {
                Expr::Dot(base, method) => {
                    let of_dict = matches!(method.node.as_str(), "get" | "items" | "keys" | "values");
                    (of_dict && holds(base)) || (is_arguments(expr, payload) && dict_default(&call.args))
                }
                _ => false,
            },
            _ => false,
        };
        if evidence && found.is_none() {
            found = Some(span(expr));
        }
    });
    found
}

/// `payload["arguments"]` or `payload.get("arguments", ..)`.
fn is_arguments(expr: &AstExpr, payload: &str) -> bool {
    match &expr.node {
        Expr::Index(parts) => identifier(&parts.0) == Some(payload) && string(&parts.1) == Some("arguments"),
        Expr::Call(callee, call) => match (&callee.node, call.args.first().map(|argument| &argument.node)) {
            (Expr::Dot(base, method), Some(Argument::Positional(key))) => {
                identifier(base) == Some(payload) && method.node == "get" && string(key) == Some("arguments")
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether the default of a `.get(..)` is a dictionary.
fn dict_default(arguments: &[AstArgument]) -> bool {
    arguments.get(1).is_some_and(|default| matches!(default.node.expr().node, Expr::Dict(_)))
}
