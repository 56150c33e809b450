//! Killing what a program left behind.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

/// How long one sweep tries. What is left then cannot be killed by us: it belongs to another user, or hangs in the
/// system.
const PATIENCE: Duration = Duration::from_secs(5);

/// Kills and reaps all children of this process, and their children, which become ours when they lose their parents.
///
/// Only children of this process are killed, and the groups they lead: nobody else can reap them, so that no number
/// can have passed to a stranger.
pub(in crate::process) fn reap_descendants() -> io::Result<()> {
    if reap_ended() {
        return Ok(());
    }
    let began = Instant::now();
    let mut pause = Duration::from_micros(50);
    loop {
        for child in read_children(std::process::id())? {
            // A group of that number is led by the child or not there. One call ends the whole group, and no fork slips
            // through it.
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

/// Reaps who has ended; true when no child is left.
fn reap_ended() -> bool {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Kills the children of a launcher that was stopped, which could stop it again as often as it is woken. Nobody reaps
/// them meanwhile, and a number that has passed to a stranger all the same is told by its parent.
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

/// The children of a supervisor; none when it is gone.
pub(in crate::process) fn supervised_children(supervisor: Pid) -> Vec<Pid> {
    read_children(supervisor.as_raw_nonzero().get().unsigned_abs()).unwrap_or_default()
}

/// The children of a process which has one thread that starts any.
fn read_children(of: u32) -> io::Result<Vec<Pid>> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{of}/task"))? {
        match fs::read_to_string(task?.path().join("children")) {
            Ok(listed) => found.extend(listed.split_ascii_whitespace().filter_map(parse_pid)),
            Err(_) => return scan_children(of),
        }
    }
    Ok(found)
}

/// The same for kernels that keep no such list.
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

/// The state of a process and its parent.
fn read_stat(pid: &str) -> Option<(String, String)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before the bracket may hold anything; the state and the parent follow.
    let mut after = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    Some((after.next()?.to_owned(), after.next()?.to_owned()))
}

fn parse_pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}
