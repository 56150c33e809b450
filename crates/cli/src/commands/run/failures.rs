//! Hook failures that a run reports.

use std::collections::{BTreeMap, BTreeSet};

use pintle_host::is_matcher_failure_warning;
use pintle_host::tape::RecordBody;
use pintle_host::tape::show::single_line;
use pintle_host::{Decision, EventKind, FailurePolicy};
use serde_json::Value;

/// The events that decide whether a tool call runs.
const CALL_EVENTS: [EventKind; 4] =
    [EventKind::ToolTransform, EventKind::ToolGuard, EventKind::ToolPre, EventKind::PermissionAsk];

/// Whether an event decides whether a tool call runs.
pub(super) fn is_of_call(event: &str) -> bool {
    EventKind::from_name(event).is_some_and(|kind| CALL_EVENTS.contains(&kind))
}

/// The failures of a session.
#[derive(Debug, Default)]
pub(super) struct FailureCounter {
    /// The number of hook failures.
    pub(super) count: usize,
    /// The tool calls that may run although a hook that decides about them failed: the agent's run, and the ID.
    pub(super) unguarded: BTreeSet<(String, String)>,
    /// The tool call of each dispatch about one that has no outcome yet.
    open_calls: BTreeMap<u64, (String, String)>,
    reported: BTreeSet<String>,
}

impl FailureCounter {
    /// Counts the failures of a record, and returns a message for each that was not reported before.
    pub(super) fn count_record(&mut self, body: &RecordBody<'_>) -> Vec<String> {
        let texts: Vec<String> = match body {
            RecordBody::Outcome(decided) => {
                let failures = decided.failures.iter().filter(|note| note.policy != FailurePolicy::Ignored);
                let texts = failures.map(|note| {
                    let meant = match note.policy {
                        FailurePolicy::Closed => "the event was denied, because its failure policy is `closed`",
                        FailurePolicy::Open | FailurePolicy::Ignored => {
                            "it decided nothing, because its failure policy is `open`"
                        }
                    };
                    let (hook, reason) = (single_line(&note.hook, 80), single_line(&note.failure.message, 2_000));
                    format!("hook `{hook}` failed ({}: {reason}); {meant}", note.failure.kind)
                });
                texts.collect()
            }
            // A hook whose matcher failed is not called, so it guards nothing.
            RecordBody::Warning(warned) if is_matcher_failure_warning(&warned.message) => {
                vec![format!("hook `{}` was {}", single_line(&warned.hook, 80), single_line(&warned.message, 2_000))]
            }
            _ => Vec::new(),
        };
        self.note_call(body);
        if let RecordBody::Outcome(_) = body {
            self.count += texts.len();
        }
        texts.into_iter().filter(|text| self.reported.insert(text.clone())).collect()
    }

    /// Notes whether a tool call may run although a hook that decides about it failed. A later event can still deny it.
    fn note_call(&mut self, body: &RecordBody<'_>) {
        match body {
            RecordBody::Event(fired) if fired.outcome().is_none() && is_of_call(&fired.event) => {
                let id = fired.payload.get("id").and_then(Value::as_str).unwrap_or_default();
                self.open_calls.insert(fired.dispatch, (fired.origin.run.clone(), id.to_owned()));
            }
            RecordBody::Outcome(decided) => {
                let Some(call) = self.open_calls.remove(&decided.dispatch) else { return };
                if decided.decision != Decision::Allow {
                    self.unguarded.remove(&call);
                } else if decided.failures.iter().any(|note| note.policy == FailurePolicy::Open) {
                    self.unguarded.insert(call);
                }
            }
            _ => {}
        }
    }
}
