//! Decodes a command's exit status and output.

use std::borrow::Cow;

use pintle_clients::program_output::{UNREAD, UNREADABLE_REFUSAL, find_objects, output_limit_failure};
use pintle_clients::refusal::{decode_wide_text, strip_byte_order_mark, text_decides, text_refuses};
use pintle_contract::{CommandOutput, Effect, EventKind, Failure, LogLevel, Verdict, read_leading_json};
use serde_json::{Map, Value};

use super::output::{DockerHookOutput, find_key};
use super::{DockerDecodeContext, bad_output, verdict};
use crate::docker_agent::event_def::ContextReader;
use crate::docker_agent::event_def::DockerAgentVersion;

const BLOCK: i32 = 2;

pub(super) fn decode(context: &DockerDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    match answer.exit_code {
        Some(0) => decode_stdout(context, answer),
        Some(BLOCK) => decode_exit_two(context, answer),
        _ => decode_failed(context, pintle_clients::program_output::exit_failure(answer)),
    }
}

fn decode_failed(context: &DockerDecodeContext<'_>, failure: Failure) -> Verdict {
    match context.codec.compat {
        DockerAgentVersion::Newest => Verdict::failed(failure),
        DockerAgentVersion::G1 => {
            Verdict::pass().with_warning(format!("{}, which `compat: g1` ignores", failure.message))
        }
    }
}

fn decode_exit_two(context: &DockerDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    let text = String::from_utf8_lossy(&answer.stderr);
    match (context.def.can_block, context.codec.compat) {
        (true, _) => Verdict::deny(text.trim()),
        (false, DockerAgentVersion::Newest) => {
            let warning = format!("{} hook returned exit 2, but this event cannot block", context.name());
            Verdict::pass().with_warning(match text.trim() {
                "" => warning,
                text => format!("{warning}: {text}"),
            })
        }
        (false, DockerAgentVersion::G1) => Verdict::pass(),
    }
}

fn decode_stdout(context: &DockerDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    if answer.stdout_cut {
        return Verdict::failed(output_limit_failure(answer));
    }
    let is_newest = context.codec.compat == DockerAgentVersion::Newest;
    if is_newest && context.def.can_block && decode_wide_text(&answer.stdout).is_some() {
        return bad_output("hook output is not UTF-8, but looks like UTF-16 or UTF-32");
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let is_mended = matches!(text, Cow::Owned(_));
    let trimmed = strip_byte_order_mark(text.trim_start()).trim();
    if trimmed.is_empty() {
        return Verdict::pass();
    }
    if !trimmed.starts_with('{') {
        return decode_plain_text(context, &text, is_mended);
    }
    // A decision must be read exactly.
    if is_newest && is_mended {
        return bad_output("hook output is not UTF-8");
    }
    let object = match read_leading_json::<Map<String, Value>>(trimmed) {
        // Every version fails here, because JSON readers differ on repeated keys.
        Some(Err(error)) if error.is_repeated_key() => return bad_output(format!("invalid hook output: {error}")),
        Some(Err(error)) => Err(format!("invalid hook output: {error}")),
        Some(Ok((object, length))) if trimmed.get(length..).unwrap_or_default().trim().is_empty() => Ok(object),
        Some(Ok(_)) | None => Err(String::from("hook output must contain a single JSON object")),
    };
    match object.and_then(|object| {
        DockerHookOutput::read(context, object).map_err(|reason| format!("invalid hook output: {reason}"))
    }) {
        Ok(output) => verdict::build_verdict(context, output),
        Err(reason) if is_newest => bad_output(reason),
        Err(reason) => decode_plain_text(context, &text, is_mended)
            .with_warning(format!("{reason}; `compat: g1` treats it as plain text")),
    }
}

/// Decodes text that is not a JSON object: context for the model or a notice for the user, on events that have a reader
/// for it, otherwise a log line.
fn decode_plain_text(context: &DockerDecodeContext<'_>, text: &str, is_mended: bool) -> Verdict {
    if context.codec.strict_output {
        return bad_output("strict_output requires a JSON object or empty stdout");
    }
    let may_block = context.def.can_block && context.codec.compat == DockerAgentVersion::Newest;
    let mut verdict = Verdict::pass();
    if contains_decision(text) {
        let message = "the hook printed other output with a JSON object that decides; print only the object";
        if may_block {
            return bad_output(message);
        }
        verdict = verdict.with_warning(message);
    }
    let is_read = context.def.context != ContextReader::NoReader;
    if may_block {
        match is_read {
            true if text_decides(text) => return bad_output(UNREADABLE_REFUSAL),
            false if is_mended => return bad_output("hook output is not UTF-8"),
            false if text_refuses(text) => return bad_output(UNREADABLE_REFUSAL),
            _ => {}
        }
    }
    let said = text.trim().to_owned();
    // After a tool ran there is nothing left to guard, and hooks print log lines.
    let decides = context.def.can_block && context.def.canonical != EventKind::ToolPost;
    verdict = match context.def.context {
        ContextReader::NoReader if !decides => {
            return verdict.with_effect(Effect::Log { level: LogLevel::Info, message: said });
        }
        ContextReader::NoReader if verdict.warnings.is_empty() => return verdict.with_warning(UNREAD),
        ContextReader::NoReader => return verdict,
        ContextReader::Model => verdict.with_effect(Effect::Context(said)),
        ContextReader::User => verdict.with_effect(Effect::Notice(said)),
    };
    if is_mended {
        verdict = verdict.with_warning("hook output is not UTF-8; invalid bytes were replaced");
    }
    verdict
}

/// Whether plain text contains an object that is meant to decide.
pub(super) fn contains_decision(text: &str) -> bool {
    let objects = find_objects(text);
    // There are more possible objects than log output has; a deciding key alone counts as a decision.
    objects.repeated_key.is_some()
        || objects.found.iter().any(can_decide)
        || objects.unread_text.is_some_and(|rest| {
            ["\"decision\"", "\"permission_decision\"", "\"permissionDecision\"", "\"continue\""]
                .iter()
                .any(|word| rest.contains(word))
        })
}

fn can_decide(object: &Map<String, Value>) -> bool {
    object.keys().any(|word| find_key(word).is_some_and(|(key, _)| key.can_decide))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_found_wherever_it_stands() {
        for (text, wanted) in [
            ("checking\n{\"decision\":\"block\"}", true),
            ("log: {\"continue\":false} done", true),
            ("[{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}]", true),
            ("a { b {\"x\":1} {\"decision\":\"block\"}", true),
            ("{\"x\":1}\n{\"permission_decision\":\"deny\"}", true),
            ("nothing here", false),
            ("{\"x\":{\"decision\":\"block\"}}", false),
            ("set {a, b}", false),
            ("a \\\"decision\\\": b", false),
            ("log {\"a\":1,\"\\u0061\":2}", true),
        ] {
            assert_eq!(contains_decision(text), wanted, "{text}");
        }
        assert!(contains_decision(&format!("{} {{\"decision\":\"block\"}}", "{".repeat(64))));
        assert!(!contains_decision(&"{".repeat(128)));
    }
}
