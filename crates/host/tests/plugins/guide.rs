//! Every block of the plugin guide, loaded and fired.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pintle_host::{Decision, Effect};
use serde_json::{Value, json};

use crate::plugins::{describe_diagnostics, fire_event, load_hooks, write_files};

/// The blocks of the guide, by the file name in their first line.
fn guide_blocks() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/plugins.md");
    let page = fs::read_to_string(path).expect("the guide is there");
    let mut blocks = BTreeMap::new();
    for part in page.split("\n```").skip(1).step_by(2) {
        let body = part.split_once('\n').map_or("", |(_, body)| body);
        let name = body.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a block begins with its file");
        assert!(blocks.insert(name.to_owned(), body.to_owned()).is_none(), "{name} stands twice");
    }
    blocks
}

/// A block, an event, its payload, and what comes of it: `allow`, `deny: reason`, `remind: text`,
/// `command: text` or `content: text`.
fn guide_cases() -> Vec<(&'static str, &'static str, Value, &'static str)> {
    vec![
        ("tools.star", "tool.pre", json!({"name": "exec_root"}), "deny: exec is gated"),
        ("tools.star", "tool.pre", json!({"name": "fetch_page"}), "remind: Network fetch is about to run"),
        ("tools.star", "tool.pre", json!({"name": "think"}), "allow"),
        ("tools.star", "tool.post", json!({"name": "read_file", "content": " x \n"}), "content: x"),
        ("tools.star", "tool.post", json!({"name": "read_file", "content": " x ", "is_error": true}), "allow"),
        ("sessions.star", "prompt.submit", json!({"prompt": "a secret"}), "deny: policy violation: secret in prompt"),
        ("sessions.star", "prompt.submit", json!({"prompt": "hello"}), "allow"),
        (
            "sessions.star",
            "permission.ask",
            json!({"name": "exec_root", "args": {}}),
            "deny: exec_root never runs unattended",
        ),
        ("sessions.star", "permission.ask", json!({"name": "exec_user", "args": {}}), "allow"),
        ("sessions.star", "file.edited", json!({"path": "/a.rs", "operation": "edit"}), "allow"),
        (
            "steps.star",
            "step.pre",
            json!({"persona": "merge_captain", "step": "audit", "args": [1]}),
            "remind: Audit step is running",
        ),
        ("steps.star", "step.pre", json!({"persona": "triage", "step": "audit", "args": [1]}), "allow"),
        (
            "steps.star",
            "budget.threshold",
            json!({"percent": 85.0, "threshold_percent": 80.0, "previous_percent": 50.0}),
            "remind: Most of the budget is gone",
        ),
        ("patterns.star", "tool.pre", json!({"name": "fs.write"}), "deny: not here"),
        ("patterns.star", "tool.pre", json!({"name": "edit_file"}), "deny: not here"),
        ("patterns.star", "tool.pre", json!({"name": "delete_all"}), "deny: not here"),
        ("patterns.star", "tool.pre", json!({"name": "cat", "args": {"path": "/etc/passwd"}}), "deny: not here"),
        ("patterns.star", "tool.pre", json!({"name": "push", "args": {"force": true}}), "deny: not here"),
        ("patterns.star", "tool.pre", json!({"name": "push", "args": {"force": false}}), "allow"),
        ("limits.star", "tool.pre", json!({"name": "shell", "args": {"command": "mkfs /"}}), "deny: not that"),
        ("limits.star", "tool.pre", json!({"name": "shell", "args": {"command": "ls"}}), "command: timeout 60 ls 2>&1"),
        ("options.star", "tool.pre", json!({"name": "deploy"}), "allow"),
        ("options.star", "session.start", json!({"source": "startup"}), "allow"),
        ("harn.toml", "prompt.submit", json!({"prompt": "a secret"}), "deny: no secrets"),
        ("harn.toml", "prompt.submit", json!({"prompt": "hello"}), "allow"),
    ]
}

#[test]
fn every_block_of_the_guide_loads_and_does_what_the_text_says() {
    let blocks = guide_blocks();
    let files: Vec<(&str, &str)> = blocks.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let dir = write_files(&files);
    let cases = guide_cases();
    for name in blocks.keys().filter(|name| *name != "policy.star") {
        let built = load_hooks(&dir.path().join(name));
        assert_eq!(describe_diagnostics(&built, dir.path()), [""; 0], "{name}");
        let own: Vec<_> = cases.iter().filter(|(block, ..)| block == name).collect();
        assert!(!own.is_empty(), "nothing is fired at {name}");
        for (_, event, payload, wanted) in own {
            let outcome = fire_event(&built, event, payload.clone());
            assert_eq!(outcome.failures, [], "{name} {event} {payload}");
            let reminder = outcome.effects.iter().find_map(|(_, effect)| match effect {
                Effect::Reminder(reminder) => Some(format!("remind: {}", reminder.body)),
                _ => None,
            });
            let rewritten = |pointer: &str| outcome.payload.value().pointer(pointer).filter(|_| outcome.rewritten);
            let changed = [("command", "/args/command"), ("content", "/content")].into_iter();
            let changed = changed.filter_map(|(name, pointer)| Some((name, rewritten(pointer)?.as_str()?))).next();
            let shown = match (outcome.decision, reminder, changed) {
                (Decision::Deny, _, _) => {
                    let reason = outcome.reasons.first().map(|reason| reason.text.clone());
                    format!("deny: {}", reason.unwrap_or_default())
                }
                (_, Some(reminder), _) => reminder,
                (_, None, Some((name, text))) => format!("{name}: {text}"),
                _ => String::from("allow"),
            };
            assert_eq!(shown, *wanted, "{name} {event} {payload}");
        }
    }
    assert!(blocks.len() >= 7, "the blocks were not found");
}
