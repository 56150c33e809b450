//! What one call changes in its session, while other calls may change it too.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use pintle_host::Redactor;
use pintle_host::event::{LogLine, ToolCall, ToolResult};

use super::state::HostSessionState;
use crate::HostDecision;

type StateChange = Box<dyn FnOnce(&mut HostSessionState)>;

/// The state of the session when this call began, with the call's own changes. They are made to the stored state when
/// the call ends, so that they overwrite nothing that other calls changed meanwhile.
#[derive(Default)]
pub(crate) struct TrackedState {
    known: HostSessionState,
    changes: Vec<StateChange>,
    /// Redacts the texts of the decision, and what is kept only for the hooks of the turn's end.
    redactor: Option<Arc<dyn Redactor>>,
    once_context: Vec<OnceText>,
    once_notices: Vec<OnceText>,
    /// Whether this call passes on the context that waits for the model.
    delivers_pending_context: bool,
}

/// A text that is passed on once in the session or in the turn.
struct OnceText {
    run: String,
    text: String,
    for_turn: bool,
}

/// Redacts the secrets in texts, if there is a redactor.
fn redact_texts<'t>(redactor: Option<&Arc<dyn Redactor>>, texts: impl IntoIterator<Item = &'t mut String>) {
    let Some(redactor) = redactor else { return };
    for text in texts {
        if let Some(clean) = redactor.redact(text) {
            *text = clean;
        }
    }
}

impl Deref for TrackedState {
    type Target = HostSessionState;

    fn deref(&self) -> &HostSessionState {
        &self.known
    }
}

impl TrackedState {
    pub(crate) fn new(known: HostSessionState, redactor: Option<Arc<dyn Redactor>>) -> Self {
        Self { known, redactor, ..Self::default() }
    }

    /// Changes the session.
    pub(crate) fn change(&mut self, change: impl Fn(&mut HostSessionState) + 'static) {
        change(&mut self.known);
        self.changes.push(Box::new(change));
    }

    /// Changes the turn of this call. Once another turn has begun, the change has no effect.
    pub(crate) fn change_turn(&mut self, change: impl Fn(&mut HostSessionState) + 'static) {
        change(&mut self.known);
        self.change_turn_at_end(change);
    }

    fn change_turn_at_end(&mut self, change: impl FnOnce(&mut HostSessionState) + 'static) {
        let turn = self.known.turn;
        self.changes.push(Box::new(move |state: &mut HostSessionState| {
            if state.turn == turn {
                change(state);
            }
        }));
    }

    /// Keeps the prompt with which the turn began, for its end.
    pub(crate) fn keep_prompt(&mut self, text: &str) {
        if !self.is_hook_continuation {
            let mut prompt = text.to_owned();
            redact_texts(self.redactor.as_ref(), [&mut prompt]);
            self.change_turn_at_end(|state| state.prompt = prompt);
        }
    }

    /// Keeps a finished tool call for the end of the turn.
    pub(crate) fn add_call(&mut self, mut call: ToolCall, mut result: ToolResult) {
        redact_texts(self.redactor.as_ref(), [&mut call.arguments, &mut result.content]);
        for value in [&mut call.args, &mut result.result] {
            if let Some(clean) = self.redactor.as_ref().and_then(|redactor| redactor.redact_value(value)) {
                *value = clean;
            }
        }
        self.change_turn_at_end(|state| state.add_call(call, result));
    }

    /// Adds the turn's log lines of this call.
    pub(crate) fn add_logs(&mut self, mut lines: Vec<LogLine>) {
        redact_texts(self.redactor.as_ref(), lines.iter_mut().map(|line| &mut line.message));
        if !lines.is_empty() {
            self.change_turn_at_end(|state| state.add_logs(lines));
        }
    }

    /// Removes and returns the log lines of the turn.
    pub(crate) fn take_logs(&mut self) -> Vec<LogLine> {
        let (lines, end) = (self.known.logs.to_vec(), self.known.logs.end());
        self.change_turn(move |state| state.logs.remove_before(end));
        lines
    }

    /// Passes a context of the decision on only if the model does not have it yet.
    pub(crate) fn send_context_once(&mut self, run: &str, text: &str, for_turn: bool) {
        self.once_context.push(OnceText { run: run.to_owned(), text: text.to_owned(), for_turn });
    }

    /// Passes a notice of the decision on only once in the session. `run` tells kinds of notices apart.
    pub(crate) fn send_notice_once(&mut self, run: &str, text: &str) {
        self.once_notices.push(OnceText { run: run.to_owned(), text: text.to_owned(), for_turn: false });
    }

    /// Passes the context on that could not be passed to the model before.
    pub(crate) fn deliver_pending_context(&mut self) {
        self.delivers_pending_context = true;
    }

    /// Makes the changes to the stored state, and removes from the decision what was passed on before, and its secrets.
    pub(crate) fn settle(self, state: &mut HostSessionState, decision: &mut HostDecision) {
        self.changes.into_iter().for_each(|change| change(state));
        let mut is_new = |texts: &[OnceText], text: &String| {
            let mut once = texts.iter().filter(|once| once.text == *text);
            once.next().is_none_or(|once| state.mark_if_new(&once.run, text, once.for_turn))
        };
        decision.context.retain(|text| is_new(&self.once_context, text));
        let mut seen = BTreeSet::new();
        decision.notices.retain(|notice| seen.insert(notice.clone()) && is_new(&self.once_notices, notice));
        if self.delivers_pending_context {
            for text in std::mem::take(&mut state.pending_context) {
                if state.mark_if_new("", &text, /*for_turn*/ true) && !decision.context.contains(&text) {
                    decision.context.push(text);
                }
            }
        }
        let texts = decision.notices.iter_mut().chain([&mut decision.reason]).chain(&mut decision.stop);
        redact_texts(self.redactor.as_ref(), texts);
    }
}
