//! Programs that are not known: whether their words may be a command line that they run.

use super::table::is_known_name;
use crate::walk::{CommandWalk, FAULT, ProgramCall, program_name};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind, OperationTag, PathPlace};

/// The most words that are tried as the beginning of a command line.
const MAX_TRIALS: usize = 32;
/// Options whose value is prose.
const PROSE_OPTIONS: &str = "-m --message --msg --body --title --description --desc --prompt --text --comment --note \
                             --notes --subject --summary --reason --name --query --content";
/// Programs whose names are words of their own: what other programs are told to do.
const SUBCOMMANDS: &str =
    "remove init kill mount umount start stop service install copy move link write open history host";

/// Tries the words of a program that is not known as a command line, and each of them as a whole one. What would do harm
/// is unknown.
pub(super) fn try_words(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let mut trials = 0;
    for (index, arg) in call.args.iter().enumerate() {
        let (option, value) = match arg.text.split_once('=') {
            Some((option, value)) if option.starts_with('-') => (option, value),
            _ => ("", arg.text.as_str()),
        };
        let before = index.checked_sub(1).and_then(|index| call.args.get(index)).map_or("", |arg| arg.text.as_str());
        if is_listed(PROSE_OPTIONS, if option.is_empty() { before } else { option }) {
            continue;
        }
        let words: Vec<&str> = value.split_whitespace().take(2).collect();
        let is_command = |word: &&str| {
            let name = program_name(word).to_ascii_lowercase();
            name.starts_with("git-") || is_known_name(&name) && !is_listed(SUBCOMMANDS, &name)
        };
        let is_line = words.len() > 1;
        let may_run = words.first().is_some_and(is_command) || is_line && value.contains(['|', ';', '&', '$', '`']);
        if !may_run {
            continue;
        }
        trials += 1;
        if trials > MAX_TRIALS {
            walk.push_unknown(call.name, "it has more words than can be looked at");
            return;
        }
        let does_harm = walk.try_run(is_harm, |walk| match is_line {
            true => walk.run_line(value, call.stdin),
            false => walk.run_args(call.args.get(index..).unwrap_or_default(), call.stdin),
        });
        if does_harm {
            let rest = if is_line { "" } else { " …" };
            walk.push_unknown(call.name, format!("`{}` may run `{value}{rest}`", call.name));
            return;
        }
    }
}

/// Whether an operation is more than everyday work in the project.
fn is_harm(operation: &Operation) -> bool {
    use OperationTag::{AgentSettings, File, GitDirectory, Local, Output, Pintle, Secret};
    let has_any = |tags: &[OperationTag]| tags.iter().any(|tag| operation.has(*tag));
    let is_inside = matches!(operation.place, Some(PathPlace::Project | PathPlace::Temporary));
    match operation.kind {
        OperationKind::Delete | OperationKind::Move | OperationKind::Permission | OperationKind::Write => {
            !is_inside || has_any(&[GitDirectory, AgentSettings, Pintle])
        }
        OperationKind::Read => operation.has(Secret),
        OperationKind::Unknown => !operation.reason.starts_with(FAULT),
        OperationKind::RunCode
        | OperationKind::Git
        | OperationKind::Guard
        | OperationKind::Kill
        | OperationKind::Privilege
        | OperationKind::Secret
        | OperationKind::System => true,
        OperationKind::Upload => has_any(&[File, Secret, Output]) && !operation.has(Local),
        _ => false,
    }
}
