//! Tests snapshots of real directories with the real git.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

mod fixture;

use fixture::SnapshotFixture;

use super::*;

fn describe_checkpoint(checkpoint: Option<Checkpoint>) -> Vec<(FileChangeKind, String)> {
    checkpoint.into_iter().flat_map(|it| it.files).map(|change| (change.kind(), change.path)).collect()
}

#[test]
fn every_kind_of_change_is_seen_and_taken_back_byte_for_byte() {
    for fixture in [SnapshotFixture::with_repository(), SnapshotFixture::without_repository()] {
        let odd = std::ffi::OsStr::from_bytes(b"b\xffd");
        fixture.write_file("gone/deep.txt", "gone\n");
        fixture.write_file("changed.txt", "a\r\nb\n");
        fixture.write_file("run.sh", "#!/bin/sh\n");
        fixture.write_file("name with\nnewline and größe.txt", "x");
        fixture.write_file("picture.bin", [0_u8, 159, 146, 150, 0, 13, 10]);
        fixture.write_file("was-a-file", "file");
        fixture.write_file("was-a-folder/in", "folder");
        fixture.write_file(".gitattributes", "* text=auto eol=crlf\n*.txt ident\n");
        symlink("changed.txt", fixture.path("link")).unwrap();
        let before = fixture.list_files();
        let checkpoint = fixture.checkpoint_work("x", || {
            fs::remove_dir_all(fixture.path("gone")).unwrap();
            fixture.write_file("changed.txt", "a\nc\r\n");
            fs::set_permissions(fixture.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
            fs::rename(fixture.path("name with\nnewline and größe.txt"), fixture.path("renamed.txt")).unwrap();
            fixture.write_file("picture.bin", [1_u8, 0, 255]);
            fs::remove_file(fixture.path("was-a-file")).unwrap();
            fixture.write_file("was-a-file/in", "folder now");
            fs::remove_dir_all(fixture.path("was-a-folder")).unwrap();
            fixture.write_file("was-a-folder", "file now");
            fs::remove_file(fixture.path("link")).unwrap();
            symlink("run.sh", fixture.path("link")).unwrap();
            fixture.write_file("new/deeply/made.txt", "new");
            fs::write(fixture.folder.path().join(odd), "odd name").unwrap();
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
        let restored = fixture.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
        assert_eq!((restored.files.len(), restored.reverted_count), (13, 1));
        assert_eq!(fixture.list_files(), before);
        assert!(!fixture.path("new").exists(), "a folder that is empty again is gone");
    }
}

#[test]
fn the_users_repository_is_not_touched_and_its_settings_mean_nothing() {
    let fixture = SnapshotFixture::with_repository();
    fixture.run_git(&["config", "core.autocrlf", "true"]);
    fixture.run_git(&["config", "core.hooksPath", "/nowhere"]);
    fixture.run_git(&["config", "filter.shout.clean", "tr a-z A-Z"]);
    fixture.write_file(".gitattributes", "*.txt filter=shout\n");
    fixture.write_file("staged.txt", "staged\n");
    fixture.run_git(&["add", "staged.txt"]);
    let state = || {
        let files = ["index", "config", "HEAD"].map(|name| fs::read(fixture.path(".git").join(name)).unwrap());
        let objects = fixture.run_git(&["count-objects", "-v"]);
        (files, objects, fixture.run_git(&["for-each-ref"]))
    };
    let before = state();
    fixture.checkpoint_work("x", || fixture.write_file("made.txt", "shy\r\n")).unwrap();
    fixture.write_file("later.txt", "later");
    let restored = fixture.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
    assert_eq!(restored.files, ["made.txt"]);
    assert_eq!(state(), before);
    assert!(fixture.path("later.txt").exists());
}

#[test]
fn what_git_ignores_and_what_is_too_large_is_left_alone() {
    let fixture = SnapshotFixture::with_repository();
    fixture.write_file(".gitignore", "*.log\n/target/\n");
    fixture.write_file(".git/info/exclude", "private.txt\n");
    fixture.write_file("grows.bin", vec![1; 1 << 20]);
    let large = vec![7_u8; (2 << 20) + 1];
    let checkpoint = fixture.checkpoint_work("x", || {
        fixture.write_file("a.log", "x");
        fixture.write_file("target/out", "x");
        fixture.write_file("private.txt", "x");
        fixture.write_file("huge [1]*?.bin", &large);
        fixture.write_file("just.bin", &large[1..]);
        fixture.write_file("grows.bin", &large);
        fs::create_dir(fixture.path("inner")).unwrap();
        Command::new("git").args(["init", "--quiet", "inner"]).current_dir(fixture.folder.path()).status().unwrap();
    });
    let expected = [(FileChangeKind::Modified, "grows.bin"), (FileChangeKind::Created, "just.bin")];
    assert_eq!(describe_checkpoint(checkpoint), expected.map(|(kind, path)| (kind, path.to_owned())));
    let checkpoint = fixture.checkpoint_work("y", || fixture.write_file("huge [1]*?.bin", "small"));
    assert_eq!(describe_checkpoint(checkpoint), [(FileChangeKind::Created, String::from("huge [1]*?.bin"))]);
    fixture.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
    assert!(
        fixture.path("a.log").exists() && fixture.path("private.txt").exists() && fixture.path("inner/.git").exists()
    );
    assert!(!fixture.path("just.bin").exists());
}

#[test]
fn nothing_is_written_down_when_nothing_changed() {
    let fixture = SnapshotFixture::with_repository();
    assert_eq!(fixture.checkpoint_work("x", || ()), None);
    assert_eq!(fixture.checkpoint_work("x", || fixture.write_file("kept.txt", "one\n")), None);
    assert_eq!(fixture.open_store().checkpoints().unwrap(), []);
    assert_eq!(fixture.open_store().revert_after(0, /*force*/ false).unwrap(), None);
}

#[test]
fn a_file_that_was_edited_since_is_not_lost() {
    let fixture = SnapshotFixture::with_repository();
    fixture.checkpoint_work("x", || {
        fixture.write_file("kept.txt", "two\n");
        fixture.write_file("made.txt", "made");
        fixture.write_file("other.txt", "other");
    });
    fixture.write_file("kept.txt", "mine\n");
    fs::remove_file(fixture.path("made.txt")).unwrap();
    let before = fixture.list_files();
    let refused = fixture.open_store().revert_after(0, /*force*/ false).unwrap_err().to_string();
    assert_eq!(refused, "edited since the snapshot: `kept.txt`, `made.txt`");
    assert_eq!((fixture.list_files(), fixture.open_store().checkpoints().unwrap().len()), (before, 1));
    let restored = fixture.open_store().revert_after(0, /*force*/ true).unwrap().unwrap();
    assert_eq!(restored.files, ["kept.txt", "made.txt", "other.txt"]);
    assert_eq!(fs::read_to_string(fixture.path("kept.txt")).unwrap(), "one\n");
    assert!(!fixture.path("other.txt").exists());
}

#[test]
fn a_folder_in_the_way_is_not_taken_away_with_what_it_holds() {
    let fixture = SnapshotFixture::with_repository();
    fixture.write_file(".gitignore", "*.log\n");
    fixture.checkpoint_work("x", || {
        fs::remove_file(fixture.path("kept.txt")).unwrap();
        fixture.write_file("kept.txt/new", "new");
    });
    fixture.write_file("kept.txt/mine.log", "mine");
    let refused = fixture.open_store().revert_after(0, /*force*/ true).unwrap_err().to_string();
    assert_eq!(refused, "files that are not in any snapshot are in the way, in `kept.txt`");
    assert!(fixture.path("kept.txt/mine.log").exists() && fixture.path("kept.txt/new").exists());
    fs::remove_file(fixture.path("kept.txt/mine.log")).unwrap();
    fixture.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
    assert_eq!(fs::read_to_string(fixture.path("kept.txt")).unwrap(), "one\n");
}

#[test]
fn checkpoints_are_taken_back_one_by_one_or_down_to_any_of_them() {
    let fixture = SnapshotFixture::with_repository();
    let texts: Vec<Vec<(String, u32, Vec<u8>)>> = (1..5)
        .map(|round| {
            let before = fixture.list_files();
            fixture.checkpoint_work(&format!("round {round}"), || {
                fixture.write_file("kept.txt", format!("{round}\n"));
                fixture.write_file(&format!("made-{round}.txt"), "x");
            });
            before
        })
        .collect();
    let snapshots = fixture.open_store();
    let numbers = || snapshots.checkpoints().unwrap().iter().map(|it| it.id).collect::<Vec<_>>();
    assert_eq!(numbers(), [1, 2, 3, 4]);
    assert_eq!(snapshots.revert_after(9, /*force*/ false).unwrap(), None, "beyond the last one there is nothing to do");
    snapshots.revert_after(3, /*force*/ false).unwrap().unwrap();
    assert_eq!((fixture.list_files(), numbers()), (texts[3].clone(), vec![1, 2, 3]));
    let restored = snapshots.revert_after(1, /*force*/ false).unwrap().unwrap();
    assert_eq!((fixture.list_files(), numbers(), restored.reverted_count), (texts[1].clone(), vec![1], 2));
    snapshots.revert_after(0, /*force*/ false).unwrap().unwrap();
    assert_eq!((fixture.list_files(), numbers()), (texts[0].clone(), vec![]));
}

#[test]
fn a_folder_of_a_repository_sees_its_own_files_alone() {
    let fixture = SnapshotFixture::with_repository();
    fixture.write_file("sub/a.txt", "a");
    fixture.write_file("sibling/b.txt", "b");
    let sub = fixture.open_store_at("sub");
    assert_eq!((sub.root().file_name(), sub.scope()), (fixture.folder.path().file_name(), Path::new("sub")));
    let before = sub.capture().unwrap();
    fixture.write_file("sub/a.txt", "A");
    fixture.write_file("sibling/b.txt", "B");
    let after = sub.capture().unwrap();
    let checkpoint = sub.write_checkpoint(&before, &after, &CheckpointLabel::default()).unwrap();
    assert_eq!(describe_checkpoint(checkpoint), [(FileChangeKind::Modified, String::from("sub/a.txt"))]);
    assert_eq!(fixture.open_store().checkpoints().unwrap().len(), 1, "the repository has one list");
    fixture.open_store_at("sibling").revert_after(0, /*force*/ false).unwrap().unwrap();
    let read = |path| fs::read_to_string(fixture.path(path)).unwrap();
    assert_eq!((read("sub/a.txt"), read("sibling/b.txt")), (String::from("a"), String::from("B")));
}

#[test]
fn a_folder_is_found_through_a_link_and_a_worktree_has_its_own_snapshots() {
    let fixture = SnapshotFixture::with_repository();
    symlink(fixture.folder.path(), fixture.data.path().join("link")).unwrap();
    let linked =
        SnapshotStore::open(fixture.data.path(), &fixture.data.path().join("link"), 60_000, &CancelToken::default())
            .unwrap();
    assert_eq!(linked.store(), fixture.open_store().store());
    fixture.run_git(&["worktree", "add", "--quiet", "tree"]);
    fixture.write_file(".git/info/exclude", "left.txt\ntree\n");
    let tree = fixture.open_store_at("tree");
    assert_ne!(tree.store(), fixture.open_store().store());
    let before = tree.capture().unwrap();
    fixture.write_file("tree/left.txt", "x");
    fixture.write_file("tree/seen.txt", "x");
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
    let fixture = SnapshotFixture::with_repository();
    fixture.checkpoint_work("x", || fixture.write_file("kept.txt", "two\n"));
    let store = fixture.open_store().store().to_owned();
    let pruned =
        Command::new("git").arg("--git-dir").arg(&store).args(["gc", "--quiet", "--prune=now"]).status().unwrap();
    assert!(pruned.success());
    // The program died while writing the last line.
    let path = store.join("checkpoints.jsonl");
    let torn = fs::read_to_string(&path).unwrap() + "{\"id\":2,\"at";
    fs::write(&path, torn).unwrap();
    assert_eq!(fixture.open_store().checkpoints().unwrap().len(), 1);
    fixture.checkpoint_work("y", || fixture.write_file("kept.txt", "three\n"));
    assert_eq!(fixture.open_store().checkpoints().unwrap().len(), 2);
    // Git was killed while it held the index lock.
    fs::write(store.join("index.lock"), "").unwrap();
    fixture.open_store().revert_after(0, /*force*/ false).unwrap().unwrap();
    assert_eq!(fs::read_to_string(fixture.path("kept.txt")).unwrap(), "one\n");
    let mode = fs::metadata(&store).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn sessions_that_run_at_once_wait_for_each_other() {
    let fixture = SnapshotFixture::with_repository();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let fixture = &fixture;
            scope.spawn(move || {
                for round in 0..3 {
                    let snapshots = fixture.open_store();
                    let before = snapshots.capture().unwrap();
                    fixture.write_file(&format!("{worker}-{round}.txt"), "x");
                    let after = snapshots.capture().unwrap();
                    snapshots.write_checkpoint(&before, &after, &CheckpointLabel::default()).unwrap().unwrap();
                }
            });
        }
    });
    let ids: Vec<u64> = fixture.open_store().checkpoints().unwrap().iter().map(|it| it.id).collect();
    assert_eq!(ids, (1..=12).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_done_is_said() {
    let fixture = SnapshotFixture::without_repository();
    let of =
        |dir: &Path, timeout_ms| SnapshotStore::open(fixture.data.path(), dir, timeout_ms, &CancelToken::default());
    let nowhere = fixture.path("nowhere");
    let error = of(&nowhere, 1_000).unwrap_err().to_string();
    assert_eq!(error, format!("the directory `{}` does not exist", nowhere.display()));
    let error = of(Path::new("/"), 60_000).unwrap().capture().unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot take snapshots of `/`: it is a home directory or the file-system root and has no git repository"
    );
    let error = of(fixture.folder.path(), 0).unwrap().capture().unwrap_err().to_string();
    assert!(error.contains("too long"), "{error}");
    let snapshots = fixture.open_store();
    let tree = snapshots.capture().unwrap();
    assert!(snapshots.patch(&tree, "no-such-tree").unwrap_err().to_string().starts_with("`git diff-tree` failed: "));
}

#[test]
fn the_shadow_may_lie_in_the_folder() {
    let fixture = SnapshotFixture::with_repository();
    let data = fixture.path("data");
    fs::create_dir(&data).unwrap();
    let of = || SnapshotStore::open(&data, fixture.folder.path(), 60_000, &CancelToken::default()).unwrap();
    let before = of().capture().unwrap();
    fixture.write_file("made.txt", "x");
    assert_eq!(
        of().changed_files(&before, &of().capture().unwrap())
            .unwrap()
            .iter()
            .map(|change| change.path.as_str())
            .collect::<Vec<_>>(),
        ["made.txt"]
    );
}

#[test]
fn a_file_of_pintles_own_is_no_work_of_the_agent() {
    let fixture = SnapshotFixture::with_repository();
    let before = fixture.open_store().capture().unwrap();
    exclude_file(&fixture.path("tape.jsonl"));
    fixture.write_file("tape.jsonl", "x");
    assert_eq!(fixture.open_store().capture().unwrap(), before);
    assert_eq!(
        fs::read_to_string(fixture.open_store().store().join("own-files")).unwrap(),
        "tape.jsonl\0",
        "another process knows it too"
    );
}
