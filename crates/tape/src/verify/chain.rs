//! Checks how the lines of a tape are linked: their numbers and digests, and blobs with the records that use them.

use super::FindingSink;
use crate::line::digest_hex;
use crate::record::{HostRecord, Record, RecordBody};

/// The number and digest that the next line must have.
#[derive(Debug, Default)]
pub(crate) struct ChainCheck {
    pub(crate) next_seq: u64,
    pub(crate) prev: Option<String>,
}

impl ChainCheck {
    /// Checks the next line and returns what is wrong: what was found, and what was expected. Continues from the line's
    /// own number and digest.
    pub(crate) fn check_record(&mut self, record: &Record<'_>, text: &[u8]) -> Vec<(String, String)> {
        let shown = |digest: &Option<String>| digest.clone().unwrap_or_else(|| String::from("null"));
        let mut breaks = Vec::new();
        if record.seq != self.next_seq {
            let found = format!("`seq` is {}: a record is missing or was inserted", record.seq);
            breaks.push((found, self.next_seq.to_string()));
        }
        if record.prev != self.prev {
            let found = format!("`prev` is {}: the previous line was changed or is missing", shown(&record.prev));
            breaks.push((found, shown(&self.prev)));
        }
        self.next_seq = record.seq.saturating_add(1);
        self.prev = Some(digest_hex(text));
        breaks
    }
}

/// The blobs before the record that uses them, which must follow directly.
#[derive(Debug, Default)]
pub(super) struct BlobCheck {
    waiting: Vec<UnreferencedBlob>,
}

#[derive(Debug)]
struct UnreferencedBlob {
    line: usize,
    digest: String,
    text: Vec<u8>,
}

impl BlobCheck {
    /// Checks the next record and its line.
    pub(super) fn check_record(&mut self, text: &[u8], body: &RecordBody<'_>, findings: &mut FindingSink<'_>) {
        match body {
            RecordBody::Blob(blob) => {
                self.waiting.push(UnreferencedBlob {
                    line: findings.line,
                    digest: blob.digest.to_string(),
                    text: text.to_vec(),
                });
            }
            // The program died before it wrote the record, and another one continues the tape.
            RecordBody::Repaired(_) | RecordBody::Hooks(_) | RecordBody::Host(HostRecord::Resumed(_)) => {
                self.waiting.clear()
            }
            _ if self.waiting.is_empty() => {}
            _ => {
                // Blobs that a needed blob refers to are needed too, and come before it.
                let mut needed = vec![text.to_vec()];
                for UnreferencedBlob { line, digest, text } in std::mem::take(&mut self.waiting).into_iter().rev() {
                    let reference = format!("{{\"$blob\":\"{digest}\"}}");
                    let refers = |needed: &Vec<u8>| contains_bytes(needed, reference.as_bytes());
                    if needed.iter().any(refers) {
                        needed.push(text);
                    } else {
                        let found = format!("the blob of line {line} is not used by the record that follows it");
                        findings.add(found, "a reference to it, or no blob");
                    }
                }
            }
        }
    }
}

fn contains_bytes(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
