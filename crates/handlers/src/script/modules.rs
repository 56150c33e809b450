//! Plugins and modules: each is loaded once, and all hooks that call its functions share it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Diagnostic, ScriptSource, Severity};
use pintle_script::worker::WorkerScript;
use pintle_script::{PluginInventory, PluginModule, compile_plugin};

use super::remote::Remote;
use crate::Builder;

/// Modules that a builder remembers. A hook keeps its own module beyond that.
const KEPT: usize = 64;

/// A module as loaded, wherever that was.
#[derive(Debug)]
pub(super) struct Module {
    /// Where its functions run; absent when it has errors.
    pub(super) place: Option<Place>,
    /// What its top level registered and which functions it has.
    pub(super) inventory: PluginInventory,
    /// What was found.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Where the functions of a module run.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// In this process, as their cost is bounded by their input; with an input that is too large for that, in a worker
    /// process.
    Here(Arc<PluginModule>, Remote),
    /// In a worker process.
    There(Remote),
}

/// The modules that a builder remembers, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Modules(Mutex<VecDeque<(Key, Arc<Module>)>>);

/// What makes two modules one: their text, and where findings about it belong.
type Key = (Arc<str>, Arc<str>, Option<PathBuf>);

impl Builder {
    /// Loads a module, or finds it loaded.
    pub(super) fn module(&self, name: &str, text: &ScriptSource) -> Arc<Module> {
        let path = text.location.path().map(PathBuf::from);
        let key: Key = (Arc::from(name), Arc::clone(&text.text), path);
        let known = self.modules.known(&key);
        known.unwrap_or_else(|| {
            let module = Arc::new(self.load(name, text));
            self.modules.keep(key, &module);
            module
        })
    }

    fn load(&self, name: &str, text: &ScriptSource) -> Module {
        let compiled = compile_plugin(name, text);
        let failed = |found: &[Diagnostic]| found.iter().any(|found| found.severity == Severity::Error);
        let program = WorkerScript::Plugin { name: name.to_owned(), text: text.text.to_string() };
        let remote = Remote::new(&self.pool, program, name, text);
        if failed(&compiled.diagnostics) || compiled.module.is_some() {
            let place = compiled.module.map(|module| Place::Here(module, remote));
            return Module { place, inventory: compiled.inventory, diagnostics: compiled.diagnostics };
        }
        let (found, inventory) = remote.register();
        let diagnostics = super::build::merged(compiled.diagnostics, found);
        let place = (!failed(&diagnostics)).then_some(Place::There(remote));
        Module { place, inventory, diagnostics }
    }
}

impl Modules {
    fn known(&self, key: &Key) -> Option<Arc<Module>> {
        let modules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        modules.iter().find(|(known, _)| known == key).map(|(_, module)| Arc::clone(module))
    }

    fn keep(&self, key: Key, module: &Arc<Module>) {
        let mut modules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if modules.len() >= KEPT {
            modules.pop_front();
        }
        modules.push_back((key, Arc::clone(module)));
    }
}
