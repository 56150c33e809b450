//! Resolves paths as written by tools and commands, and finds out whether they refer to policy.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::PolicyFiles;
use crate::matching::expand_pattern;

/// The most files that are tested against a shell pattern.
const MOST_MATCHES: usize = 4096;

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

    /// The existing policy below a directory, with the directories above it.
    pub(super) fn policy_below(&self, text: &str) -> BTreeSet<PathBuf> {
        self.policy.policy_below(&self.to_absolute(text))
    }

    /// The policy that writing to a path would change. A directory cannot be written, so the files below it stay.
    pub(super) fn policy_written_at(&self, text: &str) -> Option<PathBuf> {
        let path = self.to_absolute(text);
        self.policy.is_policy(&path).then_some(path)
    }

    /// The files that a shell word matches if it is a pattern, otherwise the word itself.
    pub(super) fn expand_word(&self, word: &str) -> Vec<String> {
        expand_braces(word).into_iter().flat_map(|word| self.expand_glob(word)).take(MOST_MATCHES).collect()
    }

    fn expand_glob(&self, word: String) -> Vec<String> {
        if !word.contains(['*', '?', '[']) {
            return vec![word];
        }
        let found = expand_pattern(&self.to_absolute(&word));
        found.into_iter().map(|path| path.to_string_lossy().into_owned()).chain([word]).collect()
    }
}

/// A word with each of its alternatives in braces: `a/{b,c}` is `a/b` and `a/c`.
fn expand_braces(word: &str) -> Vec<String> {
    let Some((open, close)) = word.find('{').and_then(|open| {
        let rest = word.get(open..)?;
        let mut depth = 0_usize;
        let close = rest.char_indices().find_map(|(index, letter)| {
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (letter == '}' && depth == 0).then_some(open + index)
        })?;
        Some((open, close))
    }) else {
        return vec![word.to_owned()];
    };
    let (before, inner, after) =
        (word.get(..open).unwrap_or_default(), word.get(open + 1..close).unwrap_or_default(), word.get(close + 1..));
    // `${NAME}` is a variable.
    if before.ends_with('$') || !inner.contains(',') {
        return vec![word.to_owned()];
    }
    let mut depth = 0_usize;
    let alternatives = inner.split(|letter| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    let whole = alternatives.map(|one| format!("{before}{one}{}", after.unwrap_or_default()));
    whole.take(64).flat_map(|word| if word.len() < 4096 { expand_braces(&word) } else { vec![word] }).take(64).collect()
}
