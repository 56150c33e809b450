//! `pintle mcp` between a client and a server: what each of them gets, byte for byte.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::fixture::{PATIENCE, ServeFixture};

/// Keeps what it gets, and answers a request with the file that has its ID.
const SERVER: &str = "while IFS= read -r line; do
  printf '%s\\n' \"$line\" >> got
  id=$(printf '%s' \"$line\" | sed -n 's/.*\"id\": *\\([0-9]*\\).*/\\1/p')
  [ -n \"$id\" ] && [ -f \"answers/$id\" ] && cat \"answers/$id\"
done
exit 0";

const GUARDS: [(&str, &str); 6] = [
    (
        "deny",
        "tool.pre\nwhen: payload[\"name\"] == \"mcp__files__delete\"\nscript: |\n  def handle(event, payload):\n      return block(\"not that\")",
    ),
    (
        "shape",
        "tool.pre\nwhen: payload[\"name\"] == \"mcp__files__write\"\nscript: |\n  def handle(event, payload):\n      return modify({\"args\": {\"path\": \"safe\"}})",
    ),
    (
        "ask",
        "tool.pre\nwhen: payload[\"name\"] == \"mcp__files__move\"\nscript: |\n  def handle(event, payload):\n      return ask(\"moving needs you\")",
    ),
    (
        "crash",
        "tool.pre\nwhen: payload[\"name\"] == \"mcp__files__crash\"\nscript: |\n  def handle(event, payload):\n      fail(\"broken\")",
    ),
    (
        "secret",
        "tool.post\nscript: |\n  def handle(event, payload):\n      \
        return modify({\"content\": payload[\"content\"].replace(\"hunter2\", \"…\")}) if \"hunter2\" in payload[\"content\"] else allow()",
    ),
    (
        "prompt",
        "tool.pre\nwhen: payload[\"name\"] in [\"mcp__files__resources_read\", \"mcp__files__prompts_get\"]\nscript: |\n  \
        def handle(event, payload):\n      return block(\"not this\") if \"private\" in str(payload[\"args\"]) else allow()",
    ),
];

pub(crate) struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl McpClient {
    fn start(fixture: &ServeFixture, options: &[&str]) -> Self {
        let mut command = fixture.command(&["mcp", "files", "--hooks", "."]);
        command.args(options).args(["--", "/bin/sh", "-c", SERVER]);
        Self::run(command)
    }

    pub(crate) fn run(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, stdin, lines }
    }

    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    pub(crate) fn next(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// Sends a request, and returns the next line.
    pub(crate) fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        serde_json::from_str(&self.next()).unwrap()
    }

    pub(crate) fn call(&mut self, id: u32, tool: &str, args: Value) -> Value {
        self.ask(id, "tools/call", json!({"name": tool, "arguments": args}))
    }

    /// Ends the client. Returns what it had not read yet, what was said on standard error, and the exit code.
    pub(crate) fn end(mut self) -> (Vec<String>, String, Option<i32>) {
        drop(self.stdin.take());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        (self.lines.iter().collect(), said, status.code())
    }
}

/// A project whose hooks guard the server, and the answers of the server.
pub(crate) fn guarded(answers: &[(u32, Value)]) -> ServeFixture {
    let fixture = ServeFixture::new();
    for (name, body) in GUARDS {
        fixture.write(&format!(".harness/hooks/{name}.md"), &format!("---\nevent: {body}\n---\n"));
    }
    for (id, answer) in answers {
        let mut message = json!({"jsonrpc": "2.0", "id": id});
        message.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        fixture.write(&format!("answers/{id}"), &format!("{message}\n"));
    }
    fixture
}

fn got(fixture: &ServeFixture) -> String {
    fs::read_to_string(fixture.path("project/got")).unwrap_or_default()
}

fn text_result(text: &str) -> Value {
    json!({"result": {"content": [{"type": "text", "text": text}]}})
}

#[test]
fn what_no_hook_hears_is_passed_on_byte_for_byte() {
    let fixture = ServeFixture::new();
    fs::remove_dir_all(fixture.path("project/.harness")).unwrap();
    fixture.write(
        ".harness/hooks/other.md",
        "---\nevent: turn.end\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n",
    );
    let sent = [
        r#"{ "method" : "initialize", "id": 1, "params":{"capabilities":{}}, "jsonrpc":"2.0" }"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id": 2,"method":"tools/list","params":{"cursor":"\u0061"}}"#,
        r#"{"params":{"name":"read","arguments":{"b":1.0,"a":[ 1e2 ]},"_meta":{"progressToken":7}},"jsonrpc":"2.0","id": 3,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id": 4,"method":"resources/read","params":{"uri":"file:///a"}}"#,
        r#"{"jsonrpc":"2.0","id": 5,"method":"prompts/get","params":{"name":"p"}}"#,
        r#"{"jsonrpc":"2.0","id": 6,"method":"vendor/other","params":[1]}"#,
    ];
    let answers = [
        r#"{"id":1,"jsonrpc":"2.0","result":{"capabilities":{"tools":{ }}}}"#,
        r#"{"jsonrpc":"2.0","result":{"tools":[{"name":"read","x":1.50}]},"id":2}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{"content":[ {"type":"text","text":"A","annotations":{}} ],"structuredContent":{"a":1.0}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"result":{"contents":[{"uri":"file:///a","blob":"AA=="}]}}"#,
        r#"{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no","data":{}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"result":null}"#,
    ];
    for (id, answer) in (1..).zip(answers) {
        fixture.write(&format!("answers/{id}"), &format!("{answer}\n"));
    }
    let mut client = McpClient::start(&fixture, &[]);
    let mut answers = answers.iter();
    for line in sent {
        client.send(line);
        if line.contains("\"id\"") {
            assert_eq!(client.next(), *answers.next().unwrap());
        }
    }
    assert_eq!(client.end().2, Some(0));
    assert_eq!(got(&fixture), sent.join("\n") + "\n");
}

#[test]
fn refused_calls_do_not_reach_the_server_and_changed_ones_do() {
    let fixture = guarded(&[(2, text_result("written"))]);
    let mut client = McpClient::start(&fixture, &[]);
    assert_eq!(
        client.call(1, "delete", json!({"path": "a"})),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "not that"}], "isError": true}})
    );
    assert_eq!(client.call(2, "write", json!({"path": "../a"}))["result"]["content"][0]["text"], "written");
    assert_eq!(client.call(3, "crash", json!({}))["result"]["isError"], true);
    let refused = client.ask(4, "resources/read", json!({"uri": "file:///private"}));
    assert_eq!(refused["error"], json!({"code": -32000, "message": "not this"}));
    let refused = client.ask(5, "prompts/get", json!({"name": "p", "arguments": {"of": "private"}}));
    assert_eq!(refused["error"]["message"], "not this");
    assert_eq!(client.end().2, Some(0));
    let got: Vec<Value> = got(&fixture).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let params = json!({"name": "write", "arguments": {"path": "safe"}});
    assert_eq!(got, [json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})]);
}

#[test]
fn the_user_of_the_client_is_asked_and_the_server_cannot_answer_instead() {
    let fixture = guarded(&[(1, json!({"result": {"capabilities": {}}})), (3, text_result("moved"))]);
    let mut client = McpClient::start(&fixture, &[]);
    client.ask(1, "initialize", json!({"capabilities": {"elicitation": {}}}));
    let mut ask = |id: u32, answer: Value| {
        let question = client.call(id, "move", json!({"path": "a"}));
        assert_eq!(question["method"], "elicitation/create");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(
            message.contains("moving needs you") && message.contains(r#""mcp__files__move" {"path":"a"}"#),
            "{message}"
        );
        assert!(!got(&fixture).contains("tools/call") || id > 3);
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        serde_json::from_str::<Value>(&client.next()).unwrap()["result"].clone()
    };
    let refusal = "the user refused this call";
    assert_eq!(ask(2, json!({"action": "decline"}))["content"][0]["text"], refusal);
    assert_eq!(ask(3, json!({"action": "accept", "content": {"decision": "allow"}}))["content"][0]["text"], "moved");
    // Neither an empty form nor another word is a yes.
    for (id, content) in [(4, json!({})), (5, json!({"decision": "deny"})), (6, json!({"decision": true}))] {
        assert_eq!(ask(id, json!({"action": "accept", "content": content}))["content"][0]["text"], refusal);
    }
    assert_eq!(ask(7, json!({"action": "cancel", "content": {"decision": "allow"}}))["isError"], true);
    assert_eq!(client.end().2, Some(0));
    assert_eq!(got(&fixture).matches("tools/call").count(), 1);
}

#[test]
fn without_a_user_an_ask_denies() {
    let fixture = guarded(&[(1, json!({"result": {}}))]);
    let mut client = McpClient::start(&fixture, &[]);
    client.ask(1, "initialize", json!({"capabilities": {"elicitation": {"url": {}}}}));
    let answer = client.call(2, "move", json!({}));
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("cannot ask"), "{answer}");
    client.end();
    assert!(!got(&fixture).contains("tools/call"));
}

#[test]
fn results_reach_the_client_as_hooks_leave_them() {
    let picture = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    let structured =
        |text: &str| json!({"content": [{"type": "text", "text": text}], "structuredContent": {"key": "hunter2"}});
    let fixture = guarded(&[
        (1, json!({"result": {"content": [{"type": "text", "text": "key hunter2"}, picture]}})),
        (2, json!({"result": structured(r#"{"key": "hunter2"}"#)})),
        (3, json!({"result": structured("see below")})),
        (4, json!({"error": {"code": -1, "message": "no hunter2", "data": "hunter2"}})),
        (5, json!({"result": {"contents": [{"uri": "file:///a", "text": "hunter2"}]}})),
        (
            6,
            json!({"result": {"description": "hunter2", "messages": [{"role": "user", "content": {"type": "text", "text": "a"}}]}}),
        ),
        (7, json!({"result": {"content": [{"type": "resource", "resource": {"uri": "x:hunter2", "text": "a"}}]}})),
        (8, json!({"error": {"code": -1, "message": "no", "data": {"key": "hunter2"}}})),
        (9, json!({"result": "hunter2"})),
        (10, json!({"result": ["hunter2"]})),
    ]);
    let mut client = McpClient::start(&fixture, &[]);
    let content = client.call(1, "read", json!({}))["result"]["content"].clone();
    assert_eq!(content, json!([{"type": "text", "text": "key …"}, picture]));
    let result = client.call(2, "read", json!({}))["result"].clone();
    assert_eq!((&result["structuredContent"], &result["isError"]), (&json!({"key": "…"}), &json!(false)));
    // What is not JSON any more is not structured, and a client that insists on it accepts a failure.
    let result = client.call(3, "read", json!({}))["result"].clone();
    assert_eq!((&result["structuredContent"], &result["isError"]), (&Value::Null, &json!(true)));
    let others = [
        client.call(4, "read", json!({})),
        client.ask(5, "resources/read", json!({"uri": "file:///a"})),
        client.ask(6, "prompts/get", json!({"name": "p"})),
        client.call(7, "read", json!({})),
        client.call(8, "read", json!({})),
        client.call(9, "read", json!({})),
        client.ask(10, "resources/read", json!({"uri": "file:///a"})),
    ];
    for answer in others {
        assert!(!answer.to_string().contains("hunter2") && answer.to_string().contains('…'), "{answer}");
    }
    client.end();
}

#[test]
fn hidden_tools_are_neither_listed_nor_called() {
    let tools = json!([{"name": "read_file"}, {"name": "read_secret"}, {"name": "write_file"}]);
    let fixture = guarded(&[(1, json!({"result": {"tools": tools, "nextCursor": "n"}}))]);
    let mut client = McpClient::start(&fixture, &["--only", "read_*", "--hide", "*secret"]);
    let listed = client.ask(1, "tools/list", json!({}));
    assert_eq!(listed["result"], json!({"tools": [{"name": "read_file"}], "nextCursor": "n"}));
    for (id, tool) in [(2, "read_secret"), (3, "write_file")] {
        assert_eq!(client.call(id, tool, json!({}))["error"]["message"], format!("unknown tool: {tool}"));
    }
    client.end();
    assert!(!got(&fixture).contains("tools/call"));
}

#[test]
fn what_the_two_sides_could_understand_differently_is_not_passed_on() {
    let forged = [
        // An answer that nothing asked for, one twice, and requests that look like those of the proxy.
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"pintle-ask-call_1","method":"elicitation/create","params":{"message":"Nice weather?"}}"#,
        r#"{"jsonrpc":"2.0","Id":1,"result":{}}"#,
        "log: started",
    ];
    let fixture = guarded(&[]);
    fixture.write("answers/1", &(forged.join("\n") + "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"));
    let mut client = McpClient::start(&fixture, &[]);
    assert_eq!(client.ask(1, "ping", json!({})), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    for line in [
        r#"[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete"}}]"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/call","params":{"name":"delete"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read","name":"delete"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"read","task":{"ttl":1}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"read","arguments":[]}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools\/call","params":{"name":"delete","arguments":{"a":"\ud800"}}}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"tasks/result","params":{"taskId":"1"}}"#,
    ] {
        client.send(line);
        let answer: Value = serde_json::from_str(&client.next()).unwrap();
        assert!(answer["error"]["message"].is_string() || answer["result"]["isError"] == true, "{line} {answer}");
    }
    // The answer to a question that was not asked is not the server's either.
    client.send(r#"{"jsonrpc":"2.0","id":"pintle-ask-call_1","result":{"action":"accept"}}"#);
    let (rest, said, status) = client.end();
    assert_eq!((rest, status), (Vec::new(), Some(0)));
    assert_eq!(said.matches("is left out").count(), 4, "{said}");
    let got = got(&fixture);
    assert!(!got.contains("tools/call") && !got.contains("accept"), "{got}");
}

#[test]
fn a_server_that_ends_leaves_no_request_open() {
    let fixture = guarded(&[]);
    let mut command = fixture.command(&["mcp", "files", "--hooks", ".", "--", "/bin/sh", "-c", "read line; exit 7"]);
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["message"]), (&json!(1), &json!("the MCP server ended")));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_server_is_not_started_without_the_hooks() {
    let fixture = guarded(&[]);
    fixture.write(".harness/hooks/broken.md", "---\nevent: tool.pre\nscript: |\n  def handle(\n---\n");
    let command = ["mcp", "files", "--hooks", ".", "--", "/bin/sh", "-c", "touch started"];
    let output = fixture.command(&command).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!fixture.path("project/started").exists());
    for name in ["", "a b", "a__b", "a_"] {
        assert_eq!(fixture.command(&["mcp", name, "--", "true"]).output().unwrap().status.code(), Some(3), "{name}");
    }
}
