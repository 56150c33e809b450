//! Runs one process for one call, at most until the deadline of the command hook.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pintle_contract::{CallLimits, CancelToken, Codec, CommandOutput, CommandSpec, Failure, FailureKind, HookCall};

use crate::command_context::CommandContext;
use crate::process::{self, ProcessEnvironment, ProcessError, ProcessSpec};

/// The default shell, regardless of the user's own shell.
const SHELL: &str = "/bin/sh";

/// The command of a hook.
#[derive(Debug)]
pub(crate) struct HookCommand {
    spec: CommandSpec,
    context: CommandContext,
}

/// The working directory and the variables of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandEnvironment {
    /// The directory; `None` for this process's own.
    directory: Option<PathBuf>,
    environment: ProcessEnvironment,
    /// The dialect's variables, which the arguments of a program without a shell may use.
    dialect_variables: Vec<(String, String)>,
}

impl CommandEnvironment {
    /// The directories in which the command finds programs.
    pub(super) fn search_path(&self) -> OsString {
        let own = match &self.environment {
            ProcessEnvironment::InheritedAnd(variables) | ProcessEnvironment::Exactly(variables) => {
                variables.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| OsString::from(value))
            }
            ProcessEnvironment::Inherited | ProcessEnvironment::WithoutSecrets => None,
        };
        // Without the variable, shells look here.
        let usual = || OsString::from("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        own.or_else(|| std::env::var_os("PATH")).filter(|path| !path.is_empty()).unwrap_or_else(usual)
    }
}

impl HookCommand {
    pub(super) fn new(spec: CommandSpec) -> Self {
        let CommandSpec { environment, directory, expands, .. } = &spec;
        let surroundings = CommandContext {
            variables: environment.clone(),
            directory: directory.clone(),
            expands_variables: *expands,
        };
        Self { spec, context: surroundings }
    }

    /// The environment of a call, with a warning for its author.
    pub(super) fn resolve_environment(
        &self,
        call: &HookCall<'_>,
        codec: &dyn Codec,
    ) -> (CommandEnvironment, Option<String>) {
        let cwd = &call.event.origin.cwd;
        let place = match &self.spec.directory {
            // A session without a directory uses this process's own.
            Some(_) if cwd.is_empty() => {
                let own = std::env::current_dir().unwrap_or_default();
                self.context.resolve_program_dir(&own.to_string_lossy())
            }
            _ => self.context.resolve_program_dir(cwd),
        };
        let named = codec.environment(call.event, &call.hook.event_alias);
        let environment = match self.context.variables.is_empty() && named.is_empty() {
            true => ProcessEnvironment::Inherited,
            // The author's own variables come last, so that they take precedence.
            false => {
                ProcessEnvironment::InheritedAnd(named.iter().cloned().chain(self.context.environment()).collect())
            }
        };
        (CommandEnvironment { directory: place.directory, environment, dialect_variables: named }, place.warning)
    }

    /// The process to start for a call.
    pub(crate) fn process_spec(
        &self,
        environment: &CommandEnvironment,
        stdin: Arc<[u8]>,
        limits: &CallLimits,
    ) -> ProcessSpec {
        let mut spec = match &self.spec.arguments {
            None => {
                let shell = self.spec.shell.as_deref().unwrap_or(SHELL);
                ProcessSpec::new(shell, vec![String::from("-c"), self.spec.command.clone()])
            }
            Some(arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| expand_variables(argument, &environment.dialect_variables))
                    .collect();
                ProcessSpec::new(expand_variables(&self.spec.command, &environment.dialect_variables), arguments)
            }
        };
        spec.directory.clone_from(&environment.directory);
        spec.environment = environment.environment.clone();
        spec.stdin = stdin;
        spec.timeout_ms = limits.timeout_ms;
        spec.output_bytes = usize::try_from(limits.output_bytes).unwrap_or(usize::MAX);
        spec.sandbox = self.spec.sandbox.unwrap_or_default();
        spec
    }
}

/// Expands `${NAME}` of the dialect's variables, because no shell does it.
fn expand_variables(text: &str, named: &[(String, String)]) -> String {
    let fill = |text: String, (name, value): &(String, String)| match text.contains("${") {
        true => text.replace(&format!("${{{name}}}"), value),
        false => text,
    };
    named.iter().fold(text.to_owned(), fill)
}

/// Runs a program until it ends.
///
/// # Errors
/// When it does not end normally. `limits` contains the hook's timeout.
pub(crate) fn run_to_end(
    spec: &ProcessSpec,
    limits: &CallLimits,
    cancel: &CancelToken,
) -> Result<CommandOutput, Failure> {
    let output = process::run(spec, cancel).map_err(|error| process_failure(&error, spec.directory.as_deref()))?;
    if output.timed_out {
        return Err(timeout_failure(limits));
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

/// The failure of a program that exceeded its time limit.
pub(crate) fn timeout_failure(limits: &CallLimits) -> Failure {
    let time = Duration::from_millis(limits.timeout_ms);
    let time = match (limits.timeout_ms, time.subsec_millis()) {
        (..1000, _) => format!("{} ms", limits.timeout_ms),
        (_, 0) => format!("{} s", time.as_secs()),
        _ => format!("{} s", time.as_secs_f64()),
    };
    Failure::new(FailureKind::Timeout, format!("timed out after {time}"))
}

/// The failure of a program that could not run.
fn process_failure(error: &ProcessError, directory: Option<&Path>) -> Failure {
    let kind = match error {
        // Which program runs is the author's choice.
        ProcessError::Missing { .. } => FailureKind::Missing,
        ProcessError::Start { .. } => FailureKind::NotStarted,
        ProcessError::Cancelled => FailureKind::Cancelled,
    };
    match (error, directory) {
        (ProcessError::Start { .. }, Some(directory)) if !directory.is_dir() => Failure::new(
            kind,
            format!("the working directory `{}` does not exist; create it or name another", directory.display()),
        ),
        (ProcessError::Cancelled, _) => Failure::new(kind, "the call was cancelled"),
        _ => Failure::new(kind, error.to_string()),
    }
}
