//! Handlers of a plugin in the loop: they keep the state of their module, run concurrently and in delegations, and fail
//! by the policy of their event.

use std::sync::Arc;

use pintle_host::contract::AgentSpec;
use serde_json::json;

use crate::plugins::plugin::*;
use crate::plugins::stage::open_fixture_on;
use crate::support::{QueuedReplyModel, agent, call, say};

#[test]
fn handler_finds_siblings_and_constants_after_its_file_is_gone() {
    let plugin = r#"
WORDS = ["mkfs", "shutdown"]
REASON = "refused: "

def why(word):
    return REASON + word

def pre(event):
    for word in WORDS:
        if word in str(event["tool"]["args"]):
            return {"deny": why(word)}

register_tool_hook({"pattern": "exec_*", "pre": pre})
"#;
    let calls = [("exec_ls", r#"{"path":"mkfs"}"#), ("exec_ls", "{}"), ("exec_ls", r#"{"path":"shutdown now"}"#)];
    let mut fixture = open_with_plugin(plugin, [call(&calls), say("done")]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.sorted_tools_run(), ["exec_ls {}"]);
    let results = fixture.results();
    assert!(results[0].contains("refused: mkfs") && results[2].contains("refused: shutdown"), "{results:?}");
}

#[test]
fn a_plugin_rules_on_parallel_calls_and_below_delegations() {
    let plugin = "register_tool_hook({\"pattern\": \"exec_*\", \"deny\": \"exec is gated\"})\n";
    let child = AgentSpec { name: String::from("reviewer"), ..agent() };
    let root = AgentSpec { agents: vec![Arc::new(child)], ..agent() };
    let several: Vec<(&str, &str)> = vec![("exec_ls", "{}"), ("look", "{}"), ("exec_root", "{}"), ("fetch_page", "{}")];
    let model = QueuedReplyModel::root([
        call(&several),
        call(&[("delegate", r#"{"agent":"reviewer","task":"look"}"#)]),
        say("done"),
    ]);
    model.add("reviewer", [call(&[("exec_root", "{}")]), say("sound")]);
    let mut fixture = open_with_files(&[("policy.star", plugin)], "policy.star", model, root, |builder| builder);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.sorted_tools_run(), ["fetch_page {}", "look {}"]);
    assert_eq!(fixture.hooks_called("tool.pre").len(), 3, "two of the root's calls and the child's");
}

#[test]
fn several_threads_fire_at_one_plugin() {
    let plugin = "LIMIT = 3\n\n\ndef pre(event):\n    if event[\"tool\"][\"args\"][\"n\"] > LIMIT:\n        \
                  return {\"deny\": str(event[\"tool\"][\"args\"][\"n\"])}\n\n\n\
                  register_tool_hook({\"pattern\": \"look\", \"pre\": pre})\n";
    let built = load_plugin(&[("policy.star", plugin)], "policy.star");
    let runtime = &built.runtime;
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            scope.spawn(move || {
                for turn in 0..50 {
                    let n = thread * 100 + turn;
                    let name = pintle_host::EventName::parse("tool.pre").unwrap();
                    let payload = json!({"id": "1", "name": "look", "args": {"n": n}});
                    let outcome = runtime.fire(&pintle_host::Event::new(name, payload, Arc::default()));
                    assert_eq!(outcome.denies_event(), n > 3, "{n}");
                }
            });
        }
    });
}

#[test]
fn a_failing_handler_denies_where_it_could_have_and_is_told_elsewhere() {
    let failing = "SEEN = {}\n\n\ndef count(event):\n    SEEN[\"n\"] = 1\n\n\n";
    let cases = [
        ("register_tool_hook({\"pattern\": \"look\", \"pre\": count})\n", true),
        ("register_session_hook(\"post_turn\", count)\n", false),
    ];
    for (registration, denies) in cases {
        let files = format!("{failing}{registration}");
        // Changing a frozen value is impossible in this process, and the script worker reports the same error.
        let built = load_plugin(&[("policy.star", &files)], "policy.star");
        let faults: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
        assert!(faults.is_empty(), "{faults:?}");
        let replies = [call(&[("look", "{}")]), say("done")];
        let mut fixture = open_fixture_on(built.runtime, QueuedReplyModel::root(replies), agent(), |builder| builder);
        fixture.session.turn("go").unwrap();
        assert_eq!(fixture.sorted_tools_run().is_empty(), denies, "{registration}");
        let returned = fixture.records_about("policy.star:8 count", &["hook_returned"]);
        let hook = if returned.is_empty() { fixture.records_about("", &["hook_returned"]) } else { returned };
        assert!(hook[0].to_string().contains("this value cannot be changed"), "{}", hook[0]);
    }
}

#[test]
fn a_plugin_that_cannot_be_loaded_registers_nothing_and_says_where() {
    let cases = [
        ("register_tool_hook({\"patern\": \"exec_*\", \"deny\": \"x\"})\n", "pattern"),
        ("register_tool_hook({\"pattern\": \"exec_*\", \"dney\": \"x\"})\n", "deny"),
        ("register_session_hook(\"user_prompt_submitt\", lambda event: None)\n", "user_prompt_submit"),
        ("register_session_hook(\"post_turn\", lambda harness, event: None)\n", "one"),
        ("register_tool_hook({\"pattern\": \"tool.name =~ '['\", \"deny\": \"x\"})\n", "["),
        ("for a in range(1000000000):\n    pass\n", "steps"),
    ];
    for (plugin, told) in cases {
        let built = load_plugin(&[("policy.star", plugin)], "policy.star");
        assert!(built.has_errors(), "{plugin}");
        assert!(built.declarations().next().is_none(), "{plugin}");
        let found = built.diagnostics.iter().find(|found| found.severity == pintle_host::Severity::Error).unwrap();
        assert_eq!(found.location.line_column().map(|at| at.0), Some(1), "{plugin}");
        let text = format!("{found} {}", found.help.as_deref().unwrap_or_default());
        assert!(text.contains(told) || told == "steps", "{plugin}{text}");
    }
}
