//! Declarations into handlers and matchers: one arm a kind of handler, each built in its own folder.

use std::sync::{Arc, OnceLock};

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Capability, Diagnostic, HandlerFactory, HandlerSpec, HookDeclaration, Judge,
    LoadedPlugin, MatcherSpec, Redactor, ScriptSource, ToolSpec,
};

use crate::script::{ModuleCache, NoopHandler};
use crate::script_worker::{ScriptWorkerPool, WorkerProgram};
use crate::{builtin, capabilities, command, judge, process, regex_matcher, webhook};

/// Builds the handlers and matchers of hooks, and checks the scripts of tools.
///
/// A script is parsed here, after a check that bounds what the parser may recurse into, and analysed. When all it does
/// costs a small multiple of its input it is loaded and run in this process. Any other is loaded in a worker process:
/// a source that ends the worker is an error diagnostic, and the next source gets a fresh worker. Workers end with the
/// last handler and tool that use them.
#[derive(Debug, Clone)]
pub struct DefaultHandlerFactory {
    pub(crate) worker_pool: Arc<ScriptWorkerPool>,
    pub(crate) judge: Option<Arc<dyn Judge>>,
    /// The modules that were loaded, of plugins and of others whose functions are hooks.
    pub(crate) module_cache: Arc<ModuleCache>,
    /// What takes secrets out of texts, once a hook that is there for that was built. Built-ins that write files keep
    /// them clean with it, wherever they stand among the hooks.
    redactor: Arc<OnceLock<Arc<dyn Redactor>>>,
    /// Whether a worker loads its scripts at once, to see whether they load at all, and tools are checked.
    pub(crate) probes_workers: bool,
}

impl DefaultHandlerFactory {
    /// A builder whose workers are processes of `program`, which also starts the programs that this process runs
    /// ([`process::contain`]). None is started before it is needed.
    #[must_use]
    pub fn new(program: WorkerProgram) -> Self {
        process::enable_launchers(&program);
        Self {
            worker_pool: Arc::new(ScriptWorkerPool::new(program)),
            judge: None,
            module_cache: Arc::default(),
            redactor: Arc::default(),
            probes_workers: true,
        }
    }

    /// Who asks language models for hooks that are judged by one. Default: nobody, and such hooks fail when they are
    /// asked.
    #[must_use]
    pub fn with_judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Leaves a script that needs a worker alone until it is called, for processes that live for one event, ask few of the
    /// hooks there are and run no agent. One that does not load is then a failure of its hook when that is asked. The
    /// scripts of tools and verifications, which nobody calls there, are not looked at.
    #[must_use]
    pub fn skip_worker_probe(mut self) -> Self {
        self.probes_workers = false;
        self
    }

    /// Who asks language models, when somebody does.
    #[must_use]
    pub fn judge(&self) -> Option<&Arc<dyn Judge>> {
        self.judge.as_ref()
    }
}

impl HandlerFactory for DefaultHandlerFactory {
    fn warm_up(&self) {
        pintle_script::warm_up();
    }

    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        match &declaration.handler {
            HandlerSpec::None => BuiltHandler { handler: Some(Arc::new(NoopHandler)), ..BuiltHandler::default() },
            HandlerSpec::Script(text) => self.script_handler(declaration, text),
            HandlerSpec::Command(spec) => command::build(declaration, spec),
            HandlerSpec::Http(spec) => webhook::build(declaration, spec),
            HandlerSpec::Builtin(spec) => builtin::build(declaration, spec, &self.redactor),
            HandlerSpec::Model(spec) => judge::build(declaration, spec, self.judge.as_ref()),
            HandlerSpec::Function(spec) => self.function_handler(declaration, spec),
            HandlerSpec::Native(handler) => {
                BuiltHandler { handler: Some(Arc::clone(handler)), guard: true, diagnostics: Vec::new() }
            }
        }
    }

    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        match &declaration.matcher {
            None => BuiltMatcher::default(),
            Some(MatcherSpec::Expression(expression)) => self.script_matcher(declaration, expression),
            Some(MatcherSpec::Pattern { text, location }) => regex_matcher::compile_pattern(text, location),
            Some(MatcherSpec::Compiled(matcher)) => {
                BuiltMatcher { matcher: Some(Arc::clone(matcher)), diagnostics: Vec::new() }
            }
        }
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
            HandlerSpec::Script(text) => pintle_script::check_calls(&declaration.name, text, &declaration.tools),
            // Which function of a module calls a tool is not told by its text.
            _ => Vec::new(),
        }
    }

    fn capabilities(&self, declaration: &HookDeclaration) -> Vec<Capability> {
        capabilities::capabilities(declaration)
    }
}
