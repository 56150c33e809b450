//! Shipping without faults, and tapes that are not as they were.

use std::fs;

use serde_json::{Value, json};

use crate::fixture::{
    TestCollector, TestStore, make_tape, output_text, push_call, push_line, run_fleet, write_file, write_lines,
};

#[test]
fn tapes_of_agents_and_own_sessions_arrive_and_are_listed() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let (ada, bob) = (store.add_machine("ada"), store.add_machine("bob"));
    // One call has a character that a text of the database cannot have, and one is long.
    let mut odd = make_tape("odd", 9);
    push_call(&mut odd, "odd", 10, "git push\0--force");
    push_call(&mut odd, "odd", 11, &"x".repeat(3 << 20));
    let tapes = [make_tape("one", 3_000), odd, make_tape("two", 5), make_tape("three", 1)];
    write_lines(&ada.host_tape("claude", "one"), &tapes[0]);
    let state = json!({"version": 1, "facts": {"project": "/home/ada/project"}});
    write_file(&ada.host_tape("claude", "one").with_file_name("state.json"), format!("{state}\n"));
    write_lines(&ada.own_tape("odd"), &tapes[1]);
    write_lines(&ada.own_tape("three"), &tapes[3]);
    write_lines(&bob.host_tape("codex", "two"), &tapes[2]);
    for (machine, shipped) in [(&ada, "shipped 6027 records of 3 tapes"), (&bob, "shipped 11 records of 1 tapes")] {
        let output = machine.ship(&collector.url);
        assert_eq!((output.status.code(), output_text(&output).trim()), (Some(0), shipped));
        let again = output_text(&machine.ship(&collector.url));
        assert_eq!(again.trim(), "shipped 0 records of 0 tapes");
    }
    store.assert_stored(&tapes);

    let log = |args: &[&str]| {
        let output = run_fleet(&[&["log", "--store", &store.url], args].concat());
        assert!(output.status.success(), "{output:?}");
        output_text(&output)
    };
    let denied = log(&["--denied", "-n", "0"]);
    assert_eq!(denied.lines().count(), 603);
    let line = log(&["--denied", "--machine", "bob"]);
    assert!(line.contains("denied     bob           codex     Bash: echo 5  git.force-push: no"), "{line}");
    assert_eq!(log(&["--denied", "--rule", "git", "--host", "codex"]), line);
    assert!(log(&["--denied", "--rule", "gi"]).starts_with("no stored decision"));
    assert_eq!(log(&["--machine", "bob", "--since", "2020-01-01"]).lines().count(), 5);
    assert!(log(&["--machine", "bob", "--since", "1h"]).starts_with("no stored decision"));
    assert_eq!(log(&[]).lines().count(), 50, "the newest");
    let entry: Value = serde_json::from_str(&log(&["--json", "--denied", "--host", "claude", "-n", "1"])).unwrap();
    let found = ["machine", "session", "project", "call", "word"].map(|key| entry[key].as_str().unwrap());
    assert_eq!(found, ["ada", "one", "/home/ada/project", "echo 3000", "denied"]);
    let odd = log(&["--json", "--denied", "--machine", "ada", "-n", "0"]);
    assert!(odd.contains("git push\\u0000--force"));
}

#[test]
fn whole_lines_are_shipped_as_a_tape_grows_and_its_decisions_change() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("ada");
    let tape = machine.host_tape("claude", "s");
    let note = |decision: &str| json!({"kind": "bridge", "data": {"host": "claude", "event": "PreToolUse", "decision": decision, "reason": "because"}});
    let mut lines = make_tape("s", 1);
    push_line(&mut lines, note("deny"));
    push_call(&mut lines, "s", 2, "two");
    // Every prefix of the file, as a writer may leave it.
    let text = lines.join("\n") + "\n";
    let mut cuts: Vec<usize> = text.match_indices('\n').flat_map(|(end, _)| [end, end + 1]).collect();
    cuts.extend([0, 10]);
    cuts.sort_unstable();
    for cut in cuts {
        write_file(&tape, &text[..cut]);
        let output = machine.ship(&collector.url);
        assert!(output.status.success(), "{cut}: {output:?}");
        let whole = text[..cut].matches('\n').count();
        let expected: &[Vec<String>] = if whole == 0 { &[] } else { &[lines[..whole].to_vec()] };
        store.assert_stored(expected);
    }
}

#[test]
fn tape_that_is_not_as_it_was_is_reported_and_not_shipped() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("ada");
    let lines = make_tape("s", 4);
    let (tape, other) = (machine.own_tape("s"), make_tape("other", 2));
    write_lines(&tape, &lines);
    assert!(machine.ship(&collector.url).status.success());
    let mut changed = lines[..8].to_vec();
    push_call(&mut changed, "s", 9, "not the same");
    let mut longer = lines.clone();
    push_call(&mut longer, "s", 9, "last");
    let torn = longer[longer.len() - 1].replace("\"kind\"", "\"knid\"");
    let unlinked = longer[longer.len() - 1].replace("\"prev\":\"", "\"prev\":\"00");
    let unlinked = [&longer[..longer.len() - 1], &[unlinked]].concat();
    let damaged = [&longer[..longer.len() - 1], &[torn, String::from("x")]].concat();
    let kept = longer[..longer.len() - 1].to_vec();
    for (case, reason, keeps_offsets, stored) in [
        (lines[..6].to_vec(), "6 whole lines, and 9 were shipped", true, &lines),
        (changed.clone(), "line 9 is not the one that was shipped", true, &lines),
        (Vec::new(), "no whole line, and 9 were shipped", true, &lines),
        (damaged, "the lines before it are shipped", true, &kept),
        (unlinked, "does not follow the line before it", true, &kept),
        (lines[..6].to_vec(), "6 whole lines, and 10 were shipped", false, &kept),
        (changed, "line 10 is not the one that was shipped", false, &kept),
    ] {
        if !keeps_offsets {
            let _ = fs::remove_dir_all(machine.offsets());
        }
        write_file(&tape, case.iter().map(|line| format!("{line}\n")).collect::<String>());
        let output = machine.ship(&collector.url);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{reason}: {text}");
        assert!(text.contains(reason), "{reason}: {text}");
        store.assert_stored(std::slice::from_ref(stored));
    }
    // The whole tape again, and another session in the same file.
    write_lines(&tape, &longer);
    assert!(machine.ship(&collector.url).status.success());
    write_lines(&tape, &other);
    let output = machine.ship(&collector.url);
    assert!(output.status.success() && output_text(&output).contains("another session"), "{output:?}");
    store.assert_stored(&[longer, other]);
}
