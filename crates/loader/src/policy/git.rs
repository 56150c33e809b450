//! Finds the files that git commands remove or restore.

use super::commands::CommandJudge;
use super::programs::{OperandUse, is_option};

impl CommandJudge<'_> {
    pub(super) fn judge_git(&mut self, operands: &[(String, bool)]) -> Option<String> {
        let mut rest = operands.iter();
        let mut command = None;
        while let Some((word, _)) = rest.next() {
            match word.as_str() {
                "-C" | "--work-tree" => self.enter_folder(&rest.next()?.0),
                "-c" | "--git-dir" => drop(rest.next()),
                word if word.starts_with('-') => {}
                word => {
                    command = Some(word);
                    break;
                }
            }
        }
        let says = |options: &[&str]| rest.clone().any(|(word, _)| options.contains(&word.as_str()));
        let paths = collect_pathspecs(rest.clone());
        match command? {
            "rm" if says(&["--cached", "-n", "--dry-run"]) => None,
            // `--staged` alone does not change a file.
            "restore" if says(&["-S", "--staged"]) && !says(&["-W", "--worktree"]) => None,
            "rm" | "mv" | "checkout" | "restore" | "stash" => self.judge_operands(OperandUse::ChangesEach, &paths),
            "clean" if is_dry_run(rest.clone()) => None,
            "clean" if paths.iter().all(|(word, _)| is_option(word)) => {
                self.judge_operands(OperandUse::ChangesEach, &[(String::from("."), false)])
            }
            "clean" => self.judge_operands(OperandUse::ChangesEach, &paths),
            "apply" => self.judge_operands(OperandUse::WritesEach, &paths),
            _ => None,
        }
    }
}

/// The paths in a git command, including the root of the repository.
fn collect_pathspecs<'w>(words: impl Iterator<Item = &'w (String, bool)>) -> Vec<(String, bool)> {
    let plain = |(word, quoted): &(String, bool)| {
        let below = word.strip_prefix(":/").or_else(|| word.strip_prefix(":(top)"));
        below.map_or_else(|| (word.clone(), *quoted), |below| (format!("$CLAUDE_PROJECT_DIR/{below}"), false))
    };
    let mut words = words.peekable();
    let mut paths = Vec::new();
    while let Some(word) = words.next() {
        // Excluded files are not changed.
        if ["-e", "--exclude"].contains(&word.0.as_str()) {
            words.next();
        } else {
            paths.push(plain(word));
        }
    }
    paths
}

/// Whether git only prints what it would do.
fn is_dry_run<'w>(mut words: impl Iterator<Item = &'w (String, bool)>) -> bool {
    let is_cluster = |word: &str| word.starts_with('-') && !word.starts_with("--");
    words.any(|(word, _)| word == "--dry-run" || (is_cluster(word) && word.contains('n')))
}
