//! The rules as `rules.toml` has them.

use serde::Deserialize;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    /// What stands for a secret without being one.
    pub(super) plain: Vec<String>,
    pub(super) token: Vec<TokenRule>,
    pub(super) pattern: Vec<PatternRule>,
}

/// A secret that is known by its beginning.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenRule {
    /// For people and tests.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the file names its rules for people; only tests read the names")
    )]
    pub(super) id: String,
    pub(super) begins: Vec<String>,
    pub(super) of: Alphabet,
    pub(super) least: usize,
    pub(super) most: Option<usize>,
    #[serde(default)]
    pub(super) apart: bool,
    pub(super) entropy: Option<f64>,
}

/// A secret that is known by a regular expression.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternRule {
    /// For people and tests.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the file names its rules for people; only tests read the names")
    )]
    pub(super) id: String,
    pub(super) near: Vec<String>,
    pub(super) regex: String,
    #[serde(default)]
    pub(super) guess: bool,
    pub(super) entropy: Option<f64>,
}

/// The characters that a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Alphabet {
    Hex,
    Base32,
    Base62,
    Word,
    Dotted,
    Base64,
}

impl Alphabet {
    /// Whether a byte is one of its characters.
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Self::Base62 => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => Self::Word.has(byte) || byte == b'.',
            Self::Base64 => Self::Word.has(byte) || matches!(byte, b'+' | b'/' | b'='),
        }
    }
}

/// Reads the rules that come with the program.
///
/// # Errors
/// When the file is broken, which a test excludes.
pub(super) fn read() -> Result<Rules, toml::de::Error> {
    toml::from_str(include_str!("rules.toml"))
}
