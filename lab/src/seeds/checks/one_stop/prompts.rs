//! Checks "Try these prompts": the documented result of each prompt.

use serde_json::Value;

use super::document::OneStopDocument;
use super::session_runner::PlayedSession;
use crate::seeds::tally::{CheckTally, expect};

/// The beginning of a documented result, and the check of the call that follows the prompt.
const PROMISES: &[(&str, PromptCheck)] = &[
    ("allowed", |call| {
        call.decision == "allow"
            && call.executed_command.is_some()
            && call.executed_command == call.requested_command
            && call.post_hooks_called
    }),
    ("denied by pre_tool_use", |call| {
        call.decision == "deny"
            && call.executed_command.is_none()
            && call.outcome_contains("HOOK BLOCKED")
            && !call.post_hooks_called
    }),
    ("ls gets -h injected", |call| {
        call.decision == "allow" && call.requested_command == Some("ls") && call.executed_command == Some("ls -h")
    }),
];

/// The example's hook of `post_tool_use`.
const AFTER: &str = "summarize shell output";

/// Whether a call had the documented result.
type PromptCheck = fn(&TapeToolCall<'_>) -> bool;

/// A tool call on the tape of a session.
struct TapeToolCall<'a> {
    /// The command that the model requested.
    requested_command: Option<&'a str>,
    /// The command that ran.
    executed_command: Option<&'a str>,
    /// The decision of `pre_tool_use`.
    decision: &'a str,
    /// Whether the hooks of `post_tool_use` were called.
    post_hooks_called: bool,
    outcome: &'a Value,
}

impl TapeToolCall<'_> {
    fn outcome_contains(&self, words: &str) -> bool {
        self.outcome.get("reasons").is_some_and(|reasons| reasons.to_string().contains(words))
    }
}

pub(super) fn check(document: &OneStopDocument, played: &[PlayedSession], tally: &mut CheckTally) {
    for (prompt, promise) in &document.prompts {
        let call = played.iter().find_map(|seen| find_call_after(&seen.tape, prompt));
        let call = call.ok_or_else(|| String::from("no session has a call after this prompt"));
        let result = call.and_then(|call| check_promise(&call, promise));
        tally.check(format!("the one-stop example: \"{prompt}\" → {promise}"), result);
    }
}

/// Checks the documented results of the prompts in a session.
pub(super) fn check_promises(document: &OneStopDocument, played: &PlayedSession) -> Result<(), String> {
    let mut said =
        document.prompts.iter().filter_map(|(prompt, promise)| Some((find_call_after(&played.tape, prompt)?, promise)));
    said.try_for_each(|(call, promise)| check_promise(&call, promise))
}

fn check_promise(call: &TapeToolCall<'_>, promise: &str) -> Result<(), String> {
    let known = PROMISES.iter().find(|(words, _)| promise.starts_with(words));
    let (_, is_kept) = known.ok_or("the meaning of this result is unknown; add it to the table")?;
    expect(is_kept(call), || {
        format!("{:?} became {:?}: {}", call.requested_command, call.executed_command, call.outcome)
    })
}

/// The first shell call after a prompt.
fn find_call_after<'a>(tape: &'a [Value], prompt: &str) -> Option<TapeToolCall<'a>> {
    let text = |record: &'a Value, field: &str| record.get(field).and_then(Value::as_str);
    let fired = |record: &'a Value, event: &str| {
        let is = text(record, "kind") == Some("event") && text(record, "event") == Some(event);
        is.then(|| record.get("payload")).flatten()
    };
    let said = tape.iter().position(|record| {
        fired(record, "prompt.submit").is_some_and(|payload| payload.to_string().contains(prompt))
    })?;
    let rest = tape.get(said + 1..)?;
    let next = rest.iter().position(|record| fired(record, "prompt.submit").is_some()).unwrap_or(rest.len());
    let rest = rest.get(..next)?;
    let command = |payload: &'a Value| payload.get("args")?.get("cmd")?.as_str();
    let outcome = rest
        .iter()
        .find(|record| text(record, "kind") == Some("outcome") && text(record, "event") == Some("tool.pre"))?;
    let ran = rest.iter().find_map(|record| {
        fired(record, "tool.post").filter(|payload| payload.get("executed") != Some(&Value::Bool(false)))
    });
    Some(TapeToolCall {
        requested_command: rest.iter().find_map(|record| fired(record, "tool.pre")).and_then(command),
        executed_command: ran.and_then(command),
        decision: text(outcome, "decision")?,
        post_hooks_called: rest
            .iter()
            .any(|record| text(record, "kind") == Some("hook_call") && text(record, "hook") == Some(AFTER)),
        outcome,
    })
}
