//! MCP servers that are programs, reached over their standard input and output.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{GRACE, POLL, ServerConnection, ServerOutput, read_lines};
use crate::error::CliError;

pub(super) struct ProgramServer {
    command: Vec<String>,
    child: Mutex<Option<Child>>,
    input: Mutex<Option<ChildStdin>>,
}

impl ProgramServer {
    /// A server that is not started yet.
    pub(super) fn new(command: Vec<String>) -> Self {
        Self { command, child: Mutex::default(), input: Mutex::default() }
    }

    /// Waits until the program ends, and says whether it succeeded. `None` if it takes too long.
    fn wait(&self, most: Duration) -> Option<bool> {
        let began = Instant::now();
        loop {
            match self.child.lock().as_mut()?.try_wait() {
                Ok(Some(status)) => return Some(status.success()),
                Ok(None) if began.elapsed() < most => {}
                _ => return None,
            }
            thread::sleep(POLL);
        }
    }

    /// Waits a little, and then kills the program.
    fn end(&self) -> bool {
        let status = self.wait(GRACE);
        if status.is_none()
            && let Some(child) = self.child.lock().as_mut()
        {
            let _ = child.kill();
        }
        status == Some(true)
    }
}

impl ServerConnection for ProgramServer {
    fn start(&self) -> Result<ServerOutput, CliError> {
        let (program, arguments) =
            self.command.split_first().ok_or_else(|| CliError::invalid_input("name a command"))?;
        let mut server = Command::new(program);
        server.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = server.spawn().map_err(|error| {
            CliError::failure(format!("cannot start the MCP server `{program}`: {error}"))
                .help("name its command as it was in the settings of the client, after `--`")
        })?;
        let output = child.stdout.take();
        *self.input.lock() = child.stdin.take();
        *self.child.lock() = Some(child);
        Ok(Box::new(move |take| output.into_iter().for_each(|output| read_lines(BufReader::new(output), take))))
    }

    fn send(&self, line: &[u8]) {
        if let Some(input) = self.input.lock().as_mut() {
            // A server that does not read has ended, which its output says.
            let _ = input.write_all(line).and_then(|()| input.flush());
        }
    }

    fn end_input(&self) {
        drop(self.input.lock().take());
        self.end();
    }

    fn finish(&self) -> bool {
        // A server that closed its output and goes on is of no use to anyone.
        self.end()
    }
}
