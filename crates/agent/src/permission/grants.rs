//! What a person has allowed for the rest of the session.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::shell;

/// What a person has allowed for the rest of the session.
#[derive(Debug, Default)]
pub(super) struct Grants(Mutex<Given>);

#[derive(Debug, Default)]
struct Given {
    tools: HashSet<String>,
    all: bool,
}

impl Grants {
    /// Whether `always this tool` was said of a call's tool. Of a tool that takes a shell command it was said of plain
    /// commands alone (docker-agent, issue 3569).
    pub(super) fn cover(&self, tool: &str, args: &Value) -> bool {
        if !self.given().tools.contains(tool) {
            return false;
        }
        let mut commands = shell::ARGUMENTS.iter().filter_map(|name| args.get(name));
        commands.all(|command| command.as_str().is_some_and(shell::is_plain))
    }

    pub(super) fn add_tool(&self, tool: &str) {
        self.given().tools.insert(tool.to_owned());
    }

    pub(super) fn add_all(&self) {
        self.given().all = true;
    }

    pub(super) fn are_for_all(&self) -> bool {
        self.given().all
    }

    fn given(&self) -> MutexGuard<'_, Given> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn always_this_tool_does_not_cover_compound_commands() {
        let grants = Grants::default();
        grants.add_tool("shell");
        grants.add_tool("write_file");
        let cases = [
            ("shell", json!({"cmd": "ls -la"}), true),
            ("shell", json!({"cmd": "ls; rm -rf x"}), false),
            ("shell", json!({"cmd": ["ls"]}), false),
            ("shell", json!({"command": "ls | sh"}), false),
            ("write_file", json!({"content": "a; b"}), true),
            ("fetch", json!({}), false),
        ];
        for (tool, args, expected) in cases {
            assert_eq!(grants.cover(tool, &args), expected, "{tool} {args}");
        }
    }
}
