//! Two native hooks, and nothing else: the smallest program with Pintle.

use std::path::Path;

use pintle::{Hook, Layer, Runtime, ToolCall, Verdict, events::PromptSubmit};
use serde_json::json;

fn main() -> Result<(), pintle::LoadReport> {
    let runtime = Runtime::builder()
        .hook(Hook::deny_tools(["exec_*"], "exec is gated").named("no_exec"))
        .on::<PromptSubmit>(|call| call.text("prompt")?.contains("secret").then(|| Verdict::deny("no secrets")))
        .build()?;
    for (tool, allowed) in [("exec_ls", false), ("read_file", true)] {
        let decided = runtime.decide_tool_call(ToolCall::new("1", tool, json!({})));
        println!("{tool}: {}", decided.as_ref().map_or_else(ToString::to_string, |_| String::from("allowed")));
        assert_eq!(decided.is_ok(), allowed);
    }
    assert!(runtime.life(&Default::default()).submit_prompt("my secret").is_err());

    // What is not built in is an error when it is loaded, and never passed over.
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks");
    for (file, feature) in [("needs_a_script.md", "script"), ("needs_a_program.yaml", "commands")] {
        let refused = Runtime::builder().path(hooks.join(file), Layer::Project).build();
        let refused = refused.expect_err("it must not load");
        println!("{file}: {refused}");
        let named =
            refused.diagnostics().iter().any(|found| found.message().contains(&format!("the feature `{feature}`")));
        assert!(named, "{file}: an error must name the feature `{feature}`");
    }
    Ok(())
}
