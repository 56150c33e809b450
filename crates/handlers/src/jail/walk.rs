//! Walks a directory for globs and searches.

use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use pintle_contract::CancelToken;

use super::read::read_entries;
use super::{JailError, JailedDir};

/// The most entries that a walk visits.
pub(super) const MAX_ENTRIES: usize = 200_000;

/// Deeper directories are not entered.
const MAX_DEPTH: usize = 64;

/// The files of a walk, ordered by path, and whether it is complete.
#[derive(Debug, Default)]
pub struct TreeWalk {
    /// The sorted paths.
    pub paths: Vec<String>,
    /// Whether there are more files than a walk visits.
    pub is_truncated: bool,
    /// The error of the first directory that could not be read.
    pub first_error: Option<JailError>,
}

impl TreeWalk {
    /// The paths, if the walk is complete.
    ///
    /// # Errors
    /// When something was left out.
    pub fn all_paths(self) -> Result<Vec<String>, JailError> {
        match self.first_error {
            _ if self.is_truncated => Err(JailError::IncompleteWalk),
            Some(error) => Err(error),
            None => Ok(self.paths),
        }
    }
}

impl JailedDir {
    /// The files below a directory whose relative path matches a glob. `*` does not match `/`, `**` does; a pattern
    /// without `/` matches in every directory.
    ///
    /// Only directories in which the pattern can match are entered. Links are not followed, and `.git` is not entered.
    ///
    /// # Errors
    /// When the glob is not valid, the directory does not exist or is outside, or the caller no longer waits for the
    /// result.
    pub fn glob(&self, pattern: &str, dir: &str, cancel: &CancelToken) -> Result<TreeWalk, JailError> {
        let Some((begin, rest)) = split_literal_prefix(pattern) else {
            let matcher = glob_matcher(pattern)?;
            return self.walk(dir, |path| matcher.is_match(path), cancel);
        };
        let matcher = compile_glob(rest, pattern)?;
        if begin.is_empty() {
            return self.walk_limited(dir, pattern_depth(rest), |path| matcher.is_match(path), cancel);
        }
        let within = if Path::new(begin).is_absolute() { begin.to_owned() } else { format!("{dir}/{begin}") };
        if !self.exists(&within)? {
            // The directory itself must exist.
            return self.stat(dir).map(|_| TreeWalk::default());
        }
        self.walk_limited(&within, pattern_depth(rest), |path| matcher.is_match(path), cancel)
    }

    /// The wanted files below a directory, sorted.
    ///
    /// # Errors
    /// When the directory does not exist or is outside, or the caller no longer waits for the result.
    pub fn walk(&self, dir: &str, wanted: impl Fn(&Path) -> bool, cancel: &CancelToken) -> Result<TreeWalk, JailError> {
        self.walk_limited(dir, None, wanted, cancel)
    }

    /// The same up to a depth of `most` directories; `None` for no limit.
    fn walk_limited(
        &self,
        dir: &str,
        most: Option<usize>,
        wanted: impl Fn(&Path) -> bool,
        cancel: &CancelToken,
    ) -> Result<TreeWalk, JailError> {
        let base = self.relative_path(dir)?;
        let mut walk = TreeWalk::default();
        let mut seen = 0;
        let mut open: Vec<(PathBuf, usize)> = vec![(PathBuf::new(), 0)];
        while let Some((within, depth)) = open.pop() {
            if cancel.is_cancelled() {
                return Err(JailError::Cancelled);
            }
            let here = if depth == 0 { base.clone() } else { base.join(&within) };
            let listed = match read_entries(&self.dir, &here) {
                Ok(listed) => listed,
                Err(error) if depth == 0 => return Err(JailError::from_io(dir, error)),
                // It was removed in the meantime.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    walk.first_error.get_or_insert_with(|| JailError::from_io(&here.to_string_lossy(), error));
                    continue;
                }
            };
            for entry in listed {
                seen += 1;
                if seen > MAX_ENTRIES {
                    walk.is_truncated = true;
                    walk.paths.sort();
                    return Ok(walk);
                }
                let path = within.join(&entry.name);
                if entry.is_dir {
                    if entry.name == ".git" || most.is_some_and(|most| depth + 1 >= most) {
                        continue;
                    }
                    if depth < MAX_DEPTH { open.push((path, depth + 1)) } else { walk.is_truncated = true }
                } else if wanted(&path) {
                    let shown = base.join(&path);
                    walk.paths.push(shown.strip_prefix(".").unwrap_or(&shown).to_string_lossy().into_owned());
                }
            }
        }
        walk.paths.sort();
        Ok(walk)
    }
}

/// The literal directory prefix of a pattern, and the rest, which starts with the first component that can match
/// several names. `None` for a pattern without `/`.
fn split_literal_prefix(pattern: &str) -> Option<(&str, &str)> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let last = pattern.rfind('/')?;
    let wild = pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len());
    let end = pattern.get(..wild.min(last + 1)).and_then(|begin| begin.rfind('/'));
    Some(match end {
        Some(0) => ("/", pattern.get(1..).unwrap_or_default()),
        Some(end) => (pattern.get(..end).unwrap_or_default(), pattern.get(end + 1..).unwrap_or_default()),
        None => ("", pattern),
    })
}

/// The depth in directories at which something can match; `None` if the pattern does not limit it.
fn pattern_depth(pattern: &str) -> Option<usize> {
    let tells = !["**", "{", "[", "\\"].iter().any(|wild| pattern.contains(wild));
    tells.then(|| pattern.split('/').count())
}

/// A glob over paths. A pattern without `/` matches only the file's name.
///
/// # Errors
/// When it is not valid.
pub fn glob_matcher(pattern: &str) -> Result<GlobMatcher, JailError> {
    let anywhere = format!("**/{pattern}");
    let text = if pattern.contains('/') { pattern.strip_prefix("./").unwrap_or(pattern) } else { &anywhere };
    compile_glob(text, pattern)
}

fn compile_glob(text: &str, pattern: &str) -> Result<GlobMatcher, JailError> {
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    let invalid =
        |error: globset::Error| JailError::InvalidGlob { pattern: pattern.to_owned(), reason: error.kind().clone() };
    Ok(glob.map_err(invalid)?.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::super::tests::jailed_dir;
    use super::*;

    #[test]
    fn globs_find_files_and_never_follow_links_out() {
        let (place, jailed) = jailed_dir(&[
            "a.rs",
            "src/b.rs",
            "src/deep/c.rs",
            "src/d.txt",
            ".git/e.rs",
            ".harness/hooks/f.md",
            "{g/h.rs",
        ]);
        std::os::unix::fs::symlink("/", place.path().join("root")).unwrap();
        let absolute = format!("{}/src/*.rs", place.path().display());
        let cases: &[(&str, &str, &[&str])] = &[
            ("*.rs", ".", &["a.rs", "src/b.rs", "src/deep/c.rs", "{g/h.rs"]),
            ("src/*.rs", ".", &["src/b.rs"]),
            ("s*/*.rs", ".", &["src/b.rs"]),
            ("src/d.txt", ".", &["src/d.txt"]),
            ("./src/**/*.rs", ".", &["src/b.rs", "src/deep/c.rs"]),
            ("**/deep/*", ".", &["src/deep/c.rs"]),
            ("{src/deep,src}/*.rs", ".", &["src/b.rs", "src/deep/c.rs"]),
            ("[s/]rc/*.rs", ".", &["src/b.rs"]),
            ("\\{g/*.rs", ".", &["{g/h.rs"]),
            (&absolute, ".", &["src/b.rs"]),
            ("deep/*.rs", "src", &["src/deep/c.rs"]),
            (".harness/hooks/*.md", ".", &[".harness/hooks/f.md"]),
            ("*.txt", "src", &["src/d.txt"]),
            ("*.none", ".", &[]),
            ("nowhere/deep/*.rs", ".", &[]),
        ];
        let cancel = CancelToken::default();
        for (pattern, base, expected) in cases {
            assert_eq!(
                jailed.glob(pattern, base, &cancel).unwrap().all_paths().unwrap(),
                *expected,
                "{pattern} in {base}"
            );
        }
        assert!(jailed.glob("[", ".", &cancel).unwrap_err().to_string().starts_with("glob `[` is not valid"));
        for (pattern, base) in [("*", ".."), ("../*", "."), ("/etc/*", "."), ("/*", "."), ("root/*", ".")] {
            assert!(
                jailed.glob(pattern, base, &cancel).unwrap_err().to_string().contains("outside the workspace"),
                "{pattern}"
            );
        }
        assert!(jailed.glob("*", "nowhere", &cancel).unwrap_err().to_string().contains("does not exist"));
        assert!(jailed.glob("a/*", "nowhere", &cancel).unwrap_err().to_string().contains("does not exist"));
        cancel.cancel();
        assert!(jailed.glob("*", ".", &cancel).is_err());
    }

    #[test]
    fn a_walk_that_left_something_out_is_not_whole() {
        let deep = vec!["d"; MAX_DEPTH + 2].join("/");
        let (_place, jailed) = jailed_dir(&[format!("{deep}/a.md").as_str(), "near/a.md"]);
        let cancel = CancelToken::default();
        assert!(
            jailed
                .glob("*.md", ".", &cancel)
                .unwrap()
                .all_paths()
                .unwrap_err()
                .to_string()
                .contains("smaller directory")
        );
        // Directories in which nothing can match are not entered.
        assert_eq!(jailed.glob("near/*.md", ".", &cancel).unwrap().all_paths().unwrap(), ["near/a.md"]);
        let unread =
            TreeWalk { first_error: Some(JailError::NotText { path: String::from("x") }), ..TreeWalk::default() };
        assert_eq!(unread.all_paths().unwrap_err().to_string(), "`x` is not UTF-8 text");
    }
}
