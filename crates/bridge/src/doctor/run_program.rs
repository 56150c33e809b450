//! Runs a program as a host would.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use pintle_host::contract::CancelToken;
use pintle_host::process::{self, ProcessEnvironment, ProcessSpec};

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
/// limit, in milliseconds, is killed with all its child processes. The error says why it had no result.
pub(crate) fn run(
    words: &[&OsStr],
    environment: &InstallEnvironment,
    input: &str,
    limit_ms: u64,
) -> Result<ProgramRun, String> {
    let spec = ProcessSpec {
        stdin: Arc::from(input.as_bytes()),
        timeout_ms: limit_ms,
        output_bytes: usize::MAX,
        ..describe_program(words, environment).ok_or("its command line is not UTF-8 text")?
    };
    let output = process::run(&spec, &CancelToken::default()).map_err(|error| error.to_string())?;
    if output.timed_out {
        return Err(format!("no answer within {limit_ms} ms"));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(ProgramRun { stdout: text(&output.stdout), stderr: text(&output.stderr), status: output.exit_code })
}

/// Exchanges messages with a program that runs until it is told to end: writes this to its standard input, and returns
/// the first line of its standard output that can be parsed.
pub(crate) fn exchange_line<T>(
    words: &[&OsStr],
    environment: &InstallEnvironment,
    input: &str,
    limit_ms: u64,
    means: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let until = Instant::now() + Duration::from_millis(limit_ms);
    let mut command = process::build_command(&describe_program(words, environment)?);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().ok()?;
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
    // It may have just ended.
    #[cfg(unix)]
    let _ = {
        use rustix::process::{Pid, Signal, kill_process_group};
        kill_process_group(Pid::from_child(&child), Signal::KILL)
    };
    #[cfg(not(unix))]
    let _ = child.kill();
    // The program was killed; its exit status does not matter.
    let _ = child.wait();
    found
}

fn describe_program(words: &[&OsStr], environment: &InstallEnvironment) -> Option<ProcessSpec> {
    let words = words.iter().map(|word| word.to_str().map(str::to_owned)).collect::<Option<Vec<String>>>()?;
    let (program, arguments) = words.split_first()?;
    let home = (String::from("HOME"), environment.home.to_str()?.to_owned());
    let others = environment.variables_of_line().into_iter().filter(|(name, _)| name != "HOME");
    Some(ProcessSpec {
        directory: Some(environment.project.clone()),
        environment: ProcessEnvironment::Exactly(others.chain([home]).collect()),
        ..ProcessSpec::new(program, arguments.to_vec())
    })
}
