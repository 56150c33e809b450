//! Tests MCP servers that are programs.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use pintle_contract::{CancelToken, McpSpec, McpTransport};
use pintle_handlers::WorkerProgram;
use pintle_handlers::mcp::{McpLimits, McpServer, McpTool};
use serde_json::json;

/// A server written in shell. The name of a tool is what it does.
const SERVER: &str = r#"
echo start >> starts
sleep 1000 &
echo $! > child
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
text() { say '{"content":[{"type":"text","text":"'"$1"'"}]}'; }
tool() { printf '{"name":"%s","description":"does %s","inputSchema":{"type":"object","properties":{"n":{"type":"number","minimum":0.5}}}%s}' "$1" "$1" "$2"; }
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) echo 'some noise that is no message'; say '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"},"instructions":"Be kind."}';;
    *'"notifications/cancelled"'*) echo "$line" >> cancelled;;
    *'"notifications/'*) ;;
    *'"tools/list"'*'"cursor":"2"'*) say "{\"tools\":[$(tool look ',"annotations":{"readOnlyHint":true}')$(if [ -f grown ]; then printf ,; tool more; fi)]}";;
    *'"tools/list"'*) say "{\"tools\":[$(tool echo)],\"nextCursor\":\"2\"}";;
    *'"name":"echo"'*) text "$(printf %s "$line" | sed 's/.*"arguments":\({[^}]*}\).*/\1/; s/"/./g')";;
    *'"name":"fail"'*) say '{"content":[{"type":"text","text":"it went wrong"}],"isError":true}';;
    *'"name":"refuse"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such thing"}}\n' "$id";;
    *'"name":"odd"'*) say '{"content":[{"type":"text","text":"odd","annotations":{"priority":0.25}}]}';;
    *'"name":"garbage"'*) printf '{{{\n\n[1]\n"x"\n\377\376\n'; text fine;;
    *'"name":"large"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"; yes aaaaaaaaa | head -c 2000000 | tr -d '\n'; echo '"}]}}';;
    *'"name":"die"'*) echo 'the disk is full' >&2; exit 3;;
    *'"name":"flood"'*) exec yes 'no message at all';;
    *'"name":"endless"'*) exec tr '\0' a < /dev/zero;;
    *'"name":"slow"'*) echo "$id" >> slowed;;
    *'"name":"grow"'*) : > grown; echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; text grown;;
  esac
done
"#;

fn mcp_spec(command: &str, arguments: &[&str]) -> McpSpec {
    McpSpec {
        name: String::from("fake"),
        transport: McpTransport::Stdio {
            command: command.to_owned(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            environment: Vec::new(),
            directory: None,
        },
    }
}

fn short_limits() -> McpLimits {
    McpLimits { pause_ms: 0, ..McpLimits::default() }
}

fn start_server(dir: &Path, limits: McpLimits) -> McpServer {
    McpServer::start(&mcp_spec("/bin/sh", &["-c", SERVER]), dir, limits, &CancelToken::default()).unwrap()
}

fn call_tool(server: &McpServer, tool: &str) -> Result<String, String> {
    server.call(tool, &json!({"n": 1}), 20_000, &CancelToken::default()).map_err(|error| error.to_string())
}

/// Waits until a condition holds.
fn wait_until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not come about");
        std::thread::yield_now();
    }
}

#[test]
fn tools_are_told_in_pages_and_called() {
    let dir = tempfile::tempdir().unwrap();
    let server = start_server(dir.path(), short_limits());
    let schema = json!({"type": "object", "properties": {"n": {"type": "number", "minimum": 0.5}}});
    let tool = |name: &str, read_only: bool| McpTool {
        name: name.to_owned(),
        description: format!("does {name}"),
        schema: schema.clone(),
        read_only,
    };
    assert_eq!(server.tools(), [tool("echo", false), tool("look", true)]);
    assert_eq!(server.instructions().as_deref(), Some("Be kind."));
    let cases = [
        ("echo", Ok("{.n.:1}")),
        ("fail", Err("it went wrong")),
        ("refuse", Err("MCP server `fake`: no such thing")),
        ("odd", Ok("odd")),
        ("garbage", Ok("fine")),
        ("echo", Ok("{.n.:1}")),
    ];
    for (name, expected) in cases {
        let answer = call_tool(&server, name);
        assert_eq!(answer.as_deref().map_err(String::as_str), expected, "{name}");
    }
}

#[test]
fn a_large_result_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let server = start_server(dir.path(), McpLimits { result_bytes: 1_000, ..short_limits() });
    let text = call_tool(&server, "large").unwrap();
    assert!(text.len() < 1_100 && text.ends_with("more than 1000]"), "{}", text.len());
}

#[test]
fn slow_or_cancelled_call_ends_and_the_server_survives() {
    let dir = tempfile::tempdir().unwrap();
    let server = start_server(dir.path(), short_limits());
    let slow = server.call("slow", &json!({}), 200, &CancelToken::default());
    assert_eq!(slow.unwrap_err().to_string(), "MCP server `fake`: the call took longer than 200 ms");
    let lines = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap_or_default().lines().count();
    let cancel = CancelToken::default();
    std::thread::scope(|threads| {
        let asked = threads.spawn(|| server.call("slow", &json!({}), 60_000, &cancel));
        wait_until(|| lines("slowed") == 2);
        cancel.cancel();
        assert_eq!(asked.join().unwrap().unwrap_err().to_string(), "MCP server `fake`: cancelled");
    });
    wait_until(|| lines("cancelled") == 2);
    assert_eq!(call_tool(&server, "echo").unwrap(), "{.n.:1}");
    assert_eq!(fs::read_to_string(dir.path().join("starts")).unwrap(), "start\n");
}

#[test]
fn a_server_that_dies_fails_its_call_and_is_started_again_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let server = start_server(dir.path(), short_limits());
    let died = call_tool(&server, "die").unwrap_err();
    assert!(died.starts_with("MCP server `fake` stopped during this call: "), "{died}");
    assert_eq!(call_tool(&server, "echo").unwrap(), "{.n.:1}");
    assert_eq!(fs::read_to_string(dir.path().join("starts")).unwrap(), "start\nstart\n");
    let resting = start_server(dir.path(), McpLimits { pause_ms: 60_000, ..short_limits() });
    call_tool(&resting, "die").unwrap_err();
    let refused = call_tool(&resting, "echo").unwrap_err();
    assert!(refused.starts_with("MCP server `fake` stopped and will be restarted in "), "{refused}");
    assert_eq!(fs::read_to_string(dir.path().join("starts")).unwrap().lines().count(), 3);
}

#[test]
fn a_flood_or_an_endless_message_costs_the_call_and_nothing_else() {
    for tool in ["flood", "endless"] {
        let dir = tempfile::tempdir().unwrap();
        let server = start_server(dir.path(), short_limits());
        let error = server.call(tool, &json!({}), 500, &CancelToken::default()).unwrap_err().to_string();
        assert!(
            error.contains("the call took longer than 500 ms") || error.contains("stopped during this call"),
            "{tool}: {error}"
        );
    }
}

#[test]
fn changed_tools_are_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let server = start_server(dir.path(), short_limits());
    assert!(!server.has_changed());
    assert_eq!(call_tool(&server, "grow").unwrap(), "grown");
    let names = || server.tools().into_iter().map(|tool| tool.name).collect::<Vec<_>>();
    // The change notification came before the response, but is handled concurrently.
    wait_until(|| names() == ["echo", "look", "more"]);
    assert!(!server.has_changed());
}

#[test]
fn nothing_of_a_server_outlives_it() {
    let dir = tempfile::tempdir().unwrap();
    let server = start_server(dir.path(), short_limits());
    let child = fs::read_to_string(dir.path().join("child")).unwrap().trim().to_owned();
    let is_alive = || {
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        // A process that was not reaped yet is dead as well.
        !stat.is_empty() && !stat.contains(") Z ")
    };
    assert!(is_alive());
    drop(server);
    // It was killed; the system may still be ending it.
    wait_until(|| !is_alive());
}

/// A server that sends nothing at all, and a process that left its process group.
const SILENT: &str = "setsid sh -c 'echo $$ > far; exec sleep 1000' & echo $$ > near; exec sleep 1000";

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_hangs_at_its_start_is_gone_when_it_is_given_up() {
    let worker = env!("CARGO_BIN_EXE_pintle-script-worker").into();
    pintle_handlers::process::enable_launchers(&WorkerProgram { program: worker, arguments: Vec::new() });
    let dir = tempfile::tempdir().unwrap();
    let short = McpLimits { start_ms: 2_000, ..short_limits() };
    let error = McpServer::start(&mcp_spec("/bin/sh", &["-c", SILENT]), dir.path(), short, &CancelToken::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("took longer"), "{error}");
    for name in ["near", "far"] {
        let number = fs::read_to_string(dir.path().join(name)).unwrap().trim().to_owned();
        wait_until(|| {
            let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ")
        });
    }
}

#[test]
fn a_server_sees_its_own_variables_and_those_that_all_programs_need() {
    let dir = tempfile::tempdir().unwrap();
    let mut own = mcp_spec("/bin/sh", &["-c", &format!("env > seen\n{SERVER}")]);
    if let McpTransport::Stdio { environment, .. } = &mut own.transport {
        environment.push((String::from("OWN_TOKEN"), String::from("given")));
    }
    let _server = McpServer::start(&own, dir.path(), short_limits(), &CancelToken::default()).unwrap();
    let seen = fs::read_to_string(dir.path().join("seen")).unwrap();
    let names: Vec<&str> = seen.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    assert!(names.contains(&"OWN_TOKEN") && names.contains(&"PATH"), "{names:?}");
    // This process has cargo's variables.
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO_PKG_")));
    assert!(!names.iter().any(|name| name.starts_with("CARGO_")), "{names:?}");
}

#[test]
fn what_does_not_speak_the_protocol_is_no_server() {
    let dir = tempfile::tempdir().unwrap();
    let start = |command: &str, arguments: &[&str], limits: McpLimits| {
        McpServer::start(&mcp_spec(command, arguments), dir.path(), limits, &CancelToken::default())
            .unwrap_err()
            .to_string()
    };
    let begins = "MCP server `fake` cannot be started: ";
    let short = McpLimits { start_ms: 300, ..short_limits() };
    let cases = [
        (start("pintle-no-such-program", &[], short_limits()), "program `pintle-no-such-program` not found"),
        (start("/bin/sh", &["-c", "exec sleep 1000"], short), "it took longer than 300 ms"),
        (start("/bin/sh", &["-c", "echo hello; cat"], short), "it took longer than 300 ms"),
        (start("/bin/sh", &["-c", "echo no key >&2; exit 1"], short_limits()), "no key"),
        (start("/bin/echo", &["hello"], short_limits()), ""),
    ];
    for (error, part) in cases {
        assert!(error.starts_with(begins) && error.contains(part) && !error.contains('\n'), "{part}: {error}");
    }
    let cancel = CancelToken::default();
    cancel.cancel();
    let error =
        McpServer::start(&mcp_spec("sleep", &["1000"]), dir.path(), short_limits(), &cancel).unwrap_err().to_string();
    assert_eq!(error, format!("{begins}cancelled"));
}
