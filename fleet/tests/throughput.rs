//! How many records a collector stores in a second, beside plain `COPY` of the same rows. Run by hand:
//! `cargo test --release --manifest-path fleet/Cargo.toml -- --ignored --nocapture throughput`.

use std::future::Future;
use std::time::Instant;

use pintle_fleet::{BATCH_PATH, MachineToken, StoreAddress, TapeBatch, hex_digest};
use reqwest::Client;
use tokio::task::JoinSet;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

use crate::fixture::{PgCluster, TestCollector, TestStore, connect, decisions_of, make_tape};

const MACHINES: usize = 200;
const CALLS: u64 = 500;
const LINES_PER_BATCH: usize = 200;

/// The batches of a tape, encoded, and its lines.
fn encode_batches(session: &str) -> (Vec<Vec<u8>>, Vec<String>) {
    let lines = make_tape(session, CALLS);
    let decisions = decisions_of(&lines);
    let chunks = lines.chunks(LINES_PER_BATCH).enumerate().map(|(index, chunk)| {
        let from = (index * LINES_PER_BATCH) as u64;
        let range = from..from + chunk.len() as u64;
        let batch = TapeBatch {
            tape: hex_digest(lines[0].as_bytes()),
            pintle: String::from("0.1.0"),
            policy: None,
            host: Some(String::from("claude")),
            project: Some(String::from("/home/user/project")),
            session: session.to_owned(),
            from,
            lines: chunk.to_vec(),
            decisions: decisions.iter().filter(|decision| range.contains(&decision.seq)).cloned().collect(),
            withdrawn: Vec::new(),
        };
        serde_json::to_vec(&batch).unwrap()
    });
    (chunks.collect(), lines)
}

async fn measure(name: &str, records: usize, work: impl Future<Output = ()>) -> f64 {
    let start = Instant::now();
    work.await;
    let rate = records as f64 / start.elapsed().as_secs_f64();
    println!("{name}: {rate:.0} records a second");
    rate
}

#[test]
#[ignore = "it measures, and takes long"]
fn throughput_of_a_collector_beside_plain_copy() {
    let Some(cluster) = PgCluster::start_with("fsync = on\n") else { return };
    let store = TestStore::in_cluster(cluster);
    let collector = TestCollector::start(&store);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let address = StoreAddress::parse(&store.url).unwrap();
    let mut machines: Vec<(MachineToken, Vec<Vec<u8>>)> = Vec::new();
    let mut rows: Vec<(i64, Vec<String>)> = Vec::new();
    for index in 0..MACHINES {
        let token = runtime.block_on(address.add_machine(&format!("machine-{index}"))).unwrap();
        let (batches, lines) = encode_batches(&format!("session-{index}"));
        machines.push((token, batches));
        rows.push((index as i64, lines));
    }
    let records: usize = rows.iter().map(|(_, lines)| lines.len()).sum();
    let bytes: usize = rows.iter().flat_map(|(_, lines)| lines).map(String::len).sum();
    println!("{MACHINES} machines, {records} records of {} bytes, batches of {LINES_PER_BATCH}", bytes / records);

    let url = format!("{}{BATCH_PATH}", collector.url);
    let collected = runtime.block_on(async {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().build().unwrap();
        let send = async {
            let mut tasks = JoinSet::new();
            for (token, batches) in machines {
                let (client, url) = (client.clone(), url.clone());
                tasks.spawn(async move {
                    for batch in batches {
                        let request = client.post(&url).bearer_auth(token.as_str()).body(batch);
                        assert_eq!(request.send().await.unwrap().status(), 200);
                    }
                });
            }
            tasks.join_all().await;
        };
        measure("collector", records, send).await
    });
    assert_eq!(store.count("records"), records as i64);
    assert_eq!(store.count("decisions"), (MACHINES as u64 * CALLS) as i64);

    let decisions = store.query("SELECT tape, seq, up_to, at_ms, word, is_failed, hook, rule, data FROM decisions");
    let copied = runtime.block_on(async {
        let client = connect(&store.url).await;
        let tables = "SET search_path TO pintle_fleet; CREATE TABLE plain_records (LIKE records INCLUDING ALL); \
             CREATE TABLE plain_decisions (LIKE decisions INCLUDING ALL)";
        client.batch_execute(tables).await.unwrap();
        let copy = async {
            let sink =
                client.copy_in("COPY plain_records (tape, seq, at_ms, kind, line) FROM STDIN BINARY").await.unwrap();
            let writer = BinaryCopyInWriter::new(sink, &[Type::INT8, Type::INT8, Type::INT8, Type::TEXT, Type::TEXT]);
            let mut writer = std::pin::pin!(writer);
            for (tape, lines) in &rows {
                for (seq, line) in (0_i64..).zip(lines) {
                    writer.as_mut().write(&[tape, &seq, &seq, &"event", line]).await.unwrap();
                }
            }
            writer.finish().await.unwrap();
            let columns = "tape, seq, up_to, at_ms, word, is_failed, hook, rule, data";
            let sink = client.copy_in(&format!("COPY plain_decisions ({columns}) FROM STDIN BINARY")).await.unwrap();
            let types: Vec<Type> = decisions[0].columns().iter().map(|column| column.type_().clone()).collect();
            let mut writer = std::pin::pin!(BinaryCopyInWriter::new(sink, &types));
            for row in &decisions {
                let numbers: [i64; 4] = [0, 1, 2, 3].map(|index| row.get(index));
                let texts: [Option<&str>; 4] = [4, 6, 7, 8].map(|index| row.get(index));
                let ([tape, seq, up_to, at_ms], [word, hook, rule, data]) = (&numbers, &texts);
                let is_failed: bool = row.get(5);
                writer.as_mut().write(&[tape, seq, up_to, at_ms, word, &is_failed, hook, rule, data]).await.unwrap();
            }
            writer.finish().await.unwrap();
        };
        measure("plain COPY of the same rows", records, copy).await
    });
    println!("the collector reaches {:.0} % of plain COPY", 100.0 * collected / copied);
}
