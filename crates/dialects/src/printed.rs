//! What programs print, whatever their dialect makes of it.

use pintle_contract::{Failure, FailureKind, LimitKind, ProcessAnswer};
use serde_json::{Map, Value};

/// The shell's exit code for a command that is not there.
const NOT_FOUND: i32 = 127;
/// The most letters of a complaint that stand in a message.
const SHOWN_LETTERS: usize = 200;
/// How many beginnings of an object are looked at.
const MOST_TRIES: usize = 64;

/// The last line of what a program complained, cut to a length that can be read.
pub(crate) fn complaint(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    let shown: String = line.chars().take(SHOWN_LETTERS).filter(|letter| !letter.is_control()).collect();
    Some(if line.chars().count() > SHOWN_LETTERS { format!("{shown}…") } else { shown })
}

/// The failure of a program that did not end as one that has answered.
pub(crate) fn failure(answer: &ProcessAnswer) -> Failure {
    let (kind, what) = match (answer.exit_code, answer.signal) {
        (Some(NOT_FOUND), _) => (FailureKind::Missing, format!("exited with status {NOT_FOUND}")),
        (Some(code), _) => (FailureKind::Crash, format!("exited with status {code}")),
        (None, Some(signal)) => (FailureKind::Crash, format!("ended by signal {signal}")),
        (None, None) => (FailureKind::Crash, String::from("ended without an exit status")),
    };
    let message = match complaint(&answer.stderr) {
        Some(complaint) => format!("{what}: {complaint}"),
        None => what,
    };
    Failure::new(kind, message)
}

/// The failure of a program that printed more than what was kept.
pub(crate) fn too_long(answer: &ProcessAnswer) -> Failure {
    let message = format!("hook output exceeded the limit of {} bytes", answer.stdout.len());
    Failure::new(FailureKind::Limit(LimitKind::Output), message)
}

/// The objects that stand in a text, among whatever else is in it. `None` is a text with more beginnings of objects than
/// are looked at.
pub(crate) fn objects(text: &str) -> (Vec<Map<String, Value>>, Option<&str>) {
    let mut found = Vec::new();
    let mut rest = text;
    for _ in 0..MOST_TRIES {
        let Some(at) = rest.find('{') else { return (found, None) };
        let candidate = rest.get(at..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(candidate).into_iter::<Map<String, Value>>();
        let passed = match stream.next() {
            Some(Ok(object)) => {
                found.push(object);
                stream.byte_offset()
            }
            Some(Err(_)) | None => 1,
        };
        rest = candidate.get(passed..).unwrap_or_default();
    }
    (found, Some(rest))
}

/// What a value is, in words, such as `a list`.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
