//! `script`: shell commands as tools.
//!
//! Each declared argument becomes an environment variable of the command, and no other argument does: a name that the
//! model makes up must not become `PATH` or `LD_PRELOAD`.

use std::sync::Arc;

use pintle_host::contract::ScriptToolSpec;
use serde_json::Value;

use super::expand;
use super::set::Toolset;
use crate::model::ModelTool;
use crate::tools::native::{CommandShell, ToolCommand, failure_status, output_text};
use crate::turn_context::{Tool, ToolContext, ToolError};

/// The number of bytes of the output that are kept, from its beginning.
const OUTPUT_BYTES: usize = 1 << 20;

/// The default time limit of one run.
const TIMEOUT_MS: u64 = 60_000;

#[derive(Debug)]
struct CommandTool {
    definition: ModelTool,
    spec: ScriptToolSpec,
    environment: Vec<(String, String)>,
}

pub(super) fn open(specs: &[ScriptToolSpec]) -> Toolset {
    let tool = |spec: &ScriptToolSpec| -> Arc<dyn Tool> {
        let description = if spec.description.is_empty() {
            format!("Runs a shell command: {}", spec.command)
        } else {
            spec.description.clone()
        };
        Arc::new(CommandTool {
            definition: ModelTool { name: spec.name.clone(), description, parameters: spec.parameters.clone() },
            environment: expand::expand_all(&spec.environment),
            spec: spec.clone(),
        })
    };
    Toolset { tools: specs.iter().map(tool).collect(), ..Toolset::default() }
}

impl Tool for CommandTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn category(&self) -> Option<&str> {
        Some("shell")
    }

    fn call(&self, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError> {
        let mut variables = self.environment.clone();
        variables.extend(self.variables(arguments)?);
        let command = ToolCommand {
            line: &self.spec.command,
            directory: self.spec.directory.as_deref().unwrap_or_default(),
            shell: CommandShell::Posix,
            variables: &variables,
            timeout_ms: self.spec.timeout_ms.unwrap_or(TIMEOUT_MS),
            output_bytes: OUTPUT_BYTES,
        };
        let output = command.run(context)?;
        let (text, what) = (output_text(&output, OUTPUT_BYTES), &self.spec.name);
        match failure_status(&output) {
            _ if output.timed_out => {
                let limit_ms = command.timeout_ms;
                Err(format!("`{what}` did not end within {limit_ms} ms and was killed\nOutput: {text}").into())
            }
            Some(failure) => Err(format!("Error executing command '{what}': {failure}\nOutput: {text}").into()),
            None => Ok(Value::String(text)),
        }
    }
}

impl CommandTool {
    /// The declared arguments as variables. Strings are passed verbatim, other values as JSON.
    fn variables(&self, arguments: &Value) -> Result<Vec<(String, String)>, String> {
        let declared = self.definition.parameters.get("properties").and_then(Value::as_object);
        let mut variables = Vec::new();
        for name in declared.into_iter().flat_map(|declared| declared.keys()) {
            let value = match arguments.get(name) {
                None | Some(Value::Null) => continue,
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            if value.contains('\0') {
                return Err(format!("argument `{name}` contains a NUL character, which a variable cannot"));
            }
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(format!("argument `{name}` cannot be a variable; rename it in the declaration"));
            }
            variables.push((name.clone(), value));
        }
        Ok(variables)
    }
}
