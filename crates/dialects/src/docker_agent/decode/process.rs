//! How a command ended and what it printed (docker-agent behaviour, section 3.3).

use std::borrow::Cow;

use pintle_contract::{Effect, Failure, ProcessAnswer, Verdict};
use serde_json::{Map, Value};

use super::output::Output;
use super::{Asked, bad, embedded, ruling};
use crate::docker_agent::Compat;
use crate::docker_agent::row::Context;
use crate::printed::too_long;

/// The exit code that blocks.
const BLOCK: i32 = 2;

/// Reads an answer.
pub(super) fn decode(asked: &Asked<'_>, answer: &ProcessAnswer) -> Verdict {
    match answer.exit_code {
        Some(0) => printed(asked, answer),
        Some(BLOCK) => block(asked, answer),
        _ => failed(asked, crate::printed::failure(answer)),
    }
}

fn failed(asked: &Asked<'_>, failure: Failure) -> Verdict {
    match asked.codec.compat {
        Compat::Newest => Verdict::failed(failure),
        Compat::G1 => Verdict::pass().warn(format!("{}, which `compat: g1` passes over", failure.message)),
    }
}

fn block(asked: &Asked<'_>, answer: &ProcessAnswer) -> Verdict {
    let text = String::from_utf8_lossy(&answer.stderr);
    match (asked.row.blocks, asked.codec.compat) {
        (true, _) => Verdict::deny(text.trim()),
        (false, Compat::Newest) => {
            let warning = format!("{} hook returned exit 2, but this event cannot block", asked.name());
            Verdict::pass().warn(match text.trim() {
                "" => warning,
                text => format!("{warning}: {text}"),
            })
        }
        (false, Compat::G1) => Verdict::pass(),
    }
}

fn printed(asked: &Asked<'_>, answer: &ProcessAnswer) -> Verdict {
    if answer.stdout_cut {
        return Verdict::failed(too_long(answer));
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let is_mended = matches!(text, Cow::Owned(_));
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Verdict::pass();
    }
    if !trimmed.starts_with('{') {
        return plain(asked, &text, is_mended);
    }
    let object = match asked.codec.compat {
        // A decision is read exactly or not at all.
        Compat::Newest if is_mended => Err(String::from("hook output is not UTF-8")),
        _ => parse(trimmed),
    };
    match object.and_then(|object| Output::read(asked, object).map_err(|why| format!("invalid hook output: {why}"))) {
        Ok(output) => ruling::rule(asked, output),
        Err(why) if asked.codec.compat == Compat::Newest => bad(why),
        Err(why) => plain(asked, &text, is_mended).warn(format!("{why}; `compat: g1` takes it as plain text")),
    }
}

/// Reads exactly one object.
fn parse(text: &str) -> Result<Map<String, Value>, String> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let object = match stream.next() {
        Some(object) => object.map_err(|fault| format!("invalid hook output: {fault}"))?,
        None => Map::new(),
    };
    match text.get(stream.byte_offset()..).unwrap_or_default().trim() {
        "" => Ok(object),
        _ => Err(String::from("hook output must contain a single JSON object")),
    }
}

/// Text that is no object: for the model or the person on the events where somebody reads it.
fn plain(asked: &Asked<'_>, text: &str, is_mended: bool) -> Verdict {
    if asked.codec.strict_output {
        return bad("strict_output requires a JSON object or empty stdout");
    }
    let mut verdict = Verdict::pass();
    if embedded::holds_decision(text) {
        let message = "the hook printed something beside a JSON object that decides; print the object alone";
        if asked.row.blocks && asked.codec.compat == Compat::Newest {
            return bad(message);
        }
        verdict = verdict.warn(message);
    }
    let said = text.trim().to_owned();
    verdict = match asked.row.context {
        Context::Nobody => return verdict,
        Context::Model => verdict.with(Effect::Context(said)),
        Context::Person => verdict.with(Effect::Notice(said)),
    };
    if is_mended {
        verdict = verdict.warn("hook output is not UTF-8; what is no character was replaced");
    }
    verdict
}
