//! Faults at random moments: whatever happens, each record is stored once.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::fixture::{
    PgCluster, TestCollector, TestMachine, TestStore, fleet_command, make_tape, output_text, write_file, write_lines,
};

/// What a test hears.
enum FaultEvent {
    /// A connection was cut.
    Cut,
    /// The shipper of this number has ended, with this status.
    Ended(u32, Option<i32>),
}

/// A network that breaks after some bytes, in either direction.
struct FaultyNetwork {
    address: SocketAddr,
    shared: Arc<NetworkState>,
}

struct NetworkState {
    target: String,
    /// The bytes until the next cut.
    left: AtomicU64,
    random: Mutex<FaultNumbers>,
    events: Mutex<Sender<FaultEvent>>,
    is_over: AtomicBool,
    most_bytes: u64,
}

/// FaultNumbers numbers that are the same in each run.
struct FaultNumbers(u64);

impl FaultNumbers {
    fn next(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

impl FaultyNetwork {
    fn start(target: &str, most_bytes: u64, events: Sender<FaultEvent>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(NetworkState {
            target: target.to_owned(),
            left: AtomicU64::new(most_bytes),
            random: Mutex::new(FaultNumbers(0x9e37_79b9_7f4a_7c15)),
            events: Mutex::new(events),
            is_over: AtomicBool::new(false),
            most_bytes,
        });
        let state = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // Where the collector does not run, the connection is cut at once.
                let Ok(server) = TcpStream::connect(&state.target) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to, state) = (from.try_clone().unwrap(), to.try_clone().unwrap(), Arc::clone(&state));
                    thread::spawn(move || state.forward(from, to));
                }
            }
        });
        Self { address, shared }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on nothing is cut.
    fn heal(&self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
    }
}

impl NetworkState {
    fn forward(&self, mut from: TcpStream, mut to: TcpStream) {
        // Small parts, so that cuts are anywhere.
        let mut buffer = [0; 97];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            // An answer is short, but as important.
            let weight = length as u64 * if length < buffer.len() { 50 } else { 1 };
            let cut =
                self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(weight)).is_err();
            if cut && !self.is_over.load(Ordering::SeqCst) {
                let next = self.random.lock().unwrap().next(self.most_bytes) + 1;
                self.left.store(next, Ordering::SeqCst);
                let _ = to.write_all(&buffer[..length / 2]);
                let _ = self.events.lock().unwrap().send(FaultEvent::Cut);
                break;
            }
            if to.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}

/// A running shipper that can be killed.
struct RunningShipper {
    number: u32,
    process: u32,
}

impl RunningShipper {
    fn start(number: u32, machine: &TestMachine, collector: &str, events: &Sender<FaultEvent>) -> Self {
        let mut command = machine.ship_command(collector);
        let mut child =
            command.args(["--failures", "100"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (process, events) = (child.id(), events.clone());
        thread::spawn(move || {
            let status = child.wait().unwrap();
            let _ = events.send(FaultEvent::Ended(number, status.code()));
        });
        Self { number, process }
    }

    /// Kills it, and waits until it has ended.
    fn kill(&self, events: &Receiver<FaultEvent>) {
        let _ = Command::new("kill").args(["-9", &self.process.to_string()]).stderr(Stdio::null()).status();
        while !matches!(events.recv().unwrap(), FaultEvent::Ended(number, _) if number == self.number) {}
    }
}

#[test]
fn records_are_stored_once_through_all_faults() {
    let Some(cluster) = PgCluster::start() else { return };
    let store = TestStore::in_cluster(cluster);
    let mut collector = TestCollector::start(&store);
    let machine = store.add_machine("ada");
    let tapes: Vec<Vec<String>> = (0..8).map(|index| make_tape(&format!("s{index}"), 400 + 300 * index)).collect();
    for (index, lines) in tapes.iter().enumerate() {
        // The last line of each is torn.
        let torn = lines.join("\n") + "\n{\"seq\":";
        write_file(&machine.host_tape("claude", &index.to_string()), torn);
    }
    let (sender, events) = channel();
    let network = FaultyNetwork::start(collector.address(), 300_000, sender.clone());
    let mut shipper = RunningShipper::start(0, &machine, &network.url(), &sender);
    let mut fault_count = 0;
    loop {
        match events.recv().unwrap() {
            FaultEvent::Ended(number, status) if number == shipper.number => {
                assert_eq!(status, Some(0));
                break;
            }
            FaultEvent::Ended(..) => continue,
            FaultEvent::Cut => {}
        }
        fault_count += 1;
        match fault_count % 6 {
            1 => collector.crash(&store),
            2 => {
                shipper.kill(&events);
                shipper = RunningShipper::start(fault_count, &machine, &network.url(), &sender);
            }
            3 => {
                shipper.kill(&events);
                let _ = fs::remove_dir_all(machine.offsets());
                shipper = RunningShipper::start(fault_count, &machine, &network.url(), &sender);
            }
            4 => store.cluster.crash(),
            // The cut is the fault.
            _ => {}
        }
        if fault_count == 24 {
            network.heal();
        }
    }
    assert!(fault_count >= 6, "{fault_count} faults");
    store.assert_stored(&tapes);
    let again = machine.ship(&collector.url);
    assert_eq!(output_text(&again).trim(), "shipped 0 records of 0 tapes");
}

#[test]
fn two_shippers_of_the_same_tapes_store_each_record_once() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("ada");
    let tapes: Vec<Vec<String>> = (0..4).map(|index| make_tape(&format!("s{index}"), 1_500)).collect();
    for (index, lines) in tapes.iter().enumerate() {
        write_lines(&machine.own_tape(&index.to_string()), lines);
    }
    // They share the tapes and the token, and nothing else.
    let shippers: Vec<_> = ["one", "two", "three"]
        .map(|name| {
            let state = machine.dir.path().join(name);
            let mut command = fleet_command();
            command.args(["ship", "--once", "--to", &collector.url, "--token-file"]).arg(machine.token_file());
            command.arg("--state-dir").arg(state).arg("--directory").arg(machine.dir.path().join("home"));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .into_iter()
        .collect();
    for shipper in shippers {
        let output = shipper.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    store.assert_stored(&tapes);
}

#[test]
fn collector_that_is_away_or_answers_garbage_loses_nothing() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("ada");
    let lines = make_tape("s", 20);
    write_lines(&machine.own_tape("s"), &lines);
    let ok = |body: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let answers = [
        String::new(),
        String::from("\0\0\0"),
        String::from("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"next\":41"),
        String::from("HTTP/1.1 302 Found\r\nlocation: http://192.0.2.1/\r\ncontent-length: 0\r\n\r\n"),
        String::from("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 4\r\n\r\noops"),
        String::from("HTTP/1.1 401 Unauthorized\r\ncontent-length: 6\r\n\r\n<html>"),
        String::from("HTTP/1.1 409 Conflict\r\ncontent-length: 24\r\n\r\n{\"next\":0,\"digest\":null}"),
        ok("<html>login</html>"),
        ok("{}"),
        ok("{\"next\":41,\"digest\":null}"),
        ok("{\"next\":41,\"digest\":\"00\"}"),
        ok("{\"next\":18446744073709551615,\"digest\":null}"),
        ok(&"x".repeat(100_000)),
    ];
    for answer in answers {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let text = answer.clone();
        let server = thread::spawn(move || {
            // One request is answered, and the next finds nobody.
            let (mut stream, _) = listener.accept().unwrap();
            drop(listener);
            let mut request = Vec::new();
            let mut buffer = [0; 4_096];
            while !request.ends_with(b"\"withdrawn\":[]}") {
                let length = stream.read(&mut buffer).unwrap();
                request.extend_from_slice(&buffer[..length]);
            }
            let _ = stream.write_all(text.as_bytes());
        });
        let output = machine.ship_command(&url).args(["--failures", "2"]).output().unwrap();
        server.join().unwrap();
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{answer:?}: {text}");
        assert!(text.contains("does not store batches") && text.contains("nothing is lost"), "{answer:?}: {text}");
    }
    assert_eq!(store.count("records"), 0);
    let output = machine.ship(&collector.url);
    assert_eq!(output_text(&output).trim(), "shipped 41 records of 1 tapes");
    store.assert_stored(&[lines]);
    let url = collector.url.clone();
    drop(collector);
    let output = machine.ship(&url);
    assert_eq!(output_text(&output).trim(), "shipped 0 records of 0 tapes", "what is shipped needs no collector");
}
