//! The token of requests: who can read its file may send them.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use pintle_host::files;
use pintle_host::loader::state_dir;

use pintle_host::contract::to_hex;

use crate::error::CliError;

/// Fewest characters of a token.
const FEWEST_CHARS: usize = 32;

/// What requests must have.
pub(crate) struct HttpToken(String);

impl HttpToken {
    /// A token at random.
    pub(crate) fn random() -> Result<Self, CliError> {
        random_bytes::<32>().map(|bytes| Self(to_hex(&bytes)))
    }

    /// The token as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the token, in a time that does not depend on how much of it is right.
    pub(crate) fn is(&self, token: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let differences = own.iter().zip(token).fold(0, |all, (one, other)| std::hint::black_box(all | (one ^ other)));
        own.len() == token.len() && differences == 0
    }
}

/// The file of a token. One that belongs to this process is deleted when this value is dropped: the server keeps it to
/// itself, as requests may still run when it ends.
pub(crate) struct TokenFile {
    pub(crate) path: PathBuf,
    is_own: bool,
}

impl TokenFile {
    /// Reads the token of a named file, or makes one at random: for a named file that does not exist, and without a name for
    /// one in the state directory, which is deleted at the end.
    pub(crate) fn open(named: Option<PathBuf>, state: Option<PathBuf>) -> Result<(HttpToken, Self), CliError> {
        if let Some(path) = named {
            let token = match files::read_text(&path) {
                Ok(text) => check(&path, &text)?,
                Err(error) if error.kind() == ErrorKind::NotFound => create(&path)?,
                Err(error) => return Err(unreadable(&path, error)),
            };
            return Ok((HttpToken(token), Self { path, is_own: false }));
        }
        let dir = state.or_else(state_dir).ok_or_else(|| {
            CliError::invalid_input("no state directory for the token").help("name a file with `--token-file FILE`")
        })?;
        let name = format!("{}-{:08x}.token", std::process::id(), u32::from_ne_bytes(random_bytes()?));
        let path = dir.join("http").join(name);
        let token = create(&path)?;
        Ok((HttpToken(token), Self { path, is_own: true }))
    }
}

impl Drop for TokenFile {
    fn drop(&mut self) {
        if self.is_own {
            // A token that remains is of a server that is gone.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Checks that only the user can read a file, and that its token cannot be guessed.
fn check(path: &Path, text: &str) -> Result<String, CliError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(path).map_err(|error| unreadable(path, error))?.permissions().mode();
        if mode & 0o077 != 0 {
            let message = format!("other users can read or change the token file `{}`", path.display());
            return Err(CliError::invalid_input(message).help(format!("`chmod 600 '{}'`", path.display())));
        }
    }
    let token = text.trim();
    if token.len() < FEWEST_CHARS || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!("`{}` has no token: {FEWEST_CHARS} or more letters, digits and signs", path.display());
        return Err(CliError::invalid_input(message).help("remove the file; the server makes a new one"));
    }
    Ok(token.to_owned())
}

/// Creates a file with a random token that only the user can read, and its directory.
fn create(path: &Path) -> Result<String, CliError> {
    let HttpToken(token) = HttpToken::random()?;
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(|error| unreadable(dir, error))?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| writeln!(file, "{token}"));
    written.map_err(|error| unreadable(path, error))?;
    Ok(token)
}

fn random_bytes<const N: usize>() -> Result<[u8; N], CliError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::failure(format!("the system has no random numbers: {error}")))?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: std::io::Error) -> CliError {
    CliError::failure(format!("cannot use the token file `{}`: {error}", path.display()))
        .help("name another file with `--token-file FILE`")
}
