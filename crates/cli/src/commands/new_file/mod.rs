//! `pintle new`: writes a hook, a rule, a tool, a plugin or a scenario with an example that fails until it is filled in.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pintle_host::EventKind;
use pintle_host::contract::suggest_or_list;
use pintle_host::files::private_dir_builder;
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::json;

use crate::error::{CliError, CliStatus};
use crate::options::trust::require_no_agent;
use crate::options::{GlobalOptions, PolicyPlace};
use crate::render::path_text;
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Write a hook, a rule, a tool, a plugin or a scenario to begin with. The file loads as it is, and \
its example fails (`pintle test`) until you fill it in. Nothing is replaced";

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// What to write.
    kind: NewKind,
    /// Its name, which is also the file's.
    name: String,
    /// The event that a hook listens to [default: that before a tool call].
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Write it to your own directory, for every project [default: `.harness` of this project].
    #[arg(long)]
    user: bool,
    /// Directory of your own rules and hooks [default: `PINTLE_CONFIG_DIR`, otherwise `~/.config/pintle`].
    #[arg(long, value_name = "DIR")]
    config_dir: Option<PathBuf>,
}

/// What can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NewKind {
    /// A script that decides on an event.
    Hook,
    /// A rule without a script.
    Rule,
    /// A tool for Pintle's own agents.
    Tool,
    /// A script that registers several hooks.
    Plugin,
    /// Turns of an agent with a scripted model, and what the hooks must make of them.
    Scenario,
}

impl NewKind {
    /// The directory, the end of the file's name, and the text.
    const fn template(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Hook => ("hooks", "md", include_str!("hook.md")),
            Self::Rule => ("rules", "yaml", include_str!("rule.yaml")),
            Self::Tool => ("tools", "md", include_str!("tool.md")),
            Self::Plugin => ("plugins", "star", include_str!("plugin.star")),
            Self::Scenario => ("", "scenario.yaml", include_str!("scenario.yaml")),
        }
    }
}

impl NewArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        require_no_agent("nothing was written")?;
        let name = check_name(&self.name)?;
        let (folder, end, template) = self.kind.template();
        let text = match self.kind {
            NewKind::Hook => self.hook_text(template)?,
            _ => template.replace("NAME", name),
        };
        if self.user && self.kind == NewKind::Tool {
            let error = CliError::invalid_input("a tool belongs to the agent of a project");
            return Err(error.help("leave out `--user`"));
        }
        let place = PolicyPlace::find(!self.user, self.config_dir.as_deref())?;
        let path = place.dir().join(folder).join(format!("{name}.{end}"));
        write_new(&path, &text)?;
        if global.json {
            terminal.print_json(&json!({"written": path_text(&path)}));
            return Ok(CliStatus::Done);
        }
        let mut line = StyledLine::new(Tone::Good, "wrote");
        line.push(Tone::Plain, format!(" {}", path_text(&path)));
        let next = match self.kind {
            NewKind::Tool => "fill it in; `pintle validate` checks it",
            NewKind::Plugin => "fill it in; `pintle validate` checks it, `pintle hooks` lists its hooks",
            NewKind::Hook | NewKind::Rule => "fill it in until its example holds: pintle test",
            NewKind::Scenario => "fill it in until it holds: pintle test",
        };
        terminal.print_lines(&[line, StyledLine::new(Tone::Quiet, next)]);
        Ok(CliStatus::Done)
    }

    /// The text of a hook of an event.
    fn hook_text(&self, template: &str) -> Result<String, CliError> {
        let Some(event) = &self.event else { return Ok(template.to_owned()) };
        let Some(kind) = EventKind::from_name(event) else {
            let names: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
            let error = CliError::invalid_input(format!("`{event}` is not an event"));
            return Err(error.help(suggest_or_list(event, names.iter().copied(), "the events are")));
        };
        let example = kind.def().example();
        let head = format!("event: {event}\n");
        let script = "script: |\n  def handle(event, payload):\n      # TO FILL IN: what this hook decides.\n      return allow()\n";
        let payload = format!("examples:\n  - payload: {example}\n    expect: block\n");
        Ok(format!("---\n{head}{script}{payload}---\nWhat this hook is for, and why.\n"))
    }
}

fn check_name(name: &str) -> Result<&str, CliError> {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter);
    if !name.is_empty() && name.chars().all(is_letter) && name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Ok(name);
    }
    let error = CliError::invalid_input(format!("`{name}` is not a name for a file of Pintle"));
    Err(error.help("use lower-case letters, digits, `-` and `_`, and begin with a letter"))
}

/// Writes a file that must not exist.
fn write_new(path: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => {
            CliError::invalid_input(format!("`{}` exists already", path_text(path))).help("choose another name")
        }
        _ => CliError::failure(format!("cannot write `{}`: {error}", path_text(path))),
    };
    if let Some(dir) = path.parent() {
        private_dir_builder().recursive(true).create(dir).map_err(failed)?;
    }
    let mut file = std::fs::File::create_new(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}
