//! A cluster of PostgreSQL, collectors and tapes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use pintle_fleet::hex_digest;
use pintle_tape::decisions::{DecisionCollector, RecordedDecision};
use pintle_tape::{TapeReader, read_bytes};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls, Row};

/// Set where the tests must not be skipped.
const REQUIRED: &str = "PINTLE_FLEET_TESTS_NEED_POSTGRES";

/// A cluster of PostgreSQL that listens on a socket in a directory of its own.
pub(crate) struct PgCluster {
    bin: PathBuf,
    dir: TempDir,
    database_count: AtomicU32,
}

/// A database that is prepared as a store.
pub(crate) struct TestStore {
    pub(crate) cluster: Arc<PgCluster>,
    pub(crate) url: String,
    name: String,
}

/// A machine: its token, its state and its tapes.
pub(crate) struct TestMachine {
    pub(crate) dir: TempDir,
}

/// A running `pintle-fleet collect`.
pub(crate) struct TestCollector {
    child: Child,
    pub(crate) url: String,
}

/// The directory with the programs of PostgreSQL.
fn find_postgres() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut dirs: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    dirs.sort();
    dirs.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    dirs.into_iter().rev().find(|dir| dir.join("initdb").exists() && dir.join("pg_ctl").exists())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.starts_with(b"0\n")
}

impl PgCluster {
    /// A cluster that tests at the same time share; `None` if PostgreSQL is not installed.
    pub(crate) fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<PgCluster>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let cluster = shared.upgrade().or_else(Self::start)?;
        *shared = Arc::downgrade(&cluster);
        Some(cluster)
    }

    /// A cluster of its own.
    pub(crate) fn start() -> Option<Arc<Self>> {
        // A process that is killed loses nothing by that, only a machine would.
        Self::start_with("fsync = off\n")
    }

    /// A cluster with more settings.
    pub(crate) fn start_with(more_settings: &str) -> Option<Arc<Self>> {
        Self::start_with_files(more_settings, || {})
    }

    /// A cluster with more settings, and with files that are made before it starts.
    pub(crate) fn start_with_files(more_settings: &str, make_files: impl FnOnce()) -> Option<Arc<Self>> {
        let Some(bin) = find_postgres() else {
            assert!(std::env::var_os(REQUIRED).is_none(), "PostgreSQL is not installed: `apt-get install postgresql`");
            eprintln!("NOT TESTED: PostgreSQL is not installed (`apt-get install postgresql`)");
            return None;
        };
        let cluster = Self { bin, dir: tempfile::tempdir().unwrap(), database_count: AtomicU32::new(0) };
        if is_root() {
            assert!(Command::new("chown").arg("postgres").arg(cluster.dir.path()).status().unwrap().success());
        }
        let data = cluster.data();
        cluster.run("initdb", &["-D", &data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
        let settings = "listen_addresses = ''\nmax_connections = 60\nunix_socket_directories = '{dir}'\n";
        let settings = settings.replace("{dir}", &cluster.dir.path().display().to_string());
        fs::write(cluster.dir.path().join("data/postgresql.auto.conf"), settings + more_settings).unwrap();
        make_files();
        cluster.control(&["start"]);
        Some(Arc::new(cluster))
    }

    fn data(&self) -> String {
        self.dir.path().join("data").display().to_string()
    }

    /// Runs a program of PostgreSQL, which refuses to run as root.
    fn run(&self, program: &str, args: &[&str]) {
        let program = self.bin.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        // The server keeps what it inherits open.
        let log = fs::File::create(self.dir.path().join("log.txt")).unwrap();
        let command = command.args(args).current_dir("/").stdin(Stdio::null());
        let status = command.stdout(log.try_clone().unwrap()).stderr(log).status().unwrap();
        let log = fs::read_to_string(self.dir.path().join("log.txt")).unwrap_or_default();
        assert!(status.success(), "{command:?}: {log}");
    }

    /// Starts, stops or restarts the server, and waits until it did.
    fn control(&self, args: &[&str]) {
        let data = self.data();
        let mut all = vec!["-w", "-D", &data];
        all.extend(args);
        self.run("pg_ctl", &all);
    }

    /// Ends the server without warning, and starts it again.
    pub(crate) fn crash(&self) {
        self.control(&["restart", "-m", "immediate"]);
    }

    fn url(&self, user: &str, database: &str) -> String {
        let socket = self.dir.path().display().to_string().replace('/', "%2F");
        // The server names its socket by the port, which a setting may have changed.
        let settings = fs::read_to_string(self.dir.path().join("data/postgresql.auto.conf")).unwrap();
        let port = settings.lines().find_map(|line| line.strip_prefix("port = ")).unwrap_or("5432");
        format!("postgres://{user}@{socket}:{port}/{database}")
    }
}

/// Lets the server read files in a directory, and only it.
pub(crate) fn give_to_postgres(dir: &Path, names: &[&str]) {
    let run = |program: &str, args: &[&str]| {
        assert!(Command::new(program).args(args).current_dir(dir).status().unwrap().success());
    };
    run("chmod", &[&["600"], names].concat());
    if is_root() {
        run("chmod", &["711", "."]);
        run("chown", &[&["postgres"], names].concat());
    }
}

impl Drop for PgCluster {
    fn drop(&mut self) {
        self.control(&["stop", "-m", "immediate"]);
    }
}

impl TestStore {
    /// A store in the shared cluster; `None` if PostgreSQL is not installed.
    pub(crate) fn new() -> Option<Self> {
        PgCluster::shared().map(Self::in_cluster)
    }

    pub(crate) fn in_cluster(cluster: Arc<PgCluster>) -> Self {
        let name = format!("fleet{}", cluster.database_count.fetch_add(1, Ordering::Relaxed));
        query_url(&cluster.url("postgres", "postgres"), &format!("CREATE DATABASE {name}"));
        let store = Self { url: cluster.url("postgres", &name), cluster, name };
        let output = run_fleet(&["store", "init", "--store", &store.url]);
        assert!(output.status.success(), "{output:?}");
        store
    }

    /// The address for another user.
    pub(crate) fn url_for(&self, user: &str) -> String {
        self.cluster.url(user, &self.name)
    }

    pub(crate) fn query(&self, sql: &str) -> Vec<Row> {
        query_url(&self.url, sql)
    }

    pub(crate) fn count(&self, table: &str) -> i64 {
        self.query(&format!("SELECT count(*) FROM {table}"))[0].get(0)
    }

    /// The address for a new user with a role. Users belong to the whole cluster.
    pub(crate) fn add_user(&self, name: &str, role: &str) -> String {
        let user = format!("{name}_{}", self.name);
        self.query(&format!("DO $$ BEGIN CREATE USER {user} IN ROLE {role}; END $$"));
        self.url_for(&user)
    }

    /// Adds a machine.
    pub(crate) fn add_machine(&self, name: &str) -> TestMachine {
        let machine = TestMachine { dir: tempfile::tempdir().unwrap() };
        fs::write(machine.token_file(), self.add_token(name)).unwrap();
        machine
    }

    pub(crate) fn add_token(&self, name: &str) -> String {
        let output = run_fleet(&["machine", "add", name, "--store", &self.url]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Asserts that exactly these tapes are stored, each line once, and the decisions that they have.
    pub(crate) fn assert_stored(&self, tapes: &[Vec<String>]) {
        let mut stored: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in
            self.query("SELECT encode(digest, 'hex'), seq, line FROM records JOIN tapes ON id = tape ORDER BY 1, 2")
        {
            let (tape, seq, line): (String, i64, String) = (row.get(0), row.get(1), row.get(2));
            let lines = stored.entry(tape).or_default();
            assert_eq!(lines.len() as i64, seq, "each record once, in order");
            lines.push(line);
        }
        let expected: BTreeMap<String, Vec<String>> =
            tapes.iter().map(|lines| (hex_digest(lines[0].as_bytes()), lines.clone())).collect();
        let counts = |tapes: &BTreeMap<String, Vec<String>>| tapes.values().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(counts(&stored), counts(&expected));
        assert!(stored == expected, "every line is as it was sent");
        for (tape, lines) in expected {
            assert_eq!(self.decisions(&tape), decisions_of(&lines), "decisions of {tape}");
        }
    }

    /// The decisions of a tape that apply.
    pub(crate) fn decisions(&self, tape: &str) -> Vec<RecordedDecision> {
        let sql = format!(
            "SELECT DISTINCT ON (seq) data FROM decisions JOIN tapes ON id = tape \
             WHERE digest = decode('{tape}', 'hex') ORDER BY seq, up_to DESC"
        );
        let texts = self.query(&sql).into_iter().filter_map(|row| row.get::<_, Option<String>>(0));
        texts.map(|text| serde_json::from_str(&text).unwrap()).collect()
    }
}

/// The decisions of whole lines, as `pintle log` has them.
pub(crate) fn decisions_of(lines: &[String]) -> Vec<RecordedDecision> {
    let text = lines.join("\n") + "\n";
    let mut collector = DecisionCollector::default();
    TapeReader::new(text.as_bytes()).unwrap().for_each(|line| collector.add(&line.unwrap().record));
    collector.finish()
}

fn query_url(url: &str, sql: &str) -> Vec<Row> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = connect(url).await;
        client.batch_execute("SET search_path TO pintle_fleet, public").await.unwrap();
        client.query(sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"))
    })
}

/// Connects as a user. Whether a statement of that user fails is for the test.
pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

pub(crate) fn fleet_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pintle-fleet"));
    command.env_remove("PINTLE_FLEET_STORE").env_remove("PINTLE_STATE_DIR").stdin(Stdio::null());
    for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"] {
        command.env_remove(proxy);
    }
    command
}

/// A server that answers requests one after the other with these bytes, and then no more.
pub(crate) fn answer_server(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            let mut line = String::new();
            while request.read_line(&mut line).unwrap() > 2 {
                let field = line.trim().to_lowercase();
                length = field.strip_prefix("content-length: ").map_or(length, |length| length.parse().unwrap());
                line.clear();
            }
            request.read_exact(&mut vec![0; length]).unwrap();
            let _ = stream.write_all(answer.replacen("\r\n", "\r\nconnection: close\r\n", 1).as_bytes());
        }
    });
    url
}

/// Sends bytes, and returns the status of the answer and its body; 0 if no one answers.
pub(crate) fn send_request(address: &str, head: &str, body: &[u8]) -> (u16, String) {
    let Ok(mut stream) = TcpStream::connect(address) else { return (0, String::new()) };
    // The collector may refuse the rest of it.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_owned())
}

/// Runs the program to its end.
pub(crate) fn run_fleet(args: &[&str]) -> Output {
    fleet_command().args(args).output().unwrap()
}

/// All that a program printed.
pub(crate) fn output_text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

impl TestMachine {
    pub(crate) fn token_file(&self) -> PathBuf {
        self.dir.path().join("token")
    }

    pub(crate) fn token(&self) -> String {
        fs::read_to_string(self.token_file()).unwrap()
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// The directory with the offsets.
    pub(crate) fn offsets(&self) -> PathBuf {
        self.state_dir().join("fleet")
    }

    /// The path of the tape of an own session.
    pub(crate) fn own_tape(&self, name: &str) -> PathBuf {
        self.dir.path().join("home/.pintle/tapes").join(format!("{name}.jsonl"))
    }

    /// The path of the tape of a host agent's session.
    pub(crate) fn host_tape(&self, host: &str, name: &str) -> PathBuf {
        self.state_dir().join("bridge").join(host).join(name).join("tape.jsonl")
    }

    /// A command that ships to a collector once.
    pub(crate) fn ship_command(&self, collector: &str) -> Command {
        let mut command = fleet_command();
        command.args(["ship", "--once", "--to", collector, "--token-file"]).arg(self.token_file());
        command.arg("--state-dir").arg(self.state_dir()).arg("--directory").arg(self.dir.path().join("home"));
        command
    }

    /// Starts a hook, and gives it an event.
    pub(crate) fn start_hook(&self, collector: &str, args: &[&str], event: &str) -> Child {
        let mut command = fleet_command();
        command.args(args).args(["--to", collector, "--token-file"]).arg(self.token_file());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A hook that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(event.as_bytes());
        child
    }

    /// Posts a message as this machine, and returns the status of the answer and its body.
    pub(crate) fn post(&self, collector: &TestCollector, path: &str, body: &str) -> (u16, Value) {
        self.post_to(collector.address(), path, body)
    }

    pub(crate) fn post_to(&self, address: &str, path: &str, body: &str) -> (u16, Value) {
        let (token, length) = (self.token(), body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: c\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-length: {length}\r\n\r\n"
        );
        let (status, body) = send_request(address, &head, body.as_bytes());
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    pub(crate) fn ship(&self, collector: &str) -> Output {
        self.ship_command(collector).output().unwrap()
    }
}

/// Writes a file, and the directories above it.
pub(crate) fn write_file(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Writes whole lines.
pub(crate) fn write_lines(path: &Path, lines: &[String]) {
    write_file(path, lines.join("\n") + "\n");
}

impl TestCollector {
    pub(crate) fn start(store: &TestStore) -> Self {
        Self::start_with(&store.url, &["--listen", "127.0.0.1:0"])
    }

    pub(crate) fn start_with(store: &str, args: &[&str]) -> Self {
        let mut child = fleet_command()
            .args(["collect", "--store", store])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Self { child, url }
    }

    pub(crate) fn address(&self) -> &str {
        self.url.split_once("://").unwrap().1
    }

    /// Kills it, and starts another one at the same address.
    pub(crate) fn crash(&mut self, store: &TestStore) {
        self.stop();
        *self = Self::start_with(&store.url, &["--listen", self.address()]);
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for TestCollector {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Adds a line to those of a tape.
pub(crate) fn push_line(lines: &mut Vec<String>, mut fields: Value) {
    let prev = lines.last().map(|line| hex_digest(line.as_bytes()));
    let mut line = json!({"seq": lines.len(), "at_ms": 1_750_000_000_000_u64 + lines.len() as u64, "prev": prev});
    line.as_object_mut().unwrap().append(fields.as_object_mut().unwrap());
    lines.push(line.to_string());
}

/// The tape of a session with some calls, of which each fifth is denied.
pub(crate) fn make_tape(session: &str, calls: u64) -> Vec<String> {
    let mut lines = Vec::new();
    push_line(
        &mut lines,
        json!({"kind": "header", "format": pintle_tape::record::FORMAT, "pintle": "0.1.0", "session": session, "started_ms": 1, "shadow": false}),
    );
    for call in 1..=calls {
        push_call(&mut lines, session, call, &format!("echo {call}"));
    }
    assert_eq!(read_bytes((lines.join("\n") + "\n").as_bytes()).unwrap().records.len(), lines.len());
    lines
}

pub(crate) fn push_call(lines: &mut Vec<String>, session: &str, call: u64, command: &str) {
    let origin = json!({"session": session, "turn": 1, "agent": "root", "depth": 0});
    let payload = json!({"id": format!("c{call}"), "name": "Bash", "args": {"command": command}});
    push_line(
        lines,
        json!({"origin": origin, "kind": "event", "dispatch": call, "event": "tool.pre", "payload": payload}),
    );
    let mut outcome = json!({"kind": "outcome", "dispatch": call, "event": "tool.pre", "decision": "allow",
        "approved": false, "rewritten": false, "payload": 0, "hooks_called": 1});
    if call.is_multiple_of(5) {
        outcome["decision"] = json!("deny");
        outcome["reasons"] = json!([{"hook": "pack:git", "text": "no [git.force-push]"}]);
    }
    push_line(lines, outcome);
}
