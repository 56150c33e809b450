//! Tools and verifications that are scripts.

use std::sync::Arc;

use pintle_contract::{
    CallLimits, CancelToken, Diagnostic, EffectCaller, EffectRunner, Failure, ScriptSource, ToolSpec,
};
use pintle_script::{Invocation, ScriptKind};
use serde_json::Value;

use super::build::BuiltScript;
use super::handler::ScriptLocation;
use super::remote::WorkerEffects;
use crate::DefaultHandlerFactory;

/// A tool or a verification that is a script.
///
/// Tools always run in a script worker: they may wait for programs and files, and must be stoppable at any point.
#[derive(Debug, Clone)]
pub struct ScriptTool {
    location: Arc<ScriptLocation>,
}

impl DefaultHandlerFactory {
    /// Compiles the script of a tool, `run(args)`. A tool without a script does not compile.
    ///
    /// # Errors
    /// With all diagnostics.
    pub fn compile_tool(&self, tool: &ToolSpec) -> Result<ScriptTool, Vec<Diagnostic>> {
        match &tool.script {
            Some(script) => self.compile_checked(&tool.name, script, ScriptKind::Tool),
            None => {
                let message = format!("tool \"{}\" is configured but no handler has been registered", tool.name);
                Err(vec![Diagnostic::error("tool_script", message, tool.location.clone()).help("give it a `script`")])
            }
        }
    }

    /// Compiles a verify script, `run(result)`. `owner` names its agent or tool.
    ///
    /// # Errors
    /// With all diagnostics.
    pub fn compile_verifier(&self, owner: &str, script: &ScriptSource) -> Result<ScriptTool, Vec<Diagnostic>> {
        self.compile_checked(owner, script, ScriptKind::Verify)
    }

    fn compile_checked(
        &self,
        name: &str,
        script: &ScriptSource,
        script_kind: ScriptKind,
    ) -> Result<ScriptTool, Vec<Diagnostic>> {
        let BuiltScript { location: place, diagnostics, .. } = self.compile_script(name, script, script_kind);
        place.map(|place| ScriptTool { location: Arc::new(place) }).ok_or(diagnostics)
    }
}

impl ScriptTool {
    /// Runs the script. `timeout_ms` limits the whole run, including effects that it waits for.
    ///
    /// # Errors
    /// When the script raises an error, exceeds a limit, ends its worker or times out.
    pub fn run(
        &self,
        argument: Value,
        runner: &dyn EffectRunner,
        caller: EffectCaller<'_>,
        cancel: &CancelToken,
        timeout_ms: u64,
    ) -> Result<Value, Failure> {
        let limits = CallLimits { timeout_ms, ..CallLimits::default() };
        match &*self.location {
            ScriptLocation::InProcess(script, _) if script.fits_value(&argument, &limits) => {
                script.run(&argument, &Invocation { effects: runner, caller, limits: &limits, cancel })
            }
            ScriptLocation::InProcess(_, remote) | ScriptLocation::Worker(remote) => {
                remote.call_run(argument, &limits, &WorkerEffects { effects: runner, caller, cancel })
            }
        }
    }
}
