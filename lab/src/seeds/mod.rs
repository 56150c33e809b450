//! `cargo lab seeds DIR`: runs the documents' own examples unchanged.
//!
//! The documents that Pintle implements show hook files, conditions, decisions, payloads and tables. This chore
//! extracts them from the documents' text (indentation that a web page lost is restored, nothing else is changed), runs
//! them with the real runtime, and checks that they do what the text around them says. This repository contains nothing
//! of the documents.

mod checks;
mod documents;
mod extract;
mod fixture;
mod indent;
mod literal;
mod tally;
mod yaml;

use std::path::Path;

use xtask::{ChoreReport, SourceWorkspace};

pub(crate) use checks::LifecycleDocument;
use documents::SeedDocuments;
use tally::CheckTally;

/// The document about hooks that are scripts, from the directory of the documents.
pub(crate) fn lifecycle(dir: &Path) -> Result<LifecycleDocument, String> {
    LifecycleDocument::read(&SeedDocuments::read(dir)?.lifecycle)
}

/// Runs every check on the documents in a directory.
pub(crate) fn run(_workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let [dir] = arguments else {
        return Err(String::from("pass the directory with the documents: `cargo lab seeds DIR`"));
    };
    let documents = SeedDocuments::read(Path::new(dir))?;
    let mut tally = CheckTally::default();
    for check in checks::ALL {
        check(&documents, &mut tally);
    }
    let CheckTally { mut lines, passed, failed } = tally;
    lines.push(format!("{passed} passed, {failed} failed"));
    Ok(ChoreReport { lines, passed: failed == 0 })
}
