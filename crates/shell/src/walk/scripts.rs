//! Files with code that the line runs: what their text does counts as if it stood in the line.
//!
//! A script depends on its surroundings all the time: on variables, arguments and the output of programs. So of a file
//! only what is certain counts, while a line that cannot be known is unknown. What a limit cuts off is not looked at.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{CommandWalk, MAX_COMMANDS, MAX_OPERATIONS, NOT_BUILT_IN, ShellArg, TextFlow};
use crate::{CallCommand, Operation, OperationKind, OperationTag, PathPlace};

/// Directories whose programs belong to the system.
pub(super) const SYSTEM_DIRS: [&str; 9] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix", "/proc", "/sys", "/dev"];
/// The most bytes of a file that are looked at.
const MAX_BYTES: usize = 64 * 1024;
/// The deepest nesting of files that run each other.
const MAX_DEPTH: usize = 4;
/// The most files of a call.
const MAX_FILES: usize = 8;
/// The most names of files of a call that are looked for.
const MAX_NAMES: usize = 64;
/// The most bytes of the files of a call, each time that they run.
const MAX_TOTAL_BYTES: usize = 2 * MAX_BYTES;
/// The most commands of the files of a call.
const MAX_FILE_COMMANDS: usize = 4 * MAX_COMMANDS;

/// The files of a call.
#[derive(Default)]
pub(super) struct ScriptFiles {
    texts: HashMap<PathBuf, Option<Rc<str>>>,
    /// Those that run, the outermost first.
    running: Vec<RunningFile>,
    /// How many commands of files ran, and how many bytes of code were looked at.
    command_count: usize,
    byte_count: usize,
    /// The modules that were loaded.
    modules: HashSet<Rc<Path>>,
    /// How many other machines and containers run what follows: their files are not those of this one.
    elsewhere: usize,
}

/// A file that runs.
struct RunningFile {
    path: PathBuf,
    /// Its name for the user.
    name: String,
    text: Rc<str>,
    /// Where the command begins that runs, if that is known.
    offset: Option<usize>,
    /// The number of calls in which the commands of its text run.
    depth: usize,
    /// The language of code whose reader guesses; empty for a shell.
    language: String,
    /// Whether what runs now is a command line in such code.
    is_line: bool,
}

impl RunningFile {
    /// Whether a reader guesses what runs now.
    fn is_guessed(&self) -> bool {
        !self.language.is_empty() && !self.is_line
    }

    /// The line of what a command does to what is written. Code has no offsets; it mostly names what it uses as it is.
    fn line_of(&self, written: &str) -> Option<usize> {
        let offset = match self.offset {
            None if !written.is_empty() => self.text.find(written),
            offset => offset,
        };
        Some(self.text.get(..offset?)?.matches('\n').count() + 1)
    }

    /// Whether an operation counts.
    fn is_certain(&self, operation: &Operation) -> bool {
        use OperationTag::{Decoded, Network, Pattern, Recursive, Secret, TooOpen};
        let (place, is_guessed) = (operation.place, self.is_guessed());
        match operation.kind {
            OperationKind::Unknown => operation.reason.ends_with(NOT_BUILT_IN),
            OperationKind::RunCode if self.language.is_empty() => operation.has(Network) || operation.has(Decoded),
            OperationKind::RunCode => !is_guessed && (operation.has(Network) || operation.program == self.language),
            _ if place == Some(PathPlace::Unknown) => false,
            // A program of the project reads the settings of the project. What it sends and prints of them still counts.
            OperationKind::Read | OperationKind::Move if operation.has(Secret) => place != Some(PathPlace::Project),
            // The reader of code knows neither which function runs nor what becomes of a value.
            OperationKind::Write | OperationKind::Permission if is_guessed => {
                let is_usual = |place| !matches!(place, PathPlace::Device | PathPlace::System);
                let is_plain = |tag: &OperationTag| matches!(tag, Pattern | Recursive | Secret | TooOpen);
                !(place.is_none_or(is_usual) && operation.tags.iter().all(is_plain))
            }
            // Of a path that is put together, it may miss the beginning.
            OperationKind::Delete | OperationKind::Move | OperationKind::Read if is_guessed => {
                let is_whole = operation.written.starts_with(['/', '~']);
                is_whole
                    || !operation.written.contains("..")
                        && !operation.has(Pattern)
                        && (operation.written != "." || operation.has(Recursive))
            }
            _ => !is_guessed,
        }
    }
}

impl CommandWalk<'_> {
    /// Whether a file runs.
    pub(crate) fn is_in_file(&self) -> bool {
        !self.scripts.running.is_empty()
    }

    /// Whether what runs is on this machine.
    pub(super) fn is_here(&self) -> bool {
        self.scripts.elsewhere == 0
    }

    /// Whether code of a file is read, rather than a command line.
    #[cfg(feature = "code")]
    pub(crate) fn is_in_code_file(&self) -> bool {
        self.scripts.running.last().is_some_and(RunningFile::is_guessed)
    }

    /// The directory of the code that runs, where it looks for modules.
    pub(crate) fn running_dir(&self) -> Option<PathBuf> {
        let file = self.scripts.running.last().filter(|file| file.is_guessed())?;
        file.path.parent().map(Path::to_owned)
    }

    /// The most commands that may run.
    pub(super) fn most_commands(&self) -> usize {
        if self.is_in_file() || self.notes_files() { MAX_FILE_COMMANDS } else { MAX_COMMANDS }
    }

    /// The path of an argument that may be a file with code. What is in a directory of the system belongs to it.
    pub(crate) fn code_path(&self, arg: &ShellArg) -> Option<Rc<Path>> {
        if self.site.files.is_none() || self.scripts.elsewhere > 0 || !arg.is_known() || arg.is_pattern {
            return None;
        }
        let placed = self.place(arg);
        let is_project = placed.place == PathPlace::Project;
        let is_read = |path: &PathBuf| is_project || !self.is_system_file(path);
        placed.path.filter(is_read).map(Rc::from)
    }

    /// What a file that is run holds: as the line wrote it, or as it is on the disk.
    pub(crate) fn code_of(&self, arg: &ShellArg) -> Option<TextFlow> {
        let on_disk = || Some(TextFlow { files: vec![self.code_path(arg)?], ..TextFlow::default() });
        self.written_before(arg).or_else(on_disk)
    }

    /// The text of a file.
    pub(crate) fn file_text(&mut self, path: &Path) -> Option<Rc<str>> {
        let files = self.site.files?;
        if let Some(known) = self.scripts.texts.get(path) {
            return known.clone();
        }
        let read_count = self.scripts.texts.values().flatten().count();
        if read_count >= MAX_FILES || self.scripts.texts.len() >= MAX_NAMES {
            return None;
        }
        let text = files.read_code(path, MAX_BYTES).map(|mut text| {
            if text.len() >= MAX_BYTES {
                text.truncate(text.rfind('\n').unwrap_or_default());
            }
            Rc::from(text)
        });
        self.scripts.texts.insert(path.to_owned(), text.clone());
        text
    }

    /// Notes that code loads a module. Returns whether it is the first time.
    pub(crate) fn note_module(&mut self, path: &Rc<Path>) -> bool {
        self.scripts.modules.insert(Rc::clone(path))
    }

    /// Counts the bytes of a file that runs. Returns whether they may be looked at.
    pub(crate) fn spend_bytes(&mut self, text: &str) -> bool {
        self.scripts.byte_count += text.len();
        self.scripts.byte_count <= MAX_TOTAL_BYTES
    }

    /// Runs the text of a file. `None` if there is none, or if files run each other too deeply.
    pub(crate) fn in_file(
        &mut self,
        path: &Path,
        language: &str,
        run: impl FnOnce(&mut Self, &str) -> TextFlow,
    ) -> Option<TextFlow> {
        let running: Vec<&Path> = self.scripts.running.iter().map(|file| file.path.as_path()).collect();
        let others: HashSet<&Path> = running.iter().copied().filter(|other| *other != path).collect();
        if others.len() >= MAX_DEPTH || running.len() >= 2 * MAX_DEPTH {
            return None;
        }
        let text = self.file_text(path)?;
        let name = path.strip_prefix(self.site.project).unwrap_or(path).display().to_string();
        let depth = self.call_depth + 1;
        let (path, language) = (path.to_owned(), language.to_owned());
        let file = RunningFile { path, name, text: Rc::clone(&text), offset: None, depth, language, is_line: false };
        self.scripts.running.push(file);
        let outer = std::mem::replace(&mut self.command_count, self.scripts.command_count);
        let flow = run(self, &text);
        self.scripts.command_count = std::mem::replace(&mut self.command_count, outer);
        self.scripts.running.pop();
        Some(flow)
    }

    /// Runs a command line of a file whose code is read, or what else is certain in it.
    #[cfg(feature = "code")]
    pub(crate) fn as_line<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let was_line = self.scripts.running.last_mut().map(|file| std::mem::replace(&mut file.is_line, true));
        let done = run(self);
        if let Some((file, was_line)) = self.scripts.running.last_mut().zip(was_line) {
            file.is_line = was_line;
        }
        done
    }

    /// Runs on another machine, or in a container.
    pub(crate) fn without_files<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.scripts.elsewhere += 1;
        let done = run(self);
        self.scripts.elsewhere -= 1;
        done
    }

    /// Notes where the command begins that runs, if its text is that of a file.
    pub(super) fn note_offset(&mut self, offset: usize) {
        let depth = self.call_depth;
        if let Some(file) = self.scripts.running.last_mut().filter(|file| file.depth == depth) {
            file.offset = Some(offset);
        }
    }

    /// Notes the line of a file that runs, whose commands are not read from its text.
    pub(crate) fn note_line(&mut self, line: usize) {
        if let Some(file) = self.scripts.running.last_mut() {
            let before: usize = file.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
            (file.offset, file.depth) = (Some(before), usize::MAX);
        }
    }

    /// Whether a directory exists on the disk, and nothing before may have taken it away.
    pub(super) fn is_dir_on_disk(&self, path: &Path) -> bool {
        let takes_away = |operation: &Operation| matches!(operation.kind, OperationKind::Delete | OperationKind::Move);
        (self.is_in_file() || !self.operations.iter().any(takes_away))
            && self.site.files.is_some_and(|files| files.is_dir(path))
    }

    /// The operation with the file that it is in; `None` if it is in one and is not certain.
    pub(super) fn admit(&self, mut operation: Operation) -> Option<Operation> {
        let Some(file) = self.scripts.running.last() else { return Some(operation) };
        let is_watched = |path: &String| self.notes.files.is_some_and(|files| files.concerns(Path::new(path)));
        let is_certain = file.is_certain(&operation)
            || operation.kind == OperationKind::Write && operation.path.as_ref().is_some_and(is_watched);
        if !is_certain || self.operations.len() >= MAX_OPERATIONS / 2 {
            return None;
        }
        operation.line = file.line_of(&operation.written);
        operation.file = Some(file.name.clone());
        Some(operation)
    }

    /// The command with the file that runs it.
    pub(super) fn place_command(&self, command: CallCommand) -> CallCommand {
        let Some(file) = self.scripts.running.last() else { return command };
        let program = command.words.first().map_or("", String::as_str);
        CallCommand { line: file.line_of(program), file: Some(file.name.clone()), ..command }
    }
}
