//! Signatures of [minisign](https://jedisct1.github.io/minisign/). The program itself makes them, so that this one never sees
//! a private key.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use minisign_verify::{PublicKey, Signature};

use crate::FleetError;

/// A public key that signs bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleKey {
    /// The key as minisign writes it, without its comment.
    text: String,
    key: PublicKey,
}

impl BundleKey {
    /// A key that is written as minisign prints it, or the one in a file of minisign.
    ///
    /// # Errors
    /// When it is neither.
    pub fn load(named: &str) -> Result<Self, FleetError> {
        if let Some(key) = Self::parse(named) {
            return Ok(key);
        }
        let help = "`minisign -G` makes a pair of keys; the public one is in `minisign.pub`";
        let text = pintle_files::read_text(named).map_err(|error| {
            FleetError::invalid_input(format!("`{named}` is neither a public key nor a file with one: {error}"))
                .help(help)
        })?;
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
        line.and_then(Self::parse)
            .ok_or_else(|| FleetError::invalid_input(format!("`{named}` does not hold a public key")).help(help))
    }

    /// Parses a key as minisign prints it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let key = PublicKey::from_base64(text).ok()?;
        Some(Self { text: text.to_owned(), key })
    }

    /// The key as minisign prints it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Checks a signature of bytes.
    ///
    /// # Errors
    /// When it is not a signature of these bytes by this key.
    pub fn verify(&self, bytes: &[u8], signature: &str) -> Result<(), FleetError> {
        let failure = |why: &dyn std::fmt::Display| {
            FleetError::failure(format!("the signature is not one of the key {} of this bundle: {why}", self.text))
                .help("ask who makes the bundles; a new key is set by `pintle-fleet policy add`")
        };
        let signature = Signature::decode(signature).map_err(|error| failure(&error))?;
        self.key.verify(bytes, &signature, /*allow_legacy*/ false).map_err(|error| failure(&error))
    }
}

/// The path of the signature of a file, as minisign names it.
#[must_use]
pub fn signature_path(file: &Path) -> PathBuf {
    let mut path = OsString::from(file);
    path.push(".minisig");
    PathBuf::from(path)
}

/// Has `minisign` sign a file. It asks for the password of the key if that has one.
///
/// # Errors
/// When the program is missing or does not sign.
pub fn sign_file(file: &Path, key: &Path, comment: &str) -> Result<(), FleetError> {
    let mut command = Command::new("minisign");
    command.args(["-S", "-q", "-t", comment, "-s"]).arg(key).arg("-m").arg(file).arg("-x").arg(signature_path(file));
    let status = command.status().map_err(|error| {
        FleetError::failure(format!("`minisign`, which signs bundles, cannot be run: {error}"))
            .help("install it: `apt-get install minisign` or `brew install minisign`")
    })?;
    match status.success() {
        true => Ok(()),
        false => Err(FleetError::failure(format!("`minisign` did not sign `{}`", file.display()))),
    }
}
