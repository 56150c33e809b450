//! How far each tape was shipped, on the disk of the machine.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pintle_contract::to_hex;
use serde::{Deserialize, Serialize};

use crate::FleetError;
use crate::protocol::line_digest;

/// How far a tape was shipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShippedEnd {
    /// The digest of its first line, in hex.
    pub(crate) tape: String,
    /// The number of the next line.
    pub(crate) next: u64,
    /// The digest of the line before it, in hex.
    pub(crate) digest: Option<String>,
    /// The state of the file when it was shipped to its end, in hex; `None` if it was not.
    pub(crate) stamp: Option<String>,
}

/// How far the tapes of a machine were shipped to one collector, by their files. The collector knows it too: what is lost
/// of this costs a question.
#[derive(Debug)]
pub(crate) struct OffsetFile {
    path: PathBuf,
    ends: BTreeMap<String, ShippedEnd>,
    is_changed: bool,
}

impl OffsetFile {
    /// Loads the file of a collector. One that is damaged is treated as empty.
    pub(crate) fn load(state_dir: &Path, collector: &str) -> Result<Self, FleetError> {
        let name = line_digest(collector.as_bytes());
        let path = state_dir.join("fleet").join(format!("offsets-{}.json", name.get(..12).unwrap_or(&name)));
        let ends = match pintle_files::read(&path) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => {
                return Err(FleetError::failure(format!("cannot read `{}`: {error}", path.display()))
                    .help("make the file readable, or delete it: the collector knows what it has"));
            }
        };
        Ok(Self { path, ends, is_changed: false })
    }

    /// The tape that was shipped from a file last, with how far.
    pub(crate) fn find(&self, path: &Path) -> Option<&ShippedEnd> {
        self.ends.get(&*path.to_string_lossy())
    }

    /// Sets how far the tape in a file was shipped.
    pub(crate) fn set(&mut self, path: &Path, end: ShippedEnd) {
        if self.find(path) != Some(&end) {
            self.ends.insert(path.to_string_lossy().into_owned(), end);
            self.is_changed = true;
        }
    }

    /// Forgets the tapes whose files are gone.
    pub(crate) fn forget_missing(&mut self) {
        let before = self.ends.len();
        self.ends.retain(|path, _| pintle_files::exists(path));
        self.is_changed |= self.ends.len() != before;
    }

    /// Writes what has changed, so that it survives a power failure.
    pub(crate) fn save(&mut self) -> Result<(), FleetError> {
        if !self.is_changed {
            return Ok(());
        }
        let failed = |error: io::Error| {
            FleetError::failure(format!("cannot write `{}`: {error}", self.path.display()))
                .help("make the directory writable, or name another one with `--state-dir`")
        };
        let text = serde_json::to_vec(&self.ends).map_err(|error| failed(error.into()))?;
        if let Some(dir) = self.path.parent() {
            pintle_files::private_dir_builder().recursive(true).create(dir).map_err(failed)?;
        }
        pintle_files::replace_private_file(&self.path, |file| {
            file.write_all(&text)?;
            file.sync_all()
        })
        .and_then(|()| pintle_files::sync_dir_of(&self.path))
        .map_err(failed)?;
        self.is_changed = false;
        Ok(())
    }
}

/// What distinguishes the state of a file from every other one; `None` if it could change without a trace.
pub(crate) fn file_stamp(path: &Path) -> Option<String> {
    let mut mark = Vec::new();
    pintle_files::file_state(path).append_mark(&mut mark).then(|| to_hex(&mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_come_back_by_collector_and_a_damaged_file_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let tape = dir.path().join("tape.jsonl");
        std::fs::write(&tape, "").unwrap();
        let end = ShippedEnd { tape: String::from("t"), next: 3, digest: Some(String::from("ab")), stamp: None };
        let mut offsets = OffsetFile::load(dir.path(), "https://one").unwrap();
        offsets.set(&tape, end.clone());
        offsets.save().unwrap();
        let mut loaded = OffsetFile::load(dir.path(), "https://one").unwrap();
        assert_eq!(loaded.find(&tape), Some(&end));
        assert_eq!(OffsetFile::load(dir.path(), "https://two").unwrap().find(&tape), None);
        std::fs::remove_file(&tape).unwrap();
        loaded.forget_missing();
        loaded.save().unwrap();
        assert_eq!(OffsetFile::load(dir.path(), "https://one").unwrap().find(&tape), None);
        std::fs::write(&loaded.path, "{").unwrap();
        assert_eq!(OffsetFile::load(dir.path(), "https://one").unwrap().find(&tape), None);
    }
}
