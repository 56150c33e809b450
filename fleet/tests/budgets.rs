//! Budgets that machines share.

use std::process::{Child, Output};
use std::thread;

use serde_json::json;
use tokio_postgres::error::SqlState;

use crate::fixture::{
    PgCluster, TestCollector, TestMachine, TestStore, answer_server, connect, output_text, run_fleet,
};

const EVENT: &str = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/"}"#;

fn set(store: &TestStore, args: &str) -> Output {
    let args: Vec<&str> = args.split(' ').collect();
    run_fleet(&[&["budgets", "set"], args.as_slice(), &["--store", &store.url]].concat())
}

/// Whether a hook lets the call pass, and what it says. It never allows for the user.
fn passes(hook: Child) -> (bool, String) {
    let output = hook.wait_with_output().unwrap();
    assert!(output.stdout.is_empty() && [Some(0), Some(2)].contains(&output.status.code()), "{output:?}");
    (output.status.success(), output_text(&output))
}

fn take(machine: &TestMachine, collector: &TestCollector, args: &str) -> (bool, String) {
    let args: Vec<&str> = args.split(' ').collect();
    passes(machine.start_hook(&collector.url, &[&["budget"], args.as_slice()].concat(), EVENT))
}

#[test]
fn fifty_hooks_at_once_are_counted_exactly() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machines: Vec<TestMachine> = (0..5).map(|index| store.add_machine(&format!("m{index}"))).collect();
    assert!(set(&store, "shared --most 20 --window 1h --per all").status.success());
    assert!(set(&store, "own --most 3 --window 1h --per machine").status.success());
    for (name, expected) in [("shared", 20), ("own", 15)] {
        let args = ["budget", name, "--timeout-ms", "60000"];
        let hooks: Vec<Child> =
            (0..50).map(|index| machines[index % 5].start_hook(&collector.url, &args, EVENT)).collect();
        let results: Vec<(bool, String)> = hooks.into_iter().map(passes).collect();
        assert_eq!(results.iter().filter(|(is_taken, _)| *is_taken).count(), expected, "{results:?}");
        assert_eq!(store.count(&format!("takes WHERE budget = '{name}'")), expected as i64);
    }
    let list = output_text(&run_fleet(&["budgets", "list", "--store", &store.url]));
    assert_eq!(
        list.trim(),
        "own  3 in 3600 s for each machine  3 taken by the machine that took most\n\
         shared  20 in 3600 s for all machines together  20 taken"
    );
}

#[test]
fn takes_are_counted_exactly_while_the_database_and_the_collector_crash() {
    let Some(cluster) = PgCluster::start() else { return };
    let store = TestStore::in_cluster(cluster);
    let mut collector = TestCollector::start(&store);
    let machine = store.add_machine("m");
    assert!(set(&store, "b --most 30 --window 1h --per all").status.success());
    let address = collector.address().to_owned();
    let taken: usize = thread::scope(|scope| {
        let (machine, address) = (&machine, &address);
        let takers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(move || {
                    let take = || machine.post_to(address, "/v1/budgets/b/take", r#"{"amount":1}"#).1;
                    (0..40).filter(|_| take()["state"] == "taken").count()
                })
            })
            .collect();
        store.cluster.crash();
        collector.crash(&store);
        store.cluster.crash();
        takers.into_iter().map(|taker| taker.join().unwrap()).sum()
    });
    // A take whose answer was lost is counted, and never the other way round.
    let stored = store.count("takes");
    assert!(taken as i64 <= stored && stored <= 30, "{taken} {stored}");
    while machine.post(&collector, "/v1/budgets/b/take", r#"{"amount":1}"#).1["state"] != "over" {}
    assert_eq!(store.count("takes"), 30);
}

#[test]
fn hook_says_when_a_budget_is_free_again() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("m");
    assert!(set(&store, "api.v1 --most 10 --window 10m --per all").status.success());
    assert!(take(&machine, &collector, "api.v1 --amount 4").0);
    store.query("UPDATE takes SET taken_at = taken_at - interval '5 min'");
    assert!(take(&machine, &collector, "api.v1 --amount 6").0);
    let over = |args: &str, reason: &str| {
        let (is_taken, text) = take(&machine, &collector, args);
        assert!(!is_taken && text.contains(reason), "{reason}: {text}");
    };
    over("api.v1", "the budget `api.v1` is used up, 10 of 10: it is free again in 5 min");
    over("api.v1 --amount 4", "free again in 5 min");
    over("api.v1 --amount 5", "free again in 10 min");
    over("api.v1 --amount 11", "it never allows as much at once");
    assert!(set(&store, "api.v1 --most 11 --window 10m --per all").status.success());
    assert!(take(&machine, &collector, "api.v1").0, "the limit is larger now");
    // The clock of the database went back: what was taken later still counts.
    store.query("UPDATE takes SET taken_at = taken_at + interval '1 h'");
    over("api.v1", "11 of 11");
    store.query("UPDATE takes SET taken_at = taken_at - interval '2 h'");
    assert!(take(&machine, &collector, "api.v1 --amount 11").0);
    assert_eq!(store.count("takes"), 1, "what has left the window is not kept");
}

#[test]
fn whatever_fails_denies_but_a_collector_that_is_away_if_the_user_says_so() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let (machine, eve) = (store.add_machine("m"), store.add_machine("eve"));
    store.query("UPDATE machines SET revoked_at = now() WHERE name = 'eve'");
    assert!(set(&store, "b --most 9 --window 1h --per all").status.success());
    let check = |machine: &TestMachine, url: &str, args: &str, event: &str, reason: &str, expected: bool| {
        let args: Vec<&str> = args.split(' ').collect();
        let (passed, text) = passes(machine.start_hook(url, &[&["budget"], args.as_slice()].concat(), event));
        assert!(passed == expected && text.contains(reason), "{args:?}: {passed} {text}");
    };
    let url = &collector.url;
    for away in ["deny", "allow"] {
        for (args, reason) in [
            ("none --when-away", "no budget has this name"),
            ("';-- --when-away", "not the name of a budget"),
            ("../asks --when-away", "not the name of a budget"),
            ("b --amount 0 --when-away", "invalid value"),
            ("b --amount 9999999999999999 --when-away", "invalid value"),
            ("b --amont 1 --when-away", "unexpected argument"),
        ] {
            check(&machine, url, &format!("{args} {away}"), EVENT, reason, false);
        }
        check(&eve, url, &format!("b --when-away {away}"), EVENT, "unknown or revoked", false);
        check(&machine, url, &format!("b --when-away {away}"), "{", "not a JSON object", false);
        check(&machine, "http://192.0.2.1", &format!("b --when-away {away}"), EVENT, "unencrypted", false);
        let passes_away = away == "allow";
        let reason = "check that `pintle-fleet collect` runs there";
        check(&machine, "http://127.0.0.1:1", &format!("b --when-away {away}"), EVENT, reason, passes_away);
        let garbage = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        let garbage = answer_server(vec![garbage.to_owned()]);
        check(&machine, &garbage, &format!("b --when-away {away}"), EVENT, reason, passes_away);
    }
    check(&machine, url, "b --when-away maybe", EVENT, "invalid value", false);
    let large = EVENT.replace("Bash", &"x".repeat(3 << 20));
    check(&machine, url, "b", &large, "", true);
    assert_eq!(store.count("takes"), 1);
    for (path, body, status) in [
        ("b/take", r#"{"amount":-5}"#, 422),
        ("b/take", r#"{"amount":9223372036854775807}"#, 422),
        ("b/take", r#"{"amount":1.5}"#, 400),
        ("b/take", "", 400),
        ("b/take", &"x".repeat(2_000), 413),
        ("b'%3B%20DROP%20TABLE%20takes%3B--/take", r#"{"amount":1}"#, 404),
        ("b%00/take", r#"{"amount":1}"#, 404),
    ] {
        assert_eq!(machine.post(&collector, &format!("/v1/budgets/{path}"), body).0, status, "{path} {body}");
    }
    assert_eq!(eve.post(&collector, "/v1/budgets/b/take", r#"{"amount":1}"#).0, 401);
    assert_eq!(store.count("takes"), 1);
    for (args, reason) in [
        ("b;-- --most 1 --window 1h --per all", "1 to 100 letters"),
        ("b --most 0 --window 1h --per all", "invalid value"),
        ("b --most 1 --window today --per all", "not a window"),
        ("b --most 1 --window 0s --per all", "not a window"),
        ("b --most 1 --window 9000w --per all", "not a window"),
        ("b --most 1 --window 1h --per user", "invalid value"),
    ] {
        let output = set(&store, args);
        let text = output_text(&output);
        assert!(output.status.code() == Some(3) && text.contains(reason), "{args}: {text}");
    }
    let remove = || run_fleet(&["budgets", "remove", "b", "--store", &store.url]);
    assert!(remove().status.success());
    assert_eq!(remove().status.code(), Some(3));
    check(&machine, url, "b", EVENT, "no budget has this name", false);
}

#[test]
fn roles_cannot_change_what_was_taken() {
    let Some(store) = TestStore::new() else { return };
    let (collect, read) = (store.add_user("collector", "pintle_collect"), store.add_user("auditor", "pintle_read"));
    let collector = TestCollector::start_with(&collect, &["--listen", "127.0.0.1:0"]);
    let machine = store.add_machine("m");
    assert!(set(&store, "b --most 1 --window 1h --per all").status.success());
    assert!(take(&machine, &collector, "b").0);
    let list = run_fleet(&["budgets", "list", "--store", &read]);
    assert!(output_text(&list).contains("1 taken"), "{list:?}");
    let denied =
        run_fleet(&["budgets", "set", "b", "--most", "9", "--window", "1h", "--per", "all", "--store", &collect]);
    assert_eq!(denied.status.code(), Some(1), "{denied:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for (user, statement) in [
            (&collect, "DELETE FROM pintle_fleet.takes"),
            (&collect, "UPDATE pintle_fleet.takes SET amount = 1"),
            (&collect, "UPDATE pintle_fleet.budgets SET most = 9"),
            (&read, "SELECT pintle_fleet.take_budget('b', 1, 1)"),
            (&read, "DELETE FROM pintle_fleet.budgets"),
        ] {
            let error = connect(user).await.batch_execute(statement).await.unwrap_err();
            assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{statement}: {error:?}");
        }
    });
    // Its agent looks at the output only.
    let hook = machine.start_hook(&collector.url, &["budget", "b"], &json!({"hookName": "tool_call"}).to_string());
    let output = hook.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"cancel\":true"), "{output:?}");
}
