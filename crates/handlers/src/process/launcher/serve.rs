//! Runs in the launcher's own process.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{FileType, fstat};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::super::build_command;
use super::super::exit_watcher::ExitWatcher;
use super::super::pipes::{ChildEnds, ParentEnds, poll_fds};
use super::super::spawn::{ProcessExit, spawn_in_group};
use super::reap::reap_descendants;
use super::wire::{HELLO, LaunchRequest, decode_request, encode_frame, encode_pipes, encode_reply, take_frame};

/// Whether this process was started as a launcher: its input is a socket. A script worker has a pipe.
pub(crate) fn is_launcher() -> bool {
    fstat(io::stdin()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Socket)
}

/// Serves the host on the socket that is this process's input, until the host ends.
pub(crate) fn serve() -> ExitCode {
    match LauncherServer::new().and_then(LauncherServer::serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

struct LauncherServer {
    host: UnixStream,
    received: Vec<u8>,
    /// The output for the next frame that the host waits for.
    pending_output: Vec<u8>,
    /// The pipes of the next two calls: the host opens those of the next one while a call runs.
    pipes: VecDeque<(ParentEnds, ChildEnds)>,
}

/// A message from the host.
enum LauncherMessage {
    Frame(Vec<u8>),
    HostClosed,
}

impl LauncherServer {
    fn new() -> io::Result<Self> {
        become_subreaper()?;
        let host = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Self { host, received: Vec::new(), pending_output: encode_frame(HELLO), pipes: VecDeque::new() })
    }

    fn serve(mut self) -> io::Result<()> {
        self.prepare_pipes()?;
        self.prepare_pipes()?;
        loop {
            self.host.write_all(&std::mem::take(&mut self.pending_output))?;
            let LauncherMessage::Frame(body) = self.receive_request()? else { return Ok(()) };
            let ended = decode_request(&body).and_then(|request| self.run_call(&request));
            let swept = reap_descendants();
            self.pending_output.splice(..0, encode_reply(&ended));
            if swept.is_err() {
                // A launcher with a child that it cannot kill is useless for the next call.
                self.host.write_all(&self.pending_output)?;
                return swept;
            }
        }
    }

    /// Creates the pipes of another call.
    fn prepare_pipes(&mut self) -> io::Result<()> {
        let pair = ParentEnds::create_pair(true)?;
        self.pending_output.extend(encode_pipes(&pair.0));
        self.pipes.push_back(pair);
        Ok(())
    }

    /// Waits for a request. An empty frame was meant to end a call that had already ended.
    fn receive_request(&mut self) -> io::Result<LauncherMessage> {
        loop {
            match self.receive()? {
                LauncherMessage::Frame(body) if body.is_empty() => {}
                said => return Ok(said),
            }
        }
    }

    /// Waits for a complete frame.
    fn receive(&mut self) -> io::Result<LauncherMessage> {
        loop {
            if let Some(body) = take_frame(&mut self.received)? {
                return Ok(LauncherMessage::Frame(body));
            }
            let mut chunk = [0; 4096];
            match self.host.read(&mut chunk) {
                Ok(0) => return Ok(LauncherMessage::HostClosed),
                Ok(count) => self.received.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(LauncherMessage::HostClosed),
            }
        }
    }

    /// Runs a program until it ends or the host ends the call.
    fn run_call(&mut self, request: &LaunchRequest) -> io::Result<ProcessExit> {
        let Some((near, mut far)) = self.pipes.pop_front() else { return Err(io::ErrorKind::NotFound.into()) };
        if !request.has_input {
            far.stdin = None;
        }
        let spawned = spawn_in_group(&mut build_command(&request.spec), far, request.spec.sandbox);
        // From here on only the host holds its ends, so that they close with it.
        drop(near);
        // This is done while the program runs, so it does not delay the call.
        let prepared = self.prepare_pipes();
        let child = spawned?;
        let watched = prepared.and_then(|()| ExitWatcher::new(&child)).and_then(|watch| self.wait(&watch));
        // The group exists until its leader is reaped.
        let leader = Pid::from_child(&child);
        let _ = kill_process_group(leader, Signal::KILL);
        let status = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED)?;
        watched?;
        Ok(ProcessExit {
            exit_code: status.as_ref().and_then(|status| status.exit_status()),
            signal: status.as_ref().and_then(|status| status.terminating_signal()),
        })
    }

    /// Waits until the program has exited, or the host has sent anything or has ended: both end the call.
    fn wait(&self, watch: &ExitWatcher) -> io::Result<()> {
        let host = PollFd::new(&self.host, PollFlags::IN);
        let Some(exit) = watch.as_fd().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)) else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let mut fds = [host, exit];
        while fds.iter().all(|fd| fd.revents().is_empty()) {
            poll_fds(&mut fds, Duration::from_secs(3600))?;
        }
        Ok(())
    }
}

/// Makes this process the parent of descendants that lose their own.
#[cfg(target_os = "linux")]
pub(in crate::process) fn become_subreaper() -> io::Result<()> {
    let own = rustix::process::getpid();
    // Without pidfds, the program's end and the host cannot be waited for together.
    rustix::process::pidfd_open(own, rustix::process::PidfdFlags::empty())?;
    // The process's own ID only serves as the flag.
    Ok(rustix::process::set_child_subreaper(Some(own))?)
}

#[cfg(not(target_os = "linux"))]
pub(in crate::process) fn become_subreaper() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
