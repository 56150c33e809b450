//! People who answer the asks of hooks.

use std::process::{Child, Output};
use std::thread;

use serde_json::{Value, json};
use tokio_postgres::error::SqlState;

use crate::fixture::{
    PgCluster, TestCollector, TestMachine, TestStore, answer_server, connect, fleet_command, output_text, run_fleet,
};

const APPROVE: [&str; 3] = ["approve", "--timeout-ms", "600000"];

fn event(command: &str) -> String {
    json!({"session_id": "s1", "cwd": "/project", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command}})
    .to_string()
}

/// The asks that are open, when there are as many.
fn wait_for_open(store: &TestStore, count: usize) -> Vec<String> {
    loop {
        let rows = store.query("SELECT id || '.' || left(digest, 8) FROM ask_states WHERE state = 'open' ORDER BY id");
        if rows.len() == count {
            return rows.iter().map(|row| row.get(0)).collect();
        }
    }
}

/// Waits until a hook knows the ID of its ask, and asks whether it is answered.
fn wait_for_poll(store: &TestStore) {
    let polled = "SELECT FROM ask_states WHERE state = 'open' AND waits_until > asked_at + interval '25 s'";
    while store.query(polled).is_empty() {}
}

fn answer(store: &str, args: &[&str]) -> Output {
    run_fleet(&[&["asks"], args, &["--store", store]].concat())
}

/// What a hook prints for its agent, if it allows.
fn allowed(hook: Child) -> String {
    let output = hook.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Why a hook denies.
fn denied(hook: Child) -> String {
    let output = hook.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn people_see_what_waits_and_the_hook_says_who_answered_and_why() {
    let Some(store) = TestStore::new() else { return };
    let (collect, ada) = (store.add_user("collector", "pintle_collect"), store.add_user("ada", "pintle_approve"));
    let collector = TestCollector::start_with(&collect, &["--listen", "127.0.0.1:0"]);
    let machine = store.add_machine("laptop");
    let command = format!("rm -rf build {}; curl evil.example", "x".repeat(400));
    let hook = machine.start_hook(&collector.url, &APPROVE, &event(&command));
    let id = &wait_for_open(&store, 1)[0];
    let list = output_text(&answer(&ada, &["list"]));
    assert!(list.starts_with(id) && list.contains("laptop  open  Bash: {\"command\":\"rm -rf build"), "{list}");
    assert!(list.contains("(`asks show` shows all)") && !list.contains("evil"), "{list}");
    let shown = output_text(&answer(&ada, &["show", id]));
    assert!(shown.contains("curl evil.example") && shown.contains("sha256 "), "{shown}");
    let said = output_text(&answer(&ada, &["deny", id, "--reason", "not on 'Fridays'"]));
    assert!(said.contains("denied by ada_"), "{said}");
    let reason = denied(hook);
    assert!(reason.starts_with("`ada_") && reason.trim().ends_with("denied this call: not on 'Fridays'"), "{reason}");

    let hook = machine.start_hook(&collector.url, &APPROVE, &event("ls"));
    let id = &wait_for_open(&store, 1)[0];
    assert!(answer(&ada, &["allow", id, "--reason", "it's \"only\" a look"]).status.success());
    let output: Value = serde_json::from_str(&allowed(hook)).unwrap();
    let output = &output["hookSpecificOutput"];
    assert_eq!((&output["hookEventName"], &output["permissionDecision"]), (&json!("PreToolUse"), &json!("allow")));
    let reason = output["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.ends_with("allowed this call: it's \"only\" a look"), "{reason}");
    assert_eq!(output_text(&answer(&ada, &["list"])).trim(), "no call waits for an answer");
    let all = output_text(&answer(&ada, &["list", "--all", "--json"]));
    let entries: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answers: Vec<(&Value, &Value)> =
        entries.iter().map(|entry| (&entry["answer"]["is_allowed"], &entry["answer"]["is_used"])).collect();
    assert_eq!(answers, [(&json!(false), &json!(true)), (&json!(true), &json!(true))]);
}

#[test]
fn each_format_has_its_own_words_for_an_answer() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("laptop");
    let allow = json!({"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}});
    for (event, expected) in [
        (json!({"hook_event_name": "PermissionRequest", "cwd": "/"}), json!({"hookSpecificOutput": allow})),
        (json!({"hook_event_name": "PreToolUse", "session_id": "s"}), json!({"continue": true})),
        (json!({"hook_event_name": "BeforeTool", "cwd": "/"}), Value::Null),
        (json!({"hookName": "tool_call", "tool_call": {"name": "x"}}), Value::Null),
        (json!({"toolName": "bash", "toolArgs": "{}"}), Value::Null),
    ] {
        let hook = machine.start_hook(&collector.url, &APPROVE, &event.to_string());
        assert!(answer(&store.url, &["allow", &wait_for_open(&store, 1)[0]]).status.success());
        assert_eq!(serde_json::from_str::<Value>(&allowed(hook)).unwrap_or_default(), expected, "{event}");
    }
    for name in ["pre_tool_use", "permission_request"] {
        let hook = machine.start_hook(&collector.url, &APPROVE, &json!({"hook_event_name": name}).to_string());
        assert!(answer(&store.url, &["allow", &wait_for_open(&store, 1)[0]]).status.success());
        let output: Value = serde_json::from_str(&allowed(hook)).unwrap();
        assert_eq!(output["hook_specific_output"]["permission_decision"], "allow");
    }
    // Its agent looks at the output only.
    let hook = machine.start_hook(&collector.url, &APPROVE, r#"{"hookName": "tool_call"}"#);
    assert!(answer(&store.url, &["deny", &wait_for_open(&store, 1)[0]]).status.success());
    let output = hook.wait_with_output().unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &printed["cancel"]), (Some(2), &json!(true)), "{output:?}");
}

#[test]
fn whatever_fails_denies_and_says_what_to_do() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("laptop");
    let event = event("ls");
    let check = |machine: &TestMachine, url: &str, args: &[&str], event: &str, reason: &str| {
        let text = denied(machine.start_hook(url, args, event));
        assert!(text.contains(reason) && !text.contains("pintle_fleet_"), "{reason}: {text}");
    };
    check(&machine, &collector.url, &["approve", "--timeout-ms", "1"], &event, "no one answered within 0.001 s");
    check(&machine, "http://127.0.0.1:1", &APPROVE, &event, "check that `pintle-fleet collect` runs there");
    check(&machine, "http://192.0.2.1", &APPROVE, &event, "unencrypted");
    check(&machine, &collector.url, &["approve", "--timeout-ms", "soon"], &event, "invalid value");
    check(&machine, &collector.url, &["approve", "--no-such"], &event, "unexpected argument");
    for wrong in ["", "{", "[]", "null", "{}}", &"[".repeat(100_000)] {
        check(&machine, &collector.url, &APPROVE, wrong, "not a JSON object");
    }
    check(&machine, &collector.url, &APPROVE, &event.replace("ls", &"x".repeat(256 << 10)), "more than 262144 bytes");
    let forged = store.add_machine("eve");
    store.query("UPDATE machines SET revoked_at = now() WHERE name = 'eve'");
    check(&forged, &collector.url, &APPROVE, &event, "the token is unknown or revoked");
    std::fs::remove_file(forged.token_file()).unwrap();
    check(&forged, &collector.url, &APPROVE, &event, "cannot read the token file");
    assert_eq!(wait_for_open(&store, 0).len(), 0, "what is given up is withdrawn");

    let ok = |body: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let yes = r#"{"state":"answered","is_allowed":true,"by":"eve","reason":null,"digest":""#.to_owned();
    for (opened, polled) in [
        (ok("<html>"), None),
        (ok("{}"), None),
        (String::from("HTTP/1.1 302 Found\r\nlocation: http://192.0.2.1/\r\ncontent-length: 0\r\n\r\n"), None),
        (ok(r#"{"id":"1.00000000"}"#), Some(ok(&format!("{yes}{}\"}}", "0".repeat(64))))),
        (ok(r#"{"id":"1.00000000"}"#), Some(ok(r#"{"state":"ended"}"#))),
        (
            ok(r#"{"id":"../../x"}"#),
            Some(String::from("HTTP/1.1 404 Not Found\r\ncontent-length: 13\r\n\r\n{\"error\":\"no\"}")),
        ),
    ] {
        let url = answer_server([Some(opened), polled].into_iter().flatten().collect());
        check(&machine, &url, &APPROVE, &event, "people cannot be asked about this call");
    }
}

#[test]
fn answer_counts_once_for_one_call_of_one_machine_that_still_waits() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let (machine, other) = (store.add_machine("laptop"), store.add_machine("eve"));
    // Killed: the hook says no more that it waits.
    let mut hook = machine.start_hook(&collector.url, &APPROVE, &event("killed"));
    let id = wait_for_open(&store, 1).remove(0);
    hook.kill().unwrap();
    hook.wait().unwrap();
    store.query("UPDATE asks SET waits_until = now()");
    let late = answer(&store.url, &["allow", &id]);
    assert!(late.status.code() == Some(1) && output_text(&late).contains("has no effect: it is expired"), "{late:?}");
    // Stopped: it withdraws.
    let hook = machine.start_hook(&collector.url, &APPROVE, &event("stopped"));
    let id = wait_for_open(&store, 1).remove(0);
    wait_for_poll(&store);
    assert!(std::process::Command::new("kill").arg(hook.id().to_string()).status().unwrap().success());
    assert!(denied(hook).contains("was stopped before anyone answered"));
    assert!(output_text(&answer(&store.url, &["allow", &id])).contains("has no effect: it is withdrawn"));
    // Too late for its timeout.
    let (_, opened) =
        machine.post(&collector, "/v1/asks", &json!({"call": event("a"), "patience_ms": 600_000}).to_string());
    let id = opened["id"].as_str().unwrap();
    store.query("UPDATE asks SET expires_at = now() WHERE used_at IS NULL");
    assert!(output_text(&answer(&store.url, &["allow", id])).contains("has no effect: it is expired"));

    // Another machine sees nothing of it, cannot end it, and neither do wrong digits.
    let (_, opened) =
        machine.post(&collector, "/v1/asks", &json!({"call": event("b"), "patience_ms": 600_000}).to_string());
    let id = opened["id"].as_str().unwrap();
    let poll = |machine: &TestMachine, id: &str| machine.post(&collector, &format!("/v1/asks/{id}/poll"), "");
    assert_eq!(poll(&other, id).0, 404);
    other.post(&collector, &format!("/v1/asks/{id}/withdraw"), "");
    let (number, digits) = id.split_once('.').unwrap();
    let wrong = format!("{number}.{}", if digits == "00000000" { "11111111" } else { "00000000" });
    for unknown in [wrong.as_str(), "1", "1.", "'; DROP TABLE asks; --", "9.%", &format!("{number}.%%%%%%%%")] {
        assert_eq!(answer(&store.url, &["allow", unknown]).status.code(), Some(3), "{unknown}");
        assert_eq!(answer(&store.url, &["show", unknown]).status.code(), Some(3), "{unknown}");
    }
    assert_eq!(poll(&machine, &wrong).0, 404);
    // Two who answer at once: the first counts, and the other hears of it.
    let mut people: Vec<Child> = Vec::new();
    for (index, word) in ["allow", "deny", "allow", "deny"].iter().enumerate() {
        let person = store.add_user(&format!("p{index}"), "pintle_approve");
        let mut command = fleet_command();
        command.args(["asks", word, id, "--store", &person]);
        people.push(command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap());
    }
    let outputs: Vec<Output> = people.into_iter().map(|person| person.wait_with_output().unwrap()).collect();
    let (first, rest): (Vec<&Output>, Vec<&Output>) = outputs.iter().partition(|output| output.status.success());
    assert_eq!((first.len(), rest.len()), (1, 3), "{outputs:?}");
    assert!(rest.iter().all(|output| output_text(output).contains("has no effect: it is answered:")), "{outputs:?}");
    // The answer is handed out once.
    let (status, answered) = poll(&machine, id);
    assert_eq!((status, &answered["state"]), (200, &json!("answered")));
    assert_eq!(answered["digest"].as_str().unwrap().get(..8), Some(digits));
    assert_eq!(poll(&machine, id), (200, json!({"state": "ended"})));
    assert!(output_text(&answer(&store.url, &["deny", id])).contains("has no effect"));
    assert_eq!(store.count("answers"), 1);
}

#[test]
fn answer_ends_a_poll_that_waits_also_after_the_database_restarted() {
    let Some(cluster) = PgCluster::start() else { return };
    let store = TestStore::in_cluster(cluster);
    let mut collector = TestCollector::start(&store);
    let machine = store.add_machine("laptop");
    for fault in
        [|_: &TestStore, _: &mut TestCollector| {}, |store: &TestStore, _: &mut TestCollector| store.cluster.crash()]
    {
        let body = json!({"call": event("a"), "patience_ms": 600_000}).to_string();
        let (_, opened) = machine.post(&collector, "/v1/asks", &body);
        let id = opened["id"].as_str().unwrap();
        fault(&store, &mut collector);
        let (url, path) = (collector.address().to_owned(), format!("/v1/asks/{id}/poll"));
        thread::scope(|scope| {
            let polled = scope.spawn(|| {
                loop {
                    // A poll that ends by itself would say `open`, and one that meets a broken connection nothing.
                    match machine.post_to(&url, &path, "") {
                        (200, answer) => break answer,
                        _ => continue,
                    }
                }
            });
            wait_for_poll(&store);
            assert!(answer(&store.url, &["allow", id]).status.success());
            assert_eq!(polled.join().unwrap()["state"], "answered");
        });
    }
    // A hook waits through a crash of the collector.
    let hook = machine.start_hook(&collector.url, &APPROVE, &event("b"));
    let id = wait_for_open(&store, 1).remove(0);
    collector.crash(&store);
    assert!(answer(&store.url, &["allow", &id]).status.success());
    assert!(allowed(hook).contains("allow"));
}

#[test]
fn open_asks_of_a_machine_and_their_size_are_bounded_and_names_are_only_names() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let (machine, other) = (store.add_machine("laptop"), store.add_machine("other"));
    let open = |machine: &TestMachine, call: &str| {
        machine.post(&collector, "/v1/asks", &json!({"call": call, "patience_ms": 600_000}).to_string()).0
    };
    let statuses: Vec<u16> = thread::scope(|scope| {
        let open = &open;
        let machine = &machine;
        let askers: Vec<_> = (0..20)
            .map(|asker| {
                scope.spawn(move || {
                    (0..50).map(|ask| open(machine, &event(&format!("{asker} {ask}")))).collect::<Vec<_>>()
                })
            })
            .collect();
        askers.into_iter().flat_map(|asker| asker.join().unwrap()).collect()
    });
    let count = |status| statuses.iter().filter(|found| **found == status).count();
    assert_eq!((count(200), count(429)), (32, 968));
    assert_eq!(open(&other, &event("mine")), 200, "another machine");
    for (body, status) in [
        (String::new(), 400),
        (String::from("{}"), 400),
        (json!({"call": event("a"), "patience_ms": 0}).to_string(), 422),
        (json!({"call": event("a"), "patience_ms": u64::MAX}).to_string(), 422),
        (json!({"call": "[1]", "patience_ms": 1}).to_string(), 422),
        (json!({"call": event(&"x".repeat(256 << 10)), "patience_ms": 1}).to_string(), 413),
        (json!({"call": "x".repeat(2 << 20), "patience_ms": 1}).to_string(), 413),
    ] {
        assert_eq!(other.post(&collector, "/v1/asks", &body).0, status, "{}", body.get(..80).unwrap_or(&body));
    }
    let odd =
        json!({"hook_event_name": "'); DROP TABLE asks; --", "session_id": "\0", "tool_name": "\u{1b}[2J\u{202e}$1"});
    assert_eq!(open(&other, &odd.to_string()), 200);
    let list = output_text(&answer(&store.url, &["list"]));
    assert!(list.contains("\\u{1b}[2J\\u{202e}$1: ") && !list.contains('\u{1b}'), "{list}");
    assert_eq!(list.lines().count(), 34);
}

#[test]
fn role_of_people_can_answer_and_nothing_else() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("laptop");
    let (ada, collect) = (store.add_user("ada", "pintle_approve"), store.add_user("collector", "pintle_collect"));
    let read = store.add_user("auditor", "pintle_read");
    let body = json!({"call": event("a"), "patience_ms": 600_000}).to_string();
    let (_, opened) = machine.post(&collector, "/v1/asks", &body);
    let id = opened["id"].as_str().unwrap().to_owned();
    let (number, _) = id.split_once('.').unwrap();
    let refused = |user: &str, statement: &str| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let error = runtime.block_on(async { connect(user).await.batch_execute(statement).await.unwrap_err() });
        assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{statement}: {error:?}");
    };
    for statement in [
        "INSERT INTO pintle_fleet.answers (ask, is_allowed, answered_by) VALUES (1, true, 'postgres')",
        "UPDATE pintle_fleet.answers SET is_allowed = true",
        "DELETE FROM pintle_fleet.answers",
        "SELECT * FROM pintle_fleet.records",
        "SELECT * FROM pintle_fleet.machines",
        "UPDATE pintle_fleet.asks SET expires_at = now() + interval '1 year'",
        "SELECT pintle_fleet.open_ask(1, 'e', 's', 't', 'c', 'd', 1, 1, 99)",
        "SELECT pintle_fleet.poll_ask(1, 1, 1)",
        "SELECT pintle_fleet.withdraw_ask(1, 1)",
    ] {
        refused(&ada, statement);
    }
    let answering = format!("SELECT pintle_fleet.answer_ask({number}, '', true, NULL)");
    for user in [&collect, &read] {
        refused(user, &answering);
        refused(user, "INSERT INTO pintle_fleet.answers (ask, is_allowed) VALUES (1, true)");
        assert!(!answer(user, &["allow", &id]).status.success());
    }
    // Another role does not change who answered.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = connect(&ada).await;
        client.batch_execute("SET ROLE pintle_approve").await.unwrap();
        client.batch_execute(&answering).await.unwrap();
    });
    let by: String = store.query("SELECT answered_by FROM answers")[0].get(0);
    assert!(ada.contains(&by) && by.starts_with("ada_"), "{by}");

    store.query("UPDATE asks SET asked_at = '2001-02-03'");
    let retained = output_text(&run_fleet(&["retain", "--keep-days", "1", "--store", &store.url]));
    assert_eq!((retained.trim(), store.count("answers")), ("dropped 1 asks", 0));
}

#[test]
fn hook_of_the_real_program_allows_and_denies_as_people_say() {
    // It is a program of another workspace, which may not be built.
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_pintle-fleet")).with_file_name("pintle");
    if !program.exists() {
        eprintln!("NOT TESTED: {} is not built", program.display());
        return;
    }
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("laptop");
    let (dir, token) = (machine.dir.path(), machine.token_file());
    let approve = format!(
        "{} approve --to {} --token-file {} --timeout-ms 600000",
        env!("CARGO_BIN_EXE_pintle-fleet"),
        collector.url,
        token.display()
    );
    let hook = json!({"type": "command", "timeout": 900, "command": approve});
    let hooks = json!({"pre_tool_use": [{"matcher": "*", "hooks": [hook]}]});
    std::fs::write(dir.join("team.yaml"), hooks.to_string()).unwrap();
    let claude = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
    crate::fixture::write_file(&dir.join("claude/settings.json"), claude.to_string());
    for (file, word, code) in [
        ("team.yaml", "allow", 0),
        ("team.yaml", "deny", 2),
        ("claude/settings.json", "allow", 0),
        ("claude/settings.json", "deny", 2),
    ] {
        let mut fire = std::process::Command::new(&program);
        fire.args(["fire", "pre_tool_use", "--hooks", file]).current_dir(dir).env("HOME", dir);
        fire.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut fired = fire.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let call = json!({"id": "1", "name": "shell", "args": {"cmd": "rm -rf /"}}).to_string();
        std::io::Write::write_all(&mut fired.stdin.take().unwrap(), call.as_bytes()).unwrap();
        while store.query("SELECT FROM ask_states WHERE state = 'open'").is_empty() {
            assert!(fired.try_wait().unwrap().is_none(), "{:?}", fired.wait_with_output());
        }
        let id = wait_for_open(&store, 1).remove(0);
        assert!(answer(&store.url, &[word, &id, "--reason", "by test"]).status.success());
        let output = fired.wait_with_output().unwrap();
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(code), "{file} {word}: {text}");
        assert!(code == 0 || text.contains("denied this call: by test"), "{file} {word}: {text}");
    }
}
