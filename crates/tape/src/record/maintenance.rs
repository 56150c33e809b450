//! The records that a tape keeps about itself.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dispatch::deserialize_present;

/// A value that later records refer to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlobRecord<'a> {
    /// SHA-256 in hex of the value's JSON text, as it stands in this record.
    pub digest: Cow<'a, str>,
    /// The value; what is large in it may itself be a reference to a blob before this one.
    #[serde(deserialize_with = "deserialize_present")]
    pub value: Option<Cow<'a, Value>>,
}

/// The tape was closed: nothing was going on any more. It may be gone on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosedRecord<'a> {
    /// How many records stand before this one.
    pub records: u64,
    /// SHA-256 in hex of this line without this field, so that the last line of a tape is covered too.
    pub digest: Cow<'a, str>,
}

/// What was left of a record that was not written whole was taken away, before the tape went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HealedRecord {
    /// The line it stood in, from 1.
    pub line: u64,
    /// How much of it there was.
    pub size_bytes: u64,
}
