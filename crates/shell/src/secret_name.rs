//! Which names of variables and headers are those of secrets: by their words.

use crate::word_lists::is_listed;

/// Words in names of secrets. An additional `S` after a word is ignored.
const SECRET_WORDS: &str = "APIKEY AUTH AUTHORIZATION AUTHTOKEN BEARER COOKIE CRED CREDENTIAL DSN JWT KEY MNEMONIC \
                            OAUTH OTP PASS PASSCODE PASSPHRASE PASSWD PASSWORD PAT PRIVATE SECRET SESSION SESSIONID \
                            SIGNATURE TOKEN TOTP WEBHOOK";

/// Parts of words in names of secrets, at any position in a word.
const SECRET_PARTS: &str = "AUTHORIZATION PASSWORD PASSWD PASSPHRASE SECRET CREDENTIAL WEBHOOK APIKEY";

/// Word endings in names of secrets, such as `GITHUBTOKEN`.
const SECRET_ENDS: &str = "KEY TOKEN PASS PWD COOKIE";

/// Words with such an ending that do not mean a secret.
const HARMLESS_WORDS: &str = "BYPASS COMPASS DONKEY HOTKEY MONKEY OLDPWD PWD TURKEY WHISKEY";

/// Names of data stores and of addresses that anybody may write to, whose URLs usually contain a password.
const STORES: &str = "AMQP CACHE CONNECTION DATABASE DB MONGO MONGODB MYSQL PG POSTGRES POSTGRESQL RABBITMQ REDIS \
                      SENTRY SMTP WEBHOOK";

/// Words for URLs and connection strings.
const ADDRESSES: &str = "CONN STRING URI URL";

/// Last words of names of what is said about a secret: `TOKEN_COUNT`, `SECRET_ARN`.
const ABOUT_WORDS: &str = "ALG ALGORITHM ARN AUDIENCE BUDGET COLUMN COUNT COUNTER DESCRIPTION DIR DIRECTORY DISABLED \
     ENABLED ENDPOINT EXPIRATION EXPIRED EXPIRES EXPIRY FIELD FILE FILENAME FILES FOLDER FORMAT HEADER HOST INDEX ISSUER \
     KIND LABEL LEN LENGTH LIFETIME LIMIT MANAGER MAX METHOD METHODS MIN MODE NAME NAMES OFFSET PATH PATHS PATTERN POLICY \
     PORT PREFIX PROVIDER RATE REF REGEX REGION REQUIRED ROTATION SCOPE SCOPES SIZE SOCK STATE STATUS SUFFIX TIMEOUT \
     TITLE TTL TYPE URI URL USAGE VALID VERSION";

/// Words beside `TOKENS` and `TOKEN` in numbers of tokens of a language model.
const COUNT_WORDS: &str = "AVG CACHED COMPLETION CONTEXT INPUT LIMIT MAX MIN N NUM OUTPUT PER PROMPT REASONING REMAINING \
     THINKING TOTAL USED";

/// Words in front of `KEY` for keys that are public or no keys of a cipher.
const PLAIN_KEYS: &str = "ANON CACHE FOREIGN HOT LOOKUP PARTITION PRIMARY PUB PUBLIC PUBLISHABLE ROUTING SORT UNIQUE";

/// Words in front of `PWD` for directories.
const DIRECTORIES: &str = "BASE CURRENT INIT OLD ORIG SAVED SCRIPT START WORK";

/// Names that look like those of secrets but are not. A name that ends in `*` is a prefix.
const HARMLESS_NAMES: &str = "CLAUDE_CODE_SESSION* CLAUDE_SESSION* DBUS_SESSION_BUS_* DESKTOP_SESSION \
                              GNOME_DESKTOP_SESSION_ID ITERM_SESSION_ID PINTLE_REDACT_SECRETS SECURITYSESSIONID \
                              SESSION_MANAGER SHELL_SESSION_* TERM_SESSION_ID XDG_SESSION_*";

/// Whether a variable or header with this name is a secret, whatever its value.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let is_harmless = |harmless: &str| match harmless.strip_suffix('*') {
        Some(start) => upper.starts_with(start),
        None => upper == harmless,
    };
    if HARMLESS_NAMES.split(' ').any(is_harmless) {
        return false;
    }
    let words = name_words(name);
    let words: Vec<&str> =
        words.iter().map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit())).collect();
    let Some(last) = words.last() else { return false };
    let has = |list: &str| words.iter().any(|word| is_listed(list, word));
    if has(ADDRESSES) && has(STORES) {
        return true;
    }
    if words.len() > 1 && is_listed(ABOUT_WORDS, last) {
        return false;
    }
    let is_password = |before: &str| !is_listed(DIRECTORIES, before);
    let mut before = None;
    words.iter().any(|word| {
        let is_first = before.is_none();
        let previous = before.replace(*word).unwrap_or_default();
        let one = word.strip_suffix('S').unwrap_or(word);
        let is_named = is_listed(SECRET_WORDS, word)
            || is_listed(SECRET_WORDS, one)
            || SECRET_PARTS.split(' ').any(|part| word.contains(part));
        match one {
            "PWD" => !is_first && is_password(previous),
            "KEY" => words.len() > 1 && !is_listed(PLAIN_KEYS, previous),
            "TOKEN" if words.iter().any(|word| is_listed(COUNT_WORDS, word)) => false,
            "TOKEN" => words.len() > 1 || one == *word,
            _ => is_named || !is_listed(HARMLESS_WORDS, word) && SECRET_ENDS.split(' ').any(|end| word.ends_with(end)),
        }
    })
}

/// Whether a text such as a filter of jq has the name of a secret in it.
pub(crate) fn has_secret_name(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').any(is_secret_name)
}

/// The words of a name in upper case: `DB_PASS`, `X-Api-Key` and `dbPassword` have several.
fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_inside = false;
    let mut was_lower = false;
    for letter in name.chars() {
        let continues = letter.is_ascii_alphanumeric();
        if continues && (!is_inside || was_lower && letter.is_ascii_uppercase()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (continues, words.last_mut()) {
            word.push(letter.to_ascii_uppercase());
        }
        is_inside = continues;
        was_lower = letter.is_ascii_lowercase();
    }
    words
}
