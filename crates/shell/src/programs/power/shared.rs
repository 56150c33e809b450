//! What cmdlets, methods and types do alike.

use crate::paths::UNKNOWN;
use crate::syntax::power::{BLOCK, ENTRY, LIST};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_items, program_name};
use crate::{Operation, OperationKind};

/// The most values for which a block is run one by one.
const MAX_ROUNDS: usize = 16;

/// Values without the marks of lists.
pub(super) fn without_marks(args: &[ShellArg]) -> Vec<ShellArg> {
    args.iter().filter(|arg| arg.text != LIST).cloned().collect()
}

/// Arguments as a program of the system gets them.
pub(super) fn native_args(args: &[ShellArg]) -> Vec<ShellArg> {
    let plain = |arg: &ShellArg| ShellArg { text: arg.text.replace([ENTRY, BLOCK], ""), ..arg.clone() };
    args.iter().filter(|arg| arg.text != LIST).map(plain).collect()
}

/// Runs the blocks among the arguments, for each input; gives what they print.
pub(super) fn run_blocks(walk: &mut CommandWalk<'_>, args: &[ShellArg], stdin: &TextFlow) -> Option<TextFlow> {
    let blocks: Vec<&str> =
        args.iter().filter_map(|arg| arg.text.get(arg.text.find(BLOCK)?..)).filter(|text| !text.is_empty()).collect();
    if blocks.is_empty() {
        return None;
    }
    let mut items = if is_nothing(stdin) { Vec::new() } else { power_items(stdin) };
    if items.len() > MAX_ROUNDS {
        items.truncate(MAX_ROUNDS);
        items.push(ShellArg::unknown(stdin.taint));
    }
    let before = walk.variable("_");
    let mut printed = TextFlow::known("");
    let rounds = items.len().max(1);
    for round in 0..rounds {
        if let Some(item) = items.get(round) {
            walk.set_variable("_", vec![item.clone()]);
        }
        for block in &blocks {
            let flow = walk.run_power_block(block, &TextFlow::default());
            if printed.text.as_ref().is_some_and(|text| !text.is_empty()) && flow.text.is_some() {
                printed.append(TextFlow::known("\n"));
            }
            printed.append(flow);
        }
    }
    walk.set_variable("_", before.unwrap_or_else(|| vec![ShellArg::unknown(TextTaint::NONE)]));
    Some(printed)
}

/// The words of a text that is several arguments.
pub(super) fn words_of(arg: &ShellArg) -> impl Iterator<Item = ShellArg> {
    arg.text.split_whitespace().map(|word| ShellArg { text: word.to_owned(), ..arg.clone() })
}

/// Runs a file whose content is only known to come from elsewhere, if it does.
pub(super) fn push_fetched_file(walk: &mut CommandWalk<'_>, program: &str, path: &ShellArg) {
    if let Some(flow) = walk.written_before(path)
        && flow.taint.has(TextTaint::NETWORK | TextTaint::DECODED)
    {
        walk.push_code(flow.taint, program, "it runs a file whose content comes from elsewhere");
    }
}

/// Whether the input is empty.
pub(super) fn is_nothing(flow: &TextFlow) -> bool {
    flow.text.as_ref().is_none_or(String::is_empty) && flow.taint == TextTaint::NONE && flow.listed.is_empty()
}

/// Runs a program of the system.
pub(super) fn run_native(walk: &mut CommandWalk<'_>, name: &ShellArg, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
    run_blocks(walk, args, stdin);
    let lower = name.text.to_ascii_lowercase();
    let plain = program_name(&lower);
    let text = if walk.is_program(&plain) { lower } else { name.text.clone() };
    let program = ShellArg { text: text.replace('\\', "/"), ..name.clone() };
    let line: Vec<ShellArg> = std::iter::once(program).chain(native_args(args)).collect();
    let mut flow = walk.run_args(&line, stdin);
    if flow.text.is_none() {
        flow.taint |= TextTaint::OUTPUT;
    }
    flow
}

/// Runs a program of Unix that does what a cmdlet does.
pub(super) fn run_twin(
    walk: &mut CommandWalk<'_>,
    words: &[&str],
    operands: Vec<ShellArg>,
    stdin: &TextFlow,
) -> TextFlow {
    let line: Vec<ShellArg> = words.iter().map(|word| ShellArg::new(*word)).chain(operands).collect();
    walk.run_args(&line, stdin)
}

/// Runs a text as PowerShell if it is known.
pub(super) fn run_text(walk: &mut CommandWalk<'_>, program: &str, flow: &TextFlow) -> TextFlow {
    match &flow.text {
        Some(text) if text.trim() != UNKNOWN.to_string() => {
            if flow.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
                walk.push_code(flow.taint, program, "it runs text that comes from elsewhere");
            }
            walk.run_powershell_line(text.trim_start_matches(BLOCK), &TextFlow::default())
        }
        _ => {
            // A script of the project that is only read runs like the script itself.
            let is_plain_file = flow.taint.has(TextTaint::FILE)
                && !flow.taint.has(TextTaint::NETWORK | TextTaint::DECODED | TextTaint::SECRET | TextTaint::OUTPUT);
            if !is_plain_file {
                walk.push_code(flow.taint, program, "it runs text that is not known");
            }
            TextFlow::from_taint(TextTaint::OUTPUT)
        }
    }
}

pub(super) fn push_secret(walk: &mut CommandWalk<'_>, program: &str, action: &str) -> TextFlow {
    walk.push(Operation::new(OperationKind::Secret, program).action(action));
    TextFlow::from_taint(TextTaint::SECRET)
}

/// Runs what a name means, as the parser writes a command.
pub(super) fn run_command(
    walk: &mut CommandWalk<'_>,
    name: &ShellArg,
    args: &[ShellArg],
    stdin: &TextFlow,
) -> TextFlow {
    let line: Vec<ShellArg> = [ShellArg::new("&"), name.clone()].into_iter().chain(args.iter().cloned()).collect();
    walk.run_args(&line, stdin)
}
