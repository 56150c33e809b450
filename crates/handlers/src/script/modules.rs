//! Plugins and modules: each is loaded once and shared by all hooks that call its functions.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Diagnostic, ScriptSource, ScriptTexts, Severity};
use pintle_script::worker::WorkerScript;
use pintle_script::{PluginInventory, PluginModule, compile_plugin, compile_plugin_covered};

use super::remote::RemoteScript;
use crate::DefaultHandlerFactory;

/// The most modules that a factory caches. A hook keeps its own module longer.
const KEPT: usize = 64;

/// A loaded module, in this process or in a script worker.
#[derive(Debug)]
pub(super) struct LoadedModule {
    /// The place where its functions run; absent if it has errors.
    pub(super) location: Option<ModuleLocation>,
    /// Its registrations and functions.
    pub(super) inventory: PluginInventory,
    pub(super) texts: ScriptTexts,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The place where the functions of a module run.
#[derive(Debug, Clone)]
pub(super) enum ModuleLocation {
    /// In this process, since their cost is limited by their input; with a larger input in a script worker.
    InProcess(Arc<PluginModule>, RemoteScript),
    /// In a script worker.
    Worker(RemoteScript),
}

/// The cached modules, the newest last.
#[derive(Debug, Default)]
pub(crate) struct ModuleCache(Mutex<VecDeque<(ModuleKey, Arc<LoadedModule>)>>);

/// The identity of a module: its text, and the location of its diagnostics.
type ModuleKey = (Arc<str>, Arc<str>, Option<PathBuf>);

impl DefaultHandlerFactory {
    /// Loads a module, or returns the cached one.
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
        let compiled = match &self.coverage {
            Some(recorder) => compile_plugin_covered(name, text, recorder),
            None => compile_plugin(name, text),
        };
        let failed = |found: &[Diagnostic]| found.iter().any(|found| found.severity == Severity::Error);
        let program = WorkerScript::Plugin { name: name.to_owned(), text: text.text.to_string() };
        let remote = RemoteScript::new(&self.worker_pool, program, name, text).with_hits(compiled.hits);
        if failed(&compiled.diagnostics) || compiled.module.is_some() {
            let place = compiled.module.map(|module| ModuleLocation::InProcess(module, remote));
            let (inventory, diagnostics) = (compiled.inventory, compiled.diagnostics);
            return LoadedModule { location: place, inventory, texts: compiled.texts, diagnostics };
        }
        let (found, inventory) = remote.load_plugin();
        let diagnostics = super::build::merge_diagnostics(compiled.diagnostics, found);
        let place = (!failed(&diagnostics)).then_some(ModuleLocation::Worker(remote));
        LoadedModule { location: place, inventory, texts: compiled.texts, diagnostics }
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
