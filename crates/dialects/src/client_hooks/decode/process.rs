//! How a program ended and what it printed.

use std::borrow::Cow;

use pintle_contract::{CommandOutput, Effect, Failure, FailureKind, Verdict, read_json, read_leading_json};
use serde_json::{Map, Value};

use super::reply::Reply;
use super::{Asked, ambiguous, bad, ruling};
use crate::client_hooks::row::{ExitTwo, Text};
use crate::printed::{UNREAD, UNREADABLE_REFUSAL, complaint, failure, objects, too_long};
use crate::refusal::{narrowed, text_refuses, without_mark};

/// The exit code that blocks.
const BLOCK: i32 = 2;

/// Reads an answer.
pub(super) fn decode(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    match answer.exit_code {
        Some(0) => printed(asked, answer),
        Some(BLOCK) if asked.codec.client.statuses && asked.row.exit_two != ExitTwo::Fails => two(asked, answer),
        Some(_) if !asked.codec.client.statuses && !answer.stdout.is_empty() => printed(asked, answer),
        _ => failed(asked, answer),
    }
}

/// A program that failed. One that has refused before it did has refused.
fn failed(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    match refusal(asked, answer) {
        Some(refusal) => refusal,
        None => Verdict::failed(failure(answer)),
    }
}

fn refusal(asked: &Asked<'_>, answer: &CommandOutput) -> Option<Verdict> {
    let text = narrowed(&answer.stdout).map_or_else(|| String::from_utf8_lossy(&answer.stdout), Cow::Owned);
    refusal_of(asked, &text)
}

/// The refusal that a text is, when it is one and nothing else.
fn refusal_of(asked: &Asked<'_>, text: &str) -> Option<Verdict> {
    let object: Map<String, Value> = match read_json(without_mark((asked.codec.client.frame)(text).trim())) {
        Ok(object) => object,
        Err(fault) => return (fault.is_repeated_key() && asked.row.is_gate()).then(|| ambiguous(asked, &fault)),
    };
    let reply = Reply::read(asked, &object);
    reply.is_against().then(|| ruling::rule(asked, reply))
}

/// The exit status that blocks.
fn two(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let text = stderr.trim();
    match asked.row.exit_two {
        ExitTwo::Blocks | ExitTwo::Fails => {
            if text.is_empty()
                && let Some(refusal) = refusal(asked, answer)
            {
                return refusal;
            }
            ruling::refused(asked, text)
        }
        ExitTwo::Model if !text.is_empty() => Verdict::pass().with_effect(Effect::Context(text.to_owned())),
        ExitTwo::Person if !text.is_empty() => Verdict::pass().with_effect(Effect::Notice(text.to_owned())),
        ExitTwo::Model | ExitTwo::Person => Verdict::pass(),
        ExitTwo::Nothing => {
            let warning = format!("exit status 2 has no effect on `{}`", asked.row.name);
            Verdict::pass().with_warning(match complaint(&answer.stderr) {
                Some(complaint) => format!("{warning}: {complaint}"),
                None => warning,
            })
        }
    }
}

fn printed(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    if answer.stdout_cut {
        return Verdict::failed(too_long(answer));
    }
    if let Some(text) = narrowed(&answer.stdout).filter(|_| asked.row.is_gate()) {
        let message = "the hook's output is not UTF-8, but looks like UTF-16 or UTF-32";
        return refusal_of(asked, &text).map_or_else(|| bad(message), |refusal| refusal.with_warning(message));
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let is_mended = matches!(text, Cow::Owned(_));
    let framed = (asked.codec.client.frame)(&text);
    let trimmed = without_mark(framed.trim_start()).trim();
    if trimmed.is_empty() {
        return match asked.codec.needs_answer {
            true => Verdict::failed(Failure::new(FailureKind::BadOutput, "the hook printed no answer")),
            false => Verdict::pass(),
        };
    }
    if !trimmed.starts_with('{') {
        return plain(asked, &framed);
    }
    if is_mended {
        return bad("the hook's output is not UTF-8");
    }
    match read_leading_json::<Map<String, Value>>(trimmed) {
        Some(Ok((object, length))) if trimmed.get(length..).unwrap_or_default().trim().is_empty() => {
            ruling::rule(asked, Reply::read(asked, &object))
        }
        Some(Ok(_)) => several(asked, trimmed),
        Some(Err(fault)) if fault.is_repeated_key() => ambiguous(asked, &fault),
        Some(Err(fault)) => bad(format!("the hook's output begins like JSON and is none: {fault}")),
        None => plain(asked, trimmed),
    }
}

/// An object and something behind it: text, unless one of them refuses.
fn several(asked: &Asked<'_>, text: &str) -> Verdict {
    embedded(asked, text).unwrap_or_else(|| told(asked, text))
}

/// Text that is no object.
fn plain(asked: &Asked<'_>, text: &str) -> Verdict {
    match asked.row.text {
        // Such text is meant for the model, but for an object that has lines of its own.
        Text::Model => match own_lines(text) {
            Some(object) if asked.row.is_gate() => embedded(asked, object).unwrap_or_else(|| told(asked, text)),
            _ => told(asked, text),
        },
        Text::Person | Text::Nobody => several(asked, text),
    }
}

/// The text from the first line on that begins with an object.
fn own_lines(text: &str) -> Option<&str> {
    let start =
        text.match_indices('\n').find(|(at, _)| text.get(*at..).is_some_and(|rest| rest.trim_start().starts_with('{')));
    start.and_then(|(at, _)| text.get(at..))
}

fn told(asked: &Asked<'_>, text: &str) -> Verdict {
    let text = text.trim().to_owned();
    match asked.row.text {
        Text::Model => Verdict::pass().with_effect(Effect::Context(text)),
        _ if asked.row.is_gate() && text_refuses(&text) => bad(UNREADABLE_REFUSAL),
        Text::Person => Verdict::pass().with_effect(Effect::Notice(text)),
        Text::Nobody if asked.codec.needs_answer || asked.codec.needs_json => {
            bad("the hook printed text and no answer")
        }
        Text::Nobody if asked.row.is_gate() => Verdict::pass().with_warning(UNREAD),
        Text::Nobody => Verdict::pass(),
    }
}

/// The refusal of an object that stands among other output.
fn embedded(asked: &Asked<'_>, text: &str) -> Option<Verdict> {
    if !asked.row.guards() {
        return None;
    }
    let objects = objects(text);
    let replies = objects.found.iter().map(|object| Reply::read(asked, object));
    if let Some(reply) = replies.into_iter().find(Reply::is_against) {
        let warning = "the hook printed something beside the object that refuses; print the object alone";
        return Some(ruling::rule(asked, reply).with_warning(warning));
    }
    if let Some(fault) = &objects.repeated_key {
        return Some(ambiguous(asked, fault));
    }
    // More beginnings than a log line has: the words alone make it no answer.
    let words = asked.codec.client.words.iter().filter(|word| word.decides());
    let mut named = words.map(|word| format!("\"{}\"", word.name));
    let may_refuse = objects.rest.is_some_and(|rest| named.any(|name| rest.contains(&name)));
    may_refuse.then(|| bad("the hook printed too much beside an object that may refuse; print the object alone"))
}
