//! What a walk keeps for a caller that binds commands to their files.

use std::path::Path;
use std::rc::Rc;

use super::{CommandWalk, ShellArg, TextFlow, TextTaint, shown};
use crate::command_files::{
    CommandFiles, FileUse, FileWord, PROJECT_DIR, PathStart, ScriptLanguage, UnnamedFiles, UnnamedReason,
};
use crate::paths::UNKNOWN;
use crate::syntax::{BashCommand, BashWord};

/// The most variables that are kept, and the most values of each.
const MAX_VARIABLES: usize = 64;
const MAX_VALUES: usize = 3;
/// The most words that are kept.
const MAX_WORDS: usize = 4096;

impl CommandWalk<'_> {
    /// Also keeps which files the line names.
    pub(crate) fn noting_files(mut self) -> Self {
        self.notes.named = Some(CommandFiles::default());
        self
    }

    pub(crate) fn take_file_notes(&mut self) -> CommandFiles {
        self.notes.named.replace(CommandFiles::default()).unwrap_or_default()
    }

    /// Whether the files are kept that the line names.
    pub(crate) fn notes_files(&self) -> bool {
        self.notes.named.is_some()
    }

    /// What is kept, unless the command runs on another machine.
    fn file_notes(&mut self) -> Option<&mut CommandFiles> {
        let is_here = self.is_here();
        self.notes.named.as_mut().filter(|_| is_here)
    }

    /// Notes a word that may name a file.
    pub(crate) fn note_file(&mut self, usage: FileUse, arg: &ShellArg) {
        let command = self.notes.command.clone();
        // What `xargs` adds is said of `xargs`, unless it runs.
        let runs = matches!(usage, FileUse::Program(_) | FileUse::Script(_));
        let is_added = !runs && !arg.is_known() && arg.sources.is_empty();
        let Some(found) = self.file_notes().filter(|_| !is_added) else { return };
        if found.words.len() >= MAX_WORDS {
            found.is_cut = true;
            return;
        }
        let otherwise = arg.otherwise.as_ref().map(|text| arg.with_text(text.as_str()));
        for arg in std::iter::once(arg).chain(&otherwise) {
            let is_device = arg.text.starts_with("/dev/") && !arg.text.starts_with("/dev/shm/");
            if !arg.text.is_empty() && !is_device {
                found.words.insert(FileWord::new(usage.clone(), arg, command.clone()));
            }
        }
    }

    /// Notes the program of a command, which is the current one from here on.
    pub(crate) fn note_program_word(&mut self, program: &ShellArg, args: &[ShellArg], is_known: bool) {
        if self.notes_files() {
            let words: Vec<String> = std::iter::once(program).chain(args).map(ShellArg::shown).collect();
            self.notes.command = without_marks(&words.join(" "));
            self.note_file(FileUse::Program(is_known), program);
        }
    }

    /// Notes that a function runs.
    pub(super) fn note_function(&mut self, body: &Rc<BashCommand>, args: &[ShellArg]) {
        if self.notes_files() && !self.notes.has_run(body) {
            self.notes.functions.push(Rc::clone(body));
        }
        args.iter().for_each(|arg| self.note_file(FileUse::Argument, arg));
    }

    /// Notes a file that a program runs as code.
    pub(crate) fn note_script(&mut self, program: &str, script: &ShellArg) {
        if self.notes_files() {
            self.note_file(FileUse::Script(ScriptLanguage::of_program(program)), script);
        }
    }

    /// Notes a path with braces, which not every shell expands.
    pub(super) fn note_braces(&mut self, bash_word: &BashWord) {
        let is_path = |text: &&str| text.contains('/') && (text.contains(',') || text.contains(".."));
        if let Some(text) = bash_word.as_literal().filter(is_path).filter(|_| self.notes_files()) {
            self.note_script("sh", &ShellArg::new(text));
        }
    }

    /// Notes that a program runs its input as code.
    pub(crate) fn note_input(&mut self, program: &str, input: &TextFlow) {
        if !self.notes_files() {
            return;
        }
        for path in &input.files {
            self.note_script(program, &ShellArg::new(path.to_string_lossy()));
        }
        if let Some(file) = &input.redirected {
            return self.note_script(program, file);
        }
        let is_known = input.text.as_ref().is_some_and(|text| !text.contains(UNKNOWN));
        if !is_known && (input.is_given || input.text.is_some() || input.files.is_empty()) {
            self.note_unnamed(UnnamedReason::ByInput);
        }
    }

    /// Notes code of another language.
    pub(crate) fn note_code(&mut self, program: &str, code: &ShellArg) {
        if !code.is_known() {
            self.note_unnamed(UnnamedReason::UnknownCode);
        }
        if let Some((found, language)) = self.file_notes().zip(ScriptLanguage::of_program(program)) {
            found.codes.insert((language, code.shown()));
        }
    }

    /// Notes that the current command runs files without naming them.
    pub(crate) fn note_unnamed(&mut self, reason: UnnamedReason) {
        let command = self.notes.command.clone();
        if let Some(found) = self.file_notes() {
            found.unnamed.insert(UnnamedFiles { reason, command });
        }
    }

    /// Notes the values of a variable. What is not known of them is treated as the output of a command.
    pub(super) fn note_values(&mut self, name: &str, values: &mut [ShellArg]) {
        let Some(found) = self.file_notes() else { return };
        for value in values.iter_mut().filter(|value| !value.is_known() && !value.sources.is_empty()) {
            value.taint |= TextTaint::OUTPUT;
            value.sources = vec![format!("${name}")];
        }
        let is_argument =
            name.bytes().all(|letter| letter.is_ascii_digit()) || matches!(name, "@" | "*" | "BASH_SOURCE");
        if is_argument || found.variables.len() >= MAX_VARIABLES && !found.variables.contains_key(name) {
            return;
        }
        let kept = found.variables.entry(name.to_owned()).or_default();
        for value in values.iter().filter(|_| kept.len() < MAX_VALUES).collect::<Vec<_>>() {
            kept.insert(value.text.clone());
        }
    }

    /// Whether a value is only what a variable most often has, if the line does not set it.
    pub(super) fn is_assumed(&self, name: &str) -> bool {
        self.notes.named.is_some() && !self.state.variables.contains_key(name)
    }

    /// Whether a variable of the environment has the directory of the project.
    pub(super) fn is_project_variable(&self, name: &str) -> bool {
        self.notes.named.is_some() && name.ends_with("PROJECT_DIR")
    }

    pub(super) fn is_system_file(&self, path: &Path) -> bool {
        self.notes.named.is_none() && super::scripts::SYSTEM_DIRS.iter().any(|dir| path.starts_with(dir))
    }
}

/// A text as a user would read it.
pub(crate) fn without_marks(text: &str) -> String {
    shown(text).replace(PROJECT_DIR, "$PROJECT_DIR")
}

impl FileWord {
    fn new(usage: FileUse, arg: &ShellArg, command: String) -> Self {
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
