//! `pintle sessions delete`.

use std::io::{self, IsTerminal};

use clap::Args;
use pintle::tape::show::single_line;
use pintle::{Clock, SystemClock};
use serde_json::json;

use super::listed::{ID_CUT, Listed, State};
use super::old::Old;
use super::shelf::Shelf;
use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::render::{count, size};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct Delete {
    /// The sessions: IDs or the beginnings of them, `last`, or paths of tapes.
    #[arg(value_name = "ID", required_unless_present = "older_than", conflicts_with = "older_than")]
    ids: Vec<String>,
    /// All sessions whose last record is more than so many days old. One that cannot be read is not among them.
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u64>,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
}

impl Delete {
    /// Deletes all of them or, when one is not there or at work, none.
    pub(super) fn execute(self, shelf: &Shelf, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let (sessions, which) = match self.older_than {
            Some(days) => {
                let old = Old::among(shelf.all(), days, SystemClock::default().unix_ms());
                if !global.json {
                    old.notes().into_iter().for_each(|note| terminal.note(note));
                }
                let bytes = old.sessions.iter().map(|listed| listed.size_bytes).sum();
                (old.sessions, format!("older than {}, {}", count_of_days(days), size(bytes)))
            }
            None => {
                let sessions = named(&self.ids, shelf)?;
                let which = ids(&sessions);
                (sessions, which)
            }
        };
        if sessions.is_empty() {
            return Ok(nothing_to_do(terminal, global));
        }
        if !self.yes && !agreed(&format!("delete {} ({which})?", count(sessions.len(), "session")), terminal)? {
            terminal.note("nothing was deleted");
            return Ok(Status::Denied);
        }
        for listed in &sessions {
            listed.delete()?;
        }
        if global.json {
            let ids: Vec<&str> = sessions.iter().map(|listed| listed.id.as_str()).collect();
            terminal.json(&json!({"deleted": ids}));
        } else {
            terminal.out(format!("deleted {}: {which}", count(sessions.len(), "session")));
        }
        Ok(Status::Done)
    }
}

/// The sessions that a person names, each once.
fn named(ids: &[String], shelf: &Shelf) -> Result<Vec<Listed>, Fault> {
    let mut sessions: Vec<Listed> = Vec::new();
    for id in ids {
        let listed = shelf.find(id)?;
        if listed.state == State::Running {
            return Err(listed.at_work());
        }
        if !sessions.iter().any(|known| known.tape == listed.tape) {
            sessions.push(listed);
        }
    }
    Ok(sessions)
}

fn ids(sessions: &[Listed]) -> String {
    sessions.iter().map(|listed| single_line(&listed.id, ID_CUT)).collect::<Vec<_>>().join(", ")
}

fn count_of_days(days: u64) -> String {
    if days == 1 { String::from("1 day") } else { format!("{days} days") }
}

fn nothing_to_do(terminal: &Terminal, global: &Global) -> Status {
    if global.json {
        terminal.json(&json!({"deleted": []}));
    } else {
        terminal.note("no session is that old");
    }
    Status::Done
}

/// Asks the person, who has to be there.
fn agreed(question: &str, terminal: &Terminal) -> Result<bool, Fault> {
    if !io::stdin().is_terminal() {
        let fault = Fault::invalid(format!("nobody is there to be asked: {question}"));
        return Err(fault.help("`--yes` deletes without asking"));
    }
    terminal.out_piece(format!("{question} [y/N] "));
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|fault| Fault::failed(format!("cannot read from the terminal: {fault}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes" | "Yes"))
}
