//! The pause of self-protection: a window that the user opens on a terminal, and that ends by itself.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use pintle_files::is_absent;
use serde::{Deserialize, Serialize};

use crate::discover::io_error_text;
use crate::file_facts::{is_own, mode};
use crate::private_file::{create_private_dir, find_writable_folder, replace_private_json};

/// The longest pause, in milliseconds. A file that says more counts as no pause.
pub const MAX_PAUSE_MS: u64 = 4 * 3_600_000;

/// The version of the file format.
const VERSION: u32 = 1;
/// The mode bits that let other users do anything.
const OTHERS: u32 = 0o077;
/// No file of this format is larger.
const MAX_BYTES: u64 = 4_096;

/// The time in which self-protection does not deny.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseWindow {
    /// Its end, in milliseconds since 1970.
    pub ends_at_ms: u64,
}

/// The reason why an existing file does not pause anything, or why a pause cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PauseFileError {
    /// The file does not count.
    Ignored {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be written or removed.
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl fmt::Display for PauseFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ignored { path, reason } => write!(f, "`{}` is ignored: {reason}", path.display()),
            Self::Unwritable { path, reason } => write!(f, "cannot write `{}`: {reason}", path.display()),
        }
    }
}

impl std::error::Error for PauseFileError {}

/// The format of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PauseFile {
    version: u32,
    ends_at_ms: u64,
}

impl PauseWindow {
    /// The window that is open now, if there is one. An absent file costs one system call.
    ///
    /// # Errors
    /// When there is a file that does not count: it is not the user's own, others have access to it, it is invalid, or it
    /// says more than [`MAX_PAUSE_MS`]. Nothing is paused then.
    pub fn load(state_dir: &Path, now_ms: u64) -> Result<Option<Self>, PauseFileError> {
        let path = pause_path(state_dir);
        let ignored = |reason: String| PauseFileError::Ignored { path: path.clone(), reason };
        let found = match pintle_files::symlink_metadata(&path) {
            Err(error) if is_absent(&error) => return Ok(None),
            found => found.map_err(|error| ignored(io_error_text(&error)))?,
        };
        if !found.is_file() || found.len() > MAX_BYTES {
            return Err(ignored(String::from("it is not a file that Pintle wrote")));
        }
        if !is_own(&path, &found) {
            return Err(ignored(String::from("it belongs to another user")));
        }
        if mode(&path, &found) & OTHERS != 0 {
            return Err(ignored(String::from("other users have access to it")));
        }
        if let Some(dir) = find_writable_folder(&path) {
            return Err(ignored(format!("other users can write to `{}`", dir.display())));
        }
        let bytes = pintle_files::read_head(&path, MAX_BYTES).map_err(|error| ignored(io_error_text(&error)))?;
        let file: PauseFile =
            serde_json::from_slice(&bytes).map_err(|error| ignored(format!("it is invalid: {error}")))?;
        if file.version != VERSION {
            return Err(ignored(format!("it has version {}, but this program supports only {VERSION}", file.version)));
        }
        if file.ends_at_ms > now_ms.saturating_add(MAX_PAUSE_MS) {
            return Err(ignored(String::from("it says more than 4 hours from now")));
        }
        Ok((file.ends_at_ms > now_ms).then_some(Self { ends_at_ms: file.ends_at_ms }))
    }

    /// Opens a window from now on, in place of an earlier one. It is at most [`MAX_PAUSE_MS`] long.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn open(state_dir: &Path, now_ms: u64, length_ms: u64) -> Result<Self, PauseFileError> {
        let path = pause_path(state_dir);
        let window = Self { ends_at_ms: now_ms.saturating_add(length_ms.min(MAX_PAUSE_MS)) };
        let file = PauseFile { version: VERSION, ends_at_ms: window.ends_at_ms };
        create_private_dir(state_dir)
            .and_then(|()| replace_private_json(&path, &file))
            .map_err(|error| PauseFileError::Unwritable { path, reason: io_error_text(&error) })?;
        Ok(window)
    }

    /// Ends the pause. Returns whether there was a file.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn end(state_dir: &Path) -> Result<bool, PauseFileError> {
        let path = pause_path(state_dir);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(PauseFileError::Unwritable { path, reason: io_error_text(&error) }),
        }
    }

    /// Whether the file of a state directory is inside a directory, such as a project that brings its own.
    #[must_use]
    pub fn is_stored_in(state_dir: &Path, dir: &Path) -> bool {
        pintle_files::real_path(state_dir).starts_with(pintle_files::real_path(dir))
    }

    /// The rest of the window in words, such as `9 min`, rounded up.
    #[must_use]
    pub fn remaining_text(self, now_ms: u64) -> String {
        let seconds = self.ends_at_ms.saturating_sub(now_ms).div_ceil(1_000);
        let minutes = seconds.div_ceil(60);
        match (minutes / 60, minutes % 60) {
            _ if seconds < 60 => format!("{seconds} s"),
            (0, minutes) => format!("{minutes} min"),
            (hours, 0) => format!("{hours} h"),
            (hours, minutes) => format!("{hours} h {minutes} min"),
        }
    }
}

fn pause_path(state_dir: &Path) -> PathBuf {
    state_dir.join("pause.json")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    const NOW: u64 = 1_900_000_000_000;

    #[test]
    fn window_is_open_until_its_end_and_can_be_ended() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("new/state");
        assert_eq!(PauseWindow::load(&state, NOW), Ok(None));
        let window = PauseWindow::open(&state, NOW, 600_000).unwrap();
        assert_eq!(window.ends_at_ms, NOW + 600_000);
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&state), mode(&pause_path(&state))), (0o700, 0o600));
        for (now_ms, is_open) in [(NOW, true), (NOW + 599_999, true), (NOW + 600_000, false), (NOW + 9_000_000, false)]
        {
            assert_eq!(PauseWindow::load(&state, now_ms), Ok(is_open.then_some(window)), "{now_ms}");
        }
        let rest = |ms: u64| PauseWindow { ends_at_ms: NOW + ms }.remaining_text(NOW);
        let rests = [1, 59_000, 59_001, 600_000, 3_600_000, 3_660_000, MAX_PAUSE_MS].map(rest);
        assert_eq!(rests, ["1 s", "59 s", "1 min", "10 min", "1 h", "1 h 1 min", "4 h"]);
        let most = PauseWindow::open(&state, NOW, u64::MAX).unwrap();
        assert_eq!(PauseWindow::load(&state, NOW), Ok(Some(most)));
        assert_eq!(most.ends_at_ms, NOW + MAX_PAUSE_MS);
        assert_eq!(PauseWindow::end(&state), Ok(true));
        assert_eq!((PauseWindow::end(&state), PauseWindow::load(&state, NOW)), (Ok(false), Ok(None)));
    }

    #[test]
    fn file_that_pintle_would_not_write_pauses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = pause_path(dir.path());
        let valid = format!("{{\"version\":1,\"ends_at_ms\":{}}}", NOW + 1_000);
        let write = |text: &str| {
            let _ = fs::remove_file(&path);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        };
        let load = || PauseWindow::load(dir.path(), NOW).map_err(|error| error.to_string());
        let long = format!("{{\"version\":1,\"ends_at_ms\":{}}}", NOW + MAX_PAUSE_MS + 1);
        let padded = format!("{valid}{}", " ".repeat(5_000));
        for (text, reason) in [
            ("", "it is invalid"),
            ("{", "it is invalid"),
            ("[]", "it is invalid"),
            ("{\"version\":1,\"ends_at_ms\":-1}", "it is invalid"),
            ("{\"version\":1,\"ends_at_ms\":1e300}", "it is invalid"),
            ("{\"version\":1,\"ends_at_ms\":1900000000500,\"more\":1}", "it is invalid"),
            ("{\"version\":2,\"ends_at_ms\":1900000000500}", "version 2"),
            (&padded, "not a file that Pintle wrote"),
            (&long, "more than 4 hours"),
        ] {
            write(text);
            let error = load().unwrap_err();
            assert!(error.contains("is ignored: ") && error.contains(reason), "{text}: {error}");
        }
        write(&valid);
        assert!(load().unwrap().is_some());
        for mode in [0o640, 0o604, 0o620, 0o602, 0o777] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert!(load().unwrap_err().contains("other users have access"), "{mode:o}");
        }
        write(&valid);
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(load().unwrap_err().contains("other users can write to"));
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        fs::rename(&path, dir.path().join("real.json")).unwrap();
        symlink("real.json", &path).unwrap();
        assert!(load().unwrap_err().contains("not a file that Pintle wrote"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(load().unwrap_err().contains("not a file that Pintle wrote"));
        assert!(PauseWindow::is_stored_in(dir.path(), dir.path().parent().unwrap()));
        assert!(!PauseWindow::is_stored_in(dir.path(), &dir.path().join("project")));
    }
}
