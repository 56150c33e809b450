//! Options whose values a program runs or writes to, by program.

use super::table::{ProgramFacts, TableRow, facts_of};
use crate::walk::{
    CommandWalk, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, program_name,
};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind, OperationTag};

/// What a program does with the value of an option; `rows/options.txt` explains the words.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueUse {
    Line,
    Words,
    LineWith(&'static str),
    LineBehind(&'static str),
    Program,
    Code,
    Rest,
    Settings,
    Expanded,
    Loaded,
    Written,
}
use ValueUse::{Code, Expanded, Line, LineBehind, LineWith, Loaded, Program, Rest, Settings, Words, Written};

impl ValueUse {
    pub(super) fn read(row: TableRow) -> Option<Self> {
        let (name, text) = row.fields().next()?;
        Some(match name {
            "line" => Line,
            "words" => Words,
            "line-with" => LineWith(text),
            "line-behind" => LineBehind(text.trim_matches('"')),
            "program" => Program,
            "code" => Code,
            "rest" => Rest,
            "settings" => Settings,
            "expanded" => Expanded,
            "loaded" => Loaded,
            "written" => Written,
            _ => return None,
        })
    }
}

/// Programs that only pack and unpack what goes through them.
const FILTERS: &str = "gzip pigz zstd xz bzip2 lz4 pzstd zstdmt gunzip unzstd unxz bunzip2";

/// The values of an option: each argument with the one behind it if that is the value.
pub(super) fn option_values<'a>(
    args: &'a [ShellArg],
    option: &str,
) -> impl Iterator<Item = (ShellArg, &'a [ShellArg])> {
    let value_of = move |(index, arg): (usize, &'a ShellArg)| {
        let glued = glued_value(&arg.text, option)?;
        let rest = args.get(index + 1..).unwrap_or_default();
        match (glued, rest) {
            ("", rest) => {
                // Behind a word there may be options.
                let skips = |arg: &&ShellArg| !option.starts_with('-') && arg.text.starts_with('-');
                let count = rest.iter().take_while(skips).count();
                let (value, rest) = rest.get(count..)?.split_first()?;
                Some((value.clone(), rest))
            }
            (glued, rest) => Some((arg.with_text(glued), rest)),
        }
    };
    args.iter().enumerate().filter_map(value_of)
}

/// The value of an option in the same word; empty if it is the next one. `None`: the word has not this option.
pub(super) fn glued_value<'t>(text: &'t str, option: &str) -> Option<&'t str> {
    let Some(name) = option.strip_prefix('-') else {
        return if option == "+" { text.strip_prefix(option) } else { (text == option).then_some("") };
    };
    if text == option {
        return Some("");
    }
    if name.len() == 1 {
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let at = letters.find(name)?;
        let is_cluster = letters.get(..at)?.bytes().all(|letter| letter.is_ascii_alphanumeric());
        return letters.get(at + 1..).filter(|_| is_cluster);
    }
    let (given, value) = text.split_once('=').unwrap_or((text, ""));
    let is_abbreviation = given.len() > 5 && option.starts_with("--") && option.starts_with(given);
    (given == option || given.strip_prefix('-') == Some(option) || is_abbreviation).then_some(value)
}

/// The code in the options of an interpreter.
pub(super) fn code_values(call: &ProgramCall<'_>) -> Vec<ShellArg> {
    let uses = facts_of(call.name).option_uses.iter().filter(|(_, usage)| matches!(usage, Code));
    uses.flat_map(|(option, _)| option_values(call.args, option).map(|(value, _)| value)).collect()
}

/// Does what a program does with the values of its options, but for code.
pub(super) fn use_options(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    for (option, usage) in &facts.option_uses {
        if let ("<", Some(text)) = (*option, &call.stdin.text) {
            use_value(walk, call, &ShellArg::new(text.as_str()), &[], *usage);
        }
        // The rest is one command, whatever stands in it.
        let most = if matches!(usage, Rest) { 1 } else { usize::MAX };
        for (value, rest) in option_values(call.args, option).take(most) {
            use_value(walk, call, &value, rest, *usage);
        }
    }
    if let Some((number, letters)) = facts.output {
        let parsed = ParsedOptions::parse(call.args, OptionLetters { letters, names: "command" });
        if let Some(operand) = parsed.operands.get(number) {
            use_value(walk, call, operand, &[], Written);
        }
    }
}

fn use_value(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, value: &ShellArg, rest: &[ShellArg], usage: ValueUse) {
    match usage {
        Line => drop(walk.run_line(&value.text, call.stdin)),
        Words => drop(walk.run_line(&value.text.replace(',', " "), call.stdin)),
        LineWith(option) => {
            let args = option_values(call.args, option).next().map(|(args, _)| args.text).unwrap_or_default();
            walk.run_line(&format!("{} {args}", value.text), call.stdin);
        }
        LineBehind(mark) => {
            for (_, line) in value.text.lines().filter_map(|line| line.split_once(mark)) {
                let line = line.trim().trim_end_matches([')', ';']);
                let quoted = line.strip_prefix(['"', '\'', '`']);
                let inner = quoted.and_then(|line| line.strip_suffix(['"', '\'', '`'])).unwrap_or(line);
                walk.run_line(inner, call.stdin);
            }
        }
        Program => {
            walk.run_line(&value.text, call.stdin);
            let program = value.text.split_whitespace().next().map(program_name).unwrap_or_default();
            if !is_listed(FILTERS, &program) {
                walk.push_code(TextTaint::NONE, call.name, "it runs another program");
            }
        }
        Code => {}
        Rest if rest.is_empty() && value.text.contains(' ') => drop(walk.run_line(&value.text, call.stdin)),
        Rest => {
            let args: Vec<ShellArg> = std::iter::once(value).chain(rest).cloned().collect();
            walk.run_args(&args, call.stdin);
        }
        Settings => {
            let settings = || value.text.split_whitespace().filter_map(|word| word.split_once('='));
            if let Some((_, path)) = settings().find(|(name, _)| matches!(*name, "path" | "dest")) {
                let deletes = settings().any(|setting| setting == ("state", "absent"));
                let kind = if deletes { OperationKind::Delete } else { OperationKind::Write };
                let operation = Operation::new(kind, call.name).tag_if(deletes, OperationTag::Recursive);
                walk.push_path(operation, &ShellArg::new(path));
            }
        }
        Expanded if value.is_known() => drop(walk.expand_again(value)),
        Expanded => {}
        Loaded => walk.push(Operation::new(OperationKind::System, call.name).action("preload").written(value.shown())),
        Written => {
            let flow = TextFlow::from_taint(call.stdin.taint);
            walk.write_file(call.name, value, "replace", flow);
        }
    }
}
