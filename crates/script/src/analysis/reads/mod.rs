//! The payload reads of a script.
//!
//! The analysis is conservative: an unknown construct reads everything. So a projection never hides a field that the
//! script could access.

mod track;

use std::collections::{BTreeMap, BTreeSet};

use starlark::syntax::AstModule;
use starlark::syntax::ast::{AstExpr, AstParameter, AstStmt, Stmt};

use self::track::keys_of;
use super::ast::{
    ParameterNode, block_statements, identifier_name, span_of, visit_expressions, visit_nested_expressions,
};
use super::bound_names::BoundNames;
use super::names::bound_names;
use super::payload_reads::{ArgumentsForm, FieldSet, PayloadReads};
use super::{arguments, mutation};
use crate::finding::ScriptFinding;
use crate::language::ScriptKind;

pub(super) fn analyse_reads(ast: &AstModule, script_kind: ScriptKind) -> (PayloadReads, Option<ScriptFinding>) {
    if script_kind != ScriptKind::Hook {
        return (PayloadReads { keys: FieldSet::All, may_mutate: true, arguments: ArgumentsForm::Text }, None);
    }
    reads_of_entry(ast.statement(), script_kind.entry_point(), 1)
}

/// The payload reads of the function `entry`, whose parameter at `position` is the payload.
pub(super) fn reads_of_entry(root: &AstStmt, entry: &str, position: usize) -> (PayloadReads, Option<ScriptFinding>) {
    let (keys, mutates) = read_fields(root, entry, position).unwrap_or((FieldSet::All, true));
    let (arguments, finding) = arguments::detect_form(root, entry, position);
    (PayloadReads { keys, may_mutate: mutates, arguments }, finding)
}

/// The fields that the function reads, and whether it may change a part of the payload.
fn read_fields(root: &AstStmt, entry: &str, position: usize) -> Option<(FieldSet, bool)> {
    let functions = TopLevelFunctions::from_module(root)?;
    let def = functions.defs.get(entry)?;
    let payload = def.parameters.get(position).copied().flatten()?;
    Some((keys_of(&functions, def, payload), mutation::may_mutate(root, payload)))
}

/// Finds the payload reads of the functions of a module.
pub(super) struct ClosureReader<'a> {
    root: &'a AstStmt,
    functions: Option<TopLevelFunctions<'a>>,
    /// For the name of each parameter, whether the module may change a part of its value.
    mutations: BTreeMap<&'a str, bool>,
}

impl<'a> ClosureReader<'a> {
    pub(super) fn new(root: &'a AstStmt) -> Self {
        Self { root, functions: TopLevelFunctions::from_module(root), mutations: BTreeMap::new() }
    }

    /// What a function reads through its first parameter, wherever the function is.
    pub(super) fn reads_of(
        &mut self,
        parameters: &'a [AstParameter],
        body: FunctionDefBody<'a>,
    ) -> Option<PayloadReads> {
        let function = FunctionDef { parameters: plain_parameter_names(parameters), body };
        let payload = function.parameters.first().copied().flatten()?;
        let keys = self.functions.as_ref().map_or(FieldSet::All, |functions| keys_of(functions, &function, payload));
        let may_mutate = *self.mutations.entry(payload).or_insert_with(|| mutation::may_mutate(self.root, payload));
        Some(PayloadReads { keys, may_mutate, arguments: ArgumentsForm::Text })
    }
}

#[derive(Clone, Copy)]
pub(super) enum FunctionDefBody<'a> {
    /// The body of a `def`.
    Block(&'a AstStmt),
    /// The body of a `lambda`.
    Value(&'a AstExpr),
}

impl<'a> FunctionDefBody<'a> {
    pub(super) fn span(self) -> (usize, usize) {
        match self {
            Self::Block(stmt) => span_of(stmt),
            Self::Value(expr) => span_of(expr),
        }
    }

    fn outermost_expressions(self) -> Vec<&'a AstExpr> {
        match self {
            Self::Block(stmt) => {
                let mut seen = Vec::new();
                stmt.visit_expr(|expr| seen.push(expr));
                seen
            }
            Self::Value(expr) => vec![expr],
        }
    }

    fn bound_names(self) -> BoundNames<'a> {
        match self {
            Self::Block(stmt) => BoundNames::in_statement(stmt),
            Self::Value(expr) => BoundNames::in_expression(expr),
        }
    }
}

/// A function: its parameters in order, `None` for those that are not plain, and its body.
struct FunctionDef<'a> {
    parameters: Vec<Option<&'a str>>,
    body: FunctionDefBody<'a>,
}

struct TopLevelFunctions<'a> {
    defs: BTreeMap<&'a str, FunctionDef<'a>>,
    /// Every name that is bound, anywhere.
    bindings: BoundNames<'a>,
}

impl<'a> TopLevelFunctions<'a> {
    /// The top-level functions; `None` if a name has more than one meaning.
    fn from_module(root: &'a AstStmt) -> Option<Self> {
        let mut defs = BTreeMap::new();
        let mut assigned = BTreeSet::new();
        for stmt in block_statements(root) {
            match &stmt.node {
                Stmt::Def(def) => {
                    let function = FunctionDef {
                        parameters: plain_parameter_names(&def.params),
                        body: FunctionDefBody::Block(&def.body),
                    };
                    if defs.insert(def.name.ident.as_str(), function).is_some() {
                        return None;
                    }
                }
                _ => assigned.extend(bound_names(stmt)),
            }
        }
        let bindings = BoundNames::in_statement(root);
        (!defs.keys().any(|name| assigned.contains(name))).then_some(Self { defs, bindings })
    }

    /// The function that a name always means; `None` if the name is also bound otherwise.
    fn unambiguous_function(&self, name: &str) -> Option<&FunctionDef<'a>> {
        self.defs.get(name).filter(|_| self.bindings.find(name).len() == 1)
    }
}

/// The names of the plain parameters.
fn plain_parameter_names(parameters: &[AstParameter]) -> Vec<Option<&str>> {
    parameters
        .iter()
        .map(|parameter| match &parameter.node {
            ParameterNode::Normal(name, _, _) => Some(name.ident.as_str()),
            _ => None,
        })
        .collect()
}

/// The names that an expression reads, to find the helpers of `when`.
pub(crate) fn names_in(expr: &AstExpr) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    visit_nested_expressions(expr, &mut |inner| names.extend(identifier_name(inner)));
    names
}

pub(crate) fn names_in_stmt(stmt: &AstStmt) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    visit_expressions(stmt, &mut |expr| names.extend(identifier_name(expr)));
    names
}

#[cfg(test)]
pub(super) mod tests {
    use starlark::syntax::AstModule;

    use super::*;
    use crate::language::dialect;

    fn reads_of_body(body: &str) -> PayloadReads {
        let body = body.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let text = format!("def helper(p, q):\n  return p[\"helped\"]\ndef handle(event, payload):\n{body}");
        let ast = AstModule::parse("t", text, &dialect()).unwrap();
        analyse_reads(&ast, ScriptKind::Hook).0
    }

    /// The keys that are read, each with what is read of it: `*` means everything, `?` only its existence.
    pub(in crate::analysis) fn describe(keys: &FieldSet) -> String {
        match keys {
            FieldSet::All => String::from("*"),
            FieldSet::None => String::from("?"),
            FieldSet::Some(names) => {
                let one = |(name, keys): &(String, FieldSet)| match keys {
                    FieldSet::All => name.clone(),
                    FieldSet::None => format!("{name}?"),
                    FieldSet::Some(_) => format!("{name}({})", describe(keys)),
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
            assert_eq!(describe(&reads_of_body(body).keys), *expected, "{body}");
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
            // A name for a part of the payload.
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
            // A part that is passed to another function.
            ("return helper(payload[\"a\"], 1)", "a(helped)"),
            ("t = payload[\"a\"]\nreturn helper(t, payload)", "a(helped)"),
            ("return helper(1, payload[\"a\"])", "a?"),
            ("return helper(*[payload[\"a\"], 1])", "a"),
            ("return unknown(payload[\"a\"])", "a"),
            ("helper = unknown\nreturn helper(payload[\"a\"], 1)", "a"),
            ("return [helper(payload[\"a\"], 1) for helper in event]", "a"),
        ];
        for (body, expected) in cases {
            assert_eq!(describe(&reads_of_body(body).keys), *expected, "{body}");
        }
        let deep = (0..20).map(|_| "[\"x\"]").collect::<String>();
        assert_eq!(describe(&reads_of_body(&format!("return payload{deep}")).keys), "x(x(x(x(x(x(x(x)))))))");
    }

    #[test]
    fn mutually_recursive_functions_are_followed_only_to_a_limit() {
        let calls = "  g(p)\n  g(p[\"x\"])\n".repeat(20);
        let text = format!("def g(p):\n{calls}  return p[\"y\"]\ndef handle(event, payload):\n  return g(payload)\n");
        let ast = AstModule::parse("t", text, &dialect()).unwrap();
        assert_eq!(describe(&analyse_reads(&ast, ScriptKind::Hook).0.keys), "*");
    }
}
