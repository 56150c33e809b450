//! Runs simple commands, functions and loops.

use std::rc::Rc;

use super::redirect::is_shell;
use super::{CommandWalk, MAX_ARGS, MAX_VALUES, ProgramCall, ShellArg, TextFlow, TextTaint, program_name, quote};
use crate::syntax::{BashCommand, BashPipeline, BashWord, RedirectKind, SimpleCommand};
use crate::{Operation, OperationKind};

impl CommandWalk<'_> {
    /// Runs a loop once, or once for each line of a known input.
    pub(super) fn run_while(
        &mut self,
        condition: &[BashPipeline],
        body: &[BashPipeline],
        stdin: &TextFlow,
    ) -> TextFlow {
        let mut flow = TextFlow::default();
        let mut run = |walk: &mut Self, stdin: &TextFlow| {
            flow.append(walk.run_list(condition, stdin));
            flow.append(walk.run_list(body, stdin));
        };
        match &stdin.text {
            Some(text) if text.lines().nth(1).is_some() => {
                for line in text.lines().take(MAX_VALUES) {
                    run(self, &TextFlow { text: Some(line.to_owned()), ..stdin.clone() });
                }
                if text.lines().nth(MAX_VALUES).is_some() {
                    run(self, &TextFlow { text: None, ..stdin.clone() });
                }
            }
            _ => run(self, stdin),
        }
        flow.text = None;
        flow
    }

    pub(super) fn run_loop(
        &mut self,
        name: &str,
        values: Option<&[BashWord]>,
        body: &[BashPipeline],
        stdin: &TextFlow,
    ) -> TextFlow {
        let mut all: Vec<ShellArg> = match values {
            Some(words) => words.iter().flat_map(|word| self.expand_word(word)).collect(),
            None => vec![ShellArg::unknown(TextTaint::NONE)],
        };
        if all.len() > MAX_VALUES {
            let taint = all.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint);
            all.truncate(MAX_VALUES);
            all.push(ShellArg::unknown(taint));
        }
        let mut flow = TextFlow::known("");
        for value in all {
            self.variables.insert(name.to_owned(), vec![value]);
            let printed = self.run_list(body, stdin);
            flow.append(printed);
        }
        flow
    }

    pub(super) fn run_simple(&mut self, command: &SimpleCommand, stdin: &TextFlow) -> TextFlow {
        let has_program = !command.words.is_empty();
        // The words are expanded before the assignments are made.
        let args: Vec<ShellArg> =
            command.words.iter().flat_map(|word| self.expand_word(word)).take(MAX_ARGS + 2).collect();
        let mut before: Vec<(String, Option<Vec<ShellArg>>)> = Vec::new();
        for (name, words) in &command.assignments {
            let values: Vec<ShellArg> = match words.as_slice() {
                [word] => vec![self.expand_quoted(word)],
                words => words.iter().flat_map(|word| self.expand_word(word)).take(MAX_ARGS).collect(),
            };
            let values = if values.is_empty() { vec![ShellArg::default()] } else { values };
            self.check_assignment(name, values.first());
            let old = self.variables.insert(name.clone(), values);
            before.push((name.clone(), old));
        }
        let stdin = self.redirect_input(&command.redirects, stdin);
        let is_bare_exec = matches!(args.as_slice(), [program] if program.text == "exec");
        if args
            .first()
            .is_some_and(|program| is_bare_exec && !self.is_descriptor(&command.redirects) || is_shell(program))
            && self.is_connected(&command.redirects)
        {
            self.push(Operation::new(OperationKind::System, "bash").action("remote_shell"));
        }
        // `$(< FILE)` prints the file.
        let is_bare_input =
            !has_program && command.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Input);
        let flow = match (has_program, is_bare_input) {
            (true, _) => self.run_args(&args, &stdin),
            (false, true) => stdin,
            (false, false) => TextFlow::known(""),
        };
        if has_program {
            // An assignment in front of a program is for that program only.
            for (name, old) in before.into_iter().rev() {
                match old {
                    Some(old) => self.variables.insert(name, old),
                    None => self.variables.remove(&name),
                };
            }
        }
        self.redirect_output(&command.redirects, flow)
    }

    /// Runs a program with its arguments.
    pub(crate) fn run_args(&mut self, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
        let Some((program, args)) = args.split_first() else { return TextFlow::known("") };
        let args = match args.get(..MAX_ARGS) {
            Some(first) if args.len() > MAX_ARGS => {
                self.push_unknown("", "a program has more arguments than can be looked at");
                first
            }
            _ => args,
        };
        if program.text.is_empty() {
            // An empty expansion: the next word is the program.
            return self.run_args(args, stdin);
        }
        if !program.is_known() {
            let reason = if program.taint.has(TextTaint::OUTPUT) {
                "which program runs depends on the output of a command"
            } else {
                "which program runs depends on a variable that the call does not set"
            };
            self.push_code(program.taint, "", reason);
            return TextFlow::from_taint(stdin.taint | TextTaint::OUTPUT);
        }
        if program.is_pattern && !matches!(program.text.as_str(), "[" | "[[") {
            self.push_code(program.taint | TextTaint::DECODED, "", "which program runs depends on a file name pattern");
            return TextFlow::from_taint(stdin.taint | TextTaint::OUTPUT);
        }
        if let Some(text) = self.aliases.get(&program.text).cloned()
            && !self.running.contains(&program.text)
        {
            return self.run_alias(&program.text, &text, args, stdin);
        }
        if let Some(function) = self.functions.get(&program.text).cloned() {
            return self.run_function(&program.text, &function, args, stdin);
        }
        let name = program_name(&program.text);
        let call = ProgramCall { name: &name, written: program, args, stdin };
        let flow = self.called(|walk| (walk.run_program)(walk, &call));
        self.last_program = name;
        flow
    }

    pub(super) fn run_alias(&mut self, name: &str, text: &str, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
        self.running.push(name.to_owned());
        let line = std::iter::once(text.to_owned()).chain(args.iter().map(|arg| quote(&arg.text))).collect::<Vec<_>>();
        let flow = self.run_line(&line.join(" "), stdin);
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
        if self.running.iter().any(|running| running == name) {
            self.push(Operation::new(OperationKind::System, name).action("fork_bomb"));
            return TextFlow::from_taint(TextTaint::OUTPUT);
        }
        self.running.push(name.to_owned());
        let saved: Vec<(String, Option<Vec<ShellArg>>)> = (1..=9_usize)
            .map(|index| index.to_string())
            .chain([String::from("@"), String::from("*")])
            .map(|name| {
                let old = self.variables.remove(&name);
                (name, old)
            })
            .collect();
        for (index, arg) in args.iter().take(9).enumerate() {
            self.variables.insert((index + 1).to_string(), vec![arg.clone()]);
        }
        for name in ["@", "*"] {
            self.variables.insert(name.to_owned(), args.to_vec());
        }
        let flow = self.called(|walk| walk.run_command(body, stdin));
        for (name, old) in saved {
            match old {
                Some(old) => self.variables.insert(name, old),
                None => self.variables.remove(&name),
            };
        }
        self.running.pop();
        flow
    }
}
