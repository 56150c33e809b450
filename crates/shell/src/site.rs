//! Where a call happens: the directories and the machine that its paths refer to.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// The language of a command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShellLanguage {
    /// bash, and the shells that read the same.
    Bash,
    /// zsh.
    Zsh,
    /// One of the two, it is not known which: what the line would do in either counts.
    #[default]
    BashOrZsh,
    /// PowerShell.
    PowerShell,
}

/// The files of the project: those that the programs of a call run as code, and the names of others. This crate reads no disk; the caller does.
pub trait ProjectFiles {
    /// The beginning of a regular file, at most `most_bytes` of it. `None` if there is none, or if it is not text.
    fn read_code(&self, path: &Path, most_bytes: usize) -> Option<String>;

    /// Whether a directory exists.
    fn is_dir(&self, path: &Path) -> bool;

    /// The files of a directory and of the directories in it, as far as a short look finds them.
    fn list_files(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// Where a call happens.
#[derive(Clone, Copy)]
pub struct CallSite<'s> {
    /// The working directory, absolute.
    pub cwd: &'s Path,
    /// The project's directory, absolute.
    pub project: &'s Path,
    /// The user's home directory, if it is known.
    pub home: Option<&'s Path>,
    /// Resolves the symbolic links of an absolute path as far as it exists. `None`: paths stay as written.
    pub resolve: Option<&'s dyn Fn(&Path) -> PathBuf>,
    /// Reads the files that the call runs as code. `None`: what such a file does is not known.
    pub files: Option<&'s dyn ProjectFiles>,
    /// The language of the shell that reads command lines, unless a call names another one.
    pub language: ShellLanguage,
}

impl<'s> CallSite<'s> {
    /// A call in a directory of a project, both absolute. The home directory is not known, paths stay as written, and
    /// command lines are read as bash and as zsh.
    #[must_use]
    pub const fn new(cwd: &'s Path, project: &'s Path) -> Self {
        Self { cwd, project, home: None, resolve: None, files: None, language: ShellLanguage::BashOrZsh }
    }

    /// With the user's home directory, if it is known.
    #[must_use]
    pub const fn with_home(mut self, home: Option<&'s Path>) -> Self {
        self.home = home;
        self
    }

    /// Resolves the symbolic links of an absolute path as far as it exists.
    #[must_use]
    pub const fn resolved_by(mut self, resolve: &'s dyn Fn(&Path) -> PathBuf) -> Self {
        self.resolve = Some(resolve);
        self
    }

    /// Reads the files that the call runs as code.
    #[must_use]
    pub const fn reading(mut self, files: &'s dyn ProjectFiles) -> Self {
        self.files = Some(files);
        self
    }

    /// With the language of the shell that reads command lines.
    #[must_use]
    pub const fn read_by(mut self, language: ShellLanguage) -> Self {
        self.language = language;
        self
    }
}

impl std::fmt::Debug for CallSite<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("CallSite")
            .field("cwd", &self.cwd)
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}

/// An absolute path without `.`, `..` and doubled slashes, by its text alone.
pub(crate) fn normalize(path: &Path) -> Cow<'_, Path> {
    let text = path.as_os_str().as_encoded_bytes();
    let is_plain = |pair: &[u8]| pair != b"//" && pair != b"/.";
    if !cfg!(windows) && text.windows(2).all(is_plain) && (text.len() < 2 || text.last() != Some(&b'/')) {
        return Cow::Borrowed(path);
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Cow::Owned(pintle_files::with_slashes(plain))
}
