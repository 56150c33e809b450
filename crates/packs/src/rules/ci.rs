//! Continuous integration: what runs with the rights of the repository, and what has to agree.

use pintle_shell::OperationKind::{Ci, Delete, Move, Write};
use pintle_shell::OperationTag::Pipeline;

use crate::RuleSeverity::{Ask, Deny, Warn};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "ci",
    doc: "Refuses to change pipelines, their secrets and runners, and to pass over checks.",
    is_default: false,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "pipeline-files",
            severity: Ask,
            tests: &[
                OperationTest::new(Write).tags(&[Pipeline]),
                OperationTest::new(Delete).tags(&[Pipeline]),
                OperationTest::new(Move).tags(&[Pipeline]),
            ],
            reason: "this changes what runs with the rights of the repository, or who has to agree",
            instead: "Show the change, and leave it to the user.",
            stops: &[
                "sed -i s/a/b/ .github/workflows/test.yml",
                "echo 'x:' > .gitlab-ci.yml",
                "rm -r .github",
                "git mv .circleci/config.yml /tmp/x",
                "cp x CODEOWNERS",
            ],
            passes: &["cat .github/workflows/test.yml", "ls .github", "git diff -- .github", "echo x > docs/ci.md"],
        },
        RuleDef {
            id: "secrets",
            severity: Deny,
            tests: &[OperationTest::new(Ci).actions(&["secret", "settings", "runner", "extension", "account"])],
            reason: "this changes secrets, runners, protections or accounts of the repository",
            instead: "Leave the settings of the repository to the user.",
            stops: &[
                "gh secret set A --body b",
                "gh variable delete A",
                "glab variable set A b",
                "gh api -X DELETE repos/a/b/branches/main/protection",
                "gh api repos/a/b/actions/secrets/A -X PUT --input -",
                "gitlab-runner register",
            ],
            passes: &[
                "gh secret list",
                "gh api repos/a/b/branches/main/protection",
                "gh api repos/a/b/pulls",
                "glab variable list",
            ],
        },
        RuleDef {
            id: "run",
            severity: Ask,
            tests: &[OperationTest::new(Ci).actions(&["run", "stop_run"])],
            reason: "this starts, stops or switches off a pipeline",
            instead: "Leave it to the user, or push to a branch whose checks run by themselves.",
            stops: &[
                "gh workflow run deploy.yml",
                "gh workflow run test.yml -f env=prod",
                "gh workflow disable test.yml",
                "glab ci run",
                "gh run cancel 4",
            ],
            passes: &["gh workflow list", "gh run watch 4", "gh run view 4 --log-failed", "glab ci status"],
        },
        RuleDef {
            id: "skip-checks",
            severity: Deny,
            tests: &[OperationTest::new(Ci).actions(&["skip_checks", "approve"])],
            reason: "this passes over checks that others rely on",
            instead: "Wait for the checks and the review.",
            stops: &["gh pr merge 4 --admin", "gh pr review 4 --approve", "git push -o ci.skip"],
            passes: &["gh pr merge 4 --auto --squash", "gh pr checks 4", "gh pr create --fill", "git push"],
        },
        RuleDef {
            id: "skip-hooks",
            severity: Ask,
            tests: &[OperationTest::new(Ci).actions(&["skip_hooks", "skip_run"])],
            reason: "this passes over the checks of a commit",
            instead: "Let the checks run, and mend what they find.",
            stops: &[
                "git commit --no-verify -m x",
                "git commit -nm x",
                "git push --no-verify",
                "git commit -m 'docs [skip ci]'",
                "pre-commit uninstall",
            ],
            passes: &[
                "git commit -m x",
                "git commit -m'a note'",
                "git merge --ff-only main",
                "pre-commit run --all-files",
            ],
        },
        RuleDef {
            id: "merge",
            severity: Warn,
            tests: &[OperationTest::new(Ci).actions(&["merge", "rerun"])],
            reason: "this merges, or starts checks anew",
            instead: "Let the user decide when it is merged.",
            stops: &["gh pr merge 4 --squash", "gh run rerun 4", "gh workflow run test.yml"],
            passes: &["gh pr merge 4 --auto", "gh run list"],
        },
    ],
};
