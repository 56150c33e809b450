//! Starting programs, bounded in time and output.
//!
//! This is the one place of the workspace that starts a process. Every program gets a process group of its own. When
//! the program ends, or its time is up, the whole group is killed, so that no descendant outlives the call; and pipes
//! that an escaped descendant still holds are not waited for. One thread does it all: it polls the pipes and the exit,
//! so nothing is left behind that could leak.

mod pipes;
mod watch;

use std::fmt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pintle_contract::Cancel;
use rustix::process::{Pid, Signal, kill_process_group};

use pipes::Pipes;
use watch::Watch;

/// What to run and what it may use.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The program: a path, or a name to be found on `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The working directory; `None` is this process's own.
    pub directory: Option<PathBuf>,
    /// The environment it sees.
    pub environment: Environment,
    /// What it reads; empty closes its input at once.
    pub stdin: Vec<u8>,
    /// How long it may run.
    pub timeout_ms: u64,
    /// How much of each of its two outputs is kept; the rest is read and dropped.
    pub output_bytes: usize,
}

impl Spec {
    /// A program with its arguments, 30 seconds, and 1 MiB of each output.
    pub fn new(program: impl Into<String>, arguments: Vec<String>) -> Self {
        Self {
            program: program.into(),
            arguments,
            directory: None,
            environment: Environment::default(),
            stdin: Vec::new(),
            timeout_ms: 30_000,
            output_bytes: 1 << 20,
        }
    }
}

/// The environment a program sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Environment {
    /// This process's own.
    #[default]
    Inherited,
    /// This process's own without what looks like a secret: names that end in `KEY`, `TOKEN`, `SECRET`, `PASSWORD` or
    /// `CREDENTIALS`.
    WithoutSecrets,
    /// These variables and no others.
    Only(Vec<(String, String)>),
}

/// What a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained.
    pub stderr: Vec<u8>,
    /// Its exit code; `None` when a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether its time was up.
    pub timed_out: bool,
    /// Whether an output was longer than what was kept.
    pub truncated: bool,
    /// How long it ran.
    pub duration_ms: u64,
}

impl Output {
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
/// [`Output`] that says so.
pub fn run(spec: &Spec, cancel: &Cancel) -> Result<Output, ProcessError> {
    let start = |fault: std::io::Error| match fault.kind() {
        std::io::ErrorKind::NotFound if spec.directory.as_ref().is_none_or(|directory| directory.is_dir()) => {
            ProcessError::Missing { program: spec.program.clone() }
        }
        _ => ProcessError::Start { program: spec.program.clone(), fault },
    };
    let began = Instant::now();
    let mut child = command(spec).spawn().map_err(start)?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let kill = || {
        if let Some(group) = group {
            // The group is there as long as its leader is not reaped, so this cannot hit a stranger. A group that has
            // nobody left to kill is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    };
    let watched = Pipes::of(&mut child, spec).and_then(|mut pipes| {
        let watch = Watch::new(&child)?;
        let end = wait(&mut pipes, &watch, began, spec, cancel)?;
        kill();
        pipes.drain();
        Ok((pipes, end))
    });
    kill();
    let status = child.wait();
    let (pipes, end) = watched.map_err(start)?;
    let status = status.map_err(start)?;
    match end {
        End::Cancelled => Err(ProcessError::Cancelled),
        End::Exited | End::Deadline => Ok(output(pipes, status, end == End::Deadline, began)),
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Exited,
    Deadline,
    Cancelled,
}

fn wait(pipes: &mut Pipes, watch: &Watch, began: Instant, spec: &Spec, cancel: &Cancel) -> std::io::Result<End> {
    let allowed = Duration::from_millis(spec.timeout_ms);
    loop {
        if cancel.is_cancelled() {
            return Ok(End::Cancelled);
        }
        let Some(left) = allowed.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) else {
            return Ok(End::Deadline);
        };
        pipes.wait(watch, left)?;
        pipes.transfer();
        if watch.has_exited()? {
            return Ok(End::Exited);
        }
    }
}

fn command(spec: &Spec) -> Command {
    use std::os::unix::process::CommandExt;

    let mut command = Command::new(&spec.program);
    command.args(&spec.arguments).process_group(0);
    command.stdin(if spec.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(directory) = &spec.directory {
        command.current_dir(directory);
    }
    match &spec.environment {
        Environment::Inherited => {}
        Environment::WithoutSecrets => {
            for (name, _) in std::env::vars_os() {
                if name.to_str().is_none_or(is_secret) {
                    command.env_remove(name);
                }
            }
        }
        Environment::Only(variables) => {
            command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
        }
    }
    command
}

/// Whether a variable of this name is kept from programs by [`Environment::WithoutSecrets`].
#[must_use]
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS"].iter().any(|ending| name.ends_with(ending))
}

fn output(pipes: Pipes, status: ExitStatus, timed_out: bool, began: Instant) -> Output {
    use std::os::unix::process::ExitStatusExt;

    let truncated = pipes.truncated();
    let (stdout, stderr) = pipes.into_outputs();
    Output {
        stdout,
        stderr,
        exit_code: status.code(),
        signal: status.signal(),
        timed_out,
        truncated,
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests;
