//! Analyzes a command by what the reader of command lines says of its words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::CommandSpec;
use pintle_files::normalize_path;
use pintle_shell::{
    CommandFiles, FileUse, FileWord, GivenCommand, PathStart, ScriptLanguage, ShellLanguage, UnnamedFiles,
    UnnamedReason, files_of_command, in_quotes,
};

use super::named_paths::NamedPaths;
use super::{ReferencedFiles, includes, parts};

/// The most directories to which words are resolved.
const MOST_BASES: usize = 64;
/// The most rounds in which such directories are searched.
const MOST_ROUNDS: usize = 4;
/// The deepest nesting of included files.
const MOST_DEPTH: usize = 8;
/// The number of bytes of a program that are analyzed.
const MOST_BYTES: u64 = 1 << 20;
/// The longest part of a command that is shown.
const MOST_SHOWN: usize = 100;

/// The values of variables; one that is set twice has both.
type VariableValues = BTreeMap<String, BTreeSet<String>>;

/// The most commands that are remembered.
const MOST_READ: usize = 2048;
/// The longest command that is remembered.
const MOST_KEY_BYTES: usize = 4096;

/// What commands name. A load asks about the same ones for its manifest, its bindings and its policy, and a session about
/// the same ones again and again.
static READ_COMMANDS: Mutex<BTreeMap<CommandKey, Arc<CommandFiles>>> = Mutex::new(BTreeMap::new());

/// Everything that decides what a command names.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CommandKey {
    /// The words of the command, or its line with the shell that reads it.
    command: Result<Vec<String>, (String, ShellLanguage)>,
    variables: VariableValues,
    cwd: PathBuf,
    home: Option<PathBuf>,
}

impl CommandKey {
    /// `None` for a command that is too long to be remembered.
    fn new(command: GivenCommand<'_>, variables: &VariableValues, cwd: &Path, home: Option<&Path>) -> Option<Self> {
        let values = variables.values().flatten().map(String::len).sum::<usize>();
        let (length, command) = match command {
            GivenCommand::Line(line, language) => (line.len(), Err((line, language))),
            GivenCommand::Words(words) => (words.iter().map(String::len).sum(), Ok(words)),
        };
        (length + values <= MOST_KEY_BYTES).then(|| Self {
            command: command.map(<[String]>::to_vec).map_err(|(line, language)| (line.to_owned(), language)),
            variables: variables.clone(),
            cwd: cwd.to_owned(),
            home: home.map(Path::to_owned),
        })
    }
}

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
    variables: VariableValues,
    files: BTreeSet<PathBuf>,
    missing_programs: BTreeSet<PathBuf>,
    written_files: BTreeSet<PathBuf>,
    not_covered: BTreeSet<String>,
    /// The programs whose texts were read, including the current one.
    scanned_programs: BTreeSet<PathBuf>,
    /// What the texts of programs name.
    scripts: BTreeMap<(PathBuf, ShellLanguage), Arc<CommandFiles>>,
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
            variables: VariableValues::new(),
            files: BTreeSet::new(),
            missing_programs: BTreeSet::new(),
            written_files: BTreeSet::new(),
            not_covered: BTreeSet::new(),
            scanned_programs: BTreeSet::new(),
            scripts: BTreeMap::new(),
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
        let given = variables.iter().map(|(name, text)| (name.clone(), BTreeSet::from([text.clone()])));
        Self {
            cwd: Some(cwd),
            bases: vec![cwd.to_owned()],
            roots: below.chain([project]).map(Path::to_owned).collect(),
            variables: given.collect(),
            ..Self::new(command, None, project)
        }
    }

    /// Whether a path is in a directory whose files are included.
    fn is_own_path(&self, path: &Path) -> bool {
        path.starts_with(self.project) || self.cwd.is_some_and(|cwd| path.starts_with(cwd))
    }

    /// Analyzes the command until it does not find further directories to which words may be relative.
    pub(super) fn analyze(&mut self) {
        let spec = self.command;
        let settings = self.read_settings();
        self.add_variables(&settings);
        let language = match &spec.shell {
            None => Some(ScriptLanguage::Shell(ShellLanguage::Bash)),
            Some(shell) => ScriptLanguage::of_program(shell),
        };
        let words = spec.arguments.as_ref().map(|arguments| [std::slice::from_ref(&spec.command), arguments].concat());
        let found = self.read_command(match (&words, language) {
            (Some(words), _) => GivenCommand::Words(words),
            (None, Some(ScriptLanguage::Shell(language))) => GivenCommand::Line(&spec.command, language),
            (None, _) => GivenCommand::Line(&spec.command, ShellLanguage::Bash),
        });
        self.add_variables(&found);
        for _ in 0..MOST_ROUNDS {
            let before = (self.bases.len(), self.written_files.len());
            self.files.clear();
            self.not_covered.clear();
            self.scanned_programs.clear();
            self.missing_programs.clear();
            for file_word in settings.words.iter().filter(|file_word| file_word.usage == FileUse::Text) {
                let named = self.resolve_word(file_word);
                self.files.extend(named.files);
            }
            if words.is_none() && !matches!(language, Some(ScriptLanguage::Shell(_))) {
                self.record_not_covered(&spec.command, "Pintle does not know its shell");
            }
            self.record_unnamed(&settings.unnamed);
            self.analyze_words(&found);
            if before == (self.bases.len(), self.written_files.len()) {
                break;
            }
        }
    }

    fn read_command(&self, command: GivenCommand<'_>) -> Arc<CommandFiles> {
        let cwd = self.cwd.unwrap_or(self.project);
        let key = CommandKey::new(command, &self.variables, cwd, self.home.as_deref());
        let remembered = || READ_COMMANDS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = key.as_ref().and_then(|key| remembered().get(key).cloned());
        known.unwrap_or_else(|| {
            let found = Arc::new(files_of_command(command, &self.variables, cwd, self.home.as_deref()));
            if let Some(key) = key {
                let mut read = remembered();
                if read.len() >= MOST_READ {
                    read.clear();
                }
                read.insert(key, Arc::clone(&found));
            }
            found
        })
    }

    /// What the variables and the directory of the command name: the words of a line that sets and names them.
    fn read_settings(&self) -> Arc<CommandFiles> {
        let quoted = |text: &str, expands: bool| match (expands, text.strip_prefix('~')) {
            (true, Some(rest)) if rest.is_empty() || rest.starts_with('/') => format!("~\"{rest}\""),
            (true, _) => format!("\"{text}\""),
            (false, _) => in_quotes(text),
        };
        let mut line = String::new();
        for (name, text) in &self.command.environment {
            let value = quoted(text, self.command.expands);
            line.push_str(&format!("export {name}={value}; : {value}\n"));
        }
        if let Some(directory) = &self.command.directory {
            line.push_str(&format!(": {}\n", quoted(directory, true)));
        }
        match line.is_empty() {
            true => Arc::default(),
            false => self.read_command(GivenCommand::Line(&line, ShellLanguage::Bash)),
        }
    }

    fn add_variables(&mut self, command_files: &CommandFiles) {
        for (name, values) in &command_files.variables {
            self.variables.entry(name.clone()).or_default().extend(values.iter().cloned());
        }
    }

    /// The files that the text of the command names by its parts, unless they are only written.
    pub(super) fn files_in_text(&self) -> BTreeSet<PathBuf> {
        let arguments = self.command.arguments.iter().flatten();
        let texts: Vec<&str> = std::iter::once(&self.command.command).chain(arguments).map(String::as_str).collect();
        let files = parts::files_in_texts(&texts, self.project, &self.bases);
        files.into_iter().filter(|file| !self.written_files.contains(file)).collect()
    }

    pub(super) fn into_referenced_files(self) -> ReferencedFiles {
        ReferencedFiles {
            files: self.files,
            programs: self.scanned_programs,
            missing_programs: self.missing_programs,
            not_covered: self.not_covered,
        }
    }

    fn analyze_words(&mut self, command_files: &CommandFiles) {
        // A directory may be entered from another one.
        for _ in 0..MOST_ROUNDS {
            let before = self.bases.len();
            let directories = command_files.words.iter().take_while(|file_word| file_word.usage == FileUse::Directory);
            directories.for_each(|directory| drop(self.resolve_word(directory)));
            if self.bases.len() == before {
                break;
            }
        }
        for file_word in &command_files.words {
            match &file_word.usage {
                FileUse::Program(is_known) => self.analyze_first_word(file_word, *is_known),
                FileUse::Script(Some(language)) => self.analyze_program(file_word, Some(*language)),
                // A text for a program, as for `sed`.
                FileUse::Script(None) | FileUse::Input => self.analyze_argument(file_word, true),
                FileUse::Argument => self.analyze_argument(file_word, false),
                FileUse::Output => {
                    let named = self.resolve_word(file_word);
                    self.written_files.extend(named.files);
                }
                FileUse::Directory => {
                    if self.resolve_word(file_word).is_open && self.script.is_none() {
                        self.record_not_covered(&file_word.command, "its working directory is known only when it runs");
                    }
                }
                FileUse::Text => drop(self.resolve_word(file_word)),
            }
        }
        for (language, code) in &command_files.codes {
            self.analyze_includes(*language, code);
        }
        self.record_unnamed(&command_files.unnamed);
    }

    /// Records what a command runs without naming the files.
    fn record_unnamed(&mut self, unnamed: &BTreeSet<UnnamedFiles>) {
        for UnnamedFiles { reason, command } in unnamed {
            let reason = match reason {
                UnnamedReason::ByVariable if self.script.is_some() => continue,
                UnnamedReason::ByProgram => "the command does not say which files it runs",
                UnnamedReason::ByOption => "it loads files that the command does not name",
                UnnamedReason::ByVariable => "programs load files from there",
                UnnamedReason::ByInput => "it runs code from its standard input",
                UnnamedReason::UnknownCode => "known only when it runs",
                UnnamedReason::Unread(reason) => reason,
            };
            self.record_not_covered(command, reason);
        }
    }

    /// The files and directories that a word names. Later words may be relative to these directories.
    fn resolve_word(&mut self, file_word: &FileWord) -> NamedPaths {
        let named = NamedPaths::of_word(file_word, &self.bases, &self.roots, &|path| self.is_own_path(path));
        for dir in &named.folders {
            if self.bases.contains(dir) {
                continue;
            }
            if self.bases.len() >= MOST_BASES {
                self.not_covered.insert(String::from("it names more directories than Pintle analyzes"));
                break;
            }
            self.bases.push(dir.clone());
        }
        named
    }

    /// Whether the absolute path of a word is not the project's.
    fn leads_out(&self, file_word: &FileWord) -> bool {
        let path = file_word.path.as_deref().filter(|_| file_word.start == PathStart::Written);
        path.is_some_and(|path| path.starts_with('/') && !self.is_own_path(Path::new(path)))
    }

    /// Analyzes a word that may be a file to read. `is_data` tells whether nothing in the file runs.
    fn analyze_argument(&mut self, file_word: &FileWord, is_data: bool) {
        let named = self.resolve_word(file_word);
        let is_written = |file: &PathBuf| self.written_files.contains(file);
        if self.script.is_some() {
            // In a script, only the files that it certainly reads are included.
            let files = named.files.into_iter().filter(|file| is_data && !named.is_open && !is_written(file));
            let files: Vec<PathBuf> = files.collect();
            return self.files.extend(files);
        }
        if is_data && !named.files.is_empty() && named.files.iter().all(is_written) {
            return self.record_not_covered(&file_word.shown, "it also writes to that file");
        }
        if named.is_open && !(is_data && file_word.is_printed) {
            self.record_not_covered(&file_word.shown, "known only when it runs");
        }
        self.files.extend(named.files);
        if let (false, Some(text)) = (is_data, &file_word.path) {
            self.files.extend(parts::files_in_texts(&[text], self.project, &self.bases));
        }
    }

    /// Analyzes the first word of a command.
    fn analyze_first_word(&mut self, file_word: &FileWord, is_known: bool) {
        let is_installed = match (&file_word.path, file_word.start) {
            (Some(path), PathStart::Written) => {
                !path.contains('/') || path.starts_with('/') && !self.is_own_path(Path::new(path))
            }
            _ => false,
        };
        if is_known && is_installed {
            return;
        }
        self.analyze_program(file_word, None);
        if is_installed && self.script.is_none() {
            self.record_not_covered(&file_word.command, "the program may read or run other files");
        }
    }

    /// Analyzes a file whose text runs. If the language is unknown, it is detected from the text.
    fn analyze_program(&mut self, file_word: &FileWord, known: Option<ScriptLanguage>) {
        let named = self.resolve_word(file_word);
        let path = file_word.path.as_deref().filter(|_| file_word.start == PathStart::Written);
        let is_found = !named.files.is_empty() && self.script.is_some();
        if (named.is_open && !is_found) || (!named.folders.is_empty() && named.files.is_empty()) {
            self.record_not_covered(
                &file_word.command,
                if named.is_open { "known only when it runs" } else { "it runs files from a directory" },
            );
        } else if named.files.is_empty()
            && (self.script.is_none() || known.is_some())
            && (named.is_outside || self.leads_out(file_word))
        {
            self.record_not_covered(&file_word.command, "it is outside the project");
        }
        if named.files.is_empty() && !named.is_outside && !file_word.is_pattern {
            let path = path.filter(|path| path.contains(['/', '.']));
            let paths =
                path.into_iter().flat_map(|path| self.bases.iter().map(move |base| normalize_path(&base.join(path))));
            let absent: Vec<PathBuf> =
                paths.filter(|path| self.is_own_path(path) && !pintle_files::exists(path)).collect();
            self.missing_programs.extend(absent);
        }
        for file in named.files {
            self.scan_program(&file, known);
        }
    }

    /// Adds a program, and analyzes the files that it includes.
    fn scan_program(&mut self, file: &Path, known: Option<ScriptLanguage>) {
        self.files.insert(file.to_owned());
        if self.depth >= MOST_DEPTH || !self.scanned_programs.insert(file.to_owned()) {
            return;
        }
        let read = pintle_files::read_head(file, MOST_BYTES);
        let is_read = read.is_ok();
        let Ok(text) = String::from_utf8(read.unwrap_or_default()) else { return };
        let Some(language) = known.or_else(|| ScriptLanguage::of_file(file, &text)).filter(|_| is_read) else {
            let line = text.lines().next().unwrap_or_default();
            return self.record_not_covered(line, "the program may read or run other files");
        };
        let outer = self.script.replace(file.to_owned());
        let folders = self.bases.len();
        self.bases.extend(file.parent().map(Path::to_owned).filter(|dir| !self.bases.contains(dir)));
        self.depth += 1;
        match language {
            ScriptLanguage::Shell(language) => self.analyze_script(file, &text, language),
            language => self.analyze_includes(language, &text),
        }
        self.depth -= 1;
        self.bases.truncate(folders.max(1));
        self.script = outer;
    }

    /// Analyzes the text of a shell script, which is read once.
    fn analyze_script(&mut self, file: &Path, text: &str, language: ShellLanguage) {
        let outer = self.variables.clone();
        let key = (file.to_owned(), language);
        let found = match self.scripts.get(&key) {
            Some(found) => Arc::clone(found),
            None => {
                let name = BTreeSet::from([file.display().to_string()]);
                let own = ["0", "BASH_SOURCE"].map(|variable| (variable.to_owned(), name.clone()));
                self.variables.extend(own);
                let found = self.read_command(GivenCommand::Line(text, language));
                self.scripts.insert(key, Arc::clone(&found));
                found
            }
        };
        self.add_variables(&found);
        self.analyze_words(&found);
        if found.is_cut {
            self.files.extend(parts::files_in_texts(&[text], self.project, &self.bases));
        }
        self.variables = outer;
    }

    fn analyze_includes(&mut self, language: ScriptLanguage, text: &str) {
        let folders = self.module_folders(language);
        let found = match language {
            ScriptLanguage::Python => includes::find_python_includes(text, &folders),
            ScriptLanguage::Awk => includes::find_awk_includes(text),
            ScriptLanguage::Other => includes::find_quoted_includes(text, &folders),
            ScriptLanguage::Shell(_) => return,
        };
        for line in &found.unknown_lines {
            self.record_not_covered(line, "it may run or include other files");
        }
        let files = found.files.iter().map(|file| normalize_path(file));
        for file in files.filter(|file| self.is_own_path(file)).collect::<Vec<PathBuf>>() {
            self.scan_program(&file, Some(language));
        }
    }

    /// The directories in which a program's modules are searched. For a command that is about to run they do not
    /// include the working directory, unless the language searches there.
    fn module_folders(&self, language: ScriptLanguage) -> Vec<PathBuf> {
        let script = self.script.as_deref().filter(|_| self.cwd.is_some());
        let is_node = |script: &Path| {
            ["js", "mjs", "cjs", "ts"].iter().any(|end| script.extension().is_some_and(|own| own == *end))
        };
        match script.and_then(|script| Some((script, script.parent()?))) {
            Some((script, own)) if language == ScriptLanguage::Python || is_node(script) => vec![own.to_owned()],
            _ => self.bases.clone(),
        }
    }

    fn record_not_covered(&mut self, shown: &str, reason: &str) {
        let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let line: String = match line.char_indices().nth(MOST_SHOWN) {
            Some((index, _)) => format!("{}..", line.get(..index).unwrap_or_default()),
            None => line,
        };
        let within = self.script.as_deref().map(|file| file.strip_prefix(self.project).unwrap_or(file));
        let within = within.map(|file| format!("in `{}`: ", file.display())).unwrap_or_default();
        self.not_covered.insert(format!("{within}`{line}`: {reason}"));
    }
}
