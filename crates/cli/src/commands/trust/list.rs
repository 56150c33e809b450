//! `pintle trust --list`: what was agreed to.

use std::collections::BTreeSet;

use pintle::loader::{Agreement, Store, Trust};
use serde_json::json;

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::options::consent::refused;
use crate::render::consent::since;
use crate::render::table;
use crate::terminal::Terminal;

/// Lists the projects that were agreed to, in the order of their folders.
pub(super) fn execute(trust: &Trust, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
    let store = Store::open(trust).map_err(refused)?;
    if global.json {
        let projects: Vec<_> =
            store.projects().map(|(folder, agreed)| json!({"folder": folder, "agreement": agreed})).collect();
        terminal.json(&projects);
        return Ok(Status::Done);
    }
    let rows: Vec<[String; 4]> = store.projects().map(|(folder, agreed)| row(folder, agreed)).collect();
    if rows.is_empty() {
        terminal.note("you agreed to nothing yet");
    } else {
        terminal.lines(&table::lines(["PROJECT", "AGREED", "FILES", "NEED CONSENT"], &rows));
    }
    Ok(Status::Done)
}

fn row(folder: &str, agreement: &Agreement) -> [String; 4] {
    let open = agreement.claims.iter().filter(|claim| !claim.reach.is_empty());
    // A hook of an agent may be the host's as well.
    let open: BTreeSet<_> = open.map(|claim| (&claim.name, &claim.event)).collect();
    [folder.to_owned(), since(agreement.agreed_at_ms), agreement.files.len().to_string(), open.len().to_string()]
}
