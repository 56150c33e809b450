//! Launchers: processes that start programs for us and own all that comes of it.
//!
//! This side keeps a few of them, hands each call to one of its own, and gets it back when nothing of the call is left.

mod pool;
mod reap;
mod serve;
mod wire;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

pub use pool::enable_launchers;
pub(crate) use pool::launcher_program;
pub(super) use reap::{reap_descendants, supervised_children};
pub(super) use serve::become_subreaper;
pub(crate) use serve::{is_launcher, serve};

use super::ProcessSpec;
use super::pipes::{ParentEnds, ProcessPipes};
use super::spawn::ProcessExit;
use pool::LauncherConnection;

/// How long the end of a call that was stopped is waited for. The launcher goes on alone when it takes longer.
const GRACE: Duration = Duration::from_millis(150);

/// How long a launcher may take to begin, however little time the program itself has.
const LEAST: Duration = Duration::from_millis(250);

/// How often a launcher is woken meanwhile: the program may have stopped it.
const WAKE: Duration = Duration::from_millis(10);

/// A program that a launcher runs. Dropped before its end, it is ended by the launcher, which is not used again.
///
/// The launcher is absent when the call has ended; it serves others then.
#[derive(Debug)]
pub(super) struct LaunchedProcess(Option<LauncherConnection>);

impl LaunchedProcess {
    /// Hands a program to a launcher, once `take` has our ends of its pipes; `None` when there can be no launcher.
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
            // A launcher that is gone shows when it is spoken to.
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

    /// How the call ended, when it has.
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
            Err(fault) => {
                pool::discard(launcher);
                Err(fault)
            }
        }
    }

    /// Ends the call and waits a moment for its end.
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
