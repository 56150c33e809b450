//! Edits files: one implementation for the editing tools.

use crate::turn_context::ToolContext;
use crate::workspace::{replace_all, replace_one};

/// A text of a file and its replacement.
pub(crate) struct TextEdit<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    /// Whether every occurrence is replaced. Otherwise the text must occur exactly once.
    pub(crate) all: bool,
}

/// Replaces texts in a file, one after the other, and returns how many places changed. If a text cannot be replaced, the
/// file stays unchanged; `explain` gets the index of that edit and the reason.
pub(crate) fn edit_file(
    at: &ToolContext<'_>,
    path: &str,
    edits: &[TextEdit<'_>],
    explain: impl Fn(usize, String) -> String,
) -> Result<usize, String> {
    let mut content = at.workspace().read(path)?;
    let mut places = 0;
    for (index, TextEdit { old, new, all }) in edits.iter().enumerate() {
        let replaced = match all {
            true => replace_all(&content, old, new),
            false => replace_one(&content, old, new).map(|content| (content, 1)),
        };
        let (next, count) = replaced.map_err(|reason| explain(index, reason))?;
        (content, places) = (next, places + count);
    }
    at.files().edit(path, &content)?;
    Ok(places)
}
