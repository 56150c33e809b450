//! Handles this side's ends of a program's three pipes without blocking.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};

/// The default capacity of a pipe.
const PIPE_BYTES: usize = 64 << 10;

/// The pipes to and from a program.
#[derive(Debug)]
pub(crate) struct ProcessPipes {
    input: Option<StdinBuffer>,
    stdout: OutputCapture,
    stderr: OutputCapture,
}

/// This side's ends of a program's pipes.
#[derive(Debug)]
pub(super) struct ParentEnds {
    pub(super) stdin: Option<PipeWriter>,
    pub(super) stdout: PipeReader,
    pub(super) stderr: PipeReader,
}

/// The program's ends of its pipes.
#[derive(Debug)]
pub(super) struct ChildEnds {
    /// `None` is an input that is closed before the program starts.
    pub(super) stdin: Option<PipeReader>,
    pub(super) stdout: PipeWriter,
    pub(super) stderr: PipeWriter,
}

/// The input that has not been written yet.
#[derive(Debug)]
struct StdinBuffer {
    pipe: PipeWriter,
    bytes: Arc<[u8]>,
    written_bytes: usize,
    /// Whether more may follow after everything is written.
    stays_open: bool,
}

/// The captured output of a program.
#[derive(Debug)]
struct OutputCapture {
    pipe: Option<PipeReader>,
    bytes: Vec<u8>,
    limit: usize,
    is_truncated: bool,
}

impl ProcessPipes {
    /// Takes this side's ends of the pipes, whose reads and writes never block. As much of the input as a pipe holds is
    /// written before the program starts; the input is closed after the last byte unless it `stays` open.
    pub(super) fn new(parent: ParentEnds, bytes: &Arc<[u8]>, stays: bool, output_bytes: usize) -> Self {
        let feed = parent.stdin.map(|pipe| StdinBuffer {
            pipe,
            bytes: Arc::clone(bytes),
            written_bytes: 0,
            stays_open: stays,
        });
        let input = feed.and_then(StdinBuffer::continue_writing);
        Self {
            input,
            stdout: OutputCapture::new(parent.stdout, output_bytes),
            stderr: OutputCapture::new(parent.stderr, output_bytes),
        }
    }

    /// Replaces the unwritten rest of an open input.
    pub(crate) fn feed_input(&mut self, bytes: Arc<[u8]>) {
        if let Some(feed) = &mut self.input {
            (feed.bytes, feed.written_bytes) = (bytes, 0);
            feed.write();
        }
    }

    /// The output since it was last taken, up to the limit.
    pub(crate) fn printed_bytes(&self) -> &[u8] {
        &self.stdout.bytes
    }

    /// Takes both outputs, and whether each was truncated.
    pub(crate) fn take_outputs(&mut self) -> [(Vec<u8>, bool); 2] {
        [&mut self.stdout, &mut self.stderr]
            .map(|capture| (std::mem::take(&mut capture.bytes), std::mem::take(&mut capture.is_truncated)))
    }

    /// Waits until a pipe or one of the `others` is readable, or the time limit; then reads and writes what is possible.
    pub(super) fn wait(&mut self, others: [Option<BorrowedFd<'_>>; 2], most: Duration) -> io::Result<()> {
        let feed = self.input.as_ref().filter(|feed| feed.has_more());
        let feed = feed.map(|feed| PollFd::from_borrowed_fd(feed.pipe.as_fd(), PollFlags::OUT));
        let outputs = [&self.stdout, &self.stderr].map(|capture| capture.pipe.as_ref());
        let outputs = outputs.into_iter().flatten().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
        let others = others.into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let own: Vec<PollFd<'_>> = feed.into_iter().chain(outputs).collect();
        let own_count = own.len();
        let mut fds: Vec<PollFd<'_>> = own.into_iter().chain(others).collect();
        poll_fds(&mut fds, most)?;
        let own = fds.get(..own_count).unwrap_or_default();
        if own.iter().any(|fd| !fd.revents().is_empty()) {
            self.input = self.input.take().and_then(StdinBuffer::continue_writing);
            self.drain();
        }
        Ok(())
    }

    /// Reads the available output without waiting.
    pub(crate) fn drain(&mut self) {
        self.stdout.drain();
        self.stderr.drain();
    }
}

impl StdinBuffer {
    fn has_more(&self) -> bool {
        self.written_bytes < self.bytes.len()
    }

    /// Continues writing. Dropping the pipe at the end closes the program's input.
    fn continue_writing(mut self) -> Option<Self> {
        self.write();
        (self.stays_open || self.has_more()).then_some(self)
    }

    /// Writes until everything is written, the pipe is full, or the reader is gone.
    fn write(&mut self) {
        while let Some(rest) = self.bytes.get(self.written_bytes..).filter(|rest| !rest.is_empty()) {
            match self.pipe.write(rest) {
                Ok(count) => self.written_bytes += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A program need not read its input.
                Err(_) => self.written_bytes = self.bytes.len(),
            }
        }
    }
}

impl OutputCapture {
    fn new(pipe: PipeReader, limit: usize) -> Self {
        Self { pipe: Some(pipe), bytes: Vec::new(), limit, is_truncated: false }
    }

    fn drain(&mut self) {
        let mut buffer = [0; PIPE_BYTES / 4];
        // A program that writes faster than this side reads must not prevent checks of the deadline.
        for _ in 0..64 {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    let whole = count == buffer.len();
                    self.push_bytes(buffer.get(..count).unwrap_or_default());
                    if !whole {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        let room = self.limit.saturating_sub(self.bytes.len());
        self.is_truncated |= bytes.len() > room;
        self.bytes.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
    }
}

/// Waits until one of them is ready or the time limit expires; an interruption also ends the wait.
pub(crate) fn poll_fds(fds: &mut [PollFd<'_>], most: Duration) -> io::Result<()> {
    let most = Timespec { tv_sec: most.as_secs().cast_signed(), tv_nsec: i64::from(most.subsec_nanos()) };
    match poll(fds, Some(&most)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl ParentEnds {
    /// Creates the pipes of a program.
    pub(super) fn create_pair(has_input: bool) -> io::Result<(Self, ChildEnds)> {
        let (far_stdin, stdin) = match has_input {
            true => io::pipe().map(|(far, near)| (Some(far), Some(near)))?,
            false => (None, None),
        };
        let (stdout, far_stdout) = io::pipe()?;
        let (stderr, far_stderr) = io::pipe()?;
        Ok((Self { stdin, stdout, stderr }, ChildEnds { stdin: far_stdin, stdout: far_stdout, stderr: far_stderr }))
    }

    /// Makes reads and writes of these ends non-blocking.
    pub(super) fn set_nonblocking(self) -> io::Result<Self> {
        let stdin = self.stdin.as_ref().map(AsFd::as_fd);
        for fd in stdin.into_iter().chain([self.stdout.as_fd(), self.stderr.as_fd()]) {
            // A pipe is created without any other flag.
            fcntl_setfl(fd, OFlags::NONBLOCK)?;
        }
        Ok(self)
    }
}
