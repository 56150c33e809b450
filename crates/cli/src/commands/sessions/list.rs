//! `pintle sessions list`.

use clap::Args;
use pintle_host::tape::show::{StyledLine, single_line};
use pintle_host::{Clock, SystemClock};

use super::collection::SessionCollection;
use super::row::{ID_CUT, SessionCells, SessionRow};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::render::table;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct SessionsListArgs {}

impl SessionsListArgs {
    pub(super) fn execute(
        self,
        collection: &SessionCollection,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let all = collection.list_all();
        if global.json {
            terminal.print_json(&all.iter().map(SessionRow::to_json).collect::<Vec<_>>());
            return Ok(CliStatus::Done);
        }
        if all.is_empty() {
            terminal.print_note(collection.empty_message());
        } else {
            terminal.print_lines(&render_table(&all, collection, SystemClock::default().unix_ms()));
            for listed in &all {
                if let Some(reason) = &listed.error {
                    terminal.print_note(format!(
                        "the tape of `{}` cannot be read: {reason}",
                        single_line(&listed.id, ID_CUT)
                    ));
                }
            }
        }
        collection.list_hint().into_iter().for_each(|hint| terminal.print_note(hint));
        Ok(CliStatus::Done)
    }
}

/// Renders the table. Sessions of host agents also show the project, and the host if there can be several.
fn render_table(all: &[SessionRow], collection: &SessionCollection, now_ms: u64) -> Vec<StyledLine> {
    let rows = all.iter().map(|listed| (listed, listed.to_cells(now_ms)));
    match collection {
        SessionCollection::Folder { .. } => {
            let rows: Vec<_> = rows.map(|(_, row)| row).collect();
            table::render_table(["ID", "WHEN", "AGENT", "TURNS", "STATE", "SIZE", "LAST PROMPT"], &rows)
        }
        SessionCollection::Hosts { .. } if collection.is_mixed() => {
            let row = |(listed, [id, when, agent, turns, state, size, words]): (&SessionRow, SessionCells)| {
                [listed.host_name(), id, when, agent, turns, state, size, listed.project_name(), words]
            };
            let rows: Vec<_> = rows.map(row).collect();
            table::render_table(
                ["HOST", "ID", "WHEN", "AGENT", "TURNS", "STATE", "SIZE", "PROJECT", "LAST PROMPT"],
                &rows,
            )
        }
        SessionCollection::Hosts { .. } => {
            let row = |(listed, [id, when, agent, turns, state, size, words]): (&SessionRow, SessionCells)| {
                [id, when, agent, turns, state, size, listed.project_name(), words]
            };
            let rows: Vec<_> = rows.map(row).collect();
            table::render_table(["ID", "WHEN", "AGENT", "TURNS", "STATE", "SIZE", "PROJECT", "LAST PROMPT"], &rows)
        }
    }
}
