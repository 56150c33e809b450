//! Tools that Pintle does not know, such as those of MCP servers: what their names and the names of their arguments say.

mod arguments;
mod name;
mod words;

use arguments::{ArgumentRole, CallArgument, can_be_path, read_arguments};
use name::ToolVerb;
use serde_json::Value;

pub use arguments::possible_paths;
pub use name::is_reading_tool;

use crate::OperationTag::{self, AgentSettings, Autorun, GitDirectory, Pintle, Startup};
use crate::address::push_address;
use crate::sql::sql_operations;
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, PathPlace};

/// A command line among the arguments of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentCommand {
    /// The command line.
    pub line: String,
    /// The working directories that the arguments name, the outermost first.
    pub directories: Vec<String>,
}

/// The command lines among the arguments of a tool that Pintle does not know.
#[must_use]
pub fn tool_commands(name: &str, args: &Value) -> Vec<ArgumentCommand> {
    let (arguments, _) = read_arguments(name, args);
    let commands = arguments
        .into_iter()
        .filter(|argument| matches!(argument.role, ArgumentRole::Command(_) | ArgumentRole::Typed));
    commands
        .map(|argument| ArgumentCommand {
            line: argument.text,
            directories: argument.directories.into_iter().map(str::to_owned).collect(),
        })
        .collect()
}

/// Adds what a call of a tool would do that Pintle does not know.
pub(crate) fn push_tool_call(walk: &mut CommandWalk<'_>, name: &str, args: &Value) {
    let (arguments, is_cut) = read_arguments(name, args);
    for argument in &arguments {
        walk.in_subshell(|walk| {
            for directory in &argument.directories {
                walk.enter_directory(&ShellArg::new(*directory));
            }
            push_argument(walk, name, argument);
            TextFlow::default()
        });
    }
    if is_cut {
        walk.push_unknown(name, "the call has more arguments than can be looked at");
    }
}

fn push_argument(walk: &mut CommandWalk<'_>, name: &str, argument: &CallArgument<'_>) {
    let text = argument.text.trim();
    match argument.role {
        ArgumentRole::Command(language) => walk.run_command_line(text, language),
        ArgumentRole::Typed => walk.run_typed(text),
        ArgumentRole::Code(Some(language)) => walk.run_code(language, text),
        ArgumentRole::Code(None) => ["ipython", "node"].iter().for_each(|language| walk.run_code(language, text)),
        ArgumentRole::Statement => sql_operations(name, text).into_iter().for_each(|operation| walk.push(operation)),
        ArgumentRole::Address if is_address(text) => {
            push_address(walk, OperationKind::Download, name, text, TextTaint::NONE);
        }
        ArgumentRole::Address | ArgumentRole::Path | ArgumentRole::Source => push_path(walk, name, argument, text),
        ArgumentRole::Target | ArgumentRole::Directory => push_path(walk, name, argument, text),
    }
}

/// Whether a text is an address of the network, rather than one of a file.
fn is_address(text: &str) -> bool {
    !text.starts_with("file:") && !text.starts_with(['/', '~', '.', '\\'])
}

fn push_path(walk: &mut CommandWalk<'_>, name: &str, argument: &CallArgument<'_>, text: &str) {
    if !can_be_path(text) {
        return;
    }
    let path = ShellArg { is_pattern: text.contains('*'), ..ShellArg::new(text) };
    let (is_target, is_source) = (argument.role == ArgumentRole::Target, argument.role == ArgumentRole::Source);
    match argument.verb {
        Some(ToolVerb::List) => {}
        Some(ToolVerb::MakeDirectory) => drop(walk.push_hook_directory(name, &path)),
        Some(ToolVerb::Search) => {
            if walk.place(&path).tags.contains(&OperationTag::Secret) {
                walk.read_file(name, &path, true);
            }
        }
        Some(ToolVerb::Delete) => {
            walk.push_path(Operation::new(OperationKind::Delete, name).tag(OperationTag::Recursive), &path);
        }
        Some(ToolVerb::Move) if !is_target => {
            walk.push_path(Operation::new(OperationKind::Move, name), &path);
        }
        Some(ToolVerb::Write) if argument.role == ArgumentRole::Directory => push_unclear(walk, name, &path),
        Some(ToolVerb::Write) if !is_source => walk.write_file(name, &path, "replace", TextFlow::default()),
        Some(ToolVerb::Duplicate | ToolVerb::Move) if is_target => {
            walk.write_file(name, &path, "replace", TextFlow::default());
        }
        Some(verb) if !is_target => drop(walk.read_file(name, &path, verb == ToolVerb::ReadTree)),
        _ => push_unclear(walk, name, &path),
    }
}

/// A path of which it is not known whether it is read or written: only what needs care counts, and either way.
fn push_unclear(walk: &mut CommandWalk<'_>, name: &str, path: &ShellArg) {
    let placed = walk.place(path);
    if placed.tags.contains(&OperationTag::Secret) {
        walk.read_file(name, path, false);
    }
    let is_guarded = |tag: &OperationTag| matches!(tag, AgentSettings | Autorun | Pintle | Startup | GitDirectory);
    if placed.place == PathPlace::Device || placed.tags.iter().any(is_guarded) {
        walk.push_path(Operation::new(OperationKind::Write, name).action("unknown_tool"), path);
    }
}
