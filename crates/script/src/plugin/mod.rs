//! Plugins: modules whose top level registers functions that answer events.
//!
//! Loading runs the top level once, under limits, and writes down each call of a registration function with its place.
//! The module is frozen then: its functions share what it holds, and no call changes it. What the registrations mean is
//! the affair of the dialect that reads them.

mod inventory;
mod load;
mod module;
mod record;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pintle_contract::{Diagnostic, ScriptSource, Severity};

pub use inventory::{Facts, Inventory};
pub use module::{PluginFunction, PluginModule};
pub use record::{Given, Recorded};
pub(crate) use record::{Recording, record};

use crate::Finding;
use crate::analysis;
use crate::compile::{Placement, Role, on_large_stack};
use crate::load::parse;
use crate::source::Source;

/// The outcome of [`compile_plugin`].
#[derive(Debug)]
pub struct CompiledPlugin {
    /// The plugin; absent when there is an error, and when it may only run in a worker.
    pub module: Option<Arc<PluginModule>>,
    /// What its top level registered; empty when it was not run.
    pub inventory: Inventory,
    /// What was found, at the places in the plugin's file.
    pub diagnostics: Vec<Diagnostic>,
    /// Where it may run.
    pub placement: Placement,
    /// The findings behind `diagnostics`, which can be sent between processes.
    pub findings: Vec<Finding>,
}

/// Compiles a plugin: parses and checks it, decides where it may run, and runs its top level when that is here.
///
/// Never panics and never runs code whose cost is not bounded.
#[must_use]
pub fn compile_plugin(name: &str, text: &ScriptSource) -> CompiledPlugin {
    on_large_stack(|| build(name, text, false)).unwrap_or_else(|| collapsed(name, text))
}

/// Compiles a plugin and loads it wherever it should run. For worker processes, which may die of it; the caller's
/// thread must have a large stack.
#[must_use]
pub fn compile_plugin_unbounded(name: &str, text: &ScriptSource) -> CompiledPlugin {
    catch_unwind(AssertUnwindSafe(|| build(name, text, true))).unwrap_or_else(|_| collapsed(name, text))
}

fn collapsed(name: &str, text: &ScriptSource) -> CompiledPlugin {
    CompiledPlugin::without(&Source::new(name, text).0, Placement::Worker, vec![Finding::collapsed()])
}

impl CompiledPlugin {
    fn without(source: &Source, placement: Placement, findings: Vec<Finding>) -> Self {
        let diagnostics = findings.iter().map(|finding| finding.locate(source)).collect();
        Self { module: None, inventory: Inventory::default(), diagnostics, placement, findings }
    }
}

fn build(name: &str, text: &ScriptSource, anywhere: bool) -> CompiledPlugin {
    let (source, refusal) = Source::new(name, text);
    if let Some(refusal) = refusal {
        return CompiledPlugin::without(&source, Placement::Worker, vec![refusal]);
    }
    let ast = match parse(&source, Role::Plugin) {
        Ok(ast) => ast,
        Err(finding) => return CompiledPlugin::without(&source, Placement::Worker, vec![finding]),
    };
    let analysis = analysis::analyse(&source, &ast, Role::Plugin);
    let (mut findings, placement) = (analysis.findings, analysis.placement);
    let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    if failed || (placement == Placement::Worker && !anywhere) {
        return CompiledPlugin::without(&source, placement, findings);
    }
    let closures = analysis::closures_of(&ast);
    match load::load(ast, &closures) {
        Ok((functions, inventory)) => {
            let diagnostics = findings.iter().map(|finding| finding.locate(&source)).collect();
            let module =
                Some(Arc::new(PluginModule { source, functions, waits: analysis.waits, demand: analysis.demand }));
            CompiledPlugin { module, inventory, diagnostics, placement, findings }
        }
        Err(finding) => {
            findings.push(finding);
            CompiledPlugin::without(&source, placement, findings)
        }
    }
}
