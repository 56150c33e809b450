//! A guard in ten lines: asks the hooks before an action, and obeys the outcome.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::sync::Arc;

use pintle_host::{Event, EventKind, Origin, Runtime, ToolHook};
use serde_json::json;

fn main() -> Result<(), pintle_host::LoadReport> {
    let guard = ToolHook::for_tools("exec_*").name("no_exec").deny("exec is gated");
    let runtime = Runtime::builder().register_tool_hook(guard).build()?;
    for tool in ["exec_ls", "read_file"] {
        let call = json!({"id": "1", "name": tool, "arguments": "{}", "args": {}});
        let outcome = runtime.fire(&Event::new(EventKind::ToolPre, call, Arc::new(Origin::default())));
        match outcome.is_allowed() {
            true => println!("{tool}: allowed"),
            false => println!("{tool}: {}", outcome.reason()),
        }
        assert_eq!(outcome.is_allowed(), tool == "read_file");
    }
    Ok(())
}
