//! Supervises programs that run next to this process, such as servers, or longer than it. Each has a supervisor, which
//! ends it and all its descendants when the program ends, when its time limit expires, or when this process ends for
//! any reason.
//!
//! The supervisor is the launcher's program with other arguments. Input and outputs belong to the program; the
//! supervisor does not use them.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
#[cfg(target_os = "linux")]
use {
    super::exit_watcher::ExitWatcher,
    rustix::event::{PollFd, PollFlags},
    std::os::fd::AsFd,
    std::os::unix::process::CommandExt,
    std::process::Command,
    std::time::Instant,
};

use super::launcher;

/// The interval between checks without other events.
#[cfg(target_os = "linux")]
const LONG: Duration = Duration::from_secs(3600);

/// The argument that makes the launcher's program a supervisor, followed by the ID of its host process, its time limit
/// in milliseconds, and the program.
const ARGUMENT: &str = "--supervise";

/// The time at which a supervisor ends its program, unless it has ended by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SupervisionEnd {
    /// When this process ends.
    HostExit,
    /// After this many milliseconds, even if this process has ended.
    Timeout(u64),
}

/// The command line that starts a program under a supervisor; `None` if supervisors are not available.
pub(crate) fn supervised_command(
    end: SupervisionEnd,
    program: &str,
    arguments: &[String],
) -> Option<(PathBuf, Vec<String>)> {
    let supervisor =
        launcher::launcher_program().filter(|known| known.program.is_absolute() && known.program.is_file())?;
    let (host, time_ms) = match end {
        SupervisionEnd::HostExit => (std::process::id(), 0),
        SupervisionEnd::Timeout(time_ms) => (0, time_ms.max(1)),
    };
    let own = [ARGUMENT.to_owned(), host.to_string(), time_ms.to_string(), program.to_owned()];
    Some((supervisor.program, supervisor.arguments.into_iter().chain(own).chain(arguments.iter().cloned()).collect()))
}

/// Ends the program of a supervisor, which then ends the rest and itself.
pub(crate) fn end_supervised(supervisor: Pid) {
    for child in launcher::supervised_children(supervisor) {
        let _ = kill_process_group(child, Signal::KILL);
    }
}

/// Runs as a supervisor, if this process was started as one.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip_while(|argument| argument != ARGUMENT).skip(1);
    let host: i32 = arguments.next()?.to_str()?.parse().ok()?;
    let time_ms: u64 = arguments.next()?.to_str()?.parse().ok()?;
    let program = arguments.next()?;
    let time = (time_ms > 0).then(|| Duration::from_millis(time_ms));
    Some(supervise(Pid::from_raw(host), time, &program, arguments).unwrap_or(ExitCode::FAILURE))
}

#[cfg(target_os = "linux")]
fn supervise(
    host: Option<Pid>,
    time: Option<Duration>,
    program: &OsString,
    arguments: impl Iterator<Item = OsString>,
) -> io::Result<ExitCode> {
    use rustix::process::{PidfdFlags, WaitId, WaitIdOptions, getppid, pidfd_open, waitid};

    let end = time.map(|time| Instant::now() + time);
    launcher::become_subreaper()?;
    let host_end = host.map(|host| pidfd_open(host, PidfdFlags::empty())).transpose()?;
    // The ID may have been reused by now; then this process already has another parent.
    if host.is_some() && getppid() != host {
        return Err(io::ErrorKind::NotFound.into());
    }
    let child = Command::new(program).args(arguments).process_group(0).spawn()?;
    let leader = Pid::from_child(&child);
    let watched = ExitWatcher::new(&child).and_then(|watch| {
        let exit = watch.as_fd().ok_or(io::ErrorKind::Unsupported)?;
        let ends = [Some(exit), host_end.as_ref().map(AsFd::as_fd)].into_iter().flatten();
        let mut fds: Vec<PollFd<'_>> = ends.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        while fds.iter().all(|fd| fd.revents().is_empty()) {
            let left = end.map_or(LONG, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            super::pipes::poll_fds(&mut fds, left.min(LONG))?;
        }
        Ok(())
    });
    // The group exists until its leader is reaped.
    let _ = kill_process_group(leader, Signal::KILL);
    let status = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED)?;
    launcher::reap_descendants()?;
    watched?;
    let code = status.and_then(|status| status.exit_status()).and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

#[cfg(not(target_os = "linux"))]
fn supervise(
    _host: Option<Pid>,
    _time: Option<Duration>,
    _program: &OsString,
    _arguments: impl Iterator<Item = OsString>,
) -> io::Result<ExitCode> {
    Err(io::ErrorKind::Unsupported.into())
}
