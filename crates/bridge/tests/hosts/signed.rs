//! The tapes of hosts have checkpoints, which never decide anything.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_bridge::HostResponse;
use pintle_host::tape::checkpoint::SignedNote;
use pintle_host::tape::proof::{MACHINE_KEY_FILE, MachineKey, MachineSigner, WitnessNotes, check_evidence};
use pintle_host::tape::verify::{VerifyReport, verify_file_with_texts};
use pintle_host::tape::{RecordBody, read, replay};
use tempfile::TempDir;

use crate::fixture::respond_in_session;

/// A machine with a state directory, and another place for its witness.
struct SignedHostFixture {
    state: TempDir,
    elsewhere: TempDir,
}

impl SignedHostFixture {
    fn new() -> Self {
        Self { state: tempfile::tempdir().unwrap(), elsewhere: tempfile::tempdir().unwrap() }
    }

    fn key_path(&self) -> PathBuf {
        self.state.path().join(MACHINE_KEY_FILE)
    }

    fn witness_path(&self) -> PathBuf {
        self.elsewhere.path().join("notes")
    }

    /// A call in a process of its own.
    fn call(&self, host: &str, event: &str, witness: Result<Option<PathBuf>, String>) -> HostResponse {
        let signer = Arc::new(MachineSigner::new(Ok(self.key_path())).with_witness(move || witness.clone()));
        respond_in_session((host, event), self.state.path(), Vec::new(), None, Some(&signer))
    }

    fn tape(&self) -> PathBuf {
        self.state.path().join("bridge/claude/s1/tape.jsonl")
    }

    fn verify(&self, witness: &WitnessNotes) -> VerifyReport {
        let sizes = witness.notes.iter().map(|note| note.text.size).chain([1]).collect();
        verify_file_with_texts(self.tape(), &sizes).unwrap()
    }
}

fn checkpoint_count(tape: &Path) -> usize {
    read(tape).unwrap().records.iter().filter(|record| matches!(record.body, RecordBody::Checkpoint(_))).count()
}

#[test]
fn turns_and_sessions_are_signed_and_witnessed_and_other_calls_are_not() {
    let fixture = SignedHostFixture::new();
    let call = |event: &str| fixture.call("claude", event, Ok(Some(fixture.witness_path())));
    let calls = [
        ("UserPromptSubmit", 0),
        ("PreToolUse", 0),
        ("PostToolUse", 0),
        ("Stop", 1),
        ("PreToolUse", 1),
        ("Stop", 2),
        ("SessionEnd", 3),
        // The session goes on, as with `--resume`.
        ("UserPromptSubmit", 3),
        ("Stop", 4),
        ("SessionEnd", 5),
    ];
    for (index, (event, expected)) in calls.into_iter().enumerate() {
        let answer = call(event);
        assert_eq!((answer.exit_code, answer.stderr.as_str()), (0, ""), "{event}");
        assert_eq!(checkpoint_count(&fixture.tape()), expected, "call {index}, {event}");
        assert_eq!(fixture.key_path().exists(), expected > 0, "a key is made when something is signed");
    }
    let witness = WitnessNotes::parse(&fs::read_to_string(fixture.witness_path()).unwrap());
    let key = MachineKey::open(&fixture.key_path()).unwrap().public().clone();
    assert!(witness.notes.iter().all(|note| key.has_signed(&SignedNote::parse(&note.note).unwrap())));
    let report = fixture.verify(&witness);
    let evidence = check_evidence(&report, &[key], Some(&witness));
    assert_eq!((&report.findings[..], &evidence.objections[..]), (&[][..], &[][..]));
    assert_eq!((evidence.signed_count, evidence.witnessed_count, evidence.unproved_count), (5, 5, 1));
    let bytes = fs::read(fixture.tape()).unwrap();
    assert!(replay::replay(&bytes, &replay::ReplayOptions::default()).unwrap().difference.is_none());
}

#[test]
fn long_turn_is_signed_before_its_end() {
    let fixture = SignedHostFixture::new();
    let mut calls = 0;
    while !fixture.tape().exists() || checkpoint_count(&fixture.tape()) == 0 {
        fixture.call("claude", "PreToolUse", Ok(None));
        calls += 1;
        assert!(calls <= 256, "each call has several records");
    }
    let records = read(fixture.tape()).unwrap().records;
    assert!((256..270).contains(&(records.len() - 1)), "{}", records.len());
}

#[test]
fn witness_or_key_that_fails_is_told_and_denies_nothing() {
    let missing = |fixture: &SignedHostFixture| fixture.elsewhere.path().join("missing").join("notes");
    let fixture = SignedHostFixture::new();
    let answer = fixture.call("claude", "Stop", Ok(Some(missing(&fixture))));
    assert!(answer.stdout.contains("cannot append a checkpoint to the witness file"), "{answer:?}");
    assert!(answer.exit_code == 0 && !answer.stdout.contains("decision"), "{answer:?}");
    let answer = fixture.call("claude", "Stop", Err(String::from("the settings cannot be read")));
    assert!(answer.exit_code == 0 && answer.stdout.contains("the settings cannot be read"), "{answer:?}");
    assert_eq!(checkpoint_count(&fixture.tape()), 2);

    let fixture = SignedHostFixture::new();
    fs::create_dir(fixture.key_path()).unwrap();
    for event in ["Stop", "PreToolUse", "Stop", "SessionEnd"] {
        let answer = fixture.call("claude", event, Ok(Some(fixture.witness_path())));
        assert_eq!((answer.exit_code, answer.stderr.as_str()), (0, ""), "{event}");
    }
    let records = read(fixture.tape()).unwrap().records;
    let is_unsigned = |body: &RecordBody<'_>| matches!(body, RecordBody::Note(note) if note.kind == "unsigned");
    assert_eq!(records.iter().filter(|record| is_unsigned(&record.body)).count(), 1);
    assert_eq!((checkpoint_count(&fixture.tape()), fixture.witness_path().exists()), (0, false));
}
