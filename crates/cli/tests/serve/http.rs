use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::fixture::{HttpHost, ServeFixture};

fn decide(host: &HttpHost, id: &str, name: &str, args: &Value) -> (u16, Value) {
    host.post("decide", &json!({"session": "s", "call": {"id": id, "name": name, "args": args}}))
}

#[test]
fn a_session_over_http_is_one_over_lines() {
    let fixture = ServeFixture::new();
    let mut host = fixture.start_http(&["--tapes", "tapes"]);
    let (status, opened) = host.post("open", &json!({"id": "a", "session": "s"}));
    assert_eq!((status, &opened["id"], &opened["result"]["opened"]), (200, &json!("a"), &json!(true)));
    let (status, denied) = decide(&host, "1", "shell", &json!({"command": "rm -rf /"}));
    assert_eq!((status, &denied["result"]["decision"]), (200, &json!("deny")));
    assert_eq!(decide(&host, "2", "deploy", &json!({})).1["result"]["decision"], "ask");
    let approved = host.post("approve", &json!({"session": "s", "call": "2", "decision": "allow"})).1;
    assert_eq!(approved["result"]["call"]["name"], "deploy");
    let concluded = host.post("conclude", &json!({"session": "s", "call": "2", "result": {"content": "x"}})).1;
    assert_eq!(concluded["result"]["result"]["content"], "x");
    let fired = host.post("fire", &json!({"session": "s", "event": "prompt.submit", "payload": {"prompt": "x"}})).1;
    assert_eq!(fired["result"]["decision"], "allow");
    let explained = host.post("explain", &json!({"event": "tool.pre", "payload": {"name": "x", "args": {}}})).1;
    assert_eq!(explained["result"]["event"], "tool.pre");
    assert_eq!(host.post("end", &json!({"session": "s"})).0, 200);
    assert_eq!(host.post("end", &json!({"session": "s"})).0, 404);
    let (status, health) = host.send("GET /v1/health", &[], "");
    assert_eq!((status, &health["result"]["protocol"]), (200, &json!(1)));
    let (status, schema) = host.send("GET /v1/schema", &[], "");
    assert_eq!((status, &schema["title"]), (200, &json!("pintle serve")));
    // A session that is open is ended with the server, and a request that has not arrived does not hold the token's file.
    let mut unfinished = TcpStream::connect(&host.address).unwrap();
    unfinished.write_all(b"POST /v1/open HTTP/1.1\r\n").unwrap();
    host.post("open", &json!({"session": "s"}));
    assert_eq!(host.terminate(), Some(0));
    assert!(!host.token_file.exists());
    for entry in fs::read_dir(fixture.path("project/tapes")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(text.contains("session.end") && text.lines().last().unwrap().contains("\"closed\""), "{text}");
    }
}

#[test]
fn requests_without_the_token_are_refused() {
    let fixture = ServeFixture::new();
    let host = fixture.start_http(&[]);
    assert_eq!(host.token.len(), 64);
    assert_eq!(fs::metadata(&host.token_file).unwrap().permissions().mode() & 0o777, 0o600);
    let right = format!("Bearer {}", host.token);
    let half = right.get(..right.len() - 1).unwrap();
    let longer = format!("{right}0");
    let basic = right.replace("Bearer", "Basic");
    for wrong in ["", "Bearer", "Bearer ", half, &longer, &basic, &host.token] {
        for line in ["GET /v1/health", "GET /v1/schema", "POST /v1/open", "GET /", "GET /v1/nowhere"] {
            let (status, answer) = host.send(line, &[("Authorization", wrong)], "{\"session\":\"s\"}");
            assert_eq!((status, &answer["error"]["code"]), (401, &json!("unauthorized")), "{line} {wrong}");
        }
    }
    let twice = [("Authorization", &*right), ("Authorization", "Bearer x")];
    assert_eq!(host.send("GET /v1/health", &twice, "").0, 401);
    assert_eq!(host.post("end", &json!({"session": "s"})).0, 404);
}

#[test]
fn requests_of_browsers_and_for_other_hosts_are_refused() {
    let fixture = ServeFixture::new();
    let host = fixture.start_http(&[]);
    let port = host.address.rsplit_once(':').unwrap().1;
    for own in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
        for name in [own.to_owned(), format!("{own}:{port}")] {
            assert_eq!(host.send("GET /v1/health", &[("Host", &name)], "").0, 200, "{name}");
        }
    }
    for foreign in [
        "example.com",
        "localhost.example.com",
        "127.0.0.1.example.com:80",
        "10.0.0.1",
        "",
        "localhost:x",
        "a@localhost",
        "[::1",
    ] {
        let (status, answer) = host.send("GET /v1/health", &[("Host", foreign)], "");
        // Without the field it is not HTTP/1.1, or refused.
        assert!(status == 403 || status == 400, "{foreign}: {status} {answer}");
    }
    assert_eq!(host.send("GET /v1/health", &[("Host", "localhost"), ("Host", "example.com")], "").0, 403);
    assert_eq!(host.send("GET http://example.com/v1/health", &[], "").0, 403);
    for origin in ["null", "http://localhost", "https://example.com"] {
        let (status, answer) = host.send("POST /v1/open", &[("Origin", origin)], "{\"session\":\"s\"}");
        assert_eq!((status, &answer["error"]["code"]), (403, &json!("forbidden")), "{origin}");
    }
    assert_eq!(host.send("OPTIONS /v1/open", &[("Origin", "null")], "").0, 403);
}

#[test]
fn paths_methods_and_bodies_that_do_not_fit_are_errors() {
    let fixture = ServeFixture::new();
    let host = fixture.start_http(&[]);
    for (line, body, status, code) in [
        ("GET /", "", 404, "not_found"),
        ("POST /v1/hello", "{}", 404, "not_found"),
        ("POST /v1/open/", "{}", 404, "not_found"),
        ("POST /v2/open", "{}", 404, "not_found"),
        ("GET /v1/open", "", 405, "method_not_allowed"),
        ("POST /v1/health", "{}", 405, "method_not_allowed"),
        ("POST /v1/open", "", 400, "not_json"),
        ("POST /v1/open", "{\"session\":\"s\",\"session\":\"t\"}", 400, "not_json"),
        ("POST /v1/open", "{\"op\":\"open\",\"session\":\"s\"}", 400, "bad_request"),
        ("POST /v1/end", "{\"session\":\"s\"}", 404, "unknown_session"),
    ] {
        let (is, answer) = host.send(line, &[], body);
        assert_eq!((is, &answer["error"]["code"]), (status, &json!(code)), "{line} {body}");
    }
    let (status, answer) = host.send("POST /v1/open", &[], &" ".repeat((16 << 20) + 1));
    assert!(status == 413 || status == 0, "{status} {answer}");
    let long = "x".repeat(20 << 10);
    assert!([0, 431].contains(&host.send("GET /v1/health", &[("X-Long", &long)], "").0));
    let many: Vec<(&str, &str)> = (0..80).map(|_| ("X-Many", "1")).collect();
    assert!([0, 431].contains(&host.send("GET /v1/health", &many, "").0));
    assert_eq!(host.send("GET /v1/health", &[], "").0, 200);
}

#[test]
fn only_loopback_addresses_are_served() {
    let fixture = ServeFixture::new();
    for address in ["0.0.0.0:0", "[::]:0", "192.168.1.1:80", "[::ffff:127.0.0.1]:0", "example.com:80", "8080"] {
        let output = fixture.command(&["serve", "--hooks", ".", "--http", address]).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{address}: {err}");
        assert!(err.contains("loopback") || err.contains("expected an address"), "{address}: {err}");
    }
    let host = fixture.start_http(&["localhost:0"]);
    assert_eq!(host.send("GET /v1/health", &[], "").0, 200);
}

#[test]
fn a_token_file_is_created_once_and_read_only_if_it_is_private() {
    let fixture = ServeFixture::new();
    let file = fixture.path("token");
    let name = file.display().to_string();
    let first = fixture.start_http(&["127.0.0.1:0", "--token-file", &name]).token.clone();
    // It belongs to the user, and is there for the next server.
    let second = fixture.start_http(&["127.0.0.1:0", "--token-file", &name]).token.clone();
    assert_eq!(first, second);
    let refusal = || {
        let arguments = ["serve", "--hooks", ".", "--token-file", &name, "--http"];
        let output = fixture.command(&arguments).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
        String::from_utf8(output.stderr).unwrap()
    };
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(refusal().contains("other users can read"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, "secret\n").unwrap();
    assert!(refusal().contains("has no token"));
}
