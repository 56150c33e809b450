//! Static analysis of a script: names, entry point, payload reads, and where it may run.

mod arguments;
mod ast;
mod bindings;
mod bound_names;
mod bounded;
mod closures;
mod lints;
mod mutation;
mod name_tests;
mod names;
mod payload_reads;
mod powers;
mod reads;
mod texts;

use std::collections::BTreeSet;

use pintle_contract::{CallReads, ScriptTexts, Severity};
use starlark::syntax::AstModule;
use starlark::syntax::ast::AstExpr;

pub(crate) use ast::{ArgumentNode, block_statements, identifier_name, span_of, string_literal};
pub(crate) use closures::{FunctionTrait, FunctionTraits, LAMBDA};
pub(crate) use names::{check_member, names_used};
pub(crate) use payload_reads::{ArgumentStep, ArgumentsForm, FieldSet, PayloadReads};
pub(crate) use reads::names_in_stmt;

use crate::demand::MemoryDemand;
use crate::finding::ScriptFinding;
use crate::language::{ScriptKind, ScriptPlacement, ScriptPowers};
use crate::source::PreparedSource;

/// The result of the analysis.
pub(crate) struct ScriptAnalysis {
    pub(crate) findings: Vec<ScriptFinding>,
    pub(crate) placement: ScriptPlacement,
    /// The memory that a call needs in this process.
    pub(crate) demand: MemoryDemand,
    /// The decisions that it can return.
    pub(crate) powers: ScriptPowers,
    /// Whether a call may wait for something outside the process.
    pub(crate) may_wait: bool,
    /// Whether a call may use what other calls change.
    pub(crate) needs_order: bool,
    pub(crate) reads: PayloadReads,
}

/// Analyses a parsed script.
pub(crate) fn analyse(source: &PreparedSource, ast: &AstModule, script_kind: ScriptKind) -> ScriptAnalysis {
    let (reads, form) = reads::analyse_reads(ast, script_kind);
    let mut findings: Vec<ScriptFinding> = form.into_iter().collect();
    findings.extend(names::check_names(source, ast, script_kind));
    let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    if !failed {
        findings.extend(lints::lint(ast, script_kind));
    }
    // A tool may wait for programs and files; it always runs where it can be stopped.
    let demand = if script_kind == ScriptKind::Tool { None } else { memory_demand(ast) };
    let placement = if demand.is_some() { ScriptPlacement::InProcess } else { ScriptPlacement::Worker };
    let demand = demand.unwrap_or_default();
    ScriptAnalysis {
        findings,
        placement,
        demand,
        powers: powers::powers_of(ast),
        may_wait: names::may_wait(ast),
        needs_order: names::needs_order(ast),
        reads,
    }
}

/// The memory that a call needs, if the whole module may be loaded and run in this process.
pub(crate) fn memory_demand(ast: &AstModule) -> Option<MemoryDemand> {
    bounded::input_bound(ast).map(MemoryDemand::from_input_count)
}

/// The payload reads of a plugin's functions, and whether they can deny.
pub(crate) fn closures_of(ast: &AstModule) -> FunctionTraits {
    closures::collect_functions(ast.statement())
}

/// The payload reads of a function `(event, payload)` of a module, and a finding about them.
pub(crate) fn reads_of(ast: &AstModule, entry: &str) -> (PayloadReads, Option<ScriptFinding>) {
    reads::reads_of_entry(ast.statement(), entry, 1)
}

/// Every name that a module binds.
pub(crate) fn bound_names(ast: &AstModule) -> BTreeSet<&str> {
    names::bound_names(ast.statement())
}

/// The string literals of a module, and what it asks about the tool's name.
pub(crate) fn texts_of(ast: &AstModule, reads: &PayloadReads) -> ScriptTexts {
    let texts = name_tests::texts_of(ast.statement());
    let arguments = match reads.keys.field("args") {
        FieldSet::None => Vec::new(),
        FieldSet::Some(fields) => fields.iter().map(|(name, _)| name.clone()).collect(),
        FieldSet::All => texts.all.clone(),
    };
    // A script that hands the whole payload on reads what it names somewhere.
    let reads_field = |name: &str| match &reads.keys {
        FieldSet::All => texts.all.iter().any(|text| text == name),
        named => *named.field(name) != FieldSet::None,
    };
    let call_reads = CallReads { paths: reads_field("paths"), operations: reads_field("operations") };
    ScriptTexts { call_reads, arguments, ..texts }
}

/// Visits all expressions of a module, outermost first.
pub(crate) fn expressions_of<'a>(ast: &'a AstModule, visit: &mut impl FnMut(&'a AstExpr)) {
    ast::visit_expressions(ast.statement(), visit);
}
