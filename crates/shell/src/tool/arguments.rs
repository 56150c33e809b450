//! What the arguments of a tool are, by their names.
//!
//! A text is what its name says: a command line, code, statements of SQL, an address or a path. Texts of other names,
//! such as `content` and `message`, are never read.

use serde_json::{Map, Value};

use super::name::{ToolName, ToolVerb, language_of, split_words, verb_of};
use super::words::ToolWords::{
    self, Addresses, CodeTexts, CommandOptions, Commands, DirectoryEnds, LanguageNames, Operands, Patches, PathEnds,
    ProgramArgs, Sources, SqlVerbs, Statements, Targets, Texts, VerbNames, WorkingDirectories,
};
use crate::ShellLanguage;
use crate::walk::quote;

/// The deepest level of arguments that is looked at.
const MAX_DEPTH: usize = 16;
/// The most arguments that are looked at.
const MAX_ARGUMENTS: usize = 1000;

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentRole {
    Command(ShellLanguage),
    /// What is typed into a terminal or a program.
    Typed,
    /// Code of a language; of any if it is not known.
    Code(Option<&'static str>),
    /// Statements of a database.
    Statement,
    Address,
    Path,
    /// A path that is read, and moved away by a move.
    Source,
    /// A path that is written.
    Target,
    Directory,
}
use ArgumentRole::{Address, Code, Command, Directory, Path, Source, Statement, Target, Typed};

/// An argument that means something.
#[derive(Debug)]
pub(super) struct CallArgument<'a> {
    pub(super) role: ArgumentRole,
    pub(super) text: String,
    pub(super) verb: Option<ToolVerb>,
    /// The working directories around it, the outermost first.
    pub(super) directories: Vec<&'a str>,
}

/// The name of an argument in one spelling.
fn plain_name(name: &str) -> String {
    split_words(name).join("_")
}

/// Whether an argument is a text for people or the content of a file, so that it is not read.
fn is_text(name: &str, verb: Option<ToolVerb>) -> bool {
    Texts.has(name) || matches!(name, "old" | "new") && verb != Some(ToolVerb::Move)
}

/// The arguments of a call that mean something. The second value says whether there are more than can be looked at.
pub(super) fn read_arguments<'a>(name: &str, args: &'a Value) -> (Vec<CallArgument<'a>>, bool) {
    let tool = ToolName::new(name);
    let scope = ArgumentScope {
        verb: tool.verb(),
        language: tool.language(),
        directories: Vec::new(),
        has_command: !tool.is_runner(),
    };
    let mut reader = CallArgumentReader { tool, arguments: Vec::new(), is_cut: false };
    reader.read_value("", args, &scope, 0);
    (reader.arguments, reader.is_cut)
}

/// What an object says about the arguments in it.
#[derive(Clone)]
struct ArgumentScope<'a> {
    verb: Option<ToolVerb>,
    language: Option<&'static str>,
    directories: Vec<&'a str>,
    /// Whether an argument is known to be the command line.
    has_command: bool,
}

struct CallArgumentReader<'a> {
    tool: ToolName,
    arguments: Vec<CallArgument<'a>>,
    is_cut: bool,
}

impl<'a> CallArgumentReader<'a> {
    fn push(&mut self, role: ArgumentRole, text: impl Into<String>, scope: &ArgumentScope<'a>) {
        if self.arguments.len() < MAX_ARGUMENTS {
            let directories = scope.directories.clone();
            self.arguments.push(CallArgument { role, text: text.into(), verb: scope.verb, directories });
        } else {
            self.is_cut = true;
        }
    }

    fn read_value(&mut self, name: &str, value: &'a Value, scope: &ArgumentScope<'a>, depth: usize) {
        if depth > MAX_DEPTH {
            self.is_cut = true;
            return;
        }
        match value {
            Value::String(text) => self.read_text(name, text, scope),
            Value::Array(items) => items.iter().for_each(|item| self.read_value(name, item, scope, depth + 1)),
            Value::Object(fields) => {
                // `{"files": {"src/a.rs": "…"}}`.
                if PathEnds.has(name) {
                    fields.keys().filter(|key| key.contains(['/', '.'])).for_each(|key| self.push(Path, key, scope));
                }
                self.read_object(fields, scope, depth);
            }
            _ => {}
        }
    }

    fn read_object(&mut self, fields: &'a Map<String, Value>, outer: &ArgumentScope<'a>, depth: usize) {
        let named: Vec<(String, &'a Value)> = fields.iter().map(|(name, value)| (plain_name(name), value)).collect();
        let texts = |names: ToolWords| {
            let texts = named.iter().filter(|(name, _)| names.has(name));
            texts.filter_map(|(_, value)| value.as_str()).collect::<Vec<&'a str>>()
        };
        let mut scope = outer.clone();
        // An argument that the tool ignores must not take anything back that its name says. `DELETE` is a method of HTTP.
        let is_word = |text: &&str| text.contains(char::is_lowercase) && !text.contains(char::is_whitespace);
        let said = texts(VerbNames).into_iter().filter(is_word);
        scope.verb = said.filter_map(|text| verb_of(&split_words(text))).max().max(scope.verb);
        scope.directories.extend(texts(WorkingDirectories));
        let languages = texts(LanguageNames);
        let language = languages.iter().flat_map(|text| split_words(text)).find_map(|word| language_of(&word));
        scope.language = language.or(scope.language);
        self.read_program(&named, &scope);
        let has_program = named.iter().any(|(name, _)| Commands.has(name));
        scope.has_command |= has_program;
        for (name, value) in &named {
            let is_directory = WorkingDirectories.has(name);
            let is_only_text = !scope.has_command && !is_directory && can_be_command(name, value);
            if Commands.has(name) || name == "argv" && !has_program || is_only_text {
                self.read_command(name, value, &named, &scope);
            }
            if let Some(patch) = value.as_str().filter(|_| is_patch(&self.tool, scope.verb, name)) {
                for (verb, path) in patched_paths(patch) {
                    self.push(Path, path, &ArgumentScope { verb: Some(verb), ..scope.clone() });
                }
            }
            // A text for people is read no further, but an object of any name may hold the command line.
            let is_cell = name == "content" && self.tool.own.iter().any(|word| word == "cell");
            let is_read =
                is_directory || !is_cell && is_text(name, scope.verb) && (scope.has_command || !value.is_object());
            if !is_read {
                self.read_value(name, value, &scope, depth + 1);
            }
        }
    }

    /// A command line, or a program with its arguments beside it.
    fn read_command(&mut self, name: &str, value: &'a Value, named: &[(String, &'a Value)], scope: &ArgumentScope<'a>) {
        let is_power = scope.language == Some("pwsh") || language_of(name) == Some("pwsh");
        let shell = if is_power { ShellLanguage::PowerShell } else { self.tool.shell() };
        if self.tool.types() {
            self.push(Typed, typed_text(value), scope);
            return;
        }
        let lines: Vec<String> = match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(items) => {
                let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                let are_lines = words.first().is_some_and(|first| first.contains(char::is_whitespace))
                    || name.ends_with('s') && !ProgramArgs.has(name) && words.len() == items.len();
                match are_lines {
                    true => words.into_iter().map(str::to_owned).collect(),
                    false => vec![join_words(&words)],
                }
            }
            _ => return,
        };
        let rest: Vec<String> = named
            .iter()
            .filter(|(other, _)| other != name && ProgramArgs.has(other))
            .flat_map(|(_, value)| to_words(value))
            .collect();
        for line in lines {
            let line = if rest.is_empty() { line } else { format!("{line} {}", rest.join(" ")) };
            if self.tool.is_database() {
                self.push(Statement, line.as_str(), scope);
            }
            if let Some((program, _)) = self.tool.program()
                && line.split_whitespace().next() != Some(program)
            {
                let line = format!("{program} {line}");
                self.push(Command(shell), line, scope);
            }
            self.push(Command(shell), line, scope);
        }
    }

    /// A tool that is a subcommand of a program: `git_push {"force": true}` is `git push --force`.
    fn read_program(&mut self, named: &[(String, &'a Value)], scope: &ArgumentScope<'a>) {
        let find = |wanted: &str| named.iter().find(|(name, _)| name == wanted).map(|(_, value)| *value);
        let drops = self.tool.own.iter().position(|word| matches!(word.as_str(), "drop" | "truncate"));
        if let Some(words) = drops.and_then(|index| self.tool.own.get(index..)) {
            let kind = words.get(1).map_or("", String::as_str);
            let target = [kind, "name", "table", "collection", "database"].iter().find_map(|name| find(name)?.as_str());
            let text = format!("{} \"{}\"", words.join(" "), target.unwrap_or("?").replace('"', ""));
            self.push(Statement, text, scope);
        }
        let Some((program, words)) = self.tool.program() else { return };
        let mut line: Vec<String> = vec![program.to_owned()];
        line.extend(words.iter().cloned());
        for (name, value) in named {
            match value {
                Value::Bool(true) => line.push(format!("--{}", name.replace('_', "-"))),
                Value::String(mode) if matches!(name.as_str(), "mode" | "type") => {
                    line.push(format!("--{}", quote(mode)))
                }
                Value::String(word) if matches!(name.as_str(), "operation" | "action" | "subcommand") => {
                    line.push(quote(word))
                }
                _ => {}
            }
        }
        line.extend(ProgramArgs.all().iter().filter_map(|name| find(name)).flat_map(to_words));
        let operands = Operands.all().iter().filter_map(|name| find(name));
        line.extend(operands.flat_map(|value| match value {
            Value::String(text) => vec![quote(text)],
            value => to_words(value),
        }));
        self.push(Command(ShellLanguage::Bash), line.join(" "), scope);
    }

    fn read_text(&mut self, name: &str, text: &str, scope: &ArgumentScope<'a>) {
        if CodeTexts.has(name)
            && let Some(role) = self.code_role(name, scope)
        {
            self.push(role, text, scope);
            return;
        }
        if Statements.has(name) {
            if name.contains("sql")
                || self.tool.is_database()
                || scope.verb != Some(ToolVerb::Search) && is_statement(text)
            {
                self.push(Statement, text, scope);
            }
        } else if Addresses.has(name) {
            self.push(Address, text, scope);
        } else if let Some(role) = path_role(name, text, scope.verb) {
            self.push(role, text, scope);
        }
    }

    /// What code is for this tool; `None` if it does not run it.
    fn code_role(&self, name: &str, scope: &ArgumentScope<'a>) -> Option<ArgumentRole> {
        let own = name.split('_').find_map(language_of);
        if self.tool.types() {
            return None;
        }
        match own.or(scope.language) {
            Some("bash") if self.tool.is_interpreter() || self.tool.is_shell() || name == "script" => {
                Some(Command(ShellLanguage::Bash))
            }
            Some("pwsh") => Some(Command(ShellLanguage::PowerShell)),
            language if own.is_some() || self.tool.is_interpreter() && !self.tool.is_shell() => Some(Code(language)),
            _ => self.tool.is_shell().then(|| Command(self.tool.shell())),
        }
    }
}

/// Whether an argument of a tool that runs commands can be the command line.
fn can_be_command(name: &str, value: &Value) -> bool {
    let is_shell = |text: &str| !text.contains(char::is_whitespace) && language_of(text).is_some();
    let is_text = match value {
        Value::String(text) => name != "shell" || !is_shell(text.rsplit('/').next().unwrap_or(text)),
        Value::Array(words) => words.iter().all(Value::is_string),
        _ => false,
    };
    is_text && ![CommandOptions, Statements, Addresses].iter().any(|names| names.has(name))
}

/// What keys type: the names of some stand for a letter.
fn typed_text(value: &Value) -> String {
    let keys: Vec<&str> = match value {
        Value::Array(keys) => keys.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    };
    let mut typed = String::new();
    for key in keys {
        match key.to_ascii_lowercase().trim_matches(['<', '>', '{', '}']) {
            "enter" | "return" | "kpenter" | "cr" | "c-m" | "c-j" => typed.push('\n'),
            "space" => typed.push(' '),
            "c-c" | "c-u" | "c-d" | "escape" | "esc" => typed.push('\n'),
            _ => {
                for letter in key.chars() {
                    match letter {
                        '\u{8}' | '\u{7f}' => drop(typed.pop()),
                        letter if letter.is_control() && letter != '\t' => typed.push('\n'),
                        letter => typed.push(letter),
                    }
                }
            }
        }
    }
    typed
}

/// Whether an argument of a tool is a patch.
fn is_patch(tool: &ToolName, verb: Option<ToolVerb>, name: &str) -> bool {
    verb == Some(ToolVerb::Write) && (Patches.has(name) || tool.is_patcher())
}

/// The files that a patch changes or deletes, in the form of Codex or of `diff`.
fn patched_paths(patch: &str) -> impl Iterator<Item = (ToolVerb, &str)> {
    const CHANGES: &str = "*** Update File:|*** Add File:|*** Create File:|*** Move to:|+++ |--- |rename from |rename to |\
                           copy to |Index: ";
    patch.lines().flat_map(|line| {
        let line = line.trim();
        let deleted = line.strip_prefix("*** Delete File:").map(|path| (ToolVerb::Delete, path));
        let changed =
            || CHANGES.split('|').find_map(|mark| line.strip_prefix(mark)).map(|path| (ToolVerb::Write, path));
        let found = deleted.or_else(changed).map(|(verb, path)| {
            // A time may follow.
            (verb, path.split('\t').next().unwrap_or(path).trim().trim_matches('"'))
        });
        let (verb, path) = found.filter(|(_, path)| *path != "/dev/null").unwrap_or((ToolVerb::Write, ""));
        let plain = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
        [Some(path), plain].into_iter().flatten().filter(|path| !path.is_empty()).map(move |path| (verb, path))
    })
}

/// Which path an argument is, if it is one.
fn path_role(name: &str, text: &str, verb: Option<ToolVerb>) -> Option<ArgumentRole> {
    let words: Vec<&str> = name.split('_').collect();
    let has = |names: ToolWords| words.iter().any(|word| names.has(word));
    let last = words.last()?;
    let moves = matches!(verb, Some(ToolVerb::Move | ToolVerb::Duplicate));
    // `to` may be a person.
    let is_path = PathEnds.has(last)
        || moves && (has(Sources) || has(Targets))
        || words.len() == 1 && (has(Sources) || has(Targets)) && text.starts_with(['/', '~', '.', '\\']);
    match () {
        () if DirectoryEnds.has(last) && !has(Sources) && !has(Targets) => Some(Directory),
        () if !is_path && !DirectoryEnds.has(last) => None,
        () if has(Targets) => Some(Target),
        () if has(Sources) => Some(Source),
        () => Some(Path),
    }
}

/// Whether a text begins as a statement does.
fn is_statement(text: &str) -> bool {
    let first = text.trim_start().split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
    SqlVerbs.has(&first.to_ascii_uppercase())
}

/// The words of an argument list; a text is words already.
fn to_words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(quote).collect(),
        _ => Vec::new(),
    }
}

fn join_words(words: &[&str]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// The texts of a call that can be paths: one line, not an address, not a command line, and not a text for people or the
/// content of a file.
#[must_use]
pub fn possible_paths<'a>(name: &str, args: &'a Value) -> Vec<&'a str> {
    let mut paths = Vec::new();
    push_possible_paths(&ToolName::new(name), args, 0, &mut paths);
    paths
}

fn push_possible_paths<'a>(tool: &ToolName, value: &'a Value, depth: usize, paths: &mut Vec<&'a str>) {
    let verb = tool.verb();
    match value {
        _ if depth > MAX_DEPTH => {}
        Value::String(text) => paths.extend(Some(text.trim()).filter(|text| can_be_path(text))),
        Value::Array(items) => items.iter().for_each(|item| push_possible_paths(tool, item, depth + 1, paths)),
        Value::Object(fields) => {
            let named: Vec<(String, &Value)> = fields.iter().map(|(name, value)| (plain_name(name), value)).collect();
            let has_command = named.iter().any(|(name, _)| Commands.has(name));
            for (name, value) in &named {
                // A tool that works in a directory does not change it, unless it deletes or moves it.
                let is_directory = verb < Some(ToolVerb::Move) && WorkingDirectories.has(name);
                let is_command = Commands.has(name) || has_command && ProgramArgs.has(name);
                let is_read = is_directory || is_text(name, verb) || is_command && !value.is_object();
                if let Some(patch) = value.as_str().filter(|_| is_patch(tool, verb, name)) {
                    paths.extend(patched_paths(patch).map(|(_, path)| path));
                }
                if !is_read {
                    push_possible_paths(tool, value, depth + 1, paths);
                }
            }
        }
        _ => {}
    }
}

pub(super) fn can_be_path(text: &str) -> bool {
    let is_address = text.contains("://") && !text.starts_with("file://");
    !text.is_empty() && text.len() < 4096 && !text.contains(['\n', '\0']) && !is_address
}
