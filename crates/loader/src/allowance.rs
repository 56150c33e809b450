//! One call that a user allows once: a file that the user makes on a terminal, and that one call uses up.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::discover::io_error_text;
use crate::pause::PauseFileError;
use crate::private_file::{create_private_dir, read_private_file, replace_private_json};

/// How long a call is allowed, in milliseconds. A file that says more counts as none.
pub const ALLOWANCE_MS: u64 = 5 * 60_000;

/// The version of the file format.
const VERSION: u32 = 1;
/// No file of this format is larger.
const MAX_BYTES: u64 = 4_096;

/// The user's permission for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallAllowance {
    /// Its end, in milliseconds since 1970.
    pub ends_at_ms: u64,
    /// The ID of the call that has used it; empty if the call has none.
    pub used_by: Option<String>,
    path: PathBuf,
}

/// The format of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowanceFile {
    version: u32,
    ends_at_ms: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    used_by: String,
}

impl CallAllowance {
    /// Whether a user has allowed anything, which costs one system call if not.
    #[must_use]
    pub fn has_any(state_dir: &Path) -> bool {
        pintle_files::exists(dir_of(state_dir))
    }

    /// The permission for the call with a digest, if there is one that has not ended. A file that others can write or
    /// that is invalid is none.
    #[must_use]
    pub fn find(state_dir: &Path, call_digest: &str, now_ms: u64) -> Option<Self> {
        let [fresh, used] = paths_of(state_dir, call_digest)?;
        let load = |path: PathBuf, is_used: bool| {
            let file: AllowanceFile = serde_json::from_slice(&read_private_file(&path, MAX_BYTES)?).ok()?;
            let is_open = file.ends_at_ms > now_ms && file.ends_at_ms <= now_ms.saturating_add(ALLOWANCE_MS);
            let used_by = is_used.then_some(file.used_by);
            (file.version == VERSION && is_open).then_some(Self { ends_at_ms: file.ends_at_ms, used_by, path })
        };
        load(fresh, false).or_else(|| load(used, true))
    }

    /// Allows the call with a digest once, from now on for [`ALLOWANCE_MS`]. Earlier permissions that have ended are
    /// removed.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn grant(state_dir: &Path, call_digest: &str, now_ms: u64) -> Result<Self, PauseFileError> {
        let dir = dir_of(state_dir);
        let invalid =
            || PauseFileError::Unwritable { path: dir.clone(), reason: String::from("the call has no digest") };
        let [path, used] = paths_of(state_dir, call_digest).ok_or_else(invalid)?;
        let ends_at_ms = now_ms.saturating_add(ALLOWANCE_MS);
        let stored = create_private_dir(&dir).and_then(|()| {
            for entry in pintle_files::read_dir(&dir)? {
                remove_if_ended(&entry?.path(), now_ms);
            }
            match fs::remove_file(used) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => {
                    replace_private_json(&path, &AllowanceFile { version: VERSION, ends_at_ms, used_by: String::new() })
                }
            }
        });
        let unwritable =
            |error: std::io::Error| PauseFileError::Unwritable { path: path.clone(), reason: io_error_text(&error) };
        stored.map_err(unwritable)?;
        Ok(Self { ends_at_ms, used_by: None, path })
    }

    /// Uses the permission up for the call with an ID. Of several calls at once, one has it.
    #[must_use]
    pub fn take(&self, call_id: &str) -> bool {
        let used = self.path.with_extension("used");
        if fs::rename(&self.path, &used).is_err() {
            return false;
        }
        // Other events about the same call find it. Without the ID they are denied, which is the safe side.
        let used_by = call_id.to_owned();
        let _ = replace_private_json(&used, &AllowanceFile { version: VERSION, ends_at_ms: self.ends_at_ms, used_by });
        true
    }

    /// Whether the call with an ID may pass: nothing has used the permission, or this call has.
    #[must_use]
    pub fn is_for(&self, call_id: &str) -> bool {
        self.used_by.as_deref().is_none_or(|used_by| !used_by.is_empty() && used_by == call_id)
    }
}

fn remove_if_ended(path: &Path, now_ms: u64) {
    let file =
        read_private_file(path, MAX_BYTES).and_then(|bytes| serde_json::from_slice::<AllowanceFile>(&bytes).ok());
    if file.is_none_or(|file| file.ends_at_ms <= now_ms) {
        // It does not count any more, so it does not matter if it stays.
        let _ = fs::remove_file(path);
    }
}

fn dir_of(state_dir: &Path) -> PathBuf {
    state_dir.join("allowed-once")
}

/// The file of a permission that was not used, and of one that was.
fn paths_of(state_dir: &Path, call_digest: &str) -> Option<[PathBuf; 2]> {
    let name = call_digest.strip_prefix("sha256:").unwrap_or(call_digest);
    let is_digest = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let path = |ending: &str| dir_of(state_dir).join(format!("{name}.{ending}"));
    is_digest.then(|| [path("json"), path("used")])
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_900_000_000_000;

    #[test]
    fn one_call_uses_a_permission_and_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let digest = format!("sha256:{}", "0f".repeat(32));
        assert!(!CallAllowance::has_any(&state));
        assert_eq!(CallAllowance::find(&state, &digest, NOW), None);
        let granted = CallAllowance::grant(&state, &digest, NOW).unwrap();
        assert!(CallAllowance::has_any(&state));
        let found = CallAllowance::find(&state, &digest, NOW).unwrap();
        assert_eq!(found, granted);
        assert!(found.take("c1") && !granted.take("c2"), "once");
        let used = CallAllowance::find(&state, &digest, NOW).unwrap();
        assert!(used.is_for("c1") && !used.is_for("c2") && !used.is_for(""));
        // Granted again, it can be used again.
        assert!(CallAllowance::grant(&state, &digest, NOW).unwrap().take(""));
        for (now_ms, is_there) in [(NOW + ALLOWANCE_MS - 1, true), (NOW + ALLOWANCE_MS, false), (NOW - 1, false)] {
            assert_eq!(CallAllowance::find(&state, &digest, now_ms).is_some(), is_there, "{now_ms}");
        }
        let other = format!("sha256:{}", "1a".repeat(32));
        CallAllowance::grant(&state, &other, NOW + ALLOWANCE_MS).unwrap();
        assert_eq!(fs::read_dir(dir_of(&state)).unwrap().count(), 1, "the first one has ended");
        for text in ["", "sha256:", "sha256:../../x", &format!("{}/", "a".repeat(63))] {
            assert!(CallAllowance::grant(&state, text, NOW).is_err(), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_others_permits_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let digest = "ab".repeat(32);
        let granted = CallAllowance::grant(dir.path(), &digest, NOW).unwrap();
        fs::set_permissions(&granted.path, fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(CallAllowance::find(dir.path(), &digest, NOW), None);
        fs::set_permissions(&granted.path, fs::Permissions::from_mode(0o600)).unwrap();
        for text in
            ["", "{}", "{\"version\":2,\"ends_at_ms\":1900000000001}", "{\"version\":1,\"ends_at_ms\":1900000300001}"]
        {
            fs::write(&granted.path, text).unwrap();
            assert_eq!(CallAllowance::find(dir.path(), &digest, NOW), None, "{text}");
        }
    }
}
