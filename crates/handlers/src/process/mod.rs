//! Starting programs, bounded in time and output, with everything they start.
//!
//! This is the one place of the workspace that starts a program for a hook or a tool. A program has a deadline that is
//! true: the call returns when it is reached, whoever still holds a pipe. And it leaves nothing behind: what it
//! started ends with it, whether it succeeded, failed or was stopped.
//!
//! What is guaranteed where:
//!
//! - **Linux, with a launcher.** Programs are started by a launcher: a small process, kept for many calls and used by
//!   one at a time, that is the subreaper of all that a call starts. A process cannot leave the tree of its
//!   subreaper: not with a group or a session of its own, not by a double fork, an empty environment or closed files.
//!   When the program has ended, the launcher kills and reaps until it has no child left, and then says so. It kills
//!   only what it started and has not reaped yet, so that it cannot hit a stranger. The process that embeds
//!   Pintle is no subreaper and adopts nobody. When it dies, the launchers end their calls and follow it. When nothing has
//!   escaped, all this costs one system call.
//! - **Anywhere else** ([`enable_launchers`] was not called, its program is no launcher, or `/proc` hides it): the program has a process group of
//!   its own, which is killed as one. A descendant that leaves the group is not waited for, but it may live on.
//! - **Not held anywhere:** a process that became another user (`sudo`) is not ours to kill; one that kills its launcher
//!   escapes it, and the call fails; one that a service of the machine started on request (`at`, `docker`) was never
//!   below us.
//!
//! The number of tasks is bounded by the machine's own limits (`ulimit -u` for everybody but root, `pids.max` of the
//! control group Pintle runs in). What holds everywhere is the end: a group is killed in one system call that no
//! fork slips through, and those outside it are killed in turns until none is left.

mod exit_watcher;
mod launcher;
mod memory;
mod pipes;
mod reexec;
mod spawn;
mod supervise;
mod variables;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pintle_contract::{CancelToken, SandboxSpec};

pub use launcher::enable_launchers;
pub(crate) use launcher::{is_launcher, serve};
pub(crate) use memory::data_bytes;
pub use reexec::hide_secrets;
pub(crate) use spawn::{RunningProcess, build_command};
pub(crate) use supervise::{
    SupervisionEnd, end_supervised, run_if_asked as run_as_supervisor, supervised_command as supervised,
};
pub use variables::{all_variables, base_variables, harmless_variables, hold_variables, variable};

/// What to run and what it may use.
#[derive(Debug, Clone)]
pub struct ProcessSpec {
    /// The program: a path, or a name to be found on `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The working directory; `None` is this process's own.
    pub directory: Option<PathBuf>,
    /// The environment it sees.
    pub environment: ProcessEnvironment,
    /// What it reads, shared with whoever else reads it; empty closes its input at once.
    pub stdin: Arc<[u8]>,
    /// How long it may run.
    pub timeout_ms: u64,
    /// How much of each of its two outputs is kept; the rest is read and dropped.
    pub output_bytes: usize,
    /// What it is kept from.
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

/// The environment a program sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ProcessEnvironment {
    /// This process's own.
    #[default]
    Inherited,
    /// This process's own and these variables, which replace.
    InheritedAnd(Vec<(String, String)>),
    /// This process's own without what looks like a secret, by name or by value (see [`is_secret`](crate::secrets::is_secret)).
    WithoutSecrets,
    /// These variables and no others.
    Exactly(Vec<(String, String)>),
}

impl ProcessEnvironment {
    /// All variables that the program is given; `None` when it is given what this process has, to the last byte.
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

/// What a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessOutput {
    /// What it printed.
    pub stdout: Vec<u8>,
    /// Whether it printed more than what was kept.
    pub stdout_cut: bool,
    /// What it complained.
    pub stderr: Vec<u8>,
    /// Whether it complained more than what was kept.
    pub stderr_cut: bool,
    /// Its exit code; `None` when a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether its time was up.
    pub timed_out: bool,
    /// Whether one of the outputs was longer than what was kept.
    pub truncated: bool,
    /// How long it ran.
    pub duration_ms: u64,
}

impl ProcessOutput {
    /// Whether it ended by itself with code 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.exit_code == Some(0) && !self.timed_out
    }
}

/// Why a program did not run to an end.
#[derive(Debug)]
pub enum ProcessError {
    /// There is no such program.
    Missing {
        /// The program as it was asked for.
        program: String,
    },
    /// It could not be started or watched.
    Start {
        /// The program as it was asked for.
        program: String,
        /// Why.
        fault: std::io::Error,
    },
    /// The caller no longer wants the answer; the program was killed.
    Cancelled,
}

impl ProcessError {
    fn start_error(spec: &ProcessSpec, fault: std::io::Error) -> Self {
        let program = spec.program.clone();
        match fault.kind() {
            std::io::ErrorKind::NotFound if spec.directory.as_ref().is_none_or(|directory| directory.is_dir()) => {
                Self::Missing { program }
            }
            _ => Self::Start { program, fault },
        }
    }
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { program } => write!(f, "program `{program}` not found; install it or give its full path"),
            Self::Start { program, fault } => write!(f, "cannot run `{program}`: {fault}"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for ProcessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { fault, .. } => Some(fault),
            Self::Missing { .. } | Self::Cancelled => None,
        }
    }
}

/// Runs a program to its end, its deadline or its cancellation, whichever is first.
///
/// # Errors
/// When the program cannot be started, or the call is cancelled. A program that fails or is too slow is an
/// [`ProcessOutput`] that says so.
pub fn run(spec: &ProcessSpec, cancel: &CancelToken) -> Result<ProcessOutput, ProcessError> {
    run_streaming(spec, cancel, &mut |_| {})
}

/// The same, with somebody who sees all that the program has printed so far, each time there may be more of it.
///
/// # Errors
/// As for [`run`].
pub fn run_streaming(
    spec: &ProcessSpec,
    cancel: &CancelToken,
    seen: &mut dyn FnMut(&[u8]),
) -> Result<ProcessOutput, ProcessError> {
    let began = Instant::now();
    let fail = |fault| ProcessError::start_error(spec, fault);
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
        // A fault drops what was started, which ends it.
        let ended = started.wait(left).map_err(fail)?;
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

/// Why a wait was over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitResult {
    Exited,
    Deadline,
    Cancelled,
}

#[cfg(test)]
mod tests;
