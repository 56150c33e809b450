//! Plugins: modules whose top level registers hook functions.
//!
//! Loading runs the top level once, under limits, and records each call of a registration function with its location.
//! Then the module is frozen: its functions share its values, and no call changes them. The dialect that reads the
//! plugin interprets the registrations.

mod inventory;
mod load;
mod module;
mod record;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pintle_contract::{Diagnostic, ScriptSource, ScriptTexts};

pub use inventory::{FunctionInfo, PluginInventory};
pub use module::{PluginFunction, PluginModule};
pub use record::{RecordedArgument, RecordedRegistration};
pub(crate) use record::{RegistrationRecorder, record_call};

use crate::ScriptFinding;
use crate::analysis::{self, ResolvedScript};
use crate::compile::try_on_large_stack;
use crate::coverage::{CoverageRecorder, PointHits};
use crate::language::{ScriptKind, ScriptPlacement};
use crate::load::parse;
use crate::source::PreparedSource;

/// The outcome of [`compile_plugin`].
#[derive(Debug)]
pub struct CompiledPlugin {
    /// The plugin; absent if there is an error, or if it may only run in a worker.
    pub module: Option<Arc<PluginModule>>,
    /// The registrations of its top level; empty if it was not run.
    pub inventory: PluginInventory,
    /// The diagnostics, at their locations in the plugin's file.
    pub diagnostics: Vec<Diagnostic>,
    /// Where it may run.
    pub placement: ScriptPlacement,
    /// Its string literals.
    pub texts: ScriptTexts,
    /// The findings behind `diagnostics`, which can be sent between processes.
    pub findings: Vec<ScriptFinding>,
    /// What it reached, if it is covered.
    pub hits: Option<Arc<PointHits>>,
}

/// Compiles a plugin: parses and checks it, decides where it may run, and runs its top level if that is in this
/// process.
///
/// Never panics and never runs code whose cost is not bounded.
#[must_use]
pub fn compile_plugin(name: &str, text: &ScriptSource) -> CompiledPlugin {
    compile_here(name, text, None)
}

/// As [`compile_plugin`], but the recorder notes what the plugin reaches.
#[must_use]
pub fn compile_plugin_covered(name: &str, text: &ScriptSource, recorder: &CoverageRecorder) -> CompiledPlugin {
    compile_here(name, text, Some(recorder))
}

fn compile_here(name: &str, text: &ScriptSource, recorder: Option<&CoverageRecorder>) -> CompiledPlugin {
    try_on_large_stack(&[&text.text], || compile_at(name, text, false, recorder))
        .unwrap_or_else(|| interpreter_crash(name, text))
}

/// Compiles a plugin and loads it wherever it should run. For worker processes, which may die; the caller's thread must
/// have a large stack.
#[must_use]
pub fn compile_plugin_unbounded(
    name: &str,
    text: &ScriptSource,
    recorder: Option<&CoverageRecorder>,
) -> CompiledPlugin {
    catch_unwind(AssertUnwindSafe(|| compile_at(name, text, true, recorder)))
        .unwrap_or_else(|_| interpreter_crash(name, text))
}

fn interpreter_crash(name: &str, text: &ScriptSource) -> CompiledPlugin {
    CompiledPlugin::from_findings(
        &PreparedSource::new(name, text).0,
        ScriptPlacement::Worker,
        vec![ScriptFinding::interpreter_crash()],
    )
}

impl CompiledPlugin {
    fn from_findings(source: &PreparedSource, placement: ScriptPlacement, findings: Vec<ScriptFinding>) -> Self {
        let diagnostics = findings.iter().map(|finding| finding.locate(source)).collect();
        Self {
            module: None,
            inventory: PluginInventory::default(),
            diagnostics,
            placement,
            texts: ScriptTexts::default(),
            findings,
            hits: None,
        }
    }
}

fn compile_at(name: &str, text: &ScriptSource, anywhere: bool, recorder: Option<&CoverageRecorder>) -> CompiledPlugin {
    let (source, parsed) = parse(name, text, ScriptKind::Plugin);
    let ast = match parsed {
        Ok(ast) => ast,
        Err(finding) => return CompiledPlugin::from_findings(&source, ScriptPlacement::Worker, vec![finding]),
    };
    let script = ResolvedScript::new(&ast);
    let analysis = analysis::analyse(&source, &script, ScriptKind::Plugin);
    let (texts, mut findings, placement) = (analysis.texts, analysis.findings, analysis.placement);
    let covered = recorder.filter(|_| !analysis.has_failed).map(|recorder| recorder.cover_module(&source, ast.clone()));
    let hits = covered.as_ref().map(|covered| Arc::clone(&covered.hits));
    if analysis.has_failed || (placement == ScriptPlacement::Worker && !anywhere) {
        return CompiledPlugin { texts, hits, ..CompiledPlugin::from_findings(&source, placement, findings) };
    }
    let closures = analysis::closures_of(&script);
    let ast = covered.map_or(ast, |covered| covered.ast);
    match load::load_functions(ast, &closures, hits.as_ref()) {
        Ok((functions, inventory)) => {
            let diagnostics = findings.iter().map(|finding| finding.locate(&source)).collect();
            let module = Some(Arc::new(PluginModule {
                source,
                functions,
                may_wait: analysis.may_wait,
                demand: analysis.demand,
            }));
            CompiledPlugin { module, inventory, diagnostics, placement, texts, findings, hits }
        }
        Err(finding) => {
            findings.push(finding);
            CompiledPlugin::from_findings(&source, placement, findings)
        }
    }
}
