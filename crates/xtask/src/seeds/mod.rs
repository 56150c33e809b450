//! `cargo xtask seeds DIR`: the documents' own examples, run unchanged.
//!
//! The documents that Pintle implements show hook files, conditions, decisions, payloads and tables. This chore takes
//! them from the documents' text (indentation that a web page lost is put back, nothing else is changed), runs them
//! through the real runtime, and checks that they do what the text around them says. Nothing of the documents is
//! kept in this repository.

mod checks;
mod extract;
mod fixture;
mod indent;
mod literal;
mod tally;
mod yaml;

use std::fs;
use std::path::Path;

use crate::ChoreReport;
use crate::workspace::SourceWorkspace;
pub(crate) use checks::LifecycleDocument;
use tally::CheckTally;

/// The argument with which this program serves isolated scripts to itself.
pub(crate) const WORKER: &str = "worker";

/// The documents.
struct SeedDocuments {
    /// The reference of the hook artifact.
    reference: String,
    /// The page about the idea of hooks.
    concepts: String,
    /// The lifecycle of the hooks that are scripts registered in settings.
    lifecycle: String,
    /// The one-stop example of docker-agent's hooks, as a page that shows a file.
    one_stop: String,
}

impl SeedDocuments {
    fn read(folder: &Path) -> Result<Self, String> {
        let document = |prefix: &str| {
            let entries =
                fs::read_dir(folder).map_err(|fault| format!("cannot read `{}`: {fault}", folder.display()))?;
            let mut names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
            let name = names.find(|name| name.starts_with(prefix) && name.ends_with(".txt"));
            let name = name.ok_or_else(|| format!("no `{prefix}*.txt` in `{}`", folder.display()))?;
            fs::read_to_string(folder.join(&name)).map_err(|fault| format!("cannot read `{name}`: {fault}"))
        };
        Ok(Self {
            reference: document("000_")?,
            concepts: document("001_")?,
            lifecycle: document("003_")?,
            one_stop: document("004_")?,
        })
    }
}

/// What the document about hooks that are scripts shows, from the folder of the documents.
pub(crate) fn lifecycle(folder: &Path) -> Result<LifecycleDocument, String> {
    LifecycleDocument::read(&SeedDocuments::read(folder)?.lifecycle)
}

/// Runs every check over the documents of a folder.
pub(crate) fn run(_workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let [folder] = arguments else {
        return Err(String::from("name the folder that holds the documents: `cargo xtask seeds DIR`"));
    };
    let documents = SeedDocuments::read(Path::new(folder))?;
    let mut tally = CheckTally::default();
    for check in checks::ALL {
        check(&documents, &mut tally);
    }
    let CheckTally { mut lines, passed, failed } = tally;
    lines.push(format!("{passed} passed, {failed} failed"));
    Ok(ChoreReport { lines, passed: failed == 0 })
}
