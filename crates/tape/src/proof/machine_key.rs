//! The key with which a machine signs its tapes.

use std::fmt::{self, Debug};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_contract::to_hex;
use pintle_files::{file_mode, path_beside, private_dir_builder, private_options};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair as _};

use super::verifier_key::{ALGORITHM, VerifierKey};
use crate::checkpoint::signature_line;
use crate::line::digest_bytes;

/// The start of a private key's text.
const PRIVATE: &str = "PRIVATE+KEY+";
/// How much of the digest of a public key is in its name, in bytes.
const NAME_BYTES: usize = 8;
/// The most bytes of a key file.
const MOST_BYTES: u64 = 1 << 10;

/// A private Ed25519 key.
///
/// Its file has one line, `PRIVATE+KEY+NAME+ID+KEY`, as the tools for signed notes write it.
pub struct MachineKey {
    pair: Ed25519KeyPair,
    public: VerifierKey,
}

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineKeyError {
    /// The file cannot be read.
    #[error("cannot read the key `{path}`: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file cannot be created.
    #[error("cannot create the key `{path}`: {source}")]
    Uncreatable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Other users can read the file.
    #[error("the key `{path}` can be read by other users; remove it, and a new one is made")]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// The file has no key.
    #[error("`{path}` is not a key; remove it, and a new one is made")]
    Invalid {
        /// The file.
        path: PathBuf,
    },
}

impl MachineKey {
    /// Reads the key in a file, or makes one. Only the user may read it.
    ///
    /// # Errors
    /// When it cannot be read or created, is not a key, or other users can read it.
    pub fn open_or_create(path: &Path) -> Result<Self, MachineKeyError> {
        match Self::open(path) {
            Err(MachineKeyError::Unreadable { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                create(path).map_err(|source| MachineKeyError::Uncreatable { path: path.to_owned(), source })?;
                Self::open(path)
            }
            opened => opened,
        }
    }

    /// Reads the key in a file.
    ///
    /// # Errors
    /// When it cannot be read, is not a key, or other users can read it.
    pub fn open(path: &Path) -> Result<Self, MachineKeyError> {
        let unreadable = |source| MachineKeyError::Unreadable { path: path.to_owned(), source };
        let text = pintle_files::read_head(path, MOST_BYTES).map_err(unreadable)?;
        if fs::metadata(path).map_err(unreadable).map(|found| file_mode(&found))?.is_some_and(|mode| mode & 0o077 != 0)
        {
            return Err(MachineKeyError::Exposed { path: path.to_owned() });
        }
        let key = std::str::from_utf8(&text).ok().and_then(Self::parse);
        key.ok_or_else(|| MachineKeyError::Invalid { path: path.to_owned() })
    }

    /// Makes a key from its 32 secret bytes. A name has no spaces and no `+`; the default follows from the public key.
    fn from_seed(name: Option<&str>, seed: &[u8]) -> Option<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).ok()?;
        let public: [u8; 32] = pair.public_key().as_ref().try_into().ok()?;
        let name = match name {
            Some(name) => name.to_owned(),
            None => format!("pintle/{}", to_hex(digest_bytes(&public).get(..NAME_BYTES)?)),
        };
        Some(Self { pair, public: VerifierKey::new(name, public) })
    }

    fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.trim().strip_prefix(PRIVATE)?.split_once('+')?;
        let (key_id, seed) = rest.split_once('+')?;
        let seed = STANDARD.decode(seed).ok()?;
        let key = Self::from_seed(Some(name), seed.strip_prefix(&[ALGORITHM])?)?;
        let is_named = !name.is_empty() && !name.contains(char::is_whitespace);
        (is_named && to_hex(&key.public.key_id()) == key_id).then_some(key)
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> &VerifierKey {
        &self.public
    }

    /// The line with the signature of a text.
    pub(super) fn sign(&self, text: &str) -> String {
        signature_line(self.public.name(), self.public.key_id(), self.pair.sign(text.as_bytes()).as_ref())
    }
}

impl Debug for MachineKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineKey").field("public", &self.public).finish_non_exhaustive()
    }
}

/// Creates a key. If another process does so at the same time, one of the two keys remains.
fn create(path: &Path) -> io::Result<()> {
    let mut seed = [0; 32];
    let unavailable = || io::Error::other("the system has no random bytes");
    SystemRandom::new().fill(&mut seed).map_err(|_| unavailable())?;
    let key = MachineKey::from_seed(None, &seed).ok_or_else(unavailable)?;
    let secret = STANDARD.encode([&[ALGORITHM][..], &seed].concat());
    let text = format!("{PRIVATE}{}+{}+{secret}\n", key.public.name(), to_hex(&key.public.key_id()));
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        private_dir_builder().recursive(true).create(dir)?;
    }
    let beside = path_beside(path);
    let written = private_options().write(true).create_new(true).open(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    // Unlike a rename, a link never replaces the key of another process.
    let linked = written.and_then(|()| match fs::hard_link(&beside, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(_) if !path.exists() => fs::rename(&beside, path),
        linked => linked,
    });
    let _ = fs::remove_file(&beside);
    linked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::SignedNote;

    #[test]
    fn key_is_made_once_for_its_user_and_signs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state").join("machine.key");
        let made: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| MachineKey::open_or_create(&path).unwrap().public().to_string()))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(made.iter().all(|public| *public == made[0]));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
        let key = MachineKey::open(&path).unwrap();
        let public: VerifierKey = key.public().to_string().parse().unwrap();
        assert_eq!(public, *key.public());
        let note = format!("a\n1\nb\n\n{}", key.sign("a\n1\nb\n"));
        assert!(public.has_signed(&SignedNote::parse(&note).unwrap()));
        assert!(!public.has_signed(&SignedNote::parse(&note.replacen('1', "2", 1)).unwrap()));
        assert!(!format!("{key:?}").contains("pair"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            assert!(matches!(MachineKey::open_or_create(&path), Err(MachineKeyError::Exposed { .. })));
        }
    }

    #[test]
    fn key_of_the_published_tools_is_read() {
        // From the documentation of golang.org/x/mod/sumdb/note.
        let secret = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
        let public = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let signed =
            "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
        let key = MachineKey::parse(secret).unwrap();
        assert_eq!(key.public().to_string(), public);
        assert_eq!(
            key.sign(signed),
            "\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
        );
        for other in ["", "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEK", &secret.replace("c74f", "c74e"), public] {
            assert!(MachineKey::parse(other).is_none(), "{other}");
        }
        for other in
            ["", "a+b", &public.replace("c74f", "c74e"), &public.replace("ARpc", "ARpd"), &public.replace("+AR", "+BR")]
        {
            assert!(other.parse::<VerifierKey>().is_err(), "{other}");
        }
    }
}
