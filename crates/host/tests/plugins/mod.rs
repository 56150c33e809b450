//! Plugins and packages through the runtime, and the examples of their guide.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod guide;
mod packages;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_host::{Event, EventName, Layer, LoadedRuntime, Origin, Outcome, Runtime};
use serde_json::Value;
use tempfile::TempDir;

/// Writes files into a new directory; their paths are relative to it.
fn write_files(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn load_hooks(path: &Path) -> LoadedRuntime {
    Runtime::builder().path(path, Layer::Project).load()
}

/// The diagnostics, relative to the directory, each with its next step.
fn describe_diagnostics(built: &LoadedRuntime, dir: &Path) -> Vec<String> {
    let root = format!("{}/", dir.display());
    let one = |diagnostic: &pintle_host::Diagnostic| {
        format!("{diagnostic}; {}", diagnostic.help.as_deref().unwrap_or_default()).replace(&root, "")
    };
    built.diagnostics.iter().map(one).collect()
}

/// Fires an event; a call without arguments gets empty ones.
fn fire_event(built: &LoadedRuntime, name: &str, mut payload: Value) -> Outcome {
    if matches!(name, "tool.pre" | "permission.ask") && payload.get("args").is_none() {
        payload["args"] = serde_json::json!({});
    }
    let name = EventName::parse(name).unwrap();
    name.complete(&mut payload).unwrap();
    let origin = Origin { session: String::from("s"), agent: String::from("root"), ..Origin::default() };
    built.runtime.fire(&Event::new(name, payload, Arc::new(origin)))
}
