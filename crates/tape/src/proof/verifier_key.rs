//! The public half of a machine's key.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_contract::to_hex;
use ring::signature::{ED25519, UnparsedPublicKey};

use crate::checkpoint::SignedNote;
use crate::line::{digest_bytes, parse_hex};

/// The number of the signature's algorithm, Ed25519.
pub(super) const ALGORITHM: u8 = 1;

/// What checks the signatures of a machine. Its text is `NAME+ID+KEY`, as c2sp.org/signed-note defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    key_id: [u8; 4],
    public: [u8; 32],
}

/// The error for a text that is not a public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a public key as `pintle tape key` prints it: {0}")]
pub struct VerifierKeyError(&'static str);

impl VerifierKey {
    /// A key with a name without spaces and `+`.
    pub(super) fn new(name: String, public: [u8; 32]) -> Self {
        let digest = digest_bytes(&[name.as_bytes(), b"\n", &[ALGORITHM], &public].concat());
        let key_id = digest.first_chunk().copied().unwrap_or_default();
        Self { name, key_id, public }
    }

    /// The name of the key.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What names the key in a signature.
    pub(super) fn key_id(&self) -> [u8; 4] {
        self.key_id
    }

    /// Whether the key has signed a note.
    #[must_use]
    pub fn has_signed(&self, note: &SignedNote<'_>) -> bool {
        note.signatures().filter(|found| found.name == self.name && found.key_id == self.key_id).any(|found| {
            UnparsedPublicKey::new(&ED25519, self.public).verify(note.text.as_bytes(), &found.signature).is_ok()
        })
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = STANDARD.encode([&[ALGORITHM][..], &self.public].concat());
        write!(f, "{}+{}+{key}", self.name, to_hex(&self.key_id))
    }
}

impl FromStr for VerifierKey {
    type Err = VerifierKeyError;

    fn from_str(text: &str) -> Result<Self, VerifierKeyError> {
        let parts = text.trim().split_once('+').and_then(|(name, rest)| Some((name, rest.split_once('+')?)));
        let (name, (key_id, key)) = parts.ok_or(VerifierKeyError("it is not `NAME+ID+KEY`"))?;
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(VerifierKeyError("its name is empty or has a space"));
        }
        let key = STANDARD.decode(key).map_err(|_| VerifierKeyError("its key is not base64"))?;
        let public = match key.split_first() {
            Some((&ALGORITHM, public)) => {
                public.try_into().map_err(|_| VerifierKeyError("its key has another length"))?
            }
            _ => return Err(VerifierKeyError("it is not an Ed25519 key")),
        };
        let found = Self::new(name.to_owned(), public);
        if parse_hex(key_id) != Some(found.key_id) {
            return Err(VerifierKeyError("its ID does not belong to its key"));
        }
        Ok(found)
    }
}
