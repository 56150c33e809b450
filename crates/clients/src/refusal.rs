//! Recognizes denies that are not in the dialect's own terms: those of another agent, and malformed ones.
//!
//! A guard that printed one did not mean to allow the call. The output is not a valid decision either, because what it
//! meant is unclear.

use std::sync::LazyLock;

use pintle_contract::{read_json, suggest_nearest};
use regex::{Regex, RegexSet};
use serde_json::{Map, Value};

/// The maximum number of layers of JSON text inside JSON text.
const MAX_LAYERS: usize = 8;
/// The maximum number of characters of a field's name that are examined.
const LONGEST_NAME: usize = 64;
/// The warning for output that only repeats the hook's input.
pub const ECHO: &str = "the hook's output repeats what it was given, and decides nothing";
/// The maximum number of bytes of a broken object that are examined.
const LONGEST_BROKEN: usize = 65_536;
/// The maximum number of characters of the rest of a reason.
const LONGEST_REASON: usize = 2_000;

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

/// What a key of an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerKey {
    /// Its value is the decision, or an object with it.
    Decision,
    /// Its value may be the decision, or the state of something else: only words that nothing but a guard says count.
    State,
    /// It denies if it is on.
    Refuses,
    /// It denies if it is off.
    Agrees,
}

/// The keys under which the hooks of any agent answer, without marks and in small letters. What is under other keys is
/// what the hook is about: a log, a rule, its input. It decides nothing.
static ANSWER_KEYS: &[(AnswerKey, &str)] = &[
    (
        AnswerKey::Decision,
        "decision permissiondecision permission verdict judgement judgment behavior behaviour hookspecificoutput",
    ),
    (AnswerKey::State, "status result action outcome response"),
    (
        AnswerKey::Refuses,
        "deny denied block blocked reject rejected refuse refused forbid forbidden disallow disallowed prohibit prohibited \
         veto vetoed cancel cancelled canceled abort stop halt",
    ),
    (
        AnswerKey::Agrees,
        "allow allowed approve approved ok okay permit permitted accept accepted continue proceed safe authorized \
         authorised granted",
    ),
];

/// The keys that count if they are misspelt.
const LONG_KEYS: [&str; 3] = ["decision", "permissiondecision", "hookspecificoutput"];

/// A key without marks and in small letters: `permission_decision` and `PermissionDecision` are one.
pub fn key_letters(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric()).take(LONGEST_NAME);
    letters.flat_map(char::to_lowercase).collect()
}

fn answer_key(name: &str) -> Option<AnswerKey> {
    let letters = key_letters(name);
    // `isAllowed`, `should_block`.
    let plain = ["is", "should", "can"].iter().find_map(|begin| letters.strip_prefix(begin)).unwrap_or(&letters);
    let is_among = |names: &str| names.split_whitespace().any(|known| known == letters || known == plain);
    let known = ANSWER_KEYS.iter().find(|(_, names)| is_among(names)).map(|(key, _)| *key);
    let is_near = |near: &&str| near.len().abs_diff(letters.len()) <= 2;
    known.or_else(|| suggest_nearest(&letters, LONG_KEYS).filter(is_near).map(|_| AnswerKey::Decision))
}

/// What one field of an answer denies, in the words of any agent.
pub fn find_refusal(name: &str, value: &Value) -> Option<RefusalLevel> {
    find_in_layers(name, value, 0)
}

/// Whether one field of an answer denies, in the words of any agent.
pub fn refuses(name: &str, value: &Value) -> bool {
    find_refusal(name, value).is_some()
}

/// Whether an object denies, in the words of any agent.
fn object_refuses(object: &Map<String, Value>) -> bool {
    object.iter().any(|(name, value)| refuses(name, value))
}

fn find_in_layers(name: &str, value: &Value, layer: usize) -> Option<RefusalLevel> {
    let key = answer_key(name)?;
    let is_text_off = |text: &str| OFF.is_match(text.trim());
    let refuses = match (key, value) {
        (_, Value::Null) => false,
        (AnswerKey::Decision | AnswerKey::State, Value::String(text)) => {
            let is_off = key == AnswerKey::Decision && DENYING_TEXT.is_match(text.trim());
            let own = if is_off { Some(RefusalLevel::Deny) } else { level_of_word(text, key == AnswerKey::State) };
            return own
                .or_else(|| find_in_layers(name, &parse_nested(text).filter(|_| layer < MAX_LAYERS)?, layer + 1));
        }
        (AnswerKey::Decision, Value::Object(fields)) if layer < MAX_LAYERS => {
            // `{"type": "block"}`
            let key =
                |key: &str| if matches!(key, "type" | "kind" | "value") { name.to_owned() } else { key.to_owned() };
            return fields.iter().filter_map(|(own, value)| find_in_layers(&key(own), value, layer + 1)).max();
        }
        (AnswerKey::Decision, Value::Array(items)) if layer < MAX_LAYERS => {
            return items.iter().filter_map(|item| find_in_layers(name, item, layer + 1)).max();
        }
        (AnswerKey::Decision, Value::Bool(flag)) => !*flag,
        (AnswerKey::Decision | AnswerKey::State, _) => false,
        (AnswerKey::Refuses, Value::Bool(flag)) => *flag,
        // More is a count.
        (AnswerKey::Refuses, Value::Number(number)) => number.as_f64() == Some(1.0),
        (AnswerKey::Refuses, Value::String(text)) => !text.trim().is_empty() && !is_text_off(text),
        (AnswerKey::Refuses, Value::Array(items)) => !items.is_empty(),
        (AnswerKey::Refuses, Value::Object(fields)) => !fields.is_empty(),
        (AnswerKey::Agrees, Value::Bool(flag)) => !*flag,
        (AnswerKey::Agrees, Value::Number(number)) => number.as_f64() == Some(0.0),
        (AnswerKey::Agrees, Value::String(text)) => is_text_off(text) || REFUSING_VALUE.is_match(text.trim()),
        (AnswerKey::Agrees, Value::Array(_) | Value::Object(_)) => false,
    };
    refuses.then_some(RefusalLevel::Deny)
}

/// What a word denies, in any case and with blanks around it. A word that is misspelt counts as what it is nearest to.
fn level_of_word(text: &str, only_of_guards: bool) -> Option<RefusalLevel> {
    let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let refuses = if only_of_guards { &GUARDED_VALUE } else { &REFUSING_VALUE };
    if refuses.is_match(text) {
        return Some(RefusalLevel::Deny);
    }
    if ASKING_VALUE.is_match(text) {
        return Some(RefusalLevel::Ask);
    }
    let known =
        ["deny", "denied", "block", "blocked", "reject", "refuse", "ask", "allow", "approve", "allowed", "pass"];
    match suggest_nearest(text, known).filter(|_| !only_of_guards)? {
        "ask" => Some(RefusalLevel::Ask),
        "allow" | "approve" | "allowed" | "pass" => None,
        _ => Some(RefusalLevel::Deny),
    }
}

/// Whether an object repeats what the hook was given, instead of an answer to it: the payload with everything in it, or one
/// of its values. An object that only the dialect's own answer could be, by `is_own_key`, is an answer all the same: an agent
/// chooses the arguments of its tools.
pub fn is_echo(
    object: &Map<String, Value>,
    payload: impl FnOnce() -> Option<Value>,
    is_own_key: impl Fn(&str) -> bool,
) -> bool {
    if object.keys().all(|name| is_own_key(name)) {
        return false;
    }
    let payload = payload();
    let Some(fields) = payload.as_ref().and_then(Value::as_object) else { return false };
    let repeats = |value: &Value| match value {
        Value::Object(inner) => inner == object,
        Value::String(text) => parse_nested(text).is_some_and(|inner| inner.as_object() == Some(object)),
        _ => false,
    };
    fields == object || fields.values().any(repeats)
}

/// A refusal in a text that is not the object that it begins as.
#[derive(Debug, PartialEq, Eq)]
pub struct BrokenRefusal {
    pub level: RefusalLevel,
    /// What is left of the reason.
    pub reason: String,
}

/// Finds the refusal in a text that begins as an object, but is none: a quote in the reason, a line break or a cut must not
/// open what the hook closed. A text that begins as the hook's input has none.
pub fn find_broken_refusal(text: &str) -> Option<BrokenRefusal> {
    let text = text.get(..text.floor_char_boundary(LONGEST_BROKEN)).unwrap_or(text);
    let input = INPUT_KEY.find(text).map_or(usize::MAX, |key| key.start());
    let pairs = BROKEN_PAIR.captures_iter(text).filter_map(|pair| {
        let value = pair.name("value")?;
        Some((pair.name("key")?.as_str(), value.as_str(), value.start()))
    });
    let is_reason = |name: &str| matches!(&*key_letters(name), "reason" | "message" | "permissiondecisionreason");
    let mut said = pairs.skip_while(|(key, ..)| answer_key(key).is_none() && !is_reason(key)).peekable();
    said.peek().filter(|(.., at)| *at < input)?;
    let (mut level, mut reason) = (None, "");
    for (key, value, at) in said {
        if is_reason(key) && reason.is_empty() {
            reason = text.get(at..).unwrap_or_default();
            continue;
        }
        let value = read_json(value).unwrap_or_else(|_| Value::from(value.trim_matches(['"', '\''])));
        level = level.max(find_refusal(key, &value));
    }
    let reason =
        reason.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '{' | '}' | ','));
    Some(BrokenRefusal { level: level?, reason: reason.chars().take(LONGEST_REASON).collect() })
}

/// The objects in a list, or in JSON text inside JSON text.
pub fn nested_objects(text: &str) -> Vec<Map<String, Value>> {
    let mut objects = Vec::new();
    collect_objects(parse_nested(text).unwrap_or_default(), 0, &mut objects);
    objects
}

fn collect_objects(value: Value, layer: usize, objects: &mut Vec<Map<String, Value>>) {
    match value {
        Value::Object(object) => objects.push(object),
        Value::String(text) if layer < MAX_LAYERS => {
            collect_objects(parse_nested(&text).unwrap_or_default(), layer + 1, objects);
        }
        Value::Array(items) if layer < MAX_LAYERS => {
            items.into_iter().for_each(|item| collect_objects(item, layer + 1, objects));
        }
        _ => {}
    }
}

/// The object or list that a string encodes.
fn parse_nested(text: &str) -> Option<Value> {
    let text = strip_byte_order_mark(text.trim());
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
        Ok(Value::Object(object)) => return object_refuses(&object),
        Ok(Value::Array(items)) => {
            let is_refusal = |item: &Value| match item {
                Value::String(text) => layer < MAX_LAYERS && text_refuses_in_layers(text, layer + 1),
                Value::Object(object) => object_refuses(object),
                Value::Array(_) => layer < MAX_LAYERS && text_refuses_in_layers(&item.to_string(), layer + 1),
                _ => false,
            };
            return items.iter().any(is_refusal);
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

static REFUSING_VALUE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(&format!(r"(?i)^(?:{REFUSING})$")));
/// The text of a decision that denies by how it begins, or is off.
static DENYING_TEXT: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(&format!(r"(?i)^(?:(?:{REFUSING}|prevent(?:ed|s)?|fail(?:ed|s|ure)?|error)\b|(?:false|no|off|0)$)"))
});
static GUARDED_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(
        r"(?i)^(?:den(?:y|ied|ies)|block(?:ed|s)?|reject(?:ed|s)?|refus(?:e|ed|es)|forbid(?:den|s)?|disallow(?:ed|s)?|veto(?:ed)?|prohibit(?:ed)?)$",
    )
});
static ASKING_VALUE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"(?i)^(?:ask|defer|confirm|prompt)$"));
/// A key with its value as people write them, outside a text.
static BROKEN_PAIR: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(
        r#"(?s)(?:^|[{,\s])["']?(?<key>[A-Za-z_]{2,40})["']?\s*:\s*(?<value>"[^"\\]*"?|'[^'\\]*'?|[A-Za-z0-9]+|)"#,
    )
});
/// A key of what agents send to their hooks.
static INPUT_KEY: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(r#"(?i)"(?:hook_?event_?name|tool_?input|tool_?args|tool_?response)"\s*:"#));
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
            json!({"permission": "ask"}),
            json!({"cancel": true}),
            json!({"allowed": 0, "why": "x"}),
            json!({"approved": "no"}),
            json!({"blocked": ["rm"]}),
            json!({"decision": {"behavior": "Deny"}}),
            json!({"hook_specific_output": {"permission_decision": "deny "}}),
            json!({"hookSpecificOutput": "\"{\\\"permissionDecision\\\":\\\"deny\\\"}\""}),
            json!({"hookSpecificOutput": [{"permissionDecision": ["deny"]}]}),
            json!({"decision": {"type": "block"}}),
            json!({"decision": "denied by policy"}),
            json!({"decision": "error"}),
            json!({"permissionDecision": "prompt"}),
            json!({"isAllowed": false}),
            json!({"should_block": true}),
        ] {
            assert!(object_refuses(value.as_object().unwrap()), "{value}");
        }
        for value in [
            json!({"permission": "allow"}),
            json!({"cancel": false, "error": null, "errors": []}),
            json!({"block": false, "error": "", "denied": "no", "blocked": 0}),
            json!({"ok": true, "count": 3, "message": "nothing was blocked"}),
            json!({"cached": false, "note": "checked"}),
            json!({"is": {"it": ["Denied"]}}),
            json!({"decision": "none"}),
            json!({"decision": {"type": "allow", "matched": ["deny.txt"]}}),
            json!({"isBlocked": false, "should_allow": true, "issues": ["block"]}),
        ] {
            assert!(!object_refuses(value.as_object().unwrap()), "{value}");
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
            "[[{\"ecision\":\"block\"}]]",
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
