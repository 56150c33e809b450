//! The host that the conformance kit drives: its interceptors decide what the agent loop does, and whatever goes wrong
//! with them denies.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A kit whose interceptor answers every question with a function.
struct FakeKit {
    program: Child,
    output: BufReader<ChildStdout>,
}

impl FakeKit {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        let mut program = command.arg("ctk").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(program.stdout.take().unwrap());
        Self { program, output }
    }

    fn send(&mut self, line: &Value) {
        writeln!(self.program.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.output.read_line(&mut line).unwrap() > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Runs the scenario of one call of `pay`, with one interceptor.
    fn run(&mut self, verdict: impl Fn(&Value) -> Value) -> Value {
        let call = json!({"id": "1", "name": "pay", "args": {"sum": 1}});
        let scenario = json!({
            "input": {"content": "pay", "role": "user"},
            "tools": [{"name": "pay", "behavior": [{"return": "paid"}]}],
            "model_script": [
                {"content": null, "tool_calls": [call], "finish_reason": "tool_calls"},
                {"content": "done", "tool_calls": [], "finish_reason": "stop"},
            ],
        });
        self.send(&json!({"load": {"scenario": scenario, "interceptors": 1}}));
        assert_eq!(self.receive(), Some(json!({"loaded": true})));
        self.send(&json!({"run": true}));
        loop {
            let line = self.receive().unwrap();
            if line.get("ask").is_none() {
                return line;
            }
            // An answer to another question is none to this one.
            self.send(&json!({"id": 9999, "value": {"decision": "allow"}}));
            let mut answer = verdict(&line["argument"]["context"]);
            answer["id"] = line["id"].clone();
            self.send(&answer);
        }
    }
}

impl Drop for FakeKit {
    fn drop(&mut self) {
        drop(self.program.stdin.take());
        let _ = self.program.wait();
    }
}

fn at_call(context: &Value, verdict: Value) -> Value {
    let is_call = context["interception_point"] == "pre_tool_call";
    if is_call { verdict } else { json!({"value": {"decision": "allow"}}) }
}

fn points(ran: &Value) -> Vec<&str> {
    ran["records"].as_array().unwrap().iter().map(|record| record["interception_point"].as_str().unwrap()).collect()
}

#[test]
fn what_interceptors_decide_is_what_happens() {
    let mut kit = FakeKit::start();
    let allowed = kit.run(|_| json!({"value": {"decision": "allow"}}));
    assert_eq!(allowed["tool_invocations"], json!([{"name": "pay", "args": {"sum": 1}}]));
    assert_eq!(allowed["final_output"], "done");
    let expected = [
        "agent_startup",
        "input",
        "pre_model_call",
        "post_model_call",
        "pre_tool_call",
        "post_tool_call",
        "pre_model_call",
        "post_model_call",
        "output",
        "agent_shutdown",
    ];
    assert_eq!(points(&allowed), expected);

    let change = json!({"decision": "transform", "transform": {"path": "$target.sum", "value": 0}});
    let changed = kit.run(|context| at_call(context, json!({"value": change})));
    assert_eq!(changed["tool_invocations"], json!([{"name": "pay", "args": {"sum": 0}}]));

    let withheld = kit.run(|context| {
        let is_answer = context["interception_point"] == "output";
        json!({"value": {"decision": if is_answer { "deny" } else { "allow" }}})
    });
    assert_eq!((&withheld["outcome"], &withheld["final_output"]), (&json!("blocked"), &Value::Null));
}

#[test]
fn whatever_goes_wrong_with_an_interceptor_keeps_the_tool_from_running() {
    let mut kit = FakeKit::start();
    for answer in [
        json!({"value": {"decision": "deny", "reason": "own:no"}}),
        json!({"value": {"decision": "deny", "approval": {}}}),
        json!({"value": {"decision": "transform", "transform": {"path": "$target.none", "value": 1}}}),
        json!({"value": {"decision": "transform", "transform": {"path": "$target", "value": []}}}),
        json!({"value": ["allow"]}),
        json!({"value": null}),
        json!({"value": {"decision": "allow"}, "error": "it failed"}),
        json!({"error": "it failed"}),
        json!({}),
    ] {
        let ran = kit.run(|context| at_call(context, answer.clone()));
        assert_eq!(ran["tool_invocations"], json!([]), "{answer}");
        assert!(!points(&ran).contains(&"post_tool_call"), "{answer}");
        // The agent learns it, and goes on.
        assert_eq!(ran["outcome"], "completed", "{answer}");
    }
}

#[test]
fn a_kit_that_ends_in_the_middle_permits_nothing() {
    let mut kit = FakeKit::start();
    let scenario = json!({"input": {"content": "hi"}, "model_script": [{"content": "hi", "finish_reason": "stop"}]});
    kit.send(&json!({"load": {"scenario": scenario, "interceptors": 1}}));
    kit.send(&json!({"run": true}));
    assert_eq!(kit.receive(), Some(json!({"loaded": true})));
    assert_eq!(kit.receive().unwrap()["ask"], "intercept");
    drop(kit.program.stdin.take());
    let asked = std::iter::from_fn(|| kit.receive()).collect::<Vec<_>>();
    let ran = asked.last().unwrap();
    assert_eq!((&ran["outcome"], &ran["final_output"]), (&json!("blocked"), &Value::Null));
    assert_eq!(points(ran), ["agent_startup", "agent_shutdown"]);
}

#[test]
fn an_interceptor_that_takes_longer_than_declared_denies() {
    let mut kit = FakeKit::start();
    let document = json!({
        "declaration": "agent-hooks-declaration/1.0",
        "bindings": [{"id": "slow", "kind": "own.slow", "timeout_ms": 1}],
    });
    let host = json!({
        "surface": {
            "interception_points": ["agent_startup", "input", "output", "agent_shutdown"],
            "profiles": {"sequential/first_deny": {"on_approval": ["stop"]}},
            "tool_seam_host_error": "continue",
        },
        "kinds": ["own.slow"],
    });
    let scenario = json!({"input": {"content": "hi"}});
    kit.send(&json!({"load": {"scenario": scenario, "declaration": {"document": document, "host": host}}}));
    let loaded = loop {
        let line = kit.receive().unwrap();
        if line.get("ask").is_none() {
            break line;
        }
        kit.send(&json!({"id": line["id"], "value": null}));
    };
    assert_eq!(loaded, json!({"loaded": true}));
    kit.send(&json!({"run": true}));
    let lines = std::iter::from_fn(|| kit.receive()).find(|line| line.get("ask").is_none());
    let ran = lines.unwrap();
    assert_eq!(ran["outcome"], "blocked");
    assert_eq!(ran["records"][0]["verdict"]["reason"], "host_error:interceptor_timeout");
    assert_eq!(ran["records"][0]["verdicts"][0]["name"], "slow");
}
