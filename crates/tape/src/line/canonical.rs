//! Recognises JSON text that is spelled as it would be written, without reading its values.

use std::collections::HashSet;

use memchr::memchr2;

use super::DEEPEST;

/// What `serde_json` names fields that stand for something else than an object.
const PRIVATE_NAME: &[u8] = b"$serde_json::";
/// The number of names of an object up to which each is compared with all before it.
const FEW_NAMES: usize = 16;

/// Whether JSON text is one value and exactly as it would be written after it was read. False also for some text that is,
/// such as deep nesting.
pub(crate) fn is_canonical(json: &[u8]) -> bool {
    // Only valid text is read at all.
    skip_value(json, 0).is_some_and(<[u8]>::is_empty) && std::str::from_utf8(json).is_ok()
}

/// The text after the value at the start; `None` if it would be written in another way.
fn skip_value(json: &[u8], depth: usize) -> Option<&[u8]> {
    match json.first()? {
        b'"' => skip_string(json),
        b'{' if depth < DEEPEST => skip_object(json, depth),
        b'[' if depth < DEEPEST => skip_array(json, depth),
        b't' => json.strip_prefix(b"true"),
        b'f' => json.strip_prefix(b"false"),
        b'n' => json.strip_prefix(b"null"),
        _ => skip_number(json),
    }
}

fn skip_object(json: &[u8], depth: usize) -> Option<&[u8]> {
    let mut rest = json.strip_prefix(b"{")?;
    if let Some(after) = rest.strip_prefix(b"}") {
        return Some(after);
    }
    let (mut few, mut names) = ([&b""[..]; FEW_NAMES], HashSet::new());
    for count in 0.. {
        let after = skip_string(rest)?;
        let name = rest.get(1..rest.len() - after.len() - 1)?;
        // Of fields with one name only the last is written.
        let is_new = match few.get_mut(..=count) {
            Some([before @ .., place]) => {
                let is_new = !before.contains(&name);
                *place = name;
                is_new
            }
            _ => {
                if names.is_empty() {
                    names.extend(few);
                }
                names.insert(name)
            }
        };
        if !is_new || name.starts_with(PRIVATE_NAME) {
            return None;
        }
        rest = skip_value(after.strip_prefix(b":")?, depth + 1)?;
        match rest.split_first()? {
            (b',', after) => rest = after,
            (b'}', after) => return Some(after),
            _ => return None,
        }
    }
    None
}

fn skip_array(json: &[u8], depth: usize) -> Option<&[u8]> {
    let mut rest = json.strip_prefix(b"[")?;
    if let Some(after) = rest.strip_prefix(b"]") {
        return Some(after);
    }
    loop {
        rest = skip_value(rest, depth + 1)?;
        match rest.split_first()? {
            (b',', after) => rest = after,
            (b']', after) => return Some(after),
            _ => return None,
        }
    }
}

fn skip_string(json: &[u8]) -> Option<&[u8]> {
    let mut rest = json.strip_prefix(b"\"")?;
    loop {
        let (plain, special) = rest.split_at_checked(memchr2(b'"', b'\\', rest)?)?;
        // Without an end in between, the compiler looks at many bytes at once.
        if plain.iter().fold(false, |has_control, byte| has_control | (*byte < b' ')) {
            return None;
        }
        let (special, after) = special.split_first()?;
        rest = match (special, after) {
            (b'"', after) => return Some(after),
            (b'\\', [b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', after @ ..]) => after,
            // The others of these have a short escape.
            (b'\\', [b'u', b'0', b'0', b'0', b'0'..=b'7' | b'b' | b'e' | b'f', after @ ..]) => after,
            (b'\\', [b'u', b'0', b'0', b'1', b'0'..=b'9' | b'a'..=b'f', after @ ..]) => after,
            _ => return None,
        };
    }
}

fn skip_number(json: &[u8]) -> Option<&[u8]> {
    let digits = json.strip_prefix(b"-").unwrap_or(json);
    let mut rest = match digits.strip_prefix(b"0") {
        Some(rest) => rest,
        None => skip_digits(digits)?,
    };
    if let Some(fraction) = rest.strip_prefix(b".") {
        rest = skip_digits(fraction)?;
    }
    if let Some(exponent) = rest.strip_prefix(b"e") {
        rest = skip_digits(exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-"))?)?;
    }
    // What follows is the end of the value, or an error of the caller.
    Some(rest)
}

fn skip_digits(json: &[u8]) -> Option<&[u8]> {
    let count = json.iter().take_while(|byte| byte.is_ascii_digit()).count();
    json.get(count..).filter(|_| count > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::blobs::tests::any_value;

    /// Whether the text is written as it was read.
    fn is_written_so(json: &str) -> bool {
        serde_json::from_str::<Value>(json).is_ok_and(|value| serde_json::to_string(&value).unwrap() == json)
    }

    #[test]
    fn other_spellings_are_not_canonical() {
        let names: Vec<String> = (0..40).map(|name| format!("\"{name}\":1")).collect();
        let (many, twice) = (format!("{{{}}}", names.join(",")), format!("{{{},\"3\":1}}", names.join(",")));
        let same = [
            r#"{"b":[1,-2,3.50,0,0.0,-0.0,123456789012345678901234567890,1e+5,1.0e-7],"c":[true,false,null],"d":{},"e":[]}"#,
            "\"\u{fc}\u{7f}\u{10ffff}\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u0007\\u000b\\u000e\\u000f\\u0010\\u001f/\"",
            &many,
        ];
        for json in same {
            assert!(is_canonical(json.as_bytes()) && is_written_so(json), "{json}");
        }
        let others = [
            "",
            " 1",
            "1 ",
            "01",
            "1.",
            ".5",
            "+1",
            "1e5",
            "1E+5",
            "1e+",
            "-",
            "nul",
            "truefalse",
            "[1,]",
            "[1",
            "{\"a\":1,}",
            "{\"a\" :1}",
            "{\"a\":1,\"a\":2}",
            "{a:1}",
            "\"",
            "\"\t\"",
            r#""\/""#,
            r#""\u0008""#,
            r#""\u000A""#,
            r#""\u0020""#,
            r#""\u00fc""#,
            r#""\x""#,
            "[1]2",
            "{\"$serde_json::private::Number\":\"1\"}",
            &twice,
        ];
        for json in others {
            assert!(!is_canonical(json.as_bytes()) && !is_written_so(json), "{json}");
        }
        assert!(!is_canonical(b"\"\xff\""));
    }

    proptest! {
        #[test]
        fn canonical_text_is_what_is_written(
            value in any_value(),
            place in any::<prop::sample::Index>(),
            other in prop::sample::select(vec!["\"", "{", "}", "[", "]", ",", ":", " ", "\\", "0", "-", ".", "e", "+", "a", ""]),
        ) {
            let json = value.to_string();
            prop_assert!(is_canonical(json.as_bytes()), "{}", json);
            let at = place.index(json.len());
            if json.is_char_boundary(at) && json.is_char_boundary(at + 1) {
                let changed = format!("{}{other}{}", &json[..at], &json[at + 1..]);
                prop_assert_eq!(is_canonical(changed.as_bytes()), is_written_so(&changed), "{}", changed);
            }
        }
    }
}
