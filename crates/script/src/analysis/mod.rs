//! Static analysis of a script: names, entry point, payload reads, and where it may run.

mod arguments;
mod ast;
mod bounded;
mod closures;
mod lints;
mod mutation;
mod name_tests;
mod name_values;
mod names;
mod payload_reads;
mod powers;
mod reads;
mod resolved;
mod texts;

use pintle_contract::{CallReads, NameTest, ScriptTexts, Severity};

pub(crate) use ast::{
    ArgumentNode, ClauseNode, DICT_METHODS, FunctionNode, MethodCall, ScriptFunctionBody, assigned_names,
    block_statements, comprehension_loops, expressions_in, identifier_name, is_comparison, is_constant_name, is_spread,
    names_read, nested_expressions, span_of, statements_in, string_literal, target_name,
};
pub(crate) use closures::{FunctionTrait, FunctionTraits};
pub(crate) use names::{check_member, unlike_known_names};
pub(crate) use payload_reads::{ArgumentsForm, FieldSet, PayloadReads};
pub(crate) use resolved::ResolvedScript;

use crate::demand::MemoryDemand;
use crate::finding::ScriptFinding;
use crate::language::{ScriptKind, ScriptPlacement, ScriptPowers};
use crate::source::PreparedSource;

/// The result of the analysis.
pub(crate) struct ScriptAnalysis {
    pub(crate) findings: Vec<ScriptFinding>,
    /// Whether a finding is an error.
    pub(crate) has_failed: bool,
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
    pub(crate) texts: ScriptTexts,
}

/// Analyses a parsed script.
pub(crate) fn analyse(source: &PreparedSource, script: &ResolvedScript<'_>, script_kind: ScriptKind) -> ScriptAnalysis {
    let (reads, form) = reads::analyse_reads(script, script_kind);
    let mut findings: Vec<ScriptFinding> = form.into_iter().collect();
    findings.extend(names::check_names(source, script, script_kind));
    let has_failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    if !has_failed {
        findings.extend(lints::lint(script.ast, script_kind));
    }
    // A tool may wait for programs and files; it always runs where it can be stopped.
    let demand = if script_kind == ScriptKind::Tool { None } else { memory_demand(script) };
    let used = names_read(script.expressions.iter().copied());
    let placement = if demand.is_some() { ScriptPlacement::InProcess } else { ScriptPlacement::Worker };
    ScriptAnalysis {
        findings,
        has_failed,
        placement,
        demand: demand.unwrap_or_default(),
        powers: powers::powers_of(script),
        may_wait: names::may_wait(&used),
        needs_order: names::needs_order(&used),
        texts: texts_of(script, &reads),
        reads,
    }
}

/// The memory that a call needs, if the whole module may be loaded and run in this process.
pub(crate) fn memory_demand(script: &ResolvedScript<'_>) -> Option<MemoryDemand> {
    bounded::input_bound(script).map(MemoryDemand::from_input_count)
}

/// The payload reads of a plugin's functions, and whether they can deny.
pub(crate) fn closures_of(script: &ResolvedScript<'_>) -> FunctionTraits {
    closures::collect_functions(script)
}

/// The payload reads of a function `(event, payload)` of a module, and a finding about them.
pub(crate) fn reads_of(script: &ResolvedScript<'_>, entry: &str) -> (PayloadReads, Option<ScriptFinding>) {
    reads::reads_of_entry(script, entry, 1)
}

/// What a module asks about the tool's name.
pub(crate) fn name_tests_of(script: &ResolvedScript<'_>) -> Vec<NameTest> {
    name_tests::texts_of(script).name_tests
}

/// The string literals of a module, and what it asks about the tool's name.
pub(crate) fn texts_of(script: &ResolvedScript<'_>, reads: &PayloadReads) -> ScriptTexts {
    let texts = name_tests::texts_of(script);
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
    let call_reads = CallReads {
        paths: reads_field("paths"),
        operations: reads_field("operations"),
        commands: reads_field("commands"),
    };
    let reads_call_text = ["arguments", "native"].iter().any(|name| *reads.keys.field(name) != FieldSet::None);
    ScriptTexts { call_reads, reads_call_text, arguments, ..texts }
}
