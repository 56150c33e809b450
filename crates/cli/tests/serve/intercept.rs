//! `pintle intercept` as a host of AGENT-HOOKS uses it: whatever hooks say becomes a verdict, and nothing that goes wrong
//! permits.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout};

use serde_json::{Value, json};

use crate::fixture::ServeFixture;

/// A host whose interceptor is the program.
struct InterceptedHost {
    program: Child,
    output: BufReader<ChildStdout>,
    sequence: u64,
}

impl InterceptedHost {
    fn start(fixture: &ServeFixture) -> Self {
        let mut program = fixture.command(&["intercept", "--hooks", "."]).spawn().unwrap();
        let output = BufReader::new(program.stdout.take().unwrap());
        Self { program, output, sequence: 0 }
    }

    fn ask_line(&mut self, line: &str) -> Value {
        writeln!(self.program.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut verdict = String::new();
        self.output.read_line(&mut verdict).unwrap();
        serde_json::from_str(&verdict).unwrap()
    }

    fn ask(&mut self, point: &str, target: &Value, fields: Value) -> Value {
        self.sequence += 1;
        let mut context = json!({
            "spec": "agent-hooks/0.1",
            "interception_point": point,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "sequence": self.sequence,
            "agent": {"id": "root", "framework": "test"},
            "session": {"id": "s1"},
            "target": target,
        });
        context.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.ask_line(&context.to_string())
    }

    fn start_agent(&mut self) -> Value {
        let init = json!({"tools_registered": ["shell"]});
        self.ask("agent_startup", &init, json!({ "agent_init": init }))
    }

    fn input(&mut self, text: &str) -> Value {
        let input = json!({"content": text, "role": "user"});
        self.ask("input", &input, json!({ "input": input }))
    }

    fn call(&mut self, id: &str, name: &str, args: Value) -> Value {
        self.ask("pre_tool_call", &args, json!({"tool_call": {"id": id, "name": name, "args": args}}))
    }

    fn result(&mut self, id: &str, name: &str, value: Value) -> Value {
        let fields = json!({
            "tool_call": {"id": id, "name": name, "args": {}},
            "tool_result": {"value": value, "is_error": false},
        });
        self.ask("post_tool_call", &value, fields)
    }

    fn request(&mut self, messages: Value) -> Value {
        self.ask("pre_model_call", &messages, json!({"model": {"id": "m"}, "messages": messages}))
    }
}

impl Drop for InterceptedHost {
    fn drop(&mut self) {
        drop(self.program.stdin.take());
        let _ = self.program.wait();
    }
}

fn allow() -> Value {
    json!({"decision": "allow"})
}

#[test]
fn what_hooks_say_is_a_verdict() {
    let fixture = ServeFixture::new();
    let mut host = InterceptedHost::start(&fixture);
    assert_eq!(host.start_agent(), allow());
    assert_eq!(host.input("clean up"), allow());

    let denied = host.call("1", "shell", json!({"command": "rm -rf /"}));
    assert_eq!((&denied["decision"], &denied["reason"]), (&json!("deny"), &json!("pintle:denied")));
    assert!(denied["message"].as_str().unwrap().contains("[shell.delete-root]"), "{denied}");
    assert!(denied.get("approval").is_none(), "{denied}");
    assert_eq!(host.result("1", "shell", json!("gone"))["decision"], "deny");

    assert_eq!(host.call("2", "shell", json!({"command": "ls"})), allow());
    assert_eq!(host.result("2", "shell", json!("a.txt")), allow());
    assert_eq!(host.result("2", "shell", json!("a.txt"))["decision"], "deny");

    let asked = host.call("3", "deploy", json!({"to": "prod"}));
    assert_eq!((&asked["decision"], &asked["approval"]), (&json!("deny"), &json!({})));
    assert_eq!(host.result("3", "deploy", json!({"ok": true})), allow());

    let changed = host.call("4", "fetch", json!({"url": "https://example.org"}));
    let target = json!({"path": "$target", "value": {"url": "https://example.com"}});
    assert_eq!(changed, json!({"decision": "transform", "transform": target}));

    assert_eq!(host.call("5", "tell", json!({})), allow());
    let messages = json!([{"role": "user", "content": "go"}]);
    let told = host.request(messages.clone());
    let told = told["transform"]["value"].as_array().unwrap();
    assert_eq!(told[0], messages[0]);
    assert!(told[1]["content"].as_str().unwrap().contains("be brief"), "{told:?}");
    assert_eq!(host.request(messages), allow());

    let response =
        json!({"content": null, "tool_calls": [{"id": "6", "name": "t", "args": {}}], "finish_reason": "tool_calls"});
    assert_eq!(host.ask("post_model_call", &response, json!({"model": {"id": "m"}, "response": response})), allow());
    let output = json!({"content": "done"});
    assert_eq!(host.ask("output", &output, json!({ "output": output })), allow());
    let summary = json!({"reason": "completed"});
    assert_eq!(host.ask("agent_shutdown", &summary, json!({ "summary": summary })), allow());
}

#[test]
fn hooks_of_every_point_can_refuse_it() {
    for (event, point) in [
        ("session.start", "agent_startup"),
        ("prompt.submit", "input"),
        ("turn.start", "input"),
        ("completion.pre", "pre_model_call"),
        ("completion.post", "post_model_call"),
        ("tool.guard", "pre_tool_call"),
        ("tool.result", "post_tool_call"),
        ("tool.post", "post_tool_call"),
        ("agent.stop", "output"),
        ("turn.end", "output"),
    ] {
        let fixture = ServeFixture::new();
        let script = "script: |\n  def handle(event, payload):\n      return block(\"not here\")";
        fixture.write(".harness/hooks/no.md", &format!("---\nevent: {event}\n{script}\n---\n"));
        let mut host = InterceptedHost::start(&fixture);
        let started = host.start_agent();
        let refused = match point {
            "agent_startup" => started,
            "input" => host.input("hi"),
            "pre_model_call" => host.request(json!([{"role": "user", "content": "hi"}])),
            "pre_tool_call" => host.call("1", "tell", json!({})),
            "post_tool_call" => {
                assert_eq!(host.call("1", "tell", json!({})), allow());
                host.result("1", "tell", json!("told"))
            }
            "post_model_call" => {
                let response = json!({"content": "hi", "tool_calls": [], "finish_reason": "stop"});
                host.ask(point, &response, json!({"model": {"id": "m"}, "response": response}))
            }
            _ => host.ask("output", &json!({"content": "hi"}), json!({"output": {"content": "hi"}})),
        };
        assert_eq!(refused["decision"], "deny", "{event}");
        assert!(refused["message"].as_str().unwrap().contains("not here"), "{event}: {refused}");
    }
}

#[test]
fn what_cannot_be_decided_is_denied() {
    let fixture = ServeFixture::new();
    for (name, script) in [("change", "modify({\"args\": {\"to\": \"test\"}})"), ("sure", "ask(\"sure?\")")] {
        let hook = format!(
            "when: payload[\"name\"] == \"both\"\nscript: |\n  def handle(event, payload):\n      return {script}"
        );
        fixture.write(&format!(".harness/hooks/{name}.md"), &format!("---\nevent: tool.pre\n{hook}\n---\n"));
    }
    let model = "script: |\n  def handle(event, payload):\n      return modify({\"model\": \"other\"})";
    fixture.write(".harness/hooks/model.md", &format!("---\nevent: completion.pre\n{model}\n---\n"));
    let mut host = InterceptedHost::start(&fixture);
    host.start_agent();
    for line in ["", "[]", "{}", "nonsense", r#"{"interception_point":"pre_tool_call"}"#] {
        assert_eq!(host.ask_line(line)["reason"], "pintle:failed", "{line}");
    }
    for args in [json!([]), json!("rm -rf /"), json!(null)] {
        assert_eq!(host.call("1", "shell", args)["decision"], "deny");
    }
    // What is judged must be what is done.
    let call = json!({"id": "9", "name": "shell", "args": {"command": "ls"}});
    let other = host.ask("pre_tool_call", &json!({"command": "rm -rf /"}), json!({ "tool_call": call }));
    assert_eq!(other["reason"], "pintle:failed");
    // The host might read the first value of a key that is there twice.
    let twice = r#"{"spec":"agent-hooks/0.1","interception_point":"pre_tool_call","timestamp":"2026-01-01T00:00:00.000Z","sequence":9,
        "agent":{"id":"root","framework":"mine"},"session":{"id":"s1"},"target":{"command":"ls"},
        "tool_call":{"id":"8","name":"shell","args":{"command":"rm -rf /","command":"ls"}}}"#;
    let twice = host.ask_line(&twice.replace('\n', ""));
    assert_eq!(twice["reason"], "pintle:failed");
    assert!(twice["message"].as_str().unwrap().contains("`command`"), "{twice}");
    // A refused call does not leave an earlier one with its ID open, and no tool runs in the name of another.
    assert_eq!(host.call("7", "shell", json!({"command": "ls"})), allow());
    assert_eq!(host.call("7", "shell", json!({"command": "rm -rf /"}))["reason"], "pintle:denied");
    assert_eq!(host.result("7", "shell", json!("gone"))["reason"], "pintle:failed");
    assert_eq!(host.call("6", "shell", json!({"command": "ls"})), allow());
    assert_eq!(host.result("6", "tell", json!("gone"))["reason"], "pintle:failed");
    // An approval would let a call run that hooks changed before they asked.
    let asked = host.call("2", "both", json!({"to": "prod"}));
    assert_eq!(asked["decision"], "deny", "{asked}");
    assert!(asked.get("approval").is_none(), "{asked}");
    assert_eq!(host.result("2", "both", json!("done"))["decision"], "deny");
    assert_eq!(host.request(json!([{"role": "user", "content": "hi"}]))["decision"], "deny");
}

#[test]
fn a_hook_that_does_not_load_answers_nothing() {
    let fixture = ServeFixture::new();
    fixture.write(".harness/hooks/broken.md", "---\nevent: tool.pre\nscript: |\n  def handle(\n---\n");
    let ended = fixture.command(&["intercept", "--hooks", "."]).output().unwrap();
    assert_eq!(ended.status.code(), Some(3));
    assert!(ended.stdout.is_empty());
}

#[test]
fn the_verdict_of_the_guide_is_what_the_program_answers() {
    let guide = include_str!("../../../../docs/guide/agent-hooks.md");
    let lines: Vec<&str> = guide.lines().filter(|line| line.starts_with('{')).collect();
    let fixture = ServeFixture::new();
    let mut host = InterceptedHost::start(&fixture);
    assert!(!lines.is_empty());
    for pair in lines.chunks(2) {
        assert_eq!(host.ask_line(pair[0]).to_string(), pair[1]);
    }
}
