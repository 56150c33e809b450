//! The patches of Codex (`*** Begin Patch`): the files that a patch changes, and how.

mod directory;
mod read;
mod rewrite;

use serde_json::{Value, json};

use self::directory::WorkingDirectory;
use self::read::{PatchAction, PatchSection};
use crate::vocabulary::{CanonicalCall, UnmappableArguments};

/// Whether a text contains such a patch.
#[must_use]
pub fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// The calls of a patch, file by file: `write` for an added file, `edit` for a changed one, `delete` for a deleted one;
/// a moved file is deleted at its old path and written at its new one.
///
/// Lines outside a patch are skipped, so that every path is found that a lenient reader could find.
#[must_use]
pub fn to_calls(text: &str) -> Vec<CanonicalCall> {
    read::sections(text).iter().flat_map(section_calls).map(|(name, args)| CanonicalCall::new(name, args)).collect()
}

/// The calls of the patches in a shell command, which refer to its working directory: the one that the call names, and
/// those that the command changes to before a patch.
#[must_use]
pub fn calls_of_command(command: &str, directory: Option<&str>) -> Vec<CanonicalCall> {
    let mut directory = WorkingDirectory::new(command, directory.unwrap_or_default());
    let mut calls = Vec::new();
    for section in read::sections(command) {
        let base = directory.before_line(section.header_line);
        for (name, mut args) in section_calls(&section) {
            if let Some(path) = args.get_mut("path")
                && let Some(written) = path.as_str()
            {
                *path = Value::from(base.join(written).display().to_string());
            }
            calls.push(CanonicalCall::new(name, args));
        }
    }
    calls
}

/// The patch with the changed arguments of its files.
pub(super) fn rewrite_files(text: &str, files: &[CanonicalCall]) -> Result<String, UnmappableArguments> {
    rewrite::rewrite_files(text, files)
}

/// The calls of one section of a patch.
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
