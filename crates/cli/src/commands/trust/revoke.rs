//! `pintle trust --revoke`: taking an agreement back.

use std::path::{Path, absolute};

use pintle::loader::{TrustStore, TrustOptions};
use serde_json::json;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::options::trust::trust_error;
use crate::terminal::Terminal;

/// Takes back what was agreed to of a folder, or of the nearest one above it. The folder may be gone.
pub(super) fn execute(trust: &TrustOptions, folder: &Path, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
    let folder = folder.canonicalize().or_else(|_| absolute(folder)).map_err(CliError::failure)?;
    let store = TrustStore::open(trust).map_err(trust_error)?;
    let known = folder.ancestors().find(|folder| store.contains(folder));
    let was_there = match known {
        Some(known) => TrustStore::revoke(trust, known).map_err(trust_error)?,
        None => false,
    };
    if global.json {
        terminal.print_json(&json!({"revoked": known.filter(|_| was_there)}));
    } else {
        match known.filter(|_| was_there) {
            Some(known) => terminal.print_line(format!("you no longer agree to `{}`", known.display())),
            None => terminal.print_note(format!("nothing was agreed to of `{}`", folder.display())),
        }
    }
    Ok(CliStatus::Done)
}
