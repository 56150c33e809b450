//! Hooks that were loaded once and are used for many runtimes, as long as the files that they come from do not change.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle_contract::Hook;
use pintle_files::SeenFiles;
use pintle_loader::LoadedPath;

/// The most sets of hooks that are kept.
const MOST: usize = 32;

/// Loaded hooks for the runtimes of one process. Each time, every file that was looked at when they were loaded is looked
/// at again; if one changed, they are loaded again. Hooks that remember something between their calls are never kept.
#[derive(Debug, Default)]
pub struct HookCache(Mutex<VecDeque<CachedHooks>>);

#[derive(Debug, Clone)]
struct CachedHooks {
    question: Arc<str>,
    seen: Arc<Mutex<SeenFiles>>,
    loaded: Arc<Vec<LoadedPath>>,
}

impl HookCache {
    /// The hooks that answer a question, which is everything but files that decides what is loaded; `None` if they have to
    /// be loaded.
    pub(super) fn get(&self, question: &str) -> Option<Arc<Vec<LoadedPath>>> {
        let known = self.lock().iter().find(|cached| *cached.question == *question).cloned()?;
        let is_unchanged = known.seen.lock().unwrap_or_else(PoisonError::into_inner).are_unchanged();
        is_unchanged.then_some(known.loaded)
    }

    /// Loads the hooks that answer a question.
    pub(super) fn load(&self, question: &str, load: impl FnOnce() -> Vec<LoadedPath>) -> Arc<Vec<LoadedPath>> {
        let (loaded, seen) = pintle_files::watch(load);
        let loaded = Arc::new(loaded);
        let mut cache = self.lock();
        cache.retain(|cached| *cached.question != *question);
        if hooks(&loaded).all(|hook| hook.handler.is_reusable()) {
            cache.truncate(MOST - 1);
            let loaded = Arc::clone(&loaded);
            cache.push_front(CachedHooks { question: question.into(), seen: Arc::new(Mutex::new(seen)), loaded });
        }
        loaded
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<CachedHooks>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hooks(loaded_paths: &[LoadedPath]) -> impl Iterator<Item = &Arc<Hook>> {
    loaded_paths.iter().flat_map(|path| &path.chains).flat_map(|chain| &chain.hooks)
}

#[cfg(test)]
mod tests {
    use pintle_contract::{Layer, Location};
    use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};

    #[test]
    fn files_that_helping_threads_look_at_are_noted() {
        let pack = pintle_packs::pack_by_name("git").unwrap();
        let rule = pack.rules.first().unwrap();
        let hook = pintle_dialects::declare_pack(pack, vec![format!("{}:allow=~/x", rule.id)], Location::default());
        let factory = DefaultHandlerFactory::new(WorkerProgram::find());
        let seen_by = |count: usize| {
            let hooks = vec![hook.clone(); count];
            let load = || pintle_loader::compile_chains("test", Layer::User, &hooks, &factory);
            let ((chains, findings), seen) = pintle_files::watch(load);
            assert_eq!((chains.iter().map(|chain| chain.hooks.len()).sum::<usize>(), findings.len()), (count, 0));
            seen.count()
        };
        // An allowed path in the home directory looks at where that leads.
        assert!(seen_by(1) > 0);
        assert_eq!(seen_by(1_000), seen_by(1));
    }
}
