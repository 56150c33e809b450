//! `add_git_diff`: adds the unstaged changes.

use pintle_contract::Verdict;

use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict, git};

/// Adds the names of the changed files, or the changes, to the context.
#[derive(Debug)]
struct AddGitDiff {
    full: bool,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    let full = arguments.first().is_some_and(|written| written == "full");
    let unknown = arguments.iter().enumerate().find(|(index, written)| *index > 0 || *written != "full");
    if let Some((_, written)) = unknown {
        doubts.push(format!("unknown argument `{written}`; the only argument is `full`"));
    }
    Ok(Box::new(AddGitDiff { full }))
}

impl BuiltinHook for AddGitDiff {
    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let (title, form) = match self.full {
            true => ("Current working-tree diff", "--patch"),
            false => ("Current working-tree diff (stat)", "--stat"),
        };
        let printed = git::git_output(call, &["diff", "--no-ext-diff", "--no-textconv", form]);
        context_verdict(printed.map(|text| format!("{title}:\n\n{text}")))
    }
}
