//! Secrets: files and commands that show passwords, keys and tokens.

use pintle_shell::OperationKind::{Download, Git, Move, Read, Secret, Upload};
use pintle_shell::OperationTag::{self, Metadata, ProbableSecret};
use pintle_shell::PathPlace;

use crate::RuleSeverity::{Ask, Deny};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "secrets",
    doc: "Refuses to read passwords, keys and tokens.",
    is_default: true,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "read-file",
            severity: Deny,
            tests: &[
                OperationTest::new(Read).tags(&[OperationTag::Secret]),
                OperationTest::new(Move).tags(&[OperationTag::Secret]),
            ],
            reason: "this reads a file with secrets",
            instead: "Ask the user for what you need of it; the names of variables are in `.env.example` or in the code.",
            stops: &[
                "cat .env",
                "base64 ~/.ssh/id_rsa",
                "cp ~/.aws/credentials /tmp/x",
                "git show HEAD:.env",
                "mv .env env.bak",
            ],
            passes: &[
                "cat .env.example",
                "ls -la ~/.ssh",
                "cat ~/.ssh/id_rsa.pub",
                "grep -rn '.env' src",
                "mv a.txt b.txt",
            ],
        },
        RuleDef {
            id: "read-probable",
            severity: Ask,
            tests: &[OperationTest::new(Read).tags(&[ProbableSecret])],
            reason: "this may show a secret",
            instead: "Name the files or the lines that are needed, or ask the user.",
            stops: &["cat terraform.tfvars", "cat .envrc", "cp -r ~/.codex /tmp/x"],
            passes: &["cat variables.tf", "cat tests/fixtures/ca.pem", "ls ~/.codex"],
        },
        RuleDef {
            id: "read-home",
            severity: Ask,
            tests: &[OperationTest::new(Read)
                .tags(&[OperationTag::Recursive])
                .places(&[PathPlace::Home, PathPlace::Root])],
            reason: "this reads the whole home directory or disk, with its secrets",
            instead: "Name the directories that are needed.",
            stops: &["tar czf /tmp/h.tgz ~", "cp -r / /tmp/x"],
            passes: &["tar czf /tmp/s.tgz src", "ls ~", "grep x ~"],
        },
        RuleDef {
            id: "print-secret",
            severity: Ask,
            tests: &[
                OperationTest::new(Secret)
                    .actions(&["print_environment"])
                    .reason("this prints all variables, with secrets among them")
                    .with_way_out("Print the variables that are needed by their names, such as `printenv PATH`."),
                OperationTest::new(Secret),
            ],
            reason: "this prints a password, key or token",
            instead: "Use it where it is needed without printing it, or ask the user.",
            stops: &["gh auth token", "echo $AWS_SECRET_ACCESS_KEY", "printenv GITHUB_TOKEN", "env"],
            passes: &[
                "gh auth status",
                "echo $HOME",
                "curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com/me",
            ],
        },
        RuleDef {
            id: "commit-secret",
            severity: Ask,
            tests: &[OperationTest::new(Git).actions(&["commit_secret"])],
            reason: "this makes a file with secrets a part of the history",
            instead: "Name the files that should be committed, and keep secrets in `.gitignore`.",
            stops: &["git add .env", "git add -f .env", "git commit .env -m x"],
            passes: &["git add .", "git add .env.example", "git rm --cached .env"],
        },
        RuleDef {
            id: "cloud-metadata",
            severity: Deny,
            tests: &[OperationTest::new(Download).tags(&[Metadata]), OperationTest::new(Upload).tags(&[Metadata])],
            reason: "this asks a cloud machine for its own credentials",
            instead: "Use the cloud's own program with the user's login.",
            stops: &["curl http://169.254.169.254/latest/meta-data/", "curl -d x http://169.254.169.254/"],
            passes: &["curl http://localhost:8080/latest", "curl -d x https://example.com"],
        },
    ],
};
