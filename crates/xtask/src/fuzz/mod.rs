//! Tries the reader of command lines: with random changes of real lines, and against the shells themselves.

mod changes;
mod grammar;
mod oracle;
mod random;
mod run_program;

use xtask::{ChoreReport, SourceWorkspace};

pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    match arguments.split_first() {
        Some((first, rest)) if first == "--oracle" => oracle::run(workspace, rest),
        _ => changes::run(workspace, arguments),
    }
}

/// The numbers among the arguments, or what they are without them.
fn numbers<const N: usize>(arguments: &[String], mut numbers: [u64; N]) -> Result<[u64; N], String> {
    if arguments.len() > N {
        return Err(format!("more than {N} numbers"));
    }
    for (number, text) in numbers.iter_mut().zip(arguments) {
        *number = text.replace('_', "").parse().map_err(|error| format!("`{text}`: {error}"))?;
    }
    Ok(numbers)
}
