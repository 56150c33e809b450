//! Consent to what a project's hooks may do: `pintle trust`, and what other commands do without it.

use std::fs;

use crate::fixture::{CliFixture, CliInvocation, snapshot};

const TEAM: &str = r#"agents:
  root:
    model: script/turns.yaml
    description: leads
    instruction: You lead.
    hooks:
      pre_tool_use:
        - matcher: shell
          hooks: [{name: guard, type: command, command: "./check/guard.sh --strict"}]
      session_start:
        - {name: hello, type: builtin, command: http_post, args: ["https://hooks.example/x", "hello"]}
      turn_start:
        - {name: day, type: builtin, command: add_date}
"#;
const GUARD: &str = "#!/bin/sh\ncat >/dev/null\necho 'not on my watch' >&2\nexit 2\n";
const CALL: &str = r#"{"name": "shell", "args": {"command": "ls"}}"#;

/// A project with a guard that is a program, and a place for what its person agrees to.
fn create_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty()
        .with_file("project/agent.yaml", TEAM)
        .with_file("project/turns.yaml", "turns: [{say: done}]\n")
        .with_file("project/check/guard.sh", GUARD)
        .with_file("project/below/notes.txt", "")
        .with_file("project/.git/HEAD", "")
        .with_file("own/config.yaml", "settings: {}\n");
    pintle_testkit::make_executable(fixture.path("project/check/guard.sh"));
    fixture
}

/// The program in a folder of the project, with the state of its person.
fn pintle_in_folder<'a>(
    fixture: &'a CliFixture,
    state: &'a str,
    within: &'a str,
    arguments: &[&'a str],
) -> CliInvocation<'a> {
    fixture.pintle(arguments).with_variable("PINTLE_STATE_DIR", state).in_folder(within)
}

#[test]
fn a_project_is_looked_at_agreed_to_changed_and_forgotten() {
    let fixture = create_fixture();
    let state = fixture.path("state").display().to_string();
    let trust = |more: &[&'static str]| {
        let arguments = [&["trust"], more].concat();
        pintle_in_folder(&fixture, &state, "project", &arguments).run_to_screen()
    };
    snapshot!("trust_new_nobody", trust(&[]));
    snapshot!("trust_new_yes", trust(&["--yes"]));
    snapshot!("trust_agreed", trust(&[]));
    snapshot!("trust_list", trust(&["--list"]));
    snapshot!("trust_json", trust(&["--json"]));
    fs::write(fixture.path("project/check/guard.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    fs::write(fixture.path("project/agent.yaml"), TEAM.replace("hooks.example", "other.example")).unwrap();
    snapshot!("trust_changed", trust(&[]));
    // From a folder below it is the same project.
    snapshot!(
        "trust_changed_yes",
        pintle_in_folder(&fixture, &state, "project/below", &["trust", "--yes"]).run_to_screen()
    );
    snapshot!(
        "trust_revoke",
        pintle_in_folder(&fixture, &state, "project/below", &["trust", "--revoke"]).run_to_screen()
    );
    snapshot!("trust_revoke_again", trust(&["--revoke"]));
    snapshot!("trust_list_empty", trust(&["--list"]));
    snapshot!("trust_nowhere", pintle_in_folder(&fixture, &state, "", &["trust"]).run_to_screen());
    snapshot!("trust_no_folder", trust(&["nowhere"]));
}

#[test]
fn commands_without_a_path_run_only_what_was_agreed_to() {
    let fixture = create_fixture();
    let state = fixture.path("state").display().to_string();
    let fire = |more: &[&'static str]| {
        let arguments = [&["fire", "tool.pre", "--agent", "root"], more].concat();
        pintle_in_folder(&fixture, &state, "project", &arguments).with_input(CALL).run_to_screen()
    };
    let show = |arguments: &[&'static str]| {
        pintle_in_folder(&fixture, &state, "project", arguments).with_input(CALL).run_to_screen()
    };
    snapshot!("trust_fire_named", fire(&["agent.yaml"]));
    snapshot!("trust_run_new", show(&["run", "-q", "--", "go on"]));
    assert!(show(&["trust", "--yes"]).ends_with("[exit status 0]\n"));
    snapshot!("trust_fire_agreed", fire(&[]));
    let (_, err, status) =
        pintle_in_folder(&fixture, &state, "project", &["run", "-q"]).with_input("go").run_to_parts();
    assert_eq!((err.contains("trust"), status), (false, Some(0)), "{err}");
}

#[test]
fn a_package_of_functions_is_told_of_wherever_it_is_listed() {
    let fixture = CliFixture::new_empty()
        .with_file("project/harn.toml", "[[hooks]]\nevent = \"PreToolUse\"\nhandler = \"policy::ask_server\"\n")
        .with_file("project/policy.star", "def ask_server(event):\n    http.get(\"https://a.example/\")\n    return {\"block\": True, \"reason\": \"no\"}\n");
    let state = fixture.path("state").display().to_string();
    let show = |arguments: &[&'static str]| {
        pintle_in_folder(&fixture, &state, "project", arguments).with_input(CALL).run_to_screen()
    };
    snapshot!("trust_hooks_new", show(&["hooks"]));
    snapshot!("trust_explain_new", show(&["explain", "tool.pre"]));
    snapshot!("trust_fire_new", show(&["fire", "tool.pre"]));
    let denying = pintle_in_folder(&fixture, &state, "project", &["fire", "tool.pre"]).with_input(CALL);
    snapshot!("trust_fire_new_deny", denying.with_variable("PINTLE_UNTRUSTED_GUARDS", "deny").run_to_screen());
    assert!(show(&["trust", "--yes"]).ends_with("[exit status 0]\n"));
    fs::write(fixture.path("project/policy.star"), "def ask_server(event):\n    http.get(\"https://b.example/\")\n")
        .unwrap();
    snapshot!("trust_fire_changed", show(&["fire", "tool.pre"]));
    snapshot!("trust_validate_changed", show(&["validate"]));
}

#[test]
fn a_broken_file_of_agreements_is_kept() {
    let fixture = create_fixture().with_file("state/trust.json", "{");
    let state = fixture.path("state").display().to_string();
    snapshot!("trust_broken_list", pintle_in_folder(&fixture, &state, "project", &["trust", "--list"]).run_to_screen());
    snapshot!("trust_broken_yes", pintle_in_folder(&fixture, &state, "project", &["trust", "--yes"]).run_to_screen());
    assert_eq!(fs::read_to_string(fixture.path("state/trust.broken-1")).unwrap(), "{");
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_at_the_terminal_is_asked_once() {
    use crate::conversation::TerminalProgram;
    let fixture = create_fixture();
    let fire = "fire tool.pre --agent root --no";
    let mut asked = TerminalProgram::open_in(&fixture, "project", fire);
    let question = asked.wait_for_text("trust this project? [y/N] ");
    assert!(question.contains("runs `./check/guard.sh --strict`"), "{question}");
    asked.type_in("n\n");
    asked.end();
    let mut asked = TerminalProgram::open_in(&fixture, "project", fire);
    asked.wait_for_text("trust this project? [y/N] ");
    asked.type_in("y\n");
    asked.end();
    let (screen, _) = TerminalProgram::open_in(&fixture, "project", fire).end();
    assert!(!screen.contains("trust this project?"), "{screen}");
}

/// A second working tree of the trusted project's repository, as git lays it out, and a directory that only says so.
#[test]
fn a_worktree_with_the_bytes_of_a_trusted_project_is_trusted() {
    let fixture = create_fixture()
        .with_file("second/agent.yaml", TEAM)
        .with_file("second/turns.yaml", "turns: [{say: done}]\n")
        .with_file("second/check/guard.sh", GUARD)
        .with_file("project/.git/worktrees/second/commondir", "../..\n")
        .with_file("claims/agent.yaml", TEAM)
        .with_file("claims/turns.yaml", "turns: [{say: done}]\n")
        .with_file("claims/check/guard.sh", GUARD);
    for dir in ["second", "claims"] {
        pintle_testkit::make_executable(fixture.path(&format!("{dir}/check/guard.sh")));
        let names = format!("gitdir: {}\n", fixture.path("project/.git/worktrees/second").display());
        fs::write(fixture.path(&format!("{dir}/.git")), names).unwrap();
    }
    let known = format!("{}\n", fixture.path("second/.git").display());
    fs::write(fixture.path("project/.git/worktrees/second/gitdir"), known).unwrap();
    let state = fixture.path("state").display().to_string();
    let fire = |dir: &'static str| {
        let fire = pintle_in_folder(&fixture, &state, dir, &["fire", "tool.pre", "--agent", "root", "--no"]);
        fire.with_input(CALL).run_to_screen()
    };
    assert!(fire("second").contains("not trusted"), "{}", fire("second"));
    pintle_in_folder(&fixture, &state, "project", &["trust", "--yes"]).run_to_parts();
    assert!(fire("second").contains("not on my watch"), "{}", fire("second"));
    assert!(fire("claims").contains("not trusted"), "{}", fire("claims"));
    fs::write(fixture.path("second/check/guard.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    assert!(fire("second").contains("not trusted"), "{}", fire("second"));
}
