//! What must never make an allow of a deny.

use serde_json::{Value, json};

use crate::fixture::{ServeFixture, decide_request};

#[test]
fn another_spelling_of_a_tool_is_judged_all_the_same() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    let names = [
        "shell",
        "SHELL",
        " shell",
        "Bash",
        "bash",
        "run_command",
        "run_terminal_cmd",
        "mcp__a__shell",
        "sh\u{200b}ell",
    ];
    for (number, name) in names.into_iter().enumerate() {
        for (vocabulary, command) in [(None, "rm -rf /"), (Some("claude"), "rm -rf /"), (Some("pintle"), "rm  -fr  /")]
        {
            let mut request =
                decide_request("s", &format!("{number}{vocabulary:?}"), name, json!({"command": command}));
            if let Some(vocabulary) = vocabulary {
                request["call"]["vocabulary"] = json!(vocabulary);
            }
            assert_eq!(host.ask(request)["decision"], "deny", "{name} {vocabulary:?}");
        }
    }
    let mut unknown = decide_request("s", "x", "shell", json!({}));
    unknown["call"]["vocabulary"] = json!("klaude");
    assert_eq!(host.ask_error(unknown), "unknown_vocabulary");
    assert_eq!(host.decide("s", "y", "", json!({"command": "rm -rf /"}))["decision"], "deny");
}

#[test]
fn repeated_keys_are_refused_wherever_they_are() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    for call in [
        r#"{"id":"1","name":"shell","args":{"command":"rm -rf /","command":"ls"}}"#,
        r#"{"id":"1","name":"list","name":"shell","args":{"command":"ls"}}"#,
        r#"{"id":"1","name":"shell","args":{"command":"ls"},"\u0061rgs":{"command":"rm -rf /"}}"#,
    ] {
        host.send_text(format!("{{\"id\":1,\"op\":\"decide\",\"session\":\"s\",\"call\":{call}}}\n").as_bytes());
        assert_eq!(host.next_answer()["error"]["code"], "not_json", "{call}");
    }
}

#[test]
fn an_id_names_one_call_until_that_is_over() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    assert_eq!(host.decide("s", "1", "deploy", json!({"to": "test"}))["decision"], "ask");
    // Neither is the approval for another call, nor does another call replace the one that the user saw.
    let other = decide_request("s", "1", "deploy", json!({"to": "prod"}));
    assert_eq!(host.ask_error(other.clone()), "call_in_use");
    let approved = host.ask(json!({"op": "approve", "session": "s", "call": "1", "decision": "allow"}));
    assert_eq!(approved["call"]["args"], json!({"to": "test"}));
    assert_eq!(host.ask_error(other.clone()), "call_in_use");
    host.ask(json!({"op": "conclude", "session": "s", "call": "1", "result": {"content": ""}}));
    // An earlier approval does not count for the next call with this ID.
    assert_eq!(host.ask(other)["decision"], "ask");
    // A refused call leaves its ID.
    assert_eq!(host.decide("s", "2", "shell", json!({"command": "rm -rf /"}))["decision"], "deny");
    assert_eq!(host.decide("s", "2", "shell", json!({"command": "rm -rf ~"}))["decision"], "deny");
}

#[test]
fn nothing_is_approved_in_advance_or_for_another() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    host.open("t");
    let approve =
        |session: &str, id: &str| json!({"op": "approve", "session": session, "call": id, "decision": "allow"});
    assert_eq!(host.ask_error(approve("s", "1")), "unknown_call");
    let mut decide = decide_request("s", "1", "deploy", json!({}));
    decide["approval"] = json!({"decision": "allow"});
    assert_eq!(host.ask_error(decide.clone()), "bad_request");
    decide.as_object_mut().unwrap().remove("approval");
    decide["call"]["approval"] = json!({"decision": "allow"});
    assert_eq!(host.ask_error(decide), "bad_request");
    assert_eq!(host.decide("s", "1", "deploy", json!({}))["decision"], "ask");
    // Another session has calls of its own.
    assert_eq!(host.ask_error(approve("t", "1")), "unknown_call");
    assert_eq!(host.ask_error(approve("s", "2")), "unknown_call");
    for decision in [json!("Allow"), json!("yes"), json!(true), Value::Null] {
        let request = json!({"op": "approve", "session": "s", "call": "1", "decision": decision});
        assert_eq!(host.ask_error(request), "bad_request");
    }
    // What was denied cannot be approved.
    host.decide("s", "3", "shell", json!({"command": "rm -rf /"}));
    assert_eq!(host.ask_error(approve("s", "3")), "unknown_call");
}

#[test]
fn hooks_of_permission_ask_come_before_the_user() {
    let fixture = ServeFixture::new();
    let deputy = "case \"$(cat)\" in *prod*) echo '{\"decision\":\"block\",\"reason\":\"never to prod\"}';; \
                  *test*) echo '{\"hook_specific_output\":{\"hook_event_name\":\"permission_request\",\
                  \"permission_decision\":\"allow\"}}';; esac";
    let mut host = fixture.start_stdio(&["--hook-permission-request", deputy]);
    host.open("s");
    let denied = host.decide("s", "1", "deploy", json!({"to": "prod"}));
    assert_eq!((&denied["decision"], &denied["refusal"]["event"]), (&json!("deny"), &json!("permission.ask")));
    assert_eq!(host.decide("s", "2", "deploy", json!({"to": "test"}))["decision"], "allow");
    assert_eq!(host.decide("s", "3", "deploy", json!({"to": "stage"}))["decision"], "ask");
    // They are not asked about what no hook asks about.
    assert_eq!(host.decide("s", "4", "list", json!({"path": "prod"}))["decision"], "allow");
}

#[test]
fn a_result_needs_a_call_that_was_allowed() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    let conclude = |id: &str| json!({"op": "conclude", "session": "s", "call": id, "result": {"content": "x"}});
    assert_eq!(host.ask_error(conclude("1")), "unknown_call");
    host.decide("s", "1", "shell", json!({"command": "rm -rf /"}));
    assert_eq!(host.ask_error(conclude("1")), "unknown_call");
}

#[test]
fn facts_of_a_call_are_not_those_of_its_payload() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    for lie in [
        json!({"operations": []}),
        json!({"operations": [], "paths": [], "project": "/", "code_files": []}),
        json!({"pause_ends_at_ms": u64::MAX}),
        json!({"allowance_ends_at_ms": u64::MAX}),
        json!({"kind": "read", "names": ["read"], "category": "filesystem", "read_only": true}),
        json!({"vocabulary": "claude"}),
        json!({"arguments": "{\"command\":\"ls\"}"}),
        json!({"cwd": "/"}),
    ] {
        let mut payload = json!({"name": "shell", "args": {"command": "rm -rf /"}});
        payload.as_object_mut().unwrap().extend(lie.as_object().unwrap().clone());
        let request = json!({"op": "fire", "session": "s", "event": "tool.pre", "payload": payload});
        let id = host.send(request);
        let answer = host.answer_to(&id);
        let is_refused = answer["result"]["decision"] == "deny" || answer["error"]["code"] == "bad_payload";
        assert!(is_refused, "{lie}: {answer}");
    }
}

#[test]
fn a_payload_does_not_move_the_project() {
    let fixture = ServeFixture::new();
    let hook = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      for op in payload[\"operations\"]:\n          \
                if op[\"kind\"] == \"delete\" and op.get(\"place\") != \"project\":\n              \
                return block(\"outside\")\n      return allow()\n---\n";
    fixture.write(".harness/hooks/inside.md", hook);
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    let (project, home) = (fixture.path("project"), fixture.path("home"));
    let line = format!("rm {}/x", home.display());
    for (cwd, command, decision) in [
        (json!("/"), &*line, "deny"),
        (json!(home), &*line, "deny"),
        (json!(".."), "rm home/x", "deny"),
        (json!(project), "rm x", "allow"),
        (json!(null), "rm x", "allow"),
    ] {
        let call = json!({"id": "1", "name": "shell", "args": {"command": command}, "cwd": cwd});
        let fired = host.send(json!({"op": "fire", "session": "s", "event": "tool.pre", "payload": call}));
        assert_eq!(host.answer_to(&fired)["result"]["decision"], decision, "{call}");
        let id = host.send(json!({"op": "decide", "session": "s", "call": call}));
        assert_eq!(host.answer_to(&id)["result"]["decision"], decision, "{call}");
        if decision == "allow" {
            host.ask(json!({"op": "conclude", "session": "s", "call": "1", "result": {"content": ""}}));
        }
    }
}

#[test]
fn an_approval_request_that_is_forgotten_is_not_approved() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    assert_eq!(host.decide("s", "first", "deploy", json!({}))["decision"], "ask");
    for number in 0..1_024 {
        assert_eq!(host.decide("s", &number.to_string(), "list", json!({}))["decision"], "allow");
    }
    let approve = json!({"op": "approve", "session": "s", "call": "first", "decision": "allow"});
    assert_eq!(host.ask_error(approve), "unknown_call");
}

#[test]
fn what_a_user_is_shown_is_what_runs() {
    let fixture = ServeFixture::new();
    // One hook asks about what another one then changes.
    let hook = "---\nevent: tool.pre\npriority: -5\nwhen: payload[\"name\"] == \"deploy\"\nscript: |\n  \
                def handle(event, payload):\n      return modify({\"args\": {\"to\": \"test\"}})\n---\n";
    fixture.write(".harness/hooks/redirect.md", hook);
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    let asked = host.decide("s", "1", "deploy", json!({"to": "prod"}));
    let shown = asked["approval_request"]["call"].clone();
    assert_eq!((&shown["args"], &shown["rewritten"]), (&json!({"to": "test"}), &json!(true)));
    let approved = host.ask(json!({"op": "approve", "session": "s", "call": "1", "decision": "allow"}));
    assert_eq!(approved["call"], shown);
}

#[test]
fn ids_come_back_as_they_were_or_not_at_all() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    for id in ["1e400", "-0", "123456789012345678901234567890", "1.50", "\"\\u0000\"", "\"é\""] {
        host.send_text(format!("{{\"id\":{id},\"op\":\"hello\"}}\n").as_bytes());
        let answer = host.next_answer();
        assert_eq!(answer["id"], serde_json::from_str::<Value>(id).unwrap(), "{id}");
    }
    for id in ["true", "[]", &format!("\"{}\"", "x".repeat(257)), &"9".repeat(300)] {
        host.send_text(format!("{{\"id\":{id},\"op\":\"hello\"}}\n").as_bytes());
        let answer = host.next_answer();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!("bad_request")));
    }
}

#[test]
fn ids_of_sessions_name_no_files() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&["--tapes", "tapes"]);
    for session in ["../../outside", "/tmp/x", "a\\b", ".", "CON", "é", "a b", "-x"] {
        host.open(session);
    }
    for session in ["", "a\nb", "a\u{0}b", &"x".repeat(257)] {
        assert_eq!(host.ask_error(json!({"op": "open", "session": session})), "bad_request");
    }
    assert_eq!(host.ask_error(json!({"op": "open", "session": "é"})), "session_in_use");
    assert_eq!(host.end(), Some(0));
    let names = std::fs::read_dir(fixture.path("project/tapes")).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    let is_plain = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit() || b"-.jsonl".contains(&byte));
    assert!(names.len() == 8 && names.iter().all(is_plain), "{names:?}");
}

#[test]
fn huge_and_deep_values_change_nothing() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    host.open("s");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (extra, code) in [("1e999999", None), (&*"9".repeat(10_000), None), (&*deep, Some("not_json"))] {
        let line = format!(
            "{{\"id\":1,\"op\":\"decide\",\"session\":\"s\",\"call\":{{\"id\":\"1\",\"name\":\"shell\",\"args\":\
             {{\"command\":\"rm -rf /\",\"n\":{extra}}}}}}}\n"
        );
        host.send_text(line.as_bytes());
        let answer = host.next_answer();
        match code {
            None => assert_eq!(answer["result"]["decision"], "deny", "{answer}"),
            Some(code) => assert_eq!(answer["error"]["code"], code),
        }
    }
}

#[test]
fn the_number_of_open_sessions_is_bounded() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_stdio(&[]);
    let ids: Vec<Value> =
        (0..257).map(|number| host.send(json!({"op": "open", "session": number.to_string()}))).collect();
    let errors = ids.iter().map(|id| host.answer_to(id)["error"].clone()).filter(|error| !error.is_null());
    let errors: Vec<Value> = errors.collect();
    assert_eq!(errors.iter().map(|error| &error["code"]).collect::<Vec<_>>(), ["too_many_sessions"], "{errors:?}");
    host.ask(json!({"op": "end", "session": "0"}));
    // The thread of the session that ended may take a moment.
    while host.send_open("256") == "too_many_sessions" {}
    assert_eq!(host.decide("256", "1", "shell", json!({"command": "rm -rf /"}))["decision"], "deny");
}

#[test]
fn the_number_of_waiting_requests_is_bounded() {
    let fixture = ServeFixture::new();
    let released = fixture.path("released");
    let gate = format!("until [ -e '{}' ]; do sleep 0.01; done", released.display());
    let mut host = fixture.start_stdio(&["--hook-pre-tool-use", &gate]);
    host.open("s");
    let first = host.send(decide_request("s", "first", "list", json!({})));
    let ids: Vec<Value> =
        (0..1_030).map(|number| host.send(decide_request("s", &number.to_string(), "list", json!({})))).collect();
    // Those that found no room are answered at once.
    assert_eq!(host.answer_to(ids.last().unwrap())["error"]["code"], "too_many_requests");
    std::fs::write(&released, "").unwrap();
    assert_eq!(host.answer_to(&first)["result"]["decision"], "allow");
}
