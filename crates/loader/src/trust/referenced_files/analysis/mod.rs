//! Analyzes a command as a shell would read it.

mod run;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pintle_contract::CommandSpec;

use super::ReferencedFiles;
use super::includes;
use super::programs::{LOADING, ProgramKind, ProgramLanguage, detect_language, kind_of_program};
use super::shell::{self, CommandWord, ParsedCommand};
use super::values::{self, NamedPaths, ValuePiece, VariableValues, WordValue, expand_word, find_paths};

use pintle_files::normalize_path;

/// The most directories to which words are resolved.
const MOST_BASES: usize = 64;
/// The most rounds in which such directories are searched.
const MOST_ROUNDS: usize = 4;
/// The deepest nesting of texts and included files.
const MOST_DEPTH: usize = 8;
/// The number of bytes of a program that are analyzed.
const MOST_BYTES: u64 = 1 << 20;
/// The longest part of a command that is shown.
const MOST_SHOWN: usize = 100;

/// The state of the analysis of a command.
#[derive(Debug)]
pub(super) struct CommandAnalysis<'a> {
    command: &'a CommandSpec,
    project: &'a Path,
    /// Another directory whose files are included: the working directory.
    cwd: Option<&'a Path>,
    home: Option<PathBuf>,
    bases: Vec<PathBuf>,
    /// The directories that may be the project's root if a word does not name it explicitly.
    roots: Vec<PathBuf>,
    /// The variables that are known before the command starts.
    initial_variables: VariableValues,
    variables: VariableValues,
    functions: BTreeSet<String>,
    files: BTreeSet<PathBuf>,
    missing_programs: BTreeSet<PathBuf>,
    written_files: BTreeSet<PathBuf>,
    not_covered: BTreeSet<String>,
    /// The spans of files that are only written.
    written_spans: Vec<Range<usize>>,
    /// The programs whose texts were read, including the current one.
    scanned_programs: BTreeSet<PathBuf>,
    script: Option<PathBuf>,
    depth: usize,
}

impl<'a> CommandAnalysis<'a> {
    pub(super) fn new(command: &'a CommandSpec, own: Option<&Path>, project: &'a Path) -> Self {
        let mut bases = vec![project.to_owned()];
        bases.extend(own.and_then(Path::parent).map(|dir| project.join(dir)).filter(|dir| dir != project));
        Self {
            command,
            project,
            cwd: None,
            home: pintle_files::home_dir(),
            bases,
            roots: Vec::new(),
            initial_variables: VariableValues::new(),
            variables: VariableValues::new(),
            functions: BTreeSet::new(),
            files: BTreeSet::new(),
            missing_programs: BTreeSet::new(),
            written_files: BTreeSet::new(),
            not_covered: BTreeSet::new(),
            written_spans: Vec::new(),
            scanned_programs: BTreeSet::new(),
            script: None,
            depth: 0,
        }
    }

    /// The analysis of a command that is about to run in a directory with these variables.
    pub(super) fn for_running_command(
        command: &'a CommandSpec,
        project: &'a Path,
        cwd: &'a Path,
        variables: &[(String, String)],
    ) -> Self {
        // For a command inside a nested repository, that repository may be the root.
        let below = cwd.ancestors().take_while(|dir| *dir != project);
        let given = variables.iter().map(|(name, text)| (name.clone(), vec![vec![ValuePiece::Text(text.clone())]]));
        Self {
            cwd: Some(cwd),
            bases: vec![cwd.to_owned()],
            roots: below.chain([project]).map(Path::to_owned).collect(),
            initial_variables: given.collect(),
            ..Self::new(command, None, project)
        }
    }

    /// Whether a path is in a directory whose files are included.
    fn is_own_path(&self, path: &Path) -> bool {
        path.starts_with(self.project) || self.cwd.is_some_and(|cwd| path.starts_with(cwd))
    }

    /// Analyzes the command until it does not find further directories to which words may be relative.
    pub(super) fn analyze(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let before = (self.bases.len(), self.written_files.len());
            self.variables.clone_from(&self.initial_variables);
            self.files.clear();
            self.not_covered.clear();
            self.written_spans.clear();
            self.scanned_programs.clear();
            self.missing_programs.clear();
            self.analyze_once();
            if before == (self.bases.len(), self.written_files.len()) {
                break;
            }
        }
    }

    /// The shell text without the files that are only written.
    pub(super) fn text_without_written(&self) -> String {
        let mut rest = self.command.command.clone().into_bytes();
        if self.command.arguments.is_none() {
            for blank in &self.written_spans {
                rest.get_mut(blank.clone()).into_iter().for_each(|bytes| bytes.fill(b' '));
            }
        }
        String::from_utf8_lossy(&rest).into_owned()
    }

    pub(super) fn bases(&self) -> &[PathBuf] {
        &self.bases
    }

    pub(super) fn into_referenced_files(self) -> ReferencedFiles {
        ReferencedFiles {
            files: self.files,
            programs: self.scanned_programs,
            missing_programs: self.missing_programs,
            not_covered: self.not_covered,
        }
    }

    fn analyze_once(&mut self) {
        let spec = self.command;
        for (name, text) in &spec.environment {
            let word = if spec.expands { shell::parse_quoted_word(text) } else { CommandWord::from_text(text) };
            self.set_variable(name, &word, &format!("{name}={text}"));
            let place = self.resolve_word(&word);
            self.files.extend(place.files);
        }
        if let Some(directory) = &spec.directory {
            self.resolve_word(&shell::parse_quoted_word(directory));
        }
        match &spec.arguments {
            Some(arguments) => {
                let words: Vec<CommandWord> =
                    std::iter::once(&spec.command).chain(arguments).map(|text| CommandWord::from_text(text)).collect();
                let shown = words.iter().filter_map(CommandWord::text).collect::<Vec<_>>().join(" ");
                self.run_words(
                    &words,
                    &ParsedCommand::default(),
                    &CommandSource { text: "", display_text: &shown, is_own: false },
                );
            }
            None => {
                let is_known = spec.shell.as_deref().is_none_or(|shell| {
                    kind_of_program(shell.rsplit('/').next().unwrap_or_default()) == Some(ProgramKind::Shell)
                });
                if !is_known {
                    self.record_not_covered(&spec.command, "Pintle does not know its shell");
                }
                self.analyze_text(&spec.command, 0..spec.command.len(), true);
            }
        }
    }

    /// Analyzes a shell text. `is_own` tells whether it is the command itself, in which spans are known.
    fn analyze_text(&mut self, text: &str, span: Range<usize>, is_own: bool) {
        if self.depth >= MOST_DEPTH {
            return self.record_not_covered(text.get(span).unwrap_or_default(), "it is nested too deeply to analyze");
        }
        self.depth += 1;
        let commands = shell::parse_commands(text, span);
        self.functions
            .extend(commands.iter().filter(|command| command.is_definition).filter_map(|c| c.words.first()?.text()));
        for command in commands.iter().filter(|command| !command.is_definition) {
            let shown = text.get(command.span.clone()).unwrap_or_default();
            self.analyze_command(command, &CommandSource { text, display_text: shown, is_own });
        }
        self.depth -= 1;
    }

    fn analyze_command(&mut self, command: &ParsedCommand, source: &CommandSource<'_>) {
        for (name, word) in &command.variable_sets {
            self.set_variable(name, word, source.display_text);
        }
        for word in &command.writes {
            self.record_write(word, source);
        }
        for word in &command.reads {
            self.analyze_argument(word, source, true);
        }
        self.run_words(&command.words, command, source);
    }

    fn set_variable(&mut self, name: &str, command_word: &CommandWord, shown: &str) {
        let printed = |value: WordValue| -> WordValue {
            value
                .into_iter()
                .map(|piece| if piece == ValuePiece::Any { ValuePiece::CommandOutput } else { piece })
                .collect()
        };
        let found: Vec<WordValue> = expand_word(command_word, &self.variables).into_iter().map(printed).collect();
        if LOADING.contains(&name) && self.script.is_none() {
            self.record_not_covered(shown, "programs load files from there");
        }
        let known = self.variables.entry(name.to_owned()).or_default();
        for value in found {
            if !known.contains(&value) && known.len() < MOST_BASES {
                known.push(value);
            }
        }
    }

    /// The files and directories that a word names. Later words may be relative to these directories.
    fn resolve_word(&mut self, command_word: &CommandWord) -> NamedPaths {
        let mut whole = NamedPaths::default();
        for value in expand_word(command_word, &self.variables) {
            let place =
                find_paths(&value, &self.bases, &self.roots, self.home.as_deref(), &|path| self.is_own_path(path));
            whole.files.extend(place.files);
            whole.folders.extend(place.folders);
            whole.is_command_output = place.is_command_output && (!whole.is_open || whole.is_command_output);
            whole.is_open |= place.is_open;
            whole.is_outside |= place.is_outside;
        }
        for dir in &whole.folders {
            if self.bases.contains(dir) {
                continue;
            }
            if self.bases.len() >= MOST_BASES {
                self.not_covered.insert(String::from("it names more directories than Pintle analyzes"));
                break;
            }
            self.bases.push(dir.clone());
        }
        whole
    }

    /// A file that is only written is not run.
    fn record_write(&mut self, command_word: &CommandWord, source: &CommandSource<'_>) {
        let place = self.resolve_word(command_word);
        self.written_files.extend(place.files);
        self.blank_word(command_word, source);
    }

    fn is_written(&self, file: &Path) -> bool {
        self.written_files.contains(file)
    }

    fn blank_word(&mut self, command_word: &CommandWord, source: &CommandSource<'_>) {
        if source.is_own {
            self.written_spans.push(command_word.span.clone());
        }
    }

    /// Analyzes a word that may be a file to read. `is_data` tells whether nothing in the file runs.
    fn analyze_argument(&mut self, command_word: &CommandWord, source: &CommandSource<'_>, is_data: bool) {
        let place = self.resolve_word(command_word);
        if self.script.is_some() {
            // In a script, only the files that it certainly reads are included.
            let files =
                place.files.into_iter().filter(|file| is_data && !place.is_open && !self.written_files.contains(file));
            let files: Vec<PathBuf> = files.collect();
            return self.files.extend(files);
        }
        if is_data && !place.files.is_empty() && place.files.iter().all(|file| self.is_written(file)) {
            let shown = self.display_word(command_word, source);
            self.record_not_covered(&shown, "it also writes to that file");
            return self.blank_word(command_word, source);
        }
        if place.is_open && !(is_data && place.is_command_output) {
            let shown = self.display_word(command_word, source);
            self.record_not_covered(&shown, "known only when it runs");
        }
        self.files.extend(place.files);
    }

    /// Analyzes a file whose text runs. If the language is unknown, it is detected from the text.
    fn analyze_program(
        &mut self,
        command_word: &CommandWord,
        source: &CommandSource<'_>,
        known: Option<ProgramLanguage>,
    ) {
        let place = self.resolve_word(command_word);
        let is_found = !place.files.is_empty() && self.script.is_some();
        if (place.is_open && !is_found) || (!place.folders.is_empty() && place.files.is_empty()) {
            self.record_not_covered(
                source.display_text,
                if place.is_open { "known only when it runs" } else { "it runs files from a directory" },
            );
        } else if place.files.is_empty() && (self.script.is_none() || known.is_some()) {
            let leads_out = |value: &WordValue| {
                let path = values::literal_text(value).filter(|path| path.starts_with('/'));
                path.is_some_and(|path| !self.is_own_path(Path::new(&path)))
            };
            if place.is_outside || expand_word(command_word, &self.variables).iter().any(leads_out) {
                self.record_not_covered(source.display_text, "it is outside the project");
            }
        }
        if place.files.is_empty() && !place.is_outside {
            let paths =
                expand_word(command_word, &self.variables).into_iter().filter_map(|value| values::literal_text(&value));
            let paths = paths.filter(|path| path.contains(['/', '.']));
            let paths = paths.flat_map(|path| self.bases.iter().map(move |base| normalize_path(&base.join(&path))));
            let absent: Vec<PathBuf> = paths.filter(|path| self.is_own_path(path) && !path.exists()).collect();
            self.missing_programs.extend(absent);
        }
        for file in place.files {
            self.scan_program(&file, known);
        }
    }

    /// Adds a program, and analyzes the files that it includes.
    fn scan_program(&mut self, file: &Path, known: Option<ProgramLanguage>) {
        self.files.insert(file.to_owned());
        if self.depth >= MOST_DEPTH || !self.scanned_programs.insert(file.to_owned()) {
            return;
        }
        let read = pintle_files::read_head(file, MOST_BYTES);
        let is_read = read.is_ok();
        let Ok(text) = String::from_utf8(read.unwrap_or_default()) else { return };
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let has_interpreter = text.starts_with("#!");
        // A text without other indications is run by the shell.
        let found =
            known.or_else(|| detect_language(&name, &text)).or((!has_interpreter).then_some(ProgramLanguage::Shell));
        let Some(language) = found.filter(|_| is_read) else {
            let line = text.lines().next().unwrap_or_default();
            return self.record_not_covered(line, "the program may read or run other files");
        };
        let outer = self.script.replace(file.to_owned());
        let folders = self.bases.len();
        self.bases.extend(file.parent().map(Path::to_owned).filter(|dir| !self.bases.contains(dir)));
        match language {
            ProgramLanguage::Shell => {
                let variables = self.variables.clone();
                self.analyze_text(&text, 0..text.len(), false);
                self.variables = variables;
            }
            language => self.analyze_includes(language, &text),
        }
        self.bases.truncate(folders.max(1));
        self.script = outer;
    }

    fn analyze_includes(&mut self, language: ProgramLanguage, text: &str) {
        let folders = self.module_folders(language);
        let found = match language {
            ProgramLanguage::Python => includes::find_python_includes(text, &folders),
            ProgramLanguage::Other => includes::find_quoted_includes(text, &folders),
            ProgramLanguage::Shell | ProgramLanguage::Awk => return,
        };
        for line in &found.unknown_lines {
            self.record_not_covered(line, "it may run or include other files");
        }
        self.depth += 1;
        let ours: Vec<PathBuf> =
            found.files.iter().map(|file| normalize_path(file)).filter(|file| self.is_own_path(file)).collect();
        for file in ours {
            self.scan_program(&file, Some(language));
        }
        self.depth -= 1;
    }

    fn display_word(&self, command_word: &CommandWord, source: &CommandSource<'_>) -> String {
        source
            .text
            .get(command_word.span.clone())
            .filter(|text| !text.is_empty())
            .unwrap_or(source.display_text)
            .to_owned()
    }

    fn record_not_covered(&mut self, shown: &str, reason: &str) {
        let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.trim_end_matches([';', '|', '&', ')', ' ']);
        let line: String = match line.char_indices().nth(MOST_SHOWN) {
            Some((index, _)) => format!("{}..", line.get(..index).unwrap_or_default()),
            None => line.to_owned(),
        };
        let within = self.script.as_deref().map(|file| file.strip_prefix(self.project).unwrap_or(file));
        let within = within.map(|file| format!("in `{}`: ", file.display())).unwrap_or_default();
        self.not_covered.insert(format!("{within}`{line}`: {reason}"));
    }
}

/// The origin of a command.
struct CommandSource<'a> {
    /// The text that its spans refer to.
    text: &'a str,
    /// The command as it is shown.
    display_text: &'a str,
    /// Whether the text is the hook's own.
    is_own: bool,
}
