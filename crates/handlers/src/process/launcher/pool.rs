//! The launchers of this process.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind::{self, NotFound, PermissionDenied, Unsupported};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
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

/// The number of idle launchers that are kept. More are started for concurrent calls.
const KEPT: usize = 16;

/// The longest wait for an expected message of a launcher.
pub(super) const SPEAKING: Duration = Duration::from_secs(10);

/// The longest wait until a launcher reads a message.
const HEARING: Duration = Duration::from_secs(1);

/// One pool for the whole process: launchers do not depend on hooks, sessions or runtimes.
static LAUNCHERS: Mutex<LauncherPool> =
    Mutex::new(LauncherPool { program: None, idle: Vec::new(), discarded: Vec::new() });

#[derive(Debug)]
struct LauncherPool {
    /// The program of launchers; absent if none was set, or if it is not a launcher.
    program: Option<WorkerProgram>,
    idle: Vec<LauncherConnection>,
    /// Launchers that are ending a call alone; they are reaped when they are done.
    discarded: Vec<Child>,
}

/// A running launcher. It ends when its socket is closed.
#[derive(Debug)]
pub(super) struct LauncherConnection {
    child: Child,
    pub(super) control: UnixStream,
    received: Vec<u8>,
    /// This side's ends of the next call's pipes.
    next_ends: Option<ParentEnds>,
    /// This process's working directory when the launcher started, which is the launcher's.
    directory: PathBuf,
}

/// Makes this process start programs by launchers from now on. `program` is one whose `main` calls
/// [`worker_main`](crate::worker_main); it is started at the first call. If it turns out not to be a launcher, it is
/// never tried again, and this process starts programs itself.
///
/// Launchers have only harmless variables; a program's variables are sent with each call. Without `/proc` this has no
/// effect.
pub fn enable_launchers(program: &WorkerProgram) {
    if cfg!(target_os = "linux") {
        let mut launchers = lock_pool();
        launchers.program.get_or_insert_with(|| program.clone());
    }
}

/// The program of launchers, if there is one.
pub(crate) fn launcher_program() -> Option<WorkerProgram> {
    lock_pool().program.clone()
}

/// An idle launcher, or a new one, which must start before `end`; `None` if launchers are not available.
///
/// # Errors
/// When a launcher cannot be started now. The program is not started then: without a launcher it could leave processes
/// behind.
pub(super) fn acquire(end: Instant) -> io::Result<Option<LauncherConnection>> {
    let mut launchers = lock_pool();
    launchers.discarded.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
    // The programs that they end may have stopped them again.
    launchers.discarded.iter().for_each(wake_launcher);
    if let Some(launcher) = launchers.idle.pop() {
        return Ok(Some(launcher));
    }
    let Some(program) = launchers.program.clone() else { return Ok(None) };
    drop(launchers);
    match LauncherConnection::start(&program, end) {
        Ok(launcher) => Ok(Some(launcher)),
        Err(error) if matches!(error.kind(), NotFound | PermissionDenied | Unsupported) => {
            lock_pool().program.take_if(|known| *known == program);
            Ok(None)
        }
        Err(error) => Err(error),
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

/// Continues a stopped launcher, and kills what could stop it again. It is not reaped, so this cannot affect an
/// unrelated process.
fn wake_launcher(launcher: &Child) {
    let pid = Pid::from_child(launcher);
    kill_stopped(pid);
    // A launcher that has ended need not be continued.
    let _ = kill_process(pid, Signal::CONT);
}

/// Discards a launcher: it ends its call by itself.
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
        // If that does not exist any more, a call without its own directory has none either.
        let directory = std::env::current_dir().unwrap_or_default();
        // The programs that a launcher starts can read the launcher's own variables.
        let mut command = program.command(base_variables());
        let child = command.stdin(OwnedFd::from(far)).stdout(Stdio::null()).spawn()?;
        // The command holds the launcher's end of the socket.
        drop(command);
        let mut launcher = Self { child, control, received: Vec::new(), next_ends: None, directory };
        match launcher.handshake(end) {
            Ok(()) => Ok(launcher),
            Err(error) => {
                let _ = launcher.child.kill();
                let _ = launcher.child.wait();
                // A slow program may still be a launcher.
                let slow = error.kind() == ErrorKind::TimedOut;
                let name = program.program.display();
                let silent =
                    || format!("its launcher `{name}` does not respond; rebuild that program with this version");
                Err(if slow {
                    io::Error::new(ErrorKind::TimedOut, silent())
                } else {
                    io::Error::new(Unsupported, error)
                })
            }
        }
    }

    fn handshake(&mut self, end: Instant) -> io::Result<()> {
        self.control.set_nonblocking(true)?;
        if self.receive_by(end)? != HELLO {
            return Err(io::Error::other("this is not a launcher"));
        }
        // A launcher whose files this process cannot open is useless.
        self.next_ends = Some(self.open_next_pipes(end)?);
        Ok(())
    }

    /// Waits for an expected frame.
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

    /// This side's ends of the next call's pipes.
    pub(super) fn take_pipes(&mut self, has_input: bool) -> io::Result<ParentEnds> {
        let mut near = self.next_ends.take().ok_or(ErrorKind::NotFound)?;
        if !has_input {
            near.stdin = None;
        }
        Ok(near)
    }

    /// Sends a request, and opens the pipes of the following call in the meantime.
    pub(super) fn send_request(&mut self, request: &[u8], end: Instant) -> io::Result<()> {
        self.send(request)?;
        self.next_ends = Some(self.open_next_pipes(end)?);
        Ok(())
    }

    /// Opens the pipes of the next call; the launcher has already sent their numbers.
    fn open_next_pipes(&mut self, end: Instant) -> io::Result<ParentEnds> {
        let ready = self.receive_by(end)?;
        let [stdin, stdout, stderr] = decode_pipes(&ready)?.map(|pipe| format!("/proc/{}/fd/{pipe}", self.child.id()));
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        let open = |path, options: &mut OpenOptions| options.custom_flags(nonblocking).open(path).map(OwnedFd::from);
        // An output that is also open for writing never ends: the launcher reports the end of the program, and the end
        // of a pipe must not wake this side before.
        let output = |path| open(path, File::options().read(true).write(true)).map(PipeReader::from);
        Ok(ParentEnds {
            stdin: Some(PipeWriter::from(open(stdin, File::options().write(true))?)),
            stdout: output(stdout)?,
            stderr: output(stderr)?,
        })
    }

    /// A directory for the launcher: absolute, or `None` for its own.
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
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < end => {
                    pipes::poll_fds(&mut [PollFd::new(&self.control, PollFlags::OUT)], HEARING)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Receives a frame, if a complete one has arrived.
    pub(super) fn receive(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut chunk = [0; 256];
        loop {
            if let Some(body) = take_frame(&mut self.received)? {
                return Ok(Some(body));
            }
            match self.control.read(&mut chunk) {
                Ok(0) => return Err(io::Error::other("the launcher of the program was killed")),
                Ok(count) => self.received.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Continues a stopped launcher, which otherwise cannot end anything.
    pub(super) fn wake(&self) {
        wake_launcher(&self.child);
    }

    /// Waits for a message.
    pub(super) fn wait_for_message(&self, most: Duration) -> io::Result<()> {
        pipes::poll_fds(&mut [PollFd::new(&self.control, PollFlags::IN)], most)
    }
}
