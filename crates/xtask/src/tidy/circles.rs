//! Limits the circles of files: files of a crate that import each other, directly or through others. None of them can be
//! understood without the others.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::code::is_test_file;
use crate::tidy::imports::{ImportGraph, read_imports};
use crate::workspace::SourceWorkspace;

/// The maximum number of files in a circle.
const MAX_FILES: usize = 8;

/// Larger circles: a file in the middle of each, how many files it may have, and what ties it. An exception must be used.
const EXCEPTIONS: &[(&str, usize, &str)] = &[
    ("crates/cli/src/commands/run/mod.rs", 10, "the parts of a run use its display, which knows them"),
    (
        "crates/dialects/src/table.rs",
        67,
        "the table names every dialect, and each dialect is made of the table's types",
    ),
    ("crates/engine/src/dispatch/mod.rs", 11, "a dispatch names its profiles, which run its state"),
    ("crates/pintle/src/runtime.rs", 12, "effects of scripts fire events of the runtime that runs them"),
    ("crates/script/src/compile.rs", 38, "a script is analysed and called with the globals that its analysis names"),
    ("crates/xtask/src/seeds/mod.rs", 19, "every check of the documents uses their fixture, which names the checks"),
];

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(&str, &str, &str)>> = BTreeMap::new();
    for (file, text) in workspace.sources().filter(|(file, _)| !is_test_file(file)) {
        let inside = file.strip_prefix("crates/").and_then(|file| file.split_once("/src/"));
        if let Some((owner, name)) = inside {
            crates.entry(owner).or_default().push((file, name, text));
        }
    }
    let circles = crates.into_values().flat_map(|files| find_circles(&read_imports(files)));
    let large: Vec<BTreeSet<&str>> = circles.filter(|circle| circle.len() > MAX_FILES).collect();
    let allowed = |circle: &BTreeSet<&str>| {
        let exception = EXCEPTIONS.iter().find(|(file, ..)| circle.contains(file));
        exception.map_or(MAX_FILES, |(_, files, _)| *files)
    };
    let found = large.iter().filter(|circle| circle.len() > allowed(circle)).map(|circle| {
        let files = circle.iter().copied().collect::<Vec<_>>().join(", ");
        format!("{} files import each other, at most {} may: {files}", circle.len(), allowed(circle))
    });
    let unused = EXCEPTIONS.iter().filter(|(file, ..)| !large.iter().any(|circle| circle.contains(file)));
    found.chain(unused.map(|(file, ..)| format!("`{file}` is in no large circle; it needs no exception"))).collect()
}

/// The circles of more than one file.
fn find_circles<'w>(graph: &ImportGraph<'w>) -> BTreeSet<BTreeSet<&'w str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph.keys().map(|file| (*file, reach(graph, file))).collect();
    let circle = |file: &&'w str| {
        let from = reached.get(file)?;
        let back = from.iter().filter(|other| reached.get(*other).is_some_and(|back| back.contains(file)));
        let circle: BTreeSet<&str> = back.copied().collect();
        (circle.len() > 1).then_some(circle)
    };
    graph.keys().filter_map(circle).collect()
}

/// The files that a file imports from, directly or through others.
fn reach<'w>(graph: &ImportGraph<'w>, file: &'w str) -> BTreeSet<&'w str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![file];
    while let Some(file) = open.pop() {
        let next = graph.get(file).into_iter().flatten().copied();
        open.extend(next.filter(|target| reached.insert(*target)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_every_file_that_leads_back_to_itself() {
        let arrows = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d"), ("f", "a")];
        let mut graph = ImportGraph::new();
        for (from, to) in arrows {
            graph.entry(from).or_default().insert(to);
        }
        let circles: Vec<Vec<&str>> =
            find_circles(&graph).into_iter().map(|circle| circle.into_iter().collect()).collect();
        assert_eq!(circles, [vec!["a", "b", "c"], vec!["d", "e"]]);
    }
}
