//! Decodes hook output into verdicts.

mod decision;

use std::borrow::Cow;

use pintle_contract::{CommandOutput, Effect, Event, Failure, FailureKind, HandlerOutput, Verdict, VerdictKind};

use self::decision::{FrameworkDecision, FrameworkOutput};
use super::FrameworkEventDef;
use super::encode::build_payload;
use pintle_clients::program_output;
use pintle_clients::refusal::{decode_wide_text, is_echo, text_refuses};
use serde_json::{Map, Value};

const BLOCK: i32 = 2;

/// The hook and event whose output is decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameworkDecodeContext<'a> {
    pub(super) hook: &'a str,
    pub(super) event: &'a Event,
    /// The event's name in the settings.
    pub(super) event_alias: &'a str,
    pub(super) def: &'static FrameworkEventDef,
}

/// Decodes the output of a hook.
pub(super) fn decode(asked: &FrameworkDecodeContext<'_>, answer: HandlerOutput) -> Verdict {
    let HandlerOutput::Process(answer) = answer else {
        let message = "only programs can be hooks in this dialect";
        return Verdict::failed(Failure::new(FailureKind::BadOutput, message));
    };
    match answer.exit_code {
        Some(BLOCK) => block_with_reason(asked, explanation(asked, &answer)),
        Some(0) if answer.stdout_cut => Verdict::failed(program_output::output_limit_failure(&answer)),
        Some(0) => decode_stdout(asked, &answer),
        _ => decode_failed(asked, &answer),
    }
}

/// Any other exit status is a failure: it is reported, and the event continues.
fn decode_failed(asked: &FrameworkDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    let failure = program_output::exit_failure(answer);
    let text = String::from_utf8_lossy(&answer.stdout);
    let decided =
        asked.def.decides && decision::find_decision(asked, &text).is_ok_and(|printed| printed.decision.is_block());
    let verdict = Verdict::failed(failure);
    match decided {
        true => verdict.with_warning("the hook printed a decision, which applies only with exit status 0 or 2"),
        false => verdict,
    }
}

/// A block. The model is told on its next turn if it would not be told otherwise.
fn block_with_reason(asked: &FrameworkDecodeContext<'_>, reason: String) -> Verdict {
    let told = asked.def.notifies_model_of_block.then(|| Effect::Context(reason.clone()));
    told.into_iter().fold(Verdict::deny(reason), Verdict::with_effect)
}

/// The explanation of a block by exit status, which must not be empty: the printed message, standard error, other
/// output, or a default text.
fn explanation(asked: &FrameworkDecodeContext<'_>, answer: &CommandOutput) -> String {
    let stdout = String::from_utf8_lossy(&answer.stdout);
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let (message, rest) = match decision::find_decision(asked, &stdout) {
        Ok(FrameworkOutput {
            decision: FrameworkDecision::Block(message) | FrameworkDecision::Ask(message),
            surrounding_text: rest,
            ..
        }) => (message, rest),
        Ok(FrameworkOutput { surrounding_text: rest, .. }) => (String::new(), rest),
        Err(_) => (String::new(), stdout.trim().to_owned()),
    };
    let given = [message.as_str(), stderr.trim(), rest.as_str()].into_iter().find(|text| !text.is_empty());
    given.map_or_else(|| asked.default_explanation("blocked"), str::to_owned)
}

/// Decodes the output of a hook that exited with status 0.
fn decode_stdout(asked: &FrameworkDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    if let Some(text) = decode_wide_text(&answer.stdout).filter(|_| asked.def.decides) {
        let message = "the hook's output is not UTF-8, but looks like UTF-16 or UTF-32";
        return match decision::find_decision(asked, &text) {
            Ok(printed) if printed.decision.is_block() => apply_decision(asked, printed).with_warning(message),
            Ok(_) | Err(_) => Verdict::failed(Failure::new(FailureKind::BadOutput, message)),
        };
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let mut verdict = match decision::find_decision(asked, &text) {
        Ok(printed) if asked.def.decides => apply_decision(asked, printed),
        Ok(FrameworkOutput {
            decision: FrameworkDecision::Nothing | FrameworkDecision::Continue,
            surrounding_text: rest,
            ..
        }) => asked.with_text(Verdict::pass(), &rest),
        Err(reason) if asked.def.decides => return Verdict::failed(Failure::new(FailureKind::BadOutput, reason)),
        Ok(_) | Err(_) => {
            let message =
                "JSON decisions work only on PreToolUse, so this output is added as context; exit with 2 to block";
            asked.with_text(Verdict::pass(), text.trim()).with_warning(message)
        }
    };
    if matches!(text, Cow::Owned(_)) {
        verdict = verdict.with_warning("hook output is not UTF-8; invalid bytes were replaced");
    }
    verdict
}

fn apply_decision(asked: &FrameworkDecodeContext<'_>, printed: FrameworkOutput) -> Verdict {
    let explained = |message: String, what: &str| match message.is_empty() {
        true => asked.default_explanation(what),
        false => message,
    };
    let verdict = match printed.decision {
        FrameworkDecision::Nothing | FrameworkDecision::Continue => Verdict::pass(),
        FrameworkDecision::Block(message) => Verdict::deny(explained(message, "blocked")),
        FrameworkDecision::Ask(message) => Verdict::ask(explained(message, "asks for confirmation")),
    };
    let mut verdict = asked.with_text(verdict, &printed.surrounding_text);
    if matches!(verdict.kind, VerdictKind::Pass) && text_refuses(&printed.surrounding_text) {
        verdict = verdict.with_warning("the text seems to deny but is only added as context; exit with 2 to block");
    }
    program_output::limit_warnings(printed.warnings).into_iter().fold(verdict, Verdict::with_warning)
}

impl FrameworkDecodeContext<'_> {
    /// Whether an object only repeats what the hook was given.
    fn is_echo(&self, object: &Map<String, Value>) -> bool {
        let payload = || Some(build_payload(self.event, self.event_alias));
        is_echo(object, payload, |name| decision::KEYS.contains(&name) || name == "reason")
    }

    /// Adds a text for the model; after the end of a session only the user can read it.
    fn with_text(&self, verdict: Verdict, text: &str) -> Verdict {
        match (text.is_empty(), self.def.has_reader) {
            (true, _) => verdict,
            (false, true) => verdict.with_effect(Effect::Context(text.to_owned())),
            (false, false) => verdict.with_effect(Effect::Notice(text.to_owned())),
        }
    }

    /// The explanation if the hook gave none.
    fn default_explanation(&self, what: &str) -> String {
        let Self { hook, event_alias: spelling, .. } = self;
        format!("hook `{hook}` {what} on {spelling} without an explanation")
    }
}
