//! Classifies shell commands: whether one is plain, and how safe it is.

use pintle::internals::{CommandSafety, classify_command};
use serde_json::Value;

/// The tool that runs a shell command and waits for it.
const TOOL: &str = "shell";

/// The argument names that hold a shell command.
pub(super) const ARGUMENTS: [&str; 2] = ["cmd", "command"];

/// Whether a command is one program with its arguments: nothing in it starts a second program, redirects or expands.
///
/// A rule that allows a shell command covers only such commands, not what follows a `;`.
pub(super) fn is_plain(command: &str) -> bool {
    !command.contains([';', '&', '|', '<', '>', '`', '$', '(', ')', '{', '}', '\n', '\r', '\\', '\0'])
}

/// The safety of a shell call; `None` for any other tool. A call with two commands has unknown safety.
pub(super) fn command_safety(tool: &str, args: &Value) -> Option<CommandSafety> {
    if tool != TOOL {
        return None;
    }
    let mut commands = ARGUMENTS.iter().filter_map(|name| args.get(*name));
    match (commands.next().and_then(Value::as_str), commands.next()) {
        (Some(command), None) => Some(classify_command(command)),
        _ => Some(CommandSafety::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_program_with_its_words_is_plain() {
        for command in ["ls", "git commit -m 'a b'", "cargo test --workspace", "ls *.rs", ""] {
            assert!(is_plain(command), "{command}");
        }
        for command in
            ["a;b", "a && b", "a | b", "a > b", "a < b", "a `b`", "a $(b)", "a $HOME", "(a)", "a\nb", "r\\m x"]
        {
            assert!(!is_plain(command), "{command}");
        }
    }
}
