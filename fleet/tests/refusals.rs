//! What a collector refuses, and that nothing of it is stored.

use std::fs;

use pintle_fleet::{MachineToken, TapeBatch, hex_digest};

use crate::fixture::{TestCollector, TestStore, make_tape, output_text, run_fleet, send_request, write_lines};

/// Sends bytes, and returns the status of the answer.
fn send(collector: &TestCollector, head: &str, body: &[u8]) -> u16 {
    send_request(collector.address(), head, body).0
}

fn head(token: &str, length: Option<usize>) -> String {
    let length = length.map(|length| format!("content-length: {length}\r\n")).unwrap_or_default();
    format!("POST /v1/batches HTTP/1.1\r\nhost: c\r\nconnection: close\r\nauthorization: {token}\r\n{length}\r\n")
}

fn batch(lines: &[String]) -> TapeBatch {
    TapeBatch {
        tape: hex_digest(lines[0].as_bytes()),
        pintle: String::from("0.1.0"),
        policy: None,
        host: None,
        project: None,
        session: String::from("s"),
        from: 0,
        lines: lines.to_vec(),
        decisions: Vec::new(),
        withdrawn: Vec::new(),
    }
}

#[test]
fn requests_that_are_not_batches_of_known_machines_are_refused() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start_with(&store.url, &["--listen", "127.0.0.1:0", "--max-body-bytes", "20000"]);
    let (ada, eve) = (store.add_machine("ada"), store.add_machine("eve"));
    let bearer = |token: &str| format!("Bearer {}", token.trim());
    let (token, other) = (bearer(&ada.token()), bearer(&eve.token()));
    let forged = bearer(MachineToken::generate().unwrap().as_str());
    let lines = make_tape("s", 3);
    let good = batch(&lines);
    let encode = |batch: &TapeBatch| serde_json::to_vec(batch).unwrap();
    let post = |token: &str, body: &[u8]| send(&collector, &head(token, Some(body.len())), body);

    for refused in
        ["", "Bearer", "Bearer ", "Basic dTpw", &token.replace("Bearer", "Basic"), &token[..token.len() - 1], &forged]
    {
        assert_eq!(post(refused, &encode(&good)), 401, "{refused}");
    }
    assert_eq!(send(&collector, &head(&token, None), b""), 411);
    assert_eq!(send(&collector, &head(&token, Some(20_001)), b"{"), 413);
    assert_eq!(send(&collector, &head(&token, Some(1 << 40)), b"{"), 413);
    assert_eq!(send(&collector, &head(&forged, Some(1 << 40)), b"{"), 401, "the token is looked at first");
    assert_eq!(send(&collector, "GET /v1/batches HTTP/1.1\r\nhost: c\r\nconnection: close\r\n\r\n", b""), 405);
    assert_eq!(send(&collector, "GET /else HTTP/1.1\r\nhost: c\r\nconnection: close\r\n\r\n", b""), 404);
    assert_eq!(send(&collector, "GET /healthz HTTP/1.1\r\nhost: c\r\nconnection: close\r\n\r\n", b""), 200);
    for malformed in [&b""[..], b"{}", b"[1", b"\xff\xfe", &encode(&good)[..500], &[b'['; 10_000]] {
        assert_eq!(post(&token, malformed), 400);
    }
    let with = |change: fn(&mut TapeBatch)| {
        let mut changed = good.clone();
        change(&mut changed);
        encode(&changed)
    };
    for (change, status) in [
        (with(|batch| batch.tape = String::from("'; DROP TABLE records; --")), 422),
        (with(|batch| batch.tape.replace_range(..1, "f0")), 422),
        (with(|batch| batch.tape = hex_digest(b"another")), 422),
        (with(|batch| batch.lines.clear()), 422),
        (with(|batch| batch.lines[3].push('}')), 422),
        (with(|batch| batch.lines.swap(2, 3)), 422),
        (with(|batch| batch.lines[1] = batch.lines[1].replace("echo", "rm")), 422),
        (with(|batch| batch.lines[6].push('\n')), 422),
        (with(|batch| batch.lines.insert(0, String::from("\0"))), 422),
        (with(|batch| batch.from = 5), 409),
        (with(|batch| batch.from = u64::MAX), 409),
    ] {
        assert_eq!(post(&token, &change), status, "{}", String::from_utf8_lossy(&change));
    }
    assert_eq!([store.count("records"), store.count("tapes"), store.count("decisions")], [0, 0, 0]);

    assert_eq!(post(&token, &encode(&good)), 200);
    assert_eq!(post(&token, &encode(&good)), 409, "a second time");
    assert_eq!(post(&other, &encode(&good)), 403, "a tape of another machine");
    store.query("UPDATE machines SET revoked_at = now() WHERE name = 'ada'");
    assert_eq!(post(&token, &encode(&good)), 401, "revoked");
    assert_eq!(store.count("records"), 7);
}

#[test]
fn shipper_says_what_the_collector_refuses_and_never_the_token() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start_with(&store.url, &["--listen", "127.0.0.1:0", "--max-body-bytes", "20000"]);
    let (ada, eve) = (store.add_machine("ada"), store.add_machine("eve"));
    let (lines, mut large) = (make_tape("s", 200), make_tape("large", 4));
    crate::fixture::push_call(&mut large, "large", 5, &"x".repeat(30_000));
    write_lines(&ada.own_tape("s"), &lines);
    write_lines(&ada.own_tape("large"), &large);
    // Batches are made smaller until they are accepted; one record cannot be.
    let output = ada.ship(&collector.url);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("too large for the collector") && text.contains("shipped 410 records of 2 tapes"), "{text}");
    store.assert_stored(&[lines.clone(), large[..9].to_vec()]);

    let check = |machine: &crate::fixture::TestMachine, url: &str, code: i32, reason: &str| {
        let output = machine.ship(url);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(code), "{reason}: {text}");
        assert!(text.contains(reason), "{reason}: {text}");
        assert!(!text.contains("pintle_fleet_"), "{text}");
    };
    write_lines(&eve.own_tape("s"), &lines);
    check(&eve, &collector.url, 1, "belongs to another machine");
    assert!(run_fleet(&["machine", "remove", "eve", "--store", &store.url]).status.success());
    check(&eve, &collector.url, 1, "refuses the token");
    for (url, reason) in [
        ("collector", "address of the collector is invalid"),
        ("ftp://collector", "does not begin with `https://`"),
        ("http://192.0.2.1:7420", "unencrypted"),
        ("https://pintle:pintle@collector", "it has a user"),
    ] {
        check(&eve, url, 3, reason);
    }
    fs::write(eve.token_file(), "pintle_fleet_0").unwrap();
    check(&eve, &collector.url, 3, "does not hold the token");
    fs::remove_file(eve.token_file()).unwrap();
    check(&eve, &collector.url, 3, "cannot read the token file");
}
