//! Decisions that stand behind something else, such as a log line.

use serde_json::{Map, Value};

use super::key::spelled;
use crate::printed::objects;

/// Whether a text that is no object holds one that wants to decide.
pub(super) fn holds_decision(text: &str) -> bool {
    let objects = objects(text);
    // More beginnings than a log line has: the words alone decide.
    objects.repeated_key.is_some()
        || objects.found.iter().any(decides)
        || objects.rest.is_some_and(|rest| {
            ["\"decision\"", "\"permission_decision\"", "\"permissionDecision\"", "\"continue\""]
                .iter()
                .any(|word| rest.contains(word))
        })
}

fn decides(object: &Map<String, Value>) -> bool {
    object.keys().any(|word| spelled(word).is_some_and(|(key, _)| key.decides))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_found_wherever_it_stands() {
        for (text, wanted) in [
            ("checking\n{\"decision\":\"block\"}", true),
            ("log: {\"continue\":false} done", true),
            ("[{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}]", true),
            ("a { b {\"x\":1} {\"decision\":\"block\"}", true),
            ("{\"x\":1}\n{\"permission_decision\":\"deny\"}", true),
            ("nothing here", false),
            ("{\"x\":{\"decision\":\"block\"}}", false),
            ("set {a, b}", false),
            ("a \\\"decision\\\": b", false),
            ("log {\"a\":1,\"\\u0061\":2}", true),
        ] {
            assert_eq!(holds_decision(text), wanted, "{text}");
        }
        assert!(holds_decision(&format!("{} {{\"decision\":\"block\"}}", "{".repeat(64))));
        assert!(!holds_decision(&"{".repeat(128)));
    }
}
