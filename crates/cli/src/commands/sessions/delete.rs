//! `pintle sessions delete`.

use std::io::{self, IsTerminal};

use clap::Args;
use pintle_host::tape::show::single_line;
use pintle_host::{Clock, SystemClock};
use serde_json::json;

use super::collection::SessionCollection;
use super::expired::ExpiredSessions;
use super::row::{ID_CUT, SessionRow, SessionRowState};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::options::trust::require_no_agent;
use crate::render::{count_text, size_text};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct SessionsDeleteArgs {
    /// Sessions to delete: IDs or the starts of IDs, `last`, or paths of tapes.
    #[arg(value_name = "ID", required_unless_present = "older_than", conflicts_with = "older_than")]
    ids: Vec<String>,
    /// Delete every session whose last record is older than DAYS days. Unreadable sessions are kept.
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u64>,
    /// Delete without prompting.
    #[arg(long, short)]
    yes: bool,
}

impl SessionsDeleteArgs {
    /// Deletes all of the sessions, or none if one does not exist or is in use.
    pub(super) fn execute(
        self,
        collection: &SessionCollection,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let (sessions, which) = match self.older_than {
            Some(days) => {
                let old = ExpiredSessions::expired_in(collection.list_all(), days, SystemClock::default().unix_ms());
                if !global.json {
                    old.notes().into_iter().for_each(|note| terminal.print_note(note));
                }
                let bytes = old.sessions.iter().map(|listed| listed.size_bytes).sum();
                (old.sessions, format!("older than {}, {}", days_text(days), size_text(bytes)))
            }
            None => {
                let sessions = find_sessions(&self.ids, collection)?;
                let which = join_ids(&sessions);
                (sessions, which)
            }
        };
        if sessions.is_empty() {
            return Ok(print_nothing_to_do(terminal, global));
        }
        if !self.yes && !confirm(&format!("delete {} ({which})?", count_text(sessions.len(), "session")), terminal)? {
            terminal.print_note("nothing was deleted");
            return Ok(CliStatus::Denied);
        }
        require_no_agent("nothing was deleted")?;
        for listed in &sessions {
            listed.delete()?;
        }
        if global.json {
            let ids: Vec<&str> = sessions.iter().map(|listed| listed.id.as_str()).collect();
            terminal.print_json(&json!({"deleted": ids}));
        } else {
            terminal.print_line(format!("deleted {}: {which}", count_text(sessions.len(), "session")));
        }
        Ok(CliStatus::Done)
    }
}

/// Finds the sessions that the user names, each once.
fn find_sessions(ids: &[String], collection: &SessionCollection) -> Result<Vec<SessionRow>, CliError> {
    let mut sessions: Vec<SessionRow> = Vec::new();
    for id in ids {
        let listed = collection.find_session(id)?;
        if listed.state == SessionRowState::Running {
            return Err(listed.in_use_error());
        }
        if !sessions.iter().any(|known| known.tape == listed.tape) {
            sessions.push(listed);
        }
    }
    Ok(sessions)
}

fn join_ids(sessions: &[SessionRow]) -> String {
    sessions.iter().map(|listed| single_line(&listed.id, ID_CUT)).collect::<Vec<_>>().join(", ")
}

fn days_text(days: u64) -> String {
    if days == 1 { String::from("1 day") } else { format!("{days} days") }
}

fn print_nothing_to_do(terminal: &Terminal, global: &GlobalOptions) -> CliStatus {
    if global.json {
        terminal.print_json(&json!({"deleted": []}));
    } else {
        terminal.print_note("no session is that old");
    }
    CliStatus::Done
}

/// Prompts the user for confirmation, which requires a terminal.
pub(super) fn confirm(question: &str, terminal: &Terminal) -> Result<bool, CliError> {
    if !io::stdin().is_terminal() {
        let error = format!("cannot prompt `{question}`: standard input is not a terminal");
        return Err(CliError::invalid_input(error).help("delete without prompting with `--yes`"));
    }
    terminal.print_piece(format!("{question} [y/N] "));
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|error| CliError::failure(format!("cannot read from the terminal: {error}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes" | "Yes"))
}
