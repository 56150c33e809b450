//! `add_recent_commits`: the last commits (docker-agent behaviour, section 4.1).

use pintle_contract::Verdict;

use super::{Asked, Builtin, Made, git, tells};

/// How many commits are told when nothing else is written.
const USUAL: u32 = 10;

/// Tells the model the last commits.
#[derive(Debug)]
struct AddRecentCommits {
    count: u32,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> Made {
    let count = arguments.first().and_then(|written| written.trim().parse().ok()).filter(|count| *count > 0);
    if let (Some(written), None) = (arguments.first(), count) {
        doubts.push(format!("`{written}` is no whole number above 0, so {USUAL} commits are told"));
    }
    Ok(Box::new(AddRecentCommits { count: count.unwrap_or(USUAL) }))
}

impl Builtin for AddRecentCommits {
    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, asked: &Asked<'_>) -> Verdict {
        let count = self.count.to_string();
        let printed = git::printed(asked, &["log", "--oneline", "--no-show-signature", "-n", &count]);
        tells(printed.map(|text| format!("Recent commits:\n\n{text}")))
    }
}
