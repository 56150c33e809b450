//! Starting this process again without the secrets in its environment.
//!
//! What a process was started with stands in `/proc` for as long as it lives, for its children too, and nothing that it
//! does to its own variables changes that. So it starts itself once more, with the secrets in a pipe.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};

use super::variables::{all_variables, hold_variables};
use crate::secrets::is_secret;

/// Names the pipe that a process finds its secrets in.
pub(super) const MARK: &str = "PINTLE_HELD";

/// The most that a pipe is sure to take at once.
const PIPE_BYTES: usize = 60 << 10;

/// Moves what looks like a secret from the environment of this process into its memory: the process is replaced by itself
/// once. To be called before anything else is done, since that begins anew. Where it cannot be done, all stays as it is.
///
/// Variables of proxies stay: whoever makes a connection reads them in the environment.
pub fn hide_secrets() {
    let marked = std::env::var(MARK).ok().and_then(|mark| mark.parse::<u32>().ok());
    if let Some(pipe) = marked {
        // Nobody's input is read for a mark that somebody else made.
        let path = format!("/proc/self/fd/{pipe}");
        let is_pipe = std::fs::read_link(&path).is_ok_and(|link| link.to_string_lossy().starts_with("pipe:"));
        if pipe > 2 && is_pipe {
            hold_variables(receive_variables(&path).unwrap_or_default());
        }
        return;
    }
    if cfg!(target_os = "linux") {
        let is_hidden =
            |name: &str, value: &str| !name.to_ascii_uppercase().ends_with("_PROXY") && is_secret(name, value);
        let (hidden, _): (Vec<_>, Vec<_>) =
            all_variables().into_iter().partition(|(name, value)| is_hidden(name, value));
        if !hidden.is_empty() {
            // Only a failure comes back; the secrets then stay where they are.
            let _ = reexec_without(&hidden);
        }
    }
}

fn reexec_without(hidden: &[(String, String)]) -> io::Result<()> {
    let message = serde_json::to_vec(hidden)?;
    if message.len() > PIPE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(&message)?;
    drop(writer);
    let mut own = std::env::args_os();
    let mut command = Command::new(std::env::current_exe()?);
    if let Some(name) = own.next() {
        command.arg0(name);
    }
    command.args(own).env(MARK, inherit_pipe(&reader)?);
    for (name, _) in hidden {
        command.env_remove(name);
    }
    Err(command.exec())
}

/// Lets a pipe outlive this program in its process.
fn inherit_pipe(pipe: &PipeReader) -> io::Result<String> {
    fcntl_setfd(pipe, FdFlags::empty())?;
    Ok(pipe.as_raw_fd().to_string())
}

/// Reads the pipe, which is empty afterwards for everybody.
fn receive_variables(path: &str) -> io::Result<Vec<(String, String)>> {
    let mut message = Vec::new();
    File::open(path)?.read_to_end(&mut message)?;
    Ok(serde_json::from_slice(&message)?)
}
