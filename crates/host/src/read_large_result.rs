//! Reads tool results that a built-in wrote to files.

use std::io;

use crate::Runtime;

impl Runtime {
    /// Reads a large tool result that a built-in hook of this runtime wrote to a file in a session
    /// (`limit_large_tool_results`). `None` for any other file: the path must be the one that the model got.
    #[must_use]
    pub fn read_large_result(&self, session: &str, path: &str) -> Option<io::Result<String>> {
        self.parts.handler_factory.read_large_result(session, path)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use pintle_contract::{Event, EventName, HookDeclaration, Layer, Origin};
    use serde_json::{Value, json};

    use super::*;
    use crate::{EventScope, HookOverlay};

    const LIMITER: &str = "tool_response_transform:\n  - hooks: [{type: builtin, command: limit_large_tool_results}]\n\
                           session_end: [{type: builtin, command: limit_large_tool_results}]\n";

    fn build_event(name: &str, payload: Value) -> Event {
        let origin = Origin { session: String::from("one"), ..Origin::default() };
        Event::new(EventName::parse(name).unwrap(), payload, Arc::new(origin))
    }

    #[test]
    fn runtimes_with_equal_session_names_share_no_stored_results() {
        let dir = tempfile::tempdir().unwrap();
        let hooks = dir.path().join("hooks.yaml");
        std::fs::write(&hooks, LIMITER).unwrap();
        let [first, second] = [0; 2].map(|_| Runtime::builder().path(&hooks, Layer::User).load());
        assert!(!first.has_errors(), "{:?}", first.diagnostics);
        let (declarations, first, second) = (first.declarations, first.runtime, second.runtime);
        let text = "x".repeat(60_000);
        let result = json!({"call_id": "1", "name": "shell", "content": text, "result": text, "is_error": false,
            "category": "shell"});
        let outcome = first.fire(&build_event("tool.result", result));
        let content = outcome.payload.field("content").and_then(Value::as_str).unwrap();
        let path = content.split("available in a file: ").nth(1).unwrap().lines().next().unwrap();
        assert_eq!(first.read_large_result("one", path).unwrap().unwrap().len(), 60_000);
        assert!(second.read_large_result("one", path).is_none());
        let _ = second.fire(&build_event("session.end", json!({})));
        assert!(Path::new(path).exists());
        // Hooks of an agent are compiled later, and belong to the same runtime.
        let other = Runtime::builder().build().unwrap();
        let ends = declarations.iter().filter(|hook| hook.event.as_str() == "session.end");
        let ends: Vec<_> = ends.map(|hook| HookDeclaration::clone(hook)).collect();
        for (runtime, is_kept) in [(&second, true), (&first, false)] {
            let (chains, _) = runtime.compile_chains("agent", Layer::Agent, &ends);
            let scope = EventScope { overlay: Arc::new(HookOverlay::new(chains)), ..EventScope::default() };
            let _ = other.fire_in(&build_event("session.end", json!({})), &scope);
            assert_eq!(Path::new(path).exists(), is_kept);
        }
        assert!(first.read_large_result("one", path).is_none());
    }
}
