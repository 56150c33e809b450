//! Runs the program behind a wrapper.

use super::program::WrapperDef;
use super::table::is_known_name;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, program_name};
use crate::{Operation, OperationKind};

/// Runs what a wrapper wraps; `None` if it wraps nothing in this call, or may also do something else.
pub(super) fn run_wrapper(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, def: &WrapperDef) -> Option<TextFlow> {
    if def.words.is_empty() {
        return run_wrapped(walk, call, def, call.args);
    }
    let is_word = |arg: &ShellArg| def.words.contains(&arg.text.as_str());
    if let Some(index) = call.args.iter().position(|arg| !arg.text.starts_with('-'))
        && call.args.get(index).is_some_and(is_word)
    {
        return run_wrapped(walk, call, def, call.args.get(index + 1..)?);
    }
    // The word may come behind the value of an option; but `npm --silent install x` has no such word.
    let index = call.args.iter().take(6).position(is_word)?;
    run_wrapped(walk, call, def, call.args.get(index + 1..)?);
    None
}

fn run_wrapped(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    def: &WrapperDef,
    args: &[ShellArg],
) -> Option<TextFlow> {
    let (parsed, rest) = ParsedOptions::parse_leading(args, def.valued);
    if call.name == "command" && (parsed.has("v", "") || parsed.has("V", "")) {
        return Some(super::text::run_which(walk, call, &parsed_operands(rest)));
    }
    if let Some(line) = parsed.values("c", "call").next().filter(|_| def.valued.has_name("call")) {
        return Some(walk.run_line(&line.text.clone(), call.stdin));
    }
    if def.is_privileged {
        walk.push(
            Operation::new(OperationKind::Privilege, call.name)
                .action("other_user")
                .written(rest.iter().map(ShellArg::shown).take(3).collect::<Vec<_>>().join(" ")),
        );
        if parsed.has("e", "edit") {
            for file in rest {
                walk.write_file(call.name, file, "edit", TextFlow::default());
            }
            return Some(TextFlow::default());
        }
    }
    if let (Some(directory), false) =
        (parsed.values("D", "chdir").next().or(parsed.values("C", "directory").next()), def.is_elsewhere)
        && !directory.text.is_empty()
        && !call.name.starts_with("mise")
    {
        walk.enter_directory(directory);
    }
    let mut rest = rest.get(def.skipped.min(rest.len())..).unwrap_or_default();
    // Assignments in front of the program, as after `env`.
    while let Some((name, value)) = rest.first().and_then(assignment_of) {
        walk.set_variable(&name, vec![value]);
        rest = rest.get(1..).unwrap_or_default();
    }
    if rest.first().is_some_and(|arg| arg.text == "--") {
        rest = rest.get(1..).unwrap_or_default();
    }
    // Options of the wrapper may also follow its operands: `kubectl exec POD -n NAME -- ls`.
    if let (true, Some(index)) = (def.is_elsewhere, rest.iter().position(|arg| arg.text == "--")) {
        rest = rest.get(index + 1..).unwrap_or_default();
    }
    if def.is_elsewhere {
        return Some(super::shells::run_elsewhere(walk, rest, call.stdin));
    }
    let program = |arg: &ShellArg| is_known_name(&program_name(&arg.text));
    if let (true, Some(index)) = (def.searches, rest.iter().position(program)) {
        rest = rest.get(index..).unwrap_or_default();
    }
    Some(match rest {
        // `yarn exec 'COMMAND LINE'`.
        [line] if line.text.contains(' ') => walk.run_line(&line.text, call.stdin),
        rest => walk.run_args(rest, call.stdin),
    })
}

fn parsed_operands(operands: &[ShellArg]) -> ParsedOptions<'_> {
    ParsedOptions { operands: operands.iter().collect(), ..ParsedOptions::default() }
}

/// `NAME=value`.
pub(super) fn assignment_of(arg: &ShellArg) -> Option<(String, ShellArg)> {
    let (name, value) = arg.text.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_name.then(|| (name.to_owned(), arg.with_text(value)))
}
