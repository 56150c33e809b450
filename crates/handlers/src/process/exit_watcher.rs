//! Detects that a program has exited, before it is reaped.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// Watches one child.
#[derive(Debug)]
pub(super) struct ExitWatcher {
    pid: Pid,
    /// Becomes readable on exit, on systems that support it.
    fd: Option<OwnedFd>,
}

impl ExitWatcher {
    pub(super) fn new(child: &Child) -> io::Result<Self> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the child has no usable process id"))?;
        Ok(Self { pid, fd: open_exit_fd(pid) })
    }

    pub(super) fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        self.fd.as_ref().map(AsFd::as_fd)
    }

    /// The longest wait before the next check for the exit: short if the system does not signal it.
    pub(super) fn poll_interval(&self) -> Duration {
        if self.fd.is_some() { Duration::MAX } else { Duration::from_millis(2) }
    }

    /// Whether the child has exited. It stays unreaped, so that its process group ID cannot be reused.
    pub(super) fn has_exited(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.pid), options) {
            Ok(status) => Ok(status.is_some()),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(target_os = "linux")]
fn open_exit_fd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_exit_fd(_pid: Pid) -> Option<OwnedFd> {
    None
}
