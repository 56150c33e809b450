//! Programs that are started without a shell, and background commands.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use pintle_contract::{
    Codec, CommandSpec, Event, Failure, FailureKind, HandlerFactory, HandlerOutput, HookDeclaration, Verdict,
    VerdictKind,
};
use serde_json::Value;

use crate::fixture::{CommandFixture, OutputCodec, command_declaration, shell_command, test_factory};

/// A dialect that sets a variable for programs.
#[derive(Debug)]
struct VariableCodec;

impl Codec for VariableCodec {
    fn dialect(&self) -> &'static str {
        "named"
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        OutputCodec.encode(event, event_alias)
    }

    fn environment(&self, _event: &Event, event_alias: &str) -> Vec<(String, String)> {
        vec![(String::from("PLACE"), format!("the place of {event_alias}"))]
    }

    fn decode(&self, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict {
        OutputCodec.decode(event, event_alias, answer)
    }
}

fn fixture_for(declaration: &HookDeclaration) -> CommandFixture {
    CommandFixture::from_handler(test_factory().build_handler(declaration).handler.unwrap())
}

fn echo_command(arguments: &[&str]) -> CommandSpec {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    CommandSpec { command: String::from("/bin/echo"), arguments: Some(arguments), ..CommandSpec::default() }
}

#[test]
fn arguments_reach_the_program_as_they_are() {
    let cases: [(&[&str], &str); 3] = [
        (&["a b", "$HOME", "*", "'", "; exit 3"], "exit 0|a b $HOME * ' ; exit 3|"),
        (&[], "exit 0||"),
        (&["${PLACE}", "${HOME}"], "exit 0|${PLACE} ${HOME}|"),
    ];
    for (arguments, told) in cases {
        assert_eq!(CommandFixture::new(echo_command(arguments)).call_output(), told);
    }
    let missing = CommandSpec { command: String::from("/dev/null/such/program"), ..echo_command(&[]) };
    let message = "program `/dev/null/such/program` not found; install it or give its full path";
    assert_eq!(CommandFixture::new(missing).call_failure(), Failure::new(FailureKind::Missing, message));
}

#[test]
fn the_variables_of_a_dialect_are_seen_and_the_authors_own_replace_them() {
    let told = |spec: CommandSpec| {
        let declared = HookDeclaration { codec: Arc::new(VariableCodec), ..command_declaration("tool.pre", spec) };
        fixture_for(&declared).call_output()
    };
    assert_eq!(told(shell_command("echo $PLACE")), "exit 0|the place of tool.pre|");
    assert_eq!(told(echo_command(&["<${PLACE}>", "${HOME}"])), "exit 0|<the place of tool.pre> ${HOME}|");
    let own = CommandSpec {
        environment: vec![(String::from("PLACE"), String::from("home"))],
        ..shell_command("echo $PLACE")
    };
    assert_eq!(told(own), "exit 0|home|");
}

fn make_pipe(dir: &Path, name: &str) -> PathBuf {
    let path = dir.join(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

fn background_declaration(text: &str) -> HookDeclaration {
    HookDeclaration { background: true, ..command_declaration("tool.pre", shell_command(text)) }
}

#[test]
fn a_program_in_the_background_reads_the_event_and_answers_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = make_pipe(dir.path(), "out");
    let declared = background_declaration(&format!("cat > '{}'; echo no >&2; exit 2", path.display()));
    assert!(!test_factory().build_handler(&declared).guard);
    let fixture = fixture_for(&declared);
    // The pipe has no reader yet, so the program cannot have ended.
    assert_eq!(fixture.call_hook(), Verdict::pass());
    let read = fs::read_to_string(&path).unwrap();
    assert_eq!(read, r#"{"event":"tool.pre","session":"","payload":{"name":"shell"}}"#);
}

#[test]
fn a_program_in_the_background_ends_when_its_time_is_up() {
    let dir = tempfile::tempdir().unwrap();
    let path = make_pipe(dir.path(), "out");
    let declared = background_declaration(&format!("exec 3> '{}'; echo begun >&3; sleep 600", path.display()));
    assert_eq!(fixture_for(&declared).with_timeout(300).call_hook(), Verdict::pass());
    // The pipe ends only when no process holds it any more.
    assert_eq!(fs::read_to_string(&path).unwrap(), "begun\n");
}

#[test]
fn a_hook_has_so_many_programs_in_the_background_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let path = make_pipe(dir.path(), "in");
    let fixture = fixture_for(&background_declaration(&format!("cat '{}'", path.display())));
    for _ in 0..16 {
        assert_eq!(fixture.call_hook(), Verdict::pass());
    }
    assert!(matches!(fixture.call_hook().kind, VerdictKind::Failed(failure) if failure.kind == FailureKind::Error));
    // Programs that have opened the pipe by now end here, and the others at their time limit.
    drop(fs::File::options().write(true).open(&path).unwrap());
    let missing = CommandSpec { command: String::from("/dev/null/such/program"), ..echo_command(&[]) };
    let missing = HookDeclaration { background: true, ..command_declaration("tool.pre", missing) };
    assert!(matches!(fixture_for(&missing).call_hook().kind, VerdictKind::Failed(_)));
}
