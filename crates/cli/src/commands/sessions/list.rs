//! `pintle sessions list`.

use clap::Args;
use pintle::tape::show::{StyledLine, single_line};
use pintle::{Clock, SystemClock};

use super::listed::{Cells, ID_CUT, Listed};
use super::shelf::Shelf;
use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::render::table;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct List {}

impl List {
    pub(super) fn execute(self, shelf: &Shelf, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let all = shelf.all();
        if global.json {
            terminal.json(&all.iter().map(Listed::described).collect::<Vec<_>>());
            return Ok(Status::Done);
        }
        if all.is_empty() {
            terminal.note(shelf.emptiness());
        } else {
            terminal.lines(&laid_out(&all, shelf, SystemClock::default().unix_ms()));
            for listed in &all {
                if let Some(why) = &listed.fault {
                    terminal.note(format!("the tape of `{}` cannot be read: {why}", single_line(&listed.id, ID_CUT)));
                }
            }
        }
        shelf.hint().into_iter().for_each(|hint| terminal.note(hint));
        Ok(Status::Done)
    }
}

/// The table. Those of other agents say in which project, and which agent where that is not plain.
fn laid_out(all: &[Listed], shelf: &Shelf, now_ms: u64) -> Vec<StyledLine> {
    let rows = all.iter().map(|listed| (listed, listed.cells(now_ms)));
    match shelf {
        Shelf::Folder { .. } => {
            let rows: Vec<_> = rows.map(|(_, row)| row).collect();
            table::lines(["ID", "WHEN", "AGENT", "TURNS", "STATE", "SIZE", "LAST WORDS"], &rows)
        }
        Shelf::Hosts { .. } if shelf.is_mixed() => {
            let row = |(listed, [id, when, agent, turns, state, size, words]): (&Listed, Cells)| {
                [listed.host(), id, when, agent, turns, state, size, listed.project(), words]
            };
            let rows: Vec<_> = rows.map(row).collect();
            table::lines(["HOST", "ID", "WHEN", "AGENT", "TURNS", "STATE", "SIZE", "PROJECT", "LAST WORDS"], &rows)
        }
        Shelf::Hosts { .. } => {
            let row = |(listed, [id, when, agent, turns, state, size, words]): (&Listed, Cells)| {
                [id, when, agent, turns, state, size, listed.project(), words]
            };
            let rows: Vec<_> = rows.map(row).collect();
            table::lines(["ID", "WHEN", "AGENT", "TURNS", "STATE", "SIZE", "PROJECT", "LAST WORDS"], &rows)
        }
    }
}
