//! What an embedding program is told.

use std::fs;

use pintle_host::{Layer, Runtime, Severity, ToolHook, WorkerProgram};

#[test]
fn a_script_without_a_worker_is_an_error_that_names_the_call() {
    let hooks = tempfile::tempdir().unwrap();
    // Its cost is not bounded by its input, so it runs in a process of its own.
    let hook = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      for a in range(9999):\n          for b in range(9999):\n              if str(a * b) == payload[\"name\"]:\n                  return block(\"no\")\n      return allow()\n---\n# slow\n";
    let file = hooks.path().join("slow.md");
    fs::write(&file, hook).unwrap();
    let missing = WorkerProgram { program: hooks.path().join("no-such-worker"), arguments: Vec::new() };
    let built = Runtime::builder().worker(missing).path(&file, Layer::Project).load();
    let found = built.diagnostics.iter().find(|found| found.code == "script_load").unwrap();
    assert!(found.message.starts_with("cannot start the script worker"), "{}", found.message);
    assert!(found.help.as_deref().is_some_and(|help| help.contains("`pintle::serve_worker()`")), "{:?}", found.help);
    assert!(built.has_errors());
}

#[test]
fn a_runtime_without_all_of_its_hooks_is_not_returned() {
    let hooks = tempfile::tempdir().unwrap();
    let file = hooks.path().join("guard.md");
    fs::write(&file, "---\nevent: tool.pree\nscript: |\n  def handle(event, payload):\n      return block()\n---\n")
        .unwrap();
    let broken = ToolHook::for_tools("exec_[").deny("exec is gated");
    for (what, builder) in [
        ("guard.md", Runtime::builder().path(&file, Layer::Project)),
        ("exec_[", Runtime::builder().register_tool_hook(broken)),
        ("no/such", Runtime::builder().path("no/such", Layer::Project)),
    ] {
        let error = builder.build().unwrap_err();
        assert!(error.diagnostics().iter().all(|found| found.severity == Severity::Error), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
    let guard = ToolHook::for_tools("exec_*").deny("exec is gated");
    assert!(Runtime::builder().register_tool_hook(guard).build().is_ok());
}
