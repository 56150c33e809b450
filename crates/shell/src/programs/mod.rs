//! What programs do with their arguments.
//!
//! The tables are data: names, options and operands. What a row cannot say is a function in the file of its subject.

mod actions;
mod archives;
mod builtins;
mod cmd;
mod containers;
mod editors;
mod files;
mod filter;
mod find;
mod git;
mod interpreters;
mod loads;
mod makefile;
mod matching;
mod network;
mod option_uses;
#[cfg(feature = "powershell")]
mod power;
mod program;
mod recipes;
mod runners;
mod runs;
mod search;
mod secret_use;
mod sed;
mod shells;
mod statements;
mod subcommand;
mod system;
mod table;
mod tasks;
mod text;
mod transfer;
mod trial;
mod words;
mod wrappers;
mod zsh;

#[cfg(not(feature = "powershell"))]
use crate::absent::power;
pub use actions::known_actions;
pub(crate) use loads::is_load_variable;
use program::{ProgramDef, ProgramUse, read_operands};
use subcommand::{SUBCOMMANDS, push_subcommands};
pub(crate) use table::is_program;
use table::{ProgramFacts, facts_of, is_known_name};
pub(crate) use text::read_selected;

use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

/// The name of a program that comes with its version, such as `lua5.4` and `pip3.12`.
pub(crate) fn unversioned_name(name: &str) -> Option<&str> {
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-'));
    // `command1` is a program of its own: wrappers come without a version.
    let is_versioned = |facts: &ProgramFacts| facts.def.is_some() || !facts.sections.is_empty();
    (plain.len() < name.len() && !is_known_name(name) && is_versioned(facts_of(plain))).then_some(plain)
}

/// Runs a program: adds its operations and gives what it prints.
pub(crate) fn run_program(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) -> TextFlow {
    if let Some(name) = unversioned_name(call.name) {
        return run_program(walk, &ProgramCall { name, ..*call });
    }
    if !is_known_name(call.name)
        && let Some(flow) = run_other_name(walk, call)
    {
        return flow;
    }
    let facts = facts_of(call.name);
    words::note_words(walk, call, facts);
    let first = walk.operations.len();
    let printed = check_written_program(walk, call);
    // Agents, and Pintle, find their settings and their shell by variables.
    if let Some(name) = walk.settings_variable()
        && (SUBCOMMANDS.is_agent(call.name) || call.name.starts_with("pintle"))
    {
        walk.push(Operation::new(OperationKind::Guard, call.name).action("pintle_variable").written(name));
    }
    // The rows of git are for its options behind the subcommand.
    if call.name != "git" && !facts.sections.is_empty() {
        push_subcommands(walk, call, facts.grammar(), SUBCOMMANDS.rows(&facts.sections));
    }
    option_uses::use_options(walk, call, facts);
    if let Some(sender) = &facts.sender {
        transfer::push_sent(walk, call, sender);
    }
    walk.run_references(call.name, call.args);
    loads::push_loads(walk, call, facts);
    loads::push_variable_loads(walk, call);
    statements::push_statements(walk, call, facts);
    network::push_asked_hosts(walk, call, facts);
    if facts.is("container-engine") {
        containers::push_container(walk, call);
    }
    if let Some(wrapper) = &facts.wrapper
        && let Some(flow) = wrappers::run_wrapper(walk, call, wrapper)
    {
        return flow;
    }
    let mut flow = match (&facts.def, call.name.strip_prefix("git-")) {
        (Some(def), _) => run_known(walk, call, def),
        (None, Some(command)) if git::is_subcommand(command) => git::run_alone(walk, call, command),
        (None, _) => {
            let mut flow = run_other(walk, call);
            flow.append(printed);
            flow
        }
    };
    secret_use::push_unclear_secrets(walk, call, facts, first, &mut flow);
    flow
}

/// Runs a program under the name that the tables have for it.
fn run_other_name(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) -> Option<TextFlow> {
    // Where file names have no case, `RM` is `rm`.
    let lower = call.name.to_ascii_lowercase();
    if lower != call.name && is_known_name(&lower) {
        return Some(run_program(walk, &ProgramCall { name: &lower, ..*call }));
    }
    // `git-reset` is `git reset`.
    let subcommand = call.name.strip_prefix("git-")?;
    let args: Vec<ShellArg> = std::iter::once(ShellArg::new(subcommand)).chain(call.args.iter().cloned()).collect();
    Some(run_program(walk, &ProgramCall { name: "git", args: &args, ..*call }))
}

/// A program that the line itself made, or that is not in a directory of programs.
fn check_written_program(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) -> TextFlow {
    // Without a slash, a known program is one of the machine.
    if !call.written.text.contains(['/', '\\']) && is_known_name(call.name) && !walk.changes_path() {
        return TextFlow::default();
    }
    // `uv run x.py`.
    let is_path = call.written.text.contains('/') || shells::is_script_name(&call.written.text);
    let flow = if is_path { walk.code_of(call.written) } else { walk.written_before(call.written) };
    match flow {
        Some(flow) => walk.in_subshell(|walk| {
            walk.set_variable("0", vec![call.written.clone()]);
            shells::run_written_script(walk, call, flow)
        }),
        None => TextFlow::default(),
    }
}

fn run_known(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, def: &ProgramDef) -> TextFlow {
    let parsed = ParsedOptions::parse(call.args, def.valued);
    let (letter, name) = def.dry_run;
    if !name.is_empty() && parsed.has(letter, name) {
        return walk.run_dry(call.name, |walk| use_program(walk, call, def, &parsed));
    }
    use_program(walk, call, def, &parsed)
}

fn use_program(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    def: &ProgramDef,
    parsed: &ParsedOptions<'_>,
) -> TextFlow {
    match def.usage {
        ProgramUse::Text => {
            TextFlow::from_taint(call.stdin.taint.without(TextTaint::SECRET | TextTaint::ENVIRONMENT | TextTaint::FILE))
        }
        ProgramUse::Prints => TextFlow::from_taint(call.stdin.taint | TextTaint::OUTPUT),
        ProgramUse::Quiet => TextFlow::from_taint(TextTaint::NONE),
        ProgramUse::Reads => {
            let is_recursive = parsed.has("r", "recursive") || parsed.has("R", "dereference-recursive");
            read_operands(walk, call, parsed.operands.iter().copied(), is_recursive)
        }
        ProgramUse::Selects | ProgramUse::Converts => {
            let flow = read_operands(walk, call, parsed.operands.iter().copied(), false);
            let is_same = matches!(def.usage, ProgramUse::Selects);
            let added = if is_same { TextTaint::NONE } else { TextTaint::DECODED };
            TextFlow { text: None, taint: flow.taint | added, ..flow }
        }
        ProgramUse::Writes => {
            for operand in &parsed.operands {
                walk.write_file(call.name, operand, "replace", TextFlow::from_taint(call.stdin.taint));
            }
            TextFlow::known("")
        }
        ProgramUse::Edits if call.name == "prettier" && !parsed.has("w", "write") => {
            read_operands(walk, call, parsed.operands.iter().copied(), false)
        }
        ProgramUse::Edits => {
            for operand in &parsed.operands {
                walk.write_file(call.name, operand, "edit", TextFlow::from_taint(TextTaint::DECODED));
            }
            TextFlow::known("")
        }
        ProgramUse::Special(name) => {
            runs::find_function(name).map_or_else(TextFlow::default, |run| run(walk, call, parsed))
        }
    }
}

/// A program without a row: a script of the project, or one that is not known. Only paths that need care are looked at.
fn run_other(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) -> TextFlow {
    let changes =
        |arg: &ShellArg| ["--in-place", "--inplace", "--write", "--fix"].iter().any(|long| arg.text.starts_with(long));
    let is_in_place = call.args.iter().any(changes);
    for arg in call.args {
        // The value of an option, in the same word.
        let text = match (arg.text.split_once('='), arg.text.get(2..)) {
            (Some((_, value)), _) if arg.text.starts_with('-') || value.contains('/') => value,
            (_, Some(value)) if arg.text.starts_with('-') && value.starts_with(['/', '~', '.']) => value,
            _ => arg.text.as_str(),
        };
        let text = text.strip_prefix('@').unwrap_or(text);
        if text.is_empty() || text.starts_with('-') || text.contains([' ', '\n']) {
            continue;
        }
        let operand = arg.with_text(text);
        let tags = walk.place(&operand).tags;
        if is_in_place {
            walk.push_watched(Operation::new(OperationKind::Write, call.name).action("edit"), &operand);
        }
        if tags.contains(&OperationTag::AgentSettings) || tags.contains(&OperationTag::Pintle) {
            walk.push_path(Operation::new(OperationKind::Write, call.name).action("unknown_program"), &operand);
        }
    }
    if !is_known_name(call.name) {
        trial::try_words(walk, call);
    }
    TextFlow::from_taint(call.stdin.taint.without(TextTaint::NETWORK) | TextTaint::OUTPUT)
}
