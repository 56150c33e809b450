//! The built-in hooks of Pintle.
//!
//! A built-in reads the event directly and returns a verdict, without JSON text in between and without copying unused
//! parts of the payload. To add one, add a file here and an entry in [`table`].

mod add_context;
mod add_date;
mod add_directory_listing;
mod add_environment_info;
mod add_git_diff;
mod add_git_status;
mod add_prompt_files;
mod add_recent_commits;
mod add_user_info;
mod call;
mod elide_repeated_tool_results;
mod excerpt;
mod git;
mod handle_large_tool_output;
mod handler;
#[cfg(not(feature = "http"))]
#[path = "../absent/http_builtin.rs"]
mod http_builtin;
#[cfg(feature = "http")]
mod http_post;
mod large_results;
mod limit_large_tool_results;
mod max_iterations;
mod pack;
mod redact_secrets;
mod safer_shell;
mod snapshot;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod time_zone;
#[cfg(feature = "http")]
mod unload;

use std::fmt::Debug;
use std::sync::Arc;

#[cfg(not(feature = "http"))]
use http_builtin::{self as http_post, self as unload};
use pintle_contract::{
    BuiltHandler, BuiltinSpec, CallReads, Diagnostic, Effect, HookDeclaration, Redactor, Verdict, suggest_nearest,
};

pub(crate) use call::BuiltinCall;
pub use pack::judge_call;
pub use safer_shell::{CommandSafety, classify_command};
pub(crate) use state::BuiltinState;
pub use table::{BuiltinDef, builtins};

use call::BuiltinConfig;
use handler::BuiltinHandler;

/// A built-in hook with its arguments.
pub(crate) trait BuiltinHook: Send + Sync + Debug {
    /// Handles an event.
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict;

    /// As [`Handler::may_wait`](pintle_contract::Handler::may_wait).
    fn may_wait(&self) -> bool {
        false
    }

    /// As [`Handler::needs_order`](pintle_contract::Handler::needs_order). Default: false, since most keep no state.
    fn needs_order(&self) -> bool {
        false
    }

    /// As [`Handler::is_reusable`](pintle_contract::Handler::is_reusable). Default: false.
    fn is_reusable(&self) -> bool {
        false
    }

    /// What it reads of what a call would do, and nothing of it in anybody's words. Default: nothing.
    fn call_reads(&self) -> CallReads {
        CallReads::default()
    }

    /// As [`Handler::redactor`](pintle_contract::Handler::redactor).
    fn redactor(&self) -> Option<Arc<dyn Redactor>> {
        None
    }
}

/// A built-in with its arguments, or the reason why they cannot be used.
pub(crate) type BuiltinResult = Result<Box<dyn BuiltinHook>, String>;

/// Builds the handler of a declaration.
///
/// An unknown name is an error here, whereas docker-agent reports it when the hook fires.
///
/// A built-in that redacts sets the redactor of the state.
pub(crate) fn build(declaration: &HookDeclaration, spec: &BuiltinSpec, state: &Arc<BuiltinState>) -> BuiltHandler {
    let at = || declaration.location.clone();
    let failed = |found: Diagnostic| BuiltHandler { diagnostics: vec![found], ..BuiltHandler::default() };
    let Some(def) = builtins().iter().find(|def| def.name == spec.name) else {
        let found = Diagnostic::error("unknown_builtin", format!("unknown built-in `{}`", spec.name), at());
        let near = suggest_nearest(&spec.name, builtins().iter().map(|def| def.name));
        return failed(match near {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help(format!("the built-ins are {}", quote_names(builtins().iter().map(|def| def.name)))),
        });
    };
    let mut doubts = Vec::new();
    let builtin = match (def.make)(&spec.arguments, &mut doubts) {
        Ok(builtin) => builtin,
        Err(reason) => {
            return failed(Diagnostic::error("bad_builtin_argument", format!("{}: {reason}", def.name), at()));
        }
    };
    let mut diagnostics: Vec<Diagnostic> = doubts
        .into_iter()
        .map(|doubt| Diagnostic::warning("bad_builtin_argument", format!("{}: {doubt}", def.name), at()))
        .collect();
    if !def.events.is_empty() && !def.events.contains(&declaration.event.kind()) {
        let message = format!("`{}` has no effect on `{}`", def.name, declaration.event);
        let help = format!("it belongs on {}", quote_names(def.events.iter().map(|kind| kind.name())));
        diagnostics.push(Diagnostic::warning("builtin_without_effect", message, at()).help(help));
    }
    if let Some(own) = builtin.redactor() {
        state.redactor.get_or_init(|| own);
    }
    let setup = BuiltinConfig::new(declaration, spec, Arc::clone(state));
    let handler = BuiltinHandler { builtin, setup, has_side_effects: !def.side_effects.is_empty() };
    BuiltHandler { handler: Some(Arc::new(handler)), guard: def.can_deny, diagnostics, ..BuiltHandler::default() }
}

/// Names in backticks, separated by commas.
fn quote_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A verdict with context for the model, if there is any.
fn context_verdict(text: Option<String>) -> Verdict {
    match text {
        Some(text) => Verdict::pass().with_effect(Effect::Context(text)),
        None => Verdict::pass(),
    }
}

/// Warns about arguments of a built-in that takes none.
fn doubt_arguments(arguments: &[String], doubts: &mut Vec<String>) {
    if let Some(first) = arguments.first() {
        doubts.push(format!("`{first}` is ignored because this built-in takes no arguments"));
    }
}
