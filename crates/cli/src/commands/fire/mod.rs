//! `pintle fire`: one event through the hooks.

mod report;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pintle::tape::Header;
use pintle::{Clock, Decision, Event, Origin, SystemClock};

use crate::fault::{Fault, Status};
use crate::options::{Asks, EventArgument, Global, HookOptions, NewTape, builder, load, open, payload};
use crate::terminal::Terminal;
use report::Report;

/// The session that a fired event belongs to.
const SESSION: &str = "fire";

#[derive(Debug, Args)]
pub(crate) struct Fire {
    /// The event, such as `tool.pre`. Its payload is read from standard input as JSON; with nothing there, it is the
    /// example that `pintle events` shows. The payload of `tool.pre` may have `args` or `arguments` alone, and no `id`.
    event: EventArgument,
    #[command(flatten)]
    hooks: HookOptions,
    /// Ask every hook and enforce nothing.
    #[arg(long)]
    shadow: bool,
    #[command(flatten)]
    asks: Asks,
    /// Write a tape to this new file.
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
}

impl Fire {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let paths = self.hooks.paths();
        let given = payload(&self.event.0)?;
        if given.example && !global.json {
            terminal.note("no payload was given on standard input; firing the example of the catalogue");
        }
        let clock = Arc::new(SystemClock::default());
        let header = Header::new(SESSION, clock.unix_ms()).with_shadow(self.shadow);
        let mut tape = NewTape::begin(self.tape, header, clock)?;
        let report = Arc::new(Report::default());
        tape.tape.follow(report.clone());
        let builder = builder(&paths).tape(tape.tape.clone()).shadow(self.shadow).resolver(self.asks.resolver(open));
        let built = load(builder, &paths, terminal)?;
        tape.keep();
        let origin = Origin { session: SESSION.to_owned(), turn: 1, agent: String::from("root"), depth: 0, ..Origin::default() };
        let event = Event::new(self.event.0.clone(), given.value, Arc::new(origin));
        let outcome = built.runtime.fire(&event);
        let metrics = built.runtime.metrics();
        if global.json {
            terminal.json(&report.json(&event, &outcome, metrics));
        } else {
            terminal.lines(&report.lines(&outcome, &metrics));
            if self.shadow {
                terminal.note("in shadow mode nothing is enforced");
            }
        }
        if let Some(fault) = tape.fault() {
            return Err(fault);
        }
        Ok(match outcome.decision {
            Decision::Allow => Status::Done,
            Decision::Ask | Decision::Deny => Status::Denied,
        })
    }
}
