//! Finds the policy changes of a command line by its words.

use std::path::{Path, PathBuf};

use super::paths::PolicyPaths;
use super::programs::{
    CODE, OperandUse, SHELLS, base_name, code_arguments, is_interpreter, is_option, join_words, operand_use_of,
    own_command_change, program_of,
};
use super::search::{FileSearch, is_search};
use super::words::{CommandToken, tokenize_command};

/// The deepest nesting of command lines that is analyzed.
const MAX_DEPTH: usize = 6;
/// The most variables, and the most values of a word.
const MAX_VARIABLES: usize = 64;
/// The longest word that is analyzed with its variables expanded.
const MAX_WORD: usize = 4096;
/// The most directories to which words are resolved.
const MAX_FOLDERS: usize = 16;
/// The most policy files that a search is assumed to find.
const MAX_FOUND: usize = 64;
/// Words of code that removes directories.
const REMOVING: [&str; 8] = ["rmtree", "rmSync", "rmdirSync", "rm_rf", "rm_r", "remove_tree", "rename", "move"];

/// The judgement of a command line.
#[derive(Debug)]
pub struct CommandJudgement<'a> {
    /// A description of the policy that it would change.
    pub changed_policy: Option<String>,
    /// The directories in which it works.
    pub visited_dirs: Vec<PolicyPaths<'a>>,
}

#[derive(Debug, Default)]
struct PolicyCommand {
    /// Its words, with whether each was quoted.
    words: Vec<(String, bool)>,
    /// The targets of its output.
    output_targets: Vec<String>,
    documents: Vec<String>,
    /// Whether it reads the output of the previous command.
    is_piped: bool,
}

/// Judges a shell command line by the words that evidently name written files.
#[must_use]
pub fn judge_command<'a>(base: &PolicyPaths<'a>, text: &str) -> CommandJudgement<'a> {
    let mut judge = CommandJudge { folders: vec![base.clone()], variables: Vec::new() };
    let changes = judge.judge_line(text, 0);
    CommandJudgement { changed_policy: changes, visited_dirs: judge.folders }
}

pub(super) struct CommandJudge<'a> {
    /// The directories to which words are resolved: the working directory, and each directory that the line enters.
    folders: Vec<PolicyPaths<'a>>,
    /// The variables that the line itself sets, with each of their values.
    variables: Vec<(String, String)>,
}

fn split_commands(text: &str) -> Vec<PolicyCommand> {
    let mut found: Vec<PolicyCommand> = vec![PolicyCommand::default()];
    let (mut is_target, mut is_source) = (false, false);
    for piece in tokenize_command(text) {
        let Some(command) = found.last_mut() else { break };
        match piece {
            CommandToken::Word(word, _) if is_target => command.output_targets.push(word),
            CommandToken::Word(..) if is_source => {}
            CommandToken::Word(word, quoted) => command.words.push((word, quoted)),
            CommandToken::Document(text) => {
                let before = found.iter_mut().rev().find(|command| !command.words.is_empty());
                before.into_iter().for_each(|command| command.documents.push(text.clone()));
            }
            CommandToken::End | CommandToken::Pipe => {
                found.push(PolicyCommand { is_piped: piece == CommandToken::Pipe, ..PolicyCommand::default() });
            }
            CommandToken::OutputRedirect | CommandToken::InputRedirect => {
                (is_target, is_source) = (piece == CommandToken::OutputRedirect, piece == CommandToken::InputRedirect);
                continue;
            }
        }
        (is_target, is_source) = (false, false);
    }
    found
}

fn policy_path_text(path: &Path) -> String {
    format!("`{}`, a policy file", path.display())
}

impl<'a> CommandJudge<'a> {
    fn judge_line(&mut self, text: &str, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let all = split_commands(text);
        all.iter().enumerate().find_map(|(index, command)| {
            let before = all.get(..index).unwrap_or_default();
            let piped = before.len() - before.iter().rev().take_while(|command| command.is_piped).count();
            let piped = if command.is_piped { before.get(piped.saturating_sub(1)..).unwrap_or_default() } else { &[] };
            self.judge_one(command, piped, depth)
        })
    }

    fn judge_one(&mut self, command: &PolicyCommand, piped: &[PolicyCommand], depth: usize) -> Option<String> {
        self.record_variables(&command.words);
        let into = command
            .output_targets
            .iter()
            .find_map(|word| self.find_policy(word, false, PolicyPaths::policy_written_at));
        if let Some(path) = into {
            return Some(policy_path_text(&path));
        }
        // Command substitutions in words.
        for (word, _) in &command.words {
            let inner = word.split_once("$(").or_else(|| word.split_once('`')).map(|(_, inner)| inner);
            if let Some(found) = inner.and_then(|inner| self.judge_line(inner, depth + 1)) {
                return Some(found);
            }
        }
        let (program, operands) = program_of(&command.words)?;
        let words: Vec<&str> = operands.iter().map(|(word, _)| word.as_str()).collect();
        match program.as_str() {
            "cd" | "pushd" => {
                self.enter_folder(words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or("~"));
                None
            }
            "eval" => self.judge_line(&words.join(" "), depth + 1),
            "pintle" => own_command_change(&words),
            "git" => self.judge_git(operands),
            search if is_search(search) => self.judge_search(&FileSearch::parse(search, operands), depth),
            "tar" | "bsdtar" | "unzip" | "curl" | "wget" => self.judge_download(&program, operands),
            shell if SHELLS.contains(&shell) => {
                let code = code_arguments(&words, &["-c"]);
                let texts = code.into_iter().map(str::to_owned).chain(command.documents.iter().cloned());
                let printed = piped.iter().map(printed_text);
                texts.chain(printed).collect::<Vec<_>>().iter().find_map(|text| self.judge_line(text, depth + 1))
            }
            interpreter if is_interpreter(interpreter) => self.judge_code(command, operands, &words, piped),
            _ => {
                let is_listed = command.words.iter().any(|(word, _)| base_name(word) == "xargs");
                let listed = piped.iter().filter(|_| is_listed).flat_map(|before| self.listed_paths(before));
                let all: Vec<(String, bool)> = operands.iter().cloned().chain(listed).collect();
                self.judge_operands(operand_use_of(&program, &all)?, &all)
            }
        }
    }

    /// Resolves the following words to another directory as well.
    pub(super) fn enter_folder(&mut self, dir: &str) {
        let new: Vec<PolicyPaths<'a>> = self.folders.iter().map(|from| from.with_working_dir(Some(dir))).collect();
        for dir in new {
            if self.folders.len() < MAX_FOLDERS {
                self.folders.push(dir);
            }
        }
    }

    /// The policy that a word refers to.
    fn find_policy(
        &self,
        word: &str,
        quoted: bool,
        asks: fn(&PolicyPaths<'a>, &str) -> Option<PathBuf>,
    ) -> Option<PathBuf> {
        let words = self.expand_variables(word);
        let of_folder = |dir: &PolicyPaths<'a>| {
            // The value of a variable is a pattern even if the word around it is quoted.
            let literal = quoted && words.len() == 1;
            let all = words.iter().flat_map(|word| if literal { vec![word.clone()] } else { dir.expand_word(word) });
            all.into_iter().find_map(|word| asks(dir, &word))
        };
        self.folders.iter().find_map(of_folder)
    }

    /// Records the variables that a command sets: by an assignment, or by a loop over words.
    fn record_variables(&mut self, words: &[(String, bool)]) {
        let assigned = words.iter().filter_map(|(word, _)| word.split_once('='));
        let texts: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        let looped: Vec<(&str, &str)> = match texts.as_slice() {
            ["for", name, "in", values @ ..] => values.iter().map(|value| (*name, *value)).collect(),
            _ => Vec::new(),
        };
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let new: Vec<(String, String)> = assigned
            .chain(looped)
            .filter(|(name, _)| is_name(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let room = MAX_VARIABLES.saturating_sub(self.variables.len());
        self.variables.extend(new.into_iter().take(room));
    }

    /// A word as it is, and with the line's variables expanded.
    fn expand_variables(&self, word: &str) -> Vec<String> {
        let mut all = vec![word.to_owned()];
        if !word.contains('$') {
            return all;
        }
        for (name, value) in &self.variables {
            let filled: Vec<String> = all
                .iter()
                .map(|word| word.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value))
                .filter(|word| word.len() < MAX_WORD && !all.contains(word))
                .collect();
            all.extend(filled);
            all.truncate(MAX_VARIABLES);
        }
        all
    }

    /// The paths that a command may print for the next one.
    fn listed_paths(&self, command: &PolicyCommand) -> Vec<(String, bool)> {
        match program_of(&command.words) {
            Some((name, operands)) if is_search(&name) => {
                let found = self.find_searched_policy(&FileSearch::parse(&name, operands));
                found.into_iter().map(|path| (path.to_string_lossy().into_owned(), true)).collect()
            }
            _ => command.words.clone(),
        }
    }

    pub(super) fn judge_operands(&self, usage: OperandUse, words: &[(String, bool)]) -> Option<String> {
        let plain: Vec<&(String, bool)> = words.iter().filter(|(word, _)| !is_option(word)).collect();
        let valued = || words.iter().filter_map(|(word, quoted)| Some((word.split_once('=')?.1, *quoted)));
        let writes = |(word, quoted): &(String, bool)| self.find_policy(word, *quoted, PolicyPaths::policy_written_at);
        let changes = |(word, quoted): &(String, bool)| self.find_policy(word, *quoted, PolicyPaths::policy_changed_at);
        let found = match usage {
            OperandUse::ChangesEach => plain.iter().find_map(|word| changes(word)),
            OperandUse::WritesEach | OperandUse::EditsInPlace => plain.iter().find_map(|word| writes(word)),
            OperandUse::WritesNamed => words.iter().find_map(writes),
            OperandUse::WritesInto | OperandUse::MovesInto | OperandUse::MirrorsInto => {
                let named = words.iter().skip_while(|(word, _)| word != "-t" && word != "--target-directory").nth(1);
                let (target, sources) = match (named, plain.split_last()) {
                    (Some(target), _) => (target, plain.as_slice()),
                    (None, Some((target, sources))) => (*target, sources),
                    (None, None) => return None,
                };
                let below = |(source, _): &(String, bool)| {
                    let source = source.trim_end_matches('/');
                    let name = source.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | ".."))?;
                    let all = self.folders.iter().flat_map(|dir| dir.expand_word(name));
                    all.into_iter().find_map(|name| {
                        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
                        self.find_policy(&format!("{}/{name}", target.0), target.1, PolicyPaths::policy_written_at)
                    })
                };
                let taken = || sources.iter().find_map(|word| changes(word)).filter(|_| usage == OperandUse::MovesInto);
                let emptied = (usage == OperandUse::MirrorsInto).then(|| changes(target)).flatten();
                writes(target).or(emptied).or_else(|| sources.iter().find_map(|word| below(word))).or_else(taken)
            }
        };
        let found = found.or_else(|| {
            valued().find_map(|(word, quoted)| self.find_policy(word, quoted, PolicyPaths::policy_written_at))
        });
        found.as_deref().map(policy_path_text)
    }

    /// Judges `find` and `fd` commands that delete the files they find, or run a program that changes them.
    fn judge_search(&mut self, search: &FileSearch, depth: usize) -> Option<String> {
        let written =
            search.written_lists.iter().find_map(|word| self.find_policy(word, false, PolicyPaths::policy_written_at));
        if let Some(path) = written {
            return Some(policy_path_text(&path));
        }
        if !search.is_deleting && search.runs.is_empty() {
            return None;
        }
        let found = self.find_searched_policy(search);
        match found.first() {
            Some(path) if search.is_deleting => return Some(policy_path_text(path)),
            Some(_) => {}
            None => return None,
        }
        let known = self.variables.len();
        for path in found {
            let path = path.to_string_lossy();
            // A shell gets the path as one of these.
            self.variables.extend(["0", "1", "@", "*"].map(|name| (name.to_owned(), path.clone().into_owned())));
            let changed = search.runs.iter().find_map(|run| {
                let words = run.iter().map(|word| (word.replace("{}", &path), true)).collect();
                self.judge_one(&PolicyCommand { words, ..PolicyCommand::default() }, &[], depth + 1)
            });
            self.variables.truncate(known);
            if changed.is_some() {
                return changed;
            }
        }
        None
    }

    /// The policy that a search finds.
    fn find_searched_policy(&self, search: &FileSearch) -> Vec<PathBuf> {
        let starts = |dir: &PolicyPaths<'a>| -> Vec<String> {
            let words = search.starts.iter().flat_map(|(word, _)| self.expand_variables(word));
            words.flat_map(|word| dir.expand_word(&word)).collect()
        };
        let below = |dir: &PolicyPaths<'a>| {
            starts(dir)
                .into_iter()
                .flat_map(|start| search.select_found(&start, dir.policy_below(&start)))
                .collect::<Vec<_>>()
        };
        let mut found: Vec<PathBuf> = self.folders.iter().flat_map(below).collect();
        found.sort_unstable();
        found.dedup();
        found.truncate(MAX_FOUND);
        found
    }

    /// Judges programs that write the files they unpack or download.
    fn judge_download(&mut self, program: &str, operands: &[(String, bool)]) -> Option<String> {
        let option = if program == "unzip" { "-d" } else { "-C" };
        let is_folder = |(word, _): &&(String, bool)| word == option || word == "--directory";
        if let Some((dir, _)) = operands.iter().skip_while(|word| !is_folder(word)).nth(1) {
            self.enter_folder(dir);
        }
        let first = operands.first().map(|(word, _)| word.as_str()).unwrap_or_default();
        let unpacks = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('x');
        let is_archiver = ["tar", "bsdtar"].contains(&program);
        let is_letters = |word: &str| word.contains('x') && !word.contains(['/', '.']);
        let writes =
            !is_archiver || is_letters(first) || operands.iter().any(|(word, _)| unpacks(word) || word == "--extract");
        if writes { self.judge_operands(OperandUse::WritesNamed, operands) } else { None }
    }

    /// Judges code in the command line: its effect on a file that it names cannot be determined.
    fn judge_code(
        &self,
        command: &PolicyCommand,
        operands: &[(String, bool)],
        words: &[&str],
        piped: &[PolicyCommand],
    ) -> Option<String> {
        let in_place = words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('i'));
        if in_place && let Some(found) = self.judge_operands(OperandUse::EditsInPlace, operands) {
            return Some(found);
        }
        let reads_input = words.iter().all(|word| word.starts_with('-'));
        let program = operands.first().filter(|_| command.words.iter().any(|(word, _)| word.ends_with("awk")));
        let texts = code_arguments(words, &CODE)
            .into_iter()
            .map(str::to_owned)
            .chain(program.map(|(text, _)| text.clone()).filter(|text| text.contains('>') || text.contains("system")))
            .chain(command.documents.iter().cloned())
            .chain(piped.iter().filter(|_| reads_input).map(printed_text));
        for text in texts {
            let between = |letter: char| letter.is_whitespace() || "\"'`()[]{},;=<>|&+".contains(letter);
            // Removing a directory removes its files as well.
            let asks = match REMOVING.iter().any(|word| text.contains(word)) {
                true => PolicyPaths::policy_changed_at,
                false => PolicyPaths::policy_written_at,
            };
            if let Some(path) =
                text.split(between).filter(|word| !word.is_empty()).find_map(|word| self.find_policy(word, true, asks))
            {
                return Some(format!(
                    "{}: code in the command line names it, and Pintle cannot tell what that code does",
                    policy_path_text(&path)
                ));
            }
        }
        None
    }
}

/// The text that a command such as `echo` prints, by its operands.
fn printed_text(command: &PolicyCommand) -> String {
    program_of(&command.words).map(|(_, operands)| join_words(operands)).unwrap_or_default()
}
