//! How a command ended and what it printed (docker-agent behaviour, section 3.3).

use std::borrow::Cow;

use pintle_contract::{CommandOutput, Effect, Failure, Verdict, read_leading_json};
use serde_json::{Map, Value};

use super::output::Output;
use super::{Asked, bad, embedded, ruling};
use crate::docker_agent::Compat;
use crate::docker_agent::row::Context;
use crate::printed::{UNREAD, UNREADABLE_REFUSAL, too_long};
use crate::refusal::{narrowed, text_decides, text_refuses, without_mark};

/// The exit code that blocks.
const BLOCK: i32 = 2;

/// Reads an answer.
pub(super) fn decode(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    match answer.exit_code {
        Some(0) => printed(asked, answer),
        Some(BLOCK) => block(asked, answer),
        _ => failed(asked, crate::printed::failure(answer)),
    }
}

fn failed(asked: &Asked<'_>, failure: Failure) -> Verdict {
    match asked.codec.compat {
        Compat::Newest => Verdict::failed(failure),
        Compat::G1 => Verdict::pass().with_warning(format!("{}, which `compat: g1` passes over", failure.message)),
    }
}

fn block(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    let text = String::from_utf8_lossy(&answer.stderr);
    match (asked.row.blocks, asked.codec.compat) {
        (true, _) => Verdict::deny(text.trim()),
        (false, Compat::Newest) => {
            let warning = format!("{} hook returned exit 2, but this event cannot block", asked.name());
            Verdict::pass().with_warning(match text.trim() {
                "" => warning,
                text => format!("{warning}: {text}"),
            })
        }
        (false, Compat::G1) => Verdict::pass(),
    }
}

fn printed(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    if answer.stdout_cut {
        return Verdict::failed(too_long(answer));
    }
    let is_newest = asked.codec.compat == Compat::Newest;
    if is_newest && asked.row.blocks && narrowed(&answer.stdout).is_some() {
        return bad("hook output is not UTF-8, but looks like UTF-16 or UTF-32");
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let is_mended = matches!(text, Cow::Owned(_));
    let trimmed = without_mark(text.trim_start()).trim();
    if trimmed.is_empty() {
        return Verdict::pass();
    }
    if !trimmed.starts_with('{') {
        return plain(asked, &text, is_mended);
    }
    // A decision is read exactly or not at all.
    if is_newest && is_mended {
        return bad("hook output is not UTF-8");
    }
    let object = match read_leading_json::<Map<String, Value>>(trimmed) {
        // No version reads it in the same way as every other reader.
        Some(Err(fault)) if fault.is_repeated_key() => return bad(format!("invalid hook output: {fault}")),
        Some(Err(fault)) => Err(format!("invalid hook output: {fault}")),
        Some(Ok((object, length))) if trimmed.get(length..).unwrap_or_default().trim().is_empty() => Ok(object),
        Some(Ok(_)) | None => Err(String::from("hook output must contain a single JSON object")),
    };
    match object.and_then(|object| Output::read(asked, object).map_err(|why| format!("invalid hook output: {why}"))) {
        Ok(output) => ruling::rule(asked, output),
        Err(why) if is_newest => bad(why),
        Err(why) => plain(asked, &text, is_mended).with_warning(format!("{why}; `compat: g1` takes it as plain text")),
    }
}

/// Text that is no object: for the model or the person on the events where somebody reads it.
fn plain(asked: &Asked<'_>, text: &str, is_mended: bool) -> Verdict {
    if asked.codec.strict_output {
        return bad("strict_output requires a JSON object or empty stdout");
    }
    let may_block = asked.row.blocks && asked.codec.compat == Compat::Newest;
    let mut verdict = Verdict::pass();
    if embedded::holds_decision(text) {
        let message = "the hook printed something beside a JSON object that decides; print the object alone";
        if may_block {
            return bad(message);
        }
        verdict = verdict.with_warning(message);
    }
    let is_read = asked.row.context != Context::Nobody;
    if may_block {
        match is_read {
            true if text_decides(text) => return bad(UNREADABLE_REFUSAL),
            false if is_mended => return bad("hook output is not UTF-8"),
            false if text_refuses(text) => return bad(UNREADABLE_REFUSAL),
            _ => {}
        }
    }
    let said = text.trim().to_owned();
    verdict = match asked.row.context {
        // Behind a tool there is nothing left to guard, and hooks print what they noted (the one-stop example does).
        Context::Nobody if asked.row.blocks && asked.row.canonical != "tool.post" && verdict.warnings.is_empty() => {
            return verdict.with_warning(UNREAD);
        }
        Context::Nobody => return verdict,
        Context::Model => verdict.with_effect(Effect::Context(said)),
        Context::Person => verdict.with_effect(Effect::Notice(said)),
    };
    if is_mended {
        verdict = verdict.with_warning("hook output is not UTF-8; what is no character was replaced");
    }
    verdict
}
