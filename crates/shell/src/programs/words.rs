//! The files that the words of a command name, by its program.

use super::option_uses::code_values;
use super::shells::{command_text, is_shell};
use super::table::{ProgramFacts, facts_of};
use crate::command_files::{FileUse, PROJECT_DIR, UnnamedReason};
use crate::walk::{CommandWalk, ProgramCall, ShellArg, program_name};

/// What a program does with the files that its words name; `rows/words.txt` explains the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordUse {
    Text,
    Read,
    Written,
    Copied,
    Command,
    Code,
    Runs,
}

impl WordUse {
    pub(super) fn read(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "read" => Self::Read,
            "written" => Self::Written,
            "copied" => Self::Copied,
            "command" => Self::Command,
            "code" => Self::Code,
            "runs" => Self::Runs,
            _ => return None,
        })
    }
}

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

/// Whether a program runs code of its words or its input.
pub(crate) fn runs_code(program: &str) -> bool {
    facts_of(program).word_use == Some(WordUse::Code)
}
