//! The launchers of this process.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind::{self, NotFound, PermissionDenied, Unsupported};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};

use super::reap::kill_stopped;
use super::wire::{HELLO, decode_pipes, take_frame};
use crate::process::base_variables;
use crate::process::pipes::{self, ParentEnds};
use crate::script_worker::WorkerProgram;

/// Idle launchers kept for the next call. More are started when more calls run at once.
const KEPT: usize = 16;

/// How long a launcher may take to say what is expected of it, at most.
pub(super) const SPEAKING: Duration = Duration::from_secs(10);

/// How long a launcher may take to read what it is told.
const HEARING: Duration = Duration::from_secs(1);

/// One for the whole process: launchers know nothing of hooks, sessions or runtimes.
static LAUNCHERS: Mutex<LauncherPool> =
    Mutex::new(LauncherPool { program: None, idle: Vec::new(), discarded: Vec::new() });

#[derive(Debug)]
struct LauncherPool {
    /// What a launcher is started from; absent when nobody has said, or when it is no launcher.
    program: Option<WorkerProgram>,
    idle: Vec<LauncherConnection>,
    /// Launchers that go on ending a call alone; they are reaped when they are done.
    discarded: Vec<Child>,
}

/// A running launcher. It ends when its socket is closed.
#[derive(Debug)]
pub(super) struct LauncherConnection {
    child: Child,
    pub(super) control: UnixStream,
    received: Vec<u8>,
    /// Our ends of the next call's pipes.
    next_ends: Option<ParentEnds>,
    /// Where this process was when the launcher began, which is where the launcher is.
    directory: PathBuf,
}

/// Has programs started by launchers from now on, in this whole process. `program` is one whose `main` calls
/// [`worker_main`](crate::worker_main); it is started at the first call. A program that turns out to be none is never
/// tried again, and programs are started by this process itself.
///
/// Launchers have harmless variables alone; what a program is to see is sent to them with each call. Where there is no
/// `/proc`, this does nothing.
pub fn enable_launchers(program: &WorkerProgram) {
    if cfg!(target_os = "linux") {
        let mut launchers = lock_pool();
        launchers.program.get_or_insert_with(|| program.clone());
    }
}

/// What launchers are started from, where there are any.
pub(crate) fn launcher_program() -> Option<WorkerProgram> {
    lock_pool().program.clone()
}

/// An idle launcher, or a new one, which has until `end` to begin; `None` when there can be none.
///
/// # Errors
/// When one cannot be started now. Then nothing is: to start the program without one would let it leave things behind.
pub(super) fn acquire(end: Instant) -> io::Result<Option<LauncherConnection>> {
    let mut launchers = lock_pool();
    launchers.discarded.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
    // What they end may have stopped them once more.
    launchers.discarded.iter().for_each(wake_launcher);
    if let Some(launcher) = launchers.idle.pop() {
        return Ok(Some(launcher));
    }
    let Some(program) = launchers.program.clone() else { return Ok(None) };
    drop(launchers);
    match LauncherConnection::start(&program, end) {
        Ok(launcher) => Ok(Some(launcher)),
        Err(fault) if matches!(fault.kind(), NotFound | PermissionDenied | Unsupported) => {
            lock_pool().program.take_if(|known| *known == program);
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

/// Keeps a launcher for the next call.
pub(super) fn release(launcher: LauncherConnection) {
    let mut launchers = lock_pool();
    if launchers.idle.len() < KEPT {
        launchers.idle.push(launcher);
    } else {
        launchers.discarded.push(launcher.child);
    }
}

/// Lets a launcher go on, and ends what could stop it again. It is not reaped, so this cannot hit a stranger.
fn wake_launcher(launcher: &Child) {
    let pid = Pid::from_child(launcher);
    kill_stopped(pid);
    // One that has ended needs no waking.
    let _ = kill_process(pid, Signal::CONT);
}

/// Parts with a launcher: it ends its call by itself.
pub(super) fn discard(launcher: LauncherConnection) {
    launcher.wake();
    lock_pool().discarded.push(launcher.child);
}

fn lock_pool() -> MutexGuard<'static, LauncherPool> {
    LAUNCHERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LauncherConnection {
    fn start(program: &WorkerProgram, end: Instant) -> io::Result<Self> {
        let (control, far) = UnixStream::pair()?;
        // Where that is gone, a call without a directory of its own has none either.
        let directory = std::env::current_dir().unwrap_or_default();
        let child = Command::new(&program.program)
            .args(&program.arguments)
            // What a launcher starts can read the launcher's own variables.
            .env_clear()
            .envs(base_variables())
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::from(OwnedFd::from(far)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let mut launcher = Self { child, control, received: Vec::new(), next_ends: None, directory };
        match launcher.handshake(end) {
            Ok(()) => Ok(launcher),
            Err(fault) => {
                let _ = launcher.child.kill();
                let _ = launcher.child.wait();
                // One that is merely slow may be a launcher.
                let slow = fault.kind() == ErrorKind::TimedOut;
                let name = program.program.display();
                let silent =
                    || format!("its launcher `{name}` does not respond; rebuild that program with this version");
                Err(if slow {
                    io::Error::new(ErrorKind::TimedOut, silent())
                } else {
                    io::Error::new(Unsupported, fault)
                })
            }
        }
    }

    fn handshake(&mut self, end: Instant) -> io::Result<()> {
        self.control.set_nonblocking(true)?;
        if self.receive_by(end)? != HELLO {
            return Err(io::Error::other("this is not a launcher"));
        }
        // One whose files this process may not open is no use.
        self.next_ends = Some(self.open_next_pipes(end)?);
        Ok(())
    }

    /// Waits for a frame that has to come.
    fn receive_by(&mut self, end: Instant) -> io::Result<Vec<u8>> {
        loop {
            if let Some(body) = self.receive()? {
                return Ok(body);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.wait_for_message(left)?;
        }
    }

    /// Our ends of the next call's pipes.
    pub(super) fn take_pipes(&mut self, has_input: bool) -> io::Result<ParentEnds> {
        let mut near = self.next_ends.take().ok_or(ErrorKind::NotFound)?;
        if !has_input {
            near.stdin = None;
        }
        Ok(near)
    }

    /// Sends a request, and opens the pipes of the call after it while it is done.
    pub(super) fn send_request(&mut self, request: &[u8], end: Instant) -> io::Result<()> {
        self.send(request)?;
        self.next_ends = Some(self.open_next_pipes(end)?);
        Ok(())
    }

    /// Opens the pipes of the next call that has none open yet; the launcher has named them long before.
    fn open_next_pipes(&mut self, end: Instant) -> io::Result<ParentEnds> {
        let ready = self.receive_by(end)?;
        let [stdin, stdout, stderr] = decode_pipes(&ready)?.map(|pipe| format!("/proc/{}/fd/{pipe}", self.child.id()));
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        let open = |path, options: &mut OpenOptions| options.custom_flags(nonblocking).open(path).map(OwnedFd::from);
        // An output that can also be written to never ends: the end of the program is told by the launcher, and no
        // end of a pipe has to wake us before.
        let output = |path| open(path, File::options().read(true).write(true)).map(PipeReader::from);
        Ok(ParentEnds {
            stdin: Some(PipeWriter::from(open(stdin, File::options().write(true))?)),
            stdout: output(stdout)?,
            stderr: output(stderr)?,
        })
    }

    /// A directory as the launcher needs it: absolute, or `None` for its own.
    pub(super) fn resolve_dir(&self, wanted: Option<&Path>) -> Option<PathBuf> {
        if let Some(wanted) = wanted.filter(|wanted| wanted.is_absolute()) {
            return Some(wanted.to_path_buf());
        }
        let own = std::env::current_dir().unwrap_or_default();
        match wanted {
            Some(wanted) => Some(own.join(wanted)),
            None => (own != self.directory).then_some(own),
        }
    }

    /// Sends a frame.
    pub(super) fn send(&mut self, mut frame: &[u8]) -> io::Result<()> {
        let end = Instant::now() + HEARING;
        while !frame.is_empty() {
            match self.control.write(frame) {
                Ok(count) => frame = frame.get(count..).unwrap_or_default(),
                Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
                Err(fault) if fault.kind() == ErrorKind::WouldBlock && Instant::now() < end => {
                    pipes::poll_fds(&mut [PollFd::new(&self.control, PollFlags::OUT)], HEARING)?;
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }

    /// A frame, when a whole one is there.
    pub(super) fn receive(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut chunk = [0; 256];
        loop {
            if let Some(body) = take_frame(&mut self.received)? {
                return Ok(Some(body));
            }
            match self.control.read(&mut chunk) {
                Ok(0) => return Err(io::Error::other("the launcher of the program was killed")),
                Ok(count) => self.received.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
                Err(fault) if fault.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Lets it go on when somebody stopped it: one that sleeps ends nothing.
    pub(super) fn wake(&self) {
        wake_launcher(&self.child);
    }

    /// Waits until it says something.
    pub(super) fn wait_for_message(&self, most: Duration) -> io::Result<()> {
        pipes::poll_fds(&mut [PollFd::new(&self.control, PollFlags::IN)], most)
    }
}
