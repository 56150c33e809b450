//! `transfer_task`, `handoff` and background agents.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::{Arc, Mutex};

use pintle_host::contract::{AgentSpec, MemberSpec, PermissionMode, TeamSpec, ToolsetKind};
use pintle_host::{Hook, Verdict};
use serde_json::{Value, json};

use crate::support::*;
use crate::toolsets::bench::{member_spec, toolset_spec};

fn team_member(name: &str, spec: AgentSpec, more: impl FnOnce(&mut MemberSpec)) -> Arc<AgentSpec> {
    let mut spec = AgentSpec { name: name.to_owned(), description: format!("does {name}"), ..spec };
    more(spec.member.as_mut().unwrap());
    Arc::new(spec)
}

fn to_names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// `root` gives tasks to `worker`, which may give some to `root` and to `helper`, and hands over to `closer`.
fn team_spec() -> TeamSpec {
    let set = |kind: ToolsetKind| member_spec([toolset_spec(kind)]);
    let agents = vec![
        team_member("root", set(ToolsetKind::BackgroundAgents), |root| {
            root.sub_agents = to_names(&["worker"]);
            root.handoffs = to_names(&["closer"]);
        }),
        team_member("worker", set(ToolsetKind::Think), |worker| worker.sub_agents = to_names(&["root", "helper"])),
        team_member("helper", set(ToolsetKind::Think), |_| {}),
        team_member("closer", set(ToolsetKind::Filesystem), |_| {}),
    ];
    TeamSpec { agents, ..TeamSpec::default() }
}

/// Records the members' events, as `agent:event` with the main field.
fn witness_hooks(seen: &Arc<Mutex<Vec<String>>>) -> Vec<Hook> {
    let fields: [(&str, &'static str); 6] = [
        ("session.start", "source"),
        ("session.end", "reason"),
        ("delegation.pre", "task"),
        ("delegation.post", "result"),
        ("agent.switch", "kind"),
        ("tool.pre", "name"),
    ];
    let hook = |(event, field): (&'static str, &'static str)| {
        let seen = Arc::clone(seen);
        let hook = hook("witness", event, move |call| {
            let word = call.event.payload.value()[field].as_str().unwrap_or_default().to_owned();
            let run = if call.event.origin.run.is_empty() { "" } else { "+" };
            seen.lock().unwrap().push(format!("{}{run}:{event}:{word}", call.event.origin.agent));
            Verdict::pass()
        });
        Hook { guard: false, ..hook }
    };
    fields.into_iter().map(hook).collect()
}

fn play_prompt(model: Arc<QueuedReplyModel>, hooks: Vec<Hook>) -> (Vec<(String, bool)>, String, AgentFixture) {
    let team = team_spec();
    let first = AgentSpec::clone(team.agents.first().unwrap());
    let mut fixture = open_fixture_with(model, hooks, first, |builder| {
        builder.team(team).permission_mode(PermissionMode::Autonomous)
    });
    let answer = fixture.session.turn("go").unwrap();
    let results = answer.tool_results.into_iter().map(|result| (result.content, result.is_error)).collect();
    (results, answer.text, fixture)
}

#[test]
fn a_task_is_done_in_a_session_of_its_own_between_two_switches() {
    let seen = Arc::default();
    let task = json!({"agent": "worker", "task": "count", "expected_output": "a number"}).to_string();
    let model = QueuedReplyModel::root([call(&[("transfer_task", &task)]), say("end")]);
    model.add("worker", [call(&[("think", r#"{"thought":"x"}"#)]), say("three")]);
    let (results, _, fixture) = play_prompt(model, witness_hooks(&seen));
    assert_eq!(results, [(String::from("three"), false)]);
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "root:session.start:startup",
            "root:tool.pre:agent",
            "root:delegation.pre:count\n\nExpected output: a number",
            "root:agent.switch:delegation",
            "worker+:session.start:startup",
            "worker+:tool.pre:think",
            "root:delegation.post:three",
            "worker+:session.end:done",
            "root:agent.switch:delegation_return",
        ]
    );
    let asked = fixture.model.request(1);
    assert_eq!(asked.agent, "worker");
    assert_eq!(message_lines(&asked)[1], "user: count\n\nExpected output: a number");
    let tools: Vec<&str> = asked.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["think", "transfer_task"]);
    assert!(
        message_lines(&fixture.model.request(0))[0].contains("- worker: does worker"),
        "{:?}",
        message_lines(&fixture.model.request(0))
    );
    let pre = &fixture.seen.payloads_of("tool.pre")[0];
    assert_eq!((&pre["category"], &pre["read_only"]), (&json!("transfer"), &json!(true)));
}

#[test]
fn only_known_agents_are_called_and_never_one_that_waits() {
    let task = |agent: &str, task: &str| json!({"agent": agent, "task": task}).to_string();
    let (closer, empty, worker) = (task("closer", "x"), task("worker", " "), task("worker", "x"));
    let model = QueuedReplyModel::root([
        call(&[("transfer_task", &closer)]),
        call(&[("transfer_task", &empty)]),
        call(&[("handoff", r#"{"agent":"worker"}"#)]),
        call(&[("transfer_task", &worker)]),
        say("end"),
    ]);
    let (back, down) = (task("root", "x"), task("helper", "x"));
    model.add("worker", [call(&[("transfer_task", &back)]), call(&[("transfer_task", &down)]), say("done")]);
    model.add("helper", [say("helped")]);
    let (results, _, fixture) = play_prompt(model, Vec::new());
    assert_eq!(
        results[0],
        (String::from("tool error: agent `closer` does not exist or cannot be called; the agents are: worker"), true)
    );
    assert!(results[1].1 && results[1].0.contains("`task` is empty"), "{results:?}");
    assert!(
        results[2].1
            && results[2].0.contains("agent `worker` does not exist or cannot be called; the agents are: closer"),
        "{results:?}"
    );
    assert_eq!(results[3], (String::from("done"), false));
    let answers = message_lines(&fixture.model.request(7));
    assert!(answers.iter().any(|line| line.contains("delegation cycle: root -> worker -> root")), "{answers:?}");
    assert!(answers.iter().any(|line| line == "tool: helped"), "{answers:?}");
}

#[test]
fn hooks_of_the_asking_agent_may_refuse_change_and_withhold() {
    let task = json!({"agent": "worker", "task": "count"}).to_string();
    let once = |hook: Hook, replies: Vec<QueuedReply>| {
        let model = QueuedReplyModel::root([call(&[("transfer_task", &task)]), say("end")]);
        model.add("worker", replies);
        play_prompt(model, vec![hook]).0.remove(0)
    };
    let refused = once(deny("delegation.pre", "not now"), Vec::new());
    assert!(refused.1 && refused.0.contains("delegation blocked") && refused.0.contains("not now"), "{refused:?}");
    let strayed = once(rewrite("delegation.pre", json!({"agent": "closer"})), Vec::new());
    assert!(strayed.1 && strayed.0.contains("agent `closer` does not exist or cannot be called"), "{strayed:?}");
    let withheld = once(deny("delegation.post", "secret"), vec![say("three")]);
    assert!(withheld.1 && withheld.0.contains("secret") && !withheld.0.contains("three"), "{withheld:?}");
    let changed = once(rewrite("delegation.post", json!({"result": "four"})), vec![say("three")]);
    assert_eq!(changed, (String::from("four"), false));
}

#[test]
fn a_failed_task_is_told_to_the_hooks_of_the_asking_agent() {
    let seen = Arc::default();
    let task = json!({"agent": "worker", "task": "count"}).to_string();
    let model = QueuedReplyModel::root([call(&[("transfer_task", &task)]), say("end")]);
    let (results, _, fixture) = play_prompt(model, witness_hooks(&seen));
    assert!(results[0].1 && results[0].0.contains("delegation to \"worker\" failed: no reply left"), "{results:?}");
    let post = &fixture.seen.payloads_of("delegation.post")[0];
    assert_eq!((&post["agent"], &post["is_error"]), (&json!("worker"), &json!(true)));
    let seen = seen.lock().unwrap();
    assert!(seen.contains(&String::from("worker+:session.end:error")), "{seen:?}");
    assert_eq!(seen.last().map(String::as_str), Some("root:agent.switch:delegation_return"));
}

#[test]
fn a_handoff_changes_who_answers() {
    let seen = Arc::default();
    let model = QueuedReplyModel::root([call(&[("handoff", r#"{"agent":"closer"}"#)])]);
    model.add("closer", [call(&[("list_directory", r#"{"path":"."}"#)]), say("closed")]);
    let (results, text, fixture) = play_prompt(model, witness_hooks(&seen));
    assert!(!results[0].1 && results[0].0.contains("handed off the conversation to closer"), "{results:?}");
    assert_eq!((text.as_str(), results[1].1), ("closed", false));
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "root:session.start:startup",
            "root:tool.pre:handoff",
            "root:agent.switch:handoff",
            "closer:session.start:startup",
            "closer:tool.pre:list",
        ]
    );
    assert_eq!(message_lines(&fixture.model.request(1))[1], "user: go");
}

#[test]
fn background_tasks_run_beside_and_are_listed_shown_and_stopped() {
    let task = json!({"agent": "worker", "task": "count"}).to_string();
    let done = Arc::new((Mutex::new(false), std::sync::Condvar::new()));
    let (ended, wait) = (Arc::clone(&done), Arc::clone(&done));
    let tell = hook("ended", "session.end", move |call| {
        if call.event.origin.agent == "worker" {
            *ended.0.lock().unwrap() = true;
            ended.1.notify_all();
        }
        Verdict::pass()
    });
    // The second message is not sent before the task has ended.
    let hold = hook("hold", "completion.pre", move |call| {
        if call.event.origin.agent == "root" && call.event.payload.value()["iteration"] == json!(4) {
            let mut is_done = wait.0.lock().unwrap();
            while !*is_done {
                is_done = wait.1.wait(is_done).unwrap();
            }
        }
        Verdict::pass()
    });
    let model = QueuedReplyModel::root([
        call(&[("list_background_agents", "{}")]),
        call(&[("run_background_agent", r#"{"agent":"closer","task":"x"}"#)]),
        call(&[("run_background_agent", &task)]),
        call(&[("list_background_agents", "{}")]),
        call(&[("view_background_agent", r#"{"task_id":"agent_task_1"}"#)]),
        call(&[("stop_background_agent", r#"{"task_id":"agent_task_9"}"#)]),
        say("end"),
    ]);
    model.add("worker", [say("three")]);
    let hooks = vec![Hook { guard: false, ..tell }, Hook { guard: false, ..hold }];
    let (results, _, fixture) = play_prompt(model, hooks);
    let text = |index: usize| results[index].0.as_str();
    assert_eq!(text(0), "Background Agent Tasks:\n\nNo background agent tasks found.\n");
    assert!(results[1].1 && text(1).contains("agent `closer` does not exist or cannot be called"), "{}", text(1));
    let id = text(2).strip_prefix("Background agent task started with ID: ").unwrap().lines().next().unwrap();
    assert!(text(2).ends_with("Agent: worker\nTask: count"), "{}", text(2));
    assert!(text(3).contains(&format!("ID: {id}\n  Agent:   worker\n  Status:  ")), "{}", text(3));
    assert!(text(5).contains("task not found: agent_task_9"), "{}", text(5));
    let post = &fixture.seen.payloads_of("delegation.post")[0];
    assert_eq!((&post["agent"], &post["result"]), (&json!("worker"), &json!("three")));
    let kinds: Vec<Value> = fixture.seen.payloads_of("agent.switch");
    assert!(kinds.is_empty(), "no conversation changed hands");
}
