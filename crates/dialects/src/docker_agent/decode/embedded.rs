//! Finds decisions within other output, such as after a log line.

use serde_json::{Map, Value};

use super::key::find_key;
use pintle_clients::program_output::find_objects;

/// Whether plain text contains an object that is meant to decide.
pub(super) fn contains_decision(text: &str) -> bool {
    let objects = find_objects(text);
    // There are more possible objects than log output has; a deciding key alone counts as a decision.
    objects.repeated_key.is_some()
        || objects.found.iter().any(can_decide)
        || objects.unread_text.is_some_and(|rest| {
            ["\"decision\"", "\"permission_decision\"", "\"permissionDecision\"", "\"continue\""]
                .iter()
                .any(|word| rest.contains(word))
        })
}

fn can_decide(object: &Map<String, Value>) -> bool {
    object.keys().any(|word| find_key(word).is_some_and(|(key, _)| key.can_decide))
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
            assert_eq!(contains_decision(text), wanted, "{text}");
        }
        assert!(contains_decision(&format!("{} {{\"decision\":\"block\"}}", "{".repeat(64))));
        assert!(!contains_decision(&"{".repeat(128)));
    }
}
