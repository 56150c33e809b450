//! Errors of access to a directory.

use std::io;

use globset::ErrorKind;
use pintle_contract::MAX_PAYLOAD_BYTES;

use super::{answer, read, walk};

/// The reason why a path in a directory cannot be used, for the author of the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JailError {
    /// The text of the path shows that it is outside the directory.
    #[error("path `{path}` is outside the workspace; give a path inside it")]
    Outside {
        /// The path as it was given.
        path: String,
    },
    /// A symbolic link in the path leads out of the directory.
    #[error("path `{path}` leads outside the workspace; links may not leave it")]
    LinkOutside {
        /// The path as it was given.
        path: String,
    },
    /// The path contains a NUL character.
    #[error("path {path:?} contains a NUL character")]
    NulCharacter {
        /// The path as it was given.
        path: String,
    },
    /// The path does not exist.
    #[error("`{path}` does not exist; list its directory to see what does")]
    NotFound {
        /// The path as it was given.
        path: String,
    },
    /// The path already exists.
    #[error("`{path}` already exists")]
    AlreadyExists {
        /// The path as it was given.
        path: String,
    },
    /// The path is a directory where a file is needed.
    #[error("`{path}` is a directory, not a file")]
    IsADirectory {
        /// The path as it was given.
        path: String,
    },
    /// The path is not a directory where one is needed.
    #[error("`{path}` is not a directory")]
    NotADirectory {
        /// The path as it was given.
        path: String,
    },
    /// The path is neither a file nor a directory.
    #[error("cannot use `{path}`: {}", EntryError::NotRegular)]
    NotRegular {
        /// The path as it was given.
        path: String,
    },
    /// The directory has too many entries.
    #[error("cannot use `{path}`: {}", EntryError::TooMany)]
    TooManyEntries {
        /// The path as it was given.
        path: String,
    },
    /// The file is larger than the reader allows.
    #[error("`{path}` is larger than {} MiB; use a tool such as grep", most_bytes >> 20)]
    TooLarge {
        /// The path as it was given.
        path: String,
        /// The limit, in bytes.
        most_bytes: u64,
    },
    /// The file is not UTF-8 text.
    #[error("`{path}` is not UTF-8 text")]
    NotText {
        /// The path as it was given.
        path: String,
    },
    /// The numbered lines are longer than a result may be.
    #[error("the numbered lines are longer than {} MiB; request fewer lines", MAX_PAYLOAD_BYTES >> 20)]
    LinesTooLong,
    /// Too many lines of a file contain a text.
    #[error("more than {} lines contain the text; search for a longer text", answer::MAX_FOUND)]
    TooManyMatches,
    /// A glob is not valid.
    #[error("glob `{pattern}` is not valid: {reason}")]
    InvalidGlob {
        /// The glob as it was given.
        pattern: String,
        /// What is wrong with it.
        reason: ErrorKind,
    },
    /// A walk left out files, because there are too many or they are nested too deeply.
    #[error("more than {} files, or directories nested too deeply; start in a smaller directory", walk::MAX_ENTRIES)]
    IncompleteWalk,
    /// The caller no longer waits for the result.
    #[error("the caller no longer waits for the result")]
    Cancelled,
    /// The operating system reported another error.
    #[error("cannot use `{path}`: {source}")]
    Io {
        /// The path as it was given.
        path: String,
        /// The error.
        source: io::Error,
    },
}

impl JailError {
    /// The error of an operation on a path.
    pub(super) fn from_io(path: &str, error: io::Error) -> Self {
        let path = path.to_owned();
        let own = error.get_ref().and_then(|error| error.downcast_ref());
        match (own, error.kind()) {
            (Some(EntryError::NotRegular), _) => Self::NotRegular { path },
            (Some(EntryError::TooMany), _) => Self::TooManyEntries { path },
            (None, io::ErrorKind::NotFound) => Self::NotFound { path },
            (None, io::ErrorKind::AlreadyExists) => Self::AlreadyExists { path },
            (None, io::ErrorKind::IsADirectory) => Self::IsADirectory { path },
            (None, io::ErrorKind::NotADirectory) => Self::NotADirectory { path },
            // The sandbox denies with this kind and without a system error code.
            (None, io::ErrorKind::PermissionDenied) if error.raw_os_error().is_none() => Self::LinkOutside { path },
            _ => Self::Io { path, source: error },
        }
    }
}

/// The reason why an existing entry is refused, inside an [`io::Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum EntryError {
    #[error("it is a pipe, a socket or a device, and only regular files can be used")]
    NotRegular,
    #[error("it contains more than {} entries", read::MAX_ENTRIES)]
    TooMany,
}
