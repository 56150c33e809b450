//! Wakes a thread that polls file descriptors when its call is cancelled.

use std::io::{self, PipeReader, Write};
use std::os::fd::{AsFd, BorrowedFd};

use pintle_contract::{CancelToken, WakeGuard};

/// A pipe that becomes readable when a token is cancelled. It is never read.
#[derive(Debug)]
pub(crate) struct CancelPipe {
    pipe: PipeReader,
    _waker: WakeGuard,
}

impl CancelPipe {
    pub(crate) fn new(cancel: &CancelToken) -> io::Result<Self> {
        let (pipe, end) = io::pipe()?;
        // Each token wakes once, so the pipe cannot become full.
        let waker = cancel.wake_on_cancel(move || {
            let _ = (&end).write(&[0]);
        });
        Ok(Self { pipe, _waker: waker })
    }
}

impl AsFd for CancelPipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}
