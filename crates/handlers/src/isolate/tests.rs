//! A pool driven with small shell programs as workers.

use std::time::Duration;

use pintle_contract::CancelToken;

use super::{IsolateError, Pool, WorkerProgram};

const LONG: Duration = Duration::from_secs(20);

fn pool(script: &str) -> Pool {
    Pool::new(WorkerProgram { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] })
}

fn call(pool: &Pool, message: &str, own_time: Duration) -> Result<String, IsolateError> {
    let answer = pool.call(message.as_bytes(), own_time, LONG, &CancelToken::default(), &mut |question| {
        format!("reply to {}", String::from_utf8_lossy(question)).into_bytes()
    })?;
    Ok(String::from_utf8(answer).unwrap())
}

#[test]
fn a_worker_serves_many_calls_and_may_ask_back() {
    let pool = pool("while read -r line; do echo \"?who\"; read -r who; echo \"=$$ $line, $who\"; done");
    let first = call(&pool, "one", LONG).unwrap();
    let second = call(&pool, "two", LONG).unwrap();
    let pid = |answer: &str| answer.split(' ').next().map(str::to_owned);
    assert_eq!(pid(&first), pid(&second));
    assert!(second.ends_with("two, reply to who"), "{second}");
}

#[test]
fn a_late_worker_is_killed_and_the_next_call_gets_a_fresh_one() {
    let pool = pool("while read -r line; do [ $line = hang ] && sleep 1000; echo =$$; done");
    let before = call(&pool, "go", LONG).unwrap();
    assert_eq!(call(&pool, "hang", Duration::from_millis(50)), Err(IsolateError::Late));
    let after = call(&pool, "go", LONG).unwrap();
    assert_ne!(before, after);
}

#[test]
fn a_dead_worker_says_how_it_died() {
    assert_eq!(call(&pool("read -r line; exit 3"), "x", LONG), Err(IsolateError::Died(String::from("exit 3"))));
    assert_eq!(call(&pool("read -r line; kill -9 $$"), "x", LONG), Err(IsolateError::Died(String::from("signal 9"))));
    let missing = Pool::new(WorkerProgram { program: "/nonexistent/worker".into(), arguments: Vec::new() });
    assert!(matches!(call(&missing, "x", LONG), Err(IsolateError::Start(_))));
}

#[test]
fn a_worker_that_does_not_read_does_not_hold_its_host() {
    let large = "x".repeat(8 << 20);
    assert_eq!(call(&pool("sleep 1000"), &large, Duration::from_millis(100)), Err(IsolateError::Late));
}

#[test]
fn nonsense_and_cancellation_end_a_call() {
    assert!(matches!(call(&pool("read -r line; echo hello"), "x", LONG), Err(IsolateError::Died(_))));
    let cancel = CancelToken::default();
    cancel.cancel();
    let ended = pool("sleep 1000").call(b"x", LONG, LONG, &cancel, &mut |_| Vec::new());
    assert_eq!(ended, Err(IsolateError::Cancelled));
}

#[test]
fn a_warm_pool_has_its_worker_before_the_first_call() {
    let pool = pool("while read -r line; do echo \"=$line\"; done");
    pool.warm();
    assert_eq!(pool.idle.lock().unwrap().len(), 1);
    assert_eq!(call(&pool, "x", LONG).unwrap(), "x");
}
