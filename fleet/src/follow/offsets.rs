//! How far each tape was shipped, on the disk of the machine.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pintle_contract::to_hex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::FleetError;
use crate::protocol::{StoredEnd, hex_digest};

/// How far a tape was shipped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShippedEnd {
    /// The digest of its first line, in hex; empty if that was not read yet.
    pub(crate) tape: String,
    /// The number of the next line.
    pub(crate) next: u64,
    /// The digest of the line before it, in hex.
    pub(crate) digest: Option<String>,
    /// The state of the file when it was shipped to its end, in hex; `None` if it was not.
    pub(crate) stamp: Option<String>,
    /// Whether it was shipped to the end that it had.
    #[serde(default)]
    pub(crate) is_whole: bool,
}

/// How far the tapes of a machine were shipped to one receiver, by their files, and what is kept with that.
#[derive(Debug)]
pub(crate) struct OffsetFile<E> {
    path: PathBuf,
    content: OffsetContent<E>,
    is_changed: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct OffsetContent<E> {
    ends: BTreeMap<String, ShippedEnd>,
    /// What has to be written together with the offsets.
    kept: E,
}

impl<E: Default + Serialize + DeserializeOwned> OffsetFile<E> {
    /// Loads the file of a receiver. One that is damaged is treated as empty.
    pub(crate) fn load(state_dir: &Path, receiver: &str) -> Result<Self, FleetError> {
        let name = hex_digest(receiver.as_bytes());
        let path = state_dir.join("fleet").join(format!("offsets-{}.json", name.get(..12).unwrap_or(&name)));
        let content = match pintle_files::read(&path) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => OffsetContent::default(),
            Err(error) => {
                return Err(FleetError::failure(format!("cannot read `{}`: {error}", path.display()))
                    .help("make the file readable, or delete it: what was sent is then sent again, and is the same"));
            }
        };
        Ok(Self { path, content, is_changed: false })
    }

    /// The tape that was shipped from a file last, with how far.
    pub(crate) fn find(&self, path: &Path) -> Option<&ShippedEnd> {
        self.content.ends.get(&*path.to_string_lossy())
    }

    /// Sets how far the tape in a file was shipped.
    pub(crate) fn set(&mut self, path: &Path, end: ShippedEnd) {
        if self.find(path) != Some(&end) {
            self.content.ends.insert(path.to_string_lossy().into_owned(), end);
            self.is_changed = true;
        }
    }

    /// What is kept with the offsets.
    pub(crate) fn borrow_kept(&self) -> &E {
        &self.content.kept
    }

    /// What is kept with the offsets, to be changed.
    pub(crate) fn change_kept(&mut self) -> &mut E {
        self.is_changed = true;
        &mut self.content.kept
    }

    /// Forgets the tapes whose files are gone, and returns those that were not shipped to their end.
    pub(crate) fn forget_missing(&mut self) -> Vec<String> {
        let gone = self.content.ends.extract_if(.., |path, _| !pintle_files::exists(path)).collect::<Vec<_>>();
        self.is_changed |= !gone.is_empty();
        gone.into_iter().filter(|(_, end)| !end.is_whole).map(|(path, _)| path).collect()
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
        let text = serde_json::to_vec(&self.content).map_err(|error| failed(error.into()))?;
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

impl ShippedEnd {
    /// A part of the tape with this digest, which may have more.
    pub(crate) fn new(tape: &str, end: StoredEnd) -> Self {
        let StoredEnd { next, digest } = end;
        Self { tape: tape.to_owned(), next, digest, ..Self::default() }
    }

    /// How far the tape with this digest was shipped; `None` if it was another one.
    pub(crate) fn stored_end(&self, tape: &str) -> Option<StoredEnd> {
        (self.tape == tape).then(|| StoredEnd { next: self.next, digest: self.digest.clone() })
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
        let load = |receiver: &str| OffsetFile::<u32>::load(dir.path(), receiver).unwrap();
        let end = ShippedEnd { tape: String::from("t"), next: 3, ..ShippedEnd::default() };
        let mut offsets = load("https://one");
        offsets.set(&tape, end.clone());
        *offsets.change_kept() = 7;
        offsets.save().unwrap();
        let mut loaded = load("https://one");
        assert_eq!((loaded.find(&tape), *loaded.borrow_kept()), (Some(&end), 7));
        assert_eq!((load("https://two").find(&tape), *load("https://two").borrow_kept()), (None, 0));
        std::fs::remove_file(&tape).unwrap();
        assert_eq!(loaded.forget_missing(), [tape.display().to_string()], "not all of it was shipped");
        loaded.save().unwrap();
        assert_eq!(load("https://one").find(&tape), None);
        std::fs::write(&loaded.path, "{").unwrap();
        assert_eq!(*load("https://one").borrow_kept(), 0);
    }
}
