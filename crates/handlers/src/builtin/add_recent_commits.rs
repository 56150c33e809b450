//! `add_recent_commits`: adds the most recent commits.

use pintle_contract::Verdict;

use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict, git};

/// The default number of commits.
const USUAL: u32 = 10;

/// Adds the most recent commits to the context.
#[derive(Debug)]
struct AddRecentCommits {
    count: u32,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    let count = arguments.first().and_then(|written| written.trim().parse().ok()).filter(|count| *count > 0);
    if let (Some(written), None) = (arguments.first(), count) {
        doubts.push(format!("`{written}` is not a positive integer, so {USUAL} commits are listed"));
    }
    Ok(Box::new(AddRecentCommits { count: count.unwrap_or(USUAL) }))
}

impl BuiltinHook for AddRecentCommits {
    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let count = self.count.to_string();
        let printed = git::git_output(call, &["log", "--oneline", "--no-show-signature", "-n", &count]);
        context_verdict(printed.map(|text| format!("Recent commits:\n\n{text}")))
    }
}
