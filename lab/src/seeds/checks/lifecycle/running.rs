//! Runs the document's settings and script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use pintle_agent::Session;
use pintle_agent::model::ScriptModel;
use pintle_bridge::{Deadline, HostCall, HostDef};
use pintle_host::contract::{AgentSpec, ToolsPolicy};
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{Layer, Runtime, RuntimeBuilder};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::document::LifecycleDocument;
use crate::seeds::tally::{CheckTally, expect, expect_equal};

/// A command that the script must block: it contains the words that the script looks for, but is harmless.
const BLOCKED: &str = "echo rm -rf / > blocked.txt";
/// A command that it must allow.
const ALLOWED: &str = "echo hi > allowed.txt";
/// The programs that can run the script, in order of preference.
const INTERPRETERS: [&str; 2] = ["bun", "node"];

pub(super) fn check(document: &LifecycleDocument, tally: &mut CheckTally) {
    tally.check("the settings load unchanged", check_loading(document));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&&str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    let Some(interpreter) = INTERPRETERS.iter().find(is_there) else {
        let missing = "neither was found; install `bun`, for instance with `npm install -g bun`";
        return tally.check("`bun` or `node` is installed, which the script needs", Err(missing.to_owned()));
    };
    let place = format!("the script, unchanged and run by `{interpreter}`");
    tally.check(format!("{place}, blocks and allows in Pintle's own loop"), check_own_loop(document));
    for (command, wanted) in [(BLOCKED, 2), (ALLOWED, 0)] {
        let what = if wanted == 2 { "blocks" } else { "allows" };
        tally.check(format!("{place}, {what} inside Claude Code"), check_in_claude_code(document, command, wanted));
    }
}

/// A directory with the settings and the script from the document.
fn write_project(document: &LifecycleDocument) -> Result<TempDir, String> {
    let error = |error: std::io::Error| format!("cannot create the project: {error}");
    let dir = TempDir::new().map_err(error)?;
    let (path, text) = &document.script;
    let path = dir.path().join(path);
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(error)?;
    fs::write(dir.path().join("settings.json"), &document.settings).map_err(error)?;
    fs::write(&path, text).map_err(error)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(error)?;
    Ok(dir)
}

fn builder(dir: &Path) -> RuntimeBuilder {
    Runtime::builder().path(dir.join("settings.json"), Layer::Project)
}

/// Checks that every entry becomes a hook, and that only scripts that the document does not show are missing.
fn check_loading(document: &LifecycleDocument) -> Result<(), String> {
    let dir = write_project(document)?;
    let built = builder(dir.path()).load();
    let settings: Value = serde_json::from_str(&document.settings).map_err(|error| error.to_string())?;
    let events = settings.get("hooks").and_then(Value::as_object);
    let entries =
        events.into_iter().flatten().filter_map(|(_, entries)| entries.as_array()).map(Vec::len).sum::<usize>();
    let hooks: usize = built.runtime.hooks().chains().iter().map(|chain| chain.hooks.len()).sum();
    expect_equal(&hooks, &entries)?;
    let unexpected: Vec<&str> = built
        .diagnostics
        .iter()
        .filter(|found| !["missing_script", "node_instead"].contains(&found.code))
        .map(|found| found.message.as_str())
        .collect();
    expect(unexpected.is_empty(), || unexpected.join("; "))
}

/// Runs a session of Pintle's own, with a model that calls both commands.
fn check_own_loop(document: &LifecycleDocument) -> Result<(), String> {
    let dir = write_project(document)?;
    let work = TempDir::new().map_err(|error| format!("cannot create the workspace: {error}"))?;
    let tape =
        Arc::new(Tape::in_memory(HeaderRecord::new("lifecycle", 0), Arc::new(pintle_host::SystemClock::default())));
    let built = builder(dir.path()).tape(Arc::clone(&tape)).load();
    let policy = ToolsPolicy { allow: vec![String::from("shell")], ..ToolsPolicy::default() };
    let agent = AgentSpec { name: String::from("root"), policy, ..AgentSpec::default() };
    let turns = json!({"turns": [
        {"calls": [{"tool": "shell", "args": {"command": BLOCKED}}]},
        {"expect": {"tool": "shell", "contains": document.message()?}, "calls": [{"tool": "shell", "args": {"command": ALLOWED}}]},
        {"say": "done"},
    ]});
    let model = ScriptModel::parse("lifecycle", &turns.to_string()).map_err(|error| error.to_string())?;
    let session = Session::builder(built.runtime, agent, Arc::new(model)).workspace(work.path()).name("lifecycle");
    let mut session = session.build().map_err(|error| error.to_string())?;
    let answer = session.turn("go").map_err(|error| error.message);
    session.end();
    expect_equal(&answer?.text.as_str(), &"done")?;
    let exists = |name: &str| work.path().join(name).exists();
    expect_equal(&(exists("blocked.txt"), exists("allowed.txt")), &(false, true))
}

/// Checks one call of Claude Code, answered in its own format.
fn check_in_claude_code(document: &LifecycleDocument, command: &str, wanted: u8) -> Result<(), String> {
    let dir = write_project(document)?;
    let host = HostDef::by_name("claude").map_err(|error| error.to_string())?;
    let payload = json!({
        "session_id": "s", "transcript_path": "/dev/null", "cwd": dir.path(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command, "description": "a step"}, "tool_use_id": "t",
    });
    let payload = Arc::new(payload.to_string().into_bytes());
    let deadline = Deadline::from_ms(60_000);
    let errand = HostCall {
        host,
        event: None,
        payload: &payload,
        state_directory: None,
        project: None,
        shadow: false,
        deadline: &deadline,
        entry: None,
        kept_sessions: None,
        signer: None,
    };
    let answer = pintle_bridge::handle_call(&errand, |_| Ok(builder(dir.path())));
    expect_equal(&answer.exit_code, &wanted)?;
    if wanted == 0 {
        return expect(!answer.stdout.contains("permissionDecision"), || format!("it answered {answer:?}"));
    }
    let said: Value =
        serde_json::from_str(&answer.stdout).map_err(|error| format!("it answered {answer:?}: {error}"))?;
    let field = |name: &str| said.pointer(&format!("/hookSpecificOutput/{name}")).and_then(Value::as_str);
    let message = document.message()?;
    expect_equal(&field("permissionDecision"), &Some("deny"))?;
    expect(field("permissionDecisionReason").is_some_and(|reason| reason.contains(message)), || {
        format!("it answered {answer:?}")
    })?;
    expect(answer.stderr.contains(message), || format!("it answered {answer:?}"))
}
