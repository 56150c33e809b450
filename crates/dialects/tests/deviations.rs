//! Checks that each line of each `DEVIATIONS.md` names a test that exists.

use std::fs;
use std::path::{Path, PathBuf};

use pintle_dialects::DIALECTS;

/// The last cell of each row of a page's tables, without the backticks.
fn named_tests(page: &str) -> Vec<&str> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| ---") && !line.ends_with("| test |");
    let last_cell = |row| str::trim_end_matches(row, " |").rsplit(" | ").next().unwrap_or_default();
    page.lines().filter(is_row).map(|row| last_cell(row).trim_matches('`')).collect()
}

fn collect_sources(dir: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_sources(&path, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            sources.push(path);
        }
    }
}

fn contains_test(text: &str, name: &str) -> bool {
    // A property test has arguments.
    let function = format!("fn {name}(");
    text.match_indices(&function)
        .any(|(index, _)| text.get(..index).unwrap_or_default().trim_end().ends_with("#[test]"))
}

#[test]
fn each_deviation_names_a_test_that_exists() {
    let this = Path::new(env!("CARGO_MANIFEST_DIR"));
    for dialect in DIALECTS {
        // A client's list is beside its tables.
        let folders = [this.join("src"), this.parent().unwrap().join("clients/src")];
        let page = folders.iter().find_map(|dir| fs::read_to_string(dir.join(dialect.name).join("DEVIATIONS.md")).ok());
        let page = page.unwrap_or_else(|| panic!("{} has no list of deviations", dialect.name));
        let named = named_tests(&page);
        assert!(named.len() >= 4, "the tables of {} were not found", dialect.name);
        for test in named {
            let (package, name) = test.split_once("::").unwrap();
            let dir = this.parent().unwrap().join(package.trim_start_matches("pintle-"));
            let mut files = Vec::new();
            collect_sources(&dir.join("src"), &mut files);
            collect_sources(&dir.join("tests"), &mut files);
            let exists = files.iter().any(|file| contains_test(&fs::read_to_string(file).unwrap(), name));
            assert!(exists, "there is no test `{name}` in `{package}`");
        }
    }
}
