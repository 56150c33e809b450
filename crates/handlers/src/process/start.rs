//! A program that was started, here or by a launcher.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pintle_contract::SandboxSpec;
use rustix::process::{Pid, Signal, kill_process_group};

use super::launcher::Launched;
use super::pipes::{FarEnds, NearEnds, Pipes};
use super::watch::Watch;
use super::{Output, Spec};
use crate::sandbox;

/// How long a wait may be before one has to look up for cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A program that runs, and our ends of its pipes. Dropping it ends the program and what it started.
#[derive(Debug)]
pub(crate) struct Started {
    pipes: Pipes,
    running: Running,
}

#[derive(Debug)]
enum Running {
    Here(Here),
    There(Launched),
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Its exit code; `None` when a signal ended it.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        Self { exit_code: status.code(), signal: status.signal() }
    }
}

impl Started {
    /// Starts a program with its whole input, which is closed behind it.
    pub(crate) fn new(spec: &Spec) -> io::Result<Self> {
        Self::with(spec, false)
    }

    /// Starts a program whose input stays open.
    pub(crate) fn open(spec: &Spec) -> io::Result<Self> {
        Self::with(spec, true)
    }

    fn with(spec: &Spec, stays: bool) -> io::Result<Self> {
        let has_input = stays || !spec.stdin.is_empty();
        let take = |near| Pipes::new(near, &spec.stdin, stays, spec.output_bytes);
        if let Some((pipes, launched)) = Launched::new(spec, has_input, take)? {
            return Ok(Self { pipes, running: Running::There(launched) });
        }
        let (near, far) = NearEnds::pair(has_input)?;
        Ok(Self { pipes: take(near.unblock()?), running: Running::Here(Here::new(spec, far)?) })
    }

    pub(crate) fn pipes(&mut self) -> &mut Pipes {
        &mut self.pipes
    }

    /// Waits for something to happen, but never long, and tells whether the program has ended. Then nothing that it
    /// started is left either.
    pub(crate) fn wait(&mut self, most: Duration) -> io::Result<Option<Ended>> {
        match &mut self.running {
            Running::Here(here) => {
                let most = most.min(here.watch.tick()).min(LOOK_EVERY);
                self.pipes.wait(here.watch.as_fd(), most)?;
                if here.watch.has_exited()? { here.end().map(Some) } else { Ok(None) }
            }
            Running::There(launched) => {
                self.pipes.wait(launched.as_fd(), most.min(LOOK_EVERY))?;
                launched.ended()
            }
        }
    }

    /// Ends the program and what it started.
    pub(crate) fn kill(&mut self) -> io::Result<Ended> {
        match &mut self.running {
            Running::Here(here) => here.end(),
            Running::There(launched) => launched.kill(),
        }
    }

    /// What an ended program printed.
    pub(super) fn output(mut self, ended: Ended, timed_out: bool, began: Instant) -> Output {
        self.pipes.drain();
        let [(stdout, stdout_cut), (stderr, stderr_cut)] = self.pipes.take_outputs();
        Output {
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
struct Here {
    child: Child,
    watch: Watch,
    reaped: bool,
}

impl Here {
    fn new(spec: &Spec, far: FarEnds) -> io::Result<Self> {
        let mut child = spawn(&mut command(spec), far, spec.sandbox)?;
        match Watch::new(&child) {
            Ok(watch) => Ok(Self { child, watch, reaped: false }),
            Err(fault) => {
                kill_group(&child);
                let _ = child.wait();
                Err(fault)
            }
        }
    }

    fn end(&mut self) -> io::Result<Ended> {
        // The group is there as long as its leader is not reaped, so this cannot hit a stranger.
        kill_group(&self.child);
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(status.into())
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        if !self.reaped {
            let _ = self.end();
        }
    }
}

fn kill_group(leader: &Child) {
    // A group that has nobody left to kill is what is wanted.
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
}

/// Starts a program in a group of its own.
pub(super) fn spawn(command: &mut Command, far: FarEnds, limits: SandboxSpec) -> io::Result<Child> {
    command.stdin(far.stdin.map_or_else(Stdio::null, Stdio::from)).stdout(far.stdout).stderr(far.stderr);
    command.process_group(0);
    let child = sandbox::within(limits, || command.spawn())?;
    // The command holds the program's ends of the pipes; they are closed with it, or with these.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    child
}

/// What is to be started, without its pipes.
pub(crate) fn command(spec: &Spec) -> Command {
    let mut command = Command::new(&spec.program);
    command.args(&spec.arguments);
    if let Some(directory) = &spec.directory {
        command.current_dir(directory);
    }
    if let Some(variables) = spec.environment.given() {
        command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
    }
    command
}
