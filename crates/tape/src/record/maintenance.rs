//! The records about the tape itself.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dispatch::deserialize_present;

/// A value that later records refer to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlobRecord<'a> {
    /// SHA-256 in hex of the value's JSON text, as written in this record.
    pub digest: Cow<'a, str>,
    /// The value. Large values in it may themselves be references to earlier blobs.
    #[serde(deserialize_with = "deserialize_present")]
    pub value: Option<Cow<'a, Value>>,
}

/// The tape was closed, with nothing left open. It may be continued later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosedRecord<'a> {
    /// The number of records before this one.
    pub records: u64,
    /// SHA-256 in hex of this line without this field, so that the last line of a tape is covered too.
    pub digest: Cow<'a, str>,
}

/// A torn record was removed before the tape was continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HealedRecord {
    /// The line it was on, from 1.
    pub line: u64,
    /// Its size.
    pub size_bytes: u64,
}
