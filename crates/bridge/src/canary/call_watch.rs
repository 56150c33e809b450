//! Records which hooks a test call reached, and what they returned.

use std::sync::{Mutex, PoisonError};

use pintle_host::contract::{CallId, DispatchId, EnforcementMode, JournalEntry, VerdictKind};
use pintle_host::{Decision, Hook, Journal};
use serde::{Deserialize, Serialize};

use crate::HostDecision;

/// The verdict of the hooks on a test call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CanaryVerdict {
    /// Whether the call was denied or the user would have been asked, and why.
    pub(crate) refusal: Option<String>,
    /// The hooks that were called.
    pub(crate) called: Vec<String>,
    /// The hooks that denied or asked.
    pub(crate) refused_by: Vec<String>,
    /// The hooks that gave no verdict, each with its error.
    pub(crate) failed: Vec<(String, String)>,
}

/// The journal of a test call.
#[derive(Debug, Default)]
pub(crate) struct CallWatch(Mutex<CanaryVerdict>);

impl CallWatch {
    /// The verdict, with the combined decision.
    pub(crate) fn take_verdict(&self, decision: HostDecision) -> CanaryVerdict {
        let refusal = (decision.decision != Decision::Allow).then_some(decision.reason);
        let seen = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        CanaryVerdict { refusal, ..seen }
    }

    fn note(&self, list: fn(&mut CanaryVerdict) -> &mut Vec<String>, hook: &Hook) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (names, name) = (list(&mut seen), hook.id.to_string());
        if !names.contains(&name) {
            names.push(name);
        }
    }

    fn note_failure(&self, hook: &Hook, message: &str) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.failed.iter().all(|(name, _)| name != hook.id.as_str()) {
            seen.failed.push((hook.id.to_string(), message.to_owned()));
        }
    }
}

impl Journal for CallWatch {
    fn begin_dispatch(&self, _event: &JournalEntry<'_>) -> DispatchId {
        DispatchId::default()
    }

    fn record(&self, _dispatch: DispatchId, entry: &JournalEntry<'_>) {
        match entry {
            JournalEntry::Call { hook, .. } => self.note(|seen| &mut seen.called, hook),
            JournalEntry::Return { hook, verdict, .. } => match &verdict.kind {
                VerdictKind::Deny { .. } | VerdictKind::Ask { .. } if hook.mode == EnforcementMode::Enforce => {
                    self.note(|seen| &mut seen.refused_by, hook);
                }
                VerdictKind::Failed(failure) => self.note_failure(hook, &failure.message),
                _ => {}
            },
            JournalEntry::MatcherFailed { hook, failure, .. } | JournalEntry::NotCalled { hook, failure, .. } => {
                self.note_failure(hook, &failure.message);
            }
            _ => {}
        }
    }

    fn next_call(&self) -> CallId {
        CallId::default()
    }
}
