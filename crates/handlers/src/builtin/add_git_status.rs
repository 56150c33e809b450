//! `add_git_status`: adds the git status of the working directory.

use pintle_contract::Verdict;

use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict, doubt_arguments, git};

/// Adds the status of the repository to the context.
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

    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let printed = git::git_output(call, &["status", "--short", "--branch"]);
        context_verdict(printed.map(|text| format!("Current git status:\n\n{text}")))
    }
}
