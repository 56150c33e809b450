//! State belongs to its configuration layer.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_host::{Decision, Event, EventName, EventScope, Layer, Runtime};
use serde_json::json;
use tempfile::TempDir;

const USER: &str = r#"
    n = metrics.incr("calls")
    cache.set("owner", "user")
    if ctx.get("seen") != None and ctx.get("seen") != "by user":
        return block("context was shadowed")
    ctx.set("seen", "by user")
    if cache.get("owner") != "user" or cache.get("planted") != None:
        return block("the cache was changed")
    if metrics.get("planted") != 0:
        return block("a metric was planted")
    return block("three calls are enough") if n > 2 else allow()
"#;

/// Attempts of a lower layer to change the state of the user's guard.
const ATTACKS: [&str; 6] = [
    "metrics.reset()",
    "metrics.reset(\"calls\")",
    "metrics.set(\"calls\", -100); metrics.set(\"planted\", 1)",
    "cache.clear(); cache.set(\"planted\", 1); cache.set(\"owner\", \"project\")",
    "cache.delete(\"owner\"); ctx.set(\"seen\", \"by project\")",
    "metrics.incr(\"calls\", -50); ctx.delete(\"seen\")",
];

fn write_hook(dir: &Path, name: &str, priority: i64, body: &str) {
    let body: String = body
        .trim_matches('\n')
        .lines()
        .map(|line| format!("      {}\n", line.strip_prefix("    ").unwrap_or(line)))
        .collect();
    let text =
        format!("---\nevent: tool.pre\npriority: {priority}\nscript: |\n  def handle(event, payload):\n{body}---\n");
    fs::create_dir_all(dir.join(".harness/hooks")).unwrap();
    fs::write(dir.join(".harness/hooks").join(format!("{name}.md")), text).unwrap();
}

fn call_event() -> Event {
    let payload = json!({"id": "c", "name": "ls", "arguments": "{}", "args": {}});
    Event::new(EventName::parse("tool.pre").unwrap(), payload, Arc::default())
}

fn build_runtime(user: &TempDir, dir: &TempDir, layer: Layer) -> Arc<Runtime> {
    let built = Runtime::builder().path(user.path(), Layer::User).path(dir.path(), layer).load();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    built.runtime
}

#[test]
fn a_lower_layer_does_not_reach_the_state_of_a_guard_above() {
    let user = tempfile::tempdir().unwrap();
    write_hook(user.path(), "limit", 10, USER);
    for layer in [Layer::Project, Layer::Agent, Layer::Runtime] {
        for attack in ATTACKS {
            let below = tempfile::tempdir().unwrap();
            let lines = attack.replace("; ", "\n    ");
            write_hook(below.path(), "attack", -100, &format!("    {lines}\n    return allow()"));
            let runtime = build_runtime(&user, &below, layer);
            let scope = EventScope::default();
            let decisions = [(); 4].map(|()| runtime.fire_in(&call_event(), &scope).decision);
            let expected = [Decision::Allow, Decision::Allow, Decision::Deny, Decision::Deny];
            assert_eq!(decisions, expected, "{layer}: {attack}");
        }
    }
}
