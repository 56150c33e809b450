//! Launchers: processes that start programs for this process and contain their child processes.
//!
//! This side keeps a few of them, gives each call its own, and gets the launcher back when no process of the call is
//! left.

mod pool;
mod reap;
mod serve;
mod wire;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

pub use pool::enable_launchers;
pub(crate) use pool::launcher_program;
pub(super) use reap::supervised_children;
pub(crate) use serve::{is_launcher, serve};
#[cfg(target_os = "linux")]
pub(super) use {reap::reap_descendants, serve::become_subreaper};

use super::ProcessSpec;
use super::pipes::{ParentEnds, ProcessPipes};
use super::spawn::ProcessExit;
use pool::LauncherConnection;

/// The wait for the end of a stopped call. The launcher continues alone if it takes longer.
const GRACE: Duration = Duration::from_millis(150);

/// The shortest time limit for starting a launcher, however little time the program has.
const LEAST: Duration = Duration::from_millis(250);

/// The interval at which a launcher is woken meanwhile: the program may have stopped it.
const WAKE: Duration = Duration::from_millis(10);

/// A program that a launcher runs. If it is dropped before the program ends, the launcher ends it, and is not used
/// again.
///
/// The launcher is absent after the call has ended; it then serves other calls.
#[derive(Debug)]
pub(super) struct LaunchedProcess(Option<LauncherConnection>);

impl LaunchedProcess {
    /// Gives a program to a launcher, once `take` has this side's ends of its pipes; `None` if launchers are not
    /// available.
    ///
    /// # Errors
    /// When a launcher cannot be started now.
    pub(super) fn new(
        spec: &ProcessSpec,
        has_input: bool,
        take: impl Fn(ParentEnds) -> ProcessPipes,
    ) -> io::Result<Option<(ProcessPipes, Self)>> {
        let end = Instant::now() + pool::SPEAKING.min(Duration::from_millis(spec.timeout_ms).max(LEAST));
        while let Some(mut launcher) = pool::acquire(end)? {
            let directory = launcher.resolve_dir(spec.directory.as_deref());
            let told = launcher.take_pipes(has_input).and_then(|near| {
                let pipes = take(near);
                launcher.send_request(&wire::encode_request(spec, directory.as_deref(), has_input), end)?;
                Ok(pipes)
            });
            // A launcher that has ended is detected when it is written to.
            match told {
                Ok(pipes) => return Ok(Some((pipes, Self(Some(launcher))))),
                Err(_) => pool::discard(launcher),
            }
        }
        Ok(None)
    }

    /// Becomes readable when the call has ended.
    pub(super) fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(|launcher| launcher.control.as_fd())
    }

    /// The exit of the call, if it has ended.
    pub(super) fn try_exit(&mut self) -> io::Result<Option<ProcessExit>> {
        let Some(launcher) = &mut self.0 else { return Ok(None) };
        let heard = launcher.receive();
        if matches!(heard, Ok(None)) {
            return Ok(None);
        }
        let Some(launcher) = self.0.take() else { return Ok(None) };
        match heard {
            Ok(Some(body)) => {
                pool::release(launcher);
                wire::decode_reply(&body).map(Some)
            }
            Ok(None) => Ok(None),
            Err(error) => {
                pool::discard(launcher);
                Err(error)
            }
        }
    }

    /// Ends the call and waits briefly for its end.
    pub(super) fn kill(&mut self) -> io::Result<ProcessExit> {
        let end = Instant::now() + GRACE;
        if let Some(launcher) = &mut self.0 {
            launcher.send(&wire::encode_frame(&[]))?;
        }
        loop {
            if let Some(ended) = self.try_exit()? {
                return Ok(ended);
            }
            let left = end.saturating_duration_since(Instant::now());
            let Some(launcher) = self.0.as_ref().filter(|_| !left.is_zero()) else { break };
            launcher.wake();
            launcher.wait_for_message(left.min(WAKE))?;
        }
        if let Some(launcher) = self.0.take() {
            pool::discard(launcher);
        }
        Ok(ProcessExit { exit_code: None, signal: Some(rustix::process::Signal::KILL.as_raw()) })
    }
}

impl Drop for LaunchedProcess {
    fn drop(&mut self) {
        if self.0.is_some() {
            let _ = self.kill();
        }
    }
}
