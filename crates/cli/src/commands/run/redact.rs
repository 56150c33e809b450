//! Redaction of the live display.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use pintle_agent::{AgentEvent, Observer};
use pintle_host::tape::{Record, RecordBody, RecordObserver, TapeError};
use pintle_host::{EventKind, Origin, Redactor, Runtime};

use super::live_display::LiveDisplay;
use crate::error::CliError;

/// Most bytes of an answer that are held back.
const MOST_BYTES: usize = 64 << 10;

/// Redacts what it passes on, if the agent's hooks redact secrets (`redact_secrets`). The tape is redacted on its own.
#[derive(Debug)]
pub(super) struct RedactingObserver {
    next: Arc<LiveDisplay>,
    /// The runtime with the redactor. The tape is observed before there is one.
    runtime: OnceLock<Arc<Runtime>>,
    /// The end of each answer that is arriving, by agent and run: part of it may be the start of a secret.
    held_back: Mutex<Vec<(AgentKey, String)>>,
}

/// The agent and run of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AgentKey(String, String);

impl AgentKey {
    fn from_origin(origin: &Origin) -> Self {
        Self(origin.agent.clone(), origin.run.clone())
    }
}

impl RedactingObserver {
    pub(super) fn new(next: Arc<LiveDisplay>) -> Self {
        Self { next, runtime: OnceLock::new(), held_back: Mutex::default() }
    }

    /// Sets the runtime with the redactor.
    pub(super) fn set_runtime(&self, runtime: Arc<Runtime>) {
        // Called once a session; a second runtime would be a mistake and changes nothing.
        let _ = self.runtime.set(runtime);
    }

    fn redactor(&self) -> Option<&dyn Redactor> {
        self.runtime.get().and_then(|runtime| runtime.redactor()).map(|secrets| &**secrets)
    }

    /// Shows what is held back of an agent's answer.
    fn flush_agent(&self, origin: &Origin, secrets: &dyn Redactor) {
        let arrived = release_held(&self.held_back, origin, secrets);
        if !arrived.is_empty() {
            self.next.observe(origin, &AgentEvent::Text { text: &arrived });
        }
    }
}

/// Adds to what is held back of an agent's answer, and returns what may be shown.
fn hold_back(
    held_text: &Mutex<Vec<(AgentKey, String)>>,
    origin: &Origin,
    text: &str,
    secrets: &dyn Redactor,
) -> String {
    let mut held_text = held_text.lock();
    let whose = AgentKey::from_origin(origin);
    let index = held_text.iter().position(|(known, _)| *known == whose).unwrap_or_else(|| {
        held_text.push((whose, String::new()));
        held_text.len() - 1
    });
    let Some((_, pending)) = held_text.get_mut(index) else { return String::new() };
    pending.push_str(text);
    let end = showable_len(pending, secrets);
    let rest = pending.split_off(end);
    redact_text(secrets, &std::mem::replace(pending, rest)).into_owned()
}

/// Returns everything that is held back of an agent's answer.
fn release_held(held_text: &Mutex<Vec<(AgentKey, String)>>, origin: &Origin, secrets: &dyn Redactor) -> String {
    let mut held_text = held_text.lock();
    let whose = AgentKey::from_origin(origin);
    let at = held_text.iter().position(|(known, _)| *known == whose);
    let pending = at.map(|index| held_text.swap_remove(index).1).unwrap_or_default();
    redact_text(secrets, &pending).into_owned()
}

impl RecordObserver for RedactingObserver {
    fn on_error(&self, error: &TapeError) {
        self.next.on_error(error);
    }

    fn on_record(&self, record: &Record<'_>, line: &str) {
        // The answer is complete when its hooks are called, and belongs before their verdicts.
        if let (Some(secrets), RecordBody::Event(fired)) = (self.redactor(), &record.body)
            && fired.event == EventKind::CompletionPost.name()
        {
            self.flush_agent(&fired.origin, secrets);
        }
        self.next.on_record(record, line);
    }
}

impl Observer for RedactingObserver {
    fn observe(&self, origin: &Origin, event: &AgentEvent<'_>) {
        let Some(secrets) = self.redactor() else { return self.next.observe(origin, event) };
        if let AgentEvent::Text { text } = event {
            let arrived = hold_back(&self.held_back, origin, text, secrets);
            if !arrived.is_empty() {
                self.next.observe(origin, &AgentEvent::Text { text: &arrived });
            }
            return;
        }
        self.flush_agent(origin, secrets);
        let tell = |event: AgentEvent<'_>| self.next.observe(origin, &event);
        let clean = |text| redact_text(secrets, text);
        match event {
            AgentEvent::TurnStarted { message } => tell(AgentEvent::TurnStarted { message: &clean(message) }),
            AgentEvent::ModelAnswered { text, tool_calls, usage } => {
                tell(AgentEvent::ModelAnswered { text: &clean(text), tool_calls: *tool_calls, usage: *usage });
            }
            AgentEvent::Message { text, streamed } => {
                tell(AgentEvent::Message { text: &clean(text), streamed: *streamed });
            }
            AgentEvent::Retried { message, attempt, delay_ms } => {
                tell(AgentEvent::Retried { message: &clean(message), attempt: *attempt, delay_ms: *delay_ms });
            }
            AgentEvent::ToolCalled { id, name, arguments } => {
                tell(AgentEvent::ToolCalled { id, name, arguments: &clean(arguments) });
            }
            AgentEvent::ToolReturned { id, name, content, is_error, end } => {
                tell(AgentEvent::ToolReturned { id, name, content: &clean(content), is_error: *is_error, end: *end });
            }
            AgentEvent::Delegated { agent, task, attempt } => {
                tell(AgentEvent::Delegated { agent, task: &clean(task), attempt: *attempt });
            }
            AgentEvent::Continued { message } => tell(AgentEvent::Continued { message: &clean(message) }),
            AgentEvent::Notice { message } => tell(AgentEvent::Notice { message: &clean(message) }),
            AgentEvent::TurnEnded { text, usage } => {
                tell(AgentEvent::TurnEnded { text: &clean(text), usage: *usage });
            }
            AgentEvent::TurnFailed { message } => tell(AgentEvent::TurnFailed { message: &clean(message) }),
            other => self.next.observe(origin, other),
        }
    }
}

/// Redacts the message of an error.
pub(super) fn redact_error(runtime: &Runtime, error: CliError) -> CliError {
    let message = runtime.redactor().and_then(|secrets| secrets.redact(&error.message));
    CliError { message: message.unwrap_or(error.message), ..error }
}

fn redact_text<'a>(secrets: &dyn Redactor, text: &'a str) -> Cow<'a, str> {
    secrets.redact(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Returns how many bytes of an answer that is still arriving can be shown: complete words while nothing looks like a
/// secret, complete lines otherwise, and nothing of a key block before its end.
fn showable_len(pending: &str, secrets: &dyn Redactor) -> usize {
    if pending.len() > MOST_BYTES {
        return pending.len();
    }
    if !secrets.may_contain_secret(pending) {
        return pending.rfind(char::is_whitespace).map_or(0, |index| index + char_len_at(pending, index));
    }
    let mut end = pending.rfind('\n').map_or(0, |index| index + 1);
    let is_open = |begin: &usize| {
        let after = pending.get(*begin..).and_then(|block| block.split_once("-----END"));
        after.is_none_or(|(_, rest)| !rest.contains('\n'))
    };
    if let Some(block) = pending.rfind("-----BEGIN").filter(is_open) {
        end = end.min(line_start_of(pending, block));
    }
    // A name is kept together with its value on the next line.
    while let Some(before) = pending.get(..end).map(str::trim_end).filter(|before| before.ends_with([':', '=', '>'])) {
        end = line_start_of(pending, before.len());
    }
    end
}

/// Returns the length of the character at an index, in bytes.
fn char_len_at(text: &str, index: usize) -> usize {
    text.get(index..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
}

/// Returns where the line of an index starts.
fn line_start_of(text: &str, index: usize) -> usize {
    text.get(..index).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use pintle_host::secrets::SecretScanner;

    use super::*;

    /// Lets an answer arrive in pieces of a size; gives what was shown.
    fn shown_text(answer: &str, size: usize) -> String {
        let secrets = SecretScanner::process_wide();
        let (held, origin) = (Mutex::default(), Origin::default());
        let mut shown = String::new();
        let characters: Vec<char> = answer.chars().collect();
        for piece in characters.chunks(size) {
            shown.push_str(&hold_back(&held, &origin, &piece.iter().collect::<String>(), &*secrets));
        }
        shown + &release_held(&held, &origin, &*secrets)
    }

    #[test]
    fn a_secret_is_not_shown_however_it_arrives() {
        let token = format!("{}{}", ["gh", "p_"].concat(), "0aZ1bY2cX3dW4eV5fU6gT7hS8iR9jQ0kP1lO");
        let dashes = "-".repeat(5);
        let key = format!(
            "{dashes}BEGIN PRIVATE KEY{dashes}\n{0}\n{0}\n{dashes}END PRIVATE KEY{dashes}",
            "0aZ1bY2cX3dW4eV5fU6gT7hS8iR9jQ0k"
        );
        let answer = format!("The token is {token}, größer.\nAnd:\n{key}\npassword:\n  s3cr3t-Zq9x\n\nDone – ok.");
        let expected = "The token is [REDACTED], größer.\nAnd:\n[REDACTED]\npassword:\n  [REDACTED]\n\nDone – ok.";
        for size in [1, 2, 7, 40, 1_000] {
            assert_eq!(shown_text(&answer, size), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn words_are_shown_as_they_arrive() {
        let secrets = SecretScanner::process_wide();
        let cases = [("Hello wor", 6), ("Hello", 0), ("Ein Maß ", 9), ("", 0), ("the key of it\nis thi", 14)];
        for (pending, end) in cases {
            assert_eq!(showable_len(pending, &*secrets), end, "{pending}");
        }
    }
}
