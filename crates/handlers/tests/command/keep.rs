//! Persistent commands: the same outputs as programs that are started for each call, from one process.

use std::fs;
use std::sync::Arc;

use pintle_contract::{CommandSpec, FailureKind, Origin, Payload};
use serde_json::json;

use crate::fixture::{CommandFixture, shell_command};

fn persistent_fixture(text: &str) -> CommandFixture {
    CommandFixture::new(CommandSpec { keep: true, ..shell_command(text) })
}

/// Programs that answer each line with a line, and their output for `{"name": "shell"}`.
const LOOPS: &[(&str, &str)] = &[
    ("while read -r line; do echo ok; done", "exit 0|ok|"),
    ("while read -r line; do echo; done", "exit 0||"),
    (
        "while read -r line; do printf '%s\\n' \"$line\"; done",
        r#"exit 0|{"event":"tool.pre","session":"","payload":{"name":"shell"}}|"#,
    ),
    ("while read -r line; do printf '\\377\\n'; done", "exit 0|\u{fffd}|"),
];

/// Programs that do not work persistently. All of them answer a call that they are started for.
const NOT_KEEPING: &[&str] = &[
    "true",
    "exit 2",
    "echo no >&2; exit 1",
    "kill -9 $$",
    "read -r line; printf 'one\\ntwo\\n'",
    "read -r line; printf 'no newline'",
    "pintle-no-such-program",
    "exec 0<&-; echo closed",
    "printf x",
];

#[test]
fn a_kept_program_answers_as_one_that_is_started_for_the_call() {
    for (text, told) in LOOPS {
        let (kept, plain) = (
            persistent_fixture(text),
            CommandFixture::new(shell_command(&format!("printf '%s\\n' \"$(cat)\" | {{ {text}; }}"))),
        );
        for _ in 0..3 {
            assert_eq!(kept.call_hook(), plain.call_hook(), "{text}");
        }
        assert_eq!(kept.call_output(), *told, "{text}");
    }
    for text in NOT_KEEPING {
        // The program per call gets the same line as the persistent one.
        let (kept, plain) = (
            persistent_fixture(text),
            CommandFixture::new(shell_command(&format!("printf '%s\\n' \"$(cat)\" | {{ {text}; }}"))),
        );
        let plain = if text.contains("kill") || text.contains("exit") {
            CommandFixture::new(shell_command(text))
        } else {
            plain
        };
        for _ in 0..3 {
            assert_eq!(kept.call_hook(), plain.call_hook(), "{text}");
        }
    }
}

#[test]
fn a_program_that_waits_for_the_end_of_its_input_is_found_out_in_time() {
    let kept = persistent_fixture("cat >/dev/null; echo $0").with_timeout(4_000);
    assert_eq!([kept.call_output(), kept.call_output()], ["exit 0|/bin/sh|", "exit 0|/bin/sh|"]);
}

#[test]
fn one_process_answers_many_calls() {
    let kept = persistent_fixture("while read -r line; do echo $$; done");
    let first = kept.call_output();
    assert!((0..50).all(|_| kept.call_output() == first));
}

#[test]
fn a_crash_costs_one_call_a_process_of_its_own_and_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let crashed = dir.path().join("crashed");
    // The second call kills the persistent process; the program that is started for it denies with exit code 2, and so
    // on.
    let text = format!(
        "n=0; while read -r line; do n=$((n+1)); [ $n = 2 ] && {{ echo >{0}; kill -9 $$; }}; [ -e {0} ] && exit 2; echo $n; done",
        crashed.display()
    );
    let kept = persistent_fixture(&text);
    assert_eq!([kept.call_output(), kept.call_output(), kept.call_output()], ["exit 0|1|", "exit 2||", "exit 2||"]);
}

#[test]
fn a_late_answer_fails_and_takes_the_process_with_it() {
    let kept = persistent_fixture("while read -r line; do case $line in *hang*) sleep 600;; esac; echo $$; done")
        .with_timeout(500);
    let first = kept.call_output();
    let mut hanging = kept;
    hanging.event = hanging.event.with_payload(Payload::new(json!("hang")));
    assert_eq!(hanging.call_failure().kind, FailureKind::Timeout);
    let mut next = hanging.with_timeout(60_000);
    next.event = next.event.with_payload(Payload::new(json!("go on")));
    let after = next.call_output();
    assert!(after.starts_with("exit 0|") && after != first, "{after}");
}

#[test]
fn another_line_after_the_answer_puts_the_process_out_of_step() {
    let dir = tempfile::tempdir().unwrap();
    let more = dir.path().join("more");
    let text = format!(
        "while read -r line; do echo $$; until [ -e {0} ]; do sleep 0.01; done; echo allow; echo >{0}.said; done",
        more.display()
    );
    let kept = persistent_fixture(&text);
    let first = kept.call_output();
    fs::write(&more, "").unwrap();
    while !dir.path().join("more.said").exists() {
        std::thread::yield_now();
    }
    let second = kept.call_output();
    assert!(second != first && !second.contains("exit 0|allow|"), "{second}");
}

#[test]
fn calls_at_once_do_not_wait_for_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let (begun, go) = (dir.path().join("begun"), dir.path().join("go"));
    let text = format!(
        "while read -r line; do case $line in *wait*) : > {}; until [ -e {} ]; do sleep 0.01; done;; esac; echo $$; done",
        begun.display(),
        go.display()
    );
    let mut waiting = persistent_fixture(&text);
    let mut passing = CommandFixture::from_handler(Arc::clone(&waiting.hook.handler));
    waiting.event = waiting.event.with_payload(Payload::new(json!("wait")));
    passing.event = passing.event.with_payload(Payload::new(json!("pass")));
    std::thread::scope(|scope| {
        let waited = scope.spawn(|| waiting.call_output());
        while !begun.exists() {
            std::thread::yield_now();
        }
        let passed = passing.call_output();
        fs::write(&go, "").unwrap();
        assert_ne!(waited.join().unwrap(), passed);
    });
}

#[test]
fn a_process_serves_one_place() {
    let mut kept = persistent_fixture("while read -r line; do pwd -P; done");
    let mut told = Vec::new();
    for cwd in ["/", "/usr", "/"] {
        kept.event.origin = Arc::new(Origin { cwd: String::from(cwd), ..Origin::default() });
        told.push(kept.call_output());
    }
    assert_eq!(told, ["exit 0|/|", "exit 0|/usr|", "exit 0|/|"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_kept_process_ends_with_its_handler() {
    let kept = persistent_fixture("setsid sleep 100000 & while read -r line; do echo $! $$; done");
    let told = kept.call_output();
    let pids: Vec<&str> = told.trim_start_matches("exit 0|").trim_end_matches('|').split(' ').collect();
    let alive = |pid: &&str| std::path::Path::new("/proc").join(pid).exists();
    assert_eq!((pids.len(), pids.iter().all(alive)), (2, true), "{told}");
    drop(kept);
    assert!(!pids.iter().any(alive), "{told}");
}
