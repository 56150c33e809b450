//! A guard in ten lines: asks the hooks before an action, and obeys the outcome.

use std::sync::Arc;

use pintle::{Event, EventKind, Origin, Runtime, ToolHook};
use serde_json::json;

fn main() {
    let guard = ToolHook::for_tools("exec_*").name("no_exec").deny("exec is gated");
    let runtime = Runtime::builder().register_tool_hook(guard).build().runtime;
    for tool in ["exec_ls", "read_file"] {
        let call = json!({"id": "1", "name": tool, "arguments": "{}", "args": {}});
        let outcome = runtime.fire(&Event::new(EventKind::ToolPre, call, Arc::new(Origin::default())));
        match outcome.is_allowed() {
            true => show(&format!("{tool}: allowed")),
            false => show(&format!("{tool}: {}", outcome.reason())),
        }
        assert_eq!(outcome.is_allowed(), tool == "read_file");
    }
}

#[expect(clippy::print_stdout, reason = "an example shows what it did")]
fn show(line: &str) {
    println!("{line}");
}
