//! Harn's conformance scripts about permissions, with hooks of a plugin. The table of all scripts is in `conformance`.
use std::sync::Arc;

use pintle_host::ApprovalResponse;
use pintle_host::contract::{AgentSpec, ToolsPolicy};
use pintle_testkit::ScriptedApprover;

use crate::plugins::plugin::*;
use crate::plugins::stage::{RegisteredFixture, open_fixture_on, with_strict_mode};
use crate::support::{QueuedReply, QueuedReplyModel, agent, call, say};

const PERMISSIONS: &str = r#"
def rule(event):
    tool = event["tool"]
    if tool["name"] == "exec_root":
        return {"decision": "deny", "reason": "never"}
    if tool["name"] == "exec_ls" and tool["args"].get("path", "").startswith("src/"):
        return {"decision": "allow", "reason": "inside src"}
    return {"decision": "ask", "reason": "let a person look"}

register_session_hook("permission_asked", rule)
"#;

/// A permission that depends on the arguments; no user is available.
#[test]
fn per_agent_permissions_dynamic() {
    let calls = [("exec_root", "{}"), ("exec_ls", r#"{"path":"src/a"}"#), ("exec_ls", r#"{"path":"/etc"}"#)];
    let files = [("policy.star", PERMISSIONS)];
    let model = QueuedReplyModel::root([call(&calls), say("done")]);
    let mut fixture = open_with_files(&files, "policy.star", model, agent(), with_strict_mode);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.sorted_tools_run(), [r#"exec_ls {"path":"src/a"}"#]);
    assert!(fixture.results()[0].contains("never"), "{:?}", fixture.results());
    let replies: Vec<String> = fixture
        .fired_payloads("permission.reply")
        .iter()
        .map(|reply| format!("{} {}", reply["name"], reply["decision"]))
        .collect();
    assert!(replies.is_empty(), "no hook listens to the replies: {replies:?}");
}

/// What no hook decides goes on to the approver, with `permission_replied` after every decision.
#[test]
fn per_agent_permissions_dynamic_escalation() {
    let plugin = format!(
        "{PERMISSIONS}\ndef told(event):\n    log(event[\"tool\"][\"name\"] + \" \" + event[\"decision\"])\n\n\
         register_session_hook(\"permission_replied\", told)\n"
    );
    let user = Arc::new(ScriptedApprover::new(ApprovalResponse::Approved { answered_by: String::from("ada") }));
    let calls = [("exec_root", "{}"), ("exec_ls", r#"{"path":"src/a"}"#), ("look", "{}")];
    let files = [("policy.star", plugin.as_str())];
    let model = QueuedReplyModel::root([call(&calls), say("done")]);
    let approver = Arc::clone(&user);
    let built = load_plugin_with(&files, "policy.star", |builder| builder.approver(approver));
    let mut fixture = open_fixture_on(built.runtime, model, agent(), with_strict_mode);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.sorted_tools_run(), [r#"exec_ls {"path":"src/a"}"#, "look {}"]);
    assert_eq!(user.requests().len(), 1, "only about what no hook decided");
    let told: Vec<String> =
        fixture.records_about("", &["effect"]).iter().map(|record| record["request"].to_string()).collect();
    for expected in ["exec_root deny", "exec_ls allow", "look allow"] {
        assert!(told.iter().any(|said| said.contains(expected)), "{told:?}");
    }
    assert_eq!(told.len(), 3, "{told:?}");
}

fn delegation_to_reviewer(
    root: AgentSpec,
    child: AgentSpec,
    replies: impl IntoIterator<Item = QueuedReply>,
) -> (Arc<QueuedReplyModel>, AgentSpec) {
    let model = QueuedReplyModel::root([call(&[("delegate", r#"{"agent":"reviewer","task":"look"}"#)]), say("done")]);
    model.add("reviewer", replies);
    (model, AgentSpec { agents: vec![Arc::new(AgentSpec { name: String::from("reviewer"), ..child })], ..root })
}

/// The tools that ran, except those that delegate.
fn tools_run(fixture: &RegisteredFixture) -> Vec<String> {
    let names =
        fixture.records_about("", &["tool_call"]).into_iter().map(|record| record["name"].as_str().unwrap().to_owned());
    names.filter(|name| name != "delegate").collect()
}

/// The hooks of the session also decide about the calls of its children.
#[test]
fn spawn_agent_permissions() {
    let plugin = r#"
def rule(event):
    if event["tool"]["name"] == "delegate":
        return {"decision": "allow"}
    if event["agent"] == "reviewer" and event["tool"]["name"] == "list":
        return {"decision": "allow", "reason": "a reviewer reads"}
    return {"decision": "deny", "reason": event["agent"] + " may not"}

register_session_hook("permission_asked", rule)
"#;
    let calls = [("list", "{}"), ("write", r#"{"path":"a","content":"x"}"#)];
    let (model, spec) = delegation_to_reviewer(agent(), agent(), [call(&calls), say("sound")]);
    let mut fixture = open_with_files(&[("policy.star", plugin)], "policy.star", model, spec, with_strict_mode);
    fixture.session.turn("go").unwrap();
    assert_eq!(tools_run(&fixture), ["list"]);
    assert_eq!(fixture.hooks_called("permission.ask").len(), 3);
}

/// A child is restricted to its own tools and by its parents' hooks.
#[test]
fn sub_agent_permissions_intersection() {
    let plugin = "register_tool_hook({\"pattern\": \"write\", \"deny\": \"writing is gated\"})\n";
    let child = AgentSpec { policy: ToolsPolicy { deny: vec![String::from("glob")], ..agent().policy }, ..agent() };
    let calls = [("list", "{}"), ("write", r#"{"path":"a","content":"x"}"#), ("glob", r#"{"pattern":"*"}"#)];
    let (model, spec) = delegation_to_reviewer(agent(), child, [call(&calls), say("sound")]);
    let mut fixture = open_with_files(&[("policy.star", plugin)], "policy.star", model, spec, |builder| builder);
    fixture.session.turn("go").unwrap();
    assert_eq!(tools_run(&fixture), ["list"]);
}
