//! `pintle sessions list`.

use std::fs;
use std::path::Path;

use clap::Args;
use pintle::tape::show::plain;
use pintle::tape::{in_use, read};
use pintle::{Clock, SystemClock};
use pintle_agent::{Past, PastState};
use serde_json::{Value, json};

use crate::fault::{Fault, Status};
use crate::options::{Global, SessionTape, tapes, tapes_folder};
use crate::render::{age, size, table};
use crate::terminal::Terminal;

/// Characters of a name that are shown.
const CUT: usize = 30;
/// Characters of what the person said last that are shown.
const WORDS_CUT: usize = 48;

#[derive(Debug, Args)]
pub(super) struct List {}

/// A session as its tape tells it.
struct Told {
    tape: SessionTape,
    size_bytes: u64,
    state: &'static str,
    past: Option<Past>,
    /// Why its tape cannot be read.
    fault: Option<String>,
}

impl Told {
    fn of(tape: SessionTape) -> Self {
        let size_bytes = fs::metadata(&tape.path).map_or(0, |file| file.len());
        let (past, fault) = match read(&tape.path) {
            Ok(reading) => (Past::of(&reading), None),
            Err(fault) => (None, Some(fault.to_string())),
        };
        let state = match &past {
            _ if in_use(&tape.path).unwrap_or(false) => "running",
            _ if fault.is_some() => "unreadable",
            Some(past) if past.state == PastState::Ended => "ended",
            // Without a session on its tape it was cut off before there was one.
            _ => "interrupted",
        };
        Self { tape, size_bytes, state, past, fault }
    }

    fn row(&self, now_ms: u64) -> [String; 7] {
        let words = |past: &Past| past.last_words.split_whitespace().collect::<Vec<_>>().join(" ");
        [
            plain(&self.tape.id, CUT),
            self.past.as_ref().map(|past| age(now_ms.saturating_sub(past.last_ms))).unwrap_or_default(),
            self.past.as_ref().map(|past| plain(&past.agent, CUT)).unwrap_or_default(),
            self.past.as_ref().map(|past| past.turns.to_string()).unwrap_or_default(),
            self.state.to_owned(),
            size(self.size_bytes),
            self.past.as_ref().map(|past| plain(&words(past), WORDS_CUT)).unwrap_or_default(),
        ]
    }

    fn described(&self) -> Value {
        let past = self.past.as_ref();
        json!({
            "id": self.tape.id,
            "tape": self.tape.path,
            "began_ms": past.map(|past| past.began_ms),
            "last_ms": past.map(|past| past.last_ms),
            "agent": past.map(|past| &past.agent),
            "turns": past.map(|past| past.turns),
            "last_words": past.map(|past| &past.last_words),
            "state": self.state,
            "size_bytes": self.size_bytes,
            "fault": self.fault,
        })
    }
}

impl List {
    pub(super) fn execute(self, home: &Path, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        if !home.is_dir() {
            return Err(Fault::invalid(format!("there is no folder `{}`", home.display())));
        }
        let all: Vec<Told> = tapes(home).into_iter().map(Told::of).collect();
        if global.json {
            terminal.json(&all.iter().map(Told::described).collect::<Vec<_>>());
        } else if all.is_empty() {
            terminal.note(format!("no sessions in `{}` yet; `pintle run` makes one", tapes_folder(home).display()));
        } else {
            let now_ms = SystemClock::default().unix_ms();
            let rows: Vec<_> = all.iter().map(|told| told.row(now_ms)).collect();
            terminal.lines(&table::lines(["ID", "WHEN", "AGENT", "TURNS", "STATE", "SIZE", "LAST WORDS"], &rows));
            for told in all.iter().filter(|told| told.fault.is_some()) {
                let why = told.fault.as_deref().unwrap_or_default();
                terminal.note(format!("the tape of `{}` cannot be read: {why}", plain(&told.tape.id, CUT)));
            }
        }
        Ok(Status::Done)
    }
}
