//! What programs print, whatever their dialect makes of it.

use pintle_contract::{CommandOutput, Failure, FailureKind, JsonError, LimitKind, read_leading_json};
use serde_json::{Map, Value};

/// The shell's exit code for a command that is not there.
const NOT_FOUND: i32 = 127;
/// The most letters of a complaint that stand in a message.
const SHOWN_LETTERS: usize = 200;
/// How many beginnings of an object are looked at.
const MOST_TRIES: usize = 64;
/// The most warnings about one answer.
pub(crate) const MOST_WARNINGS: usize = 20;
/// The most fields of one answer that nobody reads. An answer with more of them is not one.
pub(crate) const MOST_UNKNOWN_FIELDS: usize = 64;
/// What is said of a guard that printed something which nobody reads.
pub(crate) const UNREAD: &str =
    "the hook's output is ignored because it is not a JSON object; print nothing or an object";
/// What is said of a guard whose print may have been a refusal.
pub(crate) const UNREADABLE_REFUSAL: &str =
    "the hook's output is not valid JSON but may be meant to deny; print one JSON object";

/// The last line of what a program complained, cut to a length that can be read.
pub(crate) fn last_stderr_line(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    let shown: String = line.chars().take(SHOWN_LETTERS).filter(|letter| !letter.is_control()).collect();
    Some(if line.chars().count() > SHOWN_LETTERS { format!("{shown}…") } else { shown })
}

/// The failure of a program that did not end as one that has answered.
pub(crate) fn exit_failure(answer: &CommandOutput) -> Failure {
    let (kind, what) = match (answer.exit_code, answer.signal) {
        (Some(NOT_FOUND), _) => (FailureKind::Missing, format!("exited with status {NOT_FOUND}")),
        (Some(code), _) => (FailureKind::Crash, format!("exited with status {code}")),
        (None, Some(signal)) => (FailureKind::Crash, format!("killed by signal {signal}")),
        (None, None) => (FailureKind::Crash, String::from("ended without an exit status")),
    };
    let message = match last_stderr_line(&answer.stderr) {
        Some(complaint) => format!("{what}: {complaint}"),
        None => what,
    };
    Failure::new(kind, message)
}

/// The failure of a program that printed more than what was kept.
pub(crate) fn output_limit_failure(answer: &CommandOutput) -> Failure {
    let message = format!("hook output exceeded the limit of {} bytes", answer.stdout.len());
    Failure::new(FailureKind::Limit(LimitKind::Output), message)
}

/// The objects that stand in a text, among whatever else is in it.
#[derive(Debug, Default)]
pub(crate) struct EmbeddedObjects<'a> {
    pub(crate) found: Vec<Map<String, Value>>,
    /// Why one of them can be read in more than one way.
    pub(crate) repeated_key: Option<JsonError>,
    /// What was not looked at, in a text with more beginnings of objects than are looked at.
    pub(crate) unread_text: Option<&'a str>,
}

/// Finds the objects that stand in a text.
pub(crate) fn find_objects(text: &str) -> EmbeddedObjects<'_> {
    let mut objects = EmbeddedObjects::default();
    let mut rest = text;
    for _ in 0..MOST_TRIES {
        let Some(at) = rest.find('{') else { return objects };
        let candidate = rest.get(at..).unwrap_or_default();
        let passed = match read_leading_json(candidate) {
            Some(Ok((object, length))) => {
                objects.found.push(object);
                length
            }
            Some(Err(fault)) if fault.is_repeated_key() => {
                objects.repeated_key.get_or_insert(fault);
                1
            }
            Some(Err(_)) | None => 1,
        };
        rest = candidate.get(passed..).unwrap_or_default();
    }
    objects.unread_text = Some(rest);
    objects
}

/// The warnings about an answer, at most [`MOST_WARNINGS`] and how many more there would be.
pub(crate) fn limit_warnings(mut warnings: Vec<String>) -> Vec<String> {
    let more = warnings.len().saturating_sub(MOST_WARNINGS);
    if more > 0 {
        warnings.truncate(MOST_WARNINGS);
        warnings.push(format!("and {more} more"));
    }
    warnings
}

/// What a value is, in words, such as `a list`.
pub(crate) fn describe_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
