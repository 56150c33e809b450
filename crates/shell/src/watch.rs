//! What a caller that watches files wants to know of a command line.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::syntax::BashCommand;
use crate::{CallCommand, CommandFiles, Operation};

/// Files that a caller watches, such as those that guard an agent. This crate reads no disk; the caller does.
pub trait WatchedFiles {
    /// Whether a path is watched, or has something below it that is. It may be a pattern.
    fn concerns(&self, path: &Path) -> bool;

    /// What is watched at and below a directory, with the directories on the way. The directory may be a pattern.
    fn find_below(&self, dir: &Path) -> Vec<WatchedFile>;
}

/// A watched file, or a directory on the way to one, as a search finds it.
#[derive(Debug, Clone)]
pub struct WatchedFile {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its path below the directory where the search starts; empty for that directory.
    pub within: PathBuf,
    /// Whether it is a directory.
    pub is_dir: bool,
    /// Whether it has no content.
    pub is_empty: bool,
}

/// A command line as it was read for a caller that watches files.
#[derive(Debug, Clone, Default)]
pub struct CommandReading {
    /// What it would do.
    pub operations: Vec<Operation>,
    /// The directories in which it may work: the working directory, and each that it enters.
    pub directories: Vec<PathBuf>,
    /// Code of interpreters, and what could not be read whole: what these do with the files that they name is not known.
    pub texts: Vec<String>,
    /// Whether a limit cut it, so that it may do anything else with the files that it names.
    pub is_cut: bool,
}

/// What a walk keeps for such a caller.
#[derive(Default)]
pub(crate) struct WatchNotes<'s> {
    pub(crate) files: Option<&'s dyn WatchedFiles>,
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) texts: Vec<String>,
    /// The commands that ran, if they are kept.
    pub(crate) commands: Option<Vec<CallCommand>>,
    /// The files that the line names, if they are kept.
    pub(crate) named: Option<CommandFiles>,
    /// The current command, for the user.
    pub(crate) command: String,
    /// The functions that ran.
    pub(crate) functions: Vec<Rc<BashCommand>>,
}

impl WatchNotes<'_> {
    /// Whether a function ran, if that is kept.
    pub(crate) fn has_run(&self, body: &Rc<BashCommand>) -> bool {
        self.functions.iter().any(|known| Rc::ptr_eq(known, body))
    }
}
