//! The records about the tape itself.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The tape was closed, with nothing left open. It may be continued later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosedRecord<'a> {
    /// The number of records before this one.
    pub records: u64,
    /// SHA-256 in hex of this line without this field, so that the last line of a tape is covered too.
    pub digest: Cow<'a, str>,
}

/// A checkpoint: what a machine signed about the records before this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointRecord<'a> {
    /// The signed note.
    pub note: Cow<'a, str>,
}

/// A torn record was removed before the tape was continued, or the program died between two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairedRecord {
    /// The line it was on, from 1.
    pub line: u64,
    /// Its size; 0 if there is none.
    pub size_bytes: u64,
}
