//! "Try these prompts": what the example's comments say becomes of each.

use serde_json::Value;

use super::document::Document;
use super::stage::Played;
use crate::seeds::tally::{Tally, holds};

/// What the beginning of a promise means for the call that follows the prompt.
const PROMISES: &[(&str, Kept)] = &[
    ("allowed", |call| call.decision == "allow" && call.ran.is_some() && call.ran == call.asked && call.told),
    ("denied by pre_tool_use", |call| {
        call.decision == "deny" && call.ran.is_none() && call.said("HOOK BLOCKED") && !call.told
    }),
    ("ls gets -h injected", |call| call.decision == "allow" && call.asked == Some("ls") && call.ran == Some("ls -h")),
];

/// The example's hook of `post_tool_use`.
const AFTER: &str = "summarize shell output";

/// Whether a call became what was promised.
type Kept = fn(&Call<'_>) -> bool;

/// A tool call in the record of a session.
struct Call<'a> {
    /// The command that the model wanted.
    asked: Option<&'a str>,
    /// The command that ran.
    ran: Option<&'a str>,
    /// What `pre_tool_use` came to.
    decision: &'a str,
    /// Whether `post_tool_use` was told of the call.
    told: bool,
    outcome: &'a Value,
}

impl Call<'_> {
    fn said(&self, words: &str) -> bool {
        self.outcome.get("reasons").is_some_and(|reasons| reasons.to_string().contains(words))
    }
}

pub(super) fn check(document: &Document, played: &[Played], tally: &mut Tally) {
    for (prompt, promise) in &document.prompts {
        let call = played.iter().find_map(|seen| call_after(&seen.tape, prompt));
        let call = call.ok_or_else(|| String::from("no session has a call after this prompt"));
        let result = call.and_then(|call| keeps(&call, promise));
        tally.check(format!("the one-stop example: \"{prompt}\" → {promise}"), result);
    }
}

/// Whether a session keeps every promise about the prompts that are said in it.
pub(super) fn kept(document: &Document, played: &Played) -> Result<(), String> {
    let mut said =
        document.prompts.iter().filter_map(|(prompt, promise)| Some((call_after(&played.tape, prompt)?, promise)));
    said.try_for_each(|(call, promise)| keeps(&call, promise))
}

fn keeps(call: &Call<'_>, promise: &str) -> Result<(), String> {
    let known = PROMISES.iter().find(|(words, _)| promise.starts_with(words));
    let (_, is_kept) = known.ok_or("nobody knows what that means")?;
    holds(is_kept(call), || format!("{:?} became {:?}: {}", call.asked, call.ran, call.outcome))
}

/// The first call of the shell after a prompt.
fn call_after<'a>(tape: &'a [Value], prompt: &str) -> Option<Call<'a>> {
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
    Some(Call {
        asked: rest.iter().find_map(|record| fired(record, "tool.pre")).and_then(command),
        ran: ran.and_then(command),
        decision: text(outcome, "decision")?,
        told: rest
            .iter()
            .any(|record| text(record, "kind") == Some("hook_call") && text(record, "hook") == Some(AFTER)),
        outcome,
    })
}
