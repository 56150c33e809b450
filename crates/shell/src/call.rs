//! The operations of a tool call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pintle_contract::ToolKind;
use serde_json::Value;

use crate::address::push_address;
use crate::command_files::{CommandFiles, FileUse, FileWord, GivenCommand, PROJECT_DIR, UnnamedFiles, UnnamedReason};
use crate::paths::UNKNOWN;
use crate::programs::{is_load_variable, is_program, read_selected, run_program};
use crate::tool::push_tool_call;
use crate::walk::{
    CommandWalk, FAULT, MAX_COMMAND_BYTES, ShellArg, TextFlow, TextTaint, brace_alternatives, program_name, quote,
    without_marks,
};
use crate::{
    CallCommand, CallSite, CommandReading, Operation, OperationKind, OperationTag, ProjectFiles, ShellLanguage,
    WatchedFiles,
};

/// What a command line would do.
#[must_use]
pub fn operations_of_command(command: &str, language: ShellLanguage, call_site: &CallSite<'_>) -> Vec<Operation> {
    let mut walk = CommandWalk::new(call_site, run_program, is_program);
    walk.run_command_line(command, language);
    walk.operations
}

/// What a call would do, and the commands that it runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallEffects {
    /// What it would do.
    pub operations: Vec<Operation>,
    /// The commands that it runs.
    pub commands: Vec<CallCommand>,
}

/// What a call in Pintle's words would do: the operations of its kind and arguments.
#[must_use]
pub fn operations_of_call(kind: ToolKind, name: &str, args: &Value, call_site: &CallSite<'_>) -> Vec<Operation> {
    walk_call(kind, name, args, call_site, |walk| walk).operations
}

/// The same, with the commands that it runs.
#[must_use]
pub fn effects_of_call(kind: ToolKind, name: &str, args: &Value, call_site: &CallSite<'_>) -> CallEffects {
    walk_call(kind, name, args, call_site, |walk| walk.keeping_commands())
}

fn walk_call(
    kind: ToolKind,
    name: &str,
    args: &Value,
    call_site: &CallSite<'_>,
    prepare: impl for<'s> FnOnce(CommandWalk<'s>) -> CommandWalk<'s>,
) -> CallEffects {
    let directory = args.get("directory").and_then(Value::as_str).filter(|_| kind == ToolKind::Shell);
    let directory = directory.map(|directory| call_site.cwd.join(directory));
    let call_site = CallSite { cwd: directory.as_deref().unwrap_or(call_site.cwd), ..*call_site };
    let mut walk = prepare(CommandWalk::new(&call_site, run_program, is_program));
    run_call(&mut walk, kind, name, args);
    CallEffects { commands: walk.take_commands(), operations: walk.operations }
}

fn run_call(walk: &mut CommandWalk<'_>, kind: ToolKind, name: &str, args: &Value) {
    let text = |names: &[&str]| names.iter().find_map(|name| args.get(name)?.as_str());
    let path = text(&["path", "file_path", "notebook_path", "from", "source"]);
    match kind {
        ToolKind::Shell => run_shell_call(walk, name, args),
        ToolKind::Read => {
            if let Some(path) = path {
                let is_pattern = path.contains(['*', '?', '[']);
                walk.read_file(name, &ShellArg { is_pattern, ..ShellArg::new(path) }, false);
            }
        }
        // A search for names shows none of their contents.
        ToolKind::Search if name == "glob" => {}
        ToolKind::Search => push_search(walk, name, args),
        ToolKind::Write | ToolKind::Edit => {
            if let Some(path) = path {
                let action = if kind == ToolKind::Write { "replace" } else { "edit" };
                walk.write_file(name, &ShellArg::new(path), action, TextFlow::default());
            }
            let is_code = args.get("cell_type").and_then(Value::as_str) != Some("markdown");
            if let Some(cell) = text(&["new", "new_source"]).filter(|_| is_code && path.is_some_and(is_notebook)) {
                walk.run_code("ipython", cell);
            }
        }
        ToolKind::Delete => {
            if let Some(path) = path {
                walk.push_path(
                    Operation::new(OperationKind::Delete, name).tag(OperationTag::Recursive),
                    &ShellArg::new(path),
                );
            }
        }
        ToolKind::Move => {
            if let Some(path) = path {
                walk.push_path(Operation::new(OperationKind::Move, name), &ShellArg::new(path));
            }
            if let Some(to) = text(&["to", "destination", "target", "new_path"]) {
                walk.write_file(name, &ShellArg::new(to), "replace", TextFlow::default());
            }
        }
        ToolKind::Fetch => {
            if let Some(url) = text(&["url"]) {
                match url.strip_prefix("file://") {
                    Some(path) => drop(walk.read_file(name, &ShellArg::new(path), false)),
                    None => push_address(walk, OperationKind::Download, name, url, TextTaint::NONE),
                }
            }
        }
        ToolKind::Mcp | ToolKind::Other => push_tool_call(walk, name, args),
        ToolKind::List | ToolKind::WebSearch | ToolKind::Delegate | ToolKind::Todo | ToolKind::AskUser => {}
    }
}

/// Adds what a search reads whose results are lines of files: where it looks, and which names it selects there.
fn push_search(walk: &mut CommandWalk<'_>, name: &str, args: &Value) {
    let texts = |names: &[&str]| -> Vec<&str> {
        let values = names.iter().filter_map(|name| args.get(name));
        values
            .flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice))
            .filter_map(Value::as_str)
            .collect()
    };
    let path_arg = |text: &str| ShellArg { is_pattern: text.contains(['*', '?', '[']), ..ShellArg::new(text) };
    let mut roots: Vec<ShellArg> = texts(&["path", "paths", "directory"]).into_iter().map(path_arg).collect();
    for root in &roots {
        walk.read_file(name, root, true);
    }
    if roots.is_empty() {
        roots.push(ShellArg::new("."));
    }
    let globs = texts(&["glob", "globs", "include", "includes", "file_pattern"]);
    let patterns: Vec<String> =
        globs.into_iter().flat_map(|glob| glob.split_whitespace()).flat_map(brace_alternatives).collect();
    let selected: Vec<ShellArg> = patterns.iter().flat_map(|pattern| pattern.split(',')).map(path_arg).collect();
    let roots: Vec<&ShellArg> = roots.iter().collect();
    read_selected(walk, name, &roots, &selected.iter().collect::<Vec<_>>());
}

fn is_notebook(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with(".ipynb")
}

/// Reads the command line of a shell call for a caller that watches files. `site.cwd` is the directory of the call.
#[must_use]
pub fn read_shell_call(name: &str, args: &Value, call_site: &CallSite<'_>, files: &dyn WatchedFiles) -> CommandReading {
    let mut walk = CommandWalk::new(call_site, run_program, is_program).watching(files);
    run_shell_call(&mut walk, name, args);
    walk.run_defined();
    let is_unread = |operation: &&Operation| operation.kind == OperationKind::Unknown && operation.program.is_empty();
    let unread: Vec<&Operation> = walk.operations.iter().filter(is_unread).collect();
    let is_cut = unread.iter().any(|operation| !operation.reason.starts_with(FAULT));
    if !unread.is_empty() {
        walk.note_text(&match ShellCommand::find(args) {
            Some(ShellCommand::Line(line)) => line.to_owned(),
            Some(ShellCommand::Words(words)) => words.join(" "),
            None => args.to_string(),
        });
    }
    CommandReading { is_cut, ..walk.into_reading() }
}

/// The command of a shell call, under a name that is known.
enum ShellCommand<'a> {
    Line(&'a str),
    Words(Vec<String>),
}

impl<'a> ShellCommand<'a> {
    /// `None` if there is none, or if it is nothing that a shell runs.
    fn find(args: &'a Value) -> Option<Self> {
        match args.get("command").or_else(|| args.get("cmd"))? {
            Value::String(line) => Some(Self::Line(line)).filter(|_| !line.trim().is_empty()),
            Value::Array(words) if !words.is_empty() && !words.iter().any(is_nested) => {
                Some(Self::Words(words.iter().map(word_text).collect()))
            }
            _ => None,
        }
    }
}

fn is_nested(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

fn word_text(word: &Value) -> String {
    word.as_str().map_or_else(|| word.to_string(), str::to_owned)
}

/// The language of a shell, by its name or path.
fn find_language(shell: &str) -> Option<ShellLanguage> {
    let name = program_name(shell);
    match name.as_str() {
        "zsh" => Some(ShellLanguage::Zsh),
        "bash" | "sh" | "dash" | "ksh" => Some(ShellLanguage::Bash),
        name if name == "pwsh" || name.contains("powershell") => Some(ShellLanguage::PowerShell),
        _ => None,
    }
}

fn run_shell_call(walk: &mut CommandWalk<'_>, name: &str, args: &Value) {
    let shell = args.get("shell").and_then(Value::as_str).unwrap_or_default();
    let named = find_language(&name.to_ascii_lowercase()).filter(|named| *named == ShellLanguage::PowerShell);
    let language = named.or_else(|| find_language(shell)).unwrap_or(walk.site.language);
    let is_cmd = program_name(shell) == "cmd" || name == "cmd";
    let mut reader = ShellCallReader { walk, language, is_cmd, bytes_left: Some(MAX_COMMAND_BYTES) };
    match ShellCommand::find(args) {
        Some(ShellCommand::Line(line)) => {
            reader.run_line(line);
            for words in PROGRAM_ARGS.iter().filter_map(|name| args.get(name)?.as_array()) {
                reader.run_alone(&[with_words(line, words)]);
            }
        }
        Some(ShellCommand::Words(words)) => {
            if words.first().is_some_and(|first| first.contains(char::is_whitespace)) {
                reader.run_alone(&words);
            }
            let args: Vec<ShellArg> = words.iter().map(|word| ShellArg::new(word.replace(UNKNOWN, "?"))).collect();
            let printed = walk.run_args(&args, &TextFlow::default());
            walk.push_printed(&printed);
        }
        None => reader.run_value(args),
    }
}

/// Adds the words of a list, and of the lists in it.
fn push_words<'a>(items: &'a [Value], words: &mut Vec<&'a Value>) {
    for item in items {
        match item {
            Value::Array(items) => push_words(items, words),
            Value::Object(_) => {}
            word => words.push(word),
        }
    }
}

/// What the words after a program are called.
const PROGRAM_ARGS: [&str; 3] = ["args", "arguments", "argv"];

/// What a shell call has beside its command.
const COMMAND_OPTIONS: [&str; 3] = ["description", "directory", "shell"];

/// A program or a line, with words after it.
fn with_words<'a>(line: &str, words: impl IntoIterator<Item = &'a Value>) -> String {
    words.into_iter().fold(line.to_owned(), |line, word| line + " " + &quote(&word_text(word)))
}

/// Reads the command lines of a shell call.
///
/// A host's own shell may have its command under any name. Of a call without a known one, each text and each list of words
/// may be the command, also a program with a list of words beside it.
struct ShellCallReader<'w, 's> {
    walk: &'w mut CommandWalk<'s>,
    language: ShellLanguage,
    is_cmd: bool,
    /// How much more of a call without a known command is read; `None` if that was not enough.
    bytes_left: Option<usize>,
}

impl ShellCallReader<'_, '_> {
    fn run_line(&mut self, line: &str) {
        if self.is_cmd {
            let printed = self.walk.run_args(&["cmd", "/c", line].map(ShellArg::new), &TextFlow::default());
            return self.walk.push_printed(&printed);
        }
        self.walk.run_command_line(line, self.language);
    }

    /// Runs lines in a shell of their own.
    fn run_alone(&mut self, lines: &[String]) {
        let Some(left) = self.bytes_left else { return };
        let bytes = lines.iter().map(|line| line.len() + size_of::<ShellArg>()).sum();
        self.bytes_left = left.checked_sub(bytes);
        let bytes_left = self.bytes_left;
        if bytes_left.is_none() {
            return self.walk.push_unknown("", "the call has more arguments than can be looked at");
        }
        let (language, is_cmd) = (self.language, self.is_cmd);
        self.walk.in_subshell(|walk| {
            let mut reader = ShellCallReader { walk, language, is_cmd, bytes_left };
            lines.iter().for_each(|line| reader.run_line(line));
            TextFlow::default()
        });
    }

    fn run_value(&mut self, value: &Value) {
        if self.bytes_left.is_none() {
            return;
        }
        match value {
            Value::String(text) => self.run_alone(std::slice::from_ref(text)),
            Value::Array(items) => {
                let mut words = Vec::new();
                push_words(items, &mut words);
                if let Some((program, rest)) = words.split_first() {
                    self.run_alone(&[with_words(&quote(&word_text(program)), rest.iter().copied())]);
                }
                let words: Vec<String> = words.into_iter().map(word_text).collect();
                // One line after the other.
                if words.iter().any(|word| word.contains(char::is_whitespace)) {
                    self.run_alone(&words);
                }
                items.iter().filter(|item| is_nested(item)).for_each(|item| self.run_value(item));
            }
            Value::Object(fields) => {
                let fields = || fields.iter().filter(|(name, _)| !COMMAND_OPTIONS.contains(&name.as_str()));
                for program in fields().filter_map(|(_, field)| field.as_str()) {
                    for words in fields().filter_map(|(_, field)| field.as_array()) {
                        if self.bytes_left.is_none() {
                            return;
                        }
                        self.run_alone(&[with_words(program, words)]);
                    }
                }
                fields().for_each(|(_, field)| self.run_value(field));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The files that a command names. `variables` may have several values each; `cwd` is where it runs.
#[must_use]
pub fn files_of_command(
    command: GivenCommand<'_>,
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
    let text = match command {
        GivenCommand::Line(line, language) => {
            walk.run_command_line(line, language);
            line.to_owned()
        }
        GivenCommand::Words(words) => {
            let args: Vec<ShellArg> = words.iter().map(|text| ShellArg::new(text.replace(UNKNOWN, "?"))).collect();
            walk.run_args(&args, &TextFlow::default());
            words.join(" ")
        }
    };
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
            found.unnamed.insert(UnnamedFiles { reason, command: text.clone() });
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
