//! Plugins and modules: each is loaded once, and all hooks that call its functions share it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Diagnostic, ScriptSource, Severity};
use pintle_script::worker::WorkerScript;
use pintle_script::{PluginInventory, PluginModule, compile_plugin};

use super::remote::RemoteScript;
use crate::DefaultHandlerFactory;

/// Modules that a builder remembers. A hook keeps its own module beyond that.
const KEPT: usize = 64;

/// A module as loaded, wherever that was.
#[derive(Debug)]
pub(super) struct LoadedModule {
    /// Where its functions run; absent when it has errors.
    pub(super) location: Option<ModuleLocation>,
    /// What its top level registered and which functions it has.
    pub(super) inventory: PluginInventory,
    /// What was found.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Where the functions of a module run.
#[derive(Debug, Clone)]
pub(super) enum ModuleLocation {
    /// In this process, as their cost is bounded by their input; with an input that is too large for that, in a worker
    /// process.
    InProcess(Arc<PluginModule>, RemoteScript),
    /// In a worker process.
    Worker(RemoteScript),
}

/// The modules that a builder remembers, the newest last.
#[derive(Debug, Default)]
pub(crate) struct ModuleCache(Mutex<VecDeque<(ModuleKey, Arc<LoadedModule>)>>);

/// What makes two modules one: their text, and where findings about it belong.
type ModuleKey = (Arc<str>, Arc<str>, Option<PathBuf>);

impl DefaultHandlerFactory {
    /// Loads a module, or finds it loaded.
    pub(super) fn load_cached_module(&self, name: &str, text: &ScriptSource) -> Arc<LoadedModule> {
        let path = text.location.path().map(PathBuf::from);
        let key: ModuleKey = (Arc::from(name), Arc::clone(&text.text), path);
        let known = self.module_cache.get(&key);
        known.unwrap_or_else(|| {
            let module = Arc::new(self.load_module(name, text));
            self.module_cache.insert(key, &module);
            module
        })
    }

    fn load_module(&self, name: &str, text: &ScriptSource) -> LoadedModule {
        let compiled = compile_plugin(name, text);
        let failed = |found: &[Diagnostic]| found.iter().any(|found| found.severity == Severity::Error);
        let program = WorkerScript::Plugin { name: name.to_owned(), text: text.text.to_string() };
        let remote = RemoteScript::new(&self.worker_pool, program, name, text);
        if failed(&compiled.diagnostics) || compiled.module.is_some() {
            let place = compiled.module.map(|module| ModuleLocation::InProcess(module, remote));
            return LoadedModule { location: place, inventory: compiled.inventory, diagnostics: compiled.diagnostics };
        }
        let (found, inventory) = remote.load_plugin();
        let diagnostics = super::build::merge_diagnostics(compiled.diagnostics, found);
        let place = (!failed(&diagnostics)).then_some(ModuleLocation::Worker(remote));
        LoadedModule { location: place, inventory, diagnostics }
    }
}

impl ModuleCache {
    fn get(&self, key: &ModuleKey) -> Option<Arc<LoadedModule>> {
        let modules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        modules.iter().find(|(known, _)| known == key).map(|(_, module)| Arc::clone(module))
    }

    fn insert(&self, key: ModuleKey, module: &Arc<LoadedModule>) {
        let mut modules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if modules.len() >= KEPT {
            modules.pop_front();
        }
        modules.push_back((key, Arc::clone(module)));
    }
}
