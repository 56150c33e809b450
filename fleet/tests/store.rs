//! The store: its roles, its machines, and what is dropped.

use tokio_postgres::error::SqlState;

use crate::fixture::{TestCollector, TestStore, connect, make_tape, output_text, run_fleet, write_lines};

#[test]
fn store_is_prepared_once_and_errors_say_what_to_do() {
    let Some(store) = TestStore::new() else { return };
    let output = run_fleet(&["store", "init", "--store", &store.url]);
    assert!(output_text(&output).contains("is up to date"), "{output:?}");
    let empty = store.url.rsplit_once('/').unwrap().0.to_owned() + "/template1";
    let wrong = store.url.rsplit_once('/').unwrap().0.to_owned() + "/none";
    for (args, code, reason) in [
        (vec!["log", "--store", &empty], 1, "pintle-fleet store init"),
        (vec!["collect", "--store", &empty], 1, "pintle-fleet store init"),
        (vec!["log", "--store", &wrong], 1, "database \"none\" does not exist"),
        (vec!["log", "--store", "postgres://u:hush@127.0.0.1:1/d"], 1, "check that PostgreSQL runs there"),
        (vec!["log", "--store", "https://u:hush@h/d"], 3, "does not begin with `postgres://`"),
        (vec!["log", "--store", &store.url, "--since", "soon"], 3, "not a time"),
        (vec!["machine", "remove", "none", "--store", &store.url], 3, "no machine `none`"),
        (vec!["machine", "add", "", "--store", &store.url], 3, "1 to 100"),
        (vec!["retain", "--keep-days", "0", "--store", &store.url], 3, "keep-days"),
        (vec!["collect", "--store", &store.url, "--tls-cert", "/no", "--tls-key", "/no"], 3, "cannot use `/no`"),
    ] {
        let output = run_fleet(&args);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        assert!(text.contains(reason) && !text.contains("hush"), "{args:?}: {text}");
    }
}

#[test]
fn machines_are_added_listed_and_revoked_and_their_tokens_are_not_stored() {
    let Some(store) = TestStore::new() else { return };
    let token = store.add_token("ada");
    let again = run_fleet(&["machine", "add", "ada", "--store", &store.url]);
    assert_eq!(again.status.code(), Some(3), "{again:?}");
    let row = &store.query("SELECT machines::text FROM machines")[0];
    let text: String = row.get(0);
    assert!(!text.contains(&token) && !text.contains(token.rsplit_once('_').unwrap().1), "{text}");
    let remove = run_fleet(&["machine", "remove", "ada", "--store", &store.url]);
    assert!(remove.status.success());
    let list = || output_text(&run_fleet(&["machine", "list", "--store", &store.url]));
    assert_eq!(list().trim(), "ada  never seen  0 tapes  revoked");
    assert_ne!(store.add_token("ada"), token);
    assert_eq!(list().trim(), "ada  never seen  0 tapes");
}

#[test]
fn roles_can_do_their_own_work_and_nothing_else() {
    let Some(store) = TestStore::new() else { return };
    let (collect, read) = (store.add_user("collector", "pintle_collect"), store.add_user("auditor", "pintle_read"));
    let collector = TestCollector::start_with(&collect, &["--listen", "127.0.0.1:0"]);
    let machine = store.add_machine("ada");
    let lines = make_tape("s", 10);
    write_lines(&machine.own_tape("s"), &lines);
    assert!(machine.ship(&collector.url).status.success());
    store.assert_stored(&[lines]);
    let log = run_fleet(&["log", "--denied", "--store", &read]);
    assert_eq!(output_text(&log).lines().count(), 2, "{log:?}");
    let refused = run_fleet(&["machine", "add", "eve", "--store", &read]);
    assert!(output_text(&refused).contains("pintle_read"), "{refused:?}");

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for (user, statement) in [
            (&collect, "SELECT * FROM pintle_fleet.records"),
            (&collect, "DELETE FROM pintle_fleet.records"),
            (&collect, "UPDATE pintle_fleet.decisions SET word = 'allowed'"),
            (&collect, "UPDATE pintle_fleet.tapes SET machine = 1"),
            (&collect, "INSERT INTO pintle_fleet.machines (name, token_sha256) VALUES ('eve', 'x')"),
            (&collect, "CREATE TABLE pintle_fleet.t (i int)"),
            (&read, "SELECT token_sha256 FROM pintle_fleet.machines"),
            (&read, "INSERT INTO pintle_fleet.decisions SELECT * FROM pintle_fleet.decisions"),
            (&read, "SELECT pintle_fleet.ensure_partitions(current_date)"),
        ] {
            let error = connect(user).await.batch_execute(statement).await.unwrap_err();
            assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{statement}: {error:?}");
        }
        let far = "SELECT pintle_fleet.ensure_partitions('2001-01-01')";
        let error = connect(&collect).await.batch_execute(far).await.unwrap_err();
        assert_eq!(error.code(), Some(&SqlState::RAISE_EXCEPTION), "{error:?}");
    });
}

#[test]
fn old_days_are_dropped_whole_and_not_shipped_again() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("ada");
    let lines = make_tape("s", 10);
    write_lines(&machine.own_tape("s"), &lines);
    assert!(machine.ship(&collector.url).status.success());
    for table in ["records", "decisions"] {
        store.query(&format!(
            "DO $$ BEGIN CREATE TABLE {table}_20010203 PARTITION OF {table} FOR VALUES FROM ('2001-02-03') TO ('2001-02-04'); \
             CREATE TABLE {table}_kept AS SELECT * FROM {table}; END $$"
        ));
    }
    store.query("INSERT INTO records SELECT '2001-02-03', tape, seq + 100, at_ms, kind, line FROM records");
    assert_eq!(store.count("records"), 42);
    let retain = || output_text(&run_fleet(&["retain", "--keep-days", "1", "--store", &store.url]));
    assert_eq!(retain().trim(), "dropped decisions_20010203, records_20010203");
    assert_eq!(retain().trim(), "nothing is that old");
    store.assert_stored(&[lines]);
    std::fs::remove_dir_all(machine.offsets()).unwrap();
    store.query("DELETE FROM records");
    let output = output_text(&machine.ship(&collector.url));
    assert_eq!(output.trim(), "shipped 0 records of 0 tapes");
}
