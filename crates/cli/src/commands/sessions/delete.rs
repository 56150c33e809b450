//! `pintle sessions delete`.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;

use clap::Args;
use pintle::tape::in_use;
use serde_json::json;

use crate::fault::{Fault, Status};
use crate::options::{Global, SessionTape, find};
use crate::render::count;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct Delete {
    /// The sessions: IDs or the beginnings of them, `last`, or paths of tapes.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
}

impl Delete {
    /// Deletes all of them or, when one is not there or at work, none.
    pub(super) fn execute(self, home: &Path, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let mut tapes: Vec<SessionTape> = Vec::new();
        for id in &self.ids {
            let tape = find(id, home)?;
            if in_use(&tape.path).map_err(Fault::failed)? {
                let fault = Fault::failed(format!("session `{}` is at work", tape.id));
                return Err(fault.help("end it first, then delete it"));
            }
            if !tapes.contains(&tape) {
                tapes.push(tape);
            }
        }
        if !self.yes && !agreed(&tapes, terminal)? {
            terminal.note("nothing was deleted");
            return Ok(Status::Denied);
        }
        for tape in &tapes {
            fs::remove_file(&tape.path)
                .map_err(|fault| Fault::failed(format!("cannot delete `{}`: {fault}", tape.path.display())))?;
        }
        let ids: Vec<&str> = tapes.iter().map(|tape| tape.id.as_str()).collect();
        if global.json {
            terminal.json(&json!({"deleted": ids}));
        } else {
            terminal.out(format!("deleted {}: {}", count(ids.len(), "session"), ids.join(", ")));
        }
        Ok(Status::Done)
    }
}

/// Asks the person, who has to be there.
fn agreed(tapes: &[SessionTape], terminal: &Terminal) -> Result<bool, Fault> {
    if !io::stdin().is_terminal() {
        let fault = Fault::invalid("nobody is there to be asked");
        return Err(fault.help("`--yes` deletes without asking"));
    }
    let ids: Vec<&str> = tapes.iter().map(|tape| tape.id.as_str()).collect();
    terminal.out_piece(format!("delete {} ({})? [y/N] ", count(ids.len(), "session"), ids.join(", ")));
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|fault| Fault::failed(format!("cannot read from the terminal: {fault}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes" | "Yes"))
}
