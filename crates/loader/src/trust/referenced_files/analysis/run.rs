//! Determines what one command runs.

use std::path::{Path, PathBuf};

use super::{CommandAnalysis, CommandSource};
use crate::trust::referenced_files::programs::{ProgramKind, ProgramLanguage, kind_of_program};
use crate::trust::referenced_files::shell::{CommandWord, ParsedCommand, parse_assignment};
use crate::trust::referenced_files::values::{self, expand_word};

impl CommandAnalysis<'_> {
    /// Analyzes the words of a command by its program, if it is known.
    pub(super) fn run_words(&mut self, words: &[CommandWord], command: &ParsedCommand, source: &CommandSource<'_>) {
        let Some((first, rest)) = words.split_first() else { return };
        for value in expand_word(first, &self.variables) {
            let Some(name) = values::literal_text(&value) else {
                self.analyze_program(first, source, None);
                rest.iter().for_each(|word| self.analyze_argument(word, source, false));
                continue;
            };
            if self.functions.contains(&name) {
                rest.iter().for_each(|word| self.analyze_argument(word, source, false));
                continue;
            }
            let base = name.rsplit('/').next().unwrap_or_default();
            let is_ours = name.contains('/') && (!name.starts_with('/') || self.is_own_path(Path::new(&name)));
            let is_installed = !is_ours;
            match kind_of_program(base).filter(|_| is_installed) {
                Some(kind) => self.run_known_program(kind, base, rest, command, source),
                None => {
                    self.analyze_program(&CommandWord::from_text(&name), source, None);
                    if is_installed && self.script.is_none() && !name.is_empty() {
                        self.record_not_covered(source.display_text, "the program may read or run other files");
                    }
                    rest.iter().for_each(|word| self.analyze_argument(word, source, false));
                }
            }
        }
    }

    /// The directories in which a program's modules are searched. For a command that is about to run they do not
    /// include the working directory, unless the language searches there.
    pub(super) fn module_folders(&self, language: ProgramLanguage) -> Vec<PathBuf> {
        let script = self.script.as_deref().filter(|_| self.cwd.is_some());
        let is_node = |script: &Path| {
            ["js", "mjs", "cjs", "ts"].iter().any(|end| script.extension().is_some_and(|own| own == *end))
        };
        match script.and_then(|script| Some((script, script.parent()?))) {
            Some((script, own)) if language == ProgramLanguage::Python || is_node(script) => vec![own.to_owned()],
            _ => self.bases.clone(),
        }
    }

    fn run_known_program(
        &mut self,
        kind: ProgramKind,
        name: &str,
        rest: &[CommandWord],
        command: &ParsedCommand,
        source: &CommandSource<'_>,
    ) {
        match kind {
            ProgramKind::Quiet => {
                for word in rest {
                    let place = self.resolve_word(word);
                    if !place.files.is_empty() && place.files.iter().all(|file| self.is_written(file)) {
                        self.blank_word(word, source);
                    }
                }
            }
            ProgramKind::Reader => {
                let loads = |text: String| text == "-L" || text.contains("import ") || text.contains("include ");
                if matches!(name, "jq" | "yq") && rest.iter().filter_map(CommandWord::text).any(loads) {
                    self.record_not_covered(source.display_text, LOADS);
                }
                rest.iter().for_each(|word| self.analyze_argument(word, source, true));
            }
            ProgramKind::Writer => {
                let files = rest.iter().filter(|word| !is_option_word(word));
                files.for_each(|word| self.record_write(word, source));
            }
            ProgramKind::Copier => {
                if let Some((last, others)) = rest.split_last() {
                    others.iter().for_each(|word| self.analyze_argument(word, source, true));
                    self.record_write(last, source);
                }
            }
            ProgramKind::Setter => {
                for (name, word) in rest.iter().filter_map(parse_assignment) {
                    self.set_variable(&name, &word, source.display_text);
                }
            }
            ProgramKind::Runner => {
                self.record_not_covered(source.display_text, "the command does not say which files it runs");
                rest.iter().for_each(|word| self.analyze_argument(word, source, false));
            }
            ProgramKind::Wrapper => self.run_wrapped(name, rest, command, source),
            ProgramKind::Shell => self.run_shell(rest, command, source),
            ProgramKind::Interpreter(ProgramLanguage::Awk) => self.run_awk(rest, source),
            ProgramKind::Interpreter(language) => self.run_interpreter(language, rest, command, source),
            ProgramKind::Special => self.run_special(name, rest, source),
        }
    }

    fn run_special(&mut self, name: &str, rest: &[CommandWord], source: &CommandSource<'_>) {
        match (name, rest.first()) {
            ("cd" | "pushd", Some(word)) => {
                let is_open = self.resolve_word(word).is_open && self.script.is_none();
                is_open.then(|| {
                    self.record_not_covered(source.display_text, "its working directory is known only when it runs")
                });
            }
            ("." | "source", Some(word)) => self.analyze_program(word, source, Some(ProgramLanguage::Shell)),
            ("." | "source", None) => {
                self.record_not_covered(source.display_text, "it runs code from its standard input")
            }
            ("eval", Some(_)) => match rest.iter().map(CommandWord::text).collect::<Option<Vec<String>>>() {
                Some(words) => {
                    let text = words.join(" ");
                    self.analyze_text(&text, 0..text.len(), false);
                }
                None => self.record_not_covered(source.display_text, "known only when it runs"),
            },
            ("trap", Some(word)) => {
                if let Some(text) = word.text() {
                    self.analyze_text(&text, 0..text.len(), false);
                }
            }
            ("find", Some(_)) => {
                let runs = |word: &CommandWord| {
                    word.text().is_some_and(|text| text.starts_with("-exec") || text.starts_with("-ok"))
                };
                if rest.iter().any(runs) {
                    self.record_not_covered(source.display_text, "the command does not say which files it runs");
                }
                rest.iter().for_each(|word| self.analyze_argument(word, source, false));
            }
            _ => {}
        }
    }

    /// The command in the arguments of `env`, `timeout` and the like.
    fn run_wrapped(&mut self, name: &str, rest: &[CommandWord], command: &ParsedCommand, source: &CommandSource<'_>) {
        for (name, word) in rest.iter().map_while(|word| {
            parse_assignment(word).or_else(|| is_option_word(word).then(|| (String::new(), word.clone())))
        }) {
            if !name.is_empty() {
                self.set_variable(&name, &word, source.display_text);
            }
        }
        let option = |word: &CommandWord| word.text().filter(|text| text.starts_with('-'));
        if rest.iter().filter_map(option).any(|text| text.starts_with("-S") || text.starts_with("--split")) {
            self.record_not_covered(source.display_text, "known only when it runs");
        }
        let is_known = |word: &CommandWord| {
            let text = word.text().unwrap_or_default();
            kind_of_program(text.rsplit('/').next().unwrap_or_default()).is_some()
        };
        let may_be = |word: &CommandWord| {
            let text = word.text().unwrap_or_else(|| String::from("?"));
            !text.starts_with('-')
                && parse_assignment(word).is_none()
                && !text.starts_with(|letter: char| letter.is_ascii_digit())
        };
        if name == "flock" {
            let lock = rest.iter().position(|word| !is_option_word(word));
            lock.and_then(|index| rest.get(index)).into_iter().for_each(|word| self.record_write(word, source));
            let behind = rest.get(lock.map_or(rest.len(), |index| index + 1)..).unwrap_or_default();
            return match behind.first().and_then(CommandWord::text).as_deref() {
                Some("-c" | "--command") => self.run_shell(behind, command, source),
                _ => self.run_words(behind, command, source),
            };
        }
        let at = rest.iter().position(is_known).or_else(|| rest.iter().position(may_be));
        self.run_words(rest.get(at.unwrap_or(rest.len())..).unwrap_or_default(), command, source);
    }

    fn run_shell(&mut self, rest: &[CommandWord], command: &ParsedCommand, source: &CommandSource<'_>) {
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let text = word.text();
            match text.as_deref() {
                Some("+o" | "--rcfile" | "--init-file") => {
                    words.next().into_iter().for_each(|word| self.analyze_argument(word, source, false));
                }
                // `-euo pipefail`
                Some(option) if is_option_cluster(option) && option.ends_with('o') && !option.contains('c') => {
                    words.next();
                }
                Some("-s") => return self.run_input(command, source),
                Some("sh" | "ash") if word == rest.first().unwrap_or(word) => {}
                Some(option) if option.starts_with('-') && !option.starts_with("--") && option.contains('c') => {
                    match words.next() {
                        Some(word) => self.run_script_word(word, source),
                        None => self.record_not_covered(source.display_text, "known only when it runs"),
                    }
                    words.for_each(|word| self.analyze_argument(word, source, false));
                    return;
                }
                Some(option) if option.len() > 1 && option.starts_with(['-', '+']) => {}
                _ => {
                    self.analyze_program(word, source, Some(ProgramLanguage::Shell));
                    words.for_each(|word| self.analyze_argument(word, source, false));
                    return;
                }
            }
        }
        self.run_input(command, source);
    }

    /// The shell text after `-c`.
    fn run_script_word(&mut self, command_word: &CommandWord, source: &CommandSource<'_>) {
        let Some(text) = command_word.text() else {
            return self.record_not_covered(source.display_text, "known only when it runs");
        };
        let inner = command_word.span.start + 1..command_word.span.end.saturating_sub(1);
        match source.text.get(inner.clone()) {
            // The text is unchanged between its quotes, so its spans are known.
            Some(same) if same == text && source.is_own => self.analyze_text(source.text, inner, true),
            _ => self.analyze_text(&text, 0..text.len(), false),
        }
    }

    /// The code that a shell reads from its standard input.
    fn run_input(&mut self, command: &ParsedCommand, source: &CommandSource<'_>) {
        for input in &command.inputs {
            self.analyze_text(source.text, input.clone(), source.is_own);
        }
        if command.inputs.is_empty() && command.reads.is_empty() {
            self.record_not_covered(source.display_text, "it runs code from its standard input");
        }
        command.reads.iter().for_each(|word| self.analyze_program(word, source, Some(ProgramLanguage::Shell)));
    }

    fn run_awk(&mut self, rest: &[CommandWord], source: &CommandSource<'_>) {
        let mut words = rest.iter();
        let mut has_text = false;
        while let Some(word) = words.next() {
            let text = word.text();
            match text.as_deref() {
                Some("-f" | "--file") => {
                    words
                        .next()
                        .into_iter()
                        .for_each(|word| self.analyze_program(word, source, Some(ProgramLanguage::Awk)));
                    has_text = true;
                }
                Some(option) if option.starts_with("-f") => {
                    self.analyze_program(
                        &CommandWord::from_text(option.get(2..).unwrap_or_default()),
                        source,
                        Some(ProgramLanguage::Awk),
                    );
                    has_text = true;
                }
                Some("-v" | "-F" | "--assign") => {
                    words.next();
                }
                Some(option) if option.starts_with('-') => {}
                _ if has_text => self.analyze_argument(word, source, true),
                text => {
                    has_text = true;
                    let reads = ["getline", "system", "@include", "@load", "| "];
                    if text.is_none_or(|text| reads.iter().any(|word| text.contains(word))) {
                        self.record_not_covered(source.display_text, "it may run or include other files");
                    }
                }
            }
        }
    }

    fn run_interpreter(
        &mut self,
        language: ProgramLanguage,
        rest: &[CommandWord],
        command: &ParsedCommand,
        source: &CommandSource<'_>,
    ) {
        let mut words = rest.iter().peekable();
        let mut has_text = false;
        while let Some(word) = words.next() {
            let text = word.text();
            match text.as_deref() {
                Some("-") => break,
                Some("-W" | "-X") => {
                    words.next();
                }
                Some(option) if option.starts_with('-') => match option_meaning(language, option) {
                    OptionMeaning::Flag => {}
                    OptionMeaning::Code => {
                        match words.next().map(CommandWord::text) {
                            Some(Some(code)) => self.analyze_includes(language, &code),
                            _ => self.record_not_covered(source.display_text, "known only when it runs"),
                        }
                        has_text = true;
                    }
                    OptionMeaning::Module => {
                        self.record_not_covered(source.display_text, LOADS);
                        words.next();
                        has_text |= language == ProgramLanguage::Python;
                    }
                    OptionMeaning::Path => self.record_not_covered(source.display_text, LOADS),
                },
                _ if !has_text => {
                    // `deno run FILE`
                    let is_subcommand = matches!(text.as_deref(), Some("run" | "test")) && words.peek().is_some();
                    if !is_subcommand {
                        self.analyze_program(word, source, Some(language));
                        has_text = true;
                    }
                }
                _ => self.analyze_argument(word, source, false),
            }
        }
        if has_text {
            return;
        }
        if command.inputs.is_empty() && command.reads.is_empty() {
            self.record_not_covered(source.display_text, "it runs code from its standard input");
        }
        command.reads.iter().for_each(|word| self.analyze_program(word, source, Some(language)));
        for text in command.inputs.iter().filter_map(|input| source.text.get(input.clone())) {
            self.analyze_includes(language, text);
        }
    }
}

/// The reason why a module or a library is not covered.
const LOADS: &str = "it loads files that the command does not name";

/// The meaning of an interpreter's option.
enum OptionMeaning {
    Flag,
    /// The next word is code.
    Code,
    /// The next word names a module.
    Module,
    /// The option itself names a module or a directory.
    Path,
}

/// The meaning of an option for an interpreter; letters can be combined, as in `-ne`.
fn option_meaning(language: ProgramLanguage, option: &str) -> OptionMeaning {
    let letters = option.trim_start_matches('-');
    if option.starts_with("--") {
        return match letters {
            "eval" | "print" => OptionMeaning::Code,
            "require" | "import" | "loader" | "experimental-loader" => OptionMeaning::Module,
            _ if letters.contains(['=', '/']) => OptionMeaning::Path,
            _ => OptionMeaning::Flag,
        };
    }
    match language {
        ProgramLanguage::Python if letters.contains('c') => OptionMeaning::Code,
        ProgramLanguage::Python if letters.contains('m') => OptionMeaning::Module,
        ProgramLanguage::Python => OptionMeaning::Flag,
        _ if matches!(letters, "r" | "I" | "M" | "d" | "l") => OptionMeaning::Module,
        _ if letters.starts_with(['M', 'I', 'r', 'd']) || letters.contains(['=', '/']) => OptionMeaning::Path,
        _ if letters.contains(['e', 'E', 'p']) => OptionMeaning::Code,
        _ => OptionMeaning::Flag,
    }
}

/// Whether an option consists of letters after one dash.
fn is_option_cluster(option: &str) -> bool {
    option.len() > 1 && option.starts_with('-') && !option.starts_with("--")
}

fn is_option_word(command_word: &CommandWord) -> bool {
    command_word.text().is_some_and(|text| text.starts_with('-'))
}
