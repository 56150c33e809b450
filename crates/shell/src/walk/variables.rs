//! The variables that a line sets, and those that decide what else runs.

use super::{CommandWalk, ShellArg, TextFlow};
use crate::git_settings::runs_programs;
use crate::{Operation, OperationKind};

impl CommandWalk<'_> {
    pub(crate) fn set_alias(&mut self, name: &str, text: &str) {
        self.aliases.insert(name.to_owned(), text.to_owned());
    }

    /// The arguments of a script or function, as `set --` gives them.
    pub(crate) fn set_arguments(&mut self, args: Vec<ShellArg>) {
        for (index, arg) in args.iter().take(9).enumerate() {
            self.variables.insert((index + 1).to_string(), vec![arg.clone()]);
        }
        for name in ["@", "*"] {
            self.variables.insert(name.to_owned(), args.clone());
        }
    }

    pub(crate) fn set_variable(&mut self, name: &str, values: Vec<ShellArg>) {
        self.check_assignment(name, values.first());
        self.variables.insert(name.to_owned(), values);
    }

    /// Variables that decide which program runs, or where an agent or Pintle finds its settings.
    pub(super) fn check_assignment(&mut self, name: &str, value: Option<&ShellArg>) {
        let action = match name {
            "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" => "preload",
            "BASH_ENV"
            | "ENV"
            | "PROMPT_COMMAND"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_SSH"
            | "GIT_PROXY_COMMAND"
            | "GIT_CONFIG_PARAMETERS"
            | "GIT_EXEC_PATH"
            | "GIT_TEMPLATE_DIR"
            | "PERL5DB" => "hook_variable",
            "HISTFILE" | "HISTSIZE" | "HISTFILESIZE" => "logs",
            "CLAUDE_CONFIG_DIR"
            | "CODEX_HOME"
            | "COPILOT_HOME"
            | "GEMINI_CLI_HOME"
            | "QWEN_HOME"
            | "OPENCODE_CONFIG"
            | "OPENCODE_CONFIG_DIR"
            | "GOOSE_CONFIG_DIR"
            | "CURSOR_CONFIG_DIR"
            | "CLINE_DIR" => "pintle_variable",
            "GIT_SSH_COMMAND"
            | "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_PAGER"
            | "GIT_ASKPASS"
            | "SSH_ASKPASS"
            | "EDITOR"
            | "VISUAL"
            | "PAGER"
            | "MANPAGER"
            | "LESSOPEN"
            | "RSYNC_RSH"
            | "CARGO_BUILD_RUSTC_WRAPPER" => {
                // A program that another one runs.
                if let Some(line) = value.filter(|value| value.is_known()) {
                    self.run_line(&line.text.clone(), &TextFlow::default());
                }
                return;
            }
            name if name.starts_with("PINTLE_") => "pintle_variable",
            name if name.starts_with("GIT_CONFIG_KEY_") => {
                if value.is_none_or(|value| runs_programs(&value.text, "!")) {
                    let written = value.map(ShellArg::shown).unwrap_or_default();
                    self.push(Operation::new(OperationKind::Git, "git").action("program_setting").written(written));
                }
                return;
            }
            _ => return,
        };
        let kind = if action == "pintle_variable" { OperationKind::Guard } else { OperationKind::System };
        let written = value.map(ShellArg::shown).unwrap_or_default();
        let is_harmless = match name {
            "ENV" => !written.contains('/'),
            "HISTFILE" => !written.is_empty() && !written.contains("/dev/null"),
            "HISTSIZE" | "HISTFILESIZE" => written != "0",
            _ => written.is_empty(),
        };
        if !is_harmless {
            self.push(Operation::new(kind, name).action(action).written(written));
        }
    }

    /// Whether the line sets a variable by which agents find their settings.
    pub(crate) fn changes_home(&self) -> bool {
        ["HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_DIRS"]
            .iter()
            .any(|name| self.variables.contains_key(*name))
    }
}
