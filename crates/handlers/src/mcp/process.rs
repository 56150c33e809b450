//! A server that is a program of our own.

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

/// What of a server's complaints is kept: the end.
const COMPLAINT_BYTES: usize = 4 << 10;

/// How long a server has to end by itself once its input is closed.
const GRACE: Duration = Duration::from_millis(500);

/// How often somebody looks whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A program with a process group of its own, which ends with this. When the program ends by itself, what it started
/// ends too: a descendant that holds its output would keep the dead server looking alive.
#[derive(Debug)]
pub(super) struct McpServerProcess {
    /// Whoever minds the program ends it when this is sent or dropped.
    stop: oneshot::Sender<()>,
    supervisor_task: JoinHandle<()>,
    stderr_task: JoinHandle<()>,
    stderr_tail: StderrTail,
}

/// The end of what a program wrote to its error output.
#[derive(Debug, Clone, Default)]
pub(super) struct StderrTail(Arc<Mutex<Vec<u8>>>);

impl McpServerProcess {
    /// Starts it, under a supervisor where there can be one: it ends with this process then, however that ends. It has the
    /// variables that every program needs, and its own. Its error output is read and dropped but for its end.
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
        // A supervisor that is killed ends nobody.
        command.process_group(0).kill_on_drop(!is_supervised);
        let mut child = command.spawn().map_err(|fault| match fault.kind() {
            std::io::ErrorKind::NotFound if directory.is_dir() => missing(),
            _ => format!("cannot run `{program}`: {fault}"),
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

    /// Waits a moment for it to end by itself, and then kills whatever is left of it. What it complained is known then.
    pub(super) async fn stop(self) {
        // A program that has ended already has nobody left to be told.
        let _ = self.stop.send(());
        let _ = self.supervisor_task.await;
        let _ = tokio::time::timeout(GRACE, self.stderr_task).await;
    }
}

/// Waits for the end of a program, or for the word to end it, and leaves nothing of it behind.
async fn supervise_child(mut child: Child, group: Option<Pid>, is_supervised: bool, stopped: oneshot::Receiver<()>) {
    tokio::select! {
        () = wait_for_exit(group) => {}
        _ = stopped => {
            // Its input is closed by now, which a good server takes as a goodbye.
            let _ = tokio::time::timeout(GRACE, wait_for_exit(group)).await;
            if let Some(supervisor) = group.filter(|_| is_supervised) {
                // It ends the rest, those that left the group of the program as well.
                end_supervised(supervisor);
                let _ = tokio::time::timeout(GRACE, wait_for_exit(group)).await;
            }
        }
    }
    if let Some(group) = group {
        // A group that has nobody left to kill is what is wanted.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait().await;
}

/// Whether there is a program to start: at its path, or on the search path that it will see.
fn program_exists(program: &str, directory: &Path, variables: &[(String, String)]) -> bool {
    if program.contains('/') {
        return directory.join(program).exists();
    }
    let path = variables.iter().rev().find(|(name, _)| name == "PATH");
    path.is_none_or(|(_, path)| std::env::split_paths(path).any(|folder| directory.join(folder).join(program).exists()))
}

/// Waits for the end of a program and leaves it unreaped: as long as the leader is there, the group cannot be somebody
/// else's.
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
