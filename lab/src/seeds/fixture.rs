//! A project in a temporary directory, and the real runtime for it.

use std::fs;
use std::sync::Arc;

use pintle_host::{Event, EventName, Layer, LoadedRuntime, Origin, Outcome, Runtime};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub(super) struct ProjectFixture {
    built: LoadedRuntime,
    /// Keeps the directory until the fixture is dropped.
    _dir: TempDir,
}

impl ProjectFixture {
    /// Writes files, by their path in the project, and loads the project.
    pub(super) fn open(files: &[(&str, &str)]) -> Result<Self, String> {
        let error = |error: std::io::Error| format!("cannot write the project: {error}");
        let dir = TempDir::new().map_err(error)?;
        for (name, text) in files {
            let path = dir.path().join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text)).map_err(error)?;
        }
        let built = Runtime::builder().path(dir.path(), Layer::Project).load();
        Ok(Self { built, _dir: dir })
    }

    /// Like [`ProjectFixture::open`], for hook files by name.
    pub(super) fn open_hooks(hooks: &[(&str, &str)]) -> Result<Self, String> {
        let files: Vec<(String, &str)> =
            hooks.iter().map(|(name, text)| (format!(".harness/hooks/{name}.md"), *text)).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        Self::open(&files)
    }

    /// Like [`ProjectFixture::open_hooks`], for hooks that must load without an error.
    pub(super) fn open_clean(hooks: &[(&str, &str)]) -> Result<Self, String> {
        let fixture = Self::open_hooks(hooks)?;
        if fixture.built.has_errors() { Err(fixture.diagnostics().join("; ")) } else { Ok(fixture) }
    }

    /// Whether loading reported an error.
    pub(super) fn has_errors(&self) -> bool {
        self.built.has_errors()
    }

    /// The diagnostics of loading.
    pub(super) fn diagnostics(&self) -> Vec<String> {
        let line = |diagnostic: &pintle_host::Diagnostic| format!("{}: {}", diagnostic.severity, diagnostic.message);
        self.built.diagnostics.iter().map(line).collect()
    }

    pub(super) fn fire(&self, event: &str, payload: Value) -> Result<Outcome, String> {
        let name = EventName::parse(event).map_err(|error| error.to_string())?;
        Ok(self.built.runtime.fire(&Event::new(name, payload, Arc::new(Origin::default()))))
    }

    pub(super) fn fire_tool_call(&self, tool: &str, args: Value) -> Result<Outcome, String> {
        self.fire("tool.pre", tool_call_payload(tool, args))
    }

    /// The counters and gauges.
    pub(super) fn metrics(&self) -> Map<String, Value> {
        self.built.runtime.metrics()
    }
}

/// The payload of a tool call.
pub(super) fn tool_call_payload(tool: &str, args: Value) -> Value {
    json!({"id": "call_1", "name": tool, "arguments": args.to_string(), "args": args})
}

/// The text of a hook file.
pub(super) fn hook_file(front: &str, script: &str) -> String {
    let script: String = script.lines().map(|line| format!("  {line}\n")).collect();
    format!("---\n{front}\nscript: |\n{script}---\n\n# hook\n")
}

/// The text of a hook file for an event, whose handler has these lines.
pub(super) fn handler_file(event: &str, body: &str) -> String {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    hook_file(&format!("event: {event}"), &format!("def handle(event, payload):\n{body}"))
}
