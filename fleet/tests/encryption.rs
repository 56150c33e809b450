//! Encrypted connections, with certificates that `openssl` makes: Debian's PostgreSQL comes with it.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::fixture::{
    PgCluster, TestCollector, TestStore, fleet_command, give_to_postgres, make_tape, output_text, write_lines,
};

fn openssl(dir: &Path, args: &str) {
    let mut command = Command::new("openssl");
    let status = command.current_dir(dir).args(args.split(' ')).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{args}");
}

/// Makes `ca.pem`, and `cert.pem` with `key.pem` for this machine.
fn make_certificates(dir: &Path) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(dir, &format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=tests"));
    openssl(dir, &format!("req {key} -keyout key.pem -out leaf.csr -subj /CN=localhost"));
    fs::write(dir.join("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n").unwrap();
    openssl(
        dir,
        "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out cert.pem",
    );
}

#[test]
fn collector_and_database_are_reached_with_certificates_that_are_trusted_only() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = format!(
        "listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\nssl_cert_file = '{}'\nssl_key_file = '{}'\n",
        file("pg.pem"),
        file("pg.key")
    );
    let Some(cluster) = PgCluster::start_with_files(&settings, || {
        make_certificates(dir.path());
        fs::copy(file("cert.pem"), file("pg.pem")).unwrap();
        fs::copy(file("key.pem"), file("pg.key")).unwrap();
        give_to_postgres(dir.path(), &["pg.pem", "pg.key"]);
    }) else {
        return;
    };
    let store = TestStore::in_cluster(cluster);
    let collector = TestCollector::start_with(
        &store.url,
        &["--listen", "127.0.0.1:0", "--tls-cert", &file("cert.pem"), "--tls-key", &file("key.pem")],
    );
    assert!(collector.url.starts_with("https://"));
    let machine = store.add_machine("ada");
    let lines = make_tape("s", 5);
    write_lines(&machine.own_tape("s"), &lines);
    let untrusted = machine.ship_command(&collector.url).args(["--failures", "1"]).output().unwrap();
    assert_eq!(untrusted.status.code(), Some(1), "{untrusted:?}");
    assert!(output_text(&untrusted).contains("certificate"), "{untrusted:?}");
    let plain = collector.url.replace("https://", "http://");
    let plain = machine.ship_command(&plain).args(["--failures", "1"]).output().unwrap();
    assert_eq!(plain.status.code(), Some(1), "{plain:?}");
    let trusted = machine.ship_command(&collector.url).env("SSL_CERT_FILE", file("ca.pem")).output().unwrap();
    assert_eq!(output_text(&trusted).trim(), "shipped 11 records of 1 tapes");
    store.assert_stored(&[lines]);

    let database = store.url.rsplit_once('/').unwrap().1;
    let url = format!("postgres://postgres@127.0.0.1:{port}/{database}?sslmode=require");
    let mut log = fleet_command();
    let log = log.args(["log", "--denied", "--store", &url]);
    let untrusted = log.output().unwrap();
    assert!(untrusted.status.code() == Some(1) && output_text(&untrusted).contains("certificate"), "{untrusted:?}");
    let trusted = log.env("SSL_CERT_FILE", file("ca.pem")).output().unwrap();
    assert_eq!(output_text(&trusted).lines().count(), 1, "{trusted:?}");
}
