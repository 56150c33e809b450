//! `pintle replay`: replays the tape of a session.

mod excerpt;
mod live_hooks;
mod redecide;
mod report;
mod step;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pintle_host::files::{self, private_options};
use pintle_host::tape::TapeError;
use pintle_host::tape::replay::{ReplayError, ReplayOptions, StopPoint, replay_with};

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, locate_tape};
use crate::render::progress::ProgressLine;
use crate::terminal::Terminal;
pub(super) use redecide::{ComparisonTask, RedecideArgs, recognise_file};

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Tapes: one to replay; with `--with`, any number [default: with `--with`, every tape that `pintle log` lists].
    #[arg(value_name = "TAPE", required_unless_present = "with")]
    tapes: Vec<PathBuf>,
    /// Write the new tape to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "live_hooks")]
    out: Option<PathBuf>,
    /// Stop after a record (by number), a turn (`turn:N`) or the first outcome of an event.
    #[arg(long, value_name = "POINT")]
    until: Option<StopPoint>,
    /// Show one dispatch at a time and wait for Enter; requires a terminal.
    #[arg(long, conflicts_with_all = ["live_hooks", "json"])]
    step: bool,
    /// Number of threads [default: the number of processors].
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    hooks: live_hooks::LiveHookArgs,
    #[command(flatten)]
    redecide: RedecideArgs,
}

impl ReplayArgs {
    /// Replays a tape, fires its events at the current hooks, or decides tapes again.
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        if self.hooks.is_redecision() {
            if self.until.is_some() || self.step || self.out.is_some() {
                let what = "`--until`, `--step` and `--out` replay a tape, which `--with` does not";
                return Err(CliError::invalid_input(what).help("remove one of them"));
            }
            let task = ComparisonTask {
                base: None,
                hooks: &self.hooks.with,
                user: &self.hooks.user,
                tapes: &self.tapes,
                threads: self.threads,
                uses_examples: false,
            };
            return self.redecide.execute(&task, terminal, global);
        }
        if let Some(option) = self.redecide.first_option() {
            let what = format!("`{option}` selects what `--with` decides again, and there is no `--with`");
            return Err(CliError::invalid_input(what).help("name other hooks with `--with PATH`"));
        }
        let [tape] = &*self.tapes else {
            let what = "one tape is replayed at a time; only `--with PATH` without `--live-hooks` takes several";
            return Err(CliError::invalid_input(what).help("name one tape"));
        };
        self.replay(&locate_tape(tape)?, terminal, global)
    }

    fn replay(&self, tape: &Path, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let bytes = files::read(tape)
            .map_err(|error| CliError::invalid_input(format!("cannot open tape `{}`: {error}", tape.display())))?;
        if self.hooks.is_live() {
            if self.until.is_some() {
                return Err(CliError::invalid_input("`--until` cannot be used with `--live-hooks` or `--all`")
                    .help("remove `--until`, or the others"));
            }
            return self.hooks.execute(tape, &bytes, terminal, global);
        }
        if self.step {
            step::require_terminal()?;
        }
        if let Some(out) = self.out.as_ref().filter(|out| is_same_file(out, tape)) {
            let error =
                CliError::invalid_input(format!("`{}` is the tape itself, which is never overwritten", out.display()));
            return Err(error.help("name another file with `--out`"));
        }
        let options = ReplayOptions { threads: self.threads, stop_point: self.until.clone() };
        let progress = ProgressLine::new(terminal, "records");
        let begun = Instant::now();
        let replayed = replay_with(&bytes, &options, &|done, of| progress.show(done, of))
            .map_err(|error| to_cli_error(tape, &error))?;
        let took = begun.elapsed();
        progress.clear();
        if let Some(out) = &self.out {
            write_private(out, &replayed.tape)
                .map_err(|error| CliError::failure(format!("cannot write `{}`: {error}", out.display())))?;
        }
        if self.step {
            step::step_through(&replayed, terminal)?;
        }
        if global.json {
            report::print_json(&replayed, took, terminal);
        } else {
            report::print_text(&replayed, took, self.until.as_ref(), self.out.as_deref(), terminal);
        }
        Ok(if replayed.difference.is_none() { CliStatus::Done } else { CliStatus::Failed })
    }
}

fn to_cli_error(tape: &Path, error: &ReplayError) -> CliError {
    match error {
        ReplayError::Tape(TapeError::Open { .. }) => CliError::invalid_input(error),
        _ => CliError::invalid_input(format!("`{}`: {error}", tape.display())),
    }
}

/// Writes a file that only its owner can read: payloads can contain secrets.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private_options().write(true).create(true).truncate(true).open(path)?.write_all(bytes)
}

/// Whether two paths refer to the same file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    files::canonicalize(one).is_ok_and(|one| files::canonicalize(other).is_ok_and(|other| one == other))
}
