//! Which files a command names, for a caller that binds commands to their files.
//!
//! The caller knows the disk: it resolves the words to files, reads the scripts among them, and asks for what they name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::paths::UNKNOWN;
use crate::programs::{
    interpreter_of, is_load_variable, is_program, is_script_name, is_shell, run_program, runs_code, unversioned_name,
};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, program_name, shown};
use crate::{CallSite, OperationKind, ProjectFiles, ShellLanguage};

/// The directory of the project: where it is, the caller knows.
pub(crate) const PROJECT_DIR: &str = "/\u{fffb}";

/// The files that a command names.
#[derive(Debug, Clone, Default)]
pub struct CommandFiles {
    /// Every word that may name files.
    pub words: BTreeSet<FileWord>,
    /// Code that it runs, unless it is a command line.
    pub codes: BTreeSet<(ScriptLanguage, String)>,
    /// What it runs without naming the files.
    pub unnamed: BTreeSet<UnnamedFiles>,
    /// The values that it gives to variables.
    pub variables: BTreeMap<String, BTreeSet<String>>,
    /// Whether a limit cut it, or a part of it cannot be parsed.
    pub is_cut: bool,
}

/// A word that may name a file or a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileWord {
    /// What the command does with it.
    pub usage: FileUse,
    /// Where its path begins.
    pub start: PathStart,
    /// The path from there; `None` if it is not known.
    pub path: Option<String>,
    /// Whether the shell expands the patterns in it.
    pub is_pattern: bool,
    /// Whether what is not known of it is in a variable that the command sets, such as to the output of another one.
    pub is_printed: bool,
    /// The word for the user.
    pub shown: String,
    /// The command for the user.
    pub command: String,
}

/// What a command does with a file, in an order in which the directories come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileUse {
    /// Enters the directory.
    Directory,
    /// Its content is not used.
    Text,
    /// Writes it.
    Output,
    /// Reads it.
    Input,
    /// A program gets its name and may do anything with it.
    Argument,
    /// It is the program. `true`: what a program of this name does is known.
    Program(bool),
    /// Runs it as code; `None` if the language is not known.
    Script(Option<ScriptLanguage>),
}

/// The language of a script, as far as it says how other files are named in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScriptLanguage {
    /// That of a shell.
    Shell(ShellLanguage),
    /// Python.
    Python,
    /// awk.
    Awk,
    /// Any other one.
    Other,
}

impl ScriptLanguage {
    /// The language that a program runs, by its name or path.
    #[must_use]
    pub fn of_program(program: &str) -> Option<Self> {
        let name = program_name(program);
        let name = unversioned_name(&name).unwrap_or(&name);
        match name {
            "zsh" => Some(Self::Shell(ShellLanguage::Zsh)),
            name if is_shell(name) || name == "fish" => Some(Self::Shell(ShellLanguage::Bash)),
            name if name.starts_with("python") || name.starts_with("pypy") => Some(Self::Python),
            name if name.ends_with("awk") => Some(Self::Awk),
            name => runs_code(name).then_some(Self::Other),
        }
    }

    /// The language of a script by its first line, or else by its name. A text without both is for a shell.
    #[must_use]
    pub fn of_file(path: &Path, text: &str) -> Option<Self> {
        let by_name = || Self::of_program(interpreter_of("", path)).filter(|_| is_script_name(&path.to_string_lossy()));
        Self::of_program(interpreter_of(text, path)).or_else(by_name)
    }
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStart {
    /// As it is written: in the working directory, or absolute.
    Written,
    /// In the directory of the project.
    Project,
    /// In a directory that is not known.
    Unknown,
}

/// Files that a command runs without naming them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnnamedFiles {
    /// Why they are not named.
    pub reason: UnnamedReason,
    /// The command for the user.
    pub command: String,
}

/// Why a command does not name the files that it runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnnamedReason {
    /// Other files say what the program runs.
    ByProgram,
    /// An option loads modules.
    ByOption,
    /// A variable says from where programs load files.
    ByVariable,
    /// The code is the input.
    ByInput,
    /// The code is not known.
    UnknownCode,
    /// A limit, or a part that cannot be parsed.
    Unread(String),
}

/// A command as its caller has it.
#[derive(Debug, Clone, Copy)]
pub enum CommandForm<'a> {
    /// A command line, and the shell that reads it.
    Line(&'a str, ShellLanguage),
    /// A program with its arguments.
    Words(&'a [String]),
}

impl CommandForm<'_> {
    fn text(self) -> String {
        match self {
            Self::Line(line, _) => line.to_owned(),
            Self::Words(words) => words.join(" "),
        }
    }
}

/// The files that a command names. `variables` may have several values each; `cwd` is where it runs.
#[must_use]
pub fn files_of_command(
    command: CommandForm<'_>,
    variables: &BTreeMap<String, BTreeSet<String>>,
    cwd: &Path,
    home: Option<&Path>,
) -> CommandFiles {
    let site = CallSite::new(cwd, Path::new(PROJECT_DIR)).with_home(home).reading(&UnreadFiles);
    let mut walk = CommandWalk::new(&site, run_program, is_program).noting_files();
    for (name, values) in variables {
        let mut values = values.iter();
        let Some(text) = values.next() else { continue };
        // Of more than two, which one is not known.
        let (otherwise, is_known) = (values.next().cloned(), values.next().is_none());
        let value = ShellArg { otherwise, ..ShellArg::new(text) };
        walk.set_variable(name, vec![if is_known { value } else { ShellArg::unknown(TextTaint::OUTPUT) }]);
    }
    walk.take_file_notes();
    match command {
        CommandForm::Line(line, language) => walk.run_command_line(line, language),
        CommandForm::Words(words) => {
            let args: Vec<ShellArg> = words.iter().map(|text| ShellArg::new(text.replace(UNKNOWN, "?"))).collect();
            walk.run_args(&args, &TextFlow::default());
        }
    }
    walk.run_defined();
    let mut found = walk.take_file_notes();
    // A script is one of the arguments as well.
    let is_script = |word: &&FileWord| matches!(word.usage, FileUse::Script(_));
    let scripts: BTreeSet<String> = found.words.iter().filter(is_script).map(|word| word.shown.clone()).collect();
    found.words.retain(|word| word.usage != FileUse::Argument || !scripts.contains(&word.shown));
    for operation in walk.operations {
        if operation.kind == OperationKind::Unknown && operation.program.is_empty() {
            found.is_cut = true;
            let reason = UnnamedReason::Unread(operation.reason);
            found.unnamed.insert(UnnamedFiles { reason, command: command.text() });
        }
    }
    for (name, values) in found.variables.iter().filter(|(name, _)| is_load_variable(name)) {
        for value in values {
            let command = without_marks(&format!("{name}={value}"));
            found.unnamed.insert(UnnamedFiles { reason: UnnamedReason::ByVariable, command });
        }
    }
    found
}

/// A text as a user would read it.
pub(crate) fn without_marks(text: &str) -> String {
    shown(text).replace(PROJECT_DIR, "$PROJECT_DIR")
}

impl FileWord {
    pub(crate) fn new(usage: FileUse, arg: &ShellArg, command: String) -> Self {
        let inside = |start: &str| arg.text.strip_prefix(start).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let (start, path) = match (inside(PROJECT_DIR), inside(UNKNOWN.encode_utf8(&mut [0; 4]))) {
            (Some(rest), _) => (PathStart::Project, rest),
            (None, Some(rest)) if !rest.is_empty() => (PathStart::Unknown, rest),
            _ => (PathStart::Written, arg.text.as_str()),
        };
        let is_known = !path.contains(UNKNOWN) && !path.contains(PROJECT_DIR);
        Self {
            usage,
            start,
            path: is_known.then(|| path.to_owned()),
            is_pattern: arg.is_pattern,
            is_printed: arg.taint.has(TextTaint::OUTPUT)
                && matches!(arg.sources.as_slice(), [name] if !name.starts_with("$(")),
            shown: without_marks(&arg.shown()),
            command,
        }
    }
}

/// No file is read: the caller asks for each script.
struct UnreadFiles;

impl ProjectFiles for UnreadFiles {
    fn read_code(&self, _: &Path, _: usize) -> Option<String> {
        None
    }

    fn is_dir(&self, _: &Path) -> bool {
        true
    }
}
