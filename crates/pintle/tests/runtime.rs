//! What a program that embeds the runtime sees.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle::tape::{Header, Tape};
use pintle::{
    Decision, Event, EventName, Layer, Origin, Outcome, Overlay, Runtime, Scope, SystemClock, Verdict, native,
};
use pintle_testkit::LineJournal;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with these hook files.
fn project(hooks: &[(&str, &str)]) -> TempDir {
    let project = tempfile::tempdir().expect("a folder for the project");
    let folder = project.path().join(".harness/hooks");
    fs::create_dir_all(&folder).expect("the folder is new");
    for (name, text) in hooks {
        fs::write(folder.join(format!("{name}.md")), text).expect("the file is new");
    }
    project
}

fn load(path: &Path) -> Arc<Runtime> {
    let built = Runtime::builder().path(path, Layer::Project).build();
    let faults: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
    assert!(!built.has_errors(), "{faults:#?}");
    built.runtime
}

fn event(name: &str, payload: Value) -> Event {
    Event::new(EventName::parse(name).expect("a known event"), payload, Arc::new(Origin::default()))
}

fn call(tool: &str, args: Value) -> Event {
    let arguments = args.to_string();
    event("tool.pre", json!({"id": "call_1", "name": tool, "arguments": arguments, "args": args}))
}

fn fire(runtime: &Runtime, event: &Event) -> Outcome {
    runtime.fire(event)
}

const RELAY: &str = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      left = events.emit(\"custom.plan\", {\"size\": payload[\"args\"][\"size\"]})\n      return modify({\"args\": left})\n---\n";
const CAP: &str = "---\nevent: custom.plan\npriority: 1\nwhen: payload[\"size\"] > 5\nscript: |\n  def handle(event, payload):\n      return modify({\"size\": 5})\n---\n";
const LOOP: &str = "---\nevent: custom.loop\npriority: 1\nscript: |\n  def handle(event, payload):\n      metrics.incr(\"turns\")\n      events.emit(\"custom.loop\", payload)\n      return allow()\n---\n";

#[test]
fn an_emitted_event_comes_back_as_its_hooks_left_it() {
    let project = project(&[("relay", RELAY), ("cap", CAP)]);
    let runtime = load(project.path());
    let outcome = fire(&runtime, &call("deploy", json!({"size": 12})));
    assert_eq!(outcome.decision, Decision::Allow, "{outcome:?}");
    assert_eq!(outcome.payload.field("args"), Some(&json!({"size": 5})));
    assert_eq!(outcome.payload.field("arguments"), Some(&json!("{\"size\":5}")));
}

#[test]
fn a_hook_that_emits_its_own_event_ends_at_the_depth_limit() {
    let project = project(&[("again", LOOP)]);
    let journal = Arc::new(LineJournal::new());
    let built = Runtime::builder().path(project.path(), Layer::Project).watcher(journal.clone()).build();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let outcome = fire(&built.runtime, &event("custom.loop", json!({})));
    // `custom.*` fails open: the innermost hook fails, and the ones around it go on.
    assert!(outcome.is_allowed(), "{outcome:?}");
    assert_eq!(built.runtime.metrics().get("turns"), Some(&json!(9)));
    let refused = |line: &&String| line.starts_with("return 9 ") && line.contains("nested more than 8 deep");
    assert_eq!(journal.lines().iter().filter(refused).count(), 1, "{}", journal.text());
}

#[test]
fn counters_are_exact_under_parallel_calls() {
    let count = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      metrics.incr(\"calls\")\n      return allow()\n---\n";
    let project = project(&[("count", count)]);
    let runtime = load(project.path());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..250).for_each(|_| drop(fire(&runtime, &call("ls", json!({}))))));
        }
    });
    assert_eq!(runtime.metrics().get("calls"), Some(&json!(1000)));
}

#[test]
fn a_registered_hook_narrows_and_never_widens() {
    let deny = native::hook("upper", EventName::parse("tool.pre").expect("known"), |call| {
        if call.event.subject() == Some("wipe") { Verdict::deny("never") } else { Verdict::pass() }
    });
    let built = Runtime::builder().chain(native::chain("managed", Layer::Managed, [deny])).build();
    let runtime = built.runtime;
    let allow_all = pintle::loader::declare_hook(
        "welcome",
        "tool.pre",
        "def handle(event, payload):\n    return block(\"no\") if payload[\"name\"] == \"ls\" else allow()\n",
        None,
        Some(50),
    )
    .expect("a good hook");
    assert!(fire(&runtime, &call("ls", json!({}))).is_allowed());
    runtime.register(&allow_all).expect("a good hook");
    assert!(!fire(&runtime, &call("ls", json!({}))).is_allowed());
    assert_eq!(fire(&runtime, &call("wipe", json!({}))).reason(), r#"blocked by hook "upper": never"#);
}

#[test]
fn an_agents_own_chain_follows_those_of_the_runtime_also_when_it_grows() {
    let runtime = Runtime::builder().build().runtime;
    let refuse = |name: &'static str| {
        native::hook(name, EventName::parse("tool.pre").expect("known"), move |call| match call.event.subject() {
            Some(tool) if tool == name => Verdict::deny("mine"),
            _ => Verdict::pass(),
        })
    };
    let scope = Scope {
        overlay: Arc::new(Overlay::new(vec![native::chain("agent", Layer::Agent, [refuse("a")])])),
        ..Scope::default()
    };
    assert!(!runtime.fire_in(&call("a", json!({})), &scope).is_allowed());
    assert!(runtime.fire(&call("a", json!({}))).is_allowed());
    let late = pintle::loader::declare_hook(
        "late",
        "tool.pre",
        "def handle(event, payload):\n    return block(\"late\") if payload[\"name\"] == \"b\" else allow()\n",
        None,
        Some(50),
    )
    .expect("a good hook");
    runtime.register(&late).expect("a good hook");
    assert!(!runtime.fire_in(&call("b", json!({})), &scope).is_allowed());
}

#[test]
fn shadow_asks_and_enforces_nothing() {
    let block = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block(\"no\")\n---\n";
    let project = project(&[("wall", block)]);
    let built = Runtime::builder().path(project.path(), Layer::Project).shadow(true).build();
    let outcome = fire(&built.runtime, &call("ls", json!({})));
    assert!(outcome.is_allowed());
    assert_eq!(outcome.shadow.len(), 1, "{outcome:?}");
}

#[test]
fn a_request_that_needs_an_agent_is_refused_without_one() {
    let ask = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      meta.call_tool(\"ls\", {})\n      return allow()\n---\n";
    let project = project(&[("caller", ask)]);
    let outcome = fire(&load(project.path()), &call("ls", json!({})));
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(outcome.failures.iter().any(|report| report.failure.message.contains("no agent behind")), "{outcome:?}");
}

#[test]
fn the_tape_names_the_hooks_that_were_loaded_and_those_that_came_later() {
    let project = project(&[("relay", RELAY), ("cap", CAP)]);
    let clock = Arc::new(SystemClock::default());
    let tape = Arc::new(Tape::in_memory(Header::new("s", 0), clock));
    let built = Runtime::builder().path(project.path(), Layer::Project).tape(tape.clone()).build();
    let script = "def handle(event, payload):\n    return allow()\n";
    let late = pintle::loader::declare_hook("late", "tool.pre", script, None, Some(50)).expect("a good hook");
    built.runtime.register(&late).expect("a good hook");
    let records = tape.lines().into_iter().map(|line| serde_json::from_str::<Value>(&line).expect("a record"));
    let loaded: Vec<Vec<String>> = records
        .filter(|record| record["kind"] == "hooks")
        .map(|record| {
            let hooks = record["hooks"].as_array().cloned().unwrap_or_default();
            hooks.iter().map(|hook| format!("{} {}", hook["id"], hook["layer"])).collect()
        })
        .collect();
    assert_eq!(loaded, [vec!["\"cap\" \"project\"", "\"relay\" \"project\""], vec!["\"late\" \"runtime\""]]);
}

#[test]
fn what_is_not_recorded_is_not_done() {
    let folder = tempfile::tempdir().expect("a folder for the tape");
    let begin = |name: &str, shadow: bool| {
        let path = folder.path().join(name);
        let tape = Tape::create(&path, Header::new("s", 0), Arc::new(SystemClock::default())).expect("a new tape");
        let seen = native::hook("seen", EventName::parse("tool.pre").expect("a known event"), |_| Verdict::pass());
        let chain = native::chain("test", Layer::Project, vec![seen]);
        let built = Runtime::builder().chain(chain).tape(Arc::new(tape)).shadow(shadow).build();
        (path, built.runtime)
    };
    let (path, runtime) = begin("one.jsonl", false);
    let list = call("list", json!({}));
    assert!(fire(&runtime, &list).is_allowed());
    fs::remove_file(&path).expect("it is there");
    let outcome = fire(&runtime, &list);
    let reason = format!(
        "blocked by hook \"tape\": what is not recorded is not done: tape `{}` was deleted or moved away",
        path.display()
    );
    assert_eq!((outcome.decision, outcome.asked, outcome.reason()), (Decision::Deny, 0, reason));
    // Nobody listens to these, and a host that asks first is told to fire them.
    for guarded in
        ["prompt.submit", "turn.start", "completion.pre", "delegation.pre", "session.start", "permission.ask"]
    {
        let name = EventName::parse(guarded).expect("a known event");
        assert!(runtime.listens(&name, &Scope::default()), "{guarded}");
        assert_eq!(fire(&runtime, &event(guarded, json!({}))).decision, Decision::Deny, "{guarded}");
    }
    // To deny the end of a turn is to send the agent on, and what only tells is told.
    for other in ["agent.stop", "delegation.post_verify", "session.end", "tool.post", "turn.end"] {
        assert_eq!(fire(&runtime, &event(other, json!({}))).decision, Decision::Allow, "{other}");
    }
    // In shadow mode nothing is enforced.
    let (path, runtime) = begin("two.jsonl", true);
    fs::remove_file(&path).expect("it is there");
    assert!(fire(&runtime, &list).is_allowed());
}

#[test]
fn a_hook_that_takes_the_tape_away_decides_nothing() {
    let folder = tempfile::tempdir().expect("a folder for the tape");
    let path = folder.path().join("tape.jsonl");
    let tape = Tape::create(&path, Header::new("s", 0), Arc::new(SystemClock::default())).expect("a new tape");
    let at = path.clone();
    let thief = native::hook("thief", EventName::parse("tool.pre").expect("a known event"), move |_| {
        fs::remove_file(&at).expect("it is there");
        Verdict::allow("yes")
    });
    let chain = native::chain("test", Layer::Project, vec![thief]);
    let runtime = Runtime::builder().chain(chain).tape(Arc::new(tape)).build().runtime;
    let outcome = fire(&runtime, &call("list", json!({})));
    assert_eq!((outcome.decision, outcome.approved), (Decision::Deny, false), "{outcome:?}");
}
