//! A pipe in the place of a file that somebody named: told at once, and never waited for.

use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::fixture::CliFixture;

/// Far longer than any of these commands takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is run, which file is a pipe, and what is said of it.
const CASES: &[(&[&str], &str, &str)] = &[
    (&["tape", "show", "pipe"], "pipe", "not a regular file"),
    (&["tape", "verify", "pipe"], "pipe", "not a regular file"),
    (&["tape", "export", "pipe"], "pipe", "not a regular file"),
    (&["replay", "pipe"], "pipe", "not a regular file"),
    (&["replay", "pipe", "--live-hooks"], "pipe", "not a regular file"),
    (&["run", "--resume", "pipe", "hi"], "pipe", ""),
    (&["run", "own", "hi"], "own/turns.yaml", "not a regular file"),
    (&["run", "team.yaml", "hi"], "turns.yaml", "not a regular file"),
    (&["validate", "team.yaml"], "turns.yaml", "not a regular file"),
    (&["run", "memory.yaml", "hi"], "notes.jsonl", ""),
    (&["run", "prompts.yaml", "hi"], "AGENTS.md", ""),
    (&["validate", "pipe.md"], "pipe.md", "not a regular file"),
    (&["fire", "tool.pre", "--example", "--hooks", "pipe.md"], "pipe.md", "not a regular file"),
    (&["hooks", "pipe.yaml"], "pipe.yaml", "not a regular file"),
    (&["explain", "tool.pre", "--hooks", "pipe.md"], "pipe.md", "not a regular file"),
    (&["hooks", "plain.md", "--config-dir", "."], "config.yaml", "not a regular file"),
    (&["hooks", "plain.md", "--config-dir", "."], "hooks.d/one.yaml", "not a regular file"),
    (&["trust", "command.yaml"], "guard.sh", ""),
    (&["install", "claude", "--scope", "project"], ".claude/settings.json", "not a regular file"),
    (&["uninstall", "claude", "--scope", "project"], ".claude/settings.json", "not a regular file"),
    (&["doctor", "claude"], ".claude/settings.json", ""),
];

const HARNESS: &str = "---\nname: root\nmodel: {provider: script, name: turns.yaml}\n---\nWork.\n";
const TEAM: &str = "agents:\n  root: {model: script/turns.yaml, description: works, instruction: Work.}\n";
const TURNS: &str = "prompts: [Go.]\nturns: [{say: Done.}]\n";
const PLAIN: &str =
    "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
const COMMAND: &str = "agents:\n  root:\n    model: script/turns.yaml\n    hooks:\n      pre_tool_use: [{hooks: [{type: command, command: sh ./guard.sh}]}]\n";

fn agent_file_with(keys: &str) -> String {
    TEAM.replace("instruction: Work.}", &format!("instruction: Work., {keys}}}"))
}

fn create_fixture() -> CliFixture {
    CliFixture::new_empty()
        .with_file("own/harness.md", HARNESS)
        .with_file("team.yaml", TEAM)
        .with_file("memory.yaml", agent_file_with("toolsets: [{type: memory, path: notes.jsonl}]"))
        .with_file("prompts.yaml", agent_file_with("add_prompt_files: [AGENTS.md]"))
        .with_file("command.yaml", COMMAND)
        .with_file("turns.yaml", TURNS)
        .with_file("plain.md", PLAIN)
        .with_file(".claude/settings.json", "{}")
        .with_file("hooks.d/other.yaml", "stop: [{type: command, command: \"true\"}]\n")
}

fn make_pipe(path: &Path) {
    let _ = std::fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_pipe_in_the_place_of_a_file_keeps_no_command_waiting() {
    for (arguments, pipe, said) in CASES {
        let fixture = create_fixture();
        make_pipe(&fixture.path(pipe));
        let (told, telling) = mpsc::channel();
        thread::spawn(move || told.send(fixture.pintle(arguments).run_to_screen()));
        let screen = telling.recv_timeout(PATIENCE);
        let screen = screen.unwrap_or_else(|_| panic!("{arguments:?} waits for the pipe `{pipe}`"));
        assert!(screen.contains(said), "{arguments:?} with the pipe `{pipe}`: {screen}");
    }
}
