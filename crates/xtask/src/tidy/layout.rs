//! One layout of modules: a module with files of its own is `name/mod.rs`, or `name/main.rs` where it is a program.

use std::collections::BTreeSet;

use crate::workspace::SourceWorkspace;

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    find_split_modules(workspace.sources().map(|(file, _)| file))
}

/// The modules whose own file is beside their folder instead of in it.
fn find_split_modules<'w>(files: impl Iterator<Item = &'w str> + Clone) -> Vec<String> {
    let folders: BTreeSet<&str> = files.clone().filter_map(|file| Some(file.rsplit_once('/')?.0)).collect();
    let split = files.filter(|file| file.strip_suffix(".rs").is_some_and(|stem| folders.contains(stem)));
    split
        .map(|file| format!("`{file}` is beside its folder; it is `{}/mod.rs`", file.trim_end_matches(".rs")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_beside_its_folder_is_found() {
        let files = ["src/a.rs", "src/a/b.rs", "src/c/mod.rs", "src/c/d.rs", "src/e.rs"];
        assert_eq!(find_split_modules(files.into_iter()), ["`src/a.rs` is beside its folder; it is `src/a/mod.rs`"]);
    }
}
