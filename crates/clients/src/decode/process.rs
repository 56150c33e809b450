//! Decodes a program's exit status and output.

use std::borrow::Cow;

use pintle_contract::{
    CommandOutput, Effect, Failure, FailureKind, JsonError, Verdict, VerdictKind, read_leading_json,
};
use serde_json::{Map, Value};

use super::reply::ClientHookOutput;
use super::{ClientDecodeContext, bad_output, decode_ambiguous, verdict};
use crate::event_def::{ExitTwoEffect, PlainTextReader};
use crate::program_output::{
    MOST_TRIES, UNREAD, UNREADABLE_REFUSAL, exit_failure, find_objects, last_stderr_line, output_limit_failure,
};
use crate::refusal::{
    BrokenRefusal, decode_wide_text, find_broken_refusal, nested_objects, strip_byte_order_mark, text_refuses,
};

const BLOCK: i32 = 2;

pub(super) fn decode(context: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    match answer.exit_code {
        Some(0) => decode_stdout(context, answer),
        Some(BLOCK) if context.codec.client.statuses && context.def.exit_two != ExitTwoEffect::Fail => {
            decode_exit_two(context, answer)
        }
        Some(_) if !context.codec.client.statuses && !answer.stdout.is_empty() => decode_stdout(context, answer),
        _ => decode_failed(context, answer),
    }
}

/// Decodes a failed program. If it printed a deny before it failed, it denies.
fn decode_failed(context: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    match decode_refusal(context, answer) {
        Some(refusal) => refusal,
        None => Verdict::failed(exit_failure(answer)),
    }
}

fn decode_refusal(context: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Option<Verdict> {
    let text = decode_wide_text(&answer.stdout).map_or_else(|| String::from_utf8_lossy(&answer.stdout), Cow::Owned);
    refusal_in_text(context, &text)
}

/// The verdict of a text in which the hook denies or asks.
fn refusal_in_text(context: &ClientDecodeContext<'_>, text: &str) -> Option<Verdict> {
    let framed = (context.codec.client.extract_answer)(text);
    let verdict = decode_text(context, strip_byte_order_mark(framed.trim_start()).trim());
    let refuses = matches!(verdict.kind, VerdictKind::Deny { .. } | VerdictKind::Ask { .. });
    (refuses && context.def.can_deny()).then_some(verdict)
}

/// Decodes the blocking exit status.
fn decode_exit_two(context: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let text = stderr.trim();
    match context.def.exit_two {
        ExitTwoEffect::Block | ExitTwoEffect::Fail => {
            if text.is_empty()
                && let Some(refusal) = decode_refusal(context, answer)
            {
                return refusal;
            }
            verdict::deny_with_reason(context, text)
        }
        ExitTwoEffect::NotifyModel if !text.is_empty() => Verdict::pass().with_effect(Effect::Context(text.to_owned())),
        ExitTwoEffect::NotifyUser if !text.is_empty() => Verdict::pass().with_effect(Effect::Notice(text.to_owned())),
        ExitTwoEffect::NotifyModel | ExitTwoEffect::NotifyUser => Verdict::pass(),
        ExitTwoEffect::Ignored => {
            let warning = format!("exit status 2 has no effect on `{}`", context.def.name);
            Verdict::pass().with_warning(match last_stderr_line(&answer.stderr) {
                Some(complaint) => format!("{warning}: {complaint}"),
                None => warning,
            })
        }
    }
}

fn decode_stdout(context: &ClientDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    if answer.stdout_cut {
        return Verdict::failed(output_limit_failure(answer));
    }
    if let Some(text) = decode_wide_text(&answer.stdout).filter(|_| context.def.is_gate()) {
        let message = "the hook's output is not UTF-8, but looks like UTF-16 or UTF-32";
        return refusal_in_text(context, &text)
            .map_or_else(|| bad_output(message), |refusal| refusal.with_warning(message));
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let is_mended = matches!(text, Cow::Owned(_));
    let framed = (context.codec.client.extract_answer)(&text);
    let trimmed = strip_byte_order_mark(framed.trim_start()).trim();
    if trimmed.is_empty() {
        return match context.codec.needs_answer {
            true => Verdict::failed(Failure::new(FailureKind::BadOutput, "the hook printed nothing")),
            false => Verdict::pass(),
        };
    }
    if is_mended && trimmed.starts_with('{') {
        let message = "the hook's output is not UTF-8";
        return refusal_in_text(context, trimmed)
            .map_or_else(|| bad_output(message), |refusal| refusal.with_warning(message));
    }
    decode_text(context, trimmed)
}

/// What a text consists of: the answer, which is one object or several, and the text around it.
#[derive(Default)]
struct SplitAnswer {
    reply: ClientHookOutput,
    has_reply: bool,
    /// The text around the objects, trimmed.
    text: String,
    /// What looks like a refusal and is not one object.
    refusal: Option<BrokenRefusal>,
    /// How many objects are broken.
    broken: usize,
    /// The first object that is none, or is ambiguous.
    error: Option<JsonError>,
}

impl SplitAnswer {
    fn add(&mut self, context: &ClientDecodeContext<'_>, object: &Map<String, Value>) {
        self.reply.add(context, object);
        self.has_reply = true;
    }

    /// Reads the objects that begin on a line of their own. Between other output, only an object with a field of the client
    /// is an answer.
    fn read(&mut self, context: &ClientDecodeContext<'_>, whole: &str) {
        let mut rest = whole;
        while let Some(start) = next_object_line(rest) {
            let (before, candidate) = rest.split_at_checked(start).unwrap_or((rest, ""));
            let read = read_leading_json::<Map<String, Value>>(candidate);
            let line = || candidate.find('\n').map_or(candidate.len(), |end| end + 1);
            let length =
                read.as_ref().map_or_else(line, |read| read.as_ref().map_or_else(|_| line(), |(_, length)| *length));
            let (own, after) = candidate.split_at_checked(length).unwrap_or((candidate, ""));
            self.text.push_str(before);
            match read {
                Some(Ok((object, _)))
                    if own.len() == whole.len() || object.keys().any(|name| context.is_field(name)) =>
                {
                    self.add(context, &object);
                }
                Some(Err(error)) => {
                    self.broken += 1;
                    if self.refusal.is_none() && self.broken < MOST_TRIES && !error.is_repeated_key() {
                        self.refusal = find_broken_refusal(candidate);
                    }
                    self.error.get_or_insert(error);
                    self.text.push_str(own);
                }
                Some(Ok(_)) | None => self.text.push_str(own),
            }
            rest = after;
        }
        self.text.push_str(rest);
        self.text = self.text.trim().to_owned();
    }

    /// Adds objects that are not where an answer belongs, if they deny.
    fn add_refusals(&mut self, context: &ClientDecodeContext<'_>, objects: &[Map<String, Value>]) {
        for object in objects {
            if ClientHookOutput::read(context, object).denies() {
                self.add(context, object);
            }
        }
    }
}

/// Where the next line begins that starts with a brace.
fn next_object_line(text: &str) -> Option<usize> {
    let mut index = 0;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        if start.starts_with('{') {
            return Some(index + line.len() - start.len());
        }
        index += line.len();
    }
    None
}

/// Decodes output that is text. One that denies denies, wherever in it that is; what else it says counts where it is one
/// object, or objects on lines of their own.
fn decode_text(context: &ClientDecodeContext<'_>, text: &str) -> Verdict {
    let (is_gate, can_deny) = (context.def.is_gate(), context.def.can_deny());
    let mut answer = SplitAnswer::default();
    answer.read(context, text);
    let denies = answer.reply.denies();
    if let Some(error) = answer.error.as_ref().filter(|error| error.is_repeated_key() && !denies)
        && (can_deny || !answer.has_reply)
    {
        return decode_ambiguous(context, error);
    }
    let mut unread = None;
    if can_deny && !denies {
        if text.starts_with(['[', '"']) {
            answer.add_refusals(context, &nested_objects(text));
        }
        // Text for the model may have objects anywhere; they are examples.
        if context.def.text != PlainTextReader::Model {
            let around = std::mem::take(&mut answer.text);
            let objects = find_objects(&around);
            answer.add_refusals(context, &objects.found);
            if let Some(error) = objects.repeated_key.filter(|_| !answer.reply.denies()) {
                return decode_ambiguous(context, &error);
            }
            unread = objects.unread_text.map(str::to_owned);
            answer.text = around;
        }
    }
    if let Some(refusal) = answer.refusal.filter(|_| is_gate && !answer.reply.denies()) {
        let warning = "the hook's output is not valid JSON; applied anyway, because it begins as a refusal";
        return verdict::refuse(context, &refusal).with_warning(warning);
    }
    // There are more possible objects than log output has; a restricting key alone makes the output invalid.
    let words = context.codec.client.output_fields.iter().filter(|word| word.can_restrict());
    let mut named = words.map(|word| format!("\"{}\"", word.name));
    if !answer.reply.denies() && unread.is_some_and(|rest| named.any(|name| rest.contains(&name))) {
        return bad_output(
            "the hook printed too much output around a JSON object that may deny; print only the object",
        );
    }
    match (answer.has_reply, answer.error) {
        (true, _) if answer.text.is_empty() => verdict::build_verdict(context, answer.reply),
        (true, _) => decode_surrounded(context, answer.reply, answer.text),
        (false, Some(error)) if text.starts_with('{') => {
            bad_output(format!("the hook's output is not valid JSON: {error}"))
        }
        (false, _) => deliver_text(context, text),
    }
}

/// Decodes an answer among other output, which restricts and adds, but allows nothing.
fn decode_surrounded(context: &ClientDecodeContext<'_>, reply: ClientHookOutput, text: String) -> Verdict {
    let denies = reply.denies();
    let is_read = context.def.text == PlainTextReader::Model;
    if !denies && !is_read && context.def.is_gate() && text_refuses(&text) {
        return bad_output(UNREADABLE_REFUSAL);
    }
    let verdict = verdict::build_verdict(context, reply.without_allow());
    match (context.def.text, denies) {
        (PlainTextReader::Model, false) => verdict.with_effect(Effect::Context(text)),
        (PlainTextReader::User, false) => verdict.with_effect(Effect::Notice(text)),
        (_, true) => verdict
            .with_warning("the hook printed other output with the JSON object that denies; print only the object"),
        (PlainTextReader::Discarded, false) => {
            verdict.with_warning("the hook printed other output with its JSON object; print only the object")
        }
    }
}

fn deliver_text(context: &ClientDecodeContext<'_>, text: &str) -> Verdict {
    let text = text.trim().to_owned();
    match context.def.text {
        PlainTextReader::Model => Verdict::pass().with_effect(Effect::Context(text)),
        _ if context.def.is_gate() && text_refuses(&text) => bad_output(UNREADABLE_REFUSAL),
        PlainTextReader::User => Verdict::pass().with_effect(Effect::Notice(text)),
        PlainTextReader::Discarded if context.codec.needs_answer || context.codec.needs_json => {
            bad_output("the hook printed text instead of a JSON object")
        }
        PlainTextReader::Discarded if context.def.is_gate() => Verdict::pass().with_warning(UNREAD),
        PlainTextReader::Discarded => Verdict::pass(),
    }
}
