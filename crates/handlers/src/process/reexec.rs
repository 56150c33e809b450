//! Restarts this process without the secrets in its environment.
//!
//! A process's initial environment stays in `/proc` for its whole life, where its children can read it too, and
//! changing its own variables does not change that. So it executes itself once more, with the secrets in a pipe.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};

use super::variables::{HELD_PIPE, all_variables, hold_variables};
use crate::secrets::is_secret;

/// The most bytes that a pipe is certain to accept at once.
const PIPE_BYTES: usize = 60 << 10;

/// Moves secrets from the environment of this process into its memory: the process replaces itself once. Must be called
/// before anything else, since the program starts again. If it fails, nothing changes.
///
/// Proxy variables stay: HTTP clients read them from the environment.
pub fn hide_secrets() {
    let marked = std::env::var(HELD_PIPE).ok().and_then(|mark| mark.parse::<u32>().ok());
    if let Some(pipe) = marked {
        // A mark that another program set must not make this process read an input.
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
            // Only a failure returns; the secrets then stay in the environment.
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
    command.args(own).env(HELD_PIPE, inherit_pipe(&reader)?);
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

/// Reads the pipe, which is empty afterwards.
fn receive_variables(path: &str) -> io::Result<Vec<(String, String)>> {
    let mut message = Vec::new();
    File::open(path)?.read_to_end(&mut message)?;
    Ok(serde_json::from_slice(&message)?)
}
