//! Checks the numbers and digests that link the lines of a tape.

use crate::line::digest_hex;
use crate::record::Record;

/// The number and digest that the next line must have.
#[derive(Debug, Default)]
pub(crate) struct ChainCheck {
    pub(crate) next_seq: u64,
    pub(crate) prev: Option<String>,
}

/// A line that does not follow from the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChainBreak {
    field: &'static str,
    expected: String,
    found: String,
}

impl ChainCheck {
    /// Checks the next line and returns what is wrong. Continues from the line's own number and digest.
    pub(crate) fn check_record(&mut self, record: &Record<'_>, text: &[u8]) -> Vec<ChainBreak> {
        let shown = |digest: &Option<String>| digest.clone().unwrap_or_else(|| String::from("null"));
        let mut breaks = Vec::new();
        if record.seq != self.next_seq {
            let (expected, found) = (self.next_seq.to_string(), record.seq.to_string());
            breaks.push(ChainBreak { field: "seq", expected, found });
        }
        if record.prev != self.prev {
            breaks.push(ChainBreak { field: "prev", expected: shown(&self.prev), found: shown(&record.prev) });
        }
        self.next_seq = record.seq.saturating_add(1);
        self.prev = Some(digest_hex(text));
        breaks
    }
}

impl ChainBreak {
    /// What was found, and what it means.
    pub(crate) fn found_text(&self) -> String {
        let reason = match self.field {
            "seq" => "a record is missing or was inserted",
            _ => "the previous line was changed or is missing",
        };
        format!("`{}` is {}: {reason}", self.field, self.found)
    }

    /// What was expected.
    pub(crate) fn expected_text(&self) -> String {
        self.expected.clone()
    }
}
