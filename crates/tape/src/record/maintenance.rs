//! The records about the tape itself.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dispatch::deserialize_present;

/// A value that later records refer to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlobRecord<'a> {
    /// SHA-256 in hex: of the value's JSON text, as written in this record, or of the list.
    pub digest: Cow<'a, str>,
    /// The value. Large values in it may themselves be references to earlier blobs.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub value: Option<Cow<'a, Value>>,
    /// The parts of a list, in place of a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<ListPart<'a>>>,
    /// The digest of the earlier text that `lines` refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Cow<'a, str>>,
    /// The lines of a text, in place of a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<TextPart<'a>>>,
}

/// Lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TextPart<'a> {
    /// New text.
    New(Cow<'a, str>),
    /// Lines of the earlier text, from one index to before another.
    Slice(usize, usize),
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ListPart<'a> {
    /// New elements.
    Elements(Vec<Value>),
    /// Elements of an earlier list.
    Slice(ListSlice<'a>),
}

/// Some consecutive elements of an earlier list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListSlice<'a> {
    /// The digest of the list.
    pub of: Cow<'a, str>,
    /// The index of the first element.
    pub from: usize,
    /// The index after the last element.
    pub to: usize,
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

/// A torn record was removed before the tape was continued, or the program died between two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairedRecord {
    /// The line it was on, from 1.
    pub line: u64,
    /// Its size; 0 if there is none.
    pub size_bytes: u64,
}
