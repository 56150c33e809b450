//! `pintle trust --revoke`: taking an agreement back.

use std::path::{Path, absolute};

use pintle::loader::{TrustStore, TrustOptions};
use serde_json::json;

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::options::consent::refused;
use crate::terminal::Terminal;

/// Takes back what was agreed to of a folder, or of the nearest one above it. The folder may be gone.
pub(super) fn execute(trust: &TrustOptions, folder: &Path, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
    let folder = folder.canonicalize().or_else(|_| absolute(folder)).map_err(Fault::failed)?;
    let store = TrustStore::open(trust).map_err(refused)?;
    let known = folder.ancestors().find(|folder| store.contains(folder));
    let was_there = match known {
        Some(known) => TrustStore::revoke(trust, known).map_err(refused)?,
        None => false,
    };
    if global.json {
        terminal.json(&json!({"revoked": known.filter(|_| was_there)}));
    } else {
        match known.filter(|_| was_there) {
            Some(known) => terminal.out(format!("you no longer agree to `{}`", known.display())),
            None => terminal.note(format!("nothing was agreed to of `{}`", folder.display())),
        }
    }
    Ok(Status::Done)
}
