//! `cargo xtask graph`: draws `docs/architecture.svg`, the crates of the workspace and what they depend on.
//!
//! `cargo xtask reference --check` compares the picture with the manifests.

mod floor_plan;
mod svg;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use xtask::{ChoreReport, SourceWorkspace};

use floor_plan::FloorPlan;

/// The picture's file.
pub(crate) const PICTURE: &str = "docs/architecture.svg";

/// The crate of the program. Crates that it does not need are drawn dashed.
const PROGRAM: &str = "cli";

/// What each crate depends on, by directory.
type CrateGraph = BTreeMap<String, BTreeSet<String>>;

/// Writes the picture.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    if let Some(argument) = arguments.first() {
        return Err(format!("unknown argument `{argument}`; `graph` takes no arguments"));
    }
    let picture = render_picture(workspace)?;
    fs::write(workspace.root.join(PICTURE), picture).map_err(|error| format!("cannot write `{PICTURE}`: {error}"))?;
    Ok(ChoreReport { lines: vec![format!("`{PICTURE}` is up to date")], passed: true })
}

/// Renders the picture of the workspace's crates and their dependencies, tests aside.
pub(crate) fn render_picture(workspace: &SourceWorkspace) -> Result<String, String> {
    let packages = workspace.packages()?;
    let graph: CrateGraph = packages
        .into_iter()
        .map(|package| (package.folder, package.internal_dependencies.into_iter().collect()))
        .collect();
    let shipped = all_dependencies(&graph, PROGRAM);
    Ok(svg::render(&FloorPlan::new(&graph), |name| name == PROGRAM || shipped.contains(name)))
}

/// Everything that a crate depends on, directly or through others.
fn all_dependencies(graph: &CrateGraph, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&String> = graph.get(name).into_iter().flatten().collect();
    while let Some(next) = open.pop() {
        if found.insert(next.clone()) {
            open.extend(graph.get(next).into_iter().flatten());
        }
    }
    found
}
