//! Checks that what the pages for contributors name is there: paths, the names in them, and the words to search for.
//!
//! - A path in backticks exists.
//! - A name that is said to be in a path (`` `CLIENTS` in `crates/clients/src/lib.rs` ``) is a word of that file, or of a
//!   file in that directory.
//! - The words of a table with the columns `search for` and `find` are in the file that they should find, and not in
//!   many others.

use xtask::SourceWorkspace;

use crate::tidy::code::has_word;

const PAGES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// What a path in backticks begins with.
const ROOTS: [&str; 9] =
    ["bindings/", "crates/", "docs/", "examples/", "fleet/", "lab/", "schemas", ".ci/", "packaging/"];

/// The end of the head of a table with searches.
const SEARCH_HEAD: &str = "| search for | find |";

/// The most files that a search may find.
const MAX_FOUND_FILES: usize = 12;

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let check = |page: &str| match workspace.text(page) {
        Ok(text) => check_page(workspace, page, text),
        Err(error) => vec![error],
    };
    PAGES.into_iter().flat_map(check).collect()
}

fn check_page(workspace: &SourceWorkspace, page: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for paragraph in text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")) {
        let missing = code_spans(&paragraph).filter(|span| is_path(span) && !workspace.root.join(span).exists());
        faults.extend(missing.map(|path| format!("{page} names `{path}`, which does not exist")));
        let lost = named_places(&paragraph).filter(|(name, path)| !is_in(workspace, name, path));
        faults.extend(lost.map(|(name, path)| format!("{page} says that `{name}` is in `{path}`, but it is not")));
    }
    let searches = search_rows(text).filter_map(|(words, path)| check_search(workspace, words, path));
    faults.extend(searches.map(|fault| format!("{page}: {fault}")));
    faults
}

/// The texts in backticks.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn is_path(span: &str) -> bool {
    ROOTS.iter().any(|root| span.starts_with(root)) && !span.contains([' ', '*'])
}

/// The names that a text says to be in a path, each with the path: several names may share one.
fn named_places(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut names: Vec<&str> = Vec::new();
    let spans = code_spans(text);
    let gaps = text.split('`').skip(2).step_by(2);
    let following = code_spans(text).skip(1);
    spans.zip(gaps).zip(following).flat_map(move |((span, gap), next)| {
        names.extend((!is_path(span)).then_some(span));
        if gap == " in " && is_path(next) {
            return std::mem::take(&mut names).into_iter().map(|name| (name, next)).collect();
        }
        if ![" or ", " and ", ", "].contains(&gap) {
            names.clear();
        }
        Vec::new()
    })
}

/// Whether a file, or a file in a directory, has a name.
fn is_in(workspace: &SourceWorkspace, name: &str, path: &str) -> bool {
    let word = name.rsplit("::").next().unwrap_or(name);
    let inside = |file: &str| file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    workspace.files.iter().any(|(file, text)| inside(file) && has_word(text, word))
}

/// The rows of the tables of searches: the words, and the file that they find.
fn search_rows(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut is_search = false;
    let rows = page.lines().filter(move |line| {
        let is_head = line.ends_with(SEARCH_HEAD);
        is_search = is_head || (is_search && line.starts_with('|'));
        is_search && !is_head && !line.starts_with("| ---")
    });
    rows.map(|row| {
        let mut cells = row.trim_end_matches('|').rsplit('|');
        let path = cells.next().and_then(|cell| code_spans(cell).filter(|span| is_path(span)).last());
        let words = cells.next().and_then(|cell| code_spans(cell).next());
        (words.unwrap_or_default(), path.unwrap_or_default())
    })
}

/// What is wrong with a search.
fn check_search(workspace: &SourceWorkspace, words: &str, path: &str) -> Option<String> {
    if words.is_empty() || path.is_empty() {
        return Some(format!("a search lacks its words or its path: `{words}`, `{path}`"));
    }
    let has_words = |text: &str| text.to_lowercase().contains(&words.to_lowercase());
    let is_searched =
        |file: &str| file.starts_with("crates/") && !file.starts_with("crates/xtask/") && file.contains("/src/");
    let found: Vec<&str> =
        workspace.sources().filter(|(file, text)| is_searched(file) && has_words(text)).map(|(file, _)| file).collect();
    if !found.contains(&path) {
        Some(format!("a search for `{words}` does not find `{path}`; add the words to its doc comment"))
    } else if found.len() > MAX_FOUND_FILES {
        Some(format!("a search for `{words}` finds {} files; the maximum is {MAX_FOUND_FILES}", found.len()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;

    fn workspace(files: &[(&str, &str)]) -> SourceWorkspace {
        let files: BTreeMap<_, _> = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        SourceWorkspace { root: PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."), files }
    }

    #[test]
    fn a_path_or_a_name_that_is_not_there_is_found() {
        let workspace = workspace(&[("crates/xtask/src/main.rs", "const CHORES: u8 = 1; fn main() {}")]);
        let page = "See `crates/xtask/src/main.rs` and `crates/xtask/src/lost.rs`.\n\n\
                    `CHORES`, `Xtask::main` or `TABLE` in `crates/xtask/src`, `x`; `CHORES`\nin `crates/xtask/src/main.rs`.";
        let expected = [
            "P names `crates/xtask/src/lost.rs`, which does not exist",
            "P says that `TABLE` is in `crates/xtask/src`, but it is not",
        ];
        assert_eq!(check_page(&workspace, "P", page), expected);
    }

    #[test]
    fn a_search_that_does_not_find_its_file_is_found() {
        let many: Vec<String> = (0..=MAX_FOUND_FILES).map(|number| format!("crates/a/src/f{number}.rs")).collect();
        let mut files: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "every")).collect();
        files.push(("crates/xtask/src/main.rs", "/// Blocked prompt"));
        files.push(("crates/cli/src/main.rs", "/// A blocked prompt"));
        let workspace = workspace(&files);
        let page = "| report | search for | find |\n| --- | --- | --- |\n\
                    | a | `blocked Prompt` | it: `crates/cli/src/main.rs` |\n\
                    | b | `timeout` | `crates/cli/src/main.rs` |\n\
                    | c | `every` | `crates/a/src/f0.rs` |\n\
                    | d | words | `crates/cli/src/main.rs` |\n\n| e | `no search` | `crates/cli/src/main.rs` |";
        let faults: Vec<_> =
            search_rows(page).filter_map(|(words, path)| check_search(&workspace, words, path)).collect();
        let expected = [
            "a search for `timeout` does not find `crates/cli/src/main.rs`; add the words to its doc comment",
            "a search for `every` finds 13 files; the maximum is 12",
            "a search lacks its words or its path: ``, `crates/cli/src/main.rs`",
        ];
        assert_eq!(faults, expected);
    }

    #[test]
    fn the_pages_have_what_is_checked() {
        let workspace = SourceWorkspace::open().unwrap();
        let [architecture, contributing] = PAGES.map(|page| workspace.text(page).unwrap());
        let places = |page| str::split(page, "\n\n").map(|paragraph| named_places(paragraph).count()).sum::<usize>();
        assert!(places(architecture) >= 5 && places(contributing) >= 12);
        assert!(search_rows(contributing).count() >= 10);
        let checklists = contributing.lines().filter(|line| line.contains(" | 1. ")).count();
        assert!(checklists >= 12, "{checklists} checklists");
    }
}
