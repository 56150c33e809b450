//! Machines with their policy and their last proof, and the collector as a witness.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use pintle_fleet::hex_digest;
use pintle_tape::checkpoint::{CheckpointText, TreeFrontier};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::fixture::{
    TestCollector, TestStore, make_tape, output_text, push_call, push_line, run_fleet, write_file, write_lines,
};

/// A hook of a configuration layer.
fn hook(layer: &str, path: &str) -> Value {
    json!({"entry": 0, "chain": 0, "id": "guard", "event": "tool.pre", "event_alias": "tool.pre", "source": "hooks",
        "dialect": "ai_harness", "layer": layer, "profile": "sequential/first_deny", "priority": 1, "mode": "enforce",
        "guard": true, "on_failure": "closed", "on_deny": "default", "strict_matcher": false, "path": path, "line": 5,
        "digest": "9f86"})
}

fn push_hooks(lines: &mut Vec<String>, hooks: &[Value]) {
    push_line(lines, json!({"kind": "hooks", "scope": "runtime", "hooks": hooks}));
}

/// The checkpoint about lines, with a signature that is checked by those who have the key only.
fn note_about(lines: &[String]) -> String {
    let mut tree = TreeFrontier::default();
    lines.iter().for_each(|line| tree.push(&Sha256::digest(line.as_bytes()).into()));
    let text = CheckpointText::new(&hex_digest(lines[0].as_bytes()), &tree);
    format!("{text}\n\u{2014} pintle/4215 AAAAAAE=\n")
}

fn push_checkpoint(lines: &mut Vec<String>) -> String {
    let note = note_about(lines);
    push_line(lines, json!({"kind": "checkpoint", "note": note}));
    note
}

#[test]
fn machines_are_listed_with_their_policy_and_their_last_proof() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let (ada, bob, eve) = (store.add_machine("ada"), store.add_machine("bob"), store.add_machine("eve"));
    let list = || output_text(&run_fleet(&["machine", "list", "--store", &store.url]));
    let policy_of = |list: &str, name: &str| {
        let line = list.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        line.split_once("  policy ").map(|(_, rest)| rest.get(..12).unwrap().to_owned())
    };
    // The same policy on two machines, whose users have their own hooks, and another one on the third.
    let mut tapes = Vec::new();
    for (machine, session, hooks) in [
        (&ada, "a", [hook("managed", "/etc/pintle/a.md"), hook("user", "/home/ada/b.md")].as_slice()),
        (&bob, "b", &[hook("managed", "/etc/pintle/a.md"), hook("user", "/home/bob/b.md")]),
        (&eve, "e", &[hook("managed", "/etc/pintle/old.md")]),
    ] {
        let mut lines = make_tape(session, 0);
        push_hooks(&mut lines, hooks);
        write_lines(&machine.own_tape("s"), &lines);
        assert!(machine.ship(&collector.url).status.success());
        tapes.push(lines);
    }
    let listed = list();
    let policies = ["ada", "bob", "eve"].map(|name| policy_of(&listed, name).unwrap());
    assert!(policies[0] == policies[1] && policies[0] != policies[2], "{listed}");
    assert!(listed.lines().all(|line| line.contains("  1 tapes  pintle 0.1.0  policy ")), "{listed}");
    // The tape grows, in batches that begin anywhere.
    let lines = &mut tapes[0];
    let mut notes = vec![push_checkpoint(lines)];
    write_lines(&ada.own_tape("s"), lines);
    assert!(ada.ship(&collector.url).status.success());
    push_call(lines, "a", 1, "ls");
    push_hooks(lines, &[hook("user", "/home/ada/b.md")]);
    notes.push(push_checkpoint(lines));
    write_lines(&ada.own_tape("s"), lines);
    assert!(ada.ship(&collector.url).status.success());
    let listed = list();
    assert_eq!(policy_of(&listed, "ada"), None, "the organisation's hooks were not loaded any more: {listed}");
    let line = listed.lines().next().unwrap();
    assert!(line.contains("  6 records of session a signed by pintle/4215, received "), "{line}");
    store.assert_stored(&tapes);
    // They are kept longer than the records.
    store.query("DELETE FROM records");
    let witness = run_fleet(&["machine", "checkpoints", "ada", "--store", &store.url]);
    assert_eq!(String::from_utf8(witness.stdout).unwrap(), format!("{}\n{}\n", notes[0], notes[1]));
    assert!(
        output_text(&run_fleet(&["machine", "checkpoints", "bob", "--store", &store.url])).contains("no checkpoint")
    );
}

#[test]
fn tape_that_contradicts_a_checkpoint_is_refused() {
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("ada");
    let (tape, mut lines) = (machine.own_tape("s"), make_tape("s", 2));
    write_lines(&tape, &lines);
    assert!(machine.ship(&collector.url).status.success());
    let other = make_tape("other", 2);
    let shorter = &lines[..3];
    for (reason, note) in [
        ("contradicts it", note_about(&other)),
        ("contradicts it", note_about(shorter)),
        ("contradicts it", note_about(&[lines[..4].to_vec(), vec![lines[4].replace("allow", "deny")]].concat())),
        ("not a signed checkpoint", note_about(&lines).replace('\u{2014}', "-")),
        ("not a signed checkpoint", String::from("'; DROP TABLE checkpoints; --")),
    ] {
        let mut forged = lines.clone();
        push_line(&mut forged, json!({"kind": "checkpoint", "note": note}));
        write_lines(&tape, &forged);
        let output = machine.ship(&collector.url);
        let text = output_text(&output);
        assert!(output.status.code() == Some(1) && text.contains(reason), "{reason}: {text}");
        store.assert_stored(std::slice::from_ref(&lines));
    }
    assert_eq!(store.count("checkpoints"), 0);
    push_checkpoint(&mut lines);
    push_call(&mut lines, "s", 3, "ls");
    write_lines(&tape, &lines);
    assert!(machine.ship(&collector.url).status.success());
    // The tape is written again with its first line, and the machine forgot how far it was shipped.
    let mut changed = vec![lines[0].clone()];
    for call in 1..=6 {
        push_call(&mut changed, "s", call, "nothing happened");
    }
    push_checkpoint(&mut changed);
    fs::remove_dir_all(machine.offsets()).unwrap();
    write_lines(&tape, &changed);
    let output = machine.ship(&collector.url);
    let text = output_text(&output);
    assert!(text.contains("its first 5 records are not those that this machine signed before"), "{text}");
    assert!(output.status.code() == Some(1) && text.contains("the collector witnessed the checkpoint"), "{text}");
    store.assert_stored(std::slice::from_ref(&lines));
    // As it was, it is accepted again.
    write_lines(&tape, &lines);
    assert!(machine.ship(&collector.url).status.success());
}

#[test]
fn real_tape_is_proved_with_the_checkpoints_of_the_collector() {
    // It is a program of another workspace, which may not be built.
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_pintle-fleet")).with_file_name("pintle");
    if !program.exists() {
        eprintln!("NOT TESTED: {} is not built", program.display());
        return;
    }
    let Some(store) = TestStore::new() else { return };
    let collector = TestCollector::start(&store);
    let machine = store.add_machine("ada");
    let project = machine.dir.path().join("project");
    write_file(
        &machine.dir.path().join("managed/hooks.d/org.yaml"),
        "pre_tool_use:\n  - matcher: \"*\"\n    hooks: [{type: command, command: \"true\"}]\n",
    );
    write_file(&project.join("file"), "");
    let pintle = |args: &[&str], input: &str| {
        let mut command = Command::new(&program);
        command.args(args).current_dir(&project).env("HOME", machine.dir.path());
        command
            .env("PINTLE_STATE_DIR", machine.state_dir())
            .env("PINTLE_MANAGED_DIR", machine.dir.path().join("managed"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    for event in ["PreToolUse", "Stop", "PreToolUse", "Stop"] {
        let event = json!({"session_id": "s", "cwd": project, "hook_event_name": event, "transcript_path": "/dev/null",
            "tool_name": "Bash", "tool_input": {"command": "ls"}});
        assert!(pintle(&["hook", "claude"], &event.to_string()).status.success());
    }
    let shipped = machine.ship(&collector.url);
    assert!(shipped.status.success(), "{shipped:?}");
    let list = output_text(&run_fleet(&["machine", "list", "--store", &store.url]));
    assert!(list.contains("  policy ") && list.contains("of session s signed by pintle/"), "{list}");
    let witness = run_fleet(&["machine", "checkpoints", "ada", "--store", &store.url]);
    fs::write(project.join("witness"), &witness.stdout).unwrap();
    let key = String::from_utf8(pintle(&["tape", "key"], "").stdout).unwrap();
    let tape = fs::read_dir(machine.state_dir().join("bridge/claude")).unwrap();
    let tape = tape.flatten().map(|entry| entry.path().join("tape.jsonl")).find(|path| path.exists()).unwrap();
    let verify = |tape: &str| pintle(&["tape", "verify", tape, "--key", key.trim(), "--witness", "witness"], "");
    let proved = verify(&tape.display().to_string());
    // The session goes on, so its tape is unfinished.
    assert!(output_text(&proved).contains("checkpoints: 2 signed, 2 witnessed"), "{proved:?}");
    let text = fs::read_to_string(&tape).unwrap();
    let cut: Vec<&str> = text.lines().take(4).collect();
    fs::write(project.join("cut.jsonl"), cut.join("\n") + "\n").unwrap();
    let cut = verify("cut.jsonl");
    assert!(!cut.status.success() && output_text(&cut).contains("the tape had"), "{cut:?}");
}
