//! Observing a tape while it is written.

use std::fmt::Debug;

use crate::TapeError;
use crate::record::Record;

/// Observes every record as it is written, in the order of the tape.
///
/// It is called while the tape is locked, so it must not use the tape.
pub trait RecordObserver: Send + Sync + Debug {
    /// Receives a record and its line, without the line end. For a blob it receives only the line, with a
    /// [`RecordBody::Unknown`](crate::RecordBody::Unknown).
    fn on_record(&self, record: &Record<'_>, line: &str);

    /// Receives the error that stopped the tape. Records after that are not on the tape.
    fn on_error(&self, _error: &TapeError) {}
}
