//! One long session of an agent that calls `think`, read from its tape.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::BarFigure;
use super::programs::BarRoom;

const CALLS: usize = 3_200;
/// How many calls are compared.
const PART: usize = 100;
const AGENT: &str = "agents:
  root:
    model: script/turns.yaml
    description: thinks
    instruction: Think.
    max_iterations: 3300
    toolsets:
      - type: think
";

/// A call of the tool: the index of its line, when it was made, and the bytes of the tape before it.
#[derive(Debug, Clone, Copy)]
struct TapedCall {
    line: usize,
    at_ms: u64,
    bytes: usize,
}

/// The time of the last calls, and of the second hundred.
pub(super) fn compare_ends(room: &BarRoom) -> Result<BarFigure, String> {
    let calls = read_calls(room)?;
    let time = |from: usize, to: usize| Some(calls.get(to)?.at_ms.saturating_sub(calls.get(from)?.at_ms) as f64);
    let last = calls.len().saturating_sub(1);
    let (value, peer) = (time(last.saturating_sub(PART), last), time(PART, 2 * PART));
    let (Some(value), Some(peer)) = (value, peer) else { return Err(String::from("the session is too short")) };
    Ok(BarFigure { value, peer: Some(peer) })
}

/// The records of one call, over the middle hundred.
pub(super) fn count_records(room: &BarRoom) -> Result<BarFigure, String> {
    Ok(BarFigure { value: per_call(room, |call| call.line)?, peer: None })
}

/// The bytes of one call, over the middle hundred.
pub(super) fn count_bytes(room: &BarRoom) -> Result<BarFigure, String> {
    Ok(BarFigure { value: per_call(room, |call| call.bytes)?, peer: None })
}

fn per_call(room: &BarRoom, position: impl Fn(&TapedCall) -> usize) -> Result<f64, String> {
    let calls = read_calls(room)?;
    let middle = calls.len() / 2;
    match (calls.get(middle), calls.get(middle + PART)) {
        (Some(from), Some(to)) => Ok((position(to) - position(from)) as f64 / PART as f64),
        _ => Err(String::from("the session is too short")),
    }
}

fn read_calls(room: &BarRoom) -> Result<Vec<TapedCall>, String> {
    let tape = room.session.get_or_init(|| play(room)).as_ref().map_err(Clone::clone)?;
    let mut calls = Vec::with_capacity(CALLS);
    let mut bytes = 0;
    for (line, text) in tape.lines().enumerate() {
        let is_call = text.contains("\"kind\":\"tool_call\",");
        let record: Option<Value> = is_call.then(|| serde_json::from_str(text).ok()).flatten();
        if let Some(at_ms) = record.and_then(|record| record.get("at_ms")?.as_u64()) {
            calls.push(TapedCall { line, at_ms, bytes });
        }
        bytes += text.len() + 1;
    }
    Ok(calls)
}

/// Plays the session with a model that says what its script says. Returns the tape.
fn play(room: &BarRoom) -> Result<String, String> {
    let dir = room.path("session");
    let mut turns = String::from("prompts: [Go.]\nturns:\n");
    for number in 1..=CALLS {
        let _ = writeln!(turns, "  - calls: [{{tool: think, args: {{thought: thought number {number}}}}}]");
    }
    turns.push_str("  - say: done\n");
    let written = fs::create_dir_all(&dir)
        .and_then(|()| fs::write(dir.join("agent.yaml"), AGENT))
        .and_then(|()| fs::write(dir.join("turns.yaml"), turns));
    written.map_err(|error| format!("cannot write the session: {error}"))?;
    let mut command = room.command(&room.pintle);
    let output = command.args(["run", "agent.yaml", "--tape", "tape.jsonl"]).current_dir(&dir).output();
    let output = output.map_err(|error| format!("cannot run `pintle`: {error}"))?;
    if !output.status.success() {
        return Err(format!("the session failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    fs::read_to_string(dir.join("tape.jsonl")).map_err(|error| format!("cannot read the tape: {error}"))
}
