//! What the checkpoints of a tape prove, to those who have a key or a witness.

use super::{VerifierKey, WitnessNotes};
use crate::checkpoint::SignedNote;
use crate::verify::VerifyReport;

/// What is proved about a tape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvidenceReport {
    /// The number of checkpoints on the tape that one of the keys signed.
    pub signed_count: usize,
    /// The number of checkpoints of the witness that the tape agrees with.
    pub witnessed_count: usize,
    /// The number of records, from the first one, that are as they were when they were signed or witnessed.
    pub proved_count: u64,
    /// The number of records after them, without the checkpoint itself.
    pub unproved_count: u64,
    /// What shows that the tape is not the one that was signed or witnessed.
    pub objections: Vec<String>,
}

/// Checks a tape that was verified. With keys, one of them has signed each checkpoint. With a witness, each of its
/// checkpoints with the tape's origin is about a start of the tape.
///
/// The report has the [texts](VerifyReport::texts) for 1 record and for the numbers of records of the witness.
#[must_use]
pub fn check_evidence(tape: &VerifyReport, keys: &[VerifierKey], witness: Option<&WitnessNotes>) -> EvidenceReport {
    let mut report = EvidenceReport::default();
    if !keys.is_empty() {
        report.check_signatures(tape, keys);
    }
    if let Some(witness) = witness {
        report.check_witness(tape, keys, witness);
    }
    let record_count = tape.records as u64;
    // Several checkpoints may be about the same records, but for those checkpoints.
    let last = tape.checkpoints.iter().rfind(|checkpoint| checkpoint.size == report.proved_count);
    report.unproved_count = record_count.saturating_sub(report.proved_count + u64::from(last.is_some()));
    // Before a tape is closed, its end is signed. Nothing but the `closed` record follows.
    let is_whole = report.unproved_count == 1 && last.is_some_and(|checkpoint| checkpoint.is_end);
    if !keys.is_empty() && report.signed_count > 0 && tape.closed && !is_whole {
        report.objections.push(String::from(
            "the tape is closed, and what was signed does not end there: its end was cut or changed, or it was continued \
             without the key; expected a checkpoint with `end` directly before `closed`",
        ));
    }
    report
}

impl EvidenceReport {
    fn check_signatures(&mut self, tape: &VerifyReport, keys: &[VerifierKey]) {
        for checkpoint in &tape.checkpoints {
            let note = SignedNote::parse(&checkpoint.note);
            if note.is_some_and(|note| keys.iter().any(|key| key.has_signed(&note))) {
                self.signed_count += 1;
                self.proved_count = self.proved_count.max(checkpoint.size);
            } else {
                let line = checkpoint.line;
                self.objections.push(format!("line {line}: the key has not signed this checkpoint"));
            }
        }
        if self.signed_count == 0 {
            self.objections
                .push(String::from("the tape has no checkpoint that the key signed; nothing of it is proved"));
        }
    }

    fn check_witness(&mut self, tape: &VerifyReport, keys: &[VerifierKey], witness: &WitnessNotes) {
        let Some(own) = tape.texts.get(&1) else { return };
        let mut is_known = false;
        for note in witness.notes.iter().filter(|note| note.text.origin == own.origin) {
            let (line, size) = (note.line, note.text.size);
            let signed = SignedNote::parse(&note.note);
            let is_signed = signed.is_some_and(|note| keys.iter().any(|key| key.has_signed(&note)));
            if !keys.is_empty() && !is_signed {
                self.objections
                    .push(format!("line {line} of the witness file: the key has not signed this checkpoint"));
                continue;
            }
            is_known = true;
            match tape.texts.get(&size) {
                Some(text) if text.has_same_records(&note.text) => {
                    self.witnessed_count += 1;
                    self.proved_count = self.proved_count.max(size);
                }
                Some(_) => self.objections.push(format!(
                    "line {line} of the witness file: the first {size} records are not those that were witnessed"
                )),
                None => self.objections.push(format!(
                    "line {line} of the witness file: the tape had {size} records, and has {} now",
                    tape.records
                )),
            }
        }
        if !is_known {
            let origin = &own.origin;
            self.objections
                .push(format!("the witness file has no checkpoint of this tape, whose origin is `{origin}`"));
        }
    }
}
