//! `add_git_status`: what git says of the working directory (docker-agent behaviour, section 4.1).

use pintle_contract::Verdict;

use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict, doubt_arguments, git};

/// Tells the model the state of the repository.
#[derive(Debug)]
struct AddGitStatus;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    doubt_arguments(arguments, doubts);
    Ok(Box::new(AddGitStatus))
}

impl BuiltinHook for AddGitStatus {
    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, asked: &BuiltinCall<'_>) -> Verdict {
        let printed = git::git_output(asked, &["status", "--short", "--branch"]);
        context_verdict(printed.map(|text| format!("Current git status:\n\n{text}")))
    }
}
