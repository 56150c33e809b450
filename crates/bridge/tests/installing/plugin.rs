//! Runs OpenCode's plugin in `node`, as OpenCode runs it, with a program in the place of Pintle.
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
    fn new(script: &str) -> Self {
        let fixture = Self::without_program();
        let program = fixture.program();
        write_file(&program, &format!("#!/bin/sh\ncat > payload-\"$3\".json\n{script}\n"));
        pintle_testkit::make_executable(&program);
        fixture
    }

    fn without_program() -> Self {
        let install = InstallFixture::new();
        let host = HostDef::by_name("opencode").unwrap();
        let plugin = install.settings(host, InstallScope::Project);
        let fixture = Self { install, plugin };
        let options = default_options(&fixture.program().to_string_lossy());
        let plan = InstallPlan::install(host, &fixture.install.environment, InstallScope::Project, &options);
        plan.unwrap().apply().unwrap();
        // As in OpenCode, whose runtime reads any file as a module.
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
            eprintln!("SKIPPED: `node` is not installed, so OpenCode's plugin is not run");
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
    let fixture = PluginFixture::new(&format!("printf '%s' '{answer}'"));
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
    let fixture = PluginFixture::new(r#"printf '{"decision":"allow","context":"of %s"}' "$3""#);
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
        let fixture = PluginFixture::new(script);
        let Some(came) = fixture.drive(&json!([before("s1"), after()])) else { return };
        assert!(
            came[0]["thrown"].as_str().is_some_and(|why| why.contains("Pintle did not answer")),
            "{script}: {came:?}"
        );
        let shown = came[1]["output"].to_string();
        assert!(shown.contains("Pintle did not answer") && !shown.contains("secret"), "{script}: {shown}");
    }
    let came = PluginFixture::without_program().drive(&json!([before("s1"), after()])).unwrap();
    assert!(came[0]["thrown"].as_str().unwrap().contains("Pintle did not answer"), "{came:?}");
}

#[test]
fn a_program_that_hangs_is_ended_and_denies() {
    let fixture = PluginFixture::new("sleep 600");
    let text = fs::read_to_string(&fixture.plugin).unwrap();
    assert!(text.contains("\"timeoutMs\":45000"), "{text}");
    fs::write(&fixture.plugin, text.replace("\"timeoutMs\":45000", "\"timeoutMs\":100")).unwrap();
    let Some(came) = fixture.drive(&json!([before("s1")])) else { return };
    assert!(came[0]["thrown"].as_str().unwrap().contains("no answer within 100 ms"), "{came:?}");
}

#[test]
fn an_event_that_only_informs_goes_on_without_an_answer() {
    let fixture = PluginFixture::new("exit 1");
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
    let fixture = PluginFixture::new(r#"printf '{"decision":"allow"}'"#);
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
