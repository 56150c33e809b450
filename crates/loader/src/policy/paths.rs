//! Resolves paths as written by tools and commands, and finds out whether they refer to policy.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::PolicyFiles;
use crate::matching::expand_pattern;

/// Policy files and the directories to which the paths of a tool call are relative.
#[derive(Debug, Clone)]
pub struct PolicyPaths<'a> {
    policy: &'a PolicyFiles,
    home: Option<PathBuf>,
    project: PathBuf,
    base: PathBuf,
}

impl<'a> PolicyPaths<'a> {
    /// Resolves the paths of a call in a working directory.
    #[must_use]
    pub fn new(policy: &'a PolicyFiles, project: &Path, cwd: &Path) -> Self {
        let home = pintle_files::home_dir();
        let base = std::path::absolute(cwd).unwrap_or_else(|_| cwd.to_owned());
        Self { policy, home, project: project.to_owned(), base }
    }

    /// The project's directory.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The working directory.
    pub(super) fn base(&self) -> &Path {
        &self.base
    }

    /// The same with another working directory.
    #[must_use]
    pub fn with_working_dir(&self, dir: Option<&str>) -> Self {
        let base = dir.map_or_else(|| self.base.clone(), |dir| self.to_absolute(dir));
        Self { base, ..self.clone() }
    }

    /// The absolute path of a text; understands `~`, `$HOME` and `file://`.
    pub(super) fn to_absolute(&self, text: &str) -> PathBuf {
        self.base.join(&*self.expand_variables(text))
    }

    fn expand_variables<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = text.strip_prefix("file://").unwrap_or(text);
        let home = self.home.as_ref().map(|home| home.to_string_lossy());
        let dir = |dir: Option<Cow<'_, str>>, rest: &str| dir.map(|dir| format!("{dir}/{rest}"));
        let behind = |variable: &str| {
            let braced = format!("${{{variable}}}");
            let bare = format!("${variable}");
            let rest = text.strip_prefix(braced.as_str()).or_else(|| text.strip_prefix(bare.as_str()))?;
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
        };
        let known = match text {
            "~" => dir(home, ""),
            _ if text.starts_with("~/") => dir(home, text.trim_start_matches(['~', '/'])),
            _ => ["HOME", "PWD", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR"].into_iter().find_map(
                |variable| {
                    let rest = behind(variable)?;
                    let of = match variable {
                        "HOME" => home.clone(),
                        "PWD" => Some(self.base.to_string_lossy()),
                        _ => Some(self.project.to_string_lossy()),
                    };
                    dir(of, rest)
                },
            ),
        };
        known.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// The policy that creating, changing, moving or removing a path would change.
    #[must_use]
    pub fn policy_changed_at(&self, text: &str) -> Option<PathBuf> {
        let path = self.to_absolute(text);
        self.policy.contains_policy(&path).then_some(path)
    }

    /// The path, if reading it with its contents shows the private key of this machine.
    #[must_use]
    pub fn key_read_at(&self, text: &str) -> Option<PathBuf> {
        let path = self.to_absolute(text);
        self.policy.contains_key(&path).then_some(path)
    }

    /// Whether a word can name policy, by a look that costs little: a plain name that no policy has, of a file that is not
    /// there, names none. What passes has to be asked about.
    pub(super) fn name_filter(&self) -> impl Fn(&str) -> bool {
        let is_inside = self.policy.is_policy(&self.base);
        let names = self.policy.part_names();
        move |word| {
            let is_plain = !word.contains(['/', '~', '$', '*', '?', '[', ':']) && !matches!(word, "." | "..");
            !is_plain
                || is_inside
                || names.contains(&word.to_lowercase())
                || pintle_files::symlink_metadata(self.base.join(word)).is_ok()
        }
    }

    /// The existing policy below a directory, with the directories above it.
    pub(super) fn policy_below(&self, text: &str) -> BTreeSet<PathBuf> {
        self.policy.policy_below(&self.to_absolute(text))
    }

    /// The policy that writing to a path would change. A directory cannot be written, so the files below it stay.
    pub(super) fn policy_written_at(&self, text: &str) -> Option<PathBuf> {
        let path = self.to_absolute(text);
        self.policy.is_policy(&path).then_some(path)
    }

    /// The files that a path matches if it is a pattern, and the path itself.
    pub(super) fn expand(&self, path: &str) -> Vec<String> {
        let found = if path.contains(['*', '?', '[']) { expand_pattern(&self.to_absolute(path)) } else { Vec::new() };
        found.into_iter().map(|path| path.to_string_lossy().into_owned()).chain([path.to_owned()]).collect()
    }
}
