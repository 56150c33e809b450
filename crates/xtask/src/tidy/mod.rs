//! `cargo xtask tidy`: checks of the sources as a whole. Each check is also a test of this crate.

mod absences;
mod banned_words;
mod circles;
mod code;
mod contributor_pages;
mod exceptions;
mod imports;
mod layout;
mod links;
mod map;
mod phrases;
mod promises;
mod type_names;
mod whole_files;

pub(crate) use links::{link_targets, resolve_link};
use xtask::{ChoreReport, SourceWorkspace};

/// A check: its name, and the function that returns the errors.
type TidyCheck = (&'static str, fn(&SourceWorkspace) -> Vec<String>);

const CHECKS: &[TidyCheck] = &[
    ("the map of the crates", map::find_violations),
    ("the pages for contributors", contributor_pages::find_violations),
    ("forbidden patterns", absences::find_violations),
    ("layout of modules", layout::find_violations),
    ("whole files", whole_files::find_violations),
    ("words", banned_words::find_violations),
    ("links", links::find_violations),
    ("promises", promises::find_violations),
    ("phrases", phrases::find_violations),
    ("type names", type_names::find_violations),
    ("circles of files", circles::find_violations),
];

/// Runs every check.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    if let Some(argument) = arguments.first() {
        return Err(format!("unknown argument `{argument}`; `tidy` takes no arguments"));
    }
    let mut lines = Vec::new();
    for (what, check) in CHECKS {
        lines.extend(check(workspace).into_iter().map(|error| format!("{what}: {error}")));
    }
    let passed = lines.is_empty();
    lines.push(format!("{} checks, {} errors", CHECKS.len(), lines.len()));
    Ok(ChoreReport { lines, passed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_no_violations(check: fn(&SourceWorkspace) -> Vec<String>) {
        assert_eq!(check(&SourceWorkspace::open().unwrap()), Vec::<String>::new());
    }

    #[test]
    fn the_map_names_every_crate_and_its_arrows() {
        assert_no_violations(map::find_violations);
    }

    #[test]
    fn the_pages_for_contributors_name_what_is_there() {
        assert_no_violations(contributor_pages::find_violations);
    }

    #[test]
    fn what_must_be_absent_is_absent() {
        assert_no_violations(absences::find_violations);
    }

    #[test]
    fn a_module_with_files_is_in_its_folder() {
        assert_no_violations(layout::find_violations);
    }

    #[test]
    fn files_are_short_and_whole() {
        assert_no_violations(whole_files::find_violations);
    }

    #[test]
    fn words_are_chosen_well() {
        assert_no_violations(banned_words::find_violations);
    }

    #[test]
    fn links_lead_somewhere() {
        assert_no_violations(links::find_violations);
    }

    #[test]
    fn prose_has_no_phrase_of_the_list() {
        assert_no_violations(phrases::find_violations);
    }

    #[test]
    fn types_and_functions_have_names_of_the_rules() {
        assert_no_violations(type_names::find_violations);
    }

    #[test]
    fn circles_of_files_are_small() {
        assert_no_violations(circles::find_violations);
    }

    #[test]
    fn every_promise_names_a_test() {
        assert_no_violations(promises::find_violations);
    }
}
