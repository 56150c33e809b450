//! Hooks that Pintle brings along.

use pintle_contract::{BuiltHandler, BuiltinSpec, Diagnostic, HookDeclaration};

/// Builds the handler of a declaration.
pub(crate) fn build(declaration: &HookDeclaration, _spec: &BuiltinSpec) -> BuiltHandler {
    let finding = Diagnostic::error("not_supported", "not there yet", declaration.location.clone());
    BuiltHandler { diagnostics: vec![finding], ..BuiltHandler::default() }
}
