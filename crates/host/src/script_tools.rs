//! Tools and verifications that are scripts.

use pintle_contract::{Diagnostic, ScriptSource, ToolSpec};
use pintle_handlers::ScriptTool;

use crate::Runtime;

impl Runtime {
    /// Compiles a tool's script.
    ///
    /// # Errors
    /// With every error in the script.
    pub fn compile_tool(&self, tool: &ToolSpec) -> Result<ScriptTool, Vec<Diagnostic>> {
        self.handler_factory().compile_tool(tool)
    }

    /// Compiles a verify script.
    ///
    /// # Errors
    /// With every error in the script.
    pub fn compile_verifier(&self, owner: &str, script: &ScriptSource) -> Result<ScriptTool, Vec<Diagnostic>> {
        self.handler_factory().compile_verifier(owner, script)
    }
}
