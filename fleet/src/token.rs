//! The tokens of machines.

use std::fmt;
use std::path::Path;

use pintle_contract::to_hex;
use sha2::{Digest, Sha256};

use crate::FleetError;

/// What a token begins with, so that a search for secrets finds one.
const TOKEN_START: &str = "pintle_fleet_";
const TOKEN_BYTES: usize = 32;

/// The token of a machine. It is shown once, and never by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct MachineToken(String);

impl MachineToken {
    /// Makes a token from 256 random bits of the system.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn generate() -> Result<Self, FleetError> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|error| FleetError::failure(format!("the system gave no random numbers: {error}")))?;
        Ok(Self(format!("{TOKEN_START}{}", to_hex(&bytes))))
    }

    /// Parses a token. `None` if the text is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(TOKEN_START)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase());
        (digits.len() == 2 * TOKEN_BYTES && is_hex).then(|| Self(text.to_owned()))
    }

    /// Reads the token in a file.
    ///
    /// # Errors
    /// When the file cannot be read or does not hold a token.
    pub fn load(path: &Path) -> Result<Self, FleetError> {
        let help = "`pintle-fleet machine add NAME --store URL` prints a token; write it into this file";
        let text = pintle_files::read(path).map_err(|error| {
            FleetError::invalid_input(format!("cannot read the token file `{}`: {error}", path.display())).help(help)
        })?;
        let text = String::from_utf8_lossy(&text);
        Self::parse(text.trim()).ok_or_else(|| {
            FleetError::invalid_input(format!("`{}` does not hold the token of a machine", path.display())).help(help)
        })
    }

    /// The token itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its SHA-256, which is what the store keeps.
    #[must_use]
    pub fn digest(&self) -> Vec<u8> {
        Sha256::digest(self.0.as_bytes()).to_vec()
    }
}

impl fmt::Debug for MachineToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MachineToken(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_parsed_back_and_not_shown() {
        let token = MachineToken::generate().unwrap();
        assert_eq!(MachineToken::parse(token.as_str()), Some(token.clone()));
        assert_ne!(MachineToken::generate().unwrap(), token);
        assert!(!format!("{token:?}").contains(token.as_str()));
        let shorter = &token.as_str()[..token.as_str().len() - 1];
        for wrong in ["", "pintle_fleet_", shorter, &token.as_str().to_uppercase(), &format!("{}0", token.as_str())] {
            assert_eq!(MachineToken::parse(wrong), None, "{wrong}");
        }
    }
}
