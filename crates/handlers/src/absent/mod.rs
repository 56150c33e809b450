//! What stands for the kinds of handler that this build does without.

use pintle_contract::{BuiltHandler, Diagnostic, HandlerSpec, HookDeclaration, Location};

use crate::hook_input::may_deny;

/// Refuses a declaration whose kind of handler is not built in.
pub(crate) fn build(declaration: &HookDeclaration, handler: &HandlerSpec) -> BuiltHandler {
    let feature = match handler {
        HandlerSpec::Command(_) => "commands",
        HandlerSpec::Http(_) => "http",
        HandlerSpec::Model(_) => "models",
        _ => "script",
    };
    let diagnostics = vec![missing_feature(&declaration.name, feature, &declaration.location)];
    BuiltHandler { guard: may_deny(declaration), diagnostics, ..BuiltHandler::default() }
}

/// The error of a hook that needs a feature.
pub(crate) fn missing_feature(name: &str, feature: &str, location: &Location) -> Diagnostic {
    if !cfg!(unix) && feature == "commands" {
        let message = format!("`{name}` needs the feature `{feature}`, which Pintle does not have on this system yet");
        let help = String::from("use a script or a pack, or run the agent on Linux or macOS (WSL on Windows)");
        return Diagnostic::error("unsupported_system", message, location.clone()).help(help);
    }
    let message = format!("`{name}` needs the feature `{feature}`, which is not built into this program");
    let help = format!("add it to the program's dependency: `pintle = {{ features = [\"{feature}\"] }}`");
    Diagnostic::error("missing_feature", message, location.clone()).help(help)
}
