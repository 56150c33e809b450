//! Calls that run files of a project: what is read of them is on the tape.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_host::lifecycle::ToolCallRequest;
use pintle_host::live_replay::{CurrentHooks, replay_live};
use pintle_host::tape::replay::{ReplayOptions, replay};
use pintle_host::tape::{HeaderRecord, RecordBody, Tape, read_bytes};
use pintle_host::tools::CLAUDE;
use pintle_host::{EventScope, Layer, LoadedRuntime, Origin, Runtime, SystemClock, ToolCallDecision};
use serde_json::json;

/// A guard that runs every script of the shell with a time limit.
const WRAPPER: &str = r#"---
event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      command = payload["args"]["command"]
      if command.startswith("bash "):
          return modify({"args": {"command": "timeout 5 " + command}})
      return allow()
---
"#;

fn build(project: &Path, tape: Option<&Arc<Tape>>) -> LoadedRuntime {
    let builder = Runtime::builder().path(project, Layer::Project).workspace(project);
    match tape {
        Some(tape) => builder.tape(Arc::clone(tape)).load(),
        None => builder.load(),
    }
}

/// Whether a call is refused, with the reason.
fn refusal(runtime: &Runtime, project: &Path, command: &str) -> Option<String> {
    let origin = Arc::new(Origin { cwd: project.display().to_string(), ..Origin::default() });
    let call = ToolCallRequest::new("call_1", &CLAUDE, "Bash", json!({"command": command}));
    match runtime.decide_tool_call(call, &origin, &EventScope::default()) {
        ToolCallDecision::Run(_) => None,
        ToolCallDecision::Refuse(refusal) => Some(refusal.reason().to_owned()),
    }
}

#[test]
fn a_replay_decides_the_same_after_the_files_changed() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().canonicalize().unwrap();
    fs::create_dir_all(project.join(".harness/hooks")).unwrap();
    fs::write(project.join(".harness/policy.yaml"), "use: [shell, git]\n").unwrap();
    fs::write(project.join(".harness/hooks/wrapper.md"), WRAPPER).unwrap();
    fs::write(project.join("x.sh"), "echo hi\nrm -rf /\n").unwrap();
    let tape = Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default())));
    let built = build(&project, Some(&tape));
    assert!(built.diagnostics.is_empty(), "{:?}", built.diagnostics);
    for command in ["sh x.sh", "bash x.sh"] {
        let reason = refusal(&built.runtime, &project, command).unwrap();
        assert!(reason.contains("(`/`, in `x.sh`, line 2)"), "{command}: {reason}");
    }
    assert_eq!(refusal(&built.runtime, &project, "cat x.sh"), None);

    let bytes = (tape.lines().join("\n") + "\n").into_bytes();
    let records = read_bytes(&bytes).unwrap().records;
    let fired: Vec<_> = records
        .iter()
        .filter_map(|record| match &record.body {
            RecordBody::Event(fired) if fired.event == "tool.pre" => Some(fired.payload.clone().into_owned()),
            _ => None,
        })
        .collect();
    let file = fired.first().unwrap().get("code_files").and_then(|files| files.get(0)).unwrap();
    assert_eq!(file.get("path").and_then(|path| path.as_str()), Some(&*project.join("x.sh").display().to_string()));
    assert!(fired.last().unwrap().get("code_files").is_none(), "`cat` runs nothing");

    fs::write(project.join("x.sh"), "echo hi\n").unwrap();
    assert_eq!(replay(&bytes, &ReplayOptions::default()).unwrap().difference, None);
    let today = build(&project, None);
    let report = replay_live(&read_bytes(&bytes).unwrap(), &CurrentHooks::new(&today.runtime), true);
    assert!(report.differences.is_empty(), "{:?}", report.differences);
    assert_eq!(refusal(&today.runtime, &project, "sh x.sh"), None);
}
