//! What programs do with their arguments.
//!
//! The tables are data: names, options and operands. What a row cannot say is a function in the file of its subject.

mod commands;
mod containers;
mod files;
mod git;
mod network;
mod search;
mod shells;
mod statements;
mod system;
mod table;
mod text;
mod wrappers;

use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) use commands::{SUBCOMMANDS, SubcommandDef, push_subcommands};
pub(crate) use network::push_address;
pub(crate) use table::{ProgramDef, ProgramUse};
pub(crate) use text::unescape;

use crate::walk::{CommandWalk, ParsedOptions, ShellArg, Taint, TextFlow, WRAPPERS, WrapperDef};
use crate::{Operation, OperationKind, OperationTag};

/// A program with its arguments and input.
#[derive(Debug)]
pub(crate) struct ProgramCall<'a> {
    /// Its name without directories.
    pub(crate) name: &'a str,
    pub(crate) written: &'a ShellArg,
    pub(crate) args: &'a [ShellArg],
    pub(crate) stdin: &'a TextFlow,
}

impl<'a> ProgramCall<'a> {
    /// The first argument that is not an option.
    pub(crate) fn first_operand(&self) -> Option<&'a str> {
        self.args.iter().map(|arg| arg.text.as_str()).find(|text| !text.starts_with('-'))
    }

    /// Whether one of these arguments is given as it is.
    pub(crate) fn has_arg(&self, any: &[&str]) -> bool {
        self.args.iter().any(|arg| any.contains(&arg.text.as_str()))
    }

    pub(crate) fn taint(&self) -> Taint {
        self.args.iter().fold(Taint::NONE, |taint, arg| taint | arg.taint)
    }
}

static PROGRAMS: LazyLock<HashMap<&str, &ProgramDef>> = LazyLock::new(|| {
    table::PROGRAM_TABLE.iter().flat_map(|def| def.names.iter().map(move |name| (*name, def))).collect()
});

static WRAPPER_INDEX: LazyLock<HashMap<&str, &WrapperDef>> =
    LazyLock::new(|| WRAPPERS.iter().flat_map(|def| def.names.iter().map(move |name| (*name, def))).collect());

static SUBCOMMAND_INDEX: LazyLock<HashMap<&str, Vec<&SubcommandDef>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<&SubcommandDef>> = HashMap::new();
    for def in SUBCOMMANDS.iter().flat_map(|table| table.iter()) {
        for name in def.programs {
            index.entry(name).or_default().push(def);
        }
    }
    index
});

/// Runs a program: adds its operations and gives what it prints.
pub(crate) fn run_program(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) -> TextFlow {
    check_written_program(walk, call);
    if let Some(rows) = SUBCOMMAND_INDEX.get(call.name) {
        push_subcommands(walk, call, rows);
    }
    statements::push_statements(walk, call);
    containers::push_container(walk, call);
    if let Some(wrapper) = WRAPPER_INDEX.get(call.name)
        && let Some(flow) = wrappers::run_wrapper(walk, call, wrapper)
    {
        return flow;
    }
    match PROGRAMS.get(call.name) {
        Some(def) => run_known(walk, call, def),
        None => run_other(walk, call),
    }
}

/// A program that the line itself made, or that is not in a directory of programs.
fn check_written_program(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    if let Some(flow) = walk.written_before(call.written) {
        run_written_script(walk, call.name, flow);
    }
}

/// Runs a file that the line wrote before.
pub(crate) fn run_written_script(walk: &mut CommandWalk<'_>, program: &str, flow: TextFlow) {
    if flow.taint.has(Taint::NETWORK | Taint::DECODED) {
        walk.push_code(flow.taint, program, "it runs a file whose content comes from elsewhere");
    } else if let Some(text) = flow.text {
        walk.run_line(&text, &TextFlow::default());
    }
}

fn run_known(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, def: &ProgramDef) -> TextFlow {
    let parsed = ParsedOptions::parse(call.args, def.valued);
    match def.usage {
        ProgramUse::Text => TextFlow::of(call.stdin.taint),
        ProgramUse::Quiet => TextFlow::of(Taint::NONE),
        ProgramUse::Reads(skipped) => {
            let is_recursive = parsed.has("r", "recursive") || parsed.has("R", "dereference-recursive");
            read_operands(walk, call, parsed.operands.iter().skip(skipped).copied(), is_recursive)
        }
        ProgramUse::Converts => {
            let mut flow = read_operands(walk, call, parsed.operands.iter().copied(), false);
            flow.text = None;
            flow.taint |= Taint::DECODED;
            flow
        }
        ProgramUse::Writes => {
            for operand in &parsed.operands {
                walk.write_file(call.name, operand, "replace", TextFlow::of(call.stdin.taint));
            }
            TextFlow::known("")
        }
        ProgramUse::Edits => {
            for operand in &parsed.operands {
                walk.write_file(call.name, operand, "edit", TextFlow::of(Taint::DECODED));
            }
            TextFlow::known("")
        }
        ProgramUse::Special(run) => run(walk, call, &parsed),
    }
}

/// Reads the operands as files, or the input if there are none.
pub(crate) fn read_operands<'a>(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    operands: impl Iterator<Item = &'a ShellArg>,
    is_recursive: bool,
) -> TextFlow {
    let mut flow = TextFlow::known("");
    let mut count = 0_usize;
    for operand in operands {
        count += 1;
        let read =
            if operand.text == "-" { call.stdin.clone() } else { walk.read_file(call.name, operand, is_recursive) };
        flow.append(read);
    }
    if count == 0 { call.stdin.clone() } else { flow }
}

/// A program without a row: a script of the project, or one that is not known. Only paths that need care are looked at.
fn run_other(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) -> TextFlow {
    for arg in call.args {
        let text = arg
            .text
            .split_once('=')
            .map_or(arg.text.as_str(), |(name, value)| if name.starts_with('-') { value } else { arg.text.as_str() });
        let text = text.strip_prefix('@').unwrap_or(text);
        if text.is_empty() || text.starts_with('-') || text.contains([' ', '\n']) {
            continue;
        }
        let operand = ShellArg { text: text.to_owned(), ..arg.clone() };
        let tags = walk.place(&operand).tags;
        if tags.contains(&OperationTag::Secret) {
            walk.read_file(call.name, &operand, false);
        }
        if tags.contains(&OperationTag::AgentSettings) || tags.contains(&OperationTag::Pintle) {
            walk.push_path(Operation::new(OperationKind::Write, call.name).action("unknown_program"), &operand);
        }
    }
    TextFlow::of(call.stdin.taint.without(Taint::NETWORK) | Taint::OUTPUT)
}
