//! A loaded script: evaluated once, frozen, called any number of times.

use std::fmt;
use std::sync::{Arc, OnceLock};

use pintle_contract::{CallLimits, Failure, FailureKind, Payload, ScriptSource};
use serde_json::Value as Json;
use starlark::PrintHandler;
use starlark::environment::{FrozenModule, Module};
use starlark::eval::Evaluator;
use starlark::syntax::{AstModule, Dialect};
use starlark::values::OwnedFrozenValue;

use crate::ScriptFinding;
use crate::analysis::PayloadReads;
use crate::call_state::script_error;
use crate::compile::try_on_large_stack;
use crate::coverage::{PointHits, set_probe};
use crate::demand::MemoryDemand;
use crate::finding::{FindingCode, to_one_line};
use crate::globals;
use crate::language::{ScriptKind, dialect};
use crate::native::NativeScript;
use crate::source::PreparedSource;
use crate::starlark_values::PluginLoadState;

/// The maximum number of steps while a script is loaded.
const LOAD_STEPS: u64 = 100_000;
/// The maximum memory while a script is loaded.
const LOAD_BYTES: usize = 32 << 20;

/// A compiled script, which can be called from any thread.
pub struct Script {
    pub(crate) source: PreparedSource,
    pub(crate) kind: ScriptKind,
    pub(crate) reads: PayloadReads,
    /// What the interpreter calls.
    pub(crate) entry: LazyFunction,
    /// What usually decides without the interpreter.
    pub(crate) native: Option<NativeScript>,
    pub(crate) may_wait: bool,
    pub(crate) demand: MemoryDemand,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("name", &self.source.name).field("role", &self.kind).finish_non_exhaustive()
    }
}

impl Script {
    /// The name of the script's owner.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Whether a call may wait for something outside this process.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Whether a call with this payload stays below twice its memory limit in this process.
    #[must_use]
    pub fn fits(&self, payload: &Payload, limits: &CallLimits) -> bool {
        self.demand.fits(payload, limits)
    }

    /// The same for the argument of `run`.
    #[must_use]
    pub fn fits_value(&self, argument: &Json, limits: &CallLimits) -> bool {
        self.demand.fits_value(argument, limits)
    }

    /// Whether the script usually decides without the interpreter.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.native.is_some()
    }

    /// The entry point in the interpreter.
    pub(crate) fn load_entry(&self) -> Result<&OwnedFrozenValue, Failure> {
        self.entry.load_once("the script", &self.source.text, || {
            let ast = parse_prepared(&self.source, self.kind).map_err(|finding| finding.message)?;
            evaluate(&self.source, ast, self.kind, None).map_err(|finding| finding.message)
        })
    }

    /// The text as its author wrote it.
    #[must_use]
    pub fn text(&self) -> &ScriptSource {
        self.source.author_text()
    }
}

/// Prepares and parses a text. Needs a thread with a large stack, see [`crate::compile`].
pub(crate) fn parse(
    name: &str,
    text: &ScriptSource,
    script_kind: ScriptKind,
) -> (PreparedSource, Result<AstModule, ScriptFinding>) {
    let (source, refusal) = PreparedSource::new(name, text);
    if let Some(refusal) = refusal {
        return (source, Err(refusal));
    }
    let parsed = parse_prepared(&source, script_kind);
    (source, parsed)
}

/// Parses a prepared text. Needs a thread with a large stack unless the text is shallow.
pub(crate) fn parse_prepared(source: &PreparedSource, script_kind: ScriptKind) -> Result<AstModule, ScriptFinding> {
    // Plugins may register in loops and conditions.
    let dialect = Dialect { enable_top_level_stmt: script_kind == ScriptKind::Plugin, ..dialect() };
    let parsed = AstModule::parse(&source.name, source.text.clone(), &dialect);
    parsed.map_err(|error| error_finding(FindingCode::Syntax, &error))
}

/// A function in the interpreter, which is loaded at once or when it is first called.
///
/// Most calls never need the interpreter, and building the language's globals takes longer than a process that answers
/// one event should run.
#[derive(Default)]
pub(crate) struct LazyFunction(OnceLock<Result<OwnedFrozenValue, String>>);

impl LazyFunction {
    pub(crate) fn from_loaded(function: OwnedFrozenValue) -> Self {
        Self(OnceLock::from(Ok(function)))
    }

    /// The function. `load` loads one whose `text` is known to have no error that loading would find.
    ///
    /// # Errors
    /// If it cannot be loaded after all.
    pub(crate) fn load_once(
        &self,
        function_name: &str,
        text: &str,
        load: impl FnOnce() -> Result<OwnedFrozenValue, String> + Send,
    ) -> Result<&OwnedFrozenValue, Failure> {
        // The caller may have a small stack, and the parser is recursive.
        let loaded = self.0.get_or_init(|| {
            try_on_large_stack(&[text], load).unwrap_or_else(|| Err(String::from("the interpreter crashed")))
        });
        loaded
            .as_ref()
            .map_err(|reason| Failure::new(FailureKind::Missing, format!("{function_name} cannot be loaded: {reason}")))
    }
}

/// Evaluates a module under limits; a plugin's registrations are recorded. A module with probes notes what it reaches.
pub(crate) fn evaluate_module(
    ast: AstModule,
    script_kind: ScriptKind,
    loading: Option<&PluginLoadState>,
    hits: Option<&Arc<PointHits>>,
) -> Result<FrozenModule, ScriptFinding> {
    Module::with_temp_heap(|module| {
        set_probe(&module, hits);
        {
            let mut eval = Evaluator::new(&module);
            if let Some(loading) = loading {
                eval.extra = Some(loading);
                eval.set_print_handler(&RefusedPrints);
            }
            eval.set_max_tick_count(LOAD_STEPS).map_err(|error| internal_error(&error))?;
            eval.set_max_heap_size(LOAD_BYTES).map_err(|error| internal_error(&error))?;
            eval.eval_module(ast, globals::for_kind(script_kind)).map_err(|error| load_error(&error))?;
        }
        module.freeze().map_err(|error| internal_error(&error.err_msg))
    })
}

/// Rejects `print` while a plugin is loaded.
struct RefusedPrints;

impl PrintHandler for RefusedPrints {
    fn println(&self, _text: &str) -> starlark::Result<()> {
        Err(script_error("print: not available while the plugin is loaded; call it in a function"))
    }
}

/// Evaluates a module and returns its entry point. Runs the code of the module, under limits.
pub(crate) fn evaluate(
    source: &PreparedSource,
    ast: AstModule,
    script_kind: ScriptKind,
    hits: Option<&Arc<PointHits>>,
) -> Result<OwnedFrozenValue, ScriptFinding> {
    let entry = script_kind.entry_point();
    let module = evaluate_module(ast, script_kind, None, hits)?;
    let found = module.get_option(entry).map_err(|error| internal_error(&error))?;
    let value = found.ok_or_else(|| missing_entry_point(source, script_kind, entry))?;
    let Some(parameters) = value.value().parameters_spec() else {
        return Err(ScriptFinding::error(
            FindingCode::EntryPoint,
            format!("hook script \"{}\": '{entry}' must be a function", source.name),
            None,
        ));
    };
    let wanted = script_kind.parameters().len();
    if !parameters.can_fill_with_args(wanted, &[]) {
        let message =
            format!("`{entry}` must take {wanted} arguments: `def {entry}({}):`", script_kind.parameters().join(", "));
        return Err(ScriptFinding::error(FindingCode::EntryPoint, message, None));
    }
    Ok(value)
}

/// The finding for a script without its entry point.
pub(crate) fn missing_entry_point(source: &PreparedSource, script_kind: ScriptKind, entry: &str) -> ScriptFinding {
    let kind = script_kind.noun_phrase();
    ScriptFinding::error(
        FindingCode::EntryPoint,
        format!("{kind} script \"{}\" must define a '{entry}' function", source.name),
        None,
    )
}

fn internal_error(error: &dyn fmt::Display) -> ScriptFinding {
    ScriptFinding::error(FindingCode::Load, error.to_string(), None)
}

fn load_error(error: &starlark::Error) -> ScriptFinding {
    let text = error.without_diagnostic().to_string();
    let code = if text.contains("not found") || text.contains("Variable") {
        FindingCode::UnknownName
    } else {
        FindingCode::Load
    };
    error_finding(code, error)
}

/// An error of the interpreter as a finding.
pub(crate) fn error_finding(code: FindingCode, error: &starlark::Error) -> ScriptFinding {
    let span = error.span().map(|at| (at.span.begin().get() as usize, at.span.end().get() as usize));
    ScriptFinding::error(code, to_one_line(error.without_diagnostic().to_string()), span)
}
