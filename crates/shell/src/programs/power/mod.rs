//! PowerShell: its cmdlets, its types and the methods of its values.
//!
//! The parser writes every command of PowerShell as the inner program `&` with the command's words behind it, and every
//! expression as other inner programs. What a cmdlet shares with a program of Unix is done by that program's function.

mod items;
mod members;
mod network;
mod params;
mod pipeline;
mod run;
mod shared;
mod system;
mod table;
mod type_methods;
mod values;
mod windows;

use params::CmdletCall;
use shared::{run_blocks, run_native, without_marks};
use table::{CMDLETS, READING_VERBS, run_system, system_operation};

use crate::syntax::power::BLOCK;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, power_flow, program_name};

/// An inner program of the parser.
pub(super) fn run_power(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let (first, rest) = match call.args.split_first() {
        Some((first, rest)) => (first, rest),
        None => return TextFlow::known(""),
    };
    match call.name {
        "&=" => power_flow(&without_marks(call.args)),
        "&." => members::run_member(walk, first, &without_marks(rest), call.stdin),
        "&::" => type_methods::run_type(walk, first, &without_marks(rest), call.stdin),
        "&-" => values::run_operator(&first.text, &without_marks(rest), call.stdin),
        "&#" => values::run_index(call.args, call.stdin),
        "&$" => values::run_assignment(walk, &first.text, rest),
        "&@" => values::run_splat(call.args),
        "&{" => values::run_param(walk, call.args),
        _ => run_named(walk, first, rest, call.stdin),
    }
}

/// Runs what a name stands for: a block, an alias, a function, a cmdlet, a script or a program.
fn run_named(walk: &mut CommandWalk<'_>, name: &ShellArg, args: &[ShellArg], stdin: &TextFlow) -> TextFlow {
    let text = name.text.trim();
    if text.starts_with(BLOCK) {
        if name.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
            walk.push_code(name.taint, "&", "it runs text that comes from elsewhere");
        }
        walk.set_variable("args", without_marks(args));
        return walk.run_power_block(text, stdin);
    }
    if !name.is_known() || text.is_empty() {
        return run_native(walk, name, args, stdin);
    }
    let lower = text.to_ascii_lowercase();
    if let Some(target) = walk.variable(&format!("alias:{lower}")).and_then(|values| values.into_iter().next())
        && !target.text.eq_ignore_ascii_case(text)
    {
        walk.set_variable(&format!("alias:{lower}"), vec![name.clone()]);
        let flow = run_named(walk, &target, args, stdin);
        walk.set_variable(&format!("alias:{lower}"), vec![target]);
        return flow;
    }
    if walk.has_function(&lower) {
        walk.set_variable("args", without_marks(args));
        let line: Vec<ShellArg> = std::iter::once(ShellArg::new(lower)).chain(args.iter().cloned()).collect();
        return walk.run_words(&line, stdin);
    }
    let cmdlet = lower.strip_prefix("microsoft.powershell.").and_then(|rest| rest.split_once('\\'));
    let cmdlet = cmdlet.map_or(lower.as_str(), |(_, name)| name);
    if let Some(def) = CMDLETS.get(cmdlet) {
        let call = CmdletCall::bind(def, cmdlet, args, stdin);
        if !call.is_for_program() {
            return run_cmdlet(walk, call, args);
        }
    } else if let Some(flow) = run_unlisted(walk, cmdlet, args, stdin) {
        return flow;
    }
    if lower.ends_with(".ps1") {
        return run::run_script_file(walk, name, args);
    }
    if let Some(flow) = windows::run_windows_program(walk, &program_name(&lower), args, stdin) {
        return flow;
    }
    run_native(walk, name, args, stdin)
}

fn run_cmdlet(walk: &mut CommandWalk<'_>, mut call: CmdletCall<'_>, args: &[ShellArg]) -> TextFlow {
    if call.has("whatif") {
        return TextFlow::known("");
    }
    call.printed = run_blocks(walk, args, call.stdin);
    call.run(walk)
}

/// A cmdlet without a row of its own: by its name in the table of the system, or by its verb.
fn run_unlisted(walk: &mut CommandWalk<'_>, name: &str, args: &[ShellArg], stdin: &TextFlow) -> Option<TextFlow> {
    if let Some(def) = system_operation(name) {
        if args.iter().any(|arg| arg.text.eq_ignore_ascii_case("-whatif")) {
            return Some(TextFlow::known(""));
        }
        run_blocks(walk, args, stdin);
        return Some(run_system(walk, def, name, args));
    }
    let (verb, noun) = name.split_once('-')?;
    let is_cmdlet = !verb.is_empty() && verb.chars().all(|letter| letter.is_ascii_lowercase()) && !noun.is_empty();
    if !is_cmdlet || !READING_VERBS.has(&(), verb) || walk.is_program(name) {
        return None;
    }
    let printed = run_blocks(walk, args, stdin);
    let mut flow = TextFlow::from_taint(stdin.taint | TextTaint::OUTPUT);
    flow.taint |= printed.map_or(TextTaint::NONE, |printed| printed.taint);
    flow.listed.clone_from(&stdin.listed);
    Some(flow)
}
