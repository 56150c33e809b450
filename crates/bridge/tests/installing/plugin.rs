//! Runs the modules of OpenCode and Pi in `node`, as these agents run them, with a program instead of Pintle.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking, and say what they skip")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use pintle_bridge::HostDef;
use pintle_bridge::install::{InstallPlan, InstallScope};
use serde_json::{Value, json};

use crate::fixture::{InstallFixture, default_options, write_file};

const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/installing/drive_plugin.mjs");

/// A project with the plugin, and a program `pintle` that runs this shell script instead.
struct PluginFixture {
    install: InstallFixture,
    plugin: PathBuf,
}

impl PluginFixture {
    fn new(host: &str, script: &str) -> Self {
        let fixture = Self::without_program(host);
        let program = fixture.program();
        write_file(&program, &format!("#!/bin/sh\ncat > payload-\"$3\".json\n{script}\n"));
        pintle_testkit::make_executable(&program);
        fixture
    }

    fn without_program(host: &str) -> Self {
        let install = InstallFixture::new();
        let host = HostDef::by_name(host).unwrap();
        let plugin = install.settings(host, InstallScope::Project);
        let fixture = Self { install, plugin };
        let options = default_options(&fixture.program().to_string_lossy());
        let plan = InstallPlan::install(host, &fixture.install.environment, InstallScope::Project, &options);
        plan.unwrap().apply().unwrap();
        // As in these agents, which read any file as a module.
        write_file(&fixture.plugin.with_file_name("package.json"), "{\"type\": \"module\"}");
        fixture
    }

    fn program(&self) -> PathBuf {
        self.install.environment.home.join("bin/pintle")
    }

    /// What came of each step; `None` if there is no `node`.
    fn drive(&self, steps: &Value) -> Option<Vec<Value>> {
        let mut node = Command::new("node");
        node.arg(DRIVER).arg(&self.plugin).arg(steps.to_string()).current_dir(&self.install.environment.project);
        let Ok(ran) = node.output() else {
            eprintln!("SKIPPED: `node` is not installed, so no plugin is run");
            return None;
        };
        let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{err}");
        Some(out.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    fn payload_of(&self, event: &str) -> Value {
        let path = self.install.environment.project.join(format!("payload-{event}.json"));
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    }
}

fn before(session: &str) -> Value {
    json!({
        "hook": "tool.execute.before",
        "input": {"tool": "bash", "sessionID": session, "callID": "c1"},
        "output": {"args": {"command": "ls", "description": "list"}},
    })
}

fn after() -> Value {
    json!({
        "hook": "tool.execute.after",
        "input": {"tool": "bash", "sessionID": "s1", "callID": "c1", "args": {"command": "ls"}},
        "output": {"title": "ls", "output": "secret", "metadata": {"output": "secret"}},
    })
}

/// What came of one step with a program that prints this.
fn drive_one(answer: &str, step: Value) -> Option<Value> {
    let fixture = PluginFixture::new("opencode", &format!("printf '%s' '{answer}'"));
    fixture.drive(&json!([step])).map(|mut came| came.remove(0))
}

#[test]
fn an_answer_of_pintle_is_obeyed() {
    let Some(came) = drive_one(r#"{"decision":"allow"}"#, before("s1")) else { return };
    assert_eq!(came["args"], json!({"command": "ls", "description": "list"}));
    assert_eq!(came["thrown"], Value::Null);

    let came = drive_one(r#"{"decision":"deny","reason":"no listing"}"#, before("s1")).unwrap();
    assert_eq!(came["thrown"], "no listing");

    let came = drive_one(r#"{"decision":"allow","args":{"command":"pwd"}}"#, before("s1")).unwrap();
    assert_eq!(came["args"], json!({"command": "pwd"}));
    // A key that JavaScript would take as the prototype gives the tool no field that hooks have not seen.
    let own = r#"{"decision":"allow","args":{"__proto__":{"command":"rm -rf /"}}}"#;
    let came = drive_one(own, before("s1")).unwrap();
    assert_eq!((&came["args"], &came["command"]), (&json!({"__proto__": {"command": "rm -rf /"}}), &Value::Null));

    let came = drive_one(r#"{"decision":"allow","output":"[gone]"}"#, after()).unwrap();
    assert_eq!(came["output"], json!({"title": "", "output": "[gone]", "metadata": {"output": ""}}));

    let came = drive_one(r#"{"decision":"deny","reason":"withheld"}"#, after()).unwrap();
    assert_eq!(came["output"]["output"], "withheld");

    let mut server = after();
    server["output"] = json!({"content": [{"type": "text", "text": "secret"}, {"type": "text", "text": "more"}]});
    let came = drive_one(r#"{"decision":"allow","output":"[gone]"}"#, server).unwrap();
    assert_eq!(came["output"]["content"], json!([{"type": "text", "text": "[gone]"}]));

    let step =
        json!({"hook": "permission.ask", "input": {"sessionID": "s1", "type": "bash"}, "output": {"status": "ask"}});
    let came = drive_one(r#"{"decision":"deny","reason":"never"}"#, step.clone()).unwrap();
    assert_eq!(came["output"]["status"], "deny");
    let came = drive_one(r#"{"decision":"allow","notice":"look"}"#, step).unwrap();
    assert_eq!((&came["output"]["status"], &came["toasts"]), (&json!("ask"), &json!(["look"])));
}

#[test]
fn context_is_in_the_system_prompt_until_the_next_prompt_and_that_of_the_session_stays() {
    let fixture = PluginFixture::new("opencode", r#"printf '{"decision":"allow","context":"of %s"}' "$3""#);
    let message = json!({"hook": "chat.message", "input": {"sessionID": "s1"}, "output": {"message": {}, "parts": []}});
    let system = json!({
        "hook": "experimental.chat.system.transform", "input": {"sessionID": "s1"}, "output": {"system": ["You are."]},
    });
    let Some(came) = fixture.drive(&json!([message, before("s1"), system, message, system])) else { return };
    let systems: Vec<&Value> = came.iter().filter_map(|came| came["output"].get("system")).collect();
    assert_eq!(systems[0], &json!(["You are.", "of session.created", "of chat.message", "of tool.execute.before"]));
    assert_eq!(systems[1], &json!(["You are.", "of session.created", "of chat.message"]));
}

#[test]
fn a_guard_without_a_valid_answer_denies() {
    let broken = [
        "exit 1",
        "exit 2",
        "kill -9 $$",
        "printf nonsense",
        "printf ''",
        "printf '{}'",
        "printf null",
        "printf '[]'",
        r#"printf '{"decision":"perhaps"}'"#,
        r#"printf '{"decision":"allow"} {}'"#,
        r#"printf '{"decision":"allow","args":"ls"}'"#,
        r#"printf '{"decision":"allow"'"#,
    ];
    for script in broken {
        let fixture = PluginFixture::new("opencode", script);
        let Some(came) = fixture.drive(&json!([before("s1"), after()])) else { return };
        assert!(
            came[0]["thrown"].as_str().is_some_and(|why| why.contains("Pintle did not answer")),
            "{script}: {came:?}"
        );
        let shown = came[1]["output"].to_string();
        assert!(shown.contains("Pintle did not answer") && !shown.contains("secret"), "{script}: {shown}");
    }
    let came = PluginFixture::without_program("opencode").drive(&json!([before("s1"), after()])).unwrap();
    assert!(came[0]["thrown"].as_str().unwrap().contains("Pintle did not answer"), "{came:?}");
}

#[test]
fn a_program_that_hangs_is_ended_and_denies() {
    let fixture = PluginFixture::new("opencode", "sleep 600");
    let text = fs::read_to_string(&fixture.plugin).unwrap();
    assert!(text.contains("\"timeoutMs\":45000"), "{text}");
    fs::write(&fixture.plugin, text.replace("\"timeoutMs\":45000", "\"timeoutMs\":100")).unwrap();
    let Some(came) = fixture.drive(&json!([before("s1")])) else { return };
    assert!(came[0]["thrown"].as_str().unwrap().contains("no answer within 100 ms"), "{came:?}");
}

#[test]
fn an_event_that_only_informs_goes_on_without_an_answer() {
    let fixture = PluginFixture::new("opencode", "exit 1");
    let created = json!({
        "hook": "event",
        "input": {"event": {"type": "session.created", "properties": {"info": {"id": "s1"}}}},
    });
    let Some(came) = fixture.drive(&json!([created])) else { return };
    assert_eq!(came[0]["thrown"], Value::Null);
    assert!(came[0]["toasts"][0].as_str().unwrap().contains("Pintle did not answer"), "{came:?}");
}

#[test]
fn a_subagents_call_names_the_session_of_its_parent() {
    let fixture = PluginFixture::new("opencode", r#"printf '{"decision":"allow"}'"#);
    if fixture.drive(&json!([before("child")])).is_none() {
        return;
    }
    let sent = fixture.payload_of("tool.execute.before");
    assert_eq!((&sent["sessionID"], &sent["rootID"]), (&json!("child"), &json!("s1")));
    assert_eq!(sent["input"]["tool"], "bash");
    assert_eq!(sent["output"]["args"]["command"], "ls");
    assert_eq!(sent["directory"], json!(fixture.install.environment.project));
}

#[test]
fn a_plugin_of_another_author_is_left_alone() {
    let fixture = InstallFixture::new();
    let host = HostDef::by_name("opencode").unwrap();
    let path = fixture.settings(host, InstallScope::User);
    write_file(&path, "export const Mine = async () => ({});\n");
    let error = InstallPlan::install(host, &fixture.environment, InstallScope::User, &default_options("/opt/pintle"));
    assert!(error.unwrap_err().to_string().contains("is not Pintle's hook"));
    assert_eq!(fixture.plan_uninstall(host, InstallScope::User).changes, Vec::new());
}

fn pi_call(input: &Value) -> Value {
    json!({"hook": "tool_call", "event": {"toolName": "bash", "toolCallId": "c1", "input": input}})
}

fn pi_result() -> Value {
    json!({"hook": "tool_result", "event": {
        "toolName": "bash", "toolCallId": "c1", "input": {"command": "ls"}, "details": {"full": "secret", "lines": 1},
        "content": [{"type": "text", "text": "secret"}], "isError": false,
    }})
}

/// What came of steps in Pi with a program that prints this; `None` if there is no `node`.
fn drive_pi(answer: &str, steps: &[Value]) -> Option<Vec<Value>> {
    PluginFixture::new("pi", &format!("printf '%s' '{answer}'")).drive(&json!(steps))
}

#[test]
fn pi_obeys_an_answer_about_a_call() {
    let ls = pi_call(&json!({"command": "ls"}));
    let one = |answer: &str, step: &Value| drive_pi(answer, std::slice::from_ref(step)).map(|mut came| came.remove(0));
    let Some(came) = one(r#"{"decision":"allow"}"#, &ls) else { return };
    assert_eq!((&came["returned"], &came["event"]["input"]), (&Value::Null, &json!({"command": "ls"})));

    let came = one(r#"{"decision":"deny","reason":"no listing"}"#, &ls).unwrap();
    assert_eq!(came["returned"], json!({"block": true, "reason": "no listing", "terminate": false}));
    let came = one(r#"{"decision":"deny","reason":"enough","stop":"enough"}"#, &ls).unwrap();
    assert_eq!(came["returned"], json!({"block": true, "reason": "enough", "terminate": true}));

    let came = one(r#"{"decision":"allow","args":{"__proto__":{"command":"rm"},"command":"pwd"}}"#, &ls).unwrap();
    assert_eq!(came["event"]["input"], json!({"__proto__": {"command": "rm"}, "command": "pwd"}));

    // A question needs a screen and a yes, and shows the call that would run.
    let asked = r#"{"decision":"ask","reason":"sure?","args":{"command":"pwd"}}"#;
    for (screen, reply, is_blocked) in [(true, true, false), (true, false, true), (false, true, true)] {
        let step = json!({"hook": "tool_call", "event": ls["event"], "screen": screen, "reply": reply});
        let came = one(asked, &step).unwrap();
        assert_eq!(came["returned"]["block"] == json!(true), is_blocked, "{screen} {reply}: {came}");
        let question = json!(["sure?\n\nbash {\"command\":\"pwd\"}"]);
        assert_eq!(came["asked"], if screen { question } else { json!([]) }, "{came}");
        let runs = if is_blocked { "ls" } else { "pwd" };
        assert_eq!(came["event"]["input"]["command"], runs);
    }
}

#[test]
fn pi_obeys_an_answer_about_a_result() {
    let Some(came) = drive_pi(r#"{"decision":"allow","output":"[gone]"}"#, &[pi_result()]) else { return };
    let replaced = json!({
        "content": [{"type": "text", "text": "[gone]"}], "details": {"full": "", "lines": 1},
    });
    assert_eq!(came[0]["returned"], replaced);
    let came = drive_pi(r#"{"decision":"deny","reason":"withheld","stop":"enough"}"#, &[pi_result()]).unwrap();
    assert_eq!(came[0]["returned"]["content"], json!([{"type": "text", "text": "withheld"}]));
    assert_eq!(came[0]["aborted"], true);
    // What hooks say before a call and after it is with its result.
    let said = drive_pi(r#"{"decision":"allow","context":"mind"}"#, &[pi_call(&json!({})), pi_result()]).unwrap();
    let texts: Vec<&Value> =
        said[1]["returned"]["content"].as_array().unwrap().iter().map(|part| &part["text"]).collect();
    assert_eq!(texts, ["secret", "mind", "mind"]);
}

#[test]
fn pi_obeys_an_answer_about_prompts_turns_and_compactions() {
    let input = || json!({"hook": "input", "event": {"text": "go", "source": "interactive"}});
    let start = || json!({"hook": "before_agent_start", "event": {}});
    let settle = || json!({"hook": "agent_before_settle", "event": {"entries": []}});
    let compact = || json!({"hook": "session_before_compact", "event": {"reason": "manual"}});
    let steps = [input(), start(), settle(), compact()];
    let Some(came) = drive_pi(r#"{"decision":"deny","reason":"not today"}"#, &steps) else { return };
    assert_eq!((&came[0]["returned"], &came[0]["told"]), (&json!({"action": "handled"}), &json!(["not today"])));
    assert_eq!(came[1]["returned"], Value::Null);
    assert_eq!((&came[2]["returned"]["continue"], &came[3]["returned"]), (&json!(true), &json!({"cancel": true})));
    assert_eq!(came[2]["returned"]["entries"][0]["content"], "not today");

    let came = drive_pi(r#"{"decision":"allow","prompt":"stay","context":"it rains"}"#, &steps).unwrap();
    assert_eq!(came[0]["returned"], json!({"action": "transform", "text": "stay"}));
    assert_eq!(came[1]["returned"]["message"]["content"], "it rains");
    assert_eq!((&came[2]["returned"], &came[3]["returned"]), (&Value::Null, &Value::Null));
}

#[test]
fn without_a_valid_answer_pi_denies() {
    for script in ["exit 1", "kill -9 $$", "printf nonsense", "printf '{}'", r#"printf '{"decision":"allow"'"#] {
        let steps = json!([pi_call(&json!({})), pi_result(), {"hook": "input", "event": {"text": "go"}}]);
        let Some(came) = PluginFixture::new("pi", script).drive(&steps) else { return };
        assert_eq!(came[0]["returned"]["block"], true, "{script}: {came:?}");
        assert!(!came[1]["returned"].to_string().contains("secret") && came[1]["returned"] != Value::Null, "{came:?}");
        assert_eq!(came[2]["returned"], json!({"action": "handled"}), "{script}");
    }
    // As would a Pi whose sessions have no file, an error of the extension's own.
    let broken = json!({"hook": "input", "event": {"text": "go"}, "broken": true});
    let came = drive_pi(r#"{"decision":"allow"}"#, &[broken]).unwrap();
    assert_eq!(came[0]["returned"], json!({"action": "handled"}));
}

#[test]
fn hooks_judge_the_path_that_pi_opens() {
    let paths = [
        ("notes.txt", "notes.txt"),
        ("@.env", ".env"),
        ("@@.env", "./@.env"),
        ("@~/.ssh/id", "HOME/.ssh/id"),
        ("~", "HOME"),
        ("~a", "~a"),
        ("a\u{a0}b", "a b"),
        ("file:///etc/a%20b", "/etc/a b"),
        ("file:///etc/a%C2%A0b", "/etc/a b"),
        ("@file:///etc/%40b", "/etc/@b"),
    ];
    let step = |path: &str| json!({"hook": "tool_call", "event": {"toolName": "read", "toolCallId": "c", "input": {"path": path}}});
    let steps: Vec<Value> = paths.iter().map(|(path, _)| step(path)).collect();
    let Some(came) = drive_pi(r#"{"decision":"allow"}"#, &steps) else { return };
    for ((path, meant), came) in paths.iter().zip(came) {
        let home = came["home"].as_str().unwrap();
        assert_eq!(came["event"]["input"]["path"], meant.replace("HOME", home), "{path}");
    }
    // Nor does a hook give Pi a path that it takes as another one.
    let came = drive_pi(r#"{"decision":"allow","args":{"path":"@.env"}}"#, &[step("notes.txt")]).unwrap();
    assert_eq!(
        (&came[0]["returned"]["block"], &came[0]["event"]["input"]["path"]),
        (&json!(true), &json!("notes.txt"))
    );
    let came = drive_pi(r#"{"decision":"allow","args":{"path":"other.txt"}}"#, &[step("notes.txt")]).unwrap();
    assert_eq!(came[0]["event"]["input"]["path"], "other.txt");
    let not_a_path = drive_pi(r#"{"decision":"allow"}"#, &[step("file://%")]).unwrap();
    assert_ne!(not_a_path[0]["thrown"], Value::Null, "Pi blocks a call whose hook throws");
}
