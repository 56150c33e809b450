//! Program output, as all dialects treat it.

use pintle_contract::{CommandOutput, Failure, FailureKind, JsonError, LimitKind, read_leading_json};
use serde_json::{Map, Value};

/// The shell's exit status for a command that was not found.
const NOT_FOUND: i32 = 127;
/// The maximum length of a quoted error line, in characters.
const SHOWN_LETTERS: usize = 200;
/// The maximum number of opening braces at which an object is searched.
pub(crate) const MOST_TRIES: usize = 64;
/// The maximum number of warnings about one output.
pub const MOST_WARNINGS: usize = 20;
/// The maximum number of unknown fields; an output with more of them is invalid.
pub const MOST_UNKNOWN_FIELDS: usize = 64;
/// The warning for a guard's output that is ignored.
pub const UNREAD: &str = "the hook's output is ignored because it is not a JSON object; print nothing or an object";
/// The failure message for a guard's output that may be meant to deny.
pub const UNREADABLE_REFUSAL: &str =
    "the hook's output is not valid JSON but may be meant to deny; print one JSON object";

/// The last line of standard error, cut to a readable length.
pub fn last_stderr_line(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    let shown: String = line.chars().take(SHOWN_LETTERS).filter(|letter| !letter.is_control()).collect();
    Some(if line.chars().count() > SHOWN_LETTERS { format!("{shown}…") } else { shown })
}

/// The failure of a program that exited without a valid answer.
pub fn exit_failure(answer: &CommandOutput) -> Failure {
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

/// The failure of a program that printed more than the limit.
pub fn output_limit_failure(answer: &CommandOutput) -> Failure {
    let message = format!("hook output exceeded the limit of {} bytes", answer.stdout.len());
    Failure::new(FailureKind::Limit(LimitKind::Output), message)
}

/// The JSON objects within a text.
#[derive(Debug, Default)]
pub struct EmbeddedObjects<'a> {
    pub found: Vec<Map<String, Value>>,
    /// Why one of the objects is ambiguous.
    pub repeated_key: Option<JsonError>,
    /// The unsearched rest of a text with too many opening braces.
    pub unread_text: Option<&'a str>,
}

/// Finds the JSON objects within a text.
pub fn find_objects(text: &str) -> EmbeddedObjects<'_> {
    let mut objects = EmbeddedObjects::default();
    let mut rest = text;
    for _ in 0..MOST_TRIES {
        let Some(index) = rest.find('{') else {
            return objects;
        };
        let candidate = rest.get(index..).unwrap_or_default();
        let passed = match read_leading_json(candidate) {
            Some(Ok((object, length))) => {
                objects.found.push(object);
                length
            }
            Some(Err(error)) if error.is_repeated_key() => {
                objects.repeated_key.get_or_insert(error);
                1
            }
            Some(Err(_)) | None => 1,
        };
        rest = candidate.get(passed..).unwrap_or_default();
    }
    objects.unread_text = Some(rest);
    objects
}

/// The warnings about an output, at most [`MOST_WARNINGS`], and how many more there are.
pub fn limit_warnings(mut warnings: Vec<String>) -> Vec<String> {
    let more = warnings.len().saturating_sub(MOST_WARNINGS);
    if more > 0 {
        warnings.truncate(MOST_WARNINGS);
        warnings.push(format!("and {more} more"));
    }
    warnings
}

/// The type of a value for messages, such as `a list`.
pub fn describe_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
