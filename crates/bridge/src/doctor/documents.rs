//! Reads host settings that enable or disable hooks.

use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;

/// A settings file as far as it can be read.
#[derive(Debug, Clone)]
pub struct SettingsDocument {
    /// The path of the file.
    pub path: PathBuf,
    /// The content; null if the file does not exist or cannot be read.
    pub value: Value,
    /// Whether the file exists and cannot be read.
    pub is_broken: bool,
}

impl SettingsDocument {
    /// Reads a JSON file with comments.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let text = pintle_host::files::read_text(path).unwrap_or_default();
        let root = CstRootNode::parse(&text, &ParseOptions::default());
        let broken = root.is_err();
        Self {
            path: path.to_owned(),
            value: root.ok().and_then(|root| root.to_serde_value()).unwrap_or_default(),
            is_broken: broken,
        }
    }

    /// Whether a field, given as a path such as `/hooks/enabled`, has this boolean value.
    #[must_use]
    pub fn is_set_to(&self, field: &str, wanted: bool) -> bool {
        self.value.pointer(field) == Some(&Value::Bool(wanted))
    }
}

/// The JSON files of a directory, by name; none if it does not exist.
pub(super) fn list_json(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_files_of_a_directory_are_in_the_order_of_their_names() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["20-b.json", "10-a.json", "notes.txt"] {
            std::fs::write(dir.path().join(name), "{}").unwrap();
        }
        assert_eq!(list_json(dir.path()), ["10-a.json", "20-b.json"].map(|name| dir.path().join(name)));
        assert_eq!(list_json(&dir.path().join("none")), Vec::<PathBuf>::new());
    }
}
