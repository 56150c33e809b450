//! `pintle trust --list`: what was agreed to.

use std::collections::BTreeSet;

use pintle::loader::{TrustGrant, TrustStore, TrustOptions};
use serde_json::json;

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::options::consent::refused;
use crate::render::consent::since;
use crate::render::table;
use crate::terminal::Terminal;

/// Lists the projects that were agreed to, in the order of their folders.
pub(super) fn execute(trust: &TrustOptions, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
    let store = TrustStore::open(trust).map_err(refused)?;
    if global.json {
        let projects: Vec<_> =
            store.grants().map(|(folder, agreed)| json!({"folder": folder, "agreement": agreed})).collect();
        terminal.json(&projects);
        return Ok(Status::Done);
    }
    let rows: Vec<[String; 4]> = store.grants().map(|(folder, agreed)| row(folder, agreed)).collect();
    if rows.is_empty() {
        terminal.note("you agreed to nothing yet");
    } else {
        terminal.lines(&table::lines(["PROJECT", "AGREED", "FILES", "NEED CONSENT"], &rows));
    }
    Ok(Status::Done)
}

fn row(folder: &str, agreement: &TrustGrant) -> [String; 4] {
    let open = agreement.items.iter().filter(|claim| !claim.capabilities.is_empty());
    // A hook of an agent may be the host's as well.
    let open: BTreeSet<_> = open.map(|claim| (&claim.name, &claim.event)).collect();
    [folder.to_owned(), since(agreement.granted_at_ms), agreement.files.len().to_string(), open.len().to_string()]
}
