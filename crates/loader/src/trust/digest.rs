//! Computes the digest of the relevant part of a file.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use pintle_contract::to_hex;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Settings files that a coding agent shares with its hooks and rewrites itself, for example whenever the user allows a
/// tool permanently.
const SHARED: [&str; 2] = ["settings.json", "settings.local.json"];
/// Members of such a file that are relevant in addition to those with `hook` in their names: the variables that hooks
/// see.
const COUNTS: [&str; 1] = ["env"];

/// The SHA-256 digest of bytes, in hex.
pub(crate) fn digest_bytes(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

/// The digest of a file on disk.
///
/// # Errors
/// When it cannot be read, or is not a regular file.
pub(super) fn digest_file(path: &Path) -> io::Result<String> {
    let mut file = pintle_files::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        hasher.update(bytes);
    }
    Ok(to_hex(&hasher.finalize()))
}

/// The relevant part of a loaded file: all of it, or the part about hooks of an agent's own settings. `None` without
/// such a part.
pub(super) fn hashed_bytes<'a>(path: &Path, text: &'a str) -> Option<Cow<'a, [u8]>> {
    if !is_shared_settings(path) {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    // A file with comments or errors is relevant as a whole.
    let Ok(Value::Object(members)) = serde_json::from_str(text) else {
        return Some(Cow::Borrowed(text.as_bytes()));
    };
    let counts = |name: &str| name.to_lowercase().contains("hook") || COUNTS.contains(&name);
    let counted: Map<String, Value> = members.into_iter().filter(|(name, _)| counts(name)).collect();
    let is_empty = !counted.keys().any(|name| !COUNTS.contains(&name.as_str()));
    (!is_empty).then(|| Cow::Owned(Value::Object(counted).to_string().into_bytes()))
}

/// Whether a file is an agent's own settings: a file of such a name in a hidden directory.
fn is_shared_settings(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let dir = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    SHARED.contains(&name) && dir.starts_with('.') && dir != ".harness"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed_text(path: &str, text: &str) -> Option<String> {
        hashed_bytes(Path::new(path), text).map(|bytes| String::from_utf8(bytes.into_owned()).unwrap())
    }

    #[test]
    fn of_an_agents_own_settings_counts_what_is_about_hooks() {
        let settings =
            r#"{"permissions":{"allow":["Bash"]},"hooks":{"Stop":[]},"env":{"A":"1"},"disableAllHooks":true}"#;
        let wanted = r#"{"hooks":{"Stop":[]},"env":{"A":"1"},"disableAllHooks":true}"#;
        assert_eq!(hashed_text("/p/.claude/settings.local.json", settings).as_deref(), Some(wanted));
        assert_eq!(hashed_text("/p/.claude/settings.json", r#"{"permissions":{},"env":{}}"#), None);
        for whole in ["/p/settings.json", "/p/.codex/hooks.json", "/p/.harness/settings.json"] {
            assert_eq!(hashed_text(whole, settings).as_deref(), Some(settings), "{whole}");
        }
        let commented = "// mine\n{\"permissions\": {}}";
        assert_eq!(hashed_text("/p/.claude/settings.json", commented).as_deref(), Some(commented));
    }

    #[test]
    fn a_file_and_its_bytes_have_one_digest() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x");
        for length in [0_usize, 1, 65_535, 65_536, 200_000] {
            let bytes = vec![7_u8; length];
            std::fs::write(&file, &bytes).unwrap();
            assert_eq!(digest_file(&file).unwrap(), digest_bytes(&bytes), "{length}");
        }
        assert_eq!(digest_bytes(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
