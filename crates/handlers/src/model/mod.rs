//! Hooks that a language model judges.

use std::sync::Arc;

use pintle_contract::{BuiltHandler, Diagnostic, HookDeclaration, Judge, JudgeSpec};

/// Builds the handler of a declaration.
pub(crate) fn build(declaration: &HookDeclaration, _spec: &JudgeSpec, _judge: Option<&Arc<dyn Judge>>) -> BuiltHandler {
    let finding = Diagnostic::error("not_supported", "not there yet", declaration.location.clone());
    BuiltHandler { diagnostics: vec![finding], ..BuiltHandler::default() }
}
