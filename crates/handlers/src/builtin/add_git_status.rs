//! `add_git_status`: what git says of the working directory (docker-agent behaviour, section 4.1).

use pintle_contract::Verdict;

use super::{Asked, Builtin, Made, git, no_arguments, tells};

/// Tells the model the state of the repository.
#[derive(Debug)]
struct AddGitStatus;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> Made {
    no_arguments(arguments, doubts);
    Ok(Box::new(AddGitStatus))
}

impl Builtin for AddGitStatus {
    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, asked: &Asked<'_>) -> Verdict {
        let printed = git::printed(asked, &["status", "--short", "--branch"]);
        tells(printed.map(|text| format!("Current git status:\n\n{text}")))
    }
}
