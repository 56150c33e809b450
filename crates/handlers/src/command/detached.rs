//! Runs background commands.
//!
//! Such a program is not a child of a launcher, which would end it with the call: it may outlive the call, and this
//! process. A supervisor ends it and its descendants when its time limit expires. Without a supervisor, this process
//! kills the program's process group, as long as this process runs.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pintle_contract::{Codec, Failure, FailureKind, Handler, HookCall, HookInfluence, Verdict};
use rustix::process::{Pid, Signal, kill_process_group};

use super::one_shot::HookCommand;
use crate::hook_input::{InputTerminator, encode_input};
use crate::process::{self, ProcessSpec, SupervisionEnd};

/// The most background programs of one hook that may run at once; further ones are not started.
const MOST_AT_ONCE: usize = 16;

/// The interval between checks whether a program has ended.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The delay after a supervisor's time limit until this process kills a program itself.
const LATE: Duration = Duration::from_secs(2);

/// A hook that runs a background command. Its output is ignored.
#[derive(Debug)]
pub(super) struct DetachedCommandHandler {
    pub(super) program: Arc<HookCommand>,
    pub(super) codec: Arc<dyn Codec>,
    /// The number of running programs.
    pub(super) running_count: Arc<AtomicUsize>,
}

impl Handler for DetachedCommandHandler {
    fn kind(&self) -> &'static str {
        "command"
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn influence(&self, _event_alias: &str) -> HookInfluence {
        HookInfluence::Observes
    }

    fn acts_outside(&self) -> bool {
        true
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        if call.cancel.is_cancelled() {
            return Verdict::failed(Failure::new(FailureKind::Cancelled, "the call was cancelled"));
        }
        let (place, warning) = self.program.resolve_environment(call, &*self.codec);
        let stdin = match encode_input(&*self.codec, call, InputTerminator::Unterminated) {
            Ok(stdin) => stdin,
            Err(failure) => return Verdict::failed(failure),
        };
        let verdict = match self.start_detached(&self.program.process_spec(&place, stdin, call.limits)) {
            Ok(()) => Verdict::pass(),
            Err(reason) => Verdict::failed(Failure::new(FailureKind::Error, reason)),
        };
        warning.into_iter().fold(verdict, Verdict::with_warning)
    }
}

impl DetachedCommandHandler {
    fn start_detached(&self, spec: &ProcessSpec) -> Result<(), String> {
        if self.running_count.fetch_add(1, Ordering::AcqRel) >= MOST_AT_ONCE {
            self.running_count.fetch_sub(1, Ordering::AcqRel);
            return Err(format!(
                "{MOST_AT_ONCE} runs of it are still active in the background, so no other is started"
            ));
        }
        let running = Arc::clone(&self.running_count);
        let ended = move || running.fetch_sub(1, Ordering::AcqRel);
        let child = match spawn_supervised(spec) {
            Ok(child) => child,
            Err(error) => {
                ended();
                return Err(format!("cannot run `{}` in the background: {error}", spec.program));
            }
        };
        let time = Duration::from_millis(spec.timeout_ms);
        let watching = thread::Builder::new().name(String::from("background")).spawn(move || {
            watch_until_end(child, time);
            ended();
        });
        watching.map(drop).map_err(|error| format!("cannot supervise a program in the background: {error}"))
    }
}

/// Starts the program with its complete input and without output.
fn spawn_supervised(spec: &ProcessSpec) -> io::Result<Child> {
    let supervised = process::supervised(SupervisionEnd::Timeout(spec.timeout_ms), &spec.program, &spec.arguments);
    let mut own = spec.clone();
    if let Some((program, arguments)) = supervised.filter(|_| program_exists(spec)) {
        (own.program, own.arguments) = (program.display().to_string(), arguments);
    }
    let mut command = process::build_command(&own);
    command.stdin(whole_input(&spec.stdin)?).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    crate::sandbox::run_sandboxed(spec.sandbox, || command.spawn())?
}

/// Whether the program exists, which a supervisor cannot report.
fn program_exists(spec: &ProcessSpec) -> bool {
    let below =
        |path: PathBuf| spec.directory.as_ref().map_or(path.clone(), |directory| directory.join(&path)).exists();
    let path = std::env::var_os("PATH").unwrap_or_default();
    match spec.program.contains('/') {
        true => below(PathBuf::from(&spec.program)),
        false => std::env::split_paths(&path).any(|dir| below(dir.join(&spec.program))),
    }
}

/// Waits for the program to end, and kills it shortly after its supervisor should have done so.
fn watch_until_end(mut child: Child, time: Duration) {
    let time = time + LATE;
    let began = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        let left = time.saturating_sub(began.elapsed());
        if left.is_zero() {
            // The group exists until its leader is reaped, so this cannot kill an unrelated process.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            let _ = child.wait();
            return;
        }
        thread::sleep(left.min(LOOK_EVERY));
    }
}

/// An input that is completely available before the program starts, so that this process may end first.
#[cfg(target_os = "linux")]
fn whole_input(bytes: &[u8]) -> io::Result<Stdio> {
    use std::fs::File;
    use std::io::{Seek, Write};

    let mut file = File::from(rustix::fs::memfd_create("payload", rustix::fs::MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(Stdio::from(file))
}

/// An input that a thread of this process writes, on systems without memory files.
#[cfg(not(target_os = "linux"))]
fn whole_input(bytes: &[u8]) -> io::Result<Stdio> {
    use std::io::Write;

    let (reader, mut writer) = io::pipe()?;
    let bytes = bytes.to_vec();
    // A program that does not read its input is not an error.
    thread::Builder::new().name(String::from("feed")).spawn(move || drop(writer.write_all(&bytes)))?;
    Ok(Stdio::from(reader))
}
