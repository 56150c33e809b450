//! Tests a pool with small shell programs as workers.

use std::time::Duration;

use pintle_contract::CancelToken;

use super::{ScriptWorkerPool, WorkerCallError, WorkerProgram};

const LONG: Duration = Duration::from_secs(20);

fn shell_pool(script: &str) -> ScriptWorkerPool {
    ScriptWorkerPool::new(WorkerProgram { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] })
}

fn call_pool(pool: &ScriptWorkerPool, message: &str, own_time: Duration) -> Result<String, WorkerCallError> {
    let answer = pool.call(message.as_bytes(), own_time, LONG, &CancelToken::default(), &mut |question| {
        format!("reply to {}", String::from_utf8_lossy(question)).into_bytes()
    })?;
    Ok(String::from_utf8(answer).unwrap())
}

#[test]
fn a_worker_serves_many_calls_and_may_ask_back() {
    let pool = shell_pool("while read -r line; do echo \"?who\"; read -r who; echo \"=$$ $line, $who\"; done");
    let first = call_pool(&pool, "one", LONG).unwrap();
    let second = call_pool(&pool, "two", LONG).unwrap();
    let pid = |answer: &str| answer.split(' ').next().map(str::to_owned);
    assert_eq!(pid(&first), pid(&second));
    assert!(second.ends_with("two, reply to who"), "{second}");
}

#[test]
fn a_late_worker_is_killed_and_the_next_call_gets_a_fresh_one() {
    let pool = shell_pool("while read -r line; do [ $line = hang ] && sleep 1000; echo =$$; done");
    let before = call_pool(&pool, "go", LONG).unwrap();
    assert_eq!(call_pool(&pool, "hang", Duration::from_millis(50)), Err(WorkerCallError::TimedOut));
    let after = call_pool(&pool, "go", LONG).unwrap();
    assert_ne!(before, after);
}

#[test]
fn a_dead_worker_says_how_it_died() {
    assert_eq!(
        call_pool(&shell_pool("read -r line; exit 3"), "x", LONG),
        Err(WorkerCallError::Crashed(String::from("exit 3")))
    );
    assert_eq!(
        call_pool(&shell_pool("read -r line; kill -9 $$"), "x", LONG),
        Err(WorkerCallError::Crashed(String::from("signal 9")))
    );
    let missing = ScriptWorkerPool::new(WorkerProgram { program: "/nonexistent/worker".into(), arguments: Vec::new() });
    assert!(matches!(call_pool(&missing, "x", LONG), Err(WorkerCallError::Start(_))));
}

#[test]
fn a_worker_that_does_not_read_does_not_hold_its_host() {
    let large = "x".repeat(8 << 20);
    assert_eq!(
        call_pool(&shell_pool("sleep 1000"), &large, Duration::from_millis(100)),
        Err(WorkerCallError::TimedOut)
    );
}

#[test]
fn nonsense_and_cancellation_end_a_call() {
    assert!(matches!(call_pool(&shell_pool("read -r line; echo hello"), "x", LONG), Err(WorkerCallError::Crashed(_))));
    let cancel = CancelToken::default();
    cancel.cancel();
    let ended = shell_pool("sleep 1000").call(b"x", LONG, LONG, &cancel, &mut |_| Vec::new());
    assert_eq!(ended, Err(WorkerCallError::Cancelled));
}

#[test]
fn a_call_that_waits_for_its_worker_is_woken_by_the_cancellation() {
    let (cancel, (asked, waits)) = (CancelToken::default(), std::sync::mpsc::channel());
    let pool = shell_pool("echo '?'; exec sleep 1000");
    let ended = std::thread::scope(|threads| {
        let part = cancel.child_token();
        let call = threads.spawn(move || {
            pool.call(b"x", LONG, LONG, &part, &mut |_| {
                asked.send(()).unwrap();
                Vec::new()
            })
        });
        waits.recv_timeout(pintle_testkit::PATIENCE).unwrap();
        cancel.cancel();
        call.join().unwrap()
    });
    assert_eq!(ended, Err(WorkerCallError::Cancelled));
}
