//! The errors of snapshots.

use pintle_contract::EventKind;
use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why a snapshot was not taken or not restored.
#[derive(Debug)]
pub enum SnapshotError {
    /// The directory for snapshots is unknown.
    NoData,
    /// Snapshots have no effect on this event.
    UnsupportedEvent {
        /// The event.
        event: EventKind,
    },
    /// The directory does not exist.
    MissingDirectory {
        /// The directory.
        folder: PathBuf,
    },
    /// Snapshots of this directory are not supported.
    Unsuitable {
        /// The directory.
        folder: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file of the shadow repository cannot be read or written.
    Store {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: String,
    },
    /// Git is missing, failed, or took too long.
    Git {
        /// The cause.
        cause: String,
    },
    /// Files were edited after the last checkpoint, so that restoring would lose these changes.
    EditedFiles {
        /// The files, below the root.
        paths: Vec<String>,
    },
    /// A directory with files outside every snapshot is at the path of a file.
    BlockedPaths {
        /// The directories, below the root.
        paths: Vec<String>,
    },
}

impl SnapshotError {
    pub(super) fn store_error(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Store { path, cause: error.to_string() }
    }
}

/// The first of some paths, and the number of the others.
fn summarize_paths(paths: &[String]) -> String {
    const MOST: usize = 5;
    let shown: Vec<String> = paths.iter().take(MOST).map(|path| format!("`{path}`")).collect();
    let more = paths.len().saturating_sub(MOST);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoData => f.write_str("cannot store snapshots: set `HOME` or `PINTLE_DATA_DIR`"),
            Self::UnsupportedEvent { event } => write!(f, "`snapshot` has no effect on `{event}`"),
            Self::MissingDirectory { folder: dir } => write!(f, "the directory `{}` does not exist", dir.display()),
            Self::Unsuitable { folder: dir, reason: why } => {
                write!(f, "cannot take snapshots of `{}`: {why}", dir.display())
            }
            Self::Store { path, cause: why } => write!(f, "cannot use `{}`: {why}", path.display()),
            Self::Git { cause: why } => f.write_str(why),
            Self::EditedFiles { paths } => write!(f, "edited since the snapshot: {}", summarize_paths(paths)),
            Self::BlockedPaths { paths } => {
                write!(f, "files that are not in any snapshot are in the way, in {}", summarize_paths(paths))
            }
        }
    }
}

impl std::error::Error for SnapshotError {}
