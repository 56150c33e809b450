//! A folder to run the program in, and what came of it.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;

/// Blocks a few commands.
pub(crate) const GUARD: &str = r#"---
event: tool.pre
priority: 10
when: payload["name"] == "run_command"
script: |
  def handle(event, payload):
      command = payload["args"].get("command", "")
      if "mkfs" in command:
          metrics.incr("guard.deny")
          return block("formatting is not for agents")
      return allow()
---
"#;

/// Counts and logs.
pub(crate) const AUDIT: &str = r#"---
event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      metrics.incr("audit.calls")
      log("call of " + payload["name"])
      return allow()
---
"#;

/// Rewrites the arguments of one tool.
pub(crate) const SHAPE: &str = r#"---
event: tool.pre
priority: 20
when: payload["name"] == "fetch"
script: |
  def handle(event, payload):
      args = dict(payload["args"])
      args["timeout_ms"] = 1000
      return modify({"args": args})
---
"#;

/// Asks for a person.
pub(crate) const ASK: &str = r#"---
event: tool.pre
priority: 30
when: payload["name"] == "deploy"
script: |
  def handle(event, payload):
      return ask("deploying needs a person")
---
"#;

/// A folder to run the program in.
pub(crate) struct CliFixture {
    folder: TempDir,
    /// What is a person's: the hooks of whoever runs the tests are none of theirs.
    user_dir: TempDir,
}

/// How the program is run.
pub(crate) struct CliInvocation<'a> {
    stage: &'a CliFixture,
    arguments: Vec<&'a str>,
    input: &'a [u8],
    environment: Vec<(&'a str, &'a str)>,
    unset: Vec<&'a str>,
    folder: &'a str,
    /// The columns and rows of its terminal, if it is run on one.
    screen: (u16, u16),
}

impl CliFixture {
    /// An empty folder.
    pub(crate) fn new_empty() -> Self {
        // Everywhere of the same length, on which the layout of a table depends.
        let make = || tempfile::tempdir_in("/tmp").unwrap();
        Self { folder: make(), user_dir: make() }
    }

    /// Copies the program to a path.
    pub(crate) fn copy_program(&self, path: &str) -> std::path::PathBuf {
        let copy = self.path(path);
        pintle_testkit::copy_program(env!("CARGO_BIN_EXE_pintle"), &copy);
        copy
    }

    /// A project with the four hooks above.
    pub(crate) fn with_guards() -> Self {
        let hooks = [("audit", AUDIT), ("guard", GUARD), ("shape", SHAPE), ("ask_deploy", ASK)];
        let fixture = Self::new_empty();
        hooks
            .into_iter()
            .fold(fixture, |fixture, (name, text)| fixture.with_file(&format!(".harness/hooks/{name}.md"), text))
    }

    /// Writes a file.
    pub(crate) fn with_file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }

    /// A path in the user's own folder, with their settings and state.
    pub(crate) fn user_path(&self, path: &str) -> std::path::PathBuf {
        self.user_dir.path().join(path)
    }

    /// The program with arguments, and nothing on standard input.
    pub(crate) fn pintle<'a>(&'a self, arguments: &[&'a str]) -> CliInvocation<'a> {
        CliInvocation {
            stage: self,
            arguments: arguments.to_vec(),
            input: b"",
            environment: Vec::new(),
            unset: Vec::new(),
            folder: "",
            screen: (0, 0),
        }
    }
}

impl<'a> CliInvocation<'a> {
    pub(crate) fn with_input(mut self, input: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.input = input.as_ref();
        self
    }

    pub(crate) fn with_variable(mut self, name: &'a str, value: &'a str) -> Self {
        self.environment.push((name, value));
        self
    }

    /// Runs the program without a variable that it would have.
    pub(crate) fn without_variable(mut self, name: &'a str) -> Self {
        self.unset.push(name);
        self
    }

    /// Runs the program in a folder below the stage's.
    pub(crate) fn in_folder(mut self, dir: &'a str) -> Self {
        self.folder = dir;
        self
    }

    /// Gives a command the environment and the folder of this run.
    fn prepare(&self, mut command: Command) -> Command {
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(variable);
        }
        let user = self.stage.user_dir.path();
        if std::env::var_os("HOME").is_none() {
            command.env("HOME", user);
        }
        command.env("PINTLE_CONFIG_DIR", user).env("PINTLE_STATE_DIR", user);
        // The variables of an agent that runs the tests are not those of the user.
        command.env("PINTLE_USER_SETUP", "1").env("PINTLE_SERVE", "off");
        for variable in &self.unset {
            command.env_remove(variable);
        }
        command.envs(self.environment.iter().copied()).current_dir(self.stage.path(self.folder));
        command
    }

    /// Runs a script of a shell with the program's path and arguments as its own, on a terminal of its own. Each time the
    /// screen ends in a prompt, the reply is typed, unless it is empty. Gives all that the terminal shows.
    pub(crate) fn run_on_terminal(
        &self,
        shell: &std::path::Path,
        script: &str,
        reply: impl Fn(&str) -> String,
    ) -> String {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let (ws_col, ws_row) = self.screen;
        tcsetwinsize(&master, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let side = || fs::File::options().read(true).write(true).open(&name).unwrap();
        let mut child = self
            .prepare(Command::new(shell))
            .args(["-c", script, "sh", env!("CARGO_BIN_EXE_pintle")])
            .args(&self.arguments)
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .unwrap();
        let mut master = fs::File::from(master);
        let mut screen = Vec::new();
        let mut bytes = [0; 4096];
        // Reading fails when the last program has closed the other side.
        while let Ok(count @ 1..) = master.read(&mut bytes) {
            screen.extend_from_slice(bytes.get(..count).unwrap());
            if screen.ends_with(b": ") {
                let reply = reply(&String::from_utf8_lossy(&screen));
                if !reply.is_empty() {
                    master.write_all(format!("{reply}\n").as_bytes()).unwrap();
                }
            }
        }
        child.wait().unwrap();
        String::from_utf8(screen).unwrap().replace("\r\n", "\n")
    }

    /// Runs the program on a terminal of so many columns and rows, without colours. Gives all that the terminal shows.
    pub(crate) fn run_on_screen(mut self, columns: u16, rows: u16) -> String {
        self.screen = (columns, rows);
        let run = self.with_variable("NO_COLOR", "1");
        run.run_on_terminal(std::path::Path::new("/bin/sh"), "exec \"$@\"", |_| String::new())
    }

    /// Starts the program, whose standard output the test reads while it runs.
    pub(crate) fn spawn(&self) -> std::process::Child {
        self.prepare(Command::new(env!("CARGO_BIN_EXE_pintle")))
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Runs the program; gives standard output, standard error and exit status.
    pub(crate) fn run_to_parts(&self) -> (String, String, Option<i32>) {
        let mut child = self
            .prepare(Command::new(env!("CARGO_BIN_EXE_pintle")))
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that ends without reading its input closes the pipe, which is its right.
        let _ = child.stdin.take().unwrap().write_all(self.input);
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr), output.status.code())
    }

    /// Runs the program with its standard output going somewhere else; gives standard error and exit status.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_writing_to(&self, out: fs::File) -> (String, Option<i32>) {
        let nobodys = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_pintle"))
            .env("PINTLE_CONFIG_DIR", nobodys.path())
            .env("PINTLE_STATE_DIR", nobodys.path())
            .args(&self.arguments)
            .current_dir(self.stage.path(self.folder))
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        (String::from_utf8(output.stderr).unwrap(), output.status.code())
    }

    /// Runs the program; gives all that a person sees.
    pub(crate) fn run_to_screen(&self) -> String {
        let (out, err, status) = self.run_to_parts();
        let mut screen = String::new();
        if !out.is_empty() {
            writeln!(screen, "{out}").unwrap();
        }
        if !err.is_empty() {
            writeln!(screen, "[stderr]\n{err}").unwrap();
        }
        writeln!(screen, "[exit status {}]", status.map_or(String::from("none"), |status| status.to_string())).unwrap();
        assert!(!screen.contains("panicked"), "{screen}");
        screen
    }
}

/// Compares what a person sees with the snapshot of a name. What differs from run to run is left out.
macro_rules! snapshot {
    ($name:expr, $screen:expr) => {
        insta::with_settings!({
            filters => vec![
                // It depends on where the checkout is.
                (r"\[stderr\]\nnote: the entries run `[^\n]*\n\n\[exit", "[exit"),
                (r"(?m)^note: the entries run `[^\n]*\n", ""),
                (r" +\d+ (us|ms|s)\b", " [time]"),
                (r"\+\d+\.\d{3}s", "+[time]"),
                (r#""duration_us":\d+"#, r#""duration_us":"[time]""#),
                (r#""duration_ms":\d+"#, r#""duration_ms":"[time]""#),
                (r#""(at_ms|started_ms)":\d+"#, r#""$1":"[time]""#),
                (r#""prev":"[0-9a-f]{64}""#, r#""prev":"[digest]""#),
                (r"\d{8}-\d{6}-\d{3}", "[session]"),
                (r"/[a-z/]+/\.tmp[A-Za-z0-9]+", "[folder]"),
                (r#""(agreed_at_ms)":\d+"#, r#""$1":"[time]""#),
                (r"digest: [0-9a-f]{64}", "digest: [digest]"),
                (r#""digest":"[0-9a-f]{64}","format""#, r#""digest":"[digest]","format""#),
            ],
            omit_expression => true,
            prepend_module_to_snapshot => false,
        }, {
            insta::assert_snapshot!($name, $screen);
        });
    };
}
pub(crate) use snapshot;
