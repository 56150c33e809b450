//! A conversation at a terminal: what the person types is typed into one, and what the program writes is read from it.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::fixture::CliFixture;

const TEAM: &str = r#"
agents:
  root:
    model: script/turns.yaml
    description: leads
    instruction: You lead.
    welcome_message: |
      Welcome.
      What is to be done?
    handoffs: [writer]
    commands:
      tidy: Clean up.
    toolsets: [{type: shell}]
    hooks:
      user_steering_messages_submit:
        - {name: heard, type: command, timeout: 30, command: "cat > steered.json"}
      pre_compact:
        - {name: cause, type: command, timeout: 30, command: "cat > compacted.json"}
      session_start:
        - {name: greet, type: command, timeout: 30, command: "echo '{\"system_message\":\"the hook says hello\"}'"}
  writer:
    model: script/writer.yaml
    description: writes
permissions:
  allow: ["shell:cmd=mkfifo x", handoff]
"#;

const TURNS: &str = r#"
turns:
  - say: I clean up.
    calls: [{tool: shell, args: {cmd: env echo one}}, {tool: shell, args: {cmd: env echo two}}, {tool: shell, args: {cmd: env echo three}}]
  - say: All is tidy.
  - say: a summary for the model
  - calls: [{tool: shell, args: {cmd: "mkfifo gate && touch begun && cat gate"}}]
  - expect: {contains: please hurry}
    say: I heard you.
  - calls: [{tool: shell, args: {cmd: "mkfifo shut && touch endless && cat shut"}}]
  - say: What now?
  - calls: [{tool: handoff, args: {agent: writer}}]
"#;

/// The program in a terminal of its own.
pub(crate) struct TerminalProgram {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    written: String,
    screen: String,
    seen_len: usize,
}

impl TerminalProgram {
    pub(crate) fn open(fixture: &CliFixture, arguments: &str) -> Self {
        Self::open_in(fixture, ".", arguments)
    }

    /// The same in a folder of the stage.
    pub(crate) fn open_in(fixture: &CliFixture, dir: &str, arguments: &str) -> Self {
        let line = format!("stty -echo; exec {} {arguments}", env!("CARGO_BIN_EXE_pintle"));
        // `script` of util-linux holds the terminal and gives the status of what runs in it.
        // What is never shown ends the test instead of keeping it.
        let mut child = Command::new("timeout")
            .args(["--kill-after=1", "60", "script", "--quiet", "--return", "--command", &line, "/dev/null"])
            .current_dir(fixture.path(dir))
            .env("PINTLE_CONFIG_DIR", fixture.path("own"))
            .env("PINTLE_STATE_DIR", fixture.path("state"))
            .env("NO_COLOR", "1")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output, written: String::new(), screen: String::new(), seen_len: 0 }
    }

    /// Waits until the program has written something new that ends in a text; gives what it wrote until there.
    pub(crate) fn wait_for_text(&mut self, text: &str) -> String {
        loop {
            if let Some(index) = self.screen[self.seen_len..].find(text) {
                let end = self.seen_len + index + text.len();
                let shown = self.screen[self.seen_len..end].to_owned();
                self.seen_len = end;
                return shown;
            }
            assert!(self.read_output(), "`{text}` is never shown: {}", self.screen);
        }
    }

    fn read_output(&mut self) -> bool {
        let mut chunk = [0; 4096];
        let count = self.output.read(&mut chunk).unwrap();
        self.written.push_str(&String::from_utf8_lossy(chunk.get(..count).unwrap_or_default()));
        // The editor of lines moves the cursor.
        self.screen = anstream::adapter::strip_str(&self.written).to_string().replace('\r', "");
        count > 0
    }

    pub(crate) fn type_in(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a tool of the agent has made a file.
    fn wait_for(&self, path: &std::path::Path) {
        while !path.exists() {
            std::thread::yield_now();
        }
    }

    /// Answers the prompt.
    fn type_line(&mut self, line: &str) {
        self.wait_for_text("\n> ");
        self.type_in(&format!("{line}\n"));
    }

    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        while self.read_output() {}
        (self.screen, self.child.wait().unwrap().code())
    }
}

fn create_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty()
        .with_file("team.yaml", TEAM)
        .with_file("turns.yaml", TURNS)
        .with_file("own/config.yaml", "settings: {}\n");
    fixture.with_file("writer.yaml", "turns: [{say: I write.}, {say: I write on.}]\n")
}

#[test]
fn a_person_converses_and_is_asked_and_is_heard_meanwhile() {
    let fixture = create_fixture();
    let mut terminal = TerminalProgram::open(&fixture, "run team.yaml");
    let greeted = terminal.wait_for_text("What is to be done?");
    assert!(greeted.ends_with("Welcome.\nWhat is to be done?"), "{greeted}");
    terminal.type_line("/help");
    terminal.wait_for_text("prompts of this agent: /tidy");
    terminal.type_line("/nonsense");
    terminal.wait_for_text("unknown command `/nonsense`; /help lists them");
    terminal.type_line("/agent");
    terminal.wait_for_text("root");

    // Three calls: a yes, a no, and a yes for all that follow.
    terminal.type_line("/tidy");
    let wanted = "\nshell, with exactly these arguments:\n{\n  \"cmd\": \"env echo one\"\n}\nallow?";
    assert!(terminal.wait_for_text("allow?").ends_with(wanted), "{}", terminal.screen);
    terminal.type_in("y\n");
    terminal.wait_for_text("\"env echo two\"\n}\nallow?");
    terminal.type_in("n\n");
    terminal.wait_for_text("allow?");
    terminal.type_in("a\n");
    terminal.wait_for_text("-> shell: one");
    terminal.wait_for_text("-> shell: The user rejected the tool call.");
    terminal.wait_for_text("-> shell: three");
    terminal.wait_for_text("All is tidy.");

    terminal.type_line("/compact keep the names");
    let compacted = terminal.wait_for_text("of the conversation");
    assert!(!compacted.contains("a summary for the model"), "{compacted}");
    assert!(fs::read_to_string(fixture.path("compacted.json")).unwrap().contains("\"source\":\"manual\""));

    // A line that is typed while a tool runs reaches the agent at its next step.
    terminal.type_line("begin");
    terminal.wait_for_text("allow?");
    terminal.type_in("y\n");
    terminal.wait_for(&fixture.path("begun"));
    terminal.wait_for_text("waiting for shell");
    terminal.type_in("please hurry\n");
    terminal.wait_for_text("the agent receives this at its next step");
    fs::write(fixture.path("gate"), "opened").unwrap();
    terminal.wait_for_text("I heard you.");
    assert!(fs::read_to_string(fixture.path("steered.json")).unwrap().contains("please hurry"));

    // Ctrl-C ends the turn and leaves the conversation; at the prompt it needs a second one.
    terminal.type_line("never end");
    terminal.wait_for_text("allow?");
    terminal.type_in("y\n");
    terminal.wait_for(&fixture.path("endless"));
    terminal.type_in("\x03");
    terminal.wait_for_text("stopping the turn");
    terminal.type_line("are you there?");
    terminal.wait_for_text("What now?");
    terminal.wait_for_text("\n> ");
    terminal.type_in("\x03");
    terminal.wait_for_text("Ctrl-C again or Ctrl-D ends the session");

    terminal.type_line("hand over");
    terminal.wait_for_text("I write.");
    terminal.type_line("/agent");
    terminal.wait_for_text("writer");
    terminal.type_line("/clear");
    terminal.wait_for_text("the conversation is cleared");
    terminal.wait_for_text("\n> ");
    terminal.type_in("\x04");
    let (screen, status) = terminal.end();
    assert_eq!(status, Some(0), "{screen}");
    // The session began twice: with the program and with `/clear`.
    let told = screen.matches("the hook says hello").count();
    assert_eq!(told, 2, "what a hook tells the person is shown once each time: {screen}");
}

#[test]
fn a_person_is_asked_whether_an_agent_goes_on_beyond_its_limit() {
    for (answer, said) in [("y", "I am done."), ("n", "Execution stopped")] {
        let team = TEAM.replace("    description: leads", "    description: leads\n    max_iterations: 1");
        let turns = "turns:\n  - calls: [{tool: shell, args: {cmd: mkfifo x}}]\n  - say: I am done.\n";
        let fixture = create_fixture().with_file("team.yaml", team).with_file("turns.yaml", turns);
        let mut terminal = TerminalProgram::open(&fixture, "run team.yaml");
        terminal.type_line("begin");
        terminal.wait_for_text("limit.iterations, with exactly this payload:");
        terminal.wait_for_text("allow?");
        terminal.type_in(&format!("{answer}\n"));
        terminal.wait_for_text(said);
        terminal.wait_for_text("\n> ");
        terminal.type_in("\x04");
        assert_eq!(terminal.end().1, Some(0), "{answer}");
    }
}

#[test]
fn a_line_can_be_edited_and_comes_again_in_the_next_session() {
    let fixture = create_fixture();
    let mut terminal = TerminalProgram::open(&fixture, "run team.yaml");
    terminal.type_line("/agenx\u{7f}t");
    terminal.wait_for_text("root");
    // The arrow up.
    terminal.type_line("\u{1b}[A");
    terminal.wait_for_text("root");
    terminal.type_line("/ghp_16C7e42F292c6912E7710c838347Ae178B4a");
    terminal.wait_for_text("unknown command");
    terminal.type_line(" /help");
    terminal.wait_for_text("/tools lists the tools");
    terminal.wait_for_text("\n> ");
    terminal.type_in("\x04");
    assert_eq!(terminal.end().1, Some(0));
    let history = fixture.path("state/run_history.jsonl");
    assert_eq!(fs::read_to_string(&history).unwrap(), "\"/agent\"\n\"/[REDACTED]\"\n");
    assert_eq!(fs::metadata(&history).unwrap().permissions().mode() & 0o777, 0o600);

    let mut terminal = TerminalProgram::open(&fixture, "run team.yaml");
    terminal.type_line("\u{1b}[A\u{1b}[A");
    terminal.wait_for_text("root");
    terminal.wait_for_text("\n> ");
    terminal.type_in("\x04");
    assert_eq!(terminal.end().1, Some(0));
}
