//! The tables of paths that need care: those with secrets in `secrets.txt`, the others in `guarded.txt`.

use crate::OperationTag::{self, ProbableSecret, Secret};
use crate::name_index::{TAIL_TEXTS, TAILS};
use crate::word_lists::read_name;

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

/// What the row of a number says: where its path is looked for, the path, and what it means.
pub(super) fn read_tail(number: usize) -> Option<(TailRoot, &'static str, TailMeaning)> {
    let row = TAILS.get(number)?;
    let text = TAIL_TEXTS.get(usize::from(row.text))?;
    let path = row.read_from(&TAIL_TEXTS);
    // A row of `secrets.txt` says what it means itself; the others are in a section with a tag.
    let (meaning, path) = match (row.text, path.strip_prefix('?'), path.strip_prefix('!')) {
        (0, Some(path), _) => (Some(ProbableSecret), path),
        (0, _, Some(path)) => (None, path),
        (0, ..) => (Some(Secret), path),
        _ => {
            let (_, section) = text.get(..usize::from(row.start))?.rsplit_once("\n[")?;
            (Some(read_name(section.split(']').next()?)?), path)
        }
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
    fn every_line_of_the_tables_is_a_row() {
        let rows = TAIL_TEXTS.iter().flat_map(|text| text.lines());
        let rows: Vec<_> = rows.filter(|line| !line.is_empty() && !line.starts_with(['#', '['])).collect();
        assert_eq!(rows.len(), TAILS.len());
        for (number, line) in rows.into_iter().enumerate() {
            let (_, tail, meaning) = read_tail(number).expect(line);
            assert!(line.contains(tail), "{line}");
            let is_secret = matches!(meaning, None | Some(Secret | ProbableSecret));
            assert_eq!(is_secret, line.contains(" | "), "{line}");
        }
    }
}
