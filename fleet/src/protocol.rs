//! What a machine sends to a collector, and how lines are checked on both sides.

use std::collections::BTreeSet;

use pintle_contract::to_hex;
use pintle_tape::decisions::RecordedDecision;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The path of batches on a collector.
pub const BATCH_PATH: &str = "/v1/batches";

/// The most lines of a batch.
pub const MOST_LINES: usize = 1_000;

/// The most bytes of a batch's body that a collector accepts, unless its user says otherwise.
pub const MOST_BODY_BYTES: usize = 32 << 20;

/// Successive lines of a tape, with what they change about its decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapeBatch {
    /// The tape: the SHA-256 of its first line, in hex.
    pub tape: String,
    /// The version of Pintle that sends it.
    pub pintle: String,
    /// The digest of the organisation's hooks that the session has loaded last, in hex; `None` if it has none.
    #[serde(default)]
    pub policy: Option<String>,
    /// The agent that ran the session under `pintle hook`; `None` for a session of Pintle's own loop.
    pub host: Option<String>,
    /// The directory of the project; `None` if it is not known.
    pub project: Option<String>,
    /// The session.
    pub session: String,
    /// The number of the first line.
    pub from: u64,
    /// The lines, without their ends.
    pub lines: Vec<String>,
    /// The decisions that the lines add or change.
    pub decisions: Vec<RecordedDecision>,
    /// The numbers of the decisions that the lines take back.
    pub withdrawn: Vec<u64>,
}

/// How far a tape is stored: the answer to a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredEnd {
    /// The number of the next line.
    pub next: u64,
    /// The digest of the line before it, in hex; `None` if no line is stored.
    pub digest: Option<String>,
}

/// Why a request is refused, for the machine's user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectorRefusal {
    /// What is wrong with it.
    pub error: String,
}

/// A line that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedLine {
    /// When it was recorded, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The kind of the record.
    pub kind: String,
    /// The digest of the line, in hex.
    pub digest: String,
    /// The same as bytes.
    pub(crate) digest_bytes: [u8; 32],
}

/// What the checks read of a line.
#[derive(Deserialize)]
struct LineFields {
    #[serde(default)]
    seq: Option<u64>,
    #[serde(default)]
    at_ms: u64,
    #[serde(default)]
    prev: Option<String>,
    kind: String,
    #[serde(default)]
    session: Option<serde_json::Value>,
}

/// The SHA-256 of some bytes, in hex: that of a tape's first line names the tape, that of a bundle pins it.
#[must_use]
pub fn hex_digest(bytes: &[u8]) -> String {
    to_hex(&digest_of(bytes))
}

pub(crate) fn digest_of(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

impl TapeBatch {
    /// Checks that the lines are records that follow each other and the line whose digest is `previous`.
    ///
    /// # Errors
    /// What is wrong, with the number of the line.
    pub fn check_lines(&self, previous: Option<&str>) -> Result<Vec<CheckedLine>, String> {
        if self.lines.is_empty() || self.lines.len() > MOST_LINES {
            return Err(format!("a batch has 1 to {MOST_LINES} lines, this one has {}", self.lines.len()));
        }
        let mut previous = previous.map(str::to_owned);
        let mut checked = Vec::with_capacity(self.lines.len());
        for (seq, line) in (self.from..).zip(&self.lines) {
            if line.contains(['\n', '\r']) {
                return Err(format!("line {seq} of the tape is not one line"));
            }
            let fields: LineFields = serde_json::from_str(line)
                .map_err(|error| format!("line {seq} of the tape is not a record: {error}"))?;
            if fields.seq != Some(seq) {
                return Err(format!("line {seq} of the tape has another number"));
            }
            if fields.prev != previous {
                return Err(format!("line {seq} of the tape does not follow the line before it: its `prev` differs"));
            }
            if (fields.kind == "header") != (seq == 0) {
                return Err(format!("line {seq} of the tape is not where it belongs: only the first is a header"));
            }
            let digest_bytes = digest_of(line.as_bytes());
            let digest = to_hex(&digest_bytes);
            if seq == 0 {
                let session = fields.session.as_ref().and_then(serde_json::Value::as_str);
                if digest != self.tape || session != Some(&self.session) {
                    return Err(String::from("the first line is not that of this tape and session"));
                }
            }
            checked.push(CheckedLine { at_ms: fields.at_ms, kind: fields.kind, digest: digest.clone(), digest_bytes });
            previous = Some(digest);
        }
        let next = self.from + self.lines.len() as u64;
        let mut decided = BTreeSet::new();
        for seq in self.decisions.iter().map(|decision| decision.seq).chain(self.withdrawn.iter().copied()) {
            if seq >= next {
                return Err(String::from("a decision is about a line that is not sent yet"));
            }
            if !decided.insert(seq) {
                return Err(format!("the decision of line {seq} is there twice"));
            }
        }
        Ok(checked)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn batch() -> TapeBatch {
        let first = json!({"seq": 0, "at_ms": 5, "prev": null, "kind": "header", "session": "s"}).to_string();
        let second = json!({"seq": 1, "at_ms": 6, "prev": hex_digest(first.as_bytes()), "kind": "remark"}).to_string();
        TapeBatch {
            tape: hex_digest(first.as_bytes()),
            pintle: String::from("1"),
            policy: None,
            host: None,
            project: None,
            session: String::from("s"),
            from: 0,
            lines: vec![first, second],
            decisions: Vec::new(),
            withdrawn: Vec::new(),
        }
    }

    #[test]
    fn lines_that_follow_each_other_are_accepted_whole_or_in_parts() {
        let whole = batch();
        let checked = whole.check_lines(None).unwrap();
        let kinds: Vec<(u64, &str)> = checked.iter().map(|line| (line.at_ms, line.kind.as_str())).collect();
        assert_eq!(kinds, [(5, "header"), (6, "remark")]);
        let rest = TapeBatch { from: 1, lines: whole.lines[1..].to_vec(), ..whole };
        assert_eq!(rest.check_lines(Some(&rest.tape)).unwrap(), checked[1..]);
    }

    #[test]
    fn lines_that_are_not_those_of_the_tape_are_refused() {
        type Change = fn(&mut TapeBatch);
        let changes: [(&str, Change); 10] = [
            ("1 to 1000", |batch| batch.lines.clear()),
            ("not a record", |batch| batch.lines[1].truncate(8)),
            ("not a record", |batch| batch.lines[1] = String::from("[]")),
            ("another number", |batch| batch.lines.swap(0, 1)),
            ("another number", |batch| batch.from = 1),
            ("`prev` differs", |batch| batch.lines[1] = batch.lines[1].replace("\"prev\":\"", "\"prev\":\"0")),
            ("only the first", |batch| batch.lines[1] = batch.lines[1].replace("remark", "header")),
            ("not that of this tape", |batch| batch.session.push('x')),
            ("not sent yet", |batch| batch.withdrawn.push(2)),
            ("there twice", |batch| batch.withdrawn = vec![1, 1]),
        ];
        for (reason, change) in changes {
            let mut changed = batch();
            change(&mut changed);
            let error = changed.check_lines(None).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
