//! `--init`: a case file from the calls of a recorded session.

use std::fmt::Write as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_host::Payload;
use pintle_host::contract::{Redactor, SourceFile};
use pintle_host::dialects::{PolicyCase, read_case_file};
use pintle_host::files;
use pintle_host::redecide::{SessionCall, calls_of_session_file, calls_of_tape};
use pintle_host::secrets::SecretScanner;
use pintle_host::tape::TapeReader;
use pintle_host::tools::{PINTLE, caller_of};
use serde_json::{Map, Value, json};

use super::cases::CaseRunner;
use super::plan::{RunChanges, TestSetup};
use crate::commands::replay::recognise_file;
use crate::error::{CliError, CliStatus};
use crate::options::trust::require_no_agent;
use crate::options::{GlobalOptions, locate_tape};
use crate::render::{count_text, path_text};
use crate::terminal::Terminal;

/// What a case file that was written begins with.
const HEADER: &str = "\
# What the hooks decide now about the calls of a recorded session, not what is right: read each, correct `expect` where it
# is wrong, and leave out what does not matter. Secrets are replaced. `pintle test` runs the file.
";

/// Arguments of a shell that say nothing about what a command line does.
const ASIDE: [&str; 5] = ["description", "timeout", "timeout_ms", "run_in_background", "type"];

/// Writes a case for each distinct call of a tape or of a session file.
pub(super) fn write_cases(
    source: &str,
    setup: &TestSetup<'_>,
    terminal: &Terminal,
    global: &GlobalOptions,
) -> Result<CliStatus, CliError> {
    // The file is among those that an agent may not edit.
    require_no_agent("nothing was written")?;
    let (path, calls) = read_calls(source)?;
    let target = target_of(&path)?;
    let mut payloads: Vec<Value> = Vec::new();
    for call in &calls {
        let payload = case_payload(call);
        if !payloads.contains(&payload) {
            payloads.push(payload);
        }
    }
    let (places, user, host) = (setup.places, setup.user, setup.host);
    let (changes, cache) = (RunChanges::default(), Arc::default());
    let mut runner = CaseRunner { places, user, host, changes, cache, fired: None };
    let mut text = HEADER.to_owned();
    let (mut written, mut left_out) = (0_usize, Vec::new());
    for payload in payloads {
        let call = call_text(&payload);
        let decided = match read_case(&target, &call) {
            Ok(case) => runner.decide(&case)?,
            Err(problem) => Err(problem),
        };
        match decided {
            Ok((actual, deciders)) => {
                written += 1;
                write_case(&mut text, &call, actual.decision, &deciders);
            }
            Err(problem) => left_out.push(problem),
        }
    }
    if written == 0 {
        let what = left_out.into_iter().next().unwrap_or_else(|| String::from("it has no tool calls"));
        return Err(CliError::invalid_input(format!("no case can be made of `{source}`: {what}")));
    }
    files::replace_file(&target, text.as_bytes())
        .map_err(|error| CliError::failure(format!("cannot write `{}`: {error}", target.display())))?;
    if global.json {
        terminal.print_json(&json!({"path": path_text(&target), "cases": written, "left_out": left_out}));
        return Ok(CliStatus::Done);
    }
    terminal.print_line(format!(
        "{}: {} of {}",
        path_text(&target),
        count_text(written, "case"),
        count_text(calls.len(), "call")
    ));
    left_out.dedup();
    left_out.iter().for_each(|problem| terminal.print_note(format!("a call was left out: {problem}")));
    terminal.print_note("the cases say what the hooks decide now, not what is right; read them before you keep them");
    Ok(CliStatus::Done)
}

/// The calls of a tape or of a session file, with its path.
fn read_calls(source: &str) -> Result<(PathBuf, Vec<SessionCall>), CliError> {
    let named = Path::new(source);
    let cannot_read =
        |path: &Path, error: String| CliError::invalid_input(format!("cannot read `{}`: {error}", path.display()));
    let client = named.is_file().then(|| recognise_file(named).ok().flatten()).flatten();
    let (path, (calls, error)) = match client {
        Some((_, client)) => {
            let file = files::open(named).map_err(|error| cannot_read(named, error.to_string()))?;
            (named.to_owned(), calls_of_session_file(BufReader::new(file), client))
        }
        None => {
            let path = locate_tape(named)?;
            let reader = TapeReader::open(&path).map_err(|error| cannot_read(&path, error.to_string()))?;
            let calls = calls_of_tape(reader);
            (path, calls)
        }
    };
    match error {
        Some(error) => Err(cannot_read(&path, error)),
        None => Ok((path, calls)),
    }
}

/// The file that is written: in `.harness`, if the current directory has one. A file that exists is not replaced.
fn target_of(source: &Path) -> Result<PathBuf, CliError> {
    let name = format!("{}.cases.yaml", source.file_stem().unwrap_or_default().to_string_lossy());
    let harness = Path::new(".harness");
    let target = if harness.is_dir() { harness.join(name) } else { PathBuf::from(name) };
    if target.exists() {
        let error = CliError::invalid_input(format!("`{}` exists already", target.display()));
        return Err(error.help("nothing was written; move it away first"));
    }
    Ok(target)
}

/// A call as a case says it: in Pintle's words if it is one call there, without secrets, and with paths relative to the
/// session's directory.
fn case_payload(call: &SessionCall) -> Value {
    let field = |name: &str| call.payload.get(name).cloned();
    let (name, args) = (field("name").unwrap_or_default(), field("args").unwrap_or_else(|| json!({})));
    let args = relative_values(args, &call.cwd);
    let args = SecretScanner::process_wide().redact_value(&args).unwrap_or(args);
    let tool = name.as_str().unwrap_or_default();
    let caller = caller_of(&Payload::new(call.payload.clone()));
    let parts = caller.to_canonical(tool, &args);
    match parts.as_slice() {
        // Pintle's own agents have several families of tools, which hooks may tell apart.
        _ if call.payload.get("host").is_none_or(Value::is_null) => json!({"name": tool, "args": args}),
        [part] if PINTLE.has_tool(&part.name) => {
            json!({"name": part.name, "args": without_asides(&part.name, &part.args)})
        }
        _ => json!({"name": name, "args": args, "vocabulary": caller.name}),
    }
}

/// The arguments of a shell without those that say nothing about what it does.
fn without_asides(tool: &str, args: &Value) -> Value {
    match args {
        Value::Object(fields) if tool == "shell" => {
            let kept = fields.iter().filter(|(key, _)| !ASIDE.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

/// Values in which paths below a directory are relative to it.
fn relative_values(value: Value, dir: &str) -> Value {
    match value {
        Value::String(text) if !dir.is_empty() => {
            let below = text.strip_prefix(dir).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
            Value::String(below.filter(|path| !path.is_empty()).unwrap_or(text))
        }
        Value::Array(items) => items.into_iter().map(|item| relative_values(item, dir)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (key, relative_values(value, dir))).collect())
        }
        other => other,
    }
}

/// A call as a line of a case. JSON texts are texts of YAML.
fn call_text(payload: &Value) -> String {
    let args = payload.get("args").and_then(Value::as_object);
    let tool = payload.get("name").and_then(Value::as_str).unwrap_or_default();
    let only_command = args.filter(|args| tool == "shell" && args.len() == 1).and_then(|args| args.get("command"));
    let has_vocabulary = payload.get("vocabulary").is_some();
    match (only_command, args) {
        (Some(Value::String(command)), _) if !command.trim().is_empty() => {
            format!("call: {}", Value::from(command.as_str()))
        }
        (_, Some(args)) if !has_vocabulary && !args.contains_key("tool") => {
            let mut call = Map::from_iter([(String::from("tool"), Value::from(tool))]);
            call.extend(args.clone());
            format!("call: {}", Value::Object(call))
        }
        _ => format!("payload: {payload}"),
    }
}

/// The case with a call, as it is read from the file.
fn read_case(target: &Path, call: &str) -> Result<PolicyCase, String> {
    let file = SourceFile { path: target.to_owned(), text: format!("- {call}\n  expect: allow\n") };
    let read = read_case_file(&Arc::new(file));
    let problem = || read.diagnostics.first().map_or_else(String::new, |found| found.message.clone());
    read.cases.first().cloned().ok_or_else(problem)
}

fn write_case(text: &mut String, call: &str, decision: &str, deciders: &[String]) {
    // Writing to a text cannot fail.
    let _ = writeln!(text, "- {call}\n  expect: {decision}");
    // Rules are named behind the hooks that they are of.
    if let Some(decider) = deciders.last().filter(|_| decision != "allow") {
        let key = if decider.contains('.') && deciders.len() > 1 { "rule" } else { "hook" };
        let _ = writeln!(text, "  {key}: {}", Value::from(decider.as_str()));
    }
}
