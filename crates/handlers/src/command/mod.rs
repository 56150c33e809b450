//! Hooks that are programs.

use pintle_contract::{BuiltHandler, CommandSpec, Diagnostic, HookDeclaration};

/// Builds the handler of a declaration.
pub(crate) fn build(declaration: &HookDeclaration, _spec: &CommandSpec) -> BuiltHandler {
    let finding = Diagnostic::error("not_supported", "not there yet", declaration.location.clone());
    BuiltHandler { diagnostics: vec![finding], ..BuiltHandler::default() }
}
