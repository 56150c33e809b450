//! Tests built-ins that add context, and `max_iterations`.

use std::path::Path;
use std::process::Command;

use pintle_contract::{Effect, Verdict, VerdictKind};
use serde_json::json;

use super::BuiltinFixture;

/// The context of a verdict that has only context.
fn context_text(verdict: &Verdict) -> &str {
    match (&verdict.kind, verdict.effects.as_slice()) {
        (VerdictKind::Pass, [Effect::Context(text)]) => text,
        _ => panic!("{verdict:?}"),
    }
}

/// A repository with this many commits.
fn create_repository(commits: usize) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    run_git(directory.path(), &["init", "--quiet", "--initial-branch=main"]);
    for number in 1..=commits {
        run_git(directory.path(), &["commit", "--quiet", "--allow-empty", "--message", &format!("commit {number}")]);
    }
    directory
}

fn run_git(directory: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(directory)
        .status()
        .unwrap();
    assert!(status.success(), "{arguments:?}");
}

#[test]
fn the_date_is_that_of_the_zone_and_the_clock_of_the_seam() {
    // The tests' clock stays at the epoch.
    let fixture =
        |zone: &'static str| BuiltinFixture::new("iteration.start", json!({})).with_environment(&[("TZ", zone)], None);
    assert_eq!(context_text(&fixture("UTC0").call_by_name("add_date", &[])), "Today's date: 1970-01-01");
    assert_eq!(context_text(&fixture("EST5").call_by_name("add_date", &[])), "Today's date: 1969-12-31");
}

#[test]
fn git_is_told_of_when_there_is_a_repository() {
    let repository = create_repository(12);
    std::fs::write(repository.path().join("new file"), "x").unwrap();
    let there = || BuiltinFixture::new("iteration.start", json!({})).in_directory(repository.path(), "s");
    assert_eq!(
        context_text(&there().call_by_name("add_git_status", &[])),
        "Current git status:\n\n## main\n?? \"new file\""
    );
    let told = there().call_by_name("add_recent_commits", &[]);
    let lines: Vec<&str> = context_text(&told).lines().collect();
    assert_eq!((lines[0], lines[1], lines.len()), ("Recent commits:", "", 12));
    assert!(lines[2].ends_with(" commit 12") && lines[11].ends_with(" commit 3"), "{lines:?}");
    assert_eq!(context_text(&there().call_by_name("add_recent_commits", &["2"])).lines().count(), 4);
    assert_eq!(context_text(&there().call_by_name("add_recent_commits", &["many"])).lines().count(), 12);

    assert_eq!(there().call_by_name("add_git_diff", &[]), Verdict::pass());
    run_git(repository.path(), &["add", "."]);
    std::fs::write(repository.path().join("new file"), "y\n").unwrap();
    let stat = there().call_by_name("add_git_diff", &[]);
    assert!(context_text(&stat).starts_with("Current working-tree diff (stat):\n\n"), "{stat:?}");
    assert!(context_text(&stat).contains("new file | 2 +-"), "{stat:?}");
    let full = there().call_by_name("add_git_diff", &["full"]);
    assert!(context_text(&full).starts_with("Current working-tree diff:\n\ndiff --git "), "{full:?}");
    assert!(context_text(&full).contains("\n+y"), "{full:?}");
}

#[test]
fn a_long_answer_of_git_is_cut_between_characters() {
    let repository = create_repository(1);
    std::fs::write(repository.path().join("f"), "").unwrap();
    run_git(repository.path(), &["add", "."]);
    std::fs::write(repository.path().join("f"), format!("x{}", "é".repeat(5_000))).unwrap();
    let told = BuiltinFixture::new("iteration.start", json!({}))
        .in_directory(repository.path(), "s")
        .call_by_name("add_git_diff", &["full"]);
    let text = context_text(&told).strip_prefix("Current working-tree diff:\n\n").unwrap();
    let kept = text.strip_suffix("\n... (truncated)").unwrap();
    assert!((4_093..=4_096).contains(&kept.len()) && kept.ends_with('é'), "{}", kept.len());
}

#[test]
fn nothing_is_told_without_a_directory_a_repository_or_a_history() {
    let empty = tempfile::tempdir().unwrap();
    let young = create_repository(0);
    let gone = empty.path().join("gone");
    let names = ["add_git_status", "add_git_diff", "add_recent_commits", "add_directory_listing", "add_prompt_files"];
    for name in names {
        for directory in [empty.path(), gone.as_path()] {
            let fixture = BuiltinFixture::new("iteration.start", json!({})).in_directory(directory, "s");
            assert_eq!(fixture.call_by_name(name, &[]), Verdict::pass(), "{name}");
        }
        assert_eq!(
            BuiltinFixture::new("iteration.start", json!({})).call_by_name(name, &[]),
            Verdict::pass(),
            "{name}"
        );
    }
    assert_eq!(
        BuiltinFixture::new("session.start", json!({})).call_by_name("add_environment_info", &[]),
        Verdict::pass()
    );
    let fixture = BuiltinFixture::new("session.start", json!({})).in_directory(young.path(), "s");
    assert_eq!(fixture.call_by_name("add_recent_commits", &[]), Verdict::pass());
}

#[test]
fn the_hooks_own_directory_replaces_the_sessions() {
    let (repository, elsewhere) = (create_repository(1), tempfile::tempdir().unwrap());
    let session = BuiltinFixture::new("iteration.start", json!({})).in_directory(elsewhere.path(), "s");
    let fixture = session.with_environment(&[], Some(repository.path().to_str().unwrap()));
    assert_eq!(context_text(&fixture.call_by_name("add_git_status", &[])), "Current git status:\n\n## main");
    // git gets the hook's variables too.
    let fixture = fixture.with_environment(&[("GIT_DIR", "/nonexistent")], Some(repository.path().to_str().unwrap()));
    assert_eq!(fixture.call_by_name("add_git_status", &[]), Verdict::pass());
}

#[test]
fn git_runs_no_monitor_pager_or_diff_program_that_the_repository_names() {
    let repository = create_repository(1);
    let trap = repository.path().join("trap.sh");
    std::fs::write(&trap, "#!/bin/sh\ntouch \"$(dirname \"$0\")/sprung\"\ncat\n").unwrap();
    pintle_testkit::make_executable(&trap);
    std::fs::write(repository.path().join("f"), "1").unwrap();
    std::fs::write(repository.path().join(".gitattributes"), "f diff=trap\n").unwrap();
    run_git(repository.path(), &["add", "f", ".gitattributes"]);
    std::fs::write(repository.path().join("f"), "2").unwrap();
    for key in ["core.fsmonitor", "diff.external", "diff.trap.textconv", "core.pager", "gpg.program"] {
        run_git(repository.path(), &["config", key, trap.to_str().unwrap()]);
    }
    run_git(repository.path(), &["config", "log.showSignature", "true"]);
    let fixture = BuiltinFixture::new("iteration.start", json!({})).in_directory(repository.path(), "s");
    for (name, arguments) in [
        ("add_git_status", vec![]),
        ("add_git_diff", vec![]),
        ("add_git_diff", vec!["full"]),
        ("add_recent_commits", vec![]),
    ] {
        context_text(&fixture.call_by_name(name, &arguments));
        assert!(!repository.path().join("sprung").exists(), "{name} {arguments:?}");
    }
}

#[test]
fn a_directory_is_listed_in_order_without_hidden_names_up_to_a_hundred() {
    let directory = tempfile::tempdir().unwrap();
    let told = || {
        BuiltinFixture::new("session.start", json!({}))
            .in_directory(directory.path(), "s")
            .call_by_name("add_directory_listing", &[])
    };
    std::fs::write(directory.path().join(".hidden"), "").unwrap();
    assert_eq!(told(), Verdict::pass());
    std::fs::create_dir(directory.path().join("b")).unwrap();
    std::fs::write(directory.path().join("a\nb"), "").unwrap();
    std::fs::write(directory.path().join("Z"), "").unwrap();
    let expected = format!("Top-level entries in {}:\n\n- Z\n- a\\nb\n- b/", directory.path().display());
    assert_eq!(context_text(&told()), expected);
    for number in 0..99 {
        std::fs::write(directory.path().join(format!("f{number:03}")), "").unwrap();
    }
    let listing = told();
    assert!(context_text(&listing).ends_with("\n- f096\n... and 2 more"), "{listing:?}");
    assert_eq!(context_text(&listing).lines().count(), 103);
}

#[test]
fn max_iterations_denies_the_calls_above_its_number() {
    let cases =
        [(Some("2"), 2, None), (Some("2"), 3, Some(2)), (Some("x"), 99, None), (Some("0"), 99, None), (None, 99, None)];
    for (argument, iteration, denied) in cases {
        let fixture = BuiltinFixture::new("completion.pre", json!({"iteration": iteration, "messages": []}));
        let arguments: Vec<&str> = argument.into_iter().collect();
        let expected = match denied {
            Some(most) => Verdict::deny(format!(
                "Agent terminated: max_iterations builtin reached its limit of {most} model call(s)."
            )),
            None => Verdict::pass(),
        };
        assert_eq!(fixture.call_by_name("max_iterations", &arguments), expected, "{argument:?} {iteration}");
    }
    assert_eq!(
        BuiltinFixture::new("completion.pre", json!({})).call_by_name("max_iterations", &["1"]),
        Verdict::pass()
    );
}

#[test]
fn add_context_fills_its_templates_in() {
    let fixture = BuiltinFixture::new("prompt.submit", json!({"prompt": "hi", "n": 2}));
    let told =
        fixture.call_by_name("add_context", &["He said {{ .Prompt }}.", "  {{ if eq .n 1 }}x{{ end }} ", "{{ .n }}"]);
    assert_eq!(context_text(&told), "He said hi.\n2");
    assert_eq!(fixture.call_by_name("add_context", &[" "]), Verdict::pass());
    let VerdictKind::Failed(failure) = fixture.call_by_name("add_context", &["a", "{{ .Nope }}"]).kind else {
        panic!()
    };
    assert_eq!(
        failure.message,
        "add_context: render arg 2: `.Nope` does not exist; `index . \"Nope\"` evaluates to nothing instead"
    );
}
