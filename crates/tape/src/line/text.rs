//! Inspects JSON text.

use sha2::{Digest, Sha256};

/// The maximum nesting depth of a line before its body is packed. JSON readers commonly stop at 128.
pub(crate) const DEEPEST: usize = 100;

/// A SHA-256 digest.
pub(crate) type DigestBytes = [u8; 32];

/// SHA-256 of some bytes.
pub(crate) fn digest_bytes(bytes: &[u8]) -> DigestBytes {
    Sha256::digest(bytes).into()
}

/// SHA-256 in hex.
pub(crate) fn digest_hex(bytes: &[u8]) -> String {
    to_hex(&digest_bytes(bytes))
}

/// A digest in hex.
pub(crate) fn to_hex(digest: &DigestBytes) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| DIGITS.get(usize::from(half)).copied().map_or('0', char::from);
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The digest that a text writes in hex, with lower case letters.
pub(crate) fn parse_hex(text: &str) -> Option<DigestBytes> {
    let half = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut digest = DigestBytes::default();
    if text.len() != 2 * digest.len() {
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
    // A short text cannot be deep, and counting its brackets would cost nearly nothing.
    json.len() + outer_depth > DEEPEST
        && json.iter().filter(|byte| matches!(byte, b'{' | b'[')).count() + outer_depth > DEEPEST
        && nesting_depth(json) + outer_depth > DEEPEST
}

/// The nesting depth of brackets in JSON text.
fn nesting_depth(json: &[u8]) -> usize {
    let (mut deepest, mut here) = (0_usize, 0_usize);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                here += 1;
                deepest = deepest.max(here);
            }
            b'}' | b']' if !in_text => here = here.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The text of a JSON error without serde's `at line 1`, which would be taken for the tape's line.
pub(super) fn json_error_text(error: &serde_json::Error) -> String {
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
            assert_eq!(parse_hex(other), None, "{other}");
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
