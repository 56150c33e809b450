//! The tape: the record of a session, which replays byte for byte.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use pintle_host::SystemClock;
use pintle_host::tape::replay::{ReplayDifference, ReplayOptions, replay};
use pintle_host::tape::{self, HeaderRecord};

/// The record of everything that hooks saw and said, written before the host acts on it. If it cannot be written, what is
/// guarded is denied. Cheap to clone; clones write to the same tape.
#[derive(Debug, Clone)]
pub struct Tape(pub(crate) Arc<tape::Tape>);

impl Tape {
    /// Creates a tape in a new file.
    ///
    /// # Errors
    /// When the file exists or cannot be written. Missing directories are created.
    pub fn create(path: impl AsRef<Path>, session: &str) -> Result<Self, TapeError> {
        let clock = Arc::new(SystemClock::default());
        let tape = tape::Tape::create(path, header(session), clock).map_err(TapeError::new)?;
        Ok(Self(Arc::new(tape)))
    }

    /// Creates a tape in memory.
    #[must_use]
    pub fn in_memory(session: &str) -> Self {
        Self(Arc::new(tape::Tape::in_memory(header(session), Arc::new(SystemClock::default()))))
    }

    /// The records so far as JSON lines, if the tape is in memory.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.lines().iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
    }

    /// Ends the tape with a record that covers all earlier ones, and returns its SHA-256 in hex, by which a later
    /// change can be detected. `None` if an event is being dispatched, or the tape can no longer be written.
    #[must_use]
    pub fn close(&self) -> Option<String> {
        self.0.close()
    }

    /// Why the tape can no longer be written; `None` if it can.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.0.error_text()
    }

    /// Replays the bytes of a tape without its hooks: every record must come out again, byte for byte.
    ///
    /// # Errors
    /// With the first record that differs, or why the bytes are not a tape.
    pub fn replay(bytes: &[u8]) -> Result<(), TapeError> {
        let report = replay(bytes, &ReplayOptions::default()).map_err(TapeError::new)?;
        report.difference.map_or(Ok(()), |difference| {
            let ReplayDifference { line, kind, difference_kind, .. } = difference;
            Err(TapeError(format!("line {line}: {kind}: {difference_kind}")))
        })
    }

    /// Checks that nothing of a tape was changed or is missing, and that the host did what was decided.
    ///
    /// # Errors
    /// With every finding, or why the bytes are not a tape.
    pub fn verify(bytes: &[u8]) -> Result<(), TapeError> {
        let report = tape::verify::verify_bytes(bytes).map_err(TapeError::new)?;
        let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        if findings.is_empty() { Ok(()) } else { Err(TapeError(findings.join("\n"))) }
    }
}

fn header(session: &str) -> HeaderRecord {
    use pintle_host::Clock as _;
    HeaderRecord::new(session, SystemClock::default().unix_ms())
}

/// Why a tape cannot be written, or what is wrong with it.
#[derive(Clone, PartialEq, Eq)]
pub struct TapeError(String);

impl TapeError {
    fn new(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TapeError {}
