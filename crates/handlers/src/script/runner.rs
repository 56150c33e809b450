//! A script, wherever it runs.

use std::sync::Arc;

use pintle_contract::{Diagnostic, Failure, Payload, ScriptAnswer, ScriptText, Severity};
use pintle_script::worker::{Program, Report, Work};
use pintle_script::{Invocation, Placement, Role, Script, compile};
use serde_json::Value;

use super::apart::{Apart, out_of_turn};
use crate::isolate::Pool;

/// A script that is ready to be called.
#[derive(Debug)]
pub(super) enum Runner {
    /// In this process.
    Here(Arc<Script>),
    /// In a worker.
    Apart(Apart),
}

/// A script as loaded.
#[derive(Debug)]
pub(super) struct Loaded {
    /// The script, absent when there is an error.
    pub(super) runner: Option<Runner>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) guard: bool,
}

/// Loads a script where it belongs. Tools run apart whatever they do: they are long, and written by anyone.
pub(super) fn load(pool: &Arc<Pool>, name: &str, text: &ScriptText, role: Role) -> Loaded {
    let compiled = compile(name, text, role);
    let guard = compiled.guard;
    if has_error(&compiled.diagnostics) {
        return Loaded { runner: None, diagnostics: compiled.diagnostics, guard };
    }
    if role == Role::Hook
        && compiled.placement == Placement::InProcess
        && let Some(script) = compiled.script
    {
        return Loaded { runner: Some(Runner::Here(script)), diagnostics: compiled.diagnostics, guard };
    }
    let program = Program::Script { name: name.to_owned(), text: text.text.to_string(), role };
    let apart = Apart::new(pool, name, text, program);
    // A script that could be loaded here has been, so a worker survives it too.
    let diagnostics = if compiled.placement == Placement::InProcess { compiled.diagnostics } else { apart.load() };
    let runner = (!has_error(&diagnostics)).then_some(Runner::Apart(apart));
    Loaded { runner, diagnostics, guard }
}

pub(super) fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

impl Runner {
    /// Calls `handle(event, payload)`.
    pub(super) fn handle(
        &self,
        event: &str,
        payload: &Payload,
        invocation: &Invocation<'_>,
    ) -> Result<ScriptAnswer, Failure> {
        match self {
            Self::Here(script) => script.handle(event, payload, invocation),
            Self::Apart(apart) => {
                let limits = *invocation.limits;
                let work = Work::Handle { event: event.to_owned(), payload: payload.value().clone(), limits };
                match apart.perform(work, invocation)? {
                    Report::Answered(said) => Ok(said.into()),
                    _ => Err(out_of_turn()),
                }
            }
        }
    }

    /// Calls `run(argument)`.
    pub(super) fn run(&self, argument: Value, invocation: &Invocation<'_>) -> Result<Value, Failure> {
        match self {
            Self::Here(script) => script.run(&argument, invocation),
            Self::Apart(apart) => {
                match apart.perform(Work::Run { argument, limits: *invocation.limits }, invocation)? {
                    Report::Returned(value) => Ok(value),
                    _ => Err(out_of_turn()),
                }
            }
        }
    }

    /// Whether a call waits for another process.
    pub(super) fn is_apart(&self) -> bool {
        matches!(self, Self::Apart(_))
    }
}
