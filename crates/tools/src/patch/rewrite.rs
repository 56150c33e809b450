//! Merges changed arguments of a file into the text of its patch.

use serde_json::Value;

use super::read::{PatchAction, PatchSection, sections};
use super::{CanonicalCall, UnmappableArguments, section_calls};

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
