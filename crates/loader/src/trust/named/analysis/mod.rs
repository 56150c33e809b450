//! A command read as a shell would read it.

mod run;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pintle_contract::CommandSpec;

use super::Named;
use super::includes;
use super::programs::{Kind, LOADING, Language, kind, language};
use super::shell::{self, Command, Word};
use super::values::{self, Piece, Place, Value, Variables, find, values};

use crate::policy::plain;

/// The most folders that words are seen from.
const MOST_BASES: usize = 64;
/// The most rounds in which folders are looked for that words are seen from.
const MOST_ROUNDS: usize = 4;
/// How deep texts stand in texts, and files read in files.
const MOST_DEPTH: usize = 8;
/// How much of a program's text is looked at.
const MOST_BYTES: u64 = 1 << 20;
/// The longest piece of a command that is shown.
const MOST_SHOWN: usize = 100;

/// What is known of a command so far.
#[derive(Debug)]
pub(super) struct Analysis<'a> {
    command: &'a CommandSpec,
    project: &'a Path,
    /// Where else files count: the folder that it runs in.
    cwd: Option<&'a Path>,
    home: Option<PathBuf>,
    bases: Vec<PathBuf>,
    /// What may be the project's folder where a word says so without a name.
    roots: Vec<PathBuf>,
    /// The variables that are known before it begins.
    given: Variables,
    variables: Variables,
    functions: BTreeSet<String>,
    files: BTreeSet<PathBuf>,
    /// Programs that are not there.
    absent: BTreeSet<PathBuf>,
    /// Files that it writes to.
    written: BTreeSet<PathBuf>,
    not_covered: BTreeSet<String>,
    /// Where files stand that are only written to.
    blanks: Vec<Range<usize>>,
    /// The programs whose texts were read, and the one that is.
    scanned: BTreeSet<PathBuf>,
    script: Option<PathBuf>,
    depth: usize,
}

impl<'a> Analysis<'a> {
    pub(super) fn new(command: &'a CommandSpec, own: Option<&Path>, project: &'a Path) -> Self {
        let mut bases = vec![project.to_owned()];
        bases.extend(own.and_then(Path::parent).map(|folder| project.join(folder)).filter(|folder| folder != project));
        Self {
            command,
            project,
            cwd: None,
            home: crate::layers::home(),
            bases,
            roots: Vec::new(),
            given: Variables::new(),
            variables: Variables::new(),
            functions: BTreeSet::new(),
            files: BTreeSet::new(),
            absent: BTreeSet::new(),
            written: BTreeSet::new(),
            not_covered: BTreeSet::new(),
            blanks: Vec::new(),
            scanned: BTreeSet::new(),
            script: None,
            depth: 0,
        }
    }

    /// One of a command that is about to run in a folder, where these variables are set.
    pub(super) fn running(
        command: &'a CommandSpec,
        project: &'a Path,
        cwd: &'a Path,
        variables: &[(String, String)],
    ) -> Self {
        // A repository in the project may have become the project, for whoever asks from within.
        let below = cwd.ancestors().take_while(|folder| *folder != project);
        let given = variables.iter().map(|(name, text)| (name.clone(), vec![vec![Piece::Text(text.clone())]]));
        Self {
            cwd: Some(cwd),
            bases: vec![cwd.to_owned()],
            roots: below.chain([project]).map(Path::to_owned).collect(),
            given: given.collect(),
            ..Self::new(command, None, project)
        }
    }

    /// Whether a path is of a folder whose files count.
    fn is_ours(&self, path: &Path) -> bool {
        path.starts_with(self.project) || self.cwd.is_some_and(|cwd| path.starts_with(cwd))
    }

    /// Reads the command, until no more folders are found that its words may be seen from.
    pub(super) fn read(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let before = (self.bases.len(), self.written.len());
            self.variables.clone_from(&self.given);
            self.files.clear();
            self.not_covered.clear();
            self.blanks.clear();
            self.scanned.clear();
            self.absent.clear();
            self.whole();
            if before == (self.bases.len(), self.written.len()) {
                break;
            }
        }
    }

    /// The shell's text without what is only written to.
    pub(super) fn rest(&self) -> String {
        let mut rest = self.command.command.clone().into_bytes();
        if self.command.arguments.is_none() {
            for blank in &self.blanks {
                rest.get_mut(blank.clone()).into_iter().for_each(|bytes| bytes.fill(b' '));
            }
        }
        String::from_utf8_lossy(&rest).into_owned()
    }

    pub(super) fn bases(&self) -> &[PathBuf] {
        &self.bases
    }

    pub(super) fn done(self) -> Named {
        Named { files: self.files, programs: self.scanned, absent: self.absent, not_covered: self.not_covered }
    }

    fn whole(&mut self) {
        let spec = self.command;
        for (name, text) in &spec.environment {
            let word = if spec.expands { shell::quoted_word(text) } else { Word::plain(text) };
            self.set(name, &word, &format!("{name}={text}"));
            let place = self.place(&word);
            self.files.extend(place.files);
        }
        if let Some(directory) = &spec.directory {
            self.place(&shell::quoted_word(directory));
        }
        match &spec.arguments {
            Some(arguments) => {
                let words: Vec<Word> =
                    std::iter::once(&spec.command).chain(arguments).map(|text| Word::plain(text)).collect();
                let shown = words.iter().filter_map(Word::text).collect::<Vec<_>>().join(" ");
                self.run(&words, &Command::default(), &Source { text: "", shown: &shown, is_own: false });
            }
            None => {
                let is_known = spec
                    .shell
                    .as_deref()
                    .is_none_or(|shell| kind(shell.rsplit('/').next().unwrap_or_default()) == Some(Kind::Shell));
                if !is_known {
                    self.note(&spec.command, "its shell is not one that is known here");
                }
                self.text(&spec.command, 0..spec.command.len(), true);
            }
        }
    }

    /// Reads a shell's text. `is_own` is that of the command itself, in which places are known.
    fn text(&mut self, text: &str, span: Range<usize>, is_own: bool) {
        if self.depth >= MOST_DEPTH {
            return self.note(text.get(span).unwrap_or_default(), "it is nested too deep to be looked at");
        }
        self.depth += 1;
        let commands = shell::commands(text, span);
        self.functions
            .extend(commands.iter().filter(|command| command.defines).filter_map(|c| c.words.first()?.text()));
        for command in commands.iter().filter(|command| !command.defines) {
            let shown = text.get(command.span.clone()).unwrap_or_default();
            self.command(command, &Source { text, shown, is_own });
        }
        self.depth -= 1;
    }

    fn command(&mut self, command: &Command, source: &Source<'_>) {
        for (name, word) in &command.sets {
            self.set(name, word, source.shown);
        }
        for word in &command.writes {
            self.writes(word, source);
        }
        for word in &command.reads {
            self.argument(word, source, true);
        }
        self.run(&command.words, command, source);
    }

    fn set(&mut self, name: &str, word: &Word, shown: &str) {
        let printed = |value: Value| -> Value {
            value.into_iter().map(|piece| if piece == Piece::Any { Piece::Printed } else { piece }).collect()
        };
        let found: Vec<Value> = values(word, &self.variables).into_iter().map(printed).collect();
        if LOADING.contains(&name) && self.script.is_none() {
            self.note(shown, "programs look there for what they load");
        }
        let known = self.variables.entry(name.to_owned()).or_default();
        for value in found {
            if !known.contains(&value) && known.len() < MOST_BASES {
                known.push(value);
            }
        }
    }

    /// The files and folders that a word names. Folders are where later words are seen from.
    fn place(&mut self, word: &Word) -> Place {
        let mut whole = Place::default();
        for value in values(word, &self.variables) {
            let place = find(&value, &self.bases, &self.roots, self.home.as_deref(), &|path| self.is_ours(path));
            whole.files.extend(place.files);
            whole.folders.extend(place.folders);
            whole.is_printed = place.is_printed && (!whole.is_open || whole.is_printed);
            whole.is_open |= place.is_open;
            whole.is_outside |= place.is_outside;
        }
        for folder in &whole.folders {
            if self.bases.contains(folder) {
                continue;
            }
            if self.bases.len() >= MOST_BASES {
                self.not_covered.insert(String::from("it names more folders than are looked at"));
                break;
            }
            self.bases.push(folder.clone());
        }
        whole
    }

    /// A file that is only written to is none that it runs.
    fn writes(&mut self, word: &Word, source: &Source<'_>) {
        let place = self.place(word);
        self.written.extend(place.files);
        self.blank(word, source);
    }

    fn is_written(&self, file: &Path) -> bool {
        self.written.contains(file)
    }

    fn blank(&mut self, word: &Word, source: &Source<'_>) {
        if source.is_own {
            self.blanks.push(word.span.clone());
        }
    }

    /// A word that may be a file which is read. `is_data` is one of which nothing runs.
    fn argument(&mut self, word: &Word, source: &Source<'_>, is_data: bool) {
        let place = self.place(word);
        if self.script.is_some() {
            // Of a script count the files that it surely reads: rules, and not what it writes.
            let files =
                place.files.into_iter().filter(|file| is_data && !place.is_open && !self.written.contains(file));
            let files: Vec<PathBuf> = files.collect();
            return self.files.extend(files);
        }
        if is_data && !place.files.is_empty() && place.files.iter().all(|file| self.is_written(file)) {
            let shown = self.shown(word, source);
            self.note(&shown, "it also writes to that file");
            return self.blank(word, source);
        }
        if place.is_open && !(is_data && place.is_printed) {
            let shown = self.shown(word, source);
            self.note(&shown, "known only when it runs");
        }
        self.files.extend(place.files);
    }

    /// A file whose text runs. Without a language it is what its text says.
    fn program(&mut self, word: &Word, source: &Source<'_>, known: Option<Language>) {
        let place = self.place(word);
        let is_found = !place.files.is_empty() && self.script.is_some();
        if (place.is_open && !is_found) || (!place.folders.is_empty() && place.files.is_empty()) {
            self.note(
                source.shown,
                if place.is_open { "known only when it runs" } else { "it runs what lies in a folder" },
            );
        } else if place.files.is_empty() && (self.script.is_none() || known.is_some()) {
            let leads_out = |value: &Value| {
                let path = values::text(value).filter(|path| path.starts_with('/'));
                path.is_some_and(|path| !self.is_ours(Path::new(&path)))
            };
            if place.is_outside || values(word, &self.variables).iter().any(leads_out) {
                self.note(source.shown, "it lies outside of the project");
            }
        }
        if place.files.is_empty() && !place.is_outside {
            let paths = values(word, &self.variables).into_iter().filter_map(|value| values::text(&value));
            let paths = paths.filter(|path| path.contains(['/', '.']));
            let paths = paths.flat_map(|path| self.bases.iter().map(move |base| plain(&base.join(&path))));
            let absent: Vec<PathBuf> = paths.filter(|path| self.is_ours(path) && !path.exists()).collect();
            self.absent.extend(absent);
        }
        for file in place.files {
            self.scan(&file, known);
        }
    }

    /// Binds a program, and looks for what it reads in.
    fn scan(&mut self, file: &Path, known: Option<Language>) {
        self.files.insert(file.to_owned());
        if self.depth >= MOST_DEPTH || !self.scanned.insert(file.to_owned()) {
            return;
        }
        let read = pintle_files::read_head(file, MOST_BYTES);
        let is_read = read.is_ok();
        let Ok(text) = String::from_utf8(read.unwrap_or_default()) else { return };
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let has_interpreter = text.starts_with("#!");
        // What says nothing of itself is run by the shell.
        let found = known.or_else(|| language(&name, &text)).or((!has_interpreter).then_some(Language::Shell));
        let Some(language) = found.filter(|_| is_read) else {
            let line = text.lines().next().unwrap_or_default();
            return self.note(line, "a program that may read or run other files");
        };
        let outer = self.script.replace(file.to_owned());
        let folders = self.bases.len();
        self.bases.extend(file.parent().map(Path::to_owned).filter(|folder| !self.bases.contains(folder)));
        match language {
            Language::Shell => {
                let variables = self.variables.clone();
                self.text(&text, 0..text.len(), false);
                self.variables = variables;
            }
            language => self.includes(language, &text),
        }
        self.bases.truncate(folders.max(1));
        self.script = outer;
    }

    fn includes(&mut self, language: Language, text: &str) {
        let folders = self.module_folders(language);
        let found = match language {
            Language::Python => includes::of_python(text, &folders),
            Language::Other => includes::of_other(text, &folders),
            Language::Shell | Language::Awk => return,
        };
        for line in &found.unknown {
            self.note(line, "it may run or read in other files");
        }
        self.depth += 1;
        let ours: Vec<PathBuf> = found.files.iter().map(|file| plain(file)).filter(|file| self.is_ours(file)).collect();
        for file in ours {
            self.scan(&file, Some(language));
        }
        self.depth -= 1;
    }

    fn shown(&self, word: &Word, source: &Source<'_>) -> String {
        source.text.get(word.span.clone()).filter(|text| !text.is_empty()).unwrap_or(source.shown).to_owned()
    }

    fn note(&mut self, shown: &str, why: &str) {
        let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.trim_end_matches([';', '|', '&', ')', ' ']);
        let line: String = match line.char_indices().nth(MOST_SHOWN) {
            Some((at, _)) => format!("{}..", line.get(..at).unwrap_or_default()),
            None => line.to_owned(),
        };
        let within = self.script.as_deref().map(|file| file.strip_prefix(self.project).unwrap_or(file));
        let within = within.map(|file| format!("in `{}`: ", file.display())).unwrap_or_default();
        self.not_covered.insert(format!("{within}`{line}`: {why}"));
    }
}

/// Where a command stands.
struct Source<'a> {
    /// The text that its places are in.
    text: &'a str,
    /// The command as it is shown.
    shown: &'a str,
    /// Whether the text is the hook's own.
    is_own: bool,
}
