//! What git commands mean.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::network::push_request;
use super::subcommand::{SUBCOMMANDS, push_subcommands};
use super::table::{TableRow, facts_of, read_rows};
use super::{editors, files};
use crate::OperationKind::Git;
use crate::git_settings::{SettingEffect, expires_now, setting_effect, setting_line};
use crate::paths::UNKNOWN;
use crate::walk::{
    CommandWalk, ListedFiles, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, joined, quote,
};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind, OperationTag};

/// The most settings in variables that are looked at.
const MAX_VARIABLES: usize = 16;

/// The options of each subcommand, by the table that `cargo lab git-options` writes.
static GIT_OPTIONS: LazyLock<FxHashMap<&str, OptionLetters>> = LazyLock::new(|| {
    let lines = include_str!("git_options.txt").lines().skip(1).filter_map(|line| line.split_once(": "));
    let row = |options: &'static str| {
        let (letters, names) = options.split_once(' ').unwrap_or((options, ""));
        OptionLetters { letters: letters.trim_start_matches('-'), names }
    };
    lines.map(|(name, options)| (name, row(options))).collect()
});

/// The options of a subcommand; `None` if git does not name them.
fn options_of(command: &str) -> Option<OptionLetters> {
    GIT_OPTIONS.get(command).copied()
}

/// Whether git has a subcommand that may also be a program, such as `git-push`.
pub(super) fn is_subcommand(name: &str) -> bool {
    options_of(name).is_some()
}

/// What is done with the values of options, by subcommands; `rows/git.txt` explains the words.
static OPTION_USES: LazyLock<Vec<(&str, TableRow)>> =
    LazyLock::new(|| read_rows(include_str!("rows/git.txt")).collect());

/// A call of git behind its own options.
struct GitCall<'a> {
    command: &'a str,
    /// The second word of a subcommand of two, such as `push` of `git stash push`.
    word: &'a str,
    /// The arguments behind the subcommand.
    args: &'a [ShellArg],
    grammar: OptionLetters,
    parsed: ParsedOptions<'a>,
    /// The operands behind the second word.
    operands: Vec<&'a ShellArg>,
}

impl<'a> GitCall<'a> {
    fn parse(command: &'a str, args: &'a [ShellArg]) -> Self {
        let plain = options_of(command).unwrap_or_default();
        let parsed = ParsedOptions::parse(args, plain);
        let word = parsed.operands.first().map_or("", |word| word.text.as_str());
        // Most subcommands have one word.
        let full = (!word.is_empty()).then(|| options_of(&format!("{command} {word}"))).flatten();
        let parsed = full.map_or(parsed, |full| ParsedOptions::parse(args, full));
        let operands = parsed.operands.iter().skip(usize::from(full.is_some())).copied().collect();
        let word = if full.is_some() { word } else { "" };
        Self { command, word, args, grammar: full.unwrap_or(plain), parsed, operands }
    }

    fn has(&self, letter: &str, name: &str) -> bool {
        self.parsed.has(letter, name)
    }

    fn has_any(&self, options: &[(&str, &str)]) -> bool {
        options.iter().any(|(letter, name)| self.has(letter, name))
    }

    fn is_dry_run(&self) -> bool {
        self.has("n", "dry-run")
    }

    /// The arguments behind `--`.
    fn behind_dashes(&self) -> Option<&'a [ShellArg]> {
        let index = self.args.iter().position(|arg| arg.text == "--")?;
        self.args.get(index + 1..)
    }

    /// The arguments behind a word, for one that runs them.
    fn behind(&self, word: &str) -> &'a [ShellArg] {
        let index = self.args.iter().position(|arg| arg.text == word);
        let rest = index.and_then(|index| self.args.get(index + 1..)).unwrap_or_default();
        ParsedOptions::parse_leading(rest, self.grammar).1
    }
}

/// `hub` gives git what it does not know itself.
pub(super) fn run_hub(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    run_with_git(walk, &[], call.args, call.stdin)
}

/// `git-push`, as git has its subcommands beside itself.
pub(super) fn run_alone(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, command: &str) -> TextFlow {
    run_with_git(walk, &[command], call.args, call.stdin)
}

fn run_with_git(walk: &mut CommandWalk<'_>, words: &[&str], args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
    let words = ["git"].iter().chain(words).map(|word| ShellArg::new(*word));
    walk.run_args(&words.chain(args.iter().cloned()).collect::<Vec<_>>(), stdin)
}

/// Whether git only prints the directory of the project.
pub(super) fn asks_for_project(call: &ProgramCall<'_>) -> bool {
    call.name == "git" && call.args.iter().map(|arg| arg.text.as_str()).eq(["rev-parse", "--show-toplevel"])
}

pub(super) fn run_git(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    if walk.notes_files() && asks_for_project(call) {
        return TextFlow::known(walk.site.project.to_string_lossy());
    }
    let (leading, rest) = ParsedOptions::parse_leading(call.args, facts_of("git").grammar());
    let Some((command, args)) = rest.split_first() else { return TextFlow::from_taint(TextTaint::OUTPUT) };
    let cwd = walk.state.cwd.clone();
    for directory in leading.values("C", "").chain(leading.values("", "work-tree")) {
        walk.enter_directory(directory);
    }
    for path in leading.values("", "exec-path").filter(|path| !path.text.is_empty()) {
        push(walk, "program_setting", path.shown());
    }
    let settings = given_settings(walk, &leading);
    for (key, value) in &settings {
        check_setting(walk, key, value, Some(&command.text));
    }
    let is_alias = |(key, _): &&(String, String)| {
        let name = key.split_at_checked(6).filter(|(section, _)| section.eq_ignore_ascii_case("alias."));
        name.is_some_and(|(_, name)| name.eq_ignore_ascii_case(&command.text))
    };
    // An alias does not hide a subcommand.
    if let Some((_, value)) = settings.iter().rev().find(is_alias).filter(|_| !is_subcommand(&command.text)) {
        run_alias(walk, call, value, args);
    }
    if !command.is_known() {
        walk.push_unknown("git", "which subcommand of git runs is not known");
    }
    let git = GitCall::parse(&command.text, args);
    push_subcommands(
        walk,
        &ProgramCall { args: rest, ..*call },
        git.grammar,
        SUBCOMMANDS.rows(&facts_of("git").sections),
    );
    use_options(walk, &git);
    let flow = run_subcommand(walk, call, &git);
    walk.state.cwd = cwd;
    flow
}

fn push(walk: &mut CommandWalk<'_>, action: &str, written: impl Into<String>) {
    walk.push(Operation::new(Git, "git").action(action).written(written.into()));
}

/// The settings of this call only: of its options and of variables.
fn given_settings(walk: &CommandWalk<'_>, leading: &ParsedOptions<'_>) -> Vec<(String, String)> {
    let text_of = |name: &str| walk.variable(name).and_then(|values| Some(values.first()?.text.clone()));
    let split = |setting: &ShellArg| {
        // A key alone is true.
        let (key, value) = setting.text.split_once('=').unwrap_or((&setting.text, "true"));
        (key.to_owned(), value.to_owned())
    };
    let from_variable = |(key, name): (String, String)| (key, text_of(&name).unwrap_or_else(|| UNKNOWN.to_string()));
    let numbered = (0..MAX_VARIABLES).map_while(|index| {
        let key = text_of(&format!("GIT_CONFIG_KEY_{index}"))?;
        Some((key, text_of(&format!("GIT_CONFIG_VALUE_{index}")).unwrap_or_else(|| UNKNOWN.to_string())))
    });
    let options = leading.values("c", "").map(split);
    options.chain(leading.values("", "config-env").map(split).map(from_variable)).chain(numbered).collect()
}

/// A setting for one subcommand, or one that is kept.
fn check_setting(walk: &mut CommandWalk<'_>, key: &str, value: &str, command: Option<&str>) {
    let concerns = |commands: &[&str]| {
        // Another word may be an alias of one of them.
        command.is_none_or(|command| commands.contains(&command) || options_of(command).is_none())
    };
    let (action, is_meant) = match setting_effect(key, value) {
        SettingEffect::Nothing => return,
        SettingEffect::Program => ("program_setting", true),
        SettingEffect::Ordinary => return drop(walk.run_line(value, &TextFlow::default())),
        SettingEffect::Alias if command.is_some() => return,
        SettingEffect::Alias => {
            let line = format!("git {value}");
            return drop(walk.in_subshell(|walk| walk.run_line(&line, &TextFlow::default())));
        }
        SettingEffect::Force => ("force_push", concerns(&["push", "send-pack"])),
        SettingEffect::Address => ("push_address", concerns(&["push", "send-pack"])),
        SettingEffect::Prune => ("prune_objects", concerns(&["gc", "maintenance", "repack", "prune"])),
    };
    if let ("program_setting", Some(line)) = (action, setting_line(key, value)) {
        walk.in_subshell(|walk| walk.run_line(line, &TextFlow::default()));
    }
    if is_meant {
        let text = if command.is_some() { format!("{key}={value}") } else { format!("{key} {value}") };
        push(walk, action, crate::walk::shown(&text));
    }
}

/// Runs what an alias stands for: a command line, or words for git with the options that the call has in front.
fn run_alias(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, value: &str, args: &[ShellArg]) {
    let quoted = |args: &[ShellArg]| args.iter().map(|arg| quote(&arg.text)).collect::<Vec<_>>().join(" ");
    let leading = call.args.len().saturating_sub(args.len() + 1);
    let line = match value.strip_prefix('!') {
        Some(line) => line.to_owned(),
        None => format!("git {} {value}", quoted(call.args.get(..leading).unwrap_or_default())),
    };
    walk.run_line(&format!("{line} {}", quoted(args)), call.stdin);
}

/// Does what the values of options are for.
fn use_options(walk: &mut CommandWalk<'_>, git: &GitCall<'_>) {
    let has_value = git.parsed.options.iter().any(|(_, value)| value.is_some());
    let rows = OPTION_USES.iter().filter(|(commands, _)| has_value && is_listed(commands, git.command));
    for (_, row) in rows {
        let given = git.parsed.options.iter().filter(|(name, _)| is_listed(row.value, name));
        for value in given.filter_map(|(_, value)| value.as_ref()) {
            match row.kind {
                "runs" => drop(walk.run_line(&value.text, &TextFlow::default())),
                "connects" => run_connection(walk, &value.text),
                "writes" if value.text == "-" => {}
                "writes" => walk.write_file("git", value, "replace", TextFlow::from_taint(TextTaint::FILE)),
                "fills" => walk.write_file("git", value, "unpack", TextFlow::default()),
                "reads" => drop(walk.read_file("git", value, false)),
                "sets" => {
                    let (key, value) = value.text.split_once('=').unwrap_or((&value.text, "true"));
                    check_setting(walk, key, value, None);
                }
                // A test knows these words.
                _ if value.text.is_empty() => {}
                _ => push(walk, "program_setting", format!("--template={}", value.shown())),
            }
        }
    }
    for address in git.operands.iter().filter_map(|operand| operand.text.strip_prefix("ext::")) {
        run_connection(walk, address);
    }
}

/// A program that git runs to reach another repository.
fn run_connection(walk: &mut CommandWalk<'_>, line: &str) {
    walk.push_code(TextTaint::NONE, "git", "git runs a program of its options");
    walk.run_line(line, &TextFlow::default());
}

fn run_subcommand(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, git: &GitCall<'_>) -> TextFlow {
    if is_listed("clone fetch pull push ls-remote remote submodule archive request-pull", git.command) {
        let sent = (git.command == "push").then_some(TextTaint::NONE);
        let options = git.parsed.values("", "repo").chain(git.parsed.values("", "remote"));
        for address in git.operands.iter().copied().chain(options).filter(|operand| is_address(&operand.text)) {
            push_request(walk, "git", &address.text, sent);
        }
    }
    match (git.command, git.word) {
        ("push", _) if !git.is_dry_run() => check_push(walk, git),
        ("remote", "add" | "set-url") => {
            if let Some(address) = git.operands.iter().rev().find(|arg| is_address(&arg.text)) {
                push(walk, "remote_address", address.shown());
                walk.note_remote();
            }
        }
        ("clone", _) => {
            note_clone(walk, &git.operands);
            fill(walk, git.operands.get(1));
        }
        ("fetch" | "pull", _) => {
            if git.operands.iter().any(|operand| is_address(&operand.text)) {
                walk.note_remote();
            }
            note_fetched(walk, git);
            check_fetched(walk, git);
        }
        ("init" | "init-db", _) | ("worktree", "add") => fill(walk, git.operands.first()),
        ("bundle", "create") => {
            if let Some(file) = git.operands.first().filter(|file| file.text != "-") {
                walk.write_file("git", file, "replace", TextFlow::from_taint(TextTaint::FILE));
            }
        }
        ("sparse-checkout", _) => {
            // `!PATTERN` leaves the working tree.
            for pattern in git.args.iter().filter_map(|arg| arg.text.strip_prefix('!')) {
                let path = ShellArg::new(pattern.trim_matches('/'));
                walk.push_path(Operation::new(OperationKind::Delete, "git").tag(OperationTag::Recursive), &path);
            }
        }
        ("checkout" | "restore", _) => {
            note_fetched(walk, git);
            check_discarded(walk, git);
        }
        ("switch" | "merge" | "reset" | "rebase", _) => note_fetched(walk, git),
        ("gc", _) => {
            for date in git.parsed.values("", "prune").filter(|date| expires_now(&date.text)) {
                push(walk, "prune_objects", format!("--prune={}", date.shown()));
            }
        }
        ("config", word) => change_settings(walk, git, word),
        ("rm", _) if !git.has("", "cached") && !git.is_dry_run() => {
            for operand in &git.operands {
                let operation = Operation::new(OperationKind::Delete, "git");
                let operation = operation.tag_if(git.has("r", ""), OperationTag::Recursive);
                walk.push_path(operation, &from_top(walk, operand));
            }
        }
        ("clean", _) if !git.is_dry_run() => {
            let everything = ShellArg::new(".");
            let paths = if git.operands.is_empty() { vec![&everything] } else { git.operands.clone() };
            for path in paths {
                let operation = Operation::new(OperationKind::Delete, "git");
                let operation = operation.action("untracked").tag(OperationTag::Recursive);
                walk.push_watched(operation, &from_top(walk, path));
            }
        }
        ("mv", _) if !git.is_dry_run() => {
            if let Some((target, sources)) = git.operands.split_last() {
                for source in sources {
                    walk.push_path(Operation::new(OperationKind::Move, "git"), source);
                    files::write_target(walk, "git", target, source, &TextFlow::default());
                }
            }
        }
        ("apply" | "am", _) => apply_patch(walk, call, git),
        ("stash", _) => {
            let paths: Vec<&ShellArg> = match (git.word, git.behind_dashes()) {
                (_, Some(paths)) => paths.iter().collect(),
                ("push", None) => git.operands.clone(),
                _ => Vec::new(),
            };
            note_kept(walk, &paths);
            for path in paths {
                walk.write_file("git", path, "restore", TextFlow::default());
            }
        }
        ("add" | "stage" | "commit" | "update-index", _) if !git.has("", "dry-run") => note_kept(walk, &git.operands),
        ("show" | "cat-file" | "diff" | "blame" | "log" | "grep" | "whatchanged" | "annotate", _) => {
            return show_files(walk, git);
        }
        ("hash-object", _) if git.has("w", "") => {
            for file in &git.operands {
                walk.read_file("git", file, false);
            }
        }
        ("bisect", "run") => drop(walk.run_args(git.behind("run"), &TextFlow::default())),
        ("submodule", "foreach") => {
            walk.run_line(&joined(git.behind("foreach")), &TextFlow::default());
        }
        ("for-each-repo", _) => {
            let (_, command) = ParsedOptions::parse_leading(git.args, git.grammar);
            run_with_git(walk, &[], command, call.stdin);
        }
        ("ls-files" | "ls-tree", _) => return list_files(git),
        ("rev-parse", _) if git.has("", "show-toplevel") => {
            return TextFlow::known(walk.site.project.to_string_lossy());
        }
        ("rev-parse", _) if git.has_any(&[("", "git-dir"), ("", "absolute-git-dir")]) => {
            return TextFlow::known(walk.site.project.join(".git").to_string_lossy());
        }
        // Another name of the same file of a commit.
        ("rev-parse", _) if git.operands.first().is_some_and(|operand| operand.text.contains(':')) => {
            return TextFlow::known(git.operands.first().map_or("", |operand| operand.text.as_str()));
        }
        ("diff-tree" | "diff-index" | "diff-files", _) => return TextFlow::from_taint(TextTaint::NAMES),
        _ => {}
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

fn check_push(walk: &mut CommandWalk<'_>, git: &GitCall<'_>) {
    let repository = git.parsed.values("", "repo").next();
    let remote = git.operands.first().copied().or(repository);
    for refspec in git.operands.iter().skip(1) {
        if refspec.text.starts_with('+') {
            push(walk, "force_push", refspec.shown());
        } else if refspec.text.len() > 1 && refspec.text.starts_with(':') {
            push(walk, "delete_remote", refspec.shown());
        }
    }
    let is_elsewhere = remote.is_some_and(|remote| is_address(&remote.text) || !remote.is_known());
    if is_elsewhere || walk.changes_remote() {
        push(walk, "push_address", remote.map(ShellArg::shown).unwrap_or_default());
    }
}

/// Files that come from an address of the line.
fn note_fetched(walk: &mut CommandWalk<'_>, git: &GitCall<'_>) {
    let comes = |operand: &&ShellArg| match git.command {
        "pull" => is_address(&operand.text),
        "fetch" => false,
        _ => operand.text.contains("FETCH_HEAD"),
    };
    if walk.changes_remote() && git.operands.iter().any(comes) {
        walk.note_unpacked(&ShellArg::new("."), TextTaint::NETWORK);
    }
}

/// `fetch origin +main:main`: commits that only the branch here has are lost.
fn check_fetched(walk: &mut CommandWalk<'_>, git: &GitCall<'_>) {
    let is_forced = git.has("f", "force");
    for refspec in git.operands.iter().skip(1).filter(|refspec| is_forced || refspec.text.starts_with('+')) {
        let target = refspec.text.split_once(':').map_or("", |(_, target)| target);
        if !target.is_empty() && !target.starts_with("refs/remotes/") && !git.is_dry_run() {
            push(walk, "overwrite_ref", refspec.shown());
        }
    }
}

fn change_settings(walk: &mut CommandWalk<'_>, git: &GitCall<'_>, word: &str) {
    let is_reading = matches!(word, "get" | "list")
        || git.has("l", "list")
        || git.parsed.options.iter().any(|(name, _)| name.starts_with("get"));
    if word == "edit" || git.has("e", "edit") {
        push(walk, "program_setting", "config --edit");
    }
    let is_removing = word.starts_with(['u', 'r'])
        || ["unset", "unset-all", "rename-section", "remove-section"].iter().any(|name| git.has("", name));
    if let (false, Some(key), Some(value)) = (is_reading || is_removing, git.operands.first(), git.operands.get(1)) {
        check_setting(walk, &key.text, &value.text, None);
    }
    for file in git.parsed.values("f", "file").filter(|_| !is_reading) {
        walk.write_file("git", file, "edit", TextFlow::default());
    }
}

fn apply_patch(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, git: &GitCall<'_>) {
    let file = git.operands.first();
    // The changes themselves, taken back.
    if git.has("R", "reverse") && file.is_none_or(|file| walk.written_before(file).is_some()) {
        push(walk, "discard_changes", "--reverse");
    }
    let patch = match file {
        Some(file) => walk.read_file("git", file, false),
        None => call.stdin.clone(),
    };
    if git.has_any(&[("", "check"), ("", "stat"), ("", "numstat"), ("", "summary")]) {
        return;
    }
    if let Some(directory) = git.parsed.values("", "directory").next() {
        fill(walk, Some(&directory));
        walk.enter_directory(directory);
    }
    let strips = git.parsed.values("p", "").next().and_then(|count| count.text.parse().ok());
    editors::patch_files(walk, "git", &patch, strips);
}

/// Shows files of commits or of the working tree.
fn show_files(walk: &mut CommandWalk<'_>, git: &GitCall<'_>) -> TextFlow {
    let mut flow = TextFlow::from_taint(TextTaint::FILE);
    let shows = !matches!(git.command, "log" | "whatchanged")
        || git.parsed.options.iter().any(|(name, _)| {
            matches!(*name, "p" | "u" | "patch" | "full-diff" | "c" | "cc" | "S" | "L" | "G" | "U" | "unified")
        });
    let is_anywhere = git.has("", "no-index") || git.args.iter().any(|arg| arg.text == "--no-index");
    for operand in git.operands.iter().skip(usize::from(is_anywhere && git.command == "grep")) {
        // `HEAD:.env` names a file of a commit.
        let path = operand.text.split_once(':').map_or(operand.text.as_str(), |(_, path)| path);
        let is_pattern = path.contains(['*', '?']);
        let path = path.trim_start_matches(":(glob)").trim_start_matches("**/");
        let named = ShellArg { text: path.to_owned(), is_pattern, ..(*operand).clone() };
        if is_anywhere || shows && walk.place(&named).tags.contains(&OperationTag::Secret) {
            flow.append(walk.read_file("git", &named, is_anywhere));
        }
    }
    if git.has_any(&[("", "name-only"), ("", "name-status")]) {
        flow.taint = TextTaint::NAMES;
    }
    flow.text = None;
    if walk.changes_remote() && git.operands.iter().any(|operand| operand.text.contains(':')) {
        flow.taint |= TextTaint::NETWORK;
    }
    flow
}

/// The names of files that git knows, or does not.
fn list_files(git: &GitCall<'_>) -> TextFlow {
    let has_others = git.has("o", "others");
    if git.has("d", "deleted") && !has_others && !git.has_any(&[("c", "cached"), ("m", "modified")]) {
        // They are gone.
        return TextFlow::from_taint(TextTaint::NAMES);
    }
    let is_filtered = git.has_any(&[("i", "ignored"), ("u", "unmerged"), ("m", "modified"), ("d", "deleted")]);
    let here = ShellArg::new(".");
    let roots = if git.operands.is_empty() || git.command == "ls-tree" { vec![&here] } else { git.operands.clone() };
    let listed = |root: &ShellArg| {
        let is_filtered = root.is_pattern || root.text.contains('*') || is_filtered;
        // Which files are not in a commit cannot be known.
        let root = if has_others { ShellArg::unknown(TextTaint::NAMES) } else { root.clone() };
        ListedFiles { root, is_filtered, is_recursive: true }
    };
    TextFlow::listing(roots.into_iter().map(listed).collect())
}

/// A directory that gets the files of a repository.
fn fill(walk: &mut CommandWalk<'_>, directory: Option<&&ShellArg>) {
    if let Some(directory) = directory {
        walk.push_path(Operation::new(OperationKind::Write, "git").action("unpack"), directory);
    } else {
        walk.push_hook_directory("git", &ShellArg::new("."));
    }
}

/// Files that become a part of the history.
fn note_kept(walk: &mut CommandWalk<'_>, paths: &[&ShellArg]) {
    for path in paths {
        if walk.place(path).tags.contains(&OperationTag::Secret) {
            walk.push_path(Operation::new(Git, "git").action("commit_secret"), path);
        }
    }
}

/// The directory of a clone holds code from the network.
fn note_clone(walk: &mut CommandWalk<'_>, operands: &[&ShellArg]) {
    let Some(address) = operands.iter().find(|operand| is_address(&operand.text)) else { return };
    let name =
        address.text.trim_end_matches('/').trim_end_matches(".git").rsplit(['/', ':']).next().unwrap_or_default();
    let directory = match operands.last() {
        Some(last) if !is_address(&last.text) => (*last).clone(),
        _ => ShellArg::new(name),
    };
    walk.note_unpacked(&directory, TextTaint::NETWORK);
}

/// `checkout PATH`, `restore PATH`: changes that are not committed are gone.
fn check_discarded(walk: &mut CommandWalk<'_>, git: &GitCall<'_>) {
    let paths: Vec<&ShellArg> = match (git.command, git.behind_dashes()) {
        ("restore", _) if git.has("S", "staged") && !git.has("W", "worktree") => return,
        ("restore", _) => git.operands.clone(),
        (_, Some(paths)) => paths.iter().collect(),
        // A new branch, or one side of a conflict.
        _ if git.has_any(&[("b", ""), ("B", ""), ("", "orphan"), ("2", "ours"), ("3", "theirs")]) => {
            git.operands.iter().copied().filter(|path| walk.needs_care(path)).collect()
        }
        // Behind a commit there are paths.
        _ => match git.operands.as_slice() {
            [commit, paths @ ..] if !paths.is_empty() && !is_path(walk, commit) => paths.to_vec(),
            paths => paths.iter().copied().filter(|path| is_path(walk, path)).collect(),
        },
    };
    for list in git.parsed.values("", "pathspec-from-file") {
        push(walk, "discard_changes", list.shown());
    }
    for path in paths {
        push(walk, "discard_changes", path.shown());
        walk.write_file("git", &from_top(walk, path), "restore", TextFlow::default());
    }
}

/// Whether a word is a path rather than a branch: by its text, or because there is a file.
fn is_path(walk: &mut CommandWalk<'_>, arg: &ShellArg) -> bool {
    let text = arg.text.as_str();
    let name = text.rsplit('/').next().unwrap_or_default();
    let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        // `v1.x` and `1.0.Final` are versions.
        let is_version = stem
            .trim_start_matches('v')
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|letter| letter.is_ascii_digit()))
            || extension == "x";
        !is_version
            && extension.len() <= 10
            && extension.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && extension.bytes().all(|letter| letter.is_ascii_alphanumeric())
    });
    let is_commit = text.contains("@{") || text.contains("..") && !text.starts_with('.') && !text.contains("../");
    arg.is_pattern && !is_commit
        || text.starts_with(['.', '/', '~', ':'])
        || text.ends_with('/')
        || text.contains(['*', '?', '['])
        || has_extension && !is_commit
        || matches!(
            name,
            "Makefile" | "Dockerfile" | "README" | "LICENSE" | "Gemfile" | "Rakefile" | "Procfile" | "src"
        )
        || walk.needs_care(arg)
        || walk.code_path(arg).is_some_and(|path| walk.file_text(&path).is_some())
}

/// A path of git: `:/` and `:(top)` are the root of the repository.
fn from_top(walk: &CommandWalk<'_>, path: &ShellArg) -> ShellArg {
    let below = path.text.strip_prefix(":/").or_else(|| path.text.strip_prefix(":(top)"));
    match below {
        Some(below) => {
            let text = walk.site.project.join(below.trim_start_matches('/')).to_string_lossy().into_owned();
            path.with_text(text)
        }
        None => path.clone(),
    }
}

fn is_address(text: &str) -> bool {
    text.contains("://")
        || text.split_once(':').is_some_and(|(host, _)| host.contains(['@', '.']) && !host.contains('/'))
        || text.starts_with("ext::")
}

#[cfg(test)]
mod tests {
    use super::{GIT_OPTIONS, OPTION_USES, ShellArg, is_listed, options_of};
    use crate::walk::{OptionReader, ReadArg};

    #[test]
    fn every_row_of_the_options_of_git_is_read() {
        for (_, row) in OPTION_USES.iter() {
            assert!(is_listed("runs connects writes fills reads sets hooks", row.kind), "{row:?}");
            assert!(!row.value.is_empty() && row.fields().next().is_none(), "{row:?}");
        }
        let lines = include_str!("rows/git.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(lines.count(), OPTION_USES.len());
    }

    #[test]
    fn a_unique_beginning_of_an_option_of_git_is_the_option() {
        for command in GIT_OPTIONS.keys() {
            let grammar = options_of(command).unwrap_or_default();
            let names: Vec<&str> = grammar
                .names
                .split(' ')
                .map(|name| name.trim_end_matches('!'))
                .filter(|name| !name.is_empty())
                .collect();
            let read = |given: &str| match OptionReader::new(&[ShellArg::new(format!("--{given}"))], grammar).next() {
                Some(ReadArg::Option(option)) => (option.name.to_owned(), option.is_negated),
                _ => (String::new(), false),
            };
            for name in &names {
                assert_eq!(read(name), ((*name).to_owned(), false), "{command} --{name}");
                assert_eq!(read(&format!("{name}=x")), ((*name).to_owned(), false), "{command} --{name}=x");
                for given in (1..name.len()).filter_map(|end| name.get(..end)) {
                    let is_unique = names.iter().filter(|other| other.starts_with(given)).count() == 1;
                    let found = read(given).0;
                    assert!(!is_unique || given.starts_with("no-") || found == **name, "{command} --{given}: {found}");
                }
                let negated = format!("no-{name}");
                if !name.starts_with("no-") && !names.contains(&negated.as_str()) {
                    assert_eq!(read(&negated), ((*name).to_owned(), true), "{command} --{negated}");
                }
            }
        }
    }
}
