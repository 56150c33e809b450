//! Supervised programs end with their host or at their time limit, whatever they do.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SUPERVISOR: &str = env!("CARGO_BIN_EXE_pintle-script-worker");

/// A program that leaves its process group and session, and one that stays.
const ESCAPES: &str = "setsid sh -c 'echo $$ > far; exec sleep 1000' & echo $$ > near; exec sleep 1000";

/// Waits for the process ID that a program writes.
fn read_pid(path: &Path) -> String {
    let began = Instant::now();
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            return text.trim().to_owned();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{} was never written", path.display());
        std::thread::yield_now();
    }
}

fn is_alive(number: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    // A process that was not reaped yet is dead as well.
    !stat.is_empty() && !stat.contains(") Z ")
}

fn assert_ends(number: &str) {
    let began = Instant::now();
    while is_alive(number) {
        assert!(began.elapsed() < Duration::from_secs(60), "{number} is still there");
        std::thread::yield_now();
    }
}

#[test]
fn a_program_ends_with_its_time_when_its_host_is_long_gone() {
    let dir = tempfile::tempdir().unwrap();
    let mut supervisor = Command::new(SUPERVISOR)
        .args(["--supervise", "0", "1500", "/bin/sh", "-c", ESCAPES])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let numbers = [read_pid(&dir.path().join("near")), read_pid(&dir.path().join("far"))];
    supervisor.wait().unwrap();
    numbers.iter().for_each(|number| assert_ends(number));
}

#[test]
fn a_program_ends_with_its_host_however_that_ends() {
    let dir = tempfile::tempdir().unwrap();
    let host = format!("echo $$ > host; '{SUPERVISOR}' --supervise $$ 0 /bin/sh -c \"$0\" & wait");
    let mut host = Command::new("/bin/sh").args(["-c", &host, ESCAPES]).current_dir(dir.path()).spawn().unwrap();
    let numbers = [read_pid(&dir.path().join("near")), read_pid(&dir.path().join("far"))];
    assert!(numbers.iter().all(|number| is_alive(number)));
    host.kill().unwrap();
    host.wait().unwrap();
    numbers.iter().for_each(|number| assert_ends(number));
}

#[test]
fn a_supervisor_ends_what_its_program_left_behind_and_tells_its_status() {
    let dir = tempfile::tempdir().unwrap();
    let left = "setsid sh -c 'echo $$ > far; exec sleep 1000' & while [ ! -s far ]; do :; done; exit 7";
    let own = std::process::id().to_string();
    let status = Command::new(SUPERVISOR)
        .args(["--supervise", &own, "0", "/bin/sh", "-c", left])
        .current_dir(dir.path())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(7));
    assert_ends(&read_pid(&dir.path().join("far")));
}
