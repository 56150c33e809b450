//! The files with code that calls run, such as scripts.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use pintle_contract::event::CodeFile;
use pintle_contract::{EffectReply, EffectRequest, HookCall, to_hex};
use pintle_shell::ProjectFiles;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Reads the files of the disk, and keeps which ones it read.
#[derive(Debug, Default)]
pub struct DiskFiles(RefCell<Vec<CodeFile>>);

impl DiskFiles {
    /// The files that were read, in their order.
    #[must_use]
    pub fn into_files(self) -> Vec<CodeFile> {
        self.0.into_inner()
    }
}

impl ProjectFiles for DiskFiles {
    fn read_code(&self, path: &Path, most_bytes: usize) -> Option<String> {
        let bytes = pintle_files::read_head(path, most_bytes as u64).ok()?;
        // A shell looks at the first line of a file, and skips such bytes in the others.
        if bytes.split(|byte| *byte == b'\n').next()?.contains(&0) {
            return None;
        }
        let digest = format!("sha256:{}", to_hex(&Sha256::digest(&bytes)));
        self.0.borrow_mut().push(CodeFile { path: path.display().to_string(), digest });
        Some(String::from_utf8_lossy(&bytes).replace('\0', ""))
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn list_files(&self, dir: &Path) -> Vec<PathBuf> {
        pintle_files::list_files(dir)
    }
}

/// Reads files by effect requests, so that a replay gets the same text: for a call that a hook changed.
pub(crate) struct EffectFiles<'c> {
    pub(crate) call: &'c HookCall<'c>,
    pub(crate) project: PathBuf,
}

impl ProjectFiles for EffectFiles<'_> {
    fn read_code(&self, path: &Path, most_bytes: usize) -> Option<String> {
        let path = path.strip_prefix(&self.project).ok()?;
        let request = EffectRequest::Fs { function: String::from("read"), arguments: json!({"path": path}) };
        match self.call.effects.perform(self.call.caller(), request) {
            Ok(EffectReply::Value(Value::String(mut text))) => {
                text.truncate(text.floor_char_boundary(most_bytes));
                Some(text.replace('\0', ""))
            }
            _ => None,
        }
    }

    /// It is taken for one: a request for each directory would cost more than it tells.
    fn is_dir(&self, _: &Path) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_and_its_digest_kept() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("x.sh"), "echo hi\n").unwrap();
        std::fs::write(at("program"), b"\x7fELF\0\0").unwrap();
        std::fs::write(at("odd"), b"rm x\n\0").unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let files = DiskFiles::default();
        assert_eq!(files.read_code(&at("x.sh"), 64).as_deref(), Some("echo hi\n"));
        assert_eq!(files.read_code(&at("x.sh"), 4).as_deref(), Some("echo"));
        for none in ["program", "pipe", "missing", "."] {
            assert_eq!(files.read_code(&at(none), 64), None, "{none}");
        }
        assert_eq!(DiskFiles::default().read_code(&at("odd"), 64).as_deref(), Some("rm x\n"));
        assert!(files.is_dir(dir.path()) && !files.is_dir(&at("x.sh")));
        let digests: Vec<String> = files.into_files().into_iter().map(|file| file.digest).collect();
        assert_eq!(
            digests,
            [
                "sha256:ab08508fdf5ca4da5c4995987bc41c56c048aaa5eeb046417ae4049b7d40286e",
                "sha256:092c79e8f80e559e404bcf660c48f3522b67aba9ff1484b0367e1a4ddef7431d",
            ]
        );
    }
}
