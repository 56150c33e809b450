//! What a walk keeps for a caller that watches files.

use std::path::PathBuf;

use super::shared::SharedTable;
use super::state::WalkState;
use super::{CommandWalk, ListedFiles, ShellArg, TextFlow};
use crate::command_files::FileUse;
use crate::paths::{PlacedPath, UNKNOWN};
use crate::watch::{CommandReading, WatchNotes, WatchedFile, WatchedFiles};
use crate::{CallCommand, Operation, OperationTag};

/// The most commands that are kept. One behind them is a command that cannot be known.
const MAX_KEPT_COMMANDS: usize = 400;
/// The most directories that are kept.
const MAX_DIRECTORIES: usize = 16;

impl<'s> CommandWalk<'s> {
    /// Also keeps what a caller that watches files wants to know.
    pub(crate) fn watching(mut self, files: &'s dyn WatchedFiles) -> Self {
        self.notes.files = Some(files);
        self.notes.directories.push(self.site.cwd.to_owned());
        self
    }

    /// Also keeps every command that runs.
    pub(crate) fn keeping_commands(mut self) -> Self {
        self.notes.commands = Some(Vec::new());
        self
    }

    pub(crate) fn take_commands(&mut self) -> Vec<CallCommand> {
        self.notes.commands.take().unwrap_or_default()
    }

    /// Records a command that runs, or that may run.
    pub(super) fn note_command(&mut self, program: &ShellArg, args: &[ShellArg]) {
        let kept = self.notes.commands.as_ref().map_or(MAX_KEPT_COMMANDS + 1, Vec::len);
        // Statements of PowerShell are programs whose names begin with `&`.
        if kept > MAX_KEPT_COMMANDS || program.text.len() > 1 && program.text.starts_with('&') {
            return;
        }
        let words = || std::iter::once(program).chain(args);
        let mut command = self.place_command(CallCommand {
            words: words().map(ShellArg::shown).collect(),
            unknown: !words().all(ShellArg::is_known),
            possible: self.is_trial,
            ..CallCommand::default()
        });
        if kept == MAX_KEPT_COMMANDS {
            command = CallCommand { words: vec![String::from("…")], unknown: true, ..CallCommand::default() };
        }
        if let Some(commands) = self.notes.commands.as_mut().filter(|commands| !commands.contains(&command)) {
            commands.push(command);
        }
    }

    /// Runs the functions that the line defines, also those that it does not call: a later line may.
    pub(crate) fn run_defined(&mut self) {
        for state in self.take_states() {
            for (_, body) in state.functions.iter() {
                if self.notes.has_run(body) {
                    continue;
                }
                let functions = SharedTable::default();
                self.state = WalkState { functions, is_over: false, ..state.clone() };
                self.run_command(body, &TextFlow::default());
            }
        }
    }

    pub(crate) fn into_reading(self) -> CommandReading {
        let WatchNotes { directories, texts, .. } = self.notes;
        CommandReading { operations: self.operations, directories, texts, is_cut: false }
    }

    /// Whether the caller watches a path, or something below it.
    pub(crate) fn is_watched(&self, placed: &PlacedPath) -> bool {
        self.notes.files.zip(placed.path.as_ref()).is_some_and(|(files, path)| files.concerns(path))
    }

    /// Whether a path has settings of an agent or of Pintle, or is watched.
    pub(crate) fn needs_care(&self, arg: &ShellArg) -> bool {
        let placed = self.place(arg);
        let is_guard = |tag: &OperationTag| matches!(tag, OperationTag::AgentSettings | OperationTag::Pintle);
        placed.tags.iter().any(is_guard) || self.is_watched(&placed)
    }

    /// What a search below a directory may find of the watched files. `None`: the caller watches none.
    pub(crate) fn watched_below(&self, start: &ShellArg) -> Option<Vec<WatchedFile>> {
        let files = self.notes.files?;
        let placed = self.place(start).path;
        let elsewhere = self.notes.directories.iter().map(|dir| dir.join(start.shown()));
        let mut found: Vec<WatchedFile> = Vec::new();
        for dir in placed.into_iter().chain(elsewhere) {
            let new: Vec<WatchedFile> = files.find_below(&dir);
            found.extend(
                new.into_iter().filter(|new| found.iter().all(|known| known.path != new.path)).collect::<Vec<_>>(),
            );
        }
        Some(found)
    }

    /// Whether the caller watches files.
    pub(crate) fn watches_files(&self) -> bool {
        self.notes.files.is_some()
    }

    /// Which files a condition selects is not known if the caller watches files.
    pub(crate) fn without_selection(&self, listed: &ListedFiles) -> ListedFiles {
        let mut listed = listed.clone();
        if self.notes.files.is_some() && listed.is_filtered && !listed.root.is_pattern {
            listed.root.text = format!("{}/{UNKNOWN}", listed.root.text.trim_end_matches('/'));
            listed.is_filtered = false;
        }
        listed
    }

    /// Adds an operation that matters for watched files only, such as a new directory.
    pub(crate) fn push_watched(&mut self, operation: Operation, arg: &ShellArg) {
        if self.notes.files.is_some() {
            self.push_path(operation, arg);
        }
    }

    /// Records a directory that the line enters, also below each that it may be in: entering one may fail.
    pub(crate) fn note_directory(&mut self, arg: &ShellArg) {
        self.note_file(FileUse::Directory, arg);
        if self.notes.files.is_some() {
            let entered = self.place(arg).path;
            let text = arg.text.replace(UNKNOWN, "…");
            let below: Vec<PathBuf> = self.notes.directories.iter().map(|dir| dir.join(&text)).collect();
            for dir in entered.into_iter().chain(below) {
                if self.notes.directories.len() < MAX_DIRECTORIES && !self.notes.directories.contains(&dir) {
                    self.notes.directories.push(dir);
                }
            }
        }
    }

    /// Records a text whose effect on the files that it names is not known.
    pub(crate) fn note_text(&mut self, text: &str) {
        if self.notes.files.is_some() && !self.is_in_file() && !self.notes.texts.iter().any(|known| known == text) {
            self.notes.texts.push(text.to_owned());
        }
    }
}
