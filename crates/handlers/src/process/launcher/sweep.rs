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
pub(super) fn sweep() -> io::Result<()> {
    if reap() {
        return Ok(());
    }
    let began = Instant::now();
    let mut pause = Duration::from_micros(50);
    loop {
        for child in children()? {
            // A group of that number is led by the child or not there. One call ends the whole group, and no fork slips
            // through it.
            let _ = kill_process_group(child, Signal::KILL);
            let _ = kill_process(child, Signal::KILL);
        }
        if reap() {
            return Ok(());
        }
        if began.elapsed() > PATIENCE {
            return Err(io::Error::other("a descendant of the program cannot be killed"));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
        if reap() {
            return Ok(());
        }
    }
}

/// Reaps who has ended; true when no child is left.
fn reap() -> bool {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// The children of this process, which has one thread that starts any.
fn children() -> io::Result<Vec<Pid>> {
    let own = std::process::id();
    let mut found = Vec::new();
    for task in fs::read_dir("/proc/self/task")? {
        match fs::read_to_string(task?.path().join("children")) {
            Ok(listed) => found.extend(listed.split_ascii_whitespace().filter_map(pid)),
            Err(_) => return search(own),
        }
    }
    Ok(found)
}

/// The same for kernels that keep no such list.
fn search(parent: u32) -> io::Result<Vec<Pid>> {
    let parent = parent.to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let entry = entry?;
        let Some(pid) = entry.file_name().to_str().and_then(pid) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name before the bracket may hold anything; the state and the parent follow.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        if after.split_ascii_whitespace().nth(1) == Some(&parent) {
            found.push(pid);
        }
    }
    Ok(found)
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}
