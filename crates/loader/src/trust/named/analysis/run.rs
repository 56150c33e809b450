//! What one command runs.

use std::path::{Path, PathBuf};

use super::{Analysis, Source};
use crate::trust::named::programs::{Kind, Language, kind};
use crate::trust::named::shell::{Command, Word, assignment};
use crate::trust::named::values::{self, values};

impl Analysis<'_> {
    /// Runs the words of a command, each program as far as it is known.
    pub(super) fn run(&mut self, words: &[Word], command: &Command, source: &Source<'_>) {
        let Some((first, rest)) = words.split_first() else { return };
        for value in values(first, &self.variables) {
            let Some(name) = values::text(&value) else {
                self.program(first, source, None);
                rest.iter().for_each(|word| self.argument(word, source, false));
                continue;
            };
            if self.functions.contains(&name) {
                rest.iter().for_each(|word| self.argument(word, source, false));
                continue;
            }
            let base = name.rsplit('/').next().unwrap_or_default();
            let is_ours = name.contains('/') && (!name.starts_with('/') || self.is_ours(Path::new(&name)));
            let is_installed = !is_ours;
            match kind(base).filter(|_| is_installed) {
                Some(kind) => self.known(kind, base, rest, command, source),
                None => {
                    self.program(&Word::plain(&name), source, None);
                    if is_installed && self.script.is_none() && !name.is_empty() {
                        self.note(source.shown, "a program that may read or run other files");
                    }
                    rest.iter().for_each(|word| self.argument(word, source, false));
                }
            }
        }
    }

    /// The folders in which a program's modules are looked for. When it is about to run these are its own where its language
    /// does not ask which folder it runs in.
    pub(super) fn module_folders(&self, language: Language) -> Vec<PathBuf> {
        let script = self.script.as_deref().filter(|_| self.cwd.is_some());
        let is_node = |script: &Path| {
            ["js", "mjs", "cjs", "ts"].iter().any(|end| script.extension().is_some_and(|own| own == *end))
        };
        match script.and_then(|script| Some((script, script.parent()?))) {
            Some((script, own)) if language == Language::Python || is_node(script) => vec![own.to_owned()],
            _ => self.bases.clone(),
        }
    }

    fn known(&mut self, kind: Kind, name: &str, rest: &[Word], command: &Command, source: &Source<'_>) {
        match kind {
            Kind::Quiet => {
                for word in rest {
                    let place = self.place(word);
                    if !place.files.is_empty() && place.files.iter().all(|file| self.is_written(file)) {
                        self.blank(word, source);
                    }
                }
            }
            Kind::Reader => {
                let loads = |text: String| text == "-L" || text.contains("import ") || text.contains("include ");
                if matches!(name, "jq" | "yq") && rest.iter().filter_map(Word::text).any(loads) {
                    self.note(source.shown, LOADS);
                }
                rest.iter().for_each(|word| self.argument(word, source, true));
            }
            Kind::Writer => {
                let files = rest.iter().filter(|word| !is_option(word));
                files.for_each(|word| self.writes(word, source));
            }
            Kind::Copier => {
                if let Some((last, others)) = rest.split_last() {
                    others.iter().for_each(|word| self.argument(word, source, true));
                    self.writes(last, source);
                }
            }
            Kind::Setter => {
                for (name, word) in rest.iter().filter_map(assignment) {
                    self.set(&name, &word, source.shown);
                }
            }
            Kind::Runner => {
                self.note(source.shown, "which files it runs does not stand here");
                rest.iter().for_each(|word| self.argument(word, source, false));
            }
            Kind::Wrapper => self.wrapped(name, rest, command, source),
            Kind::Shell => self.shell(rest, command, source),
            Kind::Interpreter(Language::Awk) => self.awk(rest, source),
            Kind::Interpreter(language) => self.interpreter(language, rest, command, source),
            Kind::Special => self.special(name, rest, source),
        }
    }

    fn special(&mut self, name: &str, rest: &[Word], source: &Source<'_>) {
        match (name, rest.first()) {
            ("cd" | "pushd", Some(word)) => {
                let is_open = self.place(word).is_open && self.script.is_none();
                is_open.then(|| self.note(source.shown, "where it goes on is known only when it runs"));
            }
            ("." | "source", Some(word)) => self.program(word, source, Some(Language::Shell)),
            ("." | "source", None) => self.note(source.shown, "it runs what comes on its input"),
            ("eval", Some(_)) => match rest.iter().map(Word::text).collect::<Option<Vec<String>>>() {
                Some(words) => {
                    let text = words.join(" ");
                    self.text(&text, 0..text.len(), false);
                }
                None => self.note(source.shown, "known only when it runs"),
            },
            ("trap", Some(word)) => {
                if let Some(text) = word.text() {
                    self.text(&text, 0..text.len(), false);
                }
            }
            ("find", Some(_)) => {
                let runs =
                    |word: &Word| word.text().is_some_and(|text| text.starts_with("-exec") || text.starts_with("-ok"));
                if rest.iter().any(runs) {
                    self.note(source.shown, "which files it runs does not stand here");
                }
                rest.iter().for_each(|word| self.argument(word, source, false));
            }
            _ => {}
        }
    }

    /// The command behind `env`, `timeout` and their like.
    fn wrapped(&mut self, name: &str, rest: &[Word], command: &Command, source: &Source<'_>) {
        for (name, word) in rest
            .iter()
            .map_while(|word| assignment(word).or_else(|| is_option(word).then(|| (String::new(), word.clone()))))
        {
            if !name.is_empty() {
                self.set(&name, &word, source.shown);
            }
        }
        let option = |word: &Word| word.text().filter(|text| text.starts_with('-'));
        if rest.iter().filter_map(option).any(|text| text.starts_with("-S") || text.starts_with("--split")) {
            self.note(source.shown, "known only when it runs");
        }
        let is_known = |word: &Word| {
            let text = word.text().unwrap_or_default();
            kind(text.rsplit('/').next().unwrap_or_default()).is_some()
        };
        let may_be = |word: &Word| {
            let text = word.text().unwrap_or_else(|| String::from("?"));
            !text.starts_with('-')
                && assignment(word).is_none()
                && !text.starts_with(|letter: char| letter.is_ascii_digit())
        };
        if name == "flock" {
            let lock = rest.iter().position(|word| !is_option(word));
            lock.and_then(|at| rest.get(at)).into_iter().for_each(|word| self.writes(word, source));
            let behind = rest.get(lock.map_or(rest.len(), |at| at + 1)..).unwrap_or_default();
            return match behind.first().and_then(Word::text).as_deref() {
                Some("-c" | "--command") => self.shell(behind, command, source),
                _ => self.run(behind, command, source),
            };
        }
        let at = rest.iter().position(is_known).or_else(|| rest.iter().position(may_be));
        self.run(rest.get(at.unwrap_or(rest.len())..).unwrap_or_default(), command, source);
    }

    fn shell(&mut self, rest: &[Word], command: &Command, source: &Source<'_>) {
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let text = word.text();
            match text.as_deref() {
                Some("+o" | "--rcfile" | "--init-file") => {
                    words.next().into_iter().for_each(|word| self.argument(word, source, false));
                }
                // `-euo pipefail`
                Some(option) if is_cluster(option) && option.ends_with('o') && !option.contains('c') => {
                    words.next();
                }
                Some("-s") => return self.input(command, source),
                Some("sh" | "ash") if word == rest.first().unwrap_or(word) => {}
                Some(option) if option.starts_with('-') && !option.starts_with("--") && option.contains('c') => {
                    match words.next() {
                        Some(word) => self.script_word(word, source),
                        None => self.note(source.shown, "known only when it runs"),
                    }
                    words.for_each(|word| self.argument(word, source, false));
                    return;
                }
                Some(option) if option.len() > 1 && option.starts_with(['-', '+']) => {}
                _ => {
                    self.program(word, source, Some(Language::Shell));
                    words.for_each(|word| self.argument(word, source, false));
                    return;
                }
            }
        }
        self.input(command, source);
    }

    /// The text behind `-c`.
    fn script_word(&mut self, word: &Word, source: &Source<'_>) {
        let Some(text) = word.text() else {
            return self.note(source.shown, "known only when it runs");
        };
        let inner = word.span.start + 1..word.span.end.saturating_sub(1);
        match source.text.get(inner.clone()) {
            // As it stands between its quotes.
            Some(same) if same == text && source.is_own => self.text(source.text, inner, true),
            _ => self.text(&text, 0..text.len(), false),
        }
    }

    /// What a shell reads from its input.
    fn input(&mut self, command: &Command, source: &Source<'_>) {
        for input in &command.inputs {
            self.text(source.text, input.clone(), source.is_own);
        }
        if command.inputs.is_empty() && command.reads.is_empty() {
            self.note(source.shown, "it runs what comes on its input");
        }
        command.reads.iter().for_each(|word| self.program(word, source, Some(Language::Shell)));
    }

    fn awk(&mut self, rest: &[Word], source: &Source<'_>) {
        let mut words = rest.iter();
        let mut has_text = false;
        while let Some(word) = words.next() {
            let text = word.text();
            match text.as_deref() {
                Some("-f" | "--file") => {
                    words.next().into_iter().for_each(|word| self.program(word, source, Some(Language::Awk)));
                    has_text = true;
                }
                Some(option) if option.starts_with("-f") => {
                    self.program(&Word::plain(option.get(2..).unwrap_or_default()), source, Some(Language::Awk));
                    has_text = true;
                }
                Some("-v" | "-F" | "--assign") => {
                    words.next();
                }
                Some(option) if option.starts_with('-') => {}
                _ if has_text => self.argument(word, source, true),
                text => {
                    has_text = true;
                    let reads = ["getline", "system", "@include", "@load", "| "];
                    if text.is_none_or(|text| reads.iter().any(|word| text.contains(word))) {
                        self.note(source.shown, "it may run or read in other files");
                    }
                }
            }
        }
    }

    fn interpreter(&mut self, language: Language, rest: &[Word], command: &Command, source: &Source<'_>) {
        let mut words = rest.iter().peekable();
        let mut has_text = false;
        while let Some(word) = words.next() {
            let text = word.text();
            match text.as_deref() {
                Some("-") => break,
                Some("-W" | "-X") => {
                    words.next();
                }
                Some(option) if option.starts_with('-') => match option_of(language, option) {
                    Given::Nothing => {}
                    Given::Code => {
                        match words.next().map(Word::text) {
                            Some(Some(code)) => self.includes(language, &code),
                            _ => self.note(source.shown, "known only when it runs"),
                        }
                        has_text = true;
                    }
                    Given::Module => {
                        self.note(source.shown, LOADS);
                        words.next();
                        has_text |= language == Language::Python;
                    }
                    Given::Path => self.note(source.shown, LOADS),
                },
                _ if !has_text => {
                    // `deno run FILE`
                    let is_subcommand = matches!(text.as_deref(), Some("run" | "test")) && words.peek().is_some();
                    if !is_subcommand {
                        self.program(word, source, Some(language));
                        has_text = true;
                    }
                }
                _ => self.argument(word, source, false),
            }
        }
        if has_text {
            return;
        }
        if command.inputs.is_empty() && command.reads.is_empty() {
            self.note(source.shown, "it runs what comes on its input");
        }
        command.reads.iter().for_each(|word| self.program(word, source, Some(language)));
        for text in command.inputs.iter().filter_map(|input| source.text.get(input.clone())) {
            self.includes(language, text);
        }
    }
}

/// Why a module or a library is not covered.
const LOADS: &str = "it loads what does not stand here";

/// What an option gives an interpreter.
enum Given {
    Nothing,
    /// The next word is the program.
    Code,
    /// The next word names a module.
    Module,
    /// It names a module or a folder itself.
    Path,
}

/// What an option gives an interpreter of a language; letters may stand together, as in `-ne`.
fn option_of(language: Language, option: &str) -> Given {
    let letters = option.trim_start_matches('-');
    if option.starts_with("--") {
        return match letters {
            "eval" | "print" => Given::Code,
            "require" | "import" | "loader" | "experimental-loader" => Given::Module,
            _ if letters.contains(['=', '/']) => Given::Path,
            _ => Given::Nothing,
        };
    }
    match language {
        Language::Python if letters.contains('c') => Given::Code,
        Language::Python if letters.contains('m') => Given::Module,
        Language::Python => Given::Nothing,
        _ if matches!(letters, "r" | "I" | "M" | "d" | "l") => Given::Module,
        _ if letters.starts_with(['M', 'I', 'r', 'd']) || letters.contains(['=', '/']) => Given::Path,
        _ if letters.contains(['e', 'E', 'p']) => Given::Code,
        _ => Given::Nothing,
    }
}

/// Whether an option is of letters behind one dash.
fn is_cluster(option: &str) -> bool {
    option.len() > 1 && option.starts_with('-') && !option.starts_with("--")
}

fn is_option(word: &Word) -> bool {
    word.text().is_some_and(|text| text.starts_with('-'))
}
