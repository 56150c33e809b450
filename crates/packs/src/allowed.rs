//! What a user lets a rule let through: entries of `allow`.

use std::path::{Path, PathBuf};

use pintle_files::with_slashes;
use pintle_shell::Operation;

use crate::glob::{has_same_colons, matches_path};

/// An entry of `allow`: a path, or the text of a host, a branch or whatever else a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedTarget {
    /// As the user wrote it.
    written: String,
    /// The patterns of absolute paths that it stands for; none for a text that is not a path.
    paths: Vec<String>,
}

impl AllowedTarget {
    /// Reads an entry. `home` is the home directory of the user, if it is known.
    ///
    /// # Errors
    /// If it can match nothing, or everything. The text says what to write instead.
    pub fn parse(text: &str, home: Option<&Path>) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(String::from("it is empty; write a path, a host or a branch"));
        }
        if text.contains(['*', '?']) && text.chars().all(|letter| "*?/.".contains(letter)) {
            return Err(String::from("it would let everything through; to turn the rule off, write `off`"));
        }
        check_pattern(text)?;
        let paths = match paths_below_home(text, home)? {
            Some(paths) => paths,
            None if Path::new(text).is_absolute() || text.starts_with('/') => {
                vec![with_slashes(PathBuf::from(text)).display().to_string()]
            }
            None => Vec::new(),
        };
        if paths.iter().any(|path| path.split('/').any(|part| part == ".." || part == ".")) {
            return Err(String::from("a path is compared without `.` and `..`; write it without them"));
        }
        Ok(Self { written: text.to_owned(), paths })
    }

    /// The entry as the user wrote it.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether it names what an operation is done to: the text as written, or the path.
    #[must_use]
    pub fn covers(&self, operation: &Operation) -> bool {
        // The options that make a call dangerous stand in front of its target.
        let written = operation.written.as_str();
        let is_option = |(options, _): &(&str, &str)| options.split(' ').all(|word| word.starts_with('-'));
        let target = written.rsplit_once(' ').filter(is_option).map_or(written, |(_, target)| target);
        if self.written == written || self.written == target {
            return true;
        }
        let names_path = |path: &str| self.paths.iter().any(|pattern| matches_path(pattern, path));
        if has_known_path(operation) && operation.path.as_deref().is_some_and(names_path) {
            return true;
        }
        // A text that climbs out of what a pattern names is another place.
        let climbs = written.split('/').any(|part| part == "..");
        let is_pattern_of = has_same_colons(&self.written, target) && matches_path(&self.written, target);
        self.paths.is_empty() && !climbs && is_pattern_of
    }
}

/// Whether the path of an operation is where it seems to be: a part that is not known may climb out of it.
pub(crate) fn has_known_path(operation: &Operation) -> bool {
    let has_open_part = operation.path.as_ref().is_some_and(|path| path.contains('*'));
    !(has_open_part && operation.written.contains(['$', '…', '`']))
}

/// The paths that an entry below the home directory stands for; `None` if it is another one.
///
/// # Errors
/// If it names the home directory of another user.
pub(crate) fn paths_below_home(text: &str, home: Option<&Path>) -> Result<Option<Vec<String>>, String> {
    let below_home =
        ["~", "$HOME", "${HOME}"].iter().filter_map(|start| text.strip_prefix(start)).find(|rest| is_below(rest));
    match below_home {
        Some(rest) => {
            let homes = home.map(homes_of).unwrap_or_default();
            let path = |home: PathBuf| format!("{}{rest}", with_slashes(home).display());
            Ok(Some(homes.into_iter().map(path).collect()))
        }
        None if text.starts_with('~') => {
            Err(String::from("it names the home directory of another user; write an absolute path"))
        }
        None => Ok(None),
    }
}

fn is_below(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

/// The home directory as the environment has it, and as paths are compared: without links.
fn homes_of(home: &Path) -> Vec<PathBuf> {
    let mut homes = vec![home.to_owned()];
    homes.extend(pintle_files::canonicalize(home).ok().filter(|resolved| resolved != home));
    homes
}

/// What is wrong with the pattern of an entry.
fn check_pattern(text: &str) -> Result<(), String> {
    let is_open = |part: &str| part.rfind('[').is_some_and(|at| !part.get(at..).unwrap_or_default().contains(']'));
    if text.split('/').any(|part| is_open(part) && part.contains(['*', '?'])) || text == "[" {
        return Err(String::from("its pattern has a `[` without `]`; close it, or write `?` for one letter"));
    }
    if text.split('/').any(|part| part.contains("**") && part != "**") {
        return Err(String::from("`**` stands for whole directories; write `/**/`, or `*` within a name"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pintle_contract::OperationKind;

    use super::*;

    fn covers(entry: &str, path: &str, written: &str) -> bool {
        let allowed = AllowedTarget::parse(entry, Some(Path::new("/home/ana"))).unwrap();
        let mut operation = Operation::new(OperationKind::Delete, "rm").written(written);
        operation.path = (!path.is_empty()).then(|| path.to_owned());
        allowed.covers(&operation)
    }

    #[test]
    fn an_entry_names_paths_as_people_write_them() {
        for (entry, path) in [
            ("~/scratch/**", "/home/ana/scratch/a/b"),
            ("$HOME/scratch/**", "/home/ana/scratch/a"),
            ("${HOME}/scratch/", "/home/ana/scratch/a"),
            ("~/scratch", "/home/ana/scratch"),
            ("~", "/home/ana"),
            ("/opt/*", "/opt/x"),
            ("/opt/*", "/opt/*"),
            ("/opt/x*", "/opt/xy"),
            ("/opt/x*", "/opt/x*"),
            ("/opt/?", "/opt/ä"),
            ("/srv/**/cache", "/srv/cache"),
            ("/srv/**/cache", "/srv/a/b/cache"),
            ("/srv/*/tmp/**", "/srv/a/tmp/b/c"),
            ("/opt/[x]", "/opt/[x]"),
        ] {
            assert!(covers(entry, path, "w"), "{entry} {path}");
        }
        for (entry, path) in [
            ("~/scratch/**", "/home/ana/scratch"),
            ("~/scratch/**", "/home/ana/scratch2/a"),
            ("~/scratch/**", "/home/eve/scratch/a"),
            ("/opt/*", "/opt/x/y"),
            ("/opt/x*", "/opt/*"),
            ("/opt/?", "/opt/*"),
            ("/opt/?", "/opt/xy"),
            ("/srv/**/cache", "/srv/a/caches"),
            ("/opt/x", "/opt/x/y"),
        ] {
            assert!(!covers(entry, path, "w"), "{entry} {path}");
        }
    }

    #[test]
    fn an_entry_names_texts_that_are_no_paths() {
        for (entry, written) in [
            ("feature/*", "feature/a"),
            ("https://bun.sh/**", "https://bun.sh/install/x"),
            ("*.example.com", "a.example.com"),
            ("$DIR", "$DIR"),
            ("origin", "origin"),
        ] {
            assert!(covers(entry, "", written), "{entry} {written}");
        }
        for (entry, written) in [
            ("feature/*", "feature/a/b"),
            ("feature/*", "main"),
            ("feature/*", "feature/x:main"),
            ("scratch/**", "scratch/../../etc"),
            ("*.example.com", "a.example.com.evil"),
        ] {
            assert!(!covers(entry, "", written), "{entry} {written}");
        }
    }

    #[test]
    fn an_entry_that_can_match_nothing_or_everything_is_an_error() {
        for entry in ["", "  ", "*", "**", "/**", "**/*", "/*", "~eve/x", "/opt/../x", "~/./x", "/opt/x[*", "/opt/x**"]
        {
            let error = AllowedTarget::parse(entry, Some(Path::new("/home/ana"))).unwrap_err();
            assert!(error.contains("write"), "{entry}: {error}");
        }
    }
}
