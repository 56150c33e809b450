//! A guard in ten lines: asks the hooks before an action, and obeys.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use pintle::{Hook, Runtime, ToolCall};
use serde_json::json;

fn main() -> Result<(), pintle::LoadReport> {
    let guard = Hook::deny_tools(["exec_*"], "exec is gated").named("no_exec");
    let runtime = Runtime::builder().hook(guard).build()?;
    for tool in ["exec_ls", "read_file"] {
        let decided = runtime.decide_tool_call(ToolCall::new("1", tool, json!({})));
        match &decided {
            Ok(call) => println!("{}: allowed", call.name()),
            Err(refusal) => println!("{tool}: {}", refusal.reason()),
        }
        assert_eq!(decided.is_ok(), tool == "read_file");
    }
    Ok(())
}
