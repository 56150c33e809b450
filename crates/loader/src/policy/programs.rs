//! Lists programs that write files, and how their operands name these files.

use super::search::is_search;

/// Programs that run the program in their arguments.
const WRAPPERS: [&str; 27] = [
    "sudo", "doas", "env", "nohup", "nice", "ionice", "time", "command", "builtin", "exec", "setsid", "stdbuf",
    "timeout", "busybox", "toybox", "xargs", "parallel", "watch", "unshare", "chroot", "flock", "strace", "taskset",
    "chrt", "bwrap", "firejail", "runuser",
];
/// Shell keywords that can precede a command.
const KEYWORDS: [&str; 12] = ["if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done"];
pub(super) const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"];
/// Programs that can run code from the command line, with the option for it.
const INTERPRETERS: [&str; 14] = [
    "python", "python2", "python3", "pypy3", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "awk", "gawk",
    "mawk",
];
pub(super) const CODE: [&str; 7] = ["-c", "-e", "-E", "-p", "-r", "--eval", "--print"];

/// The effect of a program on its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandUse {
    /// Removes or changes each, including the files below it.
    ChangesEach,
    /// Writes to each.
    WritesEach,
    /// Writes to the last one, or to a file of the same name in it.
    WritesInto,
    /// As `WritesInto`, and removes the others.
    MovesInto,
    /// As `WritesInto`, and removes all other files in the last one.
    MirrorsInto,
    /// Writes to each if an option says so.
    EditsInPlace,
    /// Writes to the file that an option or an assignment names.
    WritesNamed,
}

const PROGRAMS: [(&str, OperandUse); 41] = [
    ("rm", OperandUse::ChangesEach),
    ("rmdir", OperandUse::ChangesEach),
    ("unlink", OperandUse::ChangesEach),
    ("shred", OperandUse::ChangesEach),
    ("srm", OperandUse::ChangesEach),
    ("trash", OperandUse::ChangesEach),
    ("chmod", OperandUse::ChangesEach),
    ("chown", OperandUse::ChangesEach),
    ("chgrp", OperandUse::ChangesEach),
    ("chattr", OperandUse::ChangesEach),
    ("setfacl", OperandUse::ChangesEach),
    ("rename", OperandUse::ChangesEach),
    ("mount", OperandUse::ChangesEach),
    ("tee", OperandUse::WritesEach),
    ("touch", OperandUse::WritesEach),
    ("mkdir", OperandUse::WritesEach),
    ("truncate", OperandUse::WritesEach),
    ("sponge", OperandUse::WritesEach),
    ("mkfifo", OperandUse::WritesEach),
    ("mknod", OperandUse::WritesEach),
    ("fallocate", OperandUse::WritesEach),
    ("ed", OperandUse::WritesEach),
    ("ex", OperandUse::WritesEach),
    ("vi", OperandUse::WritesEach),
    ("vim", OperandUse::WritesEach),
    ("nvim", OperandUse::WritesEach),
    ("nano", OperandUse::WritesEach),
    ("emacs", OperandUse::WritesEach),
    ("patch", OperandUse::WritesEach),
    ("cp", OperandUse::WritesInto),
    ("ln", OperandUse::WritesInto),
    ("link", OperandUse::WritesInto),
    ("install", OperandUse::WritesInto),
    ("rsync", OperandUse::WritesInto),
    ("scp", OperandUse::WritesInto),
    ("mv", OperandUse::MovesInto),
    ("sed", OperandUse::EditsInPlace),
    ("gsed", OperandUse::EditsInPlace),
    ("yq", OperandUse::EditsInPlace),
    ("dd", OperandUse::WritesNamed),
    ("sort", OperandUse::WritesNamed),
];

/// The program of a command, without its directory, and its operands.
pub(super) fn program_of(words: &[(String, bool)]) -> Option<(String, &[(String, bool)])> {
    let is_assignment = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        })
    };
    // `function name { command`
    let skipped = if words.first().is_some_and(|(word, _)| word == "function") { 2 } else { 0 };
    let words = words.get(skipped..)?;
    let index = words.iter().position(|(word, _)| !is_assignment(word) && !KEYWORDS.contains(&word.as_str()))?;
    let name = |index: usize| words.get(index).map(|(word, _)| base_name(word));
    let is_known = |name: &str| {
        PROGRAMS.iter().any(|(program, _)| *program == name)
            || SHELLS.contains(&name)
            || is_interpreter(name)
            || is_search(name)
            || ["git", "tar", "curl", "wget", "eval", "pintle"].contains(&name)
    };
    let mut index = index;
    if WRAPPERS.contains(&name(index)?) {
        let behind = || index + 1..words.len();
        let known = behind().find(|index| name(*index).is_some_and(is_known));
        index = known.or_else(|| behind().find(|index| name(*index).is_some_and(|name| !name.starts_with('-'))))?;
    }
    Some((name(index)?.to_owned(), words.get(index + 1..).unwrap_or_default()))
}

pub(super) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name) || name.starts_with("python3.")
}

pub(super) fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

/// The arguments of options for code.
pub(super) fn code_arguments<'w>(words: &[&'w str], options: &[&str]) -> Vec<&'w str> {
    let behind = |pair: &[&'w str]| match pair {
        // Single-letter options can be combined: `-lc`, `-ne`.
        [option, text] if options.contains(option) || is_option_cluster(option, options) => Some(*text),
        _ => None,
    };
    words.windows(2).filter_map(behind).collect()
}

fn is_option_cluster(word: &str, options: &[&str]) -> bool {
    let letter = |option: &&str| option.strip_prefix('-').filter(|rest| rest.len() == 1).map(str::to_owned);
    let mut letters = options.iter().filter_map(letter);
    word.starts_with('-') && !word.starts_with("--") && letters.any(|letter| word.ends_with(&letter))
}

pub(super) fn join_words(words: &[(String, bool)]) -> String {
    words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
}

pub(super) fn operand_use_of(program: &str, operands: &[(String, bool)]) -> Option<OperandUse> {
    let has = |wanted: &dyn Fn(&str) -> bool| operands.iter().any(|(word, _)| wanted(word));
    let found = PROGRAMS.iter().find(|(name, _)| *name == program).map(|(_, usage)| *usage);
    let says_in_place =
        || has(&|word| ["--in-place", "--inplace", "--write", "--fix"].iter().any(|long| word.starts_with(long)));
    match found {
        Some(OperandUse::EditsInPlace) => {
            let short = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('i');
            (says_in_place() || has(&short)).then_some(OperandUse::EditsInPlace)
        }
        Some(OperandUse::WritesInto) if has(&|word| word.starts_with("--del")) => Some(OperandUse::MirrorsInto),
        None => says_in_place().then_some(OperandUse::WritesEach),
        found => found,
    }
}

/// The change by one of Pintle's own commands to what Pintle enforces.
pub(super) fn own_command_change(words: &[&str]) -> Option<String> {
    let mut plain = words.iter().filter(|word| !word.starts_with('-'));
    let says = |options: &[&str]| words.iter().any(|word| options.contains(word));
    let command = *plain.next()?;
    let changes = match command {
        "uninstall" => true,
        "install" => !says(&["--report", "--dry-run"]),
        "trust" => {
            says(&["--yes", "--revoke"])
                || words.iter().any(|word| is_option_cluster(word, &["-y"]) || word.starts_with("-y"))
        }
        "sessions" => plain.next() == Some(&"delete"),
        _ => false,
    };
    changes.then(|| format!("what Pintle enforces (`pintle {command}`)"))
}
