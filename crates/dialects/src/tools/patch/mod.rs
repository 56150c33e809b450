//! The patches of Codex (`*** Begin Patch`): which files one touches, and how.

mod read;
mod rewrite;

use serde_json::{Value, json};

use self::read::{PatchAction, PatchSection};
use super::{CanonicalCall, UnmappableArguments};

/// Whether a text holds such a patch somewhere.
#[must_use]
pub fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// What a patch does, file by file: `write` for a file that it adds, `edit` for one that it changes, `delete` for one
/// that it takes away; a file that it moves is deleted at its old place and written at its new one.
///
/// Lines that belong to no patch are passed over: a path that a lenient reader could find is found.
#[must_use]
pub fn to_calls(text: &str) -> Vec<CanonicalCall> {
    read::sections(text)
        .iter()
        .flat_map(section_calls)
        .map(|(name, args)| CanonicalCall { name: name.to_owned(), args, category: Some("filesystem") })
        .collect()
}

/// The patch with the changed arguments of its files.
pub(super) fn rewrite_files(text: &str, files: &[CanonicalCall]) -> Result<String, UnmappableArguments> {
    rewrite::rewrite_files(text, files)
}

/// The calls that one section of a patch is.
fn section_calls(section: &PatchSection<'_>) -> Vec<(&'static str, Value)> {
    let path = section.path;
    match section.action {
        PatchAction::Add => vec![("write", json!({"path": path, "content": section.new_text()}))],
        PatchAction::Delete => vec![("delete", json!({"path": path}))],
        PatchAction::Update => {
            let edit = ("edit", json!({"path": path, "old": section.old_text(), "new": section.new_text()}));
            match section.moved_to {
                None => vec![edit],
                Some(to) => {
                    let write = ("write", json!({"path": to, "content": section.new_text()}));
                    let delete = ("delete", json!({"path": path}));
                    if section.has_changes() { vec![edit, delete, write] } else { vec![delete, write] }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
