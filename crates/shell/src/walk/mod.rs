//! Walks through a command line and collects what it would do.
//!
//! The walk keeps what the line itself sets: variables, functions, aliases, the working directory, and the files that it
//! writes. Whatever depends on anything else is unknown. Every limit adds an unknown operation instead of dropping one.

mod arithmetic;
mod braces;
mod control;
mod expand;
mod files;
mod flow;
mod named_files;
mod operator;
mod options;
#[cfg(feature = "powershell")]
mod power;
mod redirect;
mod run;
mod scripts;
mod shared;
mod state;
mod variables;
mod watch;
mod zsh;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(crate) use braces::brace_alternatives;
pub(crate) use flow::{ListedFiles, ShellArg, TextFlow, TextTaint, joined, shown};
pub(crate) use named_files::without_marks;
pub(crate) use options::{GivenOption, OptionLetters, OptionReader, ParsedOptions, ReadArg};
#[cfg(feature = "powershell")]
pub(crate) use power::{power_flow, power_items};

use crate::paths::UNKNOWN;
use crate::site::CallSite;
use files::PlacedPaths;
use scripts::ScriptFiles;
use state::{ExitReach, ExitStatus, WalkState};

use crate::syntax::{BashCommand, GrammarKind, ShellScript, parse_script};
use crate::watch::WatchNotes;
use crate::{Operation, OperationKind, OperationTag, ShellLanguage};

/// How the reason ends of what a build without its reader cannot know.
pub(crate) const NOT_BUILT_IN: &str = "is not built in";
/// Why a command line is unknown that bash does not read either.
pub(crate) const FAULT: &str = "the command line cannot be read";
/// The longest command line that is looked at.
pub(crate) const MAX_COMMAND_BYTES: usize = 256 * 1024;
/// The deepest nesting of command lines in command lines, and of functions.
const MAX_CALLS: usize = 13;
/// The most commands that one line may come to.
const MAX_COMMANDS: usize = 400;
/// The most operations of one call.
const MAX_OPERATIONS: usize = 512;
/// How many operations are compared with a new one.
const RECENT: usize = 48;
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
    /// Whether a name, or a pattern, is that of a known program.
    is_program: fn(&str) -> bool,
    pub(crate) state: WalkState,
    /// The grammar of the text that runs.
    grammar: GrammarKind,
    /// Whether zsh divides the values of variables into words.
    splits_words: bool,
    /// Whether something ran that may have to be read in another way as well.
    is_ambiguous: bool,
    /// The other states in which the line may be.
    forks: Vec<WalkState>,
    /// Where loops and functions were left.
    exits: Vec<(ExitReach, WalkState)>,
    /// How many loops run around the command.
    loop_depth: usize,
    /// The files that the line writes, with what is known of their content.
    files: HashMap<PathBuf, TextFlow>,
    /// Programs of the machine that the line gives other names.
    programs: HashMap<PathBuf, String>,
    placed: RefCell<PlacedPaths>,
    /// The directories that the line makes.
    made_dirs: Vec<Rc<Path>>,
    pub(crate) operations: Vec<Operation>,
    call_depth: usize,
    command_count: usize,
    /// What `trap` keeps for the end of the shell.
    traps: Vec<(GrammarKind, String)>,
    /// The variables of the function that runs.
    locals: Vec<String>,
    /// How many subscripts were expanded that are in the values of variables.
    subscript_count: usize,
    /// The variables that are numbers: their values are expressions.
    integers: HashSet<String>,
    /// The variables whose elements have names: their order says nothing.
    tables: HashSet<String>,
    /// The functions and aliases that run: a function may define another one of its name.
    running: Vec<(String, Option<Rc<BashCommand>>)>,
    /// The program that ran last.
    last_program: String,
    /// Whether it printed what shells evaluate.
    prints_completion: bool,
    /// The last `>(COMMAND)`.
    consumer: Option<Rc<ShellScript>>,
    /// Whether the line adds or changes a remote of git.
    changes_remote: bool,
    /// Directories that the line unpacks something into, with what is known of it.
    unpacked: Vec<(PathBuf, TextTaint)>,
    /// Whether a table of the state was too small.
    is_full: bool,
    /// How much PowerShell was parsed.
    #[cfg(feature = "powershell")]
    parsed_bytes: usize,
    /// Whether what runs is only tried.
    is_trial: bool,
    /// What is kept for a caller that watches files.
    notes: WatchNotes<'s>,
    scripts: ScriptFiles,
}

impl<'s> CommandWalk<'s> {
    pub(crate) fn new(call_site: &'s CallSite<'s>, run_program: ProgramRunner, is_program: fn(&str) -> bool) -> Self {
        Self {
            site: call_site,
            run_program,
            is_program,
            state: WalkState { cwd: Some(call_site.cwd.into()), ..WalkState::default() },
            grammar: GrammarKind::Bash,
            splits_words: false,
            is_ambiguous: false,
            forks: Vec::new(),
            exits: Vec::new(),
            loop_depth: 0,
            files: HashMap::new(),
            programs: HashMap::new(),
            placed: RefCell::default(),
            made_dirs: Vec::new(),
            operations: Vec::new(),
            call_depth: 0,
            command_count: 0,
            traps: Vec::new(),
            locals: Vec::new(),
            subscript_count: 0,
            integers: HashSet::new(),
            tables: HashSet::new(),
            running: Vec::new(),
            last_program: String::new(),
            prints_completion: false,
            consumer: None,
            changes_remote: false,
            unpacked: Vec::new(),
            is_full: false,
            #[cfg(feature = "powershell")]
            parsed_bytes: 0,
            is_trial: false,
            notes: WatchNotes::default(),
            scripts: ScriptFiles::default(),
        }
    }

    pub(crate) fn is_program(&self, name: &str) -> bool {
        (self.is_program)(name)
    }

    pub(crate) fn push(&mut self, mut operation: Operation) {
        if self.notes.named.is_some() && operation.kind != OperationKind::Unknown {
            return;
        }
        // The mark of what cannot be known is for the walk alone.
        for text in [&mut operation.written, &mut operation.action, &mut operation.reason, &mut operation.program] {
            if text.contains(UNKNOWN) {
                *text = text.replace(UNKNOWN, "…");
            }
        }
        let Some(operation) = self.admit(operation) else { return };
        if self.operations.len() < MAX_OPERATIONS {
            // A command that runs in several states comes again soon.
            if !self.operations.iter().rev().take(RECENT).any(|recent| *recent == operation) {
                self.operations.push(operation);
            }
        } else if self.operations.len() == MAX_OPERATIONS {
            self.operations.push(Operation::unknown("", "it does more than can be listed"));
        }
    }

    /// Adds an operation for what cannot be known, with the reason. `pintle try` shows it as `unknown`.
    pub(crate) fn push_unknown(&mut self, program: &str, reason: impl Into<String>) {
        self.push(Operation::unknown(program, reason));
    }

    /// Walks a text that may be a command line, or something else that is typed into a program: no shell runs what it
    /// cannot parse.
    pub(crate) fn run_typed(&mut self, text: &str) {
        let script = ShellScript { fault: None, ..parse_script(text, GrammarKind::Bash) };
        self.called(|walk| walk.run_script(&script, &TextFlow::default()));
        self.run_traps();
        ["ipython", "node"].iter().for_each(|language| self.run_code(language, text));
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

    /// Whether a command that may run or not would do something. Nothing is left of it.
    pub(crate) fn try_run(
        &mut self,
        is_wanted: impl Fn(&Operation) -> bool,
        run: impl FnOnce(&mut Self) -> TextFlow,
    ) -> bool {
        if self.is_trial || self.notes.named.is_some() {
            return false;
        }
        let operations = std::mem::take(&mut self.operations);
        let files = self.files.clone();
        self.is_trial = true;
        self.in_subshell(|walk| walk.called(run));
        self.is_trial = false;
        self.files = files;
        let tried = std::mem::replace(&mut self.operations, operations);
        tried.iter().any(is_wanted)
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
            self.push_unknown("", format!("{FAULT}: {fault}"));
        }
        flow
    }

    pub(crate) fn run_command(&mut self, command: &BashCommand, stdin: &TextFlow) -> TextFlow {
        self.command_count += 1;
        let most = self.most_commands();
        if self.command_count > most {
            if self.command_count == most + 1 {
                self.push_unknown("", "it runs more commands than can be looked at");
            }
            return TextFlow::from_taint(TextTaint::OUTPUT);
        }
        match command {
            BashCommand::Simple(simple) => self.run_simple(simple, stdin),
            BashCommand::Group(body, is_subshell, redirects) => {
                self.redirected(redirects, stdin, |walk, stdin| match is_subshell {
                    true => walk.in_subshell(|walk| walk.run_list(body, stdin)),
                    false => walk.run_list(body, stdin),
                })
            }
            BashCommand::While(condition, body, redirects) => {
                self.redirected(redirects, stdin, |walk, stdin| walk.run_while(condition, body, stdin))
            }
            BashCommand::Branches(branches, has_else, redirects) => {
                self.redirected(redirects, stdin, |walk, stdin| walk.run_branches(branches, *has_else, stdin))
            }
            BashCommand::For(name, values, body, redirects) => {
                self.redirected(redirects, stdin, |walk, stdin| walk.run_loop(name, values.as_deref(), body, stdin))
            }
            BashCommand::Function(names, body) => {
                for name in names {
                    self.state.functions.insert(name.clone(), Rc::clone(body));
                    self.run_hook_function(name);
                }
                TextFlow::known("")
            }
            BashCommand::Test(words, redirects) => self.redirected(redirects, stdin, |walk, _| {
                walk.run_test(words);
                walk.state.status = ExitStatus::Unknown;
                TextFlow::known("")
            }),
        }
    }

    /// Whether the last program printed what shells evaluate: it is one of these, or its first argument says so.
    pub(crate) fn printed_settings(&self, programs: &str) -> bool {
        self.prints_completion || programs.split_whitespace().any(|name| name == self.last_program)
    }

    /// Whether this program ran last.
    pub(crate) fn ran_last(&self, program: &str) -> bool {
        self.last_program == program
    }

    pub(crate) fn note_remote(&mut self) {
        self.changes_remote = true;
    }

    pub(crate) fn changes_remote(&self) -> bool {
        self.changes_remote
    }
}

/// The name of a program without its directory and its extension.
#[must_use]
pub fn program_name(written: &str) -> String {
    let name = written.bytes().rposition(|byte| matches!(byte, b'/' | b'\\'));
    let name = name.map_or(written, |end| written.get(end + 1..).unwrap_or_default());
    // `=rm` is the path of `rm` in zsh, and `zf_rm` a builtin of its own.
    let name = name.trim_start_matches('=');
    let name = name.strip_prefix("zf_").unwrap_or(name);
    // `npx TOOL@VERSION`.
    let name = name.split_once('@').map_or(name, |(plain, _)| if matches!(plain, "" | "&") { name } else { plain });
    match name.len().checked_sub(4).and_then(|end| name.split_at_checked(end)) {
        Some((plain, end)) if [".exe", ".cmd", ".bat"].iter().any(|known| end.eq_ignore_ascii_case(known)) => {
            plain.to_ascii_lowercase()
        }
        _ => name.to_owned(),
    }
}

/// A text as one word of a command line.
pub(crate) fn quote(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,@%+".contains(letter) || letter == UNKNOWN;
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { in_quotes(text) }
}

/// A text in single quotes, as one word of a command line.
#[must_use]
pub fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

impl CommandWalk<'_> {
    /// Runs with directories mounted: each path of this machine with its name inside.
    pub(crate) fn run_mounted(
        &mut self,
        mounts: &[(PathBuf, String)],
        workdir: Option<String>,
        run: impl FnOnce(&mut Self),
    ) {
        let links = self.state.links.clone();
        let cwd = self.state.cwd.take();
        for (path, inside) in mounts {
            self.state.links.insert(PathBuf::from(inside.trim_end_matches('/')), path.clone());
        }
        if let Some(workdir) = workdir {
            self.enter_directory(&ShellArg::new(workdir));
        }
        run(self);
        self.state.links = links;
        self.state.cwd = cwd;
    }
}

/// A program with its arguments and input.
#[derive(Debug)]
pub(crate) struct ProgramCall<'a> {
    /// Its name without directories.
    pub(crate) name: &'a str,
    pub(crate) written: &'a ShellArg,
    pub(crate) args: &'a [ShellArg],
    pub(crate) stdin: &'a TextFlow,
}

impl<'a> ProgramCall<'a> {
    /// The first argument that is not an option.
    pub(crate) fn first_operand(&self) -> Option<&'a str> {
        self.args.iter().map(|arg| arg.text.as_str()).find(|text| !text.starts_with('-'))
    }

    /// Whether one of these arguments is given as it is.
    pub(crate) fn has_arg(&self, any: &[&str]) -> bool {
        self.args.iter().any(|arg| any.contains(&arg.text.as_str()))
    }

    pub(crate) fn taint(&self) -> TextTaint {
        self.args.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint)
    }
}

impl CommandWalk<'_> {
    /// Walks a command line of a call, with what it prints for the model.
    pub(crate) fn run_command_line(&mut self, command: &str, language: ShellLanguage) {
        if command.len() > MAX_COMMAND_BYTES {
            self.push_unknown("", "the command line is too long to be read");
            return;
        }
        let printed = match language {
            ShellLanguage::Bash => self.run_line_in(GrammarKind::Bash, command, &TextFlow::default()),
            ShellLanguage::Zsh => self.run_line_in(GrammarKind::Zsh, command, &TextFlow::default()),
            ShellLanguage::BashOrZsh => self.run_line(command, &TextFlow::default()),
            ShellLanguage::PowerShell => self.run_powershell_line(command, &TextFlow::default()),
        };
        self.run_traps();
        self.push_printed(&printed);
    }

    /// What the command line prints for the model.
    pub(crate) fn push_printed(&mut self, flow: &TextFlow) {
        let is_read = self
            .operations
            .iter()
            .any(|operation| operation.kind == OperationKind::Read && operation.has(OperationTag::Secret));
        if flow.taint.has(TextTaint::SECRET | TextTaint::ENVIRONMENT) && !is_read {
            let is_whole = flow.taint.has(TextTaint::ENVIRONMENT);
            let action = if is_whole { "print_environment" } else { "print_variable" };
            self.push(Operation::new(OperationKind::Secret, "").action(action));
        }
    }
}
