//! Commands that change what guards agents: a user and a set-up may run them, an agent may not.

use std::fs;

use crate::fixture::{CliFixture, CliInvocation, GUARD};
use crate::install::{create_fixture, run_at_home};
use crate::pause::{AS_CHILD, shell_named};

/// Each with what it says of what it did not do.
const COMMANDS: [(&[&str], &str); 9] = [
    (&["uninstall", "claude", "--yes"], "nothing was changed"),
    (&["uninstall", "all", "--yes"], "nothing was changed"),
    (&["install", "claude", "--yes", "--hooks", "guarded"], "nothing was changed"),
    (&["init", "--yes", "--packs", "git"], "nothing was changed"),
    (&["fetch"], "nothing was fetched"),
    (&["trust", "guarded", "--yes"], "the project was not trusted"),
    (&["trust", "guarded", "--revoke"], "trust was not revoked"),
    (&["sessions", "delete", "--host", "claude", "s1", "--yes"], "nothing was deleted"),
    (&["sessions", "prune", "--older-than", "1", "--yes"], "nothing was removed"),
];

/// A home with Pintle, a project with a hook, and a session.
fn create_guarded() -> CliFixture {
    let fixture =
        create_fixture().with_file("guarded/.harness/hooks/guard.md", GUARD).with_file("guarded/.git/HEAD", "");
    let call = r#"{"session_id":"s1","hook_event_name":"SessionStart","source":"startup","cwd":"/"}"#;
    let run = run_at_home(&fixture, &["hook", "claude"]).with_input(call);
    assert_eq!(run.run_to_parts().2, Some(0));
    assert_eq!(run_at_home(&fixture, &["install", "claude", "--yes"]).run_to_parts().2, Some(0));
    fixture
}

fn settings(fixture: &CliFixture) -> String {
    fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap()
}

fn assert_refused(screen: &str, label: &str, evidence: &str) {
    assert!(screen.contains(&format!("error: {label}: ")) && screen.contains(evidence), "{screen}");
    assert!(screen.contains("run it in a terminal that no agent started"), "{screen}");
    assert!(screen.contains("[exit status 2]"), "{screen}");
}

#[test]
fn agent_cannot_change_what_guards_it_and_a_set_up_can() {
    let fixture = create_guarded();
    let before = settings(&fixture);
    for (arguments, what) in COMMANDS {
        for name in ["CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX", "AI_AGENT"] {
            let agents = run_at_home(&fixture, arguments).with_variable(name, "1");
            let screen = agents.without_variable("PINTLE_USER_SETUP").run_to_screen();
            assert_refused(&screen, what, &format!("the variable `{name}` is set"));
        }
        // What the user's set-up says does not hold for a program that an agent started.
        let shell = shell_named(&fixture, "claude");
        let plain = run_at_home(&fixture, arguments).with_variable("NO_COLOR", "1");
        let screen = plain.run_on_terminal(&shell, AS_CHILD, |_| String::from("y"));
        fs::remove_file(shell).unwrap();
        assert_refused(&screen, what, "Claude Code started it: process ");
    }
    assert_eq!(settings(&fixture), before);
    assert!(!fixture.path("home/.local/state/pintle/trust.json").exists());

    let with_variable = |arguments| run_at_home(&fixture, arguments).with_variable("CLAUDECODE", "1");
    for shown in [
        &["uninstall", "claude", "--dry-run"][..],
        &["install", "claude", "--report"],
        &["trust", "--list"],
        &["sessions", "prune", "--max-size", "1MB", "--dry-run"],
    ] {
        let run: CliInvocation<'_> = with_variable(shown);
        assert_eq!(run.without_variable("PINTLE_USER_SETUP").run_to_parts().2, Some(0), "{shown:?}");
    }
    for (arguments, _) in COMMANDS.into_iter().rev() {
        let screen = with_variable(arguments).run_to_screen();
        assert!(screen.contains("[exit status 0]"), "{arguments:?}: {screen}");
    }
    assert!(!settings(&fixture).contains("pintle"), "{}", settings(&fixture));
    assert!(fixture.path("home/.local/state/pintle/trust.json").exists());
}
