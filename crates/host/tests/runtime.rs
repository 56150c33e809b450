//! The runtime as an embedding program uses it.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_host::HookOverlay;
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{
    Decision, Event, EventName, EventScope, Layer, Origin, Outcome, Runtime, SystemClock, Verdict, native,
};
use pintle_testkit::LineJournal;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Creates a project with these hook files.
fn write_project(hooks: &[(&str, &str)]) -> TempDir {
    let project = tempfile::tempdir().expect("a directory for the project");
    let dir = project.path().join(".harness/hooks");
    fs::create_dir_all(&dir).expect("a new directory");
    for (name, text) in hooks {
        fs::write(dir.join(format!("{name}.md")), text).expect("the file is new");
    }
    project
}

fn load_runtime(path: &Path) -> Arc<Runtime> {
    let built = Runtime::builder().path(path, Layer::Project).load();
    assert!(!built.has_errors(), "{:#?}", built.diagnostics);
    built.runtime
}

fn build_event(name: &str, payload: Value) -> Event {
    Event::new(EventName::parse(name).expect("a known event"), payload, Arc::new(Origin::default()))
}

fn call_event(tool: &str, args: Value) -> Event {
    let arguments = args.to_string();
    build_event("tool.pre", json!({"id": "call_1", "name": tool, "arguments": arguments, "args": args}))
}

fn fire(runtime: &Runtime, event: &Event) -> Outcome {
    runtime.fire(event)
}

const RELAY: &str = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      left = events.emit(\"custom.plan\", {\"size\": payload[\"args\"][\"size\"]})\n      return modify({\"args\": left})\n---\n";
const CAP: &str = "---\nevent: custom.plan\npriority: 1\nwhen: payload[\"size\"] > 5\nscript: |\n  def handle(event, payload):\n      return modify({\"size\": 5})\n---\n";
const LOOP: &str = "---\nevent: custom.loop\npriority: 1\nscript: |\n  def handle(event, payload):\n      metrics.incr(\"turns\")\n      events.emit(\"custom.loop\", payload)\n      return allow()\n---\n";

#[test]
fn an_emitted_event_comes_back_as_its_hooks_left_it() {
    let project = write_project(&[("relay", RELAY), ("cap", CAP)]);
    let runtime = load_runtime(project.path());
    let outcome = fire(&runtime, &call_event("deploy", json!({"size": 12})));
    assert_eq!(outcome.decision, Decision::Allow, "{outcome:?}");
    assert_eq!(outcome.payload.field("args"), Some(&json!({"size": 5})));
    assert_eq!(outcome.payload.field("arguments"), Some(&json!("{\"size\":5}")));
}

#[test]
fn a_hook_that_emits_its_own_event_ends_at_the_depth_limit() {
    let project = write_project(&[("again", LOOP)]);
    let journal = Arc::new(LineJournal::new());
    let built = Runtime::builder().path(project.path(), Layer::Project).journal(journal.clone()).load();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let outcome = fire(&built.runtime, &build_event("custom.loop", json!({})));
    // `custom.*` fails open: the innermost hook fails, and the outer ones continue.
    assert!(outcome.is_allowed(), "{outcome:?}");
    assert_eq!(built.runtime.metrics().get("turns"), Some(&json!(9)));
    let refused = |line: &&String| line.starts_with("return 9 ") && line.contains("nested more than 8 levels deep");
    assert_eq!(journal.lines().iter().filter(refused).count(), 1, "{}", journal.text());
}

#[test]
fn counters_are_exact_under_parallel_calls() {
    let count = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      metrics.incr(\"calls\")\n      return allow()\n---\n";
    let project = write_project(&[("count", count)]);
    let runtime = load_runtime(project.path());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..250).for_each(|_| drop(fire(&runtime, &call_event("ls", json!({}))))));
        }
    });
    assert_eq!(runtime.metrics().get("calls"), Some(&json!(1000)));
}

#[test]
fn a_registered_hook_narrows_and_never_widens() {
    let deny = native::hook("upper", EventName::parse("tool.pre").expect("known"), |call| {
        if call.event.subject() == Some("wipe") { Verdict::deny("never") } else { Verdict::pass() }
    });
    let built = Runtime::builder().chain(native::chain("managed", Layer::Managed, [deny])).load();
    let runtime = built.runtime;
    let allow_all = pintle_host::loader::declare_hook(
        "welcome",
        "tool.pre",
        "def handle(event, payload):\n    return block(\"no\") if payload[\"name\"] == \"ls\" else allow()\n",
        None,
        Some(50),
    )
    .expect("a good hook");
    assert!(fire(&runtime, &call_event("ls", json!({}))).is_allowed());
    runtime.register(&allow_all).expect("a good hook");
    assert!(!fire(&runtime, &call_event("ls", json!({}))).is_allowed());
    assert_eq!(fire(&runtime, &call_event("wipe", json!({}))).reason(), r#"blocked by hook "upper": never"#);
}

#[test]
fn an_agents_own_chain_follows_those_of_the_runtime_also_when_it_grows() {
    let runtime = Runtime::builder().build().unwrap();
    let refuse = |name: &'static str| {
        native::hook(name, EventName::parse("tool.pre").expect("known"), move |call| match call.event.subject() {
            Some(tool) if tool == name => Verdict::deny("mine"),
            _ => Verdict::pass(),
        })
    };
    let scope = EventScope {
        overlay: Arc::new(HookOverlay::new(vec![native::chain("agent", Layer::Agent, [refuse("a")])])),
        ..EventScope::default()
    };
    assert!(!runtime.fire_in(&call_event("a", json!({})), &scope).is_allowed());
    assert!(runtime.fire(&call_event("a", json!({}))).is_allowed());
    let late = pintle_host::loader::declare_hook(
        "late",
        "tool.pre",
        "def handle(event, payload):\n    return block(\"late\") if payload[\"name\"] == \"b\" else allow()\n",
        None,
        Some(50),
    )
    .expect("a good hook");
    runtime.register(&late).expect("a good hook");
    assert!(!runtime.fire_in(&call_event("b", json!({})), &scope).is_allowed());
}

#[test]
fn shadow_asks_and_enforces_nothing() {
    let block = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block(\"no\")\n---\n";
    let project = write_project(&[("wall", block)]);
    let built = Runtime::builder().path(project.path(), Layer::Project).shadow(true).load();
    let outcome = fire(&built.runtime, &call_event("ls", json!({})));
    assert!(outcome.is_allowed());
    assert_eq!(outcome.shadow.len(), 1, "{outcome:?}");
}

#[test]
fn a_request_that_needs_an_agent_is_refused_without_one() {
    let ask = "---\nevent: tool.pre\npriority: 1\ntools: [ls]\nscript: |\n  def handle(event, payload):\n      meta.call_tool(\"ls\", {})\n      return allow()\n---\n";
    let project = write_project(&[("caller", ask)]);
    let outcome = fire(&load_runtime(project.path()), &call_event("ls", json!({})));
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(
        outcome.failures.iter().any(|report| report.failure.message.contains("no agent is available")),
        "{outcome:?}"
    );
}

#[test]
fn runtimes_with_tapes_of_their_own_share_their_hooks() {
    let new_tape = || Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default())));
    let deny = native::hook("deny", EventName::parse("tool.pre").expect("an event"), |_| Verdict::deny("no"));
    let first = Runtime::builder().chain(native::chain("test", Layer::User, [deny])).build().expect("a runtime");
    let tapes = [new_tape(), new_tape()];
    let each = tapes.clone().map(|tape| first.with_tape(tape));
    assert!(!each[0].fire(&call_event("a", json!({}))).is_allowed());
    let later = native::hook("later", EventName::parse("tool.post").expect("an event"), |_| Verdict::deny("late"));
    let _ = each[1].register_chain(native::chain("test", Layer::User, [later]));
    assert!(!each[0].fire(&build_event("tool.post", json!({"name": "b"}))).is_allowed());
    let texts = tapes.map(|tape| tape.lines().join("\n"));
    for (text, count) in texts.iter().zip([2, 0]) {
        assert_eq!((text.matches("\"kind\":\"outcome\"").count(), text.matches("\"id\":\"deny\"").count()), (count, 1));
    }
    // The tape of a runtime has a hook that another one registered once the hook is called.
    assert!(texts.iter().all(|text| text.contains("\"id\":\"later\"")));
}

#[test]
fn the_tape_names_the_hooks_that_were_loaded_and_those_that_came_later() {
    let project = write_project(&[("relay", RELAY), ("cap", CAP)]);
    let clock = Arc::new(SystemClock::default());
    let tape = Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), clock));
    let built = Runtime::builder().path(project.path(), Layer::Project).tape(tape.clone()).load();
    let script = "def handle(event, payload):\n    return allow()\n";
    let late = pintle_host::loader::declare_hook("late", "tool.pre", script, None, Some(50)).expect("a good hook");
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
    let dir = tempfile::tempdir().expect("a folder for the tape");
    let begin = |name: &str, shadow: bool| {
        let path = dir.path().join(name);
        let tape =
            Tape::create(&path, HeaderRecord::new("s", 0), Arc::new(SystemClock::default())).expect("a new tape");
        let seen = native::hook("seen", EventName::parse("tool.pre").expect("a known event"), |_| Verdict::pass());
        let chain = native::chain("test", Layer::Project, vec![seen]);
        let built = Runtime::builder().chain(chain).tape(Arc::new(tape)).shadow(shadow).load();
        (path, built.runtime)
    };
    let (path, runtime) = begin("one.jsonl", false);
    let list = call_event("list", json!({}));
    assert!(fire(&runtime, &list).is_allowed());
    fs::remove_file(&path).expect("it is there");
    let outcome = fire(&runtime, &list);
    let reason = format!(
        "blocked by hook \"tape\": denied because it cannot be recorded: tape `{}` was deleted or moved",
        path.display()
    );
    assert_eq!((outcome.decision, outcome.hooks_called, outcome.reason()), (Decision::Deny, 0, reason));
    // No hook is registered for these events, but a host that checks first must still fire them.
    for guarded in
        ["prompt.submit", "turn.start", "completion.pre", "delegation.pre", "session.start", "permission.ask"]
    {
        let name = EventName::parse(guarded).expect("a known event");
        assert!(runtime.listens(&name, &EventScope::default()), "{guarded}");
        assert_eq!(fire(&runtime, &build_event(guarded, json!({}))).decision, Decision::Deny, "{guarded}");
    }
    // A deny at the end of a turn makes the agent continue, and observed events cannot be denied.
    for other in ["agent.stop", "delegation.post_verify", "session.end", "tool.post", "turn.end"] {
        assert_eq!(fire(&runtime, &build_event(other, json!({}))).decision, Decision::Allow, "{other}");
    }
    // In shadow mode nothing is enforced.
    let (path, runtime) = begin("two.jsonl", true);
    fs::remove_file(&path).expect("it is there");
    assert!(fire(&runtime, &list).is_allowed());
}

#[test]
fn a_hook_that_takes_the_tape_away_decides_nothing() {
    let dir = tempfile::tempdir().expect("a folder for the tape");
    let path = dir.path().join("tape.jsonl");
    let tape = Tape::create(&path, HeaderRecord::new("s", 0), Arc::new(SystemClock::default())).expect("a new tape");
    let at = path.clone();
    let thief = native::hook("thief", EventName::parse("tool.pre").expect("a known event"), move |_| {
        fs::remove_file(&at).expect("it is there");
        Verdict::allow("yes")
    });
    let chain = native::chain("test", Layer::Project, vec![thief]);
    let runtime = Runtime::builder().chain(chain).tape(Arc::new(tape)).build().unwrap();
    let outcome = fire(&runtime, &call_event("list", json!({})));
    assert_eq!((outcome.decision, outcome.approved), (Decision::Deny, false), "{outcome:?}");
}

/// A hook file for an event, with more keys of its frontmatter and the body of its `handle`.
fn hook_file_text(event: &str, keys: &str, body: &[&str]) -> String {
    let lines = body.join("\n      ");
    format!("---\nevent: {event}\n{keys}script: |\n  def handle(event, payload):\n      {lines}\n---\n")
}

/// Fires an event at these hooks, in this order.
fn fire_at_hooks(hooks: &[String], event: &Event) -> Outcome {
    let names: Vec<String> = (0..hooks.len()).map(|index| format!("h{index}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(hooks.iter().map(String::as_str)).collect();
    fire(&load_runtime(write_project(&files).path()), event)
}

#[test]
fn rewriting_hooks_compose_in_order_and_each_rewrites_once() {
    let command = |outcome: &Outcome| outcome.payload.field("args").and_then(|args| args.get("command")).cloned();
    let block = r#"if "mkfs" in payload["args"]["command"]: return block("no")"#;
    let limits = "return modify({\"args\": {\"command\": \"timeout 5 \" + payload[\"args\"][\"command\"]}})";
    let joins = "return modify({\"args\": {\"command\": payload[\"args\"][\"command\"] + \" 2>&1\"}})";
    let renames = r#"return modify({"args": {"command": payload["args"]["command"].replace("python", "python3")}})"#;
    let run = |bodies: &[&[&str]], text: &str| {
        let file =
            |(body, priority): (&&[&str], i32)| hook_file_text("tool.pre", &format!("priority: {priority}\n"), body);
        let hooks: Vec<String> = bodies.iter().zip(1..).map(file).collect();
        fire_at_hooks(&hooks, &call_event("run_command", json!({"command": text})))
    };
    // Whether a rewriting hook can also deny does not change what it rewrites.
    let chains: [&[&[&str]]; 4] = [
        &[&[limits], &[joins]],
        &[&[block, limits], &[joins]],
        &[&[limits], &[block, joins]],
        &[&[block, limits], &[block, joins]],
    ];
    for chain in chains {
        let outcome = run(chain, "ls");
        assert!(outcome.is_allowed(), "{outcome:?}");
        assert_eq!(command(&outcome), Some(json!("timeout 5 ls 2>&1")), "{chain:?}");
    }
    let outcome = run(&[&[block, limits], &[block, joins], &[block, renames]], "python x");
    assert_eq!(command(&outcome), Some(json!("timeout 5 python3 x 2>&1")));
    // A guard that rewrote before decides on the result of the others' rewrites.
    let brings = "return modify({\"args\": {\"command\": payload[\"args\"][\"command\"] + \" mkfs\"}})";
    assert_eq!(run(&[&[block, limits], &[brings]], "ls").decision, Decision::Deny);
}

#[test]
fn context_that_guards_put_in_is_put_in_once() {
    let stamps = ["if not payload: return block(\"empty\")", "return modify(\"[trace 1] \" + payload)"];
    let injects = ["if len(payload) > 999: return block(\"long\")", "return modify(payload + \" (be brief)\")"];
    let hooks = [
        hook_file_text("turn.start", "priority: 1\n", &injects),
        hook_file_text("turn.start", "priority: 2\n", &stamps),
    ];
    let outcome = fire_at_hooks(&hooks, &build_event("turn.start", json!("hello")));
    assert_eq!((outcome.decision, outcome.payload.value()), (Decision::Allow, &json!("[trace 1] hello (be brief)")));
    // A hook that changes another field.
    let careful = [
        "if len(payload[\"messages\"]) > 50: return block(\"long\")",
        "return modify({\"messages\": [{\"role\": \"system\", \"content\": \"Be careful.\"}] + payload[\"messages\"]})",
    ];
    let hooks = [
        hook_file_text("completion.pre", "priority: 1\n", &careful),
        hook_file_text("completion.pre", "priority: 2\n", &["return modify({\"max_tokens\": 500})"]),
    ];
    let request = json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [], "iteration": 1});
    let outcome = fire_at_hooks(&hooks, &build_event("completion.pre", request));
    let messages = outcome.payload.field("messages").and_then(Value::as_array).map(Vec::len);
    assert_eq!((outcome.decision, messages), (Decision::Allow, Some(2)), "{outcome:?}");
}

#[test]
fn a_guard_whose_decision_is_data_is_asked_again() {
    let decisions = [
        "return json.decode('{\"action\": \"block\"}') if \"rm\" in payload[\"args\"][\"command\"] else None",
        "return {\"action\": \"bl\" + \"ock\"} if \"rm\" in payload[\"args\"][\"command\"] else allow()",
        "return payload[\"args\"][\"verdicts\"].get(payload[\"args\"][\"command\"].split(\" \")[0]) or allow()",
    ];
    let args = "payload[\"args\"] | {\"command\": payload[\"args\"][\"command\"].replace(\"XXYY\", \"rm\")}";
    let rewrites = hook_file_text("tool.pre", "priority: 2\n", &[&format!("return modify({{\"args\": {args}}})")]);
    let args = json!({"command": "XXYY -rf /", "verdicts": {"rm": {"action": "block"}}});
    for decides in decisions {
        let hooks = [hook_file_text("tool.pre", "priority: 1\n", &[decides]), rewrites.clone()];
        let outcome = fire_at_hooks(&hooks, &call_event("run_command", args.clone()));
        assert_eq!(outcome.decision, Decision::Deny, "{decides}: {outcome:?}");
    }
}

#[test]
fn a_when_that_a_limit_ends_fails_its_hook() {
    let when = "when: any([w in [\"rm\", \"mkfs\"] for w in payload[\"args\"][\"command\"].split(\" \")])\n";
    let refuses = hook_file_text("tool.pre", when, &["return block(\"no\")"]);
    let long = call_event("run_command", json!({"command": format!("rm -rf / #{}", " a".repeat(1_100_000))}));
    let outcome = fire_at_hooks(std::slice::from_ref(&refuses), &long);
    assert_eq!(outcome.decision, Decision::Deny);
    // A slow machine reaches the deadline first.
    assert!(outcome.failures.iter().all(|report| report.failure.kind.is_cut_short()), "{}", outcome.reason());
    // If the matcher's own code raises an error, the hook is skipped with a warning, as documented.
    let raises = hook_file_text("tool.pre", "when: payload[\"args\"][\"nothing\"] == 1\n", &["return block(\"no\")"]);
    let outcome = fire_at_hooks(&[raises], &call_event("run_command", json!({"command": "ls"})));
    assert!(
        outcome.is_allowed()
            && outcome.warnings.iter().any(|warning| pintle_host::is_matcher_failure_warning(&warning.message)),
        "{outcome:?}"
    );
    // A payload that scripts cannot represent does not skip the guard either.
    let any = "when: any([\"rm\" in str(value) for value in payload[\"args\"].values()])\n";
    let guard = hook_file_text("tool.pre", any, &["return block(\"no\")"]);
    let nested = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    for odd in ["1e400", &"9".repeat(9_000), &nested] {
        let args = serde_json::from_str(&format!("{{\"command\": \"rm -rf /\", \"n\": {odd}}}")).expect("it is JSON");
        assert_eq!(
            fire_at_hooks(std::slice::from_ref(&guard), &call_event("run_command", args)).decision,
            Decision::Deny,
            "{odd}"
        );
    }
    // The failure policy that the author wrote applies.
    let open = hook_file_text("tool.pre", &format!("on_error: open\n{when}"), &["return block(\"no\")"]);
    let outcome = fire_at_hooks(&[open], &long);
    assert!(outcome.is_allowed() && outcome.failures.len() == 1, "{:?}", outcome.failures);
}

#[test]
fn what_may_rewrite_or_refuse_data_fails_closed() {
    let result = |content: String| {
        build_event(
            "tool.post",
            json!({"call_id": "c", "name": "read", "content": content, "is_error": false, "result": content}),
        )
    };
    let secret = result(String::from("SECRET"));
    let crashes = "x = payload[\"nothing\"]";
    let redacts = "return modify({\"content\": payload[\"content\"].replace(\"SECRET\", \"[redacted]\")})";
    let cases = [
        (vec![crashes, redacts], "", Decision::Deny),
        (vec![crashes, "return block(\"secret\")"], "", Decision::Deny),
        (vec![crashes, "return json.decode(payload[\"content\"])"], "", Decision::Deny),
        (vec![crashes, redacts], "on_error: open\n", Decision::Allow),
        // A hook that only observes does not stop anything.
        (vec![crashes, "return allow()"], "", Decision::Allow),
        (vec!["metrics.incr(\"seen\")", crashes], "", Decision::Allow),
        (vec![crashes], "on_error: closed\n", Decision::Deny),
    ];
    for (body, keys, wanted) in cases {
        assert_eq!(
            fire_at_hooks(&[hook_file_text("tool.post", keys, &body)], &secret).decision,
            wanted,
            "{keys}{body:?}"
        );
    }
    // A redaction whose output grows beyond the limit of a hook's output.
    let large = result(format!("{}{}", "x".repeat(1_041_000), "SECRET".repeat(1_000)));
    let outcome = fire_at_hooks(&[hook_file_text("tool.post", "", &[redacts])], &large);
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(outcome.reason().contains("output limit"), "{}", outcome.reason());
}

#[test]
fn the_time_limit_of_a_hook_bounds_its_sleep_here_and_in_a_worker() {
    const HEAD: &str = "---\nevent: tool.pre\npriority: 1\ntimeout_ms: 50\nscript: |\n";
    const BODY: &str = "  def handle(event, payload):\n      sleep(100000000)\n      return allow()\n---\n";
    for (place, before) in [("here", ""), ("worker", "  def again(n):\n      return again(n - 1) if n > 0 else 0\n")] {
        let project = write_project(&[("sleeper", &format!("{HEAD}{before}{BODY}"))]);
        let outcome = fire(&load_runtime(project.path()), &call_event("ls", json!({})));
        assert_eq!(outcome.decision, Decision::Deny, "{place}: {outcome:?}");
        assert!(format!("{outcome:?}").contains("no answer within 50 ms"), "{place}: {outcome:?}");
    }
}
