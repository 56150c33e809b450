//! Runs a program with a time limit.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use pintle_testkit::model_server::ReceivedRequest;

/// The time limit of a client. Some are slow to start.
const PATIENCE: Duration = Duration::from_secs(180);

#[derive(Debug)]
pub(super) struct CommandRun {
    pub(super) status: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl CommandRun {
    /// What the program printed, and the requests that its model got.
    pub(super) fn transcript(&self, conversation: &[ReceivedRequest]) -> String {
        let mut text = format!("{self:#?}\n");
        for request in conversation {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "== {} {}\n{}", request.method, request.path, request.body);
        }
        text
    }
}

/// Runs a program with empty standard input.
pub(super) fn run(command: &mut Command) -> Result<CommandRun, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.map_err(|error| format!("cannot run `{name}`: {error}"))?;
    let id = child.id().to_string();
    let (done, wait) = mpsc::channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    let ended = wait.recv_timeout(PATIENCE).map_err(|_| {
        // The program may already have ended.
        drop(Command::new("kill").args(["-9", &id]).status());
        format!("`{name}` did not end within {} s", PATIENCE.as_secs())
    })?;
    let output = ended.map_err(|error| format!("cannot wait for `{name}`: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(CommandRun { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) })
}
