//! Compiles a `when` expression to a matcher.

use std::collections::BTreeSet;
use std::sync::Arc;

use pintle_contract::{EventName, ScriptSource, Severity, SubjectFilter};
use starlark::environment::Module;
use starlark::eval::Evaluator;
use starlark::syntax::AstModule;
use starlark::syntax::ast::{AstExpr, Expr, Stmt};
use starlark::values::OwnedFrozenValue;

use super::{CompiledWhen, WHEN, WhenPredicate, dependencies, subjects, wrap_expression};
use crate::ScriptFinding;
use crate::analysis::{self, ArgumentsForm, ResolvedScript};
use crate::call_state::script_error;
use crate::coverage::{CoverageRecorder, PointHits, set_probe};
use crate::finding::FindingCode;
use crate::globals;
use crate::language::{ScriptKind, ScriptPlacement, dialect};
use crate::load::{self, LazyFunction};
use crate::native::NativeScript;
use crate::source::PreparedSource;

/// The help for constructs that `when` does not support.
const EFFECTS: &str = "`when` is a pure predicate over `event` and `payload`; do this in `handle`";

/// Compiles an expression; `anywhere` also loads one whose cost is not bounded, and a recorder covers it.
pub(super) fn compile_at(
    name: &str,
    expression: &ScriptSource,
    script: Option<&ScriptSource>,
    event: &EventName,
    (anywhere, recorder): (bool, Option<&CoverageRecorder>),
) -> CompiledWhen {
    let (source, refusal) = PreparedSource::new(name, expression);
    let failed = |placement, finding| CompiledWhen::from_findings(&source, placement, vec![finding]);
    if let Some(refusal) = refusal {
        return failed(ScriptPlacement::Worker, refusal);
    }
    let called = dependencies::required_definitions(name, &source, script);
    let (text, offset) = wrap_expression(&called.text, &source.text);
    let ast = match AstModule::parse(&source.name, text.clone(), &dialect()) {
        Ok(ast) => ast,
        Err(error) => {
            return failed(
                ScriptPlacement::Worker,
                load::error_finding(FindingCode::Syntax, &error).shifted_by(offset),
            );
        }
    };
    let Some(root) = returned_expression(&ast) else {
        let finding = ScriptFinding::error(FindingCode::Syntax, "`when` must be one expression", None);
        return failed(
            ScriptPlacement::Worker,
            finding.help("move statements to `handle` or to a function of the script"),
        );
    };
    let resolved = ResolvedScript::new(&ast);
    if let Some(finding) = find_unknown_name(&resolved, offset) {
        return failed(ScriptPlacement::InProcess, finding);
    }
    let (reads, form) = analysis::reads_of(&resolved, WHEN);
    let texts = analysis::texts_of(&resolved, &reads);
    let demand = analysis::memory_demand(&resolved);
    let placement = if demand.is_some() { ScriptPlacement::InProcess } else { ScriptPlacement::Worker };
    let locate = |(start, end): (usize, usize)| match (start.checked_sub(offset), end.checked_sub(offset)) {
        (Some(start), Some(end)) => source.location(Some((start, end))),
        _ => called.location((start, end)).unwrap_or_else(|| source.location(None)),
    };
    let covered = recorder.map(|recorder| recorder.cover_when(ast.clone(), locate));
    let hits = covered.as_ref().map(|covered| Arc::clone(&covered.hits));
    if demand.is_none() && !anywhere {
        return CompiledWhen { when: None, diagnostics: Vec::new(), placement, texts, findings: Vec::new(), hits };
    }
    // Whether it is false is only seen if it is evaluated.
    let subjects = if covered.is_none() { subjects::subjects_of(root, event) } else { SubjectFilter::Any };
    if let Some(finding) = form.filter(|finding| finding.severity == Severity::Error) {
        return failed(placement, finding.shifted_by(offset));
    }
    // It decides on the payload as it is, where arguments are text.
    let may_be_native = covered.is_none() && demand.is_some() && reads.arguments == ArgumentsForm::Text;
    let native = may_be_native.then(|| NativeScript::from_script(&resolved, WHEN, 2)).flatten();
    let (entry, text) = if native.is_some() {
        (LazyFunction::default(), text)
    } else {
        match load_function(covered.map_or(ast, |covered| covered.ast), hits.as_ref()) {
            Ok(function) => (LazyFunction::from_loaded(function), String::new()),
            Err(error) => {
                return failed(placement, load::error_finding(FindingCode::Load, &error).shifted_by(offset));
            }
        }
    };
    let demand = demand.unwrap_or_default();
    let when = WhenPredicate { source, offset, subjects, native, entry, text, reads, demand };
    CompiledWhen { when: Some(when), diagnostics: Vec::new(), placement, texts, findings: Vec::new(), hits }
}

/// Loads the function around an expression.
pub(super) fn load_function(
    ast: AstModule,
    hits: Option<&Arc<PointHits>>,
) -> Result<OwnedFrozenValue, starlark::Error> {
    let module = Module::with_temp_heap(|module| {
        set_probe(&module, hits);
        Evaluator::new(&module).eval_module(ast, globals::for_when())?;
        module.freeze().map_err(|error| script_error(error.err_msg))
    })?;
    module.get(WHEN).map_err(script_error)
}

/// The expression inside the wrapper; `None` if the text closes the wrapper itself.
fn returned_expression(ast: &AstModule) -> Option<&AstExpr> {
    let Stmt::Statements(parts) = &ast.statement().node else {
        return function_body(ast.statement());
    };
    parts.last().and_then(function_body)
}

fn function_body(stmt: &starlark::syntax::ast::AstStmt) -> Option<&AstExpr> {
    let Stmt::Def(def) = &stmt.node else { return None };
    if def.name.ident != WHEN {
        return None;
    }
    match &analysis::block_statements(&def.body) {
        [only] => match &only.node {
            Stmt::Return(Some(expr)) => Some(expr),
            _ => None,
        },
        _ => None,
    }
}

/// Reports a name that `when` does not have.
fn find_unknown_name(script: &ResolvedScript<'_>, offset: usize) -> Option<ScriptFinding> {
    let bound = script.bound_names();
    let pure = globals::PURE;
    let found = script.expressions.iter().find_map(|expr| match &expr.node {
        Expr::Identifier(name) if !bound.contains(name.ident.as_str()) && !pure.contains(&name.ident.as_str()) => {
            Some(unknown_name(&name.ident, analysis::span_of(*expr), &bound))
        }
        Expr::Dot(base, field)
            if analysis::identifier_name(base) == Some("payload")
                && !analysis::DICT_METHODS.contains(&field.node.as_str()) =>
        {
            let message = format!("the payload is a dict, so `payload.{}` does not exist", field.node);
            let help = format!("write `payload[\"{}\"]`", field.node);
            let at = analysis::span_of(*expr);
            Some(ScriptFinding::error(FindingCode::UnknownName, message, Some(at)).help(help))
        }
        Expr::Dot(base, member) if analysis::identifier_name(base).is_some_and(|name| pure.contains(&name)) => {
            analysis::check_member(base, member, ScriptKind::Hook, script)
        }
        _ => None,
    });
    let inside = |finding: &ScriptFinding| finding.span.is_some_and(|(start, _)| start >= offset);
    found.map(|finding| {
        let in_helper = !inside(&finding);
        let finding = finding.shifted_by(offset);
        if in_helper {
            ScriptFinding { message: format!("in a function that `when` calls: {}", finding.message), ..finding }
        } else {
            finding
        }
    })
}

fn unknown_name(name: &str, span: (usize, usize), bound: &BTreeSet<&str>) -> ScriptFinding {
    if globals::catalogue().iter().any(|builtin| builtin.name.split('.').next() == Some(name)) {
        return ScriptFinding::error(FindingCode::Unavailable, format!("`when` has no `{name}`"), Some(span))
            .help(EFFECTS);
    }
    let known = bound.iter().chain(globals::PURE).copied().filter(|name| *name != WHEN);
    analysis::unlike_known_names(name, span, known)
}
