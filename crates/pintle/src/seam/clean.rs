//! What of a request to the world never reaches the tape: the values of variables and headers that are secrets by their names.
//!
//! Nothing that the engine decides depends on it, so that a replay stays exact. A live replay compares requests as they are
//! written, and gives scripts the placeholder.

use pintle_contract::{Reply, Request};
use serde_json::Value;

/// What stands for a secret.
const PLACEHOLDER: &str = "[REDACTED]";

/// Words in a name that say that its value is a secret.
const SECRET_WORDS: [&str; 19] = [
    "APIKEY",
    "AUTH",
    "AUTHORIZATION",
    "COOKIE",
    "CREDENTIAL",
    "CREDENTIALS",
    "DSN",
    "JWT",
    "KEY",
    "KEYS",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "WEBHOOK",
];

/// Whether the value of a variable or header of this name is a secret.
fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let mut words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| {
        let singular = word.strip_suffix('S').unwrap_or(word);
        SECRET_WORDS
            .iter()
            .any(|secret| [word, singular].contains(secret) || (secret.len() > 4 && word.ends_with(secret)))
    })
}

/// Whether a value is an address with a password in it, whatever its name is.
fn has_password(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
}

/// The request as the tape has it, when that is another one.
pub(crate) fn request(request: &Request) -> Option<Request> {
    let Request::Http { method, url, headers, body, timeout_ms } = request else { return None };
    let clean = |(name, value): &(String, String)| {
        let value = if is_secret_name(name) { String::from(PLACEHOLDER) } else { value.clone() };
        (name.clone(), value)
    };
    let cleaned: Vec<(String, String)> = headers.iter().map(clean).collect();
    (cleaned != *headers).then(|| Request::Http {
        method: method.clone(),
        url: url.clone(),
        headers: cleaned,
        body: body.clone(),
        timeout_ms: *timeout_ms,
    })
}

/// The reply as the tape has it, when that is another one.
pub(crate) fn reply(request: &Request, reply: &Reply) -> Option<Reply> {
    let (Request::Host { fact, key: Some(key) }, Reply::Value(Value::String(value))) = (request, reply) else {
        return None;
    };
    let is_secret = fact == "env" && !value.is_empty() && (is_secret_name(key) || has_password(value));
    is_secret.then(|| Reply::Value(Value::from(PLACEHOLDER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_is_secret() {
        for name in [
            "OPENAI_API_KEY",
            "OPENAI_KEY_2",
            "AWS_ACCESS_KEY_ID",
            "GITHUB_PAT",
            "TELEGRAM_BOT_TOKEN",
            "DB_PASS",
            "NPM_AUTH",
            "SLACK_WEBHOOK",
            "COOKIE",
            "PGPASSWORD",
            "SENTRY_DSN",
            "authorization",
            "X-Api-Key",
            "Set-Cookie",
            "GH_TOKENS",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PATH", "HOME", "PWD", "OLDPWD", "LANG", "KEYBOARD", "PATTERN", "AUTHOR", "Content-Type", "MONKEY"]
        {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn a_variable_or_header_that_is_secret_is_not_on_the_tape() {
        let env = |key: &str| Request::Host { fact: String::from("env"), key: Some(String::from(key)) };
        let said = |value: &str| Reply::Value(Value::from(value));
        assert_eq!(reply(&env("BOT_TOKEN"), &said("t0k")), Some(said(PLACEHOLDER)));
        assert_eq!(reply(&env("DATABASE_URL"), &said("postgres://me:pw@db/x")), Some(said(PLACEHOLDER)));
        assert_eq!(reply(&env("HOME_URL"), &said("https://a.example/x:y@z")), None);
        assert_eq!(reply(&env("BOT_TOKEN"), &said("")), None, "an empty one tells that it is not set");
        assert_eq!(reply(&env("LANG"), &said("C")), None);
        let http = |value: &str| Request::Http {
            method: String::from("GET"),
            url: String::from("https://a.example"),
            headers: vec![
                (String::from("Authorization"), String::from(value)),
                (String::from("Accept"), String::from("*/*")),
            ],
            body: None,
            timeout_ms: 1,
        };
        assert_eq!(request(&http("Bearer abc")), Some(http(PLACEHOLDER)));
        assert_eq!(request(&http(PLACEHOLDER)), None);
    }
}
