//! Hooks of a package, whose handlers are functions of a module.

use std::path::Path;
use std::sync::Arc;

use pintle_host::{Event, EventName, Layer, LoadedRuntime, Origin, Runtime};
use serde_json::json;

use crate::support::worker;

const MANIFEST: &str = "[package]\nname = \"policy\"\n\n[[hooks]]\nevent = \"PreToolUse\"\npattern = \"exec_*\"\nhandler = \"policy::gate\"\n";
const MODULE: &str = "def _reason(name):\n    return \"gated \" + name\n\ndef gate(event):\n    metrics.incr(\"asked\")\n    return {\"deny\": _reason(event[\"tool\"][\"name\"])}\n";

#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
fn write_package(manifest: &str, module: &str) -> (tempfile::TempDir, LoadedRuntime) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("harn.toml"), manifest).unwrap();
    std::fs::write(dir.path().join("policy.star"), module).unwrap();
    let built = load_project(dir.path());
    (dir, built)
}

fn load_project(dir: &Path) -> LoadedRuntime {
    Runtime::builder().worker(worker()).path(dir, Layer::Project).load()
}

#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
fn gate_result(runtime: &Runtime, tool: &str) -> String {
    let call = json!({"id": "1", "name": tool, "arguments": "{}", "args": {}});
    runtime.fire(&Event::new(EventName::parse("tool.pre").unwrap(), call, Arc::new(Origin::default()))).reason()
}

#[test]
fn a_function_finds_its_siblings_each_time_after_its_file_is_gone() {
    let (dir, built) = write_package(MANIFEST, MODULE);
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    drop(dir);
    for tool in ["exec_a", "exec_b", "exec_c"] {
        assert!(gate_result(&built.runtime, tool).ends_with(&format!("gated {tool}")));
    }
    assert_eq!(gate_result(&built.runtime, "look"), "");
}

#[test]
fn what_a_function_counts_stays_within_its_runtime() {
    let (dir, one) = write_package(MANIFEST, MODULE);
    let other = load_project(dir.path());
    for _ in 0..3 {
        gate_result(&one.runtime, "exec_a");
    }
    gate_result(&other.runtime, "exec_a");
    let asked = |built: &LoadedRuntime| built.runtime.metrics().get("asked").cloned();
    assert_eq!((asked(&one), asked(&other)), (Some(json!(3)), Some(json!(1))));
}

#[test]
fn a_handler_that_is_not_there_private_or_broken_does_not_load() {
    let cases = [
        (MANIFEST.replace("policy::gate", "policy::gat"), MODULE.to_owned(), "gate"),
        (MANIFEST.replace("policy::gate", "policy::_reason"), MODULE.to_owned(), "_reason"),
        (MANIFEST.replace("policy::gate", "policies::gate"), MODULE.to_owned(), "polic"),
        (MANIFEST.to_owned(), String::from("def gate(event)\n"), "policy"),
        (MANIFEST.to_owned(), String::from("def gate(harness, event):\n    return None\n"), "gate"),
    ];
    for (manifest, module, word) in cases {
        let (_folder, built) = write_package(&manifest, &module);
        assert!(built.has_errors(), "{manifest}\n{module}");
        let found = format!("{:?}", built.diagnostics);
        assert!(found.contains(word), "{word}: {found}");
        assert!(gate_result(&built.runtime, "exec_a").is_empty(), "nothing half-loaded is asked");
    }
}

#[test]
fn a_hook_for_a_step_that_no_persona_has_is_pointed_out() {
    let personas = "\n[[personas]]\nname = \"merge_captain\"\n\n[[personas.steps]]\nname = \"audit\"\n";
    let module = "def seen(event):\n    return None\n";
    // The pattern, and whether a step matches.
    let cases = [("merge_captain.audit", true), ("merge_*", true), ("merge_captain.audti", false), ("triage.*", false)];
    for (pattern, is_met) in cases {
        let hook = format!("[[hooks]]\nevent = \"PreStep\"\npattern = \"{pattern}\"\nhandler = \"policy::seen\"\n");
        let (_folder, built) = write_package(&format!("[package]\nname = \"policy\"\n\n{hook}{personas}"), module);
        assert!(!built.has_errors(), "{:?}", built.diagnostics);
        let found: Vec<&str> = built.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(found.contains(&"unknown_step"), !is_met, "{pattern}: {:?}", built.diagnostics);
    }
}
