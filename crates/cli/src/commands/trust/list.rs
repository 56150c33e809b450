//! `pintle trust --list`: lists the trusted projects.

use std::collections::BTreeSet;

use pintle_host::loader::{TrustGrant, TrustOptions, TrustStore};
use serde_json::json;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::options::trust::trust_error;
use crate::render::table;
use crate::render::trust::grant_age_text;
use crate::terminal::Terminal;

/// Lists the trusted projects, in the order of their directories.
pub(super) fn execute(
    trust: &TrustOptions,
    terminal: &Terminal,
    global: &GlobalOptions,
) -> Result<CliStatus, CliError> {
    let store = TrustStore::open(trust).map_err(trust_error)?;
    if global.json {
        let projects: Vec<_> = store.grants().map(|(dir, grant)| json!({"dir": dir, "grant": grant})).collect();
        terminal.print_json(&projects);
        return Ok(CliStatus::Done);
    }
    let rows: Vec<[String; 4]> = store.grants().map(|(dir, grant)| to_cells(dir, grant)).collect();
    if rows.is_empty() {
        terminal.print_note("no project is trusted yet");
    } else {
        terminal.print_lines(&table::render_table(["PROJECT", "TRUSTED", "FILES", "NEED TRUST"], &rows));
    }
    Ok(CliStatus::Done)
}

fn to_cells(dir: &str, grant: &TrustGrant) -> [String; 4] {
    let open = grant.items.iter().filter(|claim| !claim.capabilities.is_empty());
    // A hook may belong to an agent and to the host.
    let open: BTreeSet<_> = open.map(|claim| (&claim.name, &claim.event)).collect();
    [dir.to_owned(), grant_age_text(grant.granted_at_ms), grant.files.len().to_string(), open.len().to_string()]
}
