//! A running program, started by this process or by a launcher.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pintle_contract::SandboxSpec;
use rustix::process::{Pid, Signal, kill_process_group};

use super::cancel_pipe::CancelPipe;
use super::exit_watcher::ExitWatcher;
use super::launcher::LaunchedProcess;
use super::pipes::{ChildEnds, ParentEnds, ProcessPipes};
use super::{ProcessOutput, ProcessSpec, build_command};
use crate::sandbox;

/// A running program with this side's ends of its pipes. Dropping it ends the program and its child processes.
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

/// The exit of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessExit {
    /// The exit code; `None` if a signal ended it.
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
    /// Starts a program with its complete input, which is closed afterwards.
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

    /// Waits for an event, such as output, the program's end or the cancellation, and returns whether the program has
    /// ended. If so, none of its child processes is left either.
    pub(crate) fn wait(&mut self, most: Duration, cancel: Option<&CancelPipe>) -> io::Result<Option<ProcessExit>> {
        let cancel = cancel.map(AsFd::as_fd);
        match &mut self.running {
            ProcessBackend::Local(here) => {
                self.pipes.wait([here.watch.as_fd(), cancel], most.min(here.watch.poll_interval()))?;
                if here.watch.has_exited()? { here.kill_and_reap().map(Some) } else { Ok(None) }
            }
            ProcessBackend::Launched(launched) => {
                self.pipes.wait([launched.as_fd(), cancel], most)?;
                launched.try_exit()
            }
        }
    }

    /// Ends the program and its child processes.
    pub(crate) fn kill(&mut self) -> io::Result<ProcessExit> {
        match &mut self.running {
            ProcessBackend::Local(here) => here.kill_and_reap(),
            ProcessBackend::Launched(launched) => launched.kill(),
        }
    }

    /// The output of an ended program.
    pub(super) fn into_output(mut self, exit: ProcessExit, timed_out: bool, began: Instant) -> ProcessOutput {
        self.pipes.drain();
        let [(stdout, stdout_cut), (stderr, stderr_cut)] = self.pipes.take_outputs();
        ProcessOutput {
            stdout,
            stdout_cut,
            stderr,
            stderr_cut,
            exit_code: exit.exit_code,
            signal: exit.signal,
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
    fn new(spec: &ProcessSpec, child_ends: ChildEnds) -> io::Result<Self> {
        let mut child = spawn_in_group(&mut build_command(spec), child_ends, spec.sandbox)?;
        match ExitWatcher::new(&child) {
            Ok(watch) => Ok(Self { child, watch, is_reaped: false }),
            Err(error) => {
                kill_group(&child);
                let _ = child.wait();
                Err(error)
            }
        }
    }

    fn kill_and_reap(&mut self) -> io::Result<ProcessExit> {
        // The group exists until its leader is reaped, so this cannot kill an unrelated process.
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
    // Nothing is left to kill if this fails.
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
}

/// Starts a program in its own process group.
pub(super) fn spawn_in_group(command: &mut Command, child_ends: ChildEnds, limits: SandboxSpec) -> io::Result<Child> {
    command
        .stdin(child_ends.stdin.map_or_else(Stdio::null, Stdio::from))
        .stdout(child_ends.stdout)
        .stderr(child_ends.stderr);
    command.process_group(0);
    let child = sandbox::run_sandboxed(limits, || command.spawn())?;
    // The command holds the program's ends of the pipes; they are closed by dropping it, or by these.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    child
}
