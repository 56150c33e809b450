//! Recognizes denies that are not in the dialect's own terms: those of another agent, and malformed ones.
//!
//! A guard that printed one did not mean to allow the call. The output is not a valid decision either, because what it
//! meant is unclear.

use std::sync::LazyLock;

use pintle_contract::read_json;
use regex::{Regex, RegexSet};
use serde_json::Value;

/// The maximum number of layers of JSON text inside JSON text.
const MAX_LAYERS: usize = 8;
/// The maximum number of characters of a field's name that are examined.
const LONGEST_NAME: usize = 64;

/// Words that deny.
const REFUSING: &str = r"den(?:y|ied|ies)|block(?:ed|s)?|reject(?:ed|s)?|refus(?:e|ed|es|ing)|forbid(?:den|s)?|disallow(?:ed|s)?|prohibit(?:ed|s)?|veto(?:ed)?|cancel(?:l?ed|s)?|abort(?:ed|s)?|stop(?:ped|s)?|halt(?:ed|s)?|unauthori[sz]ed|not\s+(?:allowed|permitted)";
/// Words that allow.
const AGREEING: &str = r"allow(?:ed)?|approved?|ok|okay|permit(?:ted)?|accept(?:ed)?|continue|proceed|pass(?:ed)?|safe|success|authori[sz]ed|granted";

/// How restrictive a deny is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalLevel {
    /// The user is asked.
    Ask,
    /// Denied.
    Deny,
}

/// What an unknown field denies: a word that denies, a flag such as `block` that is on, or a flag such as `allow` that
/// is off, at any depth.
pub fn find_refusal(name: &str, value: &Value) -> Option<RefusalLevel> {
    find_in_layers(name, value, 0)
}

/// Whether an unknown field denies.
pub fn refuses(name: &str, value: &Value) -> bool {
    find_refusal(name, value).is_some()
}

fn find_in_layers(name: &str, value: &Value, layer: usize) -> Option<RefusalLevel> {
    let name: String = name.chars().filter(|letter| letter.is_alphanumeric()).take(LONGEST_NAME).collect();
    let (is_refusing, is_agreeing) = (REFUSING_NAME.is_match(&name), AGREEING_NAME.is_match(&name));
    let deny = |refuses: bool| refuses.then_some(RefusalLevel::Deny);
    match value {
        Value::Null => None,
        Value::Bool(flag) => deny(if *flag { is_refusing } else { is_agreeing }),
        Value::Number(number) => deny(if number.as_f64() == Some(0.0) { is_agreeing } else { is_refusing }),
        Value::String(text) => {
            let text = text.trim();
            let is_off = OFF.is_match(text);
            let by_flag = (is_refusing && !text.is_empty() && !is_off) || (is_agreeing && is_off);
            let by_word = || {
                if ASKING_VALUE.is_match(text) { Some(RefusalLevel::Ask) } else { None }
            };
            let inner = || parse_nested(text).filter(|_| layer < MAX_LAYERS);
            // The remains of a decision, not a sentence that mentions one.
            let by_form = || QUOTED.is_match(text) && (text.contains(':') || text.contains('{'));
            deny(by_flag || REFUSING_VALUE.is_match(text) || by_form())
                .or_else(by_word)
                .or_else(|| find_in_layers("", &inner()?, layer + 1))
        }
        Value::Array(items) => {
            let own = deny(is_refusing && !items.is_empty());
            own.max(items.iter().filter_map(|item| find_in_layers("", item, layer)).max())
        }
        Value::Object(fields) => {
            let own = deny(is_refusing && !fields.is_empty());
            own.max(fields.iter().filter_map(|(name, value)| find_in_layers(name, value, layer)).max())
        }
    }
}

/// The object or list that a string encodes.
fn parse_nested(text: &str) -> Option<Value> {
    let text = strip_byte_order_mark(text);
    text.starts_with(['{', '[', '"']).then(|| read_json(text).ok()).flatten()
}

/// Whether plain text denies, or seems to be the remains of a decision. Harmless remarks do not.
pub fn text_refuses(text: &str) -> bool {
    text_refuses_in_layers(text, 0)
}

fn text_refuses_in_layers(text: &str, layer: usize) -> bool {
    let text = text.trim();
    match read_json::<Value>(text) {
        Ok(Value::Bool(flag)) => return !flag,
        Ok(Value::String(inner)) if layer < MAX_LAYERS => {
            return inner.trim().starts_with('{') || text_refuses_in_layers(&inner, layer + 1);
        }
        Ok(value @ (Value::Array(_) | Value::Object(_))) => {
            return refuses("", &value) || TEXTS.is_match(text) || QUOTED.is_match(text);
        }
        Err(error) if error.is_repeated_key() => return true,
        Ok(_) | Err(_) => {}
    }
    TEXTS.is_match(text) || QUOTED.is_match(text) || (ENCODED.is_match(text) && REFUSING_STEM.is_match(text))
}

/// Whether plain text seems to be the remains of a decision. Stricter than [`text_refuses`], for output that has a
/// reader.
pub fn text_decides(text: &str) -> bool {
    let text = text.trim();
    match read_json::<Value>(text) {
        Ok(Value::String(inner)) => parse_nested(inner.trim()).is_some() || KEY_OF_DECISION.is_match(&inner),
        _ => KEY_OF_DECISION.is_match(text),
    }
}

/// The text of output in UTF-16 or UTF-32, as far as it is ASCII. `None` for any other output.
pub fn decode_wide_text(bytes: &[u8]) -> Option<String> {
    let is_marked = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if !is_marked && !bytes.contains(&0) {
        return None;
    }
    let letters: Vec<u8> = bytes.iter().copied().filter(u8::is_ascii).filter(|byte| *byte != 0).collect();
    String::from_utf8(letters).ok()
}

/// The text without a leading byte order mark.
pub fn strip_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

static REFUSING_NAME: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(&format!(r"(?i)^(?:{REFUSING}|errors?|failure)$")));
static AGREEING_NAME: LazyLock<Regex> = LazyLock::new(|| compile_pattern(&format!(r"(?i)^(?:{AGREEING})$")));
static REFUSING_VALUE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(&format!(r"(?i)^(?:{REFUSING})$")));
static ASKING_VALUE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"(?i)^(?:ask|defer|confirm)$"));
/// A word that denies, with a quote on at least one side.
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(&format!(r#"(?i)["'`“‘\\](?:{REFUSING})\b|\b(?:{REFUSING})["'`”’\\]"#)));
static REFUSING_STEM: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(r"(?i)den[yi]|block|reject|refus|cancel|false|ask"));
static OFF: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"(?i)^(?:false|no|none|null|off|0)$"));
static KEY_OF_DECISION: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(r#"(?i)["'\\](?:permission_?)?decision["'\\]+\s*:|["'\\]hook_?specific_?output["'\\]+\s*:"#)
});
/// Encoded quotes and braces, and the beginning of an object in base64.
static ENCODED: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(r"(?i)%22|%7b|&quot;|&#34;|&#x22;|\\x22|\\u0022|\\x7b|\\u007b"));
static TEXTS: LazyLock<RegexSet> = LazyLock::new(|| {
    let texts = [
        // A line that starts with a word that denies, optionally after `[name]`.
        format!(r"(?im)^[^\w\n]*(?:\[[^\]\n]*\][^\w\n]*)?(?:{REFUSING})\b"),
        // A word that denies in capitals, anywhere.
        String::from(
            r"\b(?:DENY|DENIED|BLOCK|BLOCKED|REJECT|REJECTED|REFUSE|REFUSED|FORBIDDEN|CANCEL|CANCELLED|CANCELED|ABORT|ABORTED|STOP|VETO|VETOED)\b",
        ),
        // A word that denies after or before a colon.
        format!(r#"(?im)[:=>]\s*["'`“”‘’«\\\[({{]*(?:(?:{REFUSING})\b|ask\b["'`”’\\\s]*(?:[,}}\])]|$))"#),
        format!(r#"(?i)\b(?:{REFUSING})\b["'`”’\\]*\s*[:=]"#),
        // A word that allows, and is off.
        format!(r#"(?i)\b(?:{AGREEING})\b["'`”’\\]*\s*[:=]+>?\s*["'`“‘\\]*(?:false|no|0)\b"#),
        // The key of a decision, whatever its value is.
        String::from(
            r#"(?i)["'\\](?:(?:permission_?)?decision|hook_?specific_?output|permission|verdict|behaviou?r|continue)["'\\]+\s*:"#,
        ),
        // An object without its opening brace.
        String::from(r#"^\s*["'][^"'\n]{1,64}["']\s*:"#),
        // An HTML page instead of an answer, and an object in base64.
        String::from(r"^\s*<[!?/a-zA-Z]"),
        String::from(r#"^\s*["']?eyJ[\w+/=-]{6,}"#),
    ];
    compile_patterns(&texts)
});

#[expect(clippy::expect_used, reason = "the patterns are constant, and a test compiles them")]
fn compile_patterns(texts: &[String]) -> RegexSet {
    RegexSet::new(texts).expect("the patterns compile")
}

#[expect(clippy::expect_used, reason = "the patterns are constant, and a test compiles them")]
fn compile_pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern compiles")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refusals_in_the_words_of_others_are_found() {
        for value in [
            json!({"permission": "deny"}),
            json!({"permission": "ask"}),
            json!({"cancel": true}),
            json!({"allow": false}),
            json!({"verdict": "deny"}),
            json!({"block": true}),
            json!({"error": "rm is dangerous"}),
            json!({"ok": false}),
            json!({"is": {"it": ["Denied"]}}),
            json!({"output": "{\"decision\":\"block\"}"}),
            json!({"output": "\"{\\\"decision\\\":\\\"block\\\"}\""}),
            json!({"allowed": 0, "why": "x"}),
            json!({"approved": "no"}),
            json!({"blocked": ["rm"]}),
            json!([{"continue": false}]),
        ] {
            assert!(refuses("", &value), "{value}");
        }
        for value in [
            json!({"permission": "allow"}),
            json!({"cancel": false, "error": null, "errors": []}),
            json!({"block": false, "error": "", "denied": "no", "blocked": 0}),
            json!({"ok": true, "count": 3, "message": "nothing was blocked"}),
            json!({"cached": false, "note": "checked"}),
        ] {
            assert!(!refuses("", &value), "{value}");
        }
    }

    #[test]
    fn refusals_that_came_apart_are_found_and_remarks_are_not() {
        for text in [
            "false",
            "DENY: no rm",
            "denied",
            "[guard] blocked by policy",
            "  - refused",
            "checked\nblock\n",
            "this call is BLOCKED here",
            "decision: block",
            "verdict = \"deny\"",
            "decision => 'deny'",
            "log\n{'decision': 'block'}",
            "\"decision\":\"block\"}",
            "\"decision\":\"lock\"}",
            "\"ontinue\":fals}",
            "decision\":\"block\"",
            "note {\"decision\"\"block\"}",
            "\"continue\":false}",
            "allow: false",
            "{ok = no}",
            "\"{\\\"decision\\\":\\\"block\\\"}\"",
            "\"{}\"",
            "[{\"permission\":\"deny\"}]",
            "[{\"a\":1,\"a\":2}]",
            "%7B%22decision%22%3A%22block%22%7D",
            "{&quot;decision&quot;:&quot;block&quot;}",
            "eyJkZWNpc2lvbiI6ImJsb2NrIn0=",
            "<!doctype html><title>Login</title>",
            "<decision>block</decision>",
            "“decision”: “block”",
            "permission: ask",
        ] {
            assert!(text_refuses(text), "{text}");
        }
        for text in [
            "checked",
            "all fine",
            "[1]",
            "3",
            "true",
            "null",
            "\"ls -la\"",
            "looked at {\"a\":1}, fine",
            "no objections",
            "nothing to deny here",
            "unblocked the port",
            "guard.sh: ok (0.3 s)",
            "see https://example.com/?q=%22a%22",
            "permission: granted",
            "",
        ] {
            assert!(!text_refuses(text), "{text}");
        }
    }

    #[test]
    fn wide_characters_are_told_from_others() {
        let text = "{\"decision\":\"block\"}";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        let wide: Vec<u8> = text.chars().flat_map(|letter| u32::from(letter).to_be_bytes()).collect();
        for bytes in [
            little.clone(),
            big,
            wide,
            [vec![0xff, 0xfe], little.clone()].concat(),
            little[..little.len() - 1].to_vec(),
        ] {
            assert_eq!(decode_wide_text(&bytes).as_deref(), Some(text));
        }
        assert_eq!(decode_wide_text(text.as_bytes()), None);
        assert_eq!(decode_wide_text("é".as_bytes()), None);
    }
}
