//! Notices a model that makes the same calls again and again (docker-agent behaviour, section 6.6).

use serde_json::Value;

use crate::model::ModelToolCall;

/// Tools that are called again and again while something else is waited for.
const POLLING: [&str; 3] = ["view_background_agent", "list_background_agents", "view_background_job"];

/// Counts identical batches of tool calls in a row.
#[derive(Debug, Default)]
pub(super) struct LoopDetector {
    last: Vec<(String, Value)>,
    count: u32,
}

impl LoopDetector {
    /// Takes a batch that was called. Gives what there is to say when it is one too many: so many in a row are allowed
    /// as `limit` says, and the one that reaches it ends the turn. 0 is no limit.
    pub(super) fn record_batch(&mut self, calls: &[ModelToolCall], limit: u32) -> Option<String> {
        if limit == 0 || calls.is_empty() || calls.iter().all(|call| POLLING.contains(&call.name.as_str())) {
            return None;
        }
        // Objects compare whatever the order of their keys.
        let arguments = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        let batch: Vec<_> = calls.iter().map(|call| (call.name.clone(), arguments(&call.arguments))).collect();
        self.count = if batch == self.last { self.count + 1 } else { 1 };
        self.last = batch;
        let tool = calls.first().map(|call| call.name.as_str()).unwrap_or_default();
        (self.count >= limit).then(|| {
            format!(
                "Agent terminated: detected {} consecutive identical calls to {tool}. This indicates a degenerate loop \
                 where the model is not making progress.",
                self.count
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call_batch(text: &str) -> Vec<ModelToolCall> {
        let call = |part: &str| {
            let (name, arguments) = part.split_once(' ').unwrap_or((part, ""));
            ModelToolCall { id: String::new(), name: name.to_owned(), arguments: arguments.to_owned() }
        };
        text.split(" + ").map(call).collect()
    }

    #[test]
    fn only_identical_batches_in_a_row_count() {
        let cases: &[(&[&str], u32, Option<usize>)] = &[
            (&["a {}", "a {}", "a {}"], 3, Some(2)),
            (&[r#"a {"x":1,"y":2}"#, r#"a {"y":2,"x":1}"#], 2, Some(1)),
            (&["a {}", "b {}", "a {}", "a {}"], 3, None),
            (&["a {} + b {}", "b {} + a {}"], 2, None),
            (&["a {broken", "a {broken"], 2, Some(1)),
            (&["a {}", "view_background_agent {}", "a {}"], 2, Some(2)),
            (&["view_background_agent {}", "view_background_agent {}"], 2, None),
            (&["a {}", "a {}", "a {}"], 0, None),
        ];
        for (batches, limit, expected) in cases {
            let mut loops = LoopDetector::default();
            let found = batches.iter().position(|text| loops.record_batch(&call_batch(text), *limit).is_some());
            assert_eq!(found, *expected, "{batches:?} with {limit}");
        }
        let mut loops = LoopDetector::default();
        loops.record_batch(&call_batch("a {}"), 2);
        assert_eq!(
            loops.record_batch(&call_batch("a {}"), 2).unwrap(),
            "Agent terminated: detected 2 consecutive identical calls to a. This indicates a degenerate loop where the \
             model is not making progress."
        );
    }
}
