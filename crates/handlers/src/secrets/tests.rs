//! Tests every kind of secret with a sample, built from parts so that secret scanners do not report this file.

use pintle_contract::Redactor;
use serde_json::{Value, json};

use super::*;

const HEX: &str = "0123456789abcdef";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE62: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Characters of an alphabet that look random and are always the same.
fn random_text(alphabet: &str, length: usize) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let index = usize::try_from(state >> 33).unwrap() % alphabet.len();
        char::from(alphabet.as_bytes()[index])
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Secrets that are recognised anywhere.
fn known_tokens() -> Vec<(&'static str, String)> {
    let of = |begin: &[&str], alphabet, length| format!("{}{}", begin.concat(), random_text(alphabet, length));
    vec![
        ("AWS", of(&["AK", "IA"], BASE32, 16)),
        ("GitHub classic", of(&["gh", "p_"], BASE62, 36)),
        ("GitHub app", of(&["gh", "s_"], BASE62, 36)),
        ("GitHub fine-grained", format!("{}_{}", of(&["github", "_pat_"], BASE62, 22), random_text(BASE62, 59))),
        ("GitLab", of(&["gl", "pat-"], BASE62, 20)),
        ("OpenAI", of(&["sk", "-"], BASE62, 48)),
        ("OpenAI project", of(&["sk", "-proj-"], BASE62, 120)),
        ("Anthropic", format!("{}-{}AA", of(&["sk", "-ant-api03-"], BASE62, 40), random_text(BASE62, 52))),
        ("Google API key", of(&["AI", "za"], BASE62, 35)),
        ("Google client", of(&["GOC", "SPX-"], BASE62, 28)),
        (
            "Slack",
            format!(
                "{}-{}-{}",
                of(&["xox", "b-"], "0123456789", 12),
                random_text("0123456789", 12),
                random_text(BASE62, 24)
            ),
        ),
        ("Stripe", of(&["sk", "_live_"], BASE62, 24)),
        ("Stripe restricted", of(&["rk", "_test_"], BASE62, 99)),
        ("Twilio", of(&["S", "K"], HEX, 32)),
        ("SendGrid", format!("{}.{}", of(&["S", "G."], BASE62, 22), random_text(BASE62, 43))),
        ("npm", of(&["np", "m_"], BASE62, 36)),
        ("PyPI", of(&["py", "pi-AgE"], BASE62, 80)),
        ("Docker", of(&["dckr", "_pat_"], BASE62, 27)),
        ("Hugging Face", of(&["h", "f_"], BASE62, 34)),
        ("DigitalOcean", of(&["dop", "_v1_"], HEX, 64)),
        ("Vault", of(&["hv", "s."], BASE62, 90)),
        (
            "JSON web token",
            format!("{}.ey{}.{}", of(&["ey", "J"], BASE62, 33), random_text(BASE62, 60), random_text(BASE62, 43)),
        ),
        ("Telegram", format!("{}:AA{}", "1234567890", random_text(BASE62, 33))),
        ("Airtable", format!("{}.{}", of(&["pa", "t"], BASE62, 14), random_text(HEX, 64))),
        ("Resend", format!("{}_{}", of(&["r", "e_"], BASE62, 8), random_text(BASE62, 24))),
        ("Mailchimp", format!("{}-us12", random_text(HEX, 32))),
        ("Azure client", format!("abc8{}~{}", "Q", random_text(BASE62, 34))),
    ]
}

fn private_key_block(end: bool) -> String {
    let dashes = "-".repeat(5);
    let lines: Vec<String> = (1..5).map(|line| random_text(BASE62, 60 + line)).collect();
    let end = if end { format!("\n{dashes}END RSA PRIVATE KEY{dashes}") } else { String::new() };
    format!("{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{}{end}", lines.join("\n"))
}

#[test]
fn every_rule_compiles_and_no_two_have_one_name() {
    let rules = rules::parse_rules().unwrap();
    let secrets = SecretScanner::new();
    assert!(secrets.trigger_words.is_some() && secrets.placeholders.compiled_set().is_some());
    assert_eq!(secrets.patterns.len(), rules.patterns.len(), "more patterns than bits");
    for pattern in &secrets.patterns {
        assert!(pattern.compiled_regex().is_some(), "`{}` does not compile", pattern.rule.id);
        assert!(!pattern.rule.trigger_words.is_empty(), "`{}` is never tried", pattern.rule.id);
        assert!(pattern.rule.trigger_words.iter().all(|word| !word.contains('\n')), "`{}`", pattern.rule.id);
    }
    let mut names: Vec<&str> = rules.tokens.iter().map(|rule| rule.id.as_str()).collect();
    names.extend(rules.patterns.iter().map(|rule| rule.id.as_str()));
    names.sort_unstable();
    let whole = names.len();
    names.dedup();
    assert_eq!(names.len(), whole);
    assert!(!secrets.may_contain_secret(MARKER), "the marker must not look like a secret");
}

#[test]
fn every_token_is_found_by_its_beginning() {
    let secrets = SecretScanner::process_wide();
    for rule in rules::parse_rules().unwrap().tokens {
        let alphabet = match rule.alphabet {
            rules::TokenAlphabet::Hex => HEX,
            rules::TokenAlphabet::Base32 => BASE32,
            _ => BASE62,
        };
        for begin in &rule.prefixes {
            let token = format!("{begin}{}", random_text(alphabet, rule.min_length));
            let clean = secrets.redact(&format!("the token {token}, alone"));
            assert_eq!(clean.as_deref(), Some("the token [REDACTED], alone"), "{}: {begin}", rule.id);
        }
    }
}

#[test]
fn a_token_is_found_wherever_it_stands_and_nothing_else_is_touched() {
    let secrets = SecretScanner::process_wide();
    let context = [
        ("", ""),
        ("export TOKEN_X=", "\n"),
        ("{\"a\":\"", "\",\"b\":1}"),
        ("see (", ")."),
        ("a\\n", "\\nb"),
        ("https://x.test/?q%3D", "&r=1"),
        ("\u{1b}[1;31m", "\u{1b}[0m"),
        ("größe: ", " ünd"),
        ("'", "'"),
    ];
    for (family, token) in known_tokens() {
        for (before, after) in context {
            let clean = secrets.redact(&format!("{before}{token}{after}"));
            assert_eq!(clean, Some(format!("{before}{MARKER}{after}")), "{family}");
            assert_eq!(secrets.redact(&clean.unwrap()), None, "{family}: what is clean stays as it is");
        }
    }
}

#[test]
fn a_key_block_is_taken_out_whole_even_when_it_is_cut() {
    let secrets = SecretScanner::process_wide();
    for end in [true, false] {
        let block = private_key_block(end);
        let clean = secrets.redact(&format!("before\n{block}\n\nthe end, at last"));
        assert_eq!(clean.as_deref(), Some("before\n[REDACTED]\n\nthe end, at last"), "{end}");
        let escaped = json!({"key": block, "next": "stays"}).to_string();
        let value: Value = serde_json::from_str(&secrets.redact(&escaped).unwrap()).unwrap();
        assert_eq!(value, json!({"key": "[REDACTED]", "next": "stays"}), "{end}");
    }
}

#[test]
fn secrets_that_are_known_by_their_name_are_found() {
    let value = random_text(BASE62, 32);
    let cases = [
        ("api_key = \"{}\"", true),
        ("API_KEY={}", true),
        ("  apiKey: '{}',", true),
        ("client-secret => \"{}\"", true),
        ("{\"access_token\": \"{}\"}", true),
        ("{\\\"access_token\\\":\\\"{}\\\"}", true),
        ("AWS_SECRET_ACCESS_KEY={}/+=", true),
        ("?token={}&x=1", true),
        ("DB_PASSWORD={}", true),
        ("password: \"{}\"", true),
        ("postgres://admin:{}@db.test/x", true),
        ("Authorization: Bearer {}", true),
        ("Authorization: Basic {}==", true),
        ("curl -u admin:{} https://x.test", true),
        ("machine x.test login me password {}", true),
        ("DefaultEndpointsProtocol=https;AccountKey={}abcdefghijklmnop==;", true),
        ("https://hooks.slack.com/services/T00/B00/{}", true),
        ("commit {}", false),
        ("the key is {}", false),
        ("tokenizer = {}", false),
        ("author: {}", false),
    ];
    for (template, expected) in cases {
        let text = template.replace("{}", &value);
        let clean = SecretScanner::process_wide().redact(&text);
        assert_eq!(clean.is_some(), expected, "{text} -> {clean:?}");
        if let Some(clean) = clean {
            assert!(!clean.contains(&value) && clean.contains(MARKER), "{clean}");
        }
    }
}

#[test]
fn what_only_stands_for_a_secret_stays() {
    let texts = [
        "api_key = os.environ[\"API_KEY\"]",
        "api_key = config.get_api_key()",
        "API_KEY=${API_KEY_OF_THE_STAGE_2}",
        "token: <your-token-goes-here-0123>",
        "password = changeme-please-123",
        "password: example_password_1234",
        "secret_key_base = /run/secrets/key_base_01",
        "access_token: string_or_nothing_at_all",
        "max_tokens = 128000, total_tokens: 1234567890",
        "postgres://user:$PASSWORD@db.test/x",
        "http://[::1]:8080/path and user@example.test",
        "the secret of good bread is time",
        "sk-learn and sk-toggleable__label-arrow",
        "see https://example.test/a:b@c",
        "password = [REDACTED]",
        "Authorization: Bearer $TOKEN",
        "git commit 0123456789abcdef0123456789abcdef01234567",
    ];
    for text in texts {
        assert_eq!(SecretScanner::process_wide().redact(text), None, "{text}");
    }
}

#[test]
fn the_name_of_a_field_tells_what_its_value_is() {
    let (token, word) = (random_text(BASE62, 24), "correct-horse-9");
    let value = json!({
        "password": word, "note": word, "deep": [{"client_secret": token, "id": token}], "count": 3, "token": "short",
    });
    let expected = json!({
        "password": MARKER, "note": word, "deep": [{"client_secret": MARKER, "id": token}], "count": 3, "token": "short",
    });
    assert_eq!(SecretScanner::process_wide().redact_value(&value), Some(expected));
}

#[test]
fn json_text_stays_json() {
    for (family, token) in known_tokens() {
        let inner = json!({"a": token, "password": random_text(BASE62, 20), "b": ["x\ny", format!("\"{token}\"")]});
        let text = json!({"body": inner.to_string(), "c": 1}).to_string();
        let clean = SecretScanner::process_wide().redact(&text).unwrap();
        let value: Value = serde_json::from_str(&clean).unwrap_or_else(|error| panic!("{family}: {error}: {clean}"));
        let inner: Value = serde_json::from_str(value["body"].as_str().unwrap()).unwrap();
        assert_eq!(
            inner,
            json!({"a": MARKER, "password": MARKER, "b": ["x\ny", format!("\"{MARKER}\"")]}),
            "{family}: {clean}"
        );
    }
}

#[test]
fn long_texts_full_of_beginnings_are_no_trap() {
    let texts = [
        "sk-".repeat(20_000),
        "key=".repeat(20_000),
        "-----BEGIN PRIVATE KEY-----".repeat(2_000),
        "://a:".repeat(10_000),
    ];
    for text in texts {
        // It only has to end: a search of non-linear time would take hours for ten times the text.
        let clean = SecretScanner::process_wide().redact(&text);
        assert!(clean.is_none_or(|clean| clean.len() <= text.len()));
    }
}
