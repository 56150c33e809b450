//! Why nothing was installed.

use std::io;
use std::path::{Path, PathBuf};

/// Why nothing was installed or removed. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// Nothing says where the person's home is.
    #[error("cannot locate the settings because `HOME` is not set")]
    NoHome,
    /// A file could not be read or written.
    #[error("cannot {action} `{path}`: {reason}")]
    File {
        /// What was to be done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A settings file is not what the host would read.
    #[error("`{path}` was not changed: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        reason: String,
    },
    /// Somebody else's executable has the name of ours.
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
    /// A folder whose path cannot be written on a command line.
    #[error("`{path}` cannot be written to the settings: it contains control characters or is not UTF-8")]
    UnusableFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A word that is no event of the host.
    #[error("{0}")]
    UnknownEvent(String),
}

impl InstallError {
    pub(super) fn from_io(what: &'static str, path: &Path, fault: &io::Error) -> Self {
        // The system's words end in a number that says nothing to people.
        let why = fault.to_string();
        let why = why.split(" (os error").next().unwrap_or_default().to_lowercase();
        Self::File { action: what, path: path.to_owned(), reason: why }
    }
}
