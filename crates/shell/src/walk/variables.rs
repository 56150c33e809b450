//! The variables that a line sets, and those that decide what else runs.

use super::state::MAX_ENTRIES;
use super::{CommandWalk, ShellArg, TextFlow, TextTaint};
use crate::git_settings::{SettingEffect, is_ordinary_program, setting_effect};
use crate::{Operation, OperationKind};

impl CommandWalk<'_> {
    pub(crate) fn set_alias(&mut self, name: &str, text: &str) {
        if self.running.iter().any(|running| running == name) {
            self.push_unknown("alias", "an alias defines itself again");
        }
        self.state.aliases.insert(name.to_owned(), text.to_owned());
    }

    /// `unset -f`, `unalias`.
    pub(crate) fn forget_command(&mut self, name: &str) {
        if self.state.functions.contains_key(name) {
            self.state.functions.remove(name);
        }
        if self.state.aliases.contains_key(name) {
            self.state.aliases.remove(name);
        }
    }

    pub(super) fn insert_variable(&mut self, name: &str, values: Vec<ShellArg>) -> Option<Vec<ShellArg>> {
        let name = self.referred_name(name).to_owned();
        if self.state.variables.len() >= MAX_ENTRIES && !self.state.variables.contains_key(&name) {
            self.push_full();
            return None;
        }
        self.state.variables.insert(name, values)
    }

    /// Notes an array that is set as a whole, or by an element.
    pub(super) fn note_array(&mut self, name: &str, is_element: bool) {
        if is_element && !self.state.unordered.contains_key(name) {
            self.state.unordered.insert(name.to_owned(), ());
        } else if !is_element && self.state.unordered.contains_key(name) {
            self.state.unordered.remove(name);
        }
    }

    /// `declare -n NAME=OTHER`.
    pub(crate) fn set_reference(&mut self, name: &str, other: &str) {
        self.state.references.insert(name.to_owned(), other.to_owned());
    }

    /// The variable that a name stands for.
    pub(super) fn referred_name<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        // References in a circle end somewhere.
        for _ in 0..self.state.references.len() {
            match self.state.references.get(name) {
                Some(other) => name = other,
                None => break,
            }
        }
        name
    }

    /// Gives a variable the value that it had before; `None` for none.
    pub(super) fn restore_variable(&mut self, name: &str, values: Option<Vec<ShellArg>>) {
        self.state.restore_variable(name, values);
    }

    /// The arguments of a script or function, as `set --` gives them.
    pub(crate) fn set_arguments(&mut self, args: Vec<ShellArg>) {
        for index in 0..9_usize {
            self.insert_variable(&(index + 1).to_string(), vec![args.get(index).cloned().unwrap_or_default()]);
        }
        for name in ["@", "*"] {
            self.insert_variable(name, args.clone());
        }
    }

    /// The arguments are no longer known.
    pub(crate) fn forget_arguments(&mut self) {
        self.state
            .variables
            .to_mut()
            .retain(|name, _| !matches!(name.as_str(), "@" | "*") && name.parse::<usize>().is_err());
    }

    /// A variable of the function that runs: it has its old value behind it.
    pub(crate) fn note_local(&mut self, name: &str) {
        if !self.running.is_empty() {
            self.locals.push(name.to_owned());
        }
    }

    pub(crate) fn set_variable(&mut self, name: &str, values: Vec<ShellArg>) {
        self.check_assignment(name, values.first());
        self.insert_variable(name, values);
    }

    /// The tables in which bash keeps what the names of commands mean.
    pub(crate) fn check_command_table(&mut self, name: &str) {
        if name.starts_with("BASH_CMDS") || name.starts_with("BASH_ALIASES") {
            self.push_code(TextTaint::NONE, "bash", "it changes what the names of commands mean");
        }
    }

    /// Variables that decide which program runs, or where an agent or Pintle finds its settings.
    pub(super) fn check_assignment(&mut self, name: &str, value: Option<&ShellArg>) {
        self.check_command_table(name);
        let action = match name {
            "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" => "preload",
            "BASH_ENV"
            | "ZDOTDIR"
            | "MODULE_PATH"
            | "module_path"
            | "ENV"
            | "PROMPT_COMMAND"
            | "GIT_CONFIG_PARAMETERS"
            | "GIT_CONFIG_GLOBAL"
            | "GIT_CONFIG_SYSTEM"
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
            | "GIT_SSH"
            | "GIT_PROXY_COMMAND"
            | "GIT_EXTERNAL_DIFF"
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
            | "CARGO_BUILD_RUSTC_WRAPPER"
            | "RUSTC"
            | "RUSTC_WRAPPER"
            | "RUSTC_WORKSPACE_WRAPPER"
            | "CC"
            | "CXX"
            | "LD"
            | "AR"
            | "BROWSER"
            | "MANOPT"
            | "SHELL"
            | "npm_config_script_shell"
            | "NPM_CONFIG_SCRIPT_SHELL" => {
                // A program that another one runs.
                let Some(line) = value.filter(|value| !value.text.is_empty()) else { return };
                if name.starts_with("GIT_") && !is_ordinary_program(&line.text) {
                    let written = format!("{name}={}", line.shown());
                    self.push(Operation::new(OperationKind::Git, "git").action("program_setting").written(written));
                }
                if line.is_known() {
                    self.run_line(&line.text.clone(), &TextFlow::default());
                }
                return;
            }
            "PS4" => {
                // Traced commands print it, with what its substitutions print.
                if let Some(value) = value.filter(|value| value.is_known()) {
                    self.expand_again(value);
                }
                return;
            }
            name if name.starts_with("PINTLE_") => "pintle_variable",
            name if name.starts_with("GIT_CONFIG_KEY_") => {
                if value.is_none_or(|value| setting_effect(&value.text, "!") == SettingEffect::Program) {
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
            "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => matches!(written.as_str(), "" | "/dev/null"),
            _ => written.is_empty(),
        };
        if !is_harmless {
            self.push(Operation::new(kind, name).action(action).written(written));
        }
    }

    /// The first values of variables that the line sets.
    pub(crate) fn set_values(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let wanted = self.state.variables.iter().filter(|(name, _)| is_wanted(name));
        wanted.filter_map(|(_, values)| Some(values.first()?.text.clone())).collect()
    }

    /// Whether the line says where programs are looked for.
    pub(crate) fn changes_path(&self) -> bool {
        self.state.variables.contains_key("PATH")
    }

    /// Whether the line sets a variable by which agents find their settings.
    pub(crate) fn changes_home(&self) -> bool {
        ["HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_DIRS"]
            .iter()
            .any(|name| self.state.variables.contains_key(*name))
    }
}
