//! `pintle tape key`, and the keys that other commands take.

use std::path::{Path, PathBuf};

use clap::Args;
use pintle_host::files;
use pintle_host::loader::state_dir;
use pintle_host::tape::proof::{MACHINE_KEY_FILE, MachineKey, VerifierKey};
use serde_json::json;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct TapeKeyArgs {
    /// Directory with the key [default: `PINTLE_STATE_DIR`, otherwise `~/.local/state/pintle`].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

impl TapeKeyArgs {
    /// Prints the public key of this machine. The private key is made if there is none.
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let dir = self.state_dir.or_else(state_dir).ok_or_else(|| {
            CliError::failure("there is no state directory for a key").help("name one with `--state-dir DIR`")
        })?;
        let path = dir.join(MACHINE_KEY_FILE);
        let key = MachineKey::open_or_create(&path).map_err(CliError::failure)?;
        if global.json {
            terminal.print_json(&json!({"key": key.public().to_string(), "name": key.public().name(), "path": path}));
        } else {
            terminal.print_exact_line(key.public());
        }
        Ok(CliStatus::Done)
    }
}

/// Reads public keys: each is a key, or the path of a file with a key on each line.
pub(super) fn read_keys(named: &[String]) -> Result<Vec<VerifierKey>, CliError> {
    let mut keys = Vec::new();
    for text in named {
        if let Ok(key) = text.parse() {
            keys.push(key);
            continue;
        }
        let parse = |line: &str| line.parse().map_err(|error| CliError::invalid_input(format!("`{text}`: {error}")));
        let lines = files::read_text(Path::new(text)).map_err(|error| {
            CliError::invalid_input(format!("`{text}` is neither a public key nor a file that can be read: {error}"))
                .help("`pintle tape key` prints the public key of a machine")
        })?;
        let before = keys.len();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            keys.push(parse(line)?);
        }
        if keys.len() == before {
            return Err(CliError::invalid_input(format!("`{text}` has no public key")));
        }
    }
    Ok(keys)
}
