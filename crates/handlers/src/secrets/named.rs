//! Finds secrets by a name or by a single value: variables of a process, and headers of a request.
//!
//! A name is examined word by word ([`is_secret_name`]). A value is a secret if it is a URL with a password, a token of a known form, or
//! looks random.

use pintle_shell::is_secret_name;

use super::{SecretScanner, bits_per_byte};

/// The shortest value that is tested for randomness.
const RANDOM_CHARS: usize = 20;

/// The lowest entropy of a random value, in bits per character.
const RANDOM_BITS: f64 = 3.5;

/// Whether a variable or header is a secret, by its name or by its value.
#[must_use]
pub fn is_secret(name: &str, value: &str) -> bool {
    is_secret_name(name) || is_secret_value(value)
}

/// Whether a name matches a listed one; a listed name that ends in `*` is a prefix.
pub(crate) fn matches_listed_name(listed: &str, name: &str) -> bool {
    match listed.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => listed == name,
    }
}

/// Whether a value is a secret by its form.
fn is_secret_value(value: &str) -> bool {
    has_password(value) || SecretScanner::process_wide().has_any(value) || is_random(value)
}

/// Whether the value contains a URL with a password: `scheme://user:password@host`.
fn has_password(value: &str) -> bool {
    value.match_indices("://").any(|(index, mark)| {
        let rest = value.get(index + mark.len()..).unwrap_or_default();
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        let Some((user, _)) = authority.rsplit_once('@') else { return false };
        user.contains(':') || user.len() >= RANDOM_CHARS
    })
}

/// Whether a value looks random: one long word of upper-case and lower-case letters and digits.
fn is_random(value: &str) -> bool {
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+=_-.~".contains(&byte));
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    value.len() >= RANDOM_CHARS && is_word && is_mixed && bits_per_byte(value) >= RANDOM_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test table: names with values, and whether each is a secret.
    fn read_name_table() -> Vec<(String, String, bool)> {
        let secret = "GITHUB_PAT DATABASE_URL DB_PASS NPM_AUTH SLACK_WEBHOOK COOKIE AWS_ACCESS_KEY_ID OPENAI_KEY_2 \
                      OPENAI_API_KEY aws_secret_access_key MYSQL_PWD PGPASSWORD REDIS_URL SENTRY_DSN \
                      GITHUBTOKEN npm_config__auth SESSION_ID STRIPE_PRIVATE SMTP_PASSWD HTTP_AUTHORIZATION JWT \
                      MONGO_URI COOKIE_JAR GOOGLE_APPLICATION_CREDENTIALS DB_CONNECTION_STRING SLACK_WEBHOOK_URL \
                      HF_TOKEN PASSPHRASE X_CRED OAUTH2_CLIENT TWILIO_APIKEY MY-API-KEY DJANGO_SECRETKEY \
                      TELEGRAM_BOT_TOKEN GH_TOKENS AUTHS APP_JWTS DSNS CREDS COOKIES TOTPS PINTLE_API_KEY \
                      authorization Proxy-Authorization XAuthorization X-Api-Key Set-Cookie Cookie X-Auth-Token \
                      X-Hub-Signature-256 Sec-WebSocket-Key";
        let plain = "PATH HOME LANG LC_ALL TERM PWD OLDPWD USER SHELL TMPDIR SSH_AUTH_SOCK XDG_SESSION_ID \
                     XDG_SESSION_TYPE DESKTOP_SESSION DBUS_SESSION_BUS_ADDRESS GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL \
                     KEYBOARD KEYBOARD_LAYOUT XAUTHORITY TOKENIZERS_PARALLELISM MAX_TOKENS COMPASS_DIR CARGO_HOME \
                     RUSTFLAGS BASE_URL PUBLIC_URL EDITOR PATTERN PASSENGERS DB_HOST GOPATH CLASSPATH PINTLE_TAPE \
                     PINTLE_REDACT_SECRETS PINTLE_STATE_DIR AUTHOR MONKEY HOTKEY PASSES Content-Type Accept User-Agent \
                     Content-Length Host MY_TOKEN_FILE OUTPUT_PATH TOKEN_COUNT";
        let values = [
            ("postgres://ada:hunter2@db.test/app", true),
            ("x=1 amqp://u:p@h", true),
            ("redis://u:@h", true),
            ("https://Zk3jX9mQ2pLw8RtYvB6n@git.test/repo", true),
            ("Zk3jX9mQ2pLw8RtYvB6nHs4D", true),
            ("", false),
            ("https://example.test/a?b=c@d", false),
            ("https://a.example/x:y@z", false),
            ("http://proxy.test:8080", false),
            ("ssh://git@host.test/x", false),
            ("/usr/local/bin:/usr/bin", false),
            ("en_US.UTF-8", false),
            ("3f786850e387550fdab836ed7e6dc881de23001b", false),
            ("xterm-256color", false),
            ("application/json; charset=utf-8", false),
            ("a sentence of several words, 20 letters and Capitals", false),
        ];
        let named = |names: &'static str, is_secret| {
            names.split_whitespace().map(move |name| (name.to_owned(), String::from("x"), is_secret))
        };
        let valued = values.map(|(value, is_secret)| (String::from("PLAIN"), value.to_owned(), is_secret));
        let token = ["gh", "p_", &"a1B2c3D4e5F6".repeat(3)].concat();
        let mut table: Vec<_> = named(secret, true).chain(named(plain, false)).chain(valued).collect();
        table.push((String::from("PLAIN"), token, true));
        table
    }

    #[test]
    fn secrets_are_told_by_their_names_and_by_their_values() {
        for (name, value, expected) in read_name_table() {
            assert_eq!(is_secret(&name, &value), expected, "{name}={value}");
        }
    }
}
