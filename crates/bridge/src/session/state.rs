//! The state of a session between two calls.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use pintle_host::Layer;
use pintle_host::LayerState;
use pintle_host::contract::to_hex;
use pintle_host::event::{LogLine, ToolCall, ToolResult};
use pintle_host::loader::{ProjectTrust, TrustGrant};
use pintle_host::tape::TapeCursor;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::newest_items::NewestItems;
use crate::HostEventData;

/// The most calls of a turn that are kept for `agent.stop` and `turn.end`; the newest are kept.
const MOST_CALLS: usize = 64;
/// The most log lines of a turn that are kept between calls; the newest are kept.
const MOST_LINES: usize = 256;
/// The most bytes of a result that are kept.
const MOST_RESULT_BYTES: usize = 2_000;

/// The state of a session between two calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct HostSessionState {
    /// The end of the tape.
    pub(crate) cursor: Option<TapeCursor>,
    /// The branch of the tape that was merged last. It may still exist.
    pub(crate) merged_branch: Option<String>,
    /// The state of scripts for the session and the turn, by configuration layer.
    pub(crate) layers: BTreeMap<Layer, LayerState>,
    /// The log lines of scripts in the turn.
    pub(crate) logs: NewestItems<LogLine>,
    /// The finished calls of the turn, each with its result.
    pub(crate) calls: NewestItems<(ToolCall, ToolResult)>,
    pub(crate) facts: SessionFacts,
}

/// What changes with some of the calls of a session only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SessionFacts {
    /// Whether the host reported the end of the session, and no call began since.
    pub(crate) has_ended: bool,
    /// The directory in which the session started. An agent cannot get other hooks by changing its directory.
    pub(crate) project: String,
    /// The guards that ran without trust, by project directory. An agent must not gain anything by changing or removing
    /// one.
    pub(crate) session_guards: BTreeMap<PathBuf, TrustGrant>,
    /// The number of turns so far.
    pub(crate) turn: u32,
    pub(crate) started_ms: u64,
    pub(crate) turn_started_ms: u64,
    /// The texts that the model already has: for the session, and for this turn.
    pub(crate) sent_texts: BTreeSet<String>,
    pub(crate) sent_texts_in_turn: BTreeSet<String>,
    /// Context that could not be passed to the model at the event of its hook.
    pub(crate) pending_context: Vec<String>,
    /// The reason why the session is denied, if a hook denied its start.
    pub(crate) session_denial: Option<String>,
    /// The reason why the turn has ended, if a hook ended it and the host could not.
    pub(crate) turn_stop_reason: Option<String>,
    /// The number of continuations by hooks in this turn, by run.
    pub(crate) continuations: BTreeMap<String, u32>,
    /// The reason with which hooks made the agent continue. Some hosts send it to their prompt event as if it were a
    /// prompt.
    pub(crate) continuation_reason: Option<String>,
    /// Whether the host started a new turn with that reason, and so resets its count.
    pub(crate) is_hook_continuation: bool,
    /// The text that hooks left of results that the host could not change, by run.
    pub(crate) withheld_results: Vec<(String, String)>,
    /// The prompt with which the turn began, once its hooks have run.
    pub(crate) prompt: String,
}

impl Deref for HostSessionState {
    type Target = SessionFacts;

    fn deref(&self) -> &SessionFacts {
        &self.facts
    }
}

impl DerefMut for HostSessionState {
    fn deref_mut(&mut self) -> &mut SessionFacts {
        &mut self.facts
    }
}

impl HostSessionState {
    /// Begins a call. Returns whether anything changed.
    pub(crate) fn begin_call(&mut self, event: &HostEventData, project: &Path, now_ms: u64) -> bool {
        let is_first = self.project.is_empty();
        if is_first {
            self.project = project.display().to_string();
            self.started_ms = now_ms;
        }
        let went_on = std::mem::take(&mut self.has_ended);
        let prompt = match event {
            HostEventData::Prompt { text, .. } => Some(text),
            _ => None,
        };
        if let Some(prompt) = prompt
            && !self.is_hook_continuation(prompt)
        {
            self.begin_turn(now_ms);
        }
        is_first || went_on || prompt.is_some()
    }

    /// Starts a turn, and resets the state of the previous one. Whether that was stopped is left to the hooks of the prompt.
    fn begin_turn(&mut self, now_ms: u64) {
        self.turn = self.turn.saturating_add(1);
        self.turn_started_ms = now_ms;
        self.prompt.clear();
        self.layers.values_mut().for_each(|state| state.scratch.clear());
        self.logs.clear();
        self.sent_texts_in_turn.clear();
        self.continuations.clear();
        self.continuation_reason = None;
        self.withheld_results.clear();
        self.is_hook_continuation = false;
        self.calls.clear();
    }

    /// Whether a prompt is not the user's but the reason with which hooks made the agent continue, so that the turn
    /// continues.
    fn is_hook_continuation(&mut self, prompt: &str) -> bool {
        self.is_hook_continuation =
            self.continuation_reason.as_deref().is_some_and(|reason| !reason.is_empty() && prompt.contains(reason));
        self.is_hook_continuation
    }

    /// Updates the guards that run without trust. Guards of a project that is trusted by now are removed. Returns
    /// whether anything changed.
    pub(crate) fn update_guards(&mut self, projects: &[ProjectTrust]) -> bool {
        let kept = self.session_guards.clone();
        for project in projects {
            let before = self.session_guards.remove(project.folder());
            let known = TrustGrant::for_session(project.state, &project.manifest, before.as_ref());
            self.session_guards.extend(known.map(|known| (project.folder().to_owned(), known)));
        }
        self.session_guards != kept
    }

    /// Forgets which texts the model has, because the conversation was replaced.
    pub(crate) fn clear_sent(&mut self) {
        self.sent_texts.clear();
        self.sent_texts_in_turn.clear();
    }

    /// Whether the model does not have a text yet; marks it as sent. `for_turn` is a text for this turn only.
    pub(crate) fn mark_if_new(&mut self, run: &str, text: &str, for_turn: bool) -> bool {
        let key = text_key(run, text);
        if self.sent_texts.contains(&key) {
            return false;
        }
        if for_turn { self.sent_texts_in_turn.insert(key) } else { self.sent_texts.insert(key) }
    }

    /// Adds log lines of the turn.
    pub(crate) fn add_logs(&mut self, lines: Vec<LogLine>) {
        lines.into_iter().for_each(|line| self.logs.push(line, MOST_LINES));
    }

    /// The finished calls of the turn, and their results.
    pub(crate) fn calls_and_results(&self) -> (Vec<ToolCall>, Vec<ToolResult>) {
        self.calls.to_vec().into_iter().unzip()
    }

    /// Keeps a finished call for the end of the turn.
    pub(crate) fn add_call(&mut self, call: ToolCall, mut result: ToolResult) {
        if result.content.len() > MOST_RESULT_BYTES {
            let end = (0..=MOST_RESULT_BYTES).rev().find(|end| result.content.is_char_boundary(*end)).unwrap_or(0);
            result.content.truncate(end);
            result.content.push_str(" [cut]");
            result.result = Value::String(result.content.clone());
        }
        self.calls.push((call, result), MOST_CALLS);
    }
}

fn text_key(run: &str, text: &str) -> String {
    let digest = Sha256::new().chain_update(run).chain_update([0]).chain_update(text).finalize();
    to_hex(digest.get(..12).unwrap_or(&digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_given_once_a_session_or_once_a_turn() {
        let mut state = HostSessionState::default();
        assert!(state.mark_if_new("", "stays", false) && !state.mark_if_new("", "stays", false));
        assert!(state.mark_if_new("", "turn", true) && !state.mark_if_new("", "turn", true));
        assert!(state.mark_if_new("subagent", "stays", false), "another agent has another conversation");
        state.begin_turn(1);
        assert!(!state.mark_if_new("", "stays", true) && state.mark_if_new("", "turn", true));
        state.clear_sent();
        assert!(state.mark_if_new("", "stays", false));
    }

    #[test]
    fn a_long_turn_is_kept_in_bounds() {
        let mut state = HostSessionState::default();
        for _ in 0..100 {
            let result = ToolResult::new("c", "shell", Value::from("\u{fc}".repeat(3_000)), false);
            state.add_call(ToolCall::new("c", "shell", Value::Null), result);
        }
        let calls = state.calls.to_vec();
        assert_eq!(calls.len(), MOST_CALLS);
        assert!(calls.iter().all(|(_, result)| result.content.len() <= MOST_RESULT_BYTES + 6));
        let line = |number: usize| LogLine { message: number.to_string(), ..LogLine::default() };
        state.add_logs((0..MOST_LINES + 5).map(line).collect());
        let logs = state.logs.to_vec();
        assert_eq!((logs.len(), logs.first()), (MOST_LINES, Some(&line(5))));
        state.add_logs(vec![line(1)]);
        let logs = state.logs.to_vec();
        assert_eq!((logs.first(), logs.last()), (Some(&line(6)), Some(&line(1))));
    }
}
