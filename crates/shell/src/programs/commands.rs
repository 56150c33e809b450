//! Rows for programs whose meaning is in their subcommands.

mod agents;
mod credentials;
mod machine;

use super::ProgramCall;
use crate::walk::CommandWalk;
use crate::{Operation, OperationKind, OperationTag};

/// What a program does with certain words and options.
#[derive(Debug)]
pub(crate) struct SubcommandDef {
    pub(crate) programs: &'static [&'static str],
    /// Words that come in this order among the operands; `a|b` are alternatives, and the first word is the first operand
    /// but for values of options.
    pub(crate) words: &'static [&'static str],
    /// Options that must be there, one of each group: `-f|--force`.
    pub(crate) options: &'static [&'static str],
    /// Options of which none may be there, such as a dry run.
    pub(crate) without: &'static [&'static str],
    pub(crate) kind: OperationKind,
    pub(crate) action: &'static str,
    pub(crate) tags: &'static [OperationTag],
}

/// A row without conditions on options.
pub(crate) const fn subcommand(
    programs: &'static [&'static str],
    words: &'static [&'static str],
    kind: OperationKind,
    action: &'static str,
) -> SubcommandDef {
    SubcommandDef { programs, words, options: &[], without: &[], kind, action, tags: &[] }
}

impl SubcommandDef {
    pub(crate) const fn with(mut self, options: &'static [&'static str]) -> Self {
        self.options = options;
        self
    }
    pub(crate) const fn without(mut self, options: &'static [&'static str]) -> Self {
        self.without = options;
        self
    }
    pub(crate) const fn tags(mut self, tags: &'static [OperationTag]) -> Self {
        self.tags = tags;
        self
    }

    fn matches(&self, call: &ProgramCall<'_>) -> bool {
        let has_option = |group: &str| group.split('|').any(|option| has_option(call, option));
        has_words(call, self.words)
            && self.options.iter().all(|group| has_option(group))
            && !self.without.iter().any(|group| has_option(group))
    }
}

/// Whether the operands have these words in this order. The first one may only follow options and their values.
fn has_words(call: &ProgramCall<'_>, words: &[&str]) -> bool {
    let mut wanted = words.iter().peekable();
    let mut after_option = false;
    for (index, arg) in call.args.iter().enumerate() {
        let Some(next) = wanted.peek() else { return true };
        let text = arg.text.as_str();
        if next
            .split('|')
            .any(|word| word == text || (word.ends_with('*') && text.starts_with(word.trim_end_matches('*'))))
        {
            wanted.next();
            after_option = false;
            continue;
        }
        let is_option = text.starts_with('-');
        // Another subcommand than the wanted one.
        if wanted.len() == words.len() && !is_option && !after_option && index < 8 && !words.is_empty() {
            return false;
        }
        after_option = is_option && !text.contains('=');
    }
    wanted.peek().is_none()
}

/// Whether an option is given: `-x` also among letters, `--name` also with a value, a plain word as it is.
pub(super) fn has_option(call: &ProgramCall<'_>, option: &str) -> bool {
    call.args.iter().any(|arg| {
        let text = arg.text.as_str();
        match (option.strip_prefix("--"), option.strip_prefix('-')) {
            (Some(name), _) => text.strip_prefix("--").is_some_and(|given| given.split('=').next() == Some(name)),
            (None, Some(letter)) if letter.len() == 1 => {
                text.len() > 1 && text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
            }
            _ => text == option || text.starts_with(option) && option.ends_with('='),
        }
    })
}

/// Every table of subcommands.
pub(crate) static SUBCOMMANDS: &[&[SubcommandDef]] =
    &[agents::ROWS, credentials::ROWS, machine::ROWS, super::git::ROWS];

/// Adds the operations of the rows that match.
pub(crate) fn push_subcommands(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, rows: &[&SubcommandDef]) {
    for row in rows.iter().filter(|row| row.matches(call)) {
        let operand = call.args.iter().rev().find(|arg| !arg.text.starts_with('-'));
        let operation = Operation::new(row.kind, call.name)
            .action(row.action)
            .written(operand.map(crate::walk::ShellArg::shown).unwrap_or_default());
        walk.push(row.tags.iter().fold(operation, |operation, tag| operation.tag(*tag)));
    }
}
