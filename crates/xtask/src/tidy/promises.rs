//! Checks that every promise of the documents names a test that exists, or says why it is read differently.

use std::collections::HashSet;

use xtask::SourceWorkspace;

/// The directory of the promises, and the page about security, which has the same format.
const PAGES: [&str; 2] = ["docs/promises/", "docs/security.md"];

/// The prefix of the last cell of a row without a test.
const OTHERWISE: &str = "read otherwise: ";

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let tests = list_tests(workspace);
    let pages = workspace
        .files
        .iter()
        .filter(|(name, _)| name.ends_with(".md") && PAGES.iter().any(|page| name.starts_with(page)));
    let mut faults = Vec::new();
    for (name, text) in pages {
        for cell in last_cells(text) {
            let named: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
            if named.is_empty() && !cell.starts_with(OTHERWISE) {
                faults.push(format!("`{name}` has a promise without a test: `{cell}`"));
            }
            let missing = named.iter().filter(|test| !cell.starts_with(OTHERWISE) && !tests.contains(**test));
            faults.extend(missing.map(|test| format!("`{name}` names the test `{test}`, which does not exist")));
        }
    }
    faults
}

/// The last cell of each row of the tables whose last column is `test`.
fn last_cells(page: &str) -> impl Iterator<Item = &str> {
    let mut names_tests = false;
    let rows = page.lines().filter(move |line| {
        let is_head = line.ends_with("| test |");
        names_tests = is_head || (names_tests && line.starts_with('|'));
        names_tests && !is_head && !line.starts_with("| ---")
    });
    rows.map(|row| row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default())
}

/// Every test of the workspace, as `pintle-engine::its_name`.
fn list_tests(workspace: &SourceWorkspace) -> HashSet<String> {
    let mut tests = HashSet::new();
    for (name, text) in workspace.files.iter().filter(|(name, _)| name.ends_with(".rs")) {
        let Some(dir) = name.strip_prefix("crates/").and_then(|rest| rest.split('/').next()) else { continue };
        let package = if dir == "pintle" { String::from("pintle") } else { format!("pintle-{dir}") };
        let mut is_test = false;
        for line in text.lines().map(str::trim_start) {
            match line.strip_prefix("fn ").and_then(|rest| rest.split('(').next()) {
                Some(function) if is_test => drop(tests.insert(format!("{package}::{function}"))),
                _ => {}
            }
            // Attributes and comments may be in between.
            is_test = line == "#[test]" || is_test && (line.starts_with("#[") || line.starts_with("//"));
        }
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_found_by_its_crate_and_a_missing_one_is_told() {
        let workspace = SourceWorkspace::open().unwrap();
        let tests = list_tests(&workspace);
        assert!(tests.len() > 1_000, "{} tests", tests.len());
        assert!(tests.contains("pintle-engine::rule_01_the_engine_agrees_with_the_naive_fold"));
        assert!(!tests.contains("pintle-engine::rule_01"));
    }

    #[test]
    fn the_last_cell_of_each_row_counts() {
        let page = "| promise | test |\n| --- | --- |\n| a | `x::y` |\n| b `c` | read otherwise: it is a remark |\n\n\
                    | page | document |\n| --- | --- |\n| a | b |\n";
        let cells: Vec<&str> = last_cells(page).collect();
        assert_eq!(cells, ["`x::y`", "read otherwise: it is a remark"]);
    }
}
