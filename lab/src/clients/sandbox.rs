//! A home directory and a project for a client, with Pintle installed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::client::{SKILL, TestClient};
use super::download::InstalledClient;
use super::leftovers;
use super::proof::{ClientProof, HookFixture, PintleCondition};
use super::run_command::{self, CommandRun};
use crate::seeds::LifecycleDocument;

/// The policy files: Markdown and Starlark, scripts of The Harness Framework, a hook of a docker-agent team, and one in
/// the format of Claude Code.
const FILES: &[(&str, &str)] = &[
    (
        ".harness/hooks/kumquats.md",
        r#"---
event: tool.pre
priority: 10
when: payload["name"] == "shell"
script: |
  def handle(event, payload):
      command = payload["args"]["command"]
      if "denied.txt" in command:
          return block("no kumquats here")
      if "original.txt" in command:
          args = dict(payload["args"])
          args["command"] = command.replace("original.txt", "rewritten.txt")
          return modify({"args": args})
      if "crash.txt" in command:
          fail("broken on purpose")
      return allow()
---
# kumquats
"#,
    ),
    (
        "framework/settings.json",
        r#"{
  "hooks": {
    "SessionStart": [{"path": "hooks/Basket.sh"}],
    "UserPromptSubmit": [{"path": "hooks/Fruit.sh"}],
    "PreToolUse": [
      {"path": "hooks/SecurityValidator.sh", "matcher": {"tool_name": "Bash"}},
      {"path": "hooks/Hang.sh", "timeout": 4000, "on_error": "closed", "matcher": {"tool_name": "Bash"}}
    ]
  }
}
"#,
    ),
    (
        "team.yaml",
        r#"agents:
  root:
    model: openai/test
    hooks:
      post_tool_use:
        - matcher: shell
          hooks:
            - type: command
              command: |
                case "$(cat)" in *last.txt*) echo '{"continue": false, "stop_reason": "enough kumquats"}' ;; esac
"#,
    ),
    (
        "others/.claude/settings.json",
        r#"{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh others/after.sh"}]}]}}"#,
    ),
    (
        "others/after.sh",
        r#"#!/bin/sh
said='{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "kumquats keep for a week"}}'
case "$(cat)" in *after.txt*) echo "$said" ;; esac
"#,
    ),
    ("framework/hooks/Basket.sh", "#!/bin/sh\necho 'the basket holds nine kumquats'\n"),
    ("framework/hooks/Fruit.sh", "#!/bin/sh\necho 'the fruit of the day is the kumquat'\n"),
    (
        "framework/hooks/SecurityValidator.sh",
        r#"#!/bin/sh
case "$(cat)" in
  *script.txt*) printf '{"decision": "block", "message": "kumquats are off the menu"}' ;;
  *asked.txt*) printf '{"decision": "ask", "message": "is that kumquat yours?"}' ;;
  *) printf '{"continue": true}' ;;
esac
"#,
    ),
    ("framework/hooks/Hang.sh", "#!/bin/sh\ncase \"$(cat)\" in *hang.txt*) exec sleep 60 ;; esac\n"),
];

/// The wrapper that gives Pintle less time than a hook that hangs.
const HURRIED: &str = r#"exec 'PINTLE' "$@" --deadline-ms 1500"#;
/// The wrapper that kills Pintle while a hook hangs.
const KILLED: &str = r#"(sleep 0.7; kill -9 $$) >/dev/null 2>&1 &
exec 'PINTLE' "$@""#;

/// A home directory and a project for a client. When it is dropped, its processes are killed and its files are removed.
pub(super) struct ClientSandbox<'a> {
    pub(super) client: &'static TestClient,
    installed: &'a InstalledClient,
    pintle: &'a Path,
    document: Option<&'a LifecycleDocument>,
    dir: TempDir,
}

impl<'a> ClientSandbox<'a> {
    /// Creates a home directory with the client's own settings, and an empty project.
    pub(super) fn empty(
        client: &'static TestClient,
        fetched: &'a InstalledClient,
        pintle: &'a Path,
    ) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("cannot create a temporary directory: {error}"))?;
        let fixture = Self { client, installed: fetched, pintle, document: None, dir: folder };
        for dir in [fixture.home(), fixture.project()] {
            fs::create_dir_all(&dir).map_err(|error| format!("cannot create `{}`: {error}", dir.display()))?;
        }
        for (path, text) in client.settings {
            fixture.write_file(&fixture.home().join(path), text)?;
        }
        fixture.run_git("init --quiet")?;
        Ok(fixture)
    }

    /// Creates a home directory and a project with hooks.
    pub(super) fn new(
        client: &'static TestClient,
        fetched: &'a InstalledClient,
        pintle: &'a Path,
        document: Option<&'a LifecycleDocument>,
    ) -> Result<Self, String> {
        let mut fixture = Self::empty(client, fetched, pintle)?;
        fixture.document = document;
        for (path, text) in FILES {
            fixture.write_file(&fixture.project().join(path), text)?;
        }
        if let Some(document) = document {
            let (path, text) = &document.script;
            fixture.write_file(&fixture.project().join("document/settings.json"), &document.settings)?;
            fixture.write_file(&fixture.project().join("document").join(path), text)?;
        }
        Ok(fixture)
    }

    /// A text with the directories of the sandbox in place of their names.
    pub(super) fn fill(&self, text: &str) -> String {
        let dirs = [("PROJECT", self.project()), ("HOME", self.home()), ("REMOTE", self.dir.path().join("remote.git"))];
        dirs.iter().fold(text.to_owned(), |text, (name, dir)| text.replace(name, &dir.to_string_lossy()))
    }

    /// Writes the files that a proof needs, removes those of earlier proofs, and installs Pintle.
    pub(super) fn prepare(&self, proof: &ClientProof) -> Result<(), String> {
        let hooks = self.project().join(".harness/hooks");
        for entry in fs::read_dir(&hooks).map_err(|error| error.to_string())?.flatten() {
            if entry.file_name() != "kumquats.md" {
                fs::remove_file(entry.path()).map_err(|error| error.to_string())?;
            }
        }
        if let Some((name, text)) = proof.hook {
            self.write_file(&hooks.join(name), text)?;
        }
        if let Some(text) = proof.skill_text() {
            self.write_file(&self.home().join(format!(".claude/skills/{SKILL}/SKILL.md")), &text)?;
        }
        for scope in ["user", "project"] {
            self.run_pintle(&["uninstall", self.client.name, "--yes", "--scope", scope])?;
        }
        self.install(proof.hooks, &self.prepare_program(proof.fate)?)
    }

    fn install(&self, hooks: HookFixture, program: &Path) -> Result<(), String> {
        let program = program.display().to_string();
        let mut install = vec!["install", self.client.name, "--yes", "--program", &program];
        match hooks {
            HookFixture::UserSettings => {
                let named = [".harness", "framework/settings.json", "team.yaml", "others/.claude/settings.json"];
                install.extend(named.iter().flat_map(|path| ["--hooks", *path]));
            }
            HookFixture::DocumentHooks => install.extend(["--hooks", "document/settings.json"]),
            HookFixture::ProjectFiles => {
                for (path, text) in self.client.trust_settings {
                    let text = text.replace("PROJECT", &self.project().to_string_lossy());
                    self.write_file(&self.home().join(path), &text)?;
                }
                install.extend(["--scope", "project"]);
            }
        }
        self.run_pintle(&install)
    }

    /// The program to install.
    fn prepare_program(&self, condition: PintleCondition) -> Result<PathBuf, String> {
        let text = match condition {
            PintleCondition::Running => return Ok(self.pintle.to_owned()),
            PintleCondition::Killed => KILLED,
            PintleCondition::OutOfTime => HURRIED,
        };
        // Installed entries are recognized by the name of the program.
        let program = self.dir.path().join("fated/pintle");
        let text = text.replace("PINTLE", &self.pintle.to_string_lossy());
        self.write_file(&program, &format!("#!/bin/sh\n{text}\n")).map(|()| program)
    }

    /// The client's version.
    pub(super) fn version(&self) -> &str {
        &self.installed.version
    }

    /// Whether the document about hooks that are scripts is here.
    pub(super) fn has_document(&self) -> bool {
        self.document.is_some()
    }

    /// The message of the document's own script.
    pub(super) fn message(&self) -> Result<&str, String> {
        self.document.ok_or("no documents were given")?.message()
    }

    /// Runs the client with a prompt.
    pub(super) fn run(&self, url: &str) -> Result<CommandRun, String> {
        let filled = |word: &&str| word.replace("URL", url).replace("PROMPT", "write a file");
        for (path, text) in self.client.settings.iter().filter(|(_, text)| text.contains("URL")) {
            self.write_file(&self.home().join(path), &text.replace("URL", url))?;
        }
        if !self.client.before.is_empty() {
            run_command::run(self.client_command(url).args(self.client.before.iter().map(filled)))?;
        }
        run_command::run(self.client_command(url).args(self.client.arguments.iter().map(filled)))
    }

    /// Runs `pintle doctor` with Pintle in the user's and the project's settings. Returns whether it succeeded, and its
    /// output.
    pub(super) fn run_doctor(&self) -> Result<(bool, String), String> {
        self.install(HookFixture::ProjectFiles, self.pintle)?;
        self.install(HookFixture::UserSettings, self.pintle)?;
        let ran = run_command::run(&mut self.pintle_command(&["doctor", self.client.name]))?;
        Ok((ran.status == Some(0), format!("{}{}", ran.stdout, ran.stderr)))
    }

    /// Whether a command wrote a file, which is then removed.
    pub(super) fn take_written_file(&self, file: &str) -> bool {
        fs::remove_file(self.project().join(file)).is_ok()
    }

    /// Saves a transcript outside the sandbox.
    pub(super) fn save_transcript(&self, proof: &str, transcript: &str) -> Result<PathBuf, String> {
        let name =
            format!("pintle-{}-{}.txt", self.client.name, proof.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        let path = std::env::temp_dir().join(name);
        fs::write(&path, transcript).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        Ok(path)
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// The client's working directory.
    pub(super) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn client_command(&self, url: &str) -> Command {
        self.command_with_variables(&self.installed.program_dir.join(self.client.program), url)
    }

    /// A command with the client's own variables.
    fn command_with_variables(&self, program: &Path, url: &str) -> Command {
        let mut command = self.clean_command(program);
        for (name, value) in self.client.environment {
            command.env(name, value.replace("URL", url));
        }
        command
    }

    /// A command that runs the client with a prompt in a terminal of its own.
    pub(super) fn terminal_command(&self, url: &str, prompt: &str, (rows, columns): (u16, u16)) -> Command {
        let mut command = self.command_with_variables(Path::new("script"), url);
        let program = self.installed.program_dir.join(self.client.program);
        let line = format!("stty rows {rows} cols {columns}; exec '{}' '{prompt}'", program.display());
        command.env("TERM", "xterm-256color").args(["--quiet", "--flush", "--command", &line, "/dev/null"]);
        command
    }

    fn pintle_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.clean_command(self.pintle);
        // Some of the client's variables decide whether it runs hooks, and some are those of an agent.
        command
            .args(arguments)
            .envs(self.client.environment.iter().copied())
            .env("PINTLE_USER_SETUP", "1")
            .env("PINTLE_SERVE", "off");
        command
    }

    /// Runs Pintle and fails if it fails.
    pub(super) fn run_pintle(&self, arguments: &[&str]) -> Result<(), String> {
        let ran = run_command::run(&mut self.pintle_command(arguments))?;
        match ran.status {
            Some(0) => Ok(()),
            _ => Err(format!("pintle {}: {}", arguments.join(" "), ran.stderr)),
        }
    }

    /// A command in the project with a clean environment.
    fn clean_command(&self, program: &Path) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.installed.program_dir.clone()).chain(std::env::split_paths(&path));
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.home()).current_dir(self.project());
        command.env("PATH", std::env::join_paths(folders).unwrap_or(path));
        command
    }

    /// Runs git with arguments that contain no spaces.
    pub(super) fn run_git(&self, arguments: &str) -> Result<(), String> {
        let mut git = self.clean_command(Path::new("git"));
        let ran = run_command::run(git.args(self.fill(arguments).split(' ')))?;
        if ran.status == Some(0) { Ok(()) } else { Err(format!("git {arguments}: {}", ran.stderr)) }
    }

    /// Writes files whose paths begin with the name of one of the sandbox's directories.
    pub(super) fn write_files(&self, files: &[(&str, &str)]) -> Result<(), String> {
        files.iter().try_for_each(|(path, text)| self.write_file(Path::new(&self.fill(path)), text))
    }

    fn write_file(&self, path: &Path, text: &str) -> Result<(), String> {
        let error = |error| format!("cannot write `{}`: {error}", path.display());
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(error)?;
        }
        fs::write(path, text).map_err(error)?;
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        fs::set_permissions(path, Permissions::from_mode(mode)).map_err(error)
    }
}

impl Drop for ClientSandbox<'_> {
    fn drop(&mut self) {
        leftovers::kill_leftovers(&self.home());
    }
}
