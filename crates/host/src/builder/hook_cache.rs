//! Hooks that were loaded once and are used for many runtimes, as long as the files that they come from do not change.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pintle_contract::Hook;
use pintle_engine::HookSet;
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
    loaded: Arc<KeptHooks>,
}

/// What was loaded once.
#[derive(Debug)]
pub(super) struct KeptHooks {
    pub(super) paths: Vec<LoadedPath>,
    /// All hooks of these paths and no other ones, once a runtime had just these.
    pub(super) set: OnceLock<HookSet>,
}

impl HookCache {
    /// The hooks that answer a question, which is everything but files that decides what is loaded; `None` if they have to
    /// be loaded.
    pub(super) fn get(&self, question: &str) -> Option<Arc<KeptHooks>> {
        let known = self.lock().iter().find(|cached| *cached.question == *question).cloned()?;
        let is_unchanged = known.seen.lock().unwrap_or_else(PoisonError::into_inner).are_unchanged();
        is_unchanged.then_some(known.loaded)
    }

    /// Loads the hooks that answer a question.
    pub(super) fn load(&self, question: &str, load: impl FnOnce() -> Vec<LoadedPath>) -> Arc<KeptHooks> {
        let (paths, seen) = pintle_files::watch(load);
        let loaded = Arc::new(KeptHooks { paths, set: OnceLock::new() });
        let mut cache = self.lock();
        cache.retain(|cached| *cached.question != *question);
        if hooks(&loaded.paths).all(|hook| hook.handler.is_reusable()) {
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
    use pintle_contract::{Decision, Event, EventName, Layer, Location, Origin, Verdict};
    use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};
    use serde_json::json;

    use super::*;
    use crate::{Runtime, RuntimeBuilder, native};

    #[test]
    fn runtimes_of_kept_hooks_share_them_and_have_none_of_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let guard = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n    return block(\"no\")\n---\n";
        std::fs::write(dir.path().join("guard.md"), guard).unwrap();
        let tool_pre = EventName::parse("tool.pre").unwrap();
        let cache = Arc::new(HookCache::default());
        let build = |change: &dyn Fn(RuntimeBuilder) -> RuntimeBuilder| {
            let builder = Runtime::builder().path(dir.path(), Layer::Project).hook_cache(Arc::clone(&cache));
            change(builder).build().unwrap()
        };
        let first_hook = |runtime: &Runtime| Arc::as_ptr(runtime.hooks().hooks().next().unwrap().1).addr();
        let plain = || build(&|builder| builder);
        // A file is not kept as long as it may change without a trace.
        while first_hook(&plain()) != first_hook(&plain()) {
            std::thread::yield_now();
        }
        let call =
            Event::new(tool_pre.clone(), json!({"id": "1", "name": "a", "args": {}}), Arc::new(Origin::default()));
        let other = native::hook("other", tool_pre, |_| Verdict::deny("other"));
        let others = native::chain("others", Layer::Project, [other]);
        let with_others = || build(&|builder| builder.chain(others.clone()));
        let uncalled = || build(&RuntimeBuilder::without_calls);
        for _ in 0..2 {
            for (runtime, count, decision) in
                [(plain(), 1, Decision::Deny), (with_others(), 2, Decision::Deny), (uncalled(), 1, Decision::Allow)]
            {
                assert_eq!((runtime.hooks().hooks().count(), runtime.fire(&call).decision), (count, decision));
            }
        }
    }

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
