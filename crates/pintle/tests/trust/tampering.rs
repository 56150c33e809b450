//! Every way to change what a trusted hook does is detected.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use pintle::loader::TrustState;
use pintle::{Decision, UntrustedGuardPolicy};

use crate::fixture::{PROJECT, TrustFixture};

#[test]
fn whatever_is_tampered_with_the_agreement_no_longer_counts() {
    let guard = "#!/bin/sh\nexit 0\n";
    let append = |stage: &TrustFixture, file: &str| {
        let text = fs::read_to_string(stage.path(file)).unwrap();
        stage.write(file, format!("{text}\n# more\n"));
    };
    type ProjectTamper<'a> = &'a dyn Fn(&TrustFixture);
    let cases: [(&str, ProjectTamper<'_>); 14] = [
        ("the script of a hook", &|stage| stage.write("hooks/guard.sh", guard)),
        ("the script, its time set back", &|stage| {
            let before = fs::metadata(stage.path("hooks/guard.sh")).unwrap().modified().unwrap();
            stage.write("hooks/guard.sh", guard);
            let file = fs::File::options().write(true).open(stage.path("hooks/guard.sh")).unwrap();
            file.set_modified(before).unwrap();
        }),
        ("the script replaced by a link elsewhere", &|stage| {
            stage.write("../elsewhere.sh", guard);
            fs::remove_file(stage.path("hooks/guard.sh")).unwrap();
            symlink(stage.path("../elsewhere.sh"), stage.path("hooks/guard.sh")).unwrap();
        }),
        ("another file renamed over the script", &|stage| {
            stage.write("hooks/new.sh", guard);
            fs::rename(stage.path("hooks/new.sh"), stage.path("hooks/guard.sh")).unwrap();
        }),
        ("the script taken away", &|stage| fs::remove_file(stage.path("hooks/guard.sh")).unwrap()),
        ("the folder of the script replaced by a link", &|stage| {
            stage.write("other/guard.sh", guard);
            stage.write("other/lib.sh", "COLOUR=blue\n");
            fs::remove_dir_all(stage.path("hooks")).unwrap();
            symlink(stage.path("other"), stage.path("hooks")).unwrap();
        }),
        ("a file that the command reads in", &|stage| append(stage, "hooks/lib.sh")),
        ("a file that is only an argument", &|stage| append(stage, "words/hello.txt")),
        ("the file that declares the hooks", &|stage| append(stage, "agent.yaml")),
        ("the manifest", &|stage| append(stage, "harn.toml")),
        ("a module of the package", &|stage| append(stage, "teller.star")),
        ("a module that no hook names", &|stage| append(stage, "src/extra.star")),
        ("a module more", &|stage| stage.write("lib/more.star", "A = 1\n")),
        ("a hook more", &|stage| {
            let text = fs::read_to_string(stage.path("harn.toml")).unwrap();
            stage.write(
                "harn.toml",
                format!("{text}\n[[hooks]]\nevent = \"SessionStart\"\nhandler = \"teller::tell\"\n"),
            );
        }),
    ];
    for (what, tamper) in cases {
        let stage = TrustFixture::new_trusted();
        tamper(&stage);
        assert_eq!(stage.trust_state(), TrustState::Changed, "{what}");
    }
}

#[test]
fn what_does_not_change_a_byte_that_counts_changes_nothing() {
    type ProjectTouch<'a> = &'a dyn Fn(&TrustFixture);
    let cases: [(&str, ProjectTouch<'_>); 4] = [
        ("times", &|stage| {
            for (file, _) in PROJECT {
                let later = SystemTime::now() + Duration::from_secs(3_600);
                fs::File::options().write(true).open(stage.path(file)).unwrap().set_modified(later).unwrap();
            }
        }),
        ("the same bytes anew", &|stage| {
            for (file, text) in PROJECT {
                stage.write(file, text);
            }
        }),
        ("a file that nobody loads or names", &|stage| stage.write("README.md", "Other words.\n")),
        ("a link to the same bytes", &|stage| {
            fs::rename(stage.path("hooks/lib.sh"), stage.path("hooks/lib.real.sh")).unwrap();
            symlink("lib.real.sh", stage.path("hooks/lib.sh")).unwrap();
        }),
    ];
    for (what, touch) in cases {
        let stage = TrustFixture::new_trusted();
        touch(&stage);
        assert_eq!(stage.trust_state(), TrustState::Trusted, "{what}");
    }
}

#[test]
fn a_guard_cannot_be_put_out_of_force_by_declaring_it_otherwise() {
    let agent = |stage: &TrustFixture| fs::read_to_string(stage.path("agent.yaml")).unwrap();
    let replaced = |stage: &TrustFixture, from: &str, to: &str| {
        let text = agent(stage);
        assert!(text.contains(from), "{text}");
        stage.write("agent.yaml", text.replacen(from, to, 1));
    };
    type GuardDisarm<'a> = &'a dyn Fn(&TrustFixture);
    let cases: [(&str, GuardDisarm<'_>, &str); 6] = [
        (
            "taken out",
            &|stage| replaced(stage, "name: guard, type: command", "name: other, type: command"),
            "was removed or weakened",
        ),
        ("for another tool", &|stage| replaced(stage, "matcher: shell", "matcher: shellx"), "was removed or weakened"),
        ("on another event", &|stage| replaced(stage, "pre_tool_use", "post_tool_use"), "was removed or weakened"),
        (
            "by taking the file away",
            &|stage| fs::remove_file(stage.path("agent.yaml")).unwrap(),
            "was removed or weakened",
        ),
        ("with another command", &|stage| replaced(stage, "exec ./hooks", "true || exec ./hooks"), " changed "),
        (
            "by taking everything away",
            &|stage| {
                for (file, _) in PROJECT {
                    fs::remove_file(stage.path(file)).unwrap();
                }
            },
            "was removed or weakened",
        ),
    ];
    for (what, disarm, said) in cases {
        let mut stage = TrustFixture::new_trusted();
        disarm(&stage);
        let outcome = stage.call_shell();
        assert_eq!(outcome.decision, Decision::Deny, "{what}");
        assert!(outcome.reason().contains(said), "{what}: {}", outcome.reason());
        stage.guards = Some(UntrustedGuardPolicy::Skip);
        assert_eq!(stage.call_shell().decision, Decision::Allow, "{what}, skipped");
    }
}

#[test]
fn a_project_that_moved_is_a_new_one() {
    let stage = TrustFixture::new_trusted();
    let moved = stage.path("").parent().unwrap().join("moved");
    fs::rename(stage.path(""), &moved).unwrap();
    let built = stage.build_with_layers(pintle::loader::LayerDirs { cwd: moved, ..stage.layers() });
    assert_eq!(built.projects.first().map(|project| project.state), Some(TrustState::New));
    // A replacement has to be what the user trusted.
    stage.write("agent.yaml", "agents:\n  root:\n    model: openai/gpt-4o\n    instruction: help\n");
    assert_eq!(stage.trust_state(), TrustState::Changed);
}
