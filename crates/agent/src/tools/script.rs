//! A project's own tools: Starlark artifacts with `run(args)`.

use std::sync::Arc;

use pintle_host::ScriptTool;
use pintle_host::contract::{CallId, EffectCaller, ScriptSource, ToolSpec};
use pintle_host::{Diagnostic, Runtime};
use serde_json::{Value, json};

use crate::model::ModelTool;
use crate::turn_context::{Tool, ToolContext, ToolError};
use crate::verify::{self, failure_text};

/// A compiled Starlark tool.
#[derive(Debug)]
pub(crate) struct StarlarkTool {
    definition: ModelTool,
    script: Option<ScriptTool>,
    verify: Option<ScriptTool>,
    timeout_ms: u64,
}

impl StarlarkTool {
    /// Compiles a declaration.
    ///
    /// # Errors
    /// With the errors of its scripts, in one line.
    pub(crate) fn compile(runtime: &Runtime, spec: &ToolSpec) -> Result<Arc<Self>, String> {
        let error =
            |found: Vec<Diagnostic>| format!("tool `{}` does not compile: {}", spec.name, join_diagnostics(&found));
        let script = spec.script.as_ref().map(|_| runtime.compile_tool(spec)).transpose().map_err(error)?;
        let verifier = |script: &ScriptSource| runtime.compile_verifier(&spec.name, script);
        let verify = spec.verify.as_ref().map(verifier).transpose().map_err(error)?;
        let definition = ModelTool {
            name: spec.name.clone(),
            description: spec.description.clone(),
            parameters: spec.parameters.clone(),
        };
        Ok(Arc::new(Self { definition, script, verify, timeout_ms: spec.timeout_ms }))
    }
}

/// Joins diagnostics in one line, errors first.
pub(crate) fn join_diagnostics(diagnostics: &[Diagnostic]) -> String {
    let mut diagnostics: Vec<&Diagnostic> = diagnostics.iter().collect();
    diagnostics.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.severity));
    let lines: Vec<String> = diagnostics.iter().map(|diagnostic| diagnostic.to_string().replace('\n', " ")).collect();
    lines.join("; ")
}

impl Tool for StarlarkTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn call(&self, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError> {
        let name = &self.definition.name;
        let Some(script) = &self.script else {
            return Err(format!("tool \"{name}\" is configured but no handler has been registered").into());
        };
        let runtime = &context.turn.agent.shared.runtime;
        let effects = runtime.effects(&context.turn.origin, &context.turn.scope);
        // Effect requests of a tool do not belong to a hook call.
        let caller = EffectCaller::new(CallId(0), name);
        let result = script
            .run(arguments.clone(), &effects, caller, context.cancel(), self.timeout_ms)
            .map_err(|failure| format!("script error: {}", failure_text(&failure)))?;
        if let Some(script) = &self.verify {
            let done = json!({"name": name, "args": arguments, "arguments": arguments.to_string(), "result": result});
            let verdict = verify::run(script, done, context.turn, name)?;
            if !verdict.is_verified {
                return Err(format!("verification failed: {}", verdict.reason).into());
            }
        }
        Ok(result)
    }
}
