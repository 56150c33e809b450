//! Runs simple commands and functions.

use std::rc::Rc;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::redirect::is_shell;
use super::state::{ExitReach, ExitStatus};
use super::{CommandWalk, MAX_ARGS, ProgramCall, ShellArg, TextFlow, TextTaint, program_name, quote};
use crate::command_files::FileUse;
use crate::syntax::{BashCommand, RedirectKind, SimpleCommand, WordPiece};
use crate::{Operation, OperationKind};

/// Builtins that change what the shell keeps. Whatever else runs is another process.
static BUILTINS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    "- . Set-Location add-zsh-hook alias autoload builtin cd chdir command declare emulate eval exec export \
     float getopts hash integer local mapfile nocorrect noglob popd print printf pushd read readarray readonly \
     repeat sched set setopt shift sl source sysopen trap typeset unalias unset unsetopt zmodload zpty zstyle \
     ztcp"
        .split_whitespace()
        .collect()
});

/// Programs that print a file as it is.
const WHOLE_READERS: [&str; 6] = ["cat", "bat", "env", "head", "tail", "tee"];
/// First arguments that make a program print what shells evaluate.
const COMPLETIONS: [&str; 5] = ["completion", "completions", "--completion", "--completions", "shellenv"];

/// How many words that may be nothing are looked at one by one.
const MAX_OPTIONAL: usize = 3;

impl CommandWalk<'_> {
    pub(super) fn run_simple(&mut self, command: &SimpleCommand, stdin: &TextFlow) -> TextFlow {
        if self.may_split(command) {
            return self.run_readings(|walk, is_split| {
                let before = std::mem::replace(&mut walk.splits_words, is_split);
                let flow = walk.run_expanded(command, stdin);
                walk.splits_words = before;
                flow
            });
        }
        self.run_expanded(command, stdin)
    }

    fn run_expanded(&mut self, command: &SimpleCommand, stdin: &TextFlow) -> TextFlow {
        let has_program = !command.words.is_empty();
        self.state.status = ExitStatus::Unknown;
        // The words are expanded before the assignments are made.
        let is_declaring = command.is_declaring();
        let mut args: Vec<ShellArg> = Vec::with_capacity(command.words.len().min(MAX_ARGS));
        for word in &command.words {
            match is_declaring && word.is_assignment() {
                true => args.push(self.expand_quoted(word)),
                false => args.extend(self.expand_word(word)),
            }
            // `{NAME[SUBSCRIPT]}>FILE`.
            if let (Some(WordPiece::Literal(first)), Some(last)) = (word.pieces.first(), args.last())
                && first.len() > 1
                && first.starts_with('{')
                && let Some(name) = last.text.strip_prefix('{').map(str::to_owned)
            {
                self.run_reference(&name);
            }
            if args.len() > MAX_ARGS + 1 {
                break;
            }
        }
        let mut before: Vec<(String, Option<Vec<ShellArg>>)> = Vec::new();
        for assignment in &command.assignments {
            let old = self.assign(assignment);
            before.push((assignment.name.clone(), old));
        }
        // `exec <FILE` is the input of what comes behind it.
        let kept = self.state.inputs.get("0").filter(|_| *stdin == TextFlow::default()).cloned();
        let stdin = self.redirect_input(&command.redirects, kept.as_ref().unwrap_or(stdin));
        let is_bare_exec = matches!(args.as_slice(), [program] if program.text == "exec");
        let is_shell_run = !command.redirects.is_empty()
            && (is_bare_exec && !self.is_descriptor(&command.redirects) || args.iter().any(is_shell));
        if is_bare_exec && stdin != TextFlow::default() {
            self.state.inputs.insert(String::from("0"), stdin.clone());
        }
        if is_shell_run && self.is_connected(&command.redirects) {
            self.push(Operation::new(OperationKind::System, "bash").action("remote_shell"));
        }
        // `$(< FILE)` prints the file.
        let is_bare_input =
            !has_program && command.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Input);
        let flow = match (has_program, is_bare_input) {
            (true, _) if args.iter().any(|arg| arg.otherwise.is_some()) => {
                self.run_alternatives(&alternatives(&args), &stdin)
            }
            (true, _) => self.run_words(&args, &stdin),
            (false, true) => stdin,
            (false, false) => TextFlow::known(""),
        };
        for array in &command.declared {
            let _before = self.assign(array);
        }
        if has_program {
            // An assignment in front of a program is for that program only.
            for (name, old) in before.into_iter().rev() {
                self.restore_variable(&name, old);
            }
        }
        self.redirect_output(&command.redirects, flow)
    }

    /// Runs the words that a command may come to, one after another.
    fn run_alternatives(&mut self, all: &[Vec<ShellArg>], stdin: &TextFlow) -> TextFlow {
        match all {
            [] => TextFlow::known(""),
            [args] => self.run_words(args, stdin),
            [args, rest @ ..] => {
                self.run_either(|walk| walk.run_words(args, stdin), |walk| walk.run_alternatives(rest, stdin))
            }
        }
    }

    /// Runs a builtin or a program, without the aliases and functions of the line.
    pub(crate) fn run_args(&mut self, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
        match self.find_program(args, stdin) {
            Ok((program, args)) => self.run_named(program, args, stdin),
            Err(flow) => flow,
        }
    }

    /// Runs a command of the shell: an alias, a function, a builtin or a program.
    pub(crate) fn run_words(&mut self, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
        let (program, args) = match self.find_program(args, stdin) {
            Ok(found) => found,
            Err(flow) => return flow,
        };
        let run = |walk: &mut Self| match walk.state.functions.get(&program.text).cloned() {
            Some(body) => {
                walk.note_function(&body, args);
                walk.run_function(&program.text, &body, args, stdin)
            }
            None => walk.run_named(program, args, stdin),
        };
        let is_running = self.running.iter().any(|(running, _)| *running == program.text);
        let alias = self.state.aliases.get(&program.text).filter(|_| !is_running).cloned();
        match alias {
            // Only an interactive shell heeds aliases.
            Some(text) => self.run_either(|walk| walk.run_alias(&program.text, &text, args, stdin), run),
            None => run(self),
        }
    }

    /// The program and its arguments; otherwise what a command prints whose program cannot be known.
    fn find_program<'a>(
        &mut self,
        args: &'a [ShellArg],
        stdin: &TextFlow,
    ) -> Result<(&'a ShellArg, &'a [ShellArg]), TextFlow> {
        // An empty expansion: the next word is the program.
        let empty = args.iter().take_while(|arg| arg.text.is_empty()).count();
        let Some((program, args)) = args.get(empty..).and_then(<[ShellArg]>::split_first) else {
            return Err(TextFlow::known(""));
        };
        let args = match args.get(..MAX_ARGS) {
            Some(first) if args.len() > MAX_ARGS => {
                self.push_unknown("", "a program has more arguments than can be looked at");
                first
            }
            _ => args,
        };
        let (taint, reason) = if program.text.starts_with("https://") || program.text.starts_with("http://") {
            (TextTaint::NETWORK, "it runs a program of an address")
        } else if !program.is_known() && program.taint.has(TextTaint::OUTPUT) {
            (program.taint, "which program runs depends on the output of a command")
        } else if !program.is_known() {
            (program.taint, "which program runs depends on a variable that the call does not set")
        } else if program.is_pattern
            && !matches!(program.text.as_str(), "[" | "[[")
            && (program.text.contains('/') || self.is_program(&program.text))
        {
            (program.taint, "which program runs depends on a file name pattern")
        } else {
            return Ok((program, args));
        };
        // A program in a directory that is not known: `$JAVA_HOME/bin/java`.
        let has_name = program.text.rsplit_once('/').is_some_and(|(_, name)| {
            !name.is_empty() && program_name(name).bytes().all(|letter| letter.is_ascii_graphic())
        });
        if has_name && !program.is_pattern && taint.without(TextTaint::OUTPUT) == TextTaint::NONE {
            return Ok((program, args));
        }
        self.note_command(program, args);
        self.note_program_word(program, args, false);
        args.iter().for_each(|arg| self.note_file(FileUse::Argument, arg));
        let operation = taint.tag(Operation::new(OperationKind::RunCode, "").written(program.shown()));
        self.push(Operation { reason: reason.to_owned(), ..operation });
        Err(TextFlow::from_taint(stdin.taint | TextTaint::OUTPUT))
    }

    fn run_named(&mut self, program: &ShellArg, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
        self.note_command(program, args);
        let copied = self.copied_program(program);
        if let Some(name) = &copied {
            self.note_command(&ShellArg::new(name), args);
        }
        let name = copied.unwrap_or_else(|| program_name(&program.text));
        let call = ProgramCall { name: &name, written: program, args, stdin };
        match name.as_str() {
            "break" | "continue" if args.is_empty() => self.note_exit(ExitReach::Loop),
            "break" | "continue" => self.note_exit(ExitReach::Loops),
            "return" => self.note_exit(ExitReach::Function),
            "exit" => self.note_end(),
            _ => {
                let run = |walk: &mut Self| walk.called(|walk| (walk.run_program)(walk, &call));
                // Statements of PowerShell are programs whose names begin with `&`.
                let is_builtin = name.starts_with('&') || BUILTINS.contains(name.as_str());
                let flow = if is_builtin { run(self) } else { self.in_subshell(run) };
                let is_selection = self.is_program(&name) && !WHOLE_READERS.contains(&name.as_str());
                self.last_program = name;
                self.prints_completion = args.first().is_some_and(|arg| COMPLETIONS.contains(&arg.text.as_str()));
                // What another program makes of a file is not the file.
                if is_selection && flow.text.is_none() && flow.taint.has(TextTaint::FILE) {
                    return TextFlow { taint: flow.taint | TextTaint::OUTPUT, ..flow };
                }
                return flow;
            }
        }
        TextFlow::known("")
    }

    pub(super) fn run_alias(&mut self, name: &str, text: &str, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
        self.running.push((name.to_owned(), None));
        let line = std::iter::once(text.to_owned()).chain(args.iter().map(|arg| quote(&arg.text))).collect::<Vec<_>>();
        let flow = self.run_own_line(&line.join(" "), stdin);
        self.running.pop();
        flow
    }

    pub(super) fn run_function(
        &mut self,
        name: &str,
        body: &Rc<BashCommand>,
        args: &[ShellArg],
        stdin: &TextFlow,
    ) -> TextFlow {
        if self.running.iter().flat_map(|(_, running)| running).any(|running| Rc::ptr_eq(running, body)) {
            self.push(Operation::new(OperationKind::System, name).action("fork_bomb"));
            return TextFlow::from_taint(TextTaint::OUTPUT);
        }
        self.running.push((name.to_owned(), Some(Rc::clone(body))));
        let saved: Vec<(String, Option<Vec<ShellArg>>)> = (1..=9_usize)
            .map(|index| index.to_string())
            .chain([String::from("@"), String::from("*")])
            .map(|name| {
                let old = self.state.variables.remove(&name);
                (name, old)
            })
            .collect();
        self.set_arguments(args.to_vec());
        let flow = self.run_body(body, stdin);
        for (name, old) in saved {
            self.restore_variable(&name, old);
        }
        self.running.pop();
        flow
    }
}

/// The words of a command of which some may be nothing: with each of the first ones and without it, and with the others
/// or without them.
fn alternatives(args: &[ShellArg]) -> Vec<Vec<ShellArg>> {
    let optional = args.iter().filter(|arg| arg.otherwise.is_some()).count().min(MAX_OPTIONAL);
    let all = (0..1_usize << optional).map(|choice| {
        let mut number = 0;
        let chosen = args.iter().filter_map(|arg| {
            let Some(otherwise) = &arg.otherwise else { return Some(arg.clone()) };
            let bit = number.min(MAX_OPTIONAL - 1);
            number += 1;
            let text = if choice >> bit & 1 == 0 { &arg.text } else { otherwise };
            let chosen = ShellArg { text: text.clone(), otherwise: None, ..arg.clone() };
            Some(chosen).filter(|chosen| !chosen.text.is_empty())
        });
        chosen.collect()
    });
    all.collect()
}
