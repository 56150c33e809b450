//! Walks through a command line and collects what it would do.
//!
//! The walk keeps what the line itself sets: variables, functions, aliases, the working directory, and the files that it
//! writes. Whatever depends on anything else is unknown. Every limit adds an unknown operation instead of dropping one.

mod braces;
mod expand;
mod files;
mod flow;
mod mounts;
mod operator;
mod options;
mod power;
mod program_call;
mod redirect;
mod run;
mod variables;
mod wrapper;

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

pub(crate) use expand::is_secret_name;
pub(crate) use flow::{ListedFiles, ShellArg, TextFlow, TextTaint};
pub(crate) use options::{OptionLetters, ParsedOptions};
pub(crate) use power::{power_flow, power_items};
pub(crate) use program_call::ProgramCall;
pub(crate) use wrapper::{WRAPPERS, WrapperDef};

use crate::paths::UNKNOWN;
use crate::site::CallSite;
use crate::syntax::{BashCommand, BashPipeline, ShellScript, parse_script};
use crate::{Operation, OperationKind};

/// The deepest nesting of command lines in command lines, and of functions.
const MAX_CALLS: usize = 12;
/// The most commands that one line may come to.
const MAX_COMMANDS: usize = 1000;
/// The most operations of one call.
const MAX_OPERATIONS: usize = 512;
/// The most arguments of a program that are looked at.
const MAX_ARGS: usize = 1000;
/// The most values of a loop that are looked at one by one.
const MAX_VALUES: usize = 16;

/// What adds the operations of a program, and gives what it prints.
pub(crate) type ProgramRunner = fn(&mut CommandWalk<'_>, &ProgramCall<'_>) -> TextFlow;

/// The state of a walk.
pub(crate) struct CommandWalk<'s> {
    pub(crate) site: &'s CallSite<'s>,
    /// Adds what a program does, and gives what it prints.
    run_program: ProgramRunner,
    /// Whether a name is that of a known program.
    is_program: fn(&str) -> bool,
    /// The working directory; `None` if it cannot be known.
    pub(crate) cwd: Option<PathBuf>,
    variables: HashMap<String, Vec<ShellArg>>,
    functions: HashMap<String, Rc<BashCommand>>,
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
    /// File descriptors that are connections, with their hosts.
    connections: HashMap<String, String>,
    /// Directories that the line unpacks something into, with what is known of it.
    unpacked: Vec<(PathBuf, TextTaint)>,
    /// How much PowerShell was parsed.
    parsed_bytes: usize,
}

impl<'s> CommandWalk<'s> {
    pub(crate) fn new(site: &'s CallSite<'s>, run_program: ProgramRunner, is_program: fn(&str) -> bool) -> Self {
        Self {
            site,
            run_program,
            is_program,
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
            connections: HashMap::new(),
            unpacked: Vec::new(),
            parsed_bytes: 0,
        }
    }

    pub(crate) fn is_program(&self, name: &str) -> bool {
        (self.is_program)(name)
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
        let script = parse_script(text, 0);
        self.called(|walk| walk.run_script(&script, stdin))
    }

    /// Runs one level deeper.
    pub(crate) fn called(&mut self, run: impl FnOnce(&mut Self) -> TextFlow) -> TextFlow {
        if self.call_depth >= MAX_CALLS {
            self.push_unknown("", "commands are nested too deeply");
            return TextFlow::from_taint(TextTaint::OUTPUT);
        }
        self.call_depth += 1;
        let flow = run(self);
        self.call_depth -= 1;
        flow
    }

    /// Code that is not in the call.
    pub(crate) fn push_code(&mut self, taint: TextTaint, program: &str, reason: &str) {
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

    fn run_list(&mut self, pipelines: &[BashPipeline], stdin: &TextFlow) -> TextFlow {
        let mut flow = TextFlow { text: Some(String::new()), ..TextFlow::default() };
        for pipeline in pipelines {
            let printed = self.run_pipeline(pipeline, stdin);
            flow.append(printed);
        }
        flow
    }

    fn run_pipeline(&mut self, pipeline: &BashPipeline, stdin: &TextFlow) -> TextFlow {
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

    pub(crate) fn run_command(&mut self, command: &BashCommand, stdin: &TextFlow) -> TextFlow {
        self.command_count += 1;
        if self.command_count > MAX_COMMANDS {
            if self.command_count == MAX_COMMANDS + 1 {
                self.push_unknown("", "it runs more commands than can be looked at");
            }
            return TextFlow::from_taint(TextTaint::OUTPUT);
        }
        match command {
            BashCommand::Simple(simple) => self.run_simple(simple, stdin),
            BashCommand::Group(body, is_subshell, redirects) => {
                let stdin = self.redirect_input(redirects, stdin);
                let cwd = self.cwd.clone();
                let flow = self.run_list(body, &stdin);
                if *is_subshell {
                    self.cwd = cwd;
                }
                self.redirect_output(redirects, flow)
            }
            BashCommand::While(condition, body, redirects) => {
                let stdin = self.redirect_input(redirects, stdin);
                let flow = self.run_while(condition, body, &stdin);
                self.redirect_output(redirects, flow)
            }
            BashCommand::Branches(branches, redirects) => {
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
            BashCommand::For(name, values, body, redirects) => {
                let stdin = self.redirect_input(redirects, stdin);
                let flow = self.run_loop(name, values.as_deref(), body, &stdin);
                self.redirect_output(redirects, flow)
            }
            BashCommand::Function(name, body) => {
                self.functions.insert(name.clone(), Rc::clone(body));
                TextFlow::known("")
            }
            BashCommand::Test(words) => {
                for word in words {
                    self.expand_word(word);
                }
                TextFlow::known("")
            }
        }
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

    /// Reads code one level deeper.
    pub(crate) fn run_code(&mut self, language: &str, text: &str) {
        self.called(|walk| {
            crate::code::read_code(walk, language, text, &TextFlow::default());
            TextFlow::default()
        });
    }
}

/// The name of a program without its directory and its extension.
pub(crate) fn program_name(written: &str) -> String {
    let name = written.rsplit(['/', '\\']).next().unwrap_or(written);
    // `npx TOOL@VERSION`.
    let name = name.split_once('@').map_or(name, |(plain, _)| if matches!(plain, "" | "&") { name } else { plain });
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
