//! `when`: a pure predicate over the event.
//!
//! An expression is compiled to a frozen Starlark function. Common forms are [native](crate::native), and the
//! interpreter handles the others and errors, so both always agree. The function behind a native test is loaded when it
//! is first needed. Equalities on the event's subject feed the engine's index.

mod compile;
mod dependencies;
mod subjects;

use std::sync::Arc;
use std::{fmt, iter};

use pintle_contract::{
    CallId, CallLimits, CancelToken, Diagnostic, EffectCaller, Event, EventName, MatchResult, Matcher, NoEffects,
    Payload, ScriptSource, ScriptTexts, SubjectFilter,
};

use starlark::syntax::AstModule;

use crate::ScriptFinding;
use crate::analysis::PayloadReads;
use crate::call::{CallFrame, Invocation, ScriptCallError};
use crate::compile::try_on_large_stack;
use crate::coverage::{CoverageRecorder, PointHits};
use crate::demand::MemoryDemand;
use crate::language::{ScriptPlacement, dialect};
use crate::load::LazyFunction;
use crate::native::NativeScript;
use crate::payload::payload_value;
use crate::source::PreparedSource;
use compile::{compile_at, load_function};

/// The outcome of [`compile_when`].
#[derive(Debug)]
pub struct CompiledWhen {
    /// The matcher; absent if there is an error, or if it may only run in a worker.
    pub when: Option<WhenPredicate>,
    /// The diagnostics, at their locations in the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Where it may run.
    pub placement: ScriptPlacement,
    /// Its string literals, and those of the functions that it calls.
    pub texts: ScriptTexts,
    /// The findings behind `diagnostics`, which can be sent between processes.
    pub findings: Vec<ScriptFinding>,
    /// What it reached, if it is covered.
    pub hits: Option<Arc<PointHits>>,
}

/// Compiles a `when`. It may call functions of the hook's own `script`, as long as they are pure.
///
/// Never panics and never runs code whose cost is not bounded.
#[must_use]
pub fn compile_when(
    name: &str,
    expression: &ScriptSource,
    script: Option<&ScriptSource>,
    event: &EventName,
) -> CompiledWhen {
    compile_here(name, expression, script, event, None)
}

/// As [`compile_when`], but the interpreter evaluates it on every event, and the recorder notes what it reaches.
#[must_use]
pub fn compile_when_covered(
    name: &str,
    expression: &ScriptSource,
    script: Option<&ScriptSource>,
    event: &EventName,
    recorder: &CoverageRecorder,
) -> CompiledWhen {
    compile_here(name, expression, script, event, Some(recorder))
}

fn compile_here(
    name: &str,
    expression: &ScriptSource,
    script: Option<&ScriptSource>,
    event: &EventName,
    recorder: Option<&CoverageRecorder>,
) -> CompiledWhen {
    let texts: Vec<&str> = iter::once(expression).chain(script).map(|source| &*source.text).collect();
    try_on_large_stack(&texts, || compile_at(name, expression, script, event, (false, recorder))).unwrap_or_else(|| {
        let (source, _) = PreparedSource::new(name, expression);
        CompiledWhen::from_findings(&source, ScriptPlacement::Worker, vec![ScriptFinding::interpreter_crash()])
    })
}

/// As [`compile_when`], but loads it wherever it should run. The caller's thread must have a large stack.
pub(crate) fn compile_when_unbounded(
    name: &str,
    expression: &ScriptSource,
    script: Option<&ScriptSource>,
    event: &EventName,
    recorder: Option<&CoverageRecorder>,
) -> CompiledWhen {
    compile_at(name, expression, script, event, (true, recorder))
}

impl CompiledWhen {
    fn from_findings(source: &PreparedSource, placement: ScriptPlacement, findings: Vec<ScriptFinding>) -> Self {
        let diagnostics = findings.iter().map(|finding| finding.locate(source)).collect();
        Self { when: None, diagnostics, placement, texts: ScriptTexts::default(), findings, hits: None }
    }
}

/// A compiled `when`.
pub struct WhenPredicate {
    source: PreparedSource,
    /// The length in bytes of the generated text before the expression.
    offset: usize,
    subjects: SubjectFilter,
    native: Option<NativeScript>,
    entry: LazyFunction,
    /// The text behind an entry that is not loaded yet.
    text: String,
    reads: PayloadReads,
    demand: MemoryDemand,
}

impl fmt::Debug for WhenPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("When").field("text", &self.source.author_text().text).finish_non_exhaustive()
    }
}

impl WhenPredicate {
    /// Evaluates the predicate on a payload. `event` is the event's name as the hook's author wrote it.
    #[must_use]
    pub fn evaluate(&self, event: &str, payload: &Payload) -> MatchResult {
        match self.native.as_ref().and_then(|test| test.test(event, payload.value())) {
            Some(true) => MatchResult::Yes,
            Some(false) => MatchResult::No,
            None => self.evaluate_in_interpreter(event, payload),
        }
    }

    /// Evaluates the predicate in the interpreter, whatever the native test says.
    #[must_use]
    pub fn evaluate_in_interpreter(&self, event: &str, payload: &Payload) -> MatchResult {
        let (limits, cancel) = (CallLimits::default(), CancelToken::default());
        let caller = EffectCaller::new(CallId(0), &self.source.name);
        let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
        let load = || {
            let ast = AstModule::parse(&self.source.name, self.text.clone(), &dialect());
            ast.and_then(|ast| load_function(ast, None)).map_err(|error| error.without_diagnostic().to_string())
        };
        let entry = match self.entry.load_once("`when`", &self.text, load) {
            Ok(entry) => entry,
            Err(failure) => return MatchResult::Failed(failure),
        };
        let frame = CallFrame { source: &self.source, entry, invocation: &invocation, offset: self.offset };
        let answer = frame.run_call(
            |eval, entry| {
                let heap = eval.heap();
                let payload = payload_value(payload, &self.reads, heap).map_err(ScriptCallError::Payload)?;
                eval.eval_function(entry, &[heap.alloc(event), payload], &[]).map_err(ScriptCallError::Script)
            },
            |value| Ok(value.to_bool()),
        );
        match answer {
            Ok(true) => MatchResult::Yes,
            Ok(false) => MatchResult::No,
            Err(failure) => MatchResult::Failed(failure),
        }
    }

    /// Whether evaluating it on this payload stays below twice its memory limit in this process.
    #[must_use]
    pub fn fits_in_process(&self, payload: &Payload) -> bool {
        self.demand.fits(payload, &CallLimits::default())
    }

    /// Whether the native test usually decides without the interpreter.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.native.is_some()
    }
}

impl Matcher for WhenPredicate {
    fn matches(&self, event: &Event) -> MatchResult {
        self.evaluate(event.name.as_str(), &event.payload)
    }

    fn subjects(&self) -> SubjectFilter {
        self.subjects.clone()
    }

    fn describe(&self) -> String {
        self.source.author_text().text.trim().to_owned()
    }
}

/// Parses an expression alone; gives the text that was parsed, too.
pub(crate) fn parse_expression(name: &str, expression: &ScriptSource) -> (PreparedSource, Option<AstModule>, String) {
    let (source, refusal) = PreparedSource::new(name, expression);
    let (text, _) = wrap_expression("", &source.text);
    let parsed = refusal.is_none().then(|| AstModule::parse(&source.name, text.clone(), &dialect()).ok());
    (source, parsed.flatten(), text)
}

/// The text that is parsed for an expression, and the length in bytes before the expression.
///
/// The closing bracket is on its own line, so that a trailing comment does not hide it.
fn wrap_expression(called: &str, expression: &str) -> (String, usize) {
    let head = format!("{called}def {WHEN}(event, payload):\n  return (\n");
    let offset = head.len();
    (format!("{head}{expression}\n  )\n"), offset)
}

/// The name of the function around an expression.
const WHEN: &str = "when_";
