//! Describes the change of one file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The path below the root. A backslash is doubled, and a byte that is not UTF-8 is `\x` and two hex digits.
    pub path: String,
    /// The old file; absent for a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<TreeEntry>,
    /// The new file; absent for a deleted one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<TreeEntry>,
}

/// A file in git's object store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// `100644` for a file, `100755` for an executable, `120000` for a symbolic link.
    pub mode: String,
    /// The object ID of its content.
    pub id: String,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChangeKind {
    /// The file is new.
    Created,
    /// The file was modified.
    Modified,
    /// The file was deleted.
    Deleted,
}

impl FileChange {
    /// The kind of the change.
    #[must_use]
    pub fn kind(&self) -> FileChangeKind {
        match (&self.before, &self.after) {
            (None, _) => FileChangeKind::Created,
            (_, None) => FileChangeKind::Deleted,
            _ => FileChangeKind::Modified,
        }
    }
}

/// The encoded form of a path.
pub(super) fn encode_path(path: &[u8]) -> String {
    let mut text = String::new();
    for chunk in path.utf8_chunks() {
        text.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// The path of an encoded form.
pub(super) fn decode_path(text: &str) -> PathBuf {
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
    path_from_bytes(path)
}

/// Parses the output of `git diff-tree --raw -z`: `:mode mode id id letter NUL path NUL`.
pub(super) fn parse_raw_diff(raw: &[u8]) -> Vec<FileChange> {
    let mut fields = raw.split(|byte| *byte == 0);
    let mut changes = Vec::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        let head = String::from_utf8_lossy(head);
        let mut words = head.trim_start_matches(':').split(' ');
        let [Some(old_mode), Some(new_mode), Some(old), Some(new)] = std::array::from_fn(|_| words.next()) else {
            continue;
        };
        let entry =
            |mode: &str, id: &str| (mode != "000000").then(|| TreeEntry { mode: mode.to_owned(), id: id.to_owned() });
        changes.push(FileChange { path: encode_path(path), before: entry(old_mode, old), after: entry(new_mode, new) });
    }
    changes
}

pub(super) fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The path with these bytes. Where paths are not bytes, what is not text is replaced.
pub(super) fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    let path: OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let path = OsString::from(String::from_utf8_lossy(&bytes).into_owned());
    PathBuf::from(path)
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
            assert_eq!(encode_path(path), text);
            assert_eq!(path_bytes(&decode_path(text)), path, "{text}");
        }
    }
}
