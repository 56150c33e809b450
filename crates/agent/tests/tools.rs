//! Tool calls: pairing of events, arguments, policy, and the effects of hooks.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support;

use std::sync::Arc;

use pintle_agent::model::ModelTool;
use pintle_agent::{AgentEvent, Observer, Tool, ToolCallEnd, ToolContext, ToolError};
use pintle_host::Verdict;
use pintle_host::contract::{AgentSpec, PolicyMode, ToolsPolicy};
use serde_json::{Value, json};
use support::*;

fn agent_with_policy(mode: PolicyMode, allow: &[&str], deny: &[&str]) -> AgentSpec {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    AgentSpec { policy: ToolsPolicy { mode, allow: owned(allow), deny: owned(deny) }, ..agent() }
}

/// Runs one message's calls and returns the contents of their results.
fn call_results(
    calls: &[(&str, &str)],
    hooks: Vec<pintle_host::Hook>,
    spec: AgentSpec,
) -> (Vec<(String, bool)>, AgentFixture) {
    let mut fixture = open_fixture(QueuedReplyModel::root([call(calls), say("end")]), hooks, spec);
    let answer = fixture.session.turn("go").unwrap();
    let results = answer.tool_results.into_iter().map(|result| (result.content, result.is_error)).collect();
    (results, fixture)
}

#[test]
fn every_call_is_one_pre_and_one_post_whatever_becomes_of_it() {
    let guard = hook("guard", "tool.pre", |call| match call.event.subject() {
        Some("shell") => Verdict::deny("no shells"),
        _ => Verdict::pass(),
    });
    let calls = [
        ("list", "{}"),
        ("read", r#"{"path":"missing"}"#),
        ("shell", r#"{"command":"id"}"#),
        ("raed", "{}"),
        ("write", r#"{"path":"a","content":"b"}"#),
        ("read", "{broken"),
        ("read", ""),
        ("glob", r#"{"pattern":"*","path":7,"x":1}"#),
    ];
    let (results, fixture) =
        call_results(&calls, vec![guard], agent_with_policy(PolicyMode::Denylist, &[], &["write"]));
    let error = |text: &str| (text.to_owned(), true);
    let expected = [
        (String::from("[]"), false),
        error("tool error: `missing` does not exist; list its directory to see what does"),
        error("tool blocked: no shells"),
        error("tool \"raed\" not found; did you mean \"read\"?"),
        error("tool \"write\" denied by policy"),
        error(
            "tool \"read\" was not called: the arguments are not valid JSON: key must be a string at line 1 column 2",
        ),
        error("tool \"read\" was not called: `path` is required"),
        error("tool error: `7` does not exist; list its directory to see what does"),
    ];
    assert_eq!(results, expected);
    let ids = |event: &str, field: &str| {
        let mut ids: Vec<String> =
            fixture.seen.payloads_of(event).iter().map(|seen| seen[field].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    let all: Vec<String> = (1..=8).map(|id| id.to_string()).collect();
    assert_eq!(ids("tool.pre", "id"), all);
    assert_eq!(ids("tool.post", "call_id"), all);
    let broken = fixture.seen.payloads_of("tool.pre").into_iter().find(|pre| pre["id"] == "6").unwrap();
    assert_eq!((&broken["args"], &broken["arguments"]), (&json!({}), &json!("{broken")));
    assert!(broken["invalid"].as_str().unwrap().contains("not valid JSON"));
    let coerced = fixture.seen.payloads_of("tool.pre").into_iter().find(|pre| pre["id"] == "8").unwrap();
    assert_eq!(coerced["args"], json!({"pattern": "*", "path": "7", "x": 1}));
    assert_eq!(coerced["arguments"], json!(r#"{"pattern":"*","path":7,"x":1}"#), "as the model wrote them");
    let failed = fixture.seen.payloads_of("tool.post").into_iter().find(|post| post["call_id"] == "3").unwrap();
    assert_eq!(failed["error"], json!("tool blocked: no shells"));
    assert!(failed.get("duration_ms").is_none(), "a blocked tool did not run");
}

/// Keeps how each call ended.
#[derive(Debug, Default)]
struct CallEndLog(std::sync::Mutex<Vec<(String, ToolCallEnd)>>);

impl Observer for CallEndLog {
    fn observe(&self, _origin: &pintle_host::Origin, event: &AgentEvent<'_>) {
        if let AgentEvent::ToolReturned { id, end, .. } = event {
            self.0.lock().unwrap().push(((*id).to_owned(), *end));
        }
    }
}

#[test]
fn observers_learn_how_a_call_ended_and_not_from_its_text() {
    let guard = hook("guard", "tool.pre", |call| match call.event.subject() {
        Some("shell") => Verdict::deny("no shells"),
        Some("list") => Verdict::ask("may it?"),
        _ => Verdict::pass(),
    });
    let disguise = rewrite("tool.post", json!({"content": "tool blocked: by nobody"}));
    let calls = [
        ("glob", r#"{"pattern":"*"}"#),
        ("read", r#"{"path":"missing"}"#),
        ("shell", r#"{"command":"id"}"#),
        ("list", "{}"),
        ("raed", "{}"),
    ];
    let ends = Arc::new(CallEndLog::default());
    let observer = Arc::clone(&ends);
    let model = QueuedReplyModel::root([call(&calls), say("end")]);
    let mut fixture = open_fixture_with(model, vec![guard, disguise], agent(), |builder| builder.observer(observer));
    fixture.session.turn("go").unwrap();
    let mut ends = ends.0.lock().unwrap().clone();
    ends.sort_by(|one, other| one.0.cmp(&other.0));
    let ends: Vec<ToolCallEnd> = ends.into_iter().map(|(_, end)| end).collect();
    let expected =
        [ToolCallEnd::Returned, ToolCallEnd::Failed, ToolCallEnd::Blocked, ToolCallEnd::Blocked, ToolCallEnd::Unusable];
    assert_eq!(ends, expected);
}

#[test]
fn results_stand_in_the_order_of_the_calls_and_in_the_conversation() {
    // The first call ends only after the second one has run, so they run concurrently.
    let calls = [
        ("shell", r#"{"command":"until [ -f flag ]; do :; done; echo slow"}"#),
        ("shell", r#"{"command":"touch flag; echo fast"}"#),
    ];
    let (results, fixture) = call_results(&calls, Vec::new(), agent());
    assert!(results[0].0.contains("slow") && results[1].0.contains("fast"), "{results:?}");
    let request = fixture.model.request(1);
    let tools: Vec<_> = request.messages[3..].iter().map(|message| message.tool_call_id.clone().unwrap()).collect();
    assert_eq!(tools, ["1", "2"]);
    assert!(request.messages[3].content.contains("slow"));
    let ids = |event: &str, id: &str| -> Vec<Value> {
        fixture.seen.payloads_of(event).iter().map(|seen| seen[id].clone()).collect()
    };
    assert_eq!(ids("tool.pre", "id"), ["1", "2"]);
    assert_eq!(ids("tool.post", "call_id"), ["1", "2"], "hooks see the results in the order of the calls too");
}

#[test]
fn a_rewrite_changes_what_runs_and_meets_the_same_checks() {
    let to = |fields: Value| vec![rewrite("tool.pre", fields)];
    let one = |hooks, spec| call_results(&[("list", r#"{"path":"."}"#)], hooks, spec).0.remove(0);
    let changed = one(to(json!({"args": {"path": "nowhere"}})), agent());
    assert_eq!(changed.0, "tool error: `nowhere` does not exist; list its directory to see what does");
    let renamed = one(to(json!({"name": "shell", "args": {"command": "echo hi"}})), agent());
    assert!(renamed.0.contains("hi") && !renamed.1, "{renamed:?}");
    let denied = one(
        to(json!({"name": "shell", "args": {"command": "echo hi"}})),
        agent_with_policy(PolicyMode::Denylist, &[], &["shell"]),
    );
    assert_eq!(denied, (String::from("tool \"shell\" denied by policy"), true));
    let unfit = one(to(json!({"name": "shell"})), agent());
    assert_eq!(unfit, (String::from("tool \"shell\" was not called: `command` is required"), true));
    // A hook that only renames the tool has not repaired arguments that could not be decoded.
    let (unrepaired, _) = call_results(&[("read", "{broken")], to(json!({"name": "list"})), agent());
    assert!(unrepaired[0].0.contains("not valid JSON"), "{unrepaired:?}");
    let (repaired, _) = call_results(&[("list", "{broken")], to(json!({"args": {"path": "."}})), agent());
    assert_eq!(repaired, [(String::from("[]"), false)]);
}

#[test]
fn hooks_see_no_argument_that_the_model_did_not_give() {
    let calls = [("glob", r#"{"pattern":"C:\\x"}"#), ("list", "{}"), ("grep", r#"{"pattern":"x"}"#)];
    let (results, fixture) = call_results(&calls, Vec::new(), agent());
    assert!(results.iter().all(|(_, is_error)| !is_error), "{results:?}");
    let seen: Vec<Value> = fixture.seen.payloads_of("tool.pre").into_iter().map(|mut pre| pre["args"].take()).collect();
    assert_eq!(seen, [json!({"pattern": "C:\\x"}), json!({}), json!({"pattern": "x"})]);
}

#[test]
fn no_tool_changes_the_policy_it_runs_under() {
    let guard = ".harness/hooks/guard.md";
    let write = json!({"path": guard, "content": "off"}).to_string();
    let edit = json!({"path": "harness.md", "old": "on", "new": "off"}).to_string();
    let calls = [("write", write.as_str()), ("edit", edit.as_str()), ("read", r#"{"path":"harness.md"}"#)];
    let mut fixture = open_fixture(QueuedReplyModel::root([call(&calls), say("end")]), [], agent());
    let at = |path: &str| fixture.folder.path().join(path);
    std::fs::create_dir_all(at(".harness/hooks")).unwrap();
    std::fs::write(at(guard), "on").unwrap();
    std::fs::write(at("harness.md"), "on").unwrap();
    let results = fixture.session.turn("go").unwrap().tool_results;
    for (result, path) in results.iter().zip([guard, "harness.md"]) {
        assert!(result.is_error && result.content.contains(&format!("`{path}` is read-only for tools")), "{result:?}");
        assert_eq!(std::fs::read_to_string(fixture.folder.path().join(path)).unwrap(), "on");
    }
    assert_eq!(results[2].content, "on");
}

/// A tool that returns what the test passes.
#[derive(Debug)]
struct FixedResultTool(ModelTool, Result<Value, String>);

impl Tool for FixedResultTool {
    fn definition(&self) -> &ModelTool {
        &self.0
    }

    fn call(&self, _arguments: &Value, _context: &ToolContext<'_>) -> Result<Value, ToolError> {
        Ok(self.1.clone()?)
    }
}

#[test]
fn a_result_that_is_too_large_is_a_failure_with_a_sentence() {
    let large = "x".repeat(16 << 20);
    let cases = [
        (Ok(json!(large)), Some("it is longer than 16 MiB of JSON")),
        (Ok(json!({"a": [large, large]})), Some("it is longer than 16 MiB of JSON")),
        (Ok(json!(vec![0; 250_001])), Some("it contains more than 250000 JSON values")),
        (Err(format!("{large}x")), Some("it is longer than 16 MiB of JSON")),
        (Ok(json!("x".repeat(15 << 20))), None),
    ];
    for (given, what) in cases {
        let definition = ModelTool {
            name: String::from("gives"),
            description: String::new(),
            parameters: json!({"type": "object"}),
        };
        let tool: Arc<dyn Tool> = Arc::new(FixedResultTool(definition, given));
        let play = QueuedReplyModel::root([call(&[("gives", "{}")]), say("end")]);
        let mut fixture = open_fixture_with(play, Vec::new(), agent(), |builder| builder.tool(tool));
        let result = fixture.session.turn("go").unwrap().tool_results.remove(0);
        let wanted = what.map(|what| {
            format!("tool error: the result is too large: {what}, the limit for a payload that hooks see; ask for a part of it")
        });
        assert_eq!(result.is_error, what.is_some());
        assert_eq!(wanted.filter(|wanted| *wanted != result.content), None);
        let [post] = fixture.seen.payloads_of("tool.post").try_into().unwrap();
        assert_eq!(post["content"].as_str().unwrap().len(), result.content.len());
    }
}

#[test]
fn hooks_may_withhold_or_change_a_result() {
    let (withheld, _) = call_results(&[("list", "{}")], vec![deny("tool.post", "private")], agent());
    assert_eq!(withheld, [(String::from("tool result blocked: private"), true)]);
    let (changed, fixture) =
        call_results(&[("list", "{}")], vec![rewrite("tool.post", json!({"result": {"files": 0}}))], agent());
    assert_eq!(changed, [(String::from("{\"files\":0}"), false)]);
    assert_eq!(fixture.model.request(1).messages[3].content, "{\"files\":0}");
}

#[test]
fn a_denied_tool_is_hidden_and_a_second_name_is_offered_where_it_is_named() {
    let tools = |spec: AgentSpec| open_fixture(QueuedReplyModel::root([]), [], spec).session.tools();
    let shell = String::from("shell");
    assert!(tools(agent()).contains(&shell), "a policy names it");
    for (allow, is_offered) in [("sh*", true), ("run_command", false)] {
        for mode in [PolicyMode::Denylist, PolicyMode::Allowlist] {
            assert_eq!(tools(agent_with_policy(mode, &[allow], &[])).contains(&shell), is_offered, "{mode:?} {allow}");
        }
    }
    let plain = tools(AgentSpec { policy: pintle_host::contract::ToolsPolicy::default(), ..agent() });
    assert!(!plain.contains(&shell), "guards that were written for other tools do not know it: {plain:?}");
    assert!(plain.contains(&String::from("read")) && plain.contains(&String::from("delegate")), "{plain:?}");
    assert!(!plain.iter().any(|name| name.starts_with("fs.")), "{plain:?}");
    assert_eq!(
        tools(agent_with_policy(PolicyMode::Allowlist, &["fs.read", "fs.list", "run_*"], &[])),
        ["fs.read", "fs.list"]
    );
    assert_eq!(tools(agent_with_policy(PolicyMode::Allowlist, &["*"], &["delegate*", "s*", "*e*", "l*"])), ["glob"]);
}

#[test]
fn a_native_tool_that_is_denied_under_one_name_is_denied_under_both() {
    let (results, fixture) = call_results(
        &[("write", r#"{"path":"a","content":"b"}"#)],
        Vec::new(),
        agent_with_policy(PolicyMode::Denylist, &[], &["fs.w*"]),
    );
    assert_eq!(results, [(String::from("tool \"write\" denied by policy"), true)]);
    assert!(!fixture.session.tools().contains(&String::from("write")));
}

#[test]
fn tools_see_only_the_workspace() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "secret").unwrap();
    let path = secret.path().display().to_string();
    let mut fixture = open_fixture(QueuedReplyModel::root([]), [], agent());
    std::os::unix::fs::symlink(secret.path(), fixture.folder.path().join("link")).unwrap();
    std::os::unix::fs::symlink("/", fixture.folder.path().join("root")).unwrap();
    let in_root = format!("root{path}");
    let calls: Vec<(&str, String)> = vec![
        ("read", json!({"path": path}).to_string()),
        ("read", json!({"path": "link"}).to_string()),
        ("read", json!({"path": in_root}).to_string()),
        ("write", json!({"path": "link", "content": "x"}).to_string()),
        ("edit", json!({"path": "../x", "old": "a", "new": "b"}).to_string()),
        ("list", json!({"path": "root"}).to_string()),
        ("glob", json!({"pattern": "**", "path": "root"}).to_string()),
        ("grep", json!({"pattern": "secret", "path": "root/tmp"}).to_string()),
        ("shell", json!({"command": "pwd", "directory": "root"}).to_string()),
    ];
    let borrowed: Vec<(&str, &str)> = calls.iter().map(|(name, text)| (*name, text.as_str())).collect();
    fixture.model.add("root", [call(&borrowed), say("end")]);
    let answer = fixture.session.turn("go").unwrap();
    for (call, result) in calls.iter().zip(answer.tool_results) {
        assert!(result.is_error && result.content.contains("outside the workspace"), "{call:?}: {result:?}");
    }
    assert_eq!(std::fs::read_to_string(secret.path()).unwrap(), "secret");
}

#[test]
fn the_native_tools_work_together() {
    let calls = [
        [("write", r#"{"path":"src/a.rs","content":"fn one() {}\nfn two() {}\n"}"#)],
        [("edit", r#"{"path":"src/a.rs","old":"two","new":"deux"}"#)],
        [("read", r#"{"path":"src/a.rs","offset":2}"#)],
        [("grep", r#"{"pattern":"fn (ONE|deux)","ignore_case":true}"#)],
        [("glob", r#"{"pattern":"*.rs"}"#)],
        [("list", "{}")],
        [("shell", r#"{"command":"cat a.rs | wc -l","directory":"src"}"#)],
        [("shell", r#"{"command":"echo broken >&2; exit 3"}"#)],
        [("fetch", r#"{"url":"http://example.com/"}"#)],
        [("shell", r#"{"command":"mkdir -p .harness/hooks; echo x > .harness/hooks/new.md"}"#)],
        [("shell", r#"{"command":"touch harness.md","directory":"src"}"#)],
    ];
    let replies = calls.iter().map(|calls| call(calls)).chain([say("end")]);
    let mut fixture = open_fixture(QueuedReplyModel::root(replies), [], agent());
    let answer = fixture.session.turn("go").unwrap();
    let contents: Vec<&str> = answer.tool_results.iter().map(|result| result.content.as_str()).collect();
    let expected = [
        "wrote 24 bytes to src/a.rs",
        r#"{"message":"changed 1 place in src/a.rs","replacements":1}"#,
        "     2\tfn deux() {}\n",
        "src/a.rs:1:fn one() {}\nsrc/a.rs:2:fn deux() {}",
        r#"["src/a.rs"]"#,
        r#"["src/"]"#,
        r#"{"stdout":"2\n","stderr":"","exit_code":0}"#,
        r#"{"stdout":"","stderr":"broken\n","exit_code":3}"#,
    ];
    assert_eq!(contents[..8], expected);
    assert!(answer.tool_results[8].is_error, "no host is allowed");
    for denied in &answer.tool_results[9..] {
        assert!(denied.is_error && denied.content.contains("an agent cannot change its own policy"), "{denied:?}");
    }
}

#[derive(Debug)]
struct PanickingTool(ModelTool);

impl Tool for PanickingTool {
    fn definition(&self) -> &ModelTool {
        &self.0
    }

    #[expect(clippy::panic, reason = "the test is about a tool that panics")]
    fn call(&self, _arguments: &Value, _context: &ToolContext<'_>) -> Result<Value, ToolError> {
        panic!("a bug in somebody's tool")
    }
}

#[test]
fn a_tool_that_panics_is_a_failed_call_and_not_the_end_of_the_session() {
    let definition = ModelTool {
        name: String::from("broken"),
        description: String::from("Breaks."),
        parameters: json!({"type": "object"}),
    };
    let model = QueuedReplyModel::root([call(&[("broken", "{}")]), say("end")]);
    let tool = Arc::new(PanickingTool(definition));
    let mut fixture = open_fixture_with(model, [], agent(), |builder| builder.tool(tool));
    let answer = fixture.session.turn("go").unwrap();
    assert_eq!(answer.tool_results[0].content, "tool error: tool \"broken\" crashed");
    assert_eq!(fixture.seen.payloads_of("tool.post").len(), 1);
}
