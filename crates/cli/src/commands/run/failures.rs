//! Hooks that gave no answer, as a run tells of them.

use std::collections::BTreeSet;

use pintle::tape::RecordBody;
use pintle::tape::show::single_line;
use pintle::{FailurePolicy, is_matcher_failure_warning};

/// The failures of a session.
#[derive(Debug, Default)]
pub(super) struct FailureCounter {
    /// How often a hook gave no answer.
    pub(super) count: usize,
    reported: BTreeSet<String>,
}

impl FailureCounter {
    /// Counts what a record tells of, and gives a sentence for each failure that is told for the first time.
    pub(super) fn count_record(&mut self, body: &RecordBody<'_>) -> Vec<String> {
        let texts: Vec<String> = match body {
            RecordBody::Outcome(decided) => {
                let failures = decided.failures.iter().filter(|note| note.policy != FailurePolicy::Ignored);
                let texts = failures.map(|note| {
                    let meant = match note.policy {
                        FailurePolicy::Closed => "it fails closed and denies",
                        FailurePolicy::Open | FailurePolicy::Ignored => "it fails open and decided nothing",
                    };
                    let (hook, why) = (single_line(&note.hook, 80), single_line(&note.failure.message, 2_000));
                    format!("hook `{hook}` failed ({}: {why}); {meant}", note.failure.kind)
                });
                texts.collect()
            }
            // A hook that is passed over guards nothing.
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
