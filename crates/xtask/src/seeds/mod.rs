//! `cargo xtask seeds DIR`: runs the documents' own examples unchanged.
//!
//! The documents that Pintle implements show hook files, conditions, decisions, payloads and tables. This chore
//! extracts them from the documents' text (indentation that a web page lost is restored, nothing else is changed), runs
//! them with the real runtime, and checks that they do what the text around them says. This repository contains nothing
//! of the documents.

mod checks;
mod extract;
mod fixture;
mod indent;
mod literal;
mod tally;
mod yaml;

use std::fs;
use std::path::Path;

use crate::chore::ChoreReport;
use crate::workspace::SourceWorkspace;
pub(crate) use checks::LifecycleDocument;
use tally::CheckTally;

/// The argument that makes this program a script worker.
pub(crate) const WORKER: &str = "worker";

/// The documents.
struct SeedDocuments {
    /// The reference of the hook artifact.
    reference: String,
    /// The page about the concepts of hooks.
    concepts: String,
    /// The lifecycle of hooks that are scripts registered in settings.
    lifecycle: String,
    /// The one-stop example of docker-agent's hooks, as a page that shows a file.
    one_stop: String,
}

impl SeedDocuments {
    fn read(dir: &Path) -> Result<Self, String> {
        let document = |prefix: &str| {
            let entries = fs::read_dir(dir).map_err(|error| format!("cannot read `{}`: {error}", dir.display()))?;
            let mut names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
            let name = names.find(|name| name.starts_with(prefix) && name.ends_with(".txt"));
            let name = name.ok_or_else(|| format!("`{}` does not contain a file `{prefix}*.txt`", dir.display()))?;
            fs::read_to_string(dir.join(&name)).map_err(|error| format!("cannot read `{name}`: {error}"))
        };
        Ok(Self {
            reference: document("000_")?,
            concepts: document("001_")?,
            lifecycle: document("003_")?,
            one_stop: document("004_")?,
        })
    }
}

/// The document about hooks that are scripts, from the directory of the documents.
pub(crate) fn lifecycle(dir: &Path) -> Result<LifecycleDocument, String> {
    LifecycleDocument::read(&SeedDocuments::read(dir)?.lifecycle)
}

/// Runs every check on the documents in a directory.
pub(crate) fn run(_workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let [dir] = arguments else {
        return Err(String::from("pass the directory with the documents: `cargo xtask seeds DIR`"));
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
