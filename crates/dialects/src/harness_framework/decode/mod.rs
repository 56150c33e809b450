//! Answers as verdicts (The Harness Framework, Hook Output Model).

mod decision;

use std::borrow::Cow;

use pintle_contract::{CommandOutput, Effect, Failure, FailureKind, HandlerOutput, Verdict, VerdictKind};

use self::decision::{Decision, Printed};
use super::Row;
use crate::printed;
use crate::refusal::{narrowed, text_refuses};

/// The exit code that blocks.
const BLOCK: i32 = 2;

/// What was asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The hook's name.
    pub(super) hook: &'a str,
    /// The event, as the settings spell it.
    pub(super) spelling: &'a str,
    pub(super) row: &'static Row,
}

/// Reads an answer.
pub(super) fn decode(asked: &Asked<'_>, answer: HandlerOutput) -> Verdict {
    let HandlerOutput::Process(answer) = answer else {
        let message = "only programs can answer in this dialect";
        return Verdict::failed(Failure::new(FailureKind::BadOutput, message));
    };
    match answer.exit_code {
        Some(BLOCK) => blocked(asked, explanation(asked, &answer)),
        Some(0) if answer.stdout_cut => Verdict::failed(printed::too_long(&answer)),
        Some(0) => said(asked, &answer),
        _ => failed(asked, &answer),
    }
}

/// Any other end is an error: it is shown, and things go on.
fn failed(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    let failure = printed::failure(answer);
    let text = String::from_utf8_lossy(&answer.stdout);
    let decided = asked.row.decides && decision::find(&text).is_ok_and(|printed| printed.decision.blocks());
    let verdict = Verdict::failed(failure);
    match decided {
        true => verdict.with_warning("it printed a decision, which counts with exit status 0 or 2 alone"),
        false => verdict,
    }
}

/// A block, of which the model is told at its next turn where it is not told otherwise.
fn blocked(asked: &Asked<'_>, why: String) -> Verdict {
    let told = asked.row.tells_of_block.then(|| Effect::Context(why.clone()));
    told.into_iter().fold(Verdict::deny(why), Verdict::with_effect)
}

/// Why a hook blocked by its exit code: what it printed as a message, what it complained, what else it printed, or words
/// of our own, because a block comes with an explanation.
fn explanation(asked: &Asked<'_>, answer: &CommandOutput) -> String {
    let stdout = String::from_utf8_lossy(&answer.stdout);
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let (message, rest) = match decision::find(&stdout) {
        Ok(Printed { decision: Decision::Block(message) | Decision::Ask(message), rest, .. }) => (message, rest),
        Ok(Printed { rest, .. }) => (String::new(), rest),
        Err(_) => (String::new(), stdout.trim().to_owned()),
    };
    let given = [message.as_str(), stderr.trim(), rest.as_str()].into_iter().find(|text| !text.is_empty());
    given.map_or_else(|| asked.unexplained("blocked"), str::to_owned)
}

/// What a hook said that ended well.
fn said(asked: &Asked<'_>, answer: &CommandOutput) -> Verdict {
    if let Some(text) = narrowed(&answer.stdout).filter(|_| asked.row.decides) {
        let message = "the hook's output is not UTF-8, but looks like UTF-16 or UTF-32";
        return match decision::find(&text) {
            Ok(printed) if printed.decision.blocks() => decided(asked, printed).with_warning(message),
            Ok(_) | Err(_) => Verdict::failed(Failure::new(FailureKind::BadOutput, message)),
        };
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let mut verdict = match decision::find(&text) {
        Ok(printed) if asked.row.decides => decided(asked, printed),
        Ok(Printed { decision: Decision::Nothing | Decision::Continue, rest, .. }) => {
            asked.told(Verdict::pass(), &rest)
        }
        Err(why) if asked.row.decides => return Verdict::failed(Failure::new(FailureKind::BadOutput, why)),
        Ok(_) | Err(_) => {
            let message =
                "decisions as JSON are for PreToolUse alone, so this is text for the model; exit with 2 to block";
            asked.told(Verdict::pass(), text.trim()).with_warning(message)
        }
    };
    if matches!(text, Cow::Owned(_)) {
        verdict = verdict.with_warning("hook output is not UTF-8; what is no character was replaced");
    }
    verdict
}

fn decided(asked: &Asked<'_>, printed: Printed) -> Verdict {
    let explained = |message: String, what: &str| match message.is_empty() {
        true => asked.unexplained(what),
        false => message,
    };
    let verdict = match printed.decision {
        Decision::Nothing | Decision::Continue => Verdict::pass(),
        Decision::Block(message) => Verdict::deny(explained(message, "blocked")),
        Decision::Ask(message) => Verdict::ask(explained(message, "asks for confirmation")),
    };
    let mut verdict = asked.told(verdict, &printed.rest);
    if matches!(verdict.kind, VerdictKind::Pass) && text_refuses(&printed.rest) {
        verdict = verdict.with_warning("text that seems to refuse is text for the model; exit with 2 to block");
    }
    printed::bounded(printed.warnings).into_iter().fold(verdict, Verdict::with_warning)
}

impl Asked<'_> {
    /// A verdict with a text for the model; after the end of a session there is only the person to read it.
    fn told(&self, verdict: Verdict, text: &str) -> Verdict {
        match (text.is_empty(), self.row.has_reader) {
            (true, _) => verdict,
            (false, true) => verdict.with_effect(Effect::Context(text.to_owned())),
            (false, false) => verdict.with_effect(Effect::Notice(text.to_owned())),
        }
    }

    /// What stands for an explanation that the hook did not give.
    fn unexplained(&self, what: &str) -> String {
        let Self { hook, spelling, .. } = self;
        format!("hook `{hook}` {what} at {spelling} and gave no explanation")
    }
}
