//! The variables that a line sets, and those that decide what else runs.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::arithmetic::{ElementChoice, split_subscript};
use super::state::MAX_ENTRIES;
use super::{CommandWalk, MAX_ARGS, ShellArg, TextFlow, TextTaint, quote};
use crate::git_settings::{SettingEffect, is_ordinary_program, setting_effect};
use crate::syntax::{BashAssignment, BashWord, GrammarKind, WordPiece};
use crate::word_lists::read_sections;
use crate::{Operation, OperationKind};

/// The variables by which programs run other programs.
struct ProgramVariables {
    /// Those whose value is a command line; `*` stands for any beginning.
    programs: Vec<&'static str>,
    /// A command line for each whose value has options.
    options: FxHashMap<&'static str, &'static str>,
}

static PROGRAM_VARIABLES: LazyLock<ProgramVariables> = LazyLock::new(|| {
    let mut all = ProgramVariables { programs: Vec::new(), options: FxHashMap::default() };
    for section in read_sections(include_str!("variables.txt")) {
        match section.head {
            "program" => all.programs.extend(section.lines.iter().flat_map(|line| line.split(' '))),
            _ => all.options.extend(section.lines.iter().filter_map(|line| line.split_once(' '))),
        }
    }
    all
});

impl CommandWalk<'_> {
    pub(crate) fn set_alias(&mut self, name: &str, text: &str) {
        if self.running.iter().any(|(running, _)| running == name) {
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

    pub(super) fn insert_variable(&mut self, name: &str, mut values: Vec<ShellArg>) -> Option<Vec<ShellArg>> {
        if let Some(target) = self.state.references.get(name).cloned() {
            values.iter().for_each(|value| self.run_reference(&value.text));
            // Without a variable, it gets the name of one.
            if target == name
                && let Some(value) = values.first()
            {
                self.set_reference(name, &value.text);
                return None;
            }
        }
        let name = self.referred_name(name).to_owned();
        self.note_values(&name, &mut values);
        if self.state.variables.len() >= MAX_ENTRIES && !self.state.variables.contains_key(&name) {
            self.push_full();
            return None;
        }
        self.state.variables.insert(name, values)
    }

    /// Whether it is known which element of an array is which.
    pub(super) fn is_ordered(&self, name: &str) -> bool {
        !self.state.unordered.contains_key(self.referred_name(name))
    }

    pub(super) fn note_table(&mut self, name: &str) {
        self.tables.insert(name.to_owned());
        self.note_order(name, false);
    }

    fn note_order(&mut self, name: &str, is_ordered: bool) {
        let is_ordered = is_ordered && !self.tables.contains(name);
        if !is_ordered && !self.state.unordered.contains_key(name) {
            self.state.unordered.insert(name.to_owned(), ());
        } else if is_ordered && self.state.unordered.contains_key(name) {
            self.state.unordered.remove(name);
        }
    }

    /// Makes an assignment. Returns the values before.
    pub(super) fn assign(&mut self, assignment: &BashAssignment) -> Option<Vec<ShellArg>> {
        let name = assignment.name.as_str();
        let element = assignment.subscript.as_ref().map(|subscript| self.choose_element(subscript));
        let (mut values, mut is_ordered) = match assignment.words.as_slice() {
            words if assignment.is_array => self.array_values(words),
            words => (words.iter().map(|word| self.expand_quoted(word)).collect(), true),
        };
        values = self.as_integers(name, values);
        self.set_table(name, assignment.subscript.as_ref(), &values);
        if element.is_some() || assignment.is_added {
            is_ordered &= self.is_ordered(name);
            let before = self.variable(name);
            values = match (element, before) {
                (Some(ElementChoice::One(index)), before) => {
                    let mut all = before.unwrap_or_default();
                    is_ordered &= index <= all.len();
                    match all.get_mut(index) {
                        Some(place) if !assignment.is_added && is_ordered => {
                            *place = values.into_iter().next().unwrap_or_default();
                        }
                        _ => {
                            is_ordered &= index == all.len();
                            all.extend(values);
                        }
                    }
                    all
                }
                (Some(_), before) => {
                    is_ordered = false;
                    before.into_iter().flatten().chain(values).collect()
                }
                (None, before) => {
                    let before = before.unwrap_or_else(|| vec![ShellArg::unknown(TextTaint::NONE)]);
                    if assignment.is_array {
                        before.into_iter().chain(values).collect()
                    } else {
                        joined(before, values)
                    }
                }
            };
        }
        if values.is_empty() {
            values.push(ShellArg::default());
        }
        self.check_assignment(name, values.first());
        self.note_order(name, is_ordered);
        self.insert_variable(name, values)
    }

    /// Values as a variable gets them: one that is a number evaluates them.
    fn as_integers(&mut self, name: &str, values: Vec<ShellArg>) -> Vec<ShellArg> {
        if !self.integers.contains(name) && !matches!(name, "RANDOM" | "OPTIND" | "SECONDS") {
            return values;
        }
        let evaluate = |value: ShellArg| match self.evaluate(&value.text) {
            Some(number) => ShellArg::new(number.to_string()),
            None => ShellArg::unknown(value.taint),
        };
        values.into_iter().map(evaluate).collect()
    }

    /// The values of an array in their order, and whether each has the number of its place.
    fn array_values(&mut self, words: &[BashWord]) -> (Vec<ShellArg>, bool) {
        let mut all: Vec<(Option<i64>, ShellArg)> = Vec::with_capacity(words.len().min(MAX_ARGS));
        for word in words {
            let room = MAX_ARGS.saturating_sub(all.len());
            for value in self.expand_word(word).into_iter().take(room) {
                let (index, value) = self.placed_value(word, value);
                let next = match all.last() {
                    Some((before, _)) => before.and_then(|before| before.checked_add(1)),
                    None => Some(0),
                };
                all.push((index.unwrap_or(next), value));
            }
        }
        if all.iter().all(|(index, _)| index.is_some()) {
            all.sort_by_key(|(index, _)| *index);
        }
        let is_ordered = (0_i64..).zip(&all).all(|(next, (index, _))| *index == Some(next));
        (all.into_iter().map(|(_, value)| value).collect(), is_ordered)
    }

    /// A value of an array. `[SUBSCRIPT]=VALUE` names its place, which may not be known.
    fn placed_value(&mut self, bash_word: &BashWord, value: ShellArg) -> (Option<Option<i64>>, ShellArg) {
        let has_place = matches!(bash_word.pieces.first(), Some(WordPiece::Literal(text)) if text.starts_with('['));
        let placed = split_subscript(&value.text).filter(|_| has_place).and_then(|(subscript, after)| {
            let text = after.strip_prefix("+=").or_else(|| after.strip_prefix('='))?;
            Some((subscript.to_owned(), text.to_owned()))
        });
        let Some((subscript, text)) = placed else { return (None, value) };
        (Some(self.evaluate(&subscript)), ShellArg { text, is_pattern: false, ..value })
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

    /// A variable of the function that runs: it has its old value behind it, and no value of its own yet.
    pub(crate) fn note_local(&mut self, name: &str) {
        if !self.running.is_empty() && !self.locals.iter().any(|known| known == name) {
            self.locals.push(name.to_owned());
            if self.state.variables.contains_key(name) {
                self.state.restore_variable(name, None);
            }
        }
    }

    pub(crate) fn set_variable(&mut self, name: &str, values: Vec<ShellArg>) {
        self.check_assignment(name, values.first());
        self.note_order(name, true);
        let values = self.as_integers(name, values);
        self.insert_variable(name, values);
    }

    /// Gives a variable one of these values; which one is not known.
    pub(crate) fn set_any(&mut self, name: &str, values: Vec<ShellArg>) {
        self.set_variable(name, values);
        self.note_order(name, false);
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
            "PS0" | "PS1" | "PS2" | "PS3" | "PS4" => {
                if let Some(text) = value {
                    self.run_prompt(text);
                    // A shell of the other kind may show it.
                    if self.grammar == GrammarKind::Zsh {
                        self.grammar = GrammarKind::Bash;
                        self.run_prompt(text);
                        self.grammar = GrammarKind::Zsh;
                    }
                }
                return;
            }
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
            | "PI_CODING_AGENT_DIR"
            | "FACTORY_HOME_OVERRIDE"
            | "GOOSE_CONFIG_DIR"
            | "CURSOR_CONFIG_DIR"
            | "CLINE_DIR"
            | "CLAUDE_CODE_SAFE_MODE"
            | "CLAUDE_CODE_SIMPLE" => "pintle_variable",
            name if name.starts_with("PINTLE_") => "pintle_variable",
            name if name.starts_with("GIT_CONFIG_KEY_") => {
                if value.is_none_or(|value| setting_effect(&value.text, "!") == SettingEffect::Program) {
                    let written = value.map(ShellArg::shown).unwrap_or_default();
                    self.push(Operation::new(OperationKind::Git, "git").action("program_setting").written(written));
                }
                return;
            }
            _ => return self.check_program_variable(name, value),
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
        match (name, value) {
            ("BASH_ENV" | "ENV", Some(text)) => self.run_prompt(text),
            ("PROMPT_COMMAND", Some(line)) if line.is_known() => drop(self.run_line(&line.text, &TextFlow::default())),
            _ => {}
        }
        if !is_harmless {
            self.push(Operation::new(kind, name).action(action).written(format!("{name}={written}")));
        }
    }

    /// A variable whose value says what programs run, or which options they have.
    fn check_program_variable(&mut self, name: &str, value: Option<&ShellArg>) {
        let Some(value) = value.filter(|value| !value.text.is_empty()) else { return };
        let is_program = |known: &&str| known.strip_prefix('*').map_or(*known == name, |end| name.ends_with(end));
        let template = PROGRAM_VARIABLES.options.get(name).map_or("", |template| template);
        let line = match () {
            () if PROGRAM_VARIABLES.programs.iter().any(is_program) => value.text.clone(),
            () if !template.is_empty() => template.replace("'%'", &quote(&value.text)).replace('%', &value.text),
            // `make` expands the variables of its environment.
            () if value.text.contains("$(shell") => {
                format!("make -f /dev/null --eval={}", quote(&format!("x:={}", value.text)))
            }
            () => return,
        };
        if name.starts_with("GIT_") && template.is_empty() && !is_ordinary_program(&line) {
            let written = format!("{name}={}", value.shown());
            self.push(Operation::new(OperationKind::Git, "git").action("program_setting").written(written));
        }
        if value.is_known() {
            self.run_line(&line, &TextFlow::default());
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

    /// A variable that the line sets by which agents find their settings, or the shell of their commands.
    pub(crate) fn settings_variable(&self) -> Option<&'static str> {
        const NAMES: &str = "HOME USERPROFILE XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CONFIG_DIRS SHELL \
                             CLAUDE_CODE_SHELL CLAUDE_CODE_SHELL_PREFIX";
        let is_shell = |value: &ShellArg| {
            let (dir, name) = value.text.rsplit_once('/').unwrap_or_default();
            matches!(dir, "/bin" | "/usr/bin" | "/usr/local/bin") && matches!(name, "sh" | "bash" | "zsh" | "fish")
        };
        let is_set = |name: &&str| {
            let values = self.state.variables.get(*name);
            values.is_some_and(|values| !name.contains("SHELL") || !values.iter().all(is_shell))
        };
        if self.state.variables.is_empty() { None } else { NAMES.split(' ').find(is_set) }
    }
}

/// A text that is added to another one.
fn joined(before: Vec<ShellArg>, added: Vec<ShellArg>) -> Vec<ShellArg> {
    let mut before = before;
    if let (Some(first), Some(added)) = (before.first_mut(), added.into_iter().next()) {
        let otherwise = match (&first.otherwise, &added.otherwise) {
            (None, None) => None,
            (one, other) => {
                Some(format!("{}{}", one.as_ref().unwrap_or(&first.text), other.as_ref().unwrap_or(&added.text)))
            }
        };
        first.otherwise = otherwise;
        first.text.push_str(&added.text);
        first.taint |= added.taint;
    }
    before
}
