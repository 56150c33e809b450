//! Kills the processes that a program left behind.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

/// The time limit of one sweep. Processes that are left then cannot be killed: they belong to another user, or hang in
/// the kernel.
const PATIENCE: Duration = Duration::from_secs(5);

/// Kills and reaps all children of this process, and their children, which become its own when they lose their parents.
///
/// Only children of this process, and the process groups they lead, are killed: no other process can reap them, so their
/// IDs cannot have been reused.
pub(in crate::process) fn reap_descendants() -> io::Result<()> {
    if reap_ended() {
        return Ok(());
    }
    let began = Instant::now();
    let mut pause = Duration::from_micros(50);
    loop {
        for child in read_children(std::process::id())? {
            // A group with that ID is led by the child or does not exist. One call kills the whole group, and no fork
            // can escape it.
            let _ = kill_process_group(child, Signal::KILL);
            let _ = kill_process(child, Signal::KILL);
        }
        if reap_ended() {
            return Ok(());
        }
        if began.elapsed() > PATIENCE {
            return Err(io::Error::other("a descendant of the program cannot be killed"));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
        if reap_ended() {
            return Ok(());
        }
    }
}

/// Reaps processes that have ended; true if no child is left.
fn reap_ended() -> bool {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Kills the children of a stopped launcher, which could stop it again whenever it is continued. They are not reaped
/// meanwhile, and a reused ID is detected by its parent.
#[cfg(target_os = "linux")]
pub(super) fn kill_stopped(launcher: Pid) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

    let launcher = launcher.as_raw_nonzero().get().unsigned_abs();
    if read_stat(&launcher.to_string()).is_none_or(|(state, _)| state != "T") {
        return;
    }
    for child in read_children(launcher).unwrap_or_default() {
        let Ok(handle) = pidfd_open(child, PidfdFlags::empty()) else { continue };
        let parent = read_stat(&child.as_raw_nonzero().to_string()).map(|(_, parent)| parent);
        if parent == Some(launcher.to_string()) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill_stopped(_launcher: Pid) {}

/// The children of a supervisor; none if it has ended.
pub(in crate::process) fn supervised_children(supervisor: Pid) -> Vec<Pid> {
    read_children(supervisor.as_raw_nonzero().get().unsigned_abs()).unwrap_or_default()
}

/// The children of a process in which only one thread starts any.
fn read_children(parent: u32) -> io::Result<Vec<Pid>> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{parent}/task"))? {
        match fs::read_to_string(task?.path().join("children")) {
            Ok(listed) => found.extend(listed.split_ascii_whitespace().filter_map(parse_pid)),
            Err(_) => return scan_children(parent),
        }
    }
    Ok(found)
}

/// The same for kernels without such a list.
fn scan_children(parent: u32) -> io::Result<Vec<Pid>> {
    let parent = parent.to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let entry = entry?;
        let Some(pid) = entry.file_name().to_str().and_then(parse_pid) else { continue };
        if entry.file_name().to_str().and_then(read_stat).is_some_and(|(_, its)| its == parent) {
            found.push(pid);
        }
    }
    Ok(found)
}

/// The state and the parent of a process.
fn read_stat(pid: &str) -> Option<(String, String)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything; the state and the parent follow.
    let mut after = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    Some((after.next()?.to_owned(), after.next()?.to_owned()))
}

fn parse_pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}
