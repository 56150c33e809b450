//! Every event, every output and every `on_error`, compared with the table in `matrix.txt`.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pintle_host::Severity;
use serde_json::json;

use crate::docker_agent::fixture::{DockerHooksFixture, describe_outcome, hook_block};

const TABLE: &str = include_str!("matrix.txt");

/// The outputs, and the scripts that print them.
const ANSWERS: [(&str, &str); 16] = [
    ("silent", "cat >/dev/null"),
    (
        "json_allow",
        r#"echo '{"hook_specific_output":{"permission_decision":"allow","permission_decision_reason":"fine"}}'"#,
    ),
    ("json_deny", r#"echo '{"decision":"block","reason":"no"}'"#),
    ("exit_2", "echo no >&2; exit 2"),
    ("exit_1", "echo '{}'; exit 1"),
    ("exit_127", "/nowhere/guard"),
    ("signal", "kill -9 $$"),
    ("timeout", "sleep 600"),
    ("malformed_json", r#"echo '{"decision":"block","reason":"no"'"#),
    ("text_before_json", r#"echo checking; echo '{"decision":"block","reason":"no"}'"#),
    ("two_objects", r#"echo '{"continue":true}{"decision":"block","reason":"no"}'"#),
    ("flood", "head -c 2097152 /dev/zero"),
    ("invalid_utf8", r#"printf '{"decision":"block","reason":"\377"}'"#),
    ("closed_stdin", r#"exec <&-; echo '{"decision":"block","reason":"no"}'"#),
    ("camel_case", r#"echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}'"#),
    ("unknown_decision", r#"echo '{"decision":"deny","reason":"no"}'"#),
];

const ON_ERROR: [&str; 4] = ["unset", "warn", "ignore", "block"];

/// The events on which a hook prints 200 MB: one for each kind of outcome.
const FLOODED: [(&str, &str); 4] =
    [("pre_tool_use", "unset"), ("post_tool_use", "block"), ("turn_start", "warn"), ("stop", "ignore")];

type MatrixCombination = (&'static str, &'static str, &'static str);

struct OutcomeTable {
    /// Every event of a group.
    events: Vec<&'static str>,
    rows: Vec<(BTreeSet<MatrixCombination>, &'static str)>,
}

/// Reads the table and expands its groups.
fn read_table() -> OutcomeTable {
    let mut words: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut events = Vec::new();
    let mut rows = Vec::new();
    let mut section = "";
    for line in TABLE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (section, line.starts_with('[')) {
            (_, true) => section = line,
            ("[rows]", _) => {
                let cells: Vec<&str> = line.split('|').map(str::trim).collect();
                let spread = |cell: &str, all: &[&'static str], known: &BTreeMap<&str, Vec<&'static str>>| {
                    cell.split_whitespace()
                        .flat_map(|word| match word {
                            "any" => all.to_vec(),
                            word => known.get(word).cloned().unwrap_or_else(|| {
                                vec![*all.iter().find(|one| **one == word).unwrap_or_else(|| panic!("{word}: {line}"))]
                            }),
                        })
                        .collect::<Vec<_>>()
                };
                let mut covered = BTreeSet::new();
                for event in spread(cells[0], &events, &words) {
                    for answer in spread(cells[1], &ANSWERS.map(|(name, _)| name), &words) {
                        for on_error in spread(cells[2], &ON_ERROR, &words) {
                            assert!(covered.insert((event, answer, on_error)), "twice in one row: {line}");
                        }
                    }
                }
                rows.push((covered, cells[3]));
            }
            (_, _) => {
                let (name, members) = line.split_once('=').unwrap();
                let members: Vec<&str> = members.split_whitespace().collect();
                if section == "[groups]" {
                    events.extend(&members);
                }
                words.insert(name.trim(), members);
            }
        }
    }
    OutcomeTable { events, rows }
}

/// The outcome of one combination.
fn combination_outcome((event, answer, on_error): MatrixCombination) -> String {
    let script = match ANSWERS.iter().find(|(name, _)| *name == answer).unwrap() {
        ("flood", _) if FLOODED.contains(&(event, on_error)) => "head -c 200000000 /dev/zero",
        (_, script) => script,
    };
    let mut fields = String::new();
    if on_error != "unset" {
        fields.push_str(&format!(", on_error: {on_error}"));
    }
    if answer == "timeout" {
        fields.push_str(", timeout: 0.1");
    }
    let fixture = DockerHooksFixture::from_block(&hook_block(event, &fields, script));
    let errors: Vec<_> = fixture.findings.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    match errors.as_slice() {
        [] => describe_outcome(&fixture.fire(event, json!({}))),
        [finding] if finding.message.ends_with("on_error block is not supported by this event") => {
            String::from("rejected")
        }
        other => panic!("{event} {answer} {on_error}: {other:?}"),
    }
}

#[test]
fn every_answer_on_every_event_means_what_the_table_says() {
    let OutcomeTable { events, rows } = read_table();
    let known: BTreeSet<&str> = pintle_host::dialects::docker_agent::ROWS.iter().map(|def| def.name).collect();
    let lane = "pre_tool_use+preempt";
    assert_eq!(events.iter().copied().filter(|event| *event != lane).collect::<BTreeSet<_>>(), known);
    assert_eq!(events.len(), 29, "an event is in two groups");
    let mut combinations = Vec::new();
    for event in events {
        for (answer, _) in ANSWERS {
            for on_error in ON_ERROR {
                let matching: Vec<_> =
                    rows.iter().filter(|(covered, _)| covered.contains(&(event, answer, on_error))).collect();
                let [(_, wanted)] = matching.as_slice() else {
                    panic!("{} rows for {event}, {answer}, {on_error}", matching.len())
                };
                combinations.push(((event, answer, on_error), *wanted));
            }
        }
    }
    // Each combination matches one line, so a line without combinations is useless.
    assert!(rows.iter().all(|(covered, _)| !covered.is_empty()), "a row is not used");
    assert_eq!(combinations.len(), 29 * 16 * 4);
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let check = |(combination, wanted): &(MatrixCombination, &str)| {
        let found = combination_outcome(*combination);
        if found != *wanted {
            wrong.lock().unwrap().push(format!("{combination:?}: wanted `{wanted}`, found `{found}`"));
        }
    };
    // A hook that is too late while others run is asked once more alone, and all others wait for that.
    let (late, soon): (Vec<_>, Vec<_>) = combinations.into_iter().partition(|((_, answer, _), _)| *answer == "timeout");
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(combination) = soon.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(combination);
                }
            });
        }
    });
    late.iter().for_each(check);
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
