//! `pintle replay`.

mod excerpt;
mod hooks;
mod progress;
mod report;
mod step;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pintle::files;
use pintle::tape::TapeError;
use pintle::tape::replay::{ReplayOptions, ReplayError, StopPoint, replay_with};

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The tape.
    tape: PathBuf,
    /// Write the new tape to a file.
    #[arg(long, value_name = "FILE", conflicts_with = "live_hooks")]
    out: Option<PathBuf>,
    /// Stop behind a record (its number), a turn (`turn:N`) or the first outcome of an event.
    #[arg(long, value_name = "PLACE")]
    until: Option<StopPoint>,
    /// Show one dispatch after the other, and wait for Enter. Only on a terminal.
    #[arg(long, conflicts_with_all = ["live_hooks", "json"])]
    step: bool,
    /// How many threads take part. Default: as many as there are processors.
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    hooks: hooks::HookArguments,
}

impl Replay {
    /// Enacts a tape again, or decides it again under the hooks of today.
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let bytes = files::read(&self.tape)
            .map_err(|fault| Fault::invalid(format!("cannot open tape `{}`: {fault}", self.tape.display())))?;
        if self.hooks.are_live() {
            if self.until.is_some() {
                return Err(Fault::invalid("`--until` goes with a replay of the tape alone")
                    .help("leave out `--until`, or `--live-hooks` and `--with`"));
            }
            return self.hooks.execute(&self.tape, &bytes, terminal, global);
        }
        if self.step {
            step::needs_terminal()?;
        }
        if let Some(out) = self.out.as_ref().filter(|out| is_same(out, &self.tape)) {
            let fault = Fault::invalid(format!("`{}` is the tape itself, which is never written over", out.display()));
            return Err(fault.help("name another file behind `--out`"));
        }
        let options = ReplayOptions { threads: self.threads, stop_point: self.until.clone() };
        let progress = progress::Progress::new(terminal, "records");
        let begun = Instant::now();
        let replayed =
            replay_with(&bytes, &options, &|done, of| progress.show(done, of)).map_err(|fault| self.fault(&fault))?;
        let took = begun.elapsed();
        progress.clear();
        if let Some(out) = &self.out {
            write_own(out, &replayed.tape)
                .map_err(|fault| Fault::failed(format!("cannot write `{}`: {fault}", out.display())))?;
        }
        if self.step {
            step::through(&replayed, terminal)?;
        }
        if global.json {
            report::json(&replayed, took, terminal);
        } else {
            report::text(&replayed, took, self.until.as_ref(), self.out.as_deref(), terminal);
        }
        Ok(if replayed.difference.is_none() { Status::Done } else { Status::Failed })
    }

    fn fault(&self, fault: &ReplayError) -> Fault {
        match fault {
            ReplayError::Tape(TapeError::Open { .. }) => Fault::invalid(fault),
            _ => Fault::invalid(format!("`{}`: {fault}", self.tape.display())),
        }
    }
}

/// Writes a file that others may not read: payloads can hold secrets.
fn write_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}

/// Whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}
