//! Detects a model that repeats the same tool calls, as docker-agent does.

use serde_json::Value;

use crate::model::ModelToolCall;

/// Tools that may be called repeatedly to wait for something.
const POLLING: [&str; 3] = ["view_background_agent", "list_background_agents", "view_background_job"];

/// Counts identical batches of tool calls in a row.
#[derive(Debug, Default)]
pub(crate) struct LoopDetector {
    last: Vec<(String, Value)>,
    count: u32,
}

impl LoopDetector {
    /// Records a batch of calls. The batch that makes `limit` identical ones in a row ends the turn with the returned
    /// message. 0 means no limit.
    pub(crate) fn record_batch(&mut self, calls: &[ModelToolCall], limit: u32) -> Option<String> {
        if limit == 0 || calls.is_empty() || calls.iter().all(|call| POLLING.contains(&call.name.as_str())) {
            return None;
        }
        // Parsed objects compare equal whatever the order of their keys.
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
