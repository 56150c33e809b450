//! Walking the workspace: globs and searches.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::Workspace;

/// Where a walk ends, whatever there is.
const MAX_ENTRIES: usize = 200_000;

/// Folders deeper than this are not entered.
const MAX_DEPTH: usize = 64;

/// The files of a walk, by path, and whether that is all of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Walk {
    pub(crate) paths: Vec<String>,
    pub(crate) is_cut: bool,
}

impl Workspace {
    /// The files beneath a folder whose path relative to it matches a glob. `*` does not cross `/`, `**` does.
    ///
    /// Links are not followed, and `.git` is not entered.
    pub(crate) fn glob(&self, pattern: &str, folder: &str) -> Result<Walk, String> {
        let matcher = matcher(pattern)?;
        self.walk(folder, |path| matcher.is_match(path))
    }

    /// The files beneath a folder that are wanted, sorted.
    pub(crate) fn walk(&self, folder: &str, wanted: impl Fn(&Path) -> bool) -> Result<Walk, String> {
        let base = self.relative(folder)?;
        let mut walk = Walk::default();
        let mut seen = 0;
        let mut open: Vec<(PathBuf, usize)> = vec![(PathBuf::new(), 0)];
        while let Some((within, depth)) = open.pop() {
            let here = if depth == 0 { base.clone() } else { base.join(&within) };
            let listed = self.list(&here.to_string_lossy());
            let listed = if depth == 0 { listed? } else { listed.unwrap_or_default() };
            for entry in listed {
                seen += 1;
                if seen > MAX_ENTRIES {
                    walk.is_cut = true;
                    walk.paths.sort();
                    return Ok(walk);
                }
                let path = within.join(&entry.name);
                if entry.is_dir {
                    if entry.name != ".git" && depth < MAX_DEPTH {
                        open.push((path, depth + 1));
                    }
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

/// A glob over paths. A pattern without `/` looks at the file's name alone.
pub(crate) fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let anywhere = format!("**/{pattern}");
    let text = if pattern.contains('/') { pattern.strip_prefix("./").unwrap_or(pattern) } else { &anywhere };
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    Ok(glob.map_err(|fault| format!("glob `{pattern}` is not valid: {}", fault.kind()))?.compile_matcher())
}

#[cfg(test)]
mod tests {
    use crate::workspace::tests::workspace;

    #[test]
    fn globs_find_files_and_never_follow_links_out() {
        let (folder, workspace) = workspace();
        for path in ["a.rs", "src/b.rs", "src/deep/c.rs", "src/d.txt", ".git/e.rs"] {
            workspace.write(path, "x").unwrap();
        }
        std::os::unix::fs::symlink("/", folder.path().join("root")).unwrap();
        let cases: &[(&str, &str, &[&str])] = &[
            ("*.rs", ".", &["a.rs", "src/b.rs", "src/deep/c.rs"]),
            ("src/*.rs", ".", &["src/b.rs"]),
            ("./src/**/*.rs", ".", &["src/b.rs", "src/deep/c.rs"]),
            ("*.txt", "src", &["src/d.txt"]),
            ("*.none", ".", &[]),
        ];
        for (pattern, base, expected) in cases {
            assert_eq!(workspace.glob(pattern, base).unwrap().paths, *expected, "{pattern} in {base}");
        }
        assert!(workspace.glob("[", ".").unwrap_err().starts_with("glob `[` is not valid"));
        assert!(workspace.glob("*", "..").unwrap_err().contains("outside the workspace"));
        assert!(workspace.glob("*", "nowhere").unwrap_err().contains("does not exist"));
    }
}
