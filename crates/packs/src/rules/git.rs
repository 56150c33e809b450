//! git: what cannot be taken back.

use pintle_shell::OperationKind::{Git, Write};
use pintle_shell::OperationTag::GitDirectory;

use crate::RuleSeverity::{Ask, Deny};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "git",
    doc: "Refuses to lose commits or changes, on the remote and here, and to let git run other programs.",
    is_default: true,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "force-push",
            severity: Deny,
            tests: &[OperationTest::new(Git).actions(&["force_push"])],
            reason: "a forced push overwrites commits of others",
            instead: "Use `git push --force-with-lease`, or pull and merge first.",
            stops: &[
                "git push --force",
                "git push -fu origin main",
                "git push origin +main",
                "git -C sub push --mirror",
            ],
            passes: &["git push", "git push --force-with-lease", "git push -u origin feature/x"],
        },
        RuleDef {
            id: "delete-remote",
            severity: Ask,
            tests: &[OperationTest::new(Git).actions(&["delete_remote", "repository_settings"])],
            reason: "this deletes or changes something on the remote",
            instead: "Leave it to the user.",
            stops: &[
                "git push origin --delete old",
                "git push origin :old",
                "gh repo delete a/b",
                "gh repo edit --visibility public",
            ],
            passes: &["git branch -d merged", "gh pr view 3"],
        },
        RuleDef {
            id: "discard-changes",
            severity: Ask,
            tests: &[
                OperationTest::new(Git)
                    .actions(&["clean"])
                    .reason("files that git does not keep would be lost")
                    .with_way_out("See with `git clean -n` what would go, and delete by name what is not needed."),
                OperationTest::new(Git)
                    .actions(&["drop_stash"])
                    .reason("changes that were put aside would be lost")
                    .with_way_out("Keep them, or bring them back with `git stash pop`."),
                OperationTest::new(Git)
                    .actions(&["remove_worktree"])
                    .reason("changes of the worktree that are not committed would be lost")
                    .with_way_out("Commit them there first, and remove it with `git worktree remove PATH`."),
                OperationTest::new(Git).actions(&["hard_reset", "discard_changes", "remove_files"]),
            ],
            reason: "changes that are not committed would be lost",
            instead: "Commit them or put them aside with `git stash` first; `git diff` shows them.",
            stops: &[
                "git reset --hard HEAD~1",
                "git checkout -- .",
                "git restore .",
                "git clean -fdx",
                "git stash clear",
                "git worktree remove -f ../fix",
                "git rm -rf src",
            ],
            passes: &[
                "git reset --soft HEAD~1",
                "git restore --staged .",
                "git clean -n",
                "git stash pop",
                "git checkout main",
            ],
        },
        RuleDef {
            id: "lose-history",
            severity: Ask,
            tests: &[
                OperationTest::new(Git).actions(&["delete_branch", "overwrite_ref"]),
                OperationTest::new(Git)
                    .actions(&["rewrite_history"])
                    .with_way_out("Keep the old commits by a branch of their own first."),
                OperationTest::new(Git)
                    .actions(&["expire_reflog", "prune_objects", "delete_ref"])
                    .with_way_out("Leave them: git removes by itself what has been unused for long."),
            ],
            reason: "commits could no longer be found after this",
            instead: "Keep the branch, or delete a merged one with `git branch -d`.",
            stops: &[
                "git branch -D old",
                "git filter-branch --all",
                "git reflog expire --expire=now --all",
                "git update-ref -d HEAD",
                "git fetch origin +main:main",
                "git prune",
            ],
            passes: &["git branch -d old", "git rebase main", "git commit --amend", "git gc"],
        },
        RuleDef {
            id: "program-setting",
            severity: Ask,
            tests: &[
                OperationTest::new(Git).actions(&["program_setting", "serve"]),
                OperationTest::new(Write).tags(&[GitDirectory]),
            ],
            reason: "this makes git run another program, or changes what git keeps in `.git`",
            instead: "Leave git's settings and hooks to the user.",
            stops: &[
                "git config core.hooksPath /tmp/h",
                "git -c core.sshCommand=x fetch",
                "echo x > .git/hooks/pre-commit",
                "git daemon --export-all",
            ],
            passes: &["git config user.name", "git -c color.ui=never diff", "echo x > notes.txt"],
        },
    ],
};
