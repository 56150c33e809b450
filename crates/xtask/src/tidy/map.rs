//! Checks that `ARCHITECTURE.md` names every crate and its dependencies.
//!
//! The map is the one Markdown table whose first column has crate directories in backticks:
//!
//! ```text
//! | `crate` | what it holds | `dependency`, `dependency` |
//! ```
//!
//! The last column lists the crates of this workspace that it depends on, tests aside; a dash means none. It must match
//! the `Cargo.toml` files. Those of published crates say what a registry shows of them.

use std::collections::BTreeMap;

use xtask::SourceWorkspace;

const MAP: &str = "ARCHITECTURE.md";

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    match (workspace.text(MAP), workspace.packages()) {
        (Ok(map), Ok(packages)) => {
            let incomplete = packages.iter().flat_map(|package| {
                package
                    .missing_metadata
                    .iter()
                    .map(|field| format!("`{}` is published without `{field}`", package.folder))
            });
            let incomplete: Vec<String> = incomplete.collect();
            let real = packages.into_iter().map(|package| (package.folder, package.internal_dependencies)).collect();
            compare_maps(&parse_crate_map(map), &real).into_iter().chain(incomplete).collect()
        }
        (Err(error), _) | (_, Err(error)) => vec![error],
    }
}

/// The crates of the map, with their sorted dependencies.
fn parse_crate_map(map: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for line in map.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, dependencies] = cells.as_slice() else { continue };
        let mut names: Vec<String> = backticked_texts(dependencies).collect();
        names.sort();
        found.extend(backticked_texts(name).next().map(|name| (name, names)));
    }
    found
}

/// The texts in backticks.
fn backticked_texts(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

fn compare_maps(map: &BTreeMap<String, Vec<String>>, real: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, dependencies) in real {
        match map.get(name) {
            None => faults.push(format!("{MAP} does not name the crate `{name}`")),
            Some(drawn) if drawn != dependencies => faults.push(format!(
                "{MAP} says that `{name}` depends on [{}], Cargo.toml says [{}]",
                drawn.join(", "),
                dependencies.join(", ")
            )),
            Some(_) => {}
        }
    }
    let strangers = map.keys().filter(|name| !real.contains_key(*name));
    faults.extend(strangers.map(|name| format!("{MAP} names `{name}`, which is not a crate")));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_crates_wrong_arrows_and_strangers_are_found() {
        let map = parse_crate_map(
            "| crate | holds | arrows |\n| `a` | words | – |\n| `b` | more | `a`, `c` |\n| `d` | x | `a` |\n",
        );
        let real = [("a", vec![]), ("b", vec!["a"]), ("c", vec![])];
        let real = real.map(|(name, names)| (name.to_owned(), names.into_iter().map(str::to_owned).collect()));
        let expected = [
            "ARCHITECTURE.md says that `b` depends on [a, c], Cargo.toml says [a]",
            "ARCHITECTURE.md does not name the crate `c`",
            "ARCHITECTURE.md names `d`, which is not a crate",
        ];
        assert_eq!(compare_maps(&map, &BTreeMap::from(real)), expected);
    }
}
