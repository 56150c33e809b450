//! What git does with its options, against what is read of them.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::fixture;

use fixture::operations;

/// Two branches, a remote, a changed file and one that git does not know.
const SETUP: &str = "git init -q -b main work && git init -q --bare remote.git && cd work && \
    git config user.name a && git config user.email a@b && git remote add origin ../remote.git && \
    echo one > a.txt && git add a.txt && git commit -qm one && git branch x && \
    echo more > b.txt && git add b.txt && git commit -qm two && git branch other && \
    git push -q origin main x other && git branch -f x other && echo two > a.txt && echo new > new.txt";

/// A command, the action that is found in it, and a line that tells what git did.
const ROWS: &[(&str, &str, &str)] = &[
    ("git reset --ha", "hard_reset", "grep one a.txt"),
    ("git reset --h HEAD~1", "hard_reset", "grep one a.txt"),
    ("git reset --so HEAD~1", "", "grep two a.txt"),
    ("git clean --forc", "clean", "test ! -e new.txt"),
    ("git clean --forc --dry", "", "test -e new.txt"),
    ("git clean -fn", "", "test -e new.txt"),
    ("git clean -e -n -f", "clean", "test ! -e new.txt"),
    ("git -c clean.requireForce=false clean", "program_setting", "test ! -e new.txt"),
    ("git checkout --forc", "discard_changes", "grep one a.txt"),
    ("git checkout a.txt", "discard_changes", "grep one a.txt"),
    ("git checkout HEAD a.txt", "discard_changes", "grep one a.txt"),
    ("git checkout '*.txt'", "discard_changes", "grep one a.txt"),
    ("git checkout -bf", "", "grep two a.txt && git rev-parse --verify f"),
    ("git switch -cforce", "", "grep two a.txt && git rev-parse --verify force"),
    ("git switch --discard-ch main", "discard_changes", "grep one a.txt"),
    ("git restore -qS a.txt", "", "grep two a.txt"),
    ("git restore a.txt", "discard_changes", "grep one a.txt"),
    ("git branch --del --forc x", "delete_branch", "! git rev-parse -q --verify x"),
    ("git branch -df x", "delete_branch", "! git rev-parse -q --verify x"),
    ("git -C . branch", "", "git rev-parse --verify x"),
    ("git branch -D x && git push --mirro origin", "force_push", "! git ls-remote --exit-code origin refs/heads/x"),
    ("git push --mirro --dry origin", "", "git ls-remote --exit-code origin refs/heads/x"),
    ("git push --del origin x", "delete_remote", "! git ls-remote --exit-code origin refs/heads/x"),
    ("git push -f --dry-run origin x", "", "git ls-remote --exit-code origin refs/heads/x"),
    (
        "git commit -q --amend -m x && git -c remote.origin.push=+HEAD:refs/heads/main push -q origin",
        "force_push",
        "test \"$(git ls-remote origin main | cut -f1)\" = \"$(git rev-parse HEAD)\"",
    ),
    (
        "git commit -q --amend -m x && git push -q --force-with-lease origin main",
        "",
        "test \"$(git ls-remote origin main | cut -f1)\" = \"$(git rev-parse HEAD)\"",
    ),
    ("git fetch -q origin +x:other", "overwrite_ref", "test \"$(git rev-parse other)\" = \"$(git rev-parse main~1)\""),
    ("git fetch -q origin x", "", "test \"$(git rev-parse other)\" = \"$(git rev-parse main)\""),
    (
        "h=$(git hash-object -w new.txt); git gc -q --p=now",
        "prune_objects",
        "! git cat-file -e \"$(git hash-object new.txt)\"",
    ),
    ("h=$(git hash-object -w new.txt); git gc -q", "", "git cat-file -e \"$(git hash-object new.txt)\""),
    ("git config alias.undo 'reset --hard' && git undo", "hard_reset", "grep one a.txt"),
    ("git -c alias.undo='reset --hard' undo", "hard_reset", "grep one a.txt"),
];

fn run(dir: &Path, line: &str) -> bool {
    let home = dir.to_string_lossy().into_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell
        .env("HOME", &home)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("GIT_DIR");
    shell.status().is_ok_and(|status| status.success())
}

#[test]
fn options_are_read_as_git_reads_them() {
    if !run(Path::new("/"), "git version") {
        return;
    }
    let dir = std::env::temp_dir().join(format!("pintle-shell-git-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    assert!(run(&dir, &format!("mkdir first && cd first && {SETUP}")));
    for (command, action, proof) in ROWS {
        assert!(run(&dir, "rm -rf now && cp -r first now"));
        let work = dir.join("now/work");
        run(&work, command);
        assert!(run(&work, proof), "git did not do what is expected: {command}");
        let actions: Vec<String> = operations(command).into_iter().map(|operation| operation.action).collect();
        let known = ["", "edit", "replace", "restore", "untracked", "unpack"];
        let found: Vec<&String> = actions.iter().filter(|action| !known.contains(&action.as_str())).collect();
        if action.is_empty() {
            assert_eq!(found, Vec::<&String>::new(), "{command}");
        } else {
            assert!(actions.iter().any(|found| found == action), "{command}: {actions:?}");
        }
    }
    std::fs::remove_dir_all(&dir).expect("the directory is still there");
}
