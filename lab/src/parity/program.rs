//! The way of programs in any language: `pintle serve --stdio`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::part;

/// A server with the hooks of one set.
struct SetServer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl SetServer {
    fn start(dir: &Path, set: &str) -> Result<Self, String> {
        let at = |error| format!("cannot start `pintle serve`: {error}");
        let project = dir.join("sets").join(set);
        let mut command = Command::new("target/debug/pintle");
        command.args(["serve", "--stdio", "--hooks"]).arg(&project).arg("--tapes").arg(dir.join("served").join(set));
        // Only what the set says: no hooks of the user.
        let own = dir.join("own");
        fs::create_dir_all(&own).map_err(at)?;
        command.arg("--config-dir").arg(&own).env("XDG_STATE_HOME", &own);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(at)?;
        let (requests, answers) =
            (child.stdin.take().ok_or("no standard input")?, child.stdout.take().ok_or("no standard output")?);
        let mut server = Self { child, requests, answers: BufReader::new(answers) };
        let opened = server.ask(&json!({"op": "open", "session": set, "cwd": project}))?;
        if part(&opened, "/result/opened") == true {
            Ok(server)
        } else {
            Err(format!("`{set}` cannot be served: {opened}"))
        }
    }

    fn ask(&mut self, request: &Value) -> Result<Value, String> {
        let at = |error: std::io::Error| format!("`pintle serve` does not answer: {error}");
        writeln!(self.requests, "{request}").map_err(at)?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(at)?;
        serde_json::from_str(&line).map_err(|error| format!("`pintle serve` answers `{line}`: {error}"))
    }

    fn end(mut self, dir: &Path, set: &str) -> Result<(), String> {
        drop(self.requests);
        self.child.wait().map_err(|error| format!("cannot wait for `pintle serve`: {error}"))?;
        let at = |error| format!("there is no tape of `{set}`: {error}");
        let served =
            fs::read_dir(dir.join("served").join(set)).map_err(at)?.filter_map(Result::ok).map(|entry| entry.path());
        let tape = served.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        let tape = tape.ok_or_else(|| format!("there is no tape of `{set}`"))?;
        fs::copy(tape, dir.join("tapes/program").join(format!("{set}.jsonl"))).map(drop).map_err(at)
    }
}

pub(super) fn play(dir: &Path, cases: &[Value]) -> Result<(), String> {
    let mut servers = BTreeMap::new();
    let mut results = String::new();
    for case in cases {
        let set = part(case, "/set").as_str().unwrap_or_default();
        if !servers.contains_key(set) {
            servers.insert(set, SetServer::start(dir, set)?);
        }
        let Some(server) = servers.get_mut(set) else { continue };
        let result = if part(case, "/op") == "fire" { fire(server, case) } else { call(server, case) }?;
        results.push_str(&format!("{result}\n"));
    }
    for (set, server) in servers {
        server.end(dir, set)?;
    }
    fs::write(dir.join("program.jsonl"), results).map_err(|error| format!("cannot write the results: {error}"))
}

fn fire(server: &mut SetServer, case: &Value) -> Result<Value, String> {
    let request = json!({"op": "fire", "session": part(case, "/set"), "event": part(case, "/event"), "payload": part(case, "/payload")});
    let answer = server.ask(&request)?;
    if answer.get("error").is_some() {
        return Ok(json!({"error": "event"}));
    }
    let names = [
        "decision",
        "payload",
        "reason",
        "reason_for_model",
        "stop_reason",
        "context",
        "notices",
        "warnings",
        "hooks_called",
    ];
    Ok(names
        .iter()
        .map(|name| ((*name).to_owned(), part(part(&answer, "/result"), &format!("/{name}")).clone()))
        .collect())
}

fn call(server: &mut SetServer, case: &Value) -> Result<Value, String> {
    let id = format!("c{}", part(case, "/id"));
    let call = json!({"id": id, "name": part(case, "/name"), "args": part(case, "/args")});
    let mut answer = server.ask(&json!({"op": "decide", "session": part(case, "/set"), "call": call}))?;
    if part(&answer, "/result/decision") == "ask" {
        answer = server.ask(
            &json!({"op": "approve", "session": part(case, "/set"), "call": id, "decision": "deny", "by": "ada"}),
        )?;
    }
    let decided = match (part(&answer, "/result").get("call"), part(&answer, "/result").get("refusal")) {
        (Some(call), _) => call.clone(),
        (None, Some(refusal)) => return Ok(refusal.clone()),
        (None, None) => return Ok(answer),
    };
    let result = json!({"content": part(case, "/content"), "is_error": part(case, "/is_error")});
    let reviewed =
        server.ask(&json!({"op": "conclude", "session": part(case, "/set"), "call": id, "result": result}))?;
    let reviewed = &part(&reviewed, "/result/result");
    Ok(json!({
        "name": part(&decided, "/name"), "args": part(&decided, "/args"), "content": part(reviewed, "/content"), "is_error": part(reviewed, "/is_error"),
    }))
}
