//! What an attacker who can rewrite a tape can do unseen by those who have the key or one checkpoint: nothing, up to it.
//!
//! Every tape is checked here by Rust and by `integrations/verify_tape.py`, and both say the same.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use pintle_contract::Verdict;
use pintle_tape::checkpoint::{CheckpointSigner, SignedNote};
use pintle_tape::proof::{
    EvidenceReport, InclusionProof, MachineKey, MachineSigner, VerifierKey, WitnessNotes, WitnessWriter, check_evidence,
};
use pintle_tape::record::host::{HostRecord, SessionRecord, ToolCallRecord, ToolResultRecord, TurnPhase};
use pintle_tape::replay::{ReplayOptions, replay};
use pintle_tape::verify::{VerifyReport, verify_file_with_texts};
use pintle_tape::{HeaderRecord, RecordBody, Tape, TapeCursor, read};
use pintle_testkit::FakeClock;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::VerifySessionFixture;
use super::changes::{index_of_event, parse_records, rechain_records};

/// A directory with the keys of two machines, and the tapes that they sign.
struct ProofFixture {
    dir: TempDir,
}

/// How a tape was checked.
struct CheckedTape {
    tape: VerifyReport,
    evidence: EvidenceReport,
}

impl CheckedTape {
    /// What is wrong with it.
    fn objections(&self) -> String {
        let findings = self.tape.findings.iter().map(ToString::to_string);
        findings.chain(self.evidence.objections.iter().cloned()).collect::<Vec<_>>().join("\n")
    }
}

impl ProofFixture {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    fn key(&self, name: &str) -> VerifierKey {
        MachineKey::open_or_create(&self.path(name)).unwrap().public().clone()
    }

    /// Records a session of two turns with a call each. `tool` is the tool of the second turn.
    fn record_session(&self, name: &str, session: &str, key: &str, tool: &str) -> Vec<Value> {
        let path = self.path(name);
        let signer = MachineSigner::new(Ok(self.path(key))).with_witness({
            let witness = self.path(&format!("{name}.witness"));
            move || Ok(Some(witness.clone()))
        });
        let signer = Arc::new(signer);
        let tape = Tape::create(&path, HeaderRecord::new(session, 0), Arc::new(FakeClock::new())).unwrap();
        let mut fixture = VerifySessionFixture::on_tape(tape.with_checkpoints(Arc::clone(&signer) as _));
        let opened = Cow::Owned(json!({"agent": "a.md"}));
        fixture.tape.record_host(HostRecord::Session(SessionRecord { origin: fixture.origin(), reopen_data: opened }));
        for (turn, name) in [(1, "ls"), (2, tool)] {
            let mut origin = (*fixture.origin).clone();
            origin.turn = turn;
            fixture.origin = Arc::new(origin);
            fixture.record_turn(TurnPhase::Start);
            let args = json!({"a": turn});
            let id = format!("c{turn}");
            fixture.fire("tool.pre", json!({"id": id, "name": name, "args": args}), &Verdict::deny("no"), None);
            let call = ToolCallRecord {
                origin: fixture.origin(),
                id: Cow::Borrowed(&id),
                name: name.into(),
                args: Cow::Borrowed(&args),
            };
            fixture.tape.record_host(HostRecord::ToolCall(call));
            let result = ToolResultRecord {
                origin: fixture.origin(),
                id: Cow::Borrowed(&id),
                name: name.into(),
                content: "raw".into(),
                is_error: false,
                result: None,
            };
            fixture.tape.record_host(HostRecord::ToolResult(result));
            fixture.fire("tool.post", json!({"call_id": id, "name": name, "content": "raw"}), &Verdict::pass(), None);
            fixture.record_turn(TurnPhase::End);
        }
        fixture.fire("session.end", json!({"reason": "done"}), &Verdict::pass(), None);
        fixture.tape.close().unwrap();
        assert_eq!(signer.flush_witness(std::time::Duration::from_secs(60)), [""; 0]);
        self.records(name)
    }

    fn records(&self, name: &str) -> Vec<Value> {
        parse_records(fs::read_to_string(self.path(name)).unwrap().lines())
    }

    /// Checks a tape in Rust and in Python.
    fn check(&self, name: &str, key: Option<&VerifierKey>, witness: Option<&str>) -> CheckedTape {
        let notes = witness.map(WitnessNotes::parse);
        let mut sizes: BTreeSet<u64> = notes.iter().flat_map(|notes| &notes.notes).map(|note| note.text.size).collect();
        sizes.insert(1);
        let tape = verify_file_with_texts(self.path(name), &sizes).unwrap();
        let evidence = check_evidence(&tape, key.cloned().as_slice(), notes.as_ref());
        let checked = CheckedTape { tape, evidence };
        let mut arguments = vec![self.path(name).display().to_string()];
        arguments.extend(key.iter().flat_map(|key| [String::from("--key"), key.to_string()]));
        if let Some(witness) = witness {
            fs::write(self.path("one.witness"), witness).unwrap();
            arguments.extend([String::from("--witness"), self.path("one.witness").display().to_string()]);
        }
        let Some(found) = run_python(&arguments) else { return checked };
        let is_valid = checked.objections().is_empty();
        assert_eq!(found["objections"].as_array().unwrap().is_empty(), is_valid, "{found} {:?}", checked.evidence);
        if is_valid {
            let EvidenceReport { proved_count, unproved_count, .. } = checked.evidence;
            assert_eq!(
                (&found["proved"], &found["unproved"]),
                (&json!(proved_count), &json!(unproved_count)),
                "{found}"
            );
        }
        checked
    }
}

/// What the checker in Python prints; `None` if there is no Python.
fn run_python(arguments: &[String]) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/verify_tape.py");
    let Ok(output) = Command::new("python3").arg(script).args(arguments).output() else {
        let _ = writeln!(std::io::stderr(), "python3 is missing, so integrations/verify_tape.py is not tried");
        return None;
    };
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(err, "", "{out}");
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!found["objections"].as_array().unwrap().is_empty())));
    Some(found)
}

fn is_checkpoint(record: &Value) -> bool {
    record["kind"] == "checkpoint"
}

/// Writes changed records with new numbers and digests. With a signer, the texts of the checkpoints are computed again, too;
/// without one for their signatures the old ones stay.
fn write_forged(fixture: &ProofFixture, records: &mut [Value], signer: Option<&MachineSigner>, is_renewed: bool) {
    let path = fixture.path("forged");
    fs::write(&path, rechain_records(records)).unwrap();
    for index in 0..records.len() {
        if is_renewed && is_checkpoint(&records[index]) {
            let size = index as u64;
            let report = verify_file_with_texts(&path, &[size].into()).unwrap();
            let mut text = report.texts[&size].to_string();
            let note = records[index]["note"].as_str().unwrap();
            let SignedNote { text: old_text, signatures: old } = SignedNote::parse(note).unwrap();
            if old_text.ends_with("\nend\n") {
                text += "end\n";
            }
            let old = old.to_owned();
            let signatures = signer.map_or(old, |signer| signer.sign(&text).unwrap());
            records[index]["note"] = json!(format!("{text}\n{signatures}"));
            fs::write(&path, rechain_records(records)).unwrap();
        }
    }
}

fn checkpoints(records: &[Value]) -> Vec<usize> {
    (0..records.len()).filter(|index| is_checkpoint(&records[*index])).collect()
}

/// Removes everything behind the first checkpoint, and ends the session there.
fn end_after_first_turn(records: &mut Vec<Value>) {
    let first = checkpoints(records)[0];
    let end = index_of_event(records, "event", Some("session.end"));
    let mut last: Vec<Value> = records[end..].iter().filter(|record| !is_checkpoint(record)).cloned().collect();
    last[0]["dispatch"] = json!(3);
    if last[0].get("payload").is_some() {
        last[0]["origin"]["turn"] = json!(1);
    }
    records.truncate(first + 1);
    records.extend(last);
}

#[test]
fn attacks_are_found_with_the_key_or_with_one_checkpoint() {
    type Attack = fn(&mut Vec<Value>);
    const SIGNATURE: &str = "the key has not signed this checkpoint";
    const OTHER: &str = "records are not those that were witnessed";
    const FEWER: &str = "the tape had ";
    const ENDS: &str = "what was signed does not end there";
    const ROOT: &str = "another root";
    let flip: Attack = |records| {
        let index = index_of_event(records, "outcome", Some("tool.pre"));
        records[index].as_object_mut().unwrap().shift_remove("shadow");
        let index = index_of_event(records, "hook_returned", None);
        records[index]["verdict"] = json!({"kind": "allow", "reason": "fine"});
        let index = index_of_event(records, "hook_vetoed", None);
        let veto = records[index].as_object_mut().unwrap();
        veto.retain(|name, _| ["seq", "at_ms", "prev", "kind", "dispatch", "hook"].contains(&name.as_str()));
        veto["kind"] = json!("warning");
        veto.insert(String::from("message"), json!("slow"));
    };
    let drop_call: Attack = |records| {
        let (from, to) = (index_of_event(records, "tool_call", None), index_of_event(records, "tool_result", None));
        records.drain(from..=to);
    };
    let strip: Attack = |records| records.retain(|record| !is_checkpoint(record));
    // The attack, whether the texts of checkpoints are computed again, and what is found with the key and with the last
    // checkpoint alone. An empty text: nothing.
    let cases: [(&str, Attack, bool, &str, &str); 14] = [
        ("nothing", |_| {}, true, "", ""),
        ("flipped outcome", flip, false, ROOT, ROOT),
        ("flipped outcome, computed again", flip, true, SIGNATURE, OTHER),
        ("dropped call", drop_call, false, "covers ", "covers "),
        ("dropped call, computed again", drop_call, true, SIGNATURE, OTHER),
        ("end cut", |records| records.truncate(checkpoints(records)[0] + 1), true, "", FEWER),
        ("end cut, session ended and closed", end_after_first_turn, true, ENDS, FEWER),
        (
            "end cut, closed",
            |records| {
                let closed = records.pop().unwrap();
                records.truncate(checkpoints(records)[0] + 1);
                records.push(closed);
            },
            true,
            ENDS,
            FEWER,
        ),
        ("checkpoints stripped", strip, true, "no checkpoint that the key signed", FEWER),
        (
            "last checkpoint stripped",
            |records| drop(records.remove(*checkpoints(records).last().unwrap())),
            true,
            ENDS,
            "",
        ),
        (
            "swapped",
            |records| {
                let index = index_of_event(records, "tool_call", None);
                records.swap(index - 1, index);
            },
            true,
            SIGNATURE,
            OTHER,
        ),
        (
            "old checkpoint replayed",
            |records| {
                let at = checkpoints(records);
                records[at[1]]["note"] = records[at[0]]["note"].clone();
            },
            false,
            "covers ",
            "covers ",
        ),
        (
            "header changed, stripped",
            |records| {
                records[0]["pintle"] = json!("0.0.9");
                records.retain(|record| !is_checkpoint(record));
            },
            true,
            "no checkpoint that the key signed",
            "no checkpoint of this tape",
        ),
        (
            "records appended",
            |records| {
                records.pop();
                let mut note = records[0].clone();
                note["kind"] = json!("remark");
                note.as_object_mut()
                    .unwrap()
                    .retain(|name, _| ["seq", "at_ms", "prev", "kind"].contains(&name.as_str()));
                note["data"] = json!("added later");
                records.push(note);
            },
            true,
            "",
            "",
        ),
    ];
    let fixture = ProofFixture::new();
    let records = fixture.record_session("t", "s1", "machine.key", "rm");
    let (key, last) = (fixture.key("machine.key"), *checkpoints(&records).last().unwrap());
    assert_eq!(checkpoints(&records).len(), 3);
    let witness = records[last]["note"].as_str().unwrap();
    let mut wrong = Vec::new();
    for (name, attack, is_renewed, by_key, by_witness) in cases {
        let mut forged = records.clone();
        attack(&mut forged);
        write_forged(&fixture, &mut forged, None, is_renewed);
        for (key, witness, expected) in [(Some(&key), None, by_key), (None, Some(witness), by_witness)] {
            let found = fixture.check("forged", key, witness).objections();
            if !(if expected.is_empty() { found.is_empty() } else { found.contains(expected) }) {
                wrong.push(format!("{name}: {found:?}, expected {expected:?}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn checkpoint_of_another_tape_or_another_key_is_found() {
    let fixture = ProofFixture::new();
    let (mut own, other) = (
        fixture.record_session("t", "s1", "machine.key", "rm"),
        fixture.record_session("u", "s2", "machine.key", "rm"),
    );
    let (key, stolen) = (fixture.key("machine.key"), fixture.key("other.key"));
    let at = checkpoints(&own);
    let witness = own[at[2]]["note"].as_str().unwrap().to_owned();
    for index in &at {
        own[*index]["note"] = other[*index]["note"].clone();
    }
    write_forged(&fixture, &mut own, None, false);
    assert!(fixture.check("forged", Some(&key), None).objections().contains("is about the tape `pintle.tape/"));
    // The attacker signs again with a key of his own.
    let signer = MachineSigner::new(Ok(fixture.path("other.key")));
    write_forged(&fixture, &mut own, Some(&signer), true);
    assert!(fixture.check("forged", Some(&key), None).objections().contains("the key has not signed this checkpoint"));
    assert_eq!(fixture.check("forged", Some(&stolen), None).objections(), "", "who has the key can do everything");
    let found = fixture.check("forged", None, Some(&witness)).objections();
    assert!(found.contains("are not those that were witnessed"), "{found}");
    let found = fixture.check("t", Some(&stolen), Some(&witness)).objections();
    assert!(found.contains("line 1 of the witness file: the key has not signed this checkpoint"), "{found}");
}

#[test]
fn fork_is_found_by_a_checkpoint_of_the_other_branch() {
    let fixture = ProofFixture::new();
    let own = fixture.record_session("t", "s1", "machine.key", "rm");
    fixture.record_session("fork", "s1", "machine.key", "ls");
    let key = fixture.key("machine.key");
    let witness = |index: usize| own[checkpoints(&own)[index]]["note"].as_str().unwrap().to_owned();
    // Both were signed, and begin with the same turn.
    assert_eq!(fixture.check("fork", Some(&key), Some(&witness(0))).objections(), "");
    for index in [1, 2] {
        let found = fixture.check("fork", Some(&key), Some(&witness(index))).objections();
        assert!(found.contains("are not those that were witnessed"), "{found}");
    }
    // The file of a witness has every checkpoint.
    let all = fs::read_to_string(fixture.path("t.witness")).unwrap();
    let checked = fixture.check("t", Some(&key), Some(&all));
    assert_eq!((checked.objections().as_str(), checked.evidence.witnessed_count), ("", 3));
    assert_eq!((checked.evidence.proved_count, checked.evidence.unproved_count), (checked.tape.records as u64 - 2, 1));
}

#[test]
fn every_signed_record_is_proved_without_the_tape() {
    let fixture = ProofFixture::new();
    let records = fixture.record_session("t", "s1", "machine.key", "rm");
    let (key, other) = (fixture.key("machine.key"), fixture.key("other.key"));
    let covered = *checkpoints(&records).last().unwrap();
    for (index, record) in records.iter().enumerate() {
        let proof = InclusionProof::from_tape(fixture.path("t"), index as u64);
        if index >= covered {
            let error = proof.unwrap_err().to_string();
            assert!(error.starts_with(&format!("no checkpoint follows record {index}: ")), "{error}");
            continue;
        }
        let proof = proof.unwrap();
        assert!(proof.hashes.len() <= 5, "log2 of {covered}");
        assert_eq!(proof.check(std::slice::from_ref(&key)).unwrap(), record["kind"].as_str().unwrap());
        let mut forged = vec![
            (proof.clone(), &other),
            (InclusionProof { index: proof.index ^ 1, ..proof.clone() }, &key),
            (InclusionProof { size: proof.size + 1, ..proof.clone() }, &key),
            (InclusionProof { line: proof.line.replacen("at_ms", "at_m5", 1), ..proof.clone() }, &key),
            (InclusionProof { hashes: Vec::new(), ..proof.clone() }, &key),
            (InclusionProof { checkpoint: proof.checkpoint.replacen("tape/", "tape/0", 1), ..proof.clone() }, &key),
        ];
        forged.push((proof, &key));
        let last = forged.len() - 1;
        for (number, (proof, key)) in forged.into_iter().enumerate() {
            assert_eq!(proof.check(std::slice::from_ref(key)).is_ok(), number == last, "{number}: {proof:?}");
            // One record is enough for the checker in Python.
            if index == 7 {
                let path = fixture.path("proof.json");
                fs::write(&path, serde_json::to_string(&proof).unwrap()).unwrap();
                let arguments = ["--proof", path.to_str().unwrap(), "--key", &key.to_string()].map(String::from);
                let found = run_python(&arguments);
                let is_valid =
                    found.is_none_or(|found| found["objections"].as_array().unwrap().is_empty() == (number == last));
                assert!(is_valid, "{number}");
            }
        }
    }
}

#[test]
fn replay_computes_checkpoints_and_keeps_their_signatures() {
    let fixture = ProofFixture::new();
    let signer = MachineSigner::new(Ok(fixture.path("machine.key")));
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tapes/lifecycle-hooks.jsonl");
    let mut records = parse_records(fs::read_to_string(corpus).unwrap().lines());
    for index in [records.len() - 1, records.len() / 2] {
        let checkpoint = json!({"seq": 0, "at_ms": records[index - 1]["at_ms"], "prev": "", "kind": "checkpoint", "note": "\n\n\u{2014} k AA==\n"});
        records.insert(index, checkpoint);
    }
    write_forged(&fixture, &mut records, Some(&signer), true);
    let replay_forged = || {
        let bytes = fs::read(fixture.path("forged")).unwrap();
        let report = replay(&bytes, &ReplayOptions::default()).unwrap();
        (report.difference.as_ref().map(|difference| difference.line - 1), report.tape, bytes)
    };
    let (difference, tape, signed) = replay_forged();
    assert!(difference.is_none() && tape == signed);
    // After a difference they are those of the new tape, which is the signed one.
    let mut forged = records.clone();
    let outcome = index_of_event(&records, "outcome", None);
    forged[outcome]["hooks_called"] = json!(0);
    write_forged(&fixture, &mut forged, None, true);
    let (difference, tape, _) = replay_forged();
    assert!(difference == Some(outcome) && tape == signed);
    // One that is about something else differs.
    let mut forged = records.clone();
    let at = checkpoints(&records);
    forged[at[1]]["note"] = records[at[0]]["note"].clone();
    write_forged(&fixture, &mut forged, None, false);
    assert_eq!(replay_forged().0, Some(at[1]));
}

#[test]
fn continued_tape_is_signed_from_where_it_ended() {
    let fixture = ProofFixture::new();
    fixture.record_session("t", "s1", "machine.key", "rm");
    let (path, key) = (fixture.path("t"), fixture.key("machine.key"));
    let signer: Arc<dyn CheckpointSigner> = Arc::new(MachineSigner::new(Ok(fixture.path("machine.key"))));
    let mut cursor: Option<TapeCursor> = None;
    for round in 0..5_u64 {
        let clock = Arc::new(FakeClock::new());
        let tape = match &cursor {
            Some(cursor) => Tape::resume_at(&path, cursor, clock).unwrap(),
            None => Tape::append_to(&path, clock).unwrap(),
        };
        let tape = tape.with_checkpoints(Arc::clone(&signer));
        tape.record_note("remark", json!(round));
        tape.record_checkpoint(if round == 2 { 2 } else { 1 });
        assert!(tape.close().is_some());
        let saved = serde_json::to_string(&tape.cursor().unwrap()).unwrap();
        // Every other process reads the whole tape.
        cursor = serde_json::from_str(&saved).ok().filter(|_| round % 2 == 0);
        drop(tape);
        let checked = fixture.check("t", Some(&key), None);
        assert_eq!((checked.objections(), checked.evidence.unproved_count), (String::new(), 1), "round {round}");
    }
}

#[test]
fn long_turn_is_signed_on_the_way() {
    let fixture = ProofFixture::new();
    let tape = Tape::create(fixture.path("t"), HeaderRecord::new("s1", 0), Arc::new(FakeClock::new())).unwrap();
    let tape = tape.with_checkpoints(Arc::new(MachineSigner::new(Ok(fixture.path("machine.key")))));
    let session = VerifySessionFixture::on_tape(tape);
    for call in 0..300 {
        let call = json!({"id": call.to_string(), "name": "ls", "args": {}});
        session.fire("tool.pre", call, &Verdict::pass(), None);
    }
    session.tape.close().unwrap();
    let at = checkpoints(&fixture.records("t"));
    assert_eq!(at.len(), 5, "{at:?}");
    assert!(at.windows(2).all(|pair| pair[1] - pair[0] <= 260), "{at:?}");
    assert_eq!(fixture.check("t", Some(&fixture.key("machine.key")), None).objections(), "");
}

#[test]
fn tape_without_a_key_says_so_once() {
    let fixture = ProofFixture::new();
    fs::write(fixture.path("a-file"), "").unwrap();
    for (key, expected) in [
        (Err(String::from("there is no state directory")), "there is no state directory"),
        (Ok(fixture.path("a-file").join("machine.key")), "a-file"),
        (Ok(fixture.path("a-file")), "remove it, and a new one is made"),
    ] {
        let path = fixture.path("t");
        let _ = fs::remove_file(&path);
        let signer: Arc<dyn CheckpointSigner> = Arc::new(MachineSigner::new(key));
        let tape = Tape::create(&path, HeaderRecord::new("s1", 0), Arc::new(FakeClock::new())).unwrap();
        let tape = tape.with_checkpoints(Arc::clone(&signer));
        (0..3).for_each(|_| tape.record_checkpoint(1));
        assert!(tape.close().is_some());
        drop(tape);
        let tape = Tape::append_to(&path, Arc::new(FakeClock::new())).unwrap().with_checkpoints(signer);
        tape.record_checkpoint(1);
        assert!(tape.close().is_some());
        let notes: Vec<String> = read(&path)
            .unwrap()
            .records
            .iter()
            .filter_map(|record| match &record.body {
                RecordBody::Note(note) if note.kind == "unsigned" => Some(note.data.to_string()),
                _ => None,
            })
            .collect();
        assert!(notes.len() == 1 && notes[0].contains(expected), "{notes:?}");
        let found = fixture.check("t", None, None);
        assert_eq!(found.objections(), "");
    }
}

#[test]
fn witness_file_is_read_note_by_note() {
    let fixture = ProofFixture::new();
    let records = fixture.record_session("t", "s1", "machine.key", "rm");
    let note = records[checkpoints(&records)[0]]["note"].as_str().unwrap();
    let cosigned = format!("{note}\u{2014} witness.example/w AAAAAAE=\n");
    let lines = |text: &str| {
        let found = WitnessNotes::parse(text);
        (found.notes.iter().map(|note| note.line).collect::<Vec<_>>(), found.unreadable)
    };
    assert_eq!(lines(""), (vec![], vec![]));
    assert_eq!(lines(&format!("{note}\n{cosigned}\n\n{note}")), (vec![1, 7, 15], vec![]));
    assert_eq!(lines(&format!("{note}{note}")), (vec![1, 6], vec![]));
    assert_eq!(lines(&format!("hello\n\n{note}\n{}", &note[..90])), (vec![3], vec![1, 9]));
    assert_eq!(WitnessNotes::parse(&cosigned).notes[0].note, cosigned);
    assert_eq!(fixture.check("t", Some(&fixture.key("machine.key")), Some(&cosigned)).objections(), "");

    let writer = WitnessWriter::new(fixture.path("t").join("not-a-directory"));
    assert_eq!(writer.flush(std::time::Duration::ZERO), [""; 0], "nothing was to be written");
    writer.append(note);
    let errors = writer.flush(std::time::Duration::from_secs(60));
    assert!(errors.len() == 1 && errors[0].starts_with("cannot append a checkpoint to the witness file"), "{errors:?}");
}
