//! `cargo xtask reference`: the pages and schemas that are generated.

mod artifact;
mod builtins;
mod client_hooks;
mod command_hooks;
mod events;
mod lifecycle_hooks;
mod schema_text;
mod schemas;

use std::collections::BTreeMap;
use std::fs;

use crate::Report;
use crate::workspace::Workspace;

/// Generated files by their path from the root.
type Pages = BTreeMap<String, String>;

/// Folders that hold nothing but generated files: others in them are left over.
const GENERATED: &[&str] = &["schemas/"];

/// Writes what is generated, or says with `--check` what is out of date.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<Report, String> {
    let check = match arguments {
        [] => false,
        [only] if only == "--check" => true,
        [other, ..] => return Err(format!("unknown argument `{other}`; the only one is `--check`")),
    };
    let (pages, faults) = compare(workspace);
    if check {
        let passed = faults.is_empty();
        let mut lines = faults;
        if !passed {
            lines.push(String::from("run `cargo xtask reference` and look at what changed"));
        }
        return Ok(Report { lines, passed });
    }
    for (name, text) in &pages {
        let path = workspace.root.join(name);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|fault| format!("cannot write `{name}`: {fault}"))?;
    }
    for name in left_over(workspace, &pages) {
        fs::remove_file(workspace.root.join(name)).map_err(|fault| format!("cannot remove `{name}`: {fault}"))?;
    }
    Ok(Report { lines: vec![format!("{} files are up to date", pages.len())], passed: true })
}

/// What is generated, and how the checked-in files differ from it.
fn compare(workspace: &Workspace) -> (Pages, Vec<String>) {
    let mut pages = schemas::pages();
    pages.insert(String::from("docs/reference/events.md"), events::page());
    pages.insert(String::from("docs/reference/artifact.md"), artifact::page());
    pages.insert(String::from("docs/reference/builtins.md"), builtins::page());
    pages.insert(String::from("docs/reference/client-hooks.md"), client_hooks::page());
    pages.insert(String::from("docs/reference/docker-agent.md"), command_hooks::page());
    pages.insert(String::from("docs/reference/harn.md"), lifecycle_hooks::page());
    let mut faults = Vec::new();
    for (name, text) in &pages {
        match workspace.files.get(name) {
            None => faults.push(format!("`{name}` is missing")),
            Some(have) if have != text => faults.push(format!("`{name}` is out of date")),
            Some(_) => {}
        }
    }
    faults.extend(left_over(workspace, &pages).map(|name| format!("`{name}` is generated no more")));
    (pages, faults)
}

fn left_over<'a>(workspace: &'a Workspace, pages: &'a Pages) -> impl Iterator<Item = &'a String> {
    let generated = |name: &&String| GENERATED.iter().any(|folder| name.starts_with(folder));
    workspace.files.keys().filter(generated).filter(|name| !pages.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_pages_are_what_would_be_generated() {
        let (_, faults) = compare(&Workspace::open().unwrap());
        assert_eq!(faults, Vec::<String>::new(), "run `cargo xtask reference` and look at what changed");
    }
}
