//! The launcher itself: what runs in its process.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{FileType, fstat};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::super::pipes::{FarEnds, pair, wait};
use super::super::start::{Ended, command, spawn};
use super::super::watch::Watch;
use super::sweep::sweep;
use super::wire::{HELLO, Request, frame, read_request, ready, reply, take_frame};

/// Whether this process was started as a launcher: its input is a socket. The worker that runs scripts has a pipe.
pub(crate) fn is_launcher() -> bool {
    fstat(io::stdin()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Socket)
}

/// Serves the host on the socket that is this process's input, until the host is gone.
pub(crate) fn serve() -> ExitCode {
    match Launcher::new().and_then(Launcher::serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

struct Launcher {
    host: UnixStream,
    received: Vec<u8>,
}

/// What the host said.
enum Said {
    Frame(Vec<u8>),
    Gone,
}

impl Launcher {
    fn new() -> io::Result<Self> {
        adopt()?;
        let host = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Self { host, received: Vec::new() })
    }

    fn serve(mut self) -> io::Result<()> {
        self.host.write_all(&frame(HELLO))?;
        loop {
            // Made while nobody waits for them.
            let (near, far) = pair(true)?;
            self.host.write_all(&ready(&near))?;
            let Said::Frame(body) = self.hear_request()? else { return Ok(()) };
            // From here on the host's ends are the host's alone, and end when it closes them.
            drop(near);
            let ended = read_request(&body).and_then(|request| self.call(&request, far));
            let swept = sweep();
            self.host.write_all(&reply(&ended))?;
            // A launcher with a child that it cannot kill is no use for the next call.
            swept?;
        }
    }

    /// Waits for a request. An empty frame was to end a call that had ended by itself meanwhile.
    fn hear_request(&mut self) -> io::Result<Said> {
        loop {
            match self.hear()? {
                Said::Frame(body) if body.is_empty() => {}
                said => return Ok(said),
            }
        }
    }

    /// Waits for a whole frame.
    fn hear(&mut self) -> io::Result<Said> {
        loop {
            if let Some(body) = take_frame(&mut self.received)? {
                return Ok(Said::Frame(body));
            }
            let mut chunk = [0; 4096];
            match self.host.read(&mut chunk) {
                Ok(0) => return Ok(Said::Gone),
                Ok(count) => self.received.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(Said::Gone),
            }
        }
    }

    /// Runs a program until it ends or the host has had enough.
    fn call(&mut self, request: &Request, mut far: FarEnds) -> io::Result<Ended> {
        if !request.has_input {
            far.stdin = None;
        }
        let child = spawn(&mut command(&request.spec), far, request.spec.sandbox)?;
        let watched = Watch::new(&child).and_then(|watch| self.wait(&watch));
        // The group is there as long as its leader is not reaped.
        let leader = Pid::from_child(&child);
        let _ = kill_process_group(leader, Signal::KILL);
        let status = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED)?;
        watched?;
        Ok(Ended {
            exit_code: status.as_ref().and_then(|status| status.exit_status()),
            signal: status.as_ref().and_then(|status| status.terminating_signal()),
        })
    }

    /// Waits until the program has exited, or the host has said anything or is gone: both end the call.
    fn wait(&self, watch: &Watch) -> io::Result<()> {
        let host = PollFd::new(&self.host, PollFlags::IN);
        let Some(exit) = watch.as_fd().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)) else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let mut fds = [host, exit];
        while fds.iter().all(|fd| fd.revents().is_empty()) {
            wait(&mut fds, Duration::from_secs(3600))?;
        }
        Ok(())
    }
}

/// Makes this process the one that descendants without a parent come to.
#[cfg(target_os = "linux")]
fn adopt() -> io::Result<()> {
    let own = rustix::process::getpid();
    // Without these the end of a program could not be waited for together with the host.
    rustix::process::pidfd_open(own, rustix::process::PidfdFlags::empty())?;
    // Its own number is only the flag that this is wanted.
    Ok(rustix::process::set_child_subreaper(Some(own))?)
}

#[cfg(not(target_os = "linux"))]
fn adopt() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
