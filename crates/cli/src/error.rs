//! Exit statuses and errors of commands.

use std::fmt::Display;
use std::process::ExitCode;

use pintle_bridge::install::InstallError;
use pintle_host::loader::MissingDir;

/// The exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CliStatus {
    /// The command succeeded.
    Done = 0,
    /// The command failed.
    Failed = 1,
    /// A hook denied the event, or the user declined.
    Denied = 2,
    /// The input or the configuration is invalid.
    Invalid = 3,
    #[cfg_attr(not(unix), expect(dead_code, reason = "Windows has no such signal"))]
    /// SIGHUP ended it: 128 plus the signal's number, as shells report it.
    HungUp = 129,
    /// SIGINT (Ctrl-C) ended it.
    Interrupted = 130,
    #[cfg_attr(not(unix), expect(dead_code, reason = "Windows has no such signal"))]
    /// SIGTERM ended it.
    Terminated = 143,
}

impl From<CliStatus> for ExitCode {
    fn from(status: CliStatus) -> Self {
        Self::from(status as u8)
    }
}

/// Why a command failed, for the user.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) status: CliStatus,
    /// One line, lower case, no full stop.
    pub(crate) message: String,
    /// The next step.
    pub(crate) help: Option<String>,
}

impl From<MissingDir> for CliError {
    fn from(missing: MissingDir) -> Self {
        Self::invalid_input(&missing).help(missing.help())
    }
}

impl From<InstallError> for CliError {
    fn from(error: InstallError) -> Self {
        Self::invalid_input(error)
    }
}

impl CliError {
    pub(crate) fn failure(message: impl Display) -> Self {
        Self { status: CliStatus::Failed, message: message.to_string(), help: None }
    }

    pub(crate) fn invalid_input(message: impl Display) -> Self {
        Self { status: CliStatus::Invalid, ..Self::failure(message) }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
