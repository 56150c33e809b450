//! A directory with files, and its snapshots.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use tempfile::TempDir;

use super::super::*;

pub(super) struct SnapshotFixture {
    pub(super) folder: TempDir,
    pub(super) data: TempDir,
}

impl SnapshotFixture {
    pub(super) fn without_repository() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() }
    }

    pub(super) fn with_repository() -> Self {
        let fixture = Self::without_repository();
        fixture.write_file("kept.txt", "one\n");
        fixture.run_git(&["init", "--quiet"]);
        fixture.run_git(&["add", "."]);
        fixture.run_git(&["-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "--quiet", "-m", "first"]);
        fixture
    }

    pub(super) fn run_git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").args(arguments).current_dir(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(super) fn write_file(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn open_store(&self) -> SnapshotStore {
        self.open_store_at("")
    }

    pub(super) fn open_store_at(&self, dir: &str) -> SnapshotStore {
        SnapshotStore::open(self.data.path(), &self.path(dir), 60_000, &CancelToken::default()).unwrap()
    }

    pub(super) fn checkpoint_work(&self, action: &str, work: impl FnOnce()) -> Option<Checkpoint> {
        let snapshots = self.open_store();
        let before = snapshots.capture().unwrap();
        work();
        let after = snapshots.capture().unwrap();
        let label = CheckpointLabel {
            session: String::from("s"),
            agent: String::from("a"),
            action: action.to_owned(),
            at_ms: 7,
        };
        snapshots.write_checkpoint(&before, &after, &label).unwrap()
    }

    /// Every file of the directory except the repository's own: its path, its mode, and its bytes or link target.
    pub(super) fn list_files(&self) -> Vec<(String, u32, Vec<u8>)> {
        fn walk(dir: &Path, root: &Path, files: &mut Vec<(String, u32, Vec<u8>)>) {
            for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
                let path = entry.path();
                let data = fs::symlink_metadata(&path).unwrap();
                if data.is_dir() {
                    if entry.file_name() != ".git" {
                        walk(&path, root, files);
                    }
                    continue;
                }
                let bytes = if data.is_symlink() {
                    fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
                } else {
                    fs::read(&path).unwrap()
                };
                let name = change::encode_path(change::path_bytes(path.strip_prefix(root).unwrap()));
                let mode = if data.is_symlink() { 0o120_000 } else { data.permissions().mode() & 0o111 };
                files.push((name, mode, bytes));
            }
        }
        let mut found = Vec::new();
        walk(self.folder.path(), self.folder.path(), &mut found);
        found.sort();
        found
    }
}
