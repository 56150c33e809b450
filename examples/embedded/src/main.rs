//! Two native hooks, and nothing else: the smallest program with Pintle.

use std::path::Path;
use std::sync::Arc;

use pintle_host::{Event, EventKind, Layer, Origin, Runtime, ToolHook};
use serde_json::json;

fn main() -> Result<(), pintle_host::LoadReport> {
    let runtime = Runtime::builder()
        .register_tool_hook(ToolHook::for_tools("exec_*").name("no_exec").deny("exec is gated"))
        .register_tool_hook(ToolHook::for_tools("*").max_output(4000))
        .build()?;
    for (tool, allowed) in [("exec_ls", false), ("read_file", true)] {
        let call = json!({"id": "1", "name": tool, "arguments": "{}", "args": {}});
        let outcome = runtime.fire(&Event::new(EventKind::ToolPre, call, Arc::new(Origin::default())));
        println!("{tool}: {}", if outcome.is_allowed() { String::from("allowed") } else { outcome.reason() });
        assert_eq!(outcome.is_allowed(), allowed);
    }

    // What is not built in is an error when it is loaded, and never passed over.
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks");
    for (file, feature) in [("needs_a_script.md", "script"), ("needs_a_program.yaml", "commands")] {
        let refused = Runtime::builder().path(hooks.join(file), Layer::Project).build();
        let refused = refused.expect_err("it must not load");
        for found in refused.diagnostics() {
            println!("{file}: {}", found.message);
        }
        let named =
            refused.diagnostics().iter().any(|found| found.message.contains(&format!("the feature `{feature}`")));
        assert!(named, "{file}: an error must name the feature `{feature}`");
    }
    Ok(())
}
