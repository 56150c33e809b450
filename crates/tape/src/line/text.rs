//! Inspects JSON text.

use sha2::{Digest, Sha256};

/// The maximum nesting depth of a line before its body is packed. JSON readers commonly stop at 128.
pub(crate) const DEEPEST: usize = 100;

/// SHA-256 in hex.
pub(crate) fn digest_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| DIGITS.get(usize::from(half)).copied().map_or('0', char::from);
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}

/// Whether brackets in JSON text are nested deeper than readers allow.
pub(crate) fn is_deep(json: &[u8]) -> bool {
    // A short text cannot be deep, and counting its brackets would cost nearly nothing.
    json.len() > 2 * DEEPEST
        && json.iter().filter(|byte| matches!(byte, b'{' | b'[')).count() > DEEPEST
        && nesting_depth(json) > DEEPEST
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
    fn brackets_in_texts_do_not_nest() {
        let texts = format!("[\"{}\\\"{}\"]", "[".repeat(200), "{".repeat(200));
        assert_eq!((nesting_depth(texts.as_bytes()), is_deep(texts.as_bytes())), (1, false));
        let nested = format!("{}{}", "[".repeat(101), "]".repeat(101));
        assert!(is_deep(nested.as_bytes()));
        assert!(!is_deep("[]".repeat(101).as_bytes()));
    }
}
