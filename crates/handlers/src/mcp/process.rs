//! Runs an MCP server as a child process.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::process::{SupervisionEnd, base_variables, end_supervised, supervised};

/// The number of bytes at the end of a server's error output that are kept.
const COMPLAINT_BYTES: usize = 4 << 10;

/// The time for a server to end by itself after its input is closed.
const GRACE: Duration = Duration::from_millis(500);

/// The interval between checks whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A program with its own process group, which is killed when this is dropped. If the program ends by itself, its child
/// processes are killed too: a child that holds its output open would make the server appear to be running.
#[derive(Debug)]
pub(super) struct McpServerProcess {
    /// Sending to it, or dropping it, ends the program.
    stop: oneshot::Sender<()>,
    supervisor_task: JoinHandle<()>,
    stderr_task: JoinHandle<()>,
    stderr_tail: StderrTail,
}

/// The end of a program's error output.
#[derive(Debug, Clone, Default)]
pub(super) struct StderrTail(Arc<Mutex<Vec<u8>>>);

impl McpServerProcess {
    /// Starts the program, under a supervisor if possible: then it ends with this process, however that ends. It gets
    /// the base variables that every program needs, and its own. Only the end of its error output is kept.
    pub(super) fn start(
        program: &str,
        arguments: &[String],
        variables: &[(String, String)],
        directory: &Path,
    ) -> Result<(Self, ChildStdout, ChildStdin), String> {
        let own: Vec<(String, String)> = base_variables().into_iter().chain(variables.iter().cloned()).collect();
        let missing = || format!("program `{program}` not found; install it or give its full path");
        let supervised = supervised(SupervisionEnd::HostExit, program, arguments);
        let is_supervised = supervised.is_some();
        if is_supervised && directory.is_dir() && !program_exists(program, directory, &own) {
            return Err(missing());
        }
        let (started, arguments) = supervised.unwrap_or_else(|| (PathBuf::from(program), arguments.to_vec()));
        let mut command = Command::new(started);
        command.args(arguments).env_clear().envs(own).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A supervisor that is killed cannot end the program.
        command.process_group(0).kill_on_drop(!is_supervised);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if directory.is_dir() => missing(),
            _ => format!("cannot run `{program}`: {error}"),
        })?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let complaints = StderrTail::default();
        let (stop, stopped) = oneshot::channel();
        let minder = tokio::spawn(supervise_child(child, group, is_supervised, stopped));
        let (Some(output), Some(input), Some(errors)) = pipes else {
            return Err(format!("cannot talk to `{program}`"));
        };
        let listener = tokio::spawn(complaints.clone().read_stderr(errors));
        let process = Self { stop, supervisor_task: minder, stderr_task: listener, stderr_tail: complaints };
        Ok((process, output, input))
    }

    pub(super) fn stderr_tail(&self) -> &StderrTail {
        &self.stderr_tail
    }

    /// Waits briefly for the program to end by itself, and then kills it. Its error output is complete then.
    pub(super) async fn stop(self) {
        // The receiver is gone if the program has already ended.
        let _ = self.stop.send(());
        let _ = self.supervisor_task.await;
        let _ = tokio::time::timeout(GRACE, self.stderr_task).await;
    }
}

/// Waits for a program to end, or for the request to end it, and kills all its child processes.
async fn supervise_child(mut child: Child, group: Option<Pid>, is_supervised: bool, stopped: oneshot::Receiver<()>) {
    tokio::select! {
        () = wait_for_exit(group) => {}
        _ = stopped => {
            // Its input is closed by now, which a well-behaved server takes as a request to exit.
            let _ = tokio::time::timeout(GRACE, wait_for_exit(group)).await;
            if let Some(supervisor) = group.filter(|_| is_supervised) {
                // The supervisor ends the rest, including processes that left the process group.
                end_supervised(supervisor);
                let _ = tokio::time::timeout(GRACE, wait_for_exit(group)).await;
            }
        }
    }
    if let Some(group) = group {
        // Nothing is left to kill if this fails.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait().await;
}

/// Whether the program exists: at its path, or on its own PATH.
fn program_exists(program: &str, directory: &Path, variables: &[(String, String)]) -> bool {
    if program.contains('/') {
        return directory.join(program).exists();
    }
    let path = variables.iter().rev().find(|(name, _)| name == "PATH");
    path.is_none_or(|(_, path)| std::env::split_paths(path).any(|dir| directory.join(dir).join(program).exists()))
}

/// Waits for a program to end without reaping it: while the leader exists, the process group ID cannot be reused.
async fn wait_for_exit(leader: Option<Pid>) {
    let Some(leader) = leader else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    while let Ok(None) = waitid(WaitId::Pid(leader), options) {
        tokio::time::sleep(LOOK).await;
    }
}

impl StderrTail {
    async fn read_stderr(self, mut errors: ChildStderr) {
        let mut buffer = [0; 4 << 10];
        while let Ok(count) = errors.read(&mut buffer).await {
            if count == 0 {
                break;
            }
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(buffer.get(..count).unwrap_or_default());
            let excess = kept.len().saturating_sub(COMPLAINT_BYTES);
            kept.drain(..excess);
        }
    }

    /// The last line, for an error text.
    pub(super) fn last_line(&self) -> Option<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }
}
