//! One process for one call.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pintle_contract::{CallLimits, CancelToken, Codec, CommandOutput, CommandSpec, Failure, FailureKind, HookCall};

use crate::process::{self, Environment, ProcessError, Spec};
use crate::surroundings::Surroundings;

/// The shell when the hook's author names none, whatever the user's own shell is.
const SHELL: &str = "/bin/sh";

/// What a hook runs.
#[derive(Debug)]
pub(crate) struct Program {
    spec: CommandSpec,
    surroundings: Surroundings,
}

/// Where and with which variables it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The directory; `None` is this process's own.
    directory: Option<PathBuf>,
    environment: Environment,
    /// The variables of the dialect among them, which the arguments of a program without a shell may name.
    named: Vec<(String, String)>,
}

impl Program {
    pub(super) fn new(spec: CommandSpec) -> Self {
        let CommandSpec { environment, directory, expands, .. } = &spec;
        let surroundings =
            Surroundings { variables: environment.clone(), directory: directory.clone(), expands: *expands };
        Self { spec, surroundings }
    }

    /// Where a call runs, and what its author should know about that.
    pub(super) fn place(&self, call: &HookCall<'_>, codec: &dyn Codec) -> (Place, Option<String>) {
        let cwd = &call.event.origin.cwd;
        let place = match &self.spec.directory {
            // A session without a directory of its own is where this process is.
            Some(_) if cwd.is_empty() => {
                let own = std::env::current_dir().unwrap_or_default();
                self.surroundings.directory(&own.to_string_lossy())
            }
            _ => self.surroundings.directory(cwd),
        };
        let named = codec.environment(call.event, &call.hook.event_alias);
        let environment = match self.surroundings.variables.is_empty() && named.is_empty() {
            true => Environment::Inherited,
            // The author's own come last, so that they win.
            false => Environment::With(named.iter().cloned().chain(self.surroundings.variables()).collect()),
        };
        (Place { directory: place.directory, environment, named }, place.doubt)
    }

    /// What is to be started for a call.
    pub(crate) fn spec(&self, place: &Place, stdin: Arc<[u8]>, limits: &CallLimits) -> Spec {
        let mut spec = match &self.spec.arguments {
            None => {
                let shell = self.spec.shell.as_deref().unwrap_or(SHELL);
                Spec::new(shell, vec![String::from("-c"), self.spec.command.clone()])
            }
            Some(arguments) => {
                let arguments = arguments.iter().map(|argument| filled(argument, &place.named)).collect();
                Spec::new(filled(&self.spec.command, &place.named), arguments)
            }
        };
        spec.directory.clone_from(&place.directory);
        spec.environment = place.environment.clone();
        spec.stdin = stdin;
        spec.timeout_ms = limits.timeout_ms;
        spec.output_bytes = usize::try_from(limits.output_bytes).unwrap_or(usize::MAX);
        spec.sandbox = self.spec.sandbox.unwrap_or_default();
        spec
    }
}

/// `${NAME}` of the dialect's variables replaced: there is no shell that would do it.
fn filled(text: &str, named: &[(String, String)]) -> String {
    let fill = |text: String, (name, value): &(String, String)| match text.contains("${") {
        true => text.replace(&format!("${{{name}}}"), value),
        false => text,
    };
    named.iter().fold(text.to_owned(), fill)
}

/// Runs a program to its end.
///
/// # Errors
/// When it gives no answer. `limits` names the time it was given.
pub(crate) fn run(spec: &Spec, limits: &CallLimits, cancel: &CancelToken) -> Result<CommandOutput, Failure> {
    let output = process::run(spec, cancel).map_err(|fault| failure(&fault, spec.directory.as_deref()))?;
    if output.timed_out {
        return Err(late(limits));
    }
    Ok(CommandOutput {
        exit_code: output.exit_code,
        signal: output.signal,
        stdout: output.stdout,
        stdout_cut: output.stdout_cut,
        stderr: output.stderr,
        stderr_cut: output.stderr_cut,
    })
}

/// The failure of a program that was too slow.
pub(crate) fn late(limits: &CallLimits) -> Failure {
    let time = Duration::from_millis(limits.timeout_ms);
    let time = match (limits.timeout_ms, time.subsec_millis()) {
        (..1000, _) => format!("{} ms", limits.timeout_ms),
        (_, 0) => format!("{} s", time.as_secs()),
        _ => format!("{} s", time.as_secs_f64()),
    };
    Failure::new(FailureKind::Timeout, format!("timed out after {time}"))
}

/// The failure of a program that could not be run.
fn failure(fault: &ProcessError, directory: Option<&Path>) -> Failure {
    let kind = match fault {
        ProcessError::Missing { .. } => FailureKind::Missing,
        ProcessError::Start { .. } => FailureKind::Error,
        ProcessError::Cancelled => FailureKind::Cancelled,
    };
    match (fault, directory) {
        (ProcessError::Start { .. }, Some(directory)) if !directory.is_dir() => Failure::new(
            FailureKind::Missing,
            format!("the working directory `{}` is not there; create it or name another", directory.display()),
        ),
        (ProcessError::Cancelled, _) => Failure::new(kind, "the call was cancelled"),
        _ => Failure::new(kind, fault.to_string()),
    }
}
