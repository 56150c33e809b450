//! Answers as verdicts.
//!
//! The documents of the agents are the contract. Where they let a refusal pass that its author plainly meant, because it
//! stands behind a log line, beside a slip or under another exit status, it is a refusal here all the same.

mod process;
mod reply;
mod ruling;
mod word;

pub use word::{Choice, Means, Word};

use pintle_contract::{Event, Failure, FailureKind, HandlerOutput, JsonError, Verdict, read_json};
use serde_json::{Map, Value};

use super::codec::ClientCodec;
use super::row::Row;
use crate::refusal::refuses;

/// What was asked, and how its answer is read.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    codec: &'a ClientCodec,
    event: &'a Event,
    row: &'static Row,
}

/// Reads an answer.
pub(super) fn decode(codec: &ClientCodec, event: &Event, spelling: &str, answer: HandlerOutput) -> Verdict {
    let Some(row) = codec.client.row(spelling) else {
        return bad(format!("{} has no event `{spelling}`", codec.client.title));
    };
    let asked = Asked { codec, event, row };
    match answer {
        HandlerOutput::Process(answer) => process::decode(&asked, &answer),
        HandlerOutput::Text(reply) => judged(&asked, &reply),
        HandlerOutput::Script(_) | HandlerOutput::Returned(_) => {
            bad("only commands, servers and models can answer in this dialect")
        }
    }
}

/// An answer that cannot be read.
fn bad(message: impl Into<String>) -> Verdict {
    Verdict::failed(Failure::new(FailureKind::BadOutput, message))
}

/// An answer that can be read in more than one way. Where something can be kept from happening it is a refusal, whatever
/// a failure of the hook means there: nobody but its author knows that it is not one.
fn ambiguous(asked: &Asked<'_>, fault: &JsonError) -> Verdict {
    let message = format!("the hook's answer can be read in more than one way: {fault}");
    if asked.row.is_gate() { Verdict::deny(message) } else { bad(message) }
}

/// Reads what a model replied: `{"ok": .., "reason": ".."}`. A code fence and words around the object are passed over.
fn judged(asked: &Asked<'_>, reply: &str) -> Verdict {
    let object = match (reply.find('{'), reply.rfind('}')) {
        (Some(first), Some(last)) => reply.get(first..=last),
        _ => None,
    };
    let fields: Map<String, Value> = match object.map(read_json) {
        Some(Ok(fields)) => fields,
        Some(Err(fault)) if fault.is_repeated_key() => return ambiguous(asked, &fault),
        Some(Err(_)) | None => return bad("the model's reply holds no JSON object"),
    };
    let reason = fields.get("reason").and_then(Value::as_str).unwrap_or_default();
    let mut others = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "ok" | "reason"));
    match fields.get("ok").and_then(Value::as_bool) {
        Some(true) if asked.row.is_gate() && others.any(|(name, value)| refuses(name, value)) => {
            ruling::refused(asked, reason).with_warning("the model says `ok`, and refuses in another word")
        }
        Some(true) => Verdict::pass(),
        Some(false) => ruling::refused(asked, reason),
        None => bad("the model's reply does not say `ok`"),
    }
}
