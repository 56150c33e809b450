//! A program that was started, here or by a launcher.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pintle_contract::SandboxSpec;
use rustix::process::{Pid, Signal, kill_process_group};

use super::exit_watcher::ExitWatcher;
use super::launcher::LaunchedProcess;
use super::pipes::{ChildEnds, ParentEnds, ProcessPipes};
use super::{ProcessOutput, ProcessSpec};
use crate::sandbox;

/// How long a wait may be before one has to look up for cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A program that runs, and our ends of its pipes. Dropping it ends the program and what it started.
#[derive(Debug)]
pub(crate) struct RunningProcess {
    pipes: ProcessPipes,
    running: ProcessBackend,
}

#[derive(Debug)]
enum ProcessBackend {
    Local(LocalChild),
    Launched(LaunchedProcess),
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessExit {
    /// Its exit code; `None` when a signal ended it.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
}

impl From<ExitStatus> for ProcessExit {
    fn from(status: ExitStatus) -> Self {
        Self { exit_code: status.code(), signal: status.signal() }
    }
}

impl RunningProcess {
    /// Starts a program with its whole input, which is closed behind it.
    pub(crate) fn spawn(spec: &ProcessSpec) -> io::Result<Self> {
        Self::spawn_with(spec, false)
    }

    /// Starts a program whose input stays open.
    pub(crate) fn spawn_with_stdin(spec: &ProcessSpec) -> io::Result<Self> {
        Self::spawn_with(spec, true)
    }

    fn spawn_with(spec: &ProcessSpec, stays: bool) -> io::Result<Self> {
        let has_input = stays || !spec.stdin.is_empty();
        let take = |near| ProcessPipes::new(near, &spec.stdin, stays, spec.output_bytes);
        if let Some((pipes, launched)) = LaunchedProcess::new(spec, has_input, take)? {
            return Ok(Self { pipes, running: ProcessBackend::Launched(launched) });
        }
        let (near, far) = ParentEnds::create_pair(has_input)?;
        Ok(Self { pipes: take(near.set_nonblocking()?), running: ProcessBackend::Local(LocalChild::new(spec, far)?) })
    }

    pub(crate) fn pipes_mut(&mut self) -> &mut ProcessPipes {
        &mut self.pipes
    }

    /// Waits for something to happen, but never long, and tells whether the program has ended. Then nothing that it
    /// started is left either.
    pub(crate) fn wait(&mut self, most: Duration) -> io::Result<Option<ProcessExit>> {
        match &mut self.running {
            ProcessBackend::Local(here) => {
                let most = most.min(here.watch.poll_interval()).min(LOOK_EVERY);
                self.pipes.wait(here.watch.as_fd(), most)?;
                if here.watch.has_exited()? { here.kill_and_reap().map(Some) } else { Ok(None) }
            }
            ProcessBackend::Launched(launched) => {
                self.pipes.wait(launched.as_fd(), most.min(LOOK_EVERY))?;
                launched.try_exit()
            }
        }
    }

    /// Ends the program and what it started.
    pub(crate) fn kill(&mut self) -> io::Result<ProcessExit> {
        match &mut self.running {
            ProcessBackend::Local(here) => here.kill_and_reap(),
            ProcessBackend::Launched(launched) => launched.kill(),
        }
    }

    /// What an ended program printed.
    pub(super) fn into_output(mut self, ended: ProcessExit, timed_out: bool, began: Instant) -> ProcessOutput {
        self.pipes.drain();
        let [(stdout, stdout_cut), (stderr, stderr_cut)] = self.pipes.take_outputs();
        ProcessOutput {
            stdout,
            stdout_cut,
            stderr,
            stderr_cut,
            exit_code: ended.exit_code,
            signal: ended.signal,
            timed_out,
            truncated: stdout_cut || stderr_cut,
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// A program that is a child of this process.
#[derive(Debug)]
struct LocalChild {
    child: Child,
    watch: ExitWatcher,
    is_reaped: bool,
}

impl LocalChild {
    fn new(spec: &ProcessSpec, far: ChildEnds) -> io::Result<Self> {
        let mut child = spawn_in_group(&mut build_command(spec), far, spec.sandbox)?;
        match ExitWatcher::new(&child) {
            Ok(watch) => Ok(Self { child, watch, is_reaped: false }),
            Err(fault) => {
                kill_group(&child);
                let _ = child.wait();
                Err(fault)
            }
        }
    }

    fn kill_and_reap(&mut self) -> io::Result<ProcessExit> {
        // The group is there as long as its leader is not reaped, so this cannot hit a stranger.
        kill_group(&self.child);
        let status = self.child.wait()?;
        self.is_reaped = true;
        Ok(status.into())
    }
}

impl Drop for LocalChild {
    fn drop(&mut self) {
        if !self.is_reaped {
            let _ = self.kill_and_reap();
        }
    }
}

fn kill_group(leader: &Child) {
    // A group that has nobody left to kill is what is wanted.
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
}

/// Starts a program in a group of its own.
pub(super) fn spawn_in_group(command: &mut Command, far: ChildEnds, limits: SandboxSpec) -> io::Result<Child> {
    command.stdin(far.stdin.map_or_else(Stdio::null, Stdio::from)).stdout(far.stdout).stderr(far.stderr);
    command.process_group(0);
    let child = sandbox::run_sandboxed(limits, || command.spawn())?;
    // The command holds the program's ends of the pipes; they are closed with it, or with these.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    child
}

/// What is to be started, without its pipes.
pub(crate) fn build_command(spec: &ProcessSpec) -> Command {
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
