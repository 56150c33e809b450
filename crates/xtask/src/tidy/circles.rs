//! Limits the circles of files: files of a crate that import each other, directly or through others. None of them can be
//! understood without the others.

use std::collections::{BTreeMap, BTreeSet};

use xtask::SourceWorkspace;

use crate::tidy::code::is_test_file;
use crate::tidy::imports::{ImportGraph, read_imports};

/// The maximum number of files in a circle.
const MAX_FILES: usize = 8;

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(&str, &str, &str)>> = BTreeMap::new();
    for (file, text) in workspace.sources().filter(|(file, _)| !is_test_file(file)) {
        if let Some((owner, name)) = file.split_once("/src/") {
            crates.entry(owner).or_default().push((file, name, text));
        }
    }
    let circles = crates.into_values().flat_map(|files| find_circles(&read_imports(files)));
    let large = circles.filter(|circle| circle.len() > MAX_FILES);
    let describe = |circle: BTreeSet<&str>| {
        let files = circle.iter().copied().collect::<Vec<_>>().join(", ");
        format!("{} files import each other, at most {MAX_FILES} may: {files}", circle.len())
    };
    large.map(describe).collect()
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
