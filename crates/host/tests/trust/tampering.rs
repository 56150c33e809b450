//! Every way to change what a trusted hook does is detected.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use pintle_host::Decision;
use pintle_host::contract::UntrustedGuardPolicy;
use pintle_host::loader::TrustState;

use crate::trust::fixture::{PROJECT, TrustFixture};

#[test]
fn whatever_is_tampered_with_the_agreement_no_longer_counts() {
    let guard = "#!/bin/sh\nexit 0\n";
    let append = |fixture: &TrustFixture, file: &str| {
        let text = fs::read_to_string(fixture.path(file)).unwrap();
        fixture.write(file, format!("{text}\n# more\n"));
    };
    type ProjectTamper<'a> = &'a dyn Fn(&TrustFixture);
    let cases: [(&str, ProjectTamper<'_>); 14] = [
        ("the script of a hook", &|fixture| fixture.write("hooks/guard.sh", guard)),
        ("the script, its time set back", &|fixture| {
            let before = fs::metadata(fixture.path("hooks/guard.sh")).unwrap().modified().unwrap();
            fixture.write("hooks/guard.sh", guard);
            let file = fs::File::options().write(true).open(fixture.path("hooks/guard.sh")).unwrap();
            file.set_modified(before).unwrap();
        }),
        ("the script replaced by a link elsewhere", &|fixture| {
            fixture.write("../elsewhere.sh", guard);
            fs::remove_file(fixture.path("hooks/guard.sh")).unwrap();
            symlink(fixture.path("../elsewhere.sh"), fixture.path("hooks/guard.sh")).unwrap();
        }),
        ("another file renamed over the script", &|fixture| {
            fixture.write("hooks/new.sh", guard);
            fs::rename(fixture.path("hooks/new.sh"), fixture.path("hooks/guard.sh")).unwrap();
        }),
        ("the script taken away", &|fixture| fs::remove_file(fixture.path("hooks/guard.sh")).unwrap()),
        ("the folder of the script replaced by a link", &|fixture| {
            fixture.write("other/guard.sh", guard);
            fixture.write("other/lib.sh", "COLOUR=blue\n");
            fs::remove_dir_all(fixture.path("hooks")).unwrap();
            symlink(fixture.path("other"), fixture.path("hooks")).unwrap();
        }),
        ("a file that the command reads in", &|fixture| append(fixture, "hooks/lib.sh")),
        ("a file that is only an argument", &|fixture| append(fixture, "words/hello.txt")),
        ("the file that declares the hooks", &|fixture| append(fixture, "agent.yaml")),
        ("the manifest", &|fixture| append(fixture, "harn.toml")),
        ("a module of the package", &|fixture| append(fixture, "teller.star")),
        ("a module that no hook names", &|fixture| append(fixture, "src/extra.star")),
        ("a module more", &|fixture| fixture.write("lib/more.star", "A = 1\n")),
        ("a hook more", &|fixture| {
            let text = fs::read_to_string(fixture.path("harn.toml")).unwrap();
            fixture.write(
                "harn.toml",
                format!("{text}\n[[hooks]]\nevent = \"SessionStart\"\nhandler = \"teller::tell\"\n"),
            );
        }),
    ];
    for (what, tamper) in cases {
        let fixture = TrustFixture::new_trusted();
        tamper(&fixture);
        assert_eq!(fixture.trust_state(), TrustState::Changed, "{what}");
    }
}

#[test]
fn what_does_not_change_a_byte_that_counts_changes_nothing() {
    type ProjectTouch<'a> = &'a dyn Fn(&TrustFixture);
    let cases: [(&str, ProjectTouch<'_>); 4] = [
        ("times", &|fixture| {
            for (file, _) in PROJECT {
                let later = SystemTime::now() + Duration::from_secs(3_600);
                fs::File::options().write(true).open(fixture.path(file)).unwrap().set_modified(later).unwrap();
            }
        }),
        ("the same bytes anew", &|fixture| {
            for (file, text) in PROJECT {
                fixture.write(file, text);
            }
        }),
        ("a file that nobody loads or names", &|fixture| fixture.write("README.md", "Other words.\n")),
        ("a link to the same bytes", &|fixture| {
            fs::rename(fixture.path("hooks/lib.sh"), fixture.path("hooks/lib.real.sh")).unwrap();
            symlink("lib.real.sh", fixture.path("hooks/lib.sh")).unwrap();
        }),
    ];
    for (what, touch) in cases {
        let fixture = TrustFixture::new_trusted();
        touch(&fixture);
        assert_eq!(fixture.trust_state(), TrustState::Trusted, "{what}");
    }
}

#[test]
fn a_guard_cannot_be_put_out_of_force_by_declaring_it_otherwise() {
    let agent = |fixture: &TrustFixture| fs::read_to_string(fixture.path("agent.yaml")).unwrap();
    let replaced = |fixture: &TrustFixture, from: &str, to: &str| {
        let text = agent(fixture);
        assert!(text.contains(from), "{text}");
        fixture.write("agent.yaml", text.replacen(from, to, 1));
    };
    type GuardDisarm<'a> = &'a dyn Fn(&TrustFixture);
    let cases: [(&str, GuardDisarm<'_>, &str); 6] = [
        (
            "taken out",
            &|fixture| replaced(fixture, "name: guard, type: command", "name: other, type: command"),
            "was removed or weakened",
        ),
        (
            "for another tool",
            &|fixture| replaced(fixture, "matcher: shell", "matcher: shellx"),
            "was removed or weakened",
        ),
        ("on another event", &|fixture| replaced(fixture, "pre_tool_use", "post_tool_use"), "was removed or weakened"),
        (
            "by taking the file away",
            &|fixture| fs::remove_file(fixture.path("agent.yaml")).unwrap(),
            "was removed or weakened",
        ),
        ("with another command", &|fixture| replaced(fixture, "exec ./hooks", "true || exec ./hooks"), " changed "),
        (
            "by taking everything away",
            &|fixture| {
                for (file, _) in PROJECT {
                    fs::remove_file(fixture.path(file)).unwrap();
                }
            },
            "was removed or weakened",
        ),
    ];
    for (what, disarm, said) in cases {
        let mut fixture = TrustFixture::new_trusted();
        disarm(&fixture);
        let outcome = fixture.call_shell();
        assert_eq!(outcome.decision, Decision::Deny, "{what}");
        assert!(outcome.reason().contains(said), "{what}: {}", outcome.reason());
        fixture.guards = Some(UntrustedGuardPolicy::Skip);
        assert_eq!(fixture.call_shell().decision, Decision::Allow, "{what}, skipped");
    }
}

#[test]
fn a_project_that_moved_is_a_new_one() {
    let fixture = TrustFixture::new_trusted();
    let moved = fixture.path("").parent().unwrap().join("moved");
    fs::rename(fixture.path(""), &moved).unwrap();
    let built = fixture.build_with_layers(pintle_host::loader::LayerDirs { cwd: moved, ..fixture.layers() });
    assert_eq!(built.projects.first().map(|project| project.state), Some(TrustState::New));
    // A replacement has to be what the user trusted.
    fixture.write("agent.yaml", "agents:\n  root:\n    model: openai/gpt-4o\n    instruction: help\n");
    assert_eq!(fixture.trust_state(), TrustState::Changed);
}
