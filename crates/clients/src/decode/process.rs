//! Decodes a program's exit status and output.

use std::borrow::Cow;

use pintle_contract::{CommandOutput, Effect, Failure, FailureKind, Verdict, read_json, read_leading_json};
use serde_json::{Map, Value};

use super::reply::ClientHookOutput;
use super::{ClientDecodeContext, bad_output, decode_ambiguous, verdict};
use crate::event_def::{ExitTwoEffect, PlainTextReader};
use crate::program_output::{
    UNREAD, UNREADABLE_REFUSAL, exit_failure, find_objects, last_stderr_line, output_limit_failure,
};
use crate::refusal::{decode_wide_text, strip_byte_order_mark, text_refuses};

const BLOCK: i32 = 2;

pub(super) fn decode(asked: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    match answer.exit_code {
        Some(0) => decode_stdout(asked, answer),
        Some(BLOCK) if asked.codec.client.statuses && asked.def.exit_two != ExitTwoEffect::Fail => {
            decode_exit_two(asked, answer)
        }
        Some(_) if !asked.codec.client.statuses && !answer.stdout.is_empty() => decode_stdout(asked, answer),
        _ => decode_failed(asked, answer),
    }
}

/// Decodes a failed program. If it printed a deny before it failed, it denies.
fn decode_failed(asked: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    match decode_refusal(asked, answer) {
        Some(refusal) => refusal,
        None => Verdict::failed(exit_failure(answer)),
    }
}

fn decode_refusal(asked: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Option<Verdict> {
    let text = decode_wide_text(&answer.stdout).map_or_else(|| String::from_utf8_lossy(&answer.stdout), Cow::Owned);
    refusal_in_text(asked, &text)
}

/// The deny verdict of a text that consists of one denying object.
fn refusal_in_text(asked: &ClientDecodeContext<'_>, text: &str) -> Option<Verdict> {
    let object: Map<String, Value> =
        match read_json(strip_byte_order_mark((asked.codec.client.extract_answer)(text).trim())) {
            Ok(object) => object,
            Err(error) => {
                return (error.is_repeated_key() && asked.def.is_gate()).then(|| decode_ambiguous(asked, &error));
            }
        };
    let reply = ClientHookOutput::read(asked, &object);
    reply.denies().then(|| verdict::build_verdict(asked, reply))
}

/// Decodes the blocking exit status.
fn decode_exit_two(asked: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let text = stderr.trim();
    match asked.def.exit_two {
        ExitTwoEffect::Block | ExitTwoEffect::Fail => {
            if text.is_empty()
                && let Some(refusal) = decode_refusal(asked, answer)
            {
                return refusal;
            }
            verdict::deny_with_reason(asked, text)
        }
        ExitTwoEffect::NotifyModel if !text.is_empty() => Verdict::pass().with_effect(Effect::Context(text.to_owned())),
        ExitTwoEffect::NotifyUser if !text.is_empty() => Verdict::pass().with_effect(Effect::Notice(text.to_owned())),
        ExitTwoEffect::NotifyModel | ExitTwoEffect::NotifyUser => Verdict::pass(),
        ExitTwoEffect::Ignored => {
            let warning = format!("exit status 2 has no effect on `{}`", asked.def.name);
            Verdict::pass().with_warning(match last_stderr_line(&answer.stderr) {
                Some(complaint) => format!("{warning}: {complaint}"),
                None => warning,
            })
        }
    }
}

fn decode_stdout(asked: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    if answer.stdout_cut {
        return Verdict::failed(output_limit_failure(answer));
    }
    if let Some(text) = decode_wide_text(&answer.stdout).filter(|_| asked.def.is_gate()) {
        let message = "the hook's output is not UTF-8, but looks like UTF-16 or UTF-32";
        return refusal_in_text(asked, &text)
            .map_or_else(|| bad_output(message), |refusal| refusal.with_warning(message));
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let is_mended = matches!(text, Cow::Owned(_));
    let framed = (asked.codec.client.extract_answer)(&text);
    let trimmed = strip_byte_order_mark(framed.trim_start()).trim();
    if trimmed.is_empty() {
        return match asked.codec.needs_answer {
            true => Verdict::failed(Failure::new(FailureKind::BadOutput, "the hook printed nothing")),
            false => Verdict::pass(),
        };
    }
    if !trimmed.starts_with('{') {
        return decode_plain_text(asked, &framed);
    }
    if is_mended {
        return bad_output("the hook's output is not UTF-8");
    }
    match read_leading_json::<Map<String, Value>>(trimmed) {
        Some(Ok((object, length))) if trimmed.get(length..).unwrap_or_default().trim().is_empty() => {
            verdict::build_verdict(asked, ClientHookOutput::read(asked, &object))
        }
        Some(Ok(_)) => decode_multiple_objects(asked, trimmed),
        Some(Err(error)) if error.is_repeated_key() => decode_ambiguous(asked, &error),
        Some(Err(error)) => bad_output(format!("the hook's output is not valid JSON: {error}")),
        None => decode_plain_text(asked, trimmed),
    }
}

/// Decodes an object followed by other output: plain text, unless one of its objects denies.
fn decode_multiple_objects(asked: &ClientDecodeContext<'_>, text: &str) -> Verdict {
    decode_embedded_refusal(asked, text).unwrap_or_else(|| deliver_text(asked, text))
}

/// Decodes text that is not a JSON object.
fn decode_plain_text(asked: &ClientDecodeContext<'_>, text: &str) -> Verdict {
    match asked.def.text {
        // Such text is for the model, unless it contains an object on lines of its own.
        PlainTextReader::Model => match text_from_object_line(text) {
            Some(object) if asked.def.is_gate() => {
                decode_embedded_refusal(asked, object).unwrap_or_else(|| deliver_text(asked, text))
            }
            _ => deliver_text(asked, text),
        },
        PlainTextReader::User | PlainTextReader::Discarded => decode_multiple_objects(asked, text),
    }
}

/// The text from the first line on that starts with an object.
fn text_from_object_line(text: &str) -> Option<&str> {
    let start = text
        .match_indices('\n')
        .find(|(index, _)| text.get(*index..).is_some_and(|rest| rest.trim_start().starts_with('{')));
    start.and_then(|(index, _)| text.get(index..))
}

fn deliver_text(asked: &ClientDecodeContext<'_>, text: &str) -> Verdict {
    let text = text.trim().to_owned();
    match asked.def.text {
        PlainTextReader::Model => Verdict::pass().with_effect(Effect::Context(text)),
        _ if asked.def.is_gate() && text_refuses(&text) => bad_output(UNREADABLE_REFUSAL),
        PlainTextReader::User => Verdict::pass().with_effect(Effect::Notice(text)),
        PlainTextReader::Discarded if asked.codec.needs_answer || asked.codec.needs_json => {
            bad_output("the hook printed text instead of a JSON object")
        }
        PlainTextReader::Discarded if asked.def.is_gate() => Verdict::pass().with_warning(UNREAD),
        PlainTextReader::Discarded => Verdict::pass(),
    }
}

/// The deny verdict of an object within other output.
fn decode_embedded_refusal(asked: &ClientDecodeContext<'_>, text: &str) -> Option<Verdict> {
    if !asked.def.can_deny() {
        return None;
    }
    let objects = find_objects(text);
    let replies = objects.found.iter().map(|object| ClientHookOutput::read(asked, object));
    if let Some(reply) = replies.into_iter().find(ClientHookOutput::denies) {
        let warning = "the hook printed other output with the JSON object that denies; print only the object";
        return Some(verdict::build_verdict(asked, reply).with_warning(warning));
    }
    if let Some(error) = &objects.repeated_key {
        return Some(decode_ambiguous(asked, error));
    }
    // There are more possible objects than log output has; a restricting key alone makes the output invalid.
    let words = asked.codec.client.output_fields.iter().filter(|word| word.can_restrict());
    let mut named = words.map(|word| format!("\"{}\"", word.name));
    let may_refuse = objects.unread_text.is_some_and(|rest| named.any(|name| rest.contains(&name)));
    may_refuse.then(|| {
        bad_output("the hook printed too much output around a JSON object that may deny; print only the object")
    })
}
