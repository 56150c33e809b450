//! The resident: one process that handles the calls of `pintle hook` for one user and one environment, so that most calls
//! need no program to start.
//!
//! A call has a thread of its own, whose working directory is the caller's, and is handled as the full program handles
//! it. What the resident cannot handle at once it declines, and the caller becomes the full program.

mod limits;
mod log;

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pintle_hook::{
    CallMessage, FrameError, HookAnswer, MAX_CALL_BYTES, ResidentReply, ResidentRequest, ServeDir, SocketLock,
    SocketPeer, environment_digest, read_frame, write_frame,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::thread::UnshareFlags;
use serde_json::json;

use crate::{Deadline, HostResponse};
use limits::ConnectionLimits;
use log::ResidentLog;

/// How often the resident looks whether it should end.
const TICK: Duration = Duration::from_secs(1);
/// How often it looks after calls that run longer.
const CALL_TICK: Duration = Duration::from_millis(50);
/// How long a caller may take to send a call.
const HEARING: Duration = Duration::from_secs(10);
/// The stack of a call's thread, as that of a program's main thread.
const STACK_BYTES: usize = 8 << 20;
/// The most command lines that are kept parsed.
const MAX_COMMANDS: usize = 64;

/// The file of the residents' log, beside their sockets.
const LOG: &str = "residents.log";

/// A parsed command line of `pintle hook`.
pub trait ResidentCommand: Send + Sync {
    /// The time limit for its answer, in milliseconds.
    fn deadline_ms(&self) -> u64;

    /// Handles one call from this thread's working directory.
    fn answer(&self, payload: &Arc<Vec<u8>>, deadline: &Arc<Deadline>) -> HostResponse;
}

/// Parses the arguments of a call.
pub type ParseCommand = dyn Fn(&[OsString]) -> Option<Arc<dyn ResidentCommand>> + Send + Sync;

/// What a resident is started with.
pub struct ResidentOptions {
    /// The state directory, which has the socket.
    pub state_dir: PathBuf,
    /// How long it waits for a call before it ends.
    pub idle: Duration,
    /// Parses the arguments of a call; `None` for what only the full program handles.
    pub parse: Box<ParseCommand>,
    /// What it does last, when it answers no more calls; the returned text goes into its log.
    pub at_end: Box<dyn Fn() -> Option<String> + Send + Sync>,
}

type CallArguments = Vec<Vec<u8>>;

/// The state that the threads of a resident share.
struct ResidentState {
    options: ResidentOptions,
    /// The file of this program, and its path.
    program: (Metadata, PathBuf),
    limits: ConnectionLimits,
    /// The command lines that were parsed, by their arguments.
    commands: Mutex<HashMap<CallArguments, Arc<dyn ResidentCommand>>>,
    running: Mutex<Vec<AnsweringCall>>,
    is_stopping: AtomicBool,
    calls: AtomicU64,
    declined: AtomicU64,
    last_call: Mutex<Instant>,
    began: Instant,
    log: ResidentLog,
}

/// A call that is not answered yet.
struct AnsweringCall {
    number: u64,
    deadline: Arc<Deadline>,
    connection: Arc<UnixStream>,
}

/// Runs the resident of this process's environment until it is idle, stopped or replaced.
///
/// # Errors
/// When another one runs, as [`AddrInUse`](ErrorKind::AddrInUse), or its socket cannot be made.
pub fn run_resident(options: ResidentOptions) -> io::Result<()> {
    // Whatever ends the agent or its terminal ends its processes, too. It already leads a session if it was started by hand.
    let _ = rustix::process::setsid();
    let dir = ServeDir::create(&options.state_dir)?;
    let environment = environment_digest(env::vars_os());
    let (listener, lock) = dir.listen(&environment)?;
    let program = env::current_exe()?;
    let resident = Arc::new(ResidentState {
        program: (fs::metadata(&program)?, program),
        limits: ConnectionLimits::default(),
        commands: Mutex::default(),
        running: Mutex::default(),
        is_stopping: AtomicBool::new(false),
        calls: AtomicU64::new(0),
        declined: AtomicU64::new(0),
        last_call: Mutex::new(Instant::now()),
        began: Instant::now(),
        log: ResidentLog::open(&dir.path().join(LOG)),
        options,
    });
    let logging = Arc::clone(&resident);
    // The caller gets no answer from a call that panics, and becomes the full program.
    panic::set_hook(Box::new(move |panicked| logging.log.write(&panicked.to_string())));
    resident.log.write(&format!("started as process {}", std::process::id()));
    listener.set_nonblocking(true)?;
    let why = resident.accept_calls(&listener, &lock);
    // From here on callers find none, and become the full program.
    drop((listener, lock));
    resident.is_stopping.store(true, Ordering::Relaxed);
    while !lock_all(&resident.running).is_empty() {
        thread::sleep(CALL_TICK);
        resident.look_after_calls();
    }
    if let Some(done) = (resident.options.at_end)() {
        resident.log.write(&done);
    }
    resident.log.write(&format!("ended: {why}"));
    Ok(())
}

fn lock_all<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ResidentState {
    /// Accepts calls until there is a reason to end, and returns it.
    fn accept_calls(self: &Arc<Self>, listener: &UnixListener, lock: &SocketLock) -> String {
        let mut last_look = Instant::now();
        loop {
            let tick = if self.limits.is_idle() { TICK } else { CALL_TICK };
            let _ = poll(&mut [PollFd::new(listener, PollFlags::IN)], Timespec::try_from(tick).ok().as_ref());
            if last_look.elapsed() >= CALL_TICK {
                self.look_after_calls();
                last_look = Instant::now();
            }
            match listener.accept() {
                Ok((connection, _)) => self.greet(connection),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                    if let Some(why) = self.reason_to_end(lock) {
                        return why;
                    }
                }
                // Too many open files, for example: calls that end make room.
                Err(error) => {
                    self.log.write(&format!("cannot accept a call: {error}"));
                    thread::sleep(CALL_TICK);
                }
            }
            if self.is_stopping.load(Ordering::Relaxed) {
                return String::from("it was stopped");
            }
        }
    }

    fn reason_to_end(&self, lock: &SocketLock) -> Option<String> {
        let is_idle = lock_all(&self.running).is_empty() && lock_all(&self.last_call).elapsed() > self.options.idle;
        match () {
            () if is_idle => Some(String::from("no call came")),
            () if !lock.is_found() => Some(String::from("its socket was removed")),
            () if self.is_replaced() => Some(String::from("the program was replaced")),
            () => None,
        }
    }

    /// Whether the program's file is another one now, such as that of a newer version.
    fn is_replaced(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let identity = |found: &Metadata| (found.dev(), found.ino());
        let (program, path) = &self.program;
        !fs::metadata(path).is_ok_and(|found| identity(&found) == identity(program))
    }

    /// Gives a connection a thread of its own.
    fn greet(self: &Arc<Self>, connection: UnixStream) {
        let Ok(peer) = SocketPeer::from_stream(&connection) else { return };
        // The directory is private, so this is somebody with more rights than the user.
        if peer.account != rustix::process::geteuid().as_raw() {
            return self.log.write(&format!("refused a call of account {}", peer.account));
        }
        let Some(place) = self.limits.admit(peer.process) else {
            self.declined.fetch_add(1, Ordering::Relaxed);
            let declined = ResidentReply::Declined(String::from("busy")).to_bytes();
            let _ = connection.set_nonblocking(true).and_then(|()| write_frame(&mut &connection, &declined));
            return;
        };
        let (resident, connection) = (Arc::clone(self), Arc::new(connection));
        let serve = move || {
            // The thread gets a working directory of its own. Without one the caller's cannot be used.
            #[expect(deprecated, reason = "only sharing of descriptors is unsafe, and they stay shared")]
            if rustix::thread::unshare(UnshareFlags::FS).is_ok() {
                resident.serve(&connection);
            }
            drop(place);
        };
        let spawned = thread::Builder::new().name(String::from("call")).stack_size(STACK_BYTES).spawn(serve);
        if let Err(error) = spawned {
            self.log.write(&format!("cannot start a thread: {error}"));
        }
    }

    /// Serves one connection, on which calls follow each other.
    fn serve(&self, connection: &Arc<UnixStream>) {
        let limited = connection
            .set_nonblocking(false)
            .and_then(|()| connection.set_read_timeout(Some(HEARING)))
            .and_then(|()| connection.set_write_timeout(Some(HEARING)));
        if limited.is_err() {
            return;
        }
        loop {
            let request =
                read_frame(&mut &**connection, MAX_CALL_BYTES).and_then(|body| ResidentRequest::from_bytes(&body));
            let reply = match request {
                Ok(ResidentRequest::Call(call)) => match self.handle(call, connection) {
                    Ok(Some(answer)) => ResidentReply::Answer(answer),
                    // The answer that the time was over is written.
                    Ok(None) => return,
                    Err(reason) => {
                        self.declined.fetch_add(1, Ordering::Relaxed);
                        self.log.write(&format!("declined a call: {reason}"));
                        ResidentReply::Declined(reason)
                    }
                },
                Ok(ResidentRequest::Status) => ResidentReply::Report(self.status()),
                Ok(ResidentRequest::Stop) => {
                    self.is_stopping.store(true, Ordering::Relaxed);
                    ResidentReply::Report(String::from("stopping"))
                }
                Err(FrameError::Io(_)) => return,
                Err(FrameError::Malformed) => ResidentReply::Declined(String::from("this is no call")),
            };
            let goes_on = matches!(reply, ResidentReply::Answer(_));
            if write_frame(&mut &**connection, &reply.to_bytes()).is_err() || !goes_on {
                return;
            }
        }
    }

    /// Handles a call; `None` if its time was over, and that was answered.
    fn handle(&self, call: CallMessage, connection: &Arc<UnixStream>) -> Result<Option<HookAnswer>, String> {
        *lock_all(&self.last_call) = Instant::now();
        if call.version != env!("CARGO_PKG_VERSION").as_bytes() || self.is_replaced() {
            self.is_stopping.store(true, Ordering::Relaxed);
            return Err(String::from("the caller is another version"));
        }
        let cwd = Path::new(std::ffi::OsStr::from_bytes(&call.cwd));
        if !cwd.is_absolute() {
            return Err(String::from("the caller's directory is not known"));
        }
        env::set_current_dir(cwd).map_err(|error| format!("cannot use the caller's directory: {error}"))?;
        let command = self.command(&call.arguments).ok_or("its command line is left to the full program")?;
        let deadline = Deadline::from_ms(command.deadline_ms());
        let within_ms = u32::try_from(deadline.longest_ms()).unwrap_or(u32::MAX);
        let unsent = |error: io::Error| format!("the caller is gone: {error}");
        write_frame(&mut &**connection, &ResidentReply::Accepted { within_ms }.to_bytes()).map_err(unsent)?;
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let watched = AnsweringCall { number, deadline: Arc::clone(&deadline), connection: Arc::clone(connection) };
        lock_all(&self.running).push(watched);
        let response = command.answer(&Arc::new(call.payload), &deadline);
        let is_first = deadline.claim_response();
        lock_all(&self.running).retain(|running| running.number != number);
        *lock_all(&self.last_call) = Instant::now();
        Ok(is_first.then(|| to_answer(response)))
    }

    fn command(&self, arguments: &[Vec<u8>]) -> Option<Arc<dyn ResidentCommand>> {
        if let Some(known) = lock_all(&self.commands).get(arguments) {
            return Some(Arc::clone(known));
        }
        let words: Vec<_> = arguments.iter().cloned().map(OsString::from_vec).collect();
        let command = (self.options.parse)(&words)?;
        let mut commands = lock_all(&self.commands);
        if commands.len() >= MAX_COMMANDS {
            commands.clear();
        }
        commands.insert(arguments.to_vec(), Arc::clone(&command));
        Some(command)
    }

    /// Looks after the calls that run longer: ends those whose time is over or whose caller is gone.
    fn look_after_calls(&self) {
        for call in &*lock_all(&self.running) {
            let mut fds = [PollFd::new(&*call.connection, PollFlags::RDHUP)];
            if poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0) {
                call.deadline.abandon();
            }
            if let Some(response) = call.deadline.overdue_response() {
                let _ = write_frame(&mut &*call.connection, &ResidentReply::Answer(to_answer(response)).to_bytes());
            }
        }
    }

    fn status(&self) -> String {
        let resident_kib = fs::read_to_string("/proc/self/status").ok().and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok())
        });
        json!({
            "process": std::process::id(),
            "version": env!("CARGO_PKG_VERSION"),
            "seconds": self.began.elapsed().as_secs(),
            "calls": self.calls.load(Ordering::Relaxed),
            "running": lock_all(&self.running).len(),
            "declined": self.declined.load(Ordering::Relaxed),
            "memory_bytes": resident_kib.map(|kib| kib << 10),
        })
        .to_string()
    }
}

fn to_answer(response: HostResponse) -> HookAnswer {
    HookAnswer {
        exit_code: response.exit_code,
        stdout: response.stdout.into_bytes(),
        stderr: response.stderr.into_bytes(),
    }
}

/// A resident that was asked something other than a call.
#[derive(Debug)]
pub struct ResidentReport {
    /// The digest of its environment.
    pub environment: String,
    /// Its answer, a JSON object; `None` if none answers.
    pub answer: Option<String>,
}

/// Asks every resident of a state directory. Those that do not answer within a second are listed without an answer.
///
/// # Errors
/// When the directory of their sockets cannot be used. One that does not exist has none.
pub fn ask_residents(state_dir: &Path, request: &ResidentRequest) -> io::Result<Vec<ResidentReport>> {
    let dir = match ServeDir::open(state_dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        dir => dir?,
    };
    let report = |environment: String| {
        let answer = dir.connect(&environment).ok().and_then(|connection| {
            connection.set_read_timeout(Some(TICK)).ok()?;
            write_frame(&mut &connection, &request.to_bytes()).ok()?;
            match ResidentReply::from_bytes(&read_frame(&mut &connection, 1 << 16).ok()?).ok()? {
                ResidentReply::Report(text) => Some(text),
                ResidentReply::Accepted { .. } | ResidentReply::Answer(_) | ResidentReply::Declined(_) => None,
            }
        });
        ResidentReport { answer, environment }
    };
    Ok(dir.environments().into_iter().map(report).collect())
}

/// The log of the residents of a state directory, empty if there is none. A line has the time in milliseconds since 1970,
/// the process and what it did.
///
/// # Errors
/// When the directory cannot be used, or the log cannot be read.
pub fn read_resident_log(state_dir: &Path) -> io::Result<String> {
    match ServeDir::open(state_dir).and_then(|dir| pintle_host::files::read_text(dir.path().join(LOG))) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read,
    }
}
