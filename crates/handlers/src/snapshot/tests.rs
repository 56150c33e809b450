//! Tests snapshots of real directories with the real git.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use tempfile::TempDir;

use super::*;

struct SnapshotFixture {
    folder: TempDir,
    data: TempDir,
}

impl SnapshotFixture {
    fn without_repository() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() }
    }

    fn with_repository() -> Self {
        let stage = Self::without_repository();
        stage.write_file("kept.txt", "one\n");
        stage.run_git(&["init", "--quiet"]);
        stage.run_git(&["add", "."]);
        stage.run_git(&["-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "--quiet", "-m", "first"]);
        stage
    }

    fn run_git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").args(arguments).current_dir(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write_file(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn open_store(&self) -> SnapshotStore {
        self.open_store_at("")
    }

    fn open_store_at(&self, folder: &str) -> SnapshotStore {
        SnapshotStore::open(self.data.path(), &self.path(folder), 60_000, &CancelToken::default()).unwrap()
    }

    fn checkpoint_work(&self, what: &str, work: impl FnOnce()) -> Option<Checkpoint> {
        let snapshots = self.open_store();
        let before = snapshots.capture().unwrap();
        work();
        let after = snapshots.capture().unwrap();
        let label =
            CheckpointLabel { session: String::from("s"), agent: String::from("a"), action: what.to_owned(), at_ms: 7 };
        snapshots.write_checkpoint(&before, &after, &label).unwrap()
    }

    /// Every file of the directory except the repository's own: its path, its mode, and its bytes or link target.
    fn list_files(&self) -> Vec<(String, u32, Vec<u8>)> {
        fn walk(folder: &Path, root: &Path, found: &mut Vec<(String, u32, Vec<u8>)>) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                let data = fs::symlink_metadata(&path).unwrap();
                if data.is_dir() {
                    if entry.file_name() != ".git" {
                        walk(&path, root, found);
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
                found.push((name, mode, bytes));
            }
        }
        let mut found = Vec::new();
        walk(self.folder.path(), self.folder.path(), &mut found);
        found.sort();
        found
    }
}

fn describe_checkpoint(checkpoint: Option<Checkpoint>) -> Vec<(FileChangeKind, String)> {
    checkpoint.into_iter().flat_map(|it| it.files).map(|change| (change.kind(), change.path)).collect()
}

#[test]
fn every_kind_of_change_is_seen_and_taken_back_byte_for_byte() {
    for stage in [SnapshotFixture::with_repository(), SnapshotFixture::without_repository()] {
        let odd = std::ffi::OsStr::from_bytes(b"b\xffd");
        stage.write_file("gone/deep.txt", "gone\n");
        stage.write_file("changed.txt", "a\r\nb\n");
        stage.write_file("run.sh", "#!/bin/sh\n");
        stage.write_file("name with\nnewline and größe.txt", "x");
        stage.write_file("picture.bin", [0_u8, 159, 146, 150, 0, 13, 10]);
        stage.write_file("was-a-file", "file");
        stage.write_file("was-a-folder/in", "folder");
        stage.write_file(".gitattributes", "* text=auto eol=crlf\n*.txt ident\n");
        symlink("changed.txt", stage.path("link")).unwrap();
        let before = stage.list_files();
        let checkpoint = stage.checkpoint_work("x", || {
            fs::remove_dir_all(stage.path("gone")).unwrap();
            stage.write_file("changed.txt", "a\nc\r\n");
            fs::set_permissions(stage.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
            fs::rename(stage.path("name with\nnewline and größe.txt"), stage.path("renamed.txt")).unwrap();
            stage.write_file("picture.bin", [1_u8, 0, 255]);
            fs::remove_file(stage.path("was-a-file")).unwrap();
            stage.write_file("was-a-file/in", "folder now");
            fs::remove_dir_all(stage.path("was-a-folder")).unwrap();
            stage.write_file("was-a-folder", "file now");
            fs::remove_file(stage.path("link")).unwrap();
            symlink("run.sh", stage.path("link")).unwrap();
            stage.write_file("new/deeply/made.txt", "new");
            fs::write(stage.folder.path().join(odd), "odd name").unwrap();
        });
        let expected = [
            (FileChangeKind::Created, "b\\xffd"),
            (FileChangeKind::Modified, "changed.txt"),
            (FileChangeKind::Deleted, "gone/deep.txt"),
            (FileChangeKind::Modified, "link"),
            (FileChangeKind::Deleted, "name with\nnewline and größe.txt"),
            (FileChangeKind::Created, "new/deeply/made.txt"),
            (FileChangeKind::Modified, "picture.bin"),
            (FileChangeKind::Created, "renamed.txt"),
            (FileChangeKind::Modified, "run.sh"),
            (FileChangeKind::Deleted, "was-a-file"),
            (FileChangeKind::Created, "was-a-file/in"),
            (FileChangeKind::Created, "was-a-folder"),
            (FileChangeKind::Deleted, "was-a-folder/in"),
        ];
        let mut found = describe_checkpoint(checkpoint);
        found.sort_by(|one, other| one.1.cmp(&other.1));
        assert_eq!(found, expected.map(|(kind, path)| (kind, path.to_owned())));
        let restored = stage.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
        assert_eq!((restored.files.len(), restored.reverted_count), (13, 1));
        assert_eq!(stage.list_files(), before);
        assert!(!stage.path("new").exists(), "a folder that is empty again is gone");
    }
}

#[test]
fn the_users_repository_is_not_touched_and_its_settings_mean_nothing() {
    let stage = SnapshotFixture::with_repository();
    stage.run_git(&["config", "core.autocrlf", "true"]);
    stage.run_git(&["config", "core.hooksPath", "/nowhere"]);
    stage.run_git(&["config", "filter.shout.clean", "tr a-z A-Z"]);
    stage.write_file(".gitattributes", "*.txt filter=shout\n");
    stage.write_file("staged.txt", "staged\n");
    stage.run_git(&["add", "staged.txt"]);
    let state = || {
        let files = ["index", "config", "HEAD"].map(|name| fs::read(stage.path(".git").join(name)).unwrap());
        let objects = stage.run_git(&["count-objects", "-v"]);
        (files, objects, stage.run_git(&["for-each-ref"]))
    };
    let before = state();
    stage.checkpoint_work("x", || stage.write_file("made.txt", "shy\r\n")).unwrap();
    stage.write_file("later.txt", "later");
    let restored = stage.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
    assert_eq!(restored.files, ["made.txt"]);
    assert_eq!(state(), before);
    assert!(stage.path("later.txt").exists());
}

#[test]
fn what_git_ignores_and_what_is_too_large_is_left_alone() {
    let stage = SnapshotFixture::with_repository();
    stage.write_file(".gitignore", "*.log\n/target/\n");
    stage.write_file(".git/info/exclude", "private.txt\n");
    stage.write_file("grows.bin", vec![1; 1 << 20]);
    let large = vec![7_u8; (2 << 20) + 1];
    let checkpoint = stage.checkpoint_work("x", || {
        stage.write_file("a.log", "x");
        stage.write_file("target/out", "x");
        stage.write_file("private.txt", "x");
        stage.write_file("huge [1]*?.bin", &large);
        stage.write_file("just.bin", &large[1..]);
        stage.write_file("grows.bin", &large);
        fs::create_dir(stage.path("inner")).unwrap();
        Command::new("git").args(["init", "--quiet", "inner"]).current_dir(stage.folder.path()).status().unwrap();
    });
    let expected = [(FileChangeKind::Modified, "grows.bin"), (FileChangeKind::Created, "just.bin")];
    assert_eq!(describe_checkpoint(checkpoint), expected.map(|(kind, path)| (kind, path.to_owned())));
    let checkpoint = stage.checkpoint_work("y", || stage.write_file("huge [1]*?.bin", "small"));
    assert_eq!(describe_checkpoint(checkpoint), [(FileChangeKind::Created, String::from("huge [1]*?.bin"))]);
    stage.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
    assert!(stage.path("a.log").exists() && stage.path("private.txt").exists() && stage.path("inner/.git").exists());
    assert!(!stage.path("just.bin").exists());
}

#[test]
fn nothing_is_written_down_when_nothing_changed() {
    let stage = SnapshotFixture::with_repository();
    assert_eq!(stage.checkpoint_work("x", || ()), None);
    assert_eq!(stage.checkpoint_work("x", || stage.write_file("kept.txt", "one\n")), None);
    assert_eq!(stage.open_store().checkpoints().unwrap(), []);
    assert_eq!(stage.open_store().revert_after(0, /*force*/ false).unwrap(), None);
}

#[test]
fn a_file_that_was_edited_since_is_not_lost() {
    let stage = SnapshotFixture::with_repository();
    stage.checkpoint_work("x", || {
        stage.write_file("kept.txt", "two\n");
        stage.write_file("made.txt", "made");
        stage.write_file("other.txt", "other");
    });
    stage.write_file("kept.txt", "mine\n");
    fs::remove_file(stage.path("made.txt")).unwrap();
    let before = stage.list_files();
    let refused = stage.open_store().revert_after(0, /*force*/ false).unwrap_err().to_string();
    assert_eq!(refused, "edited since the snapshot: `kept.txt`, `made.txt`");
    assert_eq!((stage.list_files(), stage.open_store().checkpoints().unwrap().len()), (before, 1));
    let restored = stage.open_store().revert_after(0, /*force*/ true).unwrap().unwrap();
    assert_eq!(restored.files, ["kept.txt", "made.txt", "other.txt"]);
    assert_eq!(fs::read_to_string(stage.path("kept.txt")).unwrap(), "one\n");
    assert!(!stage.path("other.txt").exists());
}

#[test]
fn a_folder_in_the_way_is_not_taken_away_with_what_it_holds() {
    let stage = SnapshotFixture::with_repository();
    stage.write_file(".gitignore", "*.log\n");
    stage.checkpoint_work("x", || {
        fs::remove_file(stage.path("kept.txt")).unwrap();
        stage.write_file("kept.txt/new", "new");
    });
    stage.write_file("kept.txt/mine.log", "mine");
    let refused = stage.open_store().revert_after(0, /*force*/ true).unwrap_err().to_string();
    assert_eq!(refused, "files that are not in any snapshot are in the way, in `kept.txt`");
    assert!(stage.path("kept.txt/mine.log").exists() && stage.path("kept.txt/new").exists());
    fs::remove_file(stage.path("kept.txt/mine.log")).unwrap();
    stage.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
    assert_eq!(fs::read_to_string(stage.path("kept.txt")).unwrap(), "one\n");
}

#[test]
fn checkpoints_are_taken_back_one_by_one_or_down_to_any_of_them() {
    let stage = SnapshotFixture::with_repository();
    let texts: Vec<Vec<(String, u32, Vec<u8>)>> = (1..5)
        .map(|round| {
            let before = stage.list_files();
            stage.checkpoint_work(&format!("round {round}"), || {
                stage.write_file("kept.txt", format!("{round}\n"));
                stage.write_file(&format!("made-{round}.txt"), "x");
            });
            before
        })
        .collect();
    let snapshots = stage.open_store();
    let numbers = || snapshots.checkpoints().unwrap().iter().map(|it| it.id).collect::<Vec<_>>();
    assert_eq!(numbers(), [1, 2, 3, 4]);
    assert_eq!(snapshots.revert_after(9, /*force*/ false).unwrap(), None, "beyond the last one there is nothing to do");
    snapshots.revert_after(3, /*force*/ false).unwrap().unwrap();
    assert_eq!((stage.list_files(), numbers()), (texts[3].clone(), vec![1, 2, 3]));
    let restored = snapshots.revert_after(1, /*force*/ false).unwrap().unwrap();
    assert_eq!((stage.list_files(), numbers(), restored.reverted_count), (texts[1].clone(), vec![1], 2));
    snapshots.revert_after(0, /*force*/ false).unwrap().unwrap();
    assert_eq!((stage.list_files(), numbers()), (texts[0].clone(), vec![]));
}

#[test]
fn a_folder_of_a_repository_sees_its_own_files_alone() {
    let stage = SnapshotFixture::with_repository();
    stage.write_file("sub/a.txt", "a");
    stage.write_file("sibling/b.txt", "b");
    let sub = stage.open_store_at("sub");
    assert_eq!((sub.root().file_name(), sub.scope()), (stage.folder.path().file_name(), Path::new("sub")));
    let before = sub.capture().unwrap();
    stage.write_file("sub/a.txt", "A");
    stage.write_file("sibling/b.txt", "B");
    let after = sub.capture().unwrap();
    let checkpoint = sub.write_checkpoint(&before, &after, &CheckpointLabel::default()).unwrap();
    assert_eq!(describe_checkpoint(checkpoint), [(FileChangeKind::Modified, String::from("sub/a.txt"))]);
    assert_eq!(stage.open_store().checkpoints().unwrap().len(), 1, "the repository has one list");
    stage.open_store_at("sibling").revert_after(0, /*force*/ false).unwrap().unwrap();
    let read = |path| fs::read_to_string(stage.path(path)).unwrap();
    assert_eq!((read("sub/a.txt"), read("sibling/b.txt")), (String::from("a"), String::from("B")));
}

#[test]
fn a_folder_is_found_through_a_link_and_a_worktree_has_its_own_snapshots() {
    let stage = SnapshotFixture::with_repository();
    symlink(stage.folder.path(), stage.data.path().join("link")).unwrap();
    let linked =
        SnapshotStore::open(stage.data.path(), &stage.data.path().join("link"), 60_000, &CancelToken::default())
            .unwrap();
    assert_eq!(linked.store(), stage.open_store().store());
    stage.run_git(&["worktree", "add", "--quiet", "tree"]);
    stage.write_file(".git/info/exclude", "left.txt\ntree\n");
    let tree = stage.open_store_at("tree");
    assert_ne!(tree.store(), stage.open_store().store());
    let before = tree.capture().unwrap();
    stage.write_file("tree/left.txt", "x");
    stage.write_file("tree/seen.txt", "x");
    let changes = tree.changed_files(&before, &tree.capture().unwrap()).unwrap();
    assert_eq!(changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), ["seen.txt"]);
    // A subdirectory without a repository belongs to its parent, once that has snapshots.
    let plain = SnapshotFixture::without_repository();
    plain.write_file("deep/er/a.txt", "a");
    plain.open_store().capture().unwrap();
    assert_eq!(plain.open_store_at("deep/er").root(), plain.open_store().root());
}

#[test]
fn checkpoints_outlive_the_process_and_gits_housekeeping() {
    let stage = SnapshotFixture::with_repository();
    stage.checkpoint_work("x", || stage.write_file("kept.txt", "two\n"));
    let store = stage.open_store().store().to_owned();
    let pruned =
        Command::new("git").arg("--git-dir").arg(&store).args(["gc", "--quiet", "--prune=now"]).status().unwrap();
    assert!(pruned.success());
    // The program died while writing the last line.
    let path = store.join("checkpoints.jsonl");
    let torn = fs::read_to_string(&path).unwrap() + "{\"id\":2,\"at";
    fs::write(&path, torn).unwrap();
    assert_eq!(stage.open_store().checkpoints().unwrap().len(), 1);
    stage.checkpoint_work("y", || stage.write_file("kept.txt", "three\n"));
    assert_eq!(stage.open_store().checkpoints().unwrap().len(), 2);
    // Git was killed while it held the index lock.
    fs::write(store.join("index.lock"), "").unwrap();
    stage.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
    assert_eq!(fs::read_to_string(stage.path("kept.txt")).unwrap(), "one\n");
    let mode = fs::metadata(&store).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn sessions_that_run_at_once_wait_for_each_other() {
    let stage = SnapshotFixture::with_repository();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let stage = &stage;
            scope.spawn(move || {
                for round in 0..3 {
                    let snapshots = stage.open_store();
                    let before = snapshots.capture().unwrap();
                    stage.write_file(&format!("{worker}-{round}.txt"), "x");
                    let after = snapshots.capture().unwrap();
                    snapshots.write_checkpoint(&before, &after, &CheckpointLabel::default()).unwrap().unwrap();
                }
            });
        }
    });
    let ids: Vec<u64> = stage.open_store().checkpoints().unwrap().iter().map(|it| it.id).collect();
    assert_eq!(ids, (1..=12).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_done_is_said() {
    let stage = SnapshotFixture::without_repository();
    let of =
        |folder: &Path, timeout_ms| SnapshotStore::open(stage.data.path(), folder, timeout_ms, &CancelToken::default());
    let nowhere = stage.path("nowhere");
    let fault = of(&nowhere, 1_000).unwrap_err().to_string();
    assert_eq!(fault, format!("the directory `{}` does not exist", nowhere.display()));
    let fault = of(Path::new("/"), 60_000).unwrap().capture().unwrap_err().to_string();
    assert_eq!(
        fault,
        "cannot take snapshots of `/`: it is a home directory or the file-system root and has no git repository"
    );
    let fault = of(stage.folder.path(), 0).unwrap().capture().unwrap_err().to_string();
    assert!(fault.contains("too long"), "{fault}");
    let snapshots = stage.open_store();
    let tree = snapshots.capture().unwrap();
    assert!(snapshots.patch(&tree, "no-such-tree").unwrap_err().to_string().starts_with("`git diff-tree` failed: "));
}

#[test]
fn the_shadow_may_lie_in_the_folder() {
    let stage = SnapshotFixture::with_repository();
    let data = stage.path("data");
    fs::create_dir(&data).unwrap();
    let of = || SnapshotStore::open(&data, stage.folder.path(), 60_000, &CancelToken::default()).unwrap();
    let before = of().capture().unwrap();
    stage.write_file("made.txt", "x");
    let changes = of().changed_files(&before, &of().capture().unwrap()).unwrap();
    assert_eq!(changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), ["made.txt"]);
}

#[test]
fn a_file_of_pintles_own_is_no_work_of_the_agent() {
    let stage = SnapshotFixture::with_repository();
    let before = stage.open_store().capture().unwrap();
    exclude_file(&stage.path("tape.jsonl"));
    stage.write_file("tape.jsonl", "x");
    assert_eq!(stage.open_store().capture().unwrap(), before);
    let store = stage.open_store().store().join("own-files");
    assert_eq!(fs::read_to_string(store).unwrap(), "tape.jsonl\0", "another process knows it too");
}
