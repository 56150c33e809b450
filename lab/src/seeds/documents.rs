//! The documents, as they are found in a directory.

use std::fs;
use std::path::Path;

/// The documents.
pub(super) struct SeedDocuments {
    /// The reference of the hook artifact.
    pub(super) reference: String,
    /// The page about the concepts of hooks.
    pub(super) concepts: String,
    /// The lifecycle of hooks that are scripts registered in settings.
    pub(super) lifecycle: String,
    /// The one-stop example of docker-agent's hooks, as a page that shows a file.
    pub(super) one_stop: String,
}

impl SeedDocuments {
    pub(super) fn read(dir: &Path) -> Result<Self, String> {
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
