//! What happened to one file.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// One file that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The path below the root. A backslash is doubled, and a byte that is no UTF-8 is `\x` and two hex digits.
    pub path: String,
    /// What it was; absent for a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Entry>,
    /// What it became; absent for one that is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Entry>,
}

/// A file as git keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// `100644` for a file, `100755` for one that can be run, `120000` for a symbolic link.
    pub mode: String,
    /// The object with its content.
    pub id: String,
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It is new.
    Created,
    /// It is another.
    Modified,
    /// It is gone.
    Deleted,
}

impl Change {
    /// How it changed.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match (&self.before, &self.after) {
            (None, _) => Kind::Created,
            (_, None) => Kind::Deleted,
            _ => Kind::Modified,
        }
    }
}

/// A path as it is written down.
pub(super) fn written(path: &[u8]) -> String {
    let mut text = String::new();
    for chunk in path.utf8_chunks() {
        text.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// The path that was written down.
pub(super) fn path_of(text: &str) -> PathBuf {
    let mut path = Vec::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        path.extend_from_slice(before.as_bytes());
        let byte = escape.strip_prefix('x').and_then(|hex| u8::from_str_radix(hex.get(..2)?, 16).ok());
        match byte {
            Some(byte) => {
                path.push(byte);
                rest = escape.get(3..).unwrap_or_default();
            }
            None => {
                path.push(b'\\');
                rest = escape.strip_prefix('\\').unwrap_or(escape);
            }
        }
    }
    path.extend_from_slice(rest.as_bytes());
    PathBuf::from(OsString::from_vec(path))
}

/// Reads what `git diff-tree --raw -z` prints: `:mode mode id id letter NUL path NUL`.
pub(super) fn parse(raw: &[u8]) -> Vec<Change> {
    let mut fields = raw.split(|byte| *byte == 0);
    let mut changes = Vec::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        let head = String::from_utf8_lossy(head);
        let mut words = head.trim_start_matches(':').split(' ');
        let [Some(old_mode), Some(new_mode), Some(old), Some(new)] = std::array::from_fn(|_| words.next()) else {
            continue;
        };
        let entry =
            |mode: &str, id: &str| (mode != "000000").then(|| Entry { mode: mode.to_owned(), id: id.to_owned() });
        changes.push(Change { path: written(path), before: entry(old_mode, old), after: entry(new_mode, new) });
    }
    changes
}

/// The bytes of a path.
pub(super) fn bytes(path: &Path) -> &[u8] {
    OsStr::as_bytes(path.as_os_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_written_down_and_found_again() {
        let cases: [(&[u8], &str); 5] = [
            (b"a b/c\n.txt", "a b/c\n.txt"),
            ("größe".as_bytes(), "größe"),
            (b"a\\b", "a\\\\b"),
            (b"\xff\xfe-\xc3", "\\xff\\xfe-\\xc3"),
            (b"\\x41", "\\\\x41"),
        ];
        for (path, text) in cases {
            assert_eq!(written(path), text);
            assert_eq!(bytes(&path_of(text)), path, "{text}");
        }
    }
}
