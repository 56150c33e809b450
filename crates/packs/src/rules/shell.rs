//! Files: what is deleted, overwritten or opened where it should not be.

use pintle_shell::OperationKind::{Delete, Move, Permission, Unknown, Write};
use pintle_shell::OperationTag::{Filtered, GitDirectory, Recursive, Secret, Startup, TooOpen};
use pintle_shell::PathPlace::{self, Device, Home, InHome, Outside, ProjectRoot, Root, System};

use crate::RuleSeverity::{Ask, Deny};
use crate::{OperationTest, PackDef, RuleDef};

/// Places outside the project that hold files worth keeping.
const KEPT: &[PathPlace] = &[InHome, System, Outside];

pub(super) const PACK: PackDef = PackDef {
    name: "shell",
    doc: "Refuses to delete, overwrite or open files outside the project, and the project as a whole.",
    is_default: true,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "delete-root",
            severity: Deny,
            tests: &[
                OperationTest::new(Delete).places(&[Root, Device, Home]),
                OperationTest::new(Move).places(&[Root, Home, Device]),
            ],
            reason: "this deletes or moves a whole disk, the home directory or everything in it",
            instead: "Name the files inside the project that should go.",
            stops: &["rm -rf /", "rm -fr ~", "rm -r --force \"$HOME\"", "find / -delete", "X=rm; $X -rf ~/*", "rm /dev/sda", "mv ~ /tmp/x", "mv /dev/sda1 /tmp/x", "mv / /tmp/x"],
            passes: &["rm -rf build", "rm -rf ./node_modules", "rm -f /tmp/report.txt", "echo 'rm -rf /'"],
        },
        RuleDef {
            id: "delete-project",
            severity: Deny,
            tests: &[
                OperationTest::new(Delete).places(&[ProjectRoot]).without(&[Filtered]),
                OperationTest::new(Move).places(&[ProjectRoot]).other_than(&["rename"]),
            ],
            reason: "this deletes or moves the whole project",
            instead: "Name the files or directories that should go.",
            stops: &["rm -rf .", "rm -rf *", "find . -delete", "git ls-files | xargs rm", "mv * /tmp/x"],
            passes: &["find . -name '*.pyc' -delete", "rm -rf dist/*", "rm *.log", "rename 's/\\.jpeg$/.jpg/' *", "mv a.txt b.txt", "python3 -c \"import os; [os.remove(f) for f in os.listdir('.') if f.endswith('.pyc')]\""],
        },
        RuleDef {
            id: "delete-git",
            severity: Deny,
            tests: &[OperationTest::new(Delete).tags(&[GitDirectory]), OperationTest::new(Move).tags(&[GitDirectory])],
            reason: "this deletes or moves what git keeps",
            instead: "Use git commands, and leave `.git` alone.",
            stops: &["rm -rf .git", "mv .git /tmp/x"],
            passes: &["rm .gitignore", "ls .git", "mv a.txt b.txt"],
        },
        RuleDef {
            id: "delete-outside",
            severity: Ask,
            tests: &[OperationTest::new(Delete).places(KEPT), OperationTest::new(Move).places(KEPT)],
            reason: "this deletes or moves files outside the project",
            instead: "Keep to the project and to temporary directories, or ask the user.",
            stops: &["rm -rf ~/Documents", "rm /etc/hosts", "mv ~/.ssh /tmp", "rm -rf /mnt/data", "mv /mnt/data /tmp/x", "mv /etc/hosts /tmp/x"],
            passes: &["rm -rf /tmp/build", "rm -rf ~/.cache/pip", "mv src/a.rs src/b.rs"],
        },
        RuleDef {
            id: "delete-unknown",
            severity: Ask,
            tests: &[OperationTest::new(Delete).places(&[PathPlace::Unknown]).tags(&[Recursive])],
            reason: "this deletes recursively, and what it deletes depends on something that the command does not set",
            instead: "Write the path, or set the variable in the same command.",
            stops: &["rm -rf \"$DIR\"", "rm -rf $PREFIX/lib"],
            passes: &["d=$(mktemp -d); rm -rf \"$d\"", "rm -rf build/$VERSION", "rm \"$FILE\""],
        },
        RuleDef {
            id: "overwrite-device",
            severity: Deny,
            tests: &[
                OperationTest::new(Write).places(&[Device]),
                OperationTest::new(Write)
                    .places(&[Root, Home])
                    .other_than(&["unpack"])
                    .reason("this writes in place of the home directory or of a whole disk"),
                OperationTest::new(Write).places(&[Root]).reason("this unpacks files over a whole disk"),
            ],
            reason: "this writes to a device",
            instead: "Write to a file inside the project.",
            stops: &["dd if=/dev/zero of=/dev/sda", "cat x > /dev/sda1", "tar xf x.tgz -C /", "ln -sfn /tmp/x ~", "ln -sfn /tmp/x /"],
            passes: &["cargo build > /dev/null", "dd if=/dev/zero of=test.img bs=1M count=1"],
        },
        RuleDef {
            id: "overwrite-outside",
            severity: Ask,
            tests: &[
                OperationTest::new(Write).places(&[System]),
                OperationTest::new(Write).places(&[InHome, Outside]).actions(&["truncate", "restore"]),
                OperationTest::new(Write).places(&[InHome]).tags(&[Secret]),
                OperationTest::new(Write)
                    .places(&[InHome, Outside])
                    .actions(&["replace", "edit", "append"])
                    .without(&[Startup]),
                OperationTest::new(Write)
                    .places(&[Home])
                    .actions(&["unpack"])
                    .reason("this unpacks files into the home directory, where they may replace others")
                    .with_way_out("Unpack them into a directory of the project or a temporary one."),
            ],
            reason: "this changes a file outside the project",
            instead: "Keep to the project and to temporary directories, or ask the user.",
            stops: &["echo x > ~/notes.txt", "tee /etc/motd", "truncate -s 0 ~/Documents/a.txt", "unzip x.zip -d ~", "git checkout ../lib/x.js", "truncate -s 0 /mnt/data/log", "touch ~/.netrc", "tar xf x.tar -C ~/.ssh", "sed -i s/a/b/ ~/notes.txt", "echo x >> ~/notes.txt", "echo x > /mnt/data/x"],
            passes: &["echo x > notes.txt", "echo x > /tmp/notes.txt", "cp .env.example .env", "mkdir ~/notes", "git init /tmp/x"],
        },
        RuleDef {
            id: "open-permissions",
            severity: Ask,
            tests: &[
                OperationTest::new(Permission).tags(&[TooOpen]),
                OperationTest::new(Permission)
                    .places(&[ProjectRoot])
                    .tags(&[Recursive])
                    .other_than(&["private"])
                    .reason("this changes the rights or the owner of the whole project")
                    .with_way_out("Name the files that need it."),
                OperationTest::new(Permission)
                    .places(&[Root, Home, Device])
                    .tags(&[Recursive])
                    .reason("this changes the rights or the owner of a whole directory tree")
                    .with_way_out("Name the files that need it."),
                OperationTest::new(Permission)
                    .places(&[System])
                    .reason("this changes rights or the owner of files of the system")
                    .with_way_out("Leave it to the user."),
                OperationTest::new(Permission)
                    .places(&[InHome, Outside])
                    .other_than(&["private"])
                    .reason("this changes rights or the owner of files outside the project")
                    .with_way_out("Keep to the project, or ask the user."),
                OperationTest::new(Permission)
                    .places(&[PathPlace::Unknown])
                    .tags(&[Recursive])
                    .reason("this changes rights of whole directories, and which depends on something that the command does not set")
                    .with_way_out("Write the path, or set the variable in the same command."),
            ],
            reason: "this gives everybody the right to write, or lets a program run as its owner",
            instead: "Give only the rights that are needed, such as `chmod +x FILE` or `chmod 600 FILE`.",
            stops: &["chmod -R 777 .", "chmod 4755 ./x", "chown -R nobody ~", "chmod 644 ~/.ssh/id_rsa", "chmod -R 600 .", "chmod -R 700 /", "chown -R me /dev/sdb", "chmod 600 /etc/passwd", "chmod 644 /mnt/data/x", "chmod -R 755 \"$DIR\""],
            passes: &["chmod +x run.sh", "chmod 600 ~/.ssh/id_rsa", "chmod 755 bin/tool", "chmod -R u+rwX .", "chmod -R 755 src", "chmod 755 .", "chmod 700 ~", "chmod 755 \"$FILE\""],
        },
        RuleDef {
            id: "unknown",
            severity: Ask,
            tests: &[OperationTest::new(Unknown)],
            reason: "Pintle cannot tell what this does",
            instead: "Write the command plainly, in smaller steps.",
            stops: &["echo \"unclosed"],
            passes: &["echo closed"],
        },
    ],
};
