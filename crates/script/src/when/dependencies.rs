//! The functions of a hook's script that its `when` calls.

use std::collections::{BTreeMap, BTreeSet};

use pintle_contract::ScriptSource;
use starlark::syntax::AstModule;
use starlark::syntax::ast::{AssignTargetP, AstStmt, Stmt};

use super::wrap_expression;
use crate::analysis::{block_statements, expressions_in, names_read, span_of};
use crate::language::{ScriptKind, dialect};
use crate::load::parse;
use crate::source::PreparedSource;

/// The text of the definitions that an expression needs, in the order of the script; empty if it needs none.
///
/// Only those: the rest of the script may have effects, which `when` cannot have. A script that does not parse is
/// reported where it is compiled.
pub(super) fn required_definitions(name: &str, expression: &PreparedSource, script: Option<&ScriptSource>) -> String {
    let wanted = names_in_expression(expression);
    let Some(script) = script.filter(|_| !wanted.is_empty()) else {
        return String::new();
    };
    let (source, Ok(ast)) = parse(name, script, ScriptKind::Hook) else {
        return String::new();
    };
    let statements = || block_statements(ast.statement()).iter().filter_map(|stmt| Some((defined_name(stmt)?, stmt)));
    let definitions: BTreeMap<&str, &AstStmt> = statements().collect();
    let mut needed = BTreeSet::new();
    let mut next: Vec<&str> = wanted.iter().map(String::as_str).collect();
    while let Some(name) = next.pop() {
        if let Some((name, stmt)) = definitions.get_key_value(name)
            && needed.insert(*name)
        {
            next.extend(names_read(expressions_in(stmt)));
        }
    }
    let mut text = String::new();
    for (_, stmt) in statements().filter(|(name, _)| needed.contains(name)) {
        let (start, end) = span_of(stmt);
        text.push_str(source.text.get(start..end).unwrap_or_default());
        text.push('\n');
    }
    text
}

/// The names that an expression reads. Empty if it does not parse, which the caller reports.
fn names_in_expression(expression: &PreparedSource) -> BTreeSet<String> {
    let (text, _) = wrap_expression("", &expression.text);
    let mut names = BTreeSet::new();
    if let Ok(ast) = AstModule::parse("when", text, &dialect()) {
        names.extend(names_read(expressions_in(ast.statement())).into_iter().map(str::to_owned));
    }
    names.remove("event");
    names.remove("payload");
    names
}

fn defined_name(stmt: &AstStmt) -> Option<&str> {
    match &stmt.node {
        Stmt::Def(def) => Some(&def.name.ident),
        Stmt::Assign(assign) => match &assign.lhs.node {
            AssignTargetP::Identifier(name) => Some(&name.ident),
            _ => None,
        },
        _ => None,
    }
}
