//! Inspects JSON text.

use memchr::{memchr2, memchr2_iter};
use pintle_contract::to_hex;
use sha2::{Digest, Sha256};

/// The maximum nesting depth of a line before its body is packed. JSON readers commonly stop at 128.
pub(crate) const DEEPEST: usize = 100;

/// A SHA-256 digest.
pub(crate) type DigestBytes = [u8; 32];

/// SHA-256 of some bytes.
pub(crate) fn digest_bytes(bytes: &[u8]) -> DigestBytes {
    digest_parts([bytes])
}

/// SHA-256 of bytes that follow each other.
pub(crate) fn digest_parts<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> DigestBytes {
    parts.into_iter().fold(Sha256::new(), |digest, part| digest.chain_update(part)).finalize().into()
}

/// SHA-256 in hex.
pub(crate) fn digest_hex(bytes: &[u8]) -> String {
    to_hex(&digest_bytes(bytes))
}

/// The bytes that a text writes in hex, with lower case letters.
pub(crate) fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let half = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut digest = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let &[high, low] = pair else { return None };
        *byte = half(high)? << 4 | half(low)?;
    }
    Some(digest)
}

/// Whether brackets in JSON text that is itself inside of `outer_depth` brackets are nested deeper than readers allow.
pub(crate) fn is_deep(json: &[u8], outer_depth: usize) -> bool {
    // A short text cannot be deep, and few brackets are found faster than their depth.
    json.len() + outer_depth > DEEPEST
        && memchr2_iter(b'{', b'[', json).take(DEEPEST + 1).count() + outer_depth > DEEPEST
        && nesting_depth(json) + outer_depth > DEEPEST
}

/// How deep the values of canonical JSON text are nested. Brackets without a value between them count for nothing.
pub(crate) fn value_depth(json: &[u8]) -> usize {
    depth_of_brackets(json, |after| !matches!(after, Some(b'}' | b']')))
}

/// The nesting depth of brackets in JSON text.
fn nesting_depth(json: &[u8]) -> usize {
    depth_of_brackets(json, |_| true)
}

/// The nesting depth of the brackets that count, given the byte after them.
fn depth_of_brackets(json: &[u8], counts: impl Fn(Option<&u8>) -> bool) -> usize {
    let (mut deepest, mut here) = (0_usize, 0_usize);
    let mut rest = json;
    while let Some((byte, after)) = rest.split_first() {
        let text = rest;
        rest = after;
        match byte {
            b'"' => rest = text.get(string_bytes(text)..).unwrap_or_default(),
            b'{' | b'[' => {
                here += 1;
                if here > deepest && counts(after.first()) {
                    deepest = here;
                }
            }
            b'}' | b']' => here = here.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The length of the string at the start, with its quotes.
pub(crate) fn string_bytes(text: &[u8]) -> usize {
    let mut size_bytes = 1;
    loop {
        let rest = text.get(size_bytes..).unwrap_or_default();
        match memchr2(b'"', b'\\', rest) {
            None => return text.len(),
            Some(index) if rest.get(index) == Some(&b'"') => return size_bytes + index + 1,
            // An escaped byte does not end the string.
            Some(index) => size_bytes += index + 2,
        }
    }
}

/// The text of a JSON error without serde's `at line 1`, which would be taken for the tape's line.
pub(crate) fn json_error_text(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("not JSON: {what} (column {})", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_hex() {
        assert_eq!(digest_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn digest_is_parsed_from_its_hex_digits_alone() {
        let digest = digest_bytes(b"x");
        assert_eq!(parse_hex(&to_hex(&digest)), Some(digest));
        let upper = to_hex(&digest).to_uppercase();
        for other in ["", "ab", &upper, &"g".repeat(64), &"\u{fc}".repeat(32)] {
            assert_eq!(parse_hex::<32>(other), None, "{other}");
        }
    }

    #[test]
    fn empty_brackets_are_no_deeper_than_what_has_them() {
        for (json, depth) in [("1", 0), ("[]", 0), ("{}", 0), ("[[]]", 1), ("{\"[\":{}}", 1), ("[[],[{\"a\":[1]}]]", 4)]
        {
            assert_eq!(value_depth(json.as_bytes()), depth, "{json}");
        }
    }

    #[test]
    fn brackets_in_texts_do_not_nest() {
        let texts = format!("[\"{}\\\"{}\"]", "[".repeat(200), "{".repeat(200));
        assert_eq!((nesting_depth(texts.as_bytes()), is_deep(texts.as_bytes(), 0)), (1, false));
        let nested = format!("{}{}", "[".repeat(101), "]".repeat(101));
        assert!(is_deep(nested.as_bytes(), 0));
        assert!(!is_deep("[]".repeat(101).as_bytes(), 0));
    }
}
