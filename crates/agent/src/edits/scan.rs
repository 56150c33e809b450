//! Scans a workspace and finds the files that changed between two scans.

use std::collections::BTreeMap;

use pintle_host::jail::EntryStat;

use crate::workspace::Workspace;

/// The maximum number of entries of a workspace that is compared. Scanning a larger one would delay every call.
const MAX_ENTRIES: usize = 20_000;

/// The size and modification time of a file, which tell its states apart without reading it.
pub(super) type FileStamp = (u64, u64);

pub(super) fn file_stamp(stat: &EntryStat) -> FileStamp {
    (stat.size_bytes, stat.modified_us)
}

/// All files by path, except `.git` and session tapes. `None` if the workspace is too large.
pub(super) fn scan_workspace(workspace: &Workspace) -> Option<BTreeMap<String, FileStamp>> {
    let mut files = BTreeMap::new();
    let mut open = vec![String::new()];
    let mut seen = 0;
    while let Some(dir) = open.pop() {
        let here = if dir.is_empty() { "." } else { &dir };
        // A directory that was removed or cannot be read counts as empty.
        for entry in workspace.list(here).unwrap_or_default() {
            seen += 1;
            if seen > MAX_ENTRIES {
                return None;
            }
            let path = if dir.is_empty() { entry.name.clone() } else { format!("{dir}/{}", entry.name) };
            if !entry.is_dir {
                files.insert(path, file_stamp(&entry));
            } else if entry.name != ".git" {
                open.push(path);
            }
        }
    }
    Some(files)
}

/// The changes between two scans: the path, the operation and the new size, ordered by path.
pub(super) fn find_changes<'a>(
    before: &'a BTreeMap<String, FileStamp>,
    now: &'a BTreeMap<String, FileStamp>,
) -> Vec<(&'a str, &'static str, Option<u64>)> {
    let here = now.iter().filter_map(|(path, stamp)| match before.get(path) {
        None => Some((path.as_str(), "create", Some(stamp.0))),
        Some(known) if known != stamp => Some((path.as_str(), "write", Some(stamp.0))),
        Some(_) => None,
    });
    let gone = before.keys().filter(|path| !now.contains_key(*path)).map(|path| (path.as_str(), "delete", None));
    let mut changes: Vec<_> = here.chain(gone).collect();
    changes.sort_unstable();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::open_workspace;

    #[test]
    fn what_is_made_changed_and_removed_is_found_and_nothing_else() {
        let (dir, workspace) = open_workspace();
        for path in ["same", "changed", "a/gone", ".git/index", ".pintle/tape"] {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let before = scan_workspace(&workspace).unwrap();
        for (path, text) in [("changed", "longer"), ("a/new", ""), (".git/index", "longer"), (".pintle/tape", "longer")]
        {
            std::fs::write(dir.path().join(path), text).unwrap();
        }
        std::fs::remove_file(dir.path().join("a/gone")).unwrap();
        let now = scan_workspace(&workspace).unwrap();
        let expected = [("a/gone", "delete", None), ("a/new", "create", Some(0)), ("changed", "write", Some(6))];
        assert_eq!(find_changes(&before, &now), expected);
        assert_eq!(find_changes(&now, &now), []);
    }
}
