//! The file in which notes are stored.

use std::io::ErrorKind;
use std::path::PathBuf;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::{Value, json};

/// The maximum size of the file.
const MAX_BYTES: usize = 4 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemoryNote {
    pub(super) id: String,
    pub(super) created_at: String,
    pub(super) memory: String,
    /// May be empty.
    pub(super) category: String,
}

/// A file of notes.
#[derive(Debug)]
pub(super) struct MemoryFile {
    file: PathBuf,
    /// Held during a change; readers see the file before or after it.
    write_lock: Mutex<()>,
}

impl MemoryNote {
    pub(super) fn to_value(&self) -> Value {
        let mut value = json!({"id": self.id, "created_at": self.created_at, "memory": self.memory});
        if let Some(fields) = value.as_object_mut().filter(|_| !self.category.is_empty()) {
            fields.insert(String::from("category"), self.category.clone().into());
        }
        value
    }

    fn from_line(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            id: text("id")?,
            created_at: text("created_at").unwrap_or_default(),
            memory: text("memory")?,
            category: text("category").unwrap_or_default(),
        })
    }
}

impl MemoryFile {
    pub(super) fn new(file: PathBuf) -> Self {
        Self { file, write_lock: Mutex::default() }
    }

    /// All notes, oldest first. A missing file has no notes.
    pub(super) fn read(&self) -> Result<Vec<MemoryNote>, String> {
        let shown = self.file.display();
        let text = match pintle_host::files::read_text(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(format!("the memory file `{shown}` is not a text file; give the toolset another `path`"));
            }
            Err(error) => return Err(format!("the memory file `{shown}` cannot be read: {error}")),
        };
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let note = |(index, line)| {
            let error = || {
                format!("line {} of the memory file `{shown}` is not a valid note; ask the user to fix it", index + 1)
            };
            MemoryNote::from_line(line).ok_or_else(error)
        };
        lines.map(note).collect()
    }

    /// Changes the notes. The file is replaced atomically.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<MemoryNote>) -> Result<T, String>,
    ) -> Result<T, String> {
        let _changing = self.write_lock.lock();
        let mut notes = self.read()?;
        let result = change(&mut notes)?;
        let text: String = notes.iter().map(|note| format!("{}\n", note.to_value())).collect();
        if text.len() > MAX_BYTES {
            return Err(format!(
                "the memory is full ({} MiB); delete notes that are no longer needed",
                MAX_BYTES >> 20
            ));
        }
        let written = pintle_host::files::replace_file(&self.file, text.as_bytes());
        written.map_err(|error| format!("the memory file `{}` cannot be written: {error}", self.file.display()))?;
        Ok(result)
    }
}

/// A time in UTC, such as `2026-11-22T02:00:00Z`.
pub(super) fn format_date(unix_ms: u64) -> String {
    let unix_s = (unix_ms / 1_000).try_into().unwrap_or(i64::MAX);
    Timestamp::from_second(unix_s).unwrap_or(Timestamp::MAX).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates_of_the_calendar() {
        for (unix_s, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_795_312_800, "2026-11-22T02:00:00Z"),
        ] {
            assert_eq!(format_date(unix_s * 1_000), expected);
        }
    }

    #[test]
    fn what_is_no_file_of_notes_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let note = || MemoryNote {
            id: String::from("1"),
            created_at: String::new(),
            memory: String::from("m"),
            category: String::new(),
        };
        for (bytes, reason) in
            [(&b"SQLite format 3\0\xff\xfe"[..], "is not a text file"), (b"{\"id\":\"1\"}\n", "line 1")]
        {
            let file = dir.path().join("memory.db");
            std::fs::write(&file, bytes).unwrap();
            let store = MemoryFile::new(file.clone());
            let error = store.change(|notes| {
                notes.push(note());
                Ok(())
            });
            assert!(error.unwrap_err().contains(reason), "{reason}");
            assert_eq!(std::fs::read(&file).unwrap(), bytes);
        }
        let store = MemoryFile::new(dir.path().join("new/memory.jsonl"));
        store
            .change(|notes| {
                notes.push(note());
                Ok(())
            })
            .unwrap();
        assert_eq!(store.read().unwrap(), [note()]);
        assert_eq!(std::fs::read_dir(dir.path().join("new")).unwrap().count(), 1, "nothing is left beside it");
    }
}
