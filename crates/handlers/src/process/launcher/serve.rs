//! The launcher itself: what runs in its process.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{FileType, fstat};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::super::pipes::{FarEnds, NearEnds, wait};
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
    /// What is to be said with the next frame that the host waits for.
    unsaid: Vec<u8>,
    /// The pipes of the next two calls: the host opens those of the next while one runs.
    pipes: VecDeque<(NearEnds, FarEnds)>,
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
        Ok(Self { host, received: Vec::new(), unsaid: frame(HELLO), pipes: VecDeque::new() })
    }

    fn serve(mut self) -> io::Result<()> {
        self.prepare()?;
        self.prepare()?;
        loop {
            self.host.write_all(&std::mem::take(&mut self.unsaid))?;
            let Said::Frame(body) = self.hear_request()? else { return Ok(()) };
            let ended = read_request(&body).and_then(|request| self.call(&request));
            let swept = sweep();
            self.unsaid.splice(..0, reply(&ended));
            if swept.is_err() {
                // A launcher with a child that it cannot kill is no use for the next call.
                self.host.write_all(&self.unsaid)?;
                return swept;
            }
        }
    }

    /// Makes the pipes of another call.
    fn prepare(&mut self) -> io::Result<()> {
        let pair = NearEnds::pair(true)?;
        self.unsaid.extend(ready(&pair.0));
        self.pipes.push_back(pair);
        Ok(())
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
    fn call(&mut self, request: &Request) -> io::Result<Ended> {
        let Some((near, mut far)) = self.pipes.pop_front() else { return Err(io::ErrorKind::NotFound.into()) };
        if !request.has_input {
            far.stdin = None;
        }
        let spawned = spawn(&mut command(&request.spec), far, request.spec.sandbox);
        // From here on the host's ends are the host's alone, and end when it closes them.
        drop(near);
        // This is done while the program runs, and nobody waits for it.
        let prepared = self.prepare();
        let child = spawned?;
        let watched = prepared.and_then(|()| Watch::new(&child)).and_then(|watch| self.wait(&watch));
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
pub(in crate::process) fn adopt() -> io::Result<()> {
    let own = rustix::process::getpid();
    // Without these the end of a program could not be waited for together with the host.
    rustix::process::pidfd_open(own, rustix::process::PidfdFlags::empty())?;
    // Its own number is only the flag that this is wanted.
    Ok(rustix::process::set_child_subreaper(Some(own))?)
}

#[cfg(not(target_os = "linux"))]
pub(in crate::process) fn adopt() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
