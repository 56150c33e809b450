//! Decisions that stand behind something else, such as a log line.

use serde_json::{Map, Value};

use super::key::spelled;

/// How many beginnings of an object are looked at.
const MOST_TRIES: usize = 64;

/// Whether a text that is no object holds one that wants to decide.
pub(super) fn holds_decision(text: &str) -> bool {
    let mut rest = text;
    for _ in 0..MOST_TRIES {
        let Some(at) = rest.find('{') else { return false };
        let candidate = rest.get(at..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(candidate).into_iter::<Map<String, Value>>();
        let passed = match stream.next() {
            Some(Ok(object)) if decides(&object) => return true,
            Some(Ok(_)) => stream.byte_offset(),
            Some(Err(_)) | None => 1,
        };
        rest = candidate.get(passed..).unwrap_or_default();
    }
    // More beginnings than a log line has: the words alone decide.
    ["\"decision\"", "\"permission_decision\"", "\"permissionDecision\"", "\"continue\""]
        .iter()
        .any(|word| rest.contains(word))
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
        ] {
            assert_eq!(holds_decision(text), wanted, "{text}");
        }
        assert!(holds_decision(&format!("{} {{\"decision\":\"block\"}}", "{".repeat(MOST_TRIES))));
        assert!(!holds_decision(&"{".repeat(MOST_TRIES * 2)));
    }
}
