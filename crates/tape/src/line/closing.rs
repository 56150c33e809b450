//! The line that closes a tape.

use std::borrow::Cow;

use super::{digest_hex, push_line};
use crate::record::ClosedRecord;

/// The text before the digest of a closing line.
const BEFORE: &str = ",\"digest\":\"";
/// The text after it.
const BEHIND: &str = "\"}";

/// The record that closes a tape after `seq` records.
pub(crate) fn make_closing_record(seq: u64, at_ms: u64, prev: Option<&str>) -> ClosedRecord<'static> {
    let mut line = Vec::new();
    push_line(&mut line, seq, at_ms, prev, "closed", format!("{{\"records\":{seq}}}").as_bytes());
    ClosedRecord { records: seq, digest: Cow::Owned(digest_hex(&line)) }
}

/// Whether a closing line contains its own digest.
pub(crate) fn is_closing(line: &[u8]) -> bool {
    let Some((text, BEHIND)) =
        std::str::from_utf8(line).ok().and_then(|line| line.split_at_checked(line.len().checked_sub(2)?))
    else {
        return false;
    };
    let Some((rest, claimed)) = text.rsplit_once(BEFORE) else { return false };
    digest_hex(format!("{rest}}}").as_bytes()) == claimed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Record, RecordBody};

    #[test]
    fn every_bit_of_a_closing_line_counts() {
        let prev = digest_hex(b"the line before");
        let body = RecordBody::Closed(make_closing_record(7, 1_750_000_000_000, Some(&prev)));
        let line = Record { seq: 7, at_ms: 1_750_000_000_000, prev: Some(prev), body }.to_line().unwrap().into_bytes();
        assert!(is_closing(&line));
        for index in 0..line.len() * 8 {
            let mut bent = line.clone();
            bent[index / 8] ^= 1 << (index % 8);
            assert!(!is_closing(&bent), "bit {index}");
        }
        assert!(!is_closing(b"") && !is_closing(b"{\"digest\":\"\"}"));
    }
}
