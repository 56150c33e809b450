//! Approvals that the user gave for the rest of the session.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::Value;

/// Approvals that the user gave for the rest of the session.
#[derive(Debug, Default)]
pub(super) struct SessionGrants(Mutex<GrantedTools>);

#[derive(Debug, Default)]
struct GrantedTools {
    calls: HashMap<String, Vec<Value>>,
    all: bool,
}

impl SessionGrants {
    /// Whether the user answered `always` to a call of this tool with the same arguments, which are what was shown.
    pub(super) fn allows_tool(&self, tool: &str, args: &Value) -> bool {
        self.0.lock().calls.get(tool).is_some_and(|known| known.contains(args))
    }

    pub(super) fn add_call(&self, tool: &str, args: &Value) {
        let mut given = self.0.lock();
        let known = given.calls.entry(tool.to_owned()).or_default();
        if !known.contains(args) {
            known.push(args.clone());
        }
    }

    pub(super) fn add_all(&self) {
        self.0.lock().all = true;
    }

    pub(super) fn allows_all(&self) -> bool {
        self.0.lock().all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn always_covers_the_tool_with_the_arguments_that_were_shown() {
        let grants = SessionGrants::default();
        grants.add_call("shell", &json!({"cmd": "ls -la", "cwd": "."}));
        grants.add_call("write_file", &json!({"path": "a", "content": "b"}));
        let cases = [
            ("shell", json!({"cmd": "ls -la", "cwd": "."}), true),
            ("shell", json!({"cwd": ".", "cmd": "ls -la"}), true),
            ("shell", json!({"cmd": "ls -la"}), false),
            ("shell", json!({"cmd": "ls -la ", "cwd": "."}), false),
            ("shell", json!({"cmd": "ls -la; rm x", "cwd": "."}), false),
            ("write_file", json!({"path": "a", "content": "c"}), false),
            ("Shell", json!({"cmd": "ls -la", "cwd": "."}), false),
            ("fetch", json!({}), false),
        ];
        for (tool, args, expected) in cases {
            assert_eq!(grants.allows_tool(tool, &args), expected, "{tool} {args}");
        }
    }
}
