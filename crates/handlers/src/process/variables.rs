//! The variables of this process, and which of them are secrets.
//!
//! What looks like a secret is kept from programs that a model makes run. It is told by its name, word by word, and by
//! its value: a password in an address, a token of a known form, or what looks random.

use std::ffi::OsString;
use std::sync::OnceLock;

use crate::secrets::{Secrets, entropy};

/// Variables that this process holds in memory alone: its own environment, which its children can read, is without them.
static HELD: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// Words of names that mean a secret.
const SECRET_WORDS: &[&str] = &[
    "APIKEY",
    "AUTH",
    "AUTHORIZATION",
    "AUTHTOKEN",
    "BEARER",
    "COOKIE",
    "COOKIES",
    "CRED",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "DSN",
    "JWT",
    "KEY",
    "KEYS",
    "MNEMONIC",
    "OAUTH",
    "OTP",
    "PASS",
    "PASSCODE",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PASSWORDS",
    "PAT",
    "PATS",
    "PRIVATE",
    "SECRET",
    "SECRETS",
    "SESSION",
    "SESSIONID",
    "SIGNATURE",
    "TOKEN",
    "TOKENS",
    "TOTP",
    "WEBHOOK",
    "WEBHOOKS",
];

/// Parts of words that mean a secret, wherever in a word they stand.
const SECRET_PARTS: &[&str] = &["PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "CREDENTIAL", "WEBHOOK", "APIKEY"];

/// Ends of words that mean a secret, such as `GITHUBTOKEN`.
const SECRET_ENDS: &[&str] = &["KEY", "TOKEN", "PASS", "PWD", "PAT", "COOKIE"];

/// Words whose ends mean nothing.
const HARMLESS_WORDS: &[&str] = &["BYPASS", "COMPASS", "HOTKEY", "MONKEY", "PWD", "OLDPWD"];

/// Addresses of stores, which mostly hold a password.
const STORES: &[&str] = &[
    "AMQP",
    "CACHE",
    "CONNECTION",
    "DATABASE",
    "DB",
    "MONGO",
    "MONGODB",
    "MYSQL",
    "PG",
    "POSTGRES",
    "POSTGRESQL",
    "RABBITMQ",
    "REDIS",
    "SENTRY",
    "SMTP",
];

/// What an address is called.
const ADDRESSES: &[&str] = &["CONN", "STRING", "URI", "URL"];

/// Names that look like secrets and are none. One that ends in `*` is a beginning.
const HARMLESS_NAMES: &[&str] = &[
    "DBUS_SESSION_BUS_*",
    "DESKTOP_SESSION",
    "GNOME_DESKTOP_SESSION_ID",
    "MAX_TOKENS",
    "SESSION_MANAGER",
    "SSH_AUTH_SOCK",
    "XDG_SESSION_*",
];

/// What every program needs to work at all, and that says nothing.
const BASE: &[&str] = &[
    "ALL_PROXY",
    "COLORTERM",
    "CURL_CA_BUNDLE",
    "DOCKER_CONFIG",
    "DOCKER_HOST",
    "FORCE_COLOR",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_COLOR",
    "NO_PROXY",
    "PATH",
    "PWD",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// The shortest value that is looked at for being random.
const RANDOM_CHARS: usize = 20;

/// The least entropy of a random value, in bits a character.
const RANDOM_BITS: f64 = 3.5;

/// Keeps variables in memory for [`variable`], in the place of those that this process was started without.
pub fn hold(variables: Vec<(String, String)>) {
    let _ = HELD.set(variables);
}

/// Whether this process holds variables that it was started without.
pub(super) fn is_holding() -> bool {
    HELD.get().is_some_and(|held| !held.is_empty())
}

/// A variable of this process.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    let held = HELD.get().into_iter().flatten().find(|(held, _)| held == name);
    held.map(|(_, value)| value.clone()).or_else(|| std::env::var(name).ok())
}

/// All variables of this process that are text.
#[must_use]
pub fn variables() -> Vec<(String, String)> {
    let text = |text: OsString| text.into_string().ok();
    let own = std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
    let own = own.filter(|(name, _)| name != super::reexec::MARK);
    own.chain(HELD.get().into_iter().flatten().cloned()).collect()
}

/// The variables that are no secrets.
#[must_use]
pub fn harmless_variables() -> Vec<(String, String)> {
    variables().into_iter().filter(|(name, value)| !is_secret_variable(name, value)).collect()
}

/// The variables that any program is given, whoever wrote it: where it is, and how to show text. No secrets.
#[must_use]
pub fn base_variables() -> Vec<(String, String)> {
    let is_base = |name: &str| BASE.iter().any(|base| is_named(base, name));
    harmless_variables().into_iter().filter(|(name, _)| is_base(&name.to_ascii_uppercase())).collect()
}

/// Whether a variable is kept from programs that a model makes run: by its name or by its value.
#[must_use]
pub fn is_secret_variable(name: &str, value: &str) -> bool {
    is_secret(name) || is_secret_value(value)
}

/// Whether a variable of this name is a secret, whatever its value.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    // Pintle's own settings say where and how, and hold no secret (`PINTLE_REDACT_SECRETS`).
    if name.starts_with("PINTLE_") {
        return false;
    }
    if HARMLESS_NAMES.iter().any(|harmless| is_named(harmless, &name)) {
        return false;
    }
    let words: Vec<&str> = name
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit()))
        .filter(|word| !word.is_empty())
        .collect();
    let is_address = |words: &[&str]| {
        words.iter().any(|word| ADDRESSES.contains(word)) && words.iter().any(|word| STORES.contains(word))
    };
    is_address(&words)
        || (words.len() > 1 && words.last() == Some(&"PWD"))
        || words.iter().any(|word| {
            SECRET_WORDS.contains(word)
                || SECRET_PARTS.iter().any(|part| word.contains(part))
                || (!HARMLESS_WORDS.contains(word) && SECRET_ENDS.iter().any(|end| word.ends_with(end)))
        })
}

fn is_named(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

/// Whether a value is a secret by its form.
fn is_secret_value(value: &str) -> bool {
    has_password(value) || Secrets::shared().has_any(value) || is_random(value)
}

/// Whether there is an address with a password in it: `scheme://user:password@host`.
fn has_password(value: &str) -> bool {
    value.match_indices("://").any(|(at, mark)| {
        let rest = value.get(at + mark.len()..).unwrap_or_default();
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        let Some((user, _)) = authority.rsplit_once('@') else { return false };
        user.split_once(':').is_some_and(|(_, password)| !password.is_empty()) || user.len() >= RANDOM_CHARS
    })
}

/// Whether a value looks random: one long word of capital and small letters and digits.
fn is_random(value: &str) -> bool {
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+=_-.~".contains(&byte));
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    value.len() >= RANDOM_CHARS && is_word && is_mixed && entropy(value) >= RANDOM_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_their_names() {
        let secrets = "GITHUB_PAT DATABASE_URL DB_PASS NPM_AUTH SLACK_WEBHOOK COOKIE AWS_ACCESS_KEY_ID OPENAI_KEY_2 \
                       OPENAI_API_KEY aws_secret_access_key MYSQL_PWD PGPASSWORD REDIS_URL SENTRY_DSN MY_TOKEN_FILE \
                       GITHUBTOKEN npm_config__auth SESSION_ID STRIPE_PRIVATE SMTP_PASSWD HTTP_AUTHORIZATION JWT \
                       MONGO_URI COOKIE_JAR GOOGLE_APPLICATION_CREDENTIALS DB_CONNECTION_STRING SLACK_WEBHOOK_URL \
                       HF_TOKEN PASSPHRASE X_CRED OAUTH2_CLIENT TWILIO_APIKEY MY-API-KEY DJANGO_SECRETKEY";
        for name in secrets.split_whitespace() {
            assert!(is_secret(name), "{name}");
        }
        let harmless = "PATH HOME LANG LC_ALL TERM PWD OLDPWD USER SHELL TMPDIR SSH_AUTH_SOCK XDG_SESSION_ID \
                        XDG_SESSION_TYPE DESKTOP_SESSION DBUS_SESSION_BUS_ADDRESS GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL \
                        KEYBOARD_LAYOUT XAUTHORITY TOKENIZERS_PARALLELISM MAX_TOKENS COMPASS_DIR CARGO_HOME RUSTFLAGS \
                        BASE_URL PUBLIC_URL EDITOR PATTERN PASSENGERS DB_HOST GOPATH CLASSPATH PINTLE_TAPE PINTLE_REDACT_SECRETS";
        for name in harmless.split_whitespace() {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn secrets_are_told_by_their_values() {
        let secrets = [
            "postgres://ada:hunter2@db.test/app",
            "x=1 amqp://u:p@h",
            "https://Zk3jX9mQ2pLw8RtYvB6n@git.test/repo",
            "Zk3jX9mQ2pLw8RtYvB6nHs4D",
        ];
        for value in secrets.into_iter().map(str::to_owned).chain([["gh", "p_", &"a1B2c3D4e5F6".repeat(3)].concat()]) {
            assert!(is_secret_variable("PLAIN", &value), "{value}");
        }
        for value in [
            "",
            "https://example.test/a?b=c@d",
            "http://proxy.test:8080",
            "ssh://git@host.test/x",
            "/usr/local/bin:/usr/bin",
            "en_US.UTF-8",
            "3f786850e387550fdab836ed7e6dc881de23001b",
            "xterm-256color",
            "a sentence of several words, 20 letters and Capitals",
        ] {
            assert!(!is_secret_variable("PLAIN", value), "{value}");
        }
    }
}
