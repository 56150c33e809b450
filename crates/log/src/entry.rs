//! A line of the log.

use std::path::PathBuf;

use pintle_contract::to_hex;
use pintle_tape::decisions::RecordedDecision;
use sha2::{Digest, Sha256};

/// Digits of the ID of a session in the log: enough for the sessions of a person.
const ID_DIGITS: usize = 6;

/// A tape that belongs in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TapeLocation {
    /// The tape.
    pub path: PathBuf,
    /// The agent that ran the session under `pintle hook`; `None` for a session of Pintle's own loop.
    pub host: Option<String>,
    /// The directory of the project; `None` if it is not known.
    pub project: Option<PathBuf>,
}

/// A decision with the session that it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    /// What names it on a command line: some digits for its session and tape, a dot, and the number of the record.
    pub id: String,
    /// The same with all digits.
    pub long_id: String,
    /// The session.
    pub session: String,
    /// The agent that ran the session under `pintle hook`; `None` for a session of Pintle's own loop.
    pub host: Option<String>,
    /// The directory of the project; `None` if it is not known.
    pub project: Option<String>,
    /// The tape.
    pub tape: PathBuf,
    /// The decision.
    pub decision: RecordedDecision,
}

impl TapeLocation {
    /// The ID in the log of the record with this number of a session, and the same with all digits.
    #[must_use]
    pub fn entry_id(&self, session: &str, seq: u64) -> (String, String) {
        make_entry_ids(&make_tape_key(self.host.as_deref(), session, &self.path.to_string_lossy()), seq)
    }
}

/// Digits that distinguish a tape from others, the first of which begin the IDs of its entries.
pub(crate) fn make_tape_key(host: Option<&str>, session: &str, path: &str) -> String {
    let text = [host.unwrap_or_default(), session, path].join("\0");
    let digest = Sha256::digest(text.as_bytes());
    to_hex(digest.get(..8).unwrap_or(&digest))
}

/// The ID of an entry, and the same with all digits.
pub(crate) fn make_entry_ids(tape_key: &str, seq: u64) -> (String, String) {
    (format!("{}.{seq}", tape_key.get(..ID_DIGITS).unwrap_or(tape_key)), format!("{tape_key}.{seq}"))
}
