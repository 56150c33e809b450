//! `file.edited`: every way of writing a file is reported, at the end of the iteration.

use std::fs;
use std::sync::{Arc, Mutex};

use pintle_agent::model::ModelTool;
use pintle_agent::{Tool, ToolContext, ToolError};
use pintle_host::Verdict;
use pintle_host::contract::{
    AgentSpec, Location, MemberSpec, PermissionMode, ScriptSource, ToolSpec, ToolsetKind, ToolsetSpec,
};
use pintle_host::dialects::docker_agent::LOOP_RULES;
use serde_json::{Map, Value, json};

use crate::lifecycle::{FiredEventLog, LifecycleFixture, open_fixture, open_fixture_with};
use crate::support::{QueuedReplyModel, agent, call, hook, say};

/// The reported edits: operation and path within the workspace, with the tool.
fn edit_lines(log: &FiredEventLog, fixture: &LifecycleFixture) -> Vec<String> {
    let root = format!("{}/", fixture.folder.path().display());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |edit: Value| {
        let path = text(&edit["path"]);
        let path = path.strip_prefix(&root).unwrap_or_else(|| panic!("{path} is not absolute"));
        format!("{} {path} by {}", text(&edit["operation"]), text(&edit["tool"]))
    };
    log.payloads_of("file.edited").into_iter().map(line).collect()
}

fn script_agent(source: &str) -> AgentSpec {
    let tool = ToolSpec {
        name: String::from("work"),
        description: String::from("Works."),
        parameters: json!({"type": "object", "properties": {}}),
        script: Some(ScriptSource::without_file(source)),
        timeout_ms: 60_000,
        verify: None,
        location: Location::default(),
    };
    AgentSpec { tools: vec![tool], ..agent() }
}

#[test]
fn native_tool_writes_are_fired_before_the_next_model_call() {
    let heard = FiredEventLog::default();
    let hooks = heard.hooks(&["file.edited", "iteration.post", "completion.pre"]);
    let calls = call(&[
        ("write", r#"{"path":"src/a.rs","content":"one"}"#),
        ("read", r#"{"path":"src/a.rs"}"#),
        ("write", r#"{"path":"../out","content":"x"}"#),
    ]);
    let edit = call(&[("edit", r#"{"path":"src/a.rs","old":"one","new":"other"}"#)]);
    let mut fixture = open_fixture(QueuedReplyModel::root([calls, edit, say("done")]), hooks);
    fixture.session.turn("go").unwrap();
    assert_eq!(edit_lines(&heard, &fixture), ["write src/a.rs by write", "edit src/a.rs by edit"]);
    assert_eq!(
        heard.names(),
        [
            "completion.pre",
            "iteration.post",
            "file.edited",
            "completion.pre",
            "iteration.post",
            "file.edited",
            "completion.pre",
            "iteration.post",
        ]
    );
    let edits = heard.payloads_of("file.edited");
    assert_eq!((&edits[1]["size_bytes"], &edits[1]["call_id"]), (&json!(5), &json!("1")));
}

#[test]
fn every_function_of_a_script_that_writes_is_told_once() {
    let source = "\
def run(args):
    fs.write(\"a.txt\", \"one\")
    fs.append(\"a.txt\", \" two\")
    fs.replace(\"a.txt\", \"one\", \"1\")
    fs.copy(\"a.txt\", \"b.txt\")
    fs.move(\"b.txt\", \"c.txt\")
    fs.mkdir(\"d\")
    fs.mkdir(\"d\")
    fs.remove(\"a.txt\")
    return fs.exists(\"c.txt\")
";
    let heard = FiredEventLog::default();
    let model = QueuedReplyModel::root([call(&[("work", "{}")]), say("done")]);
    let mut fixture = open_fixture_with(model, script_agent(source), heard.hooks(&["file.edited"]), |builder| builder);
    let answer = fixture.session.turn("go").unwrap();
    assert_eq!(answer.tool_results[0].content, "true");
    let expected = [
        "write a.txt by work",
        "append a.txt by work",
        "edit a.txt by work",
        "copy b.txt by work",
        "move c.txt by work",
        "create d by work",
        "delete a.txt by work",
    ];
    assert_eq!(edit_lines(&heard, &fixture), expected);
    let moved = &heard.payloads_of("file.edited")[4];
    assert!(moved["from"].as_str().unwrap().ends_with("/b.txt"), "{moved}");
}

#[test]
fn what_a_program_writes_is_found_once_and_for_the_call_that_ran_it() {
    let heard = FiredEventLog::default();
    let shell = |command: &str| json!({"command": command}).to_string();
    let first = shell("echo new > made.txt; echo longer >> there.txt; rm gone.txt");
    let model = QueuedReplyModel::root([
        call(&[("shell", &first)]),
        call(&[("shell", &shell("true")), ("shell", &shell("echo x > other.txt"))]),
        say("done"),
    ]);
    let mut fixture = open_fixture(model, heard.hooks(&["file.edited"]));
    for name in ["there.txt", "gone.txt", "same.txt"] {
        fs::write(fixture.folder.path().join(name), "x").unwrap();
    }
    fixture.session.turn("go").unwrap();
    let mut found = edit_lines(&heard, &fixture);
    // The two calls of the second iteration run concurrently: either may be the one that finds the change.
    assert_eq!(found.pop().as_deref(), Some("create other.txt by shell"));
    assert_eq!(found, ["delete gone.txt by shell", "create made.txt by shell", "write there.txt by shell"]);
}

#[test]
fn a_script_that_starts_a_program_tells_of_both_ways_of_writing() {
    let source = "\
def run(args):
    fs.write(\"by_script.txt\", \"x\")
    exec.run(\"touch\", [\"by_program.txt\"])
    return \"ok\"
";
    let heard = FiredEventLog::default();
    let model = QueuedReplyModel::root([call(&[("work", "{}")]), say("done")]);
    let mut fixture = open_fixture_with(model, script_agent(source), heard.hooks(&["file.edited"]), |builder| builder);
    let answer = fixture.session.turn("go").unwrap();
    assert!(!answer.tool_results[0].is_error, "{answer:?}");
    assert_eq!(edit_lines(&heard, &fixture), ["write by_script.txt by work", "create by_program.txt by work"]);
}

/// Gap 9: the queue belongs to the session.
#[test]
fn the_host_tells_of_its_own_edits_and_each_session_has_its_own_queue() {
    let (one, other) = (FiredEventLog::default(), FiredEventLog::default());
    let mut first = open_fixture(QueuedReplyModel::root([say("done")]), one.hooks(&["file.edited"]));
    let mut second = open_fixture(QueuedReplyModel::root([say("done")]), other.hooks(&["file.edited"]));
    let metadata: Map<String, Value> = [("operation", json!("format")), ("by", json!("editor"))]
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect();
    first.session.notify_file_edited("a.rs", metadata);
    second.session.turn("go").unwrap();
    assert!(other.names().is_empty());
    assert!(one.names().is_empty(), "it waits for a boundary of a round");
    first.session.turn("go").unwrap();
    let edits = one.payloads_of("file.edited");
    assert_eq!(edits.len(), 1);
    assert_eq!((&edits[0]["operation"], &edits[0]["metadata"]["by"]), (&json!("format"), &json!("editor")));
    first.session.notify_file_edited("b.rs", Map::new());
    first.session.end();
    assert_eq!(one.payloads_of("file.edited").len(), 2, "the end of a session is a boundary too");
}

/// Gap 9: an error in one hook.
#[test]
fn a_hook_that_fails_keeps_no_other_edit_from_being_told() {
    let heard = FiredEventLog::default();
    let mut hooks = vec![hook("crashes", "file.edited", |_| panic!("no"))];
    hooks.extend(heard.hooks(&["file.edited"]));
    let write = |name: &str| json!({"path": name, "content": "x"}).to_string();
    let calls = call(&[("write", &write("a")), ("write", &write("b")), ("write", &write("c"))]);
    let mut fixture = open_fixture(QueuedReplyModel::root([calls, say("done")]), hooks);
    fixture.session.turn("go").unwrap();
    let mut found = edit_lines(&heard, &fixture);
    found.sort();
    assert_eq!(found, ["write a by write", "write b by write", "write c by write"]);
}

#[test]
fn a_turn_that_fails_tells_its_edits_all_the_same() {
    let heard = FiredEventLog::default();
    let hooks = heard.hooks(&["file.edited"]);
    let model = QueuedReplyModel::root([call(&[("write", r#"{"path":"a","content":"x"}"#)])]);
    let mut spec = agent();
    spec.exit.max_iterations = 1;
    spec.exit.on_max_iterations = pintle_host::contract::OnMaxIterations::Error;
    let mut fixture = open_fixture_with(model, spec, hooks, |builder| builder);
    fixture.session.turn("go").unwrap_err();
    assert_eq!(edit_lines(&heard, &fixture), ["write a by write"]);
}

#[test]
fn the_filesystem_set_of_a_team_tells_what_it_writes() {
    let set = ToolsetSpec {
        kind: ToolsetKind::Filesystem,
        tools: Vec::new(),
        instruction: None,
        location: Location::default(),
    };
    let member = MemberSpec { toolsets: vec![set], ..MemberSpec::default() };
    let spec = AgentSpec { rules: LOOP_RULES, member: Some(member), ..agent() };
    let calls = [
        ("create_directory", r#"{"paths":["new"]}"#),
        ("create_directory", r#"{"paths":["new"]}"#),
        ("write_file", r#"{"path":"new/a.txt","content":"one"}"#),
        ("edit_file", r#"{"path":"new/a.txt","edits":[{"oldText":"one","newText":"two"}]}"#),
        ("list_directory", r#"{"path":"new"}"#),
        ("create_directory", r#"{"paths":["old"]}"#),
        ("remove_directory", r#"{"paths":["old"]}"#),
        ("write_file", r#"{"path":"../out","content":"one"}"#),
    ];
    let heard = FiredEventLog::default();
    let model = QueuedReplyModel::root(calls.map(|one| call(&[one])).into_iter().chain([say("done")]));
    let mut fixture = open_fixture_with(model, spec, heard.hooks(&["file.edited"]), |builder| {
        builder.permission_mode(PermissionMode::Autonomous)
    });
    fixture.session.turn("go").unwrap();
    let expected = [
        "create new by create_directory",
        "write new/a.txt by write_file",
        "edit new/a.txt by edit_file",
        "create old by create_directory",
        "delete old by remove_directory",
    ];
    assert_eq!(edit_lines(&heard, &fixture), expected);
}

/// A tool that writes like a program, without the session noticing.
#[derive(Debug)]
struct UnseenWriteTool {
    definition: ModelTool,
    is_read_only: bool,
}

impl Tool for UnseenWriteTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    fn call(&self, _arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError> {
        let path = context.workspace().root().join(format!("by_{}.txt", self.definition.name));
        fs::write(path, "x").map_err(|error| error.to_string())?;
        Err(ToolError::from("it failed afterwards"))
    }
}

#[test]
fn a_tool_made_in_code_is_compared_unless_it_claims_to_change_nothing() {
    let tool = |name: &str, is_read_only| {
        let parameters = json!({"type": "object", "properties": {}});
        let definition = ModelTool { name: name.to_owned(), description: String::from("Writes."), parameters };
        Arc::new(UnseenWriteTool { definition, is_read_only })
    };
    let heard = FiredEventLog::default();
    let model = QueuedReplyModel::root([call(&[("honest", "{}")]), call(&[("liar", "{}")]), say("done")]);
    let hooks = heard.hooks(&["file.edited"]);
    let tools = [tool("honest", false), tool("liar", true)];
    let mut fixture = open_fixture_with(model, agent(), hooks, |builder| {
        tools.into_iter().fold(builder, |builder, tool| builder.tool(tool))
    });
    fixture.session.turn("go").unwrap();
    assert_eq!(edit_lines(&heard, &fixture), ["create by_honest.txt by honest"]);
}

#[test]
fn a_child_tells_its_own_hooks_of_its_own_edits() {
    let write = |path: &str| call(&[("write", &json!({"path": path, "content": "x"}).to_string())]);
    let child = AgentSpec { name: String::from("child"), ..agent() };
    let spec = AgentSpec { agents: vec![Arc::new(child)], ..agent() };
    let both =
        call(&[("write", r#"{"path":"mine","content":"x"}"#), ("delegate", r#"{"agent":"child","task":"write"}"#)]);
    let model = QueuedReplyModel::root([both, say("done")]);
    model.add("child", [write("its"), say("written")]);
    let agents = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&agents);
    let who = hook("who", "file.edited", move |call| {
        let path = call.event.subject().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
        seen.lock().unwrap().push(format!("{} {path}", call.event.origin.agent));
        Verdict::pass()
    });
    let mut fixture = open_fixture_with(model, spec, [who], |builder| builder);
    fixture.session.turn("go").unwrap();
    agents.lock().unwrap().sort();
    assert_eq!(*agents.lock().unwrap(), ["child its", "root mine"]);
}
