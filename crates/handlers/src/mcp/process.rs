//! A server that is a program of our own.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What of a server's complaints is kept: the end.
const COMPLAINT_BYTES: usize = 4 << 10;

/// How long a server has to end by itself once its input is closed.
const GRACE: Duration = Duration::from_millis(500);

/// How often somebody looks whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A program with a process group of its own, which ends with this. When the program ends by itself, what it started
/// ends too: a descendant that holds its output would keep the dead server looking alive.
#[derive(Debug)]
pub(super) struct Process {
    /// Whoever minds the program ends it when this is sent or dropped.
    stop: oneshot::Sender<()>,
    minder: JoinHandle<()>,
    listener: JoinHandle<()>,
    complaints: Complaints,
}

/// The end of what a program wrote to its error output.
#[derive(Debug, Clone, Default)]
pub(super) struct Complaints(Arc<Mutex<Vec<u8>>>);

impl Process {
    /// Starts it. Its error output is read and dropped but for its end.
    pub(super) fn start(
        program: &str,
        arguments: &[String],
        variables: &[(String, String)],
        directory: &Path,
    ) -> Result<(Self, ChildStdout, ChildStdin), String> {
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value))).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|fault| match fault.kind() {
            std::io::ErrorKind::NotFound if directory.is_dir() => {
                format!("program `{program}` not found; install it or give its full path")
            }
            _ => format!("cannot run `{program}`: {fault}"),
        })?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let complaints = Complaints::default();
        let (stop, stopped) = oneshot::channel();
        let minder = tokio::spawn(mind(child, group, stopped));
        let (Some(output), Some(input), Some(errors)) = pipes else {
            return Err(format!("cannot talk to `{program}`"));
        };
        let listener = tokio::spawn(complaints.clone().follow(errors));
        let process = Self { stop, minder, listener, complaints };
        Ok((process, output, input))
    }

    pub(super) fn complaints(&self) -> &Complaints {
        &self.complaints
    }

    /// Waits a moment for it to end by itself, and then kills whatever is left of it. What it complained is known then.
    pub(super) async fn end(self) {
        // A program that has ended already has nobody left to be told.
        let _ = self.stop.send(());
        let _ = self.minder.await;
        let _ = tokio::time::timeout(GRACE, self.listener).await;
    }
}

/// Waits for the end of a program, or for the word to end it, and leaves nothing of it behind.
async fn mind(mut child: Child, group: Option<Pid>, stopped: oneshot::Receiver<()>) {
    tokio::select! {
        () = ended(group) => {}
        _ = stopped => {
            // Its input is closed by now, which a good server takes as a goodbye.
            let _ = tokio::time::timeout(GRACE, ended(group)).await;
        }
    }
    if let Some(group) = group {
        // A group that has nobody left to kill is what is wanted.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait().await;
}

/// Waits for the end of a program and leaves it unreaped: as long as the leader is there, the group cannot be somebody
/// else's.
async fn ended(leader: Option<Pid>) {
    let Some(leader) = leader else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    while let Ok(None) = waitid(WaitId::Pid(leader), options) {
        tokio::time::sleep(LOOK).await;
    }
}

impl Complaints {
    async fn follow(self, mut errors: ChildStderr) {
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
    pub(super) fn last(&self) -> Option<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }
}
