//! Programs that get statements or code of another language: clients of databases, consoles, remote shells.

use super::matching::has_words;
use super::program::{TextLanguage, TextSource};
use super::subcommand::SUBCOMMANDS;
use super::table::{ProgramFacts, facts_of};
use crate::OperationKind::Database;
use crate::paths::{UNKNOWN, matches_glob};
use crate::sql::sql_operations;
use crate::walk::{CommandWalk, ProgramCall, ShellArg, TextFlow};
use crate::word_lists::is_listed;
use crate::{Operation, PathPlace};

use TextLanguage::{Code, Mongo, Redis, Shell, Sql};

/// Adds what the statements and the code do that a program gets.
pub(super) fn push_statements(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, facts: &ProgramFacts) {
    for source in facts.sources.iter().filter(|source| has_words(call, &source.words)) {
        read_source(walk, call, source);
    }
    if facts.is("tool-starter") {
        run_started(walk, call);
    }
}

/// `yarn prisma migrate reset`, `npm exec -- prisma …`.
fn run_started(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let mut operands = call.args.iter().enumerate().filter(|(_, arg)| !arg.text.starts_with('-'));
    let Some((at, first)) = operands.next() else { return };
    if first.text == "pkg" {
        // `npm pkg set scripts.NAME=LINE`: a line that runs later.
        for (_, arg) in operands.filter(|(_, arg)| arg.text.starts_with("scripts.")) {
            if let Some((_, line)) = arg.text.split_once('=') {
                walk.run_line(line, &TextFlow::default());
            }
        }
        return;
    }
    if matches!(first.text.as_str(), "run" | "run-script") {
        // `npm run cdk -- deploy`: a script that has the name of a tool.
        let tool = operands.next().and_then(|(at, _)| call.args.get(at..)).unwrap_or_default();
        let args: Vec<ShellArg> = tool.iter().filter(|arg| arg.text != "--").cloned().collect();
        if args.first().is_some_and(|tool| is_tool(walk, &tool.text)) {
            walk.run_args(&args, call.stdin);
        }
    } else if matches!(first.text.as_str(), "exec" | "dlx" | "x") {
        if let Some(tool) = operands.next().and_then(|(at, _)| call.args.get(at..)) {
            walk.run_args(tool, call.stdin);
        }
    } else if is_tool(walk, &first.text)
        && let Some(tool) = call.args.get(at..)
    {
        walk.run_args(tool, call.stdin);
    }
}

/// Whether a word is the name of a tool of a project, rather than of a subcommand or a script.
fn is_tool(walk: &CommandWalk<'_>, name: &str) -> bool {
    !matches!(name, "up" | "config" | "n" | "now" | "k" | "sea" | "ask" | "auto")
        && !walk.is_program(name)
        && !facts_of(name).sections.is_empty()
        && SUBCOMMANDS.rows(&facts_of(name).sections).all(|row| {
            use crate::OperationKind::{Ci, Cloud, Kubernetes, Package, Secret, Terraform};
            matches!(row.kind, Cloud | Ci | Database | Kubernetes | Package | Secret | Terraform)
        })
}

fn read_source(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, source: &TextSource) {
    let mut operands: Vec<&ShellArg> = Vec::new();
    let mut texts: Vec<TextFlow> = Vec::new();
    let mut args = call.args.iter();
    let mut has_text = false;
    // Values of other options, such as the name of a database.
    let mut named: Vec<ShellArg> = Vec::new();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        let (name, glued) = match text.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, Some(value)),
            _ => glued_value(source, text),
        };
        let value = |args: &mut std::slice::Iter<'_, ShellArg>| match glued {
            Some(value) => Some(arg.with_text(value)),
            None => args.next().cloned(),
        };
        if is_listed(source.options, name) {
            has_text = true;
            texts.extend(value(&mut args).map(|value| TextFlow::known(value.text)));
        } else if is_listed(source.files, name) {
            has_text = true;
            texts.extend(value(&mut args).and_then(|file| walk.written_before(&file)));
        } else if is_listed(source.others, name) {
            named.extend(value(&mut args));
        } else if !text.starts_with('-') {
            operands.push(arg);
        }
    }
    let texts_behind = operands.iter().skip(source.words.len()).filter(|_| source.operand.is_some());
    if let Some(first) = source.operand {
        let behind: Vec<&ShellArg> = texts_behind.skip(first).copied().collect();
        has_text |= !behind.is_empty();
        match source.language {
            Redis | Shell => {
                let words: Vec<&str> = behind.iter().map(|arg| arg.text.as_str()).collect();
                texts.push(TextFlow::known(words.join(" ")));
            }
            _ => texts.extend(behind.into_iter().map(|arg| TextFlow::known(arg.text.as_str()))),
        }
    }
    if source.language == Mongo {
        texts.extend(operands.iter().filter_map(|file| walk.written_before(file)));
    }
    if source.reads_input && (!has_text || source.language == Sql) {
        texts.push(call.stdin.clone());
    }
    let is_for_tests =
        source.language == Sql && operands.iter().copied().take(2).chain(&named).any(|arg| is_for_tests(walk, arg));
    if source.language == Sql {
        // `file:PATH?mode=ro`: the file of a database.
        for file in operands.iter().take(1) {
            let path = file.text.trim_start_matches("file:").split('?').next().unwrap_or_default();
            let file = file.with_text(path);
            if walk.place(&file).tags.contains(&crate::OperationTag::Secret) {
                walk.read_file(call.name, &file, false);
            }
        }
    }
    for text in texts.iter().filter_map(|flow| flow.text.as_deref()) {
        if source.language == Sql {
            run_client_commands(walk, call, text);
            write_named_files(walk, call, text);
        }
        if !is_for_tests {
            read_text(walk, call, source.language, text);
        }
    }
}

/// `-cSELECT 1`, and letters in front of an option whose value follows: `-Atc`.
fn glued_value<'t>(source: &TextSource, text: &'t str) -> (&'t str, Option<&'t str>) {
    let mut letters = source.options.split_whitespace().filter(|option| option.len() == 2);
    if text.len() < 3 || text.starts_with("--") || source.options.split_whitespace().any(|option| option == text) {
        return (text, None);
    }
    if text.len() <= 6 && text.starts_with('-') && text.bytes().skip(1).all(|letter| letter.is_ascii_alphabetic()) {
        let last = letters.find(|option| option.get(1..) == text.get(text.len() - 1..));
        return (last.unwrap_or(text), None);
    }
    letters.find_map(|option| Some((option, Some(text.strip_prefix(option)?)))).unwrap_or((text, None))
}

/// Whether an argument names a database that holds nothing but tests, or one in the memory or a temporary directory.
fn is_for_tests(walk: &CommandWalk<'_>, arg: &ShellArg) -> bool {
    let text = arg.text.as_str();
    let name = text.rsplit('/').next().unwrap_or_default().split(['?', '.']).next().unwrap_or_default();
    let is_name = |pattern: &str| matches_glob(pattern, name);
    !text.contains([' ', '\n', ';'])
        && (text == ":memory:"
            || "test *_test test_* *-test *_test_* *_testing tests".split(' ').any(is_name)
            || text.contains('/') && !text.contains("://") && walk.place(arg).place == PathPlace::Temporary)
}

/// Runs the commands of the client among the statements: `\\!`, `.shell`.
fn run_client_commands(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, text: &str) {
    for line in text.lines().map(str::trim) {
        let command =
            ["\\!", ".shell ", ".system ", "system ", "\\system "].iter().find_map(|start| line.strip_prefix(start));
        if let Some(command) = command {
            walk.push(Operation::new(Database, call.name).action("program").written(command.trim()));
            walk.run_line(command, &TextFlow::default());
        }
        if let Some((_, command)) = line.split_once("\\!").filter(|(before, _)| !before.trim().is_empty()) {
            walk.run_line(command, &TextFlow::default());
        }
    }
}

/// Writes the files that commands of the client and statements name: `.once FILE`, `\\o FILE`, `VACUUM INTO 'FILE'`.
fn write_named_files(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, text: &str) {
    const COMMANDS: &str = ".output .once .backup .save .clone .log \\o \\out \\g \\w \\write \\s";
    // What stands in front of a text with the name of a file; `copy` has more before it.
    const CLAUSES: &[&str] =
        &["into outfile", "into dumpfile", "vacuum into", "attach", "attach database", "export database"];
    for line in text.lines().map(str::trim) {
        let mut words = line.split_whitespace();
        if words.next().is_some_and(|first| is_listed(COMMANDS, first))
            && let Some(file) = words.next_back()
        {
            write_named_file(walk, call, file.trim_matches(['"', '\'']));
        }
    }
    for statement in text.split(';') {
        // The odd parts are texts.
        let parts: Vec<&str> = statement.split('\'').collect();
        let mut before = String::new();
        for part in parts.chunks(2) {
            let words = part.first().into_iter().flat_map(|words| words.split_whitespace());
            before.extend(
                words.flat_map(|word| [" ", word]).flat_map(str::chars).map(|letter| letter.to_ascii_lowercase()),
            );
            let is_copy =
                [" copy ", " \\copy "].iter().any(|start| before.starts_with(start)) && before.ends_with(" to");
            if let Some(file) = part.get(1)
                && (is_copy || CLAUSES.iter().any(|clause| before.ends_with(clause)))
            {
                write_named_file(walk, call, file);
            }
        }
    }
}

fn write_named_file(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, file: &str) {
    if !matches!(file, "" | "stdout" | "off" | "on") && !file.starts_with('|') {
        walk.write_file(call.name, &ShellArg::new(file), "replace", TextFlow::default());
    }
}

fn read_text(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, language: TextLanguage, text: &str) {
    match language {
        Sql => {
            for operation in sql_operations(call.name, text) {
                walk.push(operation);
            }
        }
        Redis => {
            for line in text.lines() {
                if let Some(action) = redis_action(line) {
                    walk.push(Operation::new(Database, call.name).action(action).written(line.trim()));
                }
            }
        }
        Mongo => {
            if let Some(action) = mongo_action(text) {
                let shown: String = text.trim().chars().take(60).collect();
                walk.push(Operation::new(Database, call.name).action(action).written(shown));
            }
        }
        Shell => drop(super::shells::run_elsewhere(
            walk,
            &[ShellArg::new("sh"), ShellArg::new("-c"), ShellArg::new(text)],
            &TextFlow::default(),
        )),
        Code(language) => walk.run_code(language, text),
    }
}

/// What a command for Redis or Memcached does to the data as a whole.
fn redis_action(line: &str) -> Option<&'static str> {
    let lower = line.trim().to_ascii_lowercase();
    let mut words = lower.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let first = words.next()?;
    let second = words.next().unwrap_or_default();
    match (first, second) {
        ("flushall" | "flushdb" | "flush_all" | "swapdb", _) => Some("delete_all"),
        ("del" | "unlink", key) if key.contains(['*', UNKNOWN]) => Some("delete_all"),
        ("eval" | "fcall", _)
            if ["flushall", "flushdb", "'keys'", "\"keys\""].iter().any(|name| joined_texts(&lower).contains(name)) =>
        {
            Some("delete_all")
        }
        ("config", "set" | "rewrite" | "resetstat") => Some("settings"),
        ("shutdown" | "replicaof" | "slaveof" | "failover" | "debug", _) => Some("stop"),
        ("module", "load") | ("function", "load" | "flush" | "delete") => Some("program"),
        ("cluster", "reset" | "flushslots" | "forget" | "delslots") => Some("drop"),
        ("acl", "setuser" | "deluser" | "load") => Some("grant"),
        ("script" | "client", "flush" | "kill") => Some("stop"),
        _ => None,
    }
}

/// What code for MongoDB does to the data as a whole.
fn mongo_action(text: &str) -> Option<&'static str> {
    static ACTIONS: &[(&str, &str)] = &[
        (
            "drop",
            ".dropDatabase( .drop( [drop]( [dropDatabase]( dropDatabase: {drop: .dropCollection( .dropAllUsers \
             .dropUser( .dropRole(",
        ),
        (
            "delete_all",
            ".deleteMany({}) .deleteMany() .remove({}) .remove() deleteMany({}, .remove({}, [deleteMany]({}) \
             .deleteMany({$ .deleteMany({_id:{$ q:{},limit:0 filter:{} .deleteMany({id:{$ \
             .bulkWrite([{deleteMany:{filter:{}",
        ),
        ("update_all", ".updateMany({}, .update({}, [updateMany]({}, .replaceOne({}, updateMany({_id:{$exists"),
        ("drop_definition", ".dropIndexes( .dropIndex("),
        ("grant", ".createUser( .grantRolesToUser( .changeUserPassword( .updateUser("),
        ("stop", ".shutdownServer( .fsyncLock( shutdown:1 .stepDown("),
        ("drop", ".renameCollection("),
    ];
    let plain: String = joined_texts(text)
        .chars()
        .filter(|letter| !letter.is_whitespace() && !matches!(letter, '"' | '\'' | '`'))
        .collect();
    ACTIONS.iter().find(|(_, marks)| marks.split(' ').any(|mark| plain.contains(mark))).map(|(action, _)| *action)
}

/// Code in which texts that are put together with `+` or `..` are one text.
fn joined_texts(text: &str) -> String {
    let plain: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    ["\"+\"", "'+'", "`+`", "\"..\"", "'..'"].iter().fold(plain, |plain, mark| plain.replace(mark, ""))
}
