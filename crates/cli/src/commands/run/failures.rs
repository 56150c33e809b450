//! Hook failures that a run reports.

use std::collections::BTreeSet;

use pintle::FailurePolicy;
use pintle::internals::is_matcher_failure_warning;
use pintle::tape::RecordBody;
use pintle::tape::show::single_line;

/// The failures of a session.
#[derive(Debug, Default)]
pub(super) struct FailureCounter {
    /// The number of hook failures.
    pub(super) count: usize,
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
        if let RecordBody::Outcome(_) = body {
            self.count += texts.len();
        }
        texts.into_iter().filter(|text| self.reported.insert(text.clone())).collect()
    }
}
