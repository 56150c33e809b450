//! Tests MCP servers over HTTP.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use pintle_contract::{CancelToken, McpSpec, McpTransport};
use pintle_handlers::mcp::{McpLimits, McpServer};
use serde_json::{Value, json};

/// A request as the server received it.
#[derive(Debug)]
struct ReceivedMcpRequest {
    method: String,
    headers: Vec<(String, String)>,
    body: Value,
}

/// A server on loopback that speaks streamable HTTP, with the requests that it received.
struct FakeMcpServer {
    url: String,
    requests: Arc<Mutex<Vec<ReceivedMcpRequest>>>,
}

impl FakeMcpServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::default();
        let keeps = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let keeps = Arc::clone(&keeps);
                std::thread::spawn(move || serve_connection(&stream.unwrap(), &keeps));
            }
        });
        Self { url, requests: seen }
    }

    fn mcp_spec(&self, token: &str) -> McpSpec {
        McpSpec {
            name: String::from("far"),
            transport: McpTransport::Http {
                url: self.url.clone(),
                headers: vec![(String::from("Authorization"), format!("Bearer {token}"))],
            },
        }
    }
}

fn serve_connection(stream: &TcpStream, seen: &Mutex<Vec<ReceivedMcpRequest>>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let method = line.split(' ').next().unwrap().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let header = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let mut body = vec![0; header("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (status, kind, answer) = if header("authorization").as_deref() != Some("Bearer good") {
        ("403 Forbidden", "text/plain", String::from("go away"))
    } else if method != "POST" {
        ("405 Method Not Allowed", "text/plain", String::new())
    } else {
        answer_request(&body)
    };
    seen.lock().unwrap().push(ReceivedMcpRequest { method, headers, body });
    let length = answer.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nMcp-Session-Id: s1\r\nConnection: close\r\n\r\n"
    );
    let mut stream = stream;
    // The client may have closed the connection.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(answer.as_bytes()));
}

/// A status, a content type and a body.
fn answer_request(body: &Value) -> (&'static str, &'static str, String) {
    let said = |result: Value| json!({"jsonrpc": "2.0", "id": body["id"], "result": result}).to_string();
    let ok = |result: Value| ("200 OK", "application/json", said(result));
    let params = body.get("params").unwrap_or(&Value::Null);
    match (body["method"].as_str().unwrap_or_default(), params["name"].as_str().unwrap_or_default()) {
        ("initialize", _) => ok(json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "far", "version": "1"},
        })),
        ("tools/list", _) => ok(json!({"tools": [{"name": "plain", "inputSchema": {"type": "object"}}]})),
        ("tools/call", "plain") => ok(json!({"content": [{"type": "text", "text": params.pointer("/arguments/x")}]})),
        ("tools/call", "stream") => {
            let result = said(json!({"content": [{"type": "text", "text": "streamed"}]}));
            ("200 OK", "text/event-stream", format!("event: message\ndata: {result}\n\n"))
        }
        ("tools/call", "broken") => ("500 Internal Server Error", "text/plain", String::from("oops")),
        ("tools/call", "nonsense") => ("200 OK", "application/json", String::from("{nonsense")),
        ("tools/call", "moved") => ("302 Found", "text/plain", String::new()),
        _ => ("202 Accepted", "text/plain", String::new()),
    }
}

#[test]
fn a_server_is_spoken_to_with_its_headers_and_in_both_forms_of_answer() {
    let far = FakeMcpServer::start();
    let server =
        McpServer::start(&far.mcp_spec("good"), Path::new("/"), McpLimits::default(), &CancelToken::default()).unwrap();
    assert_eq!(server.tools().len(), 1);
    let call = |tool: &str| server.call(tool, &json!({"x": "y"}), 20_000, &CancelToken::default());
    assert_eq!(call("plain").unwrap(), "y");
    assert_eq!(call("stream").unwrap(), "streamed");
    for tool in ["broken", "nonsense", "moved"] {
        let error = call(tool).unwrap_err().to_string();
        assert!(error.starts_with("MCP server `far`"), "{tool}: {error}");
    }
    assert_eq!(call("plain").unwrap(), "y", "a failed call costs nothing but itself");
    let seen = far.requests.lock().unwrap();
    let calls: Vec<&ReceivedMcpRequest> = seen.iter().filter(|seen| seen.body["method"] == "tools/call").collect();
    assert_eq!(calls.len(), 6, "no call is made twice");
    for seen in calls {
        let header = |name: &str| seen.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        assert_eq!((seen.method.as_str(), header("mcp-session-id")), ("POST", Some("s1")));
        assert_eq!(header("authorization"), Some("Bearer good"));
    }
}

#[test]
fn a_server_that_refuses_or_is_not_there_is_told_as_such() {
    let far = FakeMcpServer::start();
    let start = |spec: &McpSpec| {
        McpServer::start(
            spec,
            Path::new("/"),
            McpLimits { start_ms: 20_000, ..McpLimits::default() },
            &CancelToken::default(),
        )
        .unwrap_err()
        .to_string()
    };
    let refused = start(&far.mcp_spec("bad"));
    assert!(refused.starts_with("MCP server `far` cannot be started: ") && refused.contains("403"), "{refused}");
    assert!(!refused.contains("bad"), "no key in an error text: {refused}");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let transport = McpTransport::Http { url: format!("http://{nobody}/"), headers: Vec::new() };
    let gone = start(&McpSpec { name: String::new(), transport });
    assert!(gone.starts_with(&format!("MCP server `http://{nobody}/` cannot be started: ")), "{gone}");
    let transport =
        McpTransport::Http { url: far.url.clone(), headers: vec![(String::from("bad name"), String::new())] };
    let unfit = start(&McpSpec { name: String::from("x"), transport });
    assert!(unfit.contains("`bad name` is not a valid header name"), "{unfit}");
}
