use std::fs;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::fixture::{ServeFixture, decide_request};

#[test]
fn a_host_says_hello_and_learns_the_limits() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    let hello = host.ask(json!({"op": "hello"}));
    assert_eq!((&hello["protocol"], &hello["pintle"]), (&json!(1), &json!(env!("CARGO_PKG_VERSION"))));
    assert_eq!((&hello["hooks"], &hello["limits"]["request_bytes"]), (&json!(5), &json!(16 << 20)));
    assert_eq!(host.end(), Some(0));
}

#[test]
fn calls_are_decided_changed_and_concluded() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    let denied = host.decide("s", "1", "shell", json!({"command": "rm -rf /"}));
    assert_eq!((&denied["decision"], denied.get("call")), (&json!("deny"), None));
    assert!(denied["refusal"]["reason"].as_str().unwrap().contains("[shell.delete-root]"), "{denied}");
    assert_eq!(
        (&denied["refusal"]["event"], &denied["refusal"]["hooks"]),
        (&json!("tool.pre"), &json!(["pack:shell"]))
    );
    let changed = host.decide("s", "2", "fetch", json!({"url": "http://example.com"}));
    let call = json!({"id": "2", "name": "fetch", "args": {"url": "https://example.com"}, "rewritten": true});
    assert_eq!((&changed["decision"], &changed["call"]), (&json!("allow"), &call));
    let result = host.ask(json!({"op": "conclude", "session": "s", "call": "2", "result": {"content": "done"}}));
    assert_eq!(result["result"], json!({"content": "done", "is_error": false}));
    let told = host.decide("s", "3", "tell", json!({}));
    assert_eq!((&told["decision"], &told["context"]), (&json!("allow"), &json!(["be brief"])));
}

#[test]
fn results_are_withheld_and_changed_by_hooks() {
    let fixture = ServeFixture::new();
    let hook = "---\nevent: tool.post\nscript: |\n  def handle(event, payload):\n      \
                return block(\"not for models\") if \"secret\" in payload[\"content\"] else allow()\n---\n";
    fixture.write(".harness/hooks/withhold.md", hook);
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    host.decide("s", "1", "read", json!({"path": "a"}));
    let conclude = json!({"op": "conclude", "session": "s", "call": "1", "result": {"content": "a secret"}});
    let result = host.ask(conclude.clone())["result"].clone();
    assert_eq!(result, json!({"content": "tool result blocked: not for models", "is_error": true}));
    assert_eq!(host.ask_error(conclude), "unknown_call");
}

#[test]
fn events_are_fired_with_their_outcome() {
    let fixture = ServeFixture::new();
    let hook = "---\nevent: prompt.submit\nscript: |\n  def handle(event, payload):\n      \
                return block(\"not today\") if \"deploy\" in payload[\"prompt\"] else allow()\n---\n";
    fixture.write(".harness/hooks/prompts.md", hook);
    let hook = "---\nevent: turn.start\nscript: |\n  def handle(event, payload):\n      \
                return block(\"not now\") if \"deploy\" in payload else modify(payload.strip())\n---\n";
    fixture.write(".harness/hooks/turns.md", hook);
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    let mut fire = |event: &str, payload: Value| {
        host.ask(json!({"op": "fire", "session": "s", "event": event, "payload": payload}))
    };
    let denied = fire("prompt.submit", json!({"prompt": "deploy it"}));
    assert_eq!((&denied["decision"], &denied["hooks"]), (&json!("deny"), &json!(["prompts"])));
    assert_eq!((&denied["reason_for_model"], &denied["stop_reason"]), (&json!("not today"), &Value::Null));
    assert_eq!(fire("prompt.submit", json!({"prompt": "test it"}))["decision"], "allow");
    // The payload of this event is a text.
    assert_eq!(fire("turn.start", json!("deploy it"))["decision"], "deny");
    assert_eq!(fire("turn.start", json!(" test it "))["payload"], "test it");
    assert_eq!(fire("tool.pre", json!({"name": "shell", "args": {"command": "rm -rf ~"}}))["decision"], "deny");
    assert_eq!(fire("tool.pre", json!({"name": "deploy", "args": {}}))["decision"], "ask");
    fire("turn.end", json!({"text": "done"}));
    for (event, payload, code) in [
        ("promt.submit", json!({}), "unknown_event"),
        ("prompt.submit", json!({"prompt": 3}), "bad_payload"),
        ("prompt.submit", json!("deploy it"), "bad_payload"),
        ("tool.pre", json!([]), "bad_payload"),
        ("turn.start", json!({}), "bad_payload"),
        ("session.start", json!({}), "bad_request"),
        ("session.end", json!({}), "bad_request"),
    ] {
        let request = json!({"op": "fire", "session": "s", "event": event, "payload": payload});
        assert_eq!(host.ask_error(request), code, "{event}");
    }
    assert_eq!(host.ask(json!({"op": "end", "session": "s"}))["turns"], 1);
}

#[test]
fn approval_requests_have_one_response() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    let approve = |id: &str, decision: &str| json!({"op": "approve", "session": "s", "call": id, "decision": decision, "by": "ada"});
    let asked = host.decide("s", "1", "deploy", json!({"to": "prod"}));
    assert_eq!((&asked["decision"], asked.get("call")), (&json!("ask"), None));
    assert_eq!(asked["approval_request"]["call"]["args"], json!({"to": "prod"}));
    assert!(asked["approval_request"]["reasons"][0].as_str().unwrap().contains("deploying needs the user"), "{asked}");
    let conclude = json!({"op": "conclude", "session": "s", "call": "1", "result": {"content": "x"}});
    assert_eq!(host.ask_error(conclude.clone()), "not_approved");
    let approved = host.ask(approve("1", "allow"));
    assert_eq!((&approved["decision"], &approved["call"]["args"]), (&json!("allow"), &json!({"to": "prod"})));
    assert_eq!(host.ask_error(approve("1", "allow")), "unknown_call");
    host.ask(conclude);
    host.decide("s", "2", "deploy", json!({}));
    let refused = host.ask(approve("2", "deny"));
    assert_eq!(
        (&refused["decision"], &refused["refusal"]["reason"]),
        (&json!("deny"), &json!("the user refused this call"))
    );
    assert_eq!(host.ask_error(approve("2", "allow")), "unknown_call");
}

#[test]
fn an_approval_request_without_a_response_is_refused_on_the_tape() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&["--tapes", "tapes"]);
    host.open("a/../b");
    host.decide("a/../b", "1", "deploy", json!({}));
    assert_eq!(host.end(), Some(0));
    let tapes: Vec<_> =
        fs::read_dir(fixture.path("project/tapes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [tape] = &*tapes else { panic!("{tapes:?}") };
    let text = fs::read_to_string(tape).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records[0]["session"], "a/../b");
    let reply = records.iter().find(|record| record["event"] == "permission.reply").unwrap();
    assert_eq!((&reply["payload"]["decision"], &reply["payload"]["detail"]), (&json!("deny"), &json!("unavailable")));
    let verified = fixture.command(&["tape", "verify"]).arg(tape).output().unwrap();
    assert!(String::from_utf8(verified.stdout).unwrap().starts_with("valid and complete"));
}

#[test]
fn state_of_scripts_belongs_to_one_session() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    let mut decisions = Vec::new();
    for session in ["a", "b"] {
        host.open(session);
        for id in ["1", "2", "3"] {
            decisions.push(host.decide(session, id, "count", json!({}))["decision"].clone());
        }
    }
    assert_eq!(decisions, ["allow", "allow", "deny", "allow", "allow", "deny"]);
}

#[test]
fn sessions_run_at_the_same_time_and_each_in_order() {
    let fixture = ServeFixture::new();
    let released = fixture.path("released");
    let script = format!(
        "#!/bin/sh\ncase \"$(cat)\" in *wait_here*) until [ -e '{0}' ]; do sleep 0.01; done;; *release*) : > '{0}';; esac\n",
        released.display()
    );
    fixture.write("gate.sh", &script);
    let gate = format!("sh '{}'", fixture.path("project/gate.sh").display());
    let mut host = fixture.start_stdio(&["--hook-pre-tool-use", &gate]);
    host.open("first");
    host.open("second");
    // The first session waits for what the second one does.
    let waiting = host.send(decide_request("first", "1", "wait_here", json!({})));
    let behind = host.send(decide_request("first", "2", "list", json!({})));
    let other = host.send(decide_request("second", "1", "release", json!({})));
    let mut order: Vec<Value> = (0..3)
        .map(|_| host.next_answer())
        .inspect(|answer| {
            assert_eq!(answer["result"]["decision"], "allow", "{answer}");
        })
        .map(|answer| answer["id"].clone())
        .collect();
    order.retain(|id| *id != other);
    assert_eq!(order, [waiting, behind]);
}

#[test]
fn requests_may_be_sent_ahead() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    let open = host.send(json!({"op": "open", "session": "s"}));
    let decide = host.send(decide_request("s", "1", "shell", json!({"command": "rm -rf /"})));
    let end = host.send(json!({"op": "end", "session": "s"}));
    let late = host.send(decide_request("s", "2", "shell", json!({"command": "ls"})));
    assert_eq!(host.answer_to(&open)["result"]["opened"], true);
    assert_eq!(host.answer_to(&decide)["result"]["decision"], "deny");
    assert_eq!(host.answer_to(&end)["result"]["turns"], 0);
    assert_eq!(host.answer_to(&late)["error"]["code"], "unknown_session");
}

#[test]
fn malformed_lines_are_answered_and_end_nothing() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    let lines: [(&[u8], Value, &str); 12] = [
        (b"nonsense\n", Value::Null, "not_json"),
        (b"[1]\n", Value::Null, "not_json"),
        (b"{\"id\":1,\"op\":\"hello\",\"op\":\"end\"}\n", Value::Null, "not_json"),
        (b"\xff\xfe\n", Value::Null, "not_json"),
        (b"{\"id\":1}\n", json!(1), "bad_request"),
        (b"{\"id\":\"x\",\"op\":\"opne\"}\n", json!("x"), "unknown_operation"),
        (b"{\"id\":2,\"op\":7}\n", json!(2), "bad_request"),
        (b"{\"id\":3,\"op\":\"end\",\"session\":\"s\",\"why\":1}\n", json!(3), "bad_request"),
        (b"{\"id\":{},\"op\":\"hello\"}\n", Value::Null, "bad_request"),
        (b"{\"id\":4,\"op\":\"open\",\"session\":\"\"}\n", json!(4), "bad_request"),
        (b"{\"id\":5,\"op\":\"open\",\"session\":\"s\",\"cwd\":\"here\"}\n", json!(5), "bad_request"),
        (b"{\"id\":6,\"op\":\"end\",\"session\":\"s\"}\n", json!(6), "unknown_session"),
    ];
    for (line, id, code) in lines {
        host.send_text(line);
        let answer = host.next_answer();
        let shown = String::from_utf8_lossy(line);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{shown}");
    }
    // Blank lines are no requests.
    host.send_text(b"\n \r\n");
    assert_eq!(host.ask(json!({"op": "hello"}))["protocol"], 1);
}

#[test]
fn a_line_that_is_too_long_is_dropped_as_a_whole() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    let mut line = vec![b' '; (16 << 20) + 5];
    // What would be a request of its own, if the line were cut.
    line.extend(b"{\"id\":9,\"op\":\"hello\"}\n");
    host.send_text(&line);
    let answer = host.next_answer();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!("too_long")));
    let many = format!(
        "{{\"id\":1,\"op\":\"explain\",\"event\":\"tool.pre\",\"payload\":{{\"args\":[{}0]}}}}\n",
        "0,".repeat(300_000)
    );
    host.send_text(many.as_bytes());
    assert_eq!(host.next_answer()["error"]["code"], "too_long");
    assert_eq!(host.ask(json!({"op": "hello"}))["protocol"], 1);
}

#[test]
fn an_input_that_ends_within_a_line_does_nothing_more() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&["--tapes", "tapes"]);
    host.open("s");
    host.send_text(b"{\"id\":7,\"op\":\"decide\",\"session\":\"s\",\"call\":{\"id\":\"1\",\"name\":\"li");
    assert_eq!(host.end(), Some(0));
    assert_eq!(host.next_answer()["error"]["code"], "not_json");
    let tape = fs::read_dir(fixture.path("project/tapes")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(tape).unwrap();
    let is_call = |line: &str| line.contains("\"kind\":\"event\"") && line.contains("\"event\":\"tool.pre\"");
    assert!(!text.lines().any(is_call) && text.contains("session.end") && text.contains("\"exit\""), "{text}");
}

#[test]
fn a_session_that_hooks_deny_does_not_open() {
    let fixture = ServeFixture::new();
    let hook =
        "---\nevent: session.start\nscript: |\n  def handle(event, payload):\n      return ask(\"may it?\")\n---\n";
    fixture.write(".harness/hooks/gate.md", hook);
    let mut host = fixture.start_stdio(&[]);
    let answer = host.ask(json!({"op": "open", "session": "s"}));
    assert_eq!((&answer["opened"], &answer["outcome"]["decision"]), (&json!(false), &json!("deny")));
    assert_eq!(host.ask_error(decide_request("s", "1", "list", json!({}))), "unknown_session");
}

#[test]
fn hooks_that_do_not_load_serve_nothing() {
    let fixture = ServeFixture::new();
    fixture.write(".harness/hooks/broken.md", "---\nevent: tool.pree\nscript: |\n  x\n---\n");
    for arguments in [&["serve", "--stdio", "--hooks", "."][..], &["serve", "--http", "--hooks", "."]] {
        let output = fixture.command(arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{err}");
        assert!(err.contains("tool.pree") && err.contains("cannot load the hooks"), "{err}");
    }
}

#[test]
fn a_hook_that_breaks_later_opens_no_session() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("before");
    fixture.write(".harness/hooks/broken.md", "---\nevent: tool.pree\nscript: |\n  x\n---\n");
    assert_eq!(host.ask_error(json!({"op": "open", "session": "after"})), "hooks_not_loaded");
    assert_eq!(host.ask_error(decide_request("after", "1", "list", json!({}))), "unknown_session");
    let denied = host.decide("before", "1", "shell", json!({"command": "rm -rf /"}));
    assert_eq!(denied["decision"], "deny");
}

#[test]
fn explain_says_which_hooks_would_run() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    let answer = host.ask(json!({"op": "explain", "event": "tool.pre", "payload": {"name": "deploy", "args": {}}}));
    let runs = |name: &str| {
        let hook = answer["hooks"].as_array().unwrap().iter().find(|hook| hook["hook"] == name);
        hook.unwrap()["runs"].clone()
    };
    assert_eq!((runs("ask_deploy"), runs("shape")), (json!(true), json!(false)));
}

#[test]
fn a_host_that_reads_nothing_more_does_not_keep_the_program() {
    let fixture = ServeFixture::new();
    let mut child = fixture.command(&["serve", "--stdio", "--hooks", "."]).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"op\":\"open\",\"session\":\"s\"}\n{\"op\":\"hello\"}\n").unwrap();
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
