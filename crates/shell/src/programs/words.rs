//! The files that the words of a command name, by its program.

use std::path::Path;

use super::option_uses::code_values;
use super::program::WordUse;
use super::shells::{command_text, interpreter_of, is_script_name, is_shell};
use super::table::{ProgramFacts, facts_of};
use crate::ShellLanguage;
use crate::command_files::{FileUse, PROJECT_DIR, ScriptLanguage, UnnamedReason};
use crate::walk::{CommandWalk, ProgramCall, ShellArg, program_name};

/// Notes the words of a command, and whether it runs files that it does not name.
pub(super) fn note_words(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    if !walk.notes_files() {
        return;
    }
    // A program of the project is another one, whatever its name.
    let written = call.written.text.as_str();
    let is_own = written.contains('/') && (!written.starts_with('/') || written.starts_with(PROJECT_DIR));
    // `RM` is `rm` only where file names have no case.
    let is_named = program_name(written).starts_with(call.name);
    let usage = facts.word_use.filter(|_| is_named && !is_own);
    let usage = if super::git::asks_for_project(call) { Some(WordUse::Text) } else { usage };
    walk.note_program_word(call.written, call.args, usage.is_some());
    let is_option = |arg: &&ShellArg| arg.text.starts_with('-');
    match usage {
        Some(WordUse::Text) => {
            note_all(walk, call.args, &FileUse::Text);
            if call.name == "eval" && call.args.iter().any(|arg| !arg.is_known()) {
                walk.note_unnamed(UnnamedReason::UnknownCode);
            }
        }
        Some(WordUse::Read) => {
            note_all(walk, call.args, &FileUse::Input);
            let loads =
                |arg: &ShellArg| arg.text == "-L" || arg.text.contains("import ") || arg.text.contains("include ");
            let runs = |arg: &ShellArg| arg.text.starts_with("-exec") || arg.text.starts_with("-ok");
            match call.name {
                "jq" | "yq" if call.args.iter().any(loads) => walk.note_unnamed(UnnamedReason::ByOption),
                "find" if call.args.iter().any(runs) => walk.note_unnamed(UnnamedReason::ByProgram),
                _ => {}
            }
        }
        Some(WordUse::Written) => {
            let files = call.args.iter().filter(|arg| !is_option(arg));
            files.for_each(|arg| walk.note_file(FileUse::Output, arg));
        }
        Some(WordUse::Copied) => {
            if let Some((last, others)) = call.args.split_last() {
                note_all(walk, others, &FileUse::Input);
                walk.note_file(FileUse::Output, last);
            }
        }
        Some(WordUse::Command) => {
            if call.name == "flock" {
                let lock = call.args.iter().find(|arg| !is_option(arg));
                lock.into_iter().for_each(|lock| walk.note_file(FileUse::Output, lock));
            }
        }
        Some(WordUse::Code) => {
            let codes = code_words(call);
            let others = call.args.iter().filter(|arg| codes.iter().all(|code| code.text != arg.text));
            others.for_each(|arg| walk.note_file(FileUse::Argument, arg));
            if codes.iter().any(|code| !code.is_known()) {
                walk.note_unnamed(UnnamedReason::UnknownCode);
            }
            if !is_shell(call.name) {
                note_options(walk, call);
            }
        }
        Some(WordUse::Runs) => {
            note_all(walk, call.args, &FileUse::Argument);
            walk.note_unnamed(UnnamedReason::ByProgram);
        }
        None => note_all(walk, call.args, &FileUse::Argument),
    }
}

fn note_all(walk: &mut CommandWalk<'_>, args: &[ShellArg], usage: &FileUse) {
    args.iter().for_each(|arg| walk.note_file(usage.clone(), arg));
}

/// The code among the words of an interpreter or a shell.
fn code_words(call: &ProgramCall<'_>) -> Vec<ShellArg> {
    let line = command_text(call.args, 'c').map(|(line, _)| line.clone());
    line.filter(|_| is_shell(call.name)).into_iter().chain(code_values(call)).collect()
}

/// Notes what the options of an interpreter load, and the script behind them. Letters can be combined, as in `-ne`.
fn note_options(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let is_python = call.name.starts_with("py");
    let mut args = call.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        let letters = text.trim_start_matches('-');
        if text == letters || letters.is_empty() {
            return walk.note_script(call.name, arg);
        }
        let (is_module, is_valued) = match text.starts_with("--") {
            true => {
                let (name, value) = letters.split_once('=').unwrap_or((letters, ""));
                let is_module = matches!(name, "require" | "import" | "loader" | "experimental-loader");
                (is_module || letters.contains(['=', '/']), is_module && value.is_empty())
            }
            false if is_python => match letters.find(['c', 'm', 'W', 'X']).and_then(|index| letters.get(index..)) {
                Some(rest) if rest.starts_with('c') => return,
                Some(rest) => (rest.starts_with('m'), rest.len() == 1),
                None => (false, false),
            },
            false if call.name == "php" && letters == "r" => return,
            false => match letters {
                "r" | "I" | "M" | "d" | "l" => (true, true),
                _ if letters.starts_with(['r', 'I', 'M', 'd']) || letters.contains(['=', '/']) => (true, false),
                _ if letters.contains(['e', 'E', 'p']) => return,
                _ => (false, false),
            },
        };
        if is_module {
            walk.note_unnamed(UnnamedReason::ByOption);
        }
        if is_module && is_python {
            return;
        }
        if is_valued {
            args.next();
        }
    }
}

impl ScriptLanguage {
    /// The language that a program runs, by its name or path.
    #[must_use]
    pub fn of_program(program: &str) -> Option<Self> {
        let name = program_name(program);
        let name = super::unversioned_name(&name).unwrap_or(&name);
        match name {
            "zsh" => Some(Self::Shell(ShellLanguage::Zsh)),
            name if is_shell(name) || name == "fish" => Some(Self::Shell(ShellLanguage::Bash)),
            name if name.starts_with("python") || name.starts_with("pypy") => Some(Self::Python),
            name if name.ends_with("awk") => Some(Self::Awk),
            name => (facts_of(name).word_use == Some(WordUse::Code)).then_some(Self::Other),
        }
    }

    /// The language of a script by its first line, or else by its name. A text without both is for a shell.
    #[must_use]
    pub fn of_file(path: &Path, text: &str) -> Option<Self> {
        let by_name = || Self::of_program(interpreter_of("", path)).filter(|_| is_script_name(&path.to_string_lossy()));
        Self::of_program(interpreter_of(text, path)).or_else(by_name)
    }
}
