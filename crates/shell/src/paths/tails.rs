//! The tables of paths that need care: those with secrets in `secrets.txt`, the others in `guarded.txt`.

use crate::OperationTag::{self, ProbableSecret, Secret};
use crate::word_lists::{read_name, read_sections};

/// Where a path of the table is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TailRoot {
    /// Below any directory.
    Anywhere,
    /// Below a home directory.
    Home,
    /// Below the root directory.
    Root,
    /// Below a directory where programs keep their files, such as `~/.config`.
    Programs,
}
use TailRoot::{Anywhere, Home, Programs, Root};

/// What the end of a path means; `None`: it is public, whatever another row says of it.
pub(super) type TailMeaning = Option<OperationTag>;

/// The table of paths that need care, but for those with secrets.
static GUARDED: &str = include_str!("guarded.txt");

/// The rows of both tables.
pub(super) fn all_tails() -> impl Iterator<Item = (TailRoot, &'static str, TailMeaning)> {
    let guarded = read_sections(GUARDED).into_iter().flat_map(|section| {
        let tag: Option<OperationTag> = read_name(section.head);
        let paths = section.lines.into_iter().map(root_of);
        paths.filter_map(move |(root, tail)| Some((root, tail, Some(tag?))))
    });
    include_str!("secrets.txt").lines().filter_map(secret_tail).chain(guarded)
}

/// A line of `secrets.txt`: `PATH | PROGRAM | NAME IN ITS DOCUMENTATION`.
fn secret_tail(line: &'static str) -> Option<(TailRoot, &'static str, TailMeaning)> {
    let (path, _) = line.split_once(" | ").filter(|_| !line.starts_with('#'))?;
    let (meaning, path) = match (path.strip_prefix('?'), path.strip_prefix('!')) {
        (Some(path), _) => (Some(ProbableSecret), path),
        (_, Some(path)) => (None, path),
        _ => (Some(Secret), path),
    };
    let (root, tail) = root_of(path);
    Some((root, tail, meaning))
}

/// Where a path of a table begins, and the rest of it.
fn root_of(path: &'static str) -> (TailRoot, &'static str) {
    let roots = [("~/", Home), ("/", Root), ("@/", Programs)];
    let below = roots.into_iter().find_map(|(start, root)| Some((root, path.strip_prefix(start)?)));
    below.unwrap_or((Anywhere, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_guarded_paths_has_a_tag() {
        let is_row = |line: &&str| !line.is_empty() && !line.starts_with(['#', '[']);
        let tagged = all_tails().filter(|(_, _, meaning)| !matches!(meaning, None | Some(Secret | ProbableSecret)));
        assert_eq!(tagged.count(), GUARDED.lines().filter(is_row).count());
    }
}
