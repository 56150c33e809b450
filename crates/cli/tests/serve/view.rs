//! `pintle view`: what it answers, and to whom.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use pintle_testkit::example_guard;
use serde_json::{Value, json};

use crate::fixture::{HttpHost, ServeFixture};

/// Why the guard denies.
const DENIAL: &str = "disks are not formatted here";
/// What a page, a terminal or a search could take for something else.
const HOSTILE: &str =
    "mkfs <script>alert(1)</script><img src=x onerror=alert(1)> \u{1b}[2J\u{202e}\u{0}\u{7} 100%_\\\" 'é";

/// A call of an agent's tool, which `pintle hook` answers.
fn call_tool(fixture: &ServeFixture, host: &str, session: &str, command: &str) {
    let payload = json!({
        "session_id": session,
        "cwd": fs::canonicalize(fixture.path("project")).unwrap(),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_use_id": format!("id of {command}"),
        "tool_input": {"command": command},
    });
    let mut child = fixture.command(&["hook", host, "PreToolUse"]);
    let mut child = child.env("TZ", "UTC").stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    child.wait_with_output().unwrap();
}

/// The page of a user whose agents made some calls.
fn start(calls: &[(&str, &str, &str)]) -> (ServeFixture, HttpHost) {
    let fixture = ServeFixture::new();
    fs::remove_dir_all(fixture.path("project/.harness")).unwrap();
    fs::create_dir_all(fixture.path("config/hooks")).unwrap();
    fs::write(fixture.path("config/hooks/guard.md"), example_guard(DENIAL)).unwrap();
    for (host, session, command) in calls {
        call_tool(&fixture, host, session, command);
    }
    let host = HttpHost::start(&mut fixture.command(&["view"]));
    (fixture, host)
}

const CALLS: [(&str, &str, &str); 6] = [
    ("claude", "c1", "ls -la"),
    ("claude", "c1", "mkfs /dev/sda"),
    ("claude", "c1", "fetch x"),
    ("claude", "c1", "crash"),
    ("codex", "c2", HOSTILE),
    ("claude", "c1", "deploy now"),
];

fn get(host: &HttpHost, path: &str) -> Value {
    let (status, answer) = host.send(&format!("GET /api/{path}"), &[], "");
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

/// The status, the head and the body of what is answered to a request.
fn exchange(host: &HttpHost, request: &str) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(&host.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap().to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head, answer[end + 4..].to_vec())
}

fn words(entries: &Value) -> Vec<String> {
    let word = |entry: &Value| format!("{} {}", entry["word"].as_str().unwrap(), entry["call"].as_str().unwrap());
    entries.as_array().unwrap().iter().map(word).collect()
}

#[test]
fn what_agents_did_is_told_from_the_refused_calls_on() {
    let (fixture, host) = start(&CALLS);
    let start = get(&host, "start");
    assert_eq!(
        words(&start["refused"]),
        [format!("denied {HOSTILE}"), "denied crash".into(), "denied mkfs /dev/sda".into()]
    );
    let refused = &start["refused"][2];
    let shown = ["who", "hook", "reason", "can_allow"].map(|field| refused[field].clone());
    assert_eq!(json!(shown), json!(["Claude Code", "guard", "disks are not formatted here", true]));
    assert_eq!(words(&start["waiting"]), ["asked deploy now"]);
    assert_eq!(
        start["agents"],
        json!([{"name": "claude", "title": "Claude Code"}, {"name": "codex", "title": "Codex"}])
    );
    // It may be midnight.
    let sum = |field: &str| ["today", "yesterday"].iter().filter_map(|day| start[day][field].as_u64()).sum::<u64>();
    assert_eq!(["total", "denied", "asked", "rewritten", "failed"].map(sum), [6, 3, 1, 1, 1]);
    assert_eq!((&start["earlier"], &start["unreadable"]), (&json!([]), &json!([])));
    // Sessions, the newest first, and the events of one.
    let sessions = get(&host, "sessions");
    let of = |session: &Value| json!([session["session"], session["who"], session["counts"]["denied"]]);
    let listed: Vec<Value> = sessions["sessions"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(listed, [json!(["c1", "Claude Code", 2]), json!(["c2", "Codex", 1])]);
    let key = sessions["sessions"][0]["key"].as_str().unwrap();
    let session = get(&host, &format!("session?id={key}"));
    let tool_calls = session["events"].as_array().unwrap().iter().filter(|event| event["event"] == "tool.pre");
    let hooks: Vec<Value> = tool_calls.map(|event| json!([event["call"], event["hooks"][0]["word"]])).collect();
    let expected = json!([
        ["ls -la", "pass"],
        ["mkfs /dev/sda", "deny"],
        ["fetch x --timeout 10", "rewrite"],
        ["crash", "failed"],
        ["deploy now", "ask"]
    ]);
    assert_eq!(json!(hooks), expected);
    let around = get(&host, &format!("session?id={key}.{}", refused["seq"]));
    assert_eq!(around["events"], session["events"]);
    assert_eq!(get(&host, &format!("session?id={key}&skip=9999"))["events"], json!([]));
    // One decision, with what a hook changed.
    let changed = get(&host, "decisions?word=rewritten");
    let decision = get(&host, &format!("decision?id={}", changed["entries"][0]["long_id"].as_str().unwrap()));
    assert_eq!(
        decision["changes"],
        json!([{"field": "args.command", "before": "fetch x", "after": "fetch x --timeout 10"}])
    );
    assert_eq!(decision["payload"]["args"]["command"], "fetch x");
    assert_eq!(decision["changed_payload"]["args"]["command"], "fetch x --timeout 10");
    let guard = fixture.path("config/hooks/guard.md");
    assert_eq!(decision["hooks"][0]["path"], json!(fs::canonicalize(guard).unwrap()));
    // Charts and coverage.
    let charts = get(&host, "charts?days=7");
    let denied = |charts: &Value| -> Vec<u64> {
        charts["days"].as_array().unwrap().iter().filter_map(|day| day["denied"].as_u64()).collect()
    };
    assert_eq!((denied(&charts).len(), denied(&charts).iter().sum::<u64>()), (7, 3));
    assert_eq!(json!([charts["rules"][0]["name"], charts["rules"][0]["denied"]]), json!(["guard", 3]));
    assert_eq!(json!([charts["agents"][0]["agent"], charts["agents"][1]["name"]]), json!(["claude", "Codex"]));
    assert_eq!(denied(&get(&host, "charts?days=7&agent=codex")).iter().sum::<u64>(), 1);
    let coverage = get(&host, "coverage");
    let called = json!({"ask": 1, "deny": 2, "failed": 1, "pass": 1, "rewrite": 1});
    assert_eq!(coverage["events"]["tool.pre"]["Bash"], json!({"fired": 6, "hooks": {"guard": called}}));
    // What happens now is told, too.
    call_tool(&fixture, "claude", "c3", "mkfs now");
    let is_told = || words(&get(&host, "start")["refused"])[0] == "denied mkfs now";
    assert!(std::iter::repeat_with(is_told).take(100_000).any(|is_told| is_told));
}

#[test]
fn each_parameter_selects_decisions() {
    let (fixture, host) = start(&CALLS);
    let project = fs::canonicalize(fixture.path("project")).unwrap();
    let all = [
        String::from("asked deploy now"),
        format!("denied {HOSTILE}"),
        String::from("denied crash"),
        String::from("rewritten fetch x --timeout 10"),
        String::from("denied mkfs /dev/sda"),
        String::from("allowed ls -la"),
    ];
    let project_value = format!("project={}", project.display());
    let cases: [(&str, &[usize]); 22] = [
        ("", &[0, 1, 2, 3, 4, 5]),
        ("word=denied", &[1, 2, 4]),
        ("word=asked&word=rewritten", &[0, 3]),
        ("word=failed", &[2]),
        ("agent=codex", &[1]),
        ("agent=pintle", &[]),
        ("agent=pintle&agent=claude", &[0, 2, 3, 4, 5]),
        ("rule=guard", &[0, 1, 2, 3, 4]),
        ("rule=git", &[]),
        (&project_value, &[0, 1, 2, 3, 4, 5]),
        ("project=/nowhere", &[]),
        ("q=MKFS", &[1, 4]),
        ("q=a+person", &[0]),
        ("q=tool.pre&word=asked", &[0]),
        // What the index stores is more than what is shown of it.
        ("q=duration_us", &[]),
        ("q=%25", &[1]),
        ("q=%25_%5C%22", &[1]),
        ("q=%1B%5B2J", &[1]),
        ("q=x%25x", &[]),
        ("q=%C3%A9", &[1]),
        ("from=yesterday", &[0, 1, 2, 3, 4, 5]),
        ("to=2000-01-01", &[]),
    ];
    for (parameters, wanted) in cases {
        let wanted: Vec<String> = wanted.iter().map(|index| all[*index].clone()).collect();
        assert_eq!(words(&get(&host, &format!("decisions?{parameters}"))["entries"]), wanted, "{parameters}");
    }
    for (parameters, wanted) in [("q=crash", 1), ("q=nothing+like+it", 0), ("agent=codex", 1), ("from=2100-01-01", 0)] {
        let found = get(&host, &format!("sessions?{parameters}"));
        assert_eq!(found["sessions"].as_array().unwrap().len(), wanted, "{parameters}");
    }
    for wrong in
        ["words=denied", "word=refused", "from=someday", "skip=-1", "days=x", "before=x", "q=1&path=/etc/passwd"]
    {
        assert_eq!(host.send(&format!("GET /api/decisions?{wrong}"), &[], "").0, 400, "{wrong}");
    }
    let long = "x".repeat(1_001);
    assert_eq!(host.send(&format!("GET /api/decisions?q={long}"), &[], "").0, 400);
    assert_eq!(host.send(&format!("GET /api/decisions?q={long}{long}{long}{long}"), &[], "").0, 414);
}

#[test]
fn pages_of_decisions_have_each_of_them_once() {
    let (fixture, host) = start(&[("claude", "c1", "mkfs 0")]);
    // The calls of a session, all in the same millisecond.
    let tape = fixture.path("state/bridge/claude/c1/tape.jsonl");
    let text = fs::read_to_string(&tape).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let start = lines.iter().position(|line| line["event"] == "tool.pre").unwrap();
    let end = lines.iter().position(|line| line["kind"] == "outcome").unwrap();
    let mut written: Vec<Value> = lines[..start].to_vec();
    for call in 1..=120 {
        for line in &lines[start..=end] {
            let mut line = line.clone();
            line["dispatch"] = json!(call);
            line["seq"] = json!(written.len());
            line["at_ms"] = lines[start]["at_ms"].clone();
            if line["kind"] == "event" {
                line["payload"]["args"]["command"] = json!(format!("mkfs {call}"));
            }
            written.push(line);
        }
    }
    let written: String = written.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&tape, written).unwrap();
    let (mut calls, mut before) = (Vec::new(), String::new());
    loop {
        let page = get(&host, &format!("decisions?before={before}"));
        let entries = page["entries"].as_array().unwrap();
        assert!(entries.len() <= 50);
        calls.extend(entries.iter().map(|entry| entry["call"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut before),
            None if calls.len() > 1 => break,
            // The tapes were looked at before this one was written.
            None => calls.clear(),
        }
    }
    let expected: Vec<String> = (1..=120).rev().map(|call| format!("mkfs {call}")).collect();
    assert_eq!(calls, expected);
}

#[test]
fn data_is_for_who_has_the_token() {
    let (_fixture, host) = start(&CALLS[..2]);
    let right = format!("Bearer {}", host.token);
    let short = &right[..right.len() - 1];
    for path in
        ["start", "decisions", "sessions", "session?id=x", "decision?id=x.1", "charts", "coverage", "token", "x"]
    {
        for wrong in ["", "Bearer", "Bearer ", short, &host.token, "Bearer x"] {
            let (status, answer) = host.send(&format!("GET /api/{path}"), &[("Authorization", wrong)], "");
            assert_eq!(status, 401, "{path} {wrong}");
            assert!(!answer.to_string().contains("mkfs"));
        }
    }
    // The token is not the ticket of the link that opens a browser, and is in no address.
    assert_eq!(host.send("GET /api/token", &[], "").0, 401);
    let token = &host.token;
    assert_eq!(host.send(&format!("GET /api/start?token={token}"), &[("Authorization", "")], "").0, 401);
    let cookie = format!("pintle-token={token}");
    assert_eq!(host.send("GET /api/start", &[("Authorization", ""), ("Cookie", &cookie)], "").0, 401);
}

#[test]
fn only_the_page_itself_is_answered() {
    let (_fixture, host) = start(&CALLS[..2]);
    let own = format!("http://{}", host.address);
    let port = host.address.rsplit_once(':').unwrap().1.to_owned();
    let cases = [
        ("Host", "example.com", 403),
        ("Host", "127.0.0.1.example.com", 403),
        ("Host", "10.0.0.1", 403),
        ("Host", &format!("localhost:{port}"), 200),
        ("Origin", &own, 200),
        ("Origin", "http://localhost:3000", 403),
        ("Origin", "https://example.com", 403),
        ("Origin", "null", 403),
        ("Sec-Fetch-Site", "same-origin", 200),
        ("Sec-Fetch-Site", "same-site", 403),
        ("Sec-Fetch-Site", "cross-site", 403),
        ("Sec-Fetch-Site", "none", 403),
    ];
    for (name, value, wanted) in cases {
        assert_eq!(host.send("GET /api/start", &[(name, value)], "").0, wanted, "{name}: {value}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
        for path in ["/api/start", "/"] {
            assert_eq!(host.send(&format!("{method} {path}"), &[], "").0, 405, "{method} {path}");
        }
    }
    assert_eq!(host.send("GET /api/start", &[], "a body").0, 400);
    assert_eq!(host.send("GET http://example.com/api/start", &[], "").0, 403);
    for path in [
        "/etc/passwd",
        "/../Cargo.toml",
        "/page/view.js",
        "/view.js/",
        "//view.js",
        "/index.html",
        "/?x",
        "/api",
        "/%2e",
    ] {
        assert_eq!(host.send(&format!("GET {path}"), &[], "").0, 404, "{path}");
    }
    for id in ["", "x", "x.y", "../../etc/passwd.1", "0000000000000000.1", "%00.1"] {
        for name in ["session", "decision"] {
            assert_eq!(host.send(&format!("GET /api/{name}?id={id}"), &[], "").0, 404, "{name} {id}");
        }
    }
}

#[test]
fn every_answer_keeps_the_browser_to_the_page() {
    let (_fixture, mut host) = start(&CALLS[..2]);
    let (address, token) = (host.address.clone(), host.token.clone());
    let send = |method: &str, path: &str, token: &str| {
        let head = format!("Host: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n");
        exchange(&host, &format!("{method} {path} HTTP/1.1\r\n{head}"))
    };
    for (path, media_type) in [
        ("/", "text/html"),
        ("/view.js", "text/javascript"),
        ("/entries.js", "text/javascript"),
        ("/charts.js", "text/javascript"),
        ("/elements.js", "text/javascript"),
        ("/requests.js", "text/javascript"),
        ("/view.css", "text/css"),
        ("/icon.svg", "image/svg+xml"),
        ("/api/start", "application/json"),
        ("/api/x", "application/json"),
        ("/nowhere", "application/json"),
    ] {
        let (_, head, body) = send("GET", path, &token);
        for part in [
            media_type,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'",
            "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(part), "{path} has no `{part}`: {head}");
        }
        assert!(!head.contains("set-cookie") && !head.contains("access-control"), "{head}");
        let (_, head_only, nothing) = send("HEAD", path, &token);
        assert!(nothing.is_empty() && !body.is_empty());
        let length = |head: &str| head.lines().find(|line| line.starts_with("content-length")).map(str::to_owned);
        assert_eq!(length(&head), length(&head_only));
    }
    assert!(send("GET", "/api/start", "x").1.contains("www-authenticate: bearer"));
    assert!(send("POST", "/", &token).1.contains("allow: get, head"));
    assert_eq!(host.terminate(), Some(0));
    assert!(!host.token_file.exists());
}
