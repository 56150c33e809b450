//! MCP servers that are programs, reached over their standard input and output.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{GRACE, POLL, ServerConnection, read_lines};
use crate::error::CliError;

pub(super) struct ProgramServer {
    command: Vec<String>,
    child: Mutex<Option<Child>>,
    input: Mutex<Option<ChildStdin>>,
    output: Mutex<Option<ChildStdout>>,
}

impl ProgramServer {
    /// A server that is not started yet.
    pub(super) fn new(command: Vec<String>) -> Self {
        Self { command, child: Mutex::default(), input: Mutex::default(), output: Mutex::default() }
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
    fn start(&self) -> Result<(), CliError> {
        let (program, arguments) =
            self.command.split_first().ok_or_else(|| CliError::invalid_input("name a command"))?;
        let mut server = Command::new(program);
        server.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = server.spawn().map_err(|error| {
            CliError::failure(format!("cannot start the MCP server `{program}`: {error}"))
                .help("name its command as it was in the settings of the client, after `--`")
        })?;
        (*self.input.lock(), *self.output.lock()) = (child.stdin.take(), child.stdout.take());
        *self.child.lock() = Some(child);
        Ok(())
    }

    fn send(&self, line: &[u8]) {
        if let Some(input) = self.input.lock().as_mut() {
            // A server that does not read has ended, which its output says.
            let _ = input.write_all(line).and_then(|()| input.flush());
        }
    }

    fn read(&self, take: &mut dyn FnMut(Option<&[u8]>)) {
        let output = self.output.lock().take();
        if let Some(output) = output {
            read_lines(BufReader::new(output), take);
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
