//! `cargo xtask tidy`: what must stay true of the sources as a whole. Each check is a test of this crate too.

mod absences;
mod code;
mod lengths;
mod links;
mod map;
mod promises;
mod words;

use crate::Report;
use crate::workspace::Workspace;

/// A check: what it looks at, and the function that finds faults.
type Check = (&'static str, fn(&Workspace) -> Vec<String>);

const CHECKS: &[Check] = &[
    ("the map of the crates", map::faults),
    ("what must be absent", absences::faults),
    ("file lengths", lengths::faults),
    ("words", words::faults),
    ("links", links::faults),
    ("promises", promises::faults),
];

/// Runs every check.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<Report, String> {
    if let Some(argument) = arguments.first() {
        return Err(format!("unknown argument `{argument}`; `tidy` takes none"));
    }
    let mut lines = Vec::new();
    for (what, check) in CHECKS {
        lines.extend(check(workspace).into_iter().map(|fault| format!("{what}: {fault}")));
    }
    let passed = lines.is_empty();
    lines.push(format!("{} checks, {} faults", CHECKS.len(), lines.len()));
    Ok(Report { lines, passed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(check: fn(&Workspace) -> Vec<String>) {
        assert_eq!(check(&Workspace::open().unwrap()), Vec::<String>::new());
    }

    #[test]
    fn the_map_names_every_crate_and_its_arrows() {
        holds(map::faults);
    }

    #[test]
    fn what_must_be_absent_is_absent() {
        holds(absences::faults);
    }

    #[test]
    fn files_are_short() {
        holds(lengths::faults);
    }

    #[test]
    fn words_are_chosen_well() {
        holds(words::faults);
    }

    #[test]
    fn links_lead_somewhere() {
        holds(links::faults);
    }

    #[test]
    fn every_promise_names_a_test() {
        holds(promises::faults);
    }
}
