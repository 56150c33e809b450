//! Warns about unknown directories next to the known ones of a root.

use std::path::{Path, PathBuf};

use pintle_contract::{Diagnostic, Location};
use pintle_dialects::{ArtifactKind, read_hook};

use crate::discover::{error_without_file, is_yaml_path, sorted_entries};
use crate::package::is_plugin_file;
use crate::team::recognise_role;

/// The most entries of a directory that are examined, and the deepest level.
const MOST: usize = 100;
const DEEPEST: usize = 3;

/// The diagnostic for a directory that is not read: none if it contains nothing that looks like an artifact, a warning
/// if it does, and an error if there is a hook among that.
pub(crate) fn lint_folder(path: &Path, near: Option<&str>) -> Option<Diagnostic> {
    if is_hidden_path(path) {
        return None;
    }
    let files = files_below(path);
    let meant = || match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => String::from("put hooks in `.harness/hooks/`, tools in `tools/` and bundles in `plugins/`"),
    };
    if let Some(hook) = files.iter().find(|file| is_hook_like(file)) {
        let message =
            format!("the directory `{}` is not read, so the hook in `{}` does not run", path.display(), hook.display());
        return Some(error_without_file("unread_hook", message, &meant()));
    }
    let holds_artifacts = near.is_some() || files.iter().any(|file| is_artifact_like(file));
    holds_artifacts.then(|| {
        let message = format!("the directory `{}` is not read", path.display());
        Diagnostic::warning("unread_folder", message, Location::default()).help(meant())
    })
}

/// The files below a directory, within the limits.
fn files_below(path: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders, mut seen) = (Vec::new(), vec![(path.to_owned(), 0)], 0);
    while let Some((dir, depth)) = folders.pop() {
        for entry in sorted_entries(&dir, &mut Vec::new()) {
            seen += 1;
            if seen > MOST {
                return files;
            }
            let is_link = pintle_files::symlink_metadata(&entry).is_ok_and(|found| found.is_symlink());
            match (is_link, pintle_files::is_dir(&entry)) {
                (false, true) if depth < DEEPEST && !is_hidden_path(&entry) => folders.push((entry, depth + 1)),
                _ if pintle_files::is_file(&entry) => files.push(entry),
                _ => {}
            }
        }
    }
    files
}

pub(crate) fn is_hidden_path(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Whether a file would be a hook, or contain some, in a directory that is read.
fn is_hook_like(file: &Path) -> bool {
    if is_yaml_path(file) {
        return recognise_role(file) == Some(ArtifactKind::HooksBlock);
    }
    let Some(text) = read_markdown(file) else { return false };
    read_hook(file, "hook", &text).hook.is_some() || has_hook_list(&text)
}

/// Whether the frontmatter of a text has a list of hooks, as a bundle has.
fn has_hook_list(text: &str) -> bool {
    frontmatter_of(text).lines().any(|line| line.trim_end() == "hooks:" || line.starts_with("hooks: ["))
}

/// Whether a file looks like an artifact.
fn is_artifact_like(file: &Path) -> bool {
    is_plugin_file(file) || read_markdown(file).is_some_and(|text| !frontmatter_of(&text).is_empty())
}

fn read_markdown(file: &Path) -> Option<String> {
    let is_markdown = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
    let bytes = is_markdown.then(|| crate::read::read_limited(file).ok())??;
    String::from_utf8(bytes).ok()
}

fn frontmatter_of(text: &str) -> &str {
    let Some(rest) = text.trim_start_matches('\u{FEFF}').strip_prefix("---") else { return "" };
    rest.split_once("\n---").map_or("", |(matter, _)| matter)
}
