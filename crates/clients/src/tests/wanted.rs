//! Matchers over events.

use pintle_contract::{Codec, MatchResult, Matcher, Origin};
use pintle_testkit::example_event;
use serde_json::{Value, json};

use super::heard_event;
use crate::CLIENTS;
use crate::codec::ClientCodec;
use crate::matcher::{ClientMatcher, PermissionCondition, SubjectPattern};

fn matches_event(client: &str, event_name: &str, matcher: &str, condition: Option<&str>, payload: Value) -> bool {
    let client = CLIENTS.iter().find(|known| known.dialect == Some(client)).unwrap();
    let row = client.event_def(event_name).unwrap();
    let wanted = ClientMatcher {
        def: row,
        pattern: SubjectPattern::new(row.style.matcher, matcher).unwrap(),
        condition: condition.map(|text| PermissionCondition::new(text).unwrap()),
        alternate_names: client.settings.alternate_names,
    };
    wanted.matches(&heard_event(row, &example_event(row.canonical.unwrap().name(), payload))) == MatchResult::Yes
}

#[test]
fn matchers_see_the_tool_as_the_agent_spells_it() {
    let shell = || json!({"name": "shell", "args": {"command": "git push"}});
    let patch = || json!({"name": "patch", "args": {"patch": "*** Begin Patch\n*** End Patch\n"}});
    let server = || json!({"name": "mcp__memory__read", "args": {}});
    let cases = [
        ("claude_code", "PreToolUse", "Bash", None, shell(), true),
        ("claude_code", "PreToolUse", "shell", None, shell(), false),
        ("claude_code", "PreToolUse", "Edit|Write", None, shell(), false),
        ("claude_code", "PreToolUse", "mcp__memory__.*", None, server(), true),
        ("claude_code", "PreToolUse", "Bash", Some("Bash(git *)"), shell(), true),
        ("claude_code", "PreToolUse", "*", Some("Bash(rm *)"), shell(), false),
        ("claude_code", "SessionStart", "startup", None, json!({"source": "startup"}), true),
        ("claude_code", "SessionStart", "resume|clear", None, json!({"source": "startup"}), false),
        ("claude_code", "PreCompact", "manual", None, json!({"source": "manual"}), true),
        ("claude_code", "SessionEnd", "prompt_input_exit", None, json!({"reason": "exit"}), true),
        ("claude_code", "SubagentStop", "reviewer", None, json!({"agent": "reviewer"}), true),
        ("claude_code", "Notification", "idle_prompt", None, json!({"kind": "permission_prompt"}), false),
        ("codex", "PreToolUse", "^Bash$", None, shell(), true),
        ("codex", "PreToolUse", "Edit|Write", None, patch(), true),
        ("qwen", "PreToolUse", "Bash", None, shell(), true),
        ("qwen", "PreToolUse", "run_shell_command", None, shell(), true),
        ("gemini", "BeforeTool", "run_shell_.*", None, shell(), true),
        ("copilot", "preToolUse", "bash", None, shell(), true),
        ("copilot", "preToolUse", "ba", None, shell(), false),
        ("copilot", "PreToolUse", "Bash", None, shell(), true),
        ("cursor", "beforeShellExecution", "git", None, shell(), true),
        ("cursor", "beforeShellExecution", "npm", None, shell(), false),
        ("cursor", "preToolUse", "Shell", None, shell(), true),
    ];
    for (client, name, matcher, condition, payload, wanted) in cases {
        assert_eq!(
            matches_event(client, name, matcher, condition, payload),
            wanted,
            "{client} {name} {matcher} {condition:?}"
        );
    }
}

#[test]
fn an_event_that_is_narrower_there_is_not_the_others() {
    let post = |is_error: bool, executed: bool| json!({"name": "shell", "is_error": is_error, "executed": executed});
    let of_read = json!({"name": "read", "args": {"path": "x"}});
    let of_shell = json!({"name": "shell", "args": {"command": "x"}});
    let resumed = json!({"source": "resume", "previous_max_iterations": 5});
    let cases = [
        ("claude_code", "PostToolUse", "tool.post", post(false, true), true),
        ("claude_code", "PostToolUse", "tool.post", post(true, true), false),
        ("claude_code", "PostToolUse", "tool.post", post(false, false), false),
        ("claude_code", "PostToolUseFailure", "tool.post", post(true, true), true),
        ("claude_code", "PostToolUseFailure", "tool.post", post(true, false), false),
        ("claude_code", "PermissionDenied", "permission.reply", json!({"decision": "deny"}), true),
        ("claude_code", "PermissionDenied", "permission.reply", json!({"decision": "allow"}), false),
        ("claude_code", "SessionStart", "session.resume", json!({"source": "resume"}), true),
        ("claude_code", "SessionStart", "session.resume", resumed, false),
        ("claude_code", "SessionStart", "compact.post", json!({"reason": "threshold"}), true),
        ("claude_code", "SessionStart", "compact.post", json!({"host": {"client": "claude"}}), false),
        ("codex", "PostToolUse", "tool.post", post(true, true), true),
        ("cursor", "beforeShellExecution", "tool.pre", of_shell.clone(), true),
        ("cursor", "beforeShellExecution", "tool.pre", of_read.clone(), false),
        ("cursor", "beforeReadFile", "tool.pre", of_read, true),
        ("cursor", "beforeMCPExecution", "tool.pre", of_shell, false),
    ];
    for (client, name, canonical, payload, wanted) in cases {
        let def = CLIENTS.iter().find(|known| known.dialect == Some(client)).unwrap().event_def(name).unwrap();
        let means = def.event_filter.unwrap();
        assert_eq!(
            means(&heard_event(def, &example_event(canonical, payload.clone()))),
            wanted,
            "{client} {name} {payload}"
        );
    }
    let stop = CLIENTS[0].event_def("Stop").unwrap().event_filter.unwrap();
    let mut of_subagent = example_event("agent.stop", json!({}));
    assert!(stop(&of_subagent));
    of_subagent.origin = std::sync::Arc::new(Origin { run: String::from("r1"), ..Origin::default() });
    assert!(!stop(&of_subagent));
}

#[test]
fn the_result_of_a_command_has_the_fields_of_claude_code_in_every_agent() {
    let client = CLIENTS.iter().find(|known| known.dialect == Some("claude_code")).unwrap();
    let def = client.event_def("PostToolUse").unwrap();
    let codec = ClientCodec { client, project: None, plugin: None, needs_answer: false, needs_json: false };
    for (name, args) in [("shell", json!({"command": "ls"})), ("run_command", json!({"command": "ls"}))] {
        let payload =
            json!({"call_id": "c", "name": name, "args": args, "content": "a", "result": "a", "is_error": false});
        let written =
            codec.encode(&heard_event(def, &example_event(def.canonical.unwrap().name(), payload)), def.name).unwrap();
        assert_eq!(written["tool_response"]["stdout"], "a", "{name}: {written}");
    }
}
