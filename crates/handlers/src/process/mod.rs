//! Starts programs with limits on time and output, and contains all their child processes.
//!
//! Only this module of the workspace starts a program for a hook or a tool. A program has a reliable deadline: the call
//! returns when it is reached, even if another process still holds a pipe open. And it leaves nothing behind: its child
//! processes end with it, whether it succeeded, failed or was stopped.
//!
//! The guarantees:
//!
//! - **Linux, with a launcher.** Programs are started by a launcher: a small process, kept for many calls and used by
//!   one at a time, that is the subreaper of everything that a call starts. A process cannot leave the tree of its
//!   subreaper: not with its own group or session, not by a double fork, an empty environment or closed files. When the
//!   program has ended, the launcher kills and reaps until it has no child left, and then reports the end. It kills
//!   only processes that it started and has not reaped yet, so that it cannot kill an unrelated one. The process that
//!   embeds Pintle is not a subreaper and adopts nothing. When it dies, the launchers end their calls and exit. If
//!   nothing has escaped, all this costs one system call.
//! - **Otherwise** ([`enable_launchers`] was not called, its program is not a launcher, or `/proc` is hidden): the
//!   program has its own process group, which is killed as a whole. A descendant that leaves the group is not waited
//!   for, and may continue to run.
//! - **Not contained:** a process that became another user (`sudo`) cannot be killed; one that kills its launcher
//!   escapes it, and the call fails; one that a system service started on request (`at`, `docker`) never was a
//!   descendant.
//! - **Not on Windows yet**: hooks and MCP servers that are programs do not load there. What Pintle itself starts, such as
//!   git, has a deadline, but its child processes end with it only then.
//!
//! The number of processes is limited only by the system (`ulimit -u` for all users except root, `pids.max` of Pintle's
//! control group). The end is always guaranteed: one system call kills a group, so that no fork escapes it, and
//! processes outside the group are killed repeatedly until none is left.

mod ancestors;
#[cfg(unix)]
mod cancel_pipe;
#[cfg(unix)]
mod exit_watcher;
#[cfg(unix)]
mod launcher;
mod memory;
#[cfg(unix)]
mod pipes;
#[cfg(not(unix))]
mod plain;
#[cfg(unix)]
mod reexec;
#[cfg(unix)]
mod spawn;
#[cfg(unix)]
mod supervise;
mod variables;

use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
#[cfg(unix)]
use std::time::{Duration, Instant};

use pintle_contract::{CancelToken, SandboxSpec};

pub use ancestors::{AncestorProcess, list_ancestors};
pub(crate) use memory::data_bytes;
#[cfg(not(unix))]
pub use plain::{enable_launchers, hide_secrets, run_streaming};
#[cfg(not(unix))]
pub(crate) use plain::{is_launcher, run_as_supervisor, serve};
pub use variables::{all_variables, base_variables, harmless_variables, hold_variables, variable};
#[cfg(unix)]
pub(crate) use {
    cancel_pipe::CancelPipe,
    launcher::{is_launcher, serve},
    pipes::poll_fds,
    spawn::RunningProcess,
    supervise::{SupervisionEnd, end_supervised, run_if_asked as run_as_supervisor, supervised_command as supervised},
};
#[cfg(unix)]
pub use {launcher::enable_launchers, reexec::hide_secrets};

/// The program to run, with its limits.
#[derive(Debug, Clone)]
pub struct ProcessSpec {
    /// The program: a path, or a name to be found on `PATH`.
    pub program: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// The working directory; `None` is this process's own.
    pub directory: Option<PathBuf>,
    /// The environment.
    pub environment: ProcessEnvironment,
    /// The standard input, which can be shared; empty closes the input immediately.
    pub stdin: Arc<[u8]>,
    /// The time limit.
    pub timeout_ms: u64,
    /// The most bytes of each output that are kept; the rest is read and dropped.
    pub output_bytes: usize,
    /// The sandbox limits.
    pub sandbox: SandboxSpec,
}

impl ProcessSpec {
    /// A program with its arguments, 30 seconds, 1 MiB of each output, and no sandbox.
    pub fn new(program: impl Into<String>, arguments: Vec<String>) -> Self {
        Self {
            program: program.into(),
            arguments,
            directory: None,
            environment: ProcessEnvironment::default(),
            stdin: Arc::default(),
            timeout_ms: 30_000,
            output_bytes: 1 << 20,
            sandbox: SandboxSpec::default(),
        }
    }
}

/// The environment of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ProcessEnvironment {
    /// This process's own variables.
    #[default]
    Inherited,
    /// This process's own variables and these, which take precedence.
    InheritedAnd(Vec<(String, String)>),
    /// This process's own variables without those that look like a secret, by name or by value (see
    /// [`is_secret`](crate::secrets::is_secret)).
    WithoutSecrets,
    /// Exactly these variables.
    Exactly(Vec<(String, String)>),
}

impl ProcessEnvironment {
    /// All variables of the program; `None` if it gets exactly this process's own.
    fn explicit_variables(&self) -> Option<Vec<(String, String)>> {
        match self {
            Self::Inherited => variables::is_holding_variables().then(all_variables),
            Self::InheritedAnd(more) => {
                let mut all = all_variables();
                all.retain(|(name, _)| more.iter().all(|(own, _)| own != name));
                all.extend(more.iter().cloned());
                Some(all)
            }
            Self::WithoutSecrets => Some(harmless_variables()),
            Self::Exactly(variables) => Some(variables.clone()),
        }
    }
}

/// The result of running a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessOutput {
    /// The standard output.
    pub stdout: Vec<u8>,
    /// Whether the standard output was truncated.
    pub stdout_cut: bool,
    /// The standard error.
    pub stderr: Vec<u8>,
    /// Whether the standard error was truncated.
    pub stderr_cut: bool,
    /// The exit code; `None` if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it exceeded its time limit.
    pub timed_out: bool,
    /// Whether one of the outputs was truncated.
    pub truncated: bool,
    /// The run time.
    pub duration_ms: u64,
}

impl ProcessOutput {
    /// Whether it exited with code 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.exit_code == Some(0) && !self.timed_out
    }
}

/// The reason why a program did not run to its end.
#[derive(Debug)]
pub enum ProcessError {
    /// The program does not exist.
    Missing {
        /// The requested program.
        program: String,
    },
    /// It could not be started or supervised.
    Start {
        /// The requested program.
        program: String,
        /// The error.
        fault: std::io::Error,
    },
    /// The caller cancelled; the program was killed.
    Cancelled,
}

impl ProcessError {
    fn start_error(spec: &ProcessSpec, error: std::io::Error) -> Self {
        let program = spec.program.clone();
        let in_directory = spec.directory.as_ref().is_none_or(|directory| directory.is_dir());
        match in_directory && pintle_files::is_absent(&error) {
            true => Self::Missing { program },
            false => Self::Start { program, fault: error },
        }
    }
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { program } => write!(f, "program `{program}` not found; install it or give its full path"),
            Self::Start { program, fault: error } => write!(f, "cannot run `{program}`: {error}"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for ProcessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { fault: error, .. } => Some(error),
            Self::Missing { .. } | Self::Cancelled => None,
        }
    }
}

/// Runs a program to its end, its deadline or its cancellation, whichever is first.
///
/// # Errors
/// When the program cannot be started, or the call is cancelled. A program that fails or times out is reported in the
/// [`ProcessOutput`].
pub fn run(spec: &ProcessSpec, cancel: &CancelToken) -> Result<ProcessOutput, ProcessError> {
    run_streaming(spec, cancel, &mut |_| {})
}

/// The command to start, without its pipes, its limits and its process group: for programs that one talks to while they
/// run. [`run`] runs a program to its end.
pub fn build_command(spec: &ProcessSpec) -> Command {
    let mut command = Command::new(&spec.program);
    command.args(&spec.arguments);
    if let Some(directory) = &spec.directory {
        command.current_dir(directory);
    }
    if let Some(variables) = spec.environment.explicit_variables() {
        command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
    }
    command
}

/// As [`run`], with an observer that gets all output so far, each time there may be more.
///
/// # Errors
/// As for [`run`].
#[cfg(unix)]
pub fn run_streaming(
    spec: &ProcessSpec,
    cancel: &CancelToken,
    seen: &mut dyn FnMut(&[u8]),
) -> Result<ProcessOutput, ProcessError> {
    let began = Instant::now();
    let fail = |error| ProcessError::start_error(spec, error);
    let cancelled = CancelPipe::new(cancel).map_err(fail)?;
    let mut started = RunningProcess::spawn(spec).map_err(fail)?;
    let mut reason = WaitResult::Exited;
    let ended = loop {
        if cancel.is_cancelled() {
            reason = WaitResult::Cancelled;
            break started.kill();
        }
        let allowed = Duration::from_millis(spec.timeout_ms);
        let Some(left) = allowed.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) else {
            reason = WaitResult::Deadline;
            break started.kill();
        };
        // An error drops the started program, which ends it.
        let ended = started.wait(cancel.limit_wait(left), Some(&cancelled)).map_err(fail)?;
        seen(started.pipes_mut().printed_bytes());
        if let Some(ended) = ended {
            break Ok(ended);
        }
    };
    if reason == WaitResult::Cancelled {
        started.pipes_mut().drain();
        seen(started.pipes_mut().printed_bytes());
        return Err(ProcessError::Cancelled);
    }
    let ended = ended.map_err(fail)?;
    Ok(started.into_output(ended, reason == WaitResult::Deadline, began))
}

/// The reason why a wait ended.
#[cfg(unix)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitResult {
    Exited,
    Deadline,
    Cancelled,
}

#[cfg(test)]
mod tests;
