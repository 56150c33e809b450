//! What a script reads of its payload, and in which form it expects `payload["arguments"]`.
//!
//! The analysis is conservative: whatever it does not recognise reads everything. So a projection never hides a field
//! that the script could see.

use std::collections::{BTreeMap, BTreeSet};

use starlark::syntax::AstModule;
use starlark::syntax::ast::{AstExpr, AstStmt, BinOp, Expr, Stmt};

use super::names::{bound, target_names};
use super::walk::{Argument, Clause, Parameter, block, expressions, identifier, inside, span, statements, string};
use super::{ArgumentsForm, Keys, Reads, mutation};
use crate::compile::Role;
use crate::finding::{Code, Finding};

/// How deep a payload is followed through helper functions.
const MAX_HELPERS: usize = 8;

/// What a script reads.
pub(super) fn reads(ast: &AstModule, role: Role) -> (Reads, Vec<Finding>) {
    let everything = Reads { keys: Keys::All, mutates: true, arguments: ArgumentsForm::Text };
    if role != Role::Hook {
        return (everything, Vec::new());
    }
    of_entry(ast.statement(), role.entry(), 1).unwrap_or((everything, Vec::new()))
}

/// What the function `entry` reads of its parameter at `position`.
pub(super) fn of_entry(root: &AstStmt, entry: &str, position: usize) -> Option<(Reads, Vec<Finding>)> {
    let defs = functions(root)?;
    let def = defs.get(entry)?;
    let payload = def.parameters.get(position).copied().flatten()?;
    let keys = keys_of(&defs, def.body, payload);
    let (arguments, findings) = match dict_evidence(root, payload) {
        Some(at) => {
            let message = "`payload[\"arguments\"]` is used as a dict, so this hook finds the decoded arguments there";
            let note = Finding::note(Code::Reading, message, Some(at))
                .help("the decoded arguments are `payload[\"args\"]`; `payload[\"arguments\"]` is their JSON text");
            (ArgumentsForm::Dict, vec![note])
        }
        None => (ArgumentsForm::Text, Vec::new()),
    };
    Some((Reads { keys, mutates: mutation::mutates(root, payload), arguments }, findings))
}

/// What a function of one parameter reads of it, wherever it stands.
pub(super) fn of_closure(root: &AstStmt, body: Body<'_>, payload: &str) -> Reads {
    let keys = functions(root).map_or(Keys::All, |defs| keys_of(&defs, body, payload));
    Reads { keys, mutates: mutation::mutates(root, payload), arguments: ArgumentsForm::Text }
}

fn keys_of<'a>(defs: &BTreeMap<&'a str, Function<'a>>, body: Body<'a>, payload: &'a str) -> Keys {
    let mut keys = BTreeSet::new();
    let all = follow(defs, body, payload, &mut keys, 0).is_none();
    match (all, keys.is_empty()) {
        (true, _) => Keys::All,
        (false, true) => Keys::None,
        (false, false) => Keys::Some(keys.into_iter().map(str::to_owned).collect()),
    }
}

/// The body of a function.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    /// Of a `def`.
    Block(&'a AstStmt),
    /// Of a `lambda`.
    Value(&'a AstExpr),
}

impl<'a> Body<'a> {
    /// Visits the outermost expressions.
    fn outermost(self, mut visit: impl FnMut(&'a AstExpr)) {
        match self {
            Self::Block(stmt) => stmt.visit_expr(visit),
            Self::Value(expr) => visit(expr),
        }
    }
}

/// A top-level function: its parameters in order, `None` for those that are not plain, and its body.
struct Function<'a> {
    parameters: Vec<Option<&'a str>>,
    body: Body<'a>,
}

/// The top-level functions; `None` when a name stands for more than one thing.
fn functions(root: &AstStmt) -> Option<BTreeMap<&str, Function<'_>>> {
    let mut defs = BTreeMap::new();
    let mut assigned = BTreeSet::new();
    for stmt in block(root) {
        match &stmt.node {
            Stmt::Def(def) => {
                let plain = |parameter: &'_ Parameter| matches!(parameter, Parameter::Normal(..));
                let parameters = def
                    .params
                    .iter()
                    .map(|parameter| {
                        let name = parameter.ident().map(|name| name.ident.as_str());
                        name.filter(|_| plain(&parameter.node))
                    })
                    .collect();
                if defs.insert(def.name.ident.as_str(), Function { parameters, body: Body::Block(&def.body) }).is_some()
                {
                    return None;
                }
            }
            _ => assigned.extend(bound(stmt)),
        }
    }
    (!defs.keys().any(|name| assigned.contains(name))).then_some(defs)
}

/// Collects the fields that a function reads of a parameter; `None` when it may read any.
fn follow<'a>(
    defs: &BTreeMap<&'a str, Function<'a>>,
    body: Body<'a>,
    payload: &'a str,
    keys: &mut BTreeSet<&'a str>,
    depth: usize,
) -> Option<()> {
    if depth > MAX_HELPERS {
        return None;
    }
    if rebound(body, payload) {
        return None;
    }
    let mut complete = Some(());
    let mut visit = |expr: &'a AstExpr| {
        complete = complete.and_then(|()| read(defs, expr, payload, keys, depth));
    };
    let mut seen = Vec::new();
    body.outermost(|expr| seen.push(expr));
    seen.into_iter().for_each(&mut visit);
    complete
}

/// Whether a name is bound to something else inside a function.
fn rebound(body: Body<'_>, name: &str) -> bool {
    let mut found = false;
    let mut statement = |stmt: &AstStmt| {
        found |= match &stmt.node {
            Stmt::Def(def) => {
                let shadows = def.params.iter().any(|param| param.ident().is_some_and(|ident| ident.ident == name));
                shadows || def.name.ident == name
            }
            Stmt::Assign(assign) => target_names(&assign.lhs).contains(&name),
            Stmt::AssignModify(target, _, _) => target_names(target).contains(&name),
            Stmt::For(each) => target_names(&each.var).contains(&name),
            _ => false,
        };
    };
    if let Body::Block(stmt) = body {
        statements(stmt, &mut statement);
    }
    let mut expression = |expr: &AstExpr| {
        let clause = |clause: &Clause| matches!(clause, Clause::For(each) if target_names(&each.var).contains(&name));
        found |= match &expr.node {
            Expr::Lambda(lambda) => {
                lambda.params.iter().any(|param| param.ident().is_some_and(|ident| ident.ident == name))
            }
            Expr::ListComprehension(_, first, rest) => {
                target_names(&first.var).contains(&name) || rest.iter().any(clause)
            }
            Expr::DictComprehension(_, first, rest) => {
                target_names(&first.var).contains(&name) || rest.iter().any(clause)
            }
            _ => false,
        };
    };
    body.outermost(|expr| inside(expr, &mut expression));
    found
}

/// Collects what an expression reads; `None` when the payload itself goes somewhere.
fn read<'a>(
    defs: &BTreeMap<&'a str, Function<'a>>,
    expr: &'a AstExpr,
    payload: &str,
    keys: &mut BTreeSet<&'a str>,
    depth: usize,
) -> Option<()> {
    let is_payload = |expr: &AstExpr| identifier(expr) == Some(payload);
    match &expr.node {
        Expr::Identifier(name) if name.ident == payload => None,
        Expr::Index(parts) if is_payload(&parts.0) => {
            keys.insert(string(&parts.1)?);
            Some(())
        }
        Expr::Op(left, BinOp::In | BinOp::NotIn, right) if is_payload(right) => {
            keys.insert(string(left)?);
            Some(())
        }
        Expr::Call(callee, call) => {
            let mut rest = call.args.iter();
            match &callee.node {
                Expr::Dot(base, method) if is_payload(base) => {
                    let Some(Argument::Positional(key)) = rest.next().map(|argument| &argument.node) else {
                        return None;
                    };
                    if method.node != "get" {
                        return None;
                    }
                    keys.insert(string(key)?);
                }
                Expr::Identifier(name) if defs.contains_key(name.ident.as_str()) => {
                    for (position, argument) in call.args.iter().enumerate() {
                        match &argument.node {
                            Argument::Positional(given) if is_payload(given) => {
                                let helper = defs.get(name.ident.as_str())?;
                                let parameter = helper.parameters.get(position).copied().flatten()?;
                                follow(defs, helper.body, parameter, keys, depth + 1)?;
                            }
                            other => read(defs, other.expr(), payload, keys, depth)?,
                        }
                    }
                    return Some(());
                }
                _ => read(defs, callee, payload, keys, depth)?,
            }
            rest.try_for_each(|argument| read(defs, argument.expr(), payload, keys, depth))
        }
        _ => {
            let mut complete = Some(());
            expr.visit_expr(|inner| complete = complete.and_then(|()| read(defs, inner, payload, keys, depth)));
            complete
        }
    }
}

/// Where a script uses `payload["arguments"]` as only a dict can be used.
fn dict_evidence(root: &AstStmt, payload: &str) -> Option<(usize, usize)> {
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
fn dict_default(arguments: &[starlark::syntax::ast::AstArgument]) -> bool {
    arguments.get(1).is_some_and(|default| matches!(default.node.expr().node, Expr::Dict(_)))
}

/// The names that an expression reads, for the follow-up of helpers in `when`.
pub(crate) fn names_in(expr: &AstExpr) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    inside(expr, &mut |inner| names.extend(identifier(inner)));
    names
}

/// The names that a statement reads.
pub(crate) fn names_in_stmt(stmt: &AstStmt) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    expressions(stmt, &mut |expr| names.extend(identifier(expr)));
    names
}

#[cfg(test)]
mod tests {
    use starlark::syntax::AstModule;

    use super::*;
    use crate::load::dialect;

    fn read(body: &str) -> Reads {
        let body = body.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let text = format!("def helper(p, q):\n  return p[\"helped\"]\ndef handle(event, payload):\n{body}");
        let ast = AstModule::parse("t", text, &dialect()).unwrap();
        reads(&ast, Role::Hook).0
    }

    fn some(keys: &[&str]) -> Keys {
        Keys::Some(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    #[test]
    fn fields_are_found_and_doubt_reads_all() {
        let cases: &[(&str, Keys)] = &[
            ("return allow()", Keys::None),
            ("return payload[\"name\"]", some(&["name"])),
            ("x = payload.get(\"args\", {}).get(\"command\", \"\")\nreturn x", some(&["args"])),
            ("if \"error\" in payload:\n  return payload[\"name\"]", some(&["error", "name"])),
            ("return helper(payload, payload[\"name\"])", some(&["helped", "name"])),
            ("return [payload[\"a\"] for x in payload[\"b\"]]", some(&["a", "b"])),
            ("return modify(payload)", Keys::All),
            ("return helper(q = payload, p = 1)", Keys::All),
            ("return payload[event]", Keys::All),
            ("p = payload\nreturn p[\"name\"]", Keys::All),
            ("payload = {}\nreturn payload[\"name\"]", Keys::All),
            ("return [payload[\"x\"] for payload in event]", Keys::All),
            ("return type(payload)", Keys::All),
            ("return payload.keys()", Keys::All),
            ("return payload.get(event)", Keys::All),
            ("return unknown(payload)", Keys::All),
            ("return f\"{payload}\"", Keys::All),
            ("payload[\"x\"] = 1\nreturn modify(payload)", Keys::All),
        ];
        for (body, expected) in cases {
            assert_eq!(&read(body).keys, expected, "{body}");
        }
    }

    #[test]
    fn arguments_take_the_form_the_script_shows() {
        let dict = [
            "return payload[\"arguments\"].get(\"path\")",
            "return payload.get(\"arguments\", {})",
            "return payload[\"arguments\"][\"path\"]",
            "a = payload[\"arguments\"]\nreturn a[\"path\"]",
            "a = payload.get(\"arguments\")\nreturn a.items()",
        ];
        for body in dict {
            assert_eq!(read(body).arguments, ArgumentsForm::Dict, "{body}");
        }
        let text = [
            "return json.decode(payload[\"arguments\"])[\"path\"]",
            "return \"rm\" in payload[\"arguments\"]",
            "a = payload[\"arguments\"]\na = json.decode(a)\nreturn a[\"path\"]",
            "return payload[\"args\"].get(\"path\")",
            "a = payload[\"arguments\"]\nreturn a[0]",
        ];
        for body in text {
            assert_eq!(read(body).arguments, ArgumentsForm::Text, "{body}");
        }
    }
}
