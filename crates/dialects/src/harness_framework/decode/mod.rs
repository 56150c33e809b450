//! Decodes hook output into verdicts.

mod decision;

use std::borrow::Cow;

use pintle_clients::program_output;
use pintle_clients::refusal::{decode_wide_text, is_echo, text_refuses};
use pintle_contract::{CommandOutput, Effect, Event, Failure, FailureKind, HandlerOutput, Verdict, VerdictKind};
use serde_json::{Map, Value};

use self::decision::{FrameworkDecision, FrameworkOutput};
use super::FrameworkEventDef;
use super::codec::build_payload;

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
pub(super) fn decode(context: &FrameworkDecodeContext<'_>, answer: HandlerOutput) -> Verdict {
    let HandlerOutput::Process(answer) = answer else {
        let message = "only programs can be hooks in this dialect";
        return Verdict::failed(Failure::new(FailureKind::BadOutput, message));
    };
    match answer.exit_code {
        Some(BLOCK) => block_with_reason(context, explanation(context, &answer)),
        Some(0) if answer.stdout_cut => Verdict::failed(program_output::output_limit_failure(&answer)),
        Some(0) => decode_stdout(context, &answer),
        _ => decode_failed(context, &answer),
    }
}

/// Any other exit status is a failure: it is reported, and the event continues.
fn decode_failed(context: &FrameworkDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    let failure = program_output::exit_failure(answer);
    let text = String::from_utf8_lossy(&answer.stdout);
    let decided =
        context.def.decides && decision::find_decision(context, &text).is_ok_and(|printed| printed.decision.is_block());
    let verdict = Verdict::failed(failure);
    match decided {
        true => verdict.with_warning("the hook printed a decision, which applies only with exit status 0 or 2"),
        false => verdict,
    }
}

/// A block. The model is told on its next turn if it would not be told otherwise.
fn block_with_reason(context: &FrameworkDecodeContext<'_>, reason: String) -> Verdict {
    let told = context.def.notifies_model_of_block.then(|| Effect::Context(reason.clone()));
    told.into_iter().fold(Verdict::deny(reason), Verdict::with_effect)
}

/// The explanation of a block by exit status, which must not be empty: the printed message, standard error, other
/// output, or a default text.
fn explanation(context: &FrameworkDecodeContext<'_>, answer: &CommandOutput) -> String {
    let stdout = String::from_utf8_lossy(&answer.stdout);
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let (message, rest) = match decision::find_decision(context, &stdout) {
        Ok(FrameworkOutput {
            decision: FrameworkDecision::Block(message) | FrameworkDecision::Ask(message),
            surrounding_text: rest,
            ..
        }) => (message, rest),
        Ok(FrameworkOutput { surrounding_text: rest, .. }) => (String::new(), rest),
        Err(_) => (String::new(), stdout.trim().to_owned()),
    };
    let given = [message.as_str(), stderr.trim(), rest.as_str()].into_iter().find(|text| !text.is_empty());
    given.map_or_else(|| context.default_explanation("blocked"), str::to_owned)
}

/// Decodes the output of a hook that exited with status 0.
fn decode_stdout(context: &FrameworkDecodeContext<'_>, answer: &CommandOutput) -> Verdict {
    if let Some(text) = decode_wide_text(&answer.stdout).filter(|_| context.def.decides) {
        let message = "the hook's output is not UTF-8, but looks like UTF-16 or UTF-32";
        return match decision::find_decision(context, &text) {
            Ok(printed) if printed.decision.is_block() => apply_decision(context, printed).with_warning(message),
            Ok(_) | Err(_) => Verdict::failed(Failure::new(FailureKind::BadOutput, message)),
        };
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let mut verdict = match decision::find_decision(context, &text) {
        Ok(printed) if context.def.decides => apply_decision(context, printed),
        Ok(FrameworkOutput {
            decision: FrameworkDecision::Nothing | FrameworkDecision::Continue,
            surrounding_text: rest,
            ..
        }) => context.with_text(Verdict::pass(), &rest),
        Err(reason) if context.def.decides => return Verdict::failed(Failure::new(FailureKind::BadOutput, reason)),
        Ok(_) | Err(_) => {
            let message =
                "JSON decisions work only on PreToolUse, so this output is added as context; exit with 2 to block";
            context.with_text(Verdict::pass(), text.trim()).with_warning(message)
        }
    };
    if matches!(text, Cow::Owned(_)) {
        verdict = verdict.with_warning("hook output is not UTF-8; invalid bytes were replaced");
    }
    verdict
}

fn apply_decision(context: &FrameworkDecodeContext<'_>, output: FrameworkOutput) -> Verdict {
    let explained = |message: String, what: &str| match message.is_empty() {
        true => context.default_explanation(what),
        false => message,
    };
    let verdict = match output.decision {
        FrameworkDecision::Nothing | FrameworkDecision::Continue => Verdict::pass(),
        FrameworkDecision::Block(message) => Verdict::deny(explained(message, "blocked")),
        FrameworkDecision::Ask(message) => Verdict::ask(explained(message, "asks for confirmation")),
    };
    let mut verdict = context.with_text(verdict, &output.surrounding_text);
    if matches!(verdict.kind, VerdictKind::Pass) && text_refuses(&output.surrounding_text) {
        verdict = verdict.with_warning("the text seems to deny but is only added as context; exit with 2 to block");
    }
    program_output::limit_warnings(output.warnings).into_iter().fold(verdict, Verdict::with_warning)
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
    fn default_explanation(&self, action: &str) -> String {
        let Self { hook, event_alias, .. } = self;
        format!("hook `{hook}` {action} on {event_alias} without an explanation")
    }
}
