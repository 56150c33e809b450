//! Starlark tools and verify scripts, and agents that change themselves under guards.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pintle_host::contract::{AgentSpec, DelegationSpec, Location, MetaSpec, ScriptSource, ToolSpec};
use pintle_host::{Hook, Verdict};
use serde_json::{Value, json};
use support::*;

fn script_tool(name: &str, script: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::from("A tool of the test."),
        parameters: json!({"type": "object", "properties": {"text": {"type": "string", "default": ""}}}),
        script: Some(ScriptSource::without_file(script)),
        timeout_ms: 60_000,
        verify: None,
        location: Location::default(),
    }
}

fn with_tools(tools: Vec<ToolSpec>, is_meta: bool) -> AgentSpec {
    let meta = MetaSpec { enabled: is_meta, max_tools: 2, max_call_depth: 2, ..MetaSpec::default() };
    AgentSpec { tools, meta, ..agent() }
}

/// Calls a tool once, with a text, and returns the content of its result.
fn call_once(spec: AgentSpec, name: &str, text: &str, hooks: Vec<Hook>) -> (String, bool, AgentFixture) {
    let arguments = json!({"text": text}).to_string();
    let mut fixture = open_fixture(QueuedReplyModel::root([call(&[(name, &arguments)]), say("end")]), hooks, spec);
    let mut answer = fixture.session.turn("go").unwrap();
    let result = answer.tool_results.remove(0);
    (result.content, result.is_error, fixture)
}

#[test]
fn a_tool_of_the_project_works_in_the_workspace_and_nowhere_else() {
    let script = r#"
def run(args):
    fs.write("out/a.txt", args["text"])
    ran = exec.run("cat", ["a.txt"], dir="out")
    return {"read": fs.read("out/a.txt"), "ran": ran["stdout"], "ok": ran["ok"]}
"#;
    let (content, is_error, _) =
        call_once(with_tools(vec![script_tool("copy", script)], false), "copy", "hi", Vec::new());
    assert_eq!((content.as_str(), is_error), (r#"{"read":"hi","ran":"hi","ok":true}"#, false));
    for line in ["fs.read(\"/etc/passwd\")", "fs.write(\"../x\", \"y\")", "exec.run(\"ls\", dir=\"..\")"] {
        let script = format!("def run(args):\n    return {line}\n");
        let (content, is_error, _) =
            call_once(with_tools(vec![script_tool("leave", &script)], false), "leave", "", Vec::new());
        assert!(is_error && content.contains("outside the workspace"), "{line}: {content}");
    }
}

#[test]
fn a_tool_without_a_script_or_with_a_bad_one_says_so() {
    let without = ToolSpec { script: None, ..script_tool("empty", "") };
    let (content, ..) = call_once(with_tools(vec![without], false), "empty", "", Vec::new());
    assert_eq!(content, "tool error: tool \"empty\" is configured but no handler has been registered");
    let (content, is_error, _) = call_once(
        with_tools(vec![script_tool("fails", "def run(args):\n    return args[\"missing\"]\n")], false),
        "fails",
        "",
        Vec::new(),
    );
    assert!(is_error && content.starts_with("tool error: script error: ") && content.contains("missing"), "{content}");
    let dir = tempfile::tempdir().unwrap();
    let runtime = runtime(&AgentEventLog::default(), []);
    let spec = with_tools(vec![script_tool("broken", "def run(args:\n")], false);
    let built = pintle_agent::Session::builder(runtime, spec, QueuedReplyModel::root([])).workspace(dir.path()).build();
    assert!(built.unwrap_err().to_string().starts_with("tool `broken` does not compile: "));
}

#[test]
fn a_tool_may_be_verified() {
    let verify =
        "def run(result):\n    return {\"verified\": result[\"result\"] == \"good\", \"reason\": \"not good\"}\n";
    let echo = ToolSpec {
        verify: Some(ScriptSource::without_file(verify)),
        ..script_tool("echo", "def run(args):\n    return args[\"text\"]\n")
    };
    let run = |text| call_once(with_tools(vec![echo.clone()], false), "echo", text, Vec::new()).0;
    assert_eq!(run("good"), "good");
    assert_eq!(run("bad"), "tool error: verification failed: not good");
}

const CREATE: &str = r#"
def run(args):
    return meta.register_tool(
        name=args["text"],
        description="Says hello.",
        parameters={"who": {"type": "string", "required": True}},
        script="def run(args):\n    return \"hello \" + args[\"who\"]\n",
    )
"#;

#[test]
fn an_agent_may_give_itself_a_tool_under_guard() {
    let spec = || with_tools(vec![script_tool("create", CREATE)], true);
    let model = QueuedReplyModel::root([
        call(&[("create", r#"{"text":"greet"}"#)]),
        call(&[("greet", r#"{"who":"Ada"}"#)]),
        call(&[("greet", "{}")]),
        call(&[("create", r#"{"text":"greet"}"#)]),
        call(&[("create", r#"{"text":"read"}"#)]),
        call(&[("create", r#"{"text":"second"}"#)]),
        call(&[("create", r#"{"text":"third"}"#)]),
        say("end"),
    ]);
    let mut fixture = open_fixture(model, [], spec());
    let answer = fixture.session.turn("go").unwrap();
    let contents: Vec<&str> = answer.tool_results.iter().map(|result| result.content.as_str()).collect();
    assert_eq!(
        contents[..3],
        [r#"{"name":"greet","registered":true}"#, "hello Ada", "tool \"greet\" was not called: `who` is required"]
    );
    assert!(contents[3].contains("tool `greet` exists; pass replace=True to replace it"), "{}", contents[3]);
    assert!(contents[4].contains("tool `read` belongs to the project"), "{}", contents[4]);
    assert!(contents[5].contains("\"registered\":true"), "{}", contents[5]);
    assert!(contents[6].contains("the limit of 2 registered tools is reached"), "{}", contents[6]);
    assert!(fixture.model.request(1).tools.iter().any(|tool| tool.name == "greet"), "the model is offered it");
    let event = &fixture.seen.payloads_of("meta.register_tool")[0];
    assert_eq!((&event["name"], &event["description"]), (&json!("greet"), &json!("Says hello.")));

    let guard = hook("meta_tool_guard", "meta.register_tool", |call| match call.event.subject() {
        Some(name) if name.starts_with("exec") => Verdict::deny("banned prefix"),
        _ => Verdict::pass(),
    });
    let (content, is_error, _) = call_once(spec(), "create", "exec_anything", vec![guard]);
    let expected = "meta.register_tool: blocked by governance: banned prefix";
    assert!(is_error && content.contains(expected), "{content}");

    let shell_less = AgentSpec { policy: pintle_host::contract::ToolsPolicy::default(), ..spec() };
    let (content, is_error, fixture) = call_once(shell_less, "create", "shell", Vec::new());
    assert!(is_error && content.contains("`shell` is the name of a native tool"), "{content}");
    assert!(!fixture.session.tools().contains(&String::from("shell")));

    let (content, is_error, _) =
        call_once(with_tools(vec![script_tool("create", CREATE)], false), "create", "greet", Vec::new());
    assert!(is_error && content.contains("meta.register_tool: self-augmentation is off"), "{content}");
}

#[test]
fn a_registered_hook_can_only_narrow() {
    let register = r#"
def run(args):
    parts = args["text"].split(" ")
    return meta.register_hook(
        name=parts[0],
        event=parts[1],
        script="def handle(event, payload):\n    if payload.get(\"name\") == \"list\":\n        return block(\"no lists\")\n    return allow()\n",
        priority=1,
    )
"#;
    let guard = hook("house_rule", "tool.pre", |call| match call.event.subject() {
        Some("shell") => Verdict::deny("no shells"),
        _ => Verdict::pass(),
    });
    let model = QueuedReplyModel::root([
        call(&[("list", "{}")]),
        call(&[("register", r#"{"text":"no_lists tool.pre"}"#)]),
        call(&[("list", "{}")]),
        call(&[("shell", r#"{"command":"id"}"#)]),
        call(&[("register", r#"{"text":"house_rule tool.pre"}"#)]),
        call(&[("register", r#"{"text":"gate meta.register_hook"}"#)]),
        call(&[("register", r#"{"text":"odd tool.prr"}"#)]),
        say("end"),
    ]);
    let mut fixture = open_fixture(model, [guard], with_tools(vec![script_tool("register", register)], true));
    let answer = fixture.session.turn("go").unwrap();
    let contents: Vec<&str> = answer.tool_results.iter().map(|result| result.content.as_str()).collect();
    assert_eq!(contents[0], "[]");
    assert_eq!(contents[1], r#"{"name":"no_lists","registered":true}"#);
    assert_eq!(contents[2], "tool blocked: no lists");
    assert_eq!(contents[3], "tool blocked: no shells");
    assert!(contents[4].contains("hook `house_rule` exists"), "{}", contents[4]);
    assert!(contents[5].contains("cannot register a hook on meta.register_hook"), "{}", contents[5]);
    assert!(contents[6].contains("tool.prr"), "{}", contents[6]);
    let event = &fixture.seen.payloads_of("meta.register_hook")[0];
    assert_eq!((&event["name"], &event["priority"]), (&json!("no_lists"), &json!(50)));
}

#[test]
fn a_registered_agent_can_be_delegated_to_and_has_the_tools_it_was_given() {
    let register = r#"
def run(args):
    return meta.register_agent(name="scout", system_prompt="look around", tools=["list"])
"#;
    let model = QueuedReplyModel::root([
        call(&[("register", "{}")]),
        call(&[("delegate", r#"{"agent":"scout","task":"look"}"#)]),
        say("end"),
    ]);
    model.add("scout", [say("nothing here")]);
    let mut fixture = open_fixture(model, [], with_tools(vec![script_tool("register", register)], true));
    let answer = fixture.session.turn("go").unwrap();
    assert_eq!(answer.tool_results[1].content, "DELEGATION COMPLETE: nothing here");
    let request = fixture.model.request(2);
    assert_eq!(message_lines(&request), ["system: look around", "user: look"]);
    assert_eq!(request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["list"]);
    assert_eq!(fixture.seen.payloads_of("meta.register_agent")[0]["tool_count"], json!(1));
}

#[test]
fn a_script_calls_a_tool_through_the_same_door_as_the_model() {
    let relay = "def run(args):\n    return meta.call_tool(\"shell\", {\"command\": args[\"text\"]})\n";
    let guard = || {
        hook("command_guard", "tool.pre", |call| {
            let command = call.event.payload.value().pointer("/args/command").and_then(Value::as_str);
            if command == Some("rm -rf /") { Verdict::deny("dangerous") } else { Verdict::pass() }
        })
    };
    let spec = || with_tools(vec![script_tool("relay", relay)], true);
    let (content, is_error, fixture) = call_once(spec(), "relay", "rm -rf /", vec![guard()]);
    let content: Value = serde_json::from_str(&content).unwrap();
    assert_eq!((&content["content"], is_error), (&json!("tool blocked: dangerous"), false));
    let names: Vec<Value> = fixture.seen.payloads_of("tool.post").iter().map(|post| post["name"].clone()).collect();
    assert_eq!(names, [json!("shell"), json!("relay")]);
    assert_eq!(fixture.seen.payloads_of("meta.call_tool")[0]["args"], json!({"command": "rm -rf /"}));

    let (content, _, _) = call_once(spec(), "relay", "echo hi", vec![guard(), deny("meta.call_tool", "not now")]);
    assert!(content.contains("blocked by governance: not now"), "{content}");

    let forever = "def run(args):\n    return meta.call_tool(\"forever\", {})\n";
    let (content, ..) = call_once(with_tools(vec![script_tool("forever", forever)], true), "forever", "", Vec::new());
    assert!(content.contains("calls are nested more than 2 deep"), "{content}");
}

#[test]
fn hooks_of_a_call_that_a_script_waits_for_end_with_the_scripts_time() {
    // A hook of the inner call's end waits for its cancellation, which the time limit of the script causes.
    let ended = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&ended);
    let waiting = hook("waits", "tool.post", move |call| {
        if call.event.subject() == Some("list") {
            let began = Instant::now();
            while !call.cancel.is_cancelled() && began.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(1));
            }
            seen.store(call.cancel.is_cancelled(), Ordering::Release);
        }
        Verdict::pass()
    });
    let relay = ToolSpec {
        timeout_ms: 300,
        ..script_tool("relay", "def run(args):\n    return meta.call_tool(\"list\", {})[\"content\"]\n")
    };
    let (content, is_error, fixture) = call_once(with_tools(vec![relay], true), "relay", "", vec![waiting]);
    assert!(ended.load(Ordering::Acquire), "the hook ran on after the time of the script");
    assert!(is_error && content.contains("no answer within 300 ms"), "{content}");
    let names: Vec<Value> = fixture.seen.payloads_of("tool.post").iter().map(|post| post["name"].clone()).collect();
    assert_eq!(names, [json!("list"), json!("relay")], "the session's own call ends as any other does");
}

#[test]
fn project_verifier_checks_every_delegation_and_a_crash_fails_it() {
    let delegate = |verify: &str| {
        let delegation =
            DelegationSpec { verify: Some(ScriptSource::without_file(verify)), ..DelegationSpec::default() };
        let model = QueuedReplyModel::root([call(&[("delegate", r#"{"task":"x"}"#)]), say("end")]);
        model.add("delegate", [say("draft"), say("final")]);
        let mut fixture = open_fixture(model, [], AgentSpec { delegation, ..agent() });
        let answer = fixture.session.turn("go").unwrap();
        (answer.tool_results[0].content.clone(), fixture)
    };
    let verify =
        "def run(result):\n    return {\"verified\": result[\"response\"] == \"final\", \"reason\": \"a draft\"}\n";
    let (content, fixture) = delegate(verify);
    assert_eq!(content, "DELEGATION COMPLETE: final");
    let seen = fixture.seen.payloads_of("delegation.post_verify");
    assert_eq!((&seen[0]["verified"], &seen[0]["reason"]), (&json!(false), &json!("a draft")));
    assert_eq!((&seen[1]["verified"], seen[1].get("reason")), (&json!(true), None));
    let (content, fixture) = delegate("def run(result):\n    return result[\"nothing\"]\n");
    assert!(content.starts_with("tool error: delegation verification failed: verify script error: "), "{content}");
    assert_eq!(fixture.model.count(), 3, "the child is not called again for what it cannot fix");
}
