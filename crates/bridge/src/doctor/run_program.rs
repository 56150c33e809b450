//! Runs a program as a host would.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::install::InstallEnvironment;

/// The result of running a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramRun {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The exit status; `None` if a signal ended it.
    pub(crate) status: Option<i32>,
}

/// Runs a program in the project's directory, with the environment and this standard input. A program that exceeds the
/// limit, in milliseconds, is killed with all its child processes; then the result is `None`.
pub(crate) fn run(words: &[&OsStr], site: &InstallEnvironment, input: &str, limit_ms: u64) -> Option<ProgramRun> {
    let mut child = spawn_program(words, site)?;
    let group = Pid::from_child(&child);
    let stdin = child.stdin.take();
    let input = input.to_owned();
    // Do not wait for a program that does not read its input.
    thread::spawn(move || drop(stdin.map(|mut stdin| stdin.write_all(input.as_bytes()))));
    let (done, wait) = mpsc::channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    let Ok(ended) = wait.recv_timeout(Duration::from_millis(limit_ms)) else {
        kill_group(group);
        return None;
    };
    let output = ended.ok()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(ProgramRun { stdout: text(&output.stdout), stderr: text(&output.stderr), status: output.status.code() })
}

/// Exchanges messages with a program that runs until it is told to end: writes this to its standard input, and returns
/// the first line of its standard output that can be parsed.
pub(crate) fn exchange_line<T>(
    words: &[&OsStr],
    site: &InstallEnvironment,
    input: &str,
    limit_ms: u64,
    means: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let until = Instant::now() + Duration::from_millis(limit_ms);
    let mut child = spawn_program(words, site)?;
    let group = Pid::from_child(&child);
    // Closing standard input would end the program.
    let mut stdin = child.stdin.take()?;
    let stdout = child.stdout.take()?;
    let (said, lines) = mpsc::channel();
    thread::spawn(move || BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|line| said.send(line)));
    let mut found = None;
    if stdin.write_all(input.as_bytes()).is_ok() {
        while let (None, Ok(line)) = (&found, lines.recv_timeout(until.saturating_duration_since(Instant::now()))) {
            found = means(&line);
        }
    }
    kill_group(group);
    // The program was killed; its exit status does not matter.
    let _ = child.wait();
    found
}

fn spawn_program(words: &[&OsStr], site: &InstallEnvironment) -> Option<Child> {
    let (program, arguments) = words.split_first()?;
    Command::new(program)
        .args(arguments)
        .current_dir(&site.project)
        .env_clear()
        .envs(&site.variables)
        .env("HOME", &site.home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .ok()
}

fn kill_group(group: Pid) {
    // It may have just ended.
    let _ = kill_process_group(group, Signal::KILL);
}
