//! `think`, `todo`, `memory` and `fetch`, and what all sets have in common.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::sync::{Arc, Mutex};

use pintle_agent::{AgentEvent, Observer};
use pintle_host::Origin;
use pintle_host::contract::{AgentSpec, NetworkSpec, ToolsetKind, ToolsetSpec};
use serde_json::{Value, json};

use crate::support::*;
use crate::toolsets::bench::{call_toolset, check_results, make_calls, member_spec, toolset_spec};

#[test]
fn thoughts_add_up() {
    let calls = [("think", json!({"thought": "first"})), ("think", json!({"thought": "second"})), ("think", json!({}))];
    let (results, _stage) = call_toolset(ToolsetKind::Think, |_| {}, &calls);
    check_results(
        &results,
        &calls,
        &[Ok("Thoughts:\nfirst"), Ok("Thoughts:\nfirst\nsecond"), Err("`thought` is required")],
    );
}

#[test]
fn a_list_of_things_to_do_keeps_its_order_and_reminds() {
    let calls = [
        ("list_todos", json!({})),
        ("create_todo", json!({"description": "one"})),
        ("create_todos", json!({"descriptions": ["two", "three"]})),
        (
            "update_todos",
            json!({"updates": [
                {"id": "todo_1", "status": "completed"}, {"id": "todo_3", "status": "in-progress"},
                {"id": "todo_9", "status": "completed"},
            ]}),
        ),
        ("update_todos", json!({"updates": [{"id": "todo_9", "status": "completed"}]})),
        ("update_todos", json!({"updates": [{"id": "todo_1", "status": "gone"}]})),
    ];
    let (results, fixture) = call_toolset(ToolsetKind::Todo { shared: false }, |_| {}, &calls);
    let told: Vec<Value> = results[..4].iter().map(|(text, _)| serde_json::from_str(text).unwrap()).collect();
    let todo =
        |id: u32, what: &str, status: &str| json!({"id": format!("todo_{id}"), "description": what, "status": status});
    assert_eq!(told[0], json!({"todos": []}));
    assert_eq!(told[1]["created"], todo(1, "one", "pending"));
    assert_eq!(told[2]["created"], json!([todo(2, "two", "pending"), todo(3, "three", "pending")]));
    assert_eq!(
        told[3],
        json!({
            "updated": [{"id": "todo_1", "status": "completed"}, {"id": "todo_3", "status": "in-progress"}],
            "not_found": ["todo_9"],
            "all_todos": [todo(1, "one", "completed"), todo(2, "two", "pending"), todo(3, "three", "in-progress")],
            "reminder": "The following todos are still incomplete and MUST be completed: (in-progress) [todo_3] three (pending) [todo_2] two",
        })
    );
    assert!(results[4].1 && results[4].0.contains(r#""not_found":["todo_9"]"#), "{results:?}");
    assert!(results[5].1 && results[5].0.contains("must be one of"), "{results:?}");
    assert_eq!(fixture.seen.payloads_of("tool.pre")[1]["read_only"], json!(true));
}

#[test]
fn notes_outlive_the_session_and_can_be_found_changed_and_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("notes.jsonl");
    let kind = || ToolsetKind::Memory { path: Some(file.display().to_string()) };
    let first = [
        ("get_memories", json!({})),
        ("add_memory", json!({"memory": "Likes tabs", "category": "preference"})),
        ("add_memory", json!({"memory": "Build with make"})),
        ("add_memory", json!({"memory": ""})),
    ];
    let (results, _stage) = call_toolset(kind(), |_| {}, &first);
    let expected = [
        Ok("[]"),
        Ok("Memory added successfully with ID: 1"),
        Ok("Memory added successfully with ID: 2"),
        Err("must have at least 1 characters"),
    ];
    check_results(&results, &first, &expected);
    let second = [
        ("search_memories", json!({"query": "TABS likes"})),
        ("search_memories", json!({"query": "tabs make"})),
        ("update_memory", json!({"id": "2", "memory": "Build with just", "category": "fact"})),
        ("update_memory", json!({"id": "7", "memory": "x"})),
        ("search_memories", json!({"category": "fact"})),
        ("delete_memory", json!({"id": "1"})),
        ("delete_memory", json!({"id": "1"})),
        ("add_memory", json!({"memory": "third"})),
    ];
    let (results, _stage) = call_toolset(kind(), |_| {}, &second);
    let memories = |index: usize| -> Vec<String> {
        let notes: Vec<Value> = serde_json::from_str(&results[index].0).unwrap();
        notes.iter().map(|note| note["memory"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(memories(0), ["Likes tabs"]);
    assert_eq!(memories(1), [""; 0]);
    assert_eq!(results[2].0, "Memory with ID 2 updated successfully");
    assert!(results[3].1 && results[3].0.contains("memory with ID `7` does not exist"));
    assert_eq!(memories(4), ["Build with just"]);
    assert_eq!(results[5].0, "Memory with ID 1 deleted successfully");
    assert!(results[6].1);
    assert_eq!(results[7].0, "Memory added successfully with ID: 3");
    let lines: Vec<String> = fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with(r#"{"id":"2","created_at":"20"#) && lines[0].contains("Build with just"), "{lines:?}");
}

#[test]
fn notes_lie_where_no_other_tool_can_change_them_and_never_outside() {
    let sets = [ToolsetKind::Memory { path: None }, ToolsetKind::Filesystem].map(toolset_spec);
    let calls = [
        ("add_memory", json!({"memory": "kept"})),
        ("write_file", json!({"path": ".pintle/memory.jsonl", "content": ""})),
    ];
    let (results, fixture) = make_calls(member_spec(sets), [], |_| {}, &calls);
    assert!(!results[0].1 && results[1].1, "{results:?}");
    assert!(fs::read_to_string(fixture.folder.path().join(".pintle/memory.jsonl")).unwrap().contains("kept"));
    let outside = toolset_spec(ToolsetKind::Memory { path: Some(String::from("../notes")) });
    let (results, _stage) = make_calls(member_spec([outside]), [], |_| {}, &[("get_memories", json!({}))]);
    assert!(results[0].1 && results[0].0.contains("not found"), "the set is not there: {results:?}");
}

#[test]
fn a_page_is_fetched_through_the_gate() {
    let page = "<html><body><h1>Title</h1><p>Some <b>text</b></p></body></html>";
    let server = start_page_server(page, 3);
    let allowed = NetworkSpec { allowed_domains: vec![String::from("127.0.0.1")] };
    let spec = AgentSpec { network: allowed, ..member_spec([toolset_spec(ToolsetKind::Fetch { timeout_ms: None })]) };
    let calls = [
        ("fetch", json!({"urls": [server], "format": "text"})),
        ("fetch", json!({"urls": [server], "format": "markdown"})),
        ("fetch", json!({"urls": [server, "ftp://x"], "format": "html"})),
        ("fetch", json!({"urls": [server], "format": "pdf"})),
    ];
    let (results, fixture) = make_calls(spec, [], |_| {}, &calls);
    let told =
        |body: &str| format!("Successfully fetched {server} (Status: 200, Length: {} bytes):\n\n{body}", body.len());
    assert_eq!(results[0].0, told("Title\n\nSome text"));
    assert_eq!(results[1].0, told("# Title\n\nSome **text**"));
    let both: Value = serde_json::from_str(&results[2].0).unwrap();
    assert_eq!((&both[0]["body"], &both[0]["statusCode"]), (&json!(page), &json!(200)));
    assert!(both[1]["error"].is_string(), "{both}");
    assert!(results[3].1 && results[3].0.contains("must be one of"));
    assert_eq!(fixture.seen.payloads_of("tool.pre")[0]["category"], "fetch");
    // Unless the declaration says otherwise, only the public internet can be reached.
    let (results, _stage) = call_toolset(
        ToolsetKind::Fetch { timeout_ms: None },
        |_| {},
        &[("fetch", json!({"urls": [server], "format": "text"}))],
    );
    assert!(results[0].1 && results[0].0.contains("not in the allowlist"), "{results:?}");
}

#[test]
fn the_pages_of_one_call_are_no_larger_than_a_result_may_be() {
    let page: &str = Box::leak("x".repeat(1 << 20).into_boxed_str());
    let server = start_page_server(page, 17);
    let allowed = NetworkSpec { allowed_domains: vec![String::from("127.0.0.1")] };
    let spec = AgentSpec { network: allowed, ..member_spec([toolset_spec(ToolsetKind::Fetch { timeout_ms: None })]) };
    let calls = [("fetch", json!({"urls": vec![server; 20], "format": "html"}))];
    let (results, _stage) = make_calls(spec, [], |_| {}, &calls);
    check_results(&results, &calls, &[Err("the results are larger than 16 MiB together; ask for fewer at once")]);
}

/// A server that sends the same page this many times.
fn start_page_server(page: &'static str, times: usize) -> String {
    use std::io::{Read, Write};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().take(times) {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                request.push(byte[0]);
            }
            let length = page.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(format!("{head}{page}").as_bytes()).unwrap();
        }
    });
    address
}

#[derive(Debug, Default)]
struct NoticeTextLog(Mutex<Vec<String>>);

impl Observer for NoticeTextLog {
    fn observe(&self, _origin: &Origin, event: &AgentEvent<'_>) {
        if let AgentEvent::Notice { message } = event {
            self.0.lock().unwrap().push((*message).to_owned());
        }
    }
}

#[test]
fn a_set_can_be_narrowed_told_about_and_stands_behind_an_earlier_one() {
    let sets = [
        ToolsetSpec {
            tools: vec![String::from("read_file"), String::from("raed_file")],
            instruction: Some(String::from("Mine. {ORIGINAL_INSTRUCTIONS}")),
            ..toolset_spec(ToolsetKind::Filesystem)
        },
        ToolsetSpec {
            tools: vec![String::from("read_file"), String::from("list_directory")],
            ..toolset_spec(ToolsetKind::Filesystem)
        },
        ToolsetSpec { instruction: Some(String::new()), ..toolset_spec(ToolsetKind::Think) },
    ];
    let notices = Arc::new(NoticeTextLog::default());
    let observer = Arc::clone(&notices);
    let fixture = open_fixture_with(QueuedReplyModel::root([say("end")]), [], member_spec(sets), |builder| {
        builder.observer(observer)
    });
    let AgentFixture { mut session, model, folder: dir, .. } = fixture;
    assert_eq!(session.tools(), ["read_file", "list_directory", "think"]);
    session.turn("go").unwrap();
    let system = message_lines(&model.request(0)).remove(0);
    let root = dir.path().display();
    assert!(system.contains("be brief\n\nMine. Files: the working directory is"), "{system}");
    assert!(system.contains(&root.to_string()) && !system.contains("Use `think`"), "{system}");
    let told = notices.0.lock().unwrap().join("\n");
    assert!(told.contains("tool `raed_file` does not exist in this set; did you mean `read_file`?"), "{told}");
    assert!(told.contains("two toolsets have a tool named `read_file`; the first one is used"), "{told}");
}
