//! `cargo xtask reference`: generates the reference pages and schemas.

mod artifact;
mod builtins;
mod client_hooks;
mod command_hooks;
mod events;
mod key_tables;
mod lifecycle_hooks;
mod schema_text;
mod schemas;
mod tools;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use pintle_contract::EventKind;
use xtask::{ChoreReport, SourceWorkspace};

use crate::graph;

/// Generated files, by their path from the root.
type GeneratedPages = BTreeMap<String, String>;

/// Directories with only generated files: other files in them are stale.
const GENERATED: &[&str] = &["schemas/"];

/// Writes the generated files, or with `--check` lists those that are out of date.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let check = match arguments {
        [] => false,
        [only] if only == "--check" => true,
        [other, ..] => return Err(format!("unknown argument `{other}`; the only one is `--check`")),
    };
    let (pages, faults) = compare(workspace)?;
    if check {
        let passed = faults.is_empty();
        let mut lines = faults;
        if !passed {
            lines.push(String::from("run `cargo xtask reference` and review the changes"));
        }
        return Ok(ChoreReport { lines, passed });
    }
    for (name, text) in &pages {
        let path = workspace.root.join(name);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("cannot write `{name}`: {error}"))?;
    }
    for name in find_stale_files(workspace, &pages) {
        fs::remove_file(workspace.root.join(name)).map_err(|error| format!("cannot remove `{name}`: {error}"))?;
    }
    Ok(ChoreReport { lines: vec![format!("{} files are up to date", pages.len())], passed: true })
}

/// The generated files, and how the checked-in files differ from them.
fn compare(workspace: &SourceWorkspace) -> Result<(GeneratedPages, Vec<String>), String> {
    let mut pages = schemas::render_pages();
    pages.insert(String::from("docs/reference/events.md"), events::render_page());
    pages.insert(String::from("docs/reference/artifact.md"), artifact::render_page());
    pages.insert(String::from("docs/reference/builtins.md"), builtins::render_page());
    pages.insert(String::from("docs/reference/client-hooks.md"), client_hooks::render_page());
    pages.insert(String::from("docs/reference/docker-agent.md"), command_hooks::render_page());
    pages.insert(String::from("docs/reference/harn.md"), lifecycle_hooks::render_page());
    pages.insert(String::from("docs/reference/tools.md"), tools::render_page());
    pages.insert(String::from(graph::PICTURE), graph::render_picture(workspace)?);
    let mut faults = Vec::new();
    for (name, text) in &pages {
        match workspace.files.get(name) {
            None => faults.push(format!("`{name}` is missing")),
            Some(have) if have != text => faults.push(format!("`{name}` is out of date")),
            Some(_) => {}
        }
    }
    faults.extend(find_stale_files(workspace, &pages).map(|name| format!("`{name}` is no longer generated")));
    Ok((pages, faults))
}

fn find_stale_files<'a>(workspace: &'a SourceWorkspace, pages: &'a GeneratedPages) -> impl Iterator<Item = &'a String> {
    let generated = |name: &&String| GENERATED.iter().any(|dir| name.starts_with(dir));
    workspace.files.keys().filter(generated).filter(|name| !pages.contains_key(*name))
}

/// The name of an event, as a link to its section in the page of events.
fn link_event(event: EventKind) -> String {
    format!("[`{event}`](events.md#{})", event.name().replace('.', ""))
}

/// Adds a line to a page.
fn write_line(page: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(page, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_pages_are_what_would_be_generated() {
        let (_, faults) = compare(&SourceWorkspace::open().unwrap()).unwrap();
        assert_eq!(faults, Vec::<String>::new(), "run `cargo xtask reference` and review the changes");
    }
}
