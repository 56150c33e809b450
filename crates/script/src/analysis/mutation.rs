//! Whether a script may change a part of its payload in place.
//!
//! A script may freely change values that it created itself. The top level of the payload is a dict of the call's own,
//! so `payload["x"] = 1` does not change anything shared.

use std::collections::BTreeMap;

use starlark::syntax::ast::{AssignOp, AssignTargetP, AstAssignTarget, AstExpr, AstLiteral, Expr, Stmt};

use super::ast::{MethodCall, identifier_name, target_parts};
use super::resolved::{NameBinding, ResolvedScript};

/// Whether anything may change a part of `payload`.
pub(super) fn may_mutate(script: &ResolvedScript<'_>, payload: &str) -> bool {
    let fresh = fresh_names(script);
    let own_name = |name: &str| name == payload || fresh.get(name) == Some(&true);
    let own = |expr: &AstExpr| identifier_name(expr).is_some_and(own_name);
    // Whether assigning to a target changes a value that the script did not create.
    let assignment_mutates = |target: &AstAssignTarget| match &target.node {
        AssignTargetP::Index(parts) => !own(&parts.0),
        AssignTargetP::Dot(..) => true,
        AssignTargetP::Identifier(_) | AssignTargetP::Tuple(_) => false,
    };
    let statement_mutates = |stmt: &Stmt| match stmt {
        Stmt::Assign(assign) => target_parts(&assign.lhs).into_iter().any(assignment_mutates),
        Stmt::AssignModify(target, op, value) => match &target.node {
            AssignTargetP::Identifier(name) => {
                let grows = matches!(op, AssignOp::Add | AssignOp::BitOr);
                grows && !own_name(&name.ident) && !is_scalar(value)
            }
            AssignTargetP::Index(_) => assignment_mutates(target) || !is_scalar(value),
            _ => true,
        },
        _ => false,
    };
    let mut calls = script.expressions.iter().filter_map(|expr| MethodCall::from_expr(expr));
    script.statements.iter().any(|stmt| statement_mutates(&stmt.node))
        || calls.any(|call| script.changes_base(&call) && !own(call.base))
}

/// A literal number or string, which cannot grow a list or a dict.
fn is_scalar(expr: &AstExpr) -> bool {
    matches!(expr.node, Expr::Literal(AstLiteral::Int(_) | AstLiteral::Float(_) | AstLiteral::String(_)))
}

/// For each name, whether the script creates every value that it has.
pub(super) fn fresh_names<'a>(script: &ResolvedScript<'a>) -> BTreeMap<&'a str, bool> {
    let is_created = |binding: &NameBinding<'_>| match binding {
        NameBinding::Value(value) => Some(is_fresh(script, value)),
        NameBinding::Parameter(_) | NameBinding::Part(_) => Some(false),
        // Neither gives the name a value of another place.
        NameBinding::Function(_) | NameBinding::Augmented(_) => None,
    };
    let fresh = script.names.iter().filter_map(|(name, bindings)| {
        let created = bindings.iter().filter_map(is_created).reduce(|all, one| all && one)?;
        Some((name, created))
    });
    fresh.collect()
}

/// Whether an expression creates a new value.
fn is_fresh(script: &ResolvedScript<'_>, expr: &AstExpr) -> bool {
    match &expr.node {
        Expr::Literal(_) | Expr::List(_) | Expr::Dict(_) | Expr::Tuple(_) | Expr::FString(_) => true,
        Expr::ListComprehension(..) | Expr::DictComprehension(..) | Expr::Not(_) | Expr::Minus(_) => true,
        Expr::Call(callee, _) => {
            let builtin = identifier_name(callee).filter(|name| !script.names.contains(name));
            matches!(builtin, Some("dict" | "list" | "sorted" | "len" | "str" | "int" | "range"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use starlark::syntax::AstModule;

    use super::*;
    use crate::language::dialect;

    fn is_mutating(body: &str) -> bool {
        let body = body.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let ast = AstModule::parse("t", format!("def handle(event, payload):\n{body}"), &dialect()).unwrap();
        may_mutate(&ResolvedScript::new(&ast), "payload")
    }

    #[test]
    fn own_values_may_change_and_others_need_a_copy() {
        let own = [
            "hits = []\nhits.append(payload[\"x\"])",
            "d = {}\nd[\"a\"] = payload[\"args\"]",
            "payload[\"x\"] = 1",
            "n = 0\nn += 1",
            "d = dict(payload)\nd[\"x\"] = 1",
            "cache.clear()",
            "x = payload[\"n\"]\nx += 1",
        ];
        for body in own {
            assert!(!is_mutating(body), "{body}");
        }
        let shared = [
            "payload[\"args\"][\"x\"] = 1",
            "a = payload[\"args\"]\na[\"x\"] = 1",
            "payload[\"messages\"].append(1)",
            "m = payload[\"messages\"]\nm += [1]",
            "for m in payload[\"messages\"]:\n  m.pop(\"x\")",
            "d = {}\nd[\"a\"] = payload[\"args\"]\nd[\"a\"][\"x\"] = 1",
            "d = {}\nd[\"a\"] += payload[\"b\"]",
            "a = payload[\"args\"]\na.update({})",
            "cache = payload[\"args\"]\ncache.clear()",
            "list = same\na = list(payload[\"args\"])\na.clear()",
        ];
        for body in shared {
            assert!(is_mutating(body), "{body}");
        }
    }
}
