//! Where the payload of a call ends.

use std::io::{self, Read};

use memchr::memchr2;

/// The largest payload that is read.
pub const MAX_PAYLOAD_BYTES: usize = 16 << 20;

/// The size of the first piece that is read: most payloads without a tool's result fit.
const FIRST_PIECE_BYTES: usize = 16 << 10;
/// The size of the others: what a pipe holds.
const PIECE_BYTES: usize = 64 << 10;

/// Reads a payload up to the end of its first object: an agent may keep the pipe open. What follows the object in the
/// same piece is read too, so that it is an error. Of a payload that is too large one byte more than the largest is kept,
/// and the rest is dropped, so that the writing program is not blocked.
///
/// # Errors
/// When it cannot be read.
pub fn read_first_object(input: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut end = ObjectEnd::default();
    loop {
        let before = bytes.len();
        let piece_bytes = if before == 0 { FIRST_PIECE_BYTES } else { PIECE_BYTES };
        bytes.resize((before + piece_bytes).min(MAX_PAYLOAD_BYTES + 1), 0);
        let read = input.read(bytes.get_mut(before..).unwrap_or_default());
        bytes.truncate(before + read.as_ref().copied().unwrap_or_default());
        let length = match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if length == 0 || end.is_reached_in(bytes.get(before..).unwrap_or_default()) {
            return Ok(());
        }
        if bytes.len() > MAX_PAYLOAD_BYTES {
            return io::copy(input, &mut io::sink()).map(drop);
        }
    }
}

/// Looks for the end of the first object of a JSON text that comes in pieces.
#[derive(Debug, Default)]
struct ObjectEnd {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl ObjectEnd {
    /// Whether the object ends in this piece, with nothing but blanks behind it.
    fn is_reached_in(&mut self, piece: &[u8]) -> bool {
        let mut rest = piece;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            match (self.in_string, byte) {
                (true, _) if self.is_escaped => self.is_escaped = false,
                (true, b'\\') => self.is_escaped = true,
                (_, b'"') => self.in_string = !self.in_string,
                // Most of a large payload is in strings.
                (true, _) => {
                    let end = memchr2(b'"', b'\\', after).unwrap_or(after.len());
                    rest = after.get(end..).unwrap_or_default();
                }
                (false, b'{' | b'[') => self.depth += 1,
                (false, b'}' | b']') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return after.iter().all(u8::is_ascii_whitespace);
                    }
                }
                _ => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipe that is never closed: reading on would block, which is an error here.
    struct OpenPipe(Vec<&'static [u8]>);

    impl Read for OpenPipe {
        fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let piece = self.0.remove(0);
            space[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn reading_ends_with_the_first_object() {
        let cases: [(&[&[u8]], &[u8]); 5] = [
            (&[b"{}\n"], b"{}\n"),
            (&[b"{\"a\":", b"[1,{}]}"], b"{\"a\":[1,{}]}"),
            (&[br#"{"a":"}\"", "#, br#""b":"\\"}"#], br#"{"a":"}\"", "b":"\\"}"#),
            (&[br#"{"a":"\"#, br#""}"}"#], br#"{"a":"\"}"}"#),
            // What follows in the same piece is read on, until the pipe ends.
            (&[b"{} {", b"}"], b"{} {}"),
        ];
        for (pieces, whole) in cases {
            let mut bytes = Vec::new();
            read_first_object(&mut OpenPipe(pieces.to_vec()), &mut bytes).unwrap();
            assert_eq!(bytes, whole);
        }
        assert!(read_first_object(&mut OpenPipe(vec![b"{"]), &mut Vec::new()).is_err());
        let mut bytes = Vec::new();
        read_first_object(&mut &b"no json"[..], &mut bytes).unwrap();
        assert_eq!(bytes, b"no json");
    }

    #[test]
    fn a_payload_that_is_too_large_is_cut() {
        let mut bytes = Vec::new();
        read_first_object(&mut io::repeat(b' ').take(2 * MAX_PAYLOAD_BYTES as u64), &mut bytes).unwrap();
        assert_eq!(bytes.len(), MAX_PAYLOAD_BYTES + 1);
    }

    #[test]
    fn a_string_ends_at_its_quotation_mark_wherever_the_pieces_end() {
        for byte in 0..=u8::MAX {
            for before in 0..20 {
                let text = [&b"{\"k\":\""[..], &vec![b'a'; before], &[byte, b'"', b'}']].concat();
                let is_plain = !matches!(byte, b'"' | b'\\');
                for (start, rest) in (0..text.len()).map(|at| text.split_at(at)) {
                    let mut end = ObjectEnd::default();
                    assert!(!end.is_reached_in(start), "{text:?}");
                    assert_eq!(end.is_reached_in(rest), is_plain, "{text:?}");
                    // After a backslash or another quotation mark, the object is still in a string.
                    assert!(is_plain || end.is_reached_in(b"\"}"), "{text:?}");
                }
            }
        }
    }
}
