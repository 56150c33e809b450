//! How things look.

pub(crate) mod diagnostic;
pub(crate) mod table;
pub(crate) mod tone;

use std::path::Path;

use pintle::Location;

/// A number and what it counts: `1 hook`, `2 hooks`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A path as a person would type it: without the `./` of a path that begins here.
pub(crate) fn path(path: &Path) -> String {
    path.strip_prefix("./").unwrap_or(path).display().to_string()
}

/// `path:line`, where there is a file.
pub(crate) fn place(location: &Location) -> Option<String> {
    let (line, _) = location.line_column()?;
    Some(format!("{}:{line}", path(location.path()?)))
}
