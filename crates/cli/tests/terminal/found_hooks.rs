//! Which hooks a command uses if the user names no path: those that `pintle hook` would use there.

use crate::fixture::{CliFixture, CliInvocation, snapshot};

const CALL: &str = r#"{"name": "shell", "args": {"command": "ls"}}"#;

fn blocking_hook(reason: &str) -> String {
    format!(
        "---\nevent: tool.pre\npriority: 5\nscript: |\n  def handle(event, payload):\n      return block(\"{reason}\")\n---\n"
    )
}

/// A repository with documents and without hooks, and a user with a hook.
fn create_plain_repository() -> CliFixture {
    CliFixture::new_empty()
        .with_file("repository/.git/HEAD", "")
        .with_file("repository/README.md", "# A repository\n")
        .with_file("repository/CLAUDE.md", "Be brief.\n")
        .with_file("repository/src/lib.rs", "")
        .with_file("own/hooks/own.md", blocking_hook("the user's"))
        .with_file("own/hooks/README.md", "# What we forbid\n\n```yaml\nevent: tool.pre\n```\n")
}

fn pintle_with_own<'a>(fixture: &'a CliFixture, own: &'a str, words: &[&'a str]) -> CliInvocation<'a> {
    fixture.pintle(words).with_variable("PINTLE_CONFIG_DIR", own).with_input(CALL)
}

#[test]
fn in_a_repository_without_hooks_only_the_users_count() {
    let fixture = create_plain_repository();
    let own = fixture.path("own").display().to_string();
    let show =
        |words: &[&'static str]| pintle_with_own(&fixture, &own, words).in_folder("repository/src").run_to_screen();
    snapshot!("found_validate_own", show(&["validate"]));
    snapshot!("found_hooks_own", show(&["hooks"]));
    snapshot!("found_fire_own", show(&["fire", "tool.pre"]));
    snapshot!("found_explain_own", show(&["explain", "tool.pre"]));
    let script = fixture.with_file("repository/turns.yaml", "turns: [{say: done}]\n");
    let run = pintle_with_own(&script, &own, &["run", "--model", "script:turns.yaml", "--", "go on"]);
    let (_, err, status) = run.in_folder("repository").run_to_parts();
    assert!(status == Some(0) && !err.contains("frontmatter"), "{err}");
}

#[test]
fn the_project_around_the_current_directory_is_found_from_below() {
    let fixture = create_plain_repository()
        .with_file("repository/.harness/hooks/guard.md", blocking_hook("the project's"))
        .with_file("repository/.harness/hooks/README.md", "# Our hooks\n")
        .with_file("empty/x", "");
    let own = fixture.path("empty").display().to_string();
    for folder in ["repository", "repository/src", "repository/.harness/hooks"] {
        let run = |words: &[&'static str]| pintle_with_own(&fixture, &own, words).in_folder(folder).run_to_parts();
        let (out, err, status) = run(&["fire", "tool.pre"]);
        assert_eq!(status, Some(2), "{folder}: {out}{err}");
        assert!(out.contains("the project's"), "{folder}: {out}{err}");
        assert!(run(&["hooks"]).0.contains("guard"), "{folder}");
        assert!(run(&["explain", "tool.pre"]).0.contains("1. guard"), "{folder}");
        let (out, _, status) = run(&["validate"]);
        assert!(
            status == Some(0) && out.contains("1 hook, 0 tools, 0 agents in 1 file: no problems"),
            "{folder}: {out}"
        );
        assert!(out.contains("note[document]"), "{folder}: {out}");
    }
}

#[test]
fn a_damaged_hook_stops_every_command_and_a_document_none() {
    let damaged = blocking_hook("never").replacen("---", "# guard", 1);
    let fixture = create_plain_repository().with_file("repository/.harness/hooks/guard.md", &damaged);
    let own = fixture.path("own").display().to_string();
    for words in [&["validate"][..], &["hooks"], &["fire", "tool.pre"], &["explain", "tool.pre"]] {
        let (out, err, status) = pintle_with_own(&fixture, &own, words).in_folder("repository/src").run_to_parts();
        assert_eq!(status, Some(3), "{words:?}: {out}{err}");
        assert!(format!("{out}{err}").contains("no_frontmatter"), "{words:?}: {out}{err}");
    }
}

#[test]
fn an_agent_is_found_from_below_with_the_guards_around_it() {
    let agent = "---\nmodel: {provider: script, name: turns.yaml}\n---\nHi.\n";
    let session = "---\nevent: prompt.submit\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block(\"no prompts\")\n---\n";
    let fixture = CliFixture::new_empty()
        .with_file("project/harness.md", agent)
        .with_file("project/turns.yaml", "turns: [{say: done}]\n")
        .with_file("project/.harness/hooks/README.md", "# Our hooks\n")
        .with_file("project/src/lib.rs", "");
    let run = || {
        assert_eq!(fixture.pintle(&["trust", "--yes"]).in_folder("project/src").run_to_parts().2, Some(0));
        fixture.pintle(&["run", "-q", "--", "go on"]).in_folder("project/src").run_to_parts()
    };
    let (out, err, status) = run();
    assert_eq!((out.as_str(), status), ("done\n", Some(0)), "{err}");
    assert!(fixture.path("project/.pintle/tapes").is_dir());
    std::fs::write(fixture.path("project/.harness/hooks/guard.md"), session).unwrap();
    let (out, err, status) = run();
    assert!(status == Some(2) && format!("{out}{err}").contains("no prompts"), "{out}{err}");
}
