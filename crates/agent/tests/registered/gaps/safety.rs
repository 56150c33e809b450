//! Vetoes apply everywhere, denials stay, and failures are contained.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use pintle_agent::Session;
use pintle_host::contract::{AgentSpec, PermissionMode};
use pintle_host::{ApprovalResponse, Decision, HookReturn, Runtime, SessionHook, ToolHook};
use pintle_testkit::ScriptedApprover;
use serde_json::{Value, json};

use crate::registered::fixture::*;
use crate::support::{QueuedReplyModel, agent, call, say};

/// The agents that the root agent delegates to, one in the background and two concurrently.
const WORKERS: [&str; 3] = ["worker", "left", "right"];

fn team_spec() -> AgentSpec {
    let worker = |name: &str| AgentSpec {
        name: name.to_owned(),
        description: String::from("Works."),
        instruction: String::from("work"),
        ..agent()
    };
    AgentSpec { agents: WORKERS.iter().map(|name| Arc::new(worker(name))).collect(), ..agent() }
}

#[test]
fn a_veto_reaches_parallel_calls_children_and_background_members() {
    let write = r#"{"path":"a.txt","content":"x"}"#;
    let calls = || call(&[("write", write), ("list", "{}"), ("write", write)]);
    let task = |name: &str| json!({"agent": name, "task": "run it"}).to_string();
    let (worker, left, right) = (task("worker"), task("left"), task("right"));
    let model = QueuedReplyModel::root([
        calls(),
        call(&[("delegate_async", worker.as_str())]),
        call(&[("delegate_await", r#"{"id":"task_2"}"#)]),
        call(&[("delegate", left.as_str()), ("delegate", right.as_str())]),
        say("done"),
    ]);
    for name in WORKERS {
        model.add(name, [calls(), say("ok")]);
    }
    let gate = |runtime: &Arc<Runtime>| {
        runtime.register_tool_hook(ToolHook::for_tools("write").deny("writing is gated").name("gate")).unwrap();
    };
    let mut fixture = open_fixture_with(model, team_spec(), gate, |builder| builder);
    assert_eq!(fixture.session.turn("go").unwrap().text, "done");
    assert!(!fixture.folder.path().join("a.txt").exists());
    let vetoed = fixture.records_about("gate", &["hook_vetoed"]);
    let events = fixture.records_about("", &["event"]);
    let agent_of = |record: &Value| {
        let event = events.iter().find(|event| event["dispatch"] == record["dispatch"]).unwrap();
        event["origin"]["agent"].as_str().unwrap_or_default().to_owned()
    };
    let mut agents: Vec<String> = vetoed.iter().map(agent_of).collect();
    agents.sort();
    assert_eq!(agents, ["left", "left", "right", "right", "root", "root", "worker", "worker"]);
}

#[test]
fn a_veto_reaches_sessions_on_other_threads() {
    let runtime = runtime();
    runtime.register_tool_hook(ToolHook::for_tools("write").deny("writing is gated")).unwrap();
    runtime
        .register_session_hook("user_prompt_submit", |event| {
            event.prompt()?.contains("secret").then(|| HookReturn::block("no"))
        })
        .unwrap();
    let passed = AtomicU32::new(0);
    std::thread::scope(|threads| {
        for number in 0..4 {
            let (runtime, passed) = (Arc::clone(&runtime), &passed);
            threads.spawn(move || {
                let dir = tempfile::tempdir().unwrap();
                let replies = [call(&[("list", "{}"), ("write", r#"{"path":"a.txt","content":"x"}"#)]), say("done")];
                let builder = Session::builder(runtime, agent(), QueuedReplyModel::root(replies));
                let mut session = builder.workspace(dir.path()).name(format!("s{number}")).build().unwrap();
                passed.fetch_add(u32::from(session.turn("a secret").is_ok()), Ordering::Relaxed);
                let answer = session.turn("go").unwrap();
                let is_gated = answer.tool_results[1].content.contains("writing is gated");
                passed.fetch_add(u32::from(!is_gated), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(passed.into_inner(), 0);
}

#[test]
fn an_early_allow_does_not_hide_a_later_deny() {
    let mut fixture = open_fixture_with(
        QueuedReplyModel::root([call(&[("exec_root", "{}")]), say("done")]),
        agent(),
        |runtime| {
            runtime
                .register_session_hook("permission_asked", |_| HookReturn::decision(Decision::Allow, "fine"))
                .unwrap();
            runtime
                .register_session_hook("permission_asked", |_| HookReturn::decision(Decision::Deny, "never"))
                .unwrap();
        },
        with_strict_mode,
    );
    fixture.session.turn("go").unwrap();
    assert!(fixture.ran.all().is_empty());
    assert!(fixture.results()[0].contains("never"), "{:?}", fixture.results());
}

#[test]
fn permission_hook_tightens_and_refused_calls_need_no_approval() {
    // Which hook denies, and the number of approval requests to a user who would approve everything.
    let cases: [(&str, usize); 3] = [("none", 1), ("permission_asked", 0), ("PreToolUse", 0)];
    for (which, asked) in cases {
        let user = Arc::new(ScriptedApprover::new(ApprovalResponse::Approved { answered_by: String::from("ada") }));
        let runtime = Runtime::builder().approver(user.clone()).build().unwrap();
        match which {
            "permission_asked" => {
                let deny = |_: &pintle_host::HookEvent<'_>| HookReturn::decision(Decision::Deny, "never");
                runtime.register_session_hook("permission_asked", deny).unwrap();
            }
            "PreToolUse" => {
                runtime.register_tool_hook(ToolHook::for_tools("write").pre(|_| HookReturn::deny("never"))).unwrap();
            }
            _ => {}
        }
        let dir = tempfile::tempdir().unwrap();
        let replies = [call(&[("write", r#"{"path":"a.txt","content":"x"}"#)]), say("done")];
        let builder = Session::builder(runtime, agent(), QueuedReplyModel::root(replies)).workspace(dir.path());
        let mut session = builder.permission_mode(PermissionMode::Strict).build().unwrap();
        session.turn("go").unwrap();
        assert_eq!(user.requests().len(), asked, "{which}");
        assert_eq!(dir.path().join("a.txt").exists(), which == "none", "{which}");
    }
}

#[test]
fn a_hook_after_the_tool_hears_of_failures() {
    let seen = SharedLines::default();
    let lines = seen.clone();
    let mut fixture = open_fixture([call(&[("break", "{}"), ("look", "{}")]), say("done")], move |runtime| {
        let hook = ToolHook::for_tools("*").post(move |event| {
            lines.add(format!("{:?} {} {:?}", event.tool_name(), event.is_error(), event.result_text()));
        });
        runtime.register_tool_hook(hook).unwrap();
    });
    fixture.session.turn("go").unwrap();
    let seen = seen.all();
    assert!(seen[0].starts_with(r#"Some("break") true"#) && seen[0].contains("it broke"), "{seen:?}");
    assert_eq!(seen[1], r#"Some("look") false Some("seen")"#);
}

#[test]
fn a_failing_hook_drops_no_edit_and_edits_stay_in_their_session() {
    let runtime = runtime();
    let seen = SharedLines::default();
    let lines = seen.clone();
    runtime
        .register_session_hook("file_edited", move |event| {
            let path = event.path().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap_or_default();
            lines.add(format!("{} {name}", event.session_id()));
            Err::<(), _>("odd")
        })
        .unwrap();
    let write = |path: &str| json!({"path": path, "content": "x"}).to_string();
    let (one, two) = (write("one.txt"), write("two.txt"));
    let dir = tempfile::tempdir().unwrap();
    let mut sessions: Vec<Session> = ["s1", "s2"]
        .into_iter()
        .map(|name| {
            let replies = [call(&[("write", one.as_str()), ("write", two.as_str())]), say("done")];
            let builder = Session::builder(Arc::clone(&runtime), agent(), QueuedReplyModel::root(replies));
            builder.workspace(dir.path()).name(name).build().unwrap()
        })
        .collect();
    for session in &mut sessions {
        session.turn("go").unwrap();
    }
    let mut seen = seen.all();
    // Calls of one reply run concurrently, and either may write first.
    seen.sort_unstable();
    assert_eq!(seen, ["s1 one.txt", "s1 two.txt", "s2 one.txt", "s2 two.txt"]);
}

#[test]
fn a_hook_that_runs_an_agent_of_its_own_ends_at_the_depth_limit() {
    let runtime = runtime();
    let runs = Arc::new(AtomicU32::new(0));
    let (within, counted) = (Arc::downgrade(&runtime), Arc::clone(&runs));
    let again = SessionHook::for_event("session_start", move |event| {
        counted.fetch_add(1, Ordering::Relaxed);
        let dir = tempfile::tempdir().unwrap();
        let builder = Session::builder(within.upgrade().unwrap(), agent(), QueuedReplyModel::root([say("inner")]));
        let mut session = builder.workspace(dir.path()).cause(event.scope().cause).build().unwrap();
        session.turn("and again").map(|_| ())
    });
    runtime.register_hook(again.name("again")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let builder =
        Session::builder(Arc::clone(&runtime), agent(), QueuedReplyModel::root([say("outer")])).workspace(dir.path());
    let mut session = builder.build().unwrap();
    assert_eq!(session.turn("go").unwrap().text, "outer");
    assert_eq!(runs.load(Ordering::Relaxed), 9);
    let lines = runtime.tape().unwrap().lines();
    let refused =
        lines.iter().filter(|line| line.contains("hook_returned") && line.contains("nested more than 8 levels deep"));
    assert_eq!(refused.count(), 1);
}
