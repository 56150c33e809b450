//! Plays one corpus of cases through every way into the engine, and compares the outcomes and the records of the tapes: the crate
//! `pintle`, the program (`pintle serve`), the package for Python and the one for Node.js.

mod cases;
mod program;
mod rust;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use pintle_host::EventKind;
use serde_json::Value;
use xtask::{ChoreReport, SourceWorkspace, run_tool};

const COUNT: usize = 2_000;
const SEED: u64 = 2_026;

/// A way into the engine.
struct CasePlayer {
    /// The name of its results and of its directory of tapes.
    name: &'static str,
    play: fn(&Path, &[Value]) -> Result<(), String>,
}

const PLAYERS: &[CasePlayer] = &[
    CasePlayer { name: "rust", play: rust::play },
    CasePlayer { name: "program", play: program::play },
    CasePlayer {
        name: "python",
        play: |dir, _| play_script("target/python/bin/python", "lab/src/parity/play.py", dir, None),
    },
    CasePlayer { name: "node", play: |dir, _| play_script("node", "lab/src/parity/play.mjs", dir, None) },
    CasePlayer { name: "node-sync", play: |dir, _| play_script("node", "lab/src/parity/play.mjs", dir, Some("sync")) },
];

fn play_script(program: &str, script: &str, dir: &Path, form: Option<&str>) -> Result<(), String> {
    let ran = run_tool(Command::new(program).arg(script).arg(dir).args(form));
    ran.map_err(|error| format!("{error}; `.ci/run` says how the packages are built that it plays"))
}

/// Plays and compares. The packages must be built.
pub(crate) fn run(_workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let seed = match arguments {
        [] => SEED,
        [seed] => seed.parse().map_err(|_| format!("`{seed}` is not a seed: it is a whole number"))?,
        _ => return Err(String::from("parity takes one argument, a seed")),
    };
    let scratch = tempfile::tempdir().map_err(|error| format!("cannot create a directory: {error}"))?;
    let dir = fs::canonicalize(scratch.path()).map_err(|error| format!("cannot find the directory: {error}"))?;
    let cases = cases::write_cases(&dir, COUNT, seed)?;
    for player in PLAYERS {
        let tapes = dir.join("tapes").join(player.name);
        fs::create_dir_all(&tapes).map_err(|error| format!("cannot create `{}`: {error}", tapes.display()))?;
        (player.play)(&dir, &cases)?;
    }
    let mut found = FoundDifferences::default();
    let expected = read_results(&dir, "rust")?;
    let records = read_tapes(&dir, "rust")?;
    let count: usize = records.values().map(Vec::len).sum();
    for player in PLAYERS.iter().skip(1) {
        let own = read_results(&dir, player.name)?;
        match player.name {
            "program" => found.compare(player.name, &cases, &as_served(&cases, &expected), &as_served(&cases, &own)),
            _ => found.compare(player.name, &cases, &expected, &own),
        }
        for (set, own) in read_tapes(&dir, player.name)? {
            if player.name == "program" && set == ASKING {
                continue;
            }
            found.compare(
                &format!("{}, tape `{set}`", player.name),
                &[],
                records.get(&set).map_or(&[], Vec::as_slice),
                &own,
            );
        }
    }
    let kinds = expected.iter().fold(BTreeMap::<&str, usize>::new(), |mut kinds, result| {
        let kind = if result.get("error").is_some() {
            "no such event"
        } else if part(result, "/reason").as_str().is_some_and(|_| result.get("stops_run").is_some())
            || part(result, "/decision") == "deny"
        {
            "denied"
        } else {
            "allowed"
        };
        *kinds.entry(kind).or_default() += 1;
        kinds
    });
    let summary = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ");
    let passed = found.count == 0;
    let mut lines = found.lines;
    lines.push(format!(
        "{} cases ({summary}) and {count} records through {} ways: {} differences",
        cases.len(),
        PLAYERS.len(),
        found.count
    ));
    Ok(ChoreReport { lines, passed })
}

/// The set whose hooks ask. A host of `pintle serve` asks its user itself, by requests of its own, which the tape has.
const ASKING: &str = "asking";

/// Results without what the program says otherwise on purpose: its reasons where the user was asked, and warnings, of which each is
/// given once in a session.
fn as_served(cases: &[Value], results: &[Value]) -> Vec<Value> {
    let serve = |(case, result): (&Value, &Value)| {
        let mut result = result.clone();
        if let Some(fields) = result.as_object_mut() {
            let is_asked = part(case, "/set") == ASKING;
            fields.retain(|name, _| {
                name != "warnings"
                    && !(is_asked && ["decision", "reason", "reason_for_model", "hooks"].contains(&name.as_str()))
            });
        }
        result
    };
    cases.iter().zip(results).map(serve).collect()
}

/// What differs. The first of each way are shown.
#[derive(Default)]
struct FoundDifferences {
    count: usize,
    lines: Vec<String>,
}

impl FoundDifferences {
    fn compare(&mut self, name: &str, cases: &[Value], expected: &[Value], own: &[Value]) {
        const SHOWN: usize = 3;
        let mut shown = 0;
        for index in 0..expected.len().max(own.len()) {
            let (one, other) = (expected.get(index), own.get(index));
            if one == other {
                continue;
            }
            self.count += 1;
            if shown < SHOWN {
                shown += 1;
                let text = |value: Option<&Value>| value.map_or_else(|| String::from("nothing"), Value::to_string);
                let about = cases.get(index).map_or_else(String::new, |case| format!("  {case}\n"));
                self.lines.push(format!("{name}, {index}:\n{about}  rust: {}\n  here: {}", text(one), text(other)));
            }
        }
    }
}

/// A part of a value by its JSON Pointer; null if there is none.
fn part<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

fn read_lines(path: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().map_err(|error| format!("`{}`: {error}", path.display()))
}

fn read_results(dir: &Path, name: &str) -> Result<Vec<Value>, String> {
    let mut results = read_lines(&dir.join(format!("{name}.jsonl")))?;
    results.iter_mut().for_each(sort_keys);
    Ok(results)
}

/// The records of the tapes of a player, by set, without what belongs to the run: times, the chain of digests, and the first record.
fn read_tapes(dir: &Path, name: &str) -> Result<BTreeMap<String, Vec<Value>>, String> {
    let mut tapes = BTreeMap::new();
    for (set, _) in cases::HOOK_SETS {
        let path = dir.join("tapes").join(name).join(format!("{set}.jsonl"));
        if !path.exists() {
            continue;
        }
        let mut records = read_lines(&path)?;
        // The digest is of the times, too; only the program has a key to sign with, and ends its sessions.
        records.retain(|record| !["closed", "checkpoint"].contains(&record["kind"].as_str().unwrap_or_default()));
        records.retain(|record| part(record, "/event") != EventKind::SessionEnd.name());
        records.iter_mut().for_each(sort_keys);
        tapes.insert((*set).to_owned(), records);
    }
    Ok(tapes)
}

/// What belongs to a run: its times, and the chain of digests.
const OF_A_RUN: [&str; 5] = ["seq", "at_ms", "prev", "duration_us", "started_ms"];

/// Removes what belongs to a run, and writes the rest in one way. JavaScript puts keys that look like indexes first.
fn sort_keys(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !OF_A_RUN.contains(&name.as_str()));
            fields.sort_keys();
            fields.values_mut().for_each(sort_keys);
        }
        Value::Array(items) => items.iter_mut().for_each(sort_keys),
        // Each language writes decimals in its own way.
        Value::Number(number) if number.is_f64() => *value = number.as_f64().into(),
        _ => {}
    }
}
