//! Builds handlers and matchers from declarations: one match arm per kind of handler, each built in its own directory.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::{io, thread};

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Capability, Diagnostic, HandlerFactory, HandlerSpec, HookDeclaration, Judge,
    LoadedPlugin, MatcherSpec, ScriptSource, ToolSpec,
};

use pintle_files::WatchHandle;

use crate::builtin::BuiltinState;
use crate::native::NoopHandler;
use crate::script::ModuleCache;
use crate::script_worker::{ScriptWorkerPool, WorkerProgram};
use crate::{absent, builtin, capabilities, process, regex_matcher, script};

/// How many hooks are worth threads of their own.
const MANY: usize = 256;
/// The most threads that build hooks.
const MOST_THREADS: usize = 4;

/// Builds the handlers and matchers of hooks, and checks the scripts of tools.
///
/// A script is parsed here, after a check that limits the parser's recursion, and analysed. If its whole cost is a
/// small multiple of its input, it is loaded and run in this process. Any other script is loaded in a script worker: a
/// source that ends the worker is an error diagnostic, and the next source gets a new worker. Workers end with the last
/// handler and tool that use them.
#[derive(Debug, Clone)]
pub struct DefaultHandlerFactory {
    pub(crate) worker_pool: Arc<ScriptWorkerPool>,
    pub(crate) judge: Option<Arc<dyn Judge>>,
    /// The loaded modules, of plugins and of others whose functions are hooks.
    pub(crate) module_cache: Arc<ModuleCache>,
    /// What built-ins remember of their sessions.
    builtin_state: Arc<BuiltinState>,
    /// Whether a worker loads its scripts immediately, to check them, and tools are checked.
    pub(crate) probes_workers: bool,
    /// Declarations that are built in place of those with the same name and location.
    substitutes: Arc<[HookDeclaration]>,
    /// Notes what the scripts of hooks reach.
    #[cfg(feature = "script")]
    pub(crate) coverage: Option<Arc<pintle_script::CoverageRecorder>>,
}

impl DefaultHandlerFactory {
    /// A factory whose workers are processes of `program`, which also launches the programs that this process runs
    /// ([`enable_launchers`](crate::process::enable_launchers)). No worker is started before it is needed.
    #[must_use]
    pub fn new(program: WorkerProgram) -> Self {
        process::enable_launchers(&program);
        Self {
            worker_pool: Arc::new(ScriptWorkerPool::new(program)),
            judge: None,
            module_cache: Arc::default(),
            builtin_state: Arc::default(),
            probes_workers: true,
            substitutes: Arc::from([]),
            #[cfg(feature = "script")]
            coverage: None,
        }
    }

    /// Builds these declarations instead of those with the same name and location, for tests of how a change is noticed.
    #[must_use]
    pub fn with_substitutes(mut self, substitutes: Arc<[HookDeclaration]>) -> Self {
        self.substitutes = substitutes;
        self
    }

    /// The declaration that is built for one.
    fn substitute<'d>(&'d self, declaration: &'d HookDeclaration) -> &'d HookDeclaration {
        let is_it = |other: &&HookDeclaration| {
            other.name == declaration.name
                && other.location.path() == declaration.location.path()
                && other.location.span == declaration.location.span
        };
        self.substitutes.iter().find(is_it).unwrap_or(declaration)
    }

    /// Notes what the scripts of hooks reach when they are called; the interpreter runs all of them.
    #[cfg(feature = "script")]
    #[must_use]
    pub fn with_coverage(mut self, recorder: Arc<pintle_script::CoverageRecorder>) -> Self {
        self.coverage = Some(recorder);
        self
    }

    /// Sets the judge that calls language models for model hooks. Default: none, and such hooks fail when they are
    /// called.
    #[must_use]
    pub fn with_judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Does not load scripts in a worker until they are called, for processes that handle one event, call few of the
    /// hooks and run no agent. A script that does not load is then a failure of its hook at the call. Scripts of tools
    /// and verifications, which are never called there, are not checked.
    #[must_use]
    pub fn skip_worker_probe(mut self) -> Self {
        self.probes_workers = false;
        self
    }

    /// Reads a large tool result that a built-in of this factory wrote to a file in a session. `None` for any other
    /// file: the path must be the one that the model got.
    #[must_use]
    pub fn read_large_result(&self, session: &str, path: &str) -> Option<io::Result<String>> {
        self.builtin_state.large_results.read(session, path)
    }

    /// The judge that calls language models, if there is one.
    #[must_use]
    pub fn judge(&self) -> Option<&Arc<dyn Judge>> {
        self.judge.as_ref()
    }
}

impl HandlerFactory for DefaultHandlerFactory {
    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        let declaration = self.substitute(declaration);
        match &declaration.handler {
            HandlerSpec::None => BuiltHandler { handler: Some(Arc::new(NoopHandler)), ..BuiltHandler::default() },
            HandlerSpec::Script(text) => self.script_handler(declaration, text),
            #[cfg(all(unix, feature = "commands"))]
            HandlerSpec::Command(spec) => crate::command::build(declaration, spec),
            #[cfg(feature = "http")]
            HandlerSpec::Http(spec) => crate::webhook::build(declaration, spec),
            HandlerSpec::Builtin(spec) => builtin::build(declaration, spec, &self.builtin_state),
            #[cfg(feature = "models")]
            HandlerSpec::Model(spec) => crate::judge::build(declaration, spec, self.judge.as_ref()),
            HandlerSpec::Function(spec) => self.function_handler(declaration, spec),
            HandlerSpec::Native(handler) => {
                BuiltHandler { handler: Some(Arc::clone(handler)), guard: true, ..BuiltHandler::default() }
            }
            #[allow(unreachable_patterns, reason = "with every feature, each kind of handler is above")]
            other => absent::build(declaration, other),
        }
    }

    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        let declaration = self.substitute(declaration);
        match &declaration.matcher {
            None => BuiltMatcher::default(),
            Some(MatcherSpec::Expression(expression)) => self.script_matcher(declaration, expression),
            Some(MatcherSpec::Pattern { text, location }) => regex_matcher::compile_pattern(text, location),
            Some(MatcherSpec::Compiled(matcher)) => {
                BuiltMatcher { matcher: Some(Arc::clone(matcher)), ..BuiltMatcher::default() }
            }
        }
    }

    fn build_all(&self, declarations: &[HookDeclaration]) -> Vec<(BuiltHandler, BuiltMatcher)> {
        let build = |part: &[HookDeclaration]| -> Vec<_> {
            part.iter().map(|hook| (self.build_handler(hook), self.build_matcher(hook))).collect()
        };
        // What a module that several hooks share reports belongs to the first of them.
        let share_modules = || declarations.iter().any(|hook| matches!(hook.handler, HandlerSpec::Function(_)));
        if declarations.len() < MANY || share_modules() {
            return build(declarations);
        }
        // Several files say how many cores a process may use.
        let cores = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        if cores < 2 {
            return build(declarations);
        }
        let watches = WatchHandle::of_this_thread();
        let build = |part| script::with_compiler_stack(|| watches.take_part(|| build(part)));
        thread::scope(|scope| {
            let parts = declarations.chunks(declarations.len().div_ceil(cores));
            let start = |part| scope.spawn(move || build(part));
            let threads: Vec<_> = parts.map(start).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        if self.probes_workers { self.tool_findings(tool) } else { Vec::new() }
    }

    fn load_plugin(&self, name: &str, module: &ScriptSource) -> LoadedPlugin {
        self.load_plugin(name, module)
    }

    fn check_verify(&self, owner: &str, script: &ScriptSource) -> Vec<Diagnostic> {
        if self.probes_workers { self.verify_findings(owner, script) } else { Vec::new() }
    }

    fn check_calls(&self, declaration: &HookDeclaration) -> Vec<Diagnostic> {
        match &declaration.handler {
            HandlerSpec::Script(text) => script::check_calls(&declaration.name, text, &declaration.tools),
            // The text of a module does not show which of its functions calls a tool.
            _ => Vec::new(),
        }
    }

    fn check_guard(&self, declaration: &HookDeclaration) -> Vec<Diagnostic> {
        script::check_guard(declaration)
    }

    fn capabilities(&self, declaration: &HookDeclaration) -> Vec<Capability> {
        capabilities::capabilities(declaration)
    }
}
