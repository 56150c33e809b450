//! Finds the policy changes of a command line: what its operations write, delete or move.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pintle_shell::{
    CallSite, CommandReading, Operation, OperationKind, OperationTag, PathPlace, WatchedFile, WatchedFiles,
    read_shell_call,
};
use pintle_tools::DiskFiles;
use serde_json::Value;

use super::paths::PolicyPaths;

/// The longest text whose words are compared with policy. No agent starts a shell with a longer line.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Words of code that removes directories.
const REMOVING: [&str; 8] = ["rmtree", "rmSync", "rmdirSync", "rm_rf", "rm_r", "remove_tree", "rename", "move"];

/// The judgement of a command line.
#[derive(Debug)]
pub struct CommandJudgement<'a> {
    /// A description of the policy that it would change.
    pub changed_policy: Option<String>,
    /// The path by which it would read the private key of this machine.
    pub read_key: Option<PathBuf>,
    /// The directories in which it works.
    pub visited_dirs: Vec<PolicyPaths<'a>>,
}

/// Whether an operation on a path changes policy.
type PolicyQuestion<'a> = fn(&PolicyPaths<'a>, &str) -> Option<PathBuf>;

/// Judges the command line of a shell call, by the name of its tool and its arguments in Pintle's words. Paths are relative
/// to `base`. What it plainly does to files counts, and what scripts and other files with code do that it runs.
#[must_use]
pub fn judge_command<'a>(base: &PolicyPaths<'a>, name: &str, args: &Value) -> CommandJudgement<'a> {
    // A path may mean another one without its links: policy is compared with both.
    let as_written = |path: &Path| path.to_owned();
    let files = DiskFiles::default();
    let site = CallSite::new(base.base(), base.project()).with_home(base.home());
    let site = site.resolved_by(&as_written).reading(&files);
    let CommandReading { operations, directories, texts, is_cut } = read_shell_call(name, args, &site, base);
    let visited_dirs: Vec<PolicyPaths<'a>> =
        directories.iter().map(|dir| base.with_working_dir(Some(&dir.to_string_lossy()))).collect();
    let changed = || operations.iter().find_map(|operation| find_change(operation, &visited_dirs));
    let named = || texts.iter().find_map(|text| find_named(text, is_cut, &visited_dirs));
    let changed_policy = changed().or_else(named);
    let read_key = operations.iter().find_map(|operation| find_key_read(operation, &visited_dirs));
    CommandJudgement { changed_policy, read_key, visited_dirs }
}

/// The path by which an operation reads the private key of this machine, or sends it away.
fn find_key_read(operation: &Operation, dirs: &[PolicyPaths<'_>]) -> Option<PathBuf> {
    if !matches!(operation.kind, OperationKind::Read | OperationKind::Upload) {
        return None;
    }
    let known = operation.path.iter().map(String::as_str).zip(dirs);
    let elsewhere = dirs.iter().map(|dir| (operation.written.as_str(), dir));
    let mut paths = known.chain(elsewhere).filter(|(path, _)| !path.is_empty());
    paths.find_map(|(path, dir)| dir.expand(path).iter().find_map(|path| dir.key_read_at(path)))
}

/// The policy that an operation changes.
fn find_change(operation: &Operation, dirs: &[PolicyPaths<'_>]) -> Option<String> {
    if operation.kind == OperationKind::Guard {
        return own_command_change(operation);
    }
    let asks = question_of(operation)?;
    // Another machine has its own files, and no path here.
    let is_elsewhere = matches!(operation.place, Some(PathPlace::Outside | PathPlace::Root | PathPlace::Device));
    if is_elsewhere && operation.path.is_none() {
        return None;
    }
    let is_pattern = operation.has(OperationTag::Pattern) || operation.path.is_none();
    let known = operation.path.iter().map(String::as_str).zip(dirs);
    // Whether the line is in the directory that it enters is not certain.
    let elsewhere = dirs.iter().map(|dir| (operation.written.as_str(), dir));
    let found = known.chain(elsewhere).find_map(|(path, dir)| match is_pattern {
        true => dir.expand(path).iter().find_map(|path| asks(dir, path)),
        false => asks(dir, path),
    });
    found.map(|path| format!("`{}`, a policy file", path.display()))
}

/// How an operation changes policy; `None` if it does not.
fn question_of<'a>(operation: &Operation) -> Option<PolicyQuestion<'a>> {
    let is_filtered = operation.has(OperationTag::Filtered);
    match (operation.kind, operation.action.as_str()) {
        // What another program selects below a directory is not known.
        (OperationKind::Delete, _) if is_filtered => Some(PolicyPaths::policy_written_at),
        (OperationKind::Delete | OperationKind::Move | OperationKind::Permission, _)
        | (OperationKind::Write, "restore" | "mount") => Some(PolicyPaths::policy_changed_at),
        // A program that is not known may only read, and a window shows a file to the user.
        (OperationKind::Write, "unknown_program" | "open") => None,
        (OperationKind::Write, _) => Some(PolicyPaths::policy_written_at),
        _ => None,
    }
}

/// The policy that a text names whose effect is not known.
fn find_named(text: &str, is_cut: bool, dirs: &[PolicyPaths<'_>]) -> Option<String> {
    if text.len() > MAX_TEXT_BYTES {
        return Some(String::from(
            "a policy file, for all that Pintle can tell, since the command line is too long to be read",
        ));
    }
    let between = |letter: char| letter.is_whitespace() || "\"'`()[]{},;=<>|&+".contains(letter);
    let words: BTreeSet<&str> = text.split(between).filter(|word| !word.is_empty()).collect();
    // Removing a directory removes its files as well.
    let asks = match is_cut || REMOVING.iter().any(|word| text.contains(word)) {
        true => PolicyPaths::policy_changed_at,
        false => PolicyPaths::policy_written_at,
    };
    let path = dirs.iter().find_map(|dir| {
        let may_be_policy = dir.name_filter();
        words.iter().filter(|word| may_be_policy(word)).find_map(|word| asks(dir, word))
    })?;
    Some(format!(
        "`{}`, a policy file: code in the command line names it, and Pintle cannot tell what that code does",
        path.display()
    ))
}

/// The change by one of Pintle's own commands to what Pintle enforces.
fn own_command_change(operation: &Operation) -> Option<String> {
    let mut words = operation.written.split(' ');
    let command = words.find(|word| !word.starts_with('-'))?;
    let agrees = |word: &str| {
        matches!(word, "--yes" | "--revoke") || word.starts_with('-') && !word.starts_with("--") && word.contains('y')
    };
    let changes = match command {
        "trust" => operation.written.split(' ').any(agrees),
        command => matches!(command, "install" | "uninstall" | "sessions" | "doctor"),
    };
    (changes && operation.action == "pintle_command").then(|| format!("what Pintle enforces (`pintle {command}`)"))
}

impl WatchedFiles for PolicyPaths<'_> {
    fn concerns(&self, path: &Path) -> bool {
        self.expand(&path.to_string_lossy()).iter().any(|path| self.policy_changed_at(path).is_some())
    }

    fn find_below(&self, dir: &Path) -> Vec<WatchedFile> {
        let below = |start: String| {
            let found = self.policy_below(&start);
            let root = found.first().cloned().unwrap_or_default();
            found.into_iter().map(move |path| WatchedFile {
                within: path.strip_prefix(&root).map(Path::to_owned).unwrap_or_default(),
                is_dir: pintle_files::is_dir(&path),
                is_empty: match pintle_files::read_dir(&path) {
                    Ok(mut entries) => entries.next().is_none(),
                    Err(_) => pintle_files::metadata(&path).is_ok_and(|found| found.len() == 0),
                },
                path,
            })
        };
        self.expand(&dir.to_string_lossy()).into_iter().flat_map(below).collect()
    }
}
