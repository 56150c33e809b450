//! How a command ends.

use std::fmt::Display;
use std::process::ExitCode;

use pintle::loader::MissingDir;

/// The exit statuses (design, section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// The command did what it was asked.
    Done = 0,
    /// It failed.
    Failed = 1,
    /// A hook denied.
    Denied = 2,
    /// The input or the configuration is invalid.
    Invalid = 3,
    /// SIGHUP ended it; as for every signal this is 128 and its number, as shells have it.
    HungUp = 129,
    /// SIGINT (Ctrl-C) ended it.
    Interrupted = 130,
    /// SIGTERM ended it.
    Terminated = 143,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// Why a command stopped, for the person who typed it.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: Status,
    /// One line, lower case, no full stop.
    pub(crate) message: String,
    /// The next step.
    pub(crate) help: Option<String>,
}

impl From<MissingDir> for Fault {
    fn from(missing: MissingDir) -> Self {
        Self::invalid(&missing).help(missing.help())
    }
}

impl Fault {
    pub(crate) fn failed(message: impl Display) -> Self {
        Self { status: Status::Failed, message: message.to_string(), help: None }
    }

    pub(crate) fn invalid(message: impl Display) -> Self {
        Self { status: Status::Invalid, ..Self::failed(message) }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
