//! What an embedding program is told.

use std::fs;

use pintle::{Layer, Runtime, WorkerProgram};

#[test]
fn a_script_without_a_worker_is_an_error_that_names_the_call() {
    let hooks = tempfile::tempdir().unwrap();
    // Its cost is not bounded by its input, so it runs in a process of its own.
    let hook = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      for a in range(9999):\n          for b in range(9999):\n              if str(a * b) == payload[\"name\"]:\n                  return block(\"no\")\n      return allow()\n---\n# slow\n";
    let file = hooks.path().join("slow.md");
    fs::write(&file, hook).unwrap();
    let missing = WorkerProgram { program: hooks.path().join("no-such-worker"), arguments: Vec::new() };
    let built = Runtime::builder().worker(missing).path(&file, Layer::Project).build();
    let found = built.diagnostics.iter().find(|found| found.code == "script_load").unwrap();
    assert!(found.message.starts_with("cannot start the script worker"), "{}", found.message);
    assert!(found.help.as_deref().is_some_and(|help| help.contains("`pintle::serve_worker()`")), "{:?}", found.help);
    assert!(built.has_errors());
}
