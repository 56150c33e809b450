//! Errors of installing and uninstalling.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why nothing was installed or removed. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// The home directory is unknown.
    #[error("cannot locate the settings because `HOME` is not set")]
    NoHome,
    /// The host has no settings of the scope.
    #[error("{title} has no settings of the {scope} scope with hooks, as far as its documentation says")]
    NoScope {
        /// The host's display name.
        title: &'static str,
        /// The word of the scope.
        scope: &'static str,
    },
    /// The user may not read or write a file.
    #[error("cannot {action} `{path}`: permission denied")]
    NotPermitted {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {action} `{path}`: {reason}")]
    File {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error text.
        reason: String,
    },
    /// The file that a link leads to cannot be written, such as one in the store of Nix.
    #[error("`{link}` is a link to `{target}`, which cannot be written: {reason}")]
    LinkedFile {
        /// The settings file.
        link: PathBuf,
        /// The file that was to be written.
        target: PathBuf,
        /// The system's error text.
        reason: String,
        /// What is in the file if only Pintle writes it; empty if Pintle is removed.
        own_text: String,
    },
    /// A settings file is not valid for the host.
    #[error("`{path}` was not changed: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error, with the line.
        reason: String,
    },
    /// Another program has the name of Pintle's executable.
    #[error("`{path}` is not Pintle's hook, and there can be only one of that name")]
    ForeignProgram {
        /// The file.
        path: PathBuf,
    },
    /// The file changed after the plan was made.
    #[error("`{path}` was changed by another program in the meantime; try again")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A directory whose path cannot be written on a command line.
    #[error("`{path}` cannot be written to the settings: it contains control characters or is not UTF-8")]
    UnusableFolder {
        /// The directory.
        path: PathBuf,
    },
    /// An unknown event of the host.
    #[error("{0}")]
    UnknownEvent(String),
}

impl InstallError {
    pub(super) fn from_io(action: &'static str, path: &Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::PermissionDenied {
            return Self::NotPermitted { action, path: path.to_owned() };
        }
        // The system's error text ends in a number that does not help the user.
        let why = error.to_string();
        let why = why.split(" (os error").next().unwrap_or_default().to_lowercase();
        Self::File { action, path: path.to_owned(), reason: why }
    }
}
