//! `pintle mcp --url` between a client and a server that is reached over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::fixture::ServeFixture;
use crate::mcp::{McpClient, guarded};

/// A request that the server got.
#[derive(Debug, Clone)]
struct SeenRequest {
    method: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl SeenRequest {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let method = line.split(' ').next()?.to_owned();
        let mut headers = Vec::new();
        loop {
            line.clear();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_lowercase(), value.to_owned()));
        }
        let mut request = Self { method, headers, body: String::new() };
        let length = request.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        request.body = String::from_utf8(body).ok()?;
        Some(request)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    fn rpc_method(&self) -> String {
        self.json()["method"].as_str().unwrap_or_default().to_owned()
    }
}

/// A server that answers each request with a response, and closes the connection.
struct HttpFake {
    url: String,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
}

impl HttpFake {
    fn start(respond: impl Fn(&SeenRequest) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (seen, respond) = (Arc::<Mutex<Vec<SeenRequest>>>::default(), Arc::new(respond));
        let log = Arc::clone(&seen);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (log, respond) = (Arc::clone(&log), Arc::clone(&respond));
                std::thread::spawn(move || {
                    let Some(request) = SeenRequest::read(&stream) else { return };
                    log.lock().unwrap().push(request.clone());
                    let _ = stream.write_all(respond(&request).as_bytes());
                });
            }
        });
        Self { url, seen }
    }

    fn seen(&self) -> Vec<SeenRequest> {
        self.seen.lock().unwrap().clone()
    }

    fn client(&self, fixture: &ServeFixture, options: &[&str]) -> McpClient {
        let mut command = fixture.command(&["mcp", "files", "--hooks", ".", "--url", &self.url]);
        command.args(options).env("TOKEN", "t0p-secret");
        McpClient::run(command)
    }
}

fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
}

fn json_answer(id: &Value, result: &Value) -> String {
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    response("200 OK", "content-type: application/json; charset=utf-8\r\n", &answer)
}

fn events(body: &str) -> String {
    response("200 OK", "content-type: text/event-stream\r\n", body)
}

/// What a server with sessions answers, but for calls of tools.
fn respond(request: &SeenRequest, call: impl Fn(&Value) -> String) -> String {
    let message = request.json();
    match (request.method.as_str(), request.rpc_method().as_str()) {
        ("POST", "initialize") => {
            let result = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
            json_answer(&message["id"], &result).replacen("\r\n", "\r\nMcp-Session-Id: s-1\r\n", 1)
        }
        ("POST", "tools/call") => call(&message["id"]),
        ("POST", _) => response("202 Accepted", "", ""),
        ("DELETE", _) => response("200 OK", "", ""),
        _ => response("405 Method Not Allowed", "", ""),
    }
}

fn initialize(client: &mut McpClient) {
    let answer = client.ask(1, "initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}}));
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
}

#[test]
fn calls_go_through_the_hooks_and_carry_the_session_and_the_key() {
    let fixture = guarded(&[]);
    let server = HttpFake::start(|request| {
        respond(request, |id| {
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}});
            let answer =
                json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "hunter2"}]}});
            let pretty = serde_json::to_string_pretty(&answer).unwrap().replace('\n', "\ndata: ");
            events(&format!(": hello\n\nevent: message\nid: 1\ndata: {progress}\n\ndata: {pretty}\n\n"))
        })
    });
    let mut client = server.client(&fixture, &["--header", "Authorization: Bearer ${TOKEN}"]);
    initialize(&mut client);
    client.send(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write","arguments":{"path":"../a"}}}"#,
    );
    assert!(client.next().contains("notifications/progress"));
    let answer: Value = serde_json::from_str(&client.next()).unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "…", "a hook takes the secret out of the result");
    let refused = client.call(3, "delete", json!({"path": "a"}));
    assert_eq!(refused["result"]["content"][0]["text"], "not that");
    let (rest, said, code) = client.end();
    assert_eq!((rest, code), (Vec::new(), Some(0)), "{said}");

    let seen = server.seen();
    let calls: Vec<Value> =
        seen.iter().filter(|request| request.rpc_method() == "tools/call").map(SeenRequest::json).collect();
    assert_eq!(calls.len(), 1, "a refused call is not sent");
    assert_eq!(calls[0]["params"]["arguments"], json!({"path": "safe"}));
    assert_eq!(seen.last().unwrap().method, "DELETE", "the session is ended");
    for request in &seen {
        assert_eq!(request.header("authorization"), Some("Bearer t0p-secret"));
        let is_first = request.rpc_method() == "initialize";
        assert_eq!(request.header("mcp-session-id"), (!is_first).then_some("s-1"));
        assert_eq!(request.header("mcp-protocol-version"), (!is_first).then_some("2025-06-18"));
        if request.method == "POST" {
            assert_eq!(request.header("accept"), Some("application/json, text/event-stream"));
        }
    }
}

#[test]
fn what_the_server_says_on_its_own_is_passed_on() {
    let fixture = guarded(&[]);
    let server = HttpFake::start(|request| match request.method.as_str() {
        "GET" if request.header("last-event-id").is_none() => {
            let message = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            events(&format!("id: e7\nretry: 1\ndata: {message}\n\n"))
        }
        "GET" if request.header("last-event-id") == Some("e7") => {
            let message = json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list"});
            events(&format!("id: e8\nretry: 1\ndata: {message}\n\n"))
        }
        _ => respond(request, |_| response("500 Internal Server Error", "", "")),
    });
    let mut client = server.client(&fixture, &[]);
    initialize(&mut client);
    assert!(client.next().contains("list_changed"));
    assert!(client.next().contains("roots/list"));
    client.send(r#"{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}"#);
    assert_eq!(client.end().2, Some(0));
    assert!(server.seen().iter().any(|request| request.json()["result"] == json!({"roots": []})));
}

#[test]
fn a_stream_that_broke_is_read_on_where_it_was() {
    let fixture = guarded(&[]);
    let server = HttpFake::start(|request| match request.method.as_str() {
        "GET" if request.header("last-event-id") == Some("e1") => {
            let answer = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": []}});
            events(&format!("data: {answer}\n\n"))
        }
        _ => respond(request, |_| events("id: e1\nretry: 1\ndata:\n\n")),
    });
    let mut client = server.client(&fixture, &[]);
    initialize(&mut client);
    assert_eq!(client.call(2, "read", json!({}))["result"], json!({"content": []}));
    assert_eq!(client.end().2, Some(0));
}

#[test]
fn a_call_without_an_answer_fails_with_the_reason() {
    let other = json!({"jsonrpc": "2.0", "id": 99, "result": {}}).to_string();
    let cases = [
        (
            response("401 Unauthorized", "", "who?"),
            "it answers 401 Unauthorized; name a key that it knows by `--header`",
        ),
        (
            response(
                "404 Not Found",
                "content-type: application/json\r\n",
                r#"{"jsonrpc":"2.0","id":null,"error":{}}"#,
            ),
            "its session is over; connect to it again",
        ),
        (
            response("307 Temporary Redirect", "location: http://127.0.0.1:1/\r\n", ""),
            "it answers 307 Temporary Redirect",
        ),
        (response("202 Accepted", "", ""), "what it sends is not an answer to the request"),
        (response("200 OK", "content-type: text/html\r\n", "<p>"), "what it sends is not an answer to the request"),
        (
            response("200 OK", "content-type: application/json\r\n", &other),
            "what it sends is not an answer to the request",
        ),
        (events("data: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n\n"), "its stream ended before the answer"),
        (String::new(), "connection closed before message completed"),
    ];
    for (answer, reason) in cases {
        let fixture = guarded(&[]);
        let server = HttpFake::start(move |request| respond(request, |_| answer.clone()));
        let mut client = server.client(&fixture, &[]);
        initialize(&mut client);
        client.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}"#);
        let answer = loop {
            let answer: Value = serde_json::from_str(&client.next()).unwrap();
            if answer["id"] == 2 {
                break answer;
            }
        };
        assert_eq!(answer["error"]["message"], format!("the MCP server gave no answer: {reason}"));
        assert_eq!(client.end().2, Some(0));
    }
}

/// A client does not wait for a server that says nothing.
#[test]
fn a_server_that_never_answers_is_left_with_the_client() {
    let fixture = guarded(&[]);
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let server = HttpFake::start(move |_| {
        let _ = wait.lock().unwrap().recv();
        String::new()
    });
    let mut client = server.client(&fixture, &[]);
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let (rest, said, code) = client.end();
    assert_eq!(code, Some(0), "{said}");
    let [answer] = rest.as_slice() else { panic!("{rest:?}") };
    assert!(answer.contains("the MCP server ended"), "{answer}");
    drop(release);
}

#[test]
fn keys_are_sent_to_no_address_that_others_can_read() {
    let fixture = guarded(&[]);
    let cases: [(&[&str], &str); 7] = [
        (&["--url", "http://example.com/mcp"], "neither encrypted nor on this machine"),
        (&["--url", "http://ada:t0p-secret@example.com/mcp?key=t0p"], "neither encrypted nor on this machine"),
        (&["--url", "http://localhost.example.com/mcp"], "neither encrypted nor on this machine"),
        (&["--url", "file:///etc/passwd"], "`file:` is not the address of an MCP server"),
        (&["--url", "https://example.com", "--header", "Key ${TOKEN}"], "a header is `Name: value`"),
        (
            &["--url", "https://example.com", "--header", "Key: ${NO_SUCH}"],
            "the environment variable `NO_SUCH` is not set",
        ),
        (&["--url", "https://example.com", "--header", "Key: ${TOKEN}\n"], "the value of `Key` is not one of a header"),
    ];
    for (options, message) in cases {
        let mut command = fixture.command(&["mcp", "files", "--hooks", "."]);
        let output = command.args(options).env("TOKEN", "t0p\u{1}secret").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(message) && !said.contains("t0p"), "{said}");
    }
}
