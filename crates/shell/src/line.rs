//! The simple commands of a command line, for rules on commands.

use std::collections::BTreeSet;

use crate::programs::{is_program, run_program};
use crate::syntax::{
    BashCommand, BashPipeline, BashRedirect, BashWord, GrammarKind, PipelineLink, RedirectKind, ShellScript,
    SimpleCommand, WordPiece, parse_script,
};
use crate::walk::{CommandWalk, in_quotes, program_name};
use crate::{CallSite, Operation, OperationKind, OperationTag, ShellLanguage};

/// The words of bash and `/bin/sh` that are not programs.
const OWN_WORDS: &str = include_str!("own_words.txt");
/// Commands that ask whether there is a program.
const PROBES: [&str; 4] = ["command", "hash", "type", "which"];
/// Commands that run the rest of their words.
const PREFIXES: [&str; 4] = ["command", "exec", "nohup", "time"];

/// Whether the first word of a command is one of the shell's own, and not a program.
#[must_use]
pub fn is_own_word(word: &str) -> bool {
    OWN_WORDS.split_whitespace().any(|own| own == word)
}

/// What a command line runs, for rules that compare commands with patterns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineCommands {
    /// The words of each command that it runs, quotes taken off: also of those behind a wrapper such as `sudo`, in a
    /// substitution or in a function. The wrapper itself is a command as well.
    pub commands: Vec<Vec<String>>,
    /// Whether it runs nothing but these commands with these words: nothing in it is assigned, redirected to a file or
    /// left to a variable.
    pub is_plain: bool,
    /// Whether it may run commands that cannot be known before.
    pub runs_unknown: bool,
}

/// Reads a command line as bash reads it.
#[must_use]
pub fn commands_of_line(line: &str, call_site: &CallSite<'_>) -> LineCommands {
    let mut walk = CommandWalk::new(call_site, run_program, is_program).keeping_commands();
    walk.run_command_line(line, ShellLanguage::Bash);
    // What only may run is not a command of the line.
    let commands = walk.take_commands().into_iter().filter(|command| !command.possible);
    let commands = commands.map(|command| command.words).collect();
    let is_plain = is_plain_script(&parse_script(line, GrammarKind::Bash));
    LineCommands { commands, is_plain, runs_unknown: walk.operations.iter().any(runs_unknown) }
}

/// Whether an operation is a command that cannot be known before it runs.
#[must_use]
pub fn runs_unknown(operation: &Operation) -> bool {
    let is_computed =
        [OperationTag::Network, OperationTag::Decoded, OperationTag::Output].iter().any(|tag| operation.has(*tag));
    match operation.kind {
        OperationKind::Unknown => operation.program.is_empty(),
        OperationKind::RunCode => operation.program.is_empty() || is_computed,
        _ => false,
    }
}

/// Whether a script is a list of commands whose words are all written out.
fn is_plain_script(script: &ShellScript) -> bool {
    let is_plain_command = |command: &BashCommand| match command {
        BashCommand::Simple(simple) => is_plain_command(simple),
        _ => false,
    };
    let is_plain_pipeline = |pipeline: &BashPipeline| {
        !pipeline.is_background && !pipeline.is_coprocess && pipeline.commands.iter().all(is_plain_command)
    };
    script.fault.is_none() && script.pipelines.iter().all(is_plain_pipeline)
}

fn is_plain_command(command: &SimpleCommand) -> bool {
    let is_written = |word: &BashWord| word.pieces.iter().all(is_written_piece);
    let is_pattern =
        |word: &BashWord| word.as_literal().is_some_and(|text| text != "[" && text.contains(['*', '?', '[']));
    command.assignments.is_empty()
        && command.declared.is_empty()
        && command.words.first().is_some_and(|program| !is_pattern(program))
        && command.words.iter().all(is_written)
        && command.redirects.iter().all(leaves_files)
}

fn is_written_piece(piece: &WordPiece) -> bool {
    match piece {
        WordPiece::Literal(text) => !text.contains(['{', '}']),
        WordPiece::Quoted(_) => true,
        _ => false,
    }
}

/// Whether a redirection opens no file: `2>&1` and `>/dev/null`.
fn leaves_files(redirect: &BashRedirect) -> bool {
    let target = redirect.target.as_literal().unwrap_or_default();
    match redirect.kind {
        RedirectKind::Duplicate | RedirectKind::DuplicateInput => target.chars().all(|letter| letter.is_ascii_digit()),
        _ => target == "/dev/null",
    }
}

/// The programs that a script of bash or `/bin/sh` runs by their names in any case, without saying what to do if they
/// fail. Those whose presence it checks are left out.
#[must_use]
pub fn required_programs(text: &str) -> Vec<String> {
    let script = parse_script(text, GrammarKind::Bash);
    if script.fault.is_some() {
        return Vec::new();
    }
    let mut reader = ScriptReader::default();
    reader.read_list(&script.pipelines, true);
    let ScriptReader { mut required, known, .. } = reader;
    required.retain(|name| !known.contains(name) && !is_own_word(name));
    required.into_iter().collect()
}

/// Collects the programs of a script by its syntax alone.
#[derive(Debug, Default)]
struct ScriptReader {
    required: BTreeSet<String>,
    /// Functions of the script, and programs whose presence it checks.
    known: BTreeSet<String>,
    /// Whether the script may have ended before.
    may_be_over: bool,
}

impl ScriptReader {
    /// Reads commands that run one after another. `is_certain`: they run in any case.
    fn read_list(&mut self, pipelines: &[BashPipeline], is_certain: bool) {
        for (index, pipeline) in pipelines.iter().enumerate() {
            let has_fallback = pipelines.get(index + 1).is_some_and(|next| next.link == PipelineLink::AfterFailure);
            let is_linked = pipeline.link != PipelineLink::Always;
            let is_certain = is_certain && !is_linked && !has_fallback && !self.may_be_over;
            for command in &pipeline.commands {
                self.read_command(command, is_certain);
            }
        }
    }

    fn read_command(&mut self, command: &BashCommand, is_certain: bool) {
        match command {
            BashCommand::Simple(simple) => self.read_simple(simple, is_certain),
            BashCommand::Group(body, _, _) => self.read_list(body, is_certain),
            BashCommand::While(condition, body, _) => {
                self.read_list(condition, is_certain);
                self.read_list(body, false);
            }
            BashCommand::Branches(branches, _, _) => {
                for (index, branch) in branches.iter().enumerate() {
                    self.read_list(&branch.condition, is_certain && index == 0);
                    self.read_list(&branch.body, false);
                }
            }
            BashCommand::For(_, values, body, _) => {
                values.iter().flatten().for_each(|word| self.read_word(word, is_certain));
                self.read_list(body, false);
            }
            BashCommand::Function(names, body) => {
                self.known.extend(names.iter().cloned());
                self.read_command(body, false);
            }
            BashCommand::Test(words, _) => words.iter().for_each(|word| self.read_word(word, is_certain)),
        }
    }

    fn read_simple(&mut self, command: &SimpleCommand, is_certain: bool) {
        for assignment in command.assignments.iter().chain(&command.declared) {
            assignment.words.iter().for_each(|word| self.read_word(word, is_certain));
        }
        command.words.iter().for_each(|word| self.read_word(word, is_certain));
        command.redirects.iter().for_each(|redirect| self.read_word(&redirect.target, is_certain));
        let texts: Vec<&str> = command.words.iter().map(|word| word.as_literal().unwrap_or_default()).collect();
        let Some((name, rest)) = texts.split_first() else { return };
        if PROBES.contains(name) && (*name != "command" || rest.first().is_some_and(|word| word.starts_with('-'))) {
            self.known.extend(rest.iter().map(|word| (*word).to_owned()));
            return;
        }
        self.may_be_over |= matches!(*name, "exit" | "return" | "exec");
        let name = if PREFIXES.contains(name) { rest.first().copied().unwrap_or_default() } else { name };
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.+".contains(letter));
        if is_certain && is_name && name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
            self.required.insert(name.to_owned());
        }
    }

    fn read_word(&mut self, bash_word: &BashWord, is_certain: bool) {
        for piece in &bash_word.pieces {
            match piece {
                WordPiece::Substitution(script, _) | WordPiece::Process(script, _) => {
                    let was_over = self.may_be_over;
                    self.read_list(&script.pipelines, is_certain);
                    // What ends a substitution does not end the script.
                    self.may_be_over = was_over;
                }
                WordPiece::Variable(expansion) => self.read_word(&expansion.operand, false),
                _ => {}
            }
        }
    }
}

/// The words of a command as one text, with the program's name as it is written, or without its directory.
#[must_use]
pub fn command_text(words: &[String], keeps_directory: bool, quotes_words: bool) -> String {
    let needs_quotes =
        |word: &str| word.is_empty() || word.contains(|letter: char| letter.is_whitespace() || "'\"".contains(letter));
    let shown = |(index, word): (usize, &String)| match index {
        0 if !keeps_directory => program_name(word),
        _ if quotes_words && needs_quotes(word) => in_quotes(word),
        _ => word.clone(),
    };
    words.iter().enumerate().map(shown).collect::<Vec<_>>().join(" ")
}
