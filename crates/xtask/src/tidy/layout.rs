//! One layout of modules: a module with files of its own is `name/mod.rs`, or `name/main.rs` where it is a program. The
//! tests of a crate are one program, which names every file: cargo does not find those that it forgets.

use std::collections::BTreeSet;

use xtask::SourceWorkspace;

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let mut violations = find_split_modules(workspace.sources().map(|(file, _)| file));
    violations.extend(find_forgotten_tests(workspace.sources()));
    violations
}

/// The files of tests that the program of their crate does not name.
fn find_forgotten_tests<'w>(sources: impl Iterator<Item = (&'w str, &'w str)> + Clone) -> Vec<String> {
    let programs = sources.clone().filter_map(|(file, text)| Some((file.strip_suffix("/tests/main.rs")?, text)));
    let forgotten = programs.flat_map(|(package, program)| {
        let files = sources.clone().filter_map(move |(file, _)| {
            let name = file.strip_prefix(package)?.strip_prefix("/tests/")?;
            let name = name.strip_suffix("/mod.rs").or_else(|| name.strip_suffix(".rs"))?;
            Some((file, name)).filter(|_| !name.contains('/') && name != "main")
        });
        files
            .filter(|(_, name)| !program.contains(&format!("mod {name};\n")))
            .map(move |(file, name)| format!("`{file}` is not run; write `mod {name};` in `{package}/tests/main.rs`"))
    });
    forgotten.collect()
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

    #[test]
    fn a_file_of_tests_that_no_program_names_is_found() {
        let main = ("crates/a/tests/main.rs", "mod b;\nmod c;\n");
        let files = ["b.rs", "c/mod.rs", "c/d.rs", "e.rs"].map(|file| format!("crates/a/tests/{file}"));
        let sources = std::iter::once(main).chain(files.iter().map(|file| (file.as_str(), "")));
        let expected = "`crates/a/tests/e.rs` is not run; write `mod e;` in `crates/a/tests/main.rs`";
        assert_eq!(find_forgotten_tests(sources), [expected]);
    }
}
