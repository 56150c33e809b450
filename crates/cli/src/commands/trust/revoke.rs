//! `pintle trust --revoke`: revokes trust in a project.

use std::path::{Path, absolute};

use pintle_host::files;
use pintle_host::loader::{TrustOptions, TrustStore};
use serde_json::json;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::options::trust::{require_no_agent, trust_error};
use crate::terminal::Terminal;

/// Revokes trust in a directory, or in the nearest trusted one above it. The directory may be gone.
pub(super) fn execute(
    trust: &TrustOptions,
    dir: &Path,
    terminal: &Terminal,
    global: &GlobalOptions,
) -> Result<CliStatus, CliError> {
    require_no_agent("trust was not revoked")?;
    let dir = files::canonicalize(dir).or_else(|_| absolute(dir)).map_err(CliError::failure)?;
    let store = TrustStore::open(trust).map_err(trust_error)?;
    let known = dir.ancestors().find(|dir| store.contains(dir));
    let was_there = match known {
        Some(known) => TrustStore::revoke(trust, known).map_err(trust_error)?,
        None => false,
    };
    if global.json {
        terminal.print_json(&json!({"revoked": known.filter(|_| was_there)}));
    } else {
        match known.filter(|_| was_there) {
            Some(known) => terminal.print_line(format!("`{}` is no longer trusted", known.display())),
            None => terminal.print_note(format!("`{}` was not trusted", dir.display())),
        }
    }
    Ok(CliStatus::Done)
}
