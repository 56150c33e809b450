//! A pool of script workers: processes that may crash, with a line protocol.
//!
//! A worker is the program's own binary, or one next to it, that limits itself ([`limit_this_process`]) and answers one
//! message at a time. Meanwhile it may send requests: a line that starts with [`ASK`] is a request, to which the host
//! replies with a line; a line that starts with [`ANSWER`] ends the call. Lines contain no newline, which JSON never
//! needs.
//!
//! A worker that times out, crashes or sends an invalid line is killed and removed; the next call gets a new one. Two
//! calls never share a worker, and no worker outlives its pool.

mod limits;
#[cfg_attr(not(unix), path = "../absent/worker_pipes.rs")]
mod pipes;
mod pool;
mod process;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use limits::confine_memory;
pub use limits::limit_this_process;
pub use pool::{ScriptWorkerPool, WorkerCallError};

/// The first byte of a line with a worker's request.
pub const ASK: u8 = b'?';
/// The first byte of a line with a worker's answer to a call.
pub const ANSWER: u8 = b'=';

/// The way to start a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerProgram {
    /// The program.
    pub program: PathBuf,
    /// The arguments.
    pub arguments: Vec<String>,
}

/// The hidden argument that makes the `pintle` program a worker.
pub const WORKER_ARGUMENT: &str = "script-worker";

/// The name of the worker for programs other than `pintle`.
const WORKER_NAME: &str = "pintle-script-worker";

/// Whether this program serves as a worker when it gets [`WORKER_ARGUMENT`].
static SERVES: AtomicBool = AtomicBool::new(false);

/// Makes [`WorkerProgram::find`] return this program.
pub(crate) fn announce_worker() {
    SERVES.store(true, Ordering::Relaxed);
}

impl WorkerProgram {
    /// The command that starts it, in its own process group and with exactly these variables. It still needs its standard
    /// input and output.
    pub(crate) fn command(&self, variables: Vec<(String, String)>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(variables);
        // An error must not cost a backtrace each.
        command.env("RUST_BACKTRACE", "0").stderr(Stdio::null());
        // The allocator of the static program takes a gigabyte of addresses at once, and counts it as used. That is all that
        // a worker may have.
        command.envs([("MIMALLOC_ARENA_RESERVE", "0"), ("MIMALLOC_EAGER_COMMIT", "0")]);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        // Libraries of Windows find each other by it.
        #[cfg(windows)]
        command.envs(std::env::var_os("SystemRoot").map(|dir| ("SystemRoot", dir)));
        command
    }

    /// This program if it serves as a worker, otherwise [`WorkerProgram::next_to_current_exe`].
    #[must_use]
    pub fn find() -> Self {
        if SERVES.load(Ordering::Relaxed) { Self::current_exe() } else { Self::next_to_current_exe() }
    }

    /// This program with the argument [`WORKER_ARGUMENT`], for programs that support it.
    #[must_use]
    pub fn current_exe() -> Self {
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("pintle"));
        Self { program, arguments: vec![WORKER_ARGUMENT.to_owned()] }
    }

    /// The program `pintle-script-worker` in the directory of this program or its parent (where test programs find it),
    /// otherwise the one on the search path.
    #[must_use]
    pub fn next_to_current_exe() -> Self {
        let name = format!("{WORKER_NAME}{}", std::env::consts::EXE_SUFFIX);
        let folders = std::env::current_exe().ok();
        let beside = folders.iter().flat_map(|exe| exe.ancestors().skip(1).take(2)).map(|dir| dir.join(&name));
        let program = beside.into_iter().find(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name));
        Self { program, arguments: Vec::new() }
    }
}
