//! The three pipes of a program, none of which ever blocks us.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ChildStdin};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::Spec;
use super::watch::Watch;

/// The pipes to and from a program.
pub(super) struct Pipes {
    input: Option<Feed>,
    stdout: Capture,
    stderr: Capture,
}

/// What is still to be written to a program.
struct Feed {
    pipe: ChildStdin,
    bytes: Vec<u8>,
    written: usize,
}

/// What was read from a program.
struct Capture {
    pipe: Option<Box<dyn Source>>,
    kept: Vec<u8>,
    limit: usize,
    truncated: bool,
}

trait Source: Read + AsFd {}

impl<T: Read + AsFd> Source for T {}

impl Pipes {
    /// Takes the pipes of a child and makes them non-blocking.
    pub(super) fn of(child: &mut Child, spec: &Spec) -> io::Result<Self> {
        let input = match child.stdin.take() {
            Some(pipe) => {
                unblock(pipe.as_fd())?;
                Some(Feed { pipe, bytes: spec.stdin.clone(), written: 0 })
            }
            None => None,
        };
        let stdout = Capture::of(child.stdout.take(), spec.output_bytes)?;
        let stderr = Capture::of(child.stderr.take(), spec.output_bytes)?;
        Ok(Self { input, stdout, stderr })
    }

    /// Waits until a pipe is ready, the program has exited, or it is time to look up.
    pub(super) fn wait(&self, watch: &Watch, left: Duration) -> io::Result<()> {
        let mut fds = Vec::with_capacity(4);
        if let Some(feed) = &self.input {
            fds.push(PollFd::from_borrowed_fd(feed.pipe.as_fd(), PollFlags::OUT));
        }
        for pipe in [&self.stdout, &self.stderr].into_iter().filter_map(|capture| capture.pipe.as_ref()) {
            fds.push(PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
        }
        if let Some(fd) = watch.as_fd() {
            fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
        }
        let pause = left.min(watch.tick());
        let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(pause.subsec_nanos()) };
        match poll(&mut fds, Some(&pause)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Moves what can be moved without waiting.
    pub(super) fn transfer(&mut self) {
        if self.input.as_mut().is_some_and(Feed::is_done) {
            // Dropping the pipe is what tells the program that its input has ended.
            self.input = None;
        }
        self.drain();
    }

    /// Reads what is there, without waiting.
    pub(super) fn drain(&mut self) {
        self.stdout.drain();
        self.stderr.drain();
    }

    pub(super) fn truncated(&self) -> bool {
        self.stdout.truncated || self.stderr.truncated
    }

    pub(super) fn into_outputs(self) -> (Vec<u8>, Vec<u8>) {
        (self.stdout.kept, self.stderr.kept)
    }
}

impl Feed {
    /// Writes on; true when there is nothing left to write or nobody left to read it.
    fn is_done(&mut self) -> bool {
        loop {
            let rest = self.bytes.get(self.written..).unwrap_or_default();
            if rest.is_empty() {
                return true;
            }
            match self.pipe.write(rest) {
                Ok(count) => self.written += count,
                Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => return false,
                Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
                // A program need not read its input.
                Err(_) => return true,
            }
        }
    }
}

impl Capture {
    fn of(pipe: Option<impl Source + 'static>, limit: usize) -> io::Result<Self> {
        let pipe: Option<Box<dyn Source>> = match pipe {
            Some(pipe) => {
                unblock(pipe.as_fd())?;
                Some(Box::new(pipe))
            }
            None => None,
        };
        Ok(Self { pipe, kept: Vec::new(), limit, truncated: false })
    }

    fn drain(&mut self) {
        let mut buffer = [0; 16 * 1024];
        // A program that writes faster than we read must not keep us from looking at the clock.
        for _ in 0..64 {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => self.keep(buffer.get(..count).unwrap_or_default()),
                Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
                Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.limit.saturating_sub(self.kept.len());
        self.truncated |= bytes.len() > room;
        self.kept.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
    }
}

fn unblock(fd: BorrowedFd<'_>) -> io::Result<()> {
    let flags = fcntl_getfl(fd)?;
    Ok(fcntl_setfl(fd, flags | OFlags::NONBLOCK)?)
}
