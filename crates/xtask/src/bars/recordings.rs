//! The recorded calls of an agent, decided again with three packs and a rule.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::read_peak_kb;

use super::BarFigure;
use super::programs::BarRoom;

/// How many calls one file of a session has.
const CALLS_OF_FILE: usize = 10_000;
/// How many files are decided again, and how many for comparison.
const FILES: usize = 100;
const FEW_FILES: usize = 10;
/// How often the memory of the program is read. What it had at most is remembered for it in between.
const LOOK: Duration = Duration::from_millis(10);
const POLICY: &str = "use: [shell, git, secrets]\ndeny:\n  - run: npm publish\n";

/// What it took to decide a number of calls again.
#[derive(Debug, Clone, Copy)]
pub(super) struct RedecisionCost {
    seconds: f64,
    /// The most memory, in bytes.
    peak_bytes: f64,
}

/// The time that 1,000,000 calls take.
pub(super) fn time_calls(room: &BarRoom) -> Result<BarFigure, String> {
    let [many, _] = read_costs(room)?;
    Ok(BarFigure { value: many.seconds, peer: None })
}

/// The memory that 1,000,000 calls take, and that of a tenth.
pub(super) fn compare_memory(room: &BarRoom) -> Result<BarFigure, String> {
    let [many, few] = read_costs(room)?;
    Ok(BarFigure { value: many.peak_bytes / 1e6, peer: Some(few.peak_bytes / 1e6) })
}

fn read_costs(room: &BarRoom) -> Result<[RedecisionCost; 2], String> {
    room.redecisions.get_or_init(|| Ok([measure(room, FILES)?, measure(room, FEW_FILES)?])).clone()
}

fn measure(room: &BarRoom, files: usize) -> Result<RedecisionCost, String> {
    let dir = write_sessions(room, files).map_err(|error| format!("cannot write sessions: {error}"))?;
    let mut command = room.command(&room.pintle);
    command.args(["replay", "--json", "--with"]).arg(room.path("redecide")).arg("--session-file").arg(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("cannot run `pintle`: {error}"))?;
    let mut peak_bytes = 0.0;
    while child.try_wait().map_err(|error| format!("cannot wait for `pintle`: {error}"))?.is_none() {
        // A process that has just ended has none.
        peak_bytes = f64::max(peak_bytes, (read_peak_kb(&child.id().to_string()) * 1024) as f64);
        std::thread::sleep(LOOK);
    }
    let seconds = began.elapsed().as_secs_f64();
    let output = child.wait_with_output().map_err(|error| format!("cannot read what `pintle` prints: {error}"))?;
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let calls = printed.pointer("/calls").and_then(Value::as_u64).unwrap_or_default();
    if calls != (files * CALLS_OF_FILE) as u64 {
        return Err(format!("`pintle` decided {calls} calls instead of {}", files * CALLS_OF_FILE));
    }
    Ok(RedecisionCost { seconds, peak_bytes })
}

/// Writes the policy, and files of sessions as Claude Code keeps them.
fn write_sessions(room: &BarRoom, files: usize) -> std::io::Result<PathBuf> {
    let policy = room.path("redecide");
    fs::create_dir_all(&policy)?;
    fs::write(policy.join("policy.yaml"), POLICY)?;
    let dir = room.path(&format!("sessions-{files}"));
    fs::create_dir_all(&dir)?;
    for file in 0..files {
        let mut text = String::new();
        for number in 0..CALLS_OF_FILE {
            let id = file * CALLS_OF_FILE + number;
            let (name, input) = make_call(id);
            let line = json!({
                "type": "assistant", "uuid": format!("u{id}"), "sessionId": format!("s{file}"), "cwd": "/home/me/project",
                "timestamp": "2026-11-01T00:00:00.000Z",
                "message": {"role": "assistant", "content": [{"type": "tool_use", "id": format!("t{id}"), "name": name, "input": input}]},
            });
            let _ = writeln!(text, "{line}");
        }
        fs::write(dir.join(format!("s{file}.jsonl")), text)?;
    }
    Ok(dir)
}

/// What an agent asks for, in the mix of a day's work: no two calls are equal.
fn make_call(id: usize) -> (&'static str, Value) {
    let run = |command: String| ("Bash", json!({"command": command, "description": "what the agent wants"}));
    match id % 10 {
        0 | 1 => ("Read", json!({"file_path": format!("/home/me/project/src/file_{id}.rs")})),
        2 | 3 => (
            "Edit",
            json!({"file_path": format!("/home/me/project/src/file_{id}.rs"), "old_string": format!("let a = {id};"), "new_string": "let a = 1;"}),
        ),
        4 => run(format!("grep -rn 'name_{id}' src | head -20")),
        5 => run(format!("cd /home/me/project && cargo test --package part_{id} -- --nocapture 2>&1 | tail -50")),
        6 => run(format!("git add -A && git commit -m 'change {id}' && git status --short")),
        7 => run(format!("for f in src/*.rs; do sed -n '{id}p' \"$f\"; done")),
        8 => run(format!("python3 -c 'import json; print(json.load(open(\"data_{id}.json\"))[\"name\"])'")),
        _ => run(format!("rm -rf target/debug/part_{id} ~/.cache/part_{id}; git push --force origin main")),
    }
}
