//! `cargo lab git-options`: the options of git's subcommands, as git itself names them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use xtask::{ChoreReport, SourceWorkspace};

const TABLE: &str = "crates/shell/src/programs/git_options.txt";
/// Subcommands that also take the options of `git diff`.
const SHOWING: [&str; 6] = ["log", "show", "whatchanged", "format-patch", "range-diff", "stash show"];
/// Those that take nothing else.
const COMPARING: [&str; 3] = ["diff-tree", "diff-index", "diff-files"];
/// The column in which the usage says what an option means, behind the first four.
const HELP_COLUMN: usize = 22;
/// Options with a value that choose commits. Git does not list them.
const CHOOSING: [&str; 9] = ["author", "committer", "grep", "since", "until", "after", "before", "max-count", "skip"];
/// The options of `git config` as it was without words. Git does not list them.
const CONFIG: [&str; 12] = [
    "add",
    "edit",
    "get",
    "get-all",
    "get-regexp",
    "get-urlmatch",
    "list",
    "remove-section",
    "rename-section",
    "replace-all",
    "unset",
    "unset-all",
];

/// A script, which git cannot ask for its options.
const FILTER_BRANCH: &str = "filter-branch: d commit-filter env-filter force! index-filter msg-filter original parent-filter \
    prune-empty! remap-to-ancestor! setup state-branch subdirectory-filter tag-name-filter tree-filter\n";

/// The options of a subcommand, as `OptionLetters` of the crate `shell` writes them.
#[derive(Debug, Clone, Default)]
struct SubcommandOptions {
    /// Letters that take a value, each with a `?` if that is optional.
    letters: BTreeMap<char, bool>,
    /// Long options, and whether they take a value.
    names: BTreeMap<String, bool>,
    /// Words that may follow, such as `push` of `git stash push`.
    words: Vec<String>,
}

/// Writes the table, or compares it.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let scratch = std::env::temp_dir().join(format!("pintle-git-options-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|error| format!("cannot make `{}`: {error}", scratch.display()))?;
    let table = write_table(&scratch);
    fs::remove_dir_all(&scratch).map_err(|error| format!("cannot remove `{}`: {error}", scratch.display()))?;
    let table = table?;
    if !arguments.iter().any(|argument| argument == "--check") {
        fs::write(workspace.root.join(TABLE), &table).map_err(|error| format!("cannot write `{TABLE}`: {error}"))?;
        return Ok(ChoreReport { lines: vec![format!("wrote `{TABLE}`")], passed: true });
    }
    let kept = workspace.text(TABLE)?;
    let passed = kept == table || kept.lines().next() != table.lines().next();
    let state = match (kept == table, passed) {
        (true, _) => "is what git says",
        (_, true) => "was written by another version of git, and was not compared",
        _ => "is out of date; run `cargo lab git-options`",
    };
    Ok(ChoreReport { lines: vec![format!("`{TABLE}` {state}")], passed })
}

fn write_table(scratch: &Path) -> Result<String, String> {
    run_git(scratch, &["init", "--quiet"])?;
    let mut table = format!("# {}: cargo lab git-options\n", run_git(scratch, &["version"])?.trim());
    let mut all: BTreeMap<String, SubcommandOptions> = BTreeMap::new();
    let diff = read_options(scratch, &["diff"])?;
    let names = run_git(scratch, &["--list-cmds=parseopt"])?;
    for name in names.split_whitespace() {
        let mut options = read_options(scratch, &[name])?;
        // Without a word, a subcommand may stand for one with it.
        for word in std::mem::take(&mut options.words) {
            let full = read_options(scratch, &[name, &word])?;
            options.letters.extend(&full.letters);
            options.names.extend(full.names.clone());
            all.insert(format!("{} {word}", name.trim_end_matches("--helper")), full);
        }
        all.insert(name.trim_end_matches("--helper").to_owned(), options);
    }
    if let Some(config) = all.get_mut("config") {
        config.names.extend(CONFIG.map(|name| (name.to_owned(), false)));
    }
    for (_, options) in all.iter_mut().filter(|(name, _)| SHOWING.contains(&name.as_str())) {
        options.letters.extend(&diff.letters);
        options.names.extend(diff.names.clone());
        options.letters.insert('n', false);
        options.names.extend(CHOOSING.map(|name| (name.to_owned(), true)));
    }
    for name in COMPARING.into_iter().chain(["diff"]) {
        all.insert(name.to_owned(), diff.clone());
    }
    table.push_str(FILTER_BRANCH);
    for (name, options) in all {
        let letters: String = options
            .letters
            .iter()
            .flat_map(|(letter, is_optional)| [Some(*letter), is_optional.then_some('?')])
            .flatten()
            .collect();
        table.push_str(&format!("{name}: {}", if letters.is_empty() { "-" } else { &letters }));
        for (name, is_valued) in &options.names {
            table.push_str(&format!(" {name}{}", if *is_valued { "" } else { "!" }));
        }
        // The mark says that no other option is left out.
        if !options.names.is_empty() && options.names.values().all(|is_valued| *is_valued) {
            table.push_str(" !");
        }
        table.push('\n');
    }
    Ok(table)
}

/// What git says of a subcommand's options: to a shell that completes them, and to its user.
fn read_options(scratch: &Path, command: &[&str]) -> Result<SubcommandOptions, String> {
    let completion = run_git(scratch, &[command, &["--git-completion-helper-all"]].concat())?;
    let mut options = SubcommandOptions::default();
    let mut switched_off: BTreeSet<&str> = BTreeSet::new();
    let mut is_behind = false;
    for word in completion.split_whitespace() {
        match word.strip_prefix("--") {
            None => options.words.push(word.to_owned()),
            Some("") => is_behind = true,
            Some(name) => {
                // `--no-NAME`, also where it is the plain one: `NAME` is written as well.
                let plain = name.strip_prefix("no-").filter(|_| is_behind || completion.contains("--no-"));
                if let Some(plain) = plain {
                    switched_off.insert(plain);
                } else {
                    options.names.insert(name.trim_end_matches('=').to_owned(), name.ends_with('='));
                }
            }
        }
    }
    for plain in switched_off {
        if !options.names.contains_key(plain) {
            options.names.insert(format!("no-{plain}"), false);
        }
    }
    // The usage of `git diff` is longer without a repository.
    let help: &[&str] = if command == ["diff"] { &["--no-index", "-h"] } else { &["-h"] };
    let usage = run_git(scratch, &[command, help].concat())?;
    for line in usage.lines().filter_map(|line| line.strip_prefix("    ")) {
        read_usage(&mut options, line);
    }
    Ok(options)
}

/// A line such as `-o, --[no-]push-option <value>`: a value in brackets is optional.
fn read_usage(options: &mut SubcommandOptions, line: &str) {
    // What the option means begins in a column of its own.
    let given = match line.split_at_checked(HELP_COLUMN) {
        Some((given, help)) if given.ends_with(' ') && !help.starts_with(['<', '(', '[']) => given,
        _ => line,
    };
    let Some(given) = given.split("  ").next().unwrap_or_default().trim().strip_prefix('-') else { return };
    let letter = given.chars().next().filter(char::is_ascii_alphanumeric);
    let long = given.split_once("--").map(|(_, long)| long).or_else(|| given.strip_prefix('-'));
    let long = long.map(|long| long.trim_start_matches("[no-]"));
    let name = long.map_or("", |long| long.split(['[', ' ', '=']).next().unwrap_or_default());
    let value = match long {
        Some(long) => long.strip_prefix(name),
        None => given.get(1..),
    };
    let value = value.unwrap_or_default();
    let (is_optional, is_valued) = (value.starts_with('['), !value.is_empty() && !value.starts_with(','));
    let plain = name.strip_prefix("no-").unwrap_or(name);
    if !name.is_empty() && !options.names.contains_key(plain) {
        options.names.insert(name.to_owned(), is_valued);
    }
    if let Some(is_valued) = options.names.get_mut(name).filter(|_| is_optional) {
        *is_valued = false;
    }
    let is_alone = long.is_some() || value.starts_with([' ', '[']);
    if let (Some(letter), true) = (letter, is_valued && is_alone) {
        options.letters.insert(letter, is_optional);
    }
}

/// What git prints, whatever it thinks of the options.
fn run_git(scratch: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(scratch)
        .stdin(Stdio::null())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR")
        .output()
        .map_err(|error| format!("cannot run git: {error}"))?;
    // Usage goes to either, and an error is none.
    let is_usage = output.stdout.is_empty() && output.stderr.starts_with(b"usage");
    String::from_utf8(if is_usage { output.stderr } else { output.stdout })
        .map_err(|error| format!("git printed no text: {error}"))
}
