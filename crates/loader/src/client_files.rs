//! Finds the hook files of coding agents below a directory, and tells what a named file is.

use std::path::Path;

use pintle_clients::{LocationKind, claude_code, is_json, locations};
use pintle_contract::Diagnostic;
use pintle_dialects::{ArtifactKind, framework_hooks};
use pintle_files::is_executable;

use crate::discover::{DiscoveredFile, sorted_entries};

/// The text that settings must contain to register hooks.
const HOOKS: &str = "hooks";
/// The hook files of coding agents below a project's directory, or below a user's home directory.
pub(crate) fn find_in_project(dir: &Path, findings: &mut Vec<Diagnostic>) -> Vec<DiscoveredFile> {
    let mut found = Vec::new();
    for (place, file) in locations() {
        let path = dir.join(place.path);
        match place.kind {
            LocationKind::File if pintle_files::is_file(&path) => {
                let text = read_text_or_empty(&path);
                if text.contains(HOOKS) {
                    found.extend(
                        roles_of_text(&path, &text).into_iter().map(|role| DiscoveredFile { path: path.clone(), role }),
                    );
                }
            }
            LocationKind::Documents if pintle_files::is_dir(&path) => {
                let files = sorted_entries(&path, findings).into_iter().filter(|path| is_json(path));
                found.extend(files.map(|path| DiscoveredFile { path, role: ArtifactKind::Client(file) }));
            }
            LocationKind::Programs if pintle_files::is_dir(&path) => {
                let files = sorted_entries(&path, findings)
                    .into_iter()
                    .filter(|path| pintle_files::metadata(path).is_ok_and(|found| is_executable(&found)));
                found.extend(files.map(|path| DiscoveredFile { path, role: ArtifactKind::Client(file) }));
            }
            _ => {}
        }
    }
    found
}

/// The hook files in a directory that the user named itself, such as `.claude` or `.github/hooks`.
pub(crate) fn find_in_folder(dir: &Path, findings: &mut Vec<Diagnostic>) -> Vec<DiscoveredFile> {
    let is_part = |depth: usize| {
        let mut above = dir.ancestors();
        let root = above.nth(depth)?;
        let below = dir.strip_prefix(root).ok()?;
        locations().any(|(place, _)| Path::new(place.path).starts_with(below)).then_some(root)
    };
    let Some(root) = [2, 1].into_iter().find_map(is_part) else { return Vec::new() };
    let mut found = find_in_project(root, findings);
    found.retain(|file| file.path.starts_with(dir));
    found
}

/// The kinds of a file, by its path and its text. A settings file can contain two kinds of hooks.
pub(crate) fn artifact_kinds(path: &Path) -> Vec<ArtifactKind> {
    let known = recognise(path, "");
    if matches!(known, Some(ArtifactKind::Client(file)) if !file.is_text()) {
        return known.into_iter().collect();
    }
    if known.is_none() && !is_json(path) {
        return Vec::new();
    }
    roles_of_text(path, &read_text_or_empty(path))
}

fn roles_of_text(path: &Path, text: &str) -> Vec<ArtifactKind> {
    let client = recognise(path, text);
    let may_be_both = client
        .is_none_or(|kind| matches!(kind, ArtifactKind::Client(file) if file.client.name == claude_code::CLIENT.name));
    if !may_be_both || !framework_hooks::recognise(text) {
        return client.into_iter().collect();
    }
    // Every group has a `hooks` list of its own, below the top-level `hooks` key.
    let has_groups = text.matches("\"hooks\"").count() > 1;
    std::iter::once(ArtifactKind::FrameworkSettings).chain(client.filter(|_| has_groups)).collect()
}

/// The client's file that a path or a text is.
fn recognise(path: &Path, text: &str) -> Option<ArtifactKind> {
    pintle_clients::recognise(path, text).map(ArtifactKind::Client)
}

/// The text of a file, or an empty text. A file that cannot be read is reported when it is loaded.
fn read_text_or_empty(path: &Path) -> String {
    crate::read::read_limited(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}
