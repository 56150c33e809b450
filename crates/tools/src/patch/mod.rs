//! The patches of Codex (`*** Begin Patch`): the files that a patch changes, and how.

mod read;

use std::path::PathBuf;
use std::str::Split;

use serde_json::{Value, json};

use self::read::{PatchAction, PatchSection, sections};
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

/// The directory in which a shell command is, while its lines are read.
struct WorkingDirectory<'a> {
    lines: Split<'a, char>,
    next_line: usize,
    in_patch: bool,
    path: PathBuf,
}

impl<'a> WorkingDirectory<'a> {
    /// The directory in which a command starts.
    fn new(command: &'a str, start: &str) -> Self {
        Self { lines: command.split('\n'), next_line: 0, in_patch: false, path: PathBuf::from(start) }
    }

    /// The directory before a line, which is not before that of the last call: the start with the arguments of `cd` and
    /// `pushd` outside of patches.
    fn before_line(&mut self, line: usize) -> &PathBuf {
        let count = line.saturating_sub(self.next_line);
        for line in self.lines.by_ref().take(count) {
            // The command may stand before the patch in its first line, and after it in its last one.
            let before = line.split_once("*** Begin Patch").map(|(before, _)| before);
            if !self.in_patch {
                let commands = before.unwrap_or(line).split(['&', '|', ';', '(', '{']);
                self.path.extend(commands.filter_map(parse_change));
            }
            self.in_patch = before.is_some() || self.in_patch && !line.contains("*** End Patch");
        }
        self.next_line += count;
        &self.path
    }
}

fn parse_change(command: &str) -> Option<String> {
    // An open quote is that of `bash -c "cd sub && …`.
    let words = shlex::split(command).or_else(|| shlex::split(command.rsplit(['"', '\'']).next()?))?;
    let mut words = words.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    ["cd", "pushd"].contains(&words.next()?).then_some(())?;
    words.next().map(str::to_owned)
}

/// The patch with changed files. Only complete information can be changed: the path and the text of an added file, and
/// the path of a deleted one.
pub(super) fn rewrite_files(text: &str, files: &[CanonicalCall]) -> Result<String, UnmappableArguments> {
    let mut files = files.iter();
    let mut changed: Vec<(PatchSection<'_>, &Value)> = Vec::new();
    for section in sections(text) {
        let mut change = None;
        for (name, args) in section_calls(&section) {
            let now = files.next().ok_or_else(|| cannot_carry("the number of files in a patch cannot change"))?;
            if now.args != args {
                let is_whole = name != "edit" && section.moved_to.is_none();
                change = Some(is_whole.then_some(&now.args));
            }
        }
        match change {
            Some(Some(args)) => changed.push((section, args)),
            Some(None) => {
                return Err(cannot_carry("a patch section that edits or moves a file cannot be rewritten"));
            }
            None => {}
        }
    }
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    // From the last to the first, so that the line numbers stay valid.
    for (section, args) in changed.iter().rev() {
        apply_arguments(&mut lines, section, args)?;
    }
    Ok(lines.join("\n"))
}

fn apply_arguments(
    lines: &mut Vec<String>,
    section: &PatchSection<'_>,
    args: &Value,
) -> Result<(), UnmappableArguments> {
    let path = args.get("path").and_then(Value::as_str).filter(|path| !path.trim().is_empty() && !path.contains('\n'));
    let path = path.ok_or_else(|| cannot_carry("a file in a patch needs a single-line path"))?;
    let mut written = vec![format!("{}{path}", section.action.header_prefix())];
    let mut length = 0;
    if section.action == PatchAction::Add {
        let content = args.get("content").and_then(Value::as_str);
        let content = content.ok_or_else(|| cannot_carry("the content of a file must remain a string"))?;
        written.extend(content.lines().map(|line| format!("+{line}")));
        length = section.lines.iter().take_while(|line| line.starts_with('+')).count();
    }
    let end = (section.header_line + 1 + length).min(lines.len());
    lines.splice(section.header_line.min(end)..end, written);
    Ok(())
}

fn cannot_carry(reason: &str) -> UnmappableArguments {
    UnmappableArguments(reason.to_owned())
}
