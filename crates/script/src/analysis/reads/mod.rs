//! What a script reads of its payload.
//!
//! The analysis is conservative: whatever it does not recognise reads everything. So a projection never hides a field
//! that the script could see.

mod follow;

use std::collections::{BTreeMap, BTreeSet};

use starlark::syntax::AstModule;
use starlark::syntax::ast::{AstExpr, AstParameter, AstStmt, Stmt};

use self::follow::{bindings, keys_of};
use super::names::bound;
use super::walk::{Parameter, block, expressions, identifier, inside, span};
use super::{ArgumentsForm, Keys, Reads, arguments, mutation};
use crate::compile::Role;
use crate::finding::Finding;

/// What a script reads.
pub(super) fn reads(ast: &AstModule, role: Role) -> (Reads, Option<Finding>) {
    if role != Role::Hook {
        return (Reads { keys: Keys::All, mutates: true, arguments: ArgumentsForm::Text }, None);
    }
    of_entry(ast.statement(), role.entry(), 1)
}

/// What the function `entry` reads of its parameter at `position`.
pub(super) fn of_entry(root: &AstStmt, entry: &str, position: usize) -> (Reads, Option<Finding>) {
    let (keys, mutates) = fields(root, entry, position).unwrap_or((Keys::All, true));
    let (arguments, finding) = arguments::form(root, entry, position);
    (Reads { keys, mutates, arguments }, finding)
}

/// Which fields the function reads, and whether it may change a part of the payload.
fn fields(root: &AstStmt, entry: &str, position: usize) -> Option<(Keys, bool)> {
    let functions = Functions::of(root)?;
    let def = functions.defs.get(entry)?;
    let payload = def.parameters.get(position).copied().flatten()?;
    Some((keys_of(&functions, def, payload), mutation::mutates(root, payload)))
}

/// What a function reads of its first parameter, wherever it stands.
pub(super) fn of_closure(root: &AstStmt, parameters: &[AstParameter], body: Body<'_>) -> Option<Reads> {
    let function = Function { parameters: plain(parameters), body };
    let payload = function.parameters.first().copied().flatten()?;
    let keys = Functions::of(root).map_or(Keys::All, |functions| keys_of(&functions, &function, payload));
    Some(Reads { keys, mutates: mutation::mutates(root, payload), arguments: ArgumentsForm::Text })
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
    /// Where it stands.
    pub(super) fn span(self) -> (usize, usize) {
        match self {
            Self::Block(stmt) => span(stmt),
            Self::Value(expr) => span(expr),
        }
    }

    /// The outermost expressions.
    fn outermost(self) -> Vec<&'a AstExpr> {
        match self {
            Self::Block(stmt) => {
                let mut seen = Vec::new();
                stmt.visit_expr(|expr| seen.push(expr));
                seen
            }
            Self::Value(expr) => vec![expr],
        }
    }
}

/// A function: its parameters in order, `None` for those that are not plain, and its body.
struct Function<'a> {
    parameters: Vec<Option<&'a str>>,
    body: Body<'a>,
}

/// The top-level functions.
struct Functions<'a> {
    defs: BTreeMap<&'a str, Function<'a>>,
    /// How often each name is bound, anywhere.
    bindings: BTreeMap<&'a str, usize>,
}

impl<'a> Functions<'a> {
    /// The top-level functions; `None` when a name stands for more than one thing.
    fn of(root: &'a AstStmt) -> Option<Self> {
        let mut defs = BTreeMap::new();
        let mut assigned = BTreeSet::new();
        for stmt in block(root) {
            match &stmt.node {
                Stmt::Def(def) => {
                    let function = Function { parameters: plain(&def.params), body: Body::Block(&def.body) };
                    if defs.insert(def.name.ident.as_str(), function).is_some() {
                        return None;
                    }
                }
                _ => assigned.extend(bound(stmt)),
            }
        }
        let bindings = bindings(Body::Block(root));
        (!defs.keys().any(|name| assigned.contains(name))).then_some(Self { defs, bindings })
    }

    /// The function that a name means wherever it is used; `None` when something else may have that name too.
    fn meant(&self, name: &str) -> Option<&Function<'a>> {
        self.defs.get(name).filter(|_| self.bindings.get(name) == Some(&1))
    }
}

/// The names of parameters that are plain.
fn plain(parameters: &[AstParameter]) -> Vec<Option<&str>> {
    parameters
        .iter()
        .map(|parameter| match &parameter.node {
            Parameter::Normal(name, _, _) => Some(name.ident.as_str()),
            _ => None,
        })
        .collect()
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
pub(super) mod tests {
    use starlark::syntax::AstModule;

    use super::*;
    use crate::load::dialect;

    fn read(body: &str) -> Reads {
        let body = body.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let text = format!("def helper(p, q):\n  return p[\"helped\"]\ndef handle(event, payload):\n{body}");
        let ast = AstModule::parse("t", text, &dialect()).unwrap();
        reads(&ast, Role::Hook).0
    }

    /// The keys that are read, each with what is read of it: `*` stands for all, `?` for whether it is there.
    pub(in crate::analysis) fn shape(keys: &Keys) -> String {
        match keys {
            Keys::All => String::from("*"),
            Keys::None => String::from("?"),
            Keys::Some(names) => {
                let one = |(name, keys): &(String, Keys)| match keys {
                    Keys::All => name.clone(),
                    Keys::None => format!("{name}?"),
                    Keys::Some(_) => format!("{name}({})", shape(keys)),
                };
                names.iter().map(one).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn fields_are_found_and_doubt_reads_all() {
        let cases: &[(&str, &str)] = &[
            ("return allow()", "?"),
            ("return payload[\"name\"]", "name"),
            ("x = payload.get(\"args\", {}).get(\"command\", \"\")\nreturn x", "args(command)"),
            ("if \"error\" in payload:\n  return payload[\"name\"]", "error? name"),
            ("return helper(payload, payload[\"name\"])", "helped name?"),
            ("return [payload[\"a\"] for x in payload[\"b\"]]", "a b"),
            ("return modify(payload)", "*"),
            ("return helper(q = payload, p = 1)", "*"),
            ("return payload[event]", "*"),
            ("payload = {}\nreturn payload[\"name\"]", "*"),
            ("return [payload[\"x\"] for payload in event]", "*"),
            ("return type(payload)", "*"),
            ("return payload.keys()", "*"),
            ("return payload.get(event)", "*"),
            ("return unknown(payload)", "*"),
            ("return f\"{payload}\"", "*"),
            ("payload[\"x\"] = 1\nreturn modify(payload)", "*"),
        ];
        for (body, expected) in cases {
            assert_eq!(shape(&read(body).keys), *expected, "{body}");
        }
    }

    #[test]
    fn what_is_below_a_field_is_found_and_doubt_reads_the_field() {
        let cases: &[(&str, &str)] = &[
            ("return \"mkfs\" in payload[\"tool\"][\"args\"][\"command\"]", "tool(args(command(mkfs?)))"),
            ("return payload[\"a\"][\"b\"] == payload[\"a\"].get(\"c\")", "a(b c)"),
            ("return payload[\"a\"][\"b\"] or payload[\"a\"]", "a"),
            ("return payload[\"a\"] or payload[\"a\"][\"b\"]", "a"),
            ("return payload[\"a\"][event]", "a"),
            ("return payload[\"a\"][0][\"b\"]", "a"),
            ("return payload[\"a\"].keys()", "a"),
            ("return event in payload[\"a\"]", "a"),
            ("return event not in payload", "*"),
            ("for x in payload[\"a\"][\"b\"]:\n  return x", "a(b)"),
            ("payload[\"a\"][\"b\"] = 1", "a"),
            ("return payload.get(\"a\", payload[\"b\"])[\"c\"]", "a(c) b"),
            // A name that stands for a part.
            ("t = payload[\"a\"]\nreturn t[\"b\"]", "a(b)"),
            ("t = payload[\"a\"]\nu = t.get(\"b\", payload[\"d\"])\nreturn u[\"c\"]", "a(b(c)) d"),
            ("t = payload[\"a\"]\nreturn 1", "a?"),
            ("t = payload[\"a\"]\nreturn t", "a"),
            ("t = payload[\"a\"]\nreturn lambda x: t[\"b\"] + x", "a(b)"),
            ("t = payload[\"a\"]\nreturn lambda t: t[\"b\"]", "a"),
            ("t = payload[\"a\"]\nt = payload[\"b\"]\nreturn t[\"c\"]", "a b"),
            ("t = payload[\"a\"]\nt += [1]\nreturn 1", "a"),
            ("t, u = payload[\"a\"], payload[\"b\"]\nreturn t[\"c\"]", "a b"),
            ("t = payload[\"a\"]\nt[\"b\"] = 1\nreturn 1", "a"),
            ("for x in [1, 2]:\n  u = t[\"b\"]\n  t = payload[\"a\"]\n  print(u[\"c\"])", "a(b)"),
            ("p = payload\nreturn p[\"name\"]", "name"),
            // A part that is handed to another function.
            ("return helper(payload[\"a\"], 1)", "a(helped)"),
            ("t = payload[\"a\"]\nreturn helper(t, payload)", "a(helped)"),
            ("return helper(1, payload[\"a\"])", "a?"),
            ("return helper(*[payload[\"a\"], 1])", "a"),
            ("return unknown(payload[\"a\"])", "a"),
            ("helper = unknown\nreturn helper(payload[\"a\"], 1)", "a"),
            ("return [helper(payload[\"a\"], 1) for helper in event]", "a"),
        ];
        for (body, expected) in cases {
            assert_eq!(shape(&read(body).keys), *expected, "{body}");
        }
        let deep = (0..20).map(|_| "[\"x\"]").collect::<String>();
        assert_eq!(shape(&read(&format!("return payload{deep}")).keys), "x(x(x(x(x(x(x(x)))))))");
    }

    #[test]
    fn functions_that_call_each_other_without_end_are_not_followed_without_end() {
        let calls = "  g(p)\n  g(p[\"x\"])\n".repeat(20);
        let text = format!("def g(p):\n{calls}  return p[\"y\"]\ndef handle(event, payload):\n  return g(payload)\n");
        let ast = AstModule::parse("t", text, &dialect()).unwrap();
        assert_eq!(shape(&reads(&ast, Role::Hook).0.keys), "*");
    }
}
