//! Telemetry of tapes, received by an endpoint that decodes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::{decisions_of, fleet_command, make_tape, output_text, push_line, write_file, write_lines};
use crate::otlp_server::{OtlpMode, OtlpReceived, OtlpServer, texts, value_text};

/// A machine with tapes and settings.
struct TracedMachine {
    dir: TempDir,
    server: OtlpServer,
}

impl TracedMachine {
    fn new() -> Self {
        let machine = Self { dir: tempfile::tempdir().unwrap(), server: OtlpServer::start() };
        machine.configure("");
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes the settings, with more keys of `telemetry`.
    fn configure(&self, more: &str) {
        write_file(&self.path("config/config.yaml"), format!("telemetry: {{otlp: '{}'{more}}}\n", self.server.url));
    }

    fn host_tape(&self, name: &str) -> PathBuf {
        self.path("state/bridge/claude").join(name).join("tape.jsonl")
    }

    fn own_tape(&self, name: &str) -> PathBuf {
        self.path("home/.pintle/tapes").join(format!("{name}.jsonl"))
    }

    fn command(&self) -> Command {
        let mut command = fleet_command();
        command.args(["telemetry", "--once", "--config-dir"]).arg(self.path("config"));
        command.arg("--state-dir").arg(self.path("state")).arg("--directory").arg(self.path("home"));
        command.env_remove("PINTLE_OTLP_HEADERS").env("PINTLE_MANAGED_DIR", self.path("managed"));
        command
    }

    fn send(&self) -> Output {
        self.command().output().unwrap()
    }

    /// Sends what there is, all of which must be accepted.
    fn send_all(&self) -> (OtlpReceived, String) {
        let output = self.send();
        assert!(output.status.success(), "{output:?}");
        (self.server.take(), output_text(&output).trim().to_owned())
    }
}

/// A recorded session of Pintle's own loop.
fn recorded_session() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/tape/tests/tapes/lifecycle-hooks.jsonl");
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// A session of a host agent: a call with a result, one that a rule denies, one that Pintle denies without an event, one
/// that a killed process left without a note, and the end of the turn.
fn host_session() -> Vec<String> {
    let mut lines = make_tape("s", 0);
    let origin = |run: &str| {
        let mut origin = json!({"session": "s", "turn": 1, "agent": "root", "depth": 0});
        if !run.is_empty() {
            (origin["run"], origin["depth"], origin["agent"]) = (json!(run), json!(1), json!("helper"));
        }
        origin
    };
    let event = |lines: &mut Vec<String>, dispatch: u64, run: &str, name: &str, payload: Value| {
        let mut fired = json!({"origin": origin(run), "kind": "event", "dispatch": dispatch, "event": name});
        fired["passed"] = json!([{"call": 100 + dispatch, "hook": "pack:disk", "entry": 0, "duration_us": 250}]);
        fired["payload"] = payload;
        push_line(lines, fired);
    };
    let note = |lines: &mut Vec<String>, decision: &str, reason: &str, more: Value| {
        let mut data = json!({"host": "claude", "event": "PreToolUse", "decision": decision, "reason": reason});
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        push_line(lines, json!({"kind": "bridge", "data": data}));
    };
    let call = |id: &str, command: &str| json!({"id": id, "name": "Bash", "args": {"command": command}});
    event(&mut lines, 1, "", "prompt.submit", json!({"prompt": "tidy PRIVATE up"}));
    note(&mut lines, "allow", "", json!({}));
    event(&mut lines, 2, "", "tool.pre", call("c1", "ls PRIVATE"));
    note(&mut lines, "allow", "", json!({}));
    event(
        &mut lines,
        3,
        "",
        "tool.result",
        json!({"call_id": "c1", "name": "Bash", "content": "PRIVATE files", "is_error": true}),
    );
    note(&mut lines, "allow", "", json!({}));
    // A hook denies.
    push_line(
        &mut lines,
        json!({"origin": origin("a1"), "kind": "event", "dispatch": 4, "event": "tool.pre", "payload": call("c2", "rm PRIVATE")}),
    );
    push_line(
        &mut lines,
        json!({"kind": "hook_call", "dispatch": 4, "call": 1, "hook": "pack:git", "entry": 1, "round": 0, "payload": 0}),
    );
    push_line(
        &mut lines,
        json!({"kind": "hook_returned", "dispatch": 4, "call": 1, "hook": "pack:git", "duration_us": 400,
            "verdict": {"kind": "deny", "reason": "no [git.force-push]"}}),
    );
    push_line(
        &mut lines,
        json!({"kind": "outcome", "dispatch": 4, "event": "tool.pre", "decision": "deny", "approved": false,
            "rewritten": false, "payload": 0, "reasons": [{"hook": "pack:git", "text": "no [git.force-push]"}], "hooks_called": 1}),
    );
    note(&mut lines, "deny", "no [git.force-push]", json!({}));
    event(&mut lines, 5, "a1", "delegation.post", json!({}));
    note(&mut lines, "allow", "", json!({}));
    note(&mut lines, "deny", "the policy is broken", json!({"call": {"name": "Write", "args": {"path": "/PRIVATE"}}}));
    // The process of this call was killed while a hook ran that fails.
    push_line(
        &mut lines,
        json!({"origin": origin(""), "kind": "event", "dispatch": 6, "event": "tool.pre", "payload": call("c3", "PRIVATE")}),
    );
    push_line(
        &mut lines,
        json!({"kind": "hook_call", "dispatch": 6, "call": 2, "hook": "mine", "entry": 2, "round": 0, "payload": 0}),
    );
    push_line(
        &mut lines,
        json!({"kind": "hook_returned", "dispatch": 6, "call": 2, "hook": "mine", "duration_us": 900,
            "verdict": {"kind": "failed", "failure": {"kind": "crash", "message": "PRIVATE output"}}}),
    );
    event(&mut lines, 7, "", "turn.end", json!({"text": "PRIVATE done"}));
    note(&mut lines, "allow", "", json!({}));
    lines
}

#[test]
fn session_of_the_own_loop_becomes_spans_metrics_and_logs() {
    let machine = TracedMachine::new();
    let lines = recorded_session();
    write_lines(&machine.own_tape("s"), &lines);
    let (received, text) = machine.send_all();
    let [first, second] = ["invoke_agent root", "invoke_agent root"];
    let tree = received.tree();
    let expected = [
        String::from(first),
        String::from(second),
        format!("{first} > chat demo.yaml"),
        format!("{first} > chat demo.yaml"),
        format!("{first} > chat demo.yaml"),
        format!("{first} > chat demo.yaml"),
        format!("{first} > execute_tool exec_build"),
        format!("{first} > execute_tool fetch_page"),
        format!("{first} > execute_tool write"),
    ];
    let without_hooks: Vec<&String> = tree.iter().filter(|path| !path.contains("hook ")).collect();
    assert_eq!(without_hooks, expected.iter().collect::<Vec<_>>());
    let hooks: Vec<&String> = tree.iter().filter(|path| path.contains("hook ")).collect();
    let returned = lines.iter().filter(|line| line.contains("\"kind\":\"hook_returned\"")).count();
    let passed: usize =
        lines.iter().map(|line| line.matches("\"entry\":").count() * usize::from(line.contains("\"passed\":"))).sum();
    assert_eq!(hooks.len(), returned + passed);
    assert!(hooks.contains(&&format!("{first} > hook policy::reject_secrets")), "{hooks:?}");
    assert!(
        hooks.iter().any(|path| path.starts_with(&format!("{first} > execute_tool exec_build > hook "))),
        "{hooks:?}"
    );

    let spans = received.spans_by_id();
    let find = |name: &str| spans.values().filter(|span| span.name == name).collect::<Vec<_>>();
    let traces: std::collections::BTreeSet<_> =
        find("invoke_agent root").iter().map(|span| span.trace_id.clone()).collect();
    assert_eq!(traces.len(), 2, "a turn is a trace");
    assert!(spans.values().all(|span| span.trace_id.len() == 16 && span.span_id.len() == 8));
    let mut chats = find("chat demo.yaml");
    chats.sort_by_key(|span| span.start_time_unix_nano);
    let chat = texts(&chats[0].attributes);
    assert_eq!(chats[0].kind, SpanKind::Client as i32);
    for (key, value) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.request.model", "demo.yaml"),
        ("gen_ai.agent.name", "root"),
        ("gen_ai.conversation.id", "20261123-033526-948"),
        ("gen_ai.usage.input_tokens", "40"),
        ("gen_ai.usage.output_tokens", "14"),
        ("gen_ai.response.finish_reasons", "tool_calls"),
    ] {
        assert_eq!(chat[key], value, "{chat:?}");
    }
    let fetch = find("execute_tool fetch_page")[0];
    let attributes = texts(&fetch.attributes);
    assert_eq!(attributes["gen_ai.tool.call.id"], "call_root_1_1");
    assert_eq!(attributes["pintle.tool.call.arguments.size"], "16", "{attributes:?}");
    assert!(fetch.status.is_none());
    let build = find("execute_tool exec_build")[0];
    assert_eq!((texts(&build.attributes)["error.type"].as_str(), build.status.as_ref().unwrap().code), ("denied", 2));
    let turns: BTreeMap<String, Option<String>> = find("invoke_agent root")
        .into_iter()
        .map(|span| texts(&span.attributes))
        .map(|attributes| (attributes["pintle.turn"].clone(), attributes.get("gen_ai.usage.input_tokens").cloned()))
        .collect();
    assert_eq!(turns["1"].as_deref(), Some("808"));

    let logs = received.logs_by_id();
    let mut bodies: Vec<String> = logs.values().map(|log| value_text(log.body.as_ref())).collect();
    bodies.sort();
    assert_eq!(bodies.len(), decisions_of(&lines).len());
    assert!(bodies.contains(&String::from("allowed  root  fetch_page")), "{bodies:?}");
    let denied =
        logs.values().find(|log| value_text(log.body.as_ref()).starts_with("denied  root  exec_build")).unwrap();
    assert_eq!((denied.severity_text.as_str(), denied.event_name.as_str()), ("WARN", "pintle.decision"));
    assert_eq!((&denied.trace_id, &denied.span_id), (&build.trace_id, &build.span_id));
    let attributes = texts(&denied.attributes);
    for (key, value) in [
        ("pintle.verdict", "denied"),
        ("pintle.event.name", "tool.pre"),
        ("gen_ai.tool.name", "exec_build"),
        ("gen_ai.agent.name", "root"),
        ("pintle.reason", "exec is gated"),
    ] {
        assert_eq!(attributes[key], value, "{attributes:?}");
    }
    assert!(attributes.contains_key("pintle.hook.name"));

    let calls = received.counts("pintle.hook.calls");
    assert_eq!(calls.values().sum::<u64>(), hooks.len() as u64);
    assert_eq!(received.counts("pintle.hook.duration").values().sum::<u64>(), hooks.len() as u64);
    assert_eq!(received.counts("gen_ai.client.operation.duration").values().sum::<u64>(), 4);
    assert_eq!(received.counts("gen_ai.execute_tool.duration").len(), 2, "what was denied did not run");
    assert_eq!(received.counts("gen_ai.invoke_agent.duration").values().sum::<u64>(), 2);
    let units: BTreeMap<&str, &str> =
        received.metrics.iter().map(|metric| (metric.name.as_str(), metric.unit.as_str())).collect();
    assert_eq!((units["pintle.hook.calls"], units["pintle.hook.duration"]), ("{call}", "s"));
    assert_eq!(
        (received.resource["service.name"].as_str(), received.resource["service.version"].as_str()),
        ("pintle", "0.1.0")
    );
    assert!(received.resource.contains_key("host.name"));

    assert_eq!(text, format!("sent {} spans and {} decisions of 1 tapes", spans.len(), logs.len()));
    for secret in ["front page", "\"page\"", "was the secret", "gated.", "notes.md", "lifecycle-hooks"] {
        assert!(!String::from_utf8_lossy(&received.bytes).contains(secret), "content: {secret}");
    }
    let (again, text) = machine.send_all();
    assert_eq!(text, "sent 0 spans and 0 decisions of 0 tapes");
    assert_eq!(again.counts("pintle.hook.calls"), calls, "the totals are sent again, and are the same");
}

#[test]
fn session_of_a_host_agent_is_told_as_the_agent_was_answered() {
    let machine = TracedMachine::new();
    write_lines(&machine.host_tape("s"), &host_session());
    let (received, _) = machine.send_all();
    let turn = "invoke_agent claude";
    let expected = [
        String::from(turn),
        format!("{turn} > execute_tool Bash"),
        format!("{turn} > execute_tool Bash"),
        format!("{turn} > execute_tool Bash > hook mine"),
        format!("{turn} > execute_tool Bash > hook pack:disk"),
        format!("{turn} > execute_tool Bash > hook pack:disk"),
        format!("{turn} > hook pack:disk"),
        format!("{turn} > hook pack:disk"),
        format!("{turn} > invoke_agent helper"),
        format!("{turn} > invoke_agent helper > execute_tool Bash"),
        format!("{turn} > invoke_agent helper > execute_tool Bash > hook pack:git"),
        format!("{turn} > invoke_agent helper > hook pack:disk"),
    ];
    assert_eq!(received.tree(), expected);
    let mut errors: Vec<(String, String)> = received
        .spans_by_id()
        .values()
        .map(|span| texts(&span.attributes))
        .filter_map(|of| {
            Some((of.get("gen_ai.tool.call.id").or(of.get("pintle.hook.name"))?.clone(), of.get("error.type")?.clone()))
        })
        .collect();
    errors.sort();
    let expected = [("c1", "tool_error"), ("c2", "denied"), ("c3", "unfinished"), ("mine", "crash")];
    assert_eq!(errors, expected.map(|(name, error)| (name.to_owned(), error.to_owned())));
    let mut logs: Vec<_> = received.logs_by_id().into_values().collect();
    logs.sort_by_key(|log| log.time_unix_nano);
    let bodies: Vec<String> = logs.iter().map(|log| value_text(log.body.as_ref())).collect();
    assert_eq!(
        bodies,
        [
            "allowed  claude  Bash",
            "denied  claude  Bash  git.force-push: no",
            "denied  claude  Write  the policy is broken",
            "undecided  claude  Bash",
        ]
    );
    assert_eq!(texts(&logs[1].attributes)["pintle.rule"], "git.force-push");
    let calls = received.counts("pintle.hook.calls");
    let key = |hook: &str, event: &str, verdict: &str| format!("{event} {hook} {verdict}");
    assert_eq!(calls[&key("pack:git", "tool.pre", "deny")], 1, "{calls:?}");
    assert_eq!(calls[&key("mine", "tool.pre", "failed")], 1);
    assert_eq!(calls[&key("pack:disk", "tool.result", "pass")], 1);
    assert!(!String::from_utf8_lossy(&received.bytes).contains("PRIVATE"), "no content unless the user says so");
}

#[test]
fn what_went_wrong_in_the_own_loop_is_told_without_content() {
    let machine = TracedMachine::new();
    let mut lines = make_tape("s", 0);
    let push = |lines: &mut Vec<String>, turn: u32, mut fields: Value| {
        let mut record = json!({"origin": {"session": "s", "turn": turn, "agent": "root", "depth": 0}});
        record.as_object_mut().unwrap().append(fields.as_object_mut().unwrap());
        push_line(lines, record);
    };
    let request = |number: u32| json!({"kind": "model_request", "conversation": "", "request": number, "model": "openai/gpt", "payload": {}});
    push(&mut lines, 1, json!({"kind": "turn", "phase": "start"}));
    // The hooks allow a call, and then the user does not.
    let call = json!({"id": "c1", "name": "Bash", "args": {"command": "PRIVATE"}});
    push(
        &mut lines,
        1,
        json!({"kind": "event", "dispatch": 1, "event": "tool.pre", "no_hooks": true, "payload": call}),
    );
    push(
        &mut lines,
        1,
        json!({"kind": "approval", "id": "c1", "digest": "", "reasons": [], "answer": "refused", "approver": "ada"}),
    );
    push(
        &mut lines,
        1,
        json!({"kind": "message", "conversation": "", "message": {"role": "tool", "content": "PRIVATE", "tool_call_id": "c1"}}),
    );
    push(&mut lines, 1, request(1));
    push(
        &mut lines,
        1,
        json!({"kind": "model_reply", "request": 1, "duration_us": 2_500_000, "error": {"kind": "overloaded", "message": "PRIVATE is too long"}}),
    );
    push(&mut lines, 1, json!({"kind": "turn", "phase": "end", "end_reason": "the model said PRIVATE"}));
    // The program is killed during the next turn, and the session is resumed.
    push(&mut lines, 2, json!({"kind": "turn", "phase": "start"}));
    push(&mut lines, 2, request(2));
    let line = lines.len() + 1;
    push_line(&mut lines, json!({"kind": "repaired", "line": line, "size_bytes": 3}));
    write_lines(&machine.own_tape("s"), &lines);
    let (received, _) = machine.send_all();
    let mut found: Vec<(String, String, u64)> = received
        .spans_by_id()
        .values()
        .map(|span| {
            let error = texts(&span.attributes).remove("error.type").unwrap_or_default();
            (span.name.clone(), error, (span.end_time_unix_nano - span.start_time_unix_nano) / 1_000_000_000)
        })
        .collect();
    found.sort();
    let expected = [
        ("chat openai/gpt", "overloaded", 2),
        ("chat openai/gpt", "unfinished", 0),
        ("execute_tool Bash", "denied", 0),
        ("invoke_agent root", "", 0),
        ("invoke_agent root", "failed", 0),
    ];
    assert_eq!(found, expected.map(|(name, error, seconds)| (name.to_owned(), error.to_owned(), seconds)));
    let bodies: Vec<String> = received.logs.iter().map(|log| value_text(log.body.as_ref())).collect();
    assert_eq!(bodies, ["denied  root  Bash  refused by the user"]);
    let chat = received.spans.iter().find(|span| span.name == "chat openai/gpt").unwrap();
    assert_eq!(texts(&chat.attributes)["gen_ai.provider.name"], "openai");
    assert!(!String::from_utf8_lossy(&received.bytes).contains("PRIVATE"));
}

#[test]
fn content_is_sent_if_the_user_says_so() {
    let machine = TracedMachine::new();
    machine.configure(", content: true");
    write_lines(&machine.host_tape("s"), &host_session());
    write_file(
        &machine.host_tape("s").with_file_name("state.json"),
        format!("{}\n", json!({"version": 1, "facts": {"project": "/home/ada/project"}})),
    );
    let (received, _) = machine.send_all();
    let spans = received.spans_by_id();
    let all: Vec<BTreeMap<String, String>> = spans.values().map(|span| texts(&span.attributes)).collect();
    let of_call = all.iter().find(|of| of.get("gen_ai.tool.call.id").is_some_and(|id| id == "c1")).unwrap();
    assert_eq!(of_call["gen_ai.tool.call.arguments"], r#"{"command":"ls PRIVATE"}"#);
    assert_eq!(of_call["gen_ai.tool.call.result"], "PRIVATE files");
    assert!(all.iter().any(|of| of.get("gen_ai.input.messages").is_some_and(|text| text.contains("tidy PRIVATE up"))));
    let failed = spans.values().find(|span| span.name == "hook mine").unwrap();
    assert_eq!(failed.status.as_ref().unwrap().message, "PRIVATE output");
    let log = received.logs_by_id().into_values().find(|log| value_text(log.body.as_ref()).starts_with("allowed"));
    let log = log.unwrap();
    assert_eq!(value_text(log.body.as_ref()), "allowed  claude  Bash: ls PRIVATE");
    assert_eq!(texts(&log.attributes)["pintle.project"], "/home/ada/project");
    let machine = TracedMachine::new();
    machine.configure(", content: true");
    write_lines(&machine.own_tape("s"), &recorded_session());
    let (received, _) = machine.send_all();
    let sent = |key: &str, part: &str| {
        received.spans.iter().any(|span| texts(&span.attributes).get(key).is_some_and(|text| text.contains(part)))
    };
    assert!(sent("gen_ai.output.messages", "I will fetch the page first."));
    assert!(sent("gen_ai.input.messages", "Fetch the front page"));
    assert!(sent("gen_ai.tool.call.arguments", r#"{"page":"front"}"#));
}

#[test]
fn tape_that_grows_is_sent_as_if_it_were_sent_at_once() {
    for (name, lines) in [("own", recorded_session()), ("host", host_session())] {
        let whole = TracedMachine::new();
        let path = |machine: &TracedMachine| if name == "own" { machine.own_tape("s") } else { machine.host_tape("s") };
        write_lines(&path(&whole), &lines);
        let (expected, _) = whole.send_all();
        let machine = TracedMachine::new();
        let mut grown = OtlpReceived::default();
        for count in 1..=lines.len() {
            // The line after it is torn.
            let torn = lines.get(count).map_or("", |line| &line[..line.len() / 2]);
            write_file(&path(&machine), lines[..count].join("\n") + "\n" + torn);
            let received = machine.send_all().0;
            grown.spans.extend(received.spans);
            grown.logs.extend(received.logs);
            if !received.metrics.is_empty() {
                grown.metrics = received.metrics;
            }
        }
        assert_eq!(grown.spans_by_id(), expected.spans_by_id(), "{name}");
        assert_eq!(grown.spans.len(), expected.spans.len(), "{name}: each is sent once");
        assert_eq!(grown.logs_by_id(), expected.logs_by_id(), "{name}");
        assert_eq!(grown.logs.len(), expected.logs.len(), "{name}: each is sent once");
        for metric in ["pintle.hook.calls", "pintle.hook.duration", "gen_ai.execute_tool.duration"] {
            assert_eq!(grown.counts(metric), expected.counts(metric), "{name} {metric}");
        }
    }
}

#[test]
fn endpoint_that_is_away_loses_nothing_and_counts_nothing_twice() {
    let machine = TracedMachine::new();
    write_lines(&machine.own_tape("s"), &recorded_session());
    write_lines(&machine.host_tape("s"), &host_session());
    let whole = TracedMachine::new();
    write_lines(&whole.own_tape("s"), &recorded_session());
    write_lines(&whole.host_tape("s"), &host_session());
    let (expected, _) = whole.send_all();
    let mut all = OtlpReceived::default();
    let page = |status, kind, text: &'static str| OtlpMode::Page(status, kind, text.as_bytes());
    for mode in [
        OtlpMode::FailAfter(0),
        page(200, "text/html", "<html>log in</html>"),
        page(200, "text/html", "\u{8}\u{1}"),
        page(302, "text/html", ""),
        page(404, "text/plain", "not found"),
        page(400, "text/html", "<html>plain HTTP to HTTPS</html>"),
        page(500, "application/x-protobuf", ""),
        OtlpMode::FailAfter(1),
        OtlpMode::FailAfter(2),
        OtlpMode::FailAfter(3),
        OtlpMode::FailAfter(4),
        // Without what was noted, all of it is sent again.
        OtlpMode::Accept,
    ] {
        if matches!(mode, OtlpMode::Accept) {
            assert!(machine.send().status.success());
            fs::remove_dir_all(machine.path("state/fleet")).unwrap();
        }
        machine.server.set_mode(mode.clone());
        let output = machine.command().args(["--failures", "2"]).output().unwrap();
        let text = output_text(&output);
        match mode {
            OtlpMode::Accept | OtlpMode::FailAfter(1..) => {}
            _ => {
                assert_eq!(output.status.code(), Some(1), "{text}");
                assert!(text.contains("does not accept telemetry") && text.contains("nothing is lost"), "{text}");
            }
        }
        let received = machine.server.take();
        all.spans.extend(received.spans);
        all.logs.extend(received.logs);
        if !received.metrics.is_empty() {
            all.metrics = received.metrics;
        }
    }
    assert_eq!(all.spans_by_id(), expected.spans_by_id());
    assert_eq!(all.logs_by_id(), expected.logs_by_id());
    assert!(all.spans.len() > expected.spans.len(), "some were sent again");
    assert_eq!(all.counts("pintle.hook.calls"), expected.counts("pintle.hook.calls"));
}

#[test]
fn killed_between_sending_and_noting_counts_each_record_once() {
    let machine = TracedMachine::new();
    write_lines(&machine.own_tape("s"), &recorded_session());
    let before = machine.path("state/fleet");
    machine.server.set_mode(OtlpMode::FailAfter(0));
    assert_eq!(machine.command().args(["--failures", "1"]).status().unwrap().code(), Some(1));
    let copy = machine.path("copy");
    let file = fs::read_dir(&before).unwrap().next().unwrap().unwrap().path();
    fs::copy(&file, &copy).unwrap();
    machine.server.set_mode(OtlpMode::Accept);
    let (first, _) = machine.send_all();
    // What was noted is what it was before.
    fs::copy(&copy, &file).unwrap();
    let (second, _) = machine.send_all();
    assert_eq!(first.spans_by_id(), second.spans_by_id());
    assert_eq!(first.counts("pintle.hook.calls"), second.counts("pintle.hook.calls"));
    assert_eq!(first.resource["service.instance.id"], second.resource["service.instance.id"], "the same series");
}

#[test]
fn what_the_endpoint_refuses_is_counted_and_said() {
    let machine = TracedMachine::new();
    write_lines(&machine.host_tape("s"), &host_session());
    machine.server.set_mode(OtlpMode::RefuseText("hook pack:git"));
    let output = machine.send();
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("sent 11 spans and 4 decisions") && text.contains("refused 1 items"), "{text}");
    assert!(text.contains("400 Bad Request: no"), "{text}");
    let received = machine.server.take();
    assert_eq!((received.spans.len(), received.spans_by_id().len()), (11, 11), "all others arrive, once");
    assert_eq!(received.counts("pintle.telemetry.dropped")["refused"], 1);
    machine.server.set_mode(OtlpMode::Accept);
    assert_eq!(machine.send_all().1, "sent 0 spans and 0 decisions of 0 tapes");

    let machine = TracedMachine::new();
    write_lines(&machine.host_tape("s"), &host_session());
    machine.server.set_mode(OtlpMode::AtMost(4_000));
    let (received, text) = machine.send_all();
    assert!(text.starts_with("sent 12 spans and 4 decisions"), "too large a request is sent in parts: {text}");
    assert_eq!(received.spans.len(), 12);

    let machine = TracedMachine::new();
    write_lines(&machine.host_tape("s"), &host_session());
    machine.server.set_mode(OtlpMode::Partial(5));
    let text = output_text(&machine.send());
    assert!(text.contains("refused 5 of 12 items: too old") && text.contains("sent 7 spans"), "{text}");
}

#[test]
fn session_that_is_deleted_before_it_was_sent_is_missed() {
    let machine = TracedMachine::new();
    write_lines(&machine.host_tape("gone"), &host_session());
    write_lines(&machine.own_tape("kept"), &recorded_session());
    machine.server.set_mode(OtlpMode::FailAfter(0));
    assert_eq!(machine.command().args(["--failures", "1"]).status().unwrap().code(), Some(1));
    fs::remove_dir_all(machine.host_tape("gone").parent().unwrap()).unwrap();
    machine.server.set_mode(OtlpMode::Accept);
    let (received, text) = machine.send_all();
    assert!(text.contains("gone/tape.jsonl` was deleted before all of it was sent"), "{text}");
    assert_eq!(received.counts("pintle.telemetry.dropped")["deleted"], 1);
    fs::remove_file(machine.own_tape("kept")).unwrap();
    let (_, text) = machine.send_all();
    assert_eq!(text, "sent 0 spans and 0 decisions of 0 tapes", "all of it was sent");
}

#[test]
fn telemetry_is_off_unless_the_user_turns_it_on_and_no_project_does() {
    let machine = TracedMachine::new();
    write_lines(&machine.own_tape("s"), &recorded_session());
    let on = format!("telemetry: {{otlp: '{}'}}\n", machine.server.url);
    for place in ["home/.harness/config.yaml", "home/config.yaml", "home/.pintle/config.yaml", "managed/config.yaml"] {
        write_file(&machine.path(place), &on);
    }
    for (settings, reason) in [
        ("settings: {}\n", "telemetry is off"),
        ("telemetry:\n", "telemetry is off"),
        ("telemetry: {otlp: 'http://192.0.2.1:4318'}\n", "unencrypted to another machine"),
        ("telemetry: {otlp: 'http://localhost:1/', contents: true}\n", "unknown key `contents`"),
        ("telemetry: {otlp: 'http://localhost:1/', headers_file: /nonexistent}\n", "cannot read the file of headers"),
    ] {
        write_file(&machine.path("config/config.yaml"), settings);
        let output = machine
            .command()
            .current_dir(machine.path("home"))
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", &machine.server.url)
            .output()
            .unwrap();
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(3), "{settings}: {text}");
        assert!(text.contains(reason), "{settings}: {text}");
    }
    assert!(machine.server.take().headers.is_empty(), "nothing was sent");
}

#[test]
fn headers_reach_the_endpoint_and_are_never_printed() {
    let machine = TracedMachine::new();
    write_lines(&machine.host_tape("s"), &host_session());
    let file = machine.path("headers");
    fs::write(&file, "Authorization: Bearer s3cret\nX-Scope: mine\n").unwrap();
    machine.configure(&format!(", headers_file: '{}'", file.display()));
    let mut printed = String::new();
    for mode in [
        OtlpMode::Page(401, "text/plain", b"who is Bearer s3cret?"),
        OtlpMode::Page(403, "application/x-protobuf", b"\x12\x06s3cret"),
        OtlpMode::Page(500, "text/plain", b"Bearer s3cret"),
    ] {
        machine.server.set_mode(mode);
        let output = machine.command().args(["--failures", "1"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        printed += &output_text(&output);
    }
    assert!(printed.contains("refuses this machine: 401") && printed.contains("headers_file"), "{printed}");
    machine.server.set_mode(OtlpMode::Accept);
    // A file that the settings name applies, not the variable.
    let output = machine.command().env("PINTLE_OTLP_HEADERS", "Authorization: Bearer other").output().unwrap();
    printed += &output_text(&output);
    for headers in machine.server.take().headers {
        assert_eq!(
            (&headers["authorization"], &headers["x-scope"]),
            (&"Bearer s3cret".parse().unwrap(), &"mine".parse().unwrap())
        );
    }
    machine.configure("");
    let output = machine.command().env("PINTLE_OTLP_HEADERS", "Authorization: Bearer s3cret").output().unwrap();
    printed += &output_text(&output);
    let received = machine.server.take();
    assert!(
        !received.headers.is_empty()
            && received.headers.iter().all(|headers| headers["authorization"] == "Bearer s3cret")
    );
    fs::write(&file, "s3cret\n").unwrap();
    machine.configure(&format!(", headers_file: '{}'", file.display()));
    printed += &output_text(&machine.send());
    assert!(printed.contains("line 1 of"), "{printed}");
    assert!(!printed.contains("s3cret"), "{printed}");
    let kept = fs::read_dir(machine.path("state/fleet")).unwrap().flatten();
    assert!(kept.map(|entry| fs::read_to_string(entry.path()).unwrap()).all(|text| !text.contains("s3cret")));
}
