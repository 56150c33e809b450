//! Checks how the lines of a tape are linked: their numbers and digests.

use pintle_contract::to_hex;

use crate::line::digest_bytes;
use crate::record::Record;
use crate::tree::TreeFrontier;

/// The number and digest that the next line must have.
#[derive(Debug, Default)]
pub(crate) struct ChainCheck {
    pub(crate) next_seq: u64,
    pub(crate) prev: Option<String>,
    /// The digest of the first line, in hex.
    pub(crate) header: Option<String>,
    /// The tree over the lines so far.
    pub(crate) tree: TreeFrontier,
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
        let digest = digest_bytes(text);
        self.tree.push(&digest);
        self.prev = Some(to_hex(&digest));
        if self.header.is_none() {
            self.header.clone_from(&self.prev);
        }
        breaks
    }
}
