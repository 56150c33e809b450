//! From the text of a `when` to a matcher.

use std::collections::BTreeSet;

use pintle_contract::{EventName, ScriptSource, Severity, suggest_nearest};
use starlark::syntax::AstModule;
use starlark::syntax::ast::{AstExpr, Expr, Stmt};

use super::entry::Entry;
use super::{CompiledWhen, WHEN, When, called, native, subjects, wrapped};
use crate::Finding;
use crate::analysis::{self, ArgumentsForm};
use crate::compile::Placement;
use crate::finding::Code;
use crate::globals;
use crate::load::{self, dialect};
use crate::source::Source;

/// What `when` cannot have, and people try.
const EFFECTS: &str = "`when` is a pure predicate over `event` and `payload`; do this in `handle`";

/// Compiles an expression; `anywhere` also loads one whose cost is not bounded.
pub(super) fn build(
    name: &str,
    expression: &ScriptSource,
    script: Option<&ScriptSource>,
    event: &EventName,
    anywhere: bool,
) -> CompiledWhen {
    let (source, refusal) = Source::new(name, expression);
    let failed = |placement, finding| CompiledWhen::failed(&source, placement, vec![finding]);
    if let Some(refusal) = refusal {
        return failed(Placement::Worker, refusal);
    }
    let called = called::needed(name, &source, script);
    let (text, offset) = wrapped(&called, &source.text);
    let ast = match AstModule::parse(&source.name, text.clone(), &dialect()) {
        Ok(ast) => ast,
        Err(fault) => return failed(Placement::Worker, load::finding(Code::Syntax, &fault).after(offset)),
    };
    let Some(root) = returned(&ast) else {
        let finding = Finding::error(Code::Syntax, "`when` must be one expression", None);
        return failed(
            Placement::Worker,
            finding.help("put statements into `handle`, or into a function of the script"),
        );
    };
    if let Some(finding) = unknown(&ast, offset) {
        return failed(Placement::InProcess, finding);
    }
    let demand = analysis::demand(&ast);
    let placement = if demand.is_some() { Placement::InProcess } else { Placement::Worker };
    if demand.is_none() && !anywhere {
        return CompiledWhen { when: None, diagnostics: Vec::new(), placement, findings: Vec::new() };
    }
    let subjects = subjects::of(root, event);
    let (reads, form) = analysis::reads_of(&ast, WHEN);
    if let Some(finding) = form.filter(|finding| finding.severity == Severity::Error) {
        return failed(placement, finding.after(offset));
    }
    // It decides over the payload as it is, where arguments are text.
    let native = native::Test::of(root).filter(|_| reads.arguments == ArgumentsForm::Text);
    // A native test has no calls and no names of its own, so that loading it finds nothing that was not found by now.
    let entry = if native.is_some() { Ok(Entry::later(&source.name, text)) } else { Entry::now(ast) };
    match entry {
        Ok(entry) => {
            let demand = demand.unwrap_or_default();
            let when = When { source, offset, subjects, native, entry, reads, demand };
            CompiledWhen { when: Some(when), diagnostics: Vec::new(), placement, findings: Vec::new() }
        }
        Err(fault) => failed(placement, load::finding(Code::Load, &fault).after(offset)),
    }
}

/// The expression inside the wrapper; `None` when the text closed the wrapper itself.
fn returned(ast: &AstModule) -> Option<&AstExpr> {
    let Stmt::Statements(parts) = &ast.statement().node else {
        return body(ast.statement());
    };
    parts.last().and_then(body)
}

fn body(stmt: &starlark::syntax::ast::AstStmt) -> Option<&AstExpr> {
    let Stmt::Def(def) = &stmt.node else { return None };
    if def.name.ident != WHEN {
        return None;
    }
    match &analysis::block(&def.body) {
        [only] => match &only.node {
            Stmt::Return(Some(expr)) => Some(expr),
            _ => None,
        },
        _ => None,
    }
}

/// A name that `when` does not have.
fn unknown(ast: &AstModule, offset: usize) -> Option<Finding> {
    let bound = analysis::bound_names(ast);
    let pure = globals::PURE;
    let mut found = None;
    analysis::expressions_of(ast, &mut |expr| {
        let finding = match &expr.node {
            Expr::Identifier(name) if !bound.contains(name.ident.as_str()) && !pure.contains(&name.ident.as_str()) => {
                missing(&name.ident, analysis::span(expr), &bound)
            }
            Expr::Dot(base, field) if analysis::identifier(base) == Some("payload") && !is_method(&field.node) => {
                let message = format!("the payload is a dict: `payload.{}` is no field of it", field.node);
                Finding::error(Code::UnknownName, message, Some(analysis::span(expr)))
                    .help(format!("write `payload[\"{}\"]`", field.node))
            }
            _ => return,
        };
        found.get_or_insert(finding);
    });
    let inside = |finding: &Finding| finding.span.is_some_and(|(start, _)| start >= offset);
    found.map(|finding| {
        let in_helper = !inside(&finding);
        let finding = finding.after(offset);
        if in_helper {
            Finding { message: format!("in a function that `when` calls: {}", finding.message), ..finding }
        } else {
            finding
        }
    })
}

fn is_method(name: &str) -> bool {
    matches!(name, "get" | "keys" | "values" | "items" | "pop" | "setdefault" | "update" | "clear" | "popitem")
}

fn missing(name: &str, at: (usize, usize), bound: &BTreeSet<&str>) -> Finding {
    if globals::catalogue().iter().any(|builtin| builtin.name.split('.').next() == Some(name)) {
        return Finding::error(Code::Unavailable, format!("`when` has no `{name}`"), Some(at)).help(EFFECTS);
    }
    let known = bound.iter().chain(globals::PURE).copied().filter(|name| *name != WHEN);
    let message = match suggest_nearest(name, known) {
        Some(near) => format!("unknown name `{name}`; did you mean `{near}`?"),
        None => format!("unknown name `{name}`"),
    };
    let finding = Finding::error(Code::UnknownName, message, Some(at));
    if name == "tool_name" { finding.help("the tool's name is `payload[\"name\"]`") } else { finding }
}
