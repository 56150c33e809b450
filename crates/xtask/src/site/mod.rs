//! `cargo xtask site`: builds the documentation as a site, with mdBook, and checks it.

mod check;
mod pages;

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::{ChoreReport, SourceWorkspace, capture_output};

use crate::dist::{ReleaseFacts, fill_template};

/// What the site is built from, beside the pages.
const BOOK: &str = "packaging/site/book.toml";
const STYLE: &str = "packaging/site/style.css";
/// The directory of the site: what mdBook reads, and in `book` what it writes.
const SITE: &str = "target/site";
/// Where the checks of a submission put mdBook.
const TOOL: &str = "target/tools/bin/mdbook";

/// Builds the site, and lists links that lead nowhere and files that it would fetch from elsewhere.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    if let Some(other) = arguments.first() {
        return Err(format!("unknown argument `{other}`"));
    }
    let facts = ReleaseFacts::read(workspace)?;
    let site = workspace.root.join(SITE);
    // Pages that are no longer there would be built again.
    if site.exists() {
        fs::remove_dir_all(&site).map_err(|error| format!("cannot remove `{SITE}`: {error}"))?;
    }
    write(&site, "book.toml", &fill_template(workspace.text(BOOK)?, &facts, &[])?)?;
    write(&site, "style.css", workspace.text(STYLE)?)?;
    for (path, text) in pages::render_sources(workspace, &facts.repository)? {
        write(&site, &format!("src/{path}"), &text)?;
    }
    let own = workspace.root.join(TOOL);
    let tool = if own.exists() { own.as_path() } else { Path::new("mdbook") };
    capture_output(Command::new(tool).arg("build").arg(&site)).map_err(|error| {
        format!("{error}; `cargo install mdbook --no-default-features --features search` installs it")
    })?;
    let (count, mut lines) = check::find_faults(&site.join("book"))?;
    let passed = lines.is_empty();
    lines.push(format!("{count} pages in {SITE}/book"));
    Ok(ChoreReport { lines, passed })
}

fn write(site: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = site.join(name);
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
    written.map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}
