//! The functions of a hook's script that its `when` calls.

use std::collections::{BTreeMap, BTreeSet};

use pintle_contract::{Location, ScriptSource};
use starlark::syntax::AstModule;
use starlark::syntax::ast::{AssignTargetP, AstStmt, Stmt};

use super::wrap_expression;
use crate::analysis::{block_statements, expressions_in, names_read, span_of};
use crate::language::{ScriptKind, dialect};
use crate::load::parse;
use crate::source::PreparedSource;

/// The definitions of a script that an expression needs, in the order of the script.
#[derive(Debug, Default)]
pub(super) struct RequiredDefinitions {
    /// Their text; empty if the expression needs none.
    pub(super) text: String,
    /// The script.
    source: Option<PreparedSource>,
    /// Where each definition begins in the text, and where in the script.
    copies: Vec<(usize, usize)>,
}

impl RequiredDefinitions {
    /// The place in the script's file of a span of the text.
    pub(super) fn location(&self, (start, end): (usize, usize)) -> Option<Location> {
        let (copied, written) = self.copies.iter().rev().find(|(copied, _)| *copied <= start)?;
        Some(self.source.as_ref()?.location(Some((start - copied + written, end - copied + written))))
    }
}

/// Finds the definitions that an expression needs.
///
/// Only those: the rest of the script may have effects, which `when` cannot have. A script that does not parse is
/// reported where it is compiled.
pub(super) fn required_definitions(
    name: &str,
    expression: &PreparedSource,
    script: Option<&ScriptSource>,
) -> RequiredDefinitions {
    let wanted = names_in_expression(expression);
    let Some(script) = script.filter(|_| !wanted.is_empty()) else { return RequiredDefinitions::default() };
    let (source, Ok(ast)) = parse(name, script, ScriptKind::Hook) else { return RequiredDefinitions::default() };
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
    let (mut text, mut copies) = (String::new(), Vec::new());
    for (_, stmt) in statements().filter(|(name, _)| needed.contains(name)) {
        let (start, end) = span_of(stmt);
        copies.push((text.len(), start));
        text.push_str(source.text.get(start..end).unwrap_or_default());
        text.push('\n');
    }
    RequiredDefinitions { text, source: Some(source), copies }
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
