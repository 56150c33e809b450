//! The subjects that an expression can match.

use pintle_contract::{EventName, SubjectFilter};
use starlark::syntax::ast::{AstExpr, BinOp, Expr};

use crate::analysis::{ArgumentNode, identifier_name, string_literal};

/// The subject filter of an expression, for the engine's index.
pub(super) fn subjects_of(root: &AstExpr, event: &EventName) -> SubjectFilter {
    match event.def().subject.and_then(|field| subjects_and_exactness(root, field)) {
        Some((names, true)) => SubjectFilter::certain(names),
        Some((names, false)) => SubjectFilter::possible(names),
        None => SubjectFilter::Any,
    }
}

/// The subjects, and whether they are the whole condition.
///
/// The index must not hide an error: an expression that would fail for another subject must be evaluated. So only the
/// first part of a conjunction is used, unless that part cannot fail.
fn subjects_and_exactness(expr: &AstExpr, field: &str) -> Option<(Vec<String>, bool)> {
    match &expr.node {
        Expr::Op(left, BinOp::Equal, right) => {
            let name = if is_subject(left, field) {
                string_literal(right)
            } else {
                string_literal(left).filter(|_| is_subject(right, field))
            };
            Some((vec![name?.to_owned()], true))
        }
        Expr::Op(left, BinOp::In, right) if is_subject(left, field) => match &right.node {
            Expr::List(names) | Expr::Tuple(names) => {
                let names: Option<Vec<String>> =
                    names.iter().map(|name| string_literal(name).map(str::to_owned)).collect();
                Some((names?, true))
            }
            _ => None,
        },
        Expr::Op(left, BinOp::And, right) => {
            match (subjects_and_exactness(left, field), subjects_and_exactness(right, field)) {
                (Some((mut names, one)), Some((others, other))) => {
                    names.retain(|name| others.contains(name));
                    Some((names, one && other))
                }
                (Some((names, _)), None) => Some((names, false)),
                (None, Some((names, _))) if cannot_fail(left) => Some((names, false)),
                (None, _) => None,
            }
        }
        Expr::Op(left, BinOp::Or, right) => {
            let (mut names, one) = subjects_and_exactness(left, field)?;
            let (others, other) = subjects_and_exactness(right, field)?;
            names.extend(others);
            Some((names, one && other))
        }
        _ => None,
    }
}

/// `payload["field"]` or `payload.get("field")`.
fn is_subject(expr: &AstExpr, field: &str) -> bool {
    match &expr.node {
        Expr::Index(parts) => identifier_name(&parts.0) == Some("payload") && string_literal(&parts.1) == Some(field),
        _ => payload_get_key(expr).is_some_and(|(key, has_default)| key == field && !has_default),
    }
}

/// The key of a `payload.get(..)` and whether it has a default.
fn payload_get_key(expr: &AstExpr) -> Option<(&str, bool)> {
    let Expr::Call(callee, call) = &expr.node else { return None };
    let Expr::Dot(base, method) = &callee.node else { return None };
    let (ArgumentNode::Positional(key), rest) = (&call.args.first()?.node, call.args.get(1..)?) else { return None };
    (identifier_name(base) == Some("payload") && method.node == "get")
        .then_some((string_literal(key)?, !rest.is_empty()))
}

/// Whether an expression cannot raise an error, as long as the payload is an object.
fn cannot_fail(expr: &AstExpr) -> bool {
    match &expr.node {
        Expr::Literal(_) => true,
        Expr::Identifier(name) => matches!(name.ident.as_str(), "event" | "True" | "False" | "None"),
        Expr::Not(inner) => cannot_fail(inner),
        Expr::Op(left, BinOp::And | BinOp::Or | BinOp::Equal | BinOp::NotEqual, right) => {
            cannot_fail(left) && cannot_fail(right)
        }
        _ => payload_get_key(expr).is_some(),
    }
}
