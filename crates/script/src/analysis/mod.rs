//! What a script says about itself before it runs: names, entry point, what it reads, where it may run.

mod arguments;
mod bounded;
mod closures;
mod lints;
mod mutation;
mod names;
mod powers;
mod reads;
mod walk;

use std::collections::BTreeSet;

use pintle_contract::Severity;
use starlark::syntax::AstModule;
use starlark::syntax::ast::AstExpr;

pub(crate) use closures::{Closures, LAMBDA, Step, Traits};
pub(crate) use names::names_used;
pub(crate) use reads::names_in_stmt;
pub(crate) use walk::{Argument, block, identifier, span, string};

use crate::compile::{Placement, Powers, Role};
use crate::demand::Demand;
use crate::finding::{Code, Finding};
use crate::source::Source;

/// Everything the analysis found out.
pub(crate) struct Analysis {
    pub(crate) findings: Vec<Finding>,
    pub(crate) placement: Placement,
    /// What a call takes in this process.
    pub(crate) demand: Demand,
    /// What it may decide.
    pub(crate) powers: Powers,
    /// Whether a call may wait for something outside the process.
    pub(crate) waits: bool,
    pub(crate) reads: Reads,
}

/// What a script reads of its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reads {
    /// Which fields.
    pub(crate) keys: Keys,
    /// Whether it may change a part of the payload in place.
    pub(crate) mutates: bool,
    /// How it expects `payload["arguments"]`.
    pub(crate) arguments: ArgumentsForm,
}

/// The fields of a payload, or of a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Keys {
    /// None: it is never looked at, beyond whether it is there.
    None,
    /// These and no others, when it has fields at all; each with what is read of it.
    Some(Vec<(String, Keys)>),
    /// Any: it is passed on, iterated, printed, …
    All,
}

/// How a script expects `payload["arguments"]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentsForm {
    /// As the documents say: JSON text.
    Text,
    /// Decoded, as scripts written against the first implementation expect it.
    Dict,
}

/// Looks at a parsed script.
pub(crate) fn analyse(source: &Source, ast: &AstModule, role: Role) -> Analysis {
    let (reads, form) = reads::reads(ast, role);
    let mut findings: Vec<Finding> = form.into_iter().collect();
    findings.extend(names::check(source, ast, role));
    let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    if !failed {
        findings.extend(lints::lint(ast, role));
    }
    // A tool may wait for programs and files; it always runs where it can be stopped.
    let demand = if role == Role::Tool { None } else { demand(ast) };
    let placement = if demand.is_some() { Placement::InProcess } else { Placement::Worker };
    let demand = demand.unwrap_or_default();
    Analysis { findings, placement, demand, powers: powers::powers(ast), waits: names::waits(ast), reads }
}

/// A finding of a lint, with the severity the linter gives it.
pub(super) fn lint_finding(message: String, span: (usize, usize)) -> Finding {
    Finding::warning(Code::Lint, message, Some(span))
}

/// What a call takes, when all of a module may be loaded and run in this process.
pub(crate) fn demand(ast: &AstModule) -> Option<Demand> {
    bounded::bounded(ast).map(Demand::inputs)
}

/// What the functions of a plugin read, and whether they can deny.
pub(crate) fn closures_of(ast: &AstModule) -> Closures {
    closures::closures(ast.statement())
}

/// What a function `(event, payload)` of a module reads of its payload, and what is to be said of it.
pub(crate) fn reads_of(ast: &AstModule, entry: &str) -> (Reads, Option<Finding>) {
    reads::of_entry(ast.statement(), entry, 1)
}

/// Every name that a module binds.
pub(crate) fn bound_names(ast: &AstModule) -> BTreeSet<&str> {
    names::bound(ast.statement())
}

/// Visits all expressions of a module, outermost first.
pub(crate) fn expressions_of<'a>(ast: &'a AstModule, visit: &mut impl FnMut(&'a AstExpr)) {
    walk::expressions(ast.statement(), visit);
}
