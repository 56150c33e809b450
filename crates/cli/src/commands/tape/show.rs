//! `pintle tape show`.

use std::path::PathBuf;

use clap::Args;
use pintle_host::tape::TapeReader;
use pintle_host::tape::show::{RemovedTexts, ShowOptions, StyledLine, TapeRenderer, Tone};

use super::tape_error;
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, locate_tape};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct TapeShowArgs {
    /// Tape to show: its path, the ID of its session or the start of it, or `last`.
    tape: PathBuf,
    /// Leave out hooks that passed and did nothing.
    #[arg(long)]
    brief: bool,
    /// Show at most this many characters of a text.
    #[arg(long, alias = "cut", value_name = "CHARS", default_value_t = 200)]
    max_chars: usize,
}

impl TapeShowArgs {
    /// Shows a tape. With `--json` the lines are printed unchanged, up to a torn record.
    pub(crate) fn execute(mut self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        self.tape = locate_tape(&self.tape)?;
        let error = |error| tape_error(&self.tape, error);
        let mut reader = TapeReader::open(&self.tape).map_err(error)?;
        let options = ShowOptions { everything: !self.brief, text_chars: self.max_chars, ..ShowOptions::default() };
        let mut removed = RemovedTexts::default();
        if !global.json {
            let whole = TapeReader::open(&self.tape).map_err(error)?.map_while(Result::ok);
            whole.for_each(|line| removed.add(&line.record.body));
        }
        let mut view = TapeRenderer::new(options).with_removed_texts(removed);
        for line in &mut reader {
            let line = line.map_err(error)?;
            if global.json {
                terminal.print_exact_line(String::from_utf8_lossy(&line.text));
            } else {
                terminal.print_lines(&view.feed(&line.record));
            }
        }
        if global.json {
            reader.torn().iter().for_each(|torn| terminal.print_note(torn));
        } else {
            terminal.print_lines(&view.finish());
            let torn = reader.torn().map(|torn| StyledLine::new(Tone::Warn, format!("note: {torn}")));
            terminal.print_lines(torn.as_slice());
        }
        Ok(CliStatus::Done)
    }
}
