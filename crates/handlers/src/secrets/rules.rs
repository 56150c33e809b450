//! The format of `rules.toml`.

use serde::Deserialize;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SecretRules {
    /// Placeholders that are not secrets.
    #[serde(rename = "plain")]
    pub(super) placeholders: Vec<String>,
    #[serde(rename = "token")]
    pub(super) tokens: Vec<TokenRule>,
    #[serde(rename = "pattern")]
    pub(super) patterns: Vec<PatternRule>,
}

/// A secret with a known prefix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenRule {
    /// Only for readers and tests.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the file names its rules for people; only tests read the names")
    )]
    pub(super) id: String,
    #[serde(rename = "begins")]
    pub(super) prefixes: Vec<String>,
    #[serde(rename = "of")]
    pub(super) alphabet: TokenAlphabet,
    #[serde(rename = "least")]
    pub(super) min_length: usize,
    #[serde(rename = "most")]
    pub(super) max_length: Option<usize>,
    #[serde(default)]
    #[serde(rename = "apart")]
    pub(super) must_stand_apart: bool,
    pub(super) entropy: Option<f64>,
}

/// A secret that is found by a regular expression.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternRule {
    /// Only for readers and tests.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the file names its rules for people; only tests read the names")
    )]
    pub(super) id: String,
    #[serde(rename = "near")]
    pub(super) trigger_words: Vec<String>,
    pub(super) regex: String,
    #[serde(default)]
    pub(super) guess: bool,
    pub(super) entropy: Option<f64>,
}

/// The alphabet of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TokenAlphabet {
    Hex,
    Base32,
    Base62,
    Word,
    Dotted,
    Base64,
}

impl TokenAlphabet {
    /// Whether a byte is one of its characters.
    pub(super) fn contains(self, byte: u8) -> bool {
        match self {
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Self::Base62 => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => Self::Word.contains(byte) || byte == b'.',
            Self::Base64 => Self::Word.contains(byte) || matches!(byte, b'+' | b'/' | b'='),
        }
    }
}

/// Parses the built-in rules.
///
/// # Errors
/// When the file is invalid, which a test excludes.
pub(super) fn parse_rules() -> Result<SecretRules, toml::de::Error> {
    toml::from_str(include_str!("rules.toml"))
}
