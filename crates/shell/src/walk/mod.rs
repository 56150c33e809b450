//! Walks through a command line and collects what it would do.
//!
//! The walk keeps what the line itself sets: variables, functions, aliases, the working directory, and the files that it
//! writes. Whatever depends on anything else is unknown. Every limit adds an unknown operation instead of dropping one.

mod expand;
mod flow;
mod mounts;
mod operator;
mod options;
mod redirect;
mod wrapper;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(crate) use expand::is_secret_name;
pub(crate) use flow::{ListedFiles, ShellArg, Taint, TextFlow};
pub(crate) use options::{OptionLetters, ParsedOptions};
pub(crate) use wrapper::{WRAPPERS, WrapperDef};

use crate::paths::{PlacedPath, UNKNOWN, place_path};
use crate::programs::{self, ProgramCall};
use crate::site::CallSite;
use crate::syntax::{Command, Pipeline, ShellScript, SimpleCommand, parse_script};
use crate::{Operation, OperationKind, OperationTag};

/// The deepest nesting of command lines in command lines, and of functions.
const MAX_CALLS: usize = 12;
/// The most commands that one line may come to.
const MAX_COMMANDS: usize = 4000;
/// The most operations of one call.
const MAX_OPERATIONS: usize = 512;
/// The most values of a loop that are looked at one by one.
const MAX_VALUES: usize = 16;

/// The state of a walk.
pub(crate) struct CommandWalk<'s> {
    pub(crate) site: &'s CallSite<'s>,
    /// The working directory; `None` if it cannot be known.
    pub(crate) cwd: Option<PathBuf>,
    variables: HashMap<String, Vec<ShellArg>>,
    functions: HashMap<String, Rc<Command>>,
    aliases: HashMap<String, String>,
    /// The files that the line writes, with what is known of their content.
    files: HashMap<PathBuf, TextFlow>,
    /// The links that the line makes.
    links: HashMap<PathBuf, PathBuf>,
    pub(crate) operations: Vec<Operation>,
    call_depth: usize,
    command_count: usize,
    /// The names of the functions that run.
    running: Vec<String>,
    /// The program that ran last.
    last_program: String,
    /// Whether the line adds or changes a remote of git.
    changes_remote: bool,
}

impl<'s> CommandWalk<'s> {
    pub(crate) fn new(site: &'s CallSite<'s>) -> Self {
        Self {
            site,
            cwd: Some(site.cwd.to_owned()),
            variables: HashMap::new(),
            functions: HashMap::new(),
            aliases: HashMap::new(),
            files: HashMap::new(),
            links: HashMap::new(),
            operations: Vec::new(),
            call_depth: 0,
            command_count: 0,
            running: Vec::new(),
            last_program: String::new(),
            changes_remote: false,
        }
    }

    pub(crate) fn push(&mut self, operation: Operation) {
        if self.operations.len() < MAX_OPERATIONS {
            if !self.operations.contains(&operation) {
                self.operations.push(operation);
            }
        } else if self.operations.len() == MAX_OPERATIONS {
            self.operations.push(Operation::unknown("", "it does more than can be listed"));
        }
    }

    pub(crate) fn push_unknown(&mut self, program: &str, reason: impl Into<String>) {
        self.push(Operation::unknown(program, reason));
    }

    /// Walks a command line that is the text of another one.
    pub(crate) fn run_line(&mut self, text: &str, stdin: &TextFlow) -> TextFlow {
        if text.contains(UNKNOWN) {
            self.push_code(TextFlow { text: None, ..stdin.clone() }.taint, "", "a part of the command is not known");
        }
        let script = parse_script(text, 0);
        self.called(|walk| walk.run_script(&script, stdin))
    }

    /// Runs one level deeper.
    fn called(&mut self, run: impl FnOnce(&mut Self) -> TextFlow) -> TextFlow {
        if self.call_depth >= MAX_CALLS {
            self.push_unknown("", "commands are nested too deeply");
            return TextFlow::of(Taint::OUTPUT);
        }
        self.call_depth += 1;
        let flow = run(self);
        self.call_depth -= 1;
        flow
    }

    /// Code that is not in the call.
    pub(crate) fn push_code(&mut self, taint: Taint, program: &str, reason: &str) {
        let mut operation = taint.tag(Operation::new(OperationKind::RunCode, program));
        reason.clone_into(&mut operation.reason);
        self.push(operation);
    }

    pub(crate) fn run_script(&mut self, script: &ShellScript, stdin: &TextFlow) -> TextFlow {
        let flow = self.run_list(&script.pipelines, stdin);
        if let Some(fault) = script.fault {
            self.push_unknown("", format!("the command line cannot be read: {fault}"));
        }
        flow
    }

    fn run_list(&mut self, pipelines: &[Pipeline], stdin: &TextFlow) -> TextFlow {
        let mut flow = TextFlow { text: Some(String::new()), ..TextFlow::default() };
        for pipeline in pipelines {
            let printed = self.run_pipeline(pipeline, stdin);
            flow.append(printed);
        }
        flow
    }

    fn run_pipeline(&mut self, pipeline: &Pipeline, stdin: &TextFlow) -> TextFlow {
        let [single] = pipeline.commands.as_slice() else {
            // Each command of a pipeline is a subshell.
            let mut flow = stdin.clone();
            for command in &pipeline.commands {
                let cwd = self.cwd.clone();
                flow = self.run_command(command, &flow);
                self.cwd = cwd;
            }
            return flow;
        };
        self.run_command(single, stdin)
    }

    pub(crate) fn run_command(&mut self, command: &Command, stdin: &TextFlow) -> TextFlow {
        self.command_count += 1;
        if self.command_count > MAX_COMMANDS {
            if self.command_count == MAX_COMMANDS + 1 {
                self.push_unknown("", "it runs more commands than can be looked at");
            }
            return TextFlow::of(Taint::OUTPUT);
        }
        match command {
            Command::Simple(simple) => self.run_simple(simple, stdin),
            Command::Group(body, is_subshell, redirects) => {
                let stdin = self.redirect_input(redirects, stdin);
                let cwd = self.cwd.clone();
                let flow = self.run_list(body, &stdin);
                if *is_subshell {
                    self.cwd = cwd;
                }
                self.redirect_output(redirects, flow)
            }
            Command::Branches(branches, redirects) => {
                let stdin = self.redirect_input(redirects, stdin);
                let mut flow = TextFlow::known("");
                for branch in branches {
                    let printed = self.run_list(branch, &stdin);
                    flow.append(printed);
                }
                // Which branch runs, and how often, is not known.
                flow.text = None;
                self.redirect_output(redirects, flow)
            }
            Command::For(name, values, body, redirects) => {
                let stdin = self.redirect_input(redirects, stdin);
                let flow = self.run_loop(name, values.as_deref(), body, &stdin);
                self.redirect_output(redirects, flow)
            }
            Command::Function(name, body) => {
                self.functions.insert(name.clone(), Rc::clone(body));
                TextFlow::known("")
            }
            Command::Test(words) => {
                for word in words {
                    self.expand_word(word);
                }
                TextFlow::known("")
            }
        }
    }

    fn run_loop(
        &mut self,
        name: &str,
        values: Option<&[crate::syntax::Word]>,
        body: &[Pipeline],
        stdin: &TextFlow,
    ) -> TextFlow {
        let mut all: Vec<ShellArg> = match values {
            Some(words) => words.iter().flat_map(|word| self.expand_word(word)).collect(),
            None => vec![ShellArg::unknown(Taint::NONE)],
        };
        if all.len() > MAX_VALUES {
            let taint = all.iter().fold(Taint::NONE, |taint, arg| taint | arg.taint);
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

    fn run_simple(&mut self, command: &SimpleCommand, stdin: &TextFlow) -> TextFlow {
        let has_program = !command.words.is_empty();
        let mut before: Vec<(String, Option<Vec<ShellArg>>)> = Vec::new();
        for (name, words) in &command.assignments {
            let values: Vec<ShellArg> = words.iter().map(|word| self.expand_quoted(word)).collect();
            let values = if values.is_empty() { vec![ShellArg::default()] } else { values };
            self.check_assignment(name, values.first());
            let old = self.variables.insert(name.clone(), values);
            before.push((name.clone(), old));
        }
        let args: Vec<ShellArg> = command.words.iter().flat_map(|word| self.expand_word(word)).collect();
        let stdin = self.redirect_input(&command.redirects, stdin);
        let flow = if has_program { self.run_args(&args, &stdin) } else { TextFlow::known("") };
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
        if program.text.is_empty() {
            // An empty expansion: the next word is the program.
            return self.run_args(args, stdin);
        }
        if !program.is_known() {
            let reason = if program.taint.has(Taint::OUTPUT) {
                "which program runs depends on the output of a command"
            } else {
                "which program runs depends on a variable that the call does not set"
            };
            self.push_code(program.taint, "", reason);
            return TextFlow::of(stdin.taint | Taint::OUTPUT);
        }
        if program.is_pattern && program.text.contains(['*', '?', '[']) {
            self.push_code(program.taint | Taint::DECODED, "", "which program runs depends on a file name pattern");
            return TextFlow::of(stdin.taint | Taint::OUTPUT);
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
        let flow = self.called(|walk| programs::run_program(walk, &call));
        self.last_program = name;
        flow
    }

    fn run_alias(&mut self, name: &str, text: &str, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
        self.running.push(name.to_owned());
        let line = std::iter::once(text.to_owned()).chain(args.iter().map(|arg| quote(&arg.text))).collect::<Vec<_>>();
        let flow = self.run_line(&line.join(" "), stdin);
        self.running.pop();
        flow
    }

    fn run_function(&mut self, name: &str, body: &Rc<Command>, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
        if self.running.iter().any(|running| running == name) {
            self.push(Operation::new(OperationKind::System, name).action("fork_bomb"));
            return TextFlow::of(Taint::OUTPUT);
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

    pub(crate) fn set_alias(&mut self, name: &str, text: &str) {
        self.aliases.insert(name.to_owned(), text.to_owned());
    }

    pub(crate) fn set_variable(&mut self, name: &str, values: Vec<ShellArg>) {
        self.check_assignment(name, values.first());
        self.variables.insert(name.to_owned(), values);
    }

    /// Variables that decide which program runs, or where an agent or Pintle finds its settings.
    fn check_assignment(&mut self, name: &str, value: Option<&ShellArg>) {
        let action = match name {
            "LD_PRELOAD" | "LD_LIBRARY_PATH" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" => "preload",
            "BASH_ENV" | "ENV" | "PROMPT_COMMAND" | "GIT_SSH_COMMAND" | "GIT_EXTERNAL_DIFF" | "GIT_SSH" => {
                "hook_variable"
            }
            name if name.starts_with("PINTLE_") => "pintle_variable",
            _ => return,
        };
        let kind = if action == "pintle_variable" { OperationKind::Guard } else { OperationKind::System };
        let written = value.map(ShellArg::shown).unwrap_or_default();
        if !(name == "ENV" && !written.contains('/')) && !written.is_empty() {
            self.push(Operation::new(kind, name).action(action).written(written));
        }
    }

    /// Places the path of an argument, through the links that the line makes.
    pub(crate) fn place(&self, arg: &ShellArg) -> PlacedPath {
        self.place_text(&arg.text, arg.is_pattern)
    }

    pub(crate) fn place_text(&self, text: &str, is_pattern: bool) -> PlacedPath {
        let text = match (text.strip_prefix('~'), self.site.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", home.display()),
            _ => text.to_owned(),
        };
        let placed = place_path(self.site, self.cwd.as_deref(), &text, is_pattern);
        if self.links.is_empty() {
            return placed;
        }
        let Some(path) = &placed.path else { return placed };
        let linked = path.ancestors().find_map(|parent| {
            let target = self.links.get(parent)?;
            Some(target.join(path.strip_prefix(parent).ok()?))
        });
        match linked {
            Some(target) => place_path(self.site, None, &target.to_string_lossy(), is_pattern),
            None => placed,
        }
    }

    /// Adds what is done to a path.
    pub(crate) fn push_path(&mut self, operation: Operation, arg: &ShellArg) -> PlacedPath {
        let placed = self.place(arg);
        let mut operation = operation.written(arg.shown());
        operation.path = placed.path.as_ref().map(|path| path.to_string_lossy().replace(UNKNOWN, "*"));
        operation.place = Some(placed.place);
        let operation = placed.tags.iter().fold(operation, |operation, tag| operation.tag(*tag));
        self.push(operation);
        placed
    }

    /// Reads a file, and gives what is known of its content.
    pub(crate) fn read_file(&mut self, program: &str, arg: &ShellArg, is_recursive: bool) -> TextFlow {
        if let Some(content) = &arg.content {
            return (**content).clone();
        }
        if arg.text == "-" || arg.text.starts_with("/dev/fd/") || arg.text == "/dev/stdin" {
            return TextFlow::of(arg.taint);
        }
        let operation = Operation::new(OperationKind::Read, program).tag_if(is_recursive, OperationTag::Recursive);
        let placed = self.push_path(operation, arg);
        if let Some(flow) = placed.path.as_ref().and_then(|path| self.files.get(path)) {
            let mut flow = flow.clone();
            flow.taint |= Taint::FILE;
            return flow;
        }
        let is_secret = placed.tags.contains(&OperationTag::Secret);
        TextFlow::of(if is_secret { Taint::FILE | Taint::SECRET } else { Taint::FILE })
    }

    /// What the line wrote to a file before, if it did.
    pub(crate) fn written_before(&self, arg: &ShellArg) -> Option<TextFlow> {
        if let Some(content) = &arg.content {
            return Some((**content).clone());
        }
        if self.files.is_empty() {
            return None;
        }
        self.files.get(self.place(arg).path.as_deref()?).cloned()
    }

    /// Records that the line writes to a file.
    pub(crate) fn note_written(&mut self, arg: &ShellArg, flow: TextFlow) {
        if let Some(path) = self.place(arg).path {
            self.files.insert(path, flow);
        }
    }

    /// Writes a file.
    pub(crate) fn write_file(&mut self, program: &str, arg: &ShellArg, action: &str, flow: TextFlow) {
        self.push_path(Operation::new(OperationKind::Write, program).action(action), arg);
        self.note_written(arg, flow);
    }

    /// Records a link from `link` to `target`.
    pub(crate) fn note_link(&mut self, target: &ShellArg, link: &ShellArg) {
        if let (Some(target), Some(link)) = (self.place(target).path, self.place(link).path) {
            self.links.insert(link, target);
        }
    }

    pub(crate) fn enter_directory(&mut self, arg: &ShellArg) {
        self.cwd = if arg.is_known() && !arg.is_pattern { self.place(arg).path } else { None };
    }

    pub(crate) fn last_program(&self) -> Option<&str> {
        Some(self.last_program.as_str()).filter(|name| !name.is_empty())
    }

    pub(crate) fn note_remote(&mut self) {
        self.changes_remote = true;
    }

    pub(crate) fn changes_remote(&self) -> bool {
        self.changes_remote
    }

    /// Paths of another machine are not paths of this one.
    pub(crate) fn forget_places(&mut self, from: usize) {
        for operation in self.operations.iter_mut().skip(from) {
            if operation.place.is_some_and(|place| !matches!(place, crate::PathPlace::Root | crate::PathPlace::Device))
            {
                operation.place = Some(crate::PathPlace::Outside);
                operation.path = None;
            }
            operation.tags.retain(|tag| {
                !matches!(tag, OperationTag::AgentSettings | OperationTag::Pintle | OperationTag::GitDirectory)
            });
        }
    }

    /// Reads code one level deeper.
    pub(crate) fn run_code(&mut self, language: &str, text: &str) {
        self.called(|walk| {
            crate::code::read_code(walk, language, text, &TextFlow::default());
            TextFlow::default()
        });
    }

    pub(crate) fn run_powershell_line(&mut self, text: &str, stdin: &TextFlow) -> TextFlow {
        self.run_line(text, stdin)
    }

    pub(crate) fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }
}

/// The name of a program without its directory and its extension.
pub(crate) fn program_name(written: &str) -> String {
    let name = written.rsplit(['/', '\\']).next().unwrap_or(written);
    let lower = name.to_ascii_lowercase();
    let plain = [".exe", ".cmd", ".bat"].iter().find_map(|end| lower.strip_suffix(end));
    plain.map_or_else(|| name.to_owned(), str::to_owned)
}

/// A text as one word of a command line.
pub(crate) fn quote(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,@%+".contains(letter) || letter == UNKNOWN;
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
