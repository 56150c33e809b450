//! Command hooks: shell text that reads the event as JSON and answers with an exit code and output.

mod detached;
mod handler;
mod one_shot;

use std::sync::Arc;

use pintle_contract::{BuiltHandler, CommandSpec, Diagnostic, FailurePolicy, Handler, HookDeclaration};
use pintle_shell::required_programs;

use crate::hook_input::may_deny;
use crate::persistent::PersistentProcess;
use crate::sandbox;
use detached::DetachedCommandHandler;
use handler::{CommandHandler, NeededPrograms};
pub(crate) use one_shot::{CommandEnvironment, HookCommand, run_to_end, timeout_failure};

/// Builds the handler of a declaration.
///
/// A command counts as a guard if its event can be blocked or its dialect denies when it fails: its verdicts are not
/// known before it runs. If it denies when it fails, it also needs the programs that its script runs: a script that goes on
/// without one has not looked at the call. A background command is never a guard. A sandbox that this system does not support is an
/// error.
pub(crate) fn build(declaration: &HookDeclaration, spec: &CommandSpec) -> BuiltHandler {
    let guard = may_deny(declaration);
    if let Some(Err(reason)) = spec.sandbox.map(sandbox::check) {
        let diagnostic = Diagnostic::error("no_sandbox", reason, declaration.location.clone());
        return BuiltHandler { guard, diagnostics: vec![diagnostic], ..BuiltHandler::default() };
    }
    let program = Arc::new(HookCommand::new(spec.clone()));
    let codec = Arc::clone(&declaration.codec);
    if declaration.background {
        let handler: Arc<dyn Handler> =
            Arc::new(DetachedCommandHandler { program, codec, running_count: Arc::default() });
        return BuiltHandler { handler: Some(handler), guard, ..BuiltHandler::default() };
    }
    let worker = spec.keep.then(|| PersistentProcess::new(Arc::clone(&program)));
    let is_closed = declaration.on_error.unwrap_or(declaration.default_on_error) == FailurePolicy::Closed;
    let is_script = spec.arguments.is_none() && spec.shell.is_none();
    let needed = if guard && is_closed && is_script { required_programs(&spec.command) } else { Vec::new() };
    let needed = NeededPrograms::new(needed);
    let handler: Arc<dyn Handler> = Arc::new(CommandHandler { program, persistent_process: worker, codec, needed });
    BuiltHandler { handler: Some(handler), guard, ..BuiltHandler::default() }
}
