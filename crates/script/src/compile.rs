//! Compiles script text.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::{Builder, scope};

use pintle_contract::{Diagnostic, ScriptSource, ScriptTexts};

use crate::analysis::{self, ArgumentsForm, ResolvedScript};
use crate::coverage::{CoverageRecorder, PointHits};
use crate::finding::ScriptFinding;
use crate::language::{ScriptKind, ScriptPlacement, ScriptPowers};
use crate::load::{self, LazyFunction, Script};
use crate::native::NativeScript;
use crate::source::{PreparedSource, is_shallow};

/// The stack size of the thread that parses. The parser is recursive; preparing the source limits its depth, and this
/// is several times what it needs. Only touched pages use memory.
const PARSER_STACK_BYTES: usize = 64 << 20;

thread_local! {
    /// Whether this thread has enough stack for the parser.
    static HAS_ROOM: Cell<bool> = const { Cell::new(false) };
}

/// The outcome of [`compile`].
#[derive(Debug)]
pub struct CompiledScript {
    /// The script; absent if there is an error, or if it may only run in a worker.
    pub script: Option<Arc<Script>>,
    /// The diagnostics, at their locations in the script's file.
    pub diagnostics: Vec<Diagnostic>,
    /// Where it may run.
    pub placement: ScriptPlacement,
    /// The decisions that the script can return.
    pub powers: ScriptPowers,
    /// Its string literals.
    pub texts: ScriptTexts,
    /// Whether the order of its calls matters, as far as its text shows.
    pub needs_order: bool,
    /// The findings behind `diagnostics`, which can be sent between processes.
    pub findings: Vec<ScriptFinding>,
    /// What it reached, if it is covered.
    pub hits: Option<Arc<PointHits>>,
}

/// Compiles a script: parses and checks it, decides where it may run, and loads it if that is in this process.
///
/// Never panics and never runs code whose cost is not bounded.
#[must_use]
pub fn compile(name: &str, text: &ScriptSource, script_kind: ScriptKind) -> CompiledScript {
    compile_here(name, text, script_kind, None)
}

/// As [`compile`], but the script runs in the interpreter, and the recorder notes what it reaches.
#[must_use]
pub fn compile_covered(
    name: &str,
    text: &ScriptSource,
    script_kind: ScriptKind,
    recorder: &CoverageRecorder,
) -> CompiledScript {
    compile_here(name, text, script_kind, Some(recorder))
}

fn compile_here(
    name: &str,
    text: &ScriptSource,
    script_kind: ScriptKind,
    recorder: Option<&CoverageRecorder>,
) -> CompiledScript {
    let prepared = PreparedSource::new(name, text);
    let compiled = match prepared.0.is_shallow {
        true => try_here(|| compile_at(prepared, script_kind, false, recorder)),
        false => try_on_large_stack(&[&text.text], || compile_at(prepared, script_kind, false, recorder)),
    };
    compiled.unwrap_or_else(|| interpreter_crash(name, text))
}

/// Compiles a script and loads it wherever it should run. For worker processes, which may die; the caller's thread must
/// have a large stack.
pub(crate) fn compile_unbounded(
    name: &str,
    text: &ScriptSource,
    script_kind: ScriptKind,
    recorder: Option<&CoverageRecorder>,
) -> CompiledScript {
    try_here(|| compile_at(PreparedSource::new(name, text), script_kind, true, recorder))
        .unwrap_or_else(|| interpreter_crash(name, text))
}

/// Runs work that compiles many scripts on one thread with enough stack for the parser, instead of one thread for each
/// script. The work itself must not recurse deeply. If no thread can be created, it runs on this one, and each script
/// creates its own.
pub fn with_compiler_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if HAS_ROOM.get() {
        return work();
    }
    let mut left = Some(work);
    let ran = try_on_new_thread(|| left.take().map(|work| work()));
    match (ran, left) {
        (Some(Ok(Some(done))), _) => done,
        (Some(Err(panic)), _) => resume_unwind(panic),
        (_, Some(work)) => work(),
        (_, None) => resume_unwind(Box::new("a thread began the work and did not end it")),
    }
}

/// Runs a compilation of texts with enough stack for the recursive parser: on this thread if the texts are shallow or
/// [`with_compiler_stack`] created it, otherwise on a new one. `None` if it panicked or no thread can be created.
pub(crate) fn try_on_large_stack<T: Send>(texts: &[&str], work: impl FnOnce() -> T + Send) -> Option<T> {
    if HAS_ROOM.get() || texts.iter().all(|text| is_shallow(text)) {
        return try_here(work);
    }
    try_on_new_thread(work)?.ok()
}

/// Runs a compilation on this thread. `None` if it panicked.
fn try_here<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Runs work on a new thread with enough stack. `None` if none can be created; an error is the panic payload.
fn try_on_new_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Option<std::thread::Result<T>> {
    scope(|scope| {
        let roomy = || {
            HAS_ROOM.set(true);
            work()
        };
        let thread = Builder::new().name(String::from("script loader")).stack_size(PARSER_STACK_BYTES);
        Some(thread.spawn_scoped(scope, roomy).ok()?.join())
    })
}

/// The outcome of a compilation that crashed the interpreter.
fn interpreter_crash(name: &str, text: &ScriptSource) -> CompiledScript {
    let (source, _) = PreparedSource::new(name, text);
    CompiledScript::unread(&source, ScriptFinding::interpreter_crash())
}

impl CompiledScript {
    /// The outcome for a text that was not analysed.
    fn unread(source: &PreparedSource, finding: ScriptFinding) -> Self {
        Self::from_findings(source, ScriptPlacement::Worker, ScriptPowers::ALL, vec![finding])
    }

    fn from_findings(
        source: &PreparedSource,
        placement: ScriptPlacement,
        powers: ScriptPowers,
        findings: Vec<ScriptFinding>,
    ) -> Self {
        let diagnostics = findings.iter().map(|finding| finding.locate(source)).collect();
        let texts = ScriptTexts::default();
        Self { script: None, diagnostics, placement, powers, texts, needs_order: true, findings, hits: None }
    }
}

fn compile_at(
    (source, refusal): (PreparedSource, Option<ScriptFinding>),
    script_kind: ScriptKind,
    anywhere: bool,
    recorder: Option<&CoverageRecorder>,
) -> CompiledScript {
    let ast = match refusal.map_or_else(|| load::parse_prepared(&source, script_kind), Err) {
        Ok(ast) => ast,
        Err(finding) => return CompiledScript::unread(&source, finding),
    };
    let resolved = ResolvedScript::new(&ast);
    let analysis = analysis::analyse(&source, &resolved, script_kind);
    let (placement, powers, mut findings) = (analysis.placement, analysis.powers, analysis.findings);
    let covered = recorder.filter(|_| !analysis.has_failed).map(|recorder| recorder.cover_module(&source, ast.clone()));
    let hits = covered.as_ref().map(|covered| Arc::clone(&covered.hits));
    if analysis.has_failed || (placement == ScriptPlacement::Worker && !anywhere) {
        let failed = CompiledScript::from_findings(&source, placement, powers, findings);
        return CompiledScript { texts: analysis.texts, needs_order: analysis.needs_order, hits, ..failed };
    }
    // It decides on the payload as it is, where arguments are text.
    let may_be_native = script_kind == ScriptKind::Hook
        && covered.is_none()
        && placement == ScriptPlacement::InProcess
        && analysis.reads.arguments == ArgumentsForm::Text;
    let (entry_point, parameter_count) = (script_kind.entry_point(), script_kind.parameters().len());
    let native = may_be_native.then(|| NativeScript::from_script(&resolved, entry_point, parameter_count)).flatten();
    let entry = if native.is_some() {
        LazyFunction::default()
    } else {
        let ast = covered.map_or(ast, |covered| covered.ast);
        match load::evaluate(&source, ast, script_kind, hits.as_ref()) {
            Ok(entry) => LazyFunction::from_loaded(entry),
            Err(finding) => {
                findings.push(finding);
                return CompiledScript::from_findings(&source, placement, powers, findings);
            }
        }
    };
    let compiled = CompiledScript::from_findings(&source, placement, powers, findings);
    let script = Script {
        source,
        kind: script_kind,
        reads: analysis.reads,
        entry,
        native,
        may_wait: analysis.may_wait,
        demand: analysis.demand,
    };
    CompiledScript {
        script: Some(Arc::new(script)),
        texts: analysis.texts,
        needs_order: analysis.needs_order,
        hits,
        ..compiled
    }
}
